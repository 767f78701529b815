// SPDX-License-Identifier: GPL-2.0-only
/*
 * A subnet manager at the port of node 0. It sees the fabric by MADs alone: a sweep goes
 * by directed routes through all links that are up, gives LIDs, writes forwarding tables
 * and takes ports to ACTIVE. What it asks is answered at once; what it writes goes out
 * one MAD after the other, so that packets meet tables that are half written.
 */
#include "mgmt/sma.h"
#include "sim.h"

#define MAX_PLAN 512
#define HOPS	 16

struct place {
	u64 guid;
	u8 path[HOPS + 1]; /* [1 .. hops] */
	u32 hops;
	bool is_switch;
	u8 nports;
	u8 state[SW_PORTS + 1];
	struct {
		int to; /* index of a place, -1: none */
		u8 port;
	} link[SW_PORTS + 1];
	u8 info[SW_PORTS + 1][64]; /* PortInfo */
	u16 lid;
	u8 lmc;
};

struct plan {
	u32 place;
	u16 attr;
	u32 mod;
	u8 data[64];
};

static struct {
	struct place place[S_NODES + S_SWITCHES];
	u32 n;
	struct plan plan[MAX_PLAN];
	u32 nplan, next;
	bool sweeping, wanted, again;
	u64 tid;
	u8 answer[GLASS_MAD_BYTES];
	bool answered;
} sm;

#define LID_OF_NODE(i)	 (0x10 + 4 * (i))
#define LID_OF_SWITCH(i) (0x80 + (i))

u16 sm_lid(u32 node)
{
	return LID_OF_NODE(node);
}

bool sm_idle(void)
{
	return !sm.sweeping && !sm.wanted;
}

/* Numbers that stay: from the GUID */
static u16 lid_of(u64 guid, bool is_switch)
{
	u32 i;

	for (i = 0; i < (is_switch ? S_SWITCHES : S_NODES); i++)
		if (guid == (is_switch ? glass_guid_switch(GLASS_GUID_BASE, i)
				       : glass_guid_hca(GLASS_GUID_BASE, i)))
			return is_switch ? LID_OF_SWITCH(i) : LID_OF_NODE(i);
	CHECK(0, "a node of GUID %llx", (unsigned long long)guid);
}

static void mad_out(u8 *mad, u16 dlid)
{
	struct flight *f = calloc(1, sizeof(*f));

	w->flights++;
	f->data = malloc(GLASS_MAD_BYTES);
	memcpy(f->data, mad, GLASS_MAD_BYTES);
	f->pkt.vl = GLASS_VL_SMP;
	f->pkt.lnh = GLASS_LNH_LOCAL;
	f->pkt.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY;
	f->pkt.pkey = 0xffff;
	f->pkt.mig = 1;
	f->pkt.slid = dlid == GLASS_LID_PERMISSIVE ? GLASS_LID_PERMISSIVE : LID_OF_NODE(0);
	f->pkt.dlid = dlid;
	f->pkt.len = GLASS_MAD_BYTES;
	f->pkt.seg = f->seg;
	f->pkt.nseg = 1;
	f->seg[0] = (struct glass_seg){ .addr = f->data, .len = GLASS_MAD_BYTES };
	f->at = (struct glass_link_end){ .kind = GLASS_END_HCA, .port = 1, .index = 0 };
	fabric_carry(f);
}

static void mad_make(u8 *mad, u8 class, u8 method, u16 attr, u32 mod)
{
	memset(mad, 0, GLASS_MAD_BYTES);
	mad[GLASS_MAD_BASE_VERSION] = 1;
	mad[GLASS_MAD_CLASS] = class;
	mad[GLASS_MAD_CLASS_VERSION] = 1;
	mad[GLASS_MAD_METHOD] = method;
	put_unaligned_be64(++sm.tid, mad + GLASS_MAD_TID);
	put_unaligned_be16(attr, mad + GLASS_MAD_ATTR);
	put_unaligned_be32(mod, mad + GLASS_MAD_ATTR_MOD);
	put_unaligned_be64(w->sc->mkey, mad + GLASS_SMP_MKEY);
	put_unaligned_be16(GLASS_LID_PERMISSIVE, mad + GLASS_SMP_DR_SLID);
	put_unaligned_be16(GLASS_LID_PERMISSIVE, mad + GLASS_SMP_DR_DLID);
}

