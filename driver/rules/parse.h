/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands of inject/rules, one a line:
 *
 *   add [name=NAME] qpn=N [port=N] act=qp_fatal [count=1]
 *   add [name=NAME] cqn=N act=cq_overrun [count=1]
 *   add [name=NAME] srqn=N act=srq_fatal [count=1]
 *   del name=NAME
 *   clear
 *
 * Words are separated by blanks or tabs, a newline may end the line, numbers are
 * decimal or 0x. hit= and eligible=, which stand in what is read back, are
 * accepted and mean nothing. port= goes with qpn=0 and qpn=1, of which every
 * port has one; it is 1 when not given.
 */
#ifndef GLASS_RULES_PARSE_H
#define GLASS_RULES_PARSE_H

#include "wire/shim.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-enums.h"

#define GLASS_RULE_LINE 256 /* longest command in bytes, with its newline */
#define GLASS_RULE_NAME 32 /* name with its NUL */
#define GLASS_RULE_ERROR 192 /* text that explains a refusal, with its NUL */
#define GLASS_RULE_PORT_MAX 254

enum glass_rule_command {
	GLASS_RULE_ADD,
	GLASS_RULE_DEL,
	GLASS_RULE_CLEAR,
};

struct glass_rule {
	enum glass_rule_command command;
	char name[GLASS_RULE_NAME]; /* empty: none was given */
	enum glass_action action;
	enum glass_kind kind; /* of the object that the action hits */
	u32 num; /* its number */
	u32 port; /* QP0 and QP1: their port; else 0 */
};

/*
 * Parses one command of len bytes (no NUL needed behind it). Returns 0, or
 * -EINVAL and in error one line: the offending word, a colon, what is wrong.
 */
int glass_rule_parse(const char *text, size_t len, struct glass_rule *rule,
		     char error[GLASS_RULE_ERROR]);

/*
 * Writes "WORD: WHY" to error: control characters and what is not ASCII as \xNN,
 * a word too long cut and marked with "...".
 */
void glass_rule_error(char error[GLASS_RULE_ERROR], const char *word, size_t word_len,
		      const char *why);

/* The words of enum glass_action and enum glass_kind, and the selector of a kind ("qpn"). */
const char *glass_rule_action_word(enum glass_action action);
const char *glass_rule_kind_word(enum glass_kind kind);
const char *glass_rule_selector(enum glass_kind kind);

#endif
