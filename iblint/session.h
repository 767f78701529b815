/* SPDX-License-Identifier: GPL-2.0-only */
/* Observes programs on some adapters while this process lives. */
#ifndef IBLINT_SESSION_H
#define IBLINT_SESSION_H

#include <sys/types.h>

#include "mute.h"

#define TARGETS_MAX 16

/* The observed programs: either all, or any of the others */
struct targets {
	bool all;
	pid_t pid[TARGETS_MAX]; /* each with its descendants */
	size_t pids;
	const char *comm[TARGETS_MAX];
	size_t comms;
};

struct session_setup {
	struct targets targets;
	bool choose; /* codes is valid; otherwise the driver's default applies */
	struct glass_lint_set codes, errors;
	bool log;    /* also write findings to the kernel log */
	bool stacks; /* programs record call stacks, and findings have them */
};

struct session_device {
	char name[DEVICE_NAME];
	int scope, findings; /* file descriptors */
	uint64_t id[2 * TARGETS_MAX + 1]; /* ids of the session's scopes */
	size_t ids;
	struct finding *finding; /* by rising id */
	size_t count;
	uint64_t lost, lost_before;
};

struct session {
	const struct mutes *mutes;
	struct where *where; /* NULL: call stacks are not wanted */
	struct session_device device[DEVICES_MAX];
	size_t devices;
	struct debugfs_file file; /* the file that was read last; its memory is reused */
};

/* Sets up the driver's scopes. Returns a status, after an error message if it is not ST_OK. */
enum status session_begin(struct session *s, const struct session_setup *setup,
			  const struct mutes *mutes, const struct devices *devices);

/*
 * Reads new findings. Calls `tell` with `arg` once for each finding of the session that is not
 * suppressed. last: no other call follows. Returns false, after an error message, if a file cannot
 * be read. Reports bad lines, too.
 */
bool session_look(struct session *s, bool last, void (*tell)(const struct finding *f, void *arg),
		  void *arg);

/*
 * Calls `each` for each finding of the session, also suppressed ones: by severity, worst first,
 * then by code.
 */
void session_each(struct session *s, void (*each)(const struct finding *f, void *arg), void *arg);

/* Returns how many findings the driver dropped for lack of room during the session. */
uint64_t session_lost(const struct session *s);

void session_end(struct session *s);

#endif
