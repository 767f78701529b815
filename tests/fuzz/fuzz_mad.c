// SPDX-License-Identifier: GPL-2.0-only
/*
 * MADs into SMA and PMA of an adapter and of a switch with a cable between them, packets at a passive
 * adapter, directed routes through both, traps, links that come and go, time that passes. An input is a script of such
 * events. Answers are well-formed and come back to who asked; ports stay in states that there are.
 */
#include <string.h>

#include "fabric/ca.h"
#include "fabric/topology.h"
#include "fuzz.h"
#include "mgmt/dr.h"
#include "mgmt/notice.h"
#include "mgmt/pma.h"
#include "mgmt/sma.h"
#include "wire/opcode.h"

#define CA_PORTS 2
#define SW_PORTS 34
#define EVENTS 200

static struct glass_port ca_ports[CA_PORTS + 1], sw_ports[SW_PORTS + 1];
static struct glass_fdb fdb;
static struct glass_node ca, sw;

static void check_port(const struct glass_port *p)
{
	FUZZ_CHECK(p->state >= GLASS_PORT_DOWN && p->state <= GLASS_PORT_ACTIVE, "port %u: state %u",
		   p->num, p->state);
	FUZZ_CHECK(p->phys_state >= GLASS_PHYS_SLEEP && p->phys_state <= GLASS_PHYS_LINKUP,
		   "port %u: physical state %u", p->num, p->phys_state);
	FUZZ_CHECK(p->state == GLASS_PORT_DOWN || p->phys_state == GLASS_PHYS_LINKUP,
		   "port %u: state %u without a link (%u)", p->num, p->state, p->phys_state);
	FUZZ_CHECK(p->lid < GLASS_LID_MCAST_BASE && p->sm_lid < GLASS_LID_MCAST_BASE && p->lmc <= 7,
		   "port %u: LID 0x%x, SM 0x%x, LMC %u", p->num, p->lid, p->sm_lid, p->lmc);
	FUZZ_CHECK(!p->num || (glass_mtu_bytes(p->mtu_active) && p->mtu_active <= glass_port_mtu_cap(p)),
		   "port %u: MTU code %u", p->num, p->mtu_active);
	FUZZ_CHECK(!(p->width_enabled & ~p->width_supported) &&
		   !(p->speed_enabled & ~p->speed_supported), "port %u: width %x, speed %x", p->num,
		   p->width_enabled, p->speed_enabled);
	FUZZ_CHECK(!p->num || p->link_down_default == GLASS_PHYS_SLEEP ||
		   p->link_down_default == GLASS_PHYS_POLLING, "port %u: down is %u", p->num,
		   p->link_down_default);
	FUZZ_CHECK(p->mkey_protect <= 3 && p->op_vls <= p->vl_cap && p->subnet_timeout <= 31,
		   "port %u: a field that is too large", p->num);
}

static void check_node(const struct glass_node *n)
{
	u32 i;

	for (i = n->type == GLASS_NODE_CA; i <= n->num_ports; i++)
		check_port(&n->ports[i]);
	if (n->fdb)
		FUZZ_CHECK(n->fdb->lft_top < GLASS_LFT_LIDS && n->fdb->life_time <= 31,
			   "LinearFDBTop 0x%x", n->fdb->lft_top);
	/* read-only, whoever writes */
	FUZZ_CHECK(n->ports[n->type == GLASS_NODE_CA].guids[0] ==
			   n->ports[n->type == GLASS_NODE_CA].guid, "GUID 0 was written");
}

