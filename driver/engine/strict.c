// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Turns the knobs of strict mode on and off, and frees deregistered regions late (strict.h). */
#include <linux/wait_bit.h>

#include "engine/engine.h"
#include "engine/strict.h"
#include "engine/lane.h"
#include "model/may_sleep.h"

/* Writes the set of knobs that are on into the control page, which programs map read-only. */
static void strict_update_page(struct glass_dev *dev)
{
	struct glass_control_page *page = dev->control;

	WRITE_ONCE(page->strict, dev->strict.on);
	if (dev->strict.on)
		atomic_or(GLASS_CTL_STRICT, (atomic_t *)&page->flags);
	else
		atomic_andnot(GLASS_CTL_STRICT, (atomic_t *)&page->flags);
}

void glass_strict_set(struct glass_dev *dev, enum glass_behavior b, bool on, u64 seed)
{
	bool was = dev->strict.on & 1U << b;

	WRITE_ONCE(dev->strict.seed[b], seed);
	if (was == on)
		return;
	if (on) {
		glass_may_sleep_get();
		static_branch_inc(&glass_strict_key);
	}
	WRITE_ONCE(dev->strict.on, dev->strict.on ^ 1U << b);
	strict_update_page(dev);
	if (!on && b == GLASS_BEHAVIOR_LATE_COMPLETIONS)
		glass_late_release(dev, GLASS_LATE_STRICT);
	if (!on) {
		static_branch_dec(&glass_strict_key);
		glass_may_sleep_put();
	}
}

static void forget_work(struct work_struct *work)
{
	struct glass_mr *mr = container_of(to_delayed_work(work), struct glass_mr, late);
	struct glass_dev *dev = mr->dev;

	mr->forget(mr);
	if (atomic_dec_and_test(&dev->ndying))
		wake_up_var(&dev->ndying);
}

/*
 * A region is freed between FORGET_FIRST and FORGET_LAST us after dereg_mr, plus up to two jiffies.
 */
#define FORGET_FIRST 1000
#define FORGET_LAST 5000

void glass_strict_forget_mr(struct glass_mr *mr, void (*forget)(struct glass_mr *mr))
{
	u64 h = glass_strict_hash(&mr->dev->strict, GLASS_BEHAVIOR_RELAXED_INVALIDATION, mr->key, 0);

	mr->forget = forget;
	INIT_DELAYED_WORK(&mr->late, forget_work);
	atomic_inc(&mr->dev->ndying);
	queue_delayed_work(glass_lane_wq, &mr->late,
			   usecs_to_jiffies(FORGET_FIRST + h % (FORGET_LAST - FORGET_FIRST)) + 1);
}

void glass_strict_clear(struct glass_dev *dev)
{
	u32 b;

	wait_var_event(&dev->ndying, !atomic_read(&dev->ndying));

	for (b = 0; b < GLASS_BEHAVIOR_COUNT; b++)
		glass_strict_set(dev, b, false, 0);
}
