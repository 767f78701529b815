/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace events: the driver enters a verb (glass_api_enter) and returns from it (glass_api_exit). */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_API_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_API_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"

/*
 * args: the verb's arguments as text, "key=value key=value". glass_trace_enter()
 * (observe/observe.h) formats this text only while the event is on.
 */
TRACE_EVENT(glass_api_enter,
	TP_PROTO(const char *dev, enum glass_verb verb, enum glass_kind kind, u32 num,
		 const char *args),
	TP_ARGS(dev, verb, kind, num, args),
	TP_STRUCT__entry(
		glass_string_name(dev, dev)
		__field(u32, num)
		__string(args, args)
		__field(u8, verb)
		__field(u8, kind)
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		__entry->verb = verb;
		__entry->kind = kind;
		__entry->num = num;
		glass_assign_str(args, args);
	),
	TP_printk("dev=%s verb=%s kind=%s num=%u %s",
		  __get_str(dev),
		  __print_symbolic(__entry->verb, GLASS_SYMBOLS(GLASS_VERBS)),
		  __print_symbolic(__entry->kind, GLASS_SYMBOLS(GLASS_KINDS)),
		  __entry->num, __get_str(args))
);

TRACE_EVENT(glass_api_exit,
	TP_PROTO(const char *dev, enum glass_verb verb, enum glass_kind kind, u32 num, long ret),
	TP_ARGS(dev, verb, kind, num, ret),
	TP_STRUCT__entry(
		glass_string_name(dev, dev)
		__field(u32, num)
		__field(s32, ret)
		__field(u8, verb)
		__field(u8, kind)
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		__entry->verb = verb;
		__entry->kind = kind;
		__entry->num = num;
		__entry->ret = ret;
	),
	TP_printk("dev=%s verb=%s kind=%s num=%u ret=%d",
		  __get_str(dev),
		  __print_symbolic(__entry->verb, GLASS_SYMBOLS(GLASS_VERBS)),
		  __print_symbolic(__entry->kind, GLASS_SYMBOLS(GLASS_KINDS)),
		  __entry->num, __entry->ret)
);

#endif

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_api

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_api
#include <trace/define_trace.h>