/* IBA 13.4: an answer is the question with another method, status and attribute. */
static void check_answer(const struct glass_node *n, const u8 *in, const u8 *out, u32 attr_at)
{
	u16 status = glass_mad_status(out) & ~GLASS_SMP_DIRECTION;
	bool dr = in[GLASS_MAD_CLASS] == GLASS_MC_SM_DR;

	(void)n;
	FUZZ_CHECK(out[GLASS_MAD_METHOD] == GLASS_MM_GET_RESP, "method 0x%x",
		   out[GLASS_MAD_METHOD]);
	FUZZ_CHECK(!(in[GLASS_MAD_METHOD] & GLASS_MM_RESPONSE), "an answer to an answer");
	FUZZ_CHECK(out[GLASS_MAD_CLASS] == in[GLASS_MAD_CLASS] &&
		   !memcmp(out + GLASS_MAD_TID, in + GLASS_MAD_TID, 16), "not to this question");
	FUZZ_CHECK(status == GLASS_MS_OK || status == GLASS_MS_BAD_VERSION ||
		   status == GLASS_MS_BAD_METHOD || status == GLASS_MS_BAD_METHOD_ATTR ||
		   status == GLASS_MS_BAD_FIELD, "status 0x%x", status);
	FUZZ_CHECK(!dr || glass_smp_returning(out), "D bit");
	/* what is refused comes back as it was */
	if (status)
		FUZZ_CHECK(!memcmp(out + attr_at, in + attr_at, 64), "a refused attribute changed");
	else
		FUZZ_CHECK(in[GLASS_MAD_METHOD] == GLASS_MM_GET ||
			   in[GLASS_MAD_METHOD] == GLASS_MM_SET, "method 0x%x accepted",
			   in[GLASS_MAD_METHOD]);
	if (dr)
		FUZZ_CHECK(!memcmp(out + GLASS_SMP_HOP_PTR, in + GLASS_SMP_HOP_PTR, 2) &&
			   !memcmp(out + GLASS_SMP_INITIAL_PATH, in + GLASS_SMP_INITIAL_PATH, 128),
			   "the path changed");
}

/* What is answered exists: tables end where their switch or port says. */
static void check_exists(const struct glass_node *n, const u8 *in)
{
	u32 mod = glass_mad_attr_mod(in);

	switch (glass_mad_attr(in)) {
	case GLASS_SA_LFT:
		FUZZ_CHECK(mod < GLASS_LFT_LIDS / 64, "block %u of the forwarding table", mod);
		break;
	case GLASS_SA_MFT:
		FUZZ_CHECK((mod & 0x1ff) < GLASS_MFT_LIDS / 32 && (mod >> 28) * 16 <= n->num_ports,
			   "block 0x%x of the multicast table", mod);
		break;
	case GLASS_SA_PKEY_TABLE:
		FUZZ_CHECK((mod & 0xffff) < GLASS_PKEY_TABLE_LEN / 32, "P_Key block 0x%x", mod);
		break;
	case GLASS_SA_GUID_INFO:
		FUZZ_CHECK(mod < GLASS_GUID_TABLE_LEN / 8, "GUID block 0x%x", mod);
		break;
	}
}

/* Get after Set gives the same attribute, but for what acts when it is set. */
static void check_get_again(struct glass_node *n, u32 port, const u8 *in, const u8 *set)
{
	u16 attr = glass_mad_attr(in);
	u8 get[256], out[256];
	u32 chg;

	if (attr != GLASS_SA_LFT && attr != GLASS_SA_MFT && attr != GLASS_SA_PKEY_TABLE &&
	    attr != GLASS_SA_GUID_INFO && attr != GLASS_SA_LED_INFO)
		return;
	memcpy(get, in, 256);
	get[GLASS_MAD_METHOD] = GLASS_MM_GET;
	FUZZ_CHECK(glass_sma_process(n, port, get, out, GLASS_SMA_NO_MKEY, &chg) == GLASS_MAD_REPLY,
		   "no answer to the Get");
	FUZZ_CHECK(!chg, "a Get changed 0x%x", chg);
	FUZZ_CHECK(!memcmp(out + GLASS_SMP_DATA, set + GLASS_SMP_DATA, 64),
		   "attribute 0x%x is not what was set", attr);
}

