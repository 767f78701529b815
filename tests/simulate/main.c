// SPDX-License-Identifier: GPL-2.0-only
/* Runs seeds and cases, in several processes; shrinks the first that fails. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

#define MAX_JOBS    16
#define SHRINK_RUNS 3000
/* A run takes milliseconds: one that takes this long never ends. */
#define RUN_SECONDS 30

static struct shared {
	u64 next, done;
	bool stop;
	u64 seed[MAX_JOBS];
	struct report report[MAX_JOBS + 1];
	struct sums sums;
} * shared;

static struct scenario scenario;

void sim_failed(const char *file, int line, const char *fmt, ...)
{
	const char *name = strrchr(file, '/');
	va_list ap;

	report->failed = true;
	snprintf(report->where, sizeof(report->where), "%s:%d", name ? name + 1 : file, line);
	va_start(ap, fmt);
	vsnprintf(report->text, sizeof(report->text), fmt, ap);
	va_end(ap);
	fflush(stdout);
	_exit(1);
}

/* Twice: the packets must be the same, and whether they cross as bytes must not show. */
static void run_twice(const struct scenario *sc, bool twice)
{
	static struct scenario other;
	bool same_way = sc->nrule != 0;
	u64 hash;

	sim_run(sc);
	if (!twice)
		return;
	hash = report->hash;
	other = *sc;
	for (u32 i = 0; i < S_CONNS; i++)
		same_way |= sc->conn[i].used && (sc->conn[i].trains || sc->conn[i].later);
	other.bytes ^= !same_way;
	sim_run(&other);
	CHECK(hash == report->hash, "the same seed gave other packets (%llx, %llx), %s",
	      (unsigned long long)hash, (unsigned long long)report->hash,
	      same_way ? "run twice" : "as bytes and not");
}

static const char *how_it_ended(int status)
{
	static char text[32];

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return "did not end";
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "signal %d", WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	return text;
}

/* Fills in what a process that died could not say. */
static bool judge(struct report *r, int status)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return false;
	if (!r->failed) {
		r->failed = true;
		snprintf(r->where, sizeof(r->where), "%s", how_it_ended(status));
		snprintf(r->text, sizeof(r->text), "see above");
	}
	return true;
}

static bool quiet = true;

bool sim_try(const struct scenario *sc)
{
	int status = 0;
	pid_t pid;

	report = &shared->report[MAX_JOBS];
	memset(report, 0, offsetof(struct report, fired));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (quiet && !freopen("/dev/null", "w", stderr))
			_exit(2);
		alarm(RUN_SECONDS);
		run_twice(sc, true);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("simulate");
		exit(2);
	}
	return judge(report, status);
}

static void worker(u32 job, u64 last, u32 twice_each)
{
	report = &shared->report[job];
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		u64 seed = __atomic_add_fetch(&shared->next, 1, __ATOMIC_RELAXED);

		if (seed > last)
			break;
		shared->seed[job] = seed;
		alarm(RUN_SECONDS);
		scenario_make(&scenario, seed);
		run_twice(&scenario, seed % twice_each == 0);
		__atomic_add_fetch(&shared->done, 1, __ATOMIC_RELAXED);
	}
	alarm(0);
	for (u32 i = 0; i < sizeof(sums) / sizeof(u64); i++)
		__atomic_add_fetch((u64 *)&shared->sums + i, ((u64 *)&sums)[i], __ATOMIC_RELAXED);
	/* the leak checker looks at what all its seeds left behind */
	exit(0);
}

static void tell(struct scenario *sc, const char *name)
{
	FILE *f;
	char file[300];
	const char *dir = getenv("SIMULATE_OUT");

	sim_shrink(sc, SHRINK_RUNS);
	quiet = false;
	sim_try(sc);
	printf("# %s: %s: %s\n# the smallest scenario that still fails so; replay: tests/simulate/run CASE\n",
	       name, report->where, report->text);
	scenario_write(stdout, sc);
	if (!dir)
		return;
	snprintf(file, sizeof(file), "%s/%s.case", dir, name);
	f = fopen(file, "w");
	if (!f)
		return;
	fprintf(f, "# %s: %s\n", report->where, report->text);
	scenario_write(f, sc);
	fclose(f);
	printf("# it is in %s\n", file);
}

static void tick(int sig)
{
	(void)sig;
}

static void progress(u64 first, u64 last, time_t began)
{
	u64 done = __atomic_load_n(&shared->done, __ATOMIC_RELAXED);

	alarm(10);
	printf("# %llu of %llu seeds, %llds\n", (unsigned long long)done,
	       (unsigned long long)(last - first + 1), (long long)(time(NULL) - began));
	fflush(stdout);
}

