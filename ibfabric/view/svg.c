// SPDX-License-Identifier: GPL-2.0-only
/* The fabric as a picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "lib/cli.h"
#include "lib/printable.h"
#include "view.h"

#define PULLED "#c62828"
#define DOWN   "#9e9e9e"

static const char *const colors[TOPO_SPEED_COUNT] = {
	"#546e7a", "#6d4c41", "#a1887f", "#f9a825", "#7cb342", "#1e88e5", "#5e35b1", "#d81b60",
};

struct picture {
	const struct topo *t;
	struct layout l;
	FILE *to;
	bool used[TOPO_SPEED_COUNT], pulled, down;
};

/* Prints text as XML has it. */
static void print_text(FILE *to, const char *text)
{
	char *copy = format_text("%s", text), *at;

	printable(copy);
	for (at = copy; *at; at++) {
		if (*at == '&')
			fputs("&amp;", to);
		else if (*at == '<')
			fputs("&lt;", to);
		else if (*at == '>')
			fputs("&gt;", to);
		else
			putc(*at, to);
	}
	free(copy);
}

static unsigned int speed_of(const struct topo_cable *c)
{
	return c->active_width ? c->active_speed : c->speed;
}

/* Prints the attributes of the line of a cable. */
static void print_style(struct picture *v, const struct topo_cable *c)
{
	unsigned int width = c->active_width ? c->active_width : c->width;
	double stroke = width == 1    ? 1
			: width == 2  ? 1.3
			: width == 8  ? 2.6
			: width == 12 ? 3.2
				      : 1.8;

	if (c->pulled) {
		v->pulled = true;
		fprintf(v->to, " stroke=\"%s\" stroke-width=\"1.8\" stroke-dasharray=\"3 5\"",
			PULLED);
	} else if (!view_up(c)) {
		v->down = true;
		fprintf(v->to, " stroke=\"%s\" stroke-width=\"1.5\" stroke-dasharray=\"7 4\"",
			DOWN);
	} else {
		v->used[speed_of(c)] = true;
		fprintf(v->to, " stroke=\"%s\" stroke-width=\"%.1f\"", colors[speed_of(c)],
			width ? stroke : 1.5);
	}
}

/* The text that a browser shows when the pointer is on the cable */
static void print_title(struct picture *v, const struct topo_cable *c)
{
	char speed[32], state[32];

	fprintf(v->to, "<title>%s:%u - %s:%u %s %s</title>", v->t->node[c->end[0].node].name,
		c->end[0].port, v->t->node[c->end[1].node].name, c->end[1].port,
		view_speed(c, speed), view_state(c, 0, state));
}

/* A cable at an edge of a box, while they are put side by side there */
struct mouth {
	uint32_t cable, node;
	int end;
	bool upper; /* edge of the box */
	double peer, x;
};

static int by_place(const void *a, const void *b)
{
	const struct mouth *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->upper != y->upper)
		return x->upper ? 1 : -1;
	if (x->peer != y->peer)
		return x->peer < y->peer ? -1 : 1;
	return (x->cable > y->cable) - (x->cable < y->cable);
}

static double middle(const struct layout_box *box)
{
	return box->x + box->w / 2;
}

/* Finds the place of each cable at the edges of its two boxes. */
static void place_mouths(const struct picture *v, double (*x)[2], bool (*upper)[2])
{
	struct mouth *m = calloc(2 * (size_t)v->t->cables + 1, sizeof(*m));
	size_t count = 0, i, k, n;
	int e;

	if (!m)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < v->t->cables; i++) {
		const struct topo_cable *c = &v->t->cable[i];

		for (e = 0; e < 2 && !c->gone; e++) {
			const struct layout_box *own = &v->l.box[c->end[e].node],
						*peer = &v->l.box[c->end[!e].node];

			if (own->under >= 0 || peer->under >= 0)
				continue;
			m[count++] = (struct mouth){
				i, c->end[e].node, e, peer->y <= own->y, middle(peer), 0
			};
		}
	}
	qsort(m, count, sizeof(*m), by_place);
	for (i = 0; i < count; i += n) {
		for (n = 1;
		     i + n < count && m[i + n].node == m[i].node && m[i + n].upper == m[i].upper;)
			n++;
		for (k = 0; k < n; k++) {
			const struct layout_box *box = &v->l.box[m[i].node];
			/* not on the round corners */
			double room = box->w - 16;

			x[m[i + k].cable][m[i + k].end] = box->x + 8 + (k + 0.5) * room / n;
			upper[m[i + k].cable][m[i + k].end] = m[i].upper;
		}
	}
	free(m);
}

