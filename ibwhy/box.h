/* SPDX-License-Identifier: GPL-2.0-only */
/* The stories that the driver keeps, or that a file has. */
#ifndef IBWHY_BOX_H
#define IBWHY_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "ibwhy.h"
#include "lib/why/story.h"

/* A story and its text */
struct box_story {
	struct debugfs_file *text;
	bool owns_text;
	struct why_story story;
};

struct box {
	struct box_story *story; /* oldest first */
	size_t count;
	struct debugfs_file *file; /* text that several stories share; NULL: none */
};

/*
 * Reads all stories with an id above `after` from the driver. Returns ST_NO_DEVICE or ST_FAILED
 * after cli_error().
 */
enum status box_read(struct box *b, uint64_t after);

/* Reads the story of one id. Returns ST_NONE after cli_error() if there is none. */
enum status box_read_one(struct box *b, uint64_t id);

/* Reads all stories of a file ("-": standard input). */
enum status box_read_file(struct box *b, const char *name);

void box_free(struct box *b);

/* The highest id that the driver has; 0 if there is none. */
enum status box_last_id(uint64_t *id);

/* The id of a story; 0 if it has none. */
uint64_t box_id(const struct why_story *s);

/* Is it a failure of the object "glass0:0x14"? */
bool box_is_object(const struct why_story *s, const char *object);

/* Writes an error about a file in the root of Glass's debugfs, and returns the status. */
enum status box_refused(const char *file, int err);

#endif
