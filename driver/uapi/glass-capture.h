/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The output and the commands of glassN/capture and glassN/flight in debugfs.
 *
 * An open file of glassN/capture is one capture session. A program configures it
 * by writing lines to it, one command each:
 *
 *   port N             records only packets at that port; default: all ports of the
 *                      device
 *   snap BYTES         records at most this number of bytes of each packet. 0, which
 *                      is the default, stands for all bytes
 *   ring BYTES         sets the size of the ring, which keeps records until they are
 *                      read: GLASS_CAP_RING_MIN to GLASS_CAP_RING_MAX, rounded up to
 *                      a power of two; default: GLASS_CAP_RING
 *   match KEY=VALUE... adds a match line, which holds for a packet if all its pairs
 *                      hold. A session has at most GLASS_CAP_MATCHES match lines. If
 *                      it has any, it records only packets for which at least one
 *                      holds. The keys are GLASS_MATCH_KEYS of glass-vocab.h. A value
 *                      is a number or a range LOW..HIGH. The values of op, dir,
 *                      qptype and reason are one or more words, separated by commas.
 *                      The value of comm is a name, in which * and ? are wildcards
 *                      and %XX is the byte 0xXX.
 *   start              begins the session
 *   stop               ends the session: read() returns the remaining records, then a
 *                      record of kind END, then the end of the file
 *
 * After `start`, a further port, snap, ring, match or start fails with -EBUSY. A start
 * also fails with -EBUSY while 16 sessions run, counted over all devices.
 *
 * A session whose file is opened only for reading begins at once, with the defaults:
 * all packets of all ports. A session also ends when its file is closed or its device
 * is unplugged.
 *
 * A wrong command, and a stop before the start, fail with -EINVAL. A write may have
 * several lines. The driver executes them in order, up to the first one that fails.
 *
 * read() returns whole records, as many as are available and fit. It waits for the
 * first one (poll() and O_NONBLOCK work). With a buffer of less than
 * GLASS_CAP_RECORD_MAX bytes, read() fails with -EINVAL. A slow reader never delays a
 * packet, but loses records: each record has the number of records lost before it.
 *
 * fabric/capture takes the same commands, with two differences. A session there records
 * the packets at ports of switches and passive adapters (those without a device), both
 * where they arrive and where they leave. A session there also takes one more command,
 * before `start`:
 *
 *   node NAME          records only packets at ports of that node; default: all
 *                      switches and passive adapters. Fails with -ENOENT if there is no
 *                      such node, and with -EINVAL if it is an adapter with a device
 *
 * The session ends when that node is removed. Without `node`, the default of `snap` is
 * GLASS_CAP_ALL_SNAP.
 *
 * glassN/flight is about the flight recorder, of which there is one for all devices.
 * The first read() of an open file copies the recorder's packets of this device. read()
 * then returns records like those of a capture: one of kind STATE, the packets, and one
 * of kind END. Each write() has one command. A command applies to the recorder of all
 * devices:
 *
 *   rearm              makes the recorder record again; it stops at the next error of a QP
 *   run                makes the recorder record again; no error stops it. This is the state
 *                      after the load of the module
 *   freeze             stops the recorder, so that its packets remain readable
 *   off                turns the recorder off: it then costs nothing
 *   on                 turns the recorder on again
 *   hops               from now on, the recorder remembers the first 8 switches and
 *                      passive adapters on each packet's way; each packet then costs
 *                      more time
 *   nohops             ends the effect of `hops`
 *
 * All values are in the byte order of the host.
 */
#ifndef GLASS_UAPI_CAPTURE_H
#define GLASS_UAPI_CAPTURE_H

#include <linux/types.h>

#define GLASS_CAP_VERSION 1

#define GLASS_CAP_RING (4 << 20) /* bytes */
#define GLASS_CAP_RING_MIN (64 << 10)
#define GLASS_CAP_RING_MAX (64 << 20)
#define GLASS_CAP_ALL_SNAP 256 /* default of `snap` for a session on all nodes */
#define GLASS_CAP_MATCHES 16 /* maximum number of match lines of a session */
#define GLASS_CAP_RECORD_MAX 8192 /* maximum bytes of a record with its data */

/* glass_cap_record.kind */
enum {
	GLASS_CAP_PACKET = 1,
	GLASS_CAP_END = 2, /* the last record; in a session, its `drops` counts all lost records */
	/* the first record of glassN/flight: a struct glass_cap_state follows */
	GLASS_CAP_STATE = 3,
	/* a line was written to glassN/bookmark: its text follows, cap_len bytes without a NUL */
	GLASS_CAP_MARK = 4,
};

