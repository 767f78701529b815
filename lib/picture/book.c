// SPDX-License-Identifier: GPL-2.0-only
/* Observations by pairs of QPs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/picture/book.h"
#include "lib/picture/pair.h"
#include "wire/packet.h"

struct picture_book {
	struct pair pairs[PICTURE_PAIRS];
	size_t num, limit;
	uint64_t clock; /* counts observations: the age of a pair */
	uint64_t forgotten; /* pairs that others replaced */
};

struct picture_book *picture_book_new(size_t limit)
{
	struct picture_book *book = calloc(1, sizeof(*book));

	if (book)
		book->limit = limit;
	return book;
}

void picture_book_free(struct picture_book *book)
{
	for (size_t i = 0; book && i < book->num; i++)
		free(book->pairs[i].p.items);
	free(book);
}

/* 2: equal; 1: one of the QPNs is unknown; 0: different */
static int fits(const struct picture_address *a, const struct picture_address *b)
{
	if (a->lid != b->lid)
		return 0;
	if (a->qpn == b->qpn)
		return 2;
	return a->qpn == PICTURE_UNKNOWN || b->qpn == PICTURE_UNKNOWN;
}

/* How well does the pair fit when the end `sender` is `from`? 0: not at all */
static int pair_fits(const struct pair *pair, int sender, const struct picture_address *from,
		     const struct picture_address *to)
{
	int a = fits(&pair->p.ends[sender].at, from), b = fits(&pair->p.ends[!sender].at, to);

	return a && b ? a + b : 0;
}

/* Which pair is worth least? Pairs without trouble go first, and of these the oldest. */
static struct pair *least(struct picture_book *book)
{
	struct pair *worst = &book->pairs[0];

	for (size_t i = 1; i < book->num; i++) {
		struct pair *pair = &book->pairs[i];
		int more = pair_trouble(pair) - pair_trouble(worst);

		if (more < 0 || (!more && pair->used < worst->used))
			worst = pair;
	}
	return worst;
}

static struct pair *new_pair(struct picture_book *book, const struct picture_address *from,
			     const struct picture_address *to)
{
	struct pair *pair;

	if (book->num < PICTURE_PAIRS) {
		pair = &book->pairs[book->num++];
	} else {
		pair = least(book);
		free(pair->p.items);
		book->forgotten++;
	}
	memset(pair, 0, sizeof(*pair));
	pair->limit = book->limit;
	pair->p.ends[0].at = *from;
	pair->p.ends[1].at = *to;
	return pair;
}

static void learn_qpn(struct picture_end *e, const struct picture_address *at)
{
	if (e->at.qpn == PICTURE_UNKNOWN)
		e->at.qpn = at->qpn;
}

/* Returns the pair of a packet, which is made if there is none, and the number of its sender. */
static struct pair *pair_of(struct picture_book *book, const struct picture_address *from,
			    const struct picture_address *to, int *sender)
{
	struct pair *best = NULL;
	int score = 0;

	*sender = 0;
	for (size_t i = 0; i < book->num; i++) {
		for (int end = 0; end < 2; end++) {
			int fit = pair_fits(&book->pairs[i], end, from, to);

			if (fit <= score)
				continue;
			score = fit;
			best = &book->pairs[i];
			*sender = end;
		}
	}
	if (!best)
		best = new_pair(book, from, to);
	learn_qpn(&best->p.ends[*sender], from);
	learn_qpn(&best->p.ends[!*sender], to);
	best->used = ++book->clock;
	return best;
}

void picture_book_connect(struct picture_book *book, const struct picture_address *a,
			  const struct picture_address *b)
{
	int sender;

	pair_of(book, a, b, &sender);
}

int picture_book_packet(struct picture_book *book, const struct picture_sight *s)
{
	struct pair *pair;
	int sender;

	pair = pair_of(book, &s->from, &s->to, &sender);
	return pair_add_packet(pair, sender, s);
}

/* Finds the pair with the QP of a moment. *end: this QP's end of the pair */
static struct pair *pair_with(struct picture_book *book, const struct picture_moment *m, int *end)
{
	struct pair *best = NULL;

