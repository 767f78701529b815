// SPDX-License-Identifier: GPL-2.0-only
/* ibinject: breaks what runs on Glass adapters, on purpose. */
#include "ibinject.h"

int main(int argc, char **argv)
{
	return ibinject_main(argc, argv);
}
