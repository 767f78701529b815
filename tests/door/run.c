// SPDX-License-Identifier: GPL-2.0-only
/* Runs a program in a process of its own, watches it and the kernel's log, and restores the
 * devices. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>

#include "door.h"
#include "uapi/glass-ioctl.h"

const char *out_dir = ".";
unsigned int limit_s = 60;
static struct thing things[OBJ_COUNT][THINGS_MAX];

/* ---- the kernel's log */

static int kmsg = -1;

void kernel_log_open(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg >= 0)
		lseek(kmsg, 0, SEEK_END);
	else
		fprintf(stderr, "door_fuzz: /dev/kmsg: %s; nobody looks at the kernel's log\n",
			strerror(errno));
}

/* What tests/guest/harness takes for a complaint. */
bool kernel_log_splat(char *line, size_t size)
{
	static const char *const words[] = {
		"BUG: ",
		"WARNING: ",
		"kernel BUG at",
		"Oops",
		"UBSAN",
		"general protection",
		"INFO: task",
		"INFO: possible",
		"INFO: rcu",
		"INFO: suspicious",
		"refcount_t: ",
		"list_add corruption",
		"list_del corruption",
		"unregister_netdevice: waiting",
		"restrack",
		"blocked for more than",
	};
	char record[8192];
	bool found = false;
	ssize_t n;
	size_t i;

	/* EPIPE: the log went round, go on with the oldest */
	while (kmsg >= 0 &&
	       ((n = read(kmsg, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE))) {
		char *text;

		if (n < 0)
			continue;
		record[n] = 0;
		text = strchr(record, ';');
		/* KCSAN sees races of all: those of others are none of Glass's */
		if (text && strstr(text, "BUG: KCSAN") && !strstr(text, "[glass]"))
			continue;
		for (i = 0; text && !found && i < ARRAY_LEN(words); i++)
			if (strstr(text, words[i])) {
				snprintf(line, size, "%.*s", (int)strcspn(text + 1, "\n"),
					 text + 1);
				found = true;
			}
	}
	return found;
}

/* ---- in the process of the program */

static void context_open(unsigned int i)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_get_context core;
		struct glass_alloc_ucontext_req driver;
	} cmd = { { IB_USER_VERBS_CMD_GET_CONTEXT, sizeof(cmd) / 4, 0 },
		  { 0 },
		  { GLASS_ABI_VERSION, 0 } };
	struct {
		struct ib_uverbs_get_context_resp core;
		struct glass_alloc_ucontext_resp driver;
	} resp = {};
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr;
	} bell = { .hdr = { .length = sizeof(bell),
			    .object_id = GLASS_OBJECT_DOORBELL,
			    .method_id = GLASS_METHOD_DOORBELL_ALLOC,
			    .num_attrs = 1 },
		   .attr = { .attr_id = GLASS_ATTR_DOORBELL_FD,
			     .flags = UVERBS_ATTR_F_MANDATORY } };

	cmd.hdr.out_words = sizeof(resp) / 4;
	cmd.core.response = (uintptr_t)&resp;
	world.async[i] = world.doorbell[i] = -1;
	world.fd[i] = open(site.uverbs[i], O_RDWR | O_CLOEXEC);
	if (world.fd[i] < 0 || write(world.fd[i], &cmd, sizeof(cmd)) != sizeof(cmd))
		return;
	world.async[i] = resp.core.async_fd;
	world.control[i] = resp.driver.control_mmap_offset;
	if (!ioctl(world.fd[i], RDMA_VERBS_IOCTL, &bell))
		world.doorbell[i] = bell.attr.data;
}

/*
 * Memory that a call unmapped: the program's own fault. A ring that no call took away must be there:
 * then the handler returns, and the same access ends the program by the signal.
 */
static void faulted(int number, siginfo_t *info, void *context)
{
	if (world.unmapped || !areas_hold((uintptr_t)info->si_addr))
		_exit(0);
	signal(number, SIG_DFL);
}

