// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Text in memory (lines.h). */
#include <linux/mm.h>
#include <linux/slab.h>

#include "debugfs/lines.h"

struct glass_lines *glass_lines_new(size_t bytes)
{
	struct glass_lines *l = kvzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return NULL;
	l->m.buf = kvmalloc(bytes, GFP_KERNEL);
	if (!l->m.buf) {
		kvfree(l);
		return NULL;
	}
	l->bytes = bytes;
	l->m.size = bytes;
	return l;
}

void glass_lines_free(struct glass_lines *l)
{
	if (!l)
		return;
	kvfree(l->m.buf);
	kvfree(l);
}

void glass_lines_block(struct glass_lines *l, size_t most)
{
	l->m.size = min(l->bytes, l->m.count + most);
	l->full = false;
}

bool glass_lines_begin(struct glass_lines *l)
{
	if (l->full)
		return false;
	l->mark = l->m.count;
	glass_row_clear(&l->row);
	return true;
}

void glass_lines_end(struct glass_lines *l)
{
	if (!seq_has_overflowed(&l->m))
		return;
	l->m.count = l->mark;
	l->full = true;
	l->cut = true;
}

void glass_lines_header(struct glass_lines *l, const char *header)
{
	if (!glass_lines_begin(l))
		return;
	seq_printf(&l->m, "%s\n", header);
	glass_lines_end(l);
}

void glass_lines_snap(struct glass_lines *l, const struct glass_snap *s)
{
	loff_t line;

	for (line = 1; glass_snap_has(s, line) && glass_lines_begin(l); line++) {
		glass_snap_show(&l->m, s, line, &l->row);
		glass_lines_end(l);
	}
}
