/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Strict mode: knobs, and what they do to regions. */
#ifndef GLASS_ENGINE_STRICT_H
#define GLASS_ENGINE_STRICT_H

#include "model/device.h"
#include "model/strict.h"

/* Forgets a deregistered region some milliseconds later. */
void glass_strict_forget_mr(struct glass_mr *mr, void (*forget)(struct glass_mr *mr));

/* Turns a knob on or off. May sleep. */
void glass_strict_set(struct glass_dev *dev, enum glass_behavior b, bool on, u64 seed);
/* Turns all knobs off and undoes their effects, because the device goes away. May sleep. */
void glass_strict_clear(struct glass_dev *dev);

#endif
