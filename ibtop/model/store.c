// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a snapshot: texts, tables of rows, and an index of rows by identity. */
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/snapshot.h"

/* ---- pool */

struct pool_block {
	struct pool_block *next;
	char text[64 * 1024];
};

char *pool_copy(struct pool *a, const char *text, size_t len)
{
	char *copy;

	if (len >= sizeof(a->block->text))
		return NULL;
	if (!a->block || a->used + len + 1 > sizeof(a->block->text)) {
		struct pool_block **next = a->block ? &a->block->next : &a->first;

		if (!*next)
			*next = calloc(1, sizeof(**next));
		if (!*next)
			return NULL;
		a->block = *next;
		a->used = 0;
	}
	copy = a->block->text + a->used;
	memcpy(copy, text, len);
	copy[len] = 0;
	a->used += len + 1;
	return copy;
}

void pool_reset(struct pool *a)
{
	a->block = a->first;
	a->used = 0;
}

void pool_free(struct pool *a)
{
	struct pool_block *b, *next;

	for (b = a->first; b; b = next) {
		next = b->next;
		free(b);
	}
	memset(a, 0, sizeof(*a));
}

/* ---- tables */

struct row *table_add(struct model *m, enum view_id view, int dev)
{
	struct table *t = &m->now->tables[view];
	struct row *row;

	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 32;
		char *memory = realloc(t->memory, room * t->row_size);

		if (!memory) {
			m->no_memory = true;
			return NULL;
		}
		t->memory = memory;
		t->room = room;
	}
	row = table_row(t, t->count++);
	memset(row, 0, t->row_size);
	row->view = view;
	row->dev = dev < 0 ? NO_DEVICE : dev;
	row->taken = m->now->mono;
	t->hashed = false;
	return row;
}

void table_drop_last(struct table *t)
{
	t->count--;
	t->hashed = false;
}

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static size_t hash_place(const struct table *t, int dev, uint64_t num0, uint64_t num1)
{
	return mix(num0 ^ num1 << 40 ^ (uint64_t)dev << 52) & (t->hash_size - 1);
}

static bool table_hash(struct table *t)
{
	size_t size = 64, i, at;

	while (size < 2 * t->count)
		size *= 2;
	if (size > t->hash_size) {
		uint32_t *hash = realloc(t->hash, size * sizeof(*hash));

		if (!hash)
			return false;
		t->hash = hash;
		t->hash_size = size;
	}
	memset(t->hash, 0, t->hash_size * sizeof(*t->hash));
	for (i = 0; i < t->count; i++) {
		const struct row *row = table_row(t, i);

		at = hash_place(t, row->dev, row->num[0], row->num[1]);
		while (t->hash[at])
			at = (at + 1) & (t->hash_size - 1);
		t->hash[at] = i + 1;
	}
	t->hashed = true;
	return true;
}

struct row *table_find(struct table *t, int dev, uint64_t num0, uint64_t num1, uint64_t born)
{
	size_t at;

	dev = dev < 0 ? NO_DEVICE : dev;
	if (!t->count || (!t->hashed && !table_hash(t)))
		return NULL;
	for (at = hash_place(t, dev, num0, num1); t->hash[at]; at = (at + 1) & (t->hash_size - 1)) {
		struct row *row = table_row(t, t->hash[at] - 1);

		if (row->dev == dev && row->num[0] == num0 && row->num[1] == num1 &&
		    (!born || !row->born || row->born == born))
			return row;
	}
	return NULL;
}

void row_text(struct model *m, struct row *r, unsigned int column, const char *text)
{
	char *copy = pool_copy(&m->now->pool, text, strlen(text));

	if (!copy)
		return;
	printable(copy);
	row_word(r, column, copy);
}

void row_textf(struct model *m, struct row *r, unsigned int column, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	row_text(m, r, column, text);
}

uint64_t name_number(const char *text, size_t len)
{
	uint64_t n = 0xcbf29ce484222325ULL;

	while (len--)
		n = (n ^ (unsigned char)*text++) * 0x100000001b3ULL;
	return n;
}

static uint64_t text_number(const char *text)
{
	return name_number(text, strlen(text));
}

