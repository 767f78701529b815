/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBSLOWER_H
#define GLASS_IBSLOWER_H

#include "common/flight.h"

struct ibslower_event {
	struct event_head head; /* ns: time of the last moment */
	struct flight flight;
};

#endif
