/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Trace events: packets that a port sends or receives, and dropped packets. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM glass

#if !defined(GLASS_OBSERVE_TRACE_PACKET_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLASS_OBSERVE_TRACE_PACKET_H

#include <linux/tracepoint.h>

#include "compat/trace.h"
#include "observe/hops.h"
#include "observe/words.h"
#include "wire/opcode.h"

#ifndef GLASS_OBSERVE_PACKET_COMMON
#define GLASS_OBSERVE_PACKET_COMMON

/* The fields that all events of this file share. A field is 0 if the packet does not have it. */
#define GLASS_PKT_FIELDS                                                                           \
	glass_string_name(dev, dev)                                                        \
	__field(u32, port)                                                                         \
	__field(u64, flow)                                                                         \
	__field(u64, va)                                                                           \
	__field(u32, dqpn)                                                                         \
	__field(u32, sqpn)                                                                         \
	__field(u32, qkey)                                                                         \
	__field(u32, psn)                                                                          \
	__field(u32, msn)                                                                          \
	__field(u32, rkey)                                                                         \
	__field(u32, dma_len)                                                                      \
	__field(u32, imm)                                                                          \
	__field(u32, inv_key)                                                                      \
	__field(u32, xrc_srqn)                                                                     \
	__field(u32, len)                                                                          \
	__field(u16, slid)                                                                         \
	__field(u16, dlid)                                                                         \
	__field(u16, pkey)                                                                         \
	__field(u8, opcode)                                                                        \
	__field(u8, sl)                                                                            \
	__field(u8, vl)                                                                            \
	__field(u8, grh)                                                                           \
	__field(u8, ackreq)                                                                        \
	__field(u8, se)                                                                            \
	__field(u8, syndrome)                                                                      \
	__field(u8, feth)

/*
 * Headers that few packets have. For most packets, a single test shows that none of these headers
 * is present. This saves a test for each field.
 */
#define GLASS_PKT_RARE                                                                             \
	(GLASS_HDR_DETH | GLASS_HDR_IMM | GLASS_HDR_IETH | GLASS_HDR_XRCETH | GLASS_HDR_FETH)

#define GLASS_PKT_ASSIGN                                                                           \
	do {                                                                                       \
		u16 hdrs_ = glass_opcodes[pkt->opcode].hdrs;                                       \
		bool aeth_ = hdrs_ & GLASS_HDR_AETH;                                               \
		u16 slid_ = pkt->slid, dlid_ = pkt->dlid;                                          \
                                                                                                   \
		__entry->port = port;                                                              \
		__entry->flow = pkt->flow;                                                         \
		__entry->dqpn = pkt->dqpn;                                                         \
		__entry->psn = pkt->psn;                                                           \
		__entry->msn = aeth_ ? pkt->msn : 0;                                               \
		__entry->len = pkt->len;                                                           \
		__entry->slid = slid_;                                                             \
		__entry->dlid = dlid_;                                                             \
		__entry->pkey = pkt->pkey;                                                         \
		__entry->opcode = pkt->opcode;                                                     \
		__entry->sl = pkt->sl;                                                             \
		__entry->vl = pkt->vl;                                                             \
		__entry->grh = pkt->lnh == GLASS_LNH_GLOBAL;                                       \
		__entry->ackreq = pkt->ack_req;                                                    \
		__entry->se = pkt->se;                                                             \
		__entry->syndrome = aeth_ ? pkt->syndrome : 0;                                     \
		if (hdrs_ & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH)) {                              \
			__entry->va = pkt->va;                                                     \
			__entry->rkey = pkt->rkey;                                                 \
			__entry->dma_len = hdrs_ & GLASS_HDR_RETH ? pkt->dma_len : 0;              \
		} else {                                                                           \
			__entry->va = 0;                                                           \
			__entry->rkey = 0;                                                         \
			__entry->dma_len = 0;                                                      \
		}                                                                                  \
		if (unlikely(hdrs_ & GLASS_PKT_RARE)) {                                            \
			bool deth_ = hdrs_ & GLASS_HDR_DETH;                                       \
                                                                                                   \
			__entry->sqpn = deth_ ? pkt->sqpn : 0;                                     \
			__entry->qkey = deth_ ? pkt->qkey : 0;                                     \
			__entry->imm = hdrs_ & GLASS_HDR_IMM ? be32_to_cpu(pkt->imm) : 0;          \
			__entry->inv_key = hdrs_ & GLASS_HDR_IETH ? pkt->ieth : 0;                 \
			__entry->xrc_srqn = hdrs_ & GLASS_HDR_XRCETH ? pkt->xrc_srq : 0;           \
			__entry->feth = hdrs_ & GLASS_HDR_FETH ? pkt->feth : 0;                    \
		} else {                                                                           \
			__entry->sqpn = 0;                                                         \
			__entry->qkey = 0;                                                         \
			__entry->imm = 0;                                                          \
			__entry->inv_key = 0;                                                      \
			__entry->xrc_srqn = 0;                                                     \
			__entry->feth = 0;                                                         \
		}                                                                                  \
	} while (0)

#define GLASS_PKT_FMT                                                                              \
	"dev=%s port=%u opcode=%s_%s slid=%u dlid=%u sl=%u vl=%u grh=%u pkey=0x%x sqpn=0x%x "      \
	"dqpn=0x%x qkey=0x%x psn=%u ackreq=%u se=%u syndrome=0x%x msn=%u va=0x%llx rkey=0x%x "     \
	"dma_len=%u imm=0x%x inv_key=0x%x xrc_srqn=%u feth=0x%x len=%u flow=0x%llx"

