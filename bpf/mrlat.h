/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_MRLAT_H
#define GLASS_MRLAT_H

#include "common/verbs.h"

#endif
