/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_WRLAT_H
#define GLASS_WRLAT_H

#include "common/flight.h"

/* How histograms are grouped */
enum wrlat_by { BY_NOTHING, BY_QP, BY_PID, BY_OP };

/* Key of a group of histograms. Fields that it is not grouped by are 0. */
struct wrlat_key {
	union dev_name dev;
	__u32 id;
	__u32 pad;
};

/* A histogram per stage, by enum flight_moment; AT_POST has the total. */
struct wrlat_hists {
	struct hist stage[FLIGHT_MOMENTS];
};

#endif
