/* SPDX-License-Identifier: GPL-2.0-only */
/* A snapshot of all QPs of this host, for lib/why/wait.h. */
#ifndef GLASS_LIB_BLACKBOX_SNAPSHOT_H
#define GLASS_LIB_BLACKBOX_SNAPSHOT_H

#include "lib/debugfs/device.h"
#include "lib/debugfs/file.h"
#include "lib/why/wait.h"

/* A snapshot and the texts that it points into */
struct qp_snapshot {
	struct why_snapshot w;
	struct debugfs_file text[DEVICES_MAX], held[DEVICES_MAX], journal[DEVICES_MAX];
	struct debugfs_file cqs[DEVICES_MAX], srqs[DEVICES_MAX], failures;
};

/*
 * Reads the QPs, CQs, SRQs, held packets, firings of rules and processes of these adapters, one adapter after the other, and
 * then the failures that could explain a wait, with their verdicts. Returns 0 or an
 * errno value; *failed: the index of the adapter that could not be read. The caller frees it in any case.
 * Prints nothing.
 */
int snapshot_take(struct qp_snapshot *t, const struct devices *devices, size_t *failed);
void snapshot_free(struct qp_snapshot *t);

/* The folder of processes: /proc. Tests use another one. */
extern const char *proc_root;

#endif
