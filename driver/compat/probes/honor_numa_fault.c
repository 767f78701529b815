// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does GUP fault on pages that NUMA balancing unmapped only if FOLL_HONOR_NUMA_FAULT is set? */
#include <linux/mm.h>

unsigned int probe = FOLL_HONOR_NUMA_FAULT;
