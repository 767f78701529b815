// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#define _GNU_SOURCE
#include <config.h>

#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "where_modules.h"

struct search {
	struct glass_where_found *found;
	const uintptr_t *address;
	uint32_t n;
};

static void read_notes(struct glass_where_module *m, const char *at, size_t bytes)
{
	const char *end = at + bytes;

	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name = (note->n_namesz + 3) & ~(size_t)3;
		size_t bits = (note->n_descsz + 3) & ~(size_t)3;

		at += sizeof(*note);
		if (name + bits > (size_t)(end - at))
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(at, "GNU", 4) && note->n_descsz <= sizeof(m->build_id)) {
			memcpy(m->build_id, at + name, note->n_descsz);
			m->build_id_bytes = note->n_descsz;
			return;
		}
		at += name + bits;
	}
}

static void describe(struct glass_where_module *m, const struct dl_phdr_info *info)
{
	ssize_t n;
	int i;

	memset(m, 0, sizeof(*m));
	for (i = 0; i < info->dlpi_phnum && !m->build_id_bytes; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			read_notes(m, (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
				   info->dlpi_phdr[i].p_memsz);
	if (*info->dlpi_name) {
		if (strlen(info->dlpi_name) < sizeof(m->path))
			strcpy(m->path, info->dlpi_name);
		return;
	}
	/* the program itself */
	n = readlink("/proc/self/exe", m->path, sizeof(m->path));
	if (n < 0 || (size_t)n == sizeof(m->path))
		memset(m->path, 0, sizeof(m->path));
}

static bool has_address(const struct dl_phdr_info *info, uintptr_t address)
{
	uintptr_t at = address - info->dlpi_addr;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && at >= p->p_vaddr && at - p->p_vaddr < p->p_memsz)
			return true;
	}
	return false;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	struct glass_where_found *f = s->found;
	bool described = false;
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		/* the address after a call may be the first of the next module */
		if (f->of[i].module || !has_address(info, s->address[i] - 1))
			continue;
		if (!described)
			describe(&f->module[f->nmodules++], info);
		described = true;
		f->of[i].module = f->nmodules;
		f->of[i].offset = s->address[i] - info->dlpi_addr;
	}
	return 0;
}

void glass_where_find_modules(struct glass_where_found *found, const uintptr_t *address, uint32_t n)
{
	struct search s = { found, address, n };

	found->nmodules = 0;
	memset(found->of, 0, sizeof(found->of));
	dl_iterate_phdr(look_at_module, &s);
}

/* Returns the number of a module in the area; 0: no room. */
static uint32_t module_number(struct glass_where_area *area, const struct glass_where_module *m)
{
	uint32_t n = area->nmodules, i;

	for (i = 1; i <= n && i < GLASS_WHERE_MODULES; i++)
		if (!memcmp(&area->module[i], m, sizeof(*m)))
			return i;
	if (n + 1 >= GLASS_WHERE_MODULES)
		return 0;
	area->module[n + 1] = *m;
	/* pairs with the driver's acquire: the module is written before it is counted */
	__atomic_store_n(&area->nmodules, n + 1, __ATOMIC_RELEASE);
	return n + 1;
}

void glass_where_frames(struct glass_where_area *area, const struct glass_where_found *found,
			const uintptr_t *address, uint32_t n, __u64 *frame)
{
	const uint64_t mask = ((uint64_t)1 << GLASS_WHERE_OFFSET_BITS) - 1;
	uint32_t number[GLASS_WHERE_FRAMES] = {}, i;

	for (i = 0; i < found->nmodules; i++)
		number[i] = module_number(area, &found->module[i]);
	for (i = 0; i < n; i++) {
		uint32_t m = found->of[i].module;

		frame[i] = m && number[m - 1] ? (uint64_t)number[m - 1] << GLASS_WHERE_OFFSET_BITS |
							(found->of[i].offset & mask)
					      : address[i] & mask;
	}
}
