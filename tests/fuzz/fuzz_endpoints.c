// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two endpoints (RC, UC, UD, XRC) of the protocol core, and a network between them that is anybody's:
 * packets are lost, doubled, overtaken, changed and sent by no one; programs post, change attributes
 * and take keys away between them, and time passes. An input is the script of all that.
 *
 * Nothing is written where the peer or the program gave no right, each work request completes once
 * and in order, no payload stays referenced, and when all is over, nothing is left.
 */
#include <string.h>

#include "fuzz.h"
#include "proto_pair.h"
#include "wire/serial.h"

#define EVENTS 400
#define AIR 12 /* packets on the wire */
#define MAX_WR 400
#define LEN 16384 /* of each region */
#define SEAL 0x404 /* no rights at all */
#define SEAL_LEN 4096
#define SEAL_BYTE 0x3c

static struct pe_pair world, *pair = &world;
static u8 source[2][LEN]; /* what the regions that are read only hold */
static struct pe_wire air[AIR];
static bool in_air[AIR];

/* What an endpoint's program knows */
static struct user {
	u32 posted, next; /* sends: numbers, and the first that has not completed */
	bool quiet[MAX_WR]; /* asked for no completion of success */
	u32 received, next_recv;
	bool by_srq;
} users[2];

static u32 index_of(const struct pe_ep *ep)
{
	return ep == &pair->b;
}

/* Completions come once and in order; those that are left out succeeded and were not asked for. */
static void on_complete(struct pe_ep *ep, const struct glass_cqe *c)
{
	struct user *u = &users[index_of(ep)];

	FUZZ_CHECK(c->status < GLASS_WC_COUNT, "status %u", c->status);
	if (!c->is_send) {
		FUZZ_CHECK(c->wr_id == u->next_recv && u->next_recv < u->received,
			   "receive %u, not %u of %u", (u32)c->wr_id, u->next_recv, u->received);
		u->next_recv++;
		return;
	}
	FUZZ_CHECK(c->wr_id >= u->next && c->wr_id < u->posted, "send %u, not %u of %u", (u32)c->wr_id,
		   u->next, u->posted);
	for (; u->next < c->wr_id; u->next++)
		FUZZ_CHECK(u->quiet[u->next], "send %u did not complete", u->next);
	u->next++;
}

static void check_ep(struct pe_ep *ep)
{
	const struct glass_pqp *q = &ep->q;
	const struct glass_req_state *r = &q->req;

	FUZZ_CHECK((s32)(r->cur - r->tail) >= 0 && (s32)(r->begun - r->cur) >= 0 &&
		   (s32)(r->head - r->begun) >= 0, "indices %u %u %u %u", r->tail, r->cur, r->begun,
		   r->head);
	FUZZ_CHECK(((r->max_psn - r->una) & GLASS_PSN_MASK) <= 0x800000 &&
		   ((r->psn - r->una) & GLASS_PSN_MASK) <= ((r->max_psn - r->una) & GLASS_PSN_MASK),
		   "una %x psn %x max %x", r->una, r->psn, r->max_psn);
	FUZZ_CHECK(q->state < GLASS_QPS_COUNT, "state %u", q->state);
	FUZZ_CHECK(!ep->refs, "%d payload references", ep->refs);
	/* what it waits for has a name; who asks changes nothing */
	FUZZ_CHECK(glass_req_waits(q, pair->now) < GLASS_WAIT_COUNT &&
		   glass_resp_waits(q) < GLASS_WAIT_COUNT, "waits for nothing known");
	FUZZ_CHECK(ep->ncqe <= PE_CQES - 1000, "%u completions of %u", ep->ncqe, MAX_WR);
}

static u32 random_len(const struct pe_ep *ep)
{
	u32 mtu = ep->q.attr.mtu;
	u8 how = fuzz_u8();

	switch (how & 7) {
	case 0:
		return 0;
	case 1:
		return how >> 3;
	case 2:
		return mtu * (how >> 6) + (how >> 3 & 7) - 3 + 8;
	case 3:
		return min(mtu * (1 + (how >> 5)), (u32)LEN);
	case 4:
		return fuzz_u16() % LEN;
	default:
		return fuzz_below(mtu + 1);
	}
}