static void cable(void)
{
	u32 a, b;

	glass_link_update(&ca, &ca_ports[1], &sw, &sw_ports[3], &a, &b);
	FUZZ_CHECK((ca_ports[1].state == GLASS_PORT_DOWN) == (sw_ports[3].state == GLASS_PORT_DOWN),
		   "one end of the cable is down: %u and %u", ca_ports[1].state, sw_ports[3].state);
}

static void make_mad(u8 mad[256], struct glass_node *n)
{
	static const u8 classes[] = { GLASS_MC_SM_LID, GLASS_MC_SM_DR, GLASS_MC_PM, GLASS_MC_SM_LID };
	static const u8 methods[] = { GLASS_MM_GET, GLASS_MM_SET, GLASS_MM_SET,
				      GLASS_MM_TRAP_REPRESS };
	static const u16 attrs[] = { 0x10, 0x11, 0x12, 0x14, 0x15, 0x15, 0x15, 0x16, 0x17, 0x18,
				     0x19, 0x1b, 0x20, 0x31, 0x01, 0x02, 0x1d, 0x36 };
	static const u32 ends[] = { GLASS_LFT_LIDS / 64, GLASS_MFT_LIDS / 32, SW_PORTS + 1,
				    GLASS_PKEY_TABLE_LEN / 32 };
	u8 head = fuzz_u8(), pick = fuzz_u8();
	size_t len = 64;
	const u8 *bytes;

	memset(mad, 0, 256);
	mad[GLASS_MAD_BASE_VERSION] = mad[GLASS_MAD_CLASS_VERSION] = 1;
	mad[GLASS_MAD_CLASS] = classes[head & 3];
	mad[GLASS_MAD_METHOD] = methods[head >> 2 & 3];
	put_unaligned_be16(pick & 0x80 ? fuzz_u16() : attrs[(pick & 0x7f) % ARRAY_SIZE(attrs)],
			   mad + GLASS_MAD_ATTR);
	mad[GLASS_MAD_TID + 7] = n->trap_tid;
	mad[GLASS_MAD_ATTR_MOD + 3] = fuzz_u8();
	if (head & 0x10) {
		/* anything, or about where a table ends */
		u32 mod = fuzz_u32();

		put_unaligned_be32(mod & 1 ? mod : ends[mod >> 1 & 3] + (mod >> 3 & 3) - 2,
				   mad + GLASS_MAD_ATTR_MOD);
	}
	put_unaligned_be64(n->ports[n->type == GLASS_NODE_CA].mkey, mad + GLASS_SMP_MKEY);
	put_unaligned_be16(GLASS_LID_PERMISSIVE, mad + GLASS_SMP_DR_SLID);
	put_unaligned_be16(GLASS_LID_PERMISSIVE, mad + GLASS_SMP_DR_DLID);
	if (head & 0x20) {
		/* what the agent would answer itself: a Set of that, changed a little */
		u32 chg, port = n->type == GLASS_NODE_CA ? 1 : 0;
		u8 method = mad[GLASS_MAD_METHOD], out[256];

		mad[GLASS_MAD_METHOD] = GLASS_MM_GET;
		if (glass_sma_process(n, port, mad, out, GLASS_SMA_NO_MKEY, &chg) ==
		    GLASS_MAD_REPLY)
			memcpy(mad + GLASS_SMP_DATA, out + GLASS_SMP_DATA, 64);
		mad[GLASS_MAD_METHOD] = method;
		/* as managers do: keep the states */
		if (glass_mad_attr(mad) == GLASS_SA_PORT_INFO) {
			mad[GLASS_SMP_DATA + GLASS_PI_SPEED_STATE] &= 0xf0;
			mad[GLASS_SMP_DATA + GLASS_PI_PHYS] = 0;
		}
		for (u32 i = fuzz_u8() & 7; i; i--) {
			u8 at = fuzz_u8();

			mad[GLASS_SMP_DATA + (at & 63)] = fuzz_u8();
		}
	} else {
		bytes = fuzz_take(&len);
		memcpy(mad + GLASS_SMP_DATA, bytes, len);
	}
	/* anything else anywhere */
	if (head & 0x40) {
		for (u32 i = 1 + (fuzz_u8() & 7); i; i--) {
			u8 at = fuzz_u8();

			mad[at] = fuzz_u8();
		}
	}
}

