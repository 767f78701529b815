// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "lib/printable.h"
#include "lib/why/places.h"
#include "lib/why/reason.h"

static const char *const words[] = {
#define WORD(n, w, sentence) #w,
	WHY_PLACES_OF(WORD)
};

void why_place_add(struct why_story *s, enum why_place what, const char *dev, const char *num,
		   const char *pid, const char *comm, const char *place)
{
	const char *const keys[] = { "what", "dev", "num", "pid", "comm", "place" };
	const char *const values[] = { words[what], dev, num, pid, comm, NULL };

	if (why_story_add(s, WHY_PLACES, keys, values, 6))
		why_story_set_text(s, &s->row[s->rows - 1], "place", place);
}

static void put_sentence(enum why_place what, const char *process, const char *object, char *to, size_t size)
{
	switch (what) {
#define SENTENCE(n, w, sentence)                                \
	case WHY_PLACE_##n:                                     \
		snprintf(to, size, sentence, process, object);  \
		break;
	WHY_PLACES_OF(SENTENCE)
	case WHY_PLACE_COUNT:
		snprintf(to, size, "%s, %s", process, object);
		break;
	}
}

char *why_place_text(const struct why_story *s, const struct why_row *row, char to[WHY_PLACE_TEXT])
{
	const char *what = why_cell(s, row, "what");
	char process[WHY_NAME], dev[WHY_NAME], num[WHY_NAME], object[2 * WHY_NAME + 1], place[256];
	int i = 0;

	while (i < WHY_PLACE_COUNT && (!what || strcmp(words[i], what)))
		i++;
	why_process(s, row, "comm", "pid", process);
	why_word(why_cell(s, row, "dev"), dev);
	why_word(why_cell(s, row, "num"), num);
	if (i == WHY_PLACE_CREATED || i == WHY_PLACE_CHANGED || i == WHY_PLACE_DESTROYED)
		snprintf(object, sizeof(object), "%s:%s", dev, num);
	else
		snprintf(object, sizeof(object), "%s", num);
	put_sentence(i, process, object, to, WHY_PLACE_TEXT);
	why_text(why_cell(s, row, "place"), place, sizeof(place));
	snprintf(to + strlen(to), WHY_PLACE_TEXT - strlen(to), ": %s", place);
	printable_ascii(to);
	return to;
}

/* Writes the place of what happened to the object whose number is in column `key` of `object`. */
static char *place_of(const struct why_story *s, const struct why_row *object, const char *key,
		      enum why_place what, char to[WHY_PLACE_SHORT])
{
	const char *dev = why_cell(s, object, "dev");
	const struct why_row *row = NULL;
	char place[256];
	uint64_t num, of;

	*to = 0;
	/* places are of this host; the other one may use the same names and numbers */
	if (why_is_far(s, object))
		return to;
	while (dev && why_cell_number(s, object, key, &num) && (row = why_next(s, WHY_PLACES, row))) {
		if (!why_cell_is(s, row, "what", words[what]) || !why_cell_is(s, row, "dev", dev) ||
		    !why_cell_number(s, row, "num", &of) || of != num)
			continue;
		why_text(why_cell(s, row, "place"), place, sizeof(place));
		snprintf(to, WHY_PLACE_SHORT, "%.*s", (int)strcspn(place, " ,"), place);
		return to;
	}
	return to;
}

char *why_place_of_key(const struct why_story *s, const struct why_row *key, bool ended, char to[WHY_PLACE_SHORT])
{
	return place_of(s, key, "key", ended ? WHY_PLACE_ENDED : WHY_PLACE_REGISTERED, to);
}

char *why_place_of_invalidation(const struct why_story *s, const struct why_row *key, char to[WHY_PLACE_SHORT])
{
	return place_of(s, key, "key", WHY_PLACE_INVALIDATED, to);
}

char *why_place_of_gone_qp(const struct why_story *s, const struct why_row *qp, char to[WHY_PLACE_SHORT])
{
	return place_of(s, qp, "qpn", WHY_PLACE_DESTROYED, to);
}
