/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace events: asynchronous events and port states. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_EVENT_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"

/*
 * The driver raises an asynchronous event. kind, num: the QP, CQ, SRQ or port with which the event
 * is affiliated. For an event without such an object, kind is the device, and num is 0.
 */
TRACE_EVENT(glass_async,
	TP_PROTO(const char *dev, u8 event, enum glass_kind kind, u32 num),
	TP_ARGS(dev, event, kind, num),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, num)
		__field(u8, event)
		__field(u8, kind)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->num = num;
		__entry->event = event;
		__entry->kind = kind;
	),
	TP_printk("dev=%s event=%s kind=%s num=%u",
		  __get_str(dev),
		  __print_symbolic(__entry->event, GLASS_SYMBOLS(GLASS_EVENTS)),
		  __print_symbolic(__entry->kind, GLASS_SYMBOLS(GLASS_KINDS)),
		  __entry->num)
);

/* A port's state, LID or subnet manager has changed. from == to: the state is the same. */
TRACE_EVENT(glass_port_state,
	TP_PROTO(const char *dev, u32 port, u8 from, u8 to, u16 lid, u16 sm_lid),
	TP_ARGS(dev, port, from, to, lid, sm_lid),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, port)
		__field(u16, lid)
		__field(u16, sm_lid)
		__field(u8, from)
		__field(u8, to)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->port = port;
		__entry->lid = lid;
		__entry->sm_lid = sm_lid;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("dev=%s port=%u from=%s to=%s lid=%u sm_lid=%u",
		  __get_str(dev), __entry->port,
		  __print_symbolic(__entry->from, GLASS_SYMBOLS(GLASS_PORT_STATES)),
		  __print_symbolic(__entry->to, GLASS_SYMBOLS(GLASS_PORT_STATES)),
		  __entry->lid, __entry->sm_lid)
);

#endif

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_event

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_event
#include <trace/define_trace.h>
