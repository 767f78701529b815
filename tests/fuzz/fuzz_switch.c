// SPDX-License-Identifier: GPL-2.0-only
/*
 * The world of test_proto_fabric.c: a switch with random tables, ports and visitors between two
 * endpoints. Here an input decides what is random there.
 */
#include "fuzz.h"

int unit_main(void);
#define main unit_main
#include "../unit/proto/test_proto_fabric.c"
#undef main

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin(data, size);
	fuzz_endless();
	one_seed(1);
	return 0;
}
