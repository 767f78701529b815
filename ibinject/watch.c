// SPDX-License-Identifier: GPL-2.0-only
/* watch: shows the journals of devices live. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "journal.h"
#include "list.h"
#include "lib/pairs.h"
#include "rules/word.h"

struct options {
	struct devices devices;
	bool all, json;
	uint64_t count; /* 0: no limit */
};

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0, "also the earlier faults that the driver remembers", 0 },
	{ "json", 'j', NULL, 0, "print JSON, one object per line", 0 },
	{ "count", 'c', "N", 0, "end after N lines", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	u64 n;

	switch (key) {
	case 'a':
		o->all = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'c':
		if (!glass_word_number(arg, strlen(arg), &n) || !n)
			argp_error(state, "--count: '%s' is not a number from 1 on", arg);
		o->count = n;
		return 0;
	case ARGP_KEY_ARG:
		if (o->devices.count == DEVICES_MAX)
			argp_error(state, "too many devices");
		if (device_choose(arg, o->devices.name[o->devices.count]))
			exit(ST_NO_DEVICE);
		o->devices.count++;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Prints a firing in one line, with a clock instead of seq and time. */
static void print_firing(const char *dev, const char *line, bool color)
{
	uint64_t ns = 0;
	struct pair p;

	find_number(line, "time", &ns);
	printf("%s%5" PRIu64 ".%06" PRIu64 "%s %s", color ? "\033[2m" : "", ns / 1000000000,
	       ns % 1000000000 / 1000, color ? "\033[0m" : "", dev);
	while (next_pair(&line, &p)) {
		if (pair_is(&p, "seq") || pair_is(&p, "time") || !p.value)
			continue;
		if (pair_is(&p, "act"))
			printf(" %s%.*s%s", color ? "\033[1;31m" : "", (int)p.value_len, p.value,
			       color ? "\033[0m" : "");
		else if (pair_is(&p, "name"))
			printf(" %s%.*s%s", color ? "\033[36m" : "", (int)p.value_len, p.value,
			       color ? "\033[0m" : "");
		else
			printf(" %.*s=%.*s", (int)p.key_len, p.key, (int)p.value_len, p.value);
	}
	putchar('\n');
}

static void print_json_line(const char *dev, const char *line)
{
	json_object *one = json_of_pairs(line);

	json_object_object_add(one, "dev", json_object_new_string(dev));
	puts(json_object_to_json_string_ext(one, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(one);
}

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static int watch(struct journal *j, size_t n, const struct options *o)
{
	const struct timespec moment = { .tv_nsec = 50 * 1000 * 1000 };
	bool color = cli_color(stdout);
	uint64_t told = 0;
	size_t i;

	while (!ended) {
		for (i = 0; i < n; i++) {
			const char *line;
			uint64_t missed = j[i].missed;

			while (!(o->count && told == o->count) && (line = journal_next(&j[i]))) {
				if (j[i].missed > missed && !o->json)
					printf("(%s: %" PRIu64
					       " that the driver does not remember)\n",
					       j[i].dev, j[i].missed - missed);
				missed = j[i].missed;
				if (o->json)
					print_json_line(j[i].dev, line);
				else
					print_firing(j[i].dev, line, color);
				told++;
			}
		}
		if (fflush(stdout) || (o->count && told == o->count))
			break;
		nanosleep(&moment, NULL);
	}
	return ST_OK;
}

int cmd_watch(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"[DEV]...",
		"Prints each fault when it happens: seconds since boot, device, rule, action, and "
		"the packet or object. SIGINT ends it.",
		NULL,
		NULL,
		NULL
	};
	struct options o = { .all = false };
	struct sigaction act = { .sa_handler = end };
	struct journal *j;
	size_t i, n;
	int status;

	parse_options(&argp, argc, argv, &o);
	if (!o.devices.count && devices_find(&o.devices))
		return ST_NO_DEVICE;
	j = calloc(o.devices.count, sizeof(*j));
	if (!j)
		cli_die(CLI_FAILED, "out of memory");
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	for (n = 0; n < o.devices.count; n++)
		if (!journal_open(&j[n], o.devices.name[n], !o.all))
			break;
	status = n == o.devices.count ? watch(j, n, &o) : ST_NO_DEVICE;
	for (i = 0; i < n; i++)
		journal_close(&j[i]);
	free(j);
	return status;
}
