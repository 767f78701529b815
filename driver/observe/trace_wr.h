/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace events: the life of a send work request in the driver. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_WR_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_WR_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"

/* The engine has fetched a work request from the send ring. None of its packets was sent yet. */
TRACE_EVENT(glass_wr_post,
	TP_PROTO(const char *dev, u32 qpn, u64 wr_id, u8 op, u32 len, u32 num_sge, u32 flags,
		 u64 flow),
	TP_ARGS(dev, qpn, wr_id, op, len, num_sge, flags, flow),
	TP_STRUCT__entry(
		glass_string_name(dev, dev)
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(u64, flow)
		__field(u32, len)
		__field(u32, num_sge)
		__field(u32, flags)
		__field(u8, op)
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		__entry->wr_id = wr_id;
		__entry->flow = flow;
		__entry->qpn = qpn;
		__entry->len = len;
		__entry->num_sge = num_sge;
		__entry->flags = flags;
		__entry->op = op;
	),
	TP_printk("dev=%s qpn=0x%x wr_id=0x%llx op=%s len=%u num_sge=%u flags=%s flow=0x%llx",
		  __get_str(dev), __entry->qpn, __entry->wr_id,
		  __print_symbolic(__entry->op, GLASS_SYMBOLS(GLASS_WR_OPS)),
		  __entry->len, __entry->num_sge,
		  __print_flags(__entry->flags, "|", GLASS_WQE_FLAGS),
		  __entry->flow)
);

/*
 * The engine is about to send the first packet of a work request, for the first time (tries == 1)
 * or again. The event also comes when the protocol core (proto/) has tried to carry out a local
 * operation (LOCAL_INV, BIND_MW, REG_MR). A local operation has no packets (npsn == 0).
 */
TRACE_EVENT(glass_wr_start,
	TP_PROTO(const char *dev, u32 qpn, u64 wr_id, u8 op, u32 len, u32 psn, u32 npsn,
		 u32 tries, u64 flow),
	TP_ARGS(dev, qpn, wr_id, op, len, psn, npsn, tries, flow),
	TP_STRUCT__entry(
		glass_string_name(dev, dev)
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(u64, flow)
		__field(u32, len)
		__field(u32, psn)
		__field(u32, npsn)
		__field(u32, tries)
		__field(u8, op)
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		__entry->wr_id = wr_id;
		__entry->flow = flow;
		__entry->qpn = qpn;
		__entry->len = len;
		__entry->psn = psn;
		__entry->npsn = npsn;
		__entry->tries = tries;
		__entry->op = op;
	),
	TP_printk("dev=%s qpn=0x%x wr_id=0x%llx op=%s len=%u psn=%u npsn=%u tries=%u flow=0x%llx",
		  __get_str(dev), __entry->qpn, __entry->wr_id,
		  __print_symbolic(__entry->op, GLASS_SYMBOLS(GLASS_WR_OPS)),
		  __entry->len, __entry->psn, __entry->npsn, __entry->tries, __entry->flow)
);

/* A send work request is done, with or without a completion. */
TRACE_EVENT(glass_wr_complete,
	TP_PROTO(const char *dev, u32 qpn, u64 wr_id, u8 op, u32 len, u32 psn, u8 status,
		 u64 flow),
	TP_ARGS(dev, qpn, wr_id, op, len, psn, status, flow),
	TP_STRUCT__entry(
		glass_string_name(dev, dev)
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(u64, flow)
		__field(u32, len)
		__field(u32, psn)
		__field(u8, op)
		__field(u8, status)
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		__entry->wr_id = wr_id;
		__entry->flow = flow;
		__entry->qpn = qpn;
		__entry->len = len;
		__entry->psn = psn;
		__entry->op = op;
		__entry->status = status;
	),
	TP_printk("dev=%s qpn=0x%x wr_id=0x%llx op=%s len=%u psn=%u status=%s flow=0x%llx",
		  __get_str(dev), __entry->qpn, __entry->wr_id,
		  __print_symbolic(__entry->op, GLASS_SYMBOLS(GLASS_WR_OPS)),
		  __entry->len, __entry->psn,
		  __print_symbolic(__entry->status, GLASS_SYMBOLS(GLASS_WC_STATUSES)),
		  __entry->flow)
);

#endif

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_wr

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_wr
#include <trace/define_trace.h>
