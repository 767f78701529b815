// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Forges ACKs and NAKs in place of a responder (forge.h). */
#include "inject/env.h"
#include "observe/observe.h"
#include "inject/forge.h"

/* PayLen of the GRH of an answer: the bytes of BTH, AETH and ICRC */
#define ANSWER_BYTES (GLASS_BTH_BYTES + GLASS_AETH_BYTES + GLASS_ICRC_BYTES)

static u8 syndrome_of(const struct glass_qp *qp, const struct glass_hit *hit)
{
	switch (hit->action) {
	case GLASS_ACT_NAK:
		return GLASS_AETH_NAK | hit->code;
	case GLASS_ACT_RNR:
		return GLASS_AETH_RNR |
		       (hit->has_timer ? hit->timer : READ_ONCE(qp->core.attr.min_rnr_timer));
	default:
		return GLASS_AETH_ACK | GLASS_AETH_NO_CREDIT;
	}
}

/* Returns the QPN of the requester, which gets the answer. */
static u32 forge_requester(const struct glass_passing *p, const struct glass_qp *qp,
			   const struct glass_pkt *pkt)
{
	if (p->dir == GLASS_DIR_TX)
		return qp->core.qpn;
	if (glass_type_is_connected(qp->core.type))
		return READ_ONCE(qp->core.attr.dest_qpn);
	return pkt->sqpn;
}

static void forge_reverse_path(struct glass_pkt *ans, const struct glass_pkt *pkt)
{
	ans->lnh = pkt->lnh;
	ans->sl = pkt->sl;
	ans->vl = pkt->vl;
	ans->slid = pkt->dlid;
	ans->dlid = pkt->slid;
	if (pkt->lnh != GLASS_LNH_GLOBAL)
		return;
	ans->grh = pkt->grh;
	ans->grh.pay_len = ANSWER_BYTES;
	ans->grh.sport = 0;
	ans->grh.ip_id = 0;
	ans->grh.ip_frag = GLASS_IP4_DF;
	memcpy(ans->grh.sgid, pkt->grh.dgid, sizeof(ans->grh.sgid));
	memcpy(ans->grh.dgid, pkt->grh.sgid, sizeof(ans->grh.dgid));
}

noinline_for_stack bool glass_forge(struct glass_dev *dev, const struct glass_passing *p, u32 port,
				    struct glass_qp *qp, const struct glass_pkt *pkt,
				    struct glass_run *run, const struct glass_hit *hit)
{
	struct glass_fate fate = { .reason = GLASS_DROP_NONE };
	struct glass_pkt ans = {
		.opcode = GLASS_BOP_ACK | (qp && qp->core.type >= GLASS_QPT_XRC_INI ? GLASS_TR_XRC :
										      GLASS_TR_RC),
		.mig = pkt->mig,
		/* a full member's P_Key, which limited and full members of the partition accept */
		.pkey = pkt->pkey | GLASS_PKEY_FULL,
		.psn = pkt->psn,
		.flow = pkt->flow,
		.wr_id = pkt->wr_id,
		.forged = 1,
		.fate = &fate,
	};

	if (!qp || glass_lid_is_mcast(pkt->dlid) || glass_pkt_is_response(pkt))
		return false;
	ans.dqpn = forge_requester(p, qp, pkt);
	ans.syndrome = syndrome_of(qp, hit);
	ans.msn = p->dir == GLASS_DIR_TX ? READ_ONCE(qp->core.req.ssn) :
					   READ_ONCE(qp->core.resp.msn);
	forge_reverse_path(&ans, pkt);
	memcpy(fate.rule, hit->rule, sizeof(fate.rule));
	if (p->dir == GLASS_DIR_TX)
		glass_inject_env_arrive(dev, port, &ans, run);
	else
		glass_inject_env_send_forged(dev, port, qp, &ans, run);
	return true;
}

noinline_for_stack void glass_forge_cnp(struct glass_dev *dev, const struct glass_passing *p,
					u32 port, struct glass_qp *qp, const struct glass_pkt *pkt,
					struct glass_run *run, const struct glass_hit *hit)
{
	struct glass_fate fate = { .reason = GLASS_DROP_NONE };
	struct glass_pkt cnp;
	struct glass_seg seg;

	if (p->dir == GLASS_DIR_RX) {
		glass_inject_env_send_cnp(qp, run);
		return;
	}
	/* the CNP that the peer would send, if a switch had marked the packet */
	glass_inject_env_build_cnp(qp, &cnp, &seg);
	cnp.dqpn = qp->core.qpn;
	cnp.pkey = pkt->pkey | GLASS_PKEY_FULL;
	cnp.fate = &fate;
	forge_reverse_path(&cnp, pkt);
	cnp.grh.pay_len = GLASS_BTH_BYTES + GLASS_CNP_BYTES + GLASS_ICRC_BYTES;
	memcpy(fate.rule, hit->rule, sizeof(fate.rule));
	glass_inject_env_arrive(dev, port, &cnp, run);
}
