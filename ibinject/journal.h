/* SPDX-License-Identifier: GPL-2.0-only */
/* The journal of a device, read as it grows. */
#ifndef IBINJECT_JOURNAL_H
#define IBINJECT_JOURNAL_H

#include "device.h"

struct journal {
	char dev[DEVICE_NAME];
	int fd;
	uint64_t last;	 /* number of the last firing that was read */
	uint64_t missed; /* firings that the driver had forgotten already */
	struct debugfs_file file;
	bool told; /* a line that is none */
};

/* Opens it; what is there already is read too, unless from_now. False: told. */
bool journal_open(struct journal *j, const char *dev, bool from_now);
void journal_close(struct journal *j);

/*
 * The next line that is there, without newline, valid until the next call; NULL: none yet. The first
 * line that is none is told; all are passed over.
 */
const char *journal_next(struct journal *j);

#endif