/* When memory is short, the kernel kills the program and not those who watch it. */
static void die_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		perror("door_fuzz: /proc/self/oom_score_adj");
	close(fd);
}

static void run_here(const struct program *p)
{
	struct sigaction fault = { .sa_sigaction = faulted, .sa_flags = SA_SIGINFO };
	unsigned int i;

	/* a program may not take the machine away from those who watch it */
	setrlimit(RLIMIT_AS, &(struct rlimit){ 1ull << 31, 1ull << 31 });
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 256, 256 });
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	die_first();
	for (i = 0; i < OBJ_COUNT; i++)
		world.things[i] = things[i];
	world.memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	cover_begin();
	for (i = 0; i < CONTEXTS; i++)
		context_open(i);
	cover_take();
	for (i = 0; i < p->ncalls; i++) {
		const struct row *r = rows[p->call[i].row];
		long result;

		cover->now = i;
		memset(answer, 0, 2048);
		result = r->call(r, p->call[i].value);
		cover_take();
		cover->calls++;
		if (getenv("DOOR_TRACE"))
			fprintf(stderr, "%2u %s: %ld%s%s\n", i, r->name, result,
				result < 0 ? " " : "", result < 0 ? strerror(-result) : "");
	}
	/* mappings hold the files, and what a process leaves is cleaned up by its last close */
	scribble_stop();
	things_unmap();
	for (i = 3; i < 256; i++)
		if (i != (unsigned int)kmsg)
			close(i);
	cover_take();
}

/* ---- beside it */

double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

bool wait_some(int pid, double seconds, int *status)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	double until = now_s() + seconds;

	while (poll(&p, 1, until > now_s() ? (int)((until - now_s()) * 1000) + 1 : 0) < 0 &&
	       errno == EINTR)
		;
	close(fd);
	return waitpid(pid, status, WNOHANG) == pid;
}

/* The kernel stacks of all threads of a process, on stderr. */
static void tell_stacks(int pid)
{
	char path[64], line[256];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		FILE *f;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/stack", pid, e->d_name);
		f = fopen(path, "r");
		fprintf(stderr, "thread %s:\n", e->d_name);
		while (f && fgets(line, sizeof(line), f))
			fprintf(stderr, "  %s", line);
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
}

static bool leaves_traces(const struct program *p)
{
	unsigned int i;

	for (i = 0; i < p->ncalls; i++)
		if (rows[p->call[i].row]->flags & ROW_LOCAL)
			return true;
	return false;
}

enum outcome program_run(const struct program *p, char *why, size_t size)
{
	enum outcome out = OUT_DONE;
	bool stuck = false;
	int pid, status = 0;

	cover->fresh = cover->calls = cover->now = 0;
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		perror("door_fuzz: fork");
		exit(2);
	}
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_here(p);
		_exit(0);
	}
	if (!wait_some(pid, limit_s, &status)) {
		out = OUT_HUNG;
		snprintf(why, size, "%s did not return in %u s",
			 rows[p->call[cover->now].row]->name, limit_s);
		fprintf(stderr, "door_fuzz: %s\n", why);
		tell_stacks(pid);
		kill(pid, SIGKILL);
		if (!wait_some(pid, limit_s, &status)) {
			tell_stacks(pid);
			snprintf(why, size, "%s cannot be killed",
				 rows[p->call[cover->now].row]->name);
			stuck = true;
		}
	} else if (WIFSIGNALED(status)) {
		out = OUT_DIED;
		snprintf(why, size, "signal %d in %s", WTERMSIG(status),
			 rows[p->call[cover->now].row]->name);
	}
	if (!stuck && leaves_traces(p) && !state_restore()) {
		out = OUT_HUNG;
		snprintf(why, size, "what the program left cannot be cleared in %u s", limit_s);
		stuck = true;
	}
	if (kernel_log_splat(why, size))
		return OUT_SPLAT;
	return stuck ? OUT_STUCK : out;
}
