// SPDX-License-Identifier: GPL-2.0-only
/* ibinject: injects faults into programs on Glass adapters. */
#include "ibinject.h"

int main(int argc, char **argv)
{
	return ibinject_main(argc, argv);
}
