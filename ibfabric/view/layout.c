// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows by level: the switches far from the hosts on top. A host of one switch hangs in a column
 * below it; hosts of several switches have a row of their own. A row above another is placed so
 * that each node is over the middle of its neighbours. A fabric in which most cables join switches
 * of one level, such as a torus, has its switches in a grid instead.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ibfabric/model/levels.h"
#include "layout.h"
#include "lib/cli.h"

#define MARGIN	   24
#define TOP	   72 /* room for the title */
#define LEGEND	   60 /* room for the legend */
#define SWITCH_GAP 28
#define ROW_GAP	   110
#define LETTER	   8.2 /* width of a bold letter of a switch's name */
#define SWITCH_W   96  /* at least */

/* A node of a row, while the row is placed */
struct item {
	uint32_t node;
	double wanted; /* middle */
	double space;  /* width with gap */
};

struct build {
	const struct topo *t;
	struct layout *l;
	unsigned int *level, most;
	uint32_t *first, *next; /* hosts below each switch, as a list of numbers + 1 */
	uint32_t *hosts;	/* their number */
	struct item *item;
	uint32_t items;
};

static void *zeroed(size_t n, size_t size)
{
	void *array = calloc(n + 1, size);

	if (!array)
		cli_die(CLI_FAILED, "out of memory");
	return array;
}

/* Returns the only switch that a host is cabled to, or -1. */
static int64_t only_switch(const struct topo *t, uint32_t host)
{
	int64_t found = -1;
	struct topo_end peer;
	unsigned int p;

	for (p = 1; p <= t->node[host].ports; p++) {
		if (!topo_peer(t, (struct topo_end){ host, p }, &peer))
			continue;
		if (t->node[peer.node].kind != TOPO_SWITCH || (found >= 0 && found != peer.node))
			return -1;
		found = peer.node;
	}
	return found;
}

static unsigned int columns_of(uint32_t hosts)
{
	return (hosts + LAYOUT_HOST_ROWS - 1) / LAYOUT_HOST_ROWS;
}

static void measure(struct build *b)
{
	const struct topo *t = b->t;
	struct layout_box *box;
	int64_t under;
	double least;
	uint32_t i;

	for (i = t->nodes; i--;) {
		box = &b->l->box[i];
		box->under = -1;
		box->row = b->level[i];
		box->w = LAYOUT_HOST_W;
		box->h = LAYOUT_HOST_H;
		if (t->node[i].gone || t->node[i].kind == TOPO_SWITCH)
			continue;
		under = only_switch(t, i);
		if (under < 0)
			continue;
		box->under = under;
		b->next[i] = b->first[under];
		b->first[under] = i + 1;
		b->hosts[under]++;
	}
	for (i = 0; i < t->nodes; i++) {
		box = &b->l->box[i];
		if (t->node[i].gone || t->node[i].kind != TOPO_SWITCH)
			continue;
		box->h = LAYOUT_SWITCH_H;
		box->w = columns_of(b->hosts[i]) * (LAYOUT_HOST_W + LAYOUT_TRUNK + LAYOUT_HOST_GAP);
		least = strlen(t->node[i].name) * LETTER + 20;
		least = least < SWITCH_W ? SWITCH_W : least;
		box->w = box->w < least ? least : box->w;
	}
}

/* Places the hosts below a switch. Returns the height of the columns. */
static double place_hosts(struct build *b, uint32_t number)
{
	const struct layout_box *box = &b->l->box[number];
	uint32_t host,
		i = 0,
		rows = b->hosts[number] < LAYOUT_HOST_ROWS ? b->hosts[number] : LAYOUT_HOST_ROWS;

	for (host = b->first[number]; host; host = b->next[host - 1], i++) {
		b->l->box[host - 1].x =
			box->x + LAYOUT_TRUNK +
			i / LAYOUT_HOST_ROWS * (LAYOUT_HOST_W + LAYOUT_TRUNK + LAYOUT_HOST_GAP);
		b->l->box[host - 1].y = box->y + box->h + 14 +
					i % LAYOUT_HOST_ROWS * (LAYOUT_HOST_H + LAYOUT_HOST_GAP);
	}
	return rows ? 14 + rows * (LAYOUT_HOST_H + LAYOUT_HOST_GAP) : 0;
}

