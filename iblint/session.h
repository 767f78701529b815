/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking at programs on some adapters, for as long as this process lives. */
#ifndef IBLINT_SESSION_H
#define IBLINT_SESSION_H

#include <sys/types.h>

#include "mute.h"

#define TARGETS_MAX 16

/* What is looked at: nothing but all, or any of the others */
struct targets {
	bool all;
	pid_t pid[TARGETS_MAX]; /* with what descends from them */
	size_t pids;
	const char *comm[TARGETS_MAX];
	size_t comms;
};

struct session_setup {
	struct targets targets;
	bool choose; /* codes holds; else the driver's default */
	struct code_set codes, errors;
	bool log; /* to the kernel log, too */
};

struct session_device {
	char name[DEVICE_NAME];
	int scope, findings; /* open files */
	uint64_t id[2 * TARGETS_MAX + 1]; /* of our scopes */
	size_t ids;
	struct finding *finding; /* in the order of their ids */
	size_t count;
	uint64_t lost, lost_before;
};

struct session {
	const struct mutes *mutes;
	struct session_device device[DEVICES_MAX];
	size_t devices;
	struct debugfs_file file; /* read last; its memory is used again */
};

/* Tells the driver what to look at. Returns a status, told. */
enum status session_begin(struct session *s, const struct session_setup *setup,
			  const struct mutes *mutes, const struct devices *devices);

/*
 * Reads what is new, and calls `tell` once for each finding of the session that is not muted, with
 * `arg`; last: no other look follows. False: the files cannot be read; told. Lines that are no
 * findings are told, too.
 */
bool session_look(struct session *s, bool last, void (*tell)(const struct finding *f, void *arg),
		  void *arg);

/* Calls `each` with each finding of the session, muted ones too: the worst first, then by code. */
void session_each(struct session *s, void (*each)(const struct finding *f, void *arg), void *arg);

/* How many findings the driver had no room for since the beginning */
uint64_t session_lost(const struct session *s);

void session_end(struct session *s);

#endif
