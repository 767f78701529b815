// SPDX-License-Identifier: GPL-2.0-only
/* ibwhy: tells why an RDMA connection failed, or why a program hangs. */
#include "ibwhy.h"

int main(int argc, char **argv)
{
	return ibwhy_main(argc, argv);
}
