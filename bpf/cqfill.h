/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_CQFILL_H
#define GLASS_CQFILL_H

#include "common/shared.h"

struct cqfill_key {
	union dev_name dev;
	__u32 cqn;
	__u32 pad;
};

/*
 * level starts at 0, or at the number of completions that user space found when the tool started.
 */
struct cqfill_value {
	__s64 level, max;
	__u64 completions, errors, polled;
	struct hist wait; /* ns from the completion to its poll */
};

/* A CQ is new to the tool: user space must read its capacity while it exists. */
struct cqfill_event {
	struct event_head head;
	__u32 cqn;
};

#endif
