/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_VERBS_API_H
#define GLASS_VERBS_API_H

#include "engine/api.h"

#endif
