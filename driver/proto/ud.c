// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The datagram responder: UD, GSI (QP1) and SMI (QP0) (IBA 9.8.3).
 *
 * The responder drops a message if its opcode, Q_Key or length is wrong, or if no receive WQE is
 * posted. It also drops a message that does not fit into the WQE, and one that needs an absent
 * page. In these cases the QP keeps its state (IBA 9.9.3 classes D and E). If a receive WQE is
 * malformed, or names memory that cannot be written, it completes with an error, and the QP goes to
 * ERR (IBA 10.3.1.7, 11.6.2).
 */
#include "proto/internal.h"
#include "wire/roce.h"

static void grh_bytes(u8 *b, const struct glass_grh *g)
{
	put_unaligned_be32(6U << 28 | (u32)g->tclass << 20 | (g->flow_label & 0xfffff), b);
	put_unaligned_be16(g->pay_len, b + 4);
	b[6] = g->next_hdr;
	b[7] = g->hop_limit;
	memcpy(b + 8, g->sgid, 16);
	memcpy(b + 24, g->dgid, 16);
}

static bool qkey_ok(const struct glass_pqp *q, const struct glass_pkt *pkt)
{
	if (q->type == GLASS_QPT_SMI)
		return true;
	return pkt->qkey == (q->type == GLASS_QPT_GSI ? GLASS_QP1_QKEY : q->attr.qkey);
}

static void ud_recv_fail(struct glass_pqp *q, const struct glass_pkt *pkt,
			 const struct glass_rx_meta *meta, enum glass_drop why,
			 enum glass_wc_status status, enum glass_cause cause, u64 now)
{
	glass_proto_drop(q, pkt, why);
	glass_note_error(q, cause, status, 0, pkt->opcode, pkt->psn, q->resp.rwqe.wr_id, now);
	glass_recv_complete(q, pkt, meta->pkey_index, meta->dlid_path_bits, status,
			    GLASS_WCOP_RECV, cause, 0);
	glass_to_err(q, cause, false, now);
}

/*
 * Drops a message that does not fit into its receive WQE (IBA 9.9.3). Without an SRQ (class D) the
 * WQE serves the next message. A WQE from an SRQ (class E) completes with an error, so that no QP
 * withholds a shared WQE from the others.
 */
static void ud_drop_too_long(struct glass_pqp *q, const struct glass_pkt *pkt,
			     const struct glass_rx_meta *meta)
{
	glass_proto_drop(q, pkt, GLASS_DROP_MSG_TOO_LONG);
	if (q->has_srq)
		glass_recv_complete(q, pkt, meta->pkey_index, meta->dlid_path_bits,
				    GLASS_WC_LOC_LEN_ERR, GLASS_WCOP_RECV, GLASS_CAUSE_LOC_LEN, 0);
}

/*
 * Ensures that the message has a receive WQE. If there is no usable one, drops the packet, and
 * returns false. Also moves the QP to ERR if the WQE is malformed, or if its ring or SRQ is broken.
 */
static bool ud_need_rwqe(struct glass_pqp *q, const struct glass_pkt *pkt,
			 const struct glass_rx_meta *meta, u64 now)
{
	struct glass_resp_state *p = &q->resp;
	int ret;

	if (unlikely(p->rwqe_valid))
		return true;
	ret = glass_env_take_rwqe(q, &p->rwqe);
	if (likely(ret == 1)) {
		p->rwqe_valid = true;
		return true;
	}
	if (ret == -EINVAL) {
		ud_recv_fail(q, pkt, meta, GLASS_DROP_BAD_RECV, GLASS_WC_LOC_QP_OP_ERR,
			     GLASS_CAUSE_RESP_OP, now);
	} else if (ret < 0) {
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_RECV);
		glass_pqp_fail(q, q->has_srq ? GLASS_CAUSE_SRQ_ERROR : GLASS_CAUSE_BAD_RING,
			       GLASS_EV_QP_FATAL, now);
	} else {
		glass_proto_drop(q, pkt, GLASS_DROP_NO_RECV);
	}
	return false;
}

void glass_ud_rx(struct glass_pqp *q, const struct glass_pkt *pkt,
		 const struct glass_rx_meta *meta, u64 now)
{
	struct glass_rwqe *w = &q->resp.rwqe;
	u8 bop = pkt->opcode & GLASS_BOP_MASK;
	u8 grh[GLASS_GRH_BYTES];
	enum glass_mem mem = GLASS_MEM_OK;

	if (unlikely(bop != GLASS_BOP_SEND_ONLY && bop != GLASS_BOP_SEND_ONLY_IMM)) {
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_BTH);
		return;
	}
	if (unlikely(!qkey_ok(q, pkt))) {
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_QKEY);
		return;
	}
	if (unlikely(pkt->len > q->attr.mtu)) {
		glass_proto_drop(q, pkt, GLASS_DROP_BAD_LEN);
		return;
	}
	if (!ud_need_rwqe(q, pkt, meta, now))
		return;
	if (unlikely(w->len < (u64)GLASS_GRH_BYTES + pkt->len)) {
		ud_drop_too_long(q, pkt, meta);
		return;
	}
	if (pkt->lnh == GLASS_LNH_GLOBAL) {
		if (unlikely(pkt->grh.next_hdr == GLASS_NEXT_HDR_UDP))
			glass_roce_header(&pkt->grh, grh);
		else
			grh_bytes(grh, &pkt->grh);
		mem = glass_env_scatter_recv_bytes(q, w, grh, sizeof(grh));
	}
	if (mem == GLASS_MEM_OK && pkt->len)
		mem = glass_env_scatter_recv(q, w, GLASS_GRH_BYTES, pkt);
	if (unlikely(mem == GLASS_MEM_LATER)) {
		/*
		 * drop the datagram, because UD does not retransmit; the receive WQE serves the
		 * next one
		 */
		q->pages |= GLASS_PAGES_PEER;
		glass_proto_drop(q, pkt, GLASS_DROP_PAGE_WAIT);
		return;
	}
	if (unlikely(mem != GLASS_MEM_OK)) {
		ud_recv_fail(q, pkt, meta, GLASS_DROP_LOCAL_PROT, GLASS_WC_LOC_PROT_ERR,
			     GLASS_CAUSE_LOC_PROT, now);
		return;
	}
	q->stats.rx_msgs++;
	glass_recv_complete(q, pkt, meta->pkey_index, meta->dlid_path_bits, GLASS_WC_SUCCESS,
			    GLASS_WCOP_RECV, 0, GLASS_GRH_BYTES + pkt->len);
}
