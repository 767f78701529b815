/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of the filter. */
#ifndef GLASS_LIB_FILTER_INTERNAL_H
#define GLASS_LIB_FILTER_INTERNAL_H

#include "lib/filter.h"

/* ---- memory that is freed all at once: filter_arena.c */

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t left; /* bytes left to allocate; 0 at the limit */
};

void arena_init(struct arena *arena, size_t limit);
void arena_free(struct arena *arena);
/* Returns zeroed memory, or NULL if memory runs out or the limit is reached. */
void *arena_alloc(struct arena *arena, size_t size);

/* ---- the parsed form */

enum node_kind { NODE_AND, NODE_OR, NODE_NOT, NODE_COMPARE };

enum compare_op {
	COMPARE_HAS, /* the object has the field */
	COMPARE_EQ,
	COMPARE_NE,
	COMPARE_LT,
	COMPARE_LE,
	COMPARE_GT,
	COMPARE_GE,
	COMPARE_IN,
	COMPARE_LIKE,
};

/*
 * AND and OR have at least two children, and none of their own kind. NOT has one child. A
 * comparison has one value, IN at least one.
 */
struct node {
	enum node_kind kind;
	size_t at, len;	    /* place in the filter's text */
	struct node *child; /* the first one */
	struct node *next;  /* the next child of the same parent */
	enum compare_op op;
	int field;
	size_t num_values;
	struct glass_filter_value *values; /* numbers as returned by filter_order() */
};

struct glass_filter {
	struct arena arena;
	struct node *root;
};

/*
 * Converts a number to the stored form, and back. The sign bit of signed numbers is stored flipped,
 * so that they compare as unsigned.
 */
static inline uint64_t filter_order(int field, uint64_t number)
{
	return glass_field_unit(field) == GLASS_UNIT_signed ? number ^ 1ULL << 63 : number;
}

/* Does text match the pattern? '*' matches any text, '?' any byte. */
bool filter_like(const char *pattern, const char *text);

/* Fills error; returns false always. */
__attribute__((format(printf, 4, 5))) bool filter_error(struct glass_filter_error *error, size_t at,
							size_t len, const char *format, ...);

/* ---- suggestions: filter_hint.c. Each returns the nearest known name, or NULL if none is near. */
const char *filter_nearest_field(const char *name, const struct glass_filter_scope *scope);
const char *filter_nearest_word(int field, const char *word);
/* Returns a field that has this word. */
int filter_field_of_word(const char *word, const struct glass_filter_scope *scope);
bool filter_in_scope(const struct glass_filter_scope *scope, int field);

/* ---- tokens: filter_lex.c */

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,    /* name, number or bare text */
	TOKEN_STRING,  /* quoted */
	TOKEN_COMPARE, /* == != < <= > >= ~ */
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_LEFT, /* ( */
	TOKEN_RIGHT,
	TOKEN_LEFT_BRACE,
	TOKEN_RIGHT_BRACE,
	TOKEN_COMMA,
	TOKEN_RANGE, /* .. */
};

struct token {
	enum token_kind kind;
	size_t at, len;
	enum compare_op op;
	char *text; /* of words and strings: NUL-terminated, without quotes and escapes */
};

struct lexer {
	const char *text;
	size_t at;
	struct arena *arena;
	struct glass_filter_error *error;
};

/* Returns false and fills error if the text here is no token. */
bool filter_next_token(struct lexer *lexer, struct token *token);

#endif
