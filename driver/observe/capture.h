/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packet capture: sessions, each with a ring that packets are written to as wire
 * bytes and that a reader empties. What a session hands out is described in
 * uapi/glass-capture.h.
 *
 * A packet has its place in the rings from when it is seen, which keeps the
 * order, and becomes readable when its fate is known: a record says why the
 * packet died. Nothing here allocates, sleeps or waits on the packet's way.
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
 * Does anybody look at packets, a capture or the flight recorder? A static branch.
 * The recorder is on from the start: a capture that begins patches no code then.
 */
DECLARE_STATIC_KEY_TRUE(glass_watch_key);

static inline bool glass_watched(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_likely(&glass_watch_key);
}

extern u32 glass_captures_running;

/* Does anybody capture? Then each packet must be one. */
static inline bool glass_capturing(void)
{
	return glass_watched() && READ_ONCE(glass_captures_running);
}

/* Where a packet is seen, and whose QP is there. */
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

/* The places that one packet has in the rings. Of one context, for the time of its handling. */
struct glass_capture_slots {
	u32 n;
	struct {
		struct glass_capture *session;
		struct glass_cap_record *record;
		u32 lines; /* match lines that hold so far, as bits */
	} at[GLASS_CAPTURES];
};

/*
 * A packet is seen: takes its place in every session that wants it. To be
 * followed by glass_capture_end() with the same slots, whatever happens.
 */
void glass_capture_begin(struct glass_capture_slots *slots, const struct glass_view *view,
			 const struct glass_pkt *pkt);

/* Its fate is known. */
void glass_capture_end(struct glass_capture_slots *slots, const struct glass_fate *fate);

/* A packet died. To be told wherever one does; only the first reason counts. */
static inline void glass_capture_died(const struct glass_pkt *pkt, enum glass_drop reason)
{
	if (pkt->fate && !pkt->fate->reason)
		pkt->fate->reason = reason;
}

/* Bytes that are no packet came in, and died for that reason. */
void glass_capture_bad(const struct glass_view *view, const void *bytes, u32 len,
		       enum glass_drop reason);

/*
 * A bookmark of an HCA, for all its sessions: len bytes of text, GLASS_CAP_MARK_MAX
 * at most. Process context.
 */
#define GLASS_CAP_MARK_MAX 1024
void glass_capture_mark(u32 dev, const char *text, u32 len);

/* A session on an HCA of num_ports ports, or an ERR_PTR. */
struct glass_capture *glass_capture_new(u32 dev, u32 num_ports);

/* Ends it, waits for packets that are being written, and frees it. May sleep. */
void glass_capture_free(struct glass_capture *c);

/*
 * Obeys one line (without newline; uapi/glass-capture.h has the grammar). Returns
 * 0, -EINVAL, -EBUSY when the session has begun, or when GLASS_CAPTURES run
 * already, -ENOMEM, -EPIPE when it has ended. May sleep.
 */
int glass_capture_command(struct glass_capture *c, const char *line, size_t len);

/* read() and poll() of the session's file. */
ssize_t glass_capture_read(struct glass_capture *c, char __user *buf, size_t count, bool wait);
__poll_t glass_capture_poll(struct glass_capture *c, struct file *file, poll_table *wait);

/* An HCA goes away: its sessions end. May sleep. */
void glass_capture_gone(u32 dev);

#endif
