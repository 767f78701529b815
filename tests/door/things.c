// SPDX-License-Identifier: GPL-2.0-only
/* What a running program has, and how the values of its arguments become handles, keys and
 * addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "door.h"

struct world world;
uint8_t answer[65536];

uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

struct thing *thing_add(enum object kind, unsigned int context, uint32_t handle)
{
	struct thing *t;

	if (world.nthings[kind] == THINGS_MAX)
		return NULL;
	t = &world.things[kind][world.nthings[kind]++];
	*t = (struct thing){ .context = context, .handle = handle };
	return t;
}

/* 0 is the newest, 1 the one before it. */
struct thing *thing_chosen(enum object kind, int context, uint64_t value)
{
	struct thing *at[THINGS_MAX];
	unsigned int n = 0, i;

	for (i = world.nthings[kind]; i--;) {
		struct thing *t = &world.things[kind][i];

		if (!t->dead && (context < 0 || t->context == context))
			at[n++] = t;
	}
	return n && value < THINGS_MAX ? at[value % n] : NULL;
}

void thing_gone(enum object kind, unsigned int context, uint32_t handle)
{
	unsigned int i;

	for (i = 0; i < world.nthings[kind]; i++)
		if (world.things[kind][i].handle == handle &&
		    world.things[kind][i].context == context)
			world.things[kind][i].dead = true;
}

static struct {
	uint64_t area;
	unsigned int context;
	uint8_t *at;
	size_t bytes;
} areas[256];
static unsigned int nareas;

/* Where a place of an area is mapped; NULL: it is not and cannot be. */
static uint8_t *place_map(unsigned int context, const struct glass_ring_place *p)
{
	unsigned int i;

	for (i = 0; i < nareas; i++)
		if (areas[i].area == p->area && areas[i].context == context)
			return areas[i].at ? areas[i].at + p->offset : NULL;
	if (nareas == ARRAY_LEN(areas))
		return NULL;
	areas[nareas].area = p->area;
	areas[nareas].context = context;
	areas[nareas].bytes = p->mmap_bytes;
	areas[nareas].at = mmap(NULL, p->mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				world.fd[context], p->mmap_offset);
	if (areas[nareas].at == MAP_FAILED)
		areas[nareas].at = NULL;
	if (world.noffsets < ARRAY_LEN(world.offsets)) {
		world.offsets[world.noffsets] = p->mmap_offset;
		world.lengths[world.noffsets++] = p->mmap_bytes;
	}
	nareas++;
	return areas[nareas - 1].at ? areas[nareas - 1].at + p->offset : NULL;
}

bool areas_hold(uintptr_t at)
{
	unsigned int i;

	for (i = 0; i < nareas; i++)
		if (areas[i].at && at >= (uintptr_t)areas[i].at &&
		    at - (uintptr_t)areas[i].at < areas[i].bytes)
			return true;
	return false;
}

/* A program that gets a ring may use all of it. */
static void ring_touch(const struct ring *r)
{
	volatile uint8_t *last = r->entries + (uint64_t)r->num * r->stride - 1;

	if (areas_hold((uintptr_t)last))
		(void)*last;
	(void)*(volatile uint32_t *)&r->hdr->producer;
}

void ring_map(struct ring *r, unsigned int context, const struct glass_ring_info *info)
{
	*r = (struct ring){};
	if (!info->num || !info->stride)
		return;
	r->hdr = (void *)place_map(context, &info->hdr);
	r->entries = place_map(context, &info->entries);
	r->num = info->num;
	r->stride = info->stride;
	if (!r->hdr || !r->entries)
		*r = (struct ring){};
	else
		ring_touch(r);
}

void things_unmap(void)
{
	unsigned int i;

	for (i = 0; i < nareas; i++)
		if (areas[i].at)
			munmap(areas[i].at, areas[i].bytes);
	for (i = 0; i < world.nthings[OBJ_MAP]; i++)
		if (!world.things[OBJ_MAP][i].dead)
			munmap((void *)world.things[OBJ_MAP][i].addr, world.things[OBJ_MAP][i].len);
}

/* Less than THINGS_MAX: the chosen object. Up to twice that: a handle as it is. From there on: the
 * value. */
static uint64_t literal(uint64_t value)
{
	if (value < THINGS_MAX)
		return NO_HANDLE;
	return value < 2 * THINGS_MAX ? value - THINGS_MAX : value;
}

/*
 * As literal(), for numbers that the driver gives one after the other: from NEIGHBOURS on those around
 * the newest one, whose objects were perhaps never told, or have gone.
 */
static uint64_t near(enum object kind, int context, uint64_t value)
{
	struct thing *t = thing_chosen(kind, context, value);

	if (t)
		return t->num;
	if (value < NEIGHBOURS || value >= NEIGHBOURS + NEIGHBOURS_MAX)
		return literal(value);
	t = thing_chosen(kind, context, 0);
	return (t ? t->num : 0) + value - NEIGHBOURS - NEIGHBOURS_MAX / 2;
}

/* Groups that the subnet manager may make, the first and the last LIDs of groups, and their neighbours. */
static const uint16_t mlids[] = { 0xc001, 0xc000, 0xc002, 0xc003, 0xc3ff, 0xfffe, 0xffff, 0xbfff };

uint64_t arg_resolve(const struct arg *a, unsigned int context, uint64_t value)
{
	struct thing *t;

	switch (a->kind) {
	case K_HANDLE:
		t = thing_chosen(a->object, context, value);
		return t ? t->handle : literal(value);
	case K_LKEY:
		t = thing_chosen(OBJ_MR, -1, value);
		return t ? t->num : literal(value);
	case K_RKEY:
		t = thing_chosen(value & 32 ? OBJ_MW : OBJ_MR, -1, value & ~32ull);
		return t ? t->rkey : literal(value);
	case K_QPN:
		return near(OBJ_QP, -1, value);
	case K_SRQN:
		return near(OBJ_SRQ, -1, value);
	case K_AHN:
		return near(OBJ_AH, context, value);
	case K_LID:
		if (value >= 16 && value < 16 + ARRAY_LEN(mlids))
			return mlids[value - 16];
		return value < 4 ? site.lid[value] : value;
	case K_MLID:
		return value < ARRAY_LEN(mlids) ? mlids[value] : value;
	case K_ADDR:
		return value < MEMORY_BYTES ? (uintptr_t)world.memory + value : value;
	case K_INTO:
		return value ? value : (uintptr_t)answer;
	case K_CONTEXT:
		return value % CONTEXTS;
	default:
		return value;
	}
}

void arg_store(void *to, const struct arg *a, unsigned int context, uint64_t value)
{
	uint8_t *at = (uint8_t *)to + a->at;

	if (!a->bytes)
		return;
	if (a->kind == K_GID) {
		uint8_t gid[16] = { 0xff, 0x12, 0xa0, 0x1b };

		gid[15] = value;
		if (value >= 64)
			memset(gid, value >> 8, sizeof(gid));
		memcpy(at, value < 4 ? site.gid[value] : gid, 16);
		return;
	}
	value = arg_resolve(a, context, value);
	memcpy(at, &value, a->bytes < 8 ? a->bytes : 8);
}

uint64_t arg_value(const struct row *row, const uint64_t *value, const char *name)
{
	unsigned int i;

	for (i = 0; i < row->nargs; i++)
		if (!strcmp(row->args[i].name, name))
			return value[i];
	fprintf(stderr, "door_fuzz: %s has no argument %s\n", row->name, name);
	abort();
}
