// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks the part of a perftest program in which messages are sent, for vm/plugin/counts.c. Preloaded into both programs
 * (LD_PRELOAD); perftest itself stays as it is.
 *
 * perftest talks to its peer by read() and write() on a socket until both are ready. Then it allocates what the loop needs, sends,
 * and frees that; at last it calls gettimeofday() to find out how fast its clock is. So each read() and write() that perftest itself
 * calls begins the count anew, the next free() ends it, and the first gettimeofday() keeps what was counted last.
 *
 * How often a program looks into an empty CQ depends on the scheduler: it polls until its time slice ends. Such polls of both
 * programs are counted here (GLASS_PAGES.polls, shared), and a second count, of EMPTY_POLLS of them, tells what one costs. It is
 * repeated while the other program polls during it, because the two share the pages of the provider's code.
 *
 * GLASS_BESIDE: the name of a FIFO. Just before the process takes its first QP to RTS, when both ends have all their objects, it opens the
 * FIFO for writing, and waits until the reader closes it: bench/instructions makes idle objects at this time.
 *
 * GLASS_MARKS: the process that has it, the client, makes the marks. At its end each process writes to the file GLASS_PAGES.PID
 * which files its code is from: a line "FRAME FILE OFFSET" for each page, with the number of the page frame that it is in, and the
 * lines "mark PHYSICAL_ADDRESS" of the end mark and "polls NUMBER" of polls that found nothing in the first count. Root only: others
 * are not told page frames.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <link.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "marks.h"

#define EXPORT __attribute__((visibility("default")))
#define PAGE 4096
#define EMPTY_POLLS 1000
#define MOST_TRIES 100
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* The same functions by the names that no preloaded library replaces. */
ssize_t __read(int fd, void *buf, size_t count);
ssize_t __write(int fd, const void *buf, size_t count);
int __gettimeofday(struct timeval *tv, void *tz);
void __libc_free(void *pointer);

static enum { OFF, WAITING, COUNTING, COUNTED } state;
/* The NOP itself. */
extern const char end_mark[] __attribute__((visibility("hidden")));

/* The code of perftest itself. */
static uintptr_t code_start, code_end;

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
			continue;
		code_start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		code_end = code_start + info->dlpi_phdr[i].p_memsz;
	}
	/* The first is the program. */
	return 1;
}

/* Of client and server each: the empty polls since the last begin, and all polls; shared by the two. */
struct polls {
	uint64_t empty, all;
};
static struct polls no_polls[2], *polls = no_polls;
static uint64_t polls_counted;
static int (*real_poll)(struct ibv_cq *cq, int n, struct ibv_wc *wc);
static struct ibv_cq *polled;

static bool from_program(uintptr_t caller)
{
	return caller - code_start < code_end - code_start;
}

static void give_up(const char *what)
{
	perror(what);
	_exit(127);
}

__attribute__((constructor)) static void start(void)
{
	const char *name = getenv("GLASS_PAGES");
	char path[512];
	int fd;

	if (!name)
		return;
	snprintf(path, sizeof(path), "%s.polls", name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, PAGE))
		give_up(path);
	polls = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (polls == MAP_FAILED)
		give_up(path);
	close(fd);
	if (!getenv("GLASS_MARKS"))
		return;
	dl_iterate_phdr(find_code, NULL);
	state = WAITING;
}

/* The page frame of an address, 0 if it has none. */
static uint64_t frame(int pagemap, uintptr_t address)
{
	uint64_t entry;

	if (pread(pagemap, &entry, sizeof(entry), address / PAGE * sizeof(entry)) != sizeof(entry))
		return 0;
	return entry >> 63 ? entry & ((1ull << 55) - 1) : 0;
}

