/* SPDX-License-Identifier: GPL-2.0-only */
/* Shorthands: from an object and a word, or a filter and options, to rules. */
#ifndef IBINJECT_SHORT_H
#define IBINJECT_SHORT_H

#include "rule.h"

/* Values of keys that were given as options; NULL: not given */
struct given_keys {
	const char *value[GLASS_RK_KEYS];
};

struct texts {
	char **text;
	size_t count;
};

void texts_free(struct texts *t);

/*
 * The rules of an action (on packets, completions or verbs) for what a filter (NULL: all)
 * selects. False: error tells what is wrong, and where in the filter (len 0: not in it).
 */
bool action_rules(enum glass_action act, const char *filter, const struct given_keys *given,
		  struct texts *to, struct glass_filter_error *error);

enum object { OBJECT_QP, OBJECT_CQ, OBJECT_SRQ, OBJECT_PORT, OBJECT_DEVICE, OBJECT_COUNT };

struct object_info {
	const char *word; /* the command, and the table in debugfs */
	const char *key;  /* that names one; NULL: there is one only */
};

extern const struct object_info objects[OBJECT_COUNT];

/* The i-th word that can happen to such an object, or NULL */
const char *object_word(enum object object, size_t i);

/* Which object an action happens to, and its word for that; false: to none that has a command. */
bool object_of_act(int act, enum object *object, char *word, size_t size);

/*
 * The rule for what a word ("fatal") does to the object of that number (as text), for the
 * caller to free. NULL: there is no such word.
 */
char *object_rule(enum object object, const char *number, const char *word,
		  const struct given_keys *given);

#endif
