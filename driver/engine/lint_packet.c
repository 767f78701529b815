// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Lint's findings about connections and packets (lint.h). */
#include <linux/stdarg.h>

#include "engine/engine.h"
#include "engine/lint.h"

#define PSN_MASK GLASS_PSN_MASK

/* stack: of the finding; 0: depends on the code. */
static __printf(7, 0) int lint_vqp(u32 stack, const struct glass_qp *qp,
				   const struct glass_qp *other, u32 code, u64 seen, u64 expected,
				   const char *fmt, va_list ap)
{
	struct glass_lint_report r = { .code = code, .kind = GLASS_KIND_QP };

	if (!glass_lint_wants(qp->owner.lint, code)) {
		if (!other || !glass_lint_wants(other->owner.lint, code))
			return 0;
		swap(qp, other);
	}
	r.who = qp->owner.lint;
	r.num = qp->core.qpn;
	r.seen = seen;
	r.expected = expected;
	r.stack = stack ?: glass_lint_stack(qp, other, code);
	if (other) {
		r.peer_dev = glass_dev_name(other->dev);
		r.peer_qpn = other->core.qpn;
		r.peer_pid = other->owner.pid;
		r.peer_comm = other->owner.comm;
		r.peer_stack = glass_lint_peer_stack(other, qp, code);
	}
	return glass_lint_vfound(&r, fmt, ap);
}

int glass_lint_qp(const struct glass_qp *qp, const struct glass_qp *other, u32 code, u64 seen,
		  u64 expected, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = lint_vqp(0, qp, other, code, seen, expected, fmt, ap);
	va_end(ap);
	return err;
}

int glass_lint_qp_at(u32 stack, const struct glass_qp *qp, const struct glass_qp *other, u32 code,
		     u64 seen, u64 expected, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = lint_vqp(stack, qp, other, code, seen, expected, fmt, ap);
	va_end(ap);
	return err;
}

/*
 * Returns the device that has a port with this LID, or NULL. *port gets the number of that port.
 * The caller holds the fabric's lock.
 */
static struct glass_dev *at_lid(struct glass_fabric *fabric, u16 lid, u32 *port)
{
	u32 i;

	lockdep_assert_held(&fabric->lock);
	for (i = 0; i < ARRAY_SIZE(fabric->hca); i++) {
		struct glass_dev *hca = fabric->hca[i];

		for (*port = 1; hca && *port <= hca->num_ports; ++*port)
			if (glass_port_has_lid(&hca->node_ports[*port], lid))
				return hca;
	}
	return NULL;
}

static struct glass_qp *lint_qp_at(struct glass_fabric *fabric, u16 dlid, u32 qpn)
{
	struct glass_qp *peer = NULL;
	struct glass_dev *hca;
	unsigned long flags;
	u32 port;

	if (!dlid || qpn < 2)
		return NULL;
	spin_lock_irqsave(&fabric->lock, flags);
	hca = at_lid(fabric, dlid, &port);
	if (hca)
		peer = glass_qp_find(hca, port, qpn);
	spin_unlock_irqrestore(&fabric->lock, flags);
	return peer;
}

struct glass_qp *glass_lint_peer(const struct glass_qp *qp)
{
	return lint_qp_at(qp->dev->fabric, qp->core.attr.av.dlid, qp->core.attr.dest_qpn);
}

/*
 * Finds the QP that sent a request, by pkt->flow (glass_flow_high(), engine.h). Returns it with a
 * reference, or NULL.
 */
static struct glass_qp *sender_of(const struct glass_dev *dev, const struct glass_pkt *pkt)
{
	struct glass_fabric *fabric = dev->fabric;
	u32 index = (u32)(pkt->flow >> 56), qpn = (u32)(pkt->flow >> 32) & GLASS_QPN_MASK;
	struct glass_qp *qp = NULL;
	unsigned long flags;

	if (!index || index > ARRAY_SIZE(fabric->hca) || qpn < 2)
		return NULL;
	spin_lock_irqsave(&fabric->lock, flags);
	if (fabric->hca[index - 1])
		qp = glass_qp_find(fabric->hca[index - 1], 0, qpn);
	spin_unlock_irqrestore(&fabric->lock, flags);
	return qp;
}

