/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Why a command written to inject/rules is refused. GLASS_INJECT_ERRORS has the kinds and
 * sentences.
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
	u8 key, other; /* enum glass_rule_key; GLASS_RK_KEYS: none */
	bool bounded; /* low and high are valid */
	u32 at, len; /* the wrong part of the command: offset and bytes; len 0: none */
	u64 low, high; /* bounds of the value, both included */
};

#define GLASS_RULE_ERROR 192 /* longest text of a refusal, with its NUL */

/* Sets *e to an error of this kind and key, without position, other key and bounds. */
void glass_rule_error_set(struct glass_rule_error *e, enum glass_rule_error_kind kind,
			  enum glass_rule_key key);
/*
 * Sets the position of the error to the key=value of its key in the command, if the command has it.
 * For errors that are found after parsing.
 */
void glass_rule_error_place(struct glass_rule_error *e, const char *text, size_t len);

/*
 * Writes one line that explains the error in a command of len bytes. _why: the sentence; _text: the
 * wrong word, a colon and the sentence. Control characters and non-ASCII bytes of the word become
 * \xNN; a word that is too long ends in "...". device: name of the adapter, or NULL.
 */
void glass_rule_error_why(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			  const char *text, size_t len, const char *device);
void glass_rule_error_text(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			   const char *text, size_t len, const char *device);

/* The words of a kind and of a key in debugfs; "-" if there is none. */
const char *glass_rule_error_word(enum glass_rule_error_kind kind);
const char *glass_rule_key_word(enum glass_rule_key key);

#endif
