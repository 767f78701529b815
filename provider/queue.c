// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Areas, which hold the rings: mapped on first use, not inherited by forked children. */
#include <config.h>

#include <errno.h>
#include <sched.h>
#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <infiniband/driver.h>

#include "queue.h"

/* After the last ring is gone, a spare of at most this size is kept. */
#define SMALL_AREA (64u << 10)
/* A larger area has the rings of a single queue or QP (AREA_MAX of the driver). */
#define LARGEST_SHARED (4u << 20)

/* Tells the CPU that this thread waits for another one. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* A thread that waits for a lock lets others run after so many looks: its holder may have lost its CPU. */
#define LOOKS 1000

void glass_lock_wait(struct glass_lock *l)
{
	unsigned int n = 0;

	do {
		while (atomic_load_explicit(&l->free, memory_order_relaxed) <= 0) {
			if (++n % LOOKS)
				relax();
			else
				sched_yield();
		}
	} while (atomic_fetch_sub_explicit(&l->free, 1, memory_order_acquire) != 1);
}

void glass_areas_init(struct glass_areas *areas, int cmd_fd)
{
	*areas = (struct glass_areas){ .cmd_fd = cmd_fd };
	pthread_mutex_init(&areas->lock, NULL);
}

/* ---- areas */

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct glass_area *)a)->number, y = ((const struct glass_area *)b)->number;

	return x < y ? -1 : x > y;
}

static int area_map(struct glass_area *area, int cmd_fd, const struct glass_ring_place *place)
{
	int ret;

	area->number = place->area;
	area->bytes = place->mmap_bytes;
	area->mem = mmap(NULL, area->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cmd_fd,
			 place->mmap_offset);
	if (area->mem == MAP_FAILED)
		return errno;
	ret = ibv_dontfork_range(area->mem, area->bytes);
	if (ret)
		munmap(area->mem, area->bytes);
	return ret;
}

static void area_unmap(struct glass_areas *areas, struct glass_area *area)
{
	tdelete(area, &areas->by_number, compare);
	ibv_dofork_range(area->mem, area->bytes);
	munmap(area->mem, area->bytes);
	free(area);
}

/* Maps an area. Returns 0 or an errno value. */
static int area_add(struct glass_areas *areas, const struct glass_ring_place *place,
		    struct glass_area **out)
{
	struct glass_area *area = calloc(1, sizeof(*area));
	int ret;

	if (!area)
		return ENOMEM;
	ret = area_map(area, areas->cmd_fd, place);
	if (ret) {
		free(area);
		return ret;
	}
	if (!tsearch(area, &areas->by_number, compare)) {
		area_unmap(areas, area);
		return ENOMEM;
	}
	*out = area;
	return 0;
}

/*
 * Gets a reference to the area of a place, which must hold `need` bytes. Returns 0 or an errno
 * value.
 */
static int area_get(struct glass_areas *areas, const struct glass_ring_place *place, uint64_t need,
		    struct glass_area **out)
{
	struct glass_area key = { .number = place->area }, **found;
	int ret = 0;

	if (place->offset % GLASS_CACHELINE || place->offset + need > place->mmap_bytes)
		return EPROTO;
	pthread_mutex_lock(&areas->lock);
	found = tfind(&key, &areas->by_number, compare);
	if (found)
		*out = *found;
	else
		ret = area_add(areas, place, out);
	if (!ret && (*out)->bytes != place->mmap_bytes)
		ret = EPROTO;
	if (!ret) {
		if (*out == areas->spare)
			areas->spare = NULL;
		(*out)->users++;
		areas->users++;
	}
	pthread_mutex_unlock(&areas->lock);
	return ret;
}

/*
 * Drops a reference. Keeps the last area without users as a spare, because the next ring may be
 * placed there. The driver's spare is the same area, unless threads race.
 */
static void area_put(struct glass_areas *areas, struct glass_area *area)
{
	if (!area)
		return;
	pthread_mutex_lock(&areas->lock);
	areas->users--;
	if (!--area->users && area->bytes > LARGEST_SHARED) {
		area_unmap(areas, area); /* the driver has freed it and does not reuse its place */
	} else if (!area->users) {
		if (areas->spare)
			area_unmap(areas, areas->spare);
		areas->spare = area;
	}
	if (!areas->users && areas->spare && areas->spare->bytes > SMALL_AREA) {
		area_unmap(areas, areas->spare);
		areas->spare = NULL;
	}
	pthread_mutex_unlock(&areas->lock);
}

void glass_areas_exit(struct glass_areas *areas)
{
	if (areas->spare)
		area_unmap(areas, areas->spare);
	pthread_mutex_destroy(&areas->lock);
}

/* ---- rings */

static bool shape_is_sane(const struct glass_ring_info *info, uint32_t min_stride)
{
	return !(info->num & (info->num - 1)) && info->stride >= min_stride &&
	       info->stride % GLASS_CACHELINE == 0;
}

/* Replaces the entries by those in *info. */
static int take_entries(struct glass_ring *ring, struct glass_areas *areas,
			const struct glass_ring_info *info)
{
	struct glass_area *area;
	int ret;

	ret = area_get(areas, &info->entries, (uint64_t)info->num * info->stride, &area);
	if (ret)
		return ret;
	area_put(areas, ring->entries_area);
	ring->entries_area = area;
	ring->entries = area->mem + info->entries.offset;
	ring->num = info->num;
	ring->stride = info->stride;
	return 0;
}

int glass_ring_map(struct glass_ring *ring, struct glass_areas *areas,
		   const struct glass_ring_info *info, uint32_t min_stride)
{
	int ret;

	*ring = (struct glass_ring){};
	if (!info->num)
		return 0;
	if (!shape_is_sane(info, min_stride))
		return EPROTO;
	ret = take_entries(ring, areas, info);
	if (ret)
		return ret;
	ret = area_get(areas, &info->hdr, GLASS_RING_HDR_BYTES, &ring->hdr_area);
	if (ret) {
		area_put(areas, ring->entries_area);
		return ret;
	}
	ring->hdr = (struct glass_ring_hdr *)(ring->hdr_area->mem + info->hdr.offset);
	return 0;
}

void glass_ring_unmap(struct glass_ring *ring, struct glass_areas *areas)
{
	if (!ring->hdr)
		return;
	area_put(areas, ring->hdr_area);
	area_put(areas, ring->entries_area);
	*ring = (struct glass_ring){};
}

int glass_ring_follow(struct glass_ring *ring, struct glass_areas *areas,
		      const struct glass_ring_info *info)
{
	if (!info->num || !shape_is_sane(info, ring->stride))
		return EPROTO;
	return take_entries(ring, areas, info);
}
