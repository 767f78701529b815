// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Finds the adapters that a story names by number (story.h). */
#include "debugfs/story.h"
#include "model/device.h"

struct glass_dev *glass_story_hold(struct glass_fabric *fabric, u32 hca)
{
	struct glass_dev *dev;
	unsigned long flags;

	spin_lock_irqsave(&fabric->lock, flags);
	dev = fabric->hca[hca];
	if (dev && !ib_device_try_get(&dev->ib))
		dev = NULL;
	spin_unlock_irqrestore(&fabric->lock, flags);
	return dev;
}

void glass_story_device(struct glass_fabric *fabric, u32 hca, char name[IB_DEVICE_NAME_MAX])
{
	unsigned long flags;

	snprintf(name, IB_DEVICE_NAME_MAX, "#%u", hca);
	spin_lock_irqsave(&fabric->lock, flags);
	if (hca < ARRAY_SIZE(fabric->hca) && fabric->hca[hca])
		strscpy(name, fabric->hca[hca]->ib.name, IB_DEVICE_NAME_MAX);
	spin_unlock_irqrestore(&fabric->lock, flags);
}
