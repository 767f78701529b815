// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree of objects: device -> { context -> { PD -> { MR, MW, QP -> CQ, SRQ, AH }, DM }, XRCD }.
 */
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/list.h"

/* Order of siblings by kind */
static const enum view_id kinds[] = { VIEW_DEVICE, VIEW_PORT, VIEW_UCONTEXT, VIEW_PD, VIEW_MR,
				      VIEW_MW,	   VIEW_SRQ,  VIEW_QP,	     VIEW_CQ, VIEW_AH,
				      VIEW_DM,	   VIEW_XRCD, VIEW_CM_ID };

/* A node's index is the number of its row over all tables; 0 is the root. */
struct tree {
	struct model *m;
	const struct query *q;
	struct list *list;
	size_t base[VIEW_COUNT], count;
	struct node {
		const struct row *row;
		uint32_t parent, child, last, next;
		bool wanted; /* it, or a descendant, matches */
		bool used;   /* a CQ that is listed below its QPs */
	} * nodes;
	struct item *work; /* siblings while they are sorted */
	size_t num_work;
};

static uint32_t node_of(const struct tree *t, const struct row *row)
{
	const struct table *table = &t->m->now->tables[row->view];

	return t->base[row->view] + ((const char *)row - table->memory) / table->row_size;
}

static uint32_t cq_node(const struct tree *t, const struct row *qp, unsigned int column)
{
	const struct row *cq;

	if (!row_has(qp, column))
		return 0;
	cq = table_find(&t->m->now->tables[VIEW_CQ], qp->dev, qp->v[column].num, 0, 0);
	return cq ? node_of(t, cq) : 0;
}

/* Stores the CQs of a QP, one if both are the same. Returns their number. */
static size_t cqs_of(const struct tree *t, const struct row *row, uint32_t cqs[2])
{
	uint32_t recv;
	size_t n = 0;

	if (row->view != VIEW_QP)
		return 0;
	cqs[n] = cq_node(t, row, COL_QP_scqn);
	n += cqs[n] != 0;
	recv = cq_node(t, row, COL_QP_rcqn);
	if (recv && !(n && cqs[0] == recv))
		cqs[n++] = recv;
	return n;
}

static void want(struct tree *t, uint32_t node)
{
	while (node && !t->nodes[node].wanted) {
		t->nodes[node].wanted = true;
		node = t->nodes[node].parent;
	}
}

static void add_child(struct tree *t, uint32_t parent, uint32_t child)
{
	struct node *p = &t->nodes[parent];

	t->nodes[child].parent = parent;
	if (p->last)
		t->nodes[p->last].next = child;
	else
		p->child = child;
	p->last = child;
}

static bool build(struct tree *t)
{
	struct table *tables = t->m->now->tables;
	uint32_t cqs[2];
	size_t i, k, n;

	t->count = 1;
	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		t->base[kinds[i]] = t->count;
		t->count += tables[kinds[i]].count;
	}
	t->nodes = calloc(t->count, sizeof(*t->nodes));
	t->work = calloc(t->count, sizeof(*t->work));
	if (!t->nodes || !t->work)
		return false;
	for (i = 0; i < ARRAY_LEN(kinds); i++)
		for (k = 0; k < tables[kinds[i]].count; k++)
			t->nodes[t->base[kinds[i]] + k].row = table_row(&tables[kinds[i]], k);
	for (i = 1; i < t->count; i++)
		for (n = cqs_of(t, t->nodes[i].row, cqs); n; n--)
			t->nodes[cqs[n - 1]].used = true;
	for (i = 1; i < t->count; i++) {
		const struct row *parent = row_parent(t->m, t->nodes[i].row);

		if (!t->nodes[i].used)
			add_child(t, parent ? node_of(t, parent) : 0, i);
	}
	for (i = 1; i < t->count; i++) {
		bool fits = row_fits(t->m, t->q, t->nodes[i].row);

		/* a matching CQ includes the QPs that use it */
		for (n = cqs_of(t, t->nodes[i].row, cqs); n && !fits; n--)
			fits = row_fits(t->m, t->q, t->nodes[cqs[n - 1]].row);
		if (fits)
			want(t, i);
	}
	return true;
}

static bool emit(struct tree *t, uint32_t node, unsigned int depth, bool last, uint64_t lines);

/* Uses the shared work space behind the nodes of the ancestors that are still being listed. */
static bool emit_children(struct tree *t, uint32_t node, unsigned int depth, uint64_t lines)
{
	const struct row *row = t->nodes[node].row;
	size_t first = t->num_work, i, n;
	uint32_t child, cqs[2];
	bool ok;

	for (child = t->nodes[node].child; child; child = t->nodes[child].next)
		if (t->nodes[child].wanted)
			t->work[t->num_work++].row = t->nodes[child].row;
	n = t->num_work - first;
	ok = items_sort(t->m, t->q, t->work + first, n);
	for (i = 0; ok && i < n; i++) {
		bool last = i == n - 1 && !(row && row->view == VIEW_QP && cqs_of(t, row, cqs));

		ok = emit(t, node_of(t, t->work[first + i].row), depth, last, lines);
	}
	t->num_work = first;
	n = row ? cqs_of(t, row, cqs) : 0;
	for (i = 0; ok && i < n; i++) {
		struct item item = { .row = t->nodes[cqs[i]].row,
				     .depth = depth,
				     .last = i == n - 1,
				     .lines = lines };

		ok = list_add(t->list, &item);
	}
	return ok;
}

static bool emit(struct tree *t, uint32_t node, unsigned int depth, bool last, uint64_t lines)
{
	struct item item = {
		.row = t->nodes[node].row, .depth = depth, .last = last, .lines = lines
	};
	uint32_t cqs[2];
	bool has = t->nodes[node].child || cqs_of(t, item.row, cqs);

	item.folded = has && t->q->folded && t->q->folded(t->q->arg, item.row);
	if (!list_add(t->list, &item))
		return false;
	if (item.folded || !has)
		return true;
	return emit_children(t, node, depth + 1, last || !depth ? lines : lines | 1ULL << depth);
}

bool tree_list(struct model *m, const struct query *q, struct list *list)
{
	struct tree t = { .m = m, .q = q, .list = list };
	bool ok = build(&t) && emit_children(&t, 0, 0, 0);

	free(t.nodes);
	free(t.work);
	return ok;
}
