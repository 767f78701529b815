/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws the story of a failure (lib/why/story.h): packets with their fate, and the events of both
 * ends whose time the story has: states, requests that were taken, completions, firings of injection rules, keys
 * and QPs that ended, lint findings. It draws only what rows of the story say. No system calls.
 */
#ifndef GLASS_LIB_PICTURE_STORY_H
#define GLASS_LIB_PICTURE_STORY_H

#include "lib/picture/book.h"
#include "lib/why/story.h"

struct picture_trace;

/*
 * Reports a story to a book and to a trace, which is one of packets (trace.h: by_moments false). NULL:
 * none. Returns 0, or -ENOMEM if the picture lacks something.
 */
int picture_story(const struct why_story *s, struct picture_book *book, struct picture_trace *trace);

/* The time of the failure, from which rows count (struct picture.zero); 0: unknown */
uint64_t picture_story_zero(const struct why_story *s);

/* The QP that failed; qpn PICTURE_UNKNOWN if it was no QP */
void picture_story_wish(const struct why_story *s, struct picture_wish *w);

#endif
