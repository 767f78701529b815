// SPDX-License-Identifier: GPL-2.0-only
/* ibfabric: builds, shows and changes the fabric of the Glass module. */
#include "ibfabric.h"

int main(int argc, char **argv)
{
	return ibfabric_main(argc, argv);
}
