// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Is the argument of MODULE_IMPORT_NS() a token? In newer kernels it is a string. */
#include <linux/module.h>

MODULE_IMPORT_NS(DMA_BUF);
