/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_VERSION_CHECK_H
#define GLASS_VERSION_CHECK_H

#include <stdbool.h>

bool glass_libibverbs_matches(void);

#endif
