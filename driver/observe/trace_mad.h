/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace event: management datagrams. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_MAD_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_MAD_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"
#include "wire/mad.h"

/*
 * A MAD leaves (dir tx) or reaches (dir rx) a port. mad: the first 24 bytes of the MAD, in network
 * order. The fields of the event are in host order.
 */
TRACE_EVENT(glass_mad,
	TP_PROTO(const char *dev, u32 port, u8 dir, const struct glass_pkt *pkt, const u8 *mad),
	TP_ARGS(dev, port, dir, pkt, mad),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, port)
		__field(u64, tid)
		__field(u64, flow)
		__field(u32, attr_mod)
		__field(u16, attr)
		__field(u16, status)
		__field(u16, slid)
		__field(u16, dlid)
		__field(u8, dir)
		__field(u8, mgmt_class)
		__field(u8, method)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->port = port;
		__entry->tid = get_unaligned_be64(mad + GLASS_MAD_TID);
		__entry->flow = pkt->flow;
		__entry->attr_mod = get_unaligned_be32(mad + GLASS_MAD_ATTR_MOD);
		__entry->attr = get_unaligned_be16(mad + GLASS_MAD_ATTR);
		__entry->status = get_unaligned_be16(mad + GLASS_MAD_STATUS);
		__entry->slid = pkt->slid;
		__entry->dlid = pkt->dlid;
		__entry->dir = dir;
		__entry->mgmt_class = mad[GLASS_MAD_CLASS];
		__entry->method = mad[GLASS_MAD_METHOD];
	),
	TP_printk("dev=%s port=%u dir=%s mgmt_class=%s method=%s attr=0x%x attr_mod=0x%x tid=0x%llx status=0x%x slid=%u dlid=%u flow=0x%llx",
		  __get_str(dev), __entry->port,
		  __print_symbolic(__entry->dir, GLASS_SYMBOLS(GLASS_DIRS)),
		  __print_symbolic(__entry->mgmt_class, GLASS_SYMBOLS(GLASS_MAD_CLASSES)),
		  __print_symbolic(__entry->method, GLASS_SYMBOLS(GLASS_MAD_METHODS)),
		  __entry->attr, __entry->attr_mod, __entry->tid, __entry->status,
		  __entry->slid, __entry->dlid, __entry->flow)
);

#endif

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_mad

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_mad
#include <trace/define_trace.h>