static void lint_put_qp(struct glass_qp *qp)
{
	if (qp)
		glass_ref_put(&qp->ref);
}

static bool is_datagram(const struct glass_qp *qp)
{
	return !glass_type_is_connected(qp->core.type);
}

static bool is_write_imm(u8 opcode)
{
	return GLASS_PKT_SET(WRITE_IMM) >> (opcode & GLASS_BOP_MASK) & 1;
}

/* Reports that a message did not fit into the receive WQE that it took. */
static void lint_recv_too_short(struct glass_qp *qp, const struct glass_qp *from,
				const struct glass_pkt *pkt)
{
	const struct glass_rwqe *w = &qp->core.resp.rwqe;
	u64 got = qp->core.resp.msg_len + pkt->len;

	if (pkt->opcode & GLASS_BOP_MASK && is_write_imm(pkt->opcode))
		return;
	if (is_datagram(qp)) {
		if (w->len >= pkt->len && w->len < pkt->len + GLASS_GRH_BYTES) {
			glass_lint_qp(qp, from, GLASS_LINT_NO_ROOM_FOR_GRH, w->len,
				      pkt->len + GLASS_GRH_BYTES,
				      "UD receive of %llu bytes got a message of %u: with 40 bytes for the GRH it needs %u",
				      w->len, pkt->len, pkt->len + GLASS_GRH_BYTES);
			return;
		}
		got = pkt->len + GLASS_GRH_BYTES;
	}
	glass_lint_qp(qp, from, GLASS_LINT_RECV_TOO_SHORT, w->len, got,
		      "receive of %llu bytes got a message of %s%llu%s%s%s%s", w->len,
		      is_datagram(qp) ? "" : "at least ", got, is_datagram(qp) ? " with its GRH" : "",
		      from ? " from " : "", from ? from->owner.comm : "",
		      from ? (from->dev == qp->dev ? " on the same adapter" : "") : "");
}

/* Called when a message found no posted receive WQE. */
static void not_ready(struct glass_qp *qp, const struct glass_qp *from, const struct glass_pkt *pkt)
{
	bool never = !qp->core.has_srq && !qp->rq_consumer && !READ_ONCE(qp->rq.hdr->producer);
	struct glass_lint_qp_state *l = &qp->lint;
	u64 now = ktime_get_ns();

	if (!l->rnr_since || l->rnr_psn != pkt->psn) {
		l->rnr_since = now;
		l->rnr_psn = pkt->psn;
	}
	if (is_write_imm(pkt->opcode)) {
		/* no finding if the receive is only a little late, which is normal flow control */
		if (never || now - l->rnr_since > 300 * NSEC_PER_MSEC)
			glass_lint_qp(qp, from, GLASS_LINT_WRITE_IMM_NO_RECV, 0, 1,
				      "RDMA WRITE with immediate data at PSN %u found no receive in the %s of QP 0x%x",
				      pkt->psn, qp->core.has_srq ? "SRQ" : "queue", qp->core.qpn);
		return;
	}
	if (never)
		glass_lint_qp(qp, from, GLASS_LINT_LATE_FIRST_RECV, 0, 1,
			      "a message came to QP 0x%x in %s before it ever had a receive",
			      qp->core.qpn,
			      qp->core.state == GLASS_QPS_RTR ? "RTR" : "RTS");
}

/*
 * Called when the responder dropped a packet because of its PSN. If the responder has accepted no
 * packet so far, and the sender's initial PSN is not the responder's rq_psn, reports the mismatch.
 */
static void wrong_psn(struct glass_qp *qp, const struct glass_qp *from)
{
	const struct glass_qp_attr *a = &qp->core.attr;
	u32 theirs;

	if (!from || qp->core.resp.msn || qp->core.resp.epsn != a->rq_psn ||
	    from->core.attr.dest_qpn != qp->core.qpn)
		return;
	theirs = READ_ONCE(from->core.attr.sq_psn) & PSN_MASK;
	if (theirs != a->rq_psn)
		glass_lint_qp(qp, from, GLASS_LINT_PSN_MISMATCH, a->rq_psn, theirs,
			      "rq_psn of QP 0x%x is %u, but sq_psn of its peer %s:0x%x is %u",
			      qp->core.qpn, a->rq_psn, glass_dev_name(from->dev), from->core.qpn,
			      theirs);
}

