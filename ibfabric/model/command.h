/* SPDX-License-Identifier: GPL-2.0-only */
/* A fabric as commands of the driver (configfs), and limits that a fabric must keep. */
#ifndef IBFABRIC_COMMAND_H
#define IBFABRIC_COMMAND_H

#include "topo.h"

/*
 * Lines of commands, each with the place in a file that it comes from. A cable or an HCA may have
 * the key netns=, which is not the driver's: the command is written from that network namespace.
 */
struct topo_commands {
	char *text; /* NUL-terminated */
	size_t len;
	struct topo_place *place; /* of each line */
	uint32_t lines;
};

/* The commands that build the fabric: nodes first, then cables. Free it with topo_commands_free().
 */
void topo_commands(const struct topo *t, struct topo_commands *to);
void topo_commands_free(struct topo_commands *commands);

/*
 * Finds the end of the longest run of complete lines from `at` that fits into one write(2).
 * Returns `at` itself if the line there does not fit; *lines is the number of lines. A line with
 * netns= is a run of its own.
 */
size_t topo_commands_chunk(const struct topo_commands *commands, size_t at, uint32_t *lines);

/* Returns the word netns= of a line (which ends in a newline or NUL) for a cable or an HCA, or NULL. */
const char *topo_command_netns(const char *line);

#endif