/* Asks a node, up to three times. The 64 bytes of the answer, or NULL. */
static const u8 *ask(const u8 *path, u32 hops, u8 method, u16 attr, u32 mod, const u8 *data)
{
	struct glass_node *own = &w->hca[0].node;
	u8 mad[GLASS_MAD_BYTES];

	for (u32 try = 0; try < 3; try++) {
		u32 chg;

		mad_make(mad, GLASS_MC_SM_DR, method, attr, mod);
		if (data)
			memcpy(mad + GLASS_SMP_DATA, data, 64);
		mad[GLASS_SMP_HOP_CNT] = hops;
		memcpy(mad + GLASS_SMP_INITIAL_PATH, path, hops + 1);
		sums.smps++;
		sm.answered = false;
		if (!hops) {
			sm.answered = glass_sma_process(own, 1, mad, sm.answer, 0, &chg) ==
				      GLASS_MAD_REPLY;
		} else {
			/* as the kernel's MAD layer sends it: out by the first port of the path */
			mad[GLASS_SMP_HOP_PTR] = 1;
			CHECK(path[1] == 1, "no way out");
			if (sim_hash(w->sc->seed, sm.tid, 11, 0) % 1000 < w->sc->sm_loss)
				sums.mads_lost++;
			else
				mad_out(mad, GLASS_LID_PERMISSIVE);
		}
		if (!sm.answered)
			continue;
		CHECK(glass_mad_tid(sm.answer) == sm.tid, "answer of another question");
		CHECK(!hops || (sm.answer[GLASS_SMP_HOP_PTR] == 0 &&
				sm.answer[GLASS_SMP_HOP_CNT] == hops),
		      "hop pointer %u", sm.answer[GLASS_SMP_HOP_PTR]);
		/* a link that came or went since the sweep began: the next one sees it */
		if (glass_mad_status(sm.answer) & 0x7fff)
			break;
		return sm.answer + GLASS_SMP_DATA;
	}
	sm.again = true;
	return NULL;
}

static const u8 *get(struct place *p, u16 attr, u32 mod)
{
	return ask(p->path, p->hops, GLASS_MM_GET, attr, mod, NULL);
}

static int find(u64 guid)
{
	for (u32 i = 0; i < sm.n; i++)
		if (sm.place[i].guid == guid)
			return i;
	return -1;
}

/* Looks at the node at the end of a path; its index, or -1. *port: where the path enters it. */
static int look(const u8 *path, u32 hops, u8 *port)
{
	const u8 *d = ask(path, hops, GLASS_MM_GET, GLASS_SA_NODE_INFO, 0, NULL);
	struct place *p;
	int at;

	if (!d)
		return -1;
	*port = d[36];
	at = find(get_unaligned_be64(d + 12));
	if (at >= 0)
		return at;
	CHECK(sm.n < S_NODES + S_SWITCHES, "more nodes than there are");
	p = &sm.place[sm.n];
	memset(p, 0, sizeof(*p));
	p->guid = get_unaligned_be64(d + 12);
	p->is_switch = d[2] == GLASS_NODE_SWITCH;
	p->nports = d[3];
	memcpy(p->path, path, hops + 1);
	p->hops = hops;
	p->lid = lid_of(p->guid, p->is_switch);
	if (!p->is_switch)
		p->lmc = w->sc->node[(p->lid - LID_OF_NODE(0)) / 4].lmc;
	for (u32 i = 0; i <= SW_PORTS; i++)
		p->link[i].to = -1;
	return sm.n++;
}

static void plan(u32 place, u16 attr, u32 mod, const u8 *data)
{
	struct plan *s = &sm.plan[sm.nplan];

	CHECK(sm.nplan < MAX_PLAN, "plan too long");
	s->place = place;
	s->attr = attr;
	s->mod = mod;
	memcpy(s->data, data, 64);
	sm.nplan++;
}

/* What a manager reads of each node when the fabric comes up */
static void look_closer(struct place *p)
{
	const u8 *d = get(p, GLASS_SA_NODE_DESC, 0);

	CHECK(!d || !strcmp((const char *)d, p->is_switch ? "switch" : "node"), "description %s",
	      d);
	d = get(p, GLASS_SA_GUID_INFO, 0);
	CHECK(!d || get_unaligned_be64(d) == p->guid + !p->is_switch, "GUID %llx",
	      (unsigned long long)get_unaligned_be64(d));
	d = get(p, GLASS_SA_PKEY_TABLE, 0);
	CHECK(!d || get_unaligned_be16(d) == GLASS_PKEY_DEFAULT, "P_Key %x", get_unaligned_be16(d));
}

