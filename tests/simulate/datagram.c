// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams to many: each UD side may send to each other one, and to groups, whose members come
 * and go. What UD promises (IBA 9.8.3): nothing is repeated, altered, or taken by somebody who was
 * not meant, and what one sender sends on one way keeps its order. All of it may be lost.
 */
#include "sim.h"

#define MLID(group) (0xc000 + (group))
#define MCAST_QPN 0xffffff

static void group_gid(u8 *gid, u32 group)
{
	memset(gid, 0, 16);
	gid[0] = 0xff;
	gid[1] = 0x12;
	gid[15] = 1 + group;
}

/* The group that a message goes to, or -1 */
static int group_of(const struct msg *m)
{
	return m->m->to >= S_TO_GROUP ? m->m->to - S_TO_GROUP : -1;
}

bool datagram_reaches(const struct msg *m, const struct side *from, const struct side *to)
{
	u32 id = m->m->to ? m->m->to - 1u : from->id ^ 1;

	if (!to->ep || to->c->type != GLASS_QPT_UD || from->c->type != GLASS_QPT_UD)
		return false;
	return group_of(m) >= 0 || id == to->id;
}

struct glass_av datagram_av(struct side *s, u8 to, u32 *qpn)
{
	struct glass_av av = av_to(s, to && to < S_TO_GROUP ? &w->side[to - 1] : s->peer);

	*qpn = to && to < S_TO_GROUP ? w->side[to - 1].ep->q.qpn : s->peer->ep->q.qpn;
	if (to < S_TO_GROUP)
		return av;
	*qpn = MCAST_QPN;
	av.dlid = MLID(to - S_TO_GROUP);
	av.has_grh = 1;
	group_gid(av.dgid, to - S_TO_GROUP);
	sums.to_groups++;
	return av;
}

bool datagram_wants(u32 node, u32 group)
{
	for (u32 id = 0; id < S_CONNS * 2; id++)
		if (w->side[id].ep && w->side[id].hca == &w->hca[node] && w->side[id].now_in >> group & 1)
			return true;
	return false;
}

/* A copy for each member of this node, the sender too if it is one, as engine/copies.c makes them */
void datagram_deliver(struct hca *h, struct flight *f)
{
	u32 group = f->pkt.dlid - MLID(0);
	struct glass_rx_meta meta = { .pkey_index = glass_port_pkey_index(&h->ports[1], f->pkt.pkey) };
	bool known = false;
	u8 gid[16];

	CHECK(group < S_GROUPS && f->pkt.dqpn == MCAST_QPN && f->pkt.lnh == GLASS_LNH_GLOBAL, "group %u",
	      group);
	group_gid(gid, group);
	CHECK(!memcmp(gid, f->pkt.grh.dgid, sizeof(gid)), "GID of another group");
	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *s = &w->side[id];
		struct pe_before b;

		if (!s->ep || s->hca != h)
			continue;
		known |= s->ever_in >> group & 1;
		if (s->dead || !(s->now_in >> group & 1))
			continue;
		sums.copies++;
		b = check_before(s);
		glass_pqp_rx(&s->ep->q, &f->pkt, &meta, side_now(s));
		check_after(s, b, &f->pkt);
		program_touch(s);
	}
	CHECK(known || !check_steady() || f->from->hca == h, "a packet of group %u came to node %u, which has no member",
	      group, (u32)(h - w->hca));
}

/* The subnet manager learns of it, and changes the tables of switches. */
void datagram_act(struct side *s, const struct sc_act *a)
{
	u32 bit = 1 << (a->what >> 4);

	if (s->c->type != GLASS_QPT_UD)
		return;
	if (a->kind == SC_JOIN)
		s->now_in |= bit;
	else
		s->now_in &= ~bit;
	s->ever_in |= s->now_in;
	sm_notice(true);
}

static bool same_data(const struct msg *m, const struct glass_cqe *c, const u8 *at, u32 len)
{
	if (m->m->len != len || m->m->solicited != c->solicited ||
	    c->has_imm != (m->m->op == GLASS_OP_SEND_IMM) ||
	    (c->has_imm && c->imm != (__be32)m->m->imm))
		return false;
	for (u32 i = 0; i < len; i++)
		if (at[i] != pattern(m->salt, i))
			return false;
	return true;
}

struct msg *datagram_which(struct side *s, const struct glass_cqe *c, const u8 *at, u32 len)
{
	/* the GID that it was sent to, in the GRH before it */
	const u8 *gid = at - sizeof(((struct glass_grh *)0)->dgid);
	int group = c->has_grh && gid[0] == 0xff ? gid[15] - 1 : -1;
	u32 id = c->src_qp - QPN(0), *next, i;
	struct side *from;

	CHECK(id < S_CONNS * 2 && w->side[id].ep && w->side[id].c->type == GLASS_QPT_UD, "from QP %x", c->src_qp);
	CHECK(group < S_GROUPS && (group < 0 || s->ever_in >> group & 1), "of group %d", group);
	from = &w->side[id];
	/* each way keeps its order, as long as it is the same way */
	next = &s->next_from[id][group + 1];
	for (i = check_steady() ? *next : 0; i < from->posted; i++) {
		struct msg *m = from->list[i];

		if (!datagram_reaches(m, from, s) || group_of(m) != group || !same_data(m, c, at, len) ||
		    (m->got >> s->id & 1 && check_steady()))
			continue;
		m->got |= 1U << s->id;
		*next = i + 1;
		return m;
	}
	return NULL;
}

/* In a fabric without faults and with receives for all, all of it came. */
void datagram_end(struct side *s)
{
	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *from = &w->side[id];

		for (u32 i = 0; from->ep && i < from->posted; i++) {
			struct msg *m = from->list[i];

			if (!datagram_reaches(m, from, s) || m->m->len > s->ep->q.attr.mtu ||
			    (group_of(m) >= 0 && !(s->now_in >> group_of(m) & 1)))
				continue;
			CHECK(m->got >> s->id & 1, "datagram %u of QP %x did not come in a fabric without faults",
			      i, QPN(id));
		}
	}
}