static void agent(struct glass_node *n, bool local)
{
	u8 before[256], *in, *out;
	u32 port = fuzz_below(n->num_ports + 2), chg;
	/* both lie so that ASan sees an access beyond */
	u8 in_mem[256], out_mem[256];

	in = in_mem;
	out = out_mem;
	make_mad(in, n);
	memcpy(before, in, 256);
	memset(out, 0x5a, 256);
	if (in[GLASS_MAD_CLASS] == GLASS_MC_PM) {
		if (glass_pma_process(n, port, in, out) == GLASS_MAD_REPLY)
			check_answer(n, in, out, GLASS_PM_DATA);
	} else {
		enum glass_mad_result r = glass_sma_process(n, port, in, out,
							    local ? GLASS_SMA_NO_MKEY : 0, &chg);

		FUZZ_CHECK(r <= GLASS_MAD_BAD_MKEY, "result %u", r);
		FUZZ_CHECK(!local || r != GLASS_MAD_BAD_MKEY, "the host's own M_Key was asked for");
		FUZZ_CHECK(GLASS_CHG_PORT(chg) <= n->num_ports, "a change of port %u",
			   GLASS_CHG_PORT(chg));
		if (r == GLASS_MAD_REPLY) {
			check_answer(n, in, out, GLASS_SMP_DATA);
			if (!(glass_mad_status(out) & 0x7fff))
				check_exists(n, in);
			if (in[GLASS_MAD_METHOD] == GLASS_MM_SET && !(glass_mad_status(out) & 0x7fff))
				check_get_again(n, port, in, out);
		}
		/* as the owner does */
		if (chg & GLASS_CHG_LINK)
			cable();
	}
	FUZZ_CHECK(!memcmp(before, in, 256), "the question changed");
	check_node(n);
}

