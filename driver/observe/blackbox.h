/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The black box: it keeps the last failures of QPs, CQs and SRQs (uapi/glass-failure.h) after the
 * objects are gone. It has no reference to any object or device: a failure is plain values, and its
 * story is text.
 *
 * A failure happens under the lock of a QP, in the middle of the protocol. There the box takes a
 * place and copies the QP into memory that it has allocated before. A work item then takes the
 * rest: the peer, the packets that the flight recorder has, drops, processes. About 2 ms later it
 * adds the packets that followed, and the story is complete. Until the first part is done, the
 * verbs that destroy a QP wait if a failure names this QP as the peer, or if this QP is connected to
 * the one that failed (glass_box_settle()). The work item waits for no lock that a verb holds while
 * it waits.
 *
 * Nothing runs on the packet path. A failure costs a bounded time: the box keeps a bounded number
 * of failures (box_share.h says whose), copies a bounded number of requests, and scans the rings
 * of the flight recorder once.
 */
#ifndef GLASS_OBSERVE_BLACKBOX_H
#define GLASS_OBSERVE_BLACKBOX_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "uapi/glass-enums.h"
#include "uapi/glass-failure.h"

#define GLASS_BOX_NAME 64 /* size of an adapter's name; as IB_DEVICE_NAME_MAX */
#define GLASS_BOX_PORT (GLASS_BOX_NAME + 8) /* size of node:port */
#define GLASS_BOX_NO_WORD 0xff /* qptype, event, op: does not apply */
#define GLASS_BOX_OP_RECV 0xfe /* op: a receive */

/* A failure. The values of its row in the table GLASS_COLUMNS_FAILURE. */
struct glass_failure {
	u32 id; /* 0: none */
	u64 when; /* ktime_get_ns() */
	u64 real; /* ktime_get_real_ns() */
	char dev[GLASS_BOX_NAME];
	u8 hca; /* index of the adapter */
	u8 kind; /* enum glass_failure_kind */
	u8 object; /* GLASS_KIND_QP, _CQ or _SRQ */
	u8 qptype, port, state; /* QPs only */
	u8 status; /* enum glass_wc_status */
	u8 event; /* enum glass_event, or GLASS_BOX_NO_WORD */
	u8 cause; /* enum glass_cause */
	u8 op; /* enum glass_wr_op, GLASS_BOX_OP_RECV or GLASS_BOX_NO_WORD */
	u8 syndrome; /* 0: none */
	bool has_wr, has_psn; /* are wr_id and psn valid? */
	u32 num;
	u32 psn;
	u64 wr_id;
	u64 flow; /* of that work request; 0: none */
	u32 stack; /* call stack of its post (where.h); 0: unknown */
	pid_t pid;
	char comm[TASK_COMM_LEN];
	u32 uid;
	u64 created; /* ktime_get_ns() when the object was created */
	/* the peer: valid if peer_qpn is not 0 */
	u32 peer_qpn;
	u8 peer_hca; /* valid if peer_dev is not empty */
	char peer_dev[GLASS_BOX_NAME];
	pid_t peer_pid; /* valid if peer_comm is not empty */
	char peer_comm[TASK_COMM_LEN];
	u32 peer_uid; /* the same */
	u32 packets;
	u32 bytes;
	u32 missing; /* set of BIT(enum glass_failure_missing) */
	/* the port that has the LID to which the QP sends, as node:port, or "none"; empty: not known */
	char dlid_port[GLASS_BOX_PORT];
	u32 connected; /* QPs of this host that are connected to the QP; valid with has_connected */
	bool has_connected;
	/* the CQ or SRQ that failed first, and took the QP or the XRC SRQ with it */
	u8 queue; /* GLASS_KIND_CQ or _SRQ, or GLASS_BOX_NO_WORD */
	u8 queue_cause; /* enum glass_cause; valid if `queue` is */
	u32 queue_num; /* 0: not known */
};

/* The text of a story after its first block. Freed with its last reference. */
struct glass_box_text {
	refcount_t refs;
	struct llist_node dead; /* in the list of texts that blackbox.c frees later */
	u32 len; /* bytes of text[] */
	char text[];
};

/*
 * Notes a failure: gives it an id, and takes a copy of the object. *f: the failure, without id,
 * when, real and peer_*. object, first: as in glass_box_env_copy(), with its rules of context.
 * Returns the id.
 */
u32 glass_box_note(struct glass_failure *f, void *object, u32 first);

/*
 * Adds values to failure `id`, from a completion in error (f->kind is COMPLETION) or from an event
 * that came after the failure. Values that the failure has already do not change. Any context.
 */
void glass_box_add(u32 id, const struct glass_failure *f);
/* The QP of failure `id` went to this state, an enum glass_qp_state. Any context. */
void glass_box_state(u32 id, u8 state);

/*
 * Waits until the stories of all failures that name this QP as the peer have copied it, and those of
 * QPs of the number `dest`, to which this QP is connected, have listed it (0: it is not connected). Waits
 * only for failures that happened before the call. Call it without locks, and before look-ups no longer
 * find the QP. May sleep, for at most some milliseconds.
 */
void glass_box_settle(u8 hca, u32 qpn, u32 dest);

/*
 * For readers. glass_box_find() copies the oldest failure whose id is at least `id`; false: there
 * is none. glass_box_read() copies the failure with this id and takes a reference to its story in
 * *text, which glass_box_put() drops; *text is NULL if there is no story. If the story is not
 * complete, waits for it. Returns 0, -ENOENT, or -ERESTARTSYS. May sleep.
 */
bool glass_box_find(u32 id, struct glass_failure *f);
int glass_box_read(u32 id, struct glass_failure *f, struct glass_box_text **text);
void glass_box_put(struct glass_box_text *text);
/* Removes all failures. Stories that are being written are discarded. May sleep. */
void glass_box_clear(void);

/*
 * Called when the module is loaded, before the first device, and when it is unloaded, after the
 * last device is gone and the files are removed. glass_box_init() returns 0 or -ENOMEM.
 */
int glass_box_init(void);
void glass_box_exit(void);

#endif
