// SPDX-License-Identifier: GPL-2.0-only
#include "netns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/nearest.h"

#define OWN	  "/proc/self/ns/net"
#define NAMES_MAX 8 /* that a message lists */

const char *netns_root = "/run/netns";

/* Appends ", NAME" to a list of names, which *list is after the first NAMES_MAX. */
static void list_name(char **list, unsigned int number, const char *name)
{
	char *longer;

	if (number > NAMES_MAX)
		return;
	longer = format_text("%s%s%s", *list, *list[0] ? ", " : "", number == NAMES_MAX ? "..." : name);
	free(*list);
	*list = longer;
}

/* "there are near, far", for an error about a name that is none. The caller frees it. */
static char *tell_names(const char *wanted)
{
	struct glass_nearest near = glass_nearest_to(wanted);
	char *list = format_text("%s", ""), *text, *found = NULL;
	DIR *dir = opendir(netns_root);
	struct dirent *entry;
	unsigned int n = 0;

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		near.found = NULL;
		glass_nearest_consider(&near, entry->d_name);
		if (near.found) {
			free(found);
			found = format_text("%s", near.found);
		}
		list_name(&list, n++, entry->d_name);
	}
	if (dir)
		closedir(dir);
	text = found ? format_text("did you mean %s?", found)
	       : n   ? format_text("there are %s", list)
		     : format_text("there are none; \"ip netns add\" makes one");
	free(found);
	free(list);
	return text;
}

char *netns_open(const char *word, int *fd)
{
	bool number = *word && strspn(word, "0123456789") == strlen(word);
	char *path, *names, *refused;

	path = strchr(word, '/') ? format_text("%s", word) : format_text("%s/%s", netns_root, word);
	*fd = *word && strcmp(word, ".") && strcmp(word, "..") ?
		      open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	free(path);
	if (*fd >= 0)
		return NULL;
	if (strchr(word, '/'))
		return format_text("netns=%s: %s", word, strerror(errno));
	if (number) {
		path = format_text("/proc/%s/ns/net", word);
		*fd = open(path, O_RDONLY | O_CLOEXEC);
		free(path);
		if (*fd >= 0)
			return NULL;
		if (errno == EACCES || errno == EPERM)
			return format_text("netns=%s: the namespace of this process may not be entered; run this "
					   "program as root", word);
		return format_text("netns=%s: there is no such process, and no network namespace of this name", word);
	}
	names = tell_names(word);
	refused = format_text("netns=%s: there is no network namespace of this name in %s; %s", word,
			      netns_root, names);
	free(names);
	return refused;
}

uint64_t netns_of(int fd)
{
	struct stat own, st;

	/* namespaces of all kinds are files of one file system */
	if (fstat(fd, &st) || stat(OWN, &own) || st.st_dev != own.st_dev)
		return 0;
	return st.st_ino;
}

uint64_t netns_own(void)
{
	struct stat st;

	return stat(OWN, &st) ? 0 : st.st_ino;
}

char *netns_enter(int fd, struct netns_way *way)
{
	int err;

	way->back = -1;
	/* a program needs no right to stay where it is */
	if (netns_of(fd) && netns_of(fd) == netns_own())
		return NULL;
	way->back = open(OWN, O_RDONLY | O_CLOEXEC);
	if (way->back >= 0 && !setns(fd, CLONE_NEWNET))
		return NULL;
	err = errno;
	if (way->back >= 0)
		close(way->back);
	way->back = -1;
	return format_text("%s", err == EINVAL ? "this is no network namespace"
				 : err == EPERM
					 ? "only root may enter a network namespace; run this program as root"
					 : strerror(err));
}

void netns_leave(struct netns_way *way)
{
	if (way->back < 0)
		return;
	if (setns(way->back, CLONE_NEWNET))
		cli_die(CLI_FAILED, "the network namespace cannot be left: %s", strerror(errno));
	close(way->back);
	way->back = -1;
}

char *netns_name(uint64_t number)
{
	DIR *dir = opendir(netns_root);
	struct dirent *entry;
	char *name = NULL;
	int fd;

	while (dir && !name && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (netns_of(fd) == number)
			name = format_text("%s", entry->d_name);
		close(fd);
	}
	if (dir)
		closedir(dir);
	return name;
}

char *netns_interfaces(const char *wanted)
{
	struct glass_nearest near = glass_nearest_to(wanted);
	struct if_nameindex *all = if_nameindex(), *i;
	char *list = format_text("%s", ""), *text;
	unsigned int n = 0;

	for (i = all; i && i->if_name; i++) {
		glass_nearest_consider(&near, i->if_name);
		list_name(&list, n++, i->if_name);
	}
	text = near.found ? format_text("did you mean %s?", near.found)
			  : format_text("there are %s", n ? list : "none");
	if (all)
		if_freenameindex(all);
	free(list);
	return text;
}
