/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The flight recorder: the last packets of all devices of this host. It is on from the
 * start. An error of a QP stops it, so that the packets before the error remain readable.
 * It stops 2 ms later, and records some more packets of that QP, to show the consequences
 * of the error. There is one recorder for all devices, because an error has two ends.
 *
 * A packet costs one record of fixed size in a ring of the CPU, for its sender and its
 * receiver together: headers and the first GLASS_FLIGHT_SNAP bytes of payload. Recording
 * reads no clock, takes no lock, and touches no cache line that another CPU writes. A train
 * is one record; the reader expands it to packets.
 */
#ifndef GLASS_OBSERVE_FLIGHT_H
#define GLASS_OBSERVE_FLIGHT_H

#include <linux/types.h>

#include "observe/capture.h"

#define GLASS_FLIGHT_SNAP 64
#define GLASS_FLIGHT_RECORDS 2048 /* of each CPU */

struct glass_flight_reader;

extern bool glass_flight_enabled;

static inline bool glass_flight_on(void)
{
	return glass_watched() && READ_ONCE(glass_flight_enabled);
}

/*
 * One end of a packet's path: a port that sent or received it. A QP has a template (struct
 * glass_qp), valid except for port and reason.
 */
struct glass_flight_end {
	u32 qpn;
	pid_t pid;
	char comm[TASK_COMM_LEN]; /* with _HAS_OWNER */
	u8 dev; /* index of the HCA */
	u8 qptype;
	u8 flags; /* GLASS_CAP_HAS_QP, _HAS_OWNER, _RAW */
	u8 port; /* 0: the packet did not come to this end */
	u8 reason; /* enum glass_drop: why it was dropped there */
} __aligned(8);

/* The first bytes of a packet's payload, copied before its delivery. */
struct glass_flight_snap {
	u16 len; /* valid bytes of data */
	u8 data[GLASS_FLIGHT_SNAP] __aligned(8);
};

void glass_flight_snap_take(struct glass_flight_snap *s, const struct glass_pkt *pkt);

/*
 * Records a packet that went from one end to the other, or was seen at only one of them (port 0:
 * not at that end). when: recent ktime_get_ns(). Process context.
 */
void glass_flight_packet(const struct glass_flight_end *tx, const struct glass_flight_end *rx,
			 const struct glass_pkt *pkt, const struct glass_flight_snap *snap, u64 when);

/*
 * Reports a failure of a QP: a completion with an error other than flush, or (status success) an
 * event. The first one stops the recorder. Any context.
 */
void glass_flight_error(const char *dev, u32 qpn, u64 wr_id, u8 status, u8 event);

/* Executes "rearm", "freeze", "on" or "off": 0, or -EINVAL. May sleep. */
int glass_flight_command(const char *dev, const char *line, size_t len);

/* Takes a snapshot of the recorder for an HCA, for reading. An ERR_PTR on failure. May sleep. */
struct glass_flight_reader *glass_flight_take(u32 dev);
void glass_flight_free(struct glass_flight_reader *r);
/* read() of the file, as glass_capture_read(). */
ssize_t glass_flight_read(struct glass_flight_reader *r, char __user *buf, size_t count);

/* Once, at module load and unload. */
int glass_flight_init(void);
void glass_flight_exit(void);

#endif