static void post_one(struct pe_ep *ep)
{
	static const u32 keys[] = { DST, DST, DST, DST, DST, SEAL, LOC, 0x999 };
	struct user *u = &users[index_of(ep)];
	u8 how = fuzz_u8(), flags = fuzz_u8();
	enum glass_wr_op op = how & 0x80 ? fuzz_below(GLASS_OP_COUNT) : (how & 7) % (GLASS_OP_FETCH_ADD + 1);
	u32 len = random_len(ep), left;
	struct glass_swqe *w;
	u64 raddr;
	bool in;

	/* the driver refuses sends to a target's send queue */
	if (u->posted == MAX_WR || !glass_sq_room(&ep->q) || ep->q.type == GLASS_QPT_XRC_TGT)
		return;
	w = pe_wqe(ep, op, u->posted);
	in = op >= GLASS_OP_READ && op <= GLASS_OP_FETCH_ADD;
	if (op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD || op == GLASS_OP_ATOMIC_WRITE)
		len = 8;
	if (op == GLASS_OP_FLUSH || op == GLASS_OP_LOCAL_INV || op == GLASS_OP_BIND_MW ||
	    op == GLASS_OP_REG_MR)
		len = 0;
	if (ep->q.type == GLASS_QPT_UD)
		len = min(len, (u32)ep->q.attr.mtu + (flags & 1));
	w->flags = (flags & 1 ? GLASS_SWQE_SIGNALED : 0) | (flags & 2 ? GLASS_SWQE_SOLICITED : 0) |
		   (flags & 4 ? GLASS_SWQE_FENCE : 0);
	u->quiet[u->posted] = !(flags & 1);
	w->len = len;
	w->num_sge = 1 + (flags >> 3 & 1);
	left = len;
	for (u32 i = 0; i < w->num_sge; i++) {
		u32 part = i + 1 < w->num_sge ? left / 2 : left;

		w->sge[i].lkey = in ? LOC : SRC;
		w->sge[i].addr = pe_va(w->sge[i].lkey, len - left);
		w->sge[i].len = part;
		left -= part;
	}
	if (flags & 0x10 && how & 0x40)
		w->sge[0].lkey = in ? SEAL : 0x999;
	if (flags & 0x20 && !in && len <= 2048 && len) {
		w->flags |= GLASS_SWQE_INLINE;
		memset(w->data, 0x11, len);
	}
	if (flags & 0x40 && how & 0x40)
		w->status = GLASS_WC_LOC_QP_OP_ERR;
	w->rkey = how & 0x20 ? keys[flags & 7] : DST;
	w->imm = (__be32)0x12345678;
	w->pkey_index = 0;
	raddr = pe_va(w->rkey, how & 0x10 ? fuzz_u16() & (flags & 2 ? ~0 : ~7) : 0);
	if (glass_type_is_connected(ep->q.type)) {
		w->raddr = raddr;
		w->xrc_srq = how & 8 ? PE_SRQ : flags & 0x80 ? PE_SRQ_OTHER : 0x99;
		w->blen = len;
		w->access = GLASS_FETH_GLOBAL | (flags & 0x80 ? GLASS_FETH_MR : 0);
		w->mr_lkey = DST;
	} else {
		w->dqpn = ep->peer->q.qpn;
		w->qkey = 0x1234;
		w->av.dlid = ep->peer->q.qpn;
	}
	u->posted++;
	pe_post(ep);
}

static void recv_one(struct pe_ep *ep)
{
	struct user *u = &users[index_of(ep)];
	u8 how = fuzz_u8();

	if (u->received == MAX_WR || ep->rq_head - ep->rq_tail > 60)
		return;
	pe_recv(ep, u->received++, pe_va(LOC, (how & 15) * 64), how & 16 ? random_len(ep) : LEN / 2,
		how >= 0xf8 ? SEAL : LOC);
}