static void discover(void)
{
	u8 none[HOPS + 1] = { 0 }, port;

	sm.n = 0;
	sm.nplan = 0;
	sm.next = 0;
	if (look(none, 0, &port) < 0)
		return;
	for (u32 i = 0; i < sm.n; i++) {
		struct place *p = &sm.place[i];

		if (!w->start)
			look_closer(p);
		for (u32 n = p->is_switch ? 0 : 1; n <= (p->is_switch ? p->nports : 1); n++) {
			const u8 *d = get(p, GLASS_SA_PORT_INFO, n);
			u8 path[HOPS + 1];
			int to;

			if (!d)
				continue;
			memcpy(p->info[n], d, 64);
			p->state[n] = d[GLASS_PI_SPEED_STATE] & 0xf;
			if (!n || p->state[n] < GLASS_PORT_INIT || p->hops == HOPS ||
			    (!p->is_switch && p->hops))
				continue;
			memcpy(path, p->path, sizeof(path));
			path[p->hops + 1] = n;
			to = look(path, p->hops + 1, &port);
			/* sm.place[] does not move */
			p->link[n].to = to;
			p->link[n].port = port;
			if (to >= 0) {
				sm.place[to].link[port].to = i;
				sm.place[to].link[port].port = n;
			}
		}
	}
}

/* For each switch the port on a shortest way to place `to`; 0xff: none, 0: itself */
static void routes(u32 to, u8 *via)
{
	u32 dist[S_NODES + S_SWITCHES], todo[S_NODES + S_SWITCHES], n = 0;

	for (u32 i = 0; i < sm.n; i++) {
		dist[i] = ~0U;
		via[i] = GLASS_LFT_NONE;
	}
	dist[to] = 0;
	via[to] = 0;
	todo[n++] = to;
	for (u32 i = 0; i < n; i++) {
		struct place *p = &sm.place[todo[i]];

		/* nodes forward nothing */
		if (!p->is_switch && todo[i] != to)
			continue;
		for (u32 k = 1; k <= p->nports; k++) {
			int q = p->link[k].to;

			if (q < 0 || dist[q] != ~0U)
				continue;
			dist[q] = dist[todo[i]] + 1;
			via[q] = p->link[k].port;
			todo[n++] = q;
		}
	}
}

/*
 * Packets of groups go by one tree over all switches, from the first on, so that there are no
 * circles; of it, by the ways to nodes that have a member.
 */
static void plan_groups(void)
{
	int parent[S_NODES + S_SWITCHES], todo[S_NODES + S_SWITCHES];
	u32 up[S_NODES + S_SWITCHES], down[S_NODES + S_SWITCHES], n = 0;
	u64 ports[S_NODES + S_SWITCHES][S_GROUPS] = { 0 };

	for (u32 i = 0; i < sm.n; i++)
		parent[i] = -2;
	for (u32 i = 0; !n && i < sm.n; i++)
		if (sm.place[i].is_switch) {
			parent[i] = -1;
			todo[n++] = i;
		}
	for (u32 i = 0; i < n; i++) {
		struct place *p = &sm.place[todo[i]];

		for (u32 k = 1; p->is_switch && k <= p->nports; k++) {
			int q = p->link[k].to;

			if (q < 0 || parent[q] != -2)
				continue;
			parent[q] = todo[i];
			down[q] = k;
			up[q] = p->link[k].port;
			todo[n++] = q;
		}
	}
	for (u32 i = 0; i < sm.n; i++)
		for (u32 g = 0; g < S_GROUPS; g++) {
			if (sm.place[i].is_switch || parent[i] < 0 ||
			    !datagram_wants((sm.place[i].lid - LID_OF_NODE(0)) / 4, g))
				continue;
			/* from the tree's root down to the member, and from all others up to it */
			for (int at = i; parent[at] >= 0; at = parent[at])
				ports[parent[at]][g] |= 1ULL << down[at];
			for (u32 k = 0; k < n; k++) {
				int q = todo[k];
				bool above = false;

				for (int at = i; at >= 0; at = parent[at])
					above |= at == q;
				if (!above && sm.place[q].is_switch)
					ports[q][g] |= 1ULL << up[q];
			}
		}
	for (u32 i = 0; i < sm.n; i++)
		for (u32 position = 0; sm.place[i].is_switch && position < 2; position++) {
			u8 block[64] = { 0 };

			for (u32 g = 0; g < S_GROUPS; g++)
				put_unaligned_be16(ports[i][g] >> 16 * position, block + 2 * g);
			if (position <= sm.place[i].nports / 16u)
				plan(i, GLASS_SA_MFT, position << 28, block);
		}
}

static void plan_tables(void)
{
	static u8 lft[S_NODES + S_SWITCHES][192];
	u8 via[S_NODES + S_SWITCHES];

	memset(lft, GLASS_LFT_NONE, sizeof(lft));
	for (u32 to = 0; to < sm.n; to++) {
		routes(to, via);
		for (u32 i = 0; i < sm.n; i++)
			for (u32 k = 0; sm.place[i].is_switch && k < 1U << sm.place[to].lmc; k++)
				lft[i][sm.place[to].lid + k] = via[i];
	}
	for (u32 i = 0; i < sm.n; i++) {
		u8 info[64] = { 0 };

		if (!sm.place[i].is_switch)
			continue;
		put_unaligned_be16(191, info + 6);
		info[8] = info[9] = info[10] = GLASS_LFT_NONE;
		info[11] = 4; /* clears PortStateChange */
		plan(i, GLASS_SA_SWITCH_INFO, 0, info);
		for (u32 k = 0; k < 3; k++)
			plan(i, GLASS_SA_LFT, k, lft[i] + 64 * k);
		memset(info, 0, sizeof(info));
		plan(i, GLASS_SA_MFT, i + 1, info);
		/* while links change, first nobody has ways of groups: old and new ones together may be circles */
		if (w->link_trouble)
			for (u32 position = 0; position <= sm.place[i].nports / 16u; position++)
				plan(i, GLASS_SA_MFT, position << 28, info);
	}
	plan_groups();
}

