/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBASYNC_H
#define GLASS_IBASYNC_H

#include "common/shared.h"

struct ibasync_event {
	struct event_head head; /* pid, comm: owner of the object; other drivers: current process */
	__u32 num;
	__u8 event, kind;
};

#endif
