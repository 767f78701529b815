/* SPDX-License-Identifier: GPL-2.0-only */
/* The journal of a device, read as it grows. */
#ifndef IBINJECT_JOURNAL_H
#define IBINJECT_JOURNAL_H

#include "device.h"

#define JOURNAL_LINE 1024

struct journal {
	char dev[DEVICE_NAME];
	int fd;
	uint64_t last;	 /* number of the last firing that was read */
	uint64_t missed; /* firings that the driver had forgotten already */
	char buf[4 * JOURNAL_LINE];
	size_t len;
};

/* Opens it; what is there already is read too, unless from_now. False: told. */
bool journal_open(struct journal *j, const char *dev, bool from_now);
void journal_close(struct journal *j);

/* The next line, without newline, that is there; false: none yet. */
bool journal_next(struct journal *j, char line[JOURNAL_LINE]);

#endif
