/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Pure: which failures the black box keeps (blackbox.h). The box has a fixed number of places, and
 * each failure belongs to a user. If all places are taken, a new failure pushes out an old one: the
 * oldest failure of the user with the most places. If the user of the new failure is one of several
 * with the most places, the new failure pushes out the oldest failure of its own user. So a user
 * whose programs fail all the time pushes out failures of other users only while these users have
 * more places than he has. tests/unit tests this in user space.
 *
 * The users also share the slots for failures whose stories are not complete. A user gets one more
 * slot only if he has fewer slots than are free.
 */
#ifndef GLASS_OBSERVE_BOX_SHARE_H
#define GLASS_OBSERVE_BOX_SHARE_H

#include "uapi/glass-failure.h"
#include "wire/shim.h"

/* A place in the box. */
struct glass_box_place {
	u32 id; /* the failure in it; 0: the place is free. Ids increase with time */
	u32 uid;
	u16 user; /* index of the user in glass_box_shares.user[] */
};

struct glass_box_user {
	u32 uid;
	u32 n; /* number of places that he has; 0: the entry is free */
};

/* All zero: an empty box. The caller serializes calls. */
struct glass_box_shares {
	struct glass_box_place place[GLASS_FAILURES_MAX];
	struct glass_box_user user[GLASS_FAILURES_MAX];
	u32 taken; /* number of places that are taken */
};

/* Returns the index of the user in b->user[], or that of a free entry, which becomes his. */
static inline u16 glass_box_user(struct glass_box_shares *b, u32 uid)
{
	u16 i, free = GLASS_FAILURES_MAX;

	for (i = 0; i < GLASS_FAILURES_MAX; i++) {
		if (b->user[i].n && b->user[i].uid == uid)
			return i;
		if (!b->user[i].n && free == GLASS_FAILURES_MAX)
			free = i;
	}
	/* there is one: a full table has a user for each place, and a place was freed before */
	if (free == GLASS_FAILURES_MAX)
		free = 0;
	b->user[free].uid = uid;
	return free;
}

/* Frees a place that is taken. */
static inline void glass_box_leave(struct glass_box_shares *b, u32 place)
{
	b->user[b->place[place].user].n--;
	b->place[place].id = 0;
	b->taken--;
}

/*
 * Returns the index of the user with the most places. If several users have the most, and the user
 * `uid` is one of them, returns the index of `uid`.
 */
static inline u16 glass_box_richest(const struct glass_box_shares *b, u32 uid)
{
	u16 i, most = 0;

	for (i = 1; i < GLASS_FAILURES_MAX; i++)
		if (b->user[i].n > b->user[most].n ||
		    (b->user[i].n == b->user[most].n && b->user[i].uid == uid))
			most = i;
	return most;
}

/* Returns the place of the user's oldest failure. The user has at least one. */
static inline u32 glass_box_oldest(const struct glass_box_shares *b, u16 user)
{
	u32 i, oldest = GLASS_FAILURES_MAX;

	for (i = 0; i < GLASS_FAILURES_MAX; i++)
		if (b->place[i].id && b->place[i].user == user &&
		    (oldest == GLASS_FAILURES_MAX || b->place[i].id < b->place[oldest].id))
			oldest = i;
	return oldest;
}

/*
 * Takes a place for failure `id` of user `uid`, and returns its index. Sets *evicted to the id of
 * the failure that had the place, or to 0 if the place was free.
 */
static inline u32 glass_box_enter(struct glass_box_shares *b, u32 id, u32 uid, u32 *evicted)
{
	u32 place = 0;

	*evicted = 0;
	if (b->taken < GLASS_FAILURES_MAX) {
		while (b->place[place].id)
			place++;
	} else {
		place = glass_box_oldest(b, glass_box_richest(b, uid));
		*evicted = b->place[place].id;
		glass_box_leave(b, place);
	}
	b->place[place].id = id;
	b->place[place].uid = uid;
	b->place[place].user = glass_box_user(b, uid);
	b->user[b->place[place].user].n++;
	b->taken++;
	return place;
}

/* May a user get one more slot? mine: number of slots that he has; free: number of free slots. */
static inline bool glass_box_may_wait(u32 mine, u32 free)
{
	return mine < free;
}

#endif