static void plan_ports(u32 state)
{
	for (u32 i = 0; i < sm.n; i++) {
		struct place *p = &sm.place[i];

		for (u32 n = p->is_switch ? 0 : 1; n <= (p->is_switch ? p->nports : 1); n++) {
			u8 *d = p->info[n];
			bool own = !n || !p->is_switch;

			d[GLASS_PI_SPEED_STATE] = 0;
			d[GLASS_PI_PHYS] &= 0xf;
			if (own && !state) {
				put_unaligned_be16(p->lid, d + GLASS_PI_LID);
				put_unaligned_be16(LID_OF_NODE(0), d + GLASS_PI_SM_LID);
				put_unaligned_be64(w->sc->mkey, d + GLASS_PI_MKEY);
				d[GLASS_PI_MKEY_LMC] = (w->sc->mkey ? 1 << 6 : 0) | p->lmc;
			} else if (!own && !state) {
				continue;
			}
			if (state) {
				if (!n || p->state[n] < GLASS_PORT_INIT || p->state[n] >= state)
					continue;
				d[GLASS_PI_SPEED_STATE] = state;
			}
			plan(i, GLASS_SA_PORT_INFO, n, d);
		}
	}
}

static void sweep(void)
{
	sums.sweeps++;
	sm.again = false;
	sm.sweeping = true;
	discover();
	plan_ports(0);
	plan_tables();
	plan_ports(GLASS_PORT_ARMED);
	for (u32 i = 0; i < sm.n; i++)
		for (u32 n = 1; n <= SW_PORTS; n++)
			if (sm.place[i].state[n] == GLASS_PORT_INIT)
				sm.place[i].state[n] = GLASS_PORT_ARMED;
	plan_ports(GLASS_PORT_ACTIVE);
}

static bool write_one(void)
{
	const struct plan *s;
	const u8 *answer;

	if (sm.next >= sm.nplan)
		return false;
	s = &sm.plan[sm.next++];
	answer = ask(sm.place[s->place].path, sm.place[s->place].hops, GLASS_MM_SET, s->attr,
		     s->mod, s->data);
	CHECK(!answer || (s->attr != GLASS_SA_LFT && s->attr != GLASS_SA_MFT) ||
		      !memcmp(answer, s->data, 64),
	      "block %u of table %x is not what was set", s->mod, s->attr);
	return true;
}

void sm_bring_up(void)
{
	memset(&sm, 0, sizeof(sm));
	do {
		sweep();
		while (write_one())
			;
		CHECK(w->steps++ < 200, "the fabric does not come up");
	} while (sm.again);
	sm.sweeping = false;
}

/* Something changed: a trap came, or the manager will see it when it looks by itself. */
void sm_notice(bool trap)
{
	if (sm.sweeping) {
		sm.again = true;
		return;
	}
	sm.wanted = true;
	push(w->now + (trap ? w->sc->sm_step : w->sc->sm_light), EV_SM, 1, NULL);
}

void sm_cable_moved(void)
{
	sm.nplan = sm.next;
}

/* start: a sweep may be due; else the next MAD of the one that runs. */
void sm_event(bool start)
{
	if (start) {
		if (sm.sweeping || !sm.wanted)
			return;
		sm.wanted = false;
		sweep();
	} else if (!write_one()) {
		sm.sweeping = false;
		if (sm.again)
			sm_notice(false);
		return;
	}
	push(w->now + w->sc->sm_step, EV_SM, 0, NULL);
}

void sm_mad_arrived(const struct glass_pkt *pkt)
{
	const u8 *in = pkt->seg[0].addr;
	u8 mad[GLASS_MAD_BYTES];

	if (in[GLASS_MAD_METHOD] != GLASS_MM_TRAP) {
		memcpy(sm.answer, in, sizeof(sm.answer));
		sm.answered = true;
		return;
	}
	memcpy(mad, in, sizeof(mad));
	mad[GLASS_MAD_METHOD] = GLASS_MM_TRAP_REPRESS;
	put_unaligned_be64(w->sc->mkey, mad + GLASS_SMP_MKEY);
	mad_out(mad, pkt->slid);
	sm_notice(true);
}
