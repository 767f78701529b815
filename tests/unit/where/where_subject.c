// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose call stacks test_where.c looks up. It is compiled in several ways: optimised with
 * inlining, at a fixed address, without debugging information, stripped. A marker in a comment
 * names the line of a call. For each call of record(), the program prints the marker's name, and
 * module, build-id and offset of the return address.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "where_subject.h"

static uintptr_t wanted;

static void print_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * p)
{
	const char *at = (const char *)info->dlpi_addr + p->p_vaddr, *end = at + p->p_memsz;

	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const void *)at;
		const unsigned char *bits =
			(const unsigned char *)(note + 1) + ((note->n_namesz + 3) & ~3u);
		unsigned int i;

		if (note->n_type == NT_GNU_BUILD_ID && !memcmp(note + 1, "GNU", 4)) {
			for (i = 0; i < note->n_descsz; i++)
				printf("%02x", bits[i]);
			return;
		}
		at = (const char *)bits + ((note->n_descsz + 3) & ~3u);
	}
}

static int print_module(struct dl_phdr_info *info, size_t size, void *name)
{
	char self[4096] = "";
	int i, here = 0;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		here |= p->p_type == PT_LOAD && wanted - info->dlpi_addr >= p->p_vaddr &&
			wanted - info->dlpi_addr < p->p_vaddr + p->p_memsz;
	}
	if (!here)
		return 0;
	if (!*info->dlpi_name && readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 0;
	printf("%s %s 0x%lx ", (const char *)name, *self ? self : info->dlpi_name,
	       (unsigned long)(wanted - info->dlpi_addr));
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			print_build_id(info, &info->dlpi_phdr[i]);
	printf("\n");
	return 1;
}

__attribute__((noinline)) void record(const char *name)
{
	wanted = (uintptr_t)__builtin_return_address(0);
	dl_iterate_phdr(print_module, (void *)name);
}

static volatile int anything;

static inline __attribute__((always_inline)) void innermost(void)
{
	anything++;
	record("inlined"); /* MARK:inlined */
	anything++;
}

static inline __attribute__((always_inline)) void middle(void)
{
	anything++;
	innermost(); /* MARK:middle */
	anything++;
}

static __attribute__((noinline)) void outer(void)
{
	middle(); /* MARK:outer */
	anything++;
}

static __attribute__((noinline)) void plain(void)
{
	anything++;
	record("plain"); /* MARK:plain */
	anything++;
}

int main(void)
{
	plain();
	outer();
	/* one call over several lines is at the line where it begins */
	record(/* MARK:long */
	       anything > 1000 ? "never" : "long");
	in_library();
	return 0;
}