/* A RESET forgets what is posted, without completions. */
static void reset(struct pe_ep *ep)
{
	struct user *u = &users[index_of(ep)];

	if (pe_state(ep, GLASS_QPS_RESET, pair->now))
		return;
	u->next = u->posted;
	if (!u->by_srq) {
		ep->rq_tail = ep->rq_head;
		u->next_recv = u->received;
	}
}

/* A receive that the responder holds when the QP is reset is lost: of an SRQ, too. */
static void forget_held(struct pe_ep *ep)
{
	struct user *u = &users[index_of(ep)];

	u->next_recv = u->received - (ep->rq_head - ep->rq_tail);
}

static void modify(struct pe_ep *ep, const struct pe_cfg *cfg)
{
	u8 how = fuzz_u8();
	struct glass_qp_attr a;

	switch (how & 7) {
	case 0:
		reset(ep);
		forget_held(ep);
		break;
	case 1:
		pe_state(ep, GLASS_QPS_ERR, pair->now);
		break;
	case 2:
		/* and says when it is drained, or not */
		a = (struct glass_qp_attr){ .state = GLASS_QPS_SQD, .sqd_async = how & 0x10 };
		glass_pqp_modify(&ep->q, &a, GLASS_QPA_STATE | (how & 0x20 ? 0 : GLASS_QPA_EN_SQD_ASYNC_NOTIFY),
				 pair->now);
		break;
	case 3:
		if (ep->q.state == GLASS_QPS_SQD || ep->q.state == GLASS_QPS_SQE)
			pe_state(ep, GLASS_QPS_RTS, pair->now);
		break;
	case 6:
		/* another path, which is migrated to at once, or when the first is dead or the peer goes */
		memset(&a, 0, sizeof(a));
		a.state = ep->q.state;
		if (a.state == GLASS_QPS_RESET)
			break;
		a.alt.dlid = ep->peer->q.qpn;
		a.alt_port = 1;
		a.alt_timeout = 14;
		a.mig_state = how & 0x10 ? GLASS_MIG_MIGRATED : GLASS_MIG_REARM;
		glass_pqp_modify(&ep->q, &a, GLASS_QPA_STATE | (how & 0x20 ? 0 : GLASS_QPA_ALT_PATH) |
				 (how & 0x40 ? 0 : GLASS_QPA_PATH_MIG_STATE), pair->now);
		break;
	case 4:
		memset(&a, 0, sizeof(a));
		a.state = how >> 4 & 7;
		a.cur_state = ep->q.state;
		a.min_rnr_timer = fuzz_u8() & 31;
		a.access = fuzz_u8();
		a.rnr_retry = fuzz_u8() & 7;
		a.retry_cnt = fuzz_u8() & 7;
		a.timeout = fuzz_u8() & 31;
		a.mig_state = how >> 6;
		a.sqd_async = how & 8;
		if (how & 0x80) {
			a.alt.dlid = ep->peer->q.qpn;
			a.alt_port = 1;
			a.alt_timeout = 14;
		}
		if (a.state == GLASS_QPS_RESET)
			break;
		glass_pqp_modify(&ep->q, &a, GLASS_QPA_STATE | (fuzz_u32() & 0x1fffff &
				 ~(GLASS_QPA_AV | GLASS_QPA_PATH_MTU | GLASS_QPA_DEST_QPN |
				   GLASS_QPA_MAX_DEST_RD_ATOMIC)), pair->now);
		break;
	case 5:
		if (how & 8) {
			/* rights that the peer had end */
			a = (struct glass_qp_attr){ .state = ep->q.state, .access = how >> 4 };
			if (a.state != GLASS_QPS_RESET)
				glass_pqp_modify(&ep->q, &a, GLASS_QPA_STATE | GLASS_QPA_ACCESS_FLAGS, pair->now);
			break;
		}
		glass_pqp_fail(&ep->q, GLASS_CAUSE_INJECTED, fuzz_below(GLASS_EV_COUNT + 1),
			       pair->now);
		break;
	default:
		/* up again */
		if (ep->q.state == GLASS_QPS_ERR) {
			reset(ep);
			forget_held(ep);
		}
		if (ep->q.state == GLASS_QPS_RESET)
			pe_to_init(ep, cfg);
		if (ep->q.state == GLASS_QPS_INIT)
			pe_to_rtr(ep, cfg, pair->now);
		/* the peer's first packet may come before it sends */
		if (ep->q.state == GLASS_QPS_RTR && !(how & 0x20))
			pe_to_rts(ep, cfg, pair->now);
	}
}

