/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in sources: from where programs made the QPs of a story, posted its requests, and registered or
 * ended its keys. Rows of the block `places`: what, dev, num, pid, comm, place. The driver does not write
 * this block: lib/where/story.h makes it from call stacks, and ibwhy --save keeps it.
 */
#ifndef GLASS_LIB_WHY_PLACES_H
#define GLASS_LIB_WHY_PLACES_H

#include "lib/why/story.h"

/* X(NAME, word, sentence: the process, the object) */
#define WHY_PLACES_OF(X)                                             \
	X(CREATED, created, "%s made %s")                            \
	X(CHANGED, changed, "%s changed %s last")                    \
	X(POSTED, posted, "%s posted the request of wr_id %s")       \
	X(RECEIVE, receive, "%s posted the receive of wr_id %s") \
	X(REGISTERED, registered, "%s registered key %s")            \
	X(ENDED, ended, "%s ended key %s")                           \
	X(INVALIDATED, invalidated, "%s posted the SEND that invalidated key %s") \
	X(DESTROYED, destroyed, "%s destroyed %s")

#define WHY_E_PLACE(n, w, sentence) WHY_PLACE_##n,

enum why_place { WHY_PLACES_OF(WHY_E_PLACE) WHY_PLACE_COUNT };

/* Adds a row. dev, num and comm are as in the story (encoded); place is text. */
void why_place_add(struct why_story *s, enum why_place what, const char *dev, const char *num,
		   const char *pid, const char *comm, const char *place);

/* Writes "server (pid 812) made glass1:0x22: server.c:88 (accept_one)" of a row, printable. Returns `to`. */
#define WHY_PLACE_TEXT 480
char *why_place_text(const struct why_story *s, const struct why_row *row, char to[WHY_PLACE_TEXT]);

/*
 * Write file and line ("server.c:214") of who registered or ended the key of a row of `keys`, or
 * destroyed the QP of a row of `gone_qps`; "": unknown. Return `to`.
 */
#define WHY_PLACE_SHORT 64
char *why_place_of_key(const struct why_story *s, const struct why_row *key, bool ended, char to[WHY_PLACE_SHORT]);
/* The same of who posted the SEND with Invalidate that ended the key. */
char *why_place_of_invalidation(const struct why_story *s, const struct why_row *key, char to[WHY_PLACE_SHORT]);
char *why_place_of_gone_qp(const struct why_story *s, const struct why_row *qp, char to[WHY_PLACE_SHORT]);

#endif