/* In a grid: straight between neighbours, and around what is between others. */
static void print_flat(struct picture *v, const struct topo_cable *c)
{
	const struct layout_box *a = &v->l.box[c->end[0].node], *b = &v->l.box[c->end[1].node];
	/* cables between the same two are beside each other */
	double far, aside = ((int)(c->end[0].port % 3) - 1) * 5;

	if (a->x > b->x || (a->x == b->x && a->y > b->y)) {
		const struct layout_box *other = a;

		a = b;
		b = other;
	}
	if (a->y == b->y) {
		far = b->x - a->x - a->w;
		if (far < 100)
			fprintf(v->to, "M%.1f %.1fH%.1f", a->x + a->w, a->y + a->h / 2 + aside,
				b->x);
		else
			fprintf(v->to, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", a->x + a->w - 10,
				a->y, a->x + a->w, a->y - 44, b->x, b->y - 44, b->x + 10, b->y);
	} else if (a->x == b->x) {
		far = b->y - a->y;
		fprintf(v->to, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", a->x + a->w, a->y + 30,
			a->x + a->w + 14 + far / 20, a->y + 60, b->x + b->w + 14 + far / 20,
			b->y - 24, b->x + b->w, b->y + 10);
	} else {
		far = (b->x - a->x) / 3;
		fprintf(v->to, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", middle(a), a->y,
			middle(a) + far, a->y - 36, middle(b) - far, b->y - 36, middle(b), b->y);
	}
}

static void print_cable(struct picture *v, uint32_t i, const double *x, const bool *upper)
{
	const struct topo_cable *c = &v->t->cable[i];
	const struct layout_box *box[2] = { &v->l.box[c->end[0].node], &v->l.box[c->end[1].node] };
	double y[2], bend;
	int e;

	for (e = 0; e < 2; e++)
		y[e] = box[e]->y + (upper[e] ? 0 : box[e]->h);
	fputs("<path fill=\"none\"", v->to);
	print_style(v, c);
	fputs(" d=\"", v->to);
	if (v->l.flat && box[0]->row && box[1]->row) {
		print_flat(v, c);
	} else if (box[0]->y == box[1]->y) {
		/* of one row: an arc above it */
		bend = 26 + fabs(x[1] - x[0]) / 24;
		fprintf(v->to, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x[0], box[0]->y, x[0],
			box[0]->y - bend, x[1], box[1]->y - bend, x[1], box[1]->y);
	} else {
		bend = (y[1] - y[0]) * 0.35;
		fprintf(v->to, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x[0], y[0], x[0],
			y[0] + bend, x[1], y[1] - bend, x[1], y[1]);
	}
	fputs("\">", v->to);
	print_title(v, c);
	fputs("</path>\n", v->to);
}

/* A host in a column: the trunk along the column, and a line from it to the host. */
static void print_branch(struct picture *v, uint32_t host)
{
	const struct layout_box *box = &v->l.box[host], *up = &v->l.box[box->under];
	const struct topo_node *n = &v->t->node[host];
	double x = box->x - LAYOUT_TRUNK / 2.0, y;
	unsigned int p, cables = 0, k = 0;

	for (p = 1; p <= n->ports; p++)
		cables += !!n->port[p].cable;
	fprintf(v->to, "<path stroke=\"#b0bec5\" d=\"M%.1f %.1fV%.1f\"/>\n", x, up->y + up->h,
		box->y + box->h / 2);
	for (p = 1; p <= n->ports; p++) {
		if (!n->port[p].cable)
			continue;
		y = box->y + (++k) * box->h / (cables + 1);
		fputs("<path", v->to);
		print_style(v, &v->t->cable[n->port[p].cable - 1]);
		fprintf(v->to, " d=\"M%.1f %.1fH%.1f\">", x, y, box->x);
		print_title(v, &v->t->cable[n->port[p].cable - 1]);
		fputs("</path>\n", v->to);
	}
}