const char *glass_lint_right(u32 rights)
{
	if (rights & GLASS_ACC_FLUSH_GLOBAL)
		return rights & GLASS_ACC_FLUSH_PERSISTENT ? "FLUSH_GLOBAL and FLUSH_PERSISTENT" :
							     "FLUSH_GLOBAL";
	return rights & GLASS_ACC_FLUSH_PERSISTENT ? "FLUSH_PERSISTENT" :
	       rights & GLASS_ACC_REMOTE_READ ? "REMOTE_READ" :
	       rights & GLASS_ACC_REMOTE_ATOMIC ? "REMOTE_ATOMIC" :
						  "REMOTE_WRITE";
}

/* Returns the rights (GLASS_ACC_*) that a request needs at the responder. */
static u32 rights_for(const struct glass_pkt *pkt)
{
	u32 op = BIT(pkt->opcode & GLASS_BOP_MASK);

	if (op & GLASS_BTHS_DO(FLUSH))
		return (pkt->feth & GLASS_FETH_GLOBAL ? GLASS_ACC_FLUSH_GLOBAL : 0) |
		       (pkt->feth & GLASS_FETH_PERSISTENT ? GLASS_ACC_FLUSH_PERSISTENT : 0);
	return op & GLASS_BTHS_DO(READ) ? GLASS_ACC_REMOTE_READ :
	       op & GLASS_BTHS_DO(ATOMIC) ? GLASS_ACC_REMOTE_ATOMIC : GLASS_ACC_REMOTE_WRITE;
}

/*
 * Called when the responder refused an access. Reports the refusal if qp_access_flags are the
 * reason. If the MR is the reason, glass_lint_memory() has reported it already.
 */
static void qp_denied(struct glass_qp *qp, const struct glass_qp *from, const struct glass_pkt *pkt)
{
	u32 needs = rights_for(pkt), lacks = needs & ~qp->core.attr.access;

	if (!lacks)
		return;
	glass_lint_qp(qp, from, GLASS_LINT_REMOTE_ACCESS_DENIED, qp->core.attr.access, needs,
		      "qp_access_flags 0x%x of QP 0x%x do not have %s: the QP refused, not the MR",
		      qp->core.attr.access, qp->core.qpn, glass_lint_right(lacks));
}

