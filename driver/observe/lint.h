/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lint of a device. A finding is a mistake that a program has made with an object. Each kind of
 * mistake has a code, such as GL012 (uapi/glass-lint.h). A scope, which a user adds, selects
 * processes and codes: the driver checks these processes for these mistakes. A scope holds for a
 * process that it selects. A mute hides findings. A hook is a place in the driver that detects a
 * mistake, and reports it by glass_lint_found(). While no device has a scope, a hook costs only a
 * static branch.
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

#include "observe/where.h"
#include "rules/lint_words.h"
#include "uapi/glass-abi.h"
#include "uapi/glass-columns.h"

DECLARE_STATIC_KEY_FALSE(glass_lint_key);

/* Has any device a scope? A static branch. */
static inline bool glass_linting(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_unlikely(&glass_lint_key);
}

#define GLASS_LINT_SCOPES 64 /* a device has at most this many scopes */
#define GLASS_LINT_MUTES 256 /* a device has at most this many mutes */
#define GLASS_LINT_TEXT 192 /* bytes of a finding's sentence, with its NUL */
#define GLASS_LINT_PEER 72 /* bytes of a peer's text, such as "glass1:0x12", with its NUL */
#define GLASS_LINT_OF_ONE (GLASS_LINT_MAX / 4) /* maximum number of kept findings of a process */
/*
 * The findings of a device keep at most this many memories of call stacks readable. Their users pay
 * for them, so the number is small.
 */
#define GLASS_LINT_MEMORIES 16
#define GLASS_LINT_HOLD 8 /* a finding names at most this many scopes */

struct glass_lint;

/*
 * A client is a user context or a program's XRC target, as lint sees them. The client has the
 * combined effect of all scopes that hold for its process. Hooks read codes, errors, scopes and log
 * without a lock.
 */
struct glass_lint_client {
	struct list_head node; /* glass_lint.clients */
	struct glass_lint *lint;
	const char *dev; /* the device's name */
	struct pid *pid; /* the process that opened the context, or created the XRC target */
	pid_t tgid; /* number of that process */
	char comm[TASK_COMM_LEN]; /* name of the process at that time */
	struct glass_lint_set codes; /* codes for which the driver checks the process */
	struct glass_lint_set errors; /* codes whose findings make the verb fail */
	u32 scopes[GLASS_LINT_HOLD]; /* ids of the newest scopes that hold; 0: no scope */
	bool log; /* new findings also go to the kernel's log */
	bool stacks; /* a scope that holds wants the program's call stacks */
	struct glass_where *where; /* these stacks, with a reference; set once. NULL: none */
};

/* Returns the call stacks of a client's program, or NULL. c may be NULL. Any context. */
static inline struct glass_where *glass_lint_where(const struct glass_lint_client *c)
{
	/* pairs with the release of where_make() */
	return c ? smp_load_acquire(&c->where) : NULL;
}

/*
 * Returns the call stack of the verb that the calling thread is in, if it is a verb of the client's
 * program; 0: unknown. c may be NULL.
 */
static inline u32 glass_lint_now(const struct glass_lint_client *c)
{
	struct glass_where *w = glass_lint_where(c);

	return w ? glass_where_now(w) : 0;
}

/*
 * Does a scope with this code hold for the client's process? Returns false if c is NULL: objects of
 * kernel consumers have no client. Any context.
 */
static inline bool glass_lint_wants(const struct glass_lint_client *c, u32 code)
{
	return c && (READ_ONCE(c->codes.w[GLASS_LINT_WORD(code)]) & GLASS_LINT_BIT(code));
}

struct glass_lint_scope {
	struct list_head node;
	u32 id;
	struct glass_lint_command c; /* the command that added the scope */
	/* GLASS_LINT_BY_PID: the scope holds for this process and its descendants; else NULL */
	struct pid *pid;
	/* the scope ends when this file is closed, but holds no reference to it; NULL: none */
	void *file;
};

struct glass_lint_mute {
	struct list_head node; /* changed under both locks, `lock` and `books` */
	u32 id;
	struct glass_lint_command c; /* the command that added the mute */
	u64 hit; /* number of findings that the mute hid; under `books` */
};

/*
 * A kept finding. Equal findings (of the same code, object and process) are kept as one. All fields
 * but `log` are columns of lint/findings (GLASS_COLUMNS_LINT).
 */
struct glass_finding {
	u64 id, count, first, last, seen, expected;
	u16 code;
	u8 kind;
	bool log; /* glass_lint_client.log when the finding was new */
	u32 num;
	pid_t pid, peer_pid;
	char comm[TASK_COMM_LEN], peer_comm[TASK_COMM_LEN];
	char peer[GLASS_LINT_PEER]; /* empty: there is no peer on this host */
	char text[GLASS_LINT_TEXT];
	u32 scopes[GLASS_LINT_HOLD]; /* glass_lint_client.scopes when it was found last */
	u32 stack, peer_stack; /* as in struct glass_lint_report */
};

