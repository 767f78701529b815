// SPDX-License-Identifier: GPL-2.0-only
/* add, remove, clear, cut, plug: change the fabric. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lib/debugfs/text.h"

#define WORDS_MAX 64

struct words {
	char *word[WORDS_MAX];
	int count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct words *w = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (w->count == WORDS_MAX)
		argp_error(state, "more than %d words", WORDS_MAX);
	w->word[w->count++] = arg;
	return 0;
}

/* Returns the word as a command has it: a description and a path may have any bytes. */
static char *encode(const char *word)
{
	const char *equal = strchr(word, '=');
	char *text = malloc(DEBUGFS_ENCODED(strlen(word)) + 1);
	size_t len = equal ? equal + 1 - word : 0;

	if (!text)
		cli_die(CLI_FAILED, "out of memory");
	if (!equal || (strncmp(word, "desc=", 5) && strncmp(word, "netns=", 6))) {
		strcpy(text, word);
		return text;
	}
	memcpy(text, word, len);
	/* an encoded byte stays as it is */
	debugfs_encode(equal + 1, "%", text + len);
	return text;
}

int cmd_add(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse,
		"hca|ca|switch NAME ports=N [KEY=VALUE]...\nhca NAME netdev=INTERFACE [KEY=VALUE]...\n"
		"cable A:P B:P [KEY=VALUE]...\ncable A:P netdev=INTERFACE [KEY=VALUE]...",
		"Gives one command to the driver. A cable with netdev= joins the port to the fabric of another "
		"host, by a network interface. An hca with netdev= has an Ethernet port: RoCEv2.\v"
		"Keys of nodes: ports, guid, sysguid, portguids (0x1,0x2), vendor, devid, desc. Keys of cables: "
		"width (1, 2, 4, 8, 12), speed (sdr to ndr), mtu (256 to 4096), pulled=yes. Keys of cables with "
		"netdev= besides: netns (the network namespace of the interface: a name in /run/netns, a path, or "
		"a PID), silence (ms after which a silent peer is gone), vcrc=yes. An hca with netdev= takes netns, and "
		"neither width nor speed. docs/ibfabric.md has all.\n\nExamples:\n"
		"  ibfabric add switch sw3 ports=8\n"
		"  ibfabric add hca glass2 ports=1 desc='my host'\n"
		"  ibfabric add cable sw3:1 glass2:1 width=1\n"
		"  ibfabric add cable sw3:8 netdev=veth0 netns=far\n"
		"  ibfabric add hca glassr0 netdev=eth0",
		NULL,
		NULL,
		NULL
	};
	struct words w = { .count = 0 };
	enum status status;
	char *line, *more, *word;
	int i;

	parse_options(&argp, argc, argv, &w);
	if (w.count < 2) {
		cli_error("add: expected a command, such as \"ibfabric add switch sw3 ports=8\"");
		return ST_USAGE;
	}
	line = format_text("%s", w.word[0]);
	for (i = 1; i < w.count; i++) {
		word = encode(w.word[i]);
		more = format_text("%s %s", line, word);
		free(word);
		free(line);
		line = more;
	}
	if (strchr(line, '\n')) {
		cli_error("add: a newline in the command");
		free(line);
		return ST_USAGE;
	}
	status = driver_run_line(line);
	free(line);
	return status;
}

int cmd_clear(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		NULL,
		NULL,
		"Removes all nodes and cables. Programs that use an HCA see it "
		"unplugged.",
		NULL,
		NULL,
		NULL
	};

	parse_options(&argp, argc, argv, NULL);
	return driver_run_line("clear");
}

static void tell_unknown(const struct topo *t, const char *name)
{
	const char *near = topo_nearest(t, name);

	if (near)
		cli_error("%s: there is no such node; did you mean %s?", name, near);
	else
		cli_error("%s: there is no such node; \"ibfabric show\" lists them", name);
}

/* Adds a line to commands. */
static void put(struct topo_commands *to, const char *command, const char *object)
{
	char *text = format_text("%s%s %s\n", to->text ? to->text : "", command, object);

	free(to->text);
	to->text = text;
	to->len = strlen(text);
	to->lines++;
}

/* Finds the cable at a port, of either kind. Returns false after an error. */
static bool find_cable(const struct topo *t, const char *word, bool *pulled)
{
	const struct topo_netcable *net;
	struct topo_end end;
	char *refused = topo_read_end(t, word, strlen(word), &end);
	uint32_t cable;

	if (refused) {
		cli_error("%s", refused);
		free(refused);
		return false;
	}
	cable = t->node[end.node].port[end.port].cable;
	net = topo_netcable_at(t, end);
	if (!cable && !net) {
		cli_error("%s has no cable", word);
		return false;
	}
	*pulled = net ? net->pulled : t->cable[cable - 1].pulled;
	return true;
}

