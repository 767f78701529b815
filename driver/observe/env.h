/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The functions by which the black box (blackbox.h) calls debugfs/, which copies and formats
 * objects. debugfs/story.c defines them.
 */
#ifndef GLASS_OBSERVE_ENV_H
#define GLASS_OBSERVE_ENV_H

#include <linux/types.h>

struct glass_failure;
struct glass_box_text;

/*
 * Allocates what a story needs at the moment of a failure, when nothing can be allocated. Returns
 * NULL if there is no memory. May sleep. glass_box_env_free() frees it; story may be NULL.
 */
void *glass_box_env_new(void);
void glass_box_env_free(void *story);

/*
 * Copies the object that failed into the story, and fills the fields peer_* of *f. object: the
 * struct glass_qp, glass_cq or glass_srq that f->object names. The caller holds the lock of a QP;
 * the function then does not sleep. The caller of the function for a CQ or SRQ holds no lock, and
 * may sleep. first: index of the oldest send request that the story shows.
 */
void glass_box_env_copy(void *story, struct glass_failure *f, void *object, u32 first);
/*
 * Copies and formats everything that must be seen at once: the peer, the packets so far, drops,
 * processes. May change peer_* and `missing` of *f. May sleep.
 */
void glass_box_env_begin(void *story, struct glass_failure *f);
/*
 * Does the recorder lack the packet that brought the failure? The failure is noted while its packet
 * is received, and the packet's record is written afterwards. May sleep.
 */
bool glass_box_env_waits(void *story, const struct glass_failure *f);
/*
 * Adds the packets that were sent since, and returns the story's text; NULL: there is no memory.
 * Sets f->packets and f->missing. Afterwards the story can be used again. May sleep.
 */
struct glass_box_text *glass_box_env_end(void *story, struct glass_failure *f);

#endif
