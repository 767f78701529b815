/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Strict mode: where the specification allows several behaviours, the adapter shows a less usual
 * one. Each behaviour has a knob, which debugfs/ turns on and off. There is also a knob for
 * equal_keys, a lenient behaviour: it accepts a misuse that the specification forbids. Code with
 * several behaviours calls glass_strict() to learn whether the knob is on. While all knobs of all
 * devices are off, this call costs one static branch. Random choices come from a hash of the knob's
 * seed.
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
	u64 base; /* default seed of knobs turned on later; from the debugfs file behavior/seed */
	u64 seed[GLASS_BEHAVIOR_COUNT]; /* by knob */
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

/* Returns a hash of three values: the seed of knob b, `a` and `c`. */
u64 glass_strict_hash(const struct glass_strict *s, enum glass_behavior b, u64 a, u64 c);

#endif
