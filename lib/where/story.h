/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds to the story of a failure (lib/why/story.h) other facts that the driver still has: call stacks of
 * programs, and lint findings.
 */
#ifndef GLASS_LIB_WHERE_STORY_H
#define GLASS_LIB_WHERE_STORY_H

#include "lib/where/where.h"
#include "lib/why/story.h"

/*
 * Adds the block `places` (lib/why/places.h): who made both QPs and changed them last, posted the request
 * that failed and the receive that it met, registered and ended the keys. A call stack that no adapter has
 * any more gives no row.
 */
void where_story_places(struct where *w, struct why_story *s);

/*
 * Adds the block `lint`: findings of the processes of both ends since the failed object was created, with
 * the columns dev, those of lint/findings, where and peer_where. w NULL: without places. A driver that
 * cannot be asked has no findings.
 */
void where_story_lint(struct where *w, struct why_story *s);

#endif
