// SPDX-License-Identifier: GPL-2.0-only
/* KCOV: which basic blocks of glass.ko the calling thread passed, in order. */
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "door.h"

struct cover *cover;

#define KCOV "/sys/kernel/debug/kcov"

static unsigned long *buffer;

bool cover_open(void)
{
	cover = mmap(NULL, sizeof(*cover), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (cover == MAP_FAILED) {
		perror("door_fuzz: memory");
		exit(2);
	}
	return !access(KCOV, R_OK | W_OK);
}

void cover_begin(void)
{
	int fd = open(KCOV, O_RDWR | O_CLOEXEC);

	buffer = NULL;
	if (fd < 0)
		return;
	if (ioctl(fd, KCOV_INIT_TRACE, COVER_LEN))
		return;
	buffer = mmap(NULL, COVER_LEN * sizeof(*buffer), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (buffer == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		buffer = NULL;
	else
		buffer[0] = 0;
}

static void see_place(uint64_t pc)
{
	uint32_t i = mix(pc) % PLACES;

	while (cover->place[i] && cover->place[i] != pc)
		i = (i + 1) % PLACES;
	if (!cover->place[i] && cover->places < PLACES / 2) {
		cover->place[i] = pc;
		cover->places++;
	}
}

void cover_take(void)
{
	uint64_t last = 0;
	unsigned long n, i;

	if (!buffer)
		return;
	n = __atomic_exchange_n(&buffer[0], 0, __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < COVER_LEN; i++) {
		uint64_t pc = buffer[i];
		uint32_t edge = mix(pc ^ mix(last)) % EDGES;

		if (!cover->edge[edge]) {
			cover->edge[edge] = 1;
			cover->edges++;
			cover->fresh++;
			see_place(pc);
		}
		last = pc;
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t start[65536]; /* of the functions, by address */

static unsigned int functions_find(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned int n = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f) && n < ARRAY_LEN(start)) {
		unsigned long long at;
		char type;

		/* "__pfx_" precede functions; coverage is never of these */
		if (strstr(line, "\t[glass]") && !strstr(line, " __pfx_") &&
		    sscanf(line, "%llx %c", &at, &type) == 2 && (type == 't' || type == 'T'))
			start[n++] = at;
	}
	if (f)
		fclose(f);
	qsort(start, n, sizeof(start[0]), by_value);
	return n;
}

bool module_text(uint64_t *first, uint64_t *last)
{
	unsigned int n = functions_find();

	if (!n || !start[0])
		return false;
	*first = start[0];
	/* of the last one only the beginning is known */
	*last = start[n - 1] + 4096;
	return true;
}

void cover_functions(unsigned int *seen, unsigned int *all)
{
	static bool hit[ARRAY_LEN(start)];
	unsigned int n = functions_find(), i;

	*seen = 0;
	*all = n;
	memset(hit, 0, sizeof(hit));
	for (i = 0; i < PLACES; i++) {
		unsigned int low = 0, high = n;

		if (!cover->place[i] || !n || cover->place[i] < start[0])
			continue;
		while (high - low > 1) {
			unsigned int mid = (low + high) / 2;

			if (start[mid] <= cover->place[i])
				low = mid;
			else
				high = mid;
		}
		*seen += !hit[low];
		hit[low] = true;
	}
}
