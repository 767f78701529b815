/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_QPSTATE_H
#define GLASS_QPSTATE_H

#include "common/shared.h"

struct qpstate_event {
	struct event_head head; /* pid, comm: owner of the QP */
	__u64 since;		/* ns spent in the previous state; 0: unknown */
	__u32 qpn;
	__u8 from, to, cause;
};

#endif
