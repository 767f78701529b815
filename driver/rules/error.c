// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Writes a sentence that says why a command is refused; see error.h. */
#include "rules/error.h"
#include "rules/internal.h"

#define ERROR_WORD(n, w, s) [GLASS_RE_##n] = #w,
static const char *const error_words[GLASS_RE_KINDS] = { "-", GLASS_INJECT_ERRORS(ERROR_WORD) };
#define ERROR_SENTENCE(n, w, s) [GLASS_RE_##n] = s,
static const char *const error_sentences[GLASS_RE_KINDS] = {
	"", GLASS_INJECT_ERRORS(ERROR_SENTENCE)
};

const char *glass_rule_error_word(enum glass_rule_error_kind kind)
{
	return kind < GLASS_RE_KINDS ? error_words[kind] : "-";
}

const char *glass_rule_key_word(enum glass_rule_key key)
{
	return key < GLASS_RK_KEYS ? glass_rule_keys[key].word : "-";
}

void glass_rule_error_set(struct glass_rule_error *e, enum glass_rule_error_kind kind,
			  enum glass_rule_key key)
{
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->key = key;
	e->other = GLASS_RK_KEYS;
}

static bool error_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/*
 * Returns the wrong part of the command, extended to whole words. The result is empty if the error
 * has no wrong part.
 */
static struct piece error_word_around(const struct glass_rule_error *e, const char *text,
				      size_t len)
{
	size_t from = min_t(size_t, e->at, len), to = min_t(size_t, from + e->len, len);
	struct piece w = { text + from, to - from };

	if (!w.len)
		return w;
	while (from && !error_is_blank(text[from - 1]))
		from--;
	while (to < len && !error_is_blank(text[to]))
		to++;
	w.text = text + from;
	w.len = to - from;
	return w;
}

void glass_rule_error_place(struct glass_rule_error *e, const char *text, size_t len)
{
	const char *word = glass_rule_key_word(e->key);
	size_t n = strlen(word), at = 0, end;

	if (e->key >= GLASS_RK_KEYS)
		return;
	for (; at < len; at = end) {
		for (end = at; end < len && !error_is_blank(text[end]);)
			end++;
		if (end - at > n && text[at + n] == '=' && !memcmp(text + at, word, n)) {
			e->at = at;
			e->len = end - at;
			return;
		}
		if (end == at)
			end++;
	}
}

struct error_line {
	char *to;
	size_t at;
};

static void error_put(struct error_line *l, const char *text)
{
	while (*text && l->at + 1 < GLASS_RULE_ERROR)
		l->to[l->at++] = *text++;
}

#define ERROR_WORD_MAX 64 /* error_put_word() cuts a word that goes beyond this byte of the line */

static void error_put_word(struct error_line *l, struct piece word)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < word.len; i++) {
		u8 c = word.text[i];
		char escaped[5] = { '\\', 'x', hex[c >> 4], hex[c & 0xf], 0 };

		if (l->at + 4 > ERROR_WORD_MAX) {
			error_put(l, "...");
			break;
		}
		if (c >= 0x20 && c < 0x7f) {
			escaped[0] = c;
			escaped[1] = 0;
		}
		error_put(l, escaped);
	}
}

static void error_put_number(struct error_line *l, u64 v, u32 base)
{
	static const char digits[] = "0123456789abcdef";
	char text[24];
	size_t at = sizeof(text) - 1;

	text[at] = 0;
	do {
		text[--at] = digits[v % base];
		v /= base;
	} while (v);
	if (base == 16)
		error_put(l, "0x");
	error_put(l, text + at);
}

/*
 * Writes a bound of a key's value. A bound of a time is written in the largest unit that gives a
 * whole number. Any other bound is written in hexadecimal if the value in `word`, the wrong word of
 * the command, begins with 0x; else in decimal.
 */
static void error_put_bound(struct error_line *l, const struct glass_rule_error *e,
			    struct piece word, u64 v)
{
	const struct glass_word *unit = NULL, *u;
	size_t i;

	if (e->key < GLASS_RK_KEYS && (glass_rule_keys[e->key].value == VALUE_time ||
				       glass_rule_keys[e->key].value == VALUE_times))
		for (u = glass_rule_units; u->text && v; u++)
			if (v % u->value == 0)
				unit = u;
	if (unit) {
		error_put_number(l, v / unit->value, 10);
		error_put(l, unit->text);
		return;
	}
	for (i = 0; i + 2 < word.len; i++)
		if (!memcmp(word.text + i, "=0x", 3) || !memcmp(word.text + i, "=0X", 3))
			break;
	error_put_number(l, v, i + 2 < word.len ? 16 : 10);
}

/*
 * Returns the word for the kind of object that the key names. If `article` is true, "a" or "an"
 * precedes the word.
 */
static const char *error_object(enum glass_rule_key key, bool article)
{
	switch (key) {
	case GLASS_RK_QPN:
		return article ? "a QP" : "QP";
	case GLASS_RK_CQN:
		return article ? "a CQ" : "CQ";
	case GLASS_RK_SRQN:
		return article ? "an SRQ" : "SRQ";
	case GLASS_RK_PORT:
		return article ? "a port" : "port";
	default:
		return article ? "an object" : "object";
	}
}

static void error_put_sentence(struct error_line *l, const struct glass_rule_error *e,
			       const char *text, size_t len, const char *device)
{
	const char *at = e->kind < GLASS_RE_KINDS ? error_sentences[e->kind] : "";
	struct piece word = error_word_around(e, text, len);
	struct glass_rule_error first = { .len = 1 };

	while (first.at < len && error_is_blank(text[first.at]))
		first.at++;
	for (; *at; at++) {
		struct piece name = { at + 1, 0 };
		char c[2] = { *at, 0 };

		if (*at != '<') {
			error_put(l, c);
			continue;
		}
		while (name.text[name.len] != '>')
			name.len++;
		at += name.len + 1;
		if (piece_is(name, "key"))
			error_put(l, glass_rule_key_word(e->key));
		else if (piece_is(name, "other"))
			error_put(l, glass_rule_key_word(e->other));
		else if (piece_is(name, "low"))
			error_put_bound(l, e, word, e->low);
		else if (piece_is(name, "high"))
			error_put_bound(l, e, word, e->high);
		else if (piece_is(name, "object"))
			error_put(l, error_object(e->key, false));
		else if (piece_is(name, "of other"))
			error_put(l, error_object(e->other, true));
		else if (piece_is(name, "command"))
			error_put_word(l, error_word_around(&first, text, len));
		else if (piece_is(name, "device"))
			error_put(l, device ? device : "this device");
	}
	l->to[l->at] = 0;
}

void glass_rule_error_why(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			  const char *text, size_t len, const char *device)
{
	struct error_line l = { to, 0 };

	error_put_sentence(&l, e, text, len, device);
}

void glass_rule_error_text(char to[GLASS_RULE_ERROR], const struct glass_rule_error *e,
			   const char *text, size_t len, const char *device)
{
	struct piece word = error_word_around(e, text, len);
	struct error_line l = { to, 0 };

	error_put_word(&l, word);
	if (word.len)
		error_put(&l, ": ");
	error_put_sentence(&l, e, text, len, device);
}
