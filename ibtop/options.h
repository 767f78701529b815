/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of ibtop */
#ifndef IBTOP_OPTIONS_H
#define IBTOP_OPTIONS_H

#include "ibtop/model/snapshot.h"

#define MAX_NAMED     64 /* devices */
#define OPTIONS_GO_ON (-1)

/*
 * Fills options. Returns OPTIONS_GO_ON, or the exit status after printing help or an error message.
 */
int options_parse(int argc, char **argv, struct options *options);

#endif
