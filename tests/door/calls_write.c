// SPDX-License-Identifier: GPL-2.0-only
/* The commands that are written to the uverbs device, by the structures of <rdma/ib_user_verbs.h>.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>
#include <unistd.h>

#include "door.h"

struct command {
	uint32_t number;
	bool extended;
	uint16_t in, out; /* bytes of the core's structures */
	uint16_t driver_in, driver_out;
	enum object makes, kills;
	const char *killed; /* argument that names it */
};

#define S(s, f) offsetof(struct ib_uverbs_##s, f), sizeof(((struct ib_uverbs_##s *)0)->f)
#define CTX                                     \
	{                                       \
		"ctx", K_CONTEXT, 0, 0, 0, 0, 0 \
	}
#define NUM(s, f, d)                        \
	{                                   \
#f, K_NUM, 0, 0, d, S(s, f) \
	}
#define FLAG(s, f, d)                         \
	{                                     \
#f, K_FLAGS, 0, 0, d, S(s, f) \
	}
#define ENU(s, f, l, d)                      \
	{                                    \
#f, K_ENUM, 0, l, d, S(s, f) \
	}
#define HAND(s, f, o)                                \
	{                                            \
#f, K_HANDLE, OBJ_##o, 0, 0, S(s, f) \
	}
#define OF(s, f, k, d)                      \
	{                                   \
#f, K_##k, 0, 0, d, S(s, f) \
	}
#define RESP(s)                                             \
	{                                                   \
		"response", K_INTO, 0, 0, 0, S(s, response) \
	}
/* words of rubbish behind the input; room for the answer in words, 0: as much as it needs */
#define TAIL                                 \
	{ "more", K_ENUM, 0, 4, 0, 0, 0 },   \
	{                                    \
		"room", K_NUM, 0, 0, 0, 0, 0 \
	}

static long take_answer(const struct command *c, const struct row *row, const uint64_t *value,
			unsigned int ctx);

static long write_call(const struct row *row, const uint64_t *value)
{
	const struct command *c = row->data;
	uint8_t buf[1024] = {}, *core;
	struct ib_uverbs_cmd_hdr *hdr = (void *)buf;
	struct ib_uverbs_ex_cmd_hdr *ex = (void *)(hdr + 1);
	unsigned int ctx = value[0] % CONTEXTS, i;
	uint64_t more = arg_value(row, value, "more"), room = arg_value(row, value, "room");
	uint32_t killed = 0;
	size_t len;

	core = buf + sizeof(*hdr) + (c->extended ? sizeof(*ex) : 0);
	for (i = 1; i < row->nargs; i++) {
		arg_store(core, &row->args[i], ctx, value[i]);
		if (c->kills && !strcmp(row->args[i].name, c->killed))
			killed = arg_resolve(&row->args[i], ctx, value[i]);
	}
	/* modify_srq: where the driver tells the new ring */
	if (c->driver_in == sizeof(struct glass_modify_srq_req))
		((struct glass_modify_srq_req *)(core + c->in))->ring_info =
			(uintptr_t)answer + 1024;
	len = core - buf + c->in + c->driver_in;
	for (i = 0; i < more % 64; i++, len += 4)
		memcpy(buf + len, (uint32_t[]){ mix(more + i) }, 4);
	hdr->command = c->number | (c->extended ? 0x80000000u : 0);
	if (c->extended) {
		hdr->in_words = c->in / 8;
		hdr->out_words = c->out / 8;
		ex->provider_in_words = (len - (core - buf) - c->in) / 8;
		ex->provider_out_words = c->driver_out / 8;
		ex->response = c->out ? (uintptr_t)answer : 0;
		len = core - buf + c->in + ex->provider_in_words * 8;
	} else {
		hdr->in_words = len / 4;
		hdr->out_words = (c->out + c->driver_out) / 4;
	}
	if (room)
		hdr->out_words = room - 1;
	if (write(world.fd[ctx], buf, len) != (ssize_t)len)
		return -errno;
	if (c->kills)
		thing_gone(c->kills, ctx, killed);
	return room ? 0 : take_answer(c, row, value, ctx);
}

