// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints how many thousand ticks a second this processor's time stamp counter makes. The emulated guest reads the same counter; its
 * kernel, which would calibrate it against emulated timers, is far off when the machine is busy: so it is told
 * (tsc_early_khz=). Runs on the host.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
	uint64_t ns, ticks;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Both clocks at one moment: of many tries the one in which least time passed between two looks at the clock. */
static struct moment look(void)
{
	uint64_t least = UINT64_MAX;
	struct moment best = { 0 };

	for (int i = 0; i < 2000; i++) {
		uint64_t before = now(), ticks = __rdtsc(), after = now();

		if (after - before < least) {
			least = after - before;
			best = (struct moment){ before + least / 2, ticks };
		}
	}
	return best;
}

int main(void)
{
	struct moment first = look(), last;

	do
		last = look();
	while (last.ns - first.ns < 100000000);
	printf("%.0f\n", (double)(last.ticks - first.ticks) * 1e6 / (double)(last.ns - first.ns));
	return 0;
}
