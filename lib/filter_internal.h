/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the filter share. */
#ifndef GLASS_LIB_FILTER_INTERNAL_H
#define GLASS_LIB_FILTER_INTERNAL_H

#include "lib/filter.h"

/* ---- memory that is freed in one piece: filter_arena.c */

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t left; /* bytes that may still be taken; 0 at the limit */
};

void arena_init(struct arena *arena, size_t limit);
void arena_free(struct arena *arena);
/* Zeroed; NULL when memory is short or the limit is reached */
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
 * AND and OR have two children or more, and none of their own kind; NOT has one. A
 * comparison has one value, IN one or more.
 */
struct node {
	enum node_kind kind;
	size_t at, len;	    /* place in the filter's text */
	struct node *child; /* the first */
	struct node *next;  /* child of the same parent */
	enum compare_op op;
	int field;
	size_t num_values;
	struct glass_filter_value *values; /* numbers as filter_order() has them */
};

struct glass_filter {
	struct arena arena;
	struct node *root;
};

/*
 * Signed numbers are kept with their sign bit flipped, in which form they compare
 * as unsigned. From a number to that form, and back.
 */
static inline uint64_t filter_order(int field, uint64_t number)
{
	return glass_field_unit(field) == GLASS_UNIT_signed ? number ^ 1ULL << 63 : number;
}

/* Does text fit the pattern, in which * stands for any text and ? for any byte? */
bool filter_like(const char *pattern, const char *text);

/* Fills error; returns false always. */
__attribute__((format(printf, 4, 5))) bool filter_error(struct glass_filter_error *error, size_t at,
							size_t len, const char *format, ...);

/* ---- suggestions: filter_hint.c. Each returns a name that was probably meant, or NULL. */
const char *filter_nearest_field(const char *name, const struct glass_filter_scope *scope);
const char *filter_nearest_word(int field, const char *word);
/* A field that has this word */
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

/* False: there is no token here, error is filled. */
bool filter_next_token(struct lexer *lexer, struct token *token);

#endif
