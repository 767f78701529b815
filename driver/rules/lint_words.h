/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The words of lint: the table of its codes, the commands of the debugfs files lint/scope and
 * lint/mute, and an index of the kept findings. Lint is the driver's part of iblint: it reports
 * misuse of verbs by programs. docs/lint-abi.md has the grammar.
 */
#ifndef GLASS_RULES_LINT_WORDS_H
#define GLASS_RULES_LINT_WORDS_H

#include "rules/word.h"
#include "uapi/glass-lint-set.h"

#define GLASS_LINT_LINE 512 /* length of the longest command in bytes, without its newline */

struct glass_lint_code {
	u8 severity; /* enum glass_lint_severity */
	bool costly; /* the code is not on by default */
	const char *word, *title;
};

/* The table of codes, indexed by number; [0] is empty. */
extern const struct glass_lint_code glass_lint_code[GLASS_LINT_COUNT + 1];

/* Add codes to a set: all codes of the table, or all codes that are on by default. */
void glass_lint_add_all(struct glass_lint_set *set);
void glass_lint_add_default(struct glass_lint_set *set);

enum glass_lint_verb { GLASS_LINT_ADD, GLASS_LINT_DEL, GLASS_LINT_CLEAR };
enum glass_lint_by { GLASS_LINT_BY_NONE, GLASS_LINT_BY_PID, GLASS_LINT_BY_COMM, GLASS_LINT_BY_ALL };

/* A parsed command of lint/scope or lint/mute. */
struct glass_lint_command {
	u8 verb; /* enum glass_lint_verb */
	u32 id; /* for del: the id of the scope or mute to delete */
	/* used for a scope */
	u8 by; /* enum glass_lint_by: how the scope selects programs */
	u32 pid; /* valid with GLASS_LINT_BY_PID */
	/*
	 * If `log` is true, new findings also go to the kernel log. If `owner` is true, the scope
	 * ends when the open file that added it is closed. If `stacks` is true, the programs record
	 * from where they call verbs.
	 */
	bool log, owner, stacks;
	/*
	 * codes: the codes that a scope checks, or the one code that a mute hides. errors: used for
	 * a scope: if a program's call has a finding of one of these codes, the call fails.
	 */
	struct glass_lint_set codes, errors;
	/* used for a scope or a mute */
	bool has_comm; /* `comm` is valid: it is a pattern for the names of programs */
	struct glass_name comm;
	/* used for a mute */
	bool has_object; /* `kind` and `num` are valid: they name the object */
	u8 kind; /* enum glass_kind */
	u64 num;
};

/* Returns the number of a code, such as 21 for "GL021". Returns 0 if the text is no code. */
u32 glass_lint_code_number(const char *text, size_t len);

/* Parse a command, which may end in a newline. Return false if the command is wrong. */
bool glass_lint_parse_scope(const char *line, size_t len, struct glass_lint_command *c);
bool glass_lint_parse_mute(const char *line, size_t len, struct glass_lint_command *c);

/* The identity of a finding. Findings with equal keys are kept as one, with a count. */
struct glass_lint_key {
	u16 code;
	u8 kind;
	u32 num;
	s32 pid;
};

#define GLASS_LINT_MAX 1024 /* maximum number of findings that are kept */
#define GLASS_LINT_SLOTS (2 * GLASS_LINT_MAX)

struct glass_lint_index {
	u32 n;
	u16 slot[GLASS_LINT_SLOTS]; /* hash table: index in key[], plus 1; 0 if the slot is empty */
	struct glass_lint_key key[GLASS_LINT_MAX];
};

void glass_lint_index_clear(struct glass_lint_index *x);
/*
 * Returns the index of this key in key[]. If the key is not there yet, adds it and sets *fresh to
 * true; but if there is no room for it, returns -1. In all other cases sets *fresh to false.
 */
int glass_lint_index_put(struct glass_lint_index *x, const struct glass_lint_key *key, bool *fresh);

/* Must a finding be traced when its count is this? True up to 16, and for each power of two. */
bool glass_lint_tell_at(u64 count);

#endif