void glass_lint_drop(struct glass_qp *qp, const struct glass_pkt *pkt, enum glass_drop why)
{
	bool answer = glass_opcodes[pkt->opcode].flags & GLASS_OPF_RESPONSE;
	struct glass_qp *from;

	lockdep_assert_held(&qp->lock);
	if (!qp->core.is_user || answer)
		return;
	from = sender_of(qp->dev, pkt);
	switch (why) {
	case GLASS_DROP_RNR_WAIT:
		not_ready(qp, from, pkt);
		break;
	case GLASS_DROP_NO_RECV:
		if (!glass_lid_is_mcast(pkt->dlid))
			not_ready(qp, from, pkt);
		break;
	case GLASS_DROP_MSG_TOO_LONG:
		lint_recv_too_short(qp, from, pkt);
		break;
	case GLASS_DROP_ACCESS:
		qp_denied(qp, from, pkt);
		break;
	case GLASS_DROP_RD_ATOMIC:
		glass_lint_qp(from ?: qp, from ? qp : NULL, GLASS_LINT_TOO_MANY_RD_ATOMIC,
			      from ? from->core.attr.max_rd_atomic : 0,
			      qp->core.attr.max_dest_rd_atomic,
			      "max_rd_atomic %u, but max_dest_rd_atomic of %s:0x%x is %u: one READ or atomic too many",
			      from ? from->core.attr.max_rd_atomic : 0, glass_dev_name(qp->dev),
			      qp->core.qpn, qp->core.attr.max_dest_rd_atomic);
		break;
	case GLASS_DROP_MISALIGNED:
		glass_lint_qp(from ?: qp, from ? qp : NULL, GLASS_LINT_ATOMIC_ALIGNMENT,
			      pkt->va & 7, 0,
			      "atomic on address 0x%llx, which is not aligned to 8", pkt->va);
		break;
	case GLASS_DROP_BAD_PSN:
	case GLASS_DROP_DUPLICATE:
		wrong_psn(qp, from);
		break;
	case GLASS_DROP_BAD_QKEY:
		glass_lint_qp(qp, from, GLASS_LINT_KEY_MISMATCH, pkt->qkey, qp->core.attr.qkey,
			      "datagram with Q_Key 0x%x, but that of QP 0x%x is 0x%x: dropped",
			      pkt->qkey, qp->core.qpn, qp->core.attr.qkey);
		break;
	case GLASS_DROP_BAD_GRH:
		glass_lint_qp(from ?: qp, from ? qp : NULL, GLASS_LINT_GRH_NEEDED,
			      pkt->lnh == GLASS_LNH_GLOBAL, qp->core.attr.av.has_grh,
			      "packet %s a GRH, but QP 0x%x %s one: dropped",
			      pkt->lnh == GLASS_LNH_GLOBAL ? "with" : "without", qp->core.qpn,
			      qp->core.attr.av.has_grh ? "expects" : "does not accept");
		break;
	case GLASS_DROP_WRONG_SLID:
		glass_lint_qp(qp, from, GLASS_LINT_WRONG_PEER, pkt->slid, qp->core.attr.av.dlid,
			      "packet from LID %u, but QP 0x%x is connected to LID %u, QP 0x%x",
			      pkt->slid, qp->core.qpn, qp->core.attr.av.dlid,
			      qp->core.attr.dest_qpn);
		break;
	case GLASS_DROP_BAD_LEN:
		if (from && !is_datagram(qp) && from->core.attr.mtu != qp->core.attr.mtu)
			glass_lint_qp(qp, from, GLASS_LINT_MTU_MISMATCH, qp->core.attr.mtu,
				      from->core.attr.mtu,
				      "path_mtu of QP 0x%x is %u, that of its peer %u: packet of %u bytes refused",
				      qp->core.qpn, qp->core.attr.mtu, from->core.attr.mtu,
				      pkt->len);
		break;
	default:
		break;
	}
	lint_put_qp(from);
}

void glass_lint_pkey(struct glass_qp *qp, u16 mine, const struct glass_pkt *pkt)
{
	struct glass_qp *from;

	if (!qp->core.is_user)
		return;
	from = sender_of(qp->dev, pkt);
	glass_lint_qp(qp, from, GLASS_LINT_KEY_MISMATCH, pkt->pkey, mine,
		      "packet with P_Key 0x%04x, but that of QP 0x%x is 0x%04x: dropped", pkt->pkey,
		      qp->core.qpn, mine);
	lint_put_qp(from);
}

void glass_lint_no_qp(struct glass_dev *dev, const struct glass_pkt *pkt)
{
	struct glass_qp *from;

	/* no finding if a QP had this number before and was destroyed: the number was right */
	if (pkt->dqpn < READ_ONCE(dev->qp_next))
		return;
	from = sender_of(dev, pkt);
	if (!from)
		return;
	glass_lint_qp(from, NULL, GLASS_LINT_WRONG_PEER, pkt->dqpn, 0,
		      "QP 0x%x sends to LID %u, QP 0x%x, which %s does not have and never had",
		      from->core.qpn, pkt->dlid, pkt->dqpn, glass_dev_name(dev));
	lint_put_qp(from);
}

static u64 sges_len(const struct glass_swqe *w)
{
	u64 len = 0;
	u32 i;

	for (i = 0; i < w->num_sge; i++)
		len += w->sge[i].len;
	return len;
}

