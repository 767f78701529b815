/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBCOUNT_H
#define GLASS_IBCOUNT_H

#include "common/shared.h"

enum ibcount_by { BY_PID, BY_QP, BY_DEV, BY_OP };

/* What it is not counted by is 0. */
struct ibcount_key {
	union dev_name dev;
	__u32 pid;
	__u32 num; /* QPN or operation */
};

struct ibcount_value {
	char comm[BPF_COMM_LEN];
	__u64 tx, tx_bytes; /* send work requests that succeeded, what they moved in either
			       direction */
	__u64 rx, rx_bytes; /* receives that succeeded */
	__u64 errors;	    /* either that did not */
};

#endif
