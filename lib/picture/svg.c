// SPDX-License-Identifier: GPL-2.0-only
/* Diagrams as SVG. */
#include <inttypes.h>
#include <string.h>

#include "lib/picture/write.h"

/* Places in units of the drawing; each row is of its own, so that no two texts overlap. */
#define WIDTH 860
#define TIME_X 106 /* times end here */
#define LEFT_X 128
#define RIGHT_X 528
#define FATE_X (RIGHT_X + 16)
#define HEAD 76 /* height of the header with both ends */
#define FOOT 40
#define ROW 32
#define MOMENT_ROW 22
#define ACROSS_ROW 28
#define LINE 15 /* from one line of text to the next */
#define SLOPE 6
#define END_CHARS 24 /* of a name in its box */
#define FATE_CHARS 34 /* of a line beside the drawing */

const char picture_svg_style[] =
	".pic{--bg:#ffffff;--ink:#1b1f24;--dim:#57606a;--line:#8c959f;--box:#eef1f4;--go:#0b5cad;"
	"--bad:#b3131b;--again:#8a4b00;"
	"font:13px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}"
	"@media (prefers-color-scheme:dark){.pic{--bg:#11161c;--ink:#e6edf3;--dim:#a3afbb;"
	"--line:#6b7783;--box:#222b35;--go:#79b8ff;--bad:#ff8a80;--again:#f2b866}}"
	".pic .back{fill:var(--bg)}.pic text{fill:var(--ink)}"
	".pic .life{stroke:var(--line);stroke-width:1.5}"
	".pic .gap .life{stroke-dasharray:2 5}"
	".pic .box{fill:var(--box);stroke:var(--line)}"
	".pic .name{font-weight:600;text-anchor:middle}"
	".pic .owner,.pic .over{fill:var(--dim);text-anchor:middle}"
	".pic .over{font-style:italic}"
	".pic .time{fill:var(--dim);text-anchor:end;font-size:12px;font-variant-numeric:tabular-nums}"
	".pic .label{text-anchor:middle;font-size:12px}.pic .label.wr{text-anchor:start}"
	".pic .label.wl{text-anchor:end}"
	".pic .way{stroke:var(--go);stroke-width:1.6;fill:none}.pic .head{fill:var(--go)}"
	".pic .dot{fill:var(--go)}"
	".pic .answer .way{stroke:var(--dim);stroke-dasharray:5 3}.pic .answer .head{fill:var(--dim)}"
	".pic .again .way{stroke:var(--again)}.pic .again .head{fill:var(--again)}"
	".pic .again .label,.pic .again .fate{fill:var(--again)}"
	".pic .unseen .way{stroke-dasharray:2 4}"
	".pic .bad .way,.pic .bad .cross{stroke:var(--bad)}"
	".pic .bad .head,.pic .bad .dot,.pic .bad .label,.pic .bad .fate{fill:var(--bad)}"
	".pic .cross{stroke-width:2.4;fill:none}.pic .fate{font-size:12px}"
	".pic .bad .fate,.pic .bad .label{font-weight:600}";

/* Writes text, cut to that many bytes. */
static void put_cut(FILE *to, const char *text, size_t most)
{
	char cut[PICTURE_LABEL];
	size_t len = strlen(text);

	snprintf(cut, sizeof(cut), "%s", text);
	if (len > most) {
		/* not within a character */
		while (most && ((unsigned char)cut[most] & 0xc0) == 0x80)
			most--;
		cut[most] = 0;
	}
	picture_put_xml(to, cut);
	if (len > most)
		fputs("…", to);
}

