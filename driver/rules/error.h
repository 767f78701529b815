/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Errors in commands that a program writes to inject/rules in debugfs. The table
 * GLASS_INJECT_ERRORS has the kinds of errors, and a sentence for each.
 */
#ifndef GLASS_RULES_ERROR_H
#define GLASS_RULES_ERROR_H

#include "uapi/glass-inject.h"
#include "wire/shim.h"

#define GLASS_E_RK(n, w, v, s, m) GLASS_RK_##n,
enum glass_rule_key { GLASS_INJECT_KEYS(GLASS_E_RK) GLASS_RK_KEYS };

#define GLASS_E_RE(n, w, s) GLASS_RE_##n,
enum glass_rule_error_kind { GLASS_RE_NONE, GLASS_INJECT_ERRORS(GLASS_E_RE) GLASS_RE_KINDS };

struct glass_rule_error {
	u8 kind; /* enum glass_rule_error_kind */
	/*
	 * key: the key that is wrong; other: a key that is missing, or does not go with `key`. Both
	 * are enum glass_rule_key; GLASS_RK_KEYS: there is none.
	 */
	u8 key, other;
	bool bounded; /* low and high are valid */
	/* offset and length in bytes of the wrong part of the command; len 0: there is none */
	u32 at, len;
	u64 low, high; /* bounds, both included, of the value or of its length in bytes */
};

#define GLASS_RULE_ERROR 192 /* bytes of the longest text of an error, with its NUL */

/* Sets *e to an error of this kind and key. The error has no position, other key or bounds. */
void glass_rule_error_set(struct glass_rule_error *e, enum glass_rule_error_kind kind,
			  enum glass_rule_key key);
/*
 * For an error that is found after parsing: sets e->at and e->len to the place of the pair
 * key=value of e->key in the command. Does nothing if the command lacks that pair.
 */
void glass_rule_error_place(struct glass_rule_error *e, const char *text, size_t len);

/*
 * Write one line that explains the error in a command (text, len bytes). glass_rule_error_why()
 * writes the sentence. glass_rule_error_text() writes the wrong word and a colon before it, if the
 * error has a wrong word. Control characters and non-ASCII bytes of the command become \xNN; a word
 * that is too long ends in "...". device: name of the adapter; NULL: the sentence says "this
 * device".
 */
void glass_rule_error_why(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			  const char *text, size_t len, const char *device);
void glass_rule_error_text(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			   const char *text, size_t len, const char *device);

/* Return the word of a kind or key, as debugfs shows it; "-": there is no such kind or key. */
const char *glass_rule_error_word(enum glass_rule_error_kind kind);
const char *glass_rule_key_word(enum glass_rule_key key);

#endif
