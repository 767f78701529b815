// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <string.h>

#include "lib/debugfs/text.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool debugfs_number(const char *word, size_t len, uint64_t *value)
{
	const char *s = word, *end = word + len;
	uint64_t n = 0;

	if (len > 2 && s[0] == '0' && s[1] == 'x') {
		if (len > 18)
			return false;
		for (s += 2; s < end; s++) {
			int digit = hex_digit(*s);

			if (digit < 0)
				return false;
			n = n << 4 | digit;
		}
		*value = n;
		return true;
	}
	if (!len || len > 20)
		return false;
	for (; s < end; s++) {
		unsigned int digit = (unsigned char)*s - '0';

		if (digit > 9)
			return false;
		/* 19 digits always fit into 64 bits */
		if (len < 20)
			n = n * 10 + digit;
		else if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, digit, &n))
			return false;
	}
	*value = n;
	return true;
}

ssize_t debugfs_decode(const char *word, size_t len, char *to)
{
	size_t i, n = 0;

	if (len == 1 && *word == '%')
		len = 0;
	for (i = 0; i < len; i++) {
		char c = word[i];

		if (c == '%') {
			int high = len - i > 2 ? hex_digit(word[i + 1]) : -1;
			int low = high < 0 ? -1 : hex_digit(word[i + 2]);

			if (low < 0)
				return -1;
			c = high << 4 | low;
			i += 2;
		}
		if (!c)
			return -1;
		to[n++] = c;
	}
	to[n] = 0;
	return n;
}

static bool is_plain(char c, const char *plain)
{
	char letter = c | 0x20;

	return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || strchr("._:/-", c) ||
	       strchr(plain, c);
}

/* Encodes one byte as itself or as %XX. Returns the number of bytes written, 1 or 3. */
static size_t encode_one(char c, bool first, const char *plain, char to[3])
{
	static const char digits[] = "0123456789ABCDEF";
	unsigned char byte = c;

	if (is_plain(c, plain) && !(first && c == '-')) {
		to[0] = c;
		return 1;
	}
	to[0] = '%';
	to[1] = digits[byte >> 4];
	to[2] = digits[byte & 15];
	return 3;
}

size_t debugfs_encode(const char *text, const char *plain, char *to)
{
	size_t n = 0;
	const char *s;

	if (!*text)
		to[n++] = '%';
	for (s = text; *s; s++)
		n += encode_one(*s, s == text, plain, to + n);
	to[n] = 0;
	return n;
}

void debugfs_encode_to(FILE *to, const char *text, const char *plain)
{
	char bytes[3];
	const char *s;

	if (!*text)
		putc_unlocked('%', to);
	for (s = text; *s; s++) {
		if (encode_one(*s, s == text, plain, bytes) == 1)
			putc_unlocked(*s, to);
		else
			fwrite_unlocked(bytes, 1, sizeof(bytes), to);
	}
}
