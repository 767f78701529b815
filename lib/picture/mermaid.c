// SPDX-License-Identifier: GPL-2.0-only
/* Diagrams as mermaid's sequenceDiagram. */
#include <string.h>

#include "lib/picture/write.h"

static void participant(FILE *to, char name, const struct picture_end *e)
{
	char text[PICTURE_LABEL];

	picture_end_name(e, text);
	fprintf(to, "    participant %c as ", name);
	picture_put_mermaid(to, text);
	picture_end_owner(e, text);
	if (*text) {
		fputs("<br/>", to);
		picture_put_mermaid(to, text);
	}
	fputc('\n', to);
}

static void note_over(FILE *to, const char *text)
{
	fputs("    Note over A,B: ", to);
	picture_put_mermaid(to, text);
	fputc('\n', to);
}

static void packet(FILE *to, const struct picture *p, const struct picture_item *i)
{
	const char *arrow = i->reason ? "-x" : picture_is_answer(i) ? "-->>" : "->>";
	char label[PICTURE_LABEL], fate[PICTURE_LABEL];
	bool red = i->bad;

	picture_label(i, label);
	picture_fate(p, i, fate);
	if (red)
		fputs("    rect rgba(214, 39, 40, 0.25)\n", to);
	fprintf(to, "    %s%c%s%c: ", red ? "    " : "", 'A' + i->end, arrow, 'A' + !i->end);
	picture_put_mermaid(to, label);
	if (*fate) {
		fputs(" - ", to);
		picture_put_mermaid(to, fate);
	}
	fputs(red ? "\n    end\n" : "\n", to);
}

static void moment(FILE *to, const struct picture_item *i)
{
	char label[PICTURE_LABEL];

	picture_label(i, label);
	fprintf(to, "    Note %s of %c: ", i->end ? "right" : "left", 'A' + i->end);
	if (i->bad)
		picture_put_mermaid(to, "ERROR ");
	picture_put_mermaid(to, label);
	fputc('\n', to);
}

void picture_write_mermaid(FILE *to, const struct picture *p)
{
	uint64_t long_pause = picture_long_pause(p);
	char text[PICTURE_LABEL], pause[48];

	fputs("sequenceDiagram\n", to);
	participant(to, 'A', &p->ends[0]);
	participant(to, 'B', &p->ends[1]);
	picture_summary(p, text);
	note_over(to, text);
	for (size_t i = 0; i < p->count; i++) {
		const struct picture_item *item = &p->items[i];
		uint64_t gap = i ? item->ns - p->items[i - 1].ns : 0;

		picture_left_out(item->left_packets, item->left_moments, text);
		if (*text)
			note_over(to, text);
		if (gap > long_pause) {
			picture_duration(gap, pause);
			snprintf(text, sizeof(text), "%s later", pause);
			note_over(to, text);
		}
		if (item->kind == PICTURE_PACKET)
			packet(to, p, item);
		else
			moment(to, item);
	}
	picture_left_out(p->left_packets, p->left_moments, text);
	if (*text)
		note_over(to, text);
}
