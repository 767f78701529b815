// SPDX-License-Identifier: GPL-2.0-only
/* door_fuzz: see usage() and docs/reliability.md. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "door.h"

#define CORPUS_MAX 4096

static struct program *corpus[CORPUS_MAX];
static unsigned int ncorpus;
static unsigned long ran, calls, findings;
static bool blind;

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: door_fuzz [OPTION]... [CORPUS_FILE_OR_DIRECTORY]...\n"
		"       door_fuzz --replay FILE...\n"
		"       door_fuzz --print FILE...\n"
		"Random programs of calls into the kernel's InfiniBand interfaces, until the kernel complains.\n"
		"  -s, --seed N       of the programs (chosen and printed)\n"
		"  -t, --seconds S    stop then (60); 0: run the corpus once, and stop\n"
		"  -n, --programs N   stop after so many programs\n"
		"  -o, --out DIR      findings and new corpus programs go there ($OUT, else the working directory)\n"
		"  -l, --limit S      a program that takes longer hangs (60)\n"
		"  -x, --without CALL leave that call out; a trailing * matches any rest (more than once)\n"
		"      --minimise     of the corpus, write only what is needed for its coverage, and stop\n"
		"      --list         list the calls\n"
		"A program is synced to DIR/running before it runs. Needs root, and KCOV (the debug kernel) to find its way: without,\n"
		"it runs blind. Exit status 0: nothing was found; 1: a finding, stored as DIR/hung-*, died-* or splat-*;\n"
		"2: wrong arguments, or no device.\n");
}

static void store(const struct program *p, const char *name, const char *why, bool sync)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", out_dir, name);
	f = fopen(path, "w");
	if (!f) {
		fprintf(stderr, "door_fuzz: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	if (why)
		fprintf(f, "# %s\n", why);
	program_print(p, f, false);
	fflush(f);
	if (sync)
		fsync(fileno(f));
	fclose(f);
}

static enum outcome run(const struct program *p)
{
	static const char *const words[] = { "done", "hung", "died", "splat" };
	char why[1024] = "", name[128];
	enum outcome out;

	store(p, "running", NULL, true);
	out = program_run(p, why, sizeof(why));
	ran++;
	calls += cover->calls;
	if (out == OUT_DONE)
		return out;
	findings++;
	snprintf(name, sizeof(name), "%s-%lu", words[out], findings);
	store(p, name, why, true);
	printf("finding %s: %s\n", name, why);
	fflush(stdout);
	return out;
}

static void keep(const struct program *p)
{
	unsigned int i = ncorpus < CORPUS_MAX ? ncorpus++ : below(CORPUS_MAX);

	if (!corpus[i])
		corpus[i] = malloc(sizeof(*p));
	*corpus[i] = *p;
}

static void load(const char *path)
{
	char name[4096];
	struct program p;
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		struct dirent **list;
		int n = scandir(path, &list, NULL, alphasort), i;

		for (i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "%s/%s", path, list[i]->d_name);
			if (list[i]->d_name[0] != '.')
				load(name);
		}
		return;
	}
	if (!program_read(&p, path))
		exit(2);
	keep(&p);
}

static void tell(double seconds)
{
	unsigned int seen, all;

	cover_functions(&seen, &all);
	printf("%.0f s: %lu programs, %lu calls, corpus %u, %u edges, %u places in %u of %u functions, %lu findings\n",
	       seconds, ran, calls, ncorpus, cover->edges, cover->places, seen, all, findings);
	fflush(stdout);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void write_corpus(const struct program *p)
{
	char name[64];
	static unsigned int n;

	snprintf(name, sizeof(name), "corpus-%04u", n++);
	store(p, name, NULL, false);
}

/* A call less, as long as the program still reaches something that none of those before it did. */
static void minimise(void)
{
	struct cover *base = malloc(sizeof(*base));
	unsigned int i, kept = 0;

	if (!base)
		exit(2);
	for (i = 0; i < ncorpus; i++) {
		struct program p = *corpus[i], q;
		unsigned int fresh, c;

		*base = *cover;
		if (run(&p) == OUT_SPLAT)
			return;
		fresh = cover->fresh;
		if (!fresh)
			continue;
		for (c = p.ncalls; c-- && p.ncalls > 1;) {
			q = p;
			memmove(&q.call[c], &q.call[c + 1], (q.ncalls - c - 1) * sizeof(q.call[0]));
			q.ncalls--;
			*cover = *base;
			if (run(&q) == OUT_SPLAT)
				return;
			/* races and timers make a few edges come and go */
			if (cover->fresh * 20 >= fresh * 19)
				p = q;
		}
		*cover = *base;
		run(&p);
		write_corpus(&p);
		kept++;
	}
	printf("%u of %u programs are needed\n", kept, ncorpus);
}

