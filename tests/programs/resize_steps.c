// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resizes an SRQ and posts to it at the same time, at every moment that there is: one thread is
 * stopped after each of its instructions (ptrace) while another thread does the other of the two.
 */
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"

#define EVERY UINT_MAX /* instruction */
#define WAITS (-1)     /* instead of an errno value: the stopped thread holds the lock */

/* What the program and its tracer tell each other. */
static struct {
	/* the program's */
	volatile bool stepping;
	volatile unsigned int at; /* the instruction after which the other thread runs, or EVERY */
	volatile int result;	  /* of the other thread: 0, an errno value, or WAITS */
	/* the tracer's */
	volatile bool reached; /* the thread came to instruction `at` */
	volatile unsigned int ran,
		waited; /* how often the other thread did its part, and how often it could not */
} * shared;

static int go[2], done[2]; /* the tracer lets the other thread run; that has run */

/* ---- in place of libc's, for the provider, too */

/* Where this thread goes on when it had to wait for a lock; NULL: it waits. */
static __thread jmp_buf *give_up;

/* The provider calls it when it has waited for one of its locks for a while. */
int sched_yield(void)
{
	if (give_up)
		longjmp(*give_up, 1);
	return (int)syscall(SYS_sched_yield);
}

static __thread bool no_mmap; /* this thread maps nothing */

void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
	if (no_mmap) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, bytes, prot, flags, fd, off);
}

/* ---- the program: what its threads do */

/* Either has more entries than areas are shared for: each resize maps new ones. */
static const uint32_t sizes[] = { 8192, 16384 };

static struct ibv_srq *srq;
static struct ibv_sge sge;
static unsigned int posted; /* receives of the SRQ */

