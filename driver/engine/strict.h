/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Strict mode (model/strict.h): turns a device's knobs, and deregisters regions late. */
#ifndef GLASS_ENGINE_STRICT_H
#define GLASS_ENGINE_STRICT_H

#include "model/device.h"
#include "model/strict.h"

/*
 * Behaviour relaxed_invalidation, for a region that a verb deregisters: a work item calls
 * forget(mr), which frees it, 1 to 5 ms later. Until then the region's keys work.
 */
void glass_strict_forget_mr(struct glass_mr *mr, void (*forget)(struct glass_mr *mr));

/* Turns a knob on or off. The caller serialises calls for one device. May sleep. */
void glass_strict_set(struct glass_dev *dev, enum glass_behavior b, bool on, u64 seed);
/*
 * Called when the device goes away: waits until all late regions are freed, and turns all knobs
 * off. May sleep.
 */
void glass_strict_clear(struct glass_dev *dev);

#endif