/* glass_cap_record.flags */
#define GLASS_CAP_HAS_QP 0x1 /* qpn and qptype are valid: they describe the QP at this end */
/* pid and comm are valid: they name the process that created this QP; pid 0 is the kernel */
#define GLASS_CAP_HAS_OWNER 0x2
#define GLASS_CAP_HAS_WR 0x4 /* flow and wr_id are valid */
#define GLASS_CAP_RAW 0x8 /* the packet came in through glassN/raw */
#define GLASS_CAP_BAD 0x10 /* the packet could not be decoded: its bytes are as they came in */
/*
 * Only from the flight recorder: the packet was sent in a train (several packets that the engine
 * handles as one). The recorder has only the first bytes of payload of the train.
 */
#define GLASS_CAP_TRAIN 0x20
/* second record of an arrived MAD: says that an agent has discarded the MAD */
#define GLASS_CAP_AGENT 0x40
/*
 * The packet was at a port of the switch or passive adapter `node`: it arrived there, or left. If
 * such a record comes from the flight recorder, time_ns is the time when the packet was sent, and
 * `reason` is 0.
 */
#define GLASS_CAP_HOP 0x80
/*
 * The packet is one of an Ethernet port (RoCEv2): its bytes are those from the IP header to the
 * ICRC, in place of those from the LRH to the VCRC. The kernel's IP writes the Ethernet header
 * later, or has taken it off.
 */
#define GLASS_CAP_ETHERNET 0x100

#define GLASS_CAP_COMM 16
#define GLASS_CAP_RULE 32
#define GLASS_CAP_NODE 32

/*
 * Precedes the bytes of each packet, and the data of other kinds. New fields are added at the end
 * of this structure. So a reader must find the bytes at the offset `header` of the record.
 */
struct glass_cap_record {
	__u32 len; /* bytes of the whole record, with packet or data, and padding */
	__u16 header; /* bytes of this structure */
	__u8 version; /* GLASS_CAP_VERSION */
	__u8 kind; /* GLASS_CAP_PACKET, _END, _STATE or _MARK */
	__u64 time_ns; /* CLOCK_REALTIME */
	__u64 drops; /* records that the session has lost for lack of room; flight recorder: 0 */
	__u64 flow; /* id of the work request that the packet belongs to, as in trace events */
	__u64 wr_id; /* wr_id of this work request, chosen by the program */
	__u32 orig_len; /* bytes of the packet on the wire, LRH to VCRC (see GLASS_CAP_ETHERNET) */
	__u32 cap_len; /* bytes of packet or data in this record, without padding */
	__u32 qpn;
	__s32 pid;
	__u32 flags; /* GLASS_CAP_HAS_QP ... */
	__u8 port;
	__u8 dir; /* enum glass_dir */
	__u8 reason; /* why the packet was dropped, enum glass_drop; 0: it was not dropped */
	__u8 qptype; /* enum glass_qp_type */
	char comm[GLASS_CAP_COMM]; /* ends in a NUL */
	/* the injection rule that hit the packet; empty: none. Flight recorder: always empty */
	char rule[GLASS_CAP_RULE];
	/*
	 * With GLASS_CAP_HOP: the name of the node. In the flight recorder: the name of the node
	 * that has its number now, or #NUMBER if there is none.
	 */
	char node[GLASS_CAP_NODE];
};

/* States of the flight recorder */
enum {
	GLASS_FLIGHT_OFF = 0,
	GLASS_FLIGHT_ARMED = 1,
	GLASS_FLIGHT_FROZEN = 2,
	GLASS_FLIGHT_RUNNING = 3,
};

/*
 * Follows a record of kind STATE: the recorder's state, and why the recorder is frozen. While it is
 * not frozen, all fields except `state` are 0.
 */
struct glass_cap_state {
	__u32 state; /* GLASS_FLIGHT_* */
	__u32 qpn; /* the QP whose error froze the recorder; valid if by_hand is 0 */
	__u64 frozen_ns; /* time of the error or of the command, CLOCK_REALTIME */
	/* wr_id of the completion whose error froze the recorder; 0: there was no completion */
	__u64 wr_id;
	/*
	 * enum glass_wc_status of that completion. GLASS_WC_SUCCESS: the recorder was frozen by the
	 * event `event`, or by the command freeze (by_hand is 1), not by a completion.
	 */
	__u8 status;
	__u8 event; /* enum glass_event; valid if status is GLASS_WC_SUCCESS and by_hand is 0 */
	__u8 by_hand; /* 1: the command freeze, not an error, froze the recorder */
	__u8 reserved[5];
	/* device of the QP; with by_hand 1: the device to whose file `freeze` was written */
	char dev[64];
};

#endif
