// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The tables `packets` and `drops` of a story (story.h). */
#include "debugfs/story.h"
#include "wire/opcode.h"

DEFINE_GLASS_FIELDS(story_packets, GLASS_COLUMNS_STORY_PACKET);
DEFINE_GLASS_FIELDS(story_drops, GLASS_COLUMNS_STORY_DROP);

static const char *const packet_reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);

#define PACKET(name) GLASS_COL_STORY_PACKET_##name

/* ---- packets */

/* Sets the four columns of an end, if the packet was seen there. first: the first of them. */
static void end_row(struct glass_row *r, u32 first, struct glass_fabric *fabric,
		    const struct glass_flight_end *end)
{
	char name[IB_DEVICE_NAME_MAX];

	if (!end->port)
		return;
	glass_story_device(fabric, end->dev, name);
	glass_row_text(r, first, "%s", name);
	glass_row_num(r, first + 1, end->port);
	if (end->flags & GLASS_CAP_HAS_QP)
		glass_row_num(r, first + 2, end->qpn);
	glass_row_enum(r, first + 3, packet_reasons, end->reason);
}

/* Sets the columns of extended headers that the packet has. */
static void headers_row(struct glass_row *r, const struct glass_pkt *pkt)
{
	u16 hdrs = glass_opcodes[pkt->opcode].hdrs;

	if (hdrs & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH)) {
		glass_row_num(r, PACKET(va), pkt->va);
		glass_row_num(r, PACKET(rkey), pkt->rkey);
	}
	if (hdrs & GLASS_HDR_RETH)
		glass_row_num(r, PACKET(dlen), pkt->dma_len);
	if (hdrs & GLASS_HDR_AETH) {
		glass_row_num(r, PACKET(syndrome), pkt->syndrome);
		glass_row_num(r, PACKET(msn), pkt->msn);
	}
	if (hdrs & GLASS_HDR_IMM)
		glass_row_num(r, PACKET(imm), be32_to_cpu(pkt->imm));
	if (hdrs & GLASS_HDR_IETH)
		glass_row_num(r, PACKET(inv_key), pkt->ieth);
	if (hdrs & GLASS_HDR_DETH) {
		glass_row_num(r, PACKET(qkey), pkt->qkey);
		glass_row_num(r, PACKET(sqpn), pkt->sqpn);
	}
	if (hdrs & GLASS_HDR_XRCETH)
		glass_row_num(r, PACKET(srqn), pkt->xrc_srq);
}

static void flags_row(struct glass_row *r, const struct glass_pkt *pkt)
{
	enum { ACKREQ = 1, SOLICITED = 2, MIG = 4, GRH = 8, RAW = 16, FORGED = 32 };
	static const struct glass_flag flags[] = {
		{ ACKREQ, "ackreq" }, { SOLICITED, "solicited" }, { MIG, "mig" },
		{ GRH, "grh" }, { RAW, "raw" }, { FORGED, "forged" },
	};
	u32 bits = (pkt->ack_req ? ACKREQ : 0) | (pkt->se ? SOLICITED : 0) | (pkt->mig ? MIG : 0) |
		   (pkt->lnh == GLASS_LNH_GLOBAL ? GRH : 0) | (pkt->raw ? RAW : 0) |
		   (pkt->forged ? FORGED : 0);

	glass_row_flags(r, PACKET(flags), bits, flags, ARRAY_SIZE(flags));
}

static void packet_row(struct glass_row *r, struct glass_fabric *fabric, const struct glass_picked *p,
		       u64 now)
{
	const struct glass_pkt *pkt = &p->pkt;

	glass_row_num(r, PACKET(when), p->when);
	glass_row_num(r, PACKET(age), now > p->when ? now - p->when : 0);
	glass_row_word(r, PACKET(dir), p->dir == GLASS_DIR_TX ? "tx" : "rx");
	glass_row_opcode(r, PACKET(op), pkt->opcode);
	glass_row_num(r, PACKET(psn), pkt->psn);
	glass_row_num(r, PACKET(packets), 1 + pkt->more);
	glass_row_num(r, PACKET(len), pkt->len);
	glass_row_num(r, PACKET(dqpn), pkt->dqpn);
	glass_row_num(r, PACKET(slid), pkt->slid);
	glass_row_num(r, PACKET(dlid), pkt->dlid);
	glass_row_num(r, PACKET(pkey), pkt->pkey);
	flags_row(r, pkt);
	headers_row(r, pkt);
	if (pkt->flow) {
		glass_row_num(r, PACKET(flow), pkt->flow);
		glass_row_num(r, PACKET(wr_id), pkt->wr_id);
	}
	end_row(r, PACKET(tx_dev), fabric, &p->end[GLASS_DIR_TX]);
	end_row(r, PACKET(rx_dev), fabric, &p->end[GLASS_DIR_RX]);
}

