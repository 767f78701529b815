// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Computes how long an injection rule delays a packet or completion. The distributions are like
 * those of netem.
 */
#include "rules/trigger.h"

#define STEPS 64

/*
 * Tables of three distributions, in units of 1/4096. delay_deviate() interpolates linearly between
 * two neighbouring values of a table. Each distribution is shifted and scaled so that the
 * interpolated values have the mean 0 and the standard deviation 1. The Pareto distribution has the
 * shape 3. A paretonormal value is a quarter of a normal value plus three quarters of a Pareto
 * value.
 *
 * Values 1 to 63 of a table are the quantiles 1/64 to 63/64 of the distribution. Values 0 and 64,
 * the first and the last, are not true quantiles. They are chosen so that the lowest 1/64 of the
 * interpolated values has the same mean as the lowest 1/64 of the distribution, and likewise for
 * the highest 1/64.
 */
static const s32 quantiles[][STEPS + 1] = {
	[GLASS_DIST_NORMAL] = {
		-11734, -8817, -7625, -6861, -6280, -5804, -5395, -5035, -4709, -4411, -4135,
		-3876, -3632, -3400, -3178, -2966, -2761, -2563, -2371, -2184, -2001, -1822,
		-1647, -1474, -1304, -1137, -971, -807, -644, -482, -321, -160, 0,
		160, 321, 482, 644, 807, 971, 1137, 1304, 1474, 1647, 1822,
		2001, 2184, 2371, 2563, 2761, 2966, 3178, 3400, 3632, 3876, 4135,
		4411, 4709, 5035, 5395, 5804, 6280, 6861, 7625, 8817, 11734,
	},
	[GLASS_DIST_PARETO] = {
		-2678, -2650, -2621, -2592, -2562, -2531, -2500, -2468, -2435, -2401, -2367,
		-2331, -2295, -2258, -2220, -2181, -2141, -2099, -2057, -2013, -1968, -1921,
		-1873, -1824, -1772, -1720, -1665, -1608, -1549, -1488, -1425, -1359, -1290,
		-1219, -1144, -1066, -984, -899, -808, -714, -614, -508, -396, -277,
		-150, -14, 131, 288, 458, 642, 843, 1065, 1310, 1585, 1895,
		2249, 2660, 3146, 3735, 4471, 5435, 6789, 8931, 13336, 34687,
	},
	[GLASS_DIST_PARETONORMAL] = {
		-5885, -4747, -4273, -3964, -3727, -3530, -3360, -3209, -3071, -2942, -2823,
		-2709, -2603, -2500, -2401, -2305, -2212, -2121, -2032, -1945, -1858, -1773,
		-1689, -1605, -1522, -1439, -1355, -1273, -1189, -1105, -1019, -933, -846,
		-758, -668, -576, -482, -387, -289, -188, -84, 24, 136, 254,
		378, 507, 645, 792, 949, 1116, 1299, 1498, 1718, 1964, 2238,
		2554, 2920, 3354, 3885, 4554, 5429, 6660, 8615, 12698, 32538,
	},
};

/*
 * Returns a random value of the distribution, in units of 1/4096. For GLASS_DIST_UNIFORM, the
 * values are from -1 to 1. The other distributions have the mean 0 and the standard deviation 1.
 */
static s64 delay_deviate(enum glass_dist dist, u32 random)
{
	u32 step = random >> 26, rest = random & 0x3ffffff;
	s64 from, to;

	if (dist == GLASS_DIST_UNIFORM)
		return (s64)(random >> 19) - 4096;
	from = quantiles[dist][step];
	to = quantiles[dist][step + 1];
	return from + ((to - from) * rest >> 26);
}

u64 glass_rule_delay(const struct glass_rule *r, u64 random)
{
	/*
	 * the product below fits into 63 bits: the longest jitter, an hour in ns, has 42 bits, and
	 * a value of delay_deviate() has 16
	 */
	s64 jitter = r->value[GLASS_RK_JITTER];
	s64 ns = r->value[GLASS_RK_TIME];

	if (jitter)
		ns += (jitter * delay_deviate(r->value[GLASS_RK_DIST], random)) >> 12;
	return ns > 0 ? ns : 0;
}
