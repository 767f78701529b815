// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/out.h"
#include "common/tool.h"
#include "lib/printable.h"

#define STARS 40

/* Limit for texts that are not plain ASCII; longer ones are truncated. */
#define SHOWN_MAX 512

/* printf() would be too slow for a tool that prints a line per message. */
static void put_blanks(int n)
{
	for (; n > 0; n--)
		putchar_unlocked(' ');
}

/*
 * Makes untrusted text, such as names of processes, safe to print: '?' replaces what may harm a
 * terminal and what is not UTF-8. Returns text itself or the cleaned copy in room.
 */
static const char *shown(const char *text, char *room, size_t size)
{
	const char *s;

	for (s = text; *s >= ' ' && *s < 0x7f; s++)
		;
	if (!*s)
		return text;
	snprintf(room, size, "%s", text);
	printable(room);
	return room;
}

/* Returns the number of characters, as an estimate of columns on a terminal. */
static int width_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Prints numbers right-aligned and texts left-aligned, without blanks behind the last column. */
static void put_cell(const struct column *c, const char *text, bool last)
{
	bool left = c->format == COL_TEXT || c->format == COL_LAST;
	int blanks = c->width - width_of(text);

	if (!left)
		put_blanks(blanks);
	fputs_unlocked(text, stdout);
	if (last)
		return;
	if (left)
		put_blanks(blanks);
	putchar_unlocked(' ');
}

void out_header(const struct table *table)
{
	size_t i;

	if (tool_options.json)
		return;
	if (tool_options.timestamp)
		printf("%-15s ", "TIME");
	for (i = 0; i < table->count; i++)
		put_cell(&table->columns[i], table->columns[i].head, i + 1 == table->count);
	putchar('\n');
}

/* Prints a CLOCK_MONOTONIC time as wall-clock time. */
static void put_time(uint64_t ns)
{
	struct timespec mono, real;
	struct tm tm;
	int64_t t;
	time_t s;
	char text[16];

	if (!ns) {
		printf("%-15s ", "-");
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	t = (int64_t)ns + (real.tv_sec - mono.tv_sec) * 1000000000LL + real.tv_nsec - mono.tv_nsec;
	s = t / 1000000000;
	localtime_r(&s, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	printf("%s.%06" PRId64 " ", text, t % 1000000000 / 1000);
}

static void put_text_row(const struct table *table, const struct value *values, uint64_t ns)
{
	char text[SHOWN_MAX];
	size_t i;

	if (tool_options.timestamp)
		put_time(ns);
	for (i = 0; i < table->count; i++) {
		const struct column *c = &table->columns[i];
		const struct value *v = &values[i];
		const char *cell = text;

		if (!v->has)
			cell = "-";
		else if (v->text)
			cell = *v->text ? shown(v->text, text, sizeof(text)) : "-";
		else if (c->format == COL_HEX)
			snprintf(text, sizeof(text), "0x%" PRIx64, v->num);
		else if (c->format == COL_SIGNED)
			snprintf(text, sizeof(text), "%" PRId64, (int64_t)v->num);
		else if (c->format == COL_US)
			snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64, v->num / 1000,
				 v->num % 1000 / 100);
		else
			snprintf(text, sizeof(text), "%" PRIu64, v->num);
		put_cell(c, cell, i + 1 == table->count);
	}
	putchar('\n');
}

static void add_values(struct json_object *to, const struct table *table,
		       const struct value *values)
{
	char name[64], text[SHOWN_MAX];
	size_t i;

	for (i = 0; i < table->count; i++) {
		const struct column *c = &table->columns[i];
		const struct value *v = &values[i];
		struct json_object *j = NULL;

		if (v->has && v->text)
			j = json_object_new_string(shown(v->text, text, sizeof(text)));
		else if (v->has && c->format == COL_SIGNED)
			j = json_object_new_int64((int64_t)v->num);
		else if (v->has)
			j = json_object_new_uint64(v->num);
		snprintf(name, sizeof(name), "%s%s", c->name, c->format == COL_US ? "_ns" : "");
		json_object_object_add(to, name, j);
	}
}

static struct json_object *json_begin(const char *type)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		cli_die(CLI_FAILED, "out of memory");
	json_object_object_add(o, "type", json_object_new_string(type));
	return o;
}

