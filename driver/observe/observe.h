/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The driver's reports to observers: trace events, captures, the flight recorder and dropped
 * packets. (observe/lint.h has the findings of lint.) tracepoints/README.md is the reference of
 * events and fields. An event costs one static branch while it is off.
 *
 * The argument `dev` of an event is the device's name, whose text must remain readable until the
 * trace call returns. Pass glass_dev_name(), the name in struct ib_device. Do not pass dev_name(),
 * because a rename of the device frees that text.
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

/*
 * Does an observer need single packets? Then the engine must not send trains (several packets as
 * one). If no observer needs them, the test costs static branches and at most one load.
 */
static inline bool glass_trace_packets(void)
{
	return glass_capturing() || trace_glass_pkt_tx_enabled() || trace_glass_pkt_rx_enabled() ||
	       trace_glass_pkt_drop_enabled() || trace_glass_hop_enabled();
}

/* For glass_trace_enter() only: formats the verb's arguments, and traces the event. */
__printf(5, 6) void glass_api_enter_args(const char *dev, enum glass_verb verb,
					 enum glass_kind kind, u32 num, const char *fmt, ...);

/*
 * Traces that a program or a kernel consumer calls a verb. dev: the device's name. verb: a value
 * such as GLASS_VERB_CREATE_QP. kind, num: as in verbs/api.h. fmt: the verb's arguments as printf
 * text, such as "cqe=%u comp_vector=%u". While the event is off, no argument is evaluated.
 */
#define glass_trace_enter(dev, verb, kind, num, fmt, ...)                                          \
	do {                                                                                       \
		if (trace_glass_api_enter_enabled())                                               \
			glass_api_enter_args(dev, verb, kind, num, fmt, ##__VA_ARGS__);            \
	} while (0)

/* Traces that a verb returns `ret`: 0, a count, or a negative errno. */
#define glass_trace_exit(dev, verb, kind, num, ret)                                                \
	do {                                                                                       \
		if (trace_glass_api_exit_enabled())                                                \
			trace_glass_api_exit(dev, verb, kind, num, ret);                           \
	} while (0)

#endif