/* The line to the far end of a netdev cable: from above, and at the side of a host in a column. */
static void print_wire(struct picture *v, uint32_t i)
{
	const struct topo_netcable *c = &v->t->netcable[i];
	const struct layout_box *own = &v->l.box[c->end.node], *far = &v->l.far[i];
	unsigned int speed = v->t->node[c->end.node].port[c->end.port].active_speed;
	bool side = own->under >= 0;
	/* cables of one node are beside each other */
	double x = side ? own->x + own->w : middle(own) + ((int)(c->end.port % 5) - 2) * 8;
	double y = side ? own->y + own->h / 2 : own->y, to = far->y + far->h, bend = (y - to) * 0.35;
	char *netdev = topo_netdev_name(c), *words = view_networds(c), rate[32];

	speed = speed ? speed : c->speed;
	fputs("<path fill=\"none\"", v->to);
	if (c->pulled) {
		v->pulled = true;
		fprintf(v->to, " stroke=\"%s\" stroke-width=\"1.8\" stroke-dasharray=\"3 5\"", PULLED);
	} else if (!view_netup(v->t, c)) {
		v->down = true;
		fprintf(v->to, " stroke=\"%s\" stroke-width=\"1.5\" stroke-dasharray=\"7 4\"", DOWN);
	} else {
		v->used[speed] = true;
		fprintf(v->to, " stroke=\"%s\" stroke-width=\"1.8\"", colors[speed]);
	}
	fprintf(v->to, " d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"><title>%s:%u - @", x, y,
		side ? x + 20 : x, side ? y : y - bend, middle(far), to + bend, middle(far), to,
		v->t->node[c->end.node].name, c->end.port);
	print_text(v->to, netdev);
	fprintf(v->to, " %s %s", view_netspeed(v->t, c, rate), view_netstate(v->t, c));
	if (*words) {
		fputs(": ", v->to);
		print_text(v->to, words);
	}
	fputs("</title></path>\n", v->to);
	free(netdev);
	free(words);
}

/* Prints at most so many letters of a text. */
static void print_short(FILE *to, const char *text, size_t most)
{
	char *copy = format_text("%.*s", (int)most, text);

	print_text(to, copy);
	if (strlen(text) > most)
		fputs("&#8230;", to);
	free(copy);
}

/* The box of another host: the peer's node, and its host, or the interface if there is none. */
static void print_far(struct picture *v, uint32_t i)
{
	const struct topo_netcable *c = &v->t->netcable[i];
	const struct layout_box *box = &v->l.far[i];
	char *netdev = topo_netdev_name(c), *words = view_networds(c);

	fprintf(v->to,
		"<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"18\" fill=\"#fff8e1\" stroke=\"#ff8f00\" stroke-dasharray=\"5 3\"/>"
		"<text x=\"%.1f\" y=\"%.1f\" fill=\"#263238\" font-size=\"11\" font-weight=\"bold\" text-anchor=\"middle\">",
		box->x, box->y, box->w, box->h, middle(box), box->y + 15);
	if (*c->peer.port)
		print_short(v->to, c->peer.port, 20);
	else
		fputs(c->known ? "nobody" : "another host", v->to);
	fprintf(v->to,
		"</text><text x=\"%.1f\" y=\"%.1f\" fill=\"#78909c\" font-size=\"10\" text-anchor=\"middle\">",
		middle(box), box->y + 28);
	if (*c->peer.port) {
		fputs("on ", v->to);
		print_short(v->to, c->peer.host, 20);
	} else {
		fputs("at ", v->to);
		print_short(v->to, netdev, 20);
	}
	fputs("</text><title>@", v->to);
	print_text(v->to, netdev);
	if (*words) {
		fputs(": ", v->to);
		print_text(v->to, words);
	}
	fputs("</title></g>\n", v->to);
	free(netdev);
	free(words);
}

static void print_node(struct picture *v, uint32_t i)
{
	const struct topo_node *n = &v->t->node[i];
	const struct layout_box *box = &v->l.box[i];
	bool is_switch = n->kind == TOPO_SWITCH;
	unsigned int lid = is_switch ? n->lid : n->port[1].lid;
	char small[40] = "", speed[32] = "";

	fprintf(v->to,
		"<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\" fill=\"%s\" stroke=\"%s\"/>",
		box->x, box->y, box->w, box->h, is_switch ? 6 : 4,
		is_switch	      ? "#37474f"
		: n->kind == TOPO_HCA ? "#e3f2fd"
				      : "#ffffff",
		is_switch	      ? "#263238"
		: n->kind == TOPO_HCA ? "#1565c0"
				      : "#90a4ae");
	if (is_switch) {
		snprintf(small, sizeof(small), lid ? "%u ports, LID %u" : "%u ports", n->ports,
			 lid);
		fprintf(v->to,
			"<text x=\"%.1f\" y=\"%.1f\" fill=\"#fff\" font-weight=\"bold\" font-size=\"13\" text-anchor=\"middle\">%s</text>",
			middle(box), box->y + 17, n->name);
		fprintf(v->to,
			"<text x=\"%.1f\" y=\"%.1f\" fill=\"#b0bec5\" font-size=\"10\" text-anchor=\"middle\">%s</text>",
			middle(box), box->y + 32, small);
	} else {
		if (n->port[1].cable && strlen(n->name) <= 11)
			view_speed(&v->t->cable[n->port[1].cable - 1], speed);
		fprintf(v->to, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#263238\" font-size=\"11\"%s>",
			box->x + 6, box->y + 15,
			n->kind == TOPO_HCA ? " font-weight=\"bold\"" : "");
		if (strlen(n->name) > 17)
			fprintf(v->to, "%.16s&#8230;", n->name);
		else
			fputs(n->name, v->to);
		fprintf(v->to,
			"</text><text x=\"%.1f\" y=\"%.1f\" fill=\"#78909c\" font-size=\"9\" text-anchor=\"end\">%s</text>",
			box->x + box->w - 5, box->y + 15, speed);
	}
	fprintf(v->to, "<title>%s", n->name);
	if (n->desc && *n->desc && strcmp(n->desc, n->name)) {
		fputs(": ", v->to);
		print_text(v->to, n->desc);
	}
	if (lid)
		fprintf(v->to, ", LID %u", lid);
	if (n->ether) {
		fputs(", Ethernet port of ", v->to);
		print_text(v->to, n->ether->netdev);
	}
	fputs("</title></g>\n", v->to);
}