/* While the libraries that were loaded later are still there. */
__attribute__((destructor)) static void finish(void)
{
	const char *name = getenv("GLASS_PAGES");
	char path[512], line[1024];
	FILE *maps, *out;
	int pagemap;

	if (!name)
		return;
	snprintf(path, sizeof(path), "%s.%d", name, getpid());
	maps = fopen("/proc/self/maps", "re");
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	out = fopen(path, "we");
	if (!maps || pagemap < 0 || !out)
		give_up(path);
	while (fgets(line, sizeof(line), maps)) {
		uintptr_t from, to, offset;
		char access[5];

		path[0] = 0;
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %511s", &from, &to, access, &offset, path) < 4 || access[2] != 'x')
			continue;
		for (uintptr_t at = from; at < to; at += PAGE) {
			uint64_t in = frame(pagemap, at);

			if (in)
				fprintf(out, "%" PRIx64 " %s %" PRIxPTR "\n", in, path[0] ? path : "(anonymous)", offset + at - from);
		}
	}
	fprintf(out, "polls %" PRIu64 "\n", polls_counted);
	fprintf(out, "mark %" PRIx64 "\n", frame(pagemap, (uintptr_t)end_mark) * PAGE + (uintptr_t)end_mark % PAGE);
	if (fclose(out))
		give_up("pages");
	fclose(maps);
	close(pagemap);
}

static void begin(uintptr_t caller)
{
	if (state == OFF || !from_program(caller))
		return;
	state = COUNTING;
	polls[0].empty = polls[1].empty = 0;
	glass_mark(GLASS_MARK_BEGIN);
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int found = real_poll(cq, n, wc);

	polls[state == OFF].all++;
	if (!found)
		polls[state == OFF].empty++;
	polled = cq;
	return found;
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*real_open)(struct ibv_device *device) = dlsym(RTLD_NEXT, "ibv_open_device");
	struct ibv_context *context = real_open(device);

	if (context && context->ops.poll_cq != poll_cq) {
		real_poll = context->ops.poll_cq;
		context->ops.poll_cq = poll_cq;
	}
	return context;
}

/* All messages are complete, and the CQ is empty. */
static void count_empty_polls(void)
{
	const volatile uint64_t *polls_of_server = &polls[1].all;
	struct ibv_wc wc[16];
	int found = 0, tries = 0;
	uint64_t before;

	do {
		if (tries++ == MOST_TRIES) {
			fprintf(stderr, "marks: the server polled during each of %d counts of empty polls\n", MOST_TRIES);
			_exit(127);
		}
		before = *polls_of_server;
		glass_mark(GLASS_MARK_BEGIN);
		for (int i = 0; i < EMPTY_POLLS; i++)
			found |= real_poll(polled, 16, wc);
		glass_mark(GLASS_MARK_END);
	} while (*polls_of_server != before);
	glass_mark(GLASS_MARK_KEEP);
	if (found) {
		fprintf(stderr, "marks: a completion came late\n");
		_exit(127);
	}
}

static void wait_beside(void)
{
	const char *name = getenv("GLASS_BESIDE");
	struct pollfd reader = { .fd = name ? open(name, O_WRONLY | O_CLOEXEC) : -1 };

	if (!name)
		return;
	/* the end of a pipe for writing has POLLERR when no reader is left */
	if (reader.fd < 0 || poll(&reader, 1, -1) != 1)
		give_up(name);
	close(reader.fd);
	unsetenv("GLASS_BESIDE");
}

EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int (*real_modify)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) = dlsym(RTLD_NEXT, "ibv_modify_qp");

	if (mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RTS)
		wait_beside();
	return real_modify(qp, attr, mask);
}

EXPORT ssize_t read(int fd, void *buf, size_t count)
{
	ssize_t n = __read(fd, buf, count);

	begin(CALLER);
	return n;
}

EXPORT ssize_t write(int fd, const void *buf, size_t count)
{
	ssize_t n = __write(fd, buf, count);

	begin(CALLER);
	return n;
}

EXPORT void free(void *pointer)
{
	if (state == COUNTING && from_program(CALLER)) {
		__asm__ volatile("end_mark:");
		glass_mark(GLASS_MARK_END);
		polls_counted = polls[0].empty + polls[1].empty;
		state = COUNTED;
	}
	__libc_free(pointer);
}

EXPORT int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
	if (state == COUNTED && from_program(CALLER)) {
		glass_mark(GLASS_MARK_KEEP);
		count_empty_polls();
		state = OFF;
	}
	return __gettimeofday(tv, tz);
}
