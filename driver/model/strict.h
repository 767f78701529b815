/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Strict mode: where the specification allows several behaviours, the adapter shows a less usual
 * one. Each behaviour has a knob, which debugfs/ turns on and off. Code that has several behaviours
 * asks glass_strict() for the knob; while all knobs of all devices are off, that costs one static
 * branch. Random choices come from a hash of the knob's seed.
 */
#ifndef GLASS_MODEL_STRICT_H
#define GLASS_MODEL_STRICT_H

#include <linux/jump_label.h>
#include <linux/types.h>

#include "uapi/glass-lint.h"

DECLARE_STATIC_KEY_FALSE(glass_strict_key);

/* A device's knobs. The mutex of debugfs/lint_files.c protects writes; readers take no lock. */
struct glass_strict {
	u32 on; /* bits 1 << enum glass_behavior */
	u64 base; /* from the debugfs file behavior/seed */
	u64 seed[GLASS_BEHAVIOR_COUNT];
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

/* Returns a number that depends only on three values: the knob's seed, `a` and `c`. */
u64 glass_strict_hash(const struct glass_strict *s, enum glass_behavior b, u64 a, u64 c);

#endif
