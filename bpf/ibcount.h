/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBCOUNT_H
#define GLASS_IBCOUNT_H

#include "common/shared.h"

enum ibcount_by { BY_PID, BY_QP, BY_DEV, BY_OP };

/* Fields that the count is not grouped by are 0. */
struct ibcount_key {
	union dev_name dev;
	__u32 pid;
	__u32 num; /* QPN or operation */
};

struct ibcount_value {
	char comm[BPF_COMM_LEN];
	__u64 tx, tx_bytes; /* successful sends, and their bytes in either direction */
	__u64 rx, rx_bytes; /* successful receives */
	__u64 errors;	    /* unsuccessful sends and receives */
};

#endif
