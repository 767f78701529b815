/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes MADs for the tests of management agents and switches. */
#ifndef GLASS_TESTS_UNIT_MAD_H
#define GLASS_TESTS_UNIT_MAD_H

#include "harness.h"

#include "wire/mad.h"

#define TID 0x1122334455667788ULL

static inline void mad_init(u8 *mad, u8 class, u8 method, u16 attr, u32 mod)
{
	memset(mad, 0, GLASS_MAD_BYTES);
	mad[GLASS_MAD_BASE_VERSION] = 1;
	mad[GLASS_MAD_CLASS] = class;
	mad[GLASS_MAD_CLASS_VERSION] = 1;
	mad[GLASS_MAD_METHOD] = method;
	put_unaligned_be64(TID, mad + GLASS_MAD_TID);
	put_unaligned_be16(attr, mad + GLASS_MAD_ATTR);
	put_unaligned_be32(mod, mad + GLASS_MAD_ATTR_MOD);
	if (class == GLASS_MC_SM_DR) {
		put_unaligned_be16(GLASS_LID_PERMISSIVE, mad + GLASS_SMP_DR_SLID);
		put_unaligned_be16(GLASS_LID_PERMISSIVE, mad + GLASS_SMP_DR_DLID);
	}
}

static inline u16 data16(const u8 *mad, u32 off)
{
	return get_unaligned_be16(mad + 64 + off);
}

static inline u32 data32(const u8 *mad, u32 off)
{
	return get_unaligned_be32(mad + 64 + off);
}

static inline u64 data64(const u8 *mad, u32 off)
{
	return get_unaligned_be64(mad + 64 + off);
}

#endif