static void put_text(FILE *to, const char *class, int x, int y, const char *text, size_t most)
{
	fprintf(to, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
	put_cut(to, text, most);
	fputs("</text>\n", to);
}

static void lifelines(FILE *to, int y, int height)
{
	fprintf(to, "<path class=\"life\" d=\"M%d %dv%dM%d %dv%d\"/>\n", LEFT_X, y, height, RIGHT_X, y,
		height);
}

/*
 * Returns how many bytes of the text make a line of at most `most`, by words. A word that is longer is
 * divided.
 */
static size_t line_bytes(const char *text, size_t most)
{
	size_t len = strlen(text), at;

	if (len <= most)
		return len;
	for (at = most; at && text[at] != ' '; at--)
		;
	return at ? at : most;
}

/* Writes a text in several lines, if `to` is not NULL. Returns the number of lines. */
static int put_lines(FILE *to, const char *class, int x, int y, const char *text)
{
	char line[PICTURE_LABEL];
	int n = 0;

	while (*text) {
		size_t len = line_bytes(text, FATE_CHARS);

		if (to) {
			snprintf(line, sizeof(line), "%.*s", (int)len, text);
			put_text(to, class, x, y + n * LINE, line, sizeof(line));
		}
		n++;
		text += len;
		text += *text == ' ';
	}
	return n;
}

static int row_height(const struct picture *p, const struct picture_item *i)
{
	char fate[PICTURE_LABEL];
	int lines;

	if (i->kind != PICTURE_PACKET)
		return MOMENT_ROW;
	picture_fate(p, i, fate);
	lines = put_lines(NULL, "", 0, 0, fate);
	return lines > 1 ? ROW + (lines - 1) * LINE : ROW;
}

static void put_time(FILE *to, const struct picture *p, const struct picture_item *i, int y)
{
	char text[32];

	picture_time(p, i, text);
	put_text(to, "time", TIME_X, y, text, sizeof(text));
}

/* All that is known of a packet: the text that a pointer or a screen reader gets */
static void put_title(FILE *to, const struct picture *p, const struct picture_item *i)
{
	char text[PICTURE_LABEL], later[32];

	picture_end_name(&p->ends[i->end], text);
	fputs("<title>", to);
	picture_put_xml(to, text);
	picture_label(i, text);
	fputs(": ", to);
	picture_put_xml(to, text);
	picture_fate(p, i, text);
	if (*text) {
		fputs(". ", to);
		picture_put_xml(to, text);
	}
	if (i->arrived_ns > i->ns && i->sent) {
		picture_duration(i->arrived_ns - i->ns, later);
		fprintf(to, ". Arrived after %s", later);
	}
	if (i->flow)
		fprintf(to, ". wr_id 0x%" PRIx64, i->wr_id);
	fputs("</title>\n", to);
}

static void cross(FILE *to, int x, int y)
{
	fprintf(to, "<path class=\"cross\" d=\"M%d %dl12 12m0 -12l-12 12\"/>\n", x - 6, y - 6);
}

/* The line of a packet from its sender at y; its end depends on its fate. */
static void way(FILE *to, const struct picture *p, const struct picture_item *i, int y)
{
	int from = i->end ? RIGHT_X : LEFT_X, dir = i->end ? -1 : 1, length = RIGHT_X - LEFT_X;
	bool lost = i->reason && !i->arrived_ns;
	bool unseen = !i->reason && !i->arrived_ns && picture_receiver_watched(p, i);
	int end, fall = SLOPE;

	length = lost ? length * 8 / 10 : unseen ? length * 9 / 10 : length - 2;
	end = from + dir * length;
	fprintf(to, "<path class=\"way\" d=\"M%d %dL%d %d\"/>\n", from, y, end, y + fall);
	if (i->reason)
		cross(to, lost ? end : end - dir * 6, y + fall);
	else if (!unseen)
		fprintf(to, "<path class=\"head\" d=\"M%d %dl%d -5v10z\"/>\n", end, y + fall, -dir * 10);
}

static void packet(FILE *to, const struct picture *p, const struct picture_item *i, int y)
{
	bool unseen = !i->arrived_ns && !i->reason && picture_receiver_watched(p, i);
	char text[PICTURE_LABEL];

	fprintf(to, "<g class=\"packet%s%s%s%s\">\n", picture_is_answer(i) ? " answer" : "",
		i->again ? " again" : "", i->bad ? " bad" : "", unseen ? " unseen" : "");
	put_title(to, p, i);
	put_time(to, p, i, y + 22);
	way(to, p, i, y + 18);
	picture_label(i, text);
	put_text(to, "label", (LEFT_X + RIGHT_X) / 2, y + 14, text, 72);
	picture_fate(p, i, text);
	put_lines(to, "fate", FATE_X, y + 24, text);
	fputs("</g>\n", to);
}

static void moment(FILE *to, const struct picture *p, const struct picture_item *i, int y)
{
	char text[PICTURE_LABEL];

	fprintf(to, "<g class=\"moment%s\">\n", i->bad ? " bad" : "");
	put_time(to, p, i, y + 15);
	fprintf(to, "<circle class=\"dot\" cx=\"%d\" cy=\"%d\" r=\"4\"/>\n", i->end ? RIGHT_X : LEFT_X,
		y + 11);
	picture_label(i, text);
	put_text(to, i->end ? "label wl" : "label wr", i->end ? RIGHT_X - 12 : LEFT_X + 12, y + 15,
		 text, 72);
	fputs("</g>\n", to);
}

/* Draws a row for a pause, or for rows that were left out. Returns the height of the row in pixels. */
static int across(FILE *to, const char *text, int y)
{
	if (!*text)
		return 0;
	if (to) {
		fputs("<g class=\"gap\">\n", to);
		lifelines(to, y, ACROSS_ROW);
		put_text(to, "over", (LEFT_X + RIGHT_X) / 2, y + 18, text, 72);
		fputs("</g>\n", to);
	}
	return ACROSS_ROW;
}

/* Writes all rows, if `to` is not NULL. Returns the y behind the last one. */
static int rows(FILE *to, const struct picture *p)
{
	uint64_t long_pause = picture_long_pause(p);
	char text[PICTURE_LABEL];
	int y = HEAD;

	for (size_t i = 0; i < p->count; i++) {
		const struct picture_item *item = &p->items[i];
		uint64_t gap = i ? item->ns - p->items[i - 1].ns : 0;
		int height = row_height(p, item);

		picture_left_out(item->left_packets, item->left_moments, text);
		y += across(to, text, y);
		if (gap > long_pause) {
			picture_duration(gap, text);
			y += across(to, text, y);
		}
		if (to)
			lifelines(to, y, height);
		if (to && item->kind == PICTURE_PACKET)
			packet(to, p, item, y);
		else if (to)
			moment(to, p, item, y);
		y += height;
	}
	picture_left_out(p->left_packets, p->left_moments, text);
	return y + across(to, text, y);
}

/* Cuts a name that is too long for its box: its end, the QPN, stays. */
static void cut_name(char text[PICTURE_LABEL])
{
	const char *colon = strrchr(text, ':');
	size_t len = strlen(text), tail = colon ? strlen(colon) : 0, at;

	if (len <= END_CHARS || tail >= END_CHARS)
		return;
	at = END_CHARS - tail;
	/* not within a character */
	while (at && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	memmove(text + at + strlen("…"), text + len - tail, tail + 1);
	memcpy(text + at, "…", strlen("…"));
}

static void end_box(FILE *to, const struct picture_end *e, int x)
{
	char text[PICTURE_LABEL];

	fprintf(to, "<g><title>");
	picture_end_name(e, text);
	picture_put_xml(to, text);
	fprintf(to, "</title>\n<rect class=\"box\" x=\"%d\" y=\"10\" width=\"220\" height=\"50\" rx=\"6\"/>\n",
		x - 110);
	cut_name(text);
	put_text(to, "name", x, 31, text, END_CHARS + strlen("…"));
	picture_end_owner(e, text);
	if (*text)
		put_text(to, "owner", x, 49, text, END_CHARS);
	fputs("</g>\n", to);
	fprintf(to, "<path class=\"life\" d=\"M%d 60v%d\"/>\n", x, HEAD - 60);
}

static void write_svg(FILE *to, const struct picture *p, bool inside)
{
	char name[2][PICTURE_LABEL], summary[PICTURE_LABEL];
	int end = rows(NULL, p);

	picture_end_name(&p->ends[0], name[0]);
	picture_end_name(&p->ends[1], name[1]);
	picture_summary(p, summary);
	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pic\" viewBox=\"0 0 %d %d\"",
		WIDTH, end + FOOT);
	if (!inside)
		fprintf(to, " width=\"%d\" height=\"%d\"", WIDTH, end + FOOT);
	fputs(" role=\"img\" aria-labelledby=\"pic-title pic-desc\">\n<title id=\"pic-title\">Packets between ",
	      to);
	picture_put_xml(to, name[0]);
	fputs(" and ", to);
	picture_put_xml(to, name[1]);
	fputs("</title>\n<desc id=\"pic-desc\">", to);
	picture_put_xml(to, summary);
	fputs("</desc>\n", to);
	if (!inside)
		fprintf(to, "<style>%s</style>\n", picture_svg_style);
	fputs("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n", to);
	end_box(to, &p->ends[0], LEFT_X);
	end_box(to, &p->ends[1], RIGHT_X);
	rows(to, p);
	put_text(to, "over", (LEFT_X + RIGHT_X) / 2, end + 24, summary, sizeof(summary));
	fputs("</svg>\n", to);
}

void picture_write_svg_inline(FILE *to, const struct picture *p)
{
	write_svg(to, p, true);
}

void picture_write_svg(FILE *to, const struct picture *p)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
	write_svg(to, p, false);
}
