// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "filter_random.h"

uint32_t (*random_below)(uint32_t n);

#define below(n) random_below(n)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Of each type several */
static const int used[] = {
	GLASS_FIELD_qpn,  GLASS_FIELD_len, GLASS_FIELD_age,    GLASS_FIELD_psn,
	GLASS_FIELD_op,	  GLASS_FIELD_dir, GLASS_FIELD_opcode, GLASS_FIELD_status,
	GLASS_FIELD_comm, GLASS_FIELD_dev, GLASS_FIELD_ret,    GLASS_FIELD_access,
};

#define LOWERABLE (COUNT(used) - 1) /* all but the last */

static const char *const texts[] = { "a", "ab", "abc", "b", "perf bw", "", "\"\\\x01\xe9", "x*" };
static const char *const patterns[] = { "a*", "*b*", "?", "??", "*", "perf bw", "", "*c", "x*" };
static const uint64_t numbers[] = { 0, 1, 2, 3, 4, 5, 63, 64, 65, UINT64_MAX - 1, UINT64_MAX };
static const int64_t signed_numbers[] = {
	-3, -2, -1, 0, 1, 2, INT64_MIN, INT64_MIN + 1, INT64_MAX
};

static const char *some_word(int field)
{
	const char *word;

	do
		word = glass_field_word(field, below(glass_field_word_max(field)));
	while (!word);
	return word;
}

static uint64_t some_number(int field)
{
	if (glass_field_unit(field) == GLASS_UNIT_signed)
		return (uint64_t)signed_numbers[below(COUNT(signed_numbers))];
	return below(2) ? below(8) : numbers[below(COUNT(numbers))];
}

void random_object(struct random_object *o)
{
	size_t i;

	memset(o, 0, sizeof(*o));
	for (i = 0; i < COUNT(used); i++) {
		int f = used[i];

		o->has[i] = below(4) != 0;
		o->num[i] = some_number(f);
		switch (glass_field_type(f)) {
		case GLASS_FIELD_IS_WORD:
			strcpy(o->text[i], some_word(f));
			break;
		case GLASS_FIELD_IS_FLAGS:
			snprintf(o->text[i], sizeof(o->text[i]), "%s|%s", some_word(f),
				 some_word(f));
			break;
		case GLASS_FIELD_IS_TEXT:
			strcpy(o->text[i], texts[below(COUNT(texts))]);
			break;
		default:
			break;
		}
	}
}

bool random_object_get(const void *object, int field, struct glass_value *value)
{
	const struct random_object *o = object;
	size_t i;

	for (i = 0; i < COUNT(used); i++) {
		if (used[i] != field)
			continue;
		value->num = o->num[i];
		value->text = o->text[i];
		return o->has[i];
	}
	return false;
}

/* ---- filters, as text */

struct out {
	char *text;
	size_t size, len;
};

static void put(struct out *o, const char *text)
{
	size_t n = strlen(text);

	if (o->len + n < o->size) {
		memcpy(o->text + o->len, text, n + 1);
		o->len += n;
	}
}

static void put_blank(struct out *o)
{
	static const char *const blanks[] = { "", "", "", " ", "\t", " \n " };

	put(o, blanks[below(COUNT(blanks))]);
}

static void put_number(struct out *o, int field, uint64_t n)
{
	char text[32];

	if (glass_field_unit(field) == GLASS_UNIT_signed)
		snprintf(text, sizeof(text), "%lld", (long long)n);
	else if (glass_field_unit(field) == GLASS_UNIT_ns && n % 1000 == 0 && n && below(2))
		snprintf(text, sizeof(text), "%lluus", (unsigned long long)n / 1000);
	else
		snprintf(text, sizeof(text), below(2) ? "%llu" : "0x%llx", (unsigned long long)n);
	put(o, text);
}

static void put_text(struct out *o, const char *text)
{
	char escaped[8];
	const char *c;

	if (*text >= 'a' && *text <= 'z' && !strchr(text, ' ') && below(2)) {
		put(o, text);
		return;
	}
	put(o, "\"");
	for (c = text; *c; c++) {
		if (*c == '"' || *c == '\\' || !below(10))
			snprintf(escaped, sizeof(escaped), "\\x%02x", (unsigned char)*c);
		else
			snprintf(escaped, sizeof(escaped), "%c", *c);
		put(o, escaped);
	}
	put(o, "\"");
}

