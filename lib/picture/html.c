// SPDX-License-Identifier: GPL-2.0-only
/* Reports as one HTML file, without network and without scripts of others. */
#include <string.h>

#include "lib/picture/html_page.h"
#include "lib/picture/page.h"
#include "lib/picture/write.h"

void page_head(FILE *to, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'sha256-" PAGE_SCRIPT_HASH "'; img-src data:; "
	      "base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>", to);
	picture_put_xml(to, title);
	fprintf(to, "</title>\n<style>\n%s%s\n</style>\n</head>\n<body>\n", page_style,
		picture_svg_style);
}

static void card(FILE *to, const char *what, const char *value, bool bad)
{
	fprintf(to, "<div%s><dt>%s</dt><dd>", bad ? " class=\"bad\"" : "", what);
	picture_put_xml(to, value);
	fputs("</dd></div>\n", to);
}

static void number_card(FILE *to, const char *what, uint64_t n, bool bad)
{
	char text[32];

	picture_number(n, text);
	card(to, what, text, bad && n);
}

static void cards(FILE *to, const struct picture *p)
{
	const uint64_t seen = p->ends[0].sent + p->ends[0].arrived + p->ends[1].sent + p->ends[1].arrived;
	char text[32];

	fputs("<dl class=\"cards\">\n", to);
	number_card(to, "Packets", p->packets, false);
	number_card(to, "Observations", seen, false);
	number_card(to, "Bytes of payload", p->bytes, false);
	number_card(to, "Dropped", p->dropped, true);
	number_card(to, "Sent again", p->again, true);
	number_card(to, "NAKs", p->naks, true);
	if (p->count) {
		picture_duration(p->items[p->count - 1].ns - p->items[0].ns, text);
		card(to, "Time", text, false);
	}
	if (p->lost)
		number_card(to, "Lost by the capture", p->lost, true);
	fputs("</dl>\n", to);
}

static void owners(FILE *to, const struct picture *p)
{
	char name[PICTURE_LABEL], owner[PICTURE_LABEL];

	fputs("<p class=\"dim\">", to);
	for (int i = 0; i < 2; i++) {
		picture_end_name(&p->ends[i], name);
		picture_end_owner(&p->ends[i], owner);
		fputs(i ? "; " : "", to);
		picture_put_xml(to, name);
		fputs(": ", to);
		picture_put_xml(to, *owner ? owner : *p->ends[i].dev ? "process unknown" : "not watched");
	}
	fputs("</p>\n", to);
}

void page_diagram(FILE *to, const struct picture *p)
{
	fputs("<h2>Diagram</h2>\n<div class=\"bar\">"
	      "<button id=\"in\" type=\"button\" aria-label=\"Zoom in\">+</button>"
	      "<button id=\"out\" type=\"button\" aria-label=\"Zoom out\">&#8722;</button>"
	      "<button id=\"fit\" type=\"button\">Fit</button>"
	      "<span class=\"dim\">Keys in the diagram: + &#8722; 0, arrows</span></div>\n"
	      "<div id=\"view\" class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Diagram. "
	      "Plus and minus zoom, 0 fits the width, arrow keys move.\">\n", to);
	picture_write_svg_inline(to, p);
	fputs("</div>\n", to);
}

static void cell(FILE *to, const char *class, const char *text)
{
	fprintf(to, "<td%s%s%s>", *class ? " class=\"" : "", class, *class ? "\"" : "");
	picture_put_xml(to, text);
	fputs("</td>", to);
}

static void row(FILE *to, const struct picture *p, const struct picture_item *i, size_t n)
{
	char text[PICTURE_LABEL];

	fprintf(to, "<tr%s>", i->bad ? " class=\"bad\"" : i->again ? " class=\"again\"" : "");
	picture_number(n, text);
	cell(to, "n", text);
	picture_time(p, i, text);
	cell(to, "n", text);
	picture_end_name(&p->ends[i->end], text);
	cell(to, "a", text);
	picture_label(i, text);
	cell(to, "w", text);
	picture_fate(p, i, text);
	if (!*text && i->kind == PICTURE_PACKET && i->arrived_ns > i->ns && i->sent) {
		memcpy(text, "arrived after ", 15);
		picture_duration(i->arrived_ns - i->ns, text + 14);
	}
	cell(to, "f", text);
	snprintf(text, sizeof(text), i->flow ? "0x%llx" : "%.0llu", (unsigned long long)i->wr_id);
	cell(to, "w", i->flow ? text : "");
	fputs("</tr>\n", to);
}

void page_table(FILE *to, const struct picture *p)
{
	char text[PICTURE_LABEL];
	uint64_t packets = p->left_packets, moments = p->left_moments;

	for (size_t i = 0; i < p->count; i++) {
		packets += p->items[i].left_packets;
		moments += p->items[i].left_moments;
	}
	fputs("<h2 id=\"table\">Packets and events</h2>\n<div class=\"bar\">"
	      "<input id=\"words\" type=\"search\" placeholder=\"Filter: words of a row\" "
	      "aria-label=\"Show only rows with these words\">"
	      "<label><input id=\"only\" type=\"checkbox\">only trouble</label>"
	      "<span id=\"told\" class=\"dim\" role=\"status\"></span></div>\n", to);
	picture_left_out(packets, moments, text);
	if (*text)
		fprintf(to, "<p class=\"dim\">%s: the limit of rows is reached.</p>\n", text);
	fputs("<div id=\"rows\" class=\"scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"table\">"
	      "<table id=\"packets\"><thead><tr><th>#</th><th>Time</th><th>At</th><th>Packet or event</th>"
	      "<th>Fate</th><th>wr_id</th></tr></thead><tbody>\n", to);
	for (size_t i = 0; i < p->count; i++)
		row(to, p, &p->items[i], i + 1);
	fputs("</tbody></table></div>\n", to);
}

void page_foot(FILE *to, const char *choice, const char *tool, const char *command)
{
	fputs("</main>\n<footer class=\"dim\"><p>", to);
	picture_put_xml(to, choice);
	fputs("</p><p>", to);
	picture_put_xml(to, tool);
	if (command) {
		fputs(": <code>", to);
		picture_put_xml(to, command);
		fputs("</code>", to);
	}
	fprintf(to, "</p></footer>\n<script>%s</script>\n</body>\n</html>\n", page_script);
}

void picture_write_html(FILE *to, const struct picture *p, const char *tool, const char *command,
			const char *choice)
{
	char name[2][PICTURE_LABEL], title[3 * PICTURE_LABEL];

	picture_end_name(&p->ends[0], name[0]);
	picture_end_name(&p->ends[1], name[1]);
	snprintf(title, sizeof(title), "Packets between %s and %s", name[0], name[1]);
	page_head(to, title);
	fputs("<header>\n<h1>", to);
	picture_put_xml(to, title);
	fputs("</h1>\n", to);
	owners(to, p);
	fputs("</header>\n<main>\n", to);
	cards(to, p);
	page_diagram(to, p);
	page_table(to, p);
	page_foot(to, choice, tool, command);
}