int cmd_remove(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse,
		"NAME|A:P...",
		"Removes nodes with their cables, or the cables at ports A:P. Programs that use such an HCA "
		"see it unplugged.",
		NULL,
		NULL,
		NULL
	};
	struct topo_commands commands = { 0 };
	struct words w = { .count = 0 };
	struct topo t = { 0 };
	enum status status;
	uint32_t done;
	bool pulled;
	int i;

	parse_options(&argp, argc, argv, &w);
	if (!w.count) {
		cli_error("remove: which node, or which port?");
		return ST_USAGE;
	}
	status = driver_read(&t);
	for (i = 0; i < w.count && !status; i++) {
		bool port = strchr(w.word[i], ':');

		if (port ? !find_cable(&t, w.word[i], &pulled) : topo_find(&t, w.word[i]) < 0) {
			if (!port)
				tell_unknown(&t, w.word[i]);
			status = ST_FAILED;
		}
		put(&commands, port ? "uncable" : "remove", w.word[i]);
	}
	if (!status)
		status = driver_run(&commands, NULL, &done);
	topo_commands_free(&commands);
	topo_free(&t);
	return status;
}

/* Puts commands for a port with a cable. Returns false after an error. */
static bool put_port(const struct topo *t, const char *word, bool pull, struct topo_commands *to)
{
	bool pulled;

	if (!find_cable(t, word, &pulled))
		return false;
	if (pulled == pull)
		cli_error("%s: the cable is %s already", word, pull ? "pulled" : "plugged");
	else
		put(to, pull ? "pull" : "plug", word);
	return true;
}

/* Puts commands for all cables between two nodes. Returns false after an error. */
static bool put_between(const struct topo *t, char *const *names, bool pull,
			struct topo_commands *to)
{
	unsigned int found = 0, changed = 0;
	int64_t node[2];
	uint32_t i;
	char *port;
	int k;

	for (k = 0; k < 2; k++) {
		node[k] = topo_find(t, names[k]);
		if (node[k] < 0) {
			tell_unknown(t, names[k]);
			return false;
		}
	}
	for (i = 0; i < t->cables; i++) {
		const struct topo_cable *c = &t->cable[i];

		if (c->gone || !((c->end[0].node == node[0] && c->end[1].node == node[1]) ||
				 (c->end[0].node == node[1] && c->end[1].node == node[0])))
			continue;
		found++;
		if (c->pulled == pull)
			continue;
		port = format_text("%s:%u", t->node[c->end[0].node].name, c->end[0].port);
		put(to, pull ? "pull" : "plug", port);
		free(port);
		changed++;
	}
	if (!found)
		cli_error("no cable joins %s and %s", names[0], names[1]);
	else if (!changed)
		cli_error("all %u cables between %s and %s are %s already", found, names[0],
			  names[1], pull ? "pulled" : "plugged");
	return found;
}

int cmd_cable(int argc, char **argv)
{
	static const struct argp cut = {
		NULL,
		parse,
		"A:P...\nA B",
		"Pulls the cables at ports, or all cables between two nodes. They stay in "
		"the fabric: \"ibfabric plug\" plugs them again.",
		NULL,
		NULL,
		NULL
	};
	static const struct argp plug = {
		NULL,
		parse,
		"A:P...\nA B",
		"Plugs the cables at ports, or all cables between two nodes, after "
		"\"ibfabric cut\".",
		NULL,
		NULL,
		NULL
	};
	bool pull = !strcmp(argv[0], "cut"), good = true, ports;
	struct topo_commands commands = { 0 };
	struct words w = { .count = 0 };
	struct topo t = { 0 };
	enum status status;
	uint32_t done;
	int i;

	parse_options(pull ? &cut : &plug, argc, argv, &w);
	ports = w.count && strchr(w.word[0], ':');
	if (!ports && w.count != 2) {
		cli_error("%s: expected ports A:P, or two nodes A B", argv[0]);
		return ST_USAGE;
	}
	status = driver_read(&t);
	if (!status && !ports)
		good = put_between(&t, w.word, pull, &commands);
	for (i = 0; i < w.count && ports && !status && good; i++)
		good = put_port(&t, w.word[i], pull, &commands);
	if (!status)
		status = !good		  ? ST_FAILED
			 : commands.lines ? driver_run(&commands, NULL, &done)
					  : ST_OK;
	topo_commands_free(&commands);
	topo_free(&t);
	return status;
}
