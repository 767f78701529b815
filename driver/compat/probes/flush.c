// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does ib_core know FLUSH and ATOMIC_WRITE? */
#include <rdma/ib_verbs.h>

unsigned long long probe[] = {
	IB_ACCESS_FLUSH_GLOBAL, IB_DEVICE_FLUSH_GLOBAL, IB_DEVICE_ATOMIC_WRITE, IB_WR_FLUSH, IB_WR_ATOMIC_WRITE,
};
