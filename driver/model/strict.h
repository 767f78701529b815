/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Strict mode: where the IBA specification or a man page allows several behaviours, the adapter can
 * show a less usual one. Each such behaviour has a knob, which a file in debugfs turns on and off.
 * One more knob, equal_keys, is not strict but lenient: the adapter then accepts a misuse that the
 * specification forbids.
 *
 * glass_strict() says whether a knob is on. While all knobs of all devices are off, the call costs
 * one static branch. A behaviour that needs a random number uses glass_strict_hash().
 */
#ifndef GLASS_MODEL_STRICT_H
#define GLASS_MODEL_STRICT_H

#include <linux/jump_label.h>
#include <linux/types.h>

#include "uapi/glass-lint.h"

DECLARE_STATIC_KEY_FALSE(glass_strict_key);

/*
 * A device's knobs. While the device has files in debugfs, a mutex of debugfs/lint_files.c protects
 * writes. Readers take no lock.
 */
struct glass_strict {
	u32 on; /* BIT(enum glass_behavior) of the knobs that are on */
	/* seed of a knob that is turned on without one; the file behavior/seed sets it */
	u64 base;
	u64 seed[GLASS_BEHAVIOR_COUNT]; /* by enum glass_behavior */
};

/* Does any device have a knob on? */
static inline bool glass_strict_any(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_unlikely(&glass_strict_key);
}

/* Is this knob of the device on? */
static inline bool glass_strict(const struct glass_strict *s, enum glass_behavior b)
{
	return glass_strict_any() && (READ_ONCE(s->on) & 1U << b);
}

/* Returns a hash of the seed of knob b, of `a`, and of `c`. */
u64 glass_strict_hash(const struct glass_strict *s, enum glass_behavior b, u64 a, u64 c);

#endif
