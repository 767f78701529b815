/* SPDX-License-Identifier: GPL-2.0-only */
/* Shorthands: make rules from an object and a word, or from a filter and options. */
#ifndef IBINJECT_SHORT_H
#define IBINJECT_SHORT_H

#include "rule.h"

/* Values of keys given as options; NULL: not given */
struct given_keys {
	const char *value[GLASS_RK_KEYS];
};

struct texts {
	char **text;
	size_t count;
};

void texts_free(struct texts *t);

/*
 * Makes the rules of an action (on packets, completions or verbs) for everything that a filter
 * (NULL: all) selects. Returns false with the error and its place in the filter (len 0: none).
 */
bool action_rules(enum glass_action act, const char *filter, const struct given_keys *given,
		  struct texts *to, struct glass_filter_error *error);

enum object { OBJECT_QP, OBJECT_CQ, OBJECT_SRQ, OBJECT_PORT, OBJECT_DEVICE, OBJECT_COUNT };

struct object_info {
	const char *word; /* name of the command and of the debugfs table */
	const char *key;  /* selects one object; NULL: there is only one */
};

extern const struct object_info objects[OBJECT_COUNT];

/* Returns the i-th action word for such an object, or NULL. */
const char *object_word(enum object object, size_t i);

/*
 * Finds the object of an action, and the word for the action. Returns false if no command covers
 * it.
 */
bool object_of_act(int act, enum object *object, char *word, size_t size);

/*
 * Returns the rule for a word ("fatal") and the object with that number (as text). The caller frees
 * it. Returns NULL if the word is unknown.
 */
char *object_rule(enum object object, const char *number, const char *word,
		  const struct given_keys *given);

#endif
