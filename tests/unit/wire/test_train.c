// SPDX-License-Identifier: GPL-2.0-only
/* Trains and the packets that they stand for. */
#include "harness.h"

#include "wire/opcode.h"
#include "wire/serial.h"
#include "wire/train.h"

static struct glass_pkt train(u8 opcode, u32 more, u32 len)
{
	struct glass_pkt t = { .opcode = opcode, .more = more, .len = len, .psn = 0xfffffe,
			       .ack_req = 1, .se = 1, .nseg = 3, .lnh = GLASS_LNH_LOCAL };

	return t;
}

/* opcodes: of the parts, ended by ~0 */
static void parts(u8 opcode, const int *opcodes, u32 mtu, u32 last)
{
	struct glass_pkt one, t;
	u32 n = 0, i;

	while (opcodes[n] != ~0)
		n++;
	t = train(opcode, n - 1, (n - 1) * mtu + last);
	for (i = 0; i < n; i++) {
		assert_int_equal(glass_train_part(&t, i, &one), 0);
		assert_int_equal(one.opcode, opcodes[i]);
		assert_int_equal(one.psn, (0xfffffe + i) & GLASS_PSN_MASK);
		assert_int_equal(one.len, i + 1 < n ? mtu : last);
		assert_int_equal(one.more, 0);
		assert_int_equal(one.nseg, 0);
		assert_int_equal(one.ack_req, i + 1 == n);
		/* only the end of a message is solicited */
		assert_int_equal(one.se, i + 1 == n &&
				 glass_opcodes[opcodes[i]].flags & GLASS_OPF_LAST ? 1 : 0);
	}
	assert_int_equal(glass_train_part(&t, n, &one), -EINVAL);
}

static void test_train_opcodes(void **state)
{
	(void)state;
	parts(GLASS_BOP_SEND_ONLY, (int[]){ 0, 1, 1, 2, ~0 }, 1024, 1);
	parts(GLASS_BOP_SEND_ONLY_IMM, (int[]){ 0, 3, ~0 }, 256, 256);
	parts(GLASS_BOP_SEND_ONLY_INV, (int[]){ 0, 1, 0x16, ~0 }, 256, 7);
	parts(GLASS_BOP_SEND_FIRST, (int[]){ 0, 1, 1, ~0 }, 512, 512);
	parts(GLASS_BOP_SEND_LAST, (int[]){ 1, 1, 2, ~0 }, 512, 12);
	parts(GLASS_BOP_WRITE_ONLY, (int[]){ 6, 7, 7, 7, 8, ~0 }, 4096, 4096);
	parts(GLASS_BOP_WRITE_MIDDLE, (int[]){ 7, 7, ~0 }, 2048, 2048);
	parts(GLASS_BOP_WRITE_LAST_IMM, (int[]){ 7, 9, ~0 }, 2048, 100);
	parts(GLASS_BOP_READ_RESP_ONLY, (int[]){ 13, 14, 15, ~0 }, 4096, 3);
	parts(GLASS_TR_UC | GLASS_BOP_WRITE_ONLY, (int[]){ 0x26, 0x27, 0x28, ~0 }, 1024, 1000);
}

static void test_train_of_one(void **state)
{
	struct glass_pkt t = train(GLASS_BOP_ACK, 0, 0), one;

	(void)state;
	assert_int_equal(glass_train_part(&t, 0, &one), 0);
	assert_int_equal(one.opcode, GLASS_BOP_ACK);
	assert_int_equal(one.psn, t.psn);
	assert_int_equal(one.ack_req, 1);
	assert_int_equal(glass_train_part(&t, 1, &one), -EINVAL);
}

static void test_train_refused(void **state)
{
	struct glass_pkt t, one;

	(void)state;
	/* no operation of many packets */
	t = train(GLASS_BOP_READ_REQ, 1, 300);
	assert_int_equal(glass_train_part(&t, 0, &one), -EINVAL);
	/* no MTU gives two packets of these lengths */
	t = train(GLASS_BOP_SEND_ONLY, 1, 256);
	assert_int_equal(glass_train_part(&t, 0, &one), -EINVAL);
	t = train(GLASS_BOP_SEND_ONLY, 1, 8193);
	assert_int_equal(glass_train_part(&t, 0, &one), -EINVAL);
	t = train(GLASS_BOP_SEND_ONLY, 15, 0);
	assert_int_equal(glass_train_part(&t, 0, &one), -EINVAL);
}

/* The GRH and the padding of each packet are those of this packet, as its wire bytes have them. */
static void test_train_grh(void **state)
{
	static const u8 opcodes[] = {
		GLASS_BOP_WRITE_ONLY,
		GLASS_BOP_READ_RESP_ONLY,
		GLASS_TR_XRC | GLASS_BOP_SEND_ONLY_IMM,
	};
	u8 wire[GLASS_PKT_HDR_MAX];
	struct glass_pkt one, t;
	u32 i, k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(opcodes); k++) {
		t = train(opcodes[k], 15, 15 * 4096 + 4093);
		t.lnh = GLASS_LNH_GLOBAL;
		t.pad = 3;
		for (i = 0; i < 16; i++) {
			assert_int_equal(glass_train_part(&t, i, &one), 0);
			assert_int_equal(one.pad, i < 15 ? 0 : 3);
			assert_true(glass_pkt_build_headers(&one, wire, sizeof(wire)) > 0);
			assert_int_equal(one.grh.pay_len, get_unaligned_be16(wire + GLASS_LRH_BYTES + 4));
		}
	}
}

/* Every length of every train is one MTU's alone. */
static void test_train_mtu(void **state)
{
	static const u32 mtus[] = { 256, 512, 1024, 2048, 4096 };
	struct glass_pkt one;
	u32 i, more, round;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(mtus); i++)
		for (more = 1; more < 40; more++)
			for (round = 0; round < 4; round++) {
				u32 last = round == 0 ? 1 :
					   round == 1 ? mtus[i] : 1 + rnd_below(mtus[i]);
				struct glass_pkt t = train(GLASS_BOP_SEND_ONLY, more,
							   more * mtus[i] + last);

				assert_int_equal(glass_train_part(&t, 0, &one), 0);
				assert_int_equal(one.len, mtus[i]);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_train_opcodes, rnd_restart),
		cmocka_unit_test_setup(test_train_of_one, rnd_restart),
		cmocka_unit_test_setup(test_train_refused, rnd_restart),
		cmocka_unit_test_setup(test_train_grh, rnd_restart),
		cmocka_unit_test_setup(test_train_mtu, rnd_restart),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
