// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <dwarf.h>

#include "lib/where/message.h"
#include "lib/where/parse.h"

/* The state of the process, which has one module. */
static int tool; /* the socket */
static const struct where_module *module;
static struct message place[WHERE_PLACES];

static void say(struct message *m)
{
	if (send(tool, m, sizeof(*m), MSG_NOSIGNAL) != sizeof(*m))
		_exit(1);
}

/* Copies a text if there is room for it: a path without its end is another path. */
static void take(char *to, size_t size, const char *text)
{
	if (text && strlen(text) < size)
		strcpy(to, text);
}

/* ---- files with debugging information, which only the tool can open */

/* Returns a descriptor, or -1. */
static int want(enum message_kind kind, const char *path)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct message_file answer = { 0 };
	struct iovec data = { &answer, sizeof(answer) };
	struct msghdr from = { .msg_iov = &data,
			       .msg_iovlen = 1,
			       .msg_control = control.bytes,
			       .msg_controllen = sizeof(control.bytes) };
	struct message m = { .kind = kind };
	struct cmsghdr *with;
	int fd;

	if (path)
		take(m.path, sizeof(m.path), path);
	say(&m);
	if (recvmsg(tool, &from, MSG_CMSG_CLOEXEC) != sizeof(answer))
		_exit(1);
	with = CMSG_FIRSTHDR(&from);
	if (!answer.found || !with || with->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(with), sizeof(fd));
	return fd;
}

/* The CRC of .gnu_debuglink, that of zlib. */
static uint32_t crc_of(const unsigned char *at, size_t bytes)
{
	uint32_t table[256], crc = 0xffffffff, i, bit;

	for (i = 0; i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	while (bytes--)
		crc = table[(crc ^ *at++) & 0xff] ^ crc >> 8;
	return ~crc;
}

static bool same_id(Elf *elf, const void *bits, size_t bytes)
{
	const void *found;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &found);

	return n > 0 && (size_t)n == bytes && !memcmp(found, bits, n);
}

/* Does the file belong to the module? By build-id, or by CRC if the module has none. */
static bool belongs(int fd, uint32_t crc)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const char *all;
	size_t bytes;
	bool ok;

	if (!elf)
		return false;
	if (module->build_id_bytes) {
		ok = same_id(elf, module->build_id, module->build_id_bytes);
	} else {
		all = elf_rawfile(elf, &bytes);
		ok = all && crc_of((const unsigned char *)all, bytes) == crc;
	}
	elf_end(elf);
	return ok;
}

/*
 * libdw asks for the debugging information of the module; later, with a path, for the part that it
 * has in common with other modules (dwz).
 */
