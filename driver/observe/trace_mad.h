/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace events: management datagrams. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_MAD_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_MAD_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"

/* A MAD leaves (dir tx) or reaches (dir rx) a port. All values in host order. */
TRACE_EVENT(glass_mad,
	TP_PROTO(const char *dev, u32 port, u8 dir, u8 mgmt_class, u8 method, u16 attr,
		 u32 attr_mod, u64 tid, u16 status),
	TP_ARGS(dev, port, dir, mgmt_class, method, attr, attr_mod, tid, status),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u64, tid)
		__field(u32, port)
		__field(u32, attr_mod)
		__field(u16, attr)
		__field(u16, status)
		__field(u8, dir)
		__field(u8, mgmt_class)
		__field(u8, method)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->tid = tid;
		__entry->port = port;
		__entry->attr_mod = attr_mod;
		__entry->attr = attr;
		__entry->status = status;
		__entry->dir = dir;
		__entry->mgmt_class = mgmt_class;
		__entry->method = method;
	),
	TP_printk("dev=%s port=%u dir=%s class=%s method=%s attr=0x%x attr_mod=0x%x tid=0x%llx status=0x%x",
		  __get_str(dev), __entry->port,
		  __print_symbolic(__entry->dir, GLASS_SYMBOLS(GLASS_DIRS)),
		  __print_symbolic(__entry->mgmt_class, GLASS_SYMBOLS(GLASS_MAD_CLASSES)),
		  __print_symbolic(__entry->method, GLASS_SYMBOLS(GLASS_MAD_METHODS)),
		  __entry->attr, __entry->attr_mod, __entry->tid, __entry->status)
);

#endif

/* several headers share the system: each needs a name of its own for what is made */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_mad

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_mad
#include <trace/define_trace.h>
