/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reports to observers, for the rest of the driver. Every function is a trace event and costs one
 * static branch while the event is off; tracepoints/README.md is the reference of events and
 * fields. `dev` must remain readable during the call and end in a NUL: the name in struct ib_device
 * does, dev_name() is freed by a rename.
 */
#ifndef GLASS_OBSERVE_OBSERVE_H
#define GLASS_OBSERVE_OBSERVE_H

#include <linux/compiler_attributes.h>

#include "observe/capture.h"
#include "observe/flight.h"
#include "observe/drops.h"
#include "observe/trace_api.h"
#include "observe/trace_cqe.h"
#include "observe/trace_event.h"
#include "observe/trace_lint.h"
#include "observe/trace_mad.h"
#include "observe/trace_mark.h"
#include "observe/trace_packet.h"
#include "observe/trace_qp.h"
#include "observe/trace_wr.h"

/* Are single packets traced? Then no trains may be sent. Static branches. */
static inline bool glass_trace_packets(void)
{
	return glass_capturing() || trace_glass_pkt_tx_enabled() || trace_glass_pkt_rx_enabled() ||
	       trace_glass_pkt_drop_enabled();
}

/* Behind glass_trace_enter(): formats the arguments. */
__printf(5, 6) void glass_api_enter_args(const char *dev, enum glass_verb verb,
					 enum glass_kind kind, u32 num, const char *fmt, ...);

/*
 * A verb was entered: device name, verb (GLASS_VERB_CREATE_QP), the object it works on (kind
 * and number; its parent where the object does not exist yet) and the arguments
 * as printf text "cqe=%u comp_vector=%u". Nothing is evaluated while the event is off.
 */
#define glass_trace_enter(dev, verb, kind, num, fmt, ...)                                          \
	do {                                                                                       \
		if (trace_glass_api_enter_enabled())                                               \
			glass_api_enter_args(dev, verb, kind, num, fmt, ##__VA_ARGS__);            \
	} while (0)

/* A verb returns ret: 0 (or a count) or a negative errno. */
#define glass_trace_exit(dev, verb, kind, num, ret)                                                \
	do {                                                                                       \
		if (trace_glass_api_exit_enabled())                                                \
			trace_glass_api_exit(dev, verb, kind, num, ret);                           \
	} while (0)

#endif