static void failed_by_rnr(struct glass_qp *qp)
{
	struct glass_qp *peer = glass_lint_peer(qp);

	glass_lint_qp(qp, peer, GLASS_LINT_NO_RETRIES, 0, 7,
		      "rnr_retry is 0, and the peer had no receive: the first RNR NAK ended QP 0x%x",
		      qp->core.qpn);
	lint_put_qp(peer);
}

void glass_lint_failed(struct glass_qp *qp, const struct glass_swqe *w, enum glass_wc_status status)
{
	const struct glass_qp_attr *a = &qp->core.attr;
	const struct task_struct *by = qp->lint.by;
	u64 flow = qp->lint.flow;

	lockdep_assert_held(&qp->lock);
	if (!qp->core.is_user || status == GLASS_WC_WR_FLUSH_ERR)
		return;
	glass_lint_begin(qp, w->flow);
	if (status == GLASS_WC_LOC_LEN_ERR && is_datagram(qp))
		glass_lint_qp(qp, NULL, GLASS_LINT_UD_TOO_LONG, w->len, qp->core.port_mtu,
			      "UD send of %u bytes, but the path MTU is %u", w->len, qp->core.port_mtu);
	else if (status == GLASS_WC_LOC_LEN_ERR &&
		 glass_wr_is(w->op, GLASS_WRF_RESULT) && glass_wr_is(w->op, GLASS_WRF_WORD))
		glass_lint_qp(qp, NULL, GLASS_LINT_ATOMIC_ALIGNMENT, sges_len(w), 8,
			      "atomic with a buffer of %llu bytes instead of 8",
			      sges_len(w));
	else if (status == GLASS_WC_LOC_QP_OP_ERR && !a->max_rd_atomic &&
		 glass_wr_is(w->op, GLASS_WRF_ANSWER))
		glass_lint_qp(qp, NULL, GLASS_LINT_TOO_MANY_RD_ATOMIC, 0, 1,
			      "READ or atomic, but max_rd_atomic of QP 0x%x is 0", qp->core.qpn);
	else if (status == GLASS_WC_RNR_RETRY_EXC_ERR && !a->rnr_retry)
		failed_by_rnr(qp);
	/* a packet may have ended the request: what follows is about the packet again */
	qp->lint.flow = flow;
	WRITE_ONCE(qp->lint.by, by);
}

/* With rnr_retry 7, it is a finding if RNR NAKs for one PSN come for longer than this many ns. */
#define RNR_LONG NSEC_PER_SEC

void glass_lint_rnr(struct glass_qp *qp, u32 psn, u64 wait)
{
	struct glass_lint_qp_state *l = &qp->lint;
	u64 now = ktime_get_ns();
	struct glass_qp *peer;

	lockdep_assert_held(&qp->lock);
	if (!qp->core.is_user)
		return;
	if (!l->rnr_rx_since || l->rnr_rx_psn != psn) {
		l->rnr_rx_since = now;
		l->rnr_rx_psn = psn;
	}
	if (qp->core.attr.rnr_retry != 7 || now - l->rnr_rx_since <= RNR_LONG)
		return;
	peer = glass_lint_peer(qp);
	glass_lint_qp(qp, peer, GLASS_LINT_ENDLESS_RNR,
		      div_u64(now - l->rnr_rx_since, NSEC_PER_MSEC), 0,
		      "rnr_retry is 7 (without end), and the peer has had no receive for %llu ms",
		      div_u64(now - l->rnr_rx_since, NSEC_PER_MSEC));
	lint_put_qp(peer);
}

/* ---- connecting */

static bool is_up(u8 state)
{
	return state >= GLASS_QPS_RTR && state <= GLASS_QPS_SQE;
}

/*
 * Compares the attributes of two QPs, and reports those that do not match. qp is about to be
 * connected to `peer`, with the path MTU `mtu`. `peer` is connected already, perhaps to another QP.
 * Returns 0, or the error that the verb must return.
 */
