/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Function, file and line of an address in a program or library, from debugging information
 * (elfutils' libdw). Debugging information that is not on this machine is fetched only if the user
 * has configured debuginfod (DEBUGINFOD_URLS); otherwise nothing here uses the network.
 *
 * An address is relative to its module, as the provider records it: module and offset stay valid
 * after the process has ended. Modules are named by others, so files are opened only if they are
 * regular files, and used only if they have the recorded build-id.
 *
 * Users write the files, and tools are root: a file is parsed in a child without rights (jail.h).
 * If the parser crashes, says nothing for 10 s, or needs too much memory, only module and offset
 * are known of this module, with a note.
 */
#ifndef GLASS_LIB_WHERE_H
#define GLASS_LIB_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHERE_BUILD_ID 20 /* maximum bytes of a build-id */
#define WHERE_PLACES   64 /* maximum number of places of one call stack */

/* A program or a library. */
struct where_module {
	const char *path; /* absolute, or only a name if the file is unknown */
	uint8_t build_id[WHERE_BUILD_ID];
	size_t build_id_bytes; /* 0: the module has no build-id */
};

/* A place in a source, or as much as is known of it. */
struct where_place {
	char *function;	   /* NULL: unknown */
	char *file;	   /* as the compiler was called; NULL: unknown */
	char *path;	   /* absolute, of the same file; NULL: unknown */
	unsigned int line; /* 0: unknown */
	bool inlined;	   /* `function` is inlined into the next place */
	bool verbs;	   /* code of libibverbs or the provider, not of the program */
	char *module;	   /* file name of the module, without its directories */
	uint64_t offset;   /* of the return address in the module, as recorded */
	char *note;	   /* why the debugging information could not be read; NULL: no problem */
};

extern int where_answer_ms; /* tests wait less than 10 s */

struct where; /* the modules that were read so far */

/* Returns NULL if out of memory. The children belong to it, and end with where_free(). */
struct where *where_new(void);
void where_free(struct where *w);

/*
 * Resolves a return address: `offset` is its distance from the module's load address, or the
 * address itself if the module is a program of a fixed address. Writes the function in which the
 * call is, after the functions that are inlined there, innermost first. Returns the number of
 * places: at least one, at most `max` (which is not 0). If nothing is known, that place has only
 * module and offset. Free the places with where_places_free().
 */
size_t where_resolve(struct where *w, const struct where_module *m, uint64_t offset,
		     struct where_place *place, size_t max);
void where_places_free(struct where_place *place, size_t n);

/*
 * Returns the place as text, which the caller frees: "server.c:214 (post_pool)" if file and line are
 * known, else "post_pool (server+0x12f4)" or "server+0x12f4", followed by the note if the place has
 * one. All bytes are printable ASCII.
 */
char *where_text(const struct where_place *place);

#endif
