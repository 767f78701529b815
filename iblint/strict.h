/* SPDX-License-Identifier: GPL-2.0-only */
/* Strict mode: sets behaviours of adapters while this process lives. */
#ifndef IBLINT_STRICT_H
#define IBLINT_STRICT_H

#include "code.h"
#include "device.h"

struct strict {
	pid_t guard; /* pid of the guard process; 0: nothing was changed */
	int end;     /* a pipe; the guard restores the settings when it closes */
};

/*
 * Turns behaviours on, with a seed. strict_end() restores the former settings; if this process is
 * killed, the guard process does. Returns a status, after an error message if it is not ST_OK.
 */
enum status strict_begin(struct strict *s, const struct devices *devices,
			 const bool knob[GLASS_BEHAVIOR_COUNT], uint64_t seed);

/* Returns false after an error message if a setting could not be restored. */
bool strict_end(struct strict *s);

#endif
