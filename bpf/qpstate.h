/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_QPSTATE_H
#define GLASS_QPSTATE_H

#include "common/shared.h"

struct qpstate_event {
	struct event_head head; /* whose the queue pair is */
	__u64 since;		/* ns that it was in the state before; 0: not known */
	__u32 qpn;
	__u8 from, to, cause;
};

#endif