static void put_value(struct out *o, int field)
{
	switch (glass_field_type(field)) {
	case GLASS_FIELD_IS_NUMBER:
		put_number(o, field, some_number(field));
		break;
	case GLASS_FIELD_IS_TEXT:
		put_text(o, texts[below(COUNT(texts))]);
		break;
	default:
		put(o, some_word(field));
	}
}

static void put_range(struct out *o, int field)
{
	uint64_t a = some_number(field), b = some_number(field);
	bool is_signed = glass_field_unit(field) == GLASS_UNIT_signed;
	bool ascending = is_signed ? (int64_t)a < (int64_t)b : a < b;

	put_number(o, field, ascending ? a : b);
	put_blank(o);
	put(o, "..");
	put_blank(o);
	put_number(o, field, ascending ? b : a);
}

static void put_set(struct out *o, int field)
{
	unsigned int n = 1 + below(4);

	put(o, " in ");
	if (glass_field_type(field) == GLASS_FIELD_IS_NUMBER && !below(3)) {
		put_range(o, field);
		return;
	}
	put(o, "{");
	while (n--) {
		put_blank(o);
		if (glass_field_type(field) == GLASS_FIELD_IS_NUMBER && !below(3))
			put_range(o, field);
		else
			put_value(o, field);
		put_blank(o);
		put(o, n ? "," : "}");
	}
}

/* Of words a pattern that fits one of them at least */
static void put_pattern(struct out *o, int field)
{
	char pattern[80];
	unsigned int n;

	put(o, "~");
	if (glass_field_type(field) == GLASS_FIELD_IS_TEXT) {
		put_text(o, patterns[below(COUNT(patterns))]);
		return;
	}
	strcpy(pattern, some_word(field));
	n = strlen(pattern);
	if (below(2))
		pattern[below(n)] = '?';
	if (below(4))
		strcpy(pattern + 1 + below(n), "*");
	put(o, pattern);
}

static void put_comparison(struct out *o, bool lowerable)
{
	static const char *const signs[] = { "==", "!=", "<", "<=", ">", ">=" };
	int field = used[below(lowerable ? LOWERABLE : COUNT(used))];
	bool number = glass_field_type(field) == GLASS_FIELD_IS_NUMBER;

	put(o, glass_field_name(field));
	if (!lowerable && !below(8)) {
		put(o, " ");
		return;
	}
	put_blank(o);
	switch (below(4)) {
	case 0:
		put_set(o, field);
		return;
	case 1:
		if (!number) {
			put_pattern(o, field);
			return;
		}
		break;
	}
	put(o, signs[below(number ? COUNT(signs) : 2)]);
	put_blank(o);
	put_value(o, field);
}

static void put_filter(struct out *o, unsigned int depth, bool lowerable)
{
	unsigned int n;

	put_blank(o);
	/* what is open is closed within the other half */
	if (!depth || o->len > o->size / 2 || !below(4)) {
		put_comparison(o, lowerable);
		put_blank(o);
		return;
	}
	if (!below(4))
		put(o, "!");
	put(o, "(");
	for (n = 1 + below(3); n; n--) {
		put_filter(o, depth - 1, lowerable);
		if (n > 1)
			put(o, below(2) ? "&&" : "||");
	}
	put(o, ")");
	put_blank(o);
}

void random_filter(char *text, size_t size, unsigned int depth, bool lowerable)
{
	struct out o = { text, size, 0 };

	*text = 0;
	put_filter(&o, depth, lowerable);
}

void random_target(struct random_target *t)
{
	size_t i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < COUNT(used); i++) {
		t->keys[i].field = used[i];
		t->keys[i].max_values = below(2) ? below(4) : 64;
		t->keys[i].ranges = below(4) != 0;
		t->keys[i].patterns = below(4) != 0;
	}
	t->target.what = "the target";
	t->target.keys = t->keys;
	t->target.num_keys = COUNT(used);
	t->target.max_terms = below(2) ? 0 : 1 + below(64);
}
