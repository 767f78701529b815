/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Why a command of inject/rules is refused: GLASS_INJECT_ERRORS has kinds and sentences. */
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
	u32 at, len; /* the wrong part of the command, in bytes; len 0: no part of it */
	u64 low, high; /* both included */
};

#define GLASS_RULE_ERROR 192 /* text that explains a refusal, with its NUL */

/* Makes *e an error without position, other key and bounds. */
void glass_rule_error_set(struct glass_rule_error *e, enum glass_rule_error_kind kind,
			  enum glass_rule_key key);
/* The position of a parsed command's key=value becomes that of the error, if the key is there. */
void glass_rule_error_place(struct glass_rule_error *e, const char *text, size_t len);

/*
 * Writes one line that explains the error in a command of len bytes. _why: the sentence; _text: the
 * wrong word, a colon and the sentence. Control characters and non-ASCII bytes of a word become
 * \xNN, and a word that is too long ends in "...". device: the adapter; NULL: not known.
 */
void glass_rule_error_why(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			  const char *text, size_t len, const char *device);
void glass_rule_error_text(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			   const char *text, size_t len, const char *device);

/* The words of a kind and of a key in debugfs; "-": none. */
const char *glass_rule_error_word(enum glass_rule_error_kind kind);
const char *glass_rule_key_word(enum glass_rule_key key);

#endif
