/* SPDX-License-Identifier: GPL-2.0-only */
/* ibinject's command line on devices that are files in a directory. */
#ifndef GLASS_TESTS_UNIT_IBINJECT_CLI_H
#define GLASS_TESTS_UNIT_IBINJECT_CLI_H

#include "ibinject/device.h"

#define TOOL_NAME "ibinject"
#define TOOL_MAIN ibinject_main
#include "tool_cli.h"

#endif
