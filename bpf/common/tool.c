// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/tool.h"
#include "lib/lockdown.h"
#include "uapi/glass-version.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

struct tool_options tool_options;

static const struct tool *tool;
static uint64_t num_events;
static volatile sig_atomic_t ended;
static int output_error; /* errno of the first failed write to standard output */

static void on_signal(int sig)
{
	(void)sig;
	ended = 1;
}

/* ---- the command line */

static const struct argp_option common_options[] = {
	{ 0, 0, 0, 0, "Which events:", 1 },
	{ "pid", 'p', "PID", 0, "only events of this process", 1 },
	{ "device", 'd', "DEV", 0, "only events of this device", 1 },
	{ "qpn", 'q', "QPN", 0, "only events of this queue pair", 1 },
	{ "filter", 'f', "FILTER", 0, "only events that match FILTER, in the filter language of "
	  "Glass", 1 },
	{ 0, 0, 0, 0, "Output:", 2 },
	{ "timestamp", 'T', NULL, 0, "begin each line with the time", 2 },
	{ "json", 'j', NULL, 0, "print JSON, one object per line", 2 },
	{ "quiet", 'Q', NULL, 0, "print no notes about features that this kernel or driver lacks", 2 },
	{ 0 },
};

uint64_t tool_number(const struct argp_state *state, const char *what, const char *text,
		     uint64_t low, uint64_t high)
{
	uint64_t v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || *end || end == text || *text == '-' || v < low || v > high)
		argp_error(state, "%s: '%s' is not a number from %" PRIu64 " to %" PRIu64, what,
			   text, low, high);
	return v;
}

