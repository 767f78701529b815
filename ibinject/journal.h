/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the journal of a device while it grows. */
#ifndef IBINJECT_JOURNAL_H
#define IBINJECT_JOURNAL_H

#include "device.h"

struct journal {
	char dev[DEVICE_NAME];
	int fd;
	uint64_t last;	 /* number of the newest firing that was read */
	uint64_t missed; /* firings that the driver dropped before they were read */
	struct debugfs_file file;
	bool told; /* an invalid line was reported */
};

/* Opens the journal. from_now: skips existing firings. Returns false after an error message. */
bool journal_open(struct journal *j, const char *dev, bool from_now);
void journal_close(struct journal *j);

/*
 * Returns the next line, without newline, valid until the next call; NULL if there is none yet.
 * Reports the first invalid line and skips all of them.
 */
const char *journal_next(struct journal *j);

#endif