/* The kept findings; allocated with the first scope. */
struct glass_lint_kept {
	struct glass_lint_index index;
	struct glass_finding finding[GLASS_LINT_MAX];
	/* the processes of these findings: each key has a pid, and 0 in its other fields */
	struct glass_lint_index processes;
	u16 of_process[GLASS_LINT_MAX]; /* [i]: number of kept findings of processes.key[i] */
	/*
	 * The memories of call stacks that findings named last, each with a reference, so that the
	 * stacks can be read after their process has ended. NULL: none.
	 */
	struct glass_where *memory[GLASS_LINT_MEMORIES];
	u32 next_memory; /* index in memory[]: the one that the next new memory replaces */
};

struct glass_lint {
	struct mutex lock; /* protects the fields from `scopes` to `page` */
	struct list_head scopes, mutes, clients; /* scopes, mutes: the oldest first */
	u32 nscopes, nmutes, last_scope, last_mute; /* last_*: the newest id */
	struct glass_control_page *page; /* NULL while the device is unplugged */

	/* protects the fields from `kept` to `count`, and glass_lint_mute.hit; irqs off */
	spinlock_t books;
	struct glass_lint_kept *kept; /* NULL until the device gets its first scope */
	/*
	 * last_id: id of the newest finding. changes: number of changes, for poll(). lost: how
	 * often there was no room for a finding.
	 */
	u64 last_id, changes, lost;
	u64 count[GLASS_LINT_COUNT + 1]; /* [code]: how often the mistake was found, muted or not */
	wait_queue_head_t wait; /* pollers of lint/findings; woken by a finding that is not muted */
	struct ratelimit_state log; /* limits lines in the kernel's log */
};

/*
 * Called once for each device. glass_lint_exit() ends all scopes and mutes; no client may be left.
 * glass_lint_exit() may sleep.
 */
void glass_lint_init(struct glass_lint *l);
void glass_lint_exit(struct glass_lint *l);
/*
 * Sets the control page of a device that is plugged in; NULL: the device is unplugged. Providers
 * read the codes of all scopes on this page. May sleep.
 */
void glass_lint_page(struct glass_lint *l, struct glass_control_page *page);

/*
 * glass_lint_open() makes *c a client for the calling process, when the process opens a context or
 * creates an XRC target. glass_lint_close() ends the client, when that object is closed. dev: the
 * device's name, which must remain valid until then. Both may sleep.
 */
void glass_lint_open(struct glass_lint *l, struct glass_lint_client *c, const char *dev);
void glass_lint_close(struct glass_lint_client *c);

/*
 * Execute a command that was written to lint/scope or lint/mute. file: the open file of lint/scope.
 * Return 0 or a negative errno. -ENOENT: no scope or mute has the id. -ESRCH: there is no such
 * process. -ENOSPC: the device already has GLASS_LINT_SCOPES scopes or GLASS_LINT_MUTES mutes.
 * -ENOMEM: there is no memory. May sleep.
 */
int glass_lint_scope_command(struct glass_lint *l, const struct glass_lint_command *c, void *file);
int glass_lint_mute_command(struct glass_lint *l, const struct glass_lint_command *c);
/* Called when an open file of lint/scope is closed: ends the scopes tied to it. May sleep. */
void glass_lint_file_closed(struct glass_lint *l, void *file);
/* Forgets all findings and counts. Any context. */
void glass_lint_clear(struct glass_lint *l);
/* Drops the references to memories of call stacks (glass_lint_kept.memory). Any context. */
void glass_lint_forget_stacks(struct glass_lint *l);

/* A mistake that a hook has detected. num, seen, expected: as in GLASS_COLUMNS_LINT. */
struct glass_lint_report {
	const struct glass_lint_client *who; /* the client whose program made the mistake */
	u16 code; /* enum glass_lint_number */
	u8 kind; /* enum glass_kind */
	u32 num;
	u64 seen, expected;
	/* the peer of the object; peer_dev NULL: the object has no peer on this host */
	const char *peer_dev;
	u32 peer_qpn;
	pid_t peer_pid;
	const char *peer_comm;
	/*
	 * Call stacks (where.h): the verb or the post that made the mistake, and that of the peer
	 * that shows it. 0: unknown.
	 */
	u32 stack, peer_stack;
};

/*
 * Reports a finding. fmt: the finding's sentence, which is formatted only if the finding is new.
 * The caller has checked glass_lint_wants(). Returns -EINVAL if the verb must fail: a scope demands
 * this for the code, and no mute hides the finding. Otherwise returns 0. Any context.
 */
__printf(2, 3) int glass_lint_found(const struct glass_lint_report *r, const char *fmt, ...);
__printf(2, 0) int glass_lint_vfound(const struct glass_lint_report *r, const char *fmt, va_list ap);

/* Copies the oldest kept finding whose id is at least `id`. False: there is none. Any context. */
bool glass_lint_get(struct glass_lint *l, u64 id, struct glass_finding *out);

#endif