static long take_answer(const struct command *c, const struct row *row, const uint64_t *value,
			unsigned int ctx)
{
	const struct ib_uverbs_create_qp_resp *qp = (void *)answer;
	const struct ib_uverbs_create_srq_resp *srq = (void *)answer;
	const struct ib_uverbs_reg_mr_resp *mr = (void *)answer;
	const struct ib_uverbs_alloc_mw_resp *mw = (void *)answer;
	const void *driver = answer + c->out;
	struct thing *t;

	if (c->number == IB_USER_VERBS_CMD_RESIZE_CQ) {
		t = thing_chosen(OBJ_CQ, ctx, arg_value(row, value, "cq_handle"));
		if (t)
			ring_map(&t->rq, ctx, &((struct glass_resize_cq_resp *)driver)->ring);
	}
	if (!c->makes)
		return 0;
	t = thing_add(c->makes, ctx, *(uint32_t *)(answer + (c->makes == OBJ_FLOW ? 4 : 0)));
	if (!t)
		return 0;
	switch (c->makes) {
	case OBJ_MR:
		t->num = mr->lkey;
		t->rkey = mr->rkey;
		t->addr = arg_resolve(&(struct arg){ .kind = K_ADDR }, ctx,
				      arg_value(row, value, "hca_va"));
		t->len = arg_value(row, value, "length");
		break;
	case OBJ_MW:
		t->rkey = mw->rkey;
		break;
	case OBJ_CQ:
		ring_map(&t->rq, ctx, &((struct glass_create_cq_resp *)driver)->ring);
		break;
	case OBJ_QP:
		t->num = qp->qpn;
		if (c->number == IB_USER_VERBS_CMD_OPEN_QP)
			break;
		ring_map(&t->sq, ctx, &((struct glass_create_qp_resp *)driver)->sq);
		ring_map(&t->rq, ctx, &((struct glass_create_qp_resp *)driver)->rq);
		break;
	case OBJ_SRQ:
		t->num = srq->srqn;
		ring_map(&t->rq, ctx, &((struct glass_create_srq_resp *)driver)->rq);
		break;
	case OBJ_AH:
		t->num = ((struct glass_create_ah_resp *)driver)->ah_num;
		break;
	default:
		break;
	}
	return 0;
}

/* ---- arguments; the defaults make most calls succeed */

#define REMOTE                                                                       \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC)
#define ACCESS (REMOTE | IBV_ACCESS_MW_BIND)

static const struct arg a_response[] = { CTX, RESP(query_device), TAIL };
static const struct arg a_ex_query_device[] = { CTX, NUM(ex_query_device, comp_mask, 0),
						NUM(ex_query_device, reserved, 0), TAIL };
static const struct arg a_query_port[] = { CTX, RESP(query_port), NUM(query_port, port_num, 1),
					   TAIL };
static const struct arg a_dealloc_pd[] = { CTX, HAND(dealloc_pd, pd_handle, PD), TAIL };
#define AH_ATTR(s, at)                                                                           \
	OF(s, at.grh.dgid, GID, 0), NUM(s, at.grh.flow_label, 0), NUM(s, at.grh.sgid_index, 0),  \
		NUM(s, at.grh.hop_limit, 1), OF(s, at.dlid, LID, 2), NUM(s, at.sl, 0),           \
		NUM(s, at.src_path_bits, 0), NUM(s, at.static_rate, 0), NUM(s, at.is_global, 0), \
		NUM(s, at.port_num, 1)
static const struct arg a_create_ah[] = { CTX, RESP(create_ah), HAND(create_ah, pd_handle, PD),
					  AH_ATTR(create_ah, attr), TAIL };
