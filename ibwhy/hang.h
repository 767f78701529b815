/* SPDX-License-Identifier: GPL-2.0-only */
/* A program that hangs. */
#ifndef IBWHY_HANG_H
#define IBWHY_HANG_H

#include <sys/types.h>

#include "lib/blackbox/snapshot.h"
#include "lib/why/tell.h"

/*
 * Tells what each QP of the process waits for. json: as JSON, on standard output. Returns ST_NONE
 * after cli_error() if there is no such process, or if it has no QP on any adapter.
 */
int hang_tell(const struct why_style *style, pid_t pid, bool json);

#endif
