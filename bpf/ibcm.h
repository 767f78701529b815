/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBCM_H
#define GLASS_IBCM_H

#include "common/shared.h"

/* Steps, each a trace event rdma_cma:cm_NAME: X(NAME, word) */
#define IBCM_STEPS(X)                   \
	X(ID_ATTACH, id_attach)         \
	X(QP_CREATE, qp_create)         \
	X(SEND_REQ, send_req)           \
	X(SEND_REP, send_rep)           \
	X(SEND_RTU, send_rtu)           \
	X(SEND_REJ, send_rej)           \
	X(SEND_MRA, send_mra)           \
	X(SEND_SIDR_REQ, send_sidr_req) \
	X(SEND_SIDR_REP, send_sidr_rep) \
	X(EVENT, event_handler)         \
	X(DISCONNECT, disconnect)       \
	X(SENT_DREQ, sent_dreq)         \
	X(SENT_DREP, sent_drep)         \
	X(QP_DESTROY, qp_destroy)       \
	X(ID_DESTROY, id_destroy)

#define IBCM_E(name, word) CM_##name,
enum ibcm_step { IBCM_STEPS(IBCM_E) CM_STEPS };

#define CM_ADDR_LEN 28 /* struct sockaddr_in6 */

struct ibcm_event {
	struct event_head head; /* type: enum ibcm_step; pid, comm: the identifier's owner */
	__u32 id;
	__u32 qpn;
	__u32 event; /* of CM_EVENT: enum rdma_cm_event_type */
	__s32 status;
	__u8 src[CM_ADDR_LEN], dst[CM_ADDR_LEN];
};

#endif
