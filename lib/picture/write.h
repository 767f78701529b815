/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writers of diagrams. Each writes to a stream, whose error indicator tells of failures. Names and texts of
 * a picture may be hostile: a writer escapes them for its format.
 */
#ifndef GLASS_LIB_PICTURE_WRITE_H
#define GLASS_LIB_PICTURE_WRITE_H

#include <stdio.h>

#include "lib/picture/picture.h"

/* A file of its own: light or dark as the reader's system, with title and description. */
void picture_write_svg(FILE *to, const struct picture *p);

/* As part of an HTML page: without the XML declaration. The page has the colours (picture_svg_style). */
void picture_write_svg_inline(FILE *to, const struct picture *p);
extern const char picture_svg_style[];

/* A sequenceDiagram of mermaid, for issue trackers. */
void picture_write_mermaid(FILE *to, const struct picture *p);

#define PICTURE_WIDTH_MIN 40
#define PICTURE_WIDTH_MAX 300

/* How a diagram for a terminal is written */
struct picture_terminal {
	unsigned int width; /* columns; it is brought into the limits above */
	bool utf8; /* false: ASCII only */
	bool color;
};

/*
 * Finds out how to write to this stream: colours only to a terminal (cli_color()), the width of the terminal
 * (else COLUMNS, else 80), UTF-8 by the locale, for which the caller has called setlocale().
 */
void picture_terminal_of(struct picture_terminal *t, FILE *to);
void picture_write_text(FILE *to, const struct picture *p, const struct picture_terminal *t);

/*
 * A report in one HTML file: summary, diagram with zoom, table with a filter. tool: the name and version of
 * the program; command: how it was called, or NULL; choice: why it is this pair.
 */
void picture_write_html(FILE *to, const struct picture *p, const char *tool, const char *command,
			const char *choice);

/* ---- escape.c */

/* Writes text for XML and HTML, also inside quoted attributes. Characters that XML forbids become U+FFFD. */
void picture_put_xml(FILE *to, const char *text);
/* Writes text for a JSON string, without the quotes. Bytes that are not UTF-8 become U+FFFD. */
void picture_put_json(FILE *to, const char *text);
/* Writes text for mermaid: everything but letters, digits, blanks and a few signs becomes an entity. */
void picture_put_mermaid(FILE *to, const char *text);

#endif
