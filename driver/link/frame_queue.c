// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Queues received frames for lanes (netcable.h). */
#include "link/env.h"
#include "link/netcable.h"

bool glass_frames_queue(struct glass_frames *q, struct sk_buff *skb, atomic_t *queued)
{
	bool first;

	if (atomic_add_return(skb->truesize, queued) > GLASS_FRAMES_BYTES) {
		atomic_sub(skb->truesize, queued);
		return false;
	}
	/* the interface may go while the frame waits */
	skb->dev = NULL;
	spin_lock(&q->skbs.lock);
	first = skb_queue_empty(&q->skbs);
	__skb_queue_tail(&q->skbs, skb);
	spin_unlock(&q->skbs.lock);
	/* otherwise the lane that took a part of the queue looks at the rest */
	if (first)
		glass_lane_frames(q);
	return true;
}
