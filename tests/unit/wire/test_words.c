// SPDX-License-Identifier: GPL-2.0-only
/* The words for opcodes in the vocabulary are those of the opcode table. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include "observe/words.h"
#include "wire/opcode.h"

static void test_opcodes(void **state)
{
	static const char *const transports[8] = GLASS_WORDS(GLASS_TRANSPORTS);
	static const char *const ops[32] = GLASS_WORDS(GLASS_BTH_OPS);
	unsigned int i, seen = 0;

	(void)state;
	for (i = 0; i < 256; i++) {
		char word[64];

		if (!glass_opcode_valid(i))
			continue;
		if (i == GLASS_OPCODE_CNP) {
			assert_string_equal(glass_opcode_word(i), "cnp");
			continue;
		}
		assert_non_null(transports[i >> 5]);
		assert_non_null(ops[i & 0x1f]);
		snprintf(word, sizeof(word), "%s_%s", transports[i >> 5], ops[i & 0x1f]);
		assert_string_equal(word, glass_opcode_word(i));
		seen++;
	}
	assert_true(seen > 20);
}

#define MASK(n, w, v) v,

/* Each operation that the table names is in exactly one set of GLASS_PKT_OPS. */
static void test_packet_ops(void **state)
{
	static const char *const ops[32] = GLASS_WORDS(GLASS_BTH_OPS);
	static const uint32_t sets[] = { GLASS_PKT_OPS(MASK) };
	unsigned int i, k, found;

	(void)state;
	for (i = 0; i < 32; i++) {
		for (k = 0, found = 0; k < ARRAY_SIZE(sets); k++)
			found += sets[k] >> i & 1;
		assert_int_equal(found, ops[i] != NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_packet_ops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
