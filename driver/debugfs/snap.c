// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Builds the parts of a snapshot (inspect.h). uapi/glass-inspect.h has the names and the keys of
 * sections and entries.
 */
#include <linux/slab.h>

#include "debugfs/inspect.h"

#define FIELDS(kind, name, table) DEFINE_GLASS_FIELDS(kind##_##name, GLASS_INSPECT_##table);
#define ENTRY_FIELDS(kind, section, name, table)                                                   \
	DEFINE_GLASS_FIELDS(entry_##kind##_##name, GLASS_INSPECT_##table);
GLASS_SECTIONS(FIELDS)
GLASS_ENTRIES(ENTRY_FIELDS)

struct named_fields {
	const char *name;
	const struct glass_fields *fields;
};

static const struct named_fields sections[] = {
#define SECTION(kind, name, table) { #name, &glass_fields_##kind##_##name },
	GLASS_SECTIONS(SECTION)
#undef SECTION
};

static const struct named_fields entries[] = {
#define ENTRY(kind, section, name, table) { #name, &glass_fields_entry_##kind##_##name },
	GLASS_ENTRIES(ENTRY)
#undef ENTRY
};

static struct glass_row *add_part(struct glass_snap *s, const char *name,
				  const struct glass_fields *fields)
{
	struct glass_part *part = &s->part[s->nparts++];

	part->name = name;
	part->fields = fields;
	part->entry_name = NULL;
	part->entry_fields = NULL;
	part->n = 0;
	part->fill = NULL;
	glass_row_clear(&part->row);
	return &part->row;
}

struct glass_row *glass_snap_object(struct glass_snap *s, const struct glass_table *table)
{
	return add_part(s, NULL, table->fields);
}

struct glass_row *glass_snap_section(struct glass_snap *s, enum glass_section section)
{
	return add_part(s, sections[section].name, sections[section].fields);
}

void glass_snap_entries(struct glass_snap *s, enum glass_entry entry, u32 n,
			void (*fill)(struct glass_row *r, const struct glass_snap *s, u32 i))
{
	struct glass_part *part = &s->part[s->nparts - 1];

	part->entry_name = entries[entry].name;
	part->entry_fields = entries[entry].fields;
	part->n = n;
	part->fill = fill;
}

int glass_snap_alloc(struct glass_snap *s, u32 which, size_t n, size_t stride)
{
	if (s->most)
		n = min_t(size_t, n, s->most);
	s->mem[which] = kvcalloc(max(n, 1UL), stride, GFP_KERNEL);
	s->stride[which] = stride;
	s->room[which] = max(n, 1UL);
	return s->mem[which] ? 0 : -ENOMEM;
}
