/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reports to observers, for the rest of the driver: trace events, captures, flight recorder, drops.
 * tracepoints/README.md is the reference of events and fields. An event costs one static branch
 * while it is off. `dev`, the device's name, must remain readable during the call: pass the name in
 * struct ib_device (glass_dev_name()), because a rename frees dev_name().
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

/* Does an observer need single packets? Then the engine may not send trains. Static branches. */
static inline bool glass_trace_packets(void)
{
	return glass_capturing() || trace_glass_pkt_tx_enabled() || trace_glass_pkt_rx_enabled() ||
	       trace_glass_pkt_drop_enabled();
}

/* Called only by glass_trace_enter(): formats the arguments, and traces. */
__printf(5, 6) void glass_api_enter_args(const char *dev, enum glass_verb verb,
					 enum glass_kind kind, u32 num, const char *fmt, ...);

/*
 * A verb is entered: device name, verb (GLASS_VERB_CREATE_QP), the object that it works on (kind
 * and number; the parent of an object that it creates) and the arguments as printf text
 * "cqe=%u comp_vector=%u". Nothing is evaluated while the event is off.
 */
#define glass_trace_enter(dev, verb, kind, num, fmt, ...)                                          \
	do {                                                                                       \
		if (trace_glass_api_enter_enabled())                                               \
			glass_api_enter_args(dev, verb, kind, num, fmt, ##__VA_ARGS__);            \
	} while (0)

/* A verb returns ret: 0, a count, or a negative errno. */
#define glass_trace_exit(dev, verb, kind, num, ret)                                                \
	do {                                                                                       \
		if (trace_glass_api_exit_enabled())                                                \
			trace_glass_api_exit(dev, verb, kind, num, ret);                           \
	} while (0)

#endif
