/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen: what ibtop is on a terminal. */
#ifndef IBTOP_SCREEN_SCREEN_H
#define IBTOP_SCREEN_SCREEN_H

#include "ibtop/model/model.h"

/*
 * Runs until the user quits or options->iterations refreshes were shown. The
 * model is open and not refreshed yet (but with --seek it stands at that snapshot:
 * model_refreshes() tells); main.c frees it. The terminal is as it was
 * when this returns, also after a signal. Returns the exit status (enum cli_status).
 */
int screen_run(struct model *m, const struct options *options);

#endif
