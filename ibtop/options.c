// SPDX-License-Identifier: GPL-2.0-only
/* The command line. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/options.h"
#include "lib/cli.h"
#include "uapi/glass-version.h"

enum {
	OPT_JSON = 256,
	OPT_CSV,
	OPT_OPENMETRICS,
	OPT_SEEK,
	OPT_THEME,
	OPT_CONFIG,
	OPT_DEBUGFS,
	OPT_SYSFS,
	OPT_DETAIL,
};

/* name, short form, argument (NULL: none), id, meaning */
static const struct opt {
	const char *name;
	char letter;
	const char *arg;
	int id;
	const char *meaning;
} opts[] = {
	{ "batch", 'b', NULL, 'b',
	  "print text instead of a screen; the default when standard output is not a terminal" },
	{ "iterations", 'n', "N", 'n', "end after N refreshes" },
	{ "delay", 'd', "SECONDS", 'd', "time between refreshes, 0 to 3600 seconds (1)" },
	{ "view", 'v', "VIEW", 'v',
	  "show this view (process); a batch can have several, joined by commas, or all" },
	{ "columns", 'c', "LIST", 'c', "show these columns: NAME,NAME or +NAME,-NAME, or all" },
	{ "sort", 's', "COLUMN", 's',
	  "sort by this column; with - greatest first (default for numbers), with + smallest first" },
	{ "filter", 'f', "FILTER", 'f',
	  "show only rows that match, in the filter language (docs/filter.md)" },
	{ "search", 'S', "TEXT", 'S', "show only rows that contain this text, in upper or lower "
	  "case" },
	{ "pid", 'p', "PID", 'p', "show only objects of this process" },
	{ "device", 'D', "NAME", 'D', "show only this device; can be repeated" },
	{ "detail", 0, "OBJECT", OPT_DETAIL,
	  "batch: print everything about one object: 'qp glass0:0x11', 'process 812', 'fnode leaf0'" },
	{ "tree", 't', NULL, 't', "the same as --view tree" },
	{ "json", 0, NULL, OPT_JSON, "batch: print one JSON object per refresh, each on one line" },
	{ "csv", 0, NULL, OPT_CSV, "batch: print comma-separated values of one view" },
	{ "openmetrics", 0, NULL, OPT_OPENMETRICS,
	  "batch: print one refresh as OpenMetrics, for example for Prometheus" },
	{ "record", 'w', "FILE", 'w', "write each refresh to a new file" },
	{ "replay", 'r', "FILE", 'r', "show the refreshes of a recorded file instead of this "
	  "machine" },
	{ "seek", 0, "WHEN", OPT_SEEK,
	  "replay: begin at SECONDS, -SECONDS (from the end), #REFRESH or HH:MM:SS" },
	{ "ascii", 'a', NULL, 'a', "print only ASCII" },
	{ "theme", 0, "NAME", OPT_THEME, "screen: colours" },
	{ "config", 0, "FILE", OPT_CONFIG,
	  "screen: configuration ($XDG_CONFIG_HOME/ibtop/config)" },
	{ "debugfs", 0, "DIR", OPT_DEBUGFS, "read debugfs here (/sys/kernel/debug)" },
	{ "sysfs", 0, "DIR", OPT_SYSFS, "read sysfs here (/sys), and do not use netlink" },
	{ "help", 'h', NULL, 'h',
	  "print this text; also: --help views, --help columns [VIEW], --help status" },
	{ "version", 'V', NULL, 'V', "the version" },
};

