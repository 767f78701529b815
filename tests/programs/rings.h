/* SPDX-License-Identifier: GPL-2.0-only */
/* For programs that write into the rings that they share with the driver. */
#ifndef RINGS_H
#define RINGS_H

#include "uapi/glass-abi.h"
#include "vt.h"

/* ---- the rings, found as a debugger would: by what the program just put there */

struct map {
	uint8_t *at;
	size_t bytes;
	bool writable;
};

static VT_UNUSED int maps_of_uverbs(struct map *maps, int max)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], perms[8];
	unsigned long from, to;
	int n = 0;

	CHECK(f, "/proc/self/maps: %s", strerror(errno));
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "/dev/infiniband/uverbs") &&
		    sscanf(line, "%lx-%lx %7s", &from, &to, perms) == 3 && n < max)
			maps[n++] = (struct map){ (uint8_t *)from, to - from, perms[1] == 'w' };
	fclose(f);
	return n;
}

/* Something that no ring has held before: memory of rings is used again. */
static VT_UNUSED uint64_t unique_id(void)
{
	static uint64_t next = 0x1111222233334441;

	return next += 0x10001;
}

/* What begins with these bytes in an area. Chunks of an area, and entries, begin at multiples of 64. */
static VT_UNUSED void *find(const void *what, size_t len)
{
	struct map maps[1024];
	int n = maps_of_uverbs(maps, ARRAY_LEN(maps)), i, count = 0;
	void *found = NULL;
	size_t at;

	for (i = 0; i < n; i++)
		for (at = 0; maps[i].writable && at + len <= maps[i].bytes; at += 64)
			if (!memcmp(maps[i].at + at, what, len)) {
				found = maps[i].at + at;
				count++;
			}
	CHECK(count == 1, "%d places look like what is sought", count);
	return found;
}

static VT_UNUSED uint8_t *find_recv(uint64_t wr_id)
{
	struct glass_abi_recv_wqe wqe = { .wr_id = wr_id, .num_sge = 1 };

	return find(&wqe, sizeof(wqe));
}

/* With its opcode, flags and SGEs: its completion has the same wr_id. */
static VT_UNUSED uint8_t *find_send(const struct ibv_send_wr *wr)
{
	struct glass_abi_send_wqe wqe = { .wr_id = wr->wr_id, .opcode = wr->opcode,
					  .flags = GLASS_WQE_SIGNALED, .num_sge = 1 };

	return find(&wqe, offsetof(struct glass_abi_send_wqe, inline_len));
}

/* The header of a ring whose entries it precedes, as it does in rings that have one size for ever. */
static VT_UNUSED struct glass_ring_hdr *hdr_before(void *entry, uint32_t producer)
{
	struct glass_ring_hdr *hdr = (void *)((uint8_t *)entry - GLASS_RING_HDR_BYTES);

	CHECK(hdr->producer == producer, "no header stands before the ring's entries");
	return hdr;
}

/* The header that alone has these indices. */
static VT_UNUSED struct glass_ring_hdr *find_hdr(struct glass_ring_hdr like)
{
	return find(&like, sizeof(like));
}

#endif