/* Returns the oldest packet of *p, or NULL if there is none. */
static const struct glass_picked *oldest_of(const struct glass_pick *p)
{
	const struct glass_picked *a = p && p->n[0] ? &p->at[0][p->n[0] - 1] : NULL;
	const struct glass_picked *b = p && p->n[1] ? &p->at[1][p->n[1] - 1] : NULL;

	return !a || (b && b->when < a->when) ? b : a;
}

/* Prints a packet, and takes it out of *p. Returns false if there is no room for it. */
static bool print_packet(struct glass_lines *l, const struct glass_story *s, struct glass_pick *p,
			 const struct glass_picked *packet, u64 now)
{
	if (!glass_lines_begin(l))
		return false;
	packet_row(&l->row, s->fabric, packet, now);
	glass_lines_row(l, &glass_fields_story_packets);
	glass_lines_end(l);
	p->n[packet->dir]--;
	return !l->full;
}

void glass_story_packets(struct glass_lines *l, const struct glass_story *s, struct glass_pick *later,
			 struct glass_failure *f)
{
	const struct glass_picked *a, *b;
	u64 now = ktime_get_ns();
	u32 nlater = 0;
	bool second;

	glass_lines_header(l, GLASS_HEADER("packets", GLASS_COLUMNS_STORY_PACKET));
	for (;;) {
		a = oldest_of(s->pick);
		b = nlater < GLASS_STORY_LATER ? oldest_of(later) : NULL;
		if (!a && !b)
			return;
		second = !a || (b && b->when < a->when);
		if (!print_packet(l, s, second ? later : s->pick, second ? b : a, now))
			return;
		f->packets++;
		nlater += second;
	}
}

/* ---- drops */

#define DROPS_SHOWN 48 /* rows; half of them of each adapter, if there are two */
/* and as many older ones of the PSN that failed: a sender may have sent many packets behind it */
#define DROPS_OF_PSN 4

bool glass_story_is_drop(const struct glass_dropped *e, const struct glass_story *s,
			 const struct glass_failure *f, bool local)
{
	u16 dlid = s->local ? s->local->peer.dlid : 0;

	if (f->flow && e->flow == f->flow)
		return true;
	/* packets of a QP that had the number, or the path, before */
	if (f->object != GLASS_KIND_QP || e->when < f->created)
		return false;
	if (s->lid && dlid &&
	    ((e->slid == s->lid && e->dlid == dlid) || (e->slid == dlid && e->dlid == s->lid)))
		return true;
	return e->dqpn == (local ? f->num : f->peer_qpn) && e->dqpn > 1;
}

/* Prints the last drops that concern the failure, at most `most`, and older ones of its PSN. */
static void device_drops(struct glass_lines *l, const struct glass_story *s,
			 const struct glass_failure *f, struct glass_dev *dev, bool local, u32 most)
{
	u32 n = 0, i = 0, of_psn = 0;
	struct glass_dropped e;
	u64 seq = 0;

	for (; glass_drops_find(&dev->drops, seq, &e); seq = e.seq + 1)
		n += glass_story_is_drop(&e, s, f, local);
	seq = 0;
	while (glass_drops_find(&dev->drops, seq, &e) && glass_lines_begin(l)) {
		seq = e.seq + 1;
		if (!glass_story_is_drop(&e, s, f, local))
			continue;
		if (++i + most <= n &&
		    (!f->has_psn || e.psn != f->psn || of_psn++ >= DROPS_OF_PSN))
			continue;
		glass_row_text(&l->row, GLASS_COL_STORY_DROP_dev, "%s", glass_dev_name(dev));
		glass_droplog_row(&l->row, GLASS_COL_STORY_DROP_seq, &e);
		glass_lines_row(l, &glass_fields_story_drops);
		glass_lines_end(l);
	}
}

void glass_story_drops(struct glass_lines *l, const struct glass_story *s,
		       const struct glass_failure *f, struct glass_dev *dev, struct glass_dev *peer)
{
	u32 most = dev && peer && peer != dev ? DROPS_SHOWN / 2 : DROPS_SHOWN;

	glass_lines_block(l, GLASS_STORY_DROPS_BYTES);
	glass_lines_header(l, GLASS_HEADER("drops", GLASS_COLUMNS_STORY_DROP));
	if (dev)
		device_drops(l, s, f, dev, true, most);
	if (peer && peer != dev)
		device_drops(l, s, f, peer, false, most);
}
