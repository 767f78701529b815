// SPDX-License-Identifier: GPL-2.0-only
/* iblint: reports misuse of verbs by programs on Glass adapters. */
#include "iblint.h"

int main(int argc, char **argv)
{
	return iblint_main(argc, argv);
}
