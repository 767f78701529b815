// SPDX-License-Identifier: GPL-2.0-only
/* Formats values as text, and orders them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ibtop/model/snapshot.h"

static size_t put(char *text, size_t size, const char *s)
{
	size_t len = strlen(s);

	if (!size)
		return 0;
	if (len >= size) {
		/* do not split a UTF-8 character */
		for (len = size - 1; len && ((unsigned char)s[len] & 0xc0) == 0x80; len--)
			;
	}
	memcpy(text, s, len);
	text[len] = 0;
	return len;
}

/* Formats three significant digits and a letter: 987, 1.23k, 45.6M. */
static size_t put_scaled(char *text, size_t size, double value, double base)
{
	static const char letters[] = " kMGTPE";
	char buf[40];
	int i = 0;

	while (value >= (base > 1000 ? 1000 : 999.5) && letters[i + 1]) {
		value /= base;
		i++;
	}
	if (!i && (value >= 99.95 || value == floor(value)))
		snprintf(buf, sizeof(buf), "%.0f", value);
	else if (!i)
		snprintf(buf, sizeof(buf), "%.1f", value);
	else if (value == floor(value))
		snprintf(buf, sizeof(buf), "%.0f%c", value, letters[i]);
	else
		snprintf(buf, sizeof(buf), "%.*f%c",
			 value < 9.995	 ? 2
			 : value < 99.95 ? 1
					 : 0,
			 value, letters[i]);
	return put(text, size, buf);
}

static size_t put_time(char *text, size_t size, uint64_t ns)
{
	char buf[48];
	uint64_t s = ns / NS_PER_SEC;

	if (ns < 1000)
		snprintf(buf, sizeof(buf), "%" PRIu64 "ns", ns);
	else if (ns < 999500)
		snprintf(buf, sizeof(buf), "%.3gus", ns / 1e3);
	else if (ns < 999500000)
		snprintf(buf, sizeof(buf), "%.3gms", ns / 1e6);
	else if (ns < 99950000000)
		snprintf(buf, sizeof(buf), "%.1fs", ns / 1e9);
	else if (s < 3600)
		snprintf(buf, sizeof(buf), "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
	else if (s < 100 * 3600)
		snprintf(buf, sizeof(buf), "%" PRIu64 "h%02" PRIu64 "m", s / 3600, s / 60 % 60);
	else
		snprintf(buf, sizeof(buf), "%" PRIu64 "d%02" PRIu64 "h", s / 86400, s / 3600 % 24);
	return put(text, size, buf);
}

static size_t put_real(char *text, size_t size, double value)
{
	char buf[48];

	snprintf(buf, sizeof(buf), "%.1f", value);
	return put(text, size, buf);
}

static size_t put_num(char *text, size_t size, const char *format, uint64_t value)
{
	char buf[48];

	snprintf(buf, sizeof(buf), format, value);
	return put(text, size, buf);
}

static size_t fill_text(const struct cell *cell, enum style style, char *text, size_t size)
{
	char buf[64];

	if (style == STYLE_HUMAN && cell->max)
		snprintf(buf, sizeof(buf), "%" PRIu64 "/%" PRIu64 " %3.0f%%", cell->num, cell->max,
			 100.0 * cell->num / cell->max);
	else
		snprintf(buf, sizeof(buf), "%" PRIu64 "/%" PRIu64, cell->num, cell->max);
	return put(text, size, buf);
}

size_t cell_text(const struct cell *cell, const struct format *format, char *text, size_t size)
{
	bool human = format->style == STYLE_HUMAN;

	if (cell->state == CELL_NA)
		return put(text, size, "n/a");
	if (cell->state == CELL_NONE)
		return put(text, size, "-");
	switch (cell->unit) {
	case UNIT_hex:
		return put_num(text, size, "0x%" PRIx64, cell->num);
	case UNIT_signed:
		return put_num(text, size,
			       human && (int64_t)cell->num > 0 ? "+%" PRId64 : "%" PRId64,
			       cell->num);
	case UNIT_num:
		return put_num(text, size, "%" PRIu64, cell->num);
	case UNIT_ns:
		return human ? put_time(text, size, cell->num)
			     : put_num(text, size, "%" PRIu64, cell->num);
	case UNIT_bytes:
	case UNIT_words:
		return human ? put_scaled(text, size,
					  (double)cell->num * (cell->unit == UNIT_words ? 4 : 1),
					  1024)
			     : put_num(text, size, "%" PRIu64, cell->num);
	case UNIT_rate:
		return human ? put_scaled(text, size, cell->real, 1000)
			     : put_real(text, size, cell->real);
	case UNIT_byte_rate:
		return human ? put_scaled(text, size, cell->real, 1024)
			     : put_real(text, size, cell->real);
	case UNIT_fill:
		return fill_text(cell, format->style, text, size);
	default:
		return put(text, size, cell->text ? cell->text : "");
	}
}

size_t spark_text(const float *values, size_t count, double max, const struct format *format,
		  char *text, size_t size)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const plain[] = { " ", ".", ".", ":", ":", "-", "=", "#", "#" };
	size_t i, used = 0;

	if (size)
		*text = 0;
	if (max <= 0)
		for (i = 0; i < count; i++)
			max = values[i] > max ? values[i] : max;
	for (i = 0; i < count; i++) {
		int level = max > 0 && values[i] > 0 ? (int)ceil(8 * values[i] / max) : 0;
		const char *s = (format->ascii ? plain : blocks)[level > 8 ? 8 : level];

		if (used + strlen(s) >= size)
			break;
		used += put(text + used, size - used, s);
	}
	return used;
}

static int order(double a, double b)
{
	return a < b ? -1 : a > b;
}

int cell_compare(const struct cell *a, const struct cell *b)
{
	if (a->state != CELL_VALUE || b->state != CELL_VALUE)
		return (int)a->state - (int)b->state;
	switch (a->unit) {
	case UNIT_word:
	case UNIT_text:
	case UNIT_gid:
	case UNIT_ref:
	case UNIT_mark:
		return strcmp(a->text, b->text);
	case UNIT_rate:
	case UNIT_byte_rate:
	case UNIT_spark:
		return order(a->real, b->real);
	case UNIT_fill:
		return order(a->max ? (double)a->num / a->max : 0,
			     b->max ? (double)b->num / b->max : 0);
	case UNIT_signed:
		return (int64_t)a->num < (int64_t)b->num ? -1 : (int64_t)a->num > (int64_t)b->num;
	default:
		return a->num < b->num ? -1 : a->num > b->num;
	}
}
