// SPDX-License-Identifier: GPL-2.0-only
#include "harness.h"
#include "proto_seeds.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_JOBS 16
#define MAX_SUMS 64
/* A seed takes milliseconds: one that takes this long never ends. */
#define SEED_SECONDS 60

static struct shared {
	u64 next; /* the next seed to take */
	bool stop;
	u64 seed[MAX_JOBS];
	u64 sums[MAX_SUMS];
} *shared;

static bool is_worker;

void seeds_failed(void)
{
	fflush(stdout);
	if (is_worker)
		_exit(1);
	fail();
	abort();
}

static void worker(u32 job, u64 n, void (*one)(u64 seed), u64 *sums, u32 nsums)
{
	u64 seed;

	is_worker = true;
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		seed = __atomic_add_fetch(&shared->next, 1, __ATOMIC_RELAXED);
		if (seed > n)
			break;
		shared->seed[job] = seed;
		alarm(SEED_SECONDS);
		one(seed);
	}
	alarm(0);
	for (u32 i = 0; i < nsums; i++)
		__atomic_add_fetch(&shared->sums[i], sums[i], __ATOMIC_RELAXED);
	/* the leak checker looks at what all its seeds left behind */
	exit(0);
}

static u32 how_many_jobs(u64 n)
{
	const char *jobs = getenv("GLASS_JOBS");
	long k = jobs ? strtol(jobs, NULL, 0) : sysconf(_SC_NPROCESSORS_ONLN);

	if (k > MAX_JOBS)
		k = MAX_JOBS;
	if (k > (long)n)
		k = n;
	return k < 1 ? 1 : k;
}

void seeds_run(const char *test, u64 n, void (*one)(u64 seed), u64 *sums, u32 nsums)
{
	const char *alone = getenv("GLASS_SEED");
	const char *count = getenv("GLASS_SEEDS");
	pid_t pids[MAX_JOBS];
	bool failed = false;
	u32 jobs;

	if (alone) {
		one(strtoull(alone, NULL, 0));
		return;
	}
	if (count)
		n = strtoull(count, NULL, 0);
	assert_true(nsums <= MAX_SUMS);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	jobs = how_many_jobs(n);
	fflush(stdout);
	fflush(stderr);
	for (u32 i = 0; i < jobs; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i])
			worker(i, n, one, sums, nsums);
	}
	for (u32 i = 0; i < jobs; i++) {
		int status = 0;
		pid_t pid = wait(&status);
		u32 job = 0;

		while (job < jobs && pids[job] != pid)
			job++;
		assert_true(job < jobs);
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			continue;
		failed = true;
		__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
		printf("# seed %llu %s\n# replay: GLASS_SEED=%llu make -C tests/unit check T=%s\n",
		       (unsigned long long)shared->seed[job],
		       !WIFSIGNALED(status)		? "failed" :
		       WTERMSIG(status) == SIGALRM ? "did not end" : "crashed",
		       (unsigned long long)shared->seed[job], test);
		fflush(stdout);
	}
	for (u32 i = 0; i < nsums; i++)
		sums[i] = shared->sums[i];
	munmap(shared, sizeof(*shared));
	if (failed)
		fail();
}
