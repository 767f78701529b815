// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does GUP leave pages alone that NUMA balancing unmapped, unless asked to fault? */
#include <linux/mm.h>

unsigned int probe = FOLL_HONOR_NUMA_FAULT;
