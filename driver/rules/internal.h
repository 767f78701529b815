/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Shared by the files that parse injection rules: parse.c, value.c, check.c and error.c. */
#ifndef GLASS_RULES_INTERNAL_H
#define GLASS_RULES_INTERNAL_H

#include "rules/parse.h"

/* A piece of the command. No NUL follows it. */
struct piece {
	const char *text;
	size_t len;
};

/* How the value of a key is parsed: the column `value` of GLASS_INJECT_KEYS (glass-inject.h) */
enum value_kind {
	VALUE_name,
	VALUE_num,
	VALUE_range,
	VALUE_words,
	VALUE_word,
	VALUE_text,
	VALUE_time,
	VALUE_times,
	VALUE_prob,
	VALUE_probs,
	VALUE_rule,
	VALUE_tie,
	VALUE_yesno,
};

/* The groups of keys, in the order of GLASS_INJECT_KEYS */
enum key_group {
	GROUP_RULE,
	GROUP_SELECT,
	GROUP_TRIGGER,
	GROUP_LIFE,
	GROUP_PARAM,
	GROUP_TOLD, /* keys of the output; a command may give them, but they have no effect */
};

struct key_info {
	const char *word;
	const char *sites; /* letters of the sites whose actions take the key */
	u8 value; /* enum value_kind */
	u8 group; /* enum key_group */
};

extern const struct key_info glass_rule_keys[GLASS_RK_KEYS];
/* Units of times, the smallest first. The value is the unit's length in ns. */
extern const struct glass_word glass_rule_units[];

/*
 * The position of each key's pair key=value in the text of a command. `len` is 0 if the command
 * does not give the key.
 */
struct given {
	const char *text;
	struct {
		u16 at, len;
	} word[GLASS_RK_KEYS];
};

static inline bool piece_is(struct piece w, const char *s)
{
	return strlen(s) == w.len && !memcmp(w.text, s, w.len);
}

/*
 * Parses the value of a key into the rule. Returns GLASS_RE_NONE, or the kind of error. After an
 * error, *e has the bounds if e->bounded is true. If e->len is not 0, only a part of the value is
 * wrong: e->len bytes from the offset e->at in the value on.
 */
enum glass_rule_error_kind glass_rule_value(struct glass_rule *r, enum glass_rule_key key,
					    struct piece value, struct glass_rule_error *e);

/*
 * Checks that the keys of a rule go together. Unless the rule has force=yes, also checks that
 * InfiniBand can produce the fault. Adds the selectors that the rule implies, such as dir=tx. For
 * an action on an object, a port or the device, sets kind, num and port. Returns GLASS_RE_NONE, or
 * the kind of error. After an error, e->key and e->other are set.
 */
enum glass_rule_error_kind glass_rule_check(struct glass_rule *r, struct glass_rule_error *e);

#endif
