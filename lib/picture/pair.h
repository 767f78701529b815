/* SPDX-License-Identifier: GPL-2.0-only */
/* Internal to the library: one pair of QPs in a book. */
#ifndef GLASS_LIB_PICTURE_PAIR_H
#define GLASS_LIB_PICTURE_PAIR_H

#include "lib/picture/picture.h"

struct pair {
	struct picture p;
	size_t limit, room;
	uint64_t used; /* age, for the book */
	bool failed; /* an error was reported */
	uint64_t failed_ns; /* the latest one */
	/* for each end as a sender: the PSN behind the highest one, of requests and of data answers */
	struct {
		uint32_t next;
		bool has;
	} psn[2][2];
	/* the flow of the last READ request of each end */
	uint64_t read_flow[2];
};

/* 2: an error; 1: dropped or repeated packets; 0: none */
int pair_trouble(const struct pair *pair);
/* Adds an observation of a packet from this end. Returns 0 or -ENOMEM. */
int pair_add_packet(struct pair *pair, int sender, const struct picture_sight *s);
int pair_add_moment(struct pair *pair, int end, const struct picture_moment *m);
/* Sorts the items by time and leaves out those above the limit. */
void pair_finish(struct pair *pair);

#endif