#define GLASS_PKT_ARGS                                                                             \
	__get_str(dev), __entry->port,                                                             \
	__print_symbolic(__entry->opcode >> 5, GLASS_SYMBOLS(GLASS_TRANSPORTS)),                   \
	__print_symbolic(__entry->opcode & 0x1f, GLASS_SYMBOLS(GLASS_BTH_OPS)),                    \
	__entry->slid, __entry->dlid, __entry->sl, __entry->vl, __entry->grh, __entry->pkey,       \
	__entry->sqpn, __entry->dqpn, __entry->qkey, __entry->psn, __entry->ackreq, __entry->se,   \
	__entry->syndrome, __entry->msn, __entry->va, __entry->rkey, __entry->dma_len,             \
	__entry->imm, __entry->inv_key, __entry->xrc_srqn, __entry->feth, __entry->len,            \
	__entry->flow

/*
 * The GIDs of a packet with a GRH; zeros if it has none. At an Ethernet port they are the addresses
 * of IP. They are the last fields of each event.
 */
#define GLASS_PKT_GIDS                                                                             \
	__array(u8, sgid, 16)                                                                      \
	__array(u8, dgid, 16)

#define GLASS_PKT_ASSIGN_GIDS                                                                      \
	do {                                                                                       \
		if (unlikely(pkt->lnh == GLASS_LNH_GLOBAL)) {                                      \
			memcpy(__entry->sgid, pkt->grh.sgid, 16);                                  \
			memcpy(__entry->dgid, pkt->grh.dgid, 16);                                  \
		} else {                                                                           \
			memset(__entry->sgid, 0, 16);                                              \
			memset(__entry->dgid, 0, 16);                                              \
		}                                                                                  \
	} while (0)

#define GLASS_PKT_GIDS_FMT " sgid=%pI6c dgid=%pI6c"
#define GLASS_PKT_GIDS_ARGS __entry->sgid, __entry->dgid

#endif

DECLARE_EVENT_CLASS(glass_packet,
	TP_PROTO(const char *dev, u32 port, const struct glass_pkt *pkt),
	TP_ARGS(dev, port, pkt),
	TP_STRUCT__entry(GLASS_PKT_FIELDS GLASS_PKT_GIDS),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		GLASS_PKT_ASSIGN;
		GLASS_PKT_ASSIGN_GIDS;
	),
	TP_printk(GLASS_PKT_FMT GLASS_PKT_GIDS_FMT, GLASS_PKT_ARGS, GLASS_PKT_GIDS_ARGS)
);

/* A port is about to send a packet. An injection rule may still drop or delay the packet. */
DEFINE_EVENT(glass_packet, glass_pkt_tx,
	TP_PROTO(const char *dev, u32 port, const struct glass_pkt *pkt),
	TP_ARGS(dev, port, pkt)
);

/* A packet has arrived at a port. The port has not checked the packet's headers yet. */
DEFINE_EVENT(glass_packet, glass_pkt_rx,
	TP_PROTO(const char *dev, u32 port, const struct glass_pkt *pkt),
	TP_ARGS(dev, port, pkt)
);

/*
 * A packet was dropped. place: the place of the drop, enum glass_drop_place. The place decides
 * whether dev and port are the sender's or the receiver's (glass_drop_note(), observe/drops.h).
 */
TRACE_EVENT(glass_pkt_drop,
	TP_PROTO(const char *dev, u32 port, const struct glass_pkt *pkt, u8 reason, u8 place),
	TP_ARGS(dev, port, pkt, reason, place),
	TP_STRUCT__entry(
		GLASS_PKT_FIELDS
		__field(u8, reason)
		__field(u8, place)
		GLASS_PKT_GIDS
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		GLASS_PKT_ASSIGN;
		__entry->reason = reason;
		__entry->place = place;
		GLASS_PKT_ASSIGN_GIDS;
	),
	TP_printk(GLASS_PKT_FMT " reason=%s place=%s" GLASS_PKT_GIDS_FMT, GLASS_PKT_ARGS,
		  __print_symbolic(__entry->reason, GLASS_SYMBOLS(GLASS_DROP_REASONS)),
		  __print_symbolic(__entry->place, GLASS_SYMBOLS(GLASS_DROP_PLACES)),
		  GLASS_PKT_GIDS_ARGS)
);

/*
 * A packet passes a port of a switch or passive CA. dev and port: the node's name, and its port.
 * dir: GLASS_DIR_RX where the packet arrives, GLASS_DIR_TX where it leaves. reason: the drop reason
 * (enum glass_drop) if the node drops the packet there; else GLASS_DROP_NONE.
 */
TRACE_EVENT_FN(glass_hop,
	TP_PROTO(const char *dev, u32 port, const struct glass_pkt *pkt, u8 dir, u8 reason),
	TP_ARGS(dev, port, pkt, dir, reason),
	TP_STRUCT__entry(
		GLASS_PKT_FIELDS
		__field(u8, dir)
		__field(u8, reason)
		GLASS_PKT_GIDS
	),
	TP_fast_assign(
		glass_assign_name(dev, dev);
		GLASS_PKT_ASSIGN;
		__entry->dir = dir;
		__entry->reason = reason;
		GLASS_PKT_ASSIGN_GIDS;
	),
	TP_printk(GLASS_PKT_FMT " dir=%s reason=%s" GLASS_PKT_GIDS_FMT, GLASS_PKT_ARGS,
		  __print_symbolic(__entry->dir, GLASS_SYMBOLS(GLASS_DIRS)),
		  __print_symbolic(__entry->reason, GLASS_SYMBOLS(GLASS_DROP_REASONS)),
		  GLASS_PKT_GIDS_ARGS),
	glass_hops_get, glass_hops_put
);

#endif

/* names a variable that define_trace.h generates: each header needs a name of its own */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR glass_packet

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace_packet
#include <trace/define_trace.h>
