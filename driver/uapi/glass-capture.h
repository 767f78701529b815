/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The output and the commands of glassN/capture and glassN/flight in debugfs.
 *
 * An open file of glassN/capture is one capture session. A program configures it
 * by writing lines to it, one command each:
 *
 *   port N             only that port (default: all ports of the device)
 *   snap BYTES         at most so many bytes of each packet, 0 = all (default)
 *   ring BYTES         room for records that were not read yet, GLASS_CAP_RING_MIN
 *                      to GLASS_CAP_RING_MAX, made a power of two (default
 *                      GLASS_CAP_RING)
 *   match KEY=VALUE... only packets for which all pairs of a match line hold; up to
 *                      GLASS_CAP_MATCHES lines, of which one must hold. Keys: the
 *                      GLASS_MATCH_KEYS of the vocabulary. Values: a number or
 *                      LOW..HIGH; for op, dir, qptype and reason words joined by
 *                      commas; for comm a name with wildcards * and ?, %XX for a byte
 *   start              begins the session; from then on the commands above and start
 *                      fail with -EBUSY
 *   stop               ends the session: read() returns the remaining records, then a
 *                      record of kind END, then the end of the file
 *
 * A session whose file is opened only for reading begins at once, with the defaults:
 * all packets of all ports. It ends when the file is closed.
 *
 * A wrong command fails with -EINVAL. A write may have several lines; those before
 * the wrong one take effect.
 *
 * read() returns whole records, as many as are available and fit. It waits for the
 * first one (poll() and O_NONBLOCK work). With a buffer of less than
 * GLASS_CAP_RECORD_MAX bytes it fails with -EINVAL. A slow reader loses records, but
 * never delays a packet: each record has the number of records lost before it.
 *
 * read() of glassN/flight returns the records of the flight recorder in the same form,
 * from a record of kind STATE to one of kind END. Its commands:
 *
 *   rearm              makes the recorder record again, after an error or freeze
 *   freeze             stops the recorder, so that its packets remain readable
 *   off, on            turns the recorder of all devices off (no cost), or on
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
#define GLASS_CAP_MATCHES 16 /* most match lines of a session */
#define GLASS_CAP_RECORD_MAX 8192 /* longest record with its data, bytes */

/* glass_cap_record.kind */
enum {
	GLASS_CAP_PACKET = 1,
	GLASS_CAP_END = 2, /* the session's last record: `drops` is valid */
	GLASS_CAP_STATE = 3, /* the flight recorder's first: struct glass_cap_state follows */
	GLASS_CAP_MARK = 4, /* a line was written to glassN/bookmark: its text follows, cap_len bytes without a NUL */
};

/* glass_cap_record.flags */
#define GLASS_CAP_HAS_QP 0x1 /* qpn, qptype: the QP at this end */
#define GLASS_CAP_HAS_OWNER 0x2 /* pid, comm: the process that created that QP; pid 0 is the kernel */
#define GLASS_CAP_HAS_WR 0x4 /* flow, wr_id */
#define GLASS_CAP_RAW 0x8 /* came in through glassN/raw */
#define GLASS_CAP_BAD 0x10 /* could not be decoded: bytes as they came in */
#define GLASS_CAP_TRAIN 0x20 /* flight: sent in a train (several packets as one), payload cut */
#define GLASS_CAP_AGENT 0x40 /* second record of a MAD that arrived: an agent discarded it */

#define GLASS_CAP_COMM 16
#define GLASS_CAP_RULE 32

/*
 * Precedes the bytes of each packet, and the data of other kinds. New fields are
 * added at the end: a reader must take the bytes from offset `header` on.
 */
struct glass_cap_record {
	__u32 len; /* bytes of header, packet and padding: the next record follows */
	__u16 header; /* bytes of this structure */
	__u8 version; /* GLASS_CAP_VERSION */
	__u8 kind; /* GLASS_CAP_* */
	__u64 time_ns; /* CLOCK_REALTIME */
	__u64 drops; /* records lost so far, for lack of room */
	__u64 flow; /* id of the work request that the packet belongs to, as in trace events */
	__u64 wr_id; /* of that work request, chosen by the program */
	__u32 orig_len; /* bytes of the packet on the wire, LRH to VCRC */
	__u32 cap_len; /* how many bytes follow */
	__u32 qpn;
	__s32 pid;
	__u32 flags; /* GLASS_CAP_HAS_QP ... */
	__u8 port;
	__u8 dir; /* enum glass_dir */
	__u8 reason; /* enum glass_drop: why it was dropped; 0: it was not */
	__u8 qptype; /* enum glass_qp_type */
	char comm[GLASS_CAP_COMM]; /* of the owner; ends in a NUL */
	char rule[GLASS_CAP_RULE]; /* injection rule that hit the packet; empty: none */
};

/* States of the flight recorder */
enum {
	GLASS_FLIGHT_OFF = 0,
	GLASS_FLIGHT_ARMED = 1,
	GLASS_FLIGHT_FROZEN = 2,
};

/*
 * Follows a record of kind STATE: the recorder's state, and why it is frozen. All fields but
 * `state` are 0 while it is not frozen.
 */
struct glass_cap_state {
	__u32 state; /* GLASS_FLIGHT_* */
	__u32 qpn; /* of the QP whose error froze it */
	__u64 frozen_ns; /* CLOCK_REALTIME */
	__u64 wr_id; /* of the failed completion */
	__u8 status; /* enum glass_wc_status; GLASS_WC_SUCCESS: an event froze it */
	__u8 event; /* enum glass_event */
	__u8 by_hand; /* 1: the command freeze, not an error, froze it */
	__u8 reserved[5];
	char dev[64]; /* device of that QP */
};

#endif
