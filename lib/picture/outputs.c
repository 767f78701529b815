// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/picture/outputs.h"
#include "lib/picture/report.h"
#include "lib/picture/story.h"
#include "lib/picture/trace.h"
#include "lib/picture/write.h"

static size_t parse_rows(const char *arg, struct argp_state *state)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(arg, &end, 10);
	if (errno || end == arg || *end || *arg == '-' || n < PICTURE_ITEMS_MIN || n > PICTURE_ITEMS_MAX)
		argp_error(state, "--rows: '%s' is not a number from %d to %d", arg, PICTURE_ITEMS_MIN,
			   PICTURE_ITEMS_MAX);
	return n;
}

error_t picture_outputs_parse(struct picture_outputs *o, int key, char *arg,
			      struct argp_state *state)
{
	switch (key) {
	case PICTURE_KEY_SVG:
		o->svg = arg;
		return 0;
	case PICTURE_KEY_MERMAID:
		o->mermaid = arg;
		return 0;
	case PICTURE_KEY_HTML:
		o->html = arg;
		return 0;
	case PICTURE_KEY_PERFETTO:
		o->perfetto = arg;
		return 0;
	case PICTURE_KEY_DIAGRAM:
		o->diagram = true;
		return 0;
	case PICTURE_KEY_PAIR:
		if (!picture_wish_parse(&o->wish, arg))
			argp_error(state, "--pair: '%s' is not DEV:QPN, for example glass0:0x11", arg);
		return 0;
	case PICTURE_KEY_ROWS:
		o->rows = parse_rows(arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool draws(const struct picture_outputs *o)
{
	return o->svg || o->mermaid || o->html || o->diagram;
}

bool picture_outputs_any(const struct picture_outputs *o)
{
	return draws(o) || o->perfetto;
}

static bool is_stdout(const char *file)
{
	return file && !strcmp(file, "-");
}

bool picture_outputs_stdout(const struct picture_outputs *o)
{
	return is_stdout(o->svg) || is_stdout(o->mermaid) || is_stdout(o->html) || is_stdout(o->perfetto);
}

void picture_outputs_check(const struct picture_outputs *o, struct argp_state *state,
			   bool stdout_taken)
{
	int n = stdout_taken + o->diagram + is_stdout(o->svg) + is_stdout(o->mermaid) +
		is_stdout(o->html) + is_stdout(o->perfetto);

	if (n > 1)
		argp_error(state, "standard output: only one output can be written there");
	if (!draws(o) && o->wish.qpn != PICTURE_UNKNOWN)
		argp_error(state, "--pair needs --diagram, --svg, --mermaid or --html");
	if (!draws(o) && o->rows != PICTURE_ITEMS)
		argp_error(state, "--rows needs --diagram, --svg, --mermaid or --html");
}

/* Opens a file for its owner alone, because packets are other users' data. Returns false on failure. */
static bool open_one(const char *file, FILE **to)
{
	int fd;

	if (!file)
		return true;
	if (is_stdout(file)) {
		*to = stdout;
		return true;
	}
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	*to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!*to) {
		cli_error("%s: %s", file, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	return *to;
}

enum cli_status picture_outputs_open(struct picture_outputs *o, const char *tool, bool by_moments)
{
	o->tool = tool;
	if (!open_one(o->svg, &o->svg_to) || !open_one(o->mermaid, &o->mermaid_to) ||
	    !open_one(o->html, &o->html_to) || !open_one(o->perfetto, &o->perfetto_to))
		return CLI_FAILED;
	if (draws(o))
		o->book = picture_book_new(o->rows);
	if (o->perfetto)
		o->trace = picture_trace_new(o->perfetto_to, tool, by_moments);
	if ((draws(o) && !o->book) || (o->perfetto && !o->trace)) {
		cli_error("no memory for a picture");
		return CLI_FAILED;
	}
	return CLI_OK;
}

static void note_memory(struct picture_outputs *o, int err)
{
	if (err && !o->failed)
		cli_error("no memory: packets are missing in the diagram");
	o->failed |= err != 0;
}

void picture_outputs_packet(struct picture_outputs *o, const struct picture_sight *s)
{
	if (o->book)
		note_memory(o, picture_book_packet(o->book, s));
	if (o->trace)
		picture_trace_packet(o->trace, s);
}

void picture_outputs_moment(struct picture_outputs *o, const struct picture_moment *m)
{
	if (o->book)
		note_memory(o, picture_book_moment(o->book, m));
	if (o->trace)
		picture_trace_moment(o->trace, m);
}

void picture_outputs_story(struct picture_outputs *o, const struct why_story *s,
			   const struct why_verdict *v)
{
	o->story = s;
	o->verdict = v;
	if (o->wish.qpn == PICTURE_UNKNOWN)
		picture_story_wish(s, &o->wish);
	note_memory(o, picture_story(s, o->book, o->trace));
}

/* Flushes, and closes it unless it is standard output. A reader that closed standard output is no failure. */
static enum cli_status close_one(const char *file, FILE **to)
{
	bool failed;
	int err;

	if (!*to)
		return CLI_OK;
	errno = 0;
	failed = fflush(*to) || ferror(*to);
	err = errno;
	/* a write failed earlier, and its errno is lost: the file is not whole, so write once more to learn it */
	if (failed && !err && (fputc('\n', *to) == EOF || fflush(*to)))
		err = errno;
	if (*to != stdout && fclose(*to) && !failed) {
		failed = true;
		err = errno;
	}
	*to = NULL;
	if (!failed || (is_stdout(file) && err == EPIPE))
		return CLI_OK;
	cli_error("%s: %s", is_stdout(file) ? "standard output" : file, strerror(err ? err : EIO));
	return CLI_FAILED;
}

/* Returns the command line of this process; the caller frees it. NULL: unknown */
static char *command_line(void)
{
	FILE *from = fopen("/proc/self/cmdline", "r");
	char *text = from ? malloc(4096) : NULL;
	size_t n = text ? fread(text, 1, 4095, from) : 0;

	if (from)
		fclose(from);
	for (size_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	if (text)
		text[n] = 0;
	return text;
}

/* p NULL: there is nothing to draw, but a story to tell. */
static void write_page(struct picture_outputs *o, const struct picture *p, const char *choice)
{
	char *command = command_line();
	struct picture_report report = {
		.story = o->story, .verdict = o->verdict, .picture = p, .tool = o->tool, .command = command,
		.choice = choice,
	};

	if (o->story)
		picture_write_report(o->html_to, &report);
	else
		picture_write_html(o->html_to, p, o->tool, command, choice);
	free(command);
}

static void draw(struct picture_outputs *o, struct picture *p)
{
	struct picture_terminal terminal;

	if (o->diagram) {
		picture_terminal_of(&terminal, stdout);
		picture_write_text(stdout, p, &terminal);
	}
	if (o->svg)
		picture_write_svg(o->svg_to, p);
	if (o->mermaid)
		picture_write_mermaid(o->mermaid_to, p);
}

static enum cli_status draw_choice(struct picture_outputs *o, uint64_t lost)
{
	char choice[4 * PICTURE_LABEL];
	struct picture *p = picture_book_choose(o->book, &o->wish, choice, sizeof(choice));

	if (p) {
		p->lost = lost;
		p->zero = o->story ? picture_story_zero(o->story) : 0;
		draw(o, p);
	}
	if (o->html && (p || o->story))
		write_page(o, p, choice);
	if (!p && (!o->html || !o->story || o->svg || o->mermaid || o->diagram)) {
		cli_error("%s", choice);
		return CLI_FAILED;
	}
	if (!o->quiet)
		cli_error("%s", choice);
	return CLI_OK;
}

enum cli_status picture_outputs_close(struct picture_outputs *o, uint64_t lost)
{
	enum cli_status status = o->failed ? CLI_FAILED : CLI_OK;
	FILE *out = stdout;

	if (o->trace)
		picture_trace_end(o->trace, lost);
	if (o->book && draw_choice(o, lost))
		status = CLI_FAILED;
	picture_book_free(o->book);
	o->trace = NULL;
	o->book = NULL;
	if (close_one(o->svg, &o->svg_to) | close_one(o->mermaid, &o->mermaid_to) |
	    close_one(o->html, &o->html_to) | close_one(o->perfetto, &o->perfetto_to))
		status = CLI_FAILED;
	if (o->diagram && close_one("-", &out))
		status = CLI_FAILED;
	return status;
}
