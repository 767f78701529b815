/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a fabric from text: the output of ibnetdiscover, a net file of ibsim, or commands of the
 * driver. Any input ends in a fabric or in errors, with bounded memory.
 */
#ifndef IBFABRIC_PARSE_H
#define IBFABRIC_PARSE_H

#include "ibfabric/model/topo.h"

#define PARSE_FILE_MAX	 (64UL << 20) /* bytes */
#define PARSE_LINE_MAX	 8192	      /* bytes, without the newline */
#define PARSE_FILES_MAX	 64	      /* with those that are included */
#define PARSE_DEPTH_MAX	 8	      /* of files that include files */
#define PARSE_ERRORS_MAX 20	      /* that are printed */

/*
 * Reads a file that the file `from` includes, as a whole. Returns NULL, with errno set, if it
 * cannot; else *path is where it is. The caller frees both.
 */
typedef char *parse_include(const char *name, const char *from, size_t *len, char **path);

struct parse {
	struct topo *topo;
	FILE *errors, *notes;	/* lines "FILE:LINE: TEXT" */
	parse_include *include; /* NULL: no file may include another */
	unsigned long error_count, note_count;
	bool commands; /* the text was commands of the driver: it says which HCAs are real */
	char *file[PARSE_FILES_MAX]; /* names */
	unsigned int files;
};

/*
 * Reads the text, of len bytes, into p->topo, which must be empty. Returns false after errors.
 * Free *p with parse_free(), which leaves the fabric.
 */
bool parse_text(struct parse *p, const char *name, const char *text, size_t len);
void parse_free(struct parse *p);

/* Print "FILE:LINE: TEXT" and count it. Of many, the first are printed. */
void parse_error(struct parse *p, struct topo_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void parse_note(struct parse *p, struct topo_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* For the parsers. A text that is read line by line; each line ends in a NUL, without blanks at its
 * ends. */
struct parse_lines {
	const char *text;
	size_t len, at;
	struct topo_place place;
	char line[PARSE_LINE_MAX + 1];
};

/* Returns false at the end. Lines with a NUL or that are too long are errors, and skipped. */
bool parse_line(struct parse *p, struct parse_lines *l);

/* Both read the text from l. */
void parse_net(struct parse *p, struct parse_lines *l);
void parse_commands(struct parse *p, struct parse_lines *l);

#endif
