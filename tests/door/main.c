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
static bool blind, first_only;
static unsigned int share_first, share_of = 1;

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
		"      --share K/N    of the corpus run only every N-th program, from the K-th on\n"
		"  -1, --first        stop at the first finding\n"
		"      --minimise     write to DIR/minimised-* what of the corpus is needed for its coverage, and stop;\n"
		"                     calls that are not needed are taken away for -t seconds\n"
		"      --base PATH    with --minimise: programs that are kept anyway, and not written\n"
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
	static const char *const words[] = { "done", "hung", "died", "splat", "hung" };
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
	if (!programs_read(path, keep))
		exit(2);
}

static void tell(double seconds)
{
	unsigned int seen, all;

	cover_functions(&seen, &all);
	printf("%.0f s: %lu programs, %lu calls, corpus %u, %u edges, %u places in %u of %u functions, %lu findings\n",
	       seconds, ran, calls, ncorpus, cover->edges, cover->places, seen, all, findings);
	fflush(stdout);
}

static void write_corpus(const struct program *p)
{
	char name[64];
	static unsigned int n;

	snprintf(name, sizeof(name), "corpus-%04u", n++);
	store(p, name, NULL, false);
}

#define PER_FILE 30 /* programs: a file that can be read */

static void write_minimised(const struct program *p)
{
	static unsigned int n;
	static FILE *f;
	char path[4096];

	if (n % PER_FILE == 0) {
		if (f)
			fclose(f);
		snprintf(path, sizeof(path), "%s/minimised-%u", out_dir, n / PER_FILE + 1);
		f = fopen(path, "w");
		if (!f) {
			fprintf(stderr, "door_fuzz: %s: %s\n", path, strerror(errno));
			exit(2);
		}
	} else {
		fprintf(f, "---\n");
	}
	n++;
	program_print(p, f, false);
	fflush(f);
}

static void minimise_corpus(unsigned int base, double seconds)
{
	minimise(corpus, ncorpus, base, seconds, run, write_minimised);
}

/* Must the fuzzer stop now? */
static bool ends(enum outcome out)
{
	return out == OUT_SPLAT || out == OUT_STUCK || (out != OUT_DONE && first_only);
}

static void fuzz(double seconds, unsigned long programs)
{
	double start = now_s(), told = start;
	enum outcome out;
	unsigned int i, loaded = ncorpus;
	struct program p;

	for (i = share_first; i < loaded; i += share_of) {
		if (ends(run(corpus[i])))
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
		out = run(&p);
		if (ends(out))
			return;
		if (out == OUT_DONE && (cover->fresh || (blind && !below(50)))) {
			keep(&p);
			if (!blind)
				write_corpus(&p);
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
	enum { PRINT = 256, REPLAY, LIST, MINIMISE, SHARE, BASE };
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
		{ "share", required_argument, NULL, SHARE },
		{ "base", required_argument, NULL, BASE },
		{ "first", no_argument, NULL, '1' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	unsigned long programs = 0;
	double seconds = 60;
	unsigned int base = 0;
	int c, mode = 0, i;

	rows_init();
	seed = time(NULL) ^ (uint64_t)getpid() << 32;
	if (getenv("OUT"))
		out_dir = getenv("OUT");
	while ((c = getopt_long(argc, argv, "s:t:n:o:l:x:1h", options, NULL)) != -1) {
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
		case SHARE:
			if (sscanf(optarg, "%u/%u", &share_first, &share_of) != 2 || !share_of) {
				fprintf(stderr, "door_fuzz: --share %s: expected K/N\n", optarg);
				return 2;
			}
			share_first %= share_of;
			break;
		case BASE:
			load(optarg);
			base = ncorpus;
			break;
		case '1':
			first_only = true;
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
		for (i = 0; i < (int)ncorpus; i++) {
			printf("%s", i ? "---\n" : "");
			program_print(corpus[i], stdout, true);
		}
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
	if (!faults_open())
		printf("no fault injection in this kernel: fail_nth does nothing\n");
	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	if (mode == MINIMISE)
		minimise_corpus(base, seconds);
	else
		fuzz(mode == REPLAY ? 0 : seconds, programs);
	return findings ? 1 : 0;
}
