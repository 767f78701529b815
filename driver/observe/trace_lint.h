/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Trace event: a lint finding. The first 16 occurrences of a finding are traced. After that, an
 * occurrence is traced if its number is a power of two (glass_lint_tell_at()).
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_LINT_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_LINT_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/lint.h"
#include "observe/words.h"

TRACE_EVENT(glass_lint,
	TP_PROTO(const char *dev, const struct glass_finding *f),
	TP_ARGS(dev, f),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, num)
		__field(u64, id)
		__field(u64, count)
		__field(u64, seen)
		__field(u64, expected)
		__field(s32, pid)
		__string(comm, f->comm)
		__string(text, f->text)
		__field(u16, code)
		__field(u8, severity)
		__field(u8, kind)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->id = f->id;
		__entry->count = f->count;
		__entry->seen = f->seen;
		__entry->expected = f->expected;
		__entry->num = f->num;
		__entry->pid = f->pid;
		__entry->code = f->code;
		__entry->severity = glass_lint_code[f->code].severity;
		__entry->kind = f->kind;
		glass_assign_str(comm, f->comm);
		glass_assign_str(text, f->text);
	),
	TP_printk("dev=%s id=%llu code=GL%03u severity=%s kind=%s num=%u pid=%d comm=%s count=%llu seen=%llu expected=%llu text=%s",
		  __get_str(dev), __entry->id, __entry->code,
		  __print_symbolic(__entry->severity, GLASS_SYMBOLS(GLASS_LINT_SEVERITIES)),
		  __print_symbolic(__entry->kind, GLASS_SYMBOLS(GLASS_KINDS)),
		  __entry->num, __entry->pid, __get_str(comm), __entry->count, __entry->seen,
		  __entry->expected, __get_str(text))
);

#endif

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_lint

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_lint
#include <trace/define_trace.h>
