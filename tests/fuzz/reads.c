// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "fuzz.h"
#include "reads.h"

#define PLANNED 16
#define ALLOWED 4

static struct {
	bool running;
	uint8_t *mem;
	size_t len;
	uint32_t count; /* reads */
	struct {
		uint32_t after;
		size_t offset, len;
		uint8_t bytes[8];
	} plan[PLANNED];
	uint32_t nplan, done;
	struct {
		size_t from, to;
	} allowed[ALLOWED];
	uint32_t nallowed;
} r;

static uint8_t seen[READS_MAX], values[READS_MAX], expected[READS_MAX];

void reads_begin(uint8_t *mem, size_t len)
{
	FUZZ_CHECK(len <= READS_MAX, "%zu bytes", len);
	memset(&r, 0, sizeof(r));
	r.mem = mem;
	r.len = len;
}

void reads_plan(uint32_t after, size_t offset, const void *bytes, size_t len)
{
	if (r.nplan == PLANNED || len > sizeof(r.plan[0].bytes) || offset + len > r.len)
		return;
	r.plan[r.nplan].after = after;
	r.plan[r.nplan].offset = offset;
	r.plan[r.nplan].len = len;
	memcpy(r.plan[r.nplan++].bytes, bytes, len);
}

void reads_allow(size_t offset, size_t len)
{
	FUZZ_CHECK(r.nallowed < ALLOWED, "%u places", r.nallowed);
	r.allowed[r.nallowed].from = offset;
	r.allowed[r.nallowed++].to = offset + len;
}

static void change(uint32_t n)
{
	memcpy(r.mem + r.plan[n].offset, r.plan[n].bytes, r.plan[n].len);
	memcpy(expected + r.plan[n].offset, r.plan[n].bytes, r.plan[n].len);
	/* made, and not again */
	r.plan[n].after = ~0u;
}

void reads_start(void)
{
	uint32_t i;

	/* where reads are not seen, all is changed before the first one */
	for (i = 0; i < r.nplan && !READS_SEEN; i++)
		change(i);
	memset(seen, 0, r.len);
	memcpy(values, r.mem, r.len);
	memcpy(expected, r.mem, r.len);
	r.running = true;
}

void reads_end(void)
{
	uint32_t i;

	r.running = false;
	for (i = 0; i < r.nplan; i++)
		if (r.plan[i].after != ~0u)
			change(i);
}

bool reads_saw(size_t offset, size_t len)
{
	while (READS_SEEN && len--)
		if (!seen[offset + len])
			return false;
	return true;
}

const uint8_t *reads_at(size_t offset)
{
	return values + offset;
}

const uint8_t *reads_expected(void)
{
	return expected;
}

#if READS_SEEN
static bool is_watched(const void *addr)
{
	return r.running && (uintptr_t)addr - (uintptr_t)r.mem < r.len;
}

static bool is_allowed(size_t from, size_t to)
{
	uint32_t i;

	for (i = 0; i < r.nallowed; i++)
		if (from >= r.allowed[i].from && to <= r.allowed[i].to)
			return true;
	return false;
}

/* Before a load: what another writer did since the last one is there. */
static void on_read(const void *addr, size_t len)
{
	size_t from = (const uint8_t *)addr - r.mem, i;
	uint32_t n;

	if (!is_watched(addr))
		return;
	for (n = 0; n < r.nplan; n++)
		if (r.plan[n].after != ~0u && r.plan[n].after <= r.count)
			change(n);
	r.count++;
	FUZZ_CHECK(is_allowed(from, from + len), "%zu bytes at %zu are read", len, from);
	for (i = from; i < from + len; i++) {
		FUZZ_CHECK(!seen[i], "byte %zu is read twice, here by %zu bytes at %zu", i, len, from);
		seen[i] = 1;
		values[i] = r.mem[i];
	}
}

void __sanitizer_cov_load1(uint8_t *addr);
void __sanitizer_cov_load2(uint16_t *addr);
void __sanitizer_cov_load4(uint32_t *addr);
void __sanitizer_cov_load8(uint64_t *addr);
void __sanitizer_cov_load16(__int128 *addr);
void *__real___asan_memcpy(void *to, const void *from, size_t len);
void *__wrap___asan_memcpy(void *to, const void *from, size_t len);

void __sanitizer_cov_load1(uint8_t *addr)
{
	on_read(addr, 1);
}

void __sanitizer_cov_load2(uint16_t *addr)
{
	on_read(addr, 2);
}

void __sanitizer_cov_load4(uint32_t *addr)
{
	on_read(addr, 4);
}

void __sanitizer_cov_load8(uint64_t *addr)
{
	on_read(addr, 8);
}

void __sanitizer_cov_load16(__int128 *addr)
{
	on_read(addr, 16);
}

/* A copy is as many reads as it has words of 4 bytes: nobody promises more. */
void *__wrap___asan_memcpy(void *to, const void *from, size_t len)
{
	size_t at, n;

	if (!is_watched(from))
		return __real___asan_memcpy(to, from, len);
	for (at = 0; at < len; at += n) {
		n = len - at < 4 ? len - at : 4;
		on_read((const uint8_t *)from + at, n);
		__real___asan_memcpy((uint8_t *)to + at, (const uint8_t *)from + at, n);
	}
	return to;
}
#endif