static const struct arg a_destroy_ah[] = { CTX, HAND(destroy_ah, ah_handle, AH), TAIL };
static const struct arg a_reg_mr[] = { CTX,
				       RESP(reg_mr),
				       OF(reg_mr, start, ADDR, 0),
				       OF(reg_mr, length, LEN, 65536),
				       OF(reg_mr, hca_va, ADDR, 0),
				       HAND(reg_mr, pd_handle, PD),
				       FLAG(reg_mr, access_flags, ACCESS),
				       TAIL };
static const struct arg a_rereg_mr[] = { CTX,
					 RESP(rereg_mr),
					 HAND(rereg_mr, mr_handle, MR),
					 FLAG(rereg_mr, flags, IBV_REREG_MR_CHANGE_TRANSLATION),
					 OF(rereg_mr, start, ADDR, 8192),
					 OF(rereg_mr, length, LEN, 65536),
					 OF(rereg_mr, hca_va, ADDR, 8192),
					 HAND(rereg_mr, pd_handle, PD),
					 FLAG(rereg_mr, access_flags, ACCESS),
					 TAIL };
static const struct arg a_dereg_mr[] = { CTX, HAND(dereg_mr, mr_handle, MR), TAIL };
static const struct arg a_alloc_mw[] = { CTX, RESP(alloc_mw), HAND(alloc_mw, pd_handle, PD),
					 NUM(alloc_mw, mw_type, 2), TAIL };
static const struct arg a_dealloc_mw[] = { CTX, HAND(dealloc_mw, mw_handle, MW), TAIL };
static const struct arg a_create_cq[] = { CTX,
					  RESP(create_cq),
					  NUM(create_cq, cqe, 64),
					  NUM(create_cq, comp_vector, 0),
					  { "comp_channel", K_HANDLE, OBJ_CHANNEL, 0, -1ull,
					    S(create_cq, comp_channel) },
					  TAIL };
static const struct arg a_ex_create_cq[] = { CTX,
					     NUM(ex_create_cq, user_handle, 0),
					     NUM(ex_create_cq, cqe, 64),
					     NUM(ex_create_cq, comp_vector, 0),
					     { "comp_channel", K_HANDLE, OBJ_CHANNEL, 0, -1ull,
					       S(ex_create_cq, comp_channel) },
					     NUM(ex_create_cq, comp_mask, 0),
					     FLAG(ex_create_cq, reserved, 0),
					     TAIL };
static const struct arg a_ex_modify_cq[] = { CTX,
					     HAND(ex_modify_cq, cq_handle, CQ),
					     FLAG(ex_modify_cq, attr_mask, 1),
					     NUM(ex_modify_cq, attr.cq_count, 4),
					     NUM(ex_modify_cq, attr.cq_period, 10),
					     NUM(ex_modify_cq, reserved, 0),
					     TAIL };
static const struct arg a_resize_cq[] = { CTX, RESP(resize_cq), HAND(resize_cq, cq_handle, CQ),
					  NUM(resize_cq, cqe, 128), TAIL };
static const struct arg a_poll_cq[] = { CTX, RESP(poll_cq), HAND(poll_cq, cq_handle, CQ),
					NUM(poll_cq, ne, 1), TAIL };
static const struct arg a_notify_cq[] = { CTX, HAND(req_notify_cq, cq_handle, CQ),
					  NUM(req_notify_cq, solicited_only, 0), TAIL };
static const struct arg a_destroy_cq[] = { CTX, RESP(destroy_cq), HAND(destroy_cq, cq_handle, CQ),
					   TAIL };
