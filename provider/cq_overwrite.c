// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * CQs that ignore overruns (IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN). When the ring is full, the driver
 * overwrites the oldest completion. It may do so while the program reads it. Polling therefore
 * copies a completion first and uses the copy only if it was not overwritten. Destroying a QP moves
 * the completions of other QPs from the ring to cq->kept.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "glass.h"

int glass_cq_kept_alloc(struct glass_cq_kept *kept, uint32_t cqe)
{
	*kept = (struct glass_cq_kept){ .max = cqe };
	kept->cqe = calloc(cqe, sizeof(*kept->cqe));
	return kept->cqe ? 0 : ENOMEM;
}

static struct glass_abi_cqe *kept_at(const struct glass_cq_kept *kept, uint32_t i)
{
	return &kept->cqe[(kept->first + i) % kept->max];
}

static void keep(struct glass_cq_kept *kept, const struct glass_abi_cqe *cqe)
{
	if (kept->n == kept->max) {
		kept->first = (kept->first + 1) % kept->max;
		kept->n--;
	}
	*kept_at(kept, kept->n++) = *cqe;
}

static void set_consumer(struct glass_cq *cq, uint32_t consumer)
{
	glass_store_release(&cq->consumer, consumer);
	glass_store_release(&cq->ring.hdr->consumer, consumer);
}

/*
 * Copies the oldest intact completion out of the ring and moves the consumer index behind it.
 * Leaves completions at or after `end`. Returns false if there is none. The loop repeats only if
 * the driver added a completion meanwhile.
 */
static bool take_from_ring(struct glass_cq *cq, struct glass_abi_cqe *to, const uint32_t *end)
{
	const struct glass_ring *ring = &cq->ring;
	uint32_t max = cq->kept.max, consumer = cq->consumer, producer;

	for (;;) {
		producer = glass_load_acquire(&ring->hdr->producer);
		if (producer - consumer > max)
			consumer = producer - max;
		if (consumer == producer || (end && (int32_t)(*end - consumer) <= 0)) {
			set_consumer(cq, consumer);
			return false;
		}
		memcpy(to, glass_ring_at(ring, consumer), sizeof(*to));
		/*
		 * Order the loads of the copy before the next load of the index. Pairs with
		 * smp_wmb() in the driver's lose_oldest().
		 */
		atomic_thread_fence(memory_order_acquire);
		if (glass_load_relaxed(&ring->hdr->producer) - consumer <= max)
			break;
	}
	set_consumer(cq, consumer + 1);
	return true;
}

bool glass_cq_take_copy(struct glass_cq *cq, struct glass_abi_cqe *to)
{
	struct glass_cq_kept *kept = &cq->kept;

	if (!kept->n)
		return take_from_ring(cq, to, NULL);
	*to = *kept_at(kept, 0);
	kept->first = (kept->first + 1) % kept->max;
	kept->n--;
	return true;
}

uint32_t glass_cq_drop_kept(struct glass_cq *cq, uint32_t qpn)
{
	struct glass_cq_kept *kept = &cq->kept;
	uint32_t end = glass_load_acquire(&cq->ring.hdr->producer);
	uint32_t i, n = 0, dropped = 0;
	struct glass_abi_cqe cqe;

	for (i = 0; i < kept->n; i++)
		if (kept_at(kept, i)->qp_num != qpn)
			*kept_at(kept, n++) = *kept_at(kept, i);
	dropped = kept->n - n;
	kept->n = n;
	while (take_from_ring(cq, &cqe, &end)) {
		if (cqe.qp_num == qpn)
			dropped++;
		else
			keep(kept, &cqe);
	}
	return dropped;
}

void glass_cq_kept_resize(struct glass_cq *cq, struct glass_cq_kept *fresh)
{
	struct glass_cq_kept *kept = &cq->kept;
	uint32_t producer = glass_load_acquire(&cq->ring.hdr->producer);
	uint32_t i;

	/* the driver copied the completions that fit the old size, and none that are older */
	if (producer - cq->consumer > kept->max)
		set_consumer(cq, producer - kept->max);
	for (i = 0; i < kept->n; i++)
		keep(fresh, kept_at(kept, i));
	free(kept->cqe);
	*kept = *fresh;
	*fresh = (struct glass_cq_kept){};
}
