/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The flight recorder: the last packets of all devices of this host. The recorder is on from the
 * load of the module, and runs on. The black box (blackbox.h) copies packets out of it when a QP
 * fails. After the command `rearm`, the next error of a QP stops the recorder, so that all packets
 * before the error remain readable. After this error, the recorder still records all packets for
 * 2 ms, and then up to 16 packets of that QP, to show the consequences. There is one recorder for
 * all devices, because the two ends of a connection may be on two devices.
 *
 * Each CPU has a ring of records of fixed size. One record normally covers both the sender and the
 * receiver of a packet. The record has the headers and the first GLASS_FLIGHT_SNAP bytes of
 * payload. The recording of a packet reads no clock, takes no lock, and writes only to the ring of
 * its CPU. A train (packets that the engine delivers as one: wire/train.h) is one record; readers
 * expand the record to packets.
 */
#ifndef GLASS_OBSERVE_FLIGHT_H
#define GLASS_OBSERVE_FLIGHT_H

#include <linux/types.h>

#include "observe/capture.h"

#define GLASS_FLIGHT_SNAP 64 /* a record has at most this many bytes of payload */
#define GLASS_FLIGHT_RECORDS 2048 /* number of records in the ring of a CPU; a power of two */

struct glass_flight_reader;

extern bool glass_flight_enabled;

static inline bool glass_flight_on(void)
{
	return glass_watched() && READ_ONCE(glass_flight_enabled);
}

extern bool glass_flight_hops; /* a command asked for hops */

/* Does the recorder want hops (hops.h)? */
static inline bool glass_flight_hops_on(void)
{
	return READ_ONCE(glass_flight_hops) && glass_flight_on();
}

/*
 * One end of a packet's path: the port that sent or received the packet, and the QP there. In
 * glass_qp.face all fields except port and reason are valid.
 */
struct glass_flight_end {
	u32 qpn; /* valid if `flags` has GLASS_CAP_HAS_QP */
	pid_t pid; /* valid if `flags` has GLASS_CAP_HAS_OWNER */
	char comm[TASK_COMM_LEN]; /* valid if `flags` has GLASS_CAP_HAS_OWNER */
	u8 dev; /* index of the HCA */
	u8 qptype; /* enum glass_qp_type; valid if `flags` has GLASS_CAP_HAS_QP */
	u8 flags; /* GLASS_CAP_HAS_QP, _HAS_OWNER, _RAW */
	u8 port; /* 0: the packet was not seen at this end */
	u8 reason; /* enum glass_drop: why the packet was dropped at this end; 0: it was not */
} __aligned(8);

/* The first bytes of a packet's payload, copied before its delivery. */
struct glass_flight_snap {
	u16 len; /* valid bytes of data */
	u8 data[GLASS_FLIGHT_SNAP] __aligned(8);
};

/*
 * Fills *s from the packet's payload. Call it before the packet is delivered, because the peer's
 * answer may free the payload.
 */
void glass_flight_snap_take(struct glass_flight_snap *s, const struct glass_pkt *pkt);

/*
 * Records a packet that went from tx to rx. If the packet was seen at only one of these ends, the
 * other end has port 0. when: a recent ktime_get_ns(). Process context.
 */
void glass_flight_packet(const struct glass_flight_end *tx, const struct glass_flight_end *rx,
			 const struct glass_pkt *pkt, const struct glass_flight_snap *snap, u64 when);

/*
 * Reports an error of a QP: a completion in error that is not a flush (then event is 0), or an
 * asynchronous event (then wr_id is 0 and status is GLASS_WC_SUCCESS). dev, hca: name and index of
 * the QP's adapter. If the recorder is armed, the error stops it; else it has no effect. Any context.
 */
void glass_flight_error(const char *dev, u8 hca, u32 qpn, u64 wr_id, u8 status, u8 event);

/*
 * Executes the command "rearm", "run", "freeze", "on", "off", "hops" or "nohops" (without
 * newline; uapi/glass-capture.h). dev: the name of the device whose file got the command. Returns 0, or
 * -EINVAL if there is no such command. May sleep.
 */
int glass_flight_command(const char *dev, const char *line, size_t len);

/*
 * Copies the records of the HCA with index `dev` out of the recorder, for glass_flight_read().
 * Returns the copy, or ERR_PTR(-ENOMEM). May sleep. node_name: a function that glass_flight_read()
 * calls. It gets the number of a node (glass_fate_hop.node), and writes the node's name to `to`.
 */
struct glass_flight_reader *
glass_flight_take(u32 dev, void (*node_name)(u16 number, char to[GLASS_CAP_NODE]));
void glass_flight_free(struct glass_flight_reader *r);
/*
 * read() of glassN/flight: returns records in the form of uapi/glass-capture.h. The caller
 * serializes the calls.
 */
ssize_t glass_flight_read(struct glass_flight_reader *r, char __user *buf, size_t count);

/*
 * glass_flight_init() is called once, when the module is loaded, and returns 0 or a negative errno.
 * glass_flight_exit() is called when the module is unloaded.
 */
int glass_flight_init(void);
void glass_flight_exit(void);

#endif