#define QP_INIT(s)                                                                             \
	HAND(s, pd_handle, PD), HAND(s, send_cq_handle, CQ), HAND(s, recv_cq_handle, CQ),      \
		HAND(s, srq_handle, SRQ), NUM(s, max_send_wr, 16), NUM(s, max_recv_wr, 16),    \
		NUM(s, max_send_sge, 4), NUM(s, max_recv_sge, 4), NUM(s, max_inline_data, 64), \
		NUM(s, sq_sig_all, 0), ENU(s, qp_type, 11, IBV_QPT_RC), NUM(s, is_srq, 0)
static const struct arg a_create_qp[] = { CTX, RESP(create_qp), QP_INIT(create_qp), TAIL };
static const struct arg a_ex_create_qp[] = { CTX,
					     NUM(ex_create_qp, user_handle, 0),
					     QP_INIT(ex_create_qp),
					     NUM(ex_create_qp, comp_mask, 0),
					     FLAG(ex_create_qp, create_flags, 0),
					     NUM(ex_create_qp, rwq_ind_tbl_handle, 0),
					     NUM(ex_create_qp, source_qpn, 0),
					     TAIL };
/* XRC targets have a domain in place of a PD, XRC initiators no receive queue */
static const struct arg a_create_xrc_target[] = { CTX,
						  RESP(create_qp),
						  { "xrcd_handle", K_HANDLE, OBJ_XRCD, 0, 0,
						    S(create_qp, pd_handle) },
						  NUM(create_qp, max_send_wr, 0),
						  NUM(create_qp, max_recv_wr, 0),
						  ENU(create_qp, qp_type, 11, 10),
						  TAIL };
static const struct arg a_query_qp[] = { CTX, RESP(query_qp), HAND(query_qp, qp_handle, QP),
					 FLAG(query_qp, attr_mask, 0x1fffff), TAIL };
#define QP_ATTR(s, mask, state)                                                                   \
	HAND(s, qp_handle, QP), FLAG(s, attr_mask, mask), ENU(s, qp_state, 8, state),             \
		ENU(s, cur_qp_state, 8, 0), OF(s, dest.dgid, GID, 0), NUM(s, dest.flow_label, 0), \
		OF(s, dest.dlid, LID, 2), NUM(s, dest.sgid_index, 0), NUM(s, dest.hop_limit, 1),  \
		NUM(s, dest.sl, 0), NUM(s, dest.src_path_bits, 0), NUM(s, dest.is_global, 0),     \
		NUM(s, dest.port_num, 1), OF(s, alt_dest.dlid, LID, 3),                           \
		NUM(s, alt_dest.is_global, 0), NUM(s, alt_dest.port_num, 2),                      \
		NUM(s, qkey, 0x11111111), NUM(s, rq_psn, 0), NUM(s, sq_psn, 0),                   \
		OF(s, dest_qp_num, QPN, 0), FLAG(s, qp_access_flags, REMOTE),                     \
		NUM(s, pkey_index, 0), NUM(s, alt_pkey_index, 0),                                 \
		ENU(s, path_mtu, 8, IBV_MTU_1024), ENU(s, path_mig_state, 4, 1),                  \
		NUM(s, en_sqd_async_notify, 0), NUM(s, max_rd_atomic, 4),                         \
		NUM(s, max_dest_rd_atomic, 4), NUM(s, min_rnr_timer, 1), NUM(s, port_num, 1),     \
		NUM(s, timeout, 8), NUM(s, retry_cnt, 1), NUM(s, rnr_retry, 1),                   \
		NUM(s, alt_port_num, 2), NUM(s, alt_timeout, 8)