static int find_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	int fd = -1;

	(void)mod;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	*found = NULL;
	if (link && strchr(link, '/'))
		return want(MESSAGE_WANT_SHARED, link);
	if (module->build_id_bytes)
		fd = want(MESSAGE_WANT_DEBUG, NULL);
	if (fd < 0 && link)
		fd = want(MESSAGE_WANT_LINK, link);
	if (fd >= 0 && !belongs(fd, crc)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int find_elf(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, char **file,
		    Elf **elf)
{
	/* it was given to dwfl_report_elf() */
	(void)mod;
	(void)user;
	(void)name;
	(void)base;
	*file = NULL;
	*elf = NULL;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* ---- the module */

/* Is this still the file that the process had loaded? Without a build-id, nobody can tell. */
static bool same_build(Dwfl_Module *mod)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n;

	if (!module->build_id_bytes)
		return true;
	n = dwfl_module_build_id(mod, &bits, &at);
	return n > 0 && (size_t)n == module->build_id_bytes && !memcmp(bits, module->build_id, n);
}

/* Is the shared part the one that the module was made with, if it needs one? */
static bool same_shared(Dwarf *dw)
{
	const char *name;
	const void *bits;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(dw, &name, &bits);
	Dwarf *shared = n > 0 ? dwarf_getalt(dw) : NULL;

	return !shared || same_id(dwarf_getelf(shared), bits, n);
}

/* Returns NULL if the file cannot be used. `note` gets the reason if its debugging information is
 * bad. */
static Dwfl_Module *open_module(int file, char *note, size_t size)
{
	const char *none = "no DWARF information";
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *mod;
	Dwarf_Addr bias;
	const char *why;
	Dwarf *dw;

	if (!dwfl)
		return NULL;
	dwfl_report_begin(dwfl);
	mod = dwfl_report_elf(dwfl, module->path, module->path, file, 0, true);
	dwfl_report_end(dwfl, NULL, NULL);
	if (!mod || !same_build(mod))
		return NULL;
	dw = dwfl_module_getdwarf(mod, &bias);
	if (dw)
		return same_shared(dw) ? mod : NULL;
	/* a stripped program has no debugging information, which is no error */
	why = dwfl_errmsg(0);
	if (why && strncasecmp(why, none, strlen(none)))
		snprintf(note, size, "%s", why);
	return mod;
}

/* ---- lines */

/* Returns `file` below `dir` without `dir`, otherwise `file`. */
static const char *below(const char *file, const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	return n && !strncmp(file, dir, n) && file[n] == '/' ? file + n + 1 : file;
}

static void set_file(struct message *to, const char *file, const char *dir, int line)
{
	char path[MESSAGE_PATH];

	if (!file)
		return;
	take(to->file, sizeof(to->file), below(file, dir));
	to->line = line > 0 ? line : 0;
	if (*file == '/')
		take(to->path, sizeof(to->path), file);
	else if (dir && snprintf(path, sizeof(path), "%s/%s", dir, file) < (int)sizeof(path))
		take(to->path, sizeof(to->path), path);
}

static void set_function(struct message *to, const char *name)
{
	if (name)
		snprintf(to->function, sizeof(to->function), "%s", name);
}

static const char *compile_dir(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr));
}

/* Sets file and line of the place at which the function `die` is inlined. */
static void set_call_site(struct message *to, Dwarf_Die *die, Dwarf_Die *cu)
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
static size_t places_of_scopes(Dwarf_Die *cu, Dwarf_Addr pc, size_t max)
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
		set_function(&place[n], dwarf_diename(&scopes[i]));
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

static size_t resolve(Dwfl_Module *mod, uint64_t offset, size_t max)
{
	Dwarf_Addr bias, pc;
	Dwfl_Line *line;
	Dwarf_Die *cu;
	size_t n = 0;

	memset(place, 0, sizeof(place));
	if (!dwfl_module_getelf(mod, &bias))
		return 0;
	/* the call is before its return address */
	pc = (offset ? offset - 1 : 0) + bias;
	cu = dwfl_module_addrdie(mod, pc, &bias);
	line = dwfl_module_getsrc(mod, pc);
	if (line) {
		int number = 0;
		const char *file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);

		set_file(&place[0], file, dwfl_line_comp_dir(line), number);
	}
	if (cu)
		n = places_of_scopes(cu, pc - bias, max);
	if (n)
		return n;
	set_function(&place[0], dwfl_module_addrname(mod, pc));
	return 1;
}

/* ---- questions */

static bool next_question(struct message_ask *ask)
{
	struct iovec data = { ask, sizeof(*ask) };
	struct msghdr from = { .msg_iov = &data, .msg_iovlen = 1 };

	return recvmsg(tool, &from, 0) == sizeof(*ask);
}

void parse_serve(int socket, int file, const struct where_module *m)
{
	struct message end = { .kind = MESSAGE_END };
	struct message_ask ask;
	Dwfl_Module *mod = NULL;
	bool opened = false;

	tool = socket;
	module = m;
	while (next_question(&ask)) {
		size_t i, n = 0;

		if (!opened)
			mod = open_module(file, end.note, sizeof(end.note));
		opened = true;
		if (mod)
			n = resolve(mod, ask.offset,
				    ask.max < WHERE_PLACES ? ask.max : WHERE_PLACES);
		for (i = 0; i < n; i++) {
			place[i].kind = MESSAGE_PLACE;
			say(&place[i]);
		}
		say(&end);
	}
	_exit(0);
}

void parse_refuse(int socket, const char *note)
{
	struct message end = { .kind = MESSAGE_END };
	struct message_ask ask;

	tool = socket;
	snprintf(end.note, sizeof(end.note), "%s", note);
	if (next_question(&ask))
		say(&end);
	_exit(0);
}
