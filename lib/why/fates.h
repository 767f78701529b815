/* SPDX-License-Identifier: GPL-2.0-only */
/* The fates of the copies of a request, and of the answers to it. */
#ifndef GLASS_LIB_WHY_FATES_H
#define GLASS_LIB_WHY_FATES_H

#include "lib/why/reason.h"
#include "uapi/glass-enums.h"

/* Fates of a packet: the drop reasons (enum glass_drop), of which none is "delivered", and two more
 */
enum {
	WHY_DELIVERED = 0,
	WHY_LOST = GLASS_DROP_COUNT, /* no row tells */
	WHY_UNKNOWN_FATE,	     /* a word that this version does not know */
	WHY_FATES,
};

/* The words of the drop reasons: WHY_LOST entries */
extern const char *const why_fate_words[];

/* The fates of all packets of one kind */
struct why_fates {
	unsigned int packets, of[WHY_FATES];
	uint64_t first, second, last; /* when the first, second and last of them were sent */
	/* packets that found a port down, and when the second of them was sent, or the only one */
	unsigned int down;
	uint64_t down_second;
	bool down_last; /* no packet after these had another fate, nor one before that needs a cause
			 */
	unsigned int withdrawn; /* packets after these that the same switch had no route for */
	bool rnr_first;		/* no packet that found no receive follows one with another fate */
	/* no packet that found no QP precedes one with another fate, nor follows one that needs a cause */
	bool gone_last;
	bool timed;
	const struct why_row *row; /* the last one that was dropped or delivered */
	char at[WHY_NAME];	   /* where that was */
	char port[WHY_NAME];	   /* the port there, as NODE:PORT */
	char switch_at[WHY_NAME];  /* the same of a switch, from a drop log */
	bool at_switch;		   /* the last one was dropped at switch_at */
	char down_at[WHY_NAME];	   /* NODE:PORT, where a packet found a port down */
};

/* Returns the fate of a word of the column rx_reason, tx_reason or reason. */
unsigned int why_fate(const char *word);
/* Counts the fates of all copies of the request, or (answers) of all answers to it. */
void why_fates_of(const struct why_case *c, bool answers, struct why_fates *f);
/* The only fate of all packets whose fate is known; WHY_UNKNOWN_FATE if there are several or none
 */
unsigned int why_only_fate(const struct why_fates *f);
/* Adds the step that tells how often the request was sent. tries: by the request itself; 0: not
 * known */
struct why_step *why_tell_copies(struct why_case *c, const struct why_fates *f, uint64_t tries);
/* Adds the step that tells where packets had this fate, a drop reason. when: "" or " before" */
void why_tell_dropped(struct why_case *c, const struct why_fates *f, unsigned int fate,
		      const char *when);

/* ---- fates that name a cause (reason_fate.c) */

/* All packets whose fate is known were dropped for this reason. answers: they are answers of the
 * peer */
void why_decide_fate(struct why_case *c, const struct why_fates *f, const char *reason,
		     bool answers);
/* Counts damaged packets as of one fate: which check finds the damage depends on the bits of each
 * copy. */
void why_merge_damages(struct why_fates *f);
/* The responder is connected to another QP, or may be. */
void why_other_peer(struct why_case *c);

#endif
