// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does FOLL_HONOR_NUMA_FAULT exist? */
#include <linux/mm.h>

unsigned int probe = FOLL_HONOR_NUMA_FAULT;
