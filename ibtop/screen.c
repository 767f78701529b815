// SPDX-License-Identifier: GPL-2.0-only
#include "ibtop/screen.h"
#include "lib/cli.h"

int screen_run(struct model *m, const struct options *options)
{
	(void)m;
	(void)options;
	cli_error("no screen in this build; ibtop -b shows the same as text");
	return CLI_FAILED;
}