static void collect(struct build *b, unsigned int row)
{
	uint32_t i;

	for (i = 0, b->items = 0; i < b->t->nodes; i++)
		if (!b->t->node[i].gone && b->l->box[i].row == row && b->l->box[i].under < 0)
			b->item[b->items++] = (struct item){ i, 0, b->l->box[i].w + SWITCH_GAP };
}

/* The row that the others are placed by: side by side, in the order of the fabric */
static void pack(struct build *b)
{
	double x = MARGIN;
	uint32_t i;

	for (i = 0; i < b->items; i++) {
		b->l->box[b->item[i].node].x = x;
		x += b->item[i].space;
	}
}

static int by_wanted(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (fabs(x->wanted - y->wanted) > 0.5)
		return x->wanted < y->wanted ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* The middle of the neighbours in a row, and how far they reach. Returns their number. */
static unsigned int look_at_neighbours(const struct build *b, uint32_t number, unsigned int row,
				       double *middle, double *reach)
{
	const struct topo_node *n = &b->t->node[number];
	double left = INFINITY, right = -INFINITY, sum = 0, x;
	unsigned int p, count = 0;
	struct topo_end peer;

	for (p = 1; p <= n->ports; p++) {
		if (!topo_peer(b->t, (struct topo_end){ number, p }, &peer) ||
		    b->l->box[peer.node].row != row)
			continue;
		x = b->l->box[peer.node].x + b->l->box[peer.node].w / 2;
		left = x < left ? x : left;
		right = x > right ? x : right;
		sum += x;
		count++;
	}
	*middle = count ? sum / count : MARGIN;
	*reach = count ? right - left : 0;
	return count;
}

/*
 * Moves the items of a row as little as possible from where they are wanted, so that they do not
 * overlap: runs of items that touch share the mean of their displacements.
 */
static void spread(struct build *b)
{
	struct run {
		double sum;
		uint32_t count;
	} *run = zeroed(b->items, sizeof(*run));
	double *offset = zeroed(b->items, sizeof(*offset)), mean;
	uint32_t runs = 0, i, k, at = 0;

	for (i = 1; i < b->items; i++)
		offset[i] = offset[i - 1] + (b->item[i - 1].space + b->item[i].space) / 2;
	for (i = 0; i < b->items; i++) {
		run[runs++] = (struct run){ b->item[i].wanted - offset[i], 1 };
		while (runs > 1 && run[runs - 2].sum / run[runs - 2].count >
					   run[runs - 1].sum / run[runs - 1].count) {
			run[runs - 2].sum += run[runs - 1].sum;
			run[runs - 2].count += run[runs - 1].count;
			runs--;
		}
	}
	for (i = 0; i < runs; i++)
		for (k = 0, mean = run[i].sum / run[i].count; k < run[i].count; k++, at++)
			b->l->box[b->item[at].node].x =
				mean + offset[at] - b->l->box[b->item[at].node].w / 2;
	free(run);
	free(offset);
}

/* Places a row by its neighbours in another one. */
static void place_row(struct build *b, unsigned int by)
{
	double *reach = zeroed(b->items, sizeof(*reach));
	uint32_t i, k, same;

	for (i = 0; i < b->items; i++)
		look_at_neighbours(b, b->item[i].node, by, &b->item[i].wanted, &reach[i]);
	qsort(b->item, b->items, sizeof(*b->item), by_wanted);
	/* nodes of the same neighbours, such as spines, take the room over them */
	for (i = 0; i < b->items; i += same) {
		double wide, middle;

		look_at_neighbours(b, b->item[i].node, by, &middle, &wide);
		for (same = 1; i + same < b->items &&
			       fabs(b->item[i + same].wanted - b->item[i].wanted) <= 0.5;)
			same++;
		for (k = i; k < i + same; k++)
			if (b->item[k].space < 0.8 * wide / same)
				b->item[k].space = 0.8 * wide / same;
	}
	spread(b);
	free(reach);
}

static int by_middle(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->wanted != y->wanted ? (x->wanted < y->wanted ? -1 : 1)
				      : (x->node > y->node) - (x->node < y->node);
}

/* Puts the far ends of netdev cables into a row above all nodes, each over its own node. */
static void place_far(struct build *b)
{
	struct item *item = zeroed(b->t->netcables, sizeof(*item));
	double x = MARGIN, wanted;
	uint32_t i, n = 0;

	for (i = 0; i < b->t->netcables; i++) {
		const struct topo_netcable *c = &b->t->netcable[i];

		if (c->gone)
			continue;
		item[n++] = (struct item){ i, b->l->box[c->end.node].x + b->l->box[c->end.node].w / 2, 0 };
	}
	for (i = 0; n && i < b->t->nodes; i++)
		b->l->box[i].y += LAYOUT_FAR_H + ROW_GAP / 2;
	qsort(item, n, sizeof(*item), by_middle);
	for (i = 0; i < n; i++) {
		struct layout_box *box = &b->l->far[item[i].node];

		wanted = item[i].wanted - LAYOUT_FAR_W / 2.0;
		*box = (struct layout_box){ wanted > x ? wanted : x, TOP, LAYOUT_FAR_W, LAYOUT_FAR_H, -1, 0 };
		x = box->x + box->w + SWITCH_GAP;
		if (x > b->l->width)
			b->l->width = x;
	}
	if (n)
		b->l->height += LAYOUT_FAR_H + ROW_GAP / 2;
	free(item);
}

/* Puts the left edge to the margin, and finds the size. */
static void finish(struct build *b)
{
	double left = INFINITY, right = 0, low = 0;
	struct layout_box *box;
	uint32_t i;

	for (i = 0; i < b->t->nodes; i++)
		if (!b->t->node[i].gone && b->l->box[i].x < left)
			left = b->l->box[i].x;
	for (i = 0; i < b->t->nodes; i++) {
		box = &b->l->box[i];
		if (b->t->node[i].gone)
			continue;
		box->x += MARGIN - left;
		right = box->x + box->w > right ? box->x + box->w : right;
		low = box->y + box->h > low ? box->y + box->h : low;
	}
	b->l->width = right + MARGIN < 560 ? 560 : right + MARGIN;
	b->l->height = low + LEGEND;
}

static void make_rows(struct build *b)
{
	unsigned int row, base = 0;
	double y = TOP, below, high;
	uint32_t i;

	for (i = 0; i < b->t->nodes; i++)
		base |= !b->t->node[i].gone && b->l->box[i].under >= 0;
	collect(b, base);
	pack(b);
	if (b->most || base) {
		collect(b, !base);
		place_row(b, base);
	}
	for (row = 2; row <= b->most; row++) {
		collect(b, row);
		place_row(b, row - 1);
	}
	for (row = b->most + 1; row--; y += below) {
		collect(b, row);
		for (i = 0, below = 0; i < b->items; i++) {
			b->l->box[b->item[i].node].y = y;
			high = place_hosts(b, b->item[i].node);
			below = high > below ? high : below;
		}
		below = b->items ? below + LAYOUT_SWITCH_H + (row ? ROW_GAP : 0) : 0;
		if (row == 1 && below)
			below -= ROW_GAP / 2;
	}
}

/* Reads numbers at the end of a name, such as 1, 2, 0 of "sw-1-2-0". Returns how many there are. */
static unsigned int read_place(const char *name, unsigned int at[3])
{
	unsigned int count = 0, found[3] = { 0 };
	const char *dash = strchr(name, '-');
	char *end;

	for (; dash && count < 3; dash = *end == '-' ? end : NULL) {
		if (dash[1] < '0' || dash[1] > '9')
			return 0;
		found[count] = strtoul(dash + 1, &end, 10);
		if (found[count++] > 63 || (*end && *end != '-'))
			return 0;
	}
	memcpy(at, found, sizeof(found));
	return dash ? 0 : count;
}

/* Do all switches have places in their names, each its own? Returns the number of dimensions. */
static unsigned int find_places(const struct build *b, unsigned int (*place)[3],
				unsigned int size[3])
{
	struct topo_index taken = { 0 };
	unsigned int dimensions = 0, d;
	bool good = true;
	uint32_t i;

	for (i = 0; i < b->items && good; i++) {
		unsigned int n = read_place(b->t->node[b->item[i].node].name, place[i]);

		good = n && (!dimensions || n == dimensions) &&
		       topo_index_put_number(
			       &taken, (place[i][2] * 64 + place[i][1]) * 64 + place[i][0], i);
		dimensions = n;
		for (d = 0; d < 3; d++)
			size[d] = place[i][d] + 1 > size[d] ? place[i][d] + 1 : size[d];
	}
	topo_index_free(&taken);
	return good ? dimensions : 0;
}

static void make_grid(struct build *b)
{
	unsigned int(*place)[3] = zeroed(b->t->nodes, sizeof(*place)), size[3] = { 1, 1, 1 },
		 across, i;
	double w = 0, h = 0, high, y = TOP;

	for (i = 0, b->items = 0; i < b->t->nodes; i++)
		if (!b->t->node[i].gone && b->t->node[i].kind == TOPO_SWITCH)
			b->item[b->items++] = (struct item){ i, 0, 0 };
	across = ceil(sqrt(b->items));
	if (!find_places(b, place, size)) {
		for (i = 0; i < b->items; i++) {
			place[i][0] = i % across;
			place[i][1] = i / across;
			place[i][2] = 0;
		}
		size[0] = across;
		size[1] = size[2] = 1;
	}
	for (i = 0; i < b->items; i++) {
		struct layout_box *box = &b->l->box[b->item[i].node];

		high = box->h + place_hosts(b, b->item[i].node);
		w = box->w > w ? box->w : w;
		h = high > h ? high : h;
	}
	/* the third dimension is a row of planes */
	for (i = 0; i < b->items; i++) {
		struct layout_box *box = &b->l->box[b->item[i].node];

		box->x = MARGIN + (place[i][0] + place[i][2] * (size[0] + 0.5)) * (w + 64);
		box->y = TOP + 40 + place[i][1] * (h + 64);
		place_hosts(b, b->item[i].node);
		y = box->y + h + 64 > y ? box->y + h + 64 : y;
	}
	collect(b, 0);
	place_row(b, 1);
	for (i = 0; i < b->items; i++)
		b->l->box[b->item[i].node].y = y;
	free(place);
}

/* Do most cables between switches join those of one level? */
static bool is_flat(const struct build *b)
{
	unsigned int same = 0, other = 0, switches = 0;
	uint32_t i;

	for (i = 0; i < b->t->nodes; i++)
		switches += !b->t->node[i].gone && b->level[i];
	for (i = 0; i < b->t->cables; i++) {
		const struct topo_cable *c = &b->t->cable[i];
		unsigned int first = b->level[c->end[0].node], second = b->level[c->end[1].node];

		if (!c->gone && first && second)
			*(first == second ? &same : &other) += 1;
	}
	return same > other && switches > 2;
}

void layout_make(const struct topo *t, struct layout *to)
{
	struct build b = { .t = t, .l = to };

	memset(to, 0, sizeof(*to));
	to->box = zeroed(t->nodes, sizeof(*to->box));
	to->far = zeroed(t->netcables, sizeof(*to->far));
	b.first = zeroed(t->nodes, sizeof(*b.first));
	b.next = zeroed(t->nodes, sizeof(*b.next));
	b.hosts = zeroed(t->nodes, sizeof(*b.hosts));
	b.item = zeroed(t->nodes, sizeof(*b.item));
	b.level = topo_levels(t, &b.most);
	measure(&b);
	to->flat = is_flat(&b);
	if (to->flat)
		make_grid(&b);
	else
		make_rows(&b);
	finish(&b);
	place_far(&b);
	free(b.first);
	free(b.next);
	free(b.hosts);
	free(b.item);
	free(b.level);
}

void layout_free(struct layout *l)
{
	free(l->box);
	free(l->far);
	memset(l, 0, sizeof(*l));
}
