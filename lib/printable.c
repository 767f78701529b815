// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <string.h>

#include "lib/printable.h"

/* Returns the length of the UTF-8 character at s, of at most len bytes; 0 if it is invalid. */
static size_t utf8_len(const unsigned char *s, size_t len)
{
	size_t n = s[0] < 0x80	 ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;
	size_t i;

	if (!n || n > len)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* overlong forms, surrogates, C1 controls, and beyond U+10FFFF */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
	    (s[0] == 0xc2 && s[1] < 0xa0))
		return 0;
	return n;
}

/* Does this character of n bytes change the order or the lines of the text around it? */
static bool moves_others(const unsigned char *s, size_t n)
{
	if (n == 2)
		return s[0] == 0xd8 && s[1] == 0x9c;
	if (n != 3 || s[0] != 0xe2)
		return false;
	if (s[1] == 0x80)
		return s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae);
	return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9;
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

static void replace(char *text, bool lines)
{
	unsigned char *s = (unsigned char *)text;
	size_t left = strlen(text), n;

	for (; left; s += n, left -= n) {
		n = utf8_len(s, left);
		if (!n || (n == 1 && !is_plain(*s) && !(lines && *s == '\n'))) {
			*s = '?';
			n = 1;
		} else if (moves_others(s, n)) {
			memset(s, '?', n);
		}
	}
}

void printable(char *text)
{
	replace(text, false);
}

void printable_lines(char *text)
{
	replace(text, true);
}

void printable_ascii(char *text)
{
	for (; *text; text++)
		if (!is_plain((unsigned char)*text))
			*text = '?';
}