#define TO_INIT	   (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define TO_INIT_UD (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define TO_RTR                                                                          \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | \
	 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define TO_RTR_UC (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define TO_RTS                                                                                 \
	(IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | \
	 IBV_QP_MAX_QP_RD_ATOMIC)
#define TO_RTS_UD (IBV_QP_STATE | IBV_QP_SQ_PSN)
static const struct arg a_to_init[] = { CTX, QP_ATTR(modify_qp, TO_INIT, IBV_QPS_INIT), TAIL };
static const struct arg a_to_init_ud[] = { CTX, QP_ATTR(modify_qp, TO_INIT_UD, IBV_QPS_INIT),
					   TAIL };
static const struct arg a_to_rtr[] = { CTX, QP_ATTR(modify_qp, TO_RTR, IBV_QPS_RTR), TAIL };
static const struct arg a_to_rtr_uc[] = { CTX, QP_ATTR(modify_qp, TO_RTR_UC, IBV_QPS_RTR), TAIL };
static const struct arg a_to_rtr_ud[] = { CTX, QP_ATTR(modify_qp, IBV_QP_STATE, IBV_QPS_RTR),
					  TAIL };
static const struct arg a_to_rts[] = { CTX, QP_ATTR(modify_qp, TO_RTS, IBV_QPS_RTS), TAIL };
static const struct arg a_to_rts_ud[] = { CTX, QP_ATTR(modify_qp, TO_RTS_UD, IBV_QPS_RTS), TAIL };
static const struct arg a_modify_qp[] = { CTX, QP_ATTR(modify_qp, IBV_QP_STATE, IBV_QPS_ERR),
					  TAIL };
static const struct arg a_ex_modify_qp[] = { CTX, QP_ATTR(modify_qp, IBV_QP_STATE, IBV_QPS_SQD),
					     TAIL };
static const struct arg a_destroy_qp[] = { CTX, RESP(destroy_qp), HAND(destroy_qp, qp_handle, QP),
					   TAIL };
static const struct arg a_mcast[] = { CTX, OF(attach_mcast, gid, GID, 9),
				      HAND(attach_mcast, qp_handle, QP),
				      OF(attach_mcast, mlid, MLID, 0), TAIL };
static const struct arg a_create_srq[] = { CTX,
					   RESP(create_srq),
					   HAND(create_srq, pd_handle, PD),
					   NUM(create_srq, max_wr, 16),
					   NUM(create_srq, max_sge, 4),
					   NUM(create_srq, srq_limit, 0),
					   TAIL };
static const struct arg a_create_xsrq[] = { CTX,
					    RESP(create_xsrq),
					    ENU(create_xsrq, srq_type, 3, 1),
					    HAND(create_xsrq, pd_handle, PD),
					    NUM(create_xsrq, max_wr, 16),
					    NUM(create_xsrq, max_sge, 4),
					    NUM(create_xsrq, srq_limit, 0),
					    NUM(create_xsrq, max_num_tags, 0),
					    HAND(create_xsrq, xrcd_handle, XRCD),
					    HAND(create_xsrq, cq_handle, CQ),
					    TAIL };
static const struct arg a_modify_srq[] = { CTX,
					   HAND(modify_srq, srq_handle, SRQ),
					   FLAG(modify_srq, attr_mask, IBV_SRQ_LIMIT),
					   NUM(modify_srq, max_wr, 32),
					   NUM(modify_srq, srq_limit, 4),
					   TAIL };
static const struct arg a_query_srq[] = { CTX, RESP(query_srq), HAND(query_srq, srq_handle, SRQ),
					  TAIL };
static const struct arg a_destroy_srq[] = { CTX, RESP(destroy_srq),
					    HAND(destroy_srq, srq_handle, SRQ), TAIL };
static const struct arg a_open_xrcd[] = { CTX, RESP(open_xrcd), NUM(open_xrcd, fd, -1u),
					  FLAG(open_xrcd, oflags, O_CREAT), TAIL };
static const struct arg a_close_xrcd[] = { CTX, HAND(close_xrcd, xrcd_handle, XRCD), TAIL };
static const struct arg a_open_qp[] = { CTX,
					RESP(open_qp),
					{ "xrcd_handle", K_HANDLE, OBJ_XRCD, 0, 0,
					  S(open_qp, pd_handle) },
					OF(open_qp, qpn, QPN, 0),
					ENU(open_qp, qp_type, 11, 10),
					TAIL };
static const struct arg a_post_send[] = { CTX,
					  RESP(post_send),
					  HAND(post_send, qp_handle, QP),
					  NUM(post_send, wr_count, 0),
					  NUM(post_send, sge_count, 0),
					  NUM(post_send, wqe_size,
					      sizeof(struct ib_uverbs_send_wr)),
					  TAIL };
static const struct arg a_post_recv[] = { CTX,
					  RESP(post_recv),
					  HAND(post_recv, qp_handle, QP),
					  NUM(post_recv, wr_count, 0),
					  NUM(post_recv, sge_count, 0),
					  NUM(post_recv, wqe_size,
					      sizeof(struct ib_uverbs_recv_wr)),
					  TAIL };
static const struct arg a_post_srq_recv[] = { CTX,
					      RESP(post_srq_recv),
					      HAND(post_srq_recv, srq_handle, SRQ),
					      NUM(post_srq_recv, wr_count, 0),
					      NUM(post_srq_recv, sge_count, 0),
					      NUM(post_srq_recv, wqe_size,
						  sizeof(struct ib_uverbs_recv_wr)),
					      TAIL };
static const struct arg a_create_flow[] = { CTX,
					    NUM(create_flow, comp_mask, 0),
					    HAND(create_flow, qp_handle, QP),
					    NUM(create_flow, flow_attr.type, 0),
					    NUM(create_flow, flow_attr.size, 0),
					    NUM(create_flow, flow_attr.num_of_specs, 0),
					    NUM(create_flow, flow_attr.port, 1),
					    FLAG(create_flow, flow_attr.flags, 0),
					    TAIL };
static const struct arg a_destroy_flow[] = { CTX, NUM(destroy_flow, comp_mask, 0),
					     HAND(destroy_flow, flow_handle, FLOW), TAIL };
static const struct arg a_create_wq[] = { CTX,
					  NUM(ex_create_wq, comp_mask, 0),
					  NUM(ex_create_wq, wq_type, 0),
					  HAND(ex_create_wq, pd_handle, PD),
					  HAND(ex_create_wq, cq_handle, CQ),
					  NUM(ex_create_wq, max_wr, 16),
					  NUM(ex_create_wq, max_sge, 1),
					  TAIL };
/* a command whose number nobody has */
static const struct arg a_none[] = { CTX, RESP(query_device), TAIL };

#define ROW(word, a, cmd, s_in, out_bytes, d_in, d_out, mk, kl, kn)                      \
	{                                                                                \
		word, write_call, a, ARRAY_LEN(a), 0, &(const struct command)            \
		{                                                                        \
			IB_USER_VERBS_CMD_##cmd, false, sizeof(struct ib_uverbs_##s_in), \
				out_bytes, d_in, d_out, OBJ_##mk, OBJ_##kl, kn           \
		}                                                                        \
	}
#define ROW_EX(word, a, num, s_in, out_bytes, d_out, mk, kl, kn)                                   \
	{                                                                                          \
		word, write_call, a, ARRAY_LEN(a), 0, &(const struct command)                      \
		{                                                                                  \
			num, true, sizeof(struct ib_uverbs_##s_in), out_bytes, 0, d_out, OBJ_##mk, \
				OBJ_##kl, kn                                                       \
		}                                                                                  \
	}
#define R(s)		  sizeof(struct ib_uverbs_##s##_resp)
#define D(s)		  sizeof(struct glass_##s##_resp)
#define TO_STATE(word, a) ROW(word, a, MODIFY_QP, modify_qp, 0, 0, 0, NONE, NONE, NULL)

const struct row rows_write[] = {
	ROW("query_device", a_response, QUERY_DEVICE, query_device, R(query_device), 0, 0, NONE,
	    NONE, NULL),
	ROW("query_port", a_query_port, QUERY_PORT, query_port, R(query_port), 0, 0, NONE, NONE,
	    NULL),
	ROW("alloc_pd", a_response, ALLOC_PD, alloc_pd, R(alloc_pd), 0, D(alloc_pd), PD, NONE,
	    NULL),
	ROW("dealloc_pd", a_dealloc_pd, DEALLOC_PD, dealloc_pd, 0, 0, 0, NONE, PD, "pd_handle"),
	ROW("create_ah", a_create_ah, CREATE_AH, create_ah, R(create_ah), 0, D(create_ah), AH, NONE,
	    NULL),
	ROW("destroy_ah", a_destroy_ah, DESTROY_AH, destroy_ah, 0, 0, 0, NONE, AH, "ah_handle"),
	ROW("reg_mr", a_reg_mr, REG_MR, reg_mr, R(reg_mr), 0, 0, MR, NONE, NULL),
	ROW("rereg_mr", a_rereg_mr, REREG_MR, rereg_mr, R(rereg_mr), 0, 0, NONE, NONE, NULL),
	ROW("dereg_mr", a_dereg_mr, DEREG_MR, dereg_mr, 0, 0, 0, NONE, MR, "mr_handle"),
	ROW("alloc_mw", a_alloc_mw, ALLOC_MW, alloc_mw, R(alloc_mw), 0, 0, MW, NONE, NULL),
	ROW("dealloc_mw", a_dealloc_mw, DEALLOC_MW, dealloc_mw, 0, 0, 0, NONE, MW, "mw_handle"),
	ROW("create_comp_channel", a_response, CREATE_COMP_CHANNEL, create_comp_channel,
	    R(create_comp_channel), 0, 0, CHANNEL, NONE, NULL),
	ROW("create_cq", a_create_cq, CREATE_CQ, create_cq, R(create_cq), 0, D(create_cq), CQ, NONE,
	    NULL),
	ROW("resize_cq", a_resize_cq, RESIZE_CQ, resize_cq, R(resize_cq), 0, D(resize_cq), NONE,
	    NONE, NULL),
	ROW("poll_cq", a_poll_cq, POLL_CQ, poll_cq, 4096, 0, 0, NONE, NONE, NULL),
	ROW("req_notify_cq", a_notify_cq, REQ_NOTIFY_CQ, req_notify_cq, 0, 0, 0, NONE, NONE, NULL),
	ROW("destroy_cq", a_destroy_cq, DESTROY_CQ, destroy_cq, R(destroy_cq), 0, 0, NONE, CQ,
	    "cq_handle"),
	ROW("create_qp", a_create_qp, CREATE_QP, create_qp, R(create_qp), 0, D(create_qp), QP, NONE,
	    NULL),
	ROW("create_xrc_target", a_create_xrc_target, CREATE_QP, create_qp, R(create_qp), 0,
	    D(create_qp), QP, NONE, NULL),
	ROW("query_qp", a_query_qp, QUERY_QP, query_qp, R(query_qp), 0, 0, NONE, NONE, NULL),
	TO_STATE("to_init", a_to_init),
	TO_STATE("to_init_ud", a_to_init_ud),
	TO_STATE("to_rtr", a_to_rtr),
	TO_STATE("to_rtr_uc", a_to_rtr_uc),
	TO_STATE("to_rtr_ud", a_to_rtr_ud),
	TO_STATE("to_rts", a_to_rts),
	TO_STATE("to_rts_ud", a_to_rts_ud),
	TO_STATE("modify_qp", a_modify_qp),
	ROW("destroy_qp", a_destroy_qp, DESTROY_QP, destroy_qp, R(destroy_qp), 0, 0, NONE, QP,
	    "qp_handle"),
	ROW("attach_mcast", a_mcast, ATTACH_MCAST, attach_mcast, 0, 0, 0, NONE, NONE, NULL),
	ROW("detach_mcast", a_mcast, DETACH_MCAST, detach_mcast, 0, 0, 0, NONE, NONE, NULL),
	ROW("create_srq", a_create_srq, CREATE_SRQ, create_srq, R(create_srq), 0, D(create_srq),
	    SRQ, NONE, NULL),
	ROW("create_xsrq", a_create_xsrq, CREATE_XSRQ, create_xsrq, R(create_srq), 0, D(create_srq),
	    SRQ, NONE, NULL),
	ROW("modify_srq", a_modify_srq, MODIFY_SRQ, modify_srq, 0,
	    sizeof(struct glass_modify_srq_req), 0, NONE, NONE, NULL),
	ROW("query_srq", a_query_srq, QUERY_SRQ, query_srq, R(query_srq), 0, 0, NONE, NONE, NULL),
	ROW("destroy_srq", a_destroy_srq, DESTROY_SRQ, destroy_srq, R(destroy_srq), 0, 0, NONE, SRQ,
	    "srq_handle"),
	ROW("open_xrcd", a_open_xrcd, OPEN_XRCD, open_xrcd, R(open_xrcd), 0, 0, XRCD, NONE, NULL),
	ROW("close_xrcd", a_close_xrcd, CLOSE_XRCD, close_xrcd, 0, 0, 0, NONE, XRCD, "xrcd_handle"),
	ROW("open_qp", a_open_qp, OPEN_QP, open_qp, R(create_qp), 0, D(create_qp), QP, NONE, NULL),
	ROW("post_send", a_post_send, POST_SEND, post_send, R(post_send), 0, 0, NONE, NONE, NULL),
	ROW("post_recv", a_post_recv, POST_RECV, post_recv, R(post_recv), 0, 0, NONE, NONE, NULL),
	ROW("post_srq_recv", a_post_srq_recv, POST_SRQ_RECV, post_srq_recv, R(post_srq_recv), 0, 0,
	    NONE, NONE, NULL),
	ROW("peek_cq", a_none, PEEK_CQ, query_device, 8, 0, 0, NONE, NONE, NULL),
	ROW_EX("ex_query_device", a_ex_query_device, IB_USER_VERBS_EX_CMD_QUERY_DEVICE,
	       ex_query_device, 2048, 0, NONE, NONE, NULL),
	ROW_EX("ex_create_cq", a_ex_create_cq, IB_USER_VERBS_EX_CMD_CREATE_CQ, ex_create_cq,
	       sizeof(struct ib_uverbs_ex_create_cq_resp), D(create_cq), CQ, NONE, NULL),
	ROW_EX("ex_create_qp", a_ex_create_qp, IB_USER_VERBS_EX_CMD_CREATE_QP, ex_create_qp,
	       sizeof(struct ib_uverbs_ex_create_qp_resp), D(create_qp), QP, NONE, NULL),
	ROW_EX("ex_modify_qp", a_ex_modify_qp, IB_USER_VERBS_EX_CMD_MODIFY_QP, ex_modify_qp,
	       R(ex_modify_qp), 0, NONE, NONE, NULL),
	ROW_EX("ex_modify_cq", a_ex_modify_cq, IB_USER_VERBS_EX_CMD_MODIFY_CQ, ex_modify_cq, 0, 0,
	       NONE, NONE, NULL),
	ROW_EX("ex_create_flow", a_create_flow, IB_USER_VERBS_EX_CMD_CREATE_FLOW, create_flow,
	       R(create_flow), 0, FLOW, NONE, NULL),
	ROW_EX("ex_destroy_flow", a_destroy_flow, IB_USER_VERBS_EX_CMD_DESTROY_FLOW, destroy_flow,
	       0, 0, NONE, FLOW, "flow_handle"),
	ROW_EX("ex_create_wq", a_create_wq, IB_USER_VERBS_EX_CMD_CREATE_WQ, ex_create_wq, 32, 0, WQ,
	       NONE, NULL),
	{},
};
