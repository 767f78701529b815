// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes the story of a failure (story.h): copies the object and its peer, and puts the blocks of
 * the story together.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "debugfs/story.h"
#include "observe/env.h"

static_assert(2 * GLASS_STORY_END_BYTES + GLASS_STORY_PACKETS_BYTES + GLASS_STORY_TABLES_BYTES ==
	      GLASS_STORY_BYTES);
static_assert(GLASS_STORY_DROPS_BYTES + GLASS_STORY_JOURNAL_BYTES + GLASS_STORY_GONE_QPS_BYTES +
		      GLASS_STORY_KEYS_BYTES + GLASS_STORY_PROCESSES_BYTES +
		      GLASS_STORY_CONNECTED_BYTES + GLASS_STORY_PORTS_BYTES +
		      GLASS_STORY_ROUTES_BYTES + GLASS_STORY_NETWORK_BYTES +
		      GLASS_STORY_RULES_BYTES + GLASS_STORY_LINT_BYTES ==
	      GLASS_STORY_TABLES_BYTES);

/* glass_snap_ready() makes room for the history, too */
static_assert(GLASS_STORY_REQUESTS >= GLASS_HISTORY);

static const char *const story_objects[] = {
	[GLASS_KIND_CQ] = "cq",
	[GLASS_KIND_SRQ] = "srq",
	[GLASS_KIND_QP] = "qp",
};

void *glass_box_env_new(void)
{
	struct glass_story *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	s->ready = glass_snap_ready(GLASS_STORY_REQUESTS);
	if (s->ready)
		return s;
	kvfree(s);
	return NULL;
}

/* Frees what belongs to one failure. */
static void story_clean(struct glass_story *s)
{
	if (s->local != s->ready)
		glass_snap_free(s->local);
	glass_lines_free(s->text);
	glass_lines_free(s->tables);
	kvfree(s->pick);
	s->local = NULL;
	s->text = NULL;
	s->tables = NULL;
	s->pick = NULL;
	s->since = 0;
	s->ethernet = false;
	s->lid = 0;
	s->rkey = 0;
	s->nlkeys = 0;
	s->pdn = 0;
	s->peer_pdn = 0;
	s->local_process = NULL;
	s->peer_process = NULL;
}

void glass_box_env_free(void *story)
{
	struct glass_story *s = story;

	if (!s)
		return;
	story_clean(s);
	glass_snap_free(s->ready);
	kvfree(s);
}

static void story_put(struct glass_dev *dev)
{
	if (dev)
		ib_device_put(&dev->ib);
}

/* ---- at the failure */

static void copy_lkeys(struct glass_story *s, const struct glass_sge *sge, u32 n)
{
	u32 i;

	for (i = 0; i < n && s->nlkeys < GLASS_STORY_LKEYS; i++)
		s->lkey[s->nlkeys++] = sge[i].lkey;
}

/* Remembers the keys of a request. */
static void copy_keys(struct glass_story *s, const struct glass_swqe *w)
{
	if (w->op != GLASS_OP_SEND && w->op != GLASS_OP_SEND_IMM)
		s->rkey = w->rkey;
	copy_lkeys(s, w->sge, w->num_sge);
}

/* Did the receive fail that the QP took last? It stays in the QP until the next one is taken. */
static bool has_failed_recv(const struct glass_failure *f, const struct glass_pqp *q)
{
	return f->kind == GLASS_FAILURE_COMPLETION && f->op == GLASS_BOX_OP_RECV && f->wr_id == q->resp.rwqe.wr_id;
}

static u16 lid_of_port(struct glass_dev *dev, u32 port)
{
	unsigned long flags;
	u16 lid;

	if (!port || port > dev->num_ports)
		return 0;
	spin_lock_irqsave(&dev->fabric->lock, flags);
	lid = dev->node_ports[port].lid;
	spin_unlock_irqrestore(&dev->fabric->lock, flags);
	return lid;
}

static void copy_qp(struct glass_story *s, struct glass_failure *f, struct glass_qp *qp, u32 first)
{
	const struct glass_pqp *q = &qp->core;
	const struct glass_snap_peer *peer = &s->ready->peer;

	lockdep_assert_held(&qp->lock);
	s->fabric = qp->dev->fabric;
	s->local = s->ready;
	glass_snap_qp_now(s->ready, qp, first, has_failed_recv(f, q));
	s->pdn = qp->pd ? qp->pdn : 0;
	if (has_failed_recv(f, q)) {
		copy_lkeys(s, q->resp.rwqe.sge, q->resp.rwqe.num_sge);
		/* memory of its receives must be in the SRQ's PD */
		if (qp->srq)
			s->pdn = qp->srq->pdn;
	}
	if ((s32)(q->req.head - first) > 0) {
		s->since = glass_swqe_at(q, first)->post_ns;
		copy_keys(s, glass_swqe_at(q, first));
	}
	if (q->attr.av.ethernet && q->attr.av.has_grh) {
		s->ethernet = true;
		memcpy(s->sgid, q->attr.av.sgid, sizeof(s->sgid));
		memcpy(s->dgid, q->attr.av.dgid, sizeof(s->dgid));
	}
	if (!glass_snap_has_peer(peer))
		return;
	if (peer->dlid)
		s->lid = lid_of_port(qp->dev, q->attr.port) | q->attr.av.path_bits;
	f->peer_qpn = peer->qpn;
	strscpy(f->peer_dev, peer->dev, sizeof(f->peer_dev));
	f->peer_hca = peer->hca;
	if (!peer->dev[0])
		f->missing |= BIT(GLASS_MISSING_PEER);
	if (!peer->found)
		return;
	f->peer_pid = peer->owner.pid;
	f->peer_uid = peer->owner.uid;
	memcpy(f->peer_comm, peer->owner.comm, sizeof(f->peer_comm));
}

