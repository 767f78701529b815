// SPDX-License-Identifier: GPL-2.0-only
/* save: writes the fabric as commands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lib/printable.h"
#include "uapi/glass-version.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **file = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*file)
		argp_error(state, "more than one FILE: %s and %s", *file, arg);
	*file = arg;
	return 0;
}

/* No word of a command can name a namespace without a name. */
static void tell_unnamed(const struct topo *t)
{
	const struct topo_netcable *c;
	uint32_t i;

	for (i = 0; i < t->netcables; i++) {
		c = &t->netcable[i];
		if (!c->netns && c->netns_number)
			cli_error("%s:%u: %s is in the network namespace %llu, which has no name; load will "
				  "look for it in its own",
				  t->node[c->end.node].name, c->end.port, c->netdev,
				  (unsigned long long)c->netns_number);
	}
}

/*
 * The Ethernet ports are no part of the fabric that load builds. Writes how to make them as comments, and
 * says so.
 */
static void put_ethers(const struct topo *t, FILE *to)
{
	const struct topo_ether *e;
	const struct topo_node *n;
	char *where, *netdev;
	uint32_t i;

	for (i = 0; i < t->nodes; i++) {
		n = &t->node[i];
		e = n->ether;
		if (n->gone || !e)
			continue;
		netdev = format_text("%s", e->netdev);
		printable(netdev);
		where = e->netns	  ? format_text(", in the network namespace %s", e->netns)
			: e->netns_number ? format_text(", in the network namespace %llu, which has no name",
							(unsigned long long)e->netns_number)
					  : format_text("%s", "");
		printable(where);
		fprintf(to, "# Ethernet port, not built by load%s: rdma link add %s type glass netdev %s\n", where,
			n->device ? n->device : n->name, netdev);
		cli_error("%s is an Ethernet port of %s: no part of a fabric that load builds; a comment says how to "
			  "make it", n->name, netdev);
		free(where);
		free(netdev);
	}
}

int cmd_save(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse,
		"[FILE]",
		"Writes the fabric, with GUIDs, descriptions, pulled cables and netdev cables, to FILE or standard "
		"output. "
		"\"ibfabric load FILE\" builds it again. Ethernet ports are left out, with a comment for each.",
		NULL,
		NULL,
		NULL
	};
	struct topo_commands commands;
	const char *file = NULL;
	struct topo t = { 0 };
	enum status status;
	FILE *to = stdout;

	parse_options(&argp, argc, argv, &file);
	status = driver_read(&t);
	if (status)
		goto out;
	if (file && strcmp(file, "-"))
		to = fopen(file, "we");
	if (!to) {
		cli_error("%s: %s", file, strerror(errno));
		status = ST_FAILED;
		goto out;
	}
	tell_unnamed(&t);
	topo_commands(&t, &commands);
	fprintf(to, "# ibfabric %s\n%s", GLASS_VERSION, commands.text);
	put_ethers(&t, to);
	topo_commands_free(&commands);
	if (to != stdout && fclose(to)) {
		cli_error("%s: %s", file, strerror(errno));
		status = ST_FAILED;
	}
out:
	topo_free(&t);
	return status;
}
