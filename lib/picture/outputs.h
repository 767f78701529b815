/* SPDX-License-Identifier: GPL-2.0-only */
/* The options by which tools write pictures, and the files that they write. */
#ifndef GLASS_LIB_PICTURE_OUTPUTS_H
#define GLASS_LIB_PICTURE_OUTPUTS_H

#include <argp.h>

#include "lib/cli.h"
#include "lib/picture/book.h"
#include "lib/why/verdict.h"

/* Keys of these options in argp: a tool's own keys are others */
enum {
	PICTURE_KEY_SVG = 0x700,
	PICTURE_KEY_MERMAID,
	PICTURE_KEY_HTML,
	PICTURE_KEY_PERFETTO,
	PICTURE_KEY_DIAGRAM,
	PICTURE_KEY_PAIR,
	PICTURE_KEY_ROWS,
};

/* clang-format off */
#define PICTURE_OPTIONS(group)                                                                       \
	{ "diagram", PICTURE_KEY_DIAGRAM, NULL, 0,                                                   \
	  "when it ends, draw the packets between two queue pairs on standard output", group },      \
	{ "svg", PICTURE_KEY_SVG, "FILE", 0, "write this diagram as SVG; - is standard output",      \
	  group },                                                                                   \
	{ "mermaid", PICTURE_KEY_MERMAID, "FILE", 0,                                                 \
	  "write this diagram as a sequenceDiagram of mermaid, for an issue tracker", group },       \
	{ "html", PICTURE_KEY_HTML, "FILE", 0,                                                       \
	  "write a report: summary, this diagram, a table of the packets", group },                  \
	{ "perfetto", PICTURE_KEY_PERFETTO, "FILE", 0,                                               \
	  "write a trace of all messages for ui.perfetto.dev and chrome://tracing", group },         \
	{ "pair", PICTURE_KEY_PAIR, "DEV:QPN", 0,                                                    \
	  "draw the queue pair with this number and its peer (one with an error, else with "         \
	  "dropped packets, else the busiest)", group },                                             \
	{ "rows", PICTURE_KEY_ROWS, "N", 0,                                                          \
	  "draw at most N packets and events, and sum up the others (200)", group }
/* clang-format on */

struct picture_outputs {
	/* options; NULL: not asked for */
	const char *svg, *mermaid, *html, *perfetto;
	bool diagram, quiet;
	struct picture_wish wish;
	size_t rows;
	/* set by picture_outputs_story(): the report is that of this failure. NULL: no story */
	const struct why_story *story;
	const struct why_verdict *verdict;

	/* set by picture_outputs_open() */
	FILE *svg_to, *mermaid_to, *html_to, *perfetto_to;
	struct picture_book *book;
	struct picture_trace *trace;
	const char *tool;
	bool failed; /* out of memory: reported once */
};

#define PICTURE_OUTPUTS_INIT                             \
	{                                                \
		.rows = PICTURE_ITEMS, .wish = { .qpn = PICTURE_UNKNOWN } \
	}

/* Handles a key of PICTURE_OPTIONS; else returns ARGP_ERR_UNKNOWN. Exits on a wrong value. */
error_t picture_outputs_parse(struct picture_outputs *o, int key, char *arg,
			      struct argp_state *state);
/*
 * For ARGP_KEY_END: exits if two outputs are standard output, or --pair and --rows have no diagram.
 * stdout_taken: the tool writes something else there.
 */
void picture_outputs_check(const struct picture_outputs *o, struct argp_state *state,
			   bool stdout_taken);
bool picture_outputs_any(const struct picture_outputs *o);
/* Is a file among them that is standard output? --diagram is none. */
bool picture_outputs_stdout(const struct picture_outputs *o);

/* Opens the files. tool: name and version, must stay; by_moments: see trace.h. Returns an exit status. */
enum cli_status picture_outputs_open(struct picture_outputs *o, const char *tool, bool by_moments);
void picture_outputs_packet(struct picture_outputs *o, const struct picture_sight *s);
void picture_outputs_moment(struct picture_outputs *o, const struct picture_moment *m);
/*
 * Takes the story of a failure in place of packets and moments. Its verdict is in the report. Both must stay
 * until the files are closed.
 */
void picture_outputs_story(struct picture_outputs *o, const struct why_story *s,
			   const struct why_verdict *v);
/*
 * Writes the pictures and closes the files. lost: observations that the source has lost. Says on standard
 * error which pair it drew, unless quiet. Returns CLI_FAILED after a message if a write failed, or if no
 * packet can be drawn.
 */
enum cli_status picture_outputs_close(struct picture_outputs *o, uint64_t lost);

#endif
