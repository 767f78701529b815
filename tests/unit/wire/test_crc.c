// SPDX-License-Identifier: GPL-2.0-only
/* ICRC and VCRC against published values and against a slow second opinion. */
#include "harness.h"

#include "wire/crc.h"
#include "wire/crctab.h"
#include "wire/packet.h"

/*
 * The sample local packet of IBA volume 1, 7.8.3 (52 bytes, LRH to payload): the
 * ICRC printed there is 0x9625B75A, first byte first.
 */
static const u8 sample[52] = {
	0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2, 0x0a, 0x20, 0x24, 0x87, 0x00,
	0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, 0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d,
	0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, 0x00, 0x00, 0x00, 0x0e, 0xbb, 0x88, 0x4d,
	0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, 0x0e, 0xd4, 0x00, 0x00,
};

static const u8 sample_icrc[4] = { 0x96, 0x25, 0xb7, 0x5a };

/*
 * A CRC as a shift register with the polynomial as the specification writes it:
 * bits enter low bit of each byte first, the highest coefficient leaves first.
 */
static u32 slow_crc(u32 poly, int width, const u8 *data, size_t len)
{
	u32 top = 1u << (width - 1);
	u32 mask = top | (top - 1);
	u32 reg = mask, out = 0;
	int i;

	for (; len; len--, data++) {
		for (i = 0; i < 8; i++) {
			u32 in = *data >> i & 1;
			u32 high = !!(reg & top);

			reg = reg << 1 & mask;
			if (in ^ high)
				reg ^= poly;
		}
	}
	/* the complement goes out, highest coefficient in the lowest bit */
	reg = ~reg & mask;
	for (i = 0; i < width; i++)
		out |= (reg >> i & 1) << (width - 1 - i);
	return out;
}

static void test_check_value(void **state)
{
	(void)state;
	/* the check value that all catalogues give for this CRC-32 */
	assert_int_equal((u32)~glass_crc32(GLASS_CRC32_INIT, "123456789", 9), 0xcbf43926);
	assert_int_equal(slow_crc(0x04c11db7, 32, (const u8 *)"123456789", 9), 0xcbf43926);
}

static void test_spec_icrc(void **state)
{
	u8 wire[4];

	(void)state;
	glass_crc_put32(glass_icrc(sample, sizeof(sample)), wire);
	assert_memory_equal(wire, sample_icrc, 4);
	assert_int_equal(glass_crc_get32(wire), glass_icrc(sample, sizeof(sample)));
}

static void test_vcrc_second_opinion(void **state)
{
	u8 buf[sizeof(sample) + 4];

	(void)state;
	memcpy(buf, sample, sizeof(sample));
	memcpy(buf + sizeof(sample), sample_icrc, 4);
	assert_int_equal(glass_vcrc(buf, sizeof(buf)), slow_crc(0x100b, 16, buf, sizeof(buf)));
}

static void test_tables(void **state)
{
	u32 i, k;

	(void)state;
	for (i = 0; i < 256; i++) {
		u32 c = i, v = i;

		for (k = 0; k < 8; k++) {
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
			v = v >> 1 ^ (v & 1 ? 0xd008 : 0);
		}
		assert_int_equal(glass_crc16_tab[i], v);
		for (k = 0; k < 4; k++) {
			assert_int_equal(glass_crc32_tab[k][i], c);
			c = c >> 8 ^ glass_crc32_tab[0][c & 0xff];
		}
	}
	/* entries of the table for 0x100B as adapter vendors publish it */
	assert_int_equal(glass_crc16_tab[1], 0x1ba1);
	assert_int_equal(glass_crc16_tab[128], 0xd008);
	assert_int_equal(glass_crc16_tab[255], 0x0960);
}

static void test_random_lengths(void **state)
{
	u8 buf[300];
	u32 i;

	(void)state;
	for (i = 0; i < 500; i++) {
		u32 len = rnd_below(sizeof(buf) + 1);

		rnd_fill(buf, len);
		assert_int_equal((u32)~glass_crc32(GLASS_CRC32_INIT, buf, len),
				 slow_crc(0x04c11db7, 32, buf, len));
		assert_int_equal(glass_vcrc(buf, len), slow_crc(0x100b, 16, buf, len));
	}
}

/* Is bit `bit` of byte `byte` covered by the ICRC of a packet with this LNH? */
static bool covered(bool global, u32 byte, u32 bit)
{
	u32 bth = global ? 48 : 8;

	if (byte == bth + 4)
		return false;
	if (!global)
		return byte || bit < 4;
	if (byte < 8)
		return false;
	if (byte == 8)
		return bit >= 4;
	return byte != 9 && byte != 10 && byte != 11 && byte != 15;
}

/* Flips every bit in turn: those that may change on the way do not matter, all others do. */
static void test_masking(void **state)
{
	u8 buf[80];
	u32 global, byte, bit;

	(void)state;
	for (global = 0; global < 2; global++) {
		u32 icrc;

		rnd_fill(buf, sizeof(buf));
		buf[1] = (buf[1] & ~3) | (global ? GLASS_LNH_GLOBAL : GLASS_LNH_LOCAL);
		icrc = glass_icrc(buf, sizeof(buf));
		for (byte = 0; byte < sizeof(buf); byte++) {
			for (bit = 0; bit < 8; bit++) {
				/* these two say where the headers are */
				if (byte == 1 && bit < 2)
					continue;
				buf[byte] ^= 1 << bit;
				if (covered(global, byte, bit))
					assert_int_not_equal(glass_icrc(buf, sizeof(buf)), icrc);
				else
					assert_int_equal(glass_icrc(buf, sizeof(buf)), icrc);
				buf[byte] ^= 1 << bit;
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check_value),
		cmocka_unit_test(test_spec_icrc),
		cmocka_unit_test(test_vcrc_second_opinion),
		cmocka_unit_test(test_tables),
		cmocka_unit_test_setup(test_random_lengths, rnd_restart),
		cmocka_unit_test_setup(test_masking, rnd_restart),
	};

	return cmocka_run_group_tests_name("crc", tests, rnd_group, NULL);
}
