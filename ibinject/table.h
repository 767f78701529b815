/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys, actions and words of rules, from driver/uapi. */
#ifndef IBINJECT_TABLE_H
#define IBINJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/parse.h"

enum group { IN_RULE, IN_SELECT, IN_TRIGGER, IN_LIFE, IN_PARAM, IN_TOLD };

struct key {
	const char *word, *value, *sites, *meaning;
	enum group group;
};

/* glass_rule_action_word() has its word. */
struct act {
	const char *params, *meaning;
	char site;
};

/* Indexed by enum glass_rule_key, and by enum glass_action */
extern const struct key keys[GLASS_RK_KEYS];
extern const struct act acts[GLASS_ACT_COUNT];

/* Return the number of the key or action of that name, or -1. */
int find_key(const char *word, size_t len);
int find_act(const char *word, size_t len);

/* Is the key a parameter of the action? *must, if must is not NULL: is it required? */
bool is_param(const struct act *act, const char *key, bool *must);

/* Does the action accept the key? */
bool takes(const struct act *act, enum glass_rule_key key);

/* Returns the i-th word of the key for actions of that site, or NULL. */
const char *key_word(enum glass_rule_key key, char site, size_t i);

/* Returns "packets", "completions" and so on. */
const char *site_name(char site);

#endif
