// SPDX-License-Identifier: GPL-2.0-only
/* ibtop: shows every RDMA object of this machine live. */
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ibtop/batch/batch.h"
#include "ibtop/options.h"
#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/screen.h"
#include "lib/cli.h"

int main(int argc, char **argv)
{
	struct options options;
	unsigned int frame;
	struct model *m;
	char error[400];
	int status;

	setlocale(LC_CTYPE, "");
	status = options_parse(argc, argv, &options);
	if (status != OPTIONS_GO_ON) {
		free((void *)options.devices);
		return status;
	}
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		options.ascii = true;
	options.color = cli_color(stdout);
	m = model_open(&options, error, sizeof(error));
	if (!m)
		cli_die(CLI_FAILED, "%s", error);
	if (options.seek) {
		if (!seek_parse(m, options.seek, &frame, error, sizeof(error)))
			cli_die(CLI_USAGE, "--seek: %s", error);
		model_seek(m, frame);
	}
	/* without a terminal, a program reads the output: use the batch mode */
	if (options.batch || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		status = batch_run(m, &options);
	else
		status = screen_run(m, &options);
	model_free(m);
	free((void *)options.devices);
	return status;
}
