// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The CRC-32 of the kernel (crc32.h). */
#include "compat/have.h"
#include "netdev/crc32.h"

#ifdef GLASS_HAVE_CRC32_OPTIMIZATIONS
/* since Linux 7.3, crc32.h uses BIT() without it */
#include <linux/bits.h>
#include <linux/crc32.h>

bool glass_crc32_kernel_init(void)
{
	return crc32_optimizations() & CRC32_LE_OPTIMIZATION;
}

void glass_crc32_kernel_exit(void)
{
}

u32 glass_crc32_kernel(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}

#else
/* Before Linux 6.14, only the crypto API has the fast CRC-32 of a processor. */
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/string.h>

static struct crypto_shash *crc32_tfm;

bool glass_crc32_kernel_init(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash("crc32", 0, 0);

	if (IS_ERR(tfm))
		return false;
	/* the generic one is not faster than that of wire/crc.c */
	if (strstr(crypto_shash_driver_name(tfm), "generic") ||
	    crypto_shash_descsize(tfm) != sizeof(u32)) {
		crypto_free_shash(tfm);
		return false;
	}
	crc32_tfm = tfm;
	return true;
}

void glass_crc32_kernel_exit(void)
{
	if (crc32_tfm)
		crypto_free_shash(crc32_tfm);
	crc32_tfm = NULL;
}

u32 glass_crc32_kernel(u32 crc, const void *data, size_t len)
{
	SHASH_DESC_ON_STACK(desc, crc32_tfm);

	desc->tfm = crc32_tfm;
	/* the context of this hash is the running value, without inversions */
	*(u32 *)shash_desc_ctx(desc) = crc;
	if (crypto_shash_update(desc, data, len))
		return 0;
	return *(u32 *)shash_desc_ctx(desc);
}
#endif