static int post(void)
{
	struct ibv_recv_wr wr = { .wr_id = posted, .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = ibv_post_srq_recv(srq, &wr, &bad);

	if (!err)
		posted++;
	return err;
}

static int resize_to(uint32_t max_wr)
{
	struct ibv_srq_attr attr = { .max_wr = max_wr };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
}

static int resize(void)
{
	static unsigned int n;

	return resize_to(sizes[n++ % ARRAY_LEN(sizes)]);
}

/* The driver resizes it, the provider cannot map the new entries: a post must try that again. */
static int resize_unmapped(void)
{
	int err;

	no_mmap = true;
	err = resize();
	no_mmap = false;
	return err == ENOMEM ? 0 : err ? err : ENODATA;
}

static int (*other)(void); /* what the other thread does when it is let run */

static void *other_thread(void *arg)
{
	jmp_buf waits;
	char byte;

	give_up = &waits;
	while (read(go[0], &byte, 1) == 1) {
		shared->result = WAITS;
		if (!setjmp(waits))
			shared->result = other();
		no_mmap = false;
		if (write(done[1], &byte, 1) != 1)
			break;
	}
	return arg;
}

/* Does it, stopped after each instruction; after those of `at` the other thread runs. */
static void step(int (*does)(void), unsigned int at, const char *what)
{
	int err;

	shared->at = at;
	shared->reached = false;
	shared->stepping = true;
	raise(SIGUSR1);
	err = does();
	shared->stepping = false;
	CHECK(!err, "%s: %s", what, strerror(err));
}

/* The driver knows of all that was posted, and of no more. */
static void check_posted(void)
{
	int err = resize_to(posted - 1);

	CHECK(err == EINVAL, "a resize to less than the %u receives posted: %s", posted,
	      strerror(err));
	err = resize_to(posted);
	CHECK(!err, "a resize to the %u receives posted: %s", posted, strerror(err));
}

static void step_resize(void)
{
	other = post;
	step(resize, EVERY, "resize");
	step(resize, EVERY, "resize");
	step(resize_unmapped, EVERY, "resize that maps nothing");
	check_posted();
}

static void step_post(void)
{
	unsigned int at = 0;

	do {
		other = resize;
		step(post, at, "post");
		other = resize_unmapped;
		step(post, at, "post after a resize that mapped nothing");
		at++;
	} while (shared->reached);
	check_posted();
}

static const struct {
	const char *name;
	void (*run)(void);
} steps[] = {
	{ "resize", step_resize },
	{ "post", step_post },
};

static void program(const char *device, void (*run)(void))
{
	pthread_t thread;
	int err;

	vt_open(&A, device, 1, 0);
	srq = vt_srq(&A, sizes[0], 1);
	sge = vt_sge(vt_buf(&A, 64), 0, 64);
	err = pthread_create(&thread, NULL, other_thread, NULL);
	CHECK(!err, "pthread_create: %s", strerror(err));
	/* what is done for the first time, such as looking up a symbol, is done */
	CHECK(!resize() && !post(), "the SRQ does not work");
	run();
	CHECK(!vt_drop_all(), "clean-up failed");
	/* the other thread waits for the tracer, and goes with the process */
}

/* ---- the tracer */

/* Returns the signal that stopped the program's first thread, or 0 when it has ended well. */
static int stopped_by(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	if (WIFSTOPPED(status))
		return WSTOPSIG(status);
	CHECK(!WIFSIGNALED(status), "the program was ended by a signal: %s",
	      strsignal(WTERMSIG(status)));
	CHECK(!WEXITSTATUS(status), "the program failed");
	return 0;
}

static int go_on(pid_t pid, int how)
{
	CHECK(!ptrace(how, pid, NULL, NULL), "ptrace: %s", strerror(errno));
	return stopped_by(pid);
}

static void run_other(pid_t pid, unsigned int at)
{
	char byte = 0;

	if (write(go[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1) {
		stopped_by(pid);
		vt_fail("the program ended at instruction %u", at);
	}
	CHECK(shared->result <= 0, "the other thread, at instruction %u: %s", at,
	      strerror(shared->result));
	if (shared->result == WAITS)
		shared->waited++;
	else
		shared->ran++;
}

static void trace(pid_t pid)
{
	unsigned int i;
	int sig;

	CHECK(stopped_by(pid) == SIGSTOP, "the program did not begin");
	CHECK(!ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL), "ptrace: %s",
	      strerror(errno));
	while ((sig = go_on(pid, PTRACE_CONT))) {
		CHECK(sig == SIGUSR1, "the program got a signal: %s", strsignal(sig));
		for (i = 0; shared->stepping && !shared->reached; i++) {
			sig = go_on(pid, PTRACE_SINGLESTEP);
			CHECK(sig == SIGTRAP, "the program got a signal at instruction %u: %s", i,
			      strsignal(sig));
			if (shared->at != EVERY && shared->at != i)
				continue;
			run_other(pid, i);
			shared->reached = shared->at == i;
		}
	}
}

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: resize_steps [-a DEVICE] resize|post\n"
		"resize  a thread resizes an SRQ, another posts to it after each instruction of the first\n"
		"post    a thread posts to an SRQ, another resizes it after one instruction of the first, each in turn\n"
		"Prints `ran N waited N`: how often the second thread did its part, and how often the first held the lock.\n"
		"Exit status 0: fine; 1: not; 2: wrong arguments; 4: it hung.\n");
}

int main(int argc, char **argv)
{
	const char *device = "glass0";
	unsigned int i;
	pid_t pid;
	int c;

	vt_prog = "resize_steps";
	while ((c = getopt(argc, argv, "a:h")) >= 0) {
		switch (c) {
		case 'a':
			device = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	for (i = 0; optind == argc - 1 && i < ARRAY_LEN(steps); i++)
		if (!strcmp(argv[optind], steps[i].name))
			break;
	if (optind != argc - 1 || i == ARRAY_LEN(steps)) {
		usage(stderr);
		return 2;
	}
	vt_doing = steps[i].name;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	CHECK(shared != MAP_FAILED && !pipe(go) && !pipe(done), "%s", strerror(errno));
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		close(go[1]);
		close(done[0]);
		CHECK(!ptrace(PTRACE_TRACEME, 0, NULL, NULL), "ptrace: %s", strerror(errno));
		raise(SIGSTOP);
		program(device, steps[i].run);
		return 0;
	}
	vt_limit(250);
	close(go[0]);
	close(done[1]);
	trace(pid);
	printf("ran %u waited %u\n", shared->ran, shared->waited);
	CHECK(shared->ran && shared->waited, "the two threads did not meet");
	return 0;
}
