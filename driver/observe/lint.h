/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lint findings of a device: the linted programs, the findings, and the muted findings. A detector
 * calls glass_lint_found(); with lint off it costs a static branch.
 *
 * Locks: glass_lint.lock (mutex; scopes, mutes, clients) is outside all locks of the engine;
 * glass_lint.books (spinlock, irqs off; findings) is inside them.
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

#define GLASS_LINT_SCOPES 64
#define GLASS_LINT_MUTES 256
#define GLASS_LINT_TEXT 192 /* bytes of a finding's sentence, with its NUL */
#define GLASS_LINT_PEER 72 /* "glass1:0x12" */
#define GLASS_LINT_OF_ONE (GLASS_LINT_MAX / 4) /* findings kept per process */
#define GLASS_LINT_HOLD 8 /* scopes that a finding can name */

struct glass_lint;

/* Lint's view of a user context. The words of codes and errors are read without a lock. */
struct glass_lint_client {
	struct list_head node; /* glass_lint.clients */
	struct glass_lint *lint;
	const char *dev; /* name */
	struct pid *pid;
	pid_t tgid;
	char comm[TASK_COMM_LEN];
	struct glass_lint_set codes; /* codes it is linted for */
	struct glass_lint_set errors; /* codes that become errors for it */
	u32 scopes[GLASS_LINT_HOLD]; /* its newest scopes; 0: none. Like codes */
	bool log;
};

/* Is that program linted for that code of the table? c may be NULL: the kernel. */
static inline bool glass_lint_wants(const struct glass_lint_client *c, u32 code)
{
	return c && (READ_ONCE(c->codes.w[GLASS_LINT_WORD(code)]) & GLASS_LINT_BIT(code));
}

struct glass_lint_scope {
	struct list_head node;
	u32 id;
	struct glass_lint_command c;
	struct pid *pid;
	void *file; /* compared, never followed; NULL: nobody's */
};

struct glass_lint_mute {
	struct list_head node; /* changed under lock and books */
	u32 id;
	struct glass_lint_command c;
	u64 hit; /* under books */
};

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
	u32 scopes[GLASS_LINT_HOLD]; /* of the program seen last; 0: none */
};

/* The kept findings; allocated with the first scope. */
struct glass_lint_kept {
	struct glass_lint_index index;
	struct glass_finding finding[GLASS_LINT_MAX];
	struct glass_lint_index processes; /* key: the pid alone */
	u16 of_process[GLASS_LINT_MAX]; /* findings; by the place in that index */
};

struct glass_lint {
	struct mutex lock; /* scopes, mutes, clients, last_scope, last_mute, page */
	struct list_head scopes, mutes, clients;
	u32 nscopes, nmutes, last_scope, last_mute;
	struct glass_control_page *page; /* NULL while the device is not there */

	spinlock_t books; /* all below, and mutes' hits; irqs off */
	struct glass_lint_kept *kept; /* NULL: lint was never on */
	u64 last_id, changes, lost;
	u64 count[GLASS_LINT_COUNT + 1];
	wait_queue_head_t wait; /* changes moved */
	struct ratelimit_state log; /* lines in the kernel's log */
};

/* For a device. exit: no client and no scope is left after it. May sleep. */
void glass_lint_init(struct glass_lint *l);
void glass_lint_exit(struct glass_lint *l);
/* The device comes, or goes (NULL): its control page informs the providers. May sleep. */
void glass_lint_page(struct glass_lint *l, struct glass_control_page *page);

/*
 * A context of the calling process opens and closes. dev: the device's name, which must remain
 * valid. May sleep.
 */
void glass_lint_open(struct glass_lint *l, struct glass_lint_client *c, const char *dev);
void glass_lint_close(struct glass_lint_client *c);

/*
 * Commands of the files. file: the open file of the command. 0, -EINVAL (no such process is
 * -ESRCH), -ENOENT, -ENOSPC, -ENOMEM.
 */
int glass_lint_scope_command(struct glass_lint *l, const struct glass_lint_command *c, void *file);
int glass_lint_mute_command(struct glass_lint *l, const struct glass_lint_command *c);
/* Ends the scopes of a closed file. */
void glass_lint_file_closed(struct glass_lint *l, void *file);
/* Forgets findings and counts. */
void glass_lint_clear(struct glass_lint *l);

/* A finding's description. */
struct glass_lint_report {
	const struct glass_lint_client *who;
	u16 code; /* enum glass_lint_number */
	u8 kind; /* enum glass_kind */
	u32 num;
	u64 seen, expected;
	/* the other side; peer empty: none */
	const char *peer_dev;
	u32 peer_qpn;
	pid_t peer_pid;
	const char *peer_comm;
};

/*
 * Reports a finding. fmt: the sentence, formatted only for a new finding. Any context. The caller
 * has checked glass_lint_wants(). Returns -EINVAL when the finding must become an error, else 0.
 */
__printf(2, 3) int glass_lint_found(const struct glass_lint_report *r, const char *fmt, ...);
__printf(2, 0) int glass_lint_vfound(const struct glass_lint_report *r, const char *fmt, va_list ap);

/* Copies the finding of that number, or the oldest later one; false: none. Any context. */
bool glass_lint_get(struct glass_lint *l, u64 id, struct glass_finding *out);

#endif
