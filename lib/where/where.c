// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dwarf.h>

#include "lib/cli.h"
#include "lib/printable.h"
#include "lib/where/where.h"

/* A file that was looked at. */
struct known {
	struct known *next;
	char *path;
	uint8_t build_id[WHERE_BUILD_ID];
	size_t build_id_bytes;
	Dwfl *dwfl; /* each module has its own: modules of different processes may overlap */
	Dwfl_Module *module; /* NULL: the file cannot be used */
};

struct where {
	struct known *known;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct where *where_new(void)
{
	return calloc(1, sizeof(struct where));
}

void where_free(struct where *w)
{
	struct known *k;

	while (w && (k = w->known)) {
		w->known = k->next;
		if (k->dwfl)
			dwfl_end(k->dwfl);
		free(k->path);
		free(k);
	}
	free(w);
}

static char *text_copy(const char *text)
{
	return text ? format_text("%s", text) : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- modules */

/*
 * Opens a regular file. A name that a program chose may be that of a FIFO or a device: opening
 * those could block, or have effects.
 */
static int open_regular(const char *path)
{
	struct stat st;
	int fd;

	if (*path != '/')
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Is this still the file that the process had loaded? Without a build-id, nobody can tell. */
static bool same_build(Dwfl_Module *module, const struct where_module *m)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n;

	if (!m->build_id_bytes)
		return true;
	n = dwfl_module_build_id(module, &bits, &at);
	return n > 0 && (size_t)n == m->build_id_bytes && !memcmp(bits, m->build_id, n);
}

static void read_module(struct known *k, const struct where_module *m)
{
	int fd = open_regular(m->path);

	if (fd < 0)
		return;
	k->dwfl = dwfl_begin(&callbacks);
	if (!k->dwfl) {
		close(fd);
		return;
	}
	dwfl_report_begin(k->dwfl);
	/* libdwfl closes the descriptor with the module */
	k->module = dwfl_report_elf(k->dwfl, base_name(m->path), m->path, fd, 0, true);
	if (!k->module)
		close(fd);
	dwfl_report_end(k->dwfl, NULL, NULL);
	if (k->module && !same_build(k->module, m))
		k->module = NULL;
}

static struct known *module_of(struct where *w, const struct where_module *m)
{
	struct known *k;

	for (k = w->known; k; k = k->next)
		if (k->build_id_bytes == m->build_id_bytes && !strcmp(k->path, m->path) &&
		    !memcmp(k->build_id, m->build_id, m->build_id_bytes))
			return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		cli_die(CLI_FAILED, "out of memory");
	k->path = text_copy(m->path);
	k->build_id_bytes = m->build_id_bytes;
	memcpy(k->build_id, m->build_id, m->build_id_bytes);
	read_module(k, m);
	k->next = w->known;
	w->known = k;
	return k;
}

/* ---- lines */

/* Returns `file` below `dir` without `dir`, otherwise `file`. */
static const char *below(const char *file, const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	return n && !strncmp(file, dir, n) && file[n] == '/' ? file + n + 1 : file;
}

static void set_file(struct where_place *to, const char *file, const char *dir, int line)
{
	if (!file)
		return;
	to->file = text_copy(below(file, dir));
	to->line = line > 0 ? line : 0;
	if (*file == '/')
		to->path = text_copy(file);
	else if (dir)
		to->path = format_text("%s/%s", dir, file);
}

static const char *compile_dir(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
}

/* Sets file and line of the place at which the function `die` is inlined. */
static void set_call_site(struct where_place *to, Dwarf_Die *die, Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word file, line;
	size_t n;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) ||
	    dwarf_getsrcfiles(cu, &files, &n) || file >= n)
		return;
	set_file(to, dwarf_filesrc(files, file, NULL, NULL), compile_dir(cu), line);
}

/*
 * Walks from the innermost scope outwards. An inlined function ends a place, and says where the
 * next one is. Returns the number of places.
 */
static size_t places_of_scopes(Dwarf_Die *cu, Dwarf_Addr pc, struct where_place *place, size_t max)
{
	Dwarf_Die *scopes = NULL;
	int i, count = dwarf_getscopes(cu, pc, &scopes);
	size_t n = 0;

	/*
	 * dwarf_getscopes() finds the scopes that contain pc, but goes on with those that contain
	 * the inlined function's definition: ask again for the ancestors of the innermost one.
	 */
	if (count > 0) {
		Dwarf_Die inner = scopes[0];

		free(scopes);
		scopes = NULL;
		count = dwarf_getscopes_die(&inner, &scopes);
	}
	for (i = 0; i < count && n < max; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		place[n].function = text_copy(dwarf_diename(&scopes[i]));
		place[n].inlined = tag == DW_TAG_inlined_subroutine;
		n++;
		if (tag == DW_TAG_subprogram)
			break;
		if (n < max)
			set_call_site(&place[n], &scopes[i], cu);
	}
	free(scopes);
	return n;
}

/*
 * Headers of libibverbs have inline functions, such as ibv_post_send(), that a program contains:
 * they are no places of the program.
 */
static bool is_verbs_source(const char *path)
{
	const char *file = base_name(path);

	return (!strcmp(file, "verbs.h") || !strcmp(file, "verbs_api.h")) && file - path >= 12 &&
	       !strncmp(file - 12, "/infiniband/", 12);
}

static bool is_verbs_module(const char *name)
{
	static const char *const names[] = { "libibverbs.so", "libglass-rdmav", "libglass.so",
					     "librdmacm.so" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

size_t where_resolve(struct where *w, const struct where_module *m, uint64_t offset,
		     struct where_place *place, size_t max)
{
	struct known *k = module_of(w, m);
	Dwarf_Addr bias, pc;
	Dwfl_Line *line;
	Dwarf_Die *cu;
	size_t n = 0, i;

	memset(place, 0, max * sizeof(*place));
	/* the call is before its return address */
	pc = offset ? offset - 1 : 0;
	if (k->module && dwfl_module_getelf(k->module, &bias)) {
		pc += bias;
		cu = dwfl_module_addrdie(k->module, pc, &bias);
		line = dwfl_module_getsrc(k->module, pc);
		if (line) {
			int number = 0;
			const char *file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);

			set_file(&place[0], file, dwfl_line_comp_dir(line), number);
		}
		if (cu)
			n = places_of_scopes(cu, pc - bias, place, max);
		if (!n)
			place[0].function = text_copy(dwfl_module_addrname(k->module, pc));
	}
	if (!n)
		n = 1;
	for (i = 0; i < n; i++) {
		place[i].module = text_copy(base_name(m->path));
		place[i].offset = offset;
		place[i].verbs = is_verbs_module(place[i].module) ||
				 (place[i].path && is_verbs_source(place[i].path));
	}
	return n;
}

void where_places_free(struct where_place *place, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(place[i].function);
		free(place[i].file);
		free(place[i].path);
		free(place[i].module);
	}
}

char *where_text(const struct where_place *p)
{
	char *text;

	if (p->file && p->line && p->function)
		text = format_text("%s:%u (%s)", p->file, p->line, p->function);
	else if (p->file && p->line)
		text = format_text("%s:%u", p->file, p->line);
	else if (p->function)
		text = format_text("%s (%s+0x%" PRIx64 ")", p->function, p->module, p->offset);
	else
		text = format_text("%s+0x%" PRIx64, p->module, p->offset);
	printable_ascii(text);
	return text;
}
