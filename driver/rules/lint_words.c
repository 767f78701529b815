// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The codes and commands of lint, and the index of its findings; see lint_words.h. */
#include "rules/lint_words.h"
#include "uapi/glass-columns.h"

#define IS_ON_ON true
#define IS_ON_COSTLY false
#define CODE(n, w, number, s, on, t, a, found, kinds)                                              \
	[number] = { .severity = GLASS_LINT_##s, .costly = !IS_ON_##on, .word = #w, .title = t },

const struct glass_lint_code glass_lint_code[GLASS_LINT_COUNT + 1] = { GLASS_LINT_CODES(CODE) };

static void lint_add_codes(struct glass_lint_set *set, bool costly)
{
	u32 n;

	for (n = 1; n <= GLASS_LINT_COUNT; n++)
		if (glass_lint_code[n].word && (costly || !glass_lint_code[n].costly))
			glass_lint_set_add(set, n);
}

void glass_lint_add_all(struct glass_lint_set *set)
{
	lint_add_codes(set, true);
}

void glass_lint_add_default(struct glass_lint_set *set)
{
	lint_add_codes(set, false);
}

#define KIND(n, w, v) { #w, v },
static const struct glass_word lint_kinds[] = { GLASS_KINDS(KIND) { NULL, 0 } };

static bool lint_word_is(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(text, word, len);
}

u32 glass_lint_code_number(const char *text, size_t len)
{
	u32 n = 0, i;

	if (len != 5 || text[0] != 'G' || text[1] != 'L')
		return 0;
	for (i = 2; i < 5; i++) {
		int d = glass_digit(text[i], 10);

		if (d < 0)
			return 0;
		n = n * 10 + d;
	}
	return n <= GLASS_LINT_COUNT ? n : 0;
}

/* Parses codes joined by commas; "all" and "default" stand for sets of codes. */
static bool code_set(const char *text, size_t len, struct glass_lint_set *set)
{
	size_t at, end;

	memset(set, 0, sizeof(*set));
	for (at = 0; at <= len; at = end + 1) {
		u32 n;

		for (end = at; end < len && text[end] != ',';)
			end++;
		n = glass_lint_code_number(text + at, end - at);
		if (n)
			glass_lint_set_add(set, n);
		else if (lint_word_is(text + at, end - at, "all"))
			glass_lint_add_all(set);
		else if (lint_word_is(text + at, end - at, "default"))
			glass_lint_add_default(set);
		else
			return false;
	}
	return true;
}

static bool lint_number(const char *text, size_t len, u64 most, u64 *v)
{
	return glass_word_number(text, len, v) && *v <= most;
}

/*
 * Takes one word of an add command of lint/scope. The word is "key=value", or only "key", in which
 * case val is NULL. Returns false if the word is wrong.
 */
static bool scope_word(struct glass_lint_command *c, const char *key, size_t klen, const char *val,
		       size_t vlen)
{
	u64 n;

	if (!val) {
		if (lint_word_is(key, klen, "all") && !c->by)
			c->by = GLASS_LINT_BY_ALL;
		else if (lint_word_is(key, klen, "log"))
			c->log = true;
		else if (lint_word_is(key, klen, "owner"))
			c->owner = true;
		else if (lint_word_is(key, klen, "stacks"))
			c->stacks = true;
		else
			return false;
		return true;
	}
	if (lint_word_is(key, klen, "id")) /* ignored: a program may write back a line it read */
		return lint_number(val, vlen, ~0U, &n);
	if (lint_word_is(key, klen, "codes"))
		return code_set(val, vlen, &c->codes);
	if (lint_word_is(key, klen, "error"))
		return code_set(val, vlen, &c->errors);
	if (lint_word_is(key, klen, "pid") && !c->by) {
		c->by = GLASS_LINT_BY_PID;
		if (!lint_number(val, vlen, 0x7fffffff, &n) || !n)
			return false;
		c->pid = n;
		return true;
	}
	if (lint_word_is(key, klen, "comm") && !c->by) {
		c->by = GLASS_LINT_BY_COMM;
		c->has_comm = true;
		return glass_name_parse(&c->comm, val, vlen, GLASS_NAME_BYTES - 1);
	}
	return false;
}

/* As scope_word(), for an add command of lint/mute. */
static bool mute_word(struct glass_lint_command *c, const char *key, size_t klen, const char *val,
		      size_t vlen)
{
	const struct glass_word *w;
	u32 code;
	u64 n;

	if (!val)
		return false;
	if (lint_word_is(key, klen, "id") || lint_word_is(key, klen, "hit"))
		return glass_word_number(val, vlen, &n);
	if (lint_word_is(key, klen, "code")) {
		code = glass_lint_code_number(val, vlen);
		memset(&c->codes, 0, sizeof(c->codes));
		if (code)
			glass_lint_set_add(&c->codes, code);
		return code;
	}
	if (lint_word_is(key, klen, "comm")) {
		c->has_comm = true;
		return glass_name_parse(&c->comm, val, vlen, GLASS_NAME_BYTES - 1);
	}
	if (lint_word_is(key, klen, "kind")) {
		w = glass_word_find(lint_kinds, val, vlen);
		if (w)
			c->kind = w->value;
		return w && w->value;
	}
	if (lint_word_is(key, klen, "num")) {
		c->has_object = true;
		return lint_number(val, vlen, ~0U, &c->num);
	}
	return false;
}

typedef bool (*word_fn)(struct glass_lint_command *c, const char *key, size_t klen, const char *val,
			size_t vlen);

static bool lint_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Moves *at to the next word of the line. Returns the length of the word, or 0 at the end of the
 * line.
 */
static size_t lint_next_word(const char *line, size_t len, size_t *at)
{
	size_t end;

	while (*at < len && lint_is_blank(line[*at]))
		++*at;
	for (end = *at; end < len && !lint_is_blank(line[end]);)
		end++;
	return end - *at;
}

static bool lint_parse_line(const char *line, size_t len, struct glass_lint_command *c,
			    word_fn word)
{
	size_t at = 0, n, eq;
	u64 id;

	memset(c, 0, sizeof(*c));
	if (len && line[len - 1] == '\n')
		len--;
	if (len > GLASS_LINT_LINE || memchr(line, 0, len) || memchr(line, '\n', len))
		return false;
	n = lint_next_word(line, len, &at);
	if (lint_word_is(line + at, n, "clear")) {
		c->verb = GLASS_LINT_CLEAR;
	} else if (lint_word_is(line + at, n, "del")) {
		c->verb = GLASS_LINT_DEL;
		at += n;
		n = lint_next_word(line, len, &at);
		if (!lint_number(line + at, n, ~0U, &id))
			return false;
		c->id = id;
	} else if (lint_word_is(line + at, n, "add")) {
		c->verb = GLASS_LINT_ADD;
		for (at += n; (n = lint_next_word(line, len, &at)); at += n) {
			for (eq = 0; eq < n && line[at + eq] != '=';)
				eq++;
			if (!word(c, line + at, eq, eq < n ? line + at + eq + 1 : NULL,
				  eq < n ? n - eq - 1 : 0))
				return false;
		}
		return true;
	} else {
		return false;
	}
	at += n;
	return !lint_next_word(line, len, &at);
}

bool glass_lint_parse_scope(const char *line, size_t len, struct glass_lint_command *c)
{
	if (!lint_parse_line(line, len, c, scope_word))
		return false;
	if (c->verb != GLASS_LINT_ADD)
		return true;
	if (glass_lint_set_is_empty(&c->codes))
		glass_lint_add_default(&c->codes);
	/* a code that makes a verb fail must be checked, too */
	glass_lint_set_add_all(&c->codes, &c->errors);
	return c->by;
}

bool glass_lint_parse_mute(const char *line, size_t len, struct glass_lint_command *c)
{
	if (!lint_parse_line(line, len, c, mute_word))
		return false;
	/* kind= and num= name the object together, so neither may stand alone */
	return c->verb != GLASS_LINT_ADD ||
	       (!glass_lint_set_is_empty(&c->codes) && !!c->kind == c->has_object);
}

void glass_lint_index_clear(struct glass_lint_index *x)
{
	x->n = 0;
	memset(x->slot, 0, sizeof(x->slot));
}

static u32 lint_key_hash(const struct glass_lint_key *k)
{
	u64 h = (u64)k->num << 32 | (u32)k->pid;

	h ^= (u64)k->code << 24 | (u64)k->kind << 56;
	h *= 0x9e3779b97f4a7c15ULL;
	return h >> 40;
}

static bool lint_key_same(const struct glass_lint_key *a, const struct glass_lint_key *b)
{
	return a->code == b->code && a->kind == b->kind && a->num == b->num && a->pid == b->pid;
}

int glass_lint_index_put(struct glass_lint_index *x, const struct glass_lint_key *key, bool *fresh)
{
	u32 at = lint_key_hash(key) % GLASS_LINT_SLOTS;

	*fresh = false;
	/* there are twice as many slots as findings, so the loop finds an empty one */
	for (; x->slot[at]; at = (at + 1) % GLASS_LINT_SLOTS)
		if (lint_key_same(&x->key[x->slot[at] - 1], key))
			return x->slot[at] - 1;
	if (x->n == GLASS_LINT_MAX)
		return -1;
	*fresh = true;
	x->key[x->n] = *key;
	x->slot[at] = ++x->n;
	return x->n - 1;
}

bool glass_lint_tell_at(u64 count)
{
	return count <= 16 || !(count & (count - 1));
}