	for (size_t i = 0; i < book->num; i++) {
		for (int k = 0; k < 2; k++) {
			const struct picture_end *e = &book->pairs[i].p.ends[k];
			bool same = m->at.lid == PICTURE_UNKNOWN ? m->dev && !strcmp(e->dev, m->dev)
								 : e->at.lid == m->at.lid;

			if (!same || e->at.qpn != m->at.qpn || (best && best->used > book->pairs[i].used))
				continue;
			best = &book->pairs[i];
			*end = k;
		}
	}
	return best;
}

int picture_book_moment(struct picture_book *book, const struct picture_moment *m)
{
	const struct picture_address nobody = { 0, PICTURE_UNKNOWN };
	struct pair *pair;
	int end = 0;

	pair = pair_with(book, m, &end);
	if (!pair)
		pair = new_pair(book, &m->at, &nobody);
	pair->used = ++book->clock;
	return pair_add_moment(pair, m->far ? !end : end, m);
}

bool picture_wish_parse(struct picture_wish *w, const char *text)
{
	const char *colon = strrchr(text, ':');
	unsigned long qpn;
	char *end;

	if (!colon || colon == text || (size_t)(colon - text) >= sizeof(w->dev))
		return false;
	errno = 0;
	qpn = strtoul(colon + 1, &end, 0);
	if (errno || end == colon + 1 || *end || colon[1] == '-' || colon[1] == ' ' ||
	    qpn > GLASS_QPN_MASK)
		return false;
	snprintf(w->dev, sizeof(w->dev), "%.*s", (int)(colon - text), text);
	w->qpn = qpn;
	return true;
}

static bool is_wanted(const struct pair *pair, const struct picture_wish *w)
{
	for (int i = 0; i < 2; i++)
		if (pair->p.ends[i].at.qpn == w->qpn && !strcmp(pair->p.ends[i].dev, w->dev))
			return true;
	return false;
}

static bool is_management(const struct pair *pair)
{
	return pair->p.ends[0].at.qpn <= 1 || pair->p.ends[1].at.qpn <= 1;
}

/* Is a better than b? */
static bool is_better(const struct pair *a, const struct pair *b)
{
	if (is_management(a) != is_management(b))
		return is_management(b);
	if (pair_trouble(a) != pair_trouble(b))
		return pair_trouble(a) > pair_trouble(b);
	if (a->failed_ns != b->failed_ns)
		return a->failed_ns > b->failed_ns;
	return a->p.packets > b->p.packets;
}

static void tell_choice(const struct picture_book *book, const struct pair *pair, bool asked,
			char *why, size_t why_size)
{
	static const char *const reasons[] = { "the busiest", "it has dropped or repeated packets",
					       "it has an error" };
	char name[2][PICTURE_LABEL], summary[PICTURE_LABEL];

	picture_end_name(&pair->p.ends[0], name[0]);
	picture_end_name(&pair->p.ends[1], name[1]);
	picture_summary(&pair->p, summary);
	snprintf(why, why_size, "picture of %s and %s (%s%s): %s", name[0], name[1],
		 asked ? "asked for" : reasons[pair_trouble(pair)],
		 book->num > 1 && !asked ? "; --pair chooses another" : "", summary);
}

struct picture *picture_book_choose(struct picture_book *book, const struct picture_wish *w,
				    char *why, size_t why_size)
{
	bool asked = w->qpn != PICTURE_UNKNOWN;
	struct pair *best = NULL;

	for (size_t i = 0; i < book->num; i++) {
		struct pair *pair = &book->pairs[i];

		if (!pair->p.count || (asked && !is_wanted(pair, w)))
			continue;
		if (!best || is_better(pair, best))
			best = pair;
	}
	if (!best) {
		snprintf(why, why_size, asked ? "%s:0x%x: no packet of this QP was seen"
					      : "no packet was seen: there is nothing to draw",
			 w->dev, w->qpn);
		return NULL;
	}
	tell_choice(book, best, asked, why, why_size);
	pair_finish(best);
	return &best->p;
}
