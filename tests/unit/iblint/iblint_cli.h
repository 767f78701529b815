/* SPDX-License-Identifier: GPL-2.0-only */
/* iblint's command line on devices that are files in a directory. */
#ifndef GLASS_TESTS_UNIT_IBLINT_CLI_H
#define GLASS_TESTS_UNIT_IBLINT_CLI_H

#include "iblint/device.h"

#define TOOL_NAME "iblint"
#define TOOL_MAIN iblint_main
#include "tool_cli.h"

#define LINT_COLUMN(name, unit, meaning) " " #name
#define LINT_HEADER			 "# glass 1 lint:" GLASS_COLUMNS_LINT(LINT_COLUMN) "\n"

#endif