/* A packet at a port of the adapter, which is passive: answers leave by that port, to a LID. */
static void packet(void)
{
	static const u16 lids[] = { 0, GLASS_LID_PERMISSIVE, 0xc001 };
	static struct glass_fwd out;
	u8 mad[256], what = fuzz_u8();
	struct glass_seg seg = { .addr = mad, .len = 256 }, own;
	struct glass_pkt made, pkt = {
		.lnh = GLASS_LNH_LOCAL,
		.vl = what & 1 ? GLASS_VL_SMP : 0,
		.dqpn = what & 1 ? 0 : 1,
		.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY,
		.slid = what & 2 ? fuzz_u16() : 5,
		.pkey = what & 4 ? fuzz_u16() : 0xffff,
		.qkey = what & 8 ? fuzz_u32() : 0x80010000,
		.len = 256,
		.nseg = 1,
		.seg = &seg,
	};
	u32 port = fuzz_below(CA_PORTS + 2);
	u8 pick = fuzz_u8();

	make_mad(mad, &ca);
	pkt.dlid = pick & 4 ? ca_ports[1 + (pick & 1)].lid : pick < 0xf8 ? lids[pick % 3] :
		   fuzz_u16();
	if (what & 0x10)
		mad[GLASS_MAD_CLASS] = GLASS_MC_SM_DR;
	if (what & 0x20) {
		mad[GLASS_SMP_HOP_PTR] = fuzz_u8() & 3;
		mad[GLASS_SMP_HOP_CNT] = fuzz_u8() & 3;
		mad[GLASS_SMP_RETURN_PATH + (fuzz_u8() & 3)] = fuzz_u8() & 3;
	}
	if (what & 0x40)
		pkt.dqpn = fuzz_u8() & 3;
	if (what & 0x80)
		pkt.len = seg.len = fuzz_u8();
	memset(&out, 0xa5, sizeof(out));
	glass_ca_rx(&ca, port, &pkt, &out);
	FUZZ_CHECK(GLASS_CHG_PORT(out.changes) <= CA_PORTS, "a change of port %u",
		   GLASS_CHG_PORT(out.changes));
	switch (out.kind) {
	case GLASS_FWD_DROP:
		FUZZ_CHECK(out.why > GLASS_DROP_NONE && out.why < GLASS_DROP_COUNT, "reason %u",
			   out.why);
		break;
	case GLASS_FWD_CONSUMED:
		break;
	default:
		FUZZ_CHECK(out.kind == GLASS_FWD_MAD && out.port == port, "kind %u, port %u",
			   out.kind, out.port);
		FUZZ_CHECK(out.dlid && !glass_lid_is_mcast(out.dlid), "to LID 0x%x", out.dlid);
		FUZZ_CHECK(out.mad[GLASS_MAD_METHOD] == GLASS_MM_GET_RESP, "method 0x%x",
			   out.mad[GLASS_MAD_METHOD]);
		glass_fwd_pkt(&out, &made, &own);
		FUZZ_CHECK(made.len == GLASS_MAD_BYTES, "a MAD of %u bytes", made.len);
	}
	/* as the owner does */
	if (out.changes & GLASS_CHG_LINK)
		cable();
	check_node(&ca);
}

/* A directed route: the hop pointer moves by one, and leads to ports that there are. */
static void route(struct glass_node *n)
{
	u8 mad[256];
	u32 out_port = ~0u, port = fuzz_below(n->num_ports + 1), hops;
	enum glass_dr_verdict v;
	u16 dlid = 0;
	u8 what = fuzz_u8(), ptr;

	memset(mad, 0, sizeof(mad));
	mad[GLASS_MAD_CLASS] = GLASS_MC_SM_DR;
	mad[GLASS_MAD_STATUS] = what & 1 ? 0x80 : 0;
	mad[GLASS_SMP_HOP_PTR] = ptr = fuzz_u8();
	/* mostly about as long as a path may be */
	hops = fuzz_u8();
	if (what & 8)
		hops = GLASS_SMP_MAX_HOPS - 3 + hops % 5;
	mad[GLASS_SMP_HOP_CNT] = hops;
	if (what & 16)
		mad[GLASS_SMP_HOP_PTR] = ptr = hops - 2 + ptr % 4;
	put_unaligned_be16(what & 2 ? GLASS_LID_PERMISSIVE : fuzz_u16(), mad + GLASS_SMP_DR_SLID);
	put_unaligned_be16(what & 4 ? GLASS_LID_PERMISSIVE : fuzz_u16(), mad + GLASS_SMP_DR_DLID);
	for (u32 i = 0; i < 8; i++) {
		mad[GLASS_SMP_INITIAL_PATH + ((hops - i) & 63)] = fuzz_u8();
		mad[GLASS_SMP_RETURN_PATH + ((hops - i) & 63)] = fuzz_u8();
	}
	switch (what >> 6) {
	case 0:
		v = glass_dr_turn(n, mad, &out_port, &dlid);
		break;
	default:
		v = glass_dr_receive(n, port, mad, &out_port, &dlid);
	}
	FUZZ_CHECK(v <= GLASS_DR_LID_ROUTE, "verdict %u", v);
	FUZZ_CHECK(v == GLASS_DR_DROP || hops < GLASS_SMP_MAX_HOPS, "%u hops", hops);
	FUZZ_CHECK(v != GLASS_DR_FORWARD || (out_port >= 1 && out_port <= n->num_ports), "port %u",
		   out_port);
	FUZZ_CHECK(v != GLASS_DR_LID_ROUTE || (n->type == GLASS_NODE_SWITCH &&
					       dlid != GLASS_LID_PERMISSIVE), "LID 0x%x", dlid);
	FUZZ_CHECK(mad[GLASS_SMP_HOP_CNT] == hops, "the hop count changed");
	if (v == GLASS_DR_FORWARD)
		FUZZ_CHECK((u8)(mad[GLASS_SMP_HOP_PTR] - ptr) == 1 ||
			   (u8)(ptr - mad[GLASS_SMP_HOP_PTR]) == 1, "hop pointer from %u to %u", ptr,
			   mad[GLASS_SMP_HOP_PTR]);
}

