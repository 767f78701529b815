/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this machine could do at best: copies of 64 KiB blocks in user space and in the kernel, the price of a system
 * call and of waking another process. Prints "name value unit", one a line.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 65536
/* Eight different blocks a side: neither all in one page table entry nor out of every cache. */
#define BLOCKS 8

static char *src, *dst;
static int fds[2], file;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void copy_user(unsigned int i)
{
	memcpy(dst + i % BLOCKS * BLOCK, src + i % BLOCKS * BLOCK, BLOCK);
	/* The copy has a reader. */
	__asm__ volatile("" : : "r"(dst) : "memory");
}

static void copy_vm_readv(unsigned int i)
{
	struct iovec to = { dst + i % BLOCKS * BLOCK, BLOCK }, from = { src + i % BLOCKS * BLOCK, BLOCK };

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != BLOCK)
		die("process_vm_readv");
}

/* The kernel's copy and little else: from a file in memory. */
static void copy_file(unsigned int i)
{
	if (pread(file, dst + i % BLOCKS * BLOCK, BLOCK, i % BLOCKS * BLOCK) != BLOCK)
		die("pread");
}

/* Two copies a block: into the pipe and out of it. */
static void copy_pipe(unsigned int i)
{
	size_t at, n;

	if (write(fds[1], src + i % BLOCKS * BLOCK, BLOCK) != BLOCK)
		die("write to a pipe");
	for (at = 0; at < BLOCK; at += n) {
		n = read(fds[0], dst + i % BLOCKS * BLOCK + at, BLOCK - at);
		if ((ssize_t)n <= 0)
			die("read from a pipe");
	}
}

static void null_call(unsigned int i)
{
	syscall(SYS_getppid);
}

/* Best of five, each of a tenth of a second: a limit is what is reached when nothing disturbs. Seconds a call. */
static double best(void (*call)(unsigned int), unsigned int batch)
{
	double start, took, least = 1e9;
	unsigned int i, n;
	int run;

	for (run = 0; run < 6; run++) {
		start = now();
		n = 0;
		do {
			for (i = 0; i < batch; i++)
				call(n + i);
			n += batch;
			took = now() - start;
		} while (took < 0.1);
		if (run && took / n < least)
			least = took / n;
	}
	return least;
}

/* A byte there and back between two processes that sleep: what being woken costs. */
static double round_trip(void)
{
	int there[2], back[2], run, i;
	double start, took, least = 1e9;
	char byte = 0;
	pid_t child;

	if (pipe(there) || pipe(back))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1)
			if (write(back[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	for (run = 0; run < 5; run++) {
		start = now();
		for (i = 0; i < 500; i++)
			if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
				die("pipe");
		took = (now() - start) / 500;
		if (took < least)
			least = took;
	}
	close(there[1]);
	waitpid(child, NULL, 0);
	return least;
}

static double mib(double seconds)
{
	return BLOCK / seconds / (1 << 20);
}

int main(void)
{
	src = aligned_alloc(4096, BLOCK * BLOCKS);
	dst = aligned_alloc(4096, BLOCK * BLOCKS);
	if (!src || !dst)
		die("memory");
	memset(src, 1, BLOCK * BLOCKS);
	memset(dst, 2, BLOCK * BLOCKS);
	file = memfd_create("bench", 0);
	if (file < 0 || write(file, src, BLOCK * BLOCKS) != BLOCK * BLOCKS)
		die("memfd");
	if (pipe(fds) || fcntl(fds[1], F_SETPIPE_SZ, 4 * BLOCK) < 0)
		die("pipe");
	printf("memcpy %.0f MiB/s\n", mib(best(copy_user, 16)));
	printf("pread %.0f MiB/s\n", mib(best(copy_file, 16)));
	printf("process_vm_readv %.0f MiB/s\n", mib(best(copy_vm_readv, 16)));
	printf("pipe %.0f MiB/s\n", mib(best(copy_pipe, 16)));
	printf("syscall %.2f us\n", best(null_call, 1000) * 1e6);
	printf("wake %.1f us\n", round_trip() * 1e6);
	return 0;
}
