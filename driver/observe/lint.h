/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lint findings of a device. A finding is a mistake of a program (a code of uapi/glass-lint.h) at
 * an object. A scope says which programs are linted, and for which codes. A mute hides findings.
 * The code that detects a mistake calls glass_lint_found(); with lint off, it costs a static
 * branch.
 *
 * Locks: glass_lint.lock (mutex; scopes, mutes, clients) is taken before all locks of the engine;
 * glass_lint.books (spinlock, irqs off; findings) is taken after them.
 */
#ifndef GLASS_OBSERVE_LINT_H
#define GLASS_OBSERVE_LINT_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/stdarg.h>
#include <linux/wait.h>

#include "rules/lint_words.h"
#include "uapi/glass-abi.h"
#include "uapi/glass-columns.h"

DECLARE_STATIC_KEY_FALSE(glass_lint_key);

/* Is any program linted, on any device? A static branch. */
static inline bool glass_linting(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_unlikely(&glass_lint_key);
}

#define GLASS_LINT_SCOPES 64 /* most scopes of a device */
#define GLASS_LINT_MUTES 256 /* most mutes of a device */
#define GLASS_LINT_TEXT 192 /* bytes of a finding's sentence, with its NUL */
#define GLASS_LINT_PEER 72 /* bytes of "glass1:0x12", with its NUL */
#define GLASS_LINT_OF_ONE (GLASS_LINT_MAX / 4) /* findings kept per process */
#define GLASS_LINT_HOLD 8 /* scopes that a finding can name */

struct glass_lint;

/*
 * Lint's view of a user context: the scopes that hold for its process. Hooks read codes, errors,
 * scopes and log without a lock.
 */
struct glass_lint_client {
	struct list_head node; /* glass_lint.clients */
	struct glass_lint *lint;
	const char *dev; /* name */
	struct pid *pid; /* the process that opened the context */
	pid_t tgid;
	char comm[TASK_COMM_LEN];
	struct glass_lint_set codes; /* codes for which the process is linted */
	struct glass_lint_set errors; /* codes whose findings make the verb fail */
	u32 scopes[GLASS_LINT_HOLD]; /* ids of the newest scopes that hold; 0: none */
	bool log; /* a scope wants new findings in the kernel's log */
};

/* Is the process linted for that code? c may be NULL: the kernel, which never is. Any context. */
static inline bool glass_lint_wants(const struct glass_lint_client *c, u32 code)
{
	return c && (READ_ONCE(c->codes.w[GLASS_LINT_WORD(code)]) & GLASS_LINT_BIT(code));
}

struct glass_lint_scope {
	struct list_head node;
	u32 id;
	struct glass_lint_command c;
	struct pid *pid; /* holds for this process and its descendants; NULL: c.by is not a pid */
	void *file; /* the scope ends when this open file is closed; only compared; NULL: none */
};

struct glass_lint_mute {
	struct list_head node; /* changed under lock and books */
	u32 id;
	struct glass_lint_command c;
	u64 hit; /* findings that it hid; under books */
};

/* A kept finding: the columns of lint/findings (GLASS_COLUMNS_LINT). */
struct glass_finding {
	u64 id, count, first, last, seen, expected;
	u16 code;
	u8 kind;
	bool log;
	u32 num;
	pid_t pid, peer_pid;
	char comm[TASK_COMM_LEN], peer_comm[TASK_COMM_LEN];
	char peer[GLASS_LINT_PEER]; /* empty: none */
	char text[GLASS_LINT_TEXT];
	u32 scopes[GLASS_LINT_HOLD]; /* those that held for the process when last seen; 0: none */
};

/* The kept findings; allocated with the first scope. */
struct glass_lint_kept {
	struct glass_lint_index index;
	struct glass_finding finding[GLASS_LINT_MAX];
	struct glass_lint_index processes; /* key: the pid alone */
	u16 of_process[GLASS_LINT_MAX]; /* number of findings, by place in that index */
};

struct glass_lint {
	struct mutex lock; /* protects scopes to page */
	struct list_head scopes, mutes, clients; /* scopes, mutes: the oldest first */
	u32 nscopes, nmutes, last_scope, last_mute; /* last_*: the newest id */
	struct glass_control_page *page; /* NULL while the device is unplugged */

	spinlock_t books; /* protects kept to count, and glass_lint_mute.hit; irqs off */
	struct glass_lint_kept *kept; /* NULL: lint was never on */
	/* id of the newest finding; changes of findings, for poll(); findings without room */
	u64 last_id, changes, lost;
	u64 count[GLASS_LINT_COUNT + 1]; /* by code: how often it was found, muted or not */
	wait_queue_head_t wait; /* woken when `changes` has increased */
	struct ratelimit_state log; /* limits lines in the kernel's log */
};

/* For a device. exit: ends all scopes and mutes; all contexts must be closed. May sleep. */
void glass_lint_init(struct glass_lint *l);
void glass_lint_exit(struct glass_lint *l);
/*
 * Sets the control page of a device that is plugged in, or NULL: it is unplugged. Providers read
 * there for which codes lint is on. May sleep.
 */
void glass_lint_page(struct glass_lint *l, struct glass_control_page *page);

/*
 * Call when a context of the calling process is opened, and when it is closed. dev: the device's
 * name, which must remain valid. May sleep.
 */
void glass_lint_open(struct glass_lint *l, struct glass_lint_client *c, const char *dev);
void glass_lint_close(struct glass_lint_client *c);

/*
 * Execute a command that was written to lint/scope (file: the open file), or to lint/mute. Return
 * 0; -ENOENT: no such id; -ESRCH: no such process; -ENOSPC: too many; or -ENOMEM. May sleep.
 */
int glass_lint_scope_command(struct glass_lint *l, const struct glass_lint_command *c, void *file);
int glass_lint_mute_command(struct glass_lint *l, const struct glass_lint_command *c);
/* Ends the scopes that are tied to this open file, when it is closed. May sleep. */
void glass_lint_file_closed(struct glass_lint *l, void *file);
/* Forgets all findings and counts. Any context. */
void glass_lint_clear(struct glass_lint *l);

/* A mistake that was detected; fields as in GLASS_COLUMNS_LINT. */
struct glass_lint_report {
	const struct glass_lint_client *who; /* the process that made it */
	u16 code; /* enum glass_lint_number */
	u8 kind; /* enum glass_kind */
	u32 num;
	u64 seen, expected;
	/* the other side, if it is on this host; peer_dev NULL: none */
	const char *peer_dev;
	u32 peer_qpn;
	pid_t peer_pid;
	const char *peer_comm;
};

/*
 * Reports a finding. fmt: the sentence, formatted only for a new finding. The caller has checked
 * glass_lint_wants(). Returns -EINVAL if the verb must fail because of the finding, else 0. Any
 * context.
 */
__printf(2, 3) int glass_lint_found(const struct glass_lint_report *r, const char *fmt, ...);
__printf(2, 0) int glass_lint_vfound(const struct glass_lint_report *r, const char *fmt, va_list ap);

/* Copies the finding of that number, or the oldest later one; false: none. Any context. */
bool glass_lint_get(struct glass_lint *l, u64 id, struct glass_finding *out);

#endif