static void json_put(struct json_object *o)
{
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
						       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

void out_row(const char *type, const struct table *table, const struct value *values, uint64_t ns)
{
	struct json_object *o;

	if (!tool_options.json) {
		put_text_row(table, values, ns);
		return;
	}
	o = json_begin(type);
	if (ns)
		json_object_object_add(o, "time_ns", json_object_new_uint64(ns));
	add_values(o, table, values);
	json_put(o);
}

static void json_histogram(const char *label, const char *unit, const struct hist *h,
			   const struct table *keys, const struct value *values)
{
	struct json_object *o = json_begin("histogram"), *slots = json_object_new_array();
	int i;

	json_object_object_add(o, "name", json_object_new_string(label));
	json_object_object_add(o, "unit", json_object_new_string(unit));
	add_values(o, keys, values);
	json_object_object_add(o, "count", json_object_new_uint64(h->count));
	json_object_object_add(o, "sum", json_object_new_uint64(h->sum));
	json_object_object_add(o, "min", json_object_new_uint64(h->min));
	json_object_object_add(o, "max", json_object_new_uint64(h->max));
	for (i = 0; i < HIST_SLOTS; i++) {
		struct json_object *slot;

		if (!h->slot[i])
			continue;
		slot = json_object_new_object();
		json_object_object_add(slot, "from", json_object_new_uint64(i ? 1ULL << i : 0));
		json_object_object_add(slot, "to", json_object_new_uint64((2ULL << i) - 1));
		json_object_object_add(slot, "count", json_object_new_uint64(h->slot[i]));
		json_object_array_add(slots, slot);
	}
	json_object_object_add(o, "slots", slots);
	json_put(o);
}

/* Formats the lower end of a slot: 512, 8K, 16M. */
static void scaled(char *to, size_t size, uint64_t v, bool ns)
{
	static const char *const names[2][5] = { { "", "K", "M", "G", "T" },
						 { "ns", "us", "ms", "s", "" } };
	unsigned int step = ns ? 1000 : 1024, i = 0;

	while (v >= 10 * step && i < (ns ? 3 : 4)) {
		v = (v + step / 2) / step;
		i++;
	}
	snprintf(to, size, "%" PRIu64 "%s", v, names[ns][i]);
}

void out_histogram(const char *label, const char *unit, const struct hist *h,
		   const struct table *keys, const struct value *values)
{
	uint64_t most = 1;
	int i, first = -1, last = -1;
	bool ns = !strcmp(unit, "ns");
	char low[24], high[24], mean[24];

	if (tool_options.json) {
		json_histogram(label, unit, h, keys, values);
		return;
	}
	if (!h->count)
		return;
	for (i = 0; i < HIST_SLOTS; i++) {
		if (!h->slot[i])
			continue;
		if (first < 0)
			first = i;
		last = i;
		if (h->slot[i] > most)
			most = h->slot[i];
	}
	scaled(low, sizeof(low), h->min, ns);
	scaled(high, sizeof(high), h->max, ns);
	scaled(mean, sizeof(mean), h->sum / h->count, ns);
	printf("\n%s: %" PRIu64 ", mean %s, %s to %s\n", label, (uint64_t)h->count, mean, low,
	       high);
	for (i = first; i <= last; i++) {
		char stars[STARS + 1];
		int n = (int)((h->slot[i] * STARS + most - 1) / most);

		memset(stars, '*', sizeof(stars));
		stars[n] = 0;
		scaled(low, sizeof(low), i ? 1ULL << i : 0, ns);
		scaled(high, sizeof(high), 2ULL << i, ns);
		printf("%10s .. %-10s %10" PRIu64 " |%-*s|\n", low, high, (uint64_t)h->slot[i],
		       STARS, stars);
	}
}

void out_line(const char *format, ...)
{
	va_list args;

	if (tool_options.json)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void out_end(uint64_t events, uint64_t lost)
{
	struct json_object *o;

	if (!tool_options.json)
		return;
	o = json_begin("end");
	json_object_object_add(o, "events", json_object_new_uint64(events));
	json_object_object_add(o, "lost", json_object_new_uint64(lost));
	json_put(o);
}

const char *out_word(const char *const *list, size_t count, unsigned int i)
{
	static char text[4][16];
	static unsigned int next;

	if (i < count && list[i])
		return list[i];
	next = (next + 1) % 4;
	snprintf(text[next], sizeof(text[next]), "%u", i);
	return text[next];
}
