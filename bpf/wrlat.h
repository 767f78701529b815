/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_WRLAT_H
#define GLASS_WRLAT_H

#include "common/flight.h"

/* By what histograms are kept apart */
enum wrlat_by { BY_NOTHING, BY_QP, BY_PID, BY_OP };

/* What histograms are of; what they are not kept apart by is 0. */
struct wrlat_key {
	union dev_name dev;
	__u32 id;
	__u32 pad;
};

/* One for each stage, by enum flight_moment; AT_POST: the whole */
struct wrlat_hists {
	struct hist stage[FLIGHT_MOMENTS];
};

#endif
