/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The flight recorder: the last packets of all devices of this host. It is on from the
 * start. The first error of a QP stops it, so that the packets before the error remain
 * readable. The recorder runs for 2 ms after the error, to show its consequences, and then
 * still records up to 16 packets of that QP. There is one recorder for all devices, because
 * an error has two ends.
 *
 * Each CPU has a ring of records of fixed size. One record covers both the sender and the
 * receiver of a packet. It has the headers and the first GLASS_FLIGHT_SNAP bytes of payload.
 * Recording reads no clock, takes no lock, and touches no cache line that another CPU writes.
 * A train (packets that the engine delivers as one: wire/train.h) is one record; the reader
 * expands it to packets.
 */
#ifndef GLASS_OBSERVE_FLIGHT_H
#define GLASS_OBSERVE_FLIGHT_H

#include <linux/types.h>

#include "observe/capture.h"

#define GLASS_FLIGHT_SNAP 64 /* bytes of payload in a record */
#define GLASS_FLIGHT_RECORDS 2048 /* of each CPU; a power of two */

struct glass_flight_reader;

extern bool glass_flight_enabled;

static inline bool glass_flight_on(void)
{
	return glass_watched() && READ_ONCE(glass_flight_enabled);
}

/*
 * One end of a packet's path: a port that sent or received it, and the QP there. glass_qp.face is
 * one in which all fields except port and reason are valid.
 */
struct glass_flight_end {
	u32 qpn;
	pid_t pid;
	char comm[TASK_COMM_LEN]; /* with _HAS_OWNER */
	u8 dev; /* index of the HCA */
	u8 qptype; /* enum glass_qp_type */
	u8 flags; /* GLASS_CAP_HAS_QP, _HAS_OWNER, _RAW */
	u8 port; /* 0: the packet did not come to this end */
	u8 reason; /* enum glass_drop: why it was dropped there */
} __aligned(8);

/* The first bytes of a packet's payload, copied before its delivery. */
struct glass_flight_snap {
	u16 len; /* valid bytes of data */
	u8 data[GLASS_FLIGHT_SNAP] __aligned(8);
};

/* Fills a snap. Call it before the packet is delivered: the peer's answer may free the payload. */
void glass_flight_snap_take(struct glass_flight_snap *s, const struct glass_pkt *pkt);

/*
 * Records a packet that went from one end to the other, or was seen at only one of them (the other
 * has port 0). when: ktime_get_ns(), may be a little old. Process context.
 */
void glass_flight_packet(const struct glass_flight_end *tx, const struct glass_flight_end *rx,
			 const struct glass_pkt *pkt, const struct glass_flight_snap *snap, u64 when);

/*
 * Reports an error of a QP: a completion whose error is not a flush (then event is 0), or an
 * asynchronous event (then status is GLASS_WC_SUCCESS). hca: the index of the QP's adapter. The
 * first error stops the recorder. Any context.
 */
void glass_flight_error(const char *dev, u8 hca, u32 qpn, u64 wr_id, u8 status, u8 event);

/* Executes "rearm", "freeze", "on" or "off". Returns 0, or -EINVAL. May sleep. */
int glass_flight_command(const char *dev, const char *line, size_t len);

/*
 * Copies the records of one HCA (dev: its index) out of the recorder, for glass_flight_read().
 * ERR_PTR(-ENOMEM) without memory. May sleep.
 */
struct glass_flight_reader *glass_flight_take(u32 dev);
void glass_flight_free(struct glass_flight_reader *r);
/* read() of glassN/flight; the caller serializes the calls. Records as in uapi/glass-capture.h. */
ssize_t glass_flight_read(struct glass_flight_reader *r, char __user *buf, size_t count);

/* Once, at module load and unload. */
int glass_flight_init(void);
void glass_flight_exit(void);

#endif
