// SPDX-License-Identifier: GPL-2.0-only
/* Runs two million instructions between the marks of vm/plugin/marks.h. For "instructions_are_counted_by_address" of the contract. */
#include "marks.h"

int main(void)
{
	long n = 1000000;

	glass_mark(GLASS_MARK_BEGIN);
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
	glass_mark(GLASS_MARK_END);
	glass_mark(GLASS_MARK_KEEP);
	return (int)n;
}
