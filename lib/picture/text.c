// SPDX-License-Identifier: GPL-2.0-only
/* Diagrams for a terminal. */
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/picture/write.h"
#include "lib/printable.h"

#define RED "\033[31m"
#define YELLOW "\033[33m"
#define DIM "\033[2m"
#define OFF "\033[0m"

#define TIME_WIDTH 13
#define NARROW 70 /* below, the fate of a packet has no column of its own */

/* The signs of a diagram, in UTF-8 and in ASCII */
struct signs {
	const char *life, *pause, *line, *answer, *right, *left, *lost, *mark, *cut;
};

static const struct signs utf8 = { "│", "┆", "─", "╌", "▶", "◀", "✗", "●", "…" };
static const struct signs ascii = { "|", ":", "-", ".", ">", "<", "X", "*", "~" };

struct drawing {
	FILE *to;
	const struct picture *p;
	const struct signs *s;
	bool color;
	int width, left, right; /* columns of the two lifelines, from 0 */
};

void picture_terminal_of(struct picture_terminal *t, FILE *to)
{
	const char *columns = getenv("COLUMNS");

	t->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	t->color = cli_color(to);
	t->width = cli_columns(to);
	if (!t->width && columns)
		t->width = strtoul(columns, NULL, 10);
	if (!t->width)
		t->width = 80;
}

static void paint(const struct drawing *d, const char *code)
{
	if (d->color)
		fputs(code, d->to);
}

static void repeat(const struct drawing *d, const char *sign, int n)
{
	while (n-- > 0)
		fputs(sign, d->to);
}

/* Writes at most `room` columns of ASCII text. Returns how many. */
static int put_cut(const struct drawing *d, const char *text, int room)
{
	int len = strlen(text);

	if (room <= 0)
		return 0;
	if (len <= room) {
		fputs(text, d->to);
		return len;
	}
	fprintf(d->to, "%.*s%s", room - 1, text, d->s->cut);
	return room;
}

static void plain_label(const struct picture_item *i, char text[PICTURE_LABEL])
{
	picture_label(i, text);
	printable_ascii(text);
}

/* Centres text at a column, without crossing `from` and `to`. Returns the column behind it. */
static int put_centred(const struct drawing *d, const char *text, int centre, int from, int to)
{
	int len = strlen(text), at = centre - len / 2;

	at = at + len > to ? to - len : at;
	at = at < from ? from : at;
	repeat(d, " ", at - from);
	return at + put_cut(d, text, to - at);
}

static void header(const struct drawing *d, void (*name_of)(const struct picture_end *, char *))
{
	int middle = (d->left + d->right) / 2;
	char text[2][PICTURE_LABEL];
	int at;

	for (int i = 0; i < 2; i++) {
		name_of(&d->p->ends[i], text[i]);
		printable_ascii(text[i]);
	}
	if (!*text[0] && !*text[1])
		return;
	at = put_centred(d, text[0], d->left, 0, middle - 1);
	put_centred(d, text[1], d->right, at, d->width);
	fputc('\n', d->to);
}

static void put_time(const struct drawing *d, const struct picture_item *i)
{
	char text[32] = "";

	picture_time(d->p, i, text);
	fprintf(d->to, "%*s ", TIME_WIDTH - 1, text);
}

/* A line across both lifelines with text in the middle */
static void across(const struct drawing *d, const char *life, const char *color, const char *text)
{
	int room = d->right - d->left - 3, len = strlen(text), before;

	len = len < room ? len : room;
	before = (room - len) / 2;
	repeat(d, " ", d->left);
	fputs(life, d->to);
	paint(d, color);
	repeat(d, " ", before + 1);
	put_cut(d, text, room);
	repeat(d, " ", room - before - len + 1);
	paint(d, OFF);
	fprintf(d->to, "%s\n", life);
}

static const char *color_of(const struct picture_item *i)
{
	return i->bad ? RED : i->again ? YELLOW : picture_is_answer(i) ? DIM : "";
}

