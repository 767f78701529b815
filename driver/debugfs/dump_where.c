// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The tables of call stacks and of their modules. All values but numbers of memories come from
 * programs: they are printed, and mean nothing to the driver.
 */
#include "debugfs/dump.h"
#include "observe/where.h"

/*
 * Positions of both tables: number of the memory << GLASS_WHERE_SHIFT | number in it. A memory that
 * has no more is left for the next one.
 */
static struct glass_where *where_at(struct glass_dev *dev, loff_t *pos, u32 *index)
{
	struct glass_where *w;

	if (*pos > U32_MAX)
		return NULL;
	w = glass_where_next(dev->lint, *pos >> GLASS_WHERE_SHIFT);
	if (!w)
		return NULL;
	if (w->number > *pos >> GLASS_WHERE_SHIFT)
		*pos = (loff_t)w->number << GLASS_WHERE_SHIFT;
	*index = *pos & (GLASS_WHERE_STACKS - 1);
	if (!*index) {
		*index = 1;
		++*pos;
	}
	return w;
}

/* Goes on with the memory after *w. */
static void where_leave(struct glass_where *w, loff_t *pos)
{
	*pos = ((loff_t)w->number + 1) << GLASS_WHERE_SHIFT;
	glass_where_put(w);
}

static void row_frames(struct glass_row *r, const struct glass_where_stack *s)
{
	/* a frame is at most "65535:0xffffffffffff/" */
	char text[GLASS_WHERE_FRAMES * 22];
	size_t n = 0;
	u32 i;

	for (i = 0; i < s->nframes; i++)
		n += scnprintf(text + n, sizeof(text) - n, "%s%llu:0x%llx", i ? "/" : "",
			       s->frame[i] >> GLASS_WHERE_OFFSET_BITS,
			       s->frame[i] & (BIT_ULL(GLASS_WHERE_OFFSET_BITS) - 1));
	if (n)
		glass_row_text(r, GLASS_COL_STACKLIST_frames, "%s", text);
}

static bool stacks_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_where_stack s;
	struct glass_where *w;
	u32 index;

	while ((w = where_at(dev, pos, &index))) {
		if (glass_where_copy_stack(w, index, &s)) {
			glass_row_num(r, GLASS_COL_STACKLIST_stack, *pos);
			glass_row_num(r, GLASS_COL_STACKLIST_recorder, w->number);
			glass_row_num(r, GLASS_COL_STACKLIST_pid, w->pid);
			glass_row_text(r, GLASS_COL_STACKLIST_comm, "%s", w->comm);
			row_frames(r, &s);
			glass_where_put(w);
			return true;
		}
		where_leave(w, pos);
	}
	return false;
}

static bool modules_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_where_module m;
	struct glass_where *w;
	u32 index;

	while ((w = where_at(dev, pos, &index))) {
		if (glass_where_copy_module(w, index, &m)) {
			glass_row_num(r, GLASS_COL_MODULES_recorder, w->number);
			glass_row_num(r, GLASS_COL_MODULES_module, index);
			glass_row_num(r, GLASS_COL_MODULES_pid, w->pid);
			if (m.build_id_bytes)
				glass_row_text(r, GLASS_COL_MODULES_build_id, "%*phN",
					       m.build_id_bytes, m.build_id);
			if (m.path[0])
				glass_row_text(r, GLASS_COL_MODULES_path, "%s", m.path);
			glass_where_put(w);
			return true;
		}
		where_leave(w, pos);
	}
	return false;
}

DEFINE_GLASS_FIELDS(stacks, GLASS_COLUMNS_STACKLIST);
const struct glass_table glass_table_stacks = {
	.file = "stacks",
	.header = GLASS_HEADER("stacks", GLASS_COLUMNS_STACKLIST),
	.fields = &glass_fields_stacks,
	.next = stacks_next,
};

DEFINE_GLASS_TABLE(modules, MODULES, modules_next);
