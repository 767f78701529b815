/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The commands of the verbs core, each followed by Glass's own part. */
#ifndef GLASS_PROVIDER_ABI_H
#define GLASS_PROVIDER_ABI_H

#include <infiniband/kern-abi.h>

#include "uapi/glass-abi.h"
#include "uapi/glass-enums.h"

struct glass_cmd_get_context {
	struct ibv_get_context core;
	struct glass_alloc_ucontext_req drv;
};

struct glass_cmd_modify_srq {
	struct ibv_modify_srq core;
	struct glass_modify_srq_req drv;
};

/* A response: first the core's part, then the driver's. */
#define GLASS_RESP(verb, drv_resp)                                                                 \
	struct glass_resp_##verb {                                                                 \
		struct ib_uverbs_##verb##_resp core;                                               \
		struct drv_resp drv;                                                               \
	};                                                                                         \
	static_assert(sizeof(struct glass_resp_##verb) ==                                          \
			      sizeof(struct ib_uverbs_##verb##_resp) + sizeof(struct drv_resp),    \
		      "hole in the response of " #verb)

GLASS_RESP(get_context, glass_alloc_ucontext_resp);
GLASS_RESP(alloc_pd, glass_alloc_pd_resp);
GLASS_RESP(ex_create_cq, glass_create_cq_resp);
GLASS_RESP(ex_create_qp, glass_create_qp_resp);
GLASS_RESP(resize_cq, glass_resize_cq_resp);
GLASS_RESP(create_srq, glass_create_srq_resp);
GLASS_RESP(create_ah, glass_create_ah_resp);

static_assert(sizeof(struct glass_cmd_get_context) ==
		      sizeof(struct ibv_get_context) + sizeof(struct glass_alloc_ucontext_req),
	      "hole in the command of get_context");
static_assert(sizeof(struct glass_cmd_modify_srq) ==
		      sizeof(struct ibv_modify_srq) + sizeof(struct glass_modify_srq_req),
	      "hole in the command of modify_srq");
static_assert(sizeof(struct glass_ring_hdr) == GLASS_RING_HDR_BYTES, "ring header");
static_assert(sizeof(struct glass_abi_send_wqe) == GLASS_SEND_WQE_HDR_BYTES, "send WQE");
static_assert(sizeof(struct glass_abi_recv_wqe) == GLASS_RECV_WQE_HDR_BYTES, "receive WQE");
static_assert(sizeof(struct glass_abi_cqe) == 64, "CQE");
static_assert(sizeof(struct glass_abi_sge) == sizeof(struct ibv_sge), "SGE");

#endif
