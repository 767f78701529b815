// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Converts the IBA's codes of timers to nanoseconds. */
#include "proto/internal.h"

/* IBA table 45, in units of 10 us */
static const u32 rnr_10us[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
	49152,
};

u64 glass_rnr_timer_ns(u8 code)
{
	return (u64)rnr_10us[code & 31] * 10000;
}

u64 glass_rnr_wait_ns(u8 code, u32 round)
{
	u64 least = glass_rnr_timer_ns(code), wait = least;

	for (; round > GLASS_PATIENT_ROUNDS && wait < GLASS_PATIENCE_NS; round--)
		wait *= 2;
	return max(least, min(wait, GLASS_PATIENCE_NS));
}