void *tool_keys(int map, size_t size, size_t *n)
{
	size_t room = 256;
	char *keys = malloc(room * size);

	*n = 0;
	while (keys &&
	       !bpf_map_get_next_key(map, *n ? keys + (*n - 1) * size : NULL, keys + *n * size)) {
		if (++*n == room) {
			room *= 2;
			keys = realloc(keys, room * size);
		}
	}
	if (!keys)
		cli_die(CLI_FAILED, "out of memory");
	return keys;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool_options *o = &tool_options;

	switch (key) {
	case 'p':
		o->pid = tool_number(state, "--pid", arg, 0, INT32_MAX);
		o->has_pid = true;
		return 0;
	case 'd':
		o->dev = arg;
		return 0;
	case 'q':
		o->qpn = tool_number(state, "--qpn", arg, 0, 0xffffff);
		o->has_qpn = true;
		return 0;
	case 'f':
		o->filter = arg;
		return 0;
	case 'T':
		o->timestamp = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'Q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			o->interval = tool_number(state, "INTERVAL", arg, 1, 1000000);
		else if (state->arg_num == 1)
			o->count = tool_number(state, "COUNT", arg, 1, INT32_MAX);
		else
			argp_error(state, "too many arguments: %s", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_own(int key, char *arg, struct argp_state *state)
{
	return tool->parse ? tool->parse(key, arg, state) : ARGP_ERR_UNKNOWN;
}

static void parse_command_line(int argc, char **argv)
{
	static char version[64];
	static const struct argp common = { common_options, parse, NULL, NULL, NULL, NULL, NULL };
	const struct argp_child children[] = { { &common, 0, NULL, 0 }, { 0 } };
	const struct argp argp = { tool->options, parse_own, "[INTERVAL [COUNT]]",
				   tool->doc,	  children,  NULL,
				   NULL };

	snprintf(version, sizeof(version), "%s (Glass) " GLASS_VERSION, tool->name);
	argp_program_version = version;
	argp_err_exit_status = CLI_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
}

/* ---- loading */

static int quiet_print(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG && !getenv("GLASS_BPF_DEBUG"))
		return 0;
	/*
	 * an attempt that fails is normal here: the tool's own message and status report real
	 * errors
	 */
	if (level == LIBBPF_INFO && !getenv("GLASS_BPF_DEBUG"))
		return 0;
	return vfprintf(stderr, format, args);
}

static void check_surroundings(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	if (geteuid())
		cli_die(CLI_FAILED, "this tool needs root: BPF programs observe all processes");
	if (lockdown_level() == LOCKDOWN_CONFIDENTIALITY)
		cli_die(CLI_FAILED,
			"the kernel is locked down (%s: confidentiality): it refuses BPF programs that read kernel memory, and tracefs; "
			LOCKDOWN_ADVICE, lockdown_path);
	if (access(KERNEL_BTF, R_OK))
		cli_die(CLI_FAILED,
			"this kernel has no type information (%s); use a kernel with "
			"CONFIG_DEBUG_INFO_BTF=y",
			KERNEL_BTF);
	/* kernels before 5.11 charge maps to this limit */
	setrlimit(RLIMIT_MEMLOCK, &all);
}

/* Reports what cannot be traced. Exits if nothing remains. */
static void check_needs(struct bpf_object *obj)
{
	bool any_must = false, have_must = false;
	const struct tool_needs *n;

	for (n = tool->needs; n && n->program; n++) {
		bool have = attach_has(obj, n->program);

		any_must |= n->must;
		have_must |= n->must && have;
	}
	if (any_must && !have_must) {
		for (n = tool->needs; n->program; n++)
			if (n->must && *n->without)
				cli_error("%s", n->without);
		cli_die(CLI_FAILED, "nothing to trace: this kernel has none of the trace events "
				    "and functions of this tool");
	}
	for (n = tool->needs; n && n->program; n++)
		if (!tool_options.quiet && !n->must && !attach_has(obj, n->program))
			cli_error("note: %s", n->without);
}

/* Only a note: the device may appear later, but the name may also be mistyped. */
static void check_device(void)
{
	char path[300];

	if (!tool_options.dev || tool_options.quiet)
		return;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%.255s", tool_options.dev);
	if (access(path, F_OK))
		cli_error("note: there is no device %s now", tool_options.dev);
}

static struct bpf_object *load(void)
{
	struct bpf_object *obj = tool->open();
	size_t size = 0;
	void *filter;
	int err;

	if (!obj)
		cli_die(CLI_FAILED, "cannot open the BPF object: %s", strerror(errno));
	filter = tool_variable(obj, "filter", &size);
	if (filter && size == sizeof(struct bpf_filter))
		lower_filter(tool, filter);
	attach_prepare(obj);
	check_device();
	check_needs(obj);
	err = bpf_object__load(obj);
	if (err)
		cli_die(CLI_FAILED, "the kernel refuses the BPF programs: %s",
			strerror(-err));
	if (tool->has_owners)
		owner_fill(obj);
	if (tool->loaded)
		tool->loaded(obj);
	err = attach_all(obj);
	if (err < 0)
		exit(CLI_FAILED);
	if (err + (tool->attach ? tool->attach(obj) : 0) == 0)
		cli_die(CLI_FAILED, "nothing to trace: this kernel has none of the trace events "
				    "and functions of this tool");
	return obj;
}

/* ---- running */

static int on_event(void *ctx, void *data, size_t size)
{
	(void)ctx;
	if (size < sizeof(struct event_head))
		return 0;
	num_events++;
	tool->event(data, size);
	return 0;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Returns false after a failed write to standard output. */
static bool flush_output(void)
{
	errno = 0;
	if ((fflush(stdout) || ferror(stdout)) && !output_error)
		output_error = errno ? errno : EIO;
	return !output_error;
}

static void print_summary(void)
{
	if (tool->summary)
		tool->summary();
	flush_output();
}

/*
 * Sleeps until a signal arrives, until the time `when` (0: no limit) or, with a ring, until it has
 * events. Only this sleep unblocks the signals that end the tool: none can arrive unnoticed between
 * the check for one and the sleep.
 */
static void sleep_until(uint64_t when, struct ring_buffer *ring, const sigset_t *signals)
{
	struct pollfd fd = { .fd = ring ? ring_buffer__epoll_fd(ring) : -1, .events = POLLIN };
	uint64_t t = now(), left = when > t ? when - t : 0;
	struct timespec timeout = { left / 1000000000, left % 1000000000 };

	if (!ended && ppoll(&fd, 1, when ? &timeout : NULL, signals) < 0 && errno != EINTR)
		cli_die(CLI_FAILED, "cannot wait for events: %s", strerror(errno));
}

/*
 * A stream of events must not wake the tool for each event: that would take CPU time from the
 * traffic. After many events within SHORT_NS, the tool sleeps for SHORT_NS without looking at the
 * ring. The ring wakes only a reader that has consumed all events.
 */
#define SHORT_NS 20000000ULL
#define MANY	 8

static bool many_in_short(int n, uint64_t t)
{
	static uint64_t since, count;

	if (t - since > SHORT_NS) {
		since = t;
		count = 0;
	}
	count += n;
	return count > MANY;
}

/* Runs until a signal, or COUNT times INTERVAL. The caller prints the last summary. */
static void run(struct ring_buffer *ring, const sigset_t *signals)
{
	uint64_t next = tool_options.interval ? now() + tool_options.interval * 1000000000ULL : 0;
	unsigned int done = 0;
	sigset_t blocked;

	while (!ended && !output_error) {
		uint64_t t, later;
		int n;

		/*
		 * writes may block if the reader of the output stalls: let a second signal kill the
		 * tool
		 */
		sigprocmask(SIG_SETMASK, signals, &blocked);
		n = ring ? ring_buffer__consume(ring) : 0;
		t = now();
		later = t + SHORT_NS;
		if (n < 0)
			cli_die(CLI_FAILED, "the ring buffer of events: %s", strerror(-n));
		if (next && t >= next) {
			if (++done == tool_options.count)
				return;
			print_summary();
			next += tool_options.interval * 1000000000ULL;
			continue;
		}
		flush_output();
		sigprocmask(SIG_SETMASK, &blocked, NULL);
		if (output_error)
			return;
		if (n && many_in_short(n, t))
			sleep_until(next && next < later ? next : later, NULL, signals);
		else
			sleep_until(next, ring, signals);
	}
}

/* Blocks the signals that end the tool. *before: the mask before the call. */
static void catch_signals(sigset_t *before)
{
	static const int endings[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART };
	sigset_t blocked;
	size_t i;

	sigemptyset(&blocked);
	for (i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		sigaction(endings[i], &act, NULL);
		sigaddset(&blocked, endings[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, before);
	signal(SIGPIPE, SIG_IGN);
}

int tool_main(int argc, char **argv, const struct tool *t)
{
	enum cli_status status = CLI_OK;
	struct ring_buffer *ring = NULL;
	struct bpf_object *obj;
	sigset_t signals;
	uint64_t *lost;
	int fd;

	tool = t;
	parse_command_line(argc, argv);
	check_surroundings();
	libbpf_set_print(quiet_print);
	catch_signals(&signals);
	obj = load();
	fd = bpf_object__find_map_fd_by_name(obj, "events");
	if (t->event && fd >= 0) {
		ring = ring_buffer__new(fd, on_event, NULL, NULL);
		if (!ring)
			cli_die(CLI_FAILED, "the ring buffer of events: %s", strerror(errno));
	}
	fprintf(stderr, "%s: tracing; Ctrl-C ends\n", t->name);
	if (t->event_table && (!t->events_asked || *t->events_asked))
		out_header(t->event_table);
	fflush(stdout);
	run(ring, &signals);
	/* no more events arrive; print those in the ring */
	attach_end();
	sigprocmask(SIG_SETMASK, &signals, NULL);
	if (ring)
		ring_buffer__consume(ring);
	print_summary();
	lost = tool_variable(obj, "lost", NULL);
	if (tool->end)
		status = tool->end(lost ? *lost : 0);
	out_end(num_events, lost ? *lost : 0);
	if (lost && *lost)
		cli_error("%" PRIu64 " events were lost: too many at once", *lost);
	ring_buffer__free(ring);
	t->close();
	if (flush_output())
		return status;
	/* EPIPE is no error: the reader of standard output has closed it */
	if (output_error != EPIPE)
		cli_error("standard output: %s", strerror(output_error));
	return CLI_FAILED;
}
