/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace events: completions. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_CQE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_CQE_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"

/* A completion goes into its CQ. */
TRACE_EVENT(glass_cqe,
	TP_PROTO(const char *dev, u32 cqn, u32 qpn, u64 wr_id, u8 status, u8 op, u32 len,
		 bool solicited, u8 cause, u8 syndrome),
	TP_ARGS(dev, cqn, qpn, wr_id, status, op, len, solicited, cause, syndrome),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u64, wr_id)
		__field(u32, cqn)
		__field(u32, qpn)
		__field(u32, len)
		__field(u8, status)
		__field(u8, op)
		__field(u8, solicited)
		__field(u8, cause)
		__field(u8, syndrome)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->wr_id = wr_id;
		__entry->cqn = cqn;
		__entry->qpn = qpn;
		__entry->len = len;
		__entry->status = status;
		__entry->op = op;
		__entry->solicited = solicited;
		__entry->cause = cause;
		__entry->syndrome = syndrome;
	),
	TP_printk("dev=%s cqn=%u qpn=0x%x wr_id=0x%llx status=%s op=%s len=%u solicited=%u cause=%s syndrome=0x%x",
		  __get_str(dev), __entry->cqn, __entry->qpn, __entry->wr_id,
		  __print_symbolic(__entry->status, GLASS_SYMBOLS(GLASS_WC_STATUSES)),
		  __print_symbolic(__entry->op, GLASS_SYMBOLS(GLASS_WC_OPS)),
		  __entry->len, __entry->solicited,
		  __print_symbolic(__entry->cause, GLASS_SYMBOLS(GLASS_CAUSES)),
		  __entry->syndrome)
);

#endif

/* several headers share the system: each needs a name of its own for what is made */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_cqe

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_cqe
#include <trace/define_trace.h>
