/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace events: completions. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_CQE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_CQE_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"
#include "proto/qp.h"

/* The driver puts a completion into a CQ. */
TRACE_EVENT(glass_cqe,
	TP_PROTO(const char *dev, u32 cqn, u32 qpn, const struct glass_cqe *c),
	TP_ARGS(dev, cqn, qpn, c),
	TP_STRUCT__entry(
		glass_string_name(dev, dev)
		__field(u32, cqn)
		__field(u64, wr_id)
		__field(u64, flow)
		__field(u32, qpn)
		__field(u32, len)
		__field(u8, status)
		__field(u8, op)
		__field(u8, solicited)
		__field(u8, cause)
		__field(u8, syndrome)
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		__entry->cqn = cqn;
		__entry->wr_id = c->wr_id;
		__entry->flow = c->flow;
		__entry->qpn = qpn;
		__entry->len = c->byte_len;
		__entry->status = c->status;
		__entry->op = c->op;
		__entry->solicited = c->solicited;
		__entry->cause = c->cause;
		__entry->syndrome = c->syndrome;
	),
	TP_printk("dev=%s cqn=%u qpn=0x%x wr_id=0x%llx status=%s op=%s len=%u solicited=%u cause=%s syndrome=0x%x flow=0x%llx",
		  __get_str(dev), __entry->cqn, __entry->qpn, __entry->wr_id,
		  __print_symbolic(__entry->status, GLASS_SYMBOLS(GLASS_WC_STATUSES)),
		  __print_symbolic(__entry->op, GLASS_SYMBOLS(GLASS_WC_OPS)),
		  __entry->len, __entry->solicited,
		  __print_symbolic(__entry->cause, GLASS_SYMBOLS(GLASS_CAUSES)),
		  __entry->syndrome, __entry->flow)
);

/*
 * A kernel consumer takes a completion out of its CQ. A program polls without the driver, so there
 * is no such event for it.
 */
TRACE_EVENT(glass_poll,
	TP_PROTO(const char *dev, u32 cqn, u32 qpn, u64 wr_id, u8 status, u8 op, u64 flow),
	TP_ARGS(dev, cqn, qpn, wr_id, status, op, flow),
	TP_STRUCT__entry(
		glass_string_name(dev, dev)
		__field(u32, cqn)
		__field(u64, wr_id)
		__field(u64, flow)
		__field(u32, qpn)
		__field(u8, status)
		__field(u8, op)
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		__entry->cqn = cqn;
		__entry->wr_id = wr_id;
		__entry->flow = flow;
		__entry->qpn = qpn;
		__entry->status = status;
		__entry->op = op;
	),
	TP_printk("dev=%s cqn=%u qpn=0x%x wr_id=0x%llx status=%s op=%s flow=0x%llx",
		  __get_str(dev), __entry->cqn, __entry->qpn, __entry->wr_id,
		  __print_symbolic(__entry->status, GLASS_SYMBOLS(GLASS_WC_STATUSES)),
		  __print_symbolic(__entry->op, GLASS_SYMBOLS(GLASS_WC_OPS)), __entry->flow)
);

#endif

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_cqe

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_cqe
#include <trace/define_trace.h>