/* Copies a CQ or SRQ. May sleep. */
static void copy_queue(struct glass_story *s, struct glass_failure *f, struct glass_dev *dev,
		       enum glass_inspect_kind kind)
{
	struct glass_inspect_name name = { .num = f->num };
	struct glass_snap *snap = glass_snap_take(dev, kind, &name, GLASS_STORY_REQUESTS);

	s->fabric = dev->fabric;
	if (!IS_ERR(snap))
		s->local = snap;
	else
		f->missing |= BIT(PTR_ERR(snap) == -ENOENT ? GLASS_MISSING_OBJECT : GLASS_MISSING_MEMORY);
}

void glass_box_env_copy(void *story, struct glass_failure *f, void *object, u32 first)
{
	if (f->object == GLASS_KIND_QP)
		copy_qp(story, f, object, first);
	else if (f->object == GLASS_KIND_CQ)
		copy_queue(story, f, ((struct glass_cq *)object)->dev, GLASS_INSPECT_cq);
	else
		copy_queue(story, f, ((struct glass_srq *)object)->dev, GLASS_INSPECT_srq);
	glass_story_note_processes(story, f);
}

/* ---- soon after */

/* Prints the block of an end: its first line, and the snapshot. */
static void print_end(struct glass_lines *l, const char *block, const char *dev, const char *object,
		      u32 num, const struct glass_snap *snap)
{
	glass_lines_block(l, GLASS_STORY_END_BYTES);
	if (!glass_lines_begin(l))
		return;
	seq_printf(&l->m, "# glass 1 %s: ", block);
	glass_seq_text(&l->m, dev);
	seq_printf(&l->m, " %s 0x%x\n", object, num);
	glass_lines_end(l);
	glass_lines_snap(l, snap);
}

static void print_remote(struct glass_story *s, struct glass_failure *f, struct glass_dev *peer)
{
	struct glass_inspect_name name = { .num = f->peer_qpn };
	struct glass_snap *snap;

	if (!peer || f->peer_qpn <= 1)
		return;
	snap = glass_snap_take(peer, GLASS_INSPECT_qp, &name, GLASS_STORY_REQUESTS);
	if (IS_ERR(snap)) {
		if (PTR_ERR(snap) != -ENOENT)
			f->missing |= BIT(GLASS_MISSING_MEMORY);
		return;
	}
	if (test_bit(GLASS_COL_QP_pdn, snap->part[0].row.has))
		s->peer_pdn = snap->part[0].row.num[GLASS_COL_QP_pdn];
	print_end(s->text, "remote", f->peer_dev, "qp", f->peer_qpn, snap);
	glass_snap_free(snap);
}

/*
 * A packet is recorded when its delivery ends. So the record of the packet that brought the failure
 * may be written after the first pick: the second pick goes back this far.
 */
#define STORY_OVERLAP_NS (100 * NSEC_PER_MSEC)

static struct glass_pick *new_pick(const struct glass_failure *f, u64 from, u64 to)
{
	struct glass_pick *p = kvzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->local = (struct glass_pick_qp){
		.hca = f->hca, .qpn = f->num, .known = f->object == GLASS_KIND_QP,
	};
	p->peer = (struct glass_pick_qp){
		.hca = f->peer_hca, .qpn = f->peer_qpn, .known = f->peer_qpn && f->peer_dev[0],
	};
	p->from = from;
	p->to = to;
	p->has_psn = f->has_psn;
	p->psn = f->psn;
	p->most = GLASS_STORY_PACKETS;
	return p;
}

static void pick_packets(struct glass_story *s, struct glass_failure *f)
{
	/* packets that follow the failure could push out the one that brought it */
	s->pick = new_pick(f, 0, f->when);
	if (!s->pick) {
		f->missing |= BIT(GLASS_MISSING_MEMORY);
		return;
	}
	if (!glass_flight_pick(s->pick))
		f->missing |= BIT(GLASS_MISSING_RECORDER);
	if (s->since && s->pick->complete_from > s->since)
		f->missing |= BIT(GLASS_MISSING_OVERWRITTEN);
}

