// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads a module while the kernel lets the N-th of its attempts to get something fail (Documentation/fault-injection,
 * fail-nth), in this task alone.
 *
 *   load_failing MODULE.ko N [PARAMETERS]
 *
 * Prints "loaded" or "failed ERRNO", and "injected" or "untouched PLACES": with N beyond the last attempt nothing fails, and there
 * were so many attempts. Status 0, or 2 when this kernel cannot do it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "load_failing: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	return fd;
}

int main(int argc, char **argv)
{
	const char *parameters = argc > 3 ? argv[3] : "";
	char left[32] = "";
	int module, nth, err;
	ssize_t n;
	long ret;

	if (argc < 3) {
		fprintf(stderr, "Usage: load_failing MODULE.ko N [PARAMETERS]\n");
		return 2;
	}
	module = open_or_die(argv[1], O_RDONLY);
	nth = open_or_die("/proc/thread-self/fail-nth", O_RDWR);
	/* what is printed later is not what fails */
	setvbuf(stdout, NULL, _IOFBF, 4096);
	if (write(nth, argv[2], strlen(argv[2])) < 0) {
		fprintf(stderr, "load_failing: fail-nth %s: %s\n", argv[2], strerror(errno));
		return 2;
	}
	ret = syscall(SYS_finit_module, module, parameters, 0);
	err = errno;
	n = pread(nth, left, sizeof(left) - 1, 0);
	/* what should fail was there still, and then it was this */
	if (n < 0 && errno == EFAULT)
		n = snprintf(left, sizeof(left), "1");
	/* ... or then this */
	if (n < 0 || (pwrite(nth, "0", 1, 0) < 0 && (errno != EFAULT || pwrite(nth, "0", 1, 0) < 0))) {
		fprintf(stderr, "load_failing: fail-nth: %s\n", strerror(errno));
		return 2;
	}
	if (ret)
		printf("failed %s", strerrorname_np(err));
	else
		printf("loaded");
	/* it counts down to 0 */
	if (atoi(left))
		printf(" untouched %d\n", atoi(argv[2]) - atoi(left));
	else
		puts(" injected");
	return 0;
}
