/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Obituaries: the last QPs that were destroyed, and the last memory keys that stopped to work, of
 * all devices of this host. The black box (blackbox.h) names them when a packet was for one of
 * them. They are plain values. The verbs and work requests that end a QP or a key write them; no
 * packet does.
 *
 * Each log consists of parts with a lock each. The device and the user of an object choose its
 * part, so a user overwrites the entries of few other users, and devices rarely share a lock.
 */
#ifndef GLASS_OBSERVE_GONE_H
#define GLASS_OBSERVE_GONE_H

#include <linux/sched.h>
#include <linux/types.h>

#include "observe/lint.h"
#include "uapi/glass-failure.h"

#define GLASS_GONE_PARTS 8 /* of each log; a power of two */
#define GLASS_GONE_QPS 512 /* number of QPs that a part remembers; a power of two */
#define GLASS_GONE_KEYS 1024 /* number of keys that a part remembers; a power of two */

/* How an object ended, and the process that ended it. */
struct glass_gone_by {
	u8 how; /* enum glass_gone_how */
	u8 signal; /* GLASS_GONE_EXIT: the signal that killed the process; 0: none */
	pid_t pid; /* 0: the kernel */
	u32 stack; /* call stack (where.h) of the verb, or of the post of the request; 0: unknown */
	char comm[TASK_COMM_LEN];
};

struct glass_gone_qp {
	u64 when; /* ktime_get_ns(); glass_gone_qp() sets it */
	u64 born; /* ktime_get_ns() when the QP was created */
	struct glass_gone_by by;
	u32 qpn, dest_qpn; /* dest_qpn 0: it was not connected */
	u8 hca; /* index of the device */
	u8 qptype, state; /* enum glass_qp_type, enum glass_qp_state: at the end */
	u8 before; /* enum glass_qp_state: before `state`; the same if there was no other one */
	u8 error; /* enum glass_cause: of the first error since the creation or the last RESET */
	u64 state_since; /* ktime_get_ns() when it came into that state */
	pid_t pid; /* of the process that created it */
	char comm[TASK_COMM_LEN];
	u32 uid;
};

struct glass_gone_key {
	u64 when; /* ktime_get_ns(); glass_gone_key() sets it */
	struct glass_gone_by by;
	u32 lkey, rkey; /* 0: the object had none */
	u8 hca; /* index of the device */
	u8 kind; /* enum glass_mr_kind (model/objects.h) */
	u32 pdn, access; /* access: enum ib_access_flags */
	u64 addr, len;
	pid_t pid; /* of the process that created it */
	char comm[TASK_COMM_LEN];
	u32 uid; /* of the user who pays for it */
};

/*
 * Fills *by with the calling process. by_program: a program has called the verb that ends the
 * object, which is then `how`. Else the object ends because its context is closed, its process
 * ends, or its device is unplugged. lint: the client in whose context the verb was called, or NULL.
 */
void glass_gone_caller(struct glass_gone_by *by, u8 how, bool by_program, bool unplug,
		       const struct glass_lint_client *lint);

/*
 * A QP gets this number, or a memory region or window this key, on the device with index hca. Call
 * it before packets can find the object. Any context.
 */
void glass_gone_qpn_given(u8 hca, u32 qpn);
void glass_gone_key_given(u8 hca, u32 key);

/* Remember a QP, or a key. Any context. */
void glass_gone_qp(struct glass_gone_qp *g);
void glass_gone_key(struct glass_gone_key *g);

/*
 * Copy the newest entries of a QP or of a key to `to`, newest first, at most `most`. Return how
 * many. A key is found by its L_Key or its R_Key. Any context.
 */
u32 glass_gone_find_qps(u8 hca, u32 qpn, struct glass_gone_qp *to, u32 most);
u32 glass_gone_find_keys(u8 hca, u32 key, struct glass_gone_key *to, u32 most);

/*
 * Is it certain that no QP with this number, or no object with this key, ended on the device since
 * `since` (ktime_get_ns())? The caller has found no entry of it before. True if the number was
 * never given, or if no entry of the device was overwritten since `since`. Any context.
 */
bool glass_gone_no_qp(u8 hca, u32 qpn, u64 since);
bool glass_gone_no_key(u8 hca, u32 key, u64 since);

/*
 * Called when the module is loaded, before the first device, and when it is unloaded, after the
 * last. glass_gone_init() returns 0 or -ENOMEM.
 */
int glass_gone_init(void);
void glass_gone_exit(void);

#endif