void glass_box_env_begin(void *story, struct glass_failure *f)
{
	struct glass_story *s = story;
	struct glass_dev *dev, *peer = NULL;

	pick_packets(s, f);
	s->text = glass_lines_new(GLASS_STORY_BYTES);
	s->tables = glass_lines_new(GLASS_STORY_TABLES_BYTES);
	if (!s->text || !s->tables || !s->fabric) {
		f->missing |= BIT(GLASS_MISSING_MEMORY);
		return;
	}
	dev = glass_story_hold(s->fabric, f->hca);
	if (f->peer_dev[0])
		peer = glass_story_hold(s->fabric, f->peer_hca);
	if (s->local)
		print_end(s->text, "local", f->dev, story_objects[f->object], f->num, s->local);
	print_remote(s, f, peer);
	glass_story_drops(s->tables, s, f, dev, peer);
	glass_story_journal(s->tables, s, f, dev, peer);
	glass_story_gone_qps(s->tables, s, f);
	glass_story_processes(s->tables, s, f);
	glass_story_connected(s->tables, s, f, dev);
	glass_story_ports(s->tables, s, f, dev, peer);
	glass_story_routes(s->tables, s, f, dev);
	glass_story_network(s->tables, s, f, dev);
	glass_story_rules(s->tables, s, f, dev, peer);
	glass_story_lint(s->tables, f, dev, peer);
	glass_story_dlid_port(s, f);
	/* now, before the program ends them; last, because rows may follow */
	glass_story_keys(s->tables, s, f);
	story_put(peer);
	story_put(dev);
}

/* ---- 2 ms later */

static struct glass_box_text *story_text(const struct glass_story *s)
{
	size_t head = s->text->m.count, tail = s->tables->m.count;
	struct glass_box_text *t = kvmalloc(struct_size(t, text, head + tail), GFP_KERNEL);

	if (!t)
		return NULL;
	refcount_set(&t->refs, 1);
	t->len = head + tail;
	memcpy(t->text, s->text->m.buf, head);
	memcpy(t->text + head, s->tables->m.buf, tail);
	return t;
}

/* Is it a packet that brought the failure? `dir` is seen from the QP that failed. */
static bool has_brought(const struct glass_picked *p, u32 dir, const struct glass_failure *f)
{
	if (dir != GLASS_DIR_RX)
		return false;
	switch (f->cause) {
	case GLASS_CAUSE_REM_INV_REQ:
	case GLASS_CAUSE_REM_ACCESS:
	case GLASS_CAUSE_REM_OP:
		return (glass_opcodes[p->pkt.opcode].hdrs & GLASS_HDR_AETH) &&
		       p->pkt.syndrome == f->syndrome;
	default:
		return p->end[GLASS_DIR_RX].reason != GLASS_DROP_NONE;
	}
}

static bool has_bringer(const struct glass_pick *pick, const struct glass_failure *f)
{
	const struct glass_picked *p;
	u32 dir, i;

	FOR_EACH_PICKED(p, pick, dir, i)
		if (has_brought(p, dir, f))
			return true;
	return false;
}

bool glass_box_env_waits(void *story, const struct glass_failure *f)
{
	struct glass_story *s = story;
	struct glass_pick *later;
	bool waits;

	switch (f->cause) {
	case GLASS_CAUSE_REM_INV_REQ:
	case GLASS_CAUSE_REM_ACCESS:
	case GLASS_CAUSE_REM_OP:
	case GLASS_CAUSE_BAD_RESP:
	case GLASS_CAUSE_RESP_INV_REQ:
	case GLASS_CAUSE_RESP_ACCESS:
	case GLASS_CAUSE_RESP_OP:
		break;
	default:
		return false;
	}
	if (f->object != GLASS_KIND_QP || !s->pick || has_bringer(s->pick, f))
		return false;
	later = new_pick(f, f->when - STORY_OVERLAP_NS, ktime_get_ns());
	if (!later)
		return false;
	/* not if the recorder stands still */
	waits = glass_flight_pick(later) && !has_bringer(later, f);
	kvfree(later);
	return waits;
}

struct glass_box_text *glass_box_env_end(void *story, struct glass_failure *f)
{
	struct glass_box_text *text = NULL;
	struct glass_story *s = story;
	struct glass_pick *later = NULL;

	if (!s->text || !s->tables)
		goto out;
	if (s->pick)
		later = new_pick(f, f->when - STORY_OVERLAP_NS, ktime_get_ns());
	if (later) {
		later->skip = s->pick;
		later->oldest = true;
		glass_flight_pick(later);
	}
	/* the packet whose key was refused may be recorded only now */
	glass_story_later_keys(s->tables, s, later, f);
	glass_lines_block(s->text, GLASS_STORY_PACKETS_BYTES);
	if (s->pick)
		glass_story_packets(s->text, s, later, f);
	if (s->text->cut || s->tables->cut)
		f->missing |= BIT(GLASS_MISSING_SPACE);
	text = story_text(s);
	if (!text)
		f->missing |= BIT(GLASS_MISSING_MEMORY);
out:
	kvfree(later);
	story_clean(s);
	return text;
}
