// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "model/strict.h"

DEFINE_STATIC_KEY_FALSE(glass_strict_key);

static u64 hash_mix(u64 z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

u64 glass_strict_hash(const struct glass_strict *s, enum glass_behavior b, u64 a, u64 c)
{
	return hash_mix(hash_mix(hash_mix(READ_ONCE(s->seed[b]) + 0x9e3779b97f4a7c15ULL) + a) + c);
}
