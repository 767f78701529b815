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
	 * `key` is the wrong key. `other` is a key that is missing, or a key that does not go with
	 * `key`. Both are enum glass_rule_key. GLASS_RK_KEYS means that there is none.
	 */
	u8 key, other;
	bool bounded; /* low and high are valid */
	/*
	 * offset and length, in bytes, of the wrong part of the command; len is 0 if there is none
	 */
	u32 at, len;
	/* the lowest and the highest valid value, or the bounds of the value's length in bytes */
	u64 low, high;
};

#define GLASS_RULE_ERROR 192 /* size of the longest error text in bytes, with its NUL */

/*
 * Sets *e to an error of this kind, with this key. The error has no position, no other key and no
 * bounds.
 */
void glass_rule_error_set(struct glass_rule_error *e, enum glass_rule_error_kind kind,
			  enum glass_rule_key key);
/*
 * Call this for an error that is found after parsing. Looks in the command for the pair key=value
 * of e->key, and sets e->at and e->len to the offset and the length of this pair. Does nothing if
 * the command lacks the pair.
 */
void glass_rule_error_place(struct glass_rule_error *e, const char *text, size_t len);

/*
 * These functions write one line that explains an error in a command. `text` is the command, of len
 * bytes. glass_rule_error_why() writes a sentence. glass_rule_error_text() writes the same
 * sentence, but if the error has a wrong word, this word and a colon precede the sentence.
 *
 * Control characters and non-ASCII bytes of the command become \xNN. A word that is too long is
 * cut, and ends in "...". `device` is the name of the adapter. If it is NULL, the sentence says
 * "this device".
 */
void glass_rule_error_why(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			  const char *text, size_t len, const char *device);
void glass_rule_error_text(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			   const char *text, size_t len, const char *device);

/*
 * Return the word for a kind of error or for a key, as debugfs shows it. Return "-" if there is no
 * such kind or key.
 */
const char *glass_rule_error_word(enum glass_rule_error_kind kind);
const char *glass_rule_key_word(enum glass_rule_key key);

#endif
