/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen: ibtop on a terminal. */
#ifndef IBTOP_SCREEN_SCREEN_H
#define IBTOP_SCREEN_SCREEN_H

#include "ibtop/model/model.h"

/*
 * Runs until the user quits or options->iterations refreshes were shown. The model is open but not
 * refreshed, except that with --seek it is at that snapshot (see model_refreshes()). main.c frees
 * the model. Restores the terminal before it returns, also after a signal. Returns the exit status
 * (enum cli_status).
 */
int screen_run(struct model *m, const struct options *options);

#endif
