/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Network namespaces. The driver looks for an interface in the network namespace of the process
 * that writes the command, so the program enters a namespace for one write.
 */
#ifndef IBFABRIC_NETNS_H
#define IBFABRIC_NETNS_H

#include <stdbool.h>
#include <stdint.h>

/* /run/netns, where "ip netns" keeps namespaces by name. Tests use another. */
extern const char *netns_root;

/*
 * Opens the namespace that a word names: a name in netns_root, a path (with a slash), or a PID.
 * Returns NULL, and *fd is open; or returns the reason why not, which the caller frees.
 */
char *netns_open(const char *word, int *fd);

/* The way back, for netns_leave() */
struct netns_way {
	int back; /* the namespace that was left; -1: none was */
};

/*
 * Enters the namespace of fd. Returns NULL, or the reason why not, which the caller frees. A program
 * that cannot come back exits in netns_leave().
 */
char *netns_enter(int fd, struct netns_way *way);
void netns_leave(struct netns_way *way);

/* The inode number of the namespace of the program, or of fd; 0: unknown */
uint64_t netns_own(void);
uint64_t netns_of(int fd);
/* Returns the name that a namespace has in netns_root, or NULL. The caller frees it. */
char *netns_name(uint64_t number);

/*
 * Returns "did you mean veth0?" or "there are lo, veth1", of the interfaces of the namespace that
 * the program is in. The caller frees it.
 */
char *netns_interfaces(const char *wanted);

#endif