static void send_some(struct pe_ep *ep)
{
	u8 how = fuzz_u8();
	u32 n = 1 + (how & 3), i;

	ep->q.max_more = how & 0x10 ? how >> 5 : 0;
	ep->q.ack_later = how & 8;
	while (n--) {
		for (i = 0; i < AIR && in_air[i]; i++)
			;
		/* no room in the air: that one is lost */
		if (i == AIR)
			i = fuzz_below(AIR);
		in_air[i] = pe_pull(ep, &air[i], pair->now);
		if (!in_air[i])
			return;
		air[i].order = index_of(ep);
	}
}

/* A peer that lies, or a switch that is broken */
static void change(struct pe_wire *w, const struct pe_ep *to)
{
	const u32 psns[] = { to->q.resp.epsn, to->q.req.una, to->q.req.psn, to->q.req.max_psn };
	struct glass_pkt *p = &w->pkt;
	u32 n = 1 + (fuzz_u8() & 3);

	while (n--) {
		u8 what = fuzz_u8();

		switch (what & 15) {
		case 0:
			p->opcode = (p->opcode & GLASS_TR_MASK) | fuzz_below(32);
			break;
		case 1:
			p->psn = (psns[what >> 4 & 3] + fuzz_below(5) - 2) & GLASS_PSN_MASK;
			break;
		case 2:
			p->syndrome = fuzz_u8();
			break;
		case 3:
			p->msn = fuzz_u32() & 0xffffff;
			break;
		case 4:
			p->rkey = what & 0x80 ? SEAL : what & 0x40 ? DST : LOC;
			p->va = pe_va(p->rkey, fuzz_u16() & (what & 0x10 ? ~0 : ~7));
			break;
		case 5:
			p->dma_len = what & 0x80 ? fuzz_u32() : fuzz_u16();
			break;
		case 6:
			p->len = fuzz_below(p->len + 1);
			w->seg.len = p->len;
			p->nseg = p->len ? 1 : 0;
			break;
		case 7:
			p->qkey = fuzz_u32();
			break;
		case 8:
			/* not of its path, which it may say it has left */
			p->slid = fuzz_u16();
			p->mig = what >> 4 & 1;
			break;
		case 9:
			p->xrc_srq = what & 0x80 ? PE_SRQ_OTHER : fuzz_u8();
			break;
		case 10:
			p->ack_req = what >> 4 & 1;
			p->se = what >> 5 & 1;
			p->mig = what >> 6 & 1;
			break;
		case 11:
			p->more = what >> 4;
			break;
		case 12:
			p->feth = fuzz_u8();
			break;
		case 13:
			p->lnh = GLASS_LNH_LOCAL + (what >> 7);
			break;
		case 14:
			p->ieth = what & 0x80 ? SEAL : DST;
			break;
		default:
			p->opcode = fuzz_u8();
		}
	}
}

/* As its wire bytes, which somebody may have changed, too */
static bool as_bytes(struct pe_wire *w)
{
	static u8 bytes[GLASS_PKT_WIRE_MAX];
	enum glass_drop why;
	int len;

	if (w->pkt.more || w->pkt.len > GLASS_MTU_MAX)
		return true;
	len = glass_pkt_build(&w->pkt, bytes, sizeof(bytes));
	if (len < 0)
		return true;
	memcpy(w->data, bytes, len);
	if (glass_pkt_parse(&w->pkt, &w->seg, w->data, len, 0, &why)) {
		FUZZ_CHECK(why == GLASS_DROP_BAD_LRH, "a packet of ours: %u", why);
		return false;
	}
	memmove(w->data, w->seg.addr, w->pkt.len);
	w->seg.addr = w->data;
	return true;
}

