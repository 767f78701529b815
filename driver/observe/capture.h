/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packet capture: sessions, each with a ring. The packet path writes records with the wire bytes of
 * packets, and a reader drains them. uapi/glass-capture.h describes the output. The record of a
 * packet gets its slot in the ring when a port sees the packet, which keeps the order. It becomes
 * readable when the packet's fate is known, because it has the drop reason. The packet path neither
 * allocates nor sleeps nor waits here.
 */
#ifndef GLASS_OBSERVE_CAPTURE_H
#define GLASS_OBSERVE_CAPTURE_H

#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/poll.h>
#include <linux/sched.h>

#include "rules/match.h"
#include "uapi/glass-capture.h"

struct glass_capture;

/* Sessions that may run at a time, on all devices together. */
#define GLASS_CAPTURES 16

/*
 * A static branch: on while a capture or the flight recorder observes packets. Normally the
 * recorder is on, so that the start of a capture patches no code.
 */
DECLARE_STATIC_KEY_TRUE(glass_watch_key);

static inline bool glass_watched(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_likely(&glass_watch_key);
}

extern u32 glass_captures_running; /* number of running sessions */

/* Is a capture running? Then the engine may not send trains (several packets as one). */
static inline bool glass_capturing(void)
{
	return glass_watched() && READ_ONCE(glass_captures_running);
}

/* The port that sees a packet, and the QP at this end. */
struct glass_view {
	u32 dev; /* index of the HCA */
	u32 port;
	u32 flags; /* GLASS_CAP_HAS_QP, _HAS_OWNER, _RAW */
	u32 qpn;
	pid_t pid;
	u8 dir; /* enum glass_dir */
	u8 qptype; /* enum glass_qp_type */
	char comm[TASK_COMM_LEN]; /* with _HAS_OWNER */
};

/* The slots of one packet in the rings. Used by one context, while it handles the packet. */
struct glass_capture_slots {
	u32 n;
	struct {
		struct glass_capture *session;
		struct glass_cap_record *record;
		u32 lines; /* match lines that match so far, as bits */
	} at[GLASS_CAPTURES];
};

/*
 * Reserves a slot for a packet in every session that wants it, and writes its record. The caller
 * must call glass_capture_end() with the same slots in any case. Any context.
 */
void glass_capture_begin(struct glass_capture_slots *slots, const struct glass_view *view,
			 const struct glass_pkt *pkt);

/* Adds the packet's fate to its records, and makes them readable. Any context. */
void glass_capture_end(struct glass_capture_slots *slots, const struct glass_fate *fate);

/*
 * Notes the drop reason in the packet's fate. Call it at every drop; only the first reason counts.
 */
static inline void glass_capture_died(const struct glass_pkt *pkt, enum glass_drop reason)
{
	if (pkt->fate && !pkt->fate->reason)
		pkt->fate->reason = reason;
}

/* Captures a frame that could not be decoded and was dropped for that reason. Any context. */
void glass_capture_bad(const struct glass_view *view, const void *bytes, u32 len,
		       enum glass_drop reason);

/*
 * Adds a bookmark to all sessions of an HCA: len bytes of text, at most GLASS_CAP_MARK_MAX. Process
 * context.
 */
#define GLASS_CAP_MARK_MAX 1024
void glass_capture_mark(u32 dev, const char *text, u32 len);

/*
 * Makes a session on an HCA (dev: its index) with num_ports ports, or returns an ERR_PTR. May
 * sleep.
 */
struct glass_capture *glass_capture_new(u32 dev, u32 num_ports);

/* Ends a session, waits for packets that are being written to it, and frees it. May sleep. */
void glass_capture_free(struct glass_capture *c);

/*
 * Executes one command line (without newline; uapi/glass-capture.h has the grammar). Returns 0;
 * -EINVAL, also for a stop before the start; -EBUSY: the session was started before, or
 * GLASS_CAPTURES sessions are running; or -ENOMEM. May sleep.
 */
int glass_capture_command(struct glass_capture *c, const char *line, size_t len);

/* read() and poll() of the session's file. wait: sleep until there is a record; else -EAGAIN. */
ssize_t glass_capture_read(struct glass_capture *c, char __user *buf, size_t count, bool wait);
__poll_t glass_capture_poll(struct glass_capture *c, struct file *file, poll_table *wait);

/* Ends the sessions of an HCA that goes away. May sleep. */
void glass_capture_gone(u32 dev);

#endif