static int lint_compare_peers(struct glass_qp *qp, u32 mtu, struct glass_qp *peer)
{
	const struct glass_qp_attr *mine = &qp->core.attr, *theirs = &peer->core.attr;
	int err = 0;

	if (theirs->dest_qpn != qp->core.qpn ||
	    !glass_port_has_lid(&qp->dev->node_ports[mine->port], theirs->av.dlid)) {
		return glass_lint_qp(qp, peer, GLASS_LINT_WRONG_PEER, theirs->dest_qpn,
				     qp->core.qpn,
				     "QP 0x%x is connected to %s:0x%x, but that QP is connected to LID %u, QP 0x%x",
				     qp->core.qpn, glass_dev_name(peer->dev), peer->core.qpn,
				     theirs->av.dlid, theirs->dest_qpn);
	}
	if (theirs->mtu != mtu)
		err = glass_lint_qp(qp, peer, GLASS_LINT_MTU_MISMATCH, mtu, theirs->mtu,
				    "path_mtu of QP 0x%x is %u, that of its peer %s:0x%x is %u",
				    qp->core.qpn, mtu, glass_dev_name(peer->dev), peer->core.qpn,
				    theirs->mtu);
	return err;
}

static const char *port_state(u32 state)
{
	static const char *const words[] = GLASS_WORDS(GLASS_PORT_STATES);

	return state < ARRAY_SIZE(words) ? words[state] : "?";
}

static int new_state(struct glass_qp *qp, const struct glass_qp_attr *a, u32 mask)
{
	const struct glass_port *p = &qp->dev->node_ports[qp->core.attr.port];
	u32 state = READ_ONCE(p->state);
	/* false for an XRC target: it sends no requests, so retry_cnt and timeout do not matter */
	bool rc = qp->core.type == GLASS_QPT_RC || qp->core.type == GLASS_QPT_XRC_INI;
	int err = 0;

	if (a->state == GLASS_QPS_RTR && state != GLASS_PORT_ACTIVE)
		err = glass_lint_qp(qp, NULL, GLASS_LINT_PORT_NOT_ACTIVE, state, GLASS_PORT_ACTIVE,
				    "QP 0x%x goes to RTR, but port %u is %s: is there a subnet manager?",
				    qp->core.qpn, qp->core.attr.port, port_state(state));
	/* no datagram of this size can be sent: it must not become fragments */
	if (a->state == GLASS_QPS_RTR && p->ethernet && (mask & GLASS_QPA_PATH_MTU) &&
	    a->mtu > 128u << p->mtu_active)
		err = glass_lint_qp(qp, NULL, GLASS_LINT_MTU_MISMATCH, a->mtu, 128u << p->mtu_active,
				    "path_mtu of QP 0x%x is %u, but the network interface of the port has room for %u",
				    qp->core.qpn, a->mtu, 128u << p->mtu_active) ?: err;
	if (rc && (mask & GLASS_QPA_RETRY_CNT) && !a->retry_cnt)
		err = glass_lint_qp(qp, NULL, GLASS_LINT_NO_RETRIES, 0, 7,
				    "retry_cnt of QP 0x%x is 0", qp->core.qpn) ?: err;
	if (rc && (mask & GLASS_QPA_TIMEOUT) && !a->timeout)
		err = glass_lint_qp(qp, NULL, GLASS_LINT_NO_TIMEOUT, 0, 14,
				    "timeout of QP 0x%x is 0: a packet that is lost is never sent again",
				    qp->core.qpn) ?: err;
	return err;
}

int glass_lint_connected(struct glass_qp *qp, const struct glass_qp_attr *a, u32 mask)
{
	struct glass_qp *peer;
	int err;

	if (!qp->core.is_user)
		return 0;
	lockdep_assert_held(&qp->lock);
	err = new_state(qp, a, mask);
	if (is_datagram(qp))
		return err;
	peer = lint_qp_at(qp->dev->fabric, mask & GLASS_QPA_AV ? a->av.dlid : qp->core.attr.av.dlid,
			  mask & GLASS_QPA_DEST_QPN ? a->dest_qpn : qp->core.attr.dest_qpn);
	if (peer && peer != qp && is_up(READ_ONCE(peer->core.state)) && !is_datagram(peer))
		err = lint_compare_peers(qp, mask & GLASS_QPA_PATH_MTU ? a->mtu : qp->core.attr.mtu,
					 peer) ?: err;
	lint_put_qp(peer);
	return err;
}