static void deliver(void)
{
	u8 how = fuzz_u8();
	u32 i = fuzz_below(AIR), n;
	struct pe_ep *to;

	for (n = 0; n < AIR && !in_air[i]; n++)
		i = (i + 1) % AIR;
	if (!in_air[i])
		return;
	in_air[i] = how & 1;
	if ((how & 0x0e) == 2)
		return;
	/* doubled packets go to the other end, sometimes */
	to = (air[i].order ^ ((how & 0xf0) == 0xf0)) ? &pair->a : &pair->b;
	if (how & 1 && how & 0x10)
		in_air[i] = true;
	if ((how & 0x0e) == 4)
		change(&air[i], to);
	if ((how & 0x0e) == 6 && !as_bytes(&air[i]))
		return;
	/* as the port does: the other path may be the one that it came by */
	if (how & 0x20)
		glass_pqp_migrate_rx(&to->q, &air[i].pkt, 1, true);
	glass_pqp_rx(&to->q, &air[i].pkt, &air[i].meta, pair->now);
}

static void pass_time(void)
{
	u8 how = fuzz_u8();
	u64 da = pair->a.q.deadline, db = pair->b.q.deadline;

	if (how & 1)
		pair->now += (u64)fuzz_u16() << (how >> 4);
	else if ((how & 0xfe) == 0xfe)
		glass_pqp_shift(&pair->b.q, fuzz_u16());
	else if (da || db)
		pair->now = max(pair->now, da && (!db || da < db) ? da : db);
	for (u32 i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &pair->b : &pair->a;

		if (ep->q.deadline && ep->q.deadline <= pair->now)
			glass_pqp_timer(&ep->q, pair->now);
	}
}

static void memory(struct pe_ep *ep)
{
	static const u32 keys[] = { DST, LOC, SRC };
	u8 how = fuzz_u8();
	struct pe_mr *mr = pe_mr_find(ep, keys[(how & 3) % 3]);

	switch (how >> 2 & 3) {
	case 0:
		mr->invalid = !mr->invalid;
		break;
	case 1:
		ep->take_fails = how & 0x80 ? -EIO : -EINVAL;
		break;
	case 2:
		ep->write_fails = how & 0x80;
		break;
	default:
		ep->gather_fails = how & 0x80;
	}
	/* pages that are absent for so many looks, and the end of waiting for them */
	if (how & 8 && how & 0x40)
		ep->absent = how >> 4 & 3;
	else if (how & 8 && how & 0x10)
		glass_pqp_pages(&ep->q);
}

/* Everything that is left ends, and says so. */
static void finish(struct pe_ep *ep, const struct pe_cfg *cfg)
{
	struct user *u = &users[index_of(ep)];
	const struct pe_mr *mr = pe_mr_find(ep, SEAL);

	if (ep->q.state == GLASS_QPS_RESET)
		pe_to_init(ep, cfg);
	ep->take_fails = 0;
	pe_state(ep, GLASS_QPS_ERR, pair->now);
	/* a receive queue that was broken is whole now */
	pe_flush(ep);
	FUZZ_CHECK(ep->q.state == GLASS_QPS_ERR, "state %u", ep->q.state);
	FUZZ_CHECK(ep->q.req.tail == ep->q.req.head, "%u sends left", ep->q.req.head - ep->q.req.tail);
	for (; u->next < u->posted; u->next++)
		FUZZ_CHECK(u->quiet[u->next], "send %u did not complete", u->next);
	if (!u->by_srq)
		FUZZ_CHECK(u->next_recv == u->received, "%u of %u receives completed", u->next_recv,
			   u->received);
	FUZZ_CHECK(!ep->q.deadline || !glass_pqp_has_work(&ep->q, ~0ULL), "work in ERR");
	FUZZ_CHECK(mr->mem[0] == SEAL_BYTE && !memcmp(mr->mem, mr->mem + 1, SEAL_LEN - 1),
		   "memory without rights was written");
	FUZZ_CHECK(!memcmp(mem(ep, SRC), source[index_of(ep)], LEN),
		   "memory that is read only was written");
	check_ep(ep);
}

