/* SPDX-License-Identifier: GPL-2.0-only */
/* The black box of another host, and how this host writes its own for others. */
#ifndef IBWHY_PEER_H
#define IBWHY_PEER_H

#include "box.h"

/* The stories and live QPs of a file that ibwhy --save wrote */
struct peer {
	struct box box;
	struct debugfs_file objects_text;
	struct why_story *object; /* live QPs, as block LOCAL */
	size_t objects;
};

enum status peer_read(struct peer *p, const char *name);
void peer_free(struct peer *p);

/*
 * Adds the other host's view to a story: that of its story about the same connection, or of its
 * live QP. Returns false if it has neither.
 */
bool peer_join(struct why_story *s, const struct peer *p);

/*
 * Writes all stories, with lint findings and if `where` places in sources, and all QPs as they are now, to
 * a file ("-": standard output).
 */
enum status save(const char *name, bool where);

#endif