/* Prints a sample of a line with its meaning. Returns where the next one is. */
static double print_sample(struct picture *v, double x, const char *color, const char *dash,
			   const char *text)
{
	double y = v->l.height - 20;

	fprintf(v->to,
		"<path stroke=\"%s\" stroke-width=\"3\"%s d=\"M%.1f %.1fh26\"/><text x=\"%.1f\" y=\"%.1f\" fill=\"#455a64\" font-size=\"11\">%s</text>\n",
		color, dash, x, y, x + 32, y + 4, text);
	return x + 48 + 7 * strlen(text);
}

static void print_legend(struct picture *v)
{
	double x = 24, y = v->l.height - 20;
	char word[8];
	unsigned int i;

	for (i = 1; i < TOPO_SPEED_COUNT; i++)
		if (v->used[i]) {
			snprintf(word, sizeof(word), "%s", topo_speed_word(i));
			word[0] -= 32;
			word[1] -= 32;
			word[2] -= 32;
			x = print_sample(v, x, colors[i], "", word);
		}
	if (v->pulled)
		x = print_sample(v, x, PULLED, " stroke-dasharray=\"3 5\"", "pulled");
	if (v->down)
		x = print_sample(v, x, DOWN, " stroke-dasharray=\"7 4\"", "down");
	fprintf(v->to,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"14\" rx=\"3\" fill=\"#e3f2fd\" stroke=\"#1565c0\"/><text x=\"%.1f\" y=\"%.1f\" fill=\"#455a64\" font-size=\"11\">HCA</text>\n",
		x, y - 7, x + 28, y + 4);
	x += 70;
	fprintf(v->to,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"14\" rx=\"3\" fill=\"#fff\" stroke=\"#90a4ae\"/><text x=\"%.1f\" y=\"%.1f\" fill=\"#455a64\" font-size=\"11\">passive</text>\n",
		x, y - 7, x + 28, y + 4);
}

void view_svg(const struct topo *t, FILE *to)
{
	double(*x)[2] = calloc(t->cables + 1, sizeof(*x));
	bool(*upper)[2] = calloc(t->cables + 1, sizeof(*upper));
	struct picture v = { .t = t, .to = to };
	char *counts = topo_counts(t);
	uint32_t i;

	if (!x || !upper)
		cli_die(CLI_FAILED, "out of memory");
	layout_make(t, &v.l);
	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fafafa\"/>\n"
		"<text x=\"24\" y=\"28\" fill=\"#263238\" font-size=\"14\">%s</text>\n",
		v.l.width, v.l.height, v.l.width, v.l.height, counts);
	place_mouths(&v, x, upper);
	for (i = 0; i < t->cables; i++) {
		const struct topo_cable *c = &t->cable[i];

		if (!c->gone && v.l.box[c->end[0].node].under < 0 &&
		    v.l.box[c->end[1].node].under < 0)
			print_cable(&v, i, x[i], upper[i]);
	}
	for (i = 0; i < t->netcables; i++)
		if (!t->netcable[i].gone)
			print_wire(&v, i);
	for (i = t->nodes; i--;)
		if (!t->node[i].gone && v.l.box[i].under >= 0)
			print_branch(&v, i);
	for (i = 0; i < t->nodes; i++)
		if (!t->node[i].gone)
			print_node(&v, i);
	for (i = 0; i < t->netcables; i++)
		if (!t->netcable[i].gone)
			print_far(&v, i);
	print_legend(&v);
	fputs("</svg>\n", to);
	layout_free(&v.l);
	free(counts);
	free(x);
	free(upper);
}
