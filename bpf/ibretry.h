/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBRETRY_H
#define GLASS_IBRETRY_H

#include "common/shared.h"

enum ibretry_type { RETRIED, RNR_NAK };

struct ibretry_event {
	struct event_head head;	    /* type: enum ibretry_type; pid, comm: owner of the QP */
	__u64 wr_id, flow, wait_ns; /* wait_ns: only of RNR_NAK */
	__u32 qpn, psn, round, left;
	__u8 why; /* GLASS_RETRY_WHYS; for RNR_NAK the direction */
};

#endif
