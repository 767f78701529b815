// SPDX-License-Identifier: GPL-2.0-only
/* Escapes hostile text for XML, JSON and mermaid. */
#include <string.h>

#include "lib/picture/write.h"

#define REPLACEMENT 0xfffd

/*
 * Returns the character at *text, and moves *text behind it. A byte that does not belong to UTF-8, and a
 * character that XML forbids or that changes the order of text, is REPLACEMENT.
 */
static uint32_t next_character(const char **text)
{
	const unsigned char *s = (const unsigned char *)*text;
	int more = s[0] < 0x80 ? 0 : s[0] < 0xc2 ? -1 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2
								     : s[0] < 0xf5 ? 3 : -1;
	uint32_t c = more <= 0 ? s[0] : s[0] & (0x3f >> more);

	*text += 1;
	if (more < 0)
		return REPLACEMENT;
	for (int i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return REPLACEMENT;
		c = c << 6 | (s[i] & 0x3f);
	}
	*text += more;
	/* overlong forms, surrogates, beyond Unicode */
	if ((more == 2 && c < 0x800) || (more == 3 && c < 0x10000) || (c >= 0xd800 && c < 0xe000) ||
	    c > 0x10ffff || c == 0xfffe || c == 0xffff)
		return REPLACEMENT;
	/* control characters; characters that change the direction */
	if (c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return REPLACEMENT;
	return c;
}

static void put_utf8(FILE *to, uint32_t c)
{
	if (c < 0x80) {
		fputc(c, to);
		return;
	}
	if (c < 0x800) {
		fputc(0xc0 | c >> 6, to);
	} else {
		if (c < 0x10000) {
			fputc(0xe0 | c >> 12, to);
		} else {
			fputc(0xf0 | c >> 18, to);
			fputc(0x80 | (c >> 12 & 0x3f), to);
		}
		fputc(0x80 | (c >> 6 & 0x3f), to);
	}
	fputc(0x80 | (c & 0x3f), to);
}

void picture_put_xml(FILE *to, const char *text)
{
	while (*text) {
		uint32_t c = next_character(&text);

		if (strchr("<>&\"'", c))
			fprintf(to, "&#%u;", c);
		else
			put_utf8(to, c);
	}
}

void picture_put_json(FILE *to, const char *text)
{
	while (*text) {
		uint32_t c = next_character(&text);

		if (c == '"' || c == '\\')
			fputc('\\', to);
		put_utf8(to, c);
	}
}

void picture_put_mermaid(FILE *to, const char *text)
{
	while (*text) {
		uint32_t c = next_character(&text);

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    strchr(" _.,()/+-[]", c))
			fputc(c, to);
		else
			fprintf(to, "#%u;", c);
	}
}