static void start(struct pe_cfg cfg[2])
{
	static const enum glass_qp_type types[] = { GLASS_QPT_RC, GLASS_QPT_RC, GLASS_QPT_UC,
						    GLASS_QPT_UD, GLASS_QPT_XRC_INI };
	static const u16 mtus[] = { 256, 1024, 4096, 512 };
	struct pe_cfg *c = &cfg[0];
	u8 how = fuzz_u8();
	u32 i;

	c->type = types[how % ARRAY_SIZE(types)];
	c->mtu = mtus[how >> 6];
	c->rd_atomic = 1 + (fuzz_u8() & 3);
	how = fuzz_u8();
	c->retry_cnt = how & 7;
	c->rnr_retry = how >> 3 & 7;
	c->srq = how >> 6 & 1;
	c->has_grh = how >> 7;
	c->sq_entries = 8;
	c->psn = fuzz_u8() & 1 ? 0xfffff8 : 0;
	cfg[1] = cfg[0];
	if (c->type == GLASS_QPT_XRC_INI) {
		cfg[0].srq = false;
		cfg[1].type = GLASS_QPT_XRC_TGT;
		cfg[1].srq = true;
	}
	/* all but the log of completions, which is long */
	for (i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &pair->b : &pair->a;

		memset(ep, 0, offsetof(struct pe_ep, cqe));
		memset(&ep->ncqe, 0, sizeof(*ep) - offsetof(struct pe_ep, ncqe));
		if (!source[i][0])
			pe_fill(source[i], LEN, 77 + i);
	}
	pair->a.peer = &pair->b;
	pair->b.peer = &pair->a;
	pair->now = 1000;
	for (i = 0; i < 2; i++)
		pe_ep_init(i ? &pair->b : &pair->a, &cfg[i], 0x11 + i);
	for (i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &pair->b : &pair->a;

		memcpy(pe_mr_add(ep, SRC, LEN, 0)->mem, source[i], LEN);
		pe_mr_add(ep, DST, LEN, 15 | GLASS_ACC_FLUSH_GLOBAL);
		pe_mr_add(ep, LOC, LEN, GLASS_ACC_LOCAL_WRITE);
		memset(pe_mr_add(ep, SEAL, SEAL_LEN, 0)->mem, SEAL_BYTE, SEAL_LEN);
		ep->on_complete = on_complete;
		users[i].by_srq = cfg[i].srq;
		pe_to_init(ep, &cfg[i]);
		pe_to_rtr(ep, &cfg[i], pair->now);
		pe_to_rts(ep, &cfg[i], pair->now);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pe_cfg cfg[2] = { PE_CFG_DEFAULT, PE_CFG_DEFAULT };
	u32 i;

	memset(users, 0, sizeof(users));
	memset(in_air, 0, sizeof(in_air));
	fuzz_begin(data, size);
	start(cfg);
	for (i = 0; i < EVENTS && fuzz_left(); i++) {
		u8 event = fuzz_u8();
		struct pe_ep *ep = event & 0x80 ? &pair->b : &pair->a;

		switch (event & 15) {
		case 0:
			modify(ep, &cfg[index_of(ep)]);
			break;
		case 1:
			memory(ep);
			break;
		case 2:
			pass_time();
			break;
		case 3:
			glass_pqp_ack_now(&ep->q);
			break;
		case 4:
			pass_time();
			break;
		case 5:
		case 6:
			recv_one(ep);
			break;
		case 7:
		case 8:
		case 9:
			post_one(ep);
			break;
		case 10:
		case 11:
		case 12:
			send_some(ep);
			break;
		default:
			deliver();
		}
		check_ep(&pair->a);
		check_ep(&pair->b);
	}
	finish(&pair->a, &cfg[0]);
	finish(&pair->b, &cfg[1]);
	pe_ep_free(&pair->a);
	pe_ep_free(&pair->b);
	return 0;
}