static void trap(struct glass_node *n)
{
	static struct glass_pkt pkt = { .lnh = GLASS_LNH_GLOBAL, .sl = 15, .dqpn = ~0u };
	u8 mad[256], what;
	u32 port = ~0u, from;

	from = fuzz_below(n->num_ports + 1);
	what = fuzz_u8();
	make_mad(mad, n);
	switch (what & 7) {
	case 0:
	case 1:
		glass_trap_request(n, from, what & 1 ? GLASS_TRAP_LINK_STATE : GLASS_TRAP_LOCAL_CHANGE);
		break;
	case 2:
		glass_trap_local_change(n, from, fuzz_u16());
		break;
	case 3:
		glass_trap_mkey(n, from, mad, fuzz_u16());
		break;
	case 4:
		glass_trap_repress(n, glass_mad_tid(mad));
		break;
	case 5:
	case 6:
		glass_trap_key(n, from, what & 1 ? GLASS_TRAP_BAD_PKEY : GLASS_TRAP_BAD_QKEY, &pkt);
		break;
	default:
		if (n->fdb)
			glass_trap_switch_pkey(n, from, &pkt);
	}
	memset(mad, 0x5a, sizeof(mad));
	if (!glass_trap_build(n, mad, &port))
		return;
	FUZZ_CHECK(glass_node_port(n, port), "a trap from port %u", port);
	FUZZ_CHECK(mad[GLASS_MAD_CLASS] == GLASS_MC_SM_LID && mad[GLASS_MAD_METHOD] == GLASS_MM_TRAP &&
		   glass_mad_attr(mad) == GLASS_SA_NOTICE, "not a trap");
	FUZZ_CHECK(n->trap_pending && n->ports[port].sm_lid && (u32)glass_mad_tid(mad) <= n->trap_tid,
		   "a trap to nobody, or of another number");
}

static void counters(struct glass_node *n)
{
	struct glass_port *p = &n->ports[fuzz_below(n->num_ports + 1)];
	u8 how = fuzz_u8();

	if (how & 1)
		glass_port_count_tx(p, how >> 4, fuzz_u16(), fuzz_u16(), how & 15);
	else if (how & 2)
		glass_port_count_rx(p, how >> 4, fuzz_u16(), fuzz_u16(), how & 15);
	else if (how & 4)
		p->ctr[how % GLASS_CTR_COUNT] += fuzz_u64() >> 1;
	else
		glass_viol(how & 8 ? &p->qkey_viol : &p->pkey_viol, fuzz_u32());
}