static void print_usage(void)
{
	char left[64];
	size_t i;

	puts("Usage: ibtop [OPTION]...\n"
	     "Shows every RDMA object of this machine, live.\n");
	for (i = 0; i < ARRAY_LEN(opts); i++) {
		char letter[8] = "    ";

		if (opts[i].letter)
			snprintf(letter, sizeof(letter), "-%c, ", opts[i].letter);
		snprintf(left, sizeof(left), "  %s--%s%s%s", letter, opts[i].name,
			 opts[i].arg ? " " : "", opts[i].arg ? opts[i].arg : "");
		printf("%-27s %s\n", left, opts[i].meaning);
	}
	puts("\n"
	     "On the screen the key ? lists all keys. See also ibtop(8) and "
	     "docs/ibtop.md.\nExamples:\n"
	     "  ibtop -v qp                                  queue pairs, and what each waits for\n"
	     "  ibtop -b -n 2 -v qp -f 'state==err'          queue pairs in ERR\n"
	     "  ibtop -b -n 3 -d 0.5 --json -v qp,cq -p 812  one process, as JSON\n"
	     "  ibtop --record night.ibtop -b -d 5 >/dev/null; ibtop --replay night.ibtop --seek "
	     "03:12:00");
}

static void print_views(void)
{
	unsigned int i;

	for (i = 0; i < VIEW_COUNT; i++)
		printf("  %-2u %-9s %s\n", i + 1, view_get(i)->name, view_get(i)->title);
}

static void print_columns(const struct view *view)
{
	unsigned int i;

	printf("%s (%s); * are shown:\n", view->name, view->title);
	for (i = 0; i < view->num_columns; i++)
		printf(" %c %-18s %-9s %s\n", view->columns[i].shown ? '*' : ' ',
		       view->columns[i].name, unit_word(view->columns[i].unit),
		       view->columns[i].meaning);
}

static void print_status(void)
{
	puts("  0  done; values that are n/a or hidden are no failure\n"
	     "  1  a file could not be read or written, or a named device does not exist\n"
	     "  2  the command line is wrong");
}

static int help(int argc, char **argv)
{
	const struct view *view;
	char text[200];
	unsigned int i;

	if (!argc) {
		print_usage();
	} else if (!strcmp(argv[0], "views")) {
		print_views();
	} else if (!strcmp(argv[0], "status")) {
		print_status();
	} else if (!strcmp(argv[0], "columns") && argc == 1) {
		for (i = 0; i < VIEW_COUNT; i++) {
			if (i)
				putchar('\n');
			print_columns(view_get(i));
		}
	} else if (!strcmp(argv[0], "columns") && (view = view_find(argv[1]))) {
		print_columns(view);
	} else if (!strcmp(argv[0], "columns")) {
		view_explain(argv[1], text, sizeof(text));
		cli_error("help: columns: %s", text);
		return CLI_USAGE;
	} else {
		cli_error("help: there is no topic %s; there are views, columns [VIEW], status",
			  argv[0]);
		return CLI_USAGE;
	}
	return CLI_OK;
}

/* Parses seconds with a decimal fraction, to ms. */
static bool parse_delay(const char *text, unsigned int *ms)
{
	char *end;
	double seconds;

	if (*text < '0' || *text > '9')
		return false;
	seconds = strtod(text, &end);
	if (*end || !(seconds >= 0 && seconds <= 3600))
		return false;
	*ms = seconds * 1000 + 0.5;
	return true;
}

static bool parse_u64(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= max;
}

static bool set_output(struct options *o, enum output output)
{
	if (o->output != OUTPUT_TEXT && o->output != output) {
		cli_error("--json, --csv and --openmetrics exclude each other");
		return false;
	}
	o->output = output;
	o->batch = true;
	return true;
}

static bool add_device(struct options *o, const char *name)
{
	size_t n;

	if (!o->devices) {
		o->devices = calloc(MAX_NAMED + 1, sizeof(*o->devices));
		if (!o->devices)
			cli_die(CLI_FAILED, "no memory");
	}
	for (n = 0; o->devices[n]; n++)
		;
	if (n == MAX_NAMED) {
		cli_error("--device: more than %d", MAX_NAMED);
		return false;
	}
	((const char **)o->devices)[n] = name;
	return true;
}