/* Seeds first to last. Returns how many failed: the run stops at the first. */
static u32 run_seeds(u64 first, u64 last, u32 jobs, u32 twice_each)
{
	pid_t pids[MAX_JOBS] = { 0 };
	struct sigaction on_tick = { .sa_handler = tick };
	time_t began = time(NULL);
	u32 failed = 0, left = jobs;

	shared->next = first - 1;
	fflush(stdout);
	for (u32 i = 0; i < jobs; i++) {
		pids[i] = fork();
		if (!pids[i])
			worker(i, last, twice_each);
	}
	/* interrupts waitpid() */
	sigaction(SIGALRM, &on_tick, NULL);
	alarm(10);
	while (left) {
		int status = 0;
		pid_t pid = waitpid(-1, &status, 0);
		u32 job = 0;

		if (pid <= 0) {
			progress(first, last, began);
			continue;
		}
		while (job < jobs && pids[job] != pid)
			job++;
		left--;
		if (job == jobs || !judge(&shared->report[job], status))
			continue;
		__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
		failed++;
		printf("# seed %llu: %s: %s\n# replay: tests/simulate/run --seed %llu\n",
		       (unsigned long long)shared->seed[job], shared->report[job].where,
		       shared->report[job].text, (unsigned long long)shared->seed[job]);
		fflush(stdout);
	}
	alarm(0);
	signal(SIGALRM, SIG_DFL);
	for (u32 i = 0; i < jobs; i++)
		if (shared->report[i].failed) {
			char name[40];

			scenario_make(&scenario, shared->seed[i]);
			snprintf(name, sizeof(name), "seed-%llu",
				 (unsigned long long)shared->seed[i]);
			tell(&scenario, name);
			break;
		}
	return failed;
}

static void tell_sums(void)
{
	const struct sums *s = &shared->sums;
#define T(name) (unsigned long long)s->name
	printf("# %llu runs, %llu packets, %llu hops, %llu as bytes, %llu held out, %llu trains, %llu refusals; lost %llu, damaged %llu, doubled %llu, late %llu, by rules %llu\n",
	       T(runs), T(packets), T(hops), T(bytes), T(held), T(trains), T(naks), T(lost), T(damaged),
	       T(dups), T(delayed), T(rules_hit));
	printf("# %llu SMPs (%llu lost) in %llu sweeps, %llu traps, %llu links changed, %llu cables moved\n",
	       T(smps), T(mads_lost), T(sweeps), T(traps), T(links), T(moves));
	printf("# %llu of %llu messages succeeded, %llu failed, %llu flushed; %llu receives, %llu atomics, %llu retries, %llu RNR waits; ERR with a packet out %llu, flushed when it came back %llu\n",
	       T(good), T(wrs), T(failed), T(flushed), T(received), T(atomics), T(retries), T(rnr),
	       T(nak_while_out), T(late_flush));
	printf("# %llu QPs reset or destroyed, %llu with a packet out; %llu receives too short, %llu answers and %llu steps by rules, %llu messages to groups in %llu copies, %llu paths migrated\n",
	       T(resets), T(resets_out), T(too_short), T(forged), T(steps), T(to_groups), T(copies), T(migrated));
#undef T
}

static bool run_case(const char *file)
{
	const char *name = strrchr(file, '/'), *wrong;
	FILE *f = fopen(file, "r");

	if (!f) {
		perror(file);
		exit(2);
	}
	wrong = scenario_read(f, &scenario);
	fclose(f);
	if (wrong) {
		fprintf(stderr, "%s: %s\n", file, wrong);
		exit(2);
	}
	quiet = false;
	if (!sim_try(&scenario))
		return true;
	printf("# %s: %s: %s\n", name ? name + 1 : file, report->where, report->text);
	return false;
}

int main(int argc, char **argv)
{
	u64 first = 1, last = 2000;
	u32 jobs = sysconf(_SC_NPROCESSORS_ONLN), twice = 4, failed = 0, passed = 0, cases = 0;
	bool tap = false;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED) {
		perror("simulate");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--tap")) {
			tap = true;
			continue;
		}
		if (!strcmp(argv[i], "--trace")) {
			sim_trace = true;
			continue;
		}
		if (argv[i][0] != '-') {
			bool good = run_case(argv[i]);
			const char *name = strrchr(argv[i], '/');

			cases++;
			if (tap)
				printf("%s %u - simulate_case_%s\n", good ? "ok" : "not ok", cases,
				       name ? name + 1 : argv[i]);
			passed += good;
			failed += !good;
			last = first - 1;
			continue;
		}
		i++;
		if (!strcmp(argv[i - 1], "--seeds"))
			last = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i - 1], "--first"))
			first = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i - 1], "--seed"))
			first = last = strtoull(value, NULL, 0), twice = 1;
		else if (!strcmp(argv[i - 1], "--jobs"))
			jobs = strtoul(value, NULL, 0);
		else if (!strcmp(argv[i - 1], "--twice"))
			twice = max((u32)strtoul(value, NULL, 0), 1u);
		else {
			fprintf(stderr, "simulate: unknown option: %s\n", argv[i - 1]);
			return 2;
		}
	}
	if (last >= first) {
		u32 bad = run_seeds(first, last, min(max(jobs, 1u), (u32)MAX_JOBS), twice);

		tell_sums();
		if (tap)
			printf("%s %u - simulate_seeds\n", bad ? "not ok" : "ok", cases + 1);
		passed += shared->done;
		failed += bad;
	}
	if (tap)
		printf("1..%u\n", cases + (last >= first));
	else
		printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed ? 1 : 0;
}
