/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A book collects observations by pairs of QPs. It joins the observations of one packet at both ends, and
 * finds retransmissions. Its memory is bounded: at most PICTURE_PAIRS pairs, each with a limited number of
 * items; it keeps the first items, those around trouble, and the last ones.
 */
#ifndef GLASS_LIB_PICTURE_BOOK_H
#define GLASS_LIB_PICTURE_BOOK_H

#include "lib/picture/picture.h"

#define PICTURE_PAIRS 64

struct picture_book;

/* limit: items of a picture, PICTURE_ITEMS_MIN to PICTURE_ITEMS_MAX. Returns NULL if out of memory. */
struct picture_book *picture_book_new(size_t limit);
void picture_book_free(struct picture_book *book);

/*
 * Says that two QPs are connected, before something is seen of them: a moment at one of them then
 * belongs to this pair.
 */
void picture_book_connect(struct picture_book *book, const struct picture_address *a,
			  const struct picture_address *b);

/*
 * Adds an observation or a moment. Observations come roughly by time: a packet may be seen to arrive a
 * little before it is seen to be sent. Returns 0, or -ENOMEM.
 */
int picture_book_packet(struct picture_book *book, const struct picture_sight *s);
int picture_book_moment(struct picture_book *book, const struct picture_moment *m);

/* The pair that the user asked for; qpn PICTURE_UNKNOWN: none */
struct picture_wish {
	char dev[PICTURE_DEV];
	uint32_t qpn;
};

/* Parses "glass0:0x11". Returns false if it is not DEV:QPN. */
bool picture_wish_parse(struct picture_wish *w, const char *text);

/*
 * Chooses a pair: the one that was asked for; else one with an error, else one with dropped packets or
 * retransmissions, else the busiest. Management (QP 0 and 1) comes last. Writes a sentence about the
 * choice to why. Returns NULL if there is none. The picture is the book's; after this call, nothing can be
 * added.
 */
struct picture *picture_book_choose(struct picture_book *book, const struct picture_wish *w,
				    char *why, size_t why_size);

#endif