static void fuzz(double seconds, unsigned long programs)
{
	double start = now_s(), told = start;
	unsigned int i, loaded = ncorpus;
	struct program p;

	for (i = 0; i < loaded; i++) {
		if (run(corpus[i]) == OUT_SPLAT)
			return;
	}
	tell(now_s() - start);
	while (now_s() - start < seconds && (!programs || ran < programs)) {
		if (!ncorpus || !below(20)) {
			program_generate(&p);
		} else {
			/* half of the time something that was found lately */
			i = below(2) ? below(ncorpus)
				     : ncorpus - 1 - below(ncorpus < 32 ? ncorpus : 32);
			p = *corpus[i];
			program_mutate(&p, corpus[below(ncorpus)]);
		}
		switch (run(&p)) {
		case OUT_SPLAT:
			return;
		case OUT_DONE:
			if (cover->fresh || (blind && !below(50))) {
				keep(&p);
				if (!blind)
					write_corpus(&p);
			}
			break;
		default:
			break;
		}
		if (now_s() - told > 30) {
			told = now_s();
			tell(told - start);
		}
	}
	tell(now_s() - start);
}

/* Takes the rows away that match. */
static void leave_out(const char *pattern)
{
	size_t len = strlen(pattern);
	bool prefix = len && pattern[len - 1] == '*';
	unsigned int i, n = 0;

	for (i = 0; i < nrows; i++)
		if (prefix ? strncmp(rows[i]->name, pattern, len - 1)
			   : strcmp(rows[i]->name, pattern))
			rows[n++] = rows[i];
	nrows = n;
}

int main(int argc, char **argv)
{
	enum { PRINT = 256, REPLAY, LIST, MINIMISE };
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "programs", required_argument, NULL, 'n' },
		{ "out", required_argument, NULL, 'o' },
		{ "limit", required_argument, NULL, 'l' },
		{ "without", required_argument, NULL, 'x' },
		{ "print", no_argument, NULL, PRINT },
		{ "replay", no_argument, NULL, REPLAY },
		{ "list", no_argument, NULL, LIST },
		{ "minimise", no_argument, NULL, MINIMISE },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	unsigned long programs = 0;
	double seconds = 60;
	int c, mode = 0, i;

	rows_init();
	seed = time(NULL) ^ (uint64_t)getpid() << 32;
	if (getenv("OUT"))
		out_dir = getenv("OUT");
	while ((c = getopt_long(argc, argv, "s:t:n:o:l:x:h", options, NULL)) != -1) {
		switch (c) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtod(optarg, NULL);
			break;
		case 'n':
			programs = strtoul(optarg, NULL, 0);
			break;
		case 'o':
			out_dir = optarg;
			break;
		case 'l':
			limit_s = strtoul(optarg, NULL, 0);
			break;
		case 'x':
			leave_out(optarg);
			break;
		case PRINT:
		case REPLAY:
		case LIST:
		case MINIMISE:
			mode = c;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (mode == LIST) {
		for (i = 0; i < (int)nrows; i++)
			printf("%s\n", rows[i]->name);
		return 0;
	}
	for (i = optind; i < argc; i++)
		load(argv[i]);
	if (mode == PRINT) {
		for (i = 0; i < (int)ncorpus; i++)
			program_print(corpus[i], stdout, true);
		return 0;
	}
	if (!site_find()) {
		fprintf(stderr,
			"door_fuzz: no /dev/infiniband/uverbs* of glass0 and glass1, or not root\n");
		return 2;
	}
	blind = !cover_open();
	kernel_log_open();
	if (blind)
		printf("no KCOV in this kernel: blind\n");
	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	if (mode == MINIMISE) {
		minimise();
	} else {
		fuzz(mode == REPLAY ? 0 : seconds, programs);
	}
	return findings ? 1 : 0;
}
