/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Strict mode (model/strict.h): turns a device's behaviours on and off by their knobs, and frees
 * regions late.
 */
#ifndef GLASS_ENGINE_STRICT_H
#define GLASS_ENGINE_STRICT_H

#include "model/device.h"
#include "model/strict.h"

/*
 * Called by dereg_mr while the behaviour relaxed_invalidation is on. After 1 to 5 ms, plus up to
 * two jiffies, a work item calls forget(mr), which frees the region. Until then the region's keys
 * work.
 */
void glass_strict_forget_mr(struct glass_mr *mr, void (*forget)(struct glass_mr *mr));

/*
 * Turns the knob of behaviour b on or off, and sets the seed of its random choices. If
 * late_completions is turned off, releases the completions that it delays (glass_late_release()).
 * The caller serialises calls for one device. May sleep.
 */
void glass_strict_set(struct glass_dev *dev, enum glass_behavior b, bool on, u64 seed);
/*
 * Called when the device goes away: waits until all regions of glass_strict_forget_mr() are freed,
 * and then turns all knobs off. May sleep.
 */
void glass_strict_clear(struct glass_dev *dev);

#endif
