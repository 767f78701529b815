/* SPDX-License-Identifier: GPL-2.0-only */
/* ring_abuse: a program that resizes its SRQ by itself, and moves the producer index meanwhile. */
#ifndef ABUSE_SRQ_H
#define ABUSE_SRQ_H

#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <sys/mman.h>

#include "check.h"
#include "uapi/glass-abi.h"

/* The command without the provider, which keeps the ring as it knew it. Returns 0 or the errno
 * value. */
static int raw_resize_srq(struct ibv_srq *srq, uint32_t max_wr,
			  volatile struct glass_ring_info *info)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_modify_srq core;
		struct glass_modify_srq_req drv;
	} cmd = {
		.hdr.command = IB_USER_VERBS_CMD_MODIFY_SRQ,
		.hdr.in_words = sizeof(cmd) / 4,
		.core.srq_handle = srq->handle,
		.core.attr_mask = IBV_SRQ_MAX_WR,
		.core.max_wr = max_wr,
		.drv.ring_info = (uintptr_t)info,
	};

	return write(srq->context->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd) ? 0 : errno;
}

static uint8_t *map_area(struct ibv_srq *srq, const volatile struct glass_ring_place *place)
{
	uint8_t *mem = mmap(NULL, place->mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			    srq->context->cmd_fd, place->mmap_offset);

	CHECK(mem != MAP_FAILED, "mmap of an area: %s", strerror(errno));
	return mem;
}

static struct glass_abi_recv_wqe *recv_at(uint8_t *area, const struct glass_ring_info *info,
					  uint32_t i)
{
	return (void *)(area + info->entries.offset + (size_t)i * info->stride);
}

/* Moves the index back when the driver has answered where the new entries lie, which it does before
 * it copies. */
struct move_back {
	struct glass_ring_hdr *hdr;
	volatile struct glass_ring_info info;
	unsigned int delay; /* loops after that */
	volatile bool over, moved;
};

static void *move_back(void *arg)
{
	struct move_back *m = arg;
	volatile unsigned int left;

	while (!m->info.stride && !m->over)
		;
	for (left = m->delay; left; left--)
		;
	__atomic_store_n(&m->hdr->producer, 0, __ATOMIC_RELEASE);
	m->moved = true;
	return NULL;
}

/*
 * A resize copies what is posted in several rounds, mostly without the SRQ's lock. An index that is
 * moved back between two of them must not make it copy the whole ring.
 *
 * Met: the receives were copied, so the first round saw the index ahead, and it was back when the
 * verb returned.
 */
static void srq_moved_back(void)
{
	const uint32_t num = 16384, max_wr = num / 2 + 1, posted = max_wr;
	struct ibv_srq *srq = vt_srq(&A, num, GLASS_MAX_SGE);
	uint64_t until = vt_now_ms() + VT_WAIT_MS;
	struct glass_ring_info old = {}, new;
	uint8_t *head, *from, *to;
	unsigned int tries = 0;
	bool met = false, in_time;
	uint32_t i;
	int err;

	err = raw_resize_srq(srq, num, &old);
	CHECK(!err, "modify_srq: %s", strerror(err));
	head = map_area(srq, &old.hdr);
	from = map_area(srq, &old.entries);
	while (!met) {
		struct move_back m = { .hdr = (void *)(head + old.hdr.offset),
				       .delay = tries++ % 64 * 16 };
		pthread_t thread;

		CHECK(vt_now_ms() < until, "%u resizes did not meet an index that moved", tries);
		for (i = 0; i < num; i++)
			recv_at(from, &old, i)->wr_id = i + 1;
		__atomic_store_n(&m.hdr->producer, posted, __ATOMIC_RELEASE);
		CHECK(!pthread_create(&thread, NULL, move_back, &m), "pthread_create failed");
		err = raw_resize_srq(srq, max_wr, &m.info);
		in_time = m.moved;
		m.over = true;
		pthread_join(thread, NULL);
		CHECK(!err, "modify_srq: %s", strerror(err));
		new = m.info;
		CHECK(new.num == num, "the SRQ has %u entries", new.num);
		to = map_area(srq, &new.entries);
		met = in_time && recv_at(to, &new, posted - 1)->wr_id == posted;
		for (i = posted; i < num; i++)
			CHECK(!recv_at(to, &new, i)->wr_id,
			      "entry %u was copied, of %u that were posted", i, posted);
		munmap(from, old.entries.mmap_bytes);
		from = to;
		old = new;
	}
	munmap(from, old.entries.mmap_bytes);
	munmap(head, old.hdr.mmap_bytes);
}

#endif
