/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Strict mode: where the specification allows several behaviours, the adapter shows a less usual
 * one. Random choices come from a hash of a seed. debugfs/ sets the knobs. Code that has such a
 * choice calls glass_strict(), which costs one static branch while no device has a knob on.
 */
#ifndef GLASS_MODEL_STRICT_H
#define GLASS_MODEL_STRICT_H

#include <linux/jump_label.h>
#include <linux/types.h>

#include "uapi/glass-lint.h"

DECLARE_STATIC_KEY_FALSE(glass_strict_key);

/* A device's knobs. The mutex of debugfs/lint_files.c protects writes; readers take no lock. */
struct glass_strict {
	u32 on; /* 1 << enum glass_behavior */
	u64 base; /* behavior/seed */
	u64 seed[GLASS_BEHAVIOR_COUNT];
};

/* Does any device have a knob on? */
static inline bool glass_strict_any(void)
{
	return !IS_ENABLED(CONFIG_GLASS_NO_HOOKS) && static_branch_unlikely(&glass_strict_key);
}

static inline bool glass_strict(const struct glass_strict *s, enum glass_behavior b)
{
	return glass_strict_any() && (READ_ONCE(s->on) & 1U << b);
}

/* Returns a number that depends only on three values: the knob's seed, `a` and `c`. */
u64 glass_strict_hash(const struct glass_strict *s, enum glass_behavior b, u64 a, u64 c);

#endif
