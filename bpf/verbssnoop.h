/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_VERBSSNOOP_H
#define GLASS_VERBSSNOOP_H

#include "common/verbs.h"

#endif
