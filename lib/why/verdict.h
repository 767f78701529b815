/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict on a story: a chain of steps, effect first, first cause last. It is pure: it reads
 * the story alone, and makes no system calls.
 *
 * A cause is named only if rows of the story prove it. A lost row must not lead to another cause:
 * absence of a row proves nothing. If the rows fit several causes, or none, the verdict is
 * UNDETERMINED, with candidates and the missing evidence.
 */
#ifndef GLASS_LIB_WHY_VERDICT_H
#define GLASS_LIB_WHY_VERDICT_H

#include "lib/why/cause.h"
#include "lib/why/story.h"

#define WHY_STEPS    8
#define WHY_MISSING  8
#define WHY_TEXT     480
#define WHY_EVIDENCE 360

struct why_step {
	bool timed;
	int64_t when;		     /* ns relative to the failure; negative: before it; if timed */
	char text[WHY_TEXT];	     /* a sentence for people; printable ASCII */
	char evidence[WHY_EVIDENCE]; /* the rows that it rests on; "" if none */
	const char *advice;	     /* NULL: none */
};

struct why_verdict {
	enum why_cause cause;
	unsigned int steps;
	struct why_step step[WHY_STEPS];
	bool candidate[WHY_CAUSE_COUNT]; /* of UNDETERMINED: causes that the rows do not exclude */
	unsigned int missing;
	char miss[WHY_MISSING][WHY_EVIDENCE]; /* evidence that is missing, as sentences */
};

/* Fills the verdict. It contains no pointers into the story. */
void why_reason(const struct why_story *s, struct why_verdict *v);

const char *why_cause_word(enum why_cause cause);
const char *why_cause_title(enum why_cause cause);
const char *why_cause_advice(enum why_cause cause);
/* Returns WHY_CAUSE_COUNT for an unknown word. */
enum why_cause why_cause_find(const char *word);

/* Writes a time in a unit that people read: "40 us", "1.5 s". Returns `to`. */
#define WHY_TIME 32
char *why_time(uint64_t ns, char to[WHY_TIME]);

#endif
