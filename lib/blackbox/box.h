/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stories that the driver keeps: files `failures` and `failure` in the root of Glass's debugfs
 * (debugfs_root). The functions print nothing; bad lines are in the file of a story (debugfs_error()).
 */
#ifndef GLASS_LIB_BLACKBOX_BOX_H
#define GLASS_LIB_BLACKBOX_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/why/story.h"

/* A story and its text */
struct box_story {
	struct debugfs_file *text;
	bool owns_text;
	struct why_story story;
};

/* Zero it before the first use. */
struct box {
	struct box_story *story; /* oldest first */
	size_t count;
	struct debugfs_file *file; /* text that several stories share; NULL: none */
};

/*
 * Reads the ids of the failures, oldest first, by way of *f, which the caller has zeroed. Returns an errno
 * value. The caller frees *ids and *f.
 */
int box_ids(struct debugfs_file *f, uint64_t **ids, size_t *count);

/* Adds the story of one id. Returns an errno value; ENOENT: the driver no longer has it. */
int box_ask(struct box *b, uint64_t id);

/* Returns the id of the last failure of a QP; 0: the driver has none. */
uint64_t box_last_of_qp(const char *dev, uint64_t qpn);

/* Adds an empty story; returns an empty file. Both exit if out of memory. */
struct box_story *box_add(struct box *b);
struct debugfs_file *box_file(void);
void box_free(struct box *b);

/* The id of a story; 0 if it has none. */
uint64_t box_id(const struct why_story *s);

/* Is it a failure of the object "glass0:0x14"? */
bool box_is_object(const struct why_story *s, const char *object);

#endif