/* Sets num[to] to a number that stands for the text of a column. */
static bool identify_by_text(struct row *r, unsigned int to, unsigned int column)
{
	if (!row_has(r, column))
		return false;
	r->num[to] = text_number(r->v[column].text);
	return true;
}

bool row_identify(struct model *m, struct row *r)
{
	static const struct {
		int number, created, age; /* columns, or -1 */
	} keys[VIEW_COUNT] = {
		[VIEW_PROCESS] = { COL_PROCESS_pid, -1, -1 },
		[VIEW_DEVICE] = { -1, -1, -1 },
		[VIEW_PORT] = { COL_PORT_port, -1, -1 },
		[VIEW_QP] = { COL_QP_qpn, COL_QP_created, COL_QP_age },
		[VIEW_CQ] = { COL_CQ_cqn, COL_CQ_created, COL_CQ_age },
		[VIEW_MR] = { COL_MR_mrn, COL_MR_created, COL_MR_age },
		[VIEW_PD] = { COL_PD_pdn, COL_PD_created, COL_PD_age },
		[VIEW_SRQ] = { COL_SRQ_srqn, COL_SRQ_created, COL_SRQ_age },
		[VIEW_AH] = { COL_AH_ahn, COL_AH_created, COL_AH_age },
		[VIEW_MW] = { COL_MW_mwn, COL_MW_created, COL_MW_age },
		[VIEW_DM] = { COL_DM_dmn, COL_DM_created, COL_DM_age },
		[VIEW_XRCD] = { COL_XRCD_xrcdn, COL_XRCD_created, COL_XRCD_age },
		[VIEW_UCONTEXT] = { COL_UCONTEXT_ctxn, COL_UCONTEXT_created, COL_UCONTEXT_age },
		[VIEW_CM_ID] = { COL_CM_ID_cm_idn, -1, -1 },
		[VIEW_LINT] = { COL_LINT_id, -1, -1 },
		[VIEW_INJECT] = { -1, -1, -1 },
		[VIEW_EVENT] = { COL_EVENT_seq, -1, -1 },
		[VIEW_SHARE] = { COL_SHARE_uid, -1, -1 },
		[VIEW_FNODE] = { -1, -1, -1 },
		[VIEW_FPORT] = { -1, -1, -1 },
		[VIEW_FCABLE] = { -1, -1, -1 },
		[VIEW_NETCABLE] = { -1, -1, -1 },
		[VIEW_GID] = { COL_GID_index, -1, -1 },
	};
	int number = keys[r->view].number, created = keys[r->view].created;

	(void)m;
	if (number >= 0) {
		if (!row_has(r, number))
			return false;
		r->num[0] = r->v[number].num;
	}
	/* QP0 and QP1 exist once per port */
	if (r->view == VIEW_QP && r->num[0] <= 1 && row_has(r, COL_QP_port))
		r->num[1] = r->v[COL_QP_port].num;
	if (r->view == VIEW_INJECT && !identify_by_text(r, 0, COL_INJECT_rule))
		return false;
	if (r->view == VIEW_SHARE && !identify_by_text(r, 1, COL_SHARE_what))
		return false;
	if (r->view == VIEW_FNODE && !identify_by_text(r, 0, COL_FNODE_name))
		return false;
	if (r->view == VIEW_FPORT) {
		if (!identify_by_text(r, 0, COL_FPORT_node) || !row_has(r, COL_FPORT_port))
			return false;
		r->num[1] = r->v[COL_FPORT_port].num;
	}
	if (r->view == VIEW_NETCABLE && !identify_by_text(r, 0, COL_NETCABLE_a))
		return false;
	if (r->view == VIEW_FCABLE &&
	    (!identify_by_text(r, 0, COL_FCABLE_a) || !identify_by_text(r, 1, COL_FCABLE_b)))
		return false;
	if (r->view == VIEW_GID) {
		if (!row_has(r, COL_GID_port) || !row_has(r, COL_GID_gid))
			return false;
		r->num[1] = r->v[COL_GID_port].num;
		/* another GID at the same place is another object */
		r->born = text_number(r->v[COL_GID_gid].text);
	}
	if (created >= 0 && row_has(r, created)) {
		r->born = r->v[created].num;
		if (row_has(r, keys[r->view].age))
			r->taken = r->born + r->v[keys[r->view].age].num;
	}
	return true;
}