/* The arrow between the lifelines: a label in a line, a point where it arrives, a cross where it is lost */
static void arrow(const struct drawing *d, const struct picture_item *i)
{
	const char *line = picture_is_answer(i) ? d->s->answer : d->s->line;
	int room = d->right - d->left - 1, inner = room - 6, len;
	bool lost = i->reason && !i->arrived_ns, no_point = !i->reason && !i->arrived_ns &&
							     picture_receiver_watched(d->p, i);
	const char *point = i->reason ? d->s->lost : no_point ? " " : i->end ? d->s->left : d->s->right;
	int blank = lost ? room / 4 : 0;
	char label[PICTURE_LABEL];

	plain_label(i, label);
	inner -= blank;
	paint(d, color_of(i));
	if (i->end) {
		repeat(d, " ", blank);
		fputs(point, d->to);
		repeat(d, line, 2);
	} else {
		repeat(d, line, 2);
	}
	fputc(' ', d->to);
	len = put_cut(d, label, inner);
	fputc(' ', d->to);
	repeat(d, line, inner - len + 1);
	if (!i->end) {
		fputs(point, d->to);
		repeat(d, " ", blank);
	}
	paint(d, OFF);
}

static void packet(const struct drawing *d, const struct picture_item *i)
{
	char fate[PICTURE_LABEL];
	bool apart;

	picture_fate(d->p, i, fate);
	printable_ascii(fate);
	apart = (int)strlen(fate) > d->width - d->right - 2;
	put_time(d, i);
	fputs(d->s->life, d->to);
	arrow(d, i);
	fputs(d->s->life, d->to);
	if (*fate && !apart) {
		fputc(' ', d->to);
		paint(d, color_of(i));
		fputs(fate, d->to);
		paint(d, OFF);
	}
	fputc('\n', d->to);
	if (apart)
		across(d, d->s->life, color_of(i), fate);
}

static void moment(const struct drawing *d, const struct picture_item *i)
{
	int room = d->right - d->left - 1, len;
	char label[PICTURE_LABEL];

	plain_label(i, label);
	put_time(d, i);
	fputs(i->end ? d->s->life : d->s->mark, d->to);
	paint(d, color_of(i));
	len = strlen(label);
	len = len < room - 2 ? len : room - 2;
	repeat(d, " ", i->end ? room - len - 1 : 1);
	put_cut(d, label, room - 2);
	repeat(d, " ", i->end ? 1 : room - len - 1);
	paint(d, OFF);
	fprintf(d->to, "%s\n", i->end ? d->s->mark : d->s->life);
}

static void left_out(const struct drawing *d, uint64_t packets, uint64_t moments)
{
	char text[PICTURE_LABEL];

	picture_left_out(packets, moments, text);
	if (*text)
		across(d, d->s->pause, DIM, text);
}

static void items(const struct drawing *d)
{
	uint64_t long_pause = picture_long_pause(d->p);
	char text[32];

	for (size_t i = 0; i < d->p->count; i++) {
		const struct picture_item *item = &d->p->items[i];
		uint64_t gap = i ? item->ns - d->p->items[i - 1].ns : 0;

		left_out(d, item->left_packets, item->left_moments);
		if (gap > long_pause) {
			picture_duration(gap, text);
			across(d, d->s->pause, DIM, text);
		}
		if (item->kind == PICTURE_PACKET)
			packet(d, item);
		else
			moment(d, item);
	}
	left_out(d, d->p->left_packets, d->p->left_moments);
}

void picture_write_text(FILE *to, const struct picture *p, const struct picture_terminal *t)
{
	struct drawing d = { .to = to, .p = p, .color = t->color, .s = t->utf8 ? &utf8 : &ascii };
	char text[PICTURE_LABEL];

	d.width = t->width < PICTURE_WIDTH_MIN ? PICTURE_WIDTH_MIN :
		  t->width > PICTURE_WIDTH_MAX ? PICTURE_WIDTH_MAX : t->width;
	d.left = TIME_WIDTH;
	/* if there is room, the last part is for the fate of packets */
	d.right = d.width < NARROW ? d.width - 2 : d.left + (d.width - d.left) * 3 / 5;
	header(&d, picture_end_name);
	header(&d, picture_end_owner);
	items(&d);
	picture_summary(p, text);
	put_cut(&d, text, d.width);
	fputc('\n', to);
}
