/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Trace events: a user's bookmark, a firing of an injection rule, and a request that is refused
 * because it exceeds a share.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_MARK_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_MARK_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"

/* A user wrote the text to glassN/bookmark. */
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

/*
 * An injection rule fired. seq: the number of the firing in inject/journal. kind, num:
 * - the QP of the packet or completion, if the rule is on packets or completions of a device; num
 *   0: the packet has no QP
 * - the port, if the rule is on packets at ports of switches; then `dev` is "fabric"
 * - the device, if the rule is on verbs
 * - else the object, port or device that the rule names
 */
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

/*
 * The driver refuses a request of a program, because the request would exceed the user's share, or
 * the share of all users together (model/share.h). used: amount in use. more: amount requested.
 */
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

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_mark

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_mark
#include <trace/define_trace.h>
