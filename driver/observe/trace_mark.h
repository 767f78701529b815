/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Trace events: a user's bookmark, a firing of an injection rule, a refusal beyond a user's share.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_MARK_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_MARK_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"

/* A user wrote a line to glassN/bookmark. */
TRACE_EVENT(glass_bookmark,
	TP_PROTO(const char *dev, const char *text),
	TP_ARGS(dev, text),
	TP_STRUCT__entry(
		__string(dev, dev)
		__string(text, text)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		glass_assign_str(text, text);
	),
	TP_printk("dev=%s text=%s", __get_str(dev), __get_str(text))
);

/* An injection rule fired on an object; seq: the number of the firing in inject/journal. */
TRACE_EVENT(glass_inject,
	TP_PROTO(const char *dev, const char *rule, u8 action, enum glass_kind kind, u32 num,
		 u64 seq),
	TP_ARGS(dev, rule, action, kind, num, seq),
	TP_STRUCT__entry(
		__string(dev, dev)
		__string(rule, rule)
		__field(u64, seq)
		__field(u32, num)
		__field(u8, action)
		__field(u8, kind)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		glass_assign_str(rule, rule);
		__entry->seq = seq;
		__entry->num = num;
		__entry->action = action;
		__entry->kind = kind;
	),
	TP_printk("dev=%s rule=%s action=%s kind=%s num=%u seq=%llu",
		  __get_str(dev), __get_str(rule),
		  __print_symbolic(__entry->action, GLASS_SYMBOLS(GLASS_ACTIONS)),
		  __print_symbolic(__entry->kind, GLASS_SYMBOLS(GLASS_KINDS)),
		  __entry->num, __entry->seq)
);

/* A verb fails because it asks for more than what is left of its user's share (model/share.h). */
TRACE_EVENT(glass_share,
	TP_PROTO(const char *dev, u32 uid, u8 what, u64 used, u64 more, u64 limit),
	TP_ARGS(dev, uid, what, used, more, limit),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, uid)
		__field(u64, used)
		__field(u64, more)
		__field(u64, limit)
		__field(u8, what)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->uid = uid;
		__entry->what = what;
		__entry->used = used;
		__entry->more = more;
		__entry->limit = limit;
	),
	TP_printk("dev=%s what=%s uid=%u used=%llu more=%llu limit=%llu",
		  __get_str(dev),
		  __print_symbolic(__entry->what, GLASS_SYMBOLS(GLASS_SHARES)),
		  __entry->uid, __entry->used, __entry->more, __entry->limit)
);

#endif

/* other headers have the same TRACE_SYSTEM: name the variable that this one generates */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_mark

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_mark
#include <trace/define_trace.h>