static void look(struct glass_node *n)
{
	struct glass_port *p = &n->ports[1 + fuzz_below(n->num_ports)];
	u16 pkey = fuzz_u16();
	u32 index = fuzz_below(GLASS_GUID_TABLE_LEN + 1);
	u8 gid[16];
	int i;

	i = glass_port_pkey_index(p, pkey);
	FUZZ_CHECK(i == -ENOENT || (i >= 0 && i < p->pkey_len && glass_pkey_match(p->pkeys[i], pkey)),
		   "P_Key 0x%x at %d", pkey, i);
	if (!glass_port_gid(p, index, gid)) {
		i = glass_port_gid_index(p, gid);
		FUZZ_CHECK(i >= 0 && i < p->guid_len && p->guids[i] == p->guids[index],
			   "GID %u found at %d", index, i);
	}
	fuzz_bytes(gid, sizeof(gid));
	glass_port_gid_index(p, gid);
	if (glass_port_data_seen(p))
		FUZZ_CHECK(p->state == GLASS_PORT_ACTIVE, "state %u", p->state);
	if (fuzz_u8() & 1) {
		size_t len = fuzz_below(80);
		const uint8_t *desc = fuzz_take(&len);

		glass_node_set_desc(n, (const char *)desc, len);
	}
}

/* Each port of an HCA has a cable, to a switch port of its own; GUIDs differ. */
static void topology(void)
{
	static struct glass_topology t;
	u32 hcas = fuzz_below(GLASS_TOPO_MAX_HCAS + 2), ports = fuzz_below(GLASS_TOPO_MAX_HCA_PORTS + 2);

	if (glass_topology_star(&t, hcas, ports)) {
		FUZZ_CHECK(hcas * ports > GLASS_TOPO_MAX_LINKS || !hcas || hcas > GLASS_TOPO_MAX_HCAS || !ports ||
			   ports > GLASS_TOPO_MAX_HCA_PORTS, "%u by %u refused", hcas, ports);
		return;
	}
	FUZZ_CHECK(t.num_links == hcas * ports, "%u links", t.num_links);
	for (u32 i = 0; i < t.num_links; i++) {
		const struct glass_link *l = &t.links[i];

		FUZZ_CHECK(l->a.kind == GLASS_END_HCA && l->a.port == i % ports + 1 && l->a.index == i / ports &&
			   l->b.kind == GLASS_END_SWITCH && l->b.port == i + 1 && !l->b.index, "link %u", i);
	}
	FUZZ_CHECK(glass_guid_system(GLASS_GUID_BASE, GLASS_END_HCA, hcas) !=
			   glass_guid_system(GLASS_GUID_BASE, GLASS_END_SWITCH, hcas) &&
		   glass_guid_system(GLASS_GUID_BASE, GLASS_END_HCA, hcas) !=
			   glass_guid_hca(GLASS_GUID_BASE, hcas), "GUIDs");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 i;

	fuzz_begin(data, size);
	memset(ca_ports, 0xa5, sizeof(ca_ports));
	memset(sw_ports, 0xa5, sizeof(sw_ports));
	glass_fdb_free(&fdb);
	glass_node_init(&ca, GLASS_NODE_CA, CA_PORTS, ca_ports, NULL, 0x100, 0x180, "a");
	glass_node_init(&sw, GLASS_NODE_SWITCH, SW_PORTS, sw_ports, &fdb, 0x1000, 0x1080, "x");
	cable();
	for (i = 0; i < EVENTS && fuzz_left(); i++) {
		u8 event = fuzz_u8();
		struct glass_node *n = event & 0x80 ? &sw : &ca;

		switch (event & 15) {
		case 0:
			route(n);
			break;
		case 1:
			trap(n);
			break;
		case 2:
			glass_port_link(&n->ports[1 + fuzz_below(n->num_ports)], event & 0x40);
			cable();
			check_node(n);
			break;
		case 3:
			n->now += (u64)fuzz_u16() << 24;
			break;
		case 4:
			counters(n);
			break;
		case 5:
			look(n);
			break;
		case 6:
			n->ports[n->type == GLASS_NODE_CA].cap_mask ^= fuzz_u8() & 1 ?
				GLASS_CAP_SM : GLASS_CAP_SM_DISABLED;
			break;
		case 15:
			packet();
			break;
		case 7:
			if (event & 0x40) {
				topology();
				break;
			}
			fallthrough;
		default:
			agent(n, event & 0x40);
		}
	}
	return 0;
}
