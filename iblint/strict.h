/* SPDX-License-Identifier: GPL-2.0-only */
/* Strict mode: behaviours of adapters, for as long as this process lives. */
#ifndef IBLINT_STRICT_H
#define IBLINT_STRICT_H

#include "code.h"
#include "device.h"

struct strict {
	pid_t guard; /* 0: nothing was changed */
	int end;     /* the guard restores when this is closed, however that comes */
};

/*
 * Turns knobs on, with a seed. They become what they were by strict_end(), and by a process of
 * its own when this one is killed. Returns a status, told.
 */
enum status strict_begin(struct strict *s, const struct devices *devices,
			 const bool knob[GLASS_BEHAVIOR_COUNT], uint64_t seed);

/* False: a knob could not be restored; told. */
bool strict_end(struct strict *s);

#endif
