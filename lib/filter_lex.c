// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "lib/filter_internal.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* May the byte be part of a name, a number or bare text? '-' only begins numbers. */
static bool is_word(char c)
{
	return is_alnum(c) || (c && strchr("_.:/@*?-", c));
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool lex_word(struct lexer *l, struct token *t)
{
	const char *from = l->text + l->at;
	size_t n = 0;

	while (is_word(from[n]) && strncmp(from + n, "..", 2))
		n++;
	t->kind = TOKEN_WORD;
	t->len = n;
	t->text = arena_alloc(l->arena, n + 1);
	if (!t->text)
		return filter_error(l->error, t->at, n, "out of memory");
	memcpy(t->text, from, n);
	return true;
}

/* Decodes one character after a backslash and moves *n behind it. */
static bool lex_escape(struct lexer *l, const char *from, size_t *n, char *to)
{
	size_t at = l->at + *n;
	int high, low;

	switch (from[++*n]) {
	case '"':
	case '\'':
	case '\\':
		*to = from[(*n)++];
		return true;
	case 'x':
		high = hex_digit(from[*n + 1]);
		low = high < 0 ? -1 : hex_digit(from[*n + 2]);
		if (low < 0 || (!high && !low))
			return filter_error(l->error, at, 2,
					    "\\x takes two hexadecimal digits, not 00");
		*to = (char)(high << 4 | low);
		*n += 3;
		return true;
	default:
		return filter_error(l->error, at, from[*n] ? 2 : 1,
				    "a quoted text can have only the escapes \\\" \\' \\\\ and "
				    "\\xNN");
	}
}

static bool lex_string(struct lexer *l, struct token *t)
{
	const char *from = l->text + l->at;
	char quote = from[0];
	size_t n, len = 0;

	t->kind = TOKEN_STRING;
	for (n = 1; from[n] != quote; n += from[n] == '\\' && from[n + 1] ? 2 : 1)
		if (!from[n])
			return filter_error(l->error, t->at, n, "this quote is not closed");
	t->text = arena_alloc(l->arena, n);
	if (!t->text)
		return filter_error(l->error, t->at, n, "out of memory");
	n = 1;
	while (from[n] != quote) {
		if (from[n] != '\\')
			t->text[len++] = from[n++];
		else if (!lex_escape(l, from, &n, &t->text[len++]))
			return false;
	}
	t->len = n + 1;
	return true;
}

static const struct {
	const char *text;
	enum token_kind kind;
	enum compare_op op;
} signs[] = {
	/* a sign stands before all of its prefixes */
	{ "==", TOKEN_COMPARE, COMPARE_EQ },
	{ "!=", TOKEN_COMPARE, COMPARE_NE },
	{ "<=", TOKEN_COMPARE, COMPARE_LE },
	{ ">=", TOKEN_COMPARE, COMPARE_GE },
	{ "<", TOKEN_COMPARE, COMPARE_LT },
	{ ">", TOKEN_COMPARE, COMPARE_GT },
	{ "~", TOKEN_COMPARE, COMPARE_LIKE },
	{ "&&", TOKEN_AND, 0 },
	{ "||", TOKEN_OR, 0 },
	{ "!", TOKEN_NOT, 0 },
	{ "(", TOKEN_LEFT, 0 },
	{ ")", TOKEN_RIGHT, 0 },
	{ "{", TOKEN_LEFT_BRACE, 0 },
	{ "}", TOKEN_RIGHT_BRACE, 0 },
	{ ",", TOKEN_COMMA, 0 },
	{ "..", TOKEN_RANGE, 0 },
};

static bool no_token(struct lexer *l)
{
	unsigned char c = l->text[l->at];

	switch (c) {
	case '=':
		return filter_error(l->error, l->at, 1, "equality is written ==");
	case '&':
		return filter_error(l->error, l->at, 1, "\"and\" is written &&");
	case '|':
		return filter_error(l->error, l->at, 1, "\"or\" is written ||");
	}
	if (c > 0x20 && c < 0x7f)
		return filter_error(l->error, l->at, 1, "`%c` needs quotes", c);
	return filter_error(l->error, l->at, 1, "byte 0x%02x needs quotes", c);
}

bool filter_next_token(struct lexer *l, struct token *t)
{
	const char *from;
	size_t i, n;

	while (is_blank(l->text[l->at]))
		l->at++;
	memset(t, 0, sizeof(*t));
	t->at = l->at;
	from = l->text + l->at;
	if (!*from)
		return true; /* TOKEN_END */
	if (*from == '"' || *from == '\'') {
		if (!lex_string(l, t))
			return false;
		l->at += t->len;
		return true;
	}
	for (i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		n = strlen(signs[i].text);
		if (strncmp(from, signs[i].text, n))
			continue;
		t->kind = signs[i].kind;
		t->op = signs[i].op;
		t->len = n;
		l->at += n;
		return true;
	}
	if (!is_word(*from) || (*from == '-' && !(from[1] >= '0' && from[1] <= '9')))
		return no_token(l);
	if (!lex_word(l, t))
		return false;
	l->at += t->len;
	return true;
}
