/* SPDX-License-Identifier: GPL-2.0-only */
/* The stories that the driver keeps, or that a file has. */
#ifndef IBWHY_BOX_H
#define IBWHY_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "ibwhy.h"
#include "lib/blackbox/box.h"

/*
 * Reads all stories with an id above `after` from the driver. Returns ST_NO_DEVICE or ST_FAILED
 * after cli_error().
 */
enum status box_read(struct box *b, uint64_t after);

/* Reads the story of one id. Returns ST_NONE after cli_error() if there is none. */
enum status box_read_one(struct box *b, uint64_t id);

/* Reads all stories of a file ("-": standard input). */
enum status box_read_file(struct box *b, const char *name);

/* The highest id that the driver has; 0 if there is none. */
enum status box_last_id(uint64_t *id);

/* Writes an error about a file in the root of Glass's debugfs, and returns the status. */
enum status box_refused(const char *file, int err);

#endif
