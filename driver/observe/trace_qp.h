/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace events: queue pairs. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_QP_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_QP_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/words.h"

/* A QP has changed its state. */
TRACE_EVENT(glass_qp_state,
	TP_PROTO(const char *dev, u32 qpn, u8 from, u8 to, u8 cause),
	TP_ARGS(dev, qpn, from, to, cause),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, qpn)
		__field(u8, from)
		__field(u8, to)
		__field(u8, cause)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->qpn = qpn;
		__entry->from = from;
		__entry->to = to;
		__entry->cause = cause;
	),
	TP_printk("dev=%s qpn=0x%x from=%s to=%s cause=%s",
		  __get_str(dev), __entry->qpn,
		  __print_symbolic(__entry->from, GLASS_SYMBOLS(GLASS_QP_STATES)),
		  __print_symbolic(__entry->to, GLASS_SYMBOLS(GLASS_QP_STATES)),
		  __print_symbolic(__entry->cause, GLASS_SYMBOLS(GLASS_CAUSES)))
);

/*
 * The requester goes back to psn, the oldest PSN that is not acknowledged, and sends again from
 * there. wr_id: the work request of that PSN. round: how often the requester has gone back since
 * the peer last acknowledged a PSN, this time included. left: number of retries that remain. If
 * `why` is rnr, a `left` of 7 means no limit.
 */
TRACE_EVENT(glass_qp_retry,
	TP_PROTO(const char *dev, u32 qpn, u8 why, u32 psn, u32 round, u32 left, u64 wr_id,
		 u64 flow),
	TP_ARGS(dev, qpn, why, psn, round, left, wr_id, flow),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(u64, flow)
		__field(u32, psn)
		__field(u32, round)
		__field(u32, left)
		__field(u8, why)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->qpn = qpn;
		__entry->wr_id = wr_id;
		__entry->flow = flow;
		__entry->psn = psn;
		__entry->round = round;
		__entry->left = left;
		__entry->why = why;
	),
	TP_printk("dev=%s qpn=0x%x why=%s psn=%u round=%u left=%u wr_id=0x%llx flow=0x%llx",
		  __get_str(dev), __entry->qpn,
		  __print_symbolic(__entry->why, GLASS_SYMBOLS(GLASS_RETRY_WHYS)),
		  __entry->psn, __entry->round, __entry->left, __entry->wr_id, __entry->flow)
);

/*
 * The responder is going to send an RNR NAK (dir tx), or the requester has received one (dir rx).
 * psn: the PSN that the RNR NAK refuses. wait_ns: the time that the requester waits; with dir tx,
 * the shortest time that it must wait. round, left: as in glass_qp_retry; with dir tx, both are 0.
 */
TRACE_EVENT(glass_rnr,
	TP_PROTO(const char *dev, u32 qpn, u8 dir, u32 psn, u64 wait_ns, u32 round, u32 left,
		 u64 flow),
	TP_ARGS(dev, qpn, dir, psn, wait_ns, round, left, flow),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, qpn)
		__field(u64, wait_ns)
		__field(u64, flow)
		__field(u32, psn)
		__field(u32, round)
		__field(u32, left)
		__field(u8, dir)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->qpn = qpn;
		__entry->wait_ns = wait_ns;
		__entry->flow = flow;
		__entry->psn = psn;
		__entry->round = round;
		__entry->left = left;
		__entry->dir = dir;
	),
	TP_printk("dev=%s qpn=0x%x dir=%s psn=%u wait_ns=%llu round=%u left=%u flow=0x%llx",
		  __get_str(dev), __entry->qpn,
		  __print_symbolic(__entry->dir, GLASS_SYMBOLS(GLASS_DIRS)),
		  __entry->psn, __entry->wait_ns, __entry->round, __entry->left, __entry->flow)
);

/*
 * A turn of a QP has ended: a bounded piece of the QP's work (engine/engine.h). owner: the process
 * that created the QP; 0: the kernel. lane: the CPU whose lane (engine/lane.h) ran the QP; -1: a
 * doorbell ran the QP. sent: number of packets plus number of KiB of their payload. wrs: number of
 * work requests that were fetched or flushed.
 */
TRACE_EVENT(glass_turn,
	TP_PROTO(const char *dev, u32 qpn, u32 owner, int lane, u32 sent, u32 wrs),
	TP_ARGS(dev, qpn, owner, lane, sent, wrs),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, qpn)
		__field(u32, owner)
		__field(s32, lane)
		__field(u32, sent)
		__field(u32, wrs)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->qpn = qpn;
		__entry->owner = owner;
		__entry->lane = lane;
		__entry->sent = sent;
		__entry->wrs = wrs;
	),
	TP_printk("dev=%s qpn=0x%x owner=%u lane=%d sent=%u wrs=%u", __get_str(dev), __entry->qpn,
		  __entry->owner, __entry->lane, __entry->sent, __entry->wrs)
);

/*
 * A verb is destroying or resetting a QP that still has to send answers or multicast copies.
 * Another context runs the QP, or will run it, to send them. wait_ms: the longest time that the
 * verb waits for this context. 0: the verb does not wait, because the process was killed, or
 * because the deadline has passed that the QP shares with other QPs of its device, XRC domain or
 * user context.
 */
TRACE_EVENT(glass_qp_settle,
	TP_PROTO(const char *dev, u32 qpn, u32 wait_ms),
	TP_ARGS(dev, qpn, wait_ms),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, qpn)
		__field(u32, wait_ms)
	),
	TP_fast_assign(
		glass_assign_str(dev, dev);
		__entry->qpn = qpn;
		__entry->wait_ms = wait_ms;
	),
	TP_printk("dev=%s qpn=0x%x wait_ms=%u", __get_str(dev), __entry->qpn, __entry->wait_ms)
);

#endif

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_qp

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_qp
#include <trace/define_trace.h>
