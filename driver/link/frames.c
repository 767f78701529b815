// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Frames that waited for a lane: passes them to their netdev cable or Ethernet port (link.h). */
#include "link/ether.h"
#include "link/link.h"
#include "link/netcable.h"

/* A lane processes about this many frames or datagrams of a queue before it looks at other work. */
#define FRAMES_AT_ONCE 16

void glass_link_frames(struct glass_frames *q, struct glass_run *run)
{
	struct glass_netcable *c = q->cable;
	struct glass_ether *e = q->ether;
	struct sk_buff_head some;
	struct sk_buff *skb;
	u32 n = 0;

	__skb_queue_head_init(&some);
	spin_lock_bh(&q->skbs.lock);
	while (n < FRAMES_AT_ONCE && (skb = __skb_dequeue(&q->skbs))) {
		__skb_queue_tail(&some, skb);
		n += e ? glass_ether_datagrams(skb) : 1;
	}
	spin_unlock_bh(&q->skbs.lock);
	while ((skb = __skb_dequeue(&some))) {
		atomic_sub(skb->truesize, e ? &e->queued : &c->queued);
		if (e)
			glass_ether_frame(e, skb, run, &q->icrc);
		else
			glass_netcable_frame(c, skb, run);
		consume_skb(skb);
	}
}

u32 glass_link_frame(struct glass_frames *q, struct glass_run *run)
{
	struct glass_netcable *c = q->cable;
	struct glass_ether *e = q->ether;
	struct sk_buff *skb;
	u32 n;

	spin_lock_bh(&q->skbs.lock);
	skb = skb_peek(&q->skbs);
	if (skb && (e ? glass_ether_plain(skb) : glass_netcable_plain(skb)))
		__skb_unlink(skb, &q->skbs);
	else
		skb = NULL;
	spin_unlock_bh(&q->skbs.lock);
	if (!skb)
		return 0;
	n = e ? glass_ether_datagrams(skb) : 1;
	atomic_sub(skb->truesize, e ? &e->queued : &c->queued);
	if (e)
		glass_ether_frame(e, skb, run, &q->icrc);
	else
		glass_netcable_frame(c, skb, run);
	consume_skb(skb);
	return n;
}
