// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks what two ports do for verbs programs, one behaviour a test, in one
 * process. Tests stand in check_*.h; each makes what it needs and leaves the
 * rest of the device alone.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <getopt.h>

#include "check_err.h"
#include "check_extended.h"
#include "check_demand.h"
#include "check_memory.h"
#include "check_overrun.h"
#include "check_queue.h"
#include "check_rc.h"
#include "check_ud.h"

static const struct {
	const struct check *checks;
	size_t n;
} groups[] = {
	{ rc_checks, ARRAY_LEN(rc_checks) },
	{ queue_checks, ARRAY_LEN(queue_checks) },
	{ ud_checks, ARRAY_LEN(ud_checks) },
	{ err_checks, ARRAY_LEN(err_checks) },
	{ extended_checks, ARRAY_LEN(extended_checks) },
	{ memory_checks, ARRAY_LEN(memory_checks) },
	{ demand_checks, ARRAY_LEN(demand_checks) },
	{ overrun_checks, ARRAY_LEN(overrun_checks) },
};

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: verbs_check [OPTION]...\n"
		"  -a, --a DEVICE    one end (glass0)\n"
		"  -b, --b DEVICE    the other end (glass1); may be the same\n"
		"  -i, --a-port N    port of the one (1)\n"
		"  -j, --b-port N    port of the other (1)\n"
		"  -g, --gid N       paths with a GRH, GID of this index (for RoCE)\n"
		"  -G, --b-gid N     the other end's GID has this index (that of --gid)\n"
		"  -t, --test GLOB   only tests whose name matches; may be given again\n"
		"  -r, --repeat N    all of it N times (1)\n"
		"  -l, --list        list the tests\n"
		"Prints `ok NAME`, `not ok NAME: REASON` or `skip NAME: REASON` a test.\n"
		"Exit status 0: none failed; 1: some failed; 2: wrong arguments; 4: a test hung.\n");
}

static unsigned int passed, failed, skipped;

static void run_one(const struct check *c)
{
	uint64_t start = vt_now_ms();
	int how = check_one(c, 90);

	if (how == 2) {
		skipped++;
		printf("skip %s: %s\n", c->name, vt_reason);
	} else if (how) {
		failed++;
		printf("not ok %s: %s\n", c->name, vt_reason);
	} else {
		passed++;
		printf("ok %s (%llu ms)\n", c->name, (unsigned long long)(vt_now_ms() - start));
	}
	fflush(stdout);
}

static bool selected(const char *name, char **globs, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!fnmatch(globs[i], name, 0))
			return true;
	return !n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "a", required_argument, NULL, 'a' },	    { "b", required_argument, NULL, 'b' },
		{ "a-port", required_argument, NULL, 'i' }, { "b-port", required_argument, NULL, 'j' },
		{ "gid", required_argument, NULL, 'g' },    { "b-gid", required_argument, NULL, 'G' },
		{ "test", required_argument, NULL, 't' },
		{ "repeat", required_argument, NULL, 'r' }, { "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },	    {},
	};
	const char *dev_a = "glass0", *dev_b = "glass1";
	int port_a = 1, port_b = 1, gid_b = -1, repeat = 1, nglobs = 0, c;
	bool list = false;
	char *globs[64];
	size_t g, i;

	vt_prog = "verbs_check";
	while ((c = getopt_long(argc, argv, "a:b:i:j:g:G:t:r:lh", options, NULL)) != -1) {
		switch (c) {
		case 'a': dev_a = optarg; break;
		case 'b': dev_b = optarg; break;
		case 'i': port_a = atoi(optarg); break;
		case 'j': port_b = atoi(optarg); break;
		case 'g': opt_gid = atoi(optarg); break;
		case 'G': gid_b = atoi(optarg); break;
		case 'r': repeat = atoi(optarg); break;
		case 'l': list = true; break;
		case 'h': usage(stdout); return 0;
		case 't':
			if (nglobs < (int)ARRAY_LEN(globs))
				globs[nglobs++] = optarg;
			break;
		default: usage(stderr); return 2;
		}
	}
	if (optind < argc) {
		usage(stderr);
		return 2;
	}

	if (!list) {
		vt_doing = "opening the devices";
		vt_limit(60);
		vt_open(&A, dev_a, port_a, opt_gid < 0 ? 0 : opt_gid);
		vt_open(&B, dev_b, port_b, gid_b >= 0 ? gid_b : opt_gid < 0 ? 0 : opt_gid);
	}
	while (repeat-- > 0)
		for (g = 0; g < ARRAY_LEN(groups); g++)
			for (i = 0; i < groups[g].n; i++) {
				const struct check *chk = &groups[g].checks[i];

				if (!selected(chk->name, globs, nglobs))
					continue;
				if (list)
					printf("%s\n", chk->name);
				else
					run_one(chk);
			}
	if (list)
		return 0;
	if (!(passed + failed + skipped)) {
		fprintf(stderr, "verbs_check: no such test; --list shows all\n");
		return 2;
	}
	vt_doing = "closing the devices";
	vt_limit(60);
	vt_close(&A);
	vt_close(&B);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failed ? 1 : 0;
}
