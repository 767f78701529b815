// SPDX-License-Identifier: GPL-2.0-only
/* iblint: tells what verbs programs on Glass adapters do wrong. */
#include "iblint.h"

int main(int argc, char **argv)
{
	return iblint_main(argc, argv);
}
