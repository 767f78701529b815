// SPDX-License-Identifier: GPL-2.0-only
/* The random nets of test_net.c: cables, tables, port states and packets. Here an input decides what is random there. */
#include "fuzz.h"

#define SWITCHES 9

int unit_main(void);
#define main unit_main
#include "../unit/fabric/test_net.c"
#undef main

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin(data, size);
	fuzz_endless();
	random_net();
	return 0;
}
