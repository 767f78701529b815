// SPDX-License-Identifier: GPL-2.0-only
/* Devices and ports of this machine, and how they become again what they were. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "door.h"
#include "uapi/glass-lint.h"

struct site site;

static bool line_of(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

/* The number of glass0 or glass1, else -1. */
static int number_of(const char *dir, const char *name)
{
	char path[600], dev[64];

	snprintf(path, sizeof(path), "%s/%.200s/ibdev", dir, name);
	if (!line_of(path, dev, sizeof(dev)) || strncmp(dev, "glass", 5))
		return -1;
	return dev[5] >= '0' && dev[5] < '0' + CONTEXTS && !dev[6] ? dev[5] - '0' : -1;
}

#define VERBS "/sys/class/infiniband_verbs"
#define MADS  "/sys/class/infiniband_mad"

bool site_find(void)
{
	char path[600], buf[128];
	unsigned int i, k;
	struct dirent *e;
	DIR *d;
	int n;

	memset(&site, 0, sizeof(site));
	d = opendir(VERBS);
	while (d && (e = readdir(d))) {
		n = number_of(VERBS, e->d_name);
		if (n >= 0)
			snprintf(site.uverbs[n], sizeof(site.uverbs[n]), "/dev/infiniband/%.32s",
				 e->d_name);
	}
	if (d)
		closedir(d);
	d = opendir(MADS);
	while (d && (e = readdir(d))) {
		n = number_of(MADS, e->d_name);
		snprintf(path, sizeof(path), MADS "/%.200s/port", e->d_name);
		if (n >= 0 && !strncmp(e->d_name, "umad", 4) && line_of(path, buf, sizeof(buf)) &&
		    (buf[0] == '1' || buf[0] == '2'))
			snprintf(site.umad[2 * n + buf[0] - '1'], sizeof(site.umad[0]),
				 "/dev/infiniband/%.32s", e->d_name);
	}
	if (d)
		closedir(d);
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/glass%u/ports/%u/lid", i / 2,
			 i % 2 + 1);
		if (line_of(path, buf, sizeof(buf)))
			site.lid[i] = strtoul(buf, NULL, 0);
		snprintf(path, sizeof(path), "/sys/class/infiniband/glass%u/ports/%u/gids/0", i / 2,
			 i % 2 + 1);
		if (line_of(path, buf, sizeof(buf)) && strlen(buf) == 39)
			for (k = 0; k < 16; k++)
				sscanf(buf + k / 2 * 5 + k % 2 * 2, "%2hhx", &site.gid[i][k]);
	}
	netlink_indices();
	for (i = 0; i < CONTEXTS; i++)
		if (!site.uverbs[i][0] || access(site.uverbs[i], R_OK | W_OK))
			return false;
	return true;
}

bool site_active(void)
{
	char path[600], buf[128];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/glass%u/ports/%u/state", i / 2,
			 i % 2 + 1);
		if (!line_of(path, buf, sizeof(buf)) || !strstr(buf, "ACTIVE"))
			return false;
	}
	return true;
}

static void put(unsigned int dev, const char *file, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/glass/glass%u/%s", dev, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		fprintf(stderr, "door_fuzz: %s: %m\n", path);
	close(fd);
}

/* OpenSM sweeps at once when it gets SIGHUP. */
static void subnet_sweep(void)
{
	char path[600], comm[64];
	struct dirent *e;
	DIR *d = opendir("/proc");

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%.32s/comm", e->d_name);
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9' &&
		    line_of(path, comm, sizeof(comm)) && !strcmp(comm, "opensm"))
			kill(atoi(e->d_name), SIGHUP);
	}
	if (d)
		closedir(d);
}

#define BEHAVIOR_WORD(n, w, kind, clause, meaning) "behavior/" #w,
static const char *const behaviors[] = { GLASS_BEHAVIORS(BEHAVIOR_WORD) };

/* In a process of its own: a file whose lock a program took with it blocks for ever. */
static bool clear_files(void)
{
	unsigned int dev, i;
	int pid = fork(), status;

	if (pid < 0) {
		perror("door_fuzz: fork");
		exit(2);
	}
	if (pid) {
		if (wait_some(pid, limit_s, &status))
			return true;
		kill(pid, SIGKILL);
		return wait_some(pid, limit_s, &status);
	}
	for (dev = 0; dev < CONTEXTS; dev++) {
		put(dev, "inject/rules", "clear");
		put(dev, "lint/scope", "clear");
		put(dev, "lint/mute", "clear");
		put(dev, "flight", "on");
		put(dev, "flight", "rearm");
		for (i = 0; i < ARRAY_LEN(behaviors); i++)
			put(dev, behaviors[i], "0");
	}
	_exit(0);
}

bool state_restore(void)
{
	static bool subnet = true; /* ports were active when it was looked last */
	unsigned int i;

	if (!clear_files())
		return false;
	/* a device that was unplugged comes back when its rule goes; its nodes below /dev a moment
	 * later */
	for (i = 0; !site_find() && i < 600; i++)
		poll(NULL, 0, 100);
	if (site_active()) {
		subnet = true;
		return true;
	}
	if (!subnet)
		return true;
	subnet_sweep();
	for (i = 0; !site_active() && i < 300; i++)
		poll(NULL, 0, 100);
	subnet = site_active();
	if (!subnet)
		fprintf(stderr,
			"door_fuzz: the subnet manager did not make all ports ACTIVE again\n");
	site_find();
	return true;
}
