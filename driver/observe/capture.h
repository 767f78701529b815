/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Packet capture: sessions, each with a ring. The packet path writes records to the rings. A record
 * holds the wire bytes of a packet. A program reads the records (uapi/glass-capture.h). The record
 * of a packet gets its slot in the ring when a port sees the packet, so that records have the order
 * of the packets. The record becomes readable only when the packet's fate (struct glass_fate) is
 * known, because the record contains the drop reason. The packet path allocates no memory here, and
 * never sleeps or waits.
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

/* At most this many sessions may run at a time, on all devices together. */
#define GLASS_CAPTURES 16

/*
 * A static branch: on while a capture or the flight recorder observes packets. The recorder is
 * normally on, so the start of a capture normally patches no code.
 */
DECLARE_STATIC_KEY_TRUE(glass_watch_key);

static inline bool glass_watched(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_likely(&glass_watch_key);
}

extern u32 glass_captures_running; /* number of running sessions */

/* Is a capture running? Then the engine must not send trains (several packets as one). */
static inline bool glass_capturing(void)
{
	return glass_watched() && READ_ONCE(glass_captures_running);
}

/* glass_capture.dev of a session that observes all switches and passive CAs */
#define GLASS_CAPTURE_ALL (~0U)

/*
 * The port that sees a packet, and the QP at this end, as captures record them. The fields from qpn
 * to comm lie as in struct glass_cap_record, so that they are copied together.
 */
struct glass_view {
	u32 qpn; /* 0 if `flags` lacks GLASS_CAP_HAS_QP */
	pid_t pid; /* 0 if `flags` lacks GLASS_CAP_HAS_OWNER */
	u32 flags; /* GLASS_CAP_HAS_QP, _HAS_OWNER, _RAW, _BAD, _AGENT */
	u8 port;
	u8 dir; /* enum glass_dir */
	u8 unused; /* the record has the drop reason here */
	u8 qptype; /* enum glass_qp_type; 0 if `flags` lacks GLASS_CAP_HAS_QP */
	char comm[TASK_COMM_LEN]; /* valid if `flags` has GLASS_CAP_HAS_OWNER */
	/*
	 * The index of the HCA. If `node` is not NULL: the id of the switch or passive CA, which is
	 * never the index of an HCA.
	 */
	u32 dev;
	const char *node; /* name of the switch or passive CA; NULL: an HCA */
};

/*
 * The records of one packet in the rings, while its fate is not known yet: from
 * glass_capture_begin() to glass_capture_end(). Used by one context at a time.
 */
struct glass_capture_slots {
	u32 n;
	struct {
		struct glass_capture *session;
		struct glass_cap_record *record;
		/* bit i: match line i of the session matches, apart from its key `reason` */
		u32 lines;
	} at[GLASS_CAPTURES];
};

/*
 * Writes a record of a packet into the ring of each session whose match lines match the packet, and
 * describes the records in *slots. The caller must later call glass_capture_end() with *slots, even
 * if slots->n is 0. Any context.
 */
void glass_capture_begin(struct glass_capture_slots *slots, const struct glass_view *view,
			 const struct glass_pkt *pkt);

/*
 * Adds the packet's fate to the records in *slots. Then makes each record readable, but discards a
 * record if its session does not match packets with this drop reason. Any context.
 */
void glass_capture_end(struct glass_capture_slots *slots, const struct glass_fate *fate);

/* Call this at every drop: sets the drop reason in the packet's fate, unless one is set already. */
static inline void glass_capture_died(const struct glass_pkt *pkt, enum glass_drop reason)
{
	if (pkt->fate && !pkt->fate->reason)
		pkt->fate->reason = reason;
}

/*
 * Captures a frame of len bytes that could not be decoded and was dropped for `reason`. Any
 * context.
 */
void glass_capture_bad(const struct glass_view *view, const void *bytes, u32 len,
		       enum glass_drop reason);

#define GLASS_CAP_MARK_MAX 1024
/*
 * Adds a bookmark to all running sessions of the HCA with index `dev`. The text has len bytes, at
 * most GLASS_CAP_MARK_MAX, without a NUL. Process context.
 */
void glass_capture_mark(u32 dev, const char *text, u32 len);

/*
 * Returns a new session, which does not run yet, on the HCA with index `dev`; or ERR_PTR(-ENOMEM).
 * num_ports: number of ports of the HCA. May sleep.
 */
struct glass_capture *glass_capture_new(u32 dev, u32 num_ports);

/*
 * As glass_capture_new(), for a session on switches and passive CAs: on all of them, until
 * glass_capture_choose() chooses one.
 */
struct glass_capture *glass_capture_new_nodes(void);

/*
 * Chooses the node of a session that does not run yet. id: as in glass_view.dev. Returns 0, or
 * -EINVAL if the node does not have the port that a command chose, or -EBUSY if the session has
 * begun. May sleep. The caller makes sure that the node remains at least until the return of
 * glass_capture_command() for `start`, and calls glass_capture_gone() when the node is removed.
 */
int glass_capture_choose(struct glass_capture *c, u32 id, u32 num_ports);

/* Ends a session, waits for its records that are being written, and frees it. May sleep. */
void glass_capture_free(struct glass_capture *c);

/*
 * Executes one command line (without newline; uapi/glass-capture.h has the grammar). Returns 0 or
 * an error. -EINVAL: the command is wrong, or is `stop` before a `start`. -EBUSY: the session was
 * started, and the command is not `stop`; or GLASS_CAPTURES sessions already run. -ENOMEM: there is
 * no memory for the ring. May sleep.
 */
int glass_capture_command(struct glass_capture *c, const char *line, size_t len);

/*
 * read() and poll() of the session's file. glass_capture_read() returns the number of bytes read,
 * or 0 after the END record. If no record is available yet, it returns -EAGAIN if `wait` is false,
 * else it sleeps until a record is available. It returns -EINVAL if count is less than
 * GLASS_CAP_RECORD_MAX.
 */
ssize_t glass_capture_read(struct glass_capture *c, char __user *buf, size_t count, bool wait);
__poll_t glass_capture_poll(struct glass_capture *c, struct file *file, poll_table *wait);

/*
 * Called when an HCA, a switch or a passive CA is removed: stops the sessions that run on it. dev:
 * as in struct glass_view. Does not wait for records that are being written. May sleep.
 */
void glass_capture_gone(u32 dev);

#endif
