// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Parses words, numbers and name patterns; see word.h. */
#include "rules/word.h"

/* glass_name.wild needs a bit for each byte of a text, and one for the NUL behind the text */
static_assert(GLASS_NODE_NAME_BYTES <= 32);

const struct glass_word *glass_word_find(const struct glass_word *words, const char *text,
					 size_t len)
{
	for (; words->text; words++)
		if (strlen(words->text) == len && !memcmp(words->text, text, len))
			return words;
	return NULL;
}

int glass_digit(char c, u32 base)
{
	u32 d = base;

	if (c >= '0' && c <= '9')
		d = c - '0';
	else if (c >= 'a' && c <= 'f')
		d = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		d = c - 'A' + 10;
	return d < base ? (int)d : -1;
}

bool glass_word_number(const char *text, size_t len, u64 *v)
{
	/* the largest number to which another digit can be appended */
	u64 most = 0xffffffffffffffffULL / 10;
	u32 base = 10;
	size_t i = 0;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		most = 0xffffffffffffffffULL / 16;
		base = 16;
		i = 2;
	}
	if (i == len)
		return false;
	for (*v = 0; i < len; i++) {
		int d = glass_digit(text[i], base);

		if (d < 0 || *v > most || *v * base > 0xffffffffffffffffULL - d)
			return false;
		*v = *v * base + d;
	}
	return true;
}

bool glass_word_is_digits(const char *text, size_t len)
{
	u32 base = 10;
	size_t i = 0;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		i = 2;
	}
	for (; i < len; i++)
		if (glass_digit(text[i], base) < 0)
			return false;
	return len;
}

bool glass_word_range(const char *text, size_t len, u64 *low, u64 *high)
{
	size_t i;

	for (i = 0; i + 1 < len; i++)
		if (text[i] == '.' && text[i + 1] == '.')
			return glass_word_number(text, i, low) &&
			       glass_word_number(text + i + 2, len - i - 2, high) && *low <= *high;
	if (!glass_word_number(text, len, low))
		return false;
	*high = *low;
	return true;
}

bool glass_word_set(const struct glass_word *words, const char *text, size_t len, u64 *set)
{
	size_t at = 0, end;

	for (*set = 0; at <= len; at = end + 1) {
		const struct glass_word *w;

		for (end = at; end < len && text[end] != ',';)
			end++;
		w = glass_word_find(words, text + at, end - at);
		if (!w)
			return false;
		*set |= w->value;
	}
	return true;
}

bool glass_name_parse(struct glass_name *m, const char *text, size_t len, size_t most)
{
	size_t n = 0, i;

	memset(m, 0, sizeof(*m));

	for (i = 0; i < len; i++) {
		u8 c = text[i];

		if (n == most)
			return false;
		if (c == '*' || c == '?') {
			m->wild |= BIT(n);
		} else if (c == '%') {
			if (len - i < 3 || glass_digit(text[i + 1], 16) < 0 || glass_digit(text[i + 2], 16) < 0)
				return false;
			c = glass_digit(text[i + 1], 16) << 4 | glass_digit(text[i + 2], 16);
			i += 2;
		}
		if (!c)
			return false;
		m->text[n++] = c;
	}
	return n;
}

/*
 * After a mismatch, the function goes back to the last * that it has passed, lets this * match one
 * more byte of the name, and tries the rest of the pattern again.
 */
bool glass_name_fits(const struct glass_name *m, const char *text)
{
	size_t p = 0, t = 0, again_p = 0, again_t = 0;
	bool star = false;

	while (text[t]) {
		bool wild = m->wild & BIT(p);

		if (wild && m->text[p] == '*') {
			star = true;
			again_p = ++p;
			again_t = t;
		} else if (m->text[p] && ((wild && m->text[p] == '?') || m->text[p] == text[t])) {
			p++;
			t++;
		} else if (star) {
			p = again_p;
			t = ++again_t;
		} else {
			return false;
		}
	}
	while ((m->wild & BIT(p)) && m->text[p] == '*')
		p++;
	return !m->text[p];
}
