// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random lines for inject/rules of a device: rules that make sense, rules that do not, and noise.
 * Each must be taken, or refused with EINVAL (no room: ENOSPC) and a reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "uapi/glass-enums.h"
#include "uapi/glass-inject.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ROOT   "/sys/kernel/debug/glass"

#define KEY_WORD(n, w, v, s, m) #w,
#define ACT_WORD(n, w, v) #w,
#define ACT_NEEDS(n, s, p, m) p,
static const char *const keys[] = { GLASS_INJECT_KEYS(KEY_WORD) };
static const char *const actions[] = { GLASS_ACTIONS(ACT_WORD) };
static const char *const needs[] = { GLASS_INJECT_ACTIONS(ACT_NEEDS) };

static const char *const values[] = {
	"0", "1", "2", "0x11", "0..5", "5..1", "4294967295", "18446744073709551615", "99999999999999999999",
	"send", "write,read", "ack", "tx", "rx", "rc", "ud", "rts", "reg_mr", "post_send", "create_qp",
	"ENOMEM", "EIO", "rem_access_err", "rnr_retry_exc_err", "comm_est", "port_err", "device_fatal",
	"50%", "0.001", "100.0000001%", "1%,20%", "1h", "10ms..20ms", "200us", "normal", "header", "vcrc",
	"good", "frozen", "run", "rem_access", "yes", "fd", "r1", "r7:3", "traffic", "ibv_*", "%41?", "", "=",
	"-1", "0x", "perf", "get", "count",
};

/* What an action cannot do without, as it may be */
static const struct {
	const char *key, *value;
} good[] = {
	{ "qpn", "0x11" }, { "cqn", "3" },     { "srqn", "2" },        { "port", "2" },
	{ "lid", "77" },   { "index", "3" },   { "value", "0x8123" },  { "code", "inv_req" },
	{ "status", "rem_op_err" }, { "verb", "reg_mr" }, { "err", "EINVAL" }, { "event", "lid_change port=1" },
};

static unsigned int seed;
static char line[2 * GLASS_INJECT_LINE];
static size_t len;

static uint64_t below(uint64_t n)
{
	return ((uint64_t)rand_r(&seed) << 31 | (uint64_t)rand_r(&seed)) % n;
}

static __attribute__((format(printf, 1, 2))) void put(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line + len, sizeof(line) - len, format, args);
	va_end(args);
	len += len + n < sizeof(line) ? (size_t)n : 0;
}

/* An action, most often with what it needs. */
static void put_action(void)
{
	size_t a = below(LEN(actions)), i;
	char want[32];

	/* it takes a device away, and seconds */
	if (!strcmp(actions[a], "unplug") && below(200))
		a = GLASS_ACT_DROP;
	put(" act=%s", actions[a]);
	for (i = 0; i < LEN(good) && below(16); i++) {
		snprintf(want, sizeof(want), "%s!", good[i].key);
		if (strstr(needs[a], want))
			put(" %s=%s", good[i].key, good[i].value);
	}
}

static void make_line(void)
{
	static const char *const heads[] = { "add", "add", "add", "add", "add", "add", "add",
					     "del", "step", "release" };
	size_t n = below(5), i;

	len = 0;
	if (!below(32)) {
		for (i = below(GLASS_INJECT_LINE + 64); i; i--)
			line[len++] = below(256);
		return;
	}
	put("%s", heads[below(LEN(heads))]);
	if (below(16))
		put_action();
	while (n--)
		put(" %s=%s", keys[below(LEN(keys))], values[below(LEN(values))]);
	for (i = below(4) ? 0 : below(6); i && len; i--)
		line[below(len)] = below(256);
}

static int open_file(const char *dev, const char *file, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), ROOT "/%s/inject/%s", dev, file);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "rule_fuzz: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	return fd;
}

/* All of a file; how many bytes. */
static size_t read_all(const char *dev, const char *file)
{
	int fd = open_file(dev, file, O_RDONLY);
	char some[16384];
	size_t sum = 0;
	ssize_t n;

	while ((n = read(fd, some, sizeof(some))) > 0)
		sum += n;
	close(fd);
	return sum;
}

static void complain(const char *what)
{
	size_t i;

	printf("%s: %s\n", what, strerror(errno));
	for (i = 0; i < len; i++)
		printf(line[i] >= ' ' && line[i] <= '~' && line[i] != '\\' ? "%c" : "\\x%02x",
		       (unsigned char)line[i]);
	putchar('\n');
	exit(1);
}

int main(int argc, char **argv)
{
	unsigned long lines = 100000, taken = 0, i;
	const char *dev;
	int c, fd;

	seed = time(NULL) | 1;
	while ((c = getopt(argc, argv, "n:s:")) != -1) {
		if (c == 'n')
			lines = strtoul(optarg, NULL, 0);
		else if (c == 's')
			seed = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "Usage: rule_fuzz [-n LINES] [-s SEED] DEVICE\n"
				"Exit status 0: all were taken, or refused as they have to be; 1: one was not.\n");
		return 2;
	}
	dev = argv[optind];
	printf("seed %u\n", seed);
	fflush(stdout);
	fd = open_file(dev, "rules", O_WRONLY);
	for (i = 0; i < lines; i++) {
		make_line();
		if (write(fd, line, len) == (ssize_t)len)
			taken++;
		else if (errno != EINVAL && errno != ENOSPC)
			complain("refused in another way");
		else if (errno == EINVAL && len && !(i % 64) && !read_all(dev, "last_error"))
			complain("refused without a reason");
		if (i % 1000 == 999) {
			read_all(dev, "rules");
			read_all(dev, "journal");
			read_all(dev, "stats");
			if (write(fd, "clear", 5) != 5)
				complain("clear was refused");
		}
	}
	if (write(fd, "clear", 5) != 5)
		complain("clear was refused");
	printf("%lu of %lu taken\n", taken, lines);
	return 0;
}
