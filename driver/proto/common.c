// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Functions for all transports: states, errors, headers, migration, completions of receives. */
#include "proto/internal.h"

#define EXT_BYTES(X, n, w, v, packet, on, header, ...) [v] = GLASS_HDR_BYTES(GLASS_HDR_##header),

/*
 * Bytes of the extended headers behind the BTH, indexed by BTH operation. The DETH of UD packets
 * and the XRCETH of XRC requests are not included.
 */
static const u8 ext_bytes[32] = { GLASS_BTH_TABLE(EXT_BYTES, ) };

/* Responses have no GLASS_RQ_* bits, but RQ_INFO() expands this name for them, too. */
#define GLASS_RQ_ANSWER 0
#define RQ_INFO(X, n, w, v, packet, on, header, part, kind)                                        \
	[v] = GLASS_DOES_##kind == GLASS_DOES_ANSWER ? 0 : GLASS_RQ_##kind |                       \
	      (GLASS_PART_##part & (GLASS_OPF_FIRST | GLASS_OPF_ONLY) ? GLASS_RQ_START : 0) |      \
	      (GLASS_PART_##part & (GLASS_OPF_LAST | GLASS_OPF_ONLY) ? GLASS_RQ_END : 0) |         \
	      (GLASS_HDR_##header & GLASS_HDR_IMM ? GLASS_RQ_IMM : 0) |                            \
	      (GLASS_HDR_##header & GLASS_HDR_IETH ? GLASS_RQ_INV : 0),

const u16 glass_rq_info[32] = { GLASS_BTH_TABLE(RQ_INFO, ) };

void glass_set_state(struct glass_pqp *q, enum glass_qp_state to, enum glass_cause cause, u64 now)
{
	enum glass_qp_state from = q->state;

	glass_pqp_changed(q);
	WRITE_ONCE(q->state, to);
	q->attr.state = to;
	q->attr.cur_state = to;
	q->state_since = now;
	if (to != GLASS_QPS_ERR && to != GLASS_QPS_SQE)
		q->left = 0;
	if ((to == GLASS_QPS_ERR || to == GLASS_QPS_SQE) && cause != GLASS_CAUSE_VERB)
		q->stats.qp_errs++;
	glass_env_note_state(q, from, to, cause);
}

static void count_error(struct glass_pqp_stats *s, enum glass_cause cause)
{
	switch (cause) {
	case GLASS_CAUSE_LOC_LEN:
	case GLASS_CAUSE_LOC_QP_OP:
	case GLASS_CAUSE_LOC_PROT:
	case GLASS_CAUSE_MW_BIND:
	case GLASS_CAUSE_RESP_OP:
		s->loc_errs++;
		break;
	case GLASS_CAUSE_REM_INV_REQ:
	case GLASS_CAUSE_REM_ACCESS:
	case GLASS_CAUSE_REM_OP:
	case GLASS_CAUSE_BAD_RESP:
		s->rem_errs++;
		break;
	case GLASS_CAUSE_RETRY_EXC:
	case GLASS_CAUSE_RNR_EXC:
		s->retry_errs++;
		break;
	case GLASS_CAUSE_RESP_INV_REQ:
	case GLASS_CAUSE_RESP_ACCESS:
		s->resp_errs++;
		break;
	default: /* no work request caused the error */
		break;
	}
}

/* Counts a work request that completes with an error, or as flushed. */
void glass_count_failed(struct glass_pqp *q, enum glass_wc_status status)
{
	if (status == GLASS_WC_WR_FLUSH_ERR)
		q->stats.flush_cqes++;
	else
		q->stats.err_cqes++;
}

void glass_note_error(struct glass_pqp *q, enum glass_cause cause, u8 status, u8 syndrome,
		      u8 opcode, u32 psn, u64 wr_id, u64 now)
{
	struct glass_error *e = &q->last_error;

	count_error(&q->stats, cause);
	e->cause = cause;
	e->status = status;
	e->syndrome = syndrome;
	e->opcode = opcode;
	e->psn = psn;
	e->wr_id = wr_id;
	e->when = now;
	if (q->first_error.cause == GLASS_CAUSE_NONE)
		q->first_error = *e;
}

void glass_proto_drop(struct glass_pqp *q, const struct glass_pkt *pkt, enum glass_drop reason)
{
	q->stats.drops += 1 + pkt->more;
	glass_env_note_drop(q, pkt, reason);
}

void glass_fill_grh(struct glass_pkt *pkt, const struct glass_av *av)
{
	u32 bytes;

	bytes = GLASS_BTH_BYTES + ext_bytes[pkt->opcode & GLASS_BOP_MASK] + pkt->len + pkt->pad +
		GLASS_ICRC_BYTES;
	if ((pkt->opcode & GLASS_TR_MASK) == GLASS_TR_UD)
		bytes += GLASS_DETH_BYTES;
	else if ((pkt->opcode & GLASS_TR_MASK) == GLASS_TR_XRC &&
		 glass_rq_info[pkt->opcode & GLASS_BOP_MASK])
		bytes += GLASS_XRCETH_BYTES;
	pkt->lnh = GLASS_LNH_GLOBAL;
	pkt->grh.tclass = av->tclass;
	pkt->grh.hop_limit = av->hop_limit;
	pkt->grh.next_hdr = av->ethernet ? GLASS_NEXT_HDR_UDP : GLASS_NEXT_HDR_IBA;
	pkt->grh.flow_label = av->flow_label & 0xfffff;
	/* those of a train may be too many, and are of no packet: glass_train_part() sets those of each */
	pkt->grh.pay_len = pkt->more ? 0 : bytes;
	pkt->grh.sport = 0;
	pkt->grh.ip_id = 0;
	pkt->grh.ip_frag = GLASS_IP4_DF;
	memcpy(pkt->grh.sgid, av->sgid, sizeof(pkt->grh.sgid));
	memcpy(pkt->grh.dgid, av->dgid, sizeof(pkt->grh.dgid));
}

/*
 * Makes the alternate path the QP's path, refills retry_left, and raises PATH_MIG (IBA 17.2.8.1.4).
 * No alternate path is left after this. Returns false if the QP is not ARMED, or has no alternate
 * path.
 */
bool glass_migrate(struct glass_pqp *q)
{
	struct glass_qp_attr *a = &q->attr;

	if (a->mig_state != GLASS_MIG_ARMED || !a->alt.dlid)
		return false;
	glass_pqp_changed(q);
	a->av = a->alt;
	a->port = a->alt_port;
	a->pkey_index = a->alt_pkey_index;
	a->timeout = a->alt_timeout;
	a->alt.dlid = 0;
	a->mig_state = GLASS_MIG_MIGRATED;
	q->req.retry_left = a->retry_cnt;
	glass_env_event(q, GLASS_EV_PATH_MIG);
	return true;
}

/* Does the packet come from the peer's end of this path (IBA 9.6.1)? */
static bool on_path(const struct glass_pkt *pkt, const struct glass_av *av)
{
	bool grh = pkt->lnh == GLASS_LNH_GLOBAL;

	return pkt->slid == av->dlid && grh == !!av->has_grh &&
	       (!grh || !memcmp(pkt->grh.sgid, av->dgid, sizeof(av->dgid)));
}

bool glass_pqp_migrate_rx(struct glass_pqp *q, const struct glass_pkt *pkt, u8 port, bool pkey_ok)
{
	const struct glass_qp_attr *a = &q->attr;

	if (likely(a->mig_state != GLASS_MIG_ARMED) || !pkt->mig ||
	    q->state < GLASS_QPS_RTR || q->state == GLASS_QPS_ERR ||
	    (pkt->opcode & GLASS_TR_MASK) != glass_transport(q->type))
		return false;
	if (port != a->alt_port || !pkey_ok || !on_path(pkt, &a->alt)) {
		/*
		 * The packet's port, P_Key or source is not that of the alternate path: do not
		 * migrate. Only the first such packet after the QP became ARMED raises an event.
		 */
		if (!q->mig_refused)
			glass_env_event(q, GLASS_EV_PATH_MIG_ERR);
		q->mig_refused = true;
		return false;
	}
	return glass_migrate(q);
}

void glass_recv_complete(struct glass_pqp *q, const struct glass_pkt *pkt, u16 pkey_index,
			 u8 path_bits, enum glass_wc_status status, enum glass_wc_op op,
			 enum glass_cause cause, u32 byte_len)
{
	struct glass_cqe cqe = glass_recv_cqe(q, pkt, pkey_index, path_bits, status, op, cause, byte_len);

	q->resp.rwqe_valid = false;
	if (unlikely(status != GLASS_WC_SUCCESS))
		glass_count_failed(q, status);
	glass_env_complete(q, &cqe);
}