static bool take(struct options *o, int id, const char *arg)
{
	uint64_t value;

	switch (id) {
	case 'b':
		o->batch = true;
		return true;
	case 'n':
		if (!parse_u64(arg, UINT32_MAX, &value) || !value) {
			cli_error("--iterations: %s is not a number from 1 on", arg);
			return false;
		}
		o->iterations = value;
		return true;
	case 'd':
		if (!parse_delay(arg, &o->delay_ms)) {
			cli_error("--delay: %s is not a number of seconds, 0 to 3600", arg);
			return false;
		}
		return true;
	case 'p':
		if (!parse_u64(arg, INT32_MAX, &o->pid)) {
			cli_error("--pid: %s is not a process id; 0 is the kernel", arg);
			return false;
		}
		o->has_pid = true;
		return true;
	case 'v':
		o->view = arg;
		return true;
	case 't':
		o->view = "tree";
		return true;
	case 's':
		o->sort = arg;
		return true;
	case 'f':
		o->filter = arg;
		return true;
	case OPT_DETAIL:
		o->detail = arg;
		o->batch = true;
		return true;
	case 'D':
		return add_device(o, arg);
	case OPT_JSON:
		return set_output(o, OUTPUT_JSON);
	case OPT_CSV:
		return set_output(o, OUTPUT_CSV);
	case OPT_OPENMETRICS:
		return set_output(o, OUTPUT_OPENMETRICS);
	case 'c':
		o->columns = arg;
		return true;
	case 'S':
		o->search = arg;
		return true;
	case 'w':
		o->record = arg;
		return true;
	case 'r':
		o->replay = arg;
		return true;
	case OPT_SEEK:
		o->seek = arg;
		return true;
	case 'a':
		o->ascii = true;
		return true;
	case OPT_THEME:
		o->theme = arg;
		return true;
	case OPT_CONFIG:
		o->config = arg;
		return true;
	case OPT_DEBUGFS:
		o->debugfs = arg;
		return true;
	case OPT_SYSFS:
		o->sysfs = arg;
		return true;
	}
	return false;
}

/* Refuses contradictory options, and sets defaults that depend on others. */
static bool fits(struct options *o)
{
	if (o->replay && o->record) {
		cli_error("--replay and --record: a record is not recorded again; copy the file");
		return false;
	}
	if (o->seek && !o->replay) {
		cli_error("--seek needs --replay");
		return false;
	}
	if (o->detail && (o->output == OUTPUT_CSV || o->output == OUTPUT_OPENMETRICS)) {
		cli_error("--detail prints text or JSON; leave out --csv and --openmetrics");
		return false;
	}
	if (o->detail && !o->iterations)
		o->iterations = 1;
	if (o->output == OUTPUT_OPENMETRICS) {
		if (o->iterations > 1) {
			cli_error("--openmetrics prints one refresh; -n %u is too many", o->iterations);
			return false;
		}
		o->iterations = 1;
	}
	return true;
}

int options_parse(int argc, char **argv, struct options *o)
{
	struct option longs[ARRAY_LEN(opts) + 1] = {};
	char shorts[3 * ARRAY_LEN(opts) + 2] = "";
	size_t i;
	int c;

	*o = (struct options){ .delay_ms = 1000 };
	for (i = 0; i < ARRAY_LEN(opts); i++) {
		longs[i] = (struct option){ opts[i].name,
					    opts[i].arg ? required_argument : no_argument, NULL,
					    opts[i].id };
		if (opts[i].letter)
			sprintf(shorts + strlen(shorts), "%c%s", opts[i].letter,
				opts[i].arg ? ":" : "");
	}
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) >= 0) {
		if (c == 'h')
			return help(argc - optind, argv + optind);
		if (c == 'V') {
			puts("ibtop (Glass) " GLASS_VERSION);
			return CLI_OK;
		}
		if (c == '?' || !take(o, c, optarg)) {
			if (c == '?')
				fputs("Try: ibtop --help\n", stderr);
			return CLI_USAGE;
		}
	}
	if (optind < argc) {
		cli_error("%s: ibtop takes only options; see ibtop --help", argv[optind]);
		return CLI_USAGE;
	}
	return fits(o) ? OPTIONS_GO_ON : CLI_USAGE;
}
