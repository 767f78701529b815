// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "lib/cli.h"
#include "lib/debugfs/text.h"

/* Switches have one port GUID, that of port 0. */
static void print_guids(const struct topo_node *n, FILE *to)
{
	unsigned int first = n->kind == TOPO_SWITCH ? 0 : 1, last = first ? n->ports : 0, p;

	for (p = first; p <= last; p++)
		if (!n->port[p].guid)
			return;
	for (p = first; p <= last; p++)
		fprintf(to, "%s0x%" PRIx64, p == first ? " portguids=" : ",", n->port[p].guid);
}

static void print_node(const struct topo_node *n, FILE *to)
{
	fprintf(to, "%s %s ports=%u", topo_kind_word(n->kind), n->name, n->ports);
	if (n->guid)
		fprintf(to, " guid=0x%" PRIx64, n->guid);
	if (n->sysguid)
		fprintf(to, " sysguid=0x%" PRIx64, n->sysguid);
	else if (n->no_sysguid)
		fputs(" sysguid=0", to);
	print_guids(n, to);
	if (n->has_vendor)
		fprintf(to, " vendor=0x%" PRIx32, n->vendor);
	if (n->has_devid)
		fprintf(to, " devid=0x%" PRIx32, n->devid);
	if (n->desc) {
		fputs(" desc=", to);
		debugfs_encode_to(to, n->desc, "");
	}
	if (n->enhanced)
		fputs(" port0=enhanced", to);
	if (n->no_enforcement)
		fputs(" enforcement=no", to);
	if (n->width)
		fprintf(to, " width=%u", n->width);
	if (n->speed)
		fprintf(to, " speed=%s", topo_speed_word(n->speed));
	putc('\n', to);
}

static void print_limits(unsigned int width, unsigned int speed, unsigned int mtu, bool pulled,
			 FILE *to)
{
	if (width)
		fprintf(to, " width=%u", width);
	if (speed)
		fprintf(to, " speed=%s", topo_speed_word(speed));
	if (mtu)
		fprintf(to, " mtu=%u", mtu);
	fputs(pulled ? " pulled=yes\n" : "\n", to);
}

static void print_cable(const struct topo *t, const struct topo_cable *c, FILE *to)
{
	fprintf(to, "cable %s:%u %s:%u", t->node[c->end[0].node].name, c->end[0].port,
		t->node[c->end[1].node].name, c->end[1].port);
	print_limits(c->width, c->speed, c->mtu, c->pulled, to);
}

/* With netns=, which the driver does not know: driver_run() takes it out. */
static void print_netcable(const struct topo *t, const struct topo_netcable *c, FILE *to)
{
	fprintf(to, "cable %s:%u netdev=%s", t->node[c->end.node].name, c->end.port, c->netdev);
	if (c->netns) {
		fputs(" netns=", to);
		debugfs_encode_to(to, c->netns, "");
	}
	if (c->silence)
		fprintf(to, " silence=%u", c->silence);
	if (c->vcrc)
		fputs(" vcrc=yes", to);
	print_limits(c->width, c->speed, c->mtu, c->pulled, to);
}

void topo_commands(const struct topo *t, struct topo_commands *to)
{
	FILE *text;
	uint32_t i;

	memset(to, 0, sizeof(*to));
	text = open_memstream(&to->text, &to->len);
	to->place = calloc((size_t)t->nodes + t->cables + t->netcables + 1, sizeof(*to->place));
	if (!text || !to->place)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < t->nodes; i++) {
		/* its interface belongs to a network namespace of this moment: not written */
		if (t->node[i].gone || t->node[i].ether)
			continue;
		print_node(&t->node[i], text);
		to->place[to->lines++] = t->node[i].place;
	}
	for (i = 0; i < t->cables; i++) {
		if (t->cable[i].gone)
			continue;
		print_cable(t, &t->cable[i], text);
		to->place[to->lines++] = t->cable[i].place;
	}
	for (i = 0; i < t->netcables; i++) {
		if (t->netcable[i].gone)
			continue;
		print_netcable(t, &t->netcable[i], text);
		to->place[to->lines++] = t->netcable[i].place;
	}
	if (fclose(text))
		cli_die(CLI_FAILED, "out of memory");
}

void topo_commands_free(struct topo_commands *commands)
{
	free(commands->text);
	free(commands->place);
	memset(commands, 0, sizeof(*commands));
}

size_t topo_commands_chunk(const struct topo_commands *commands, size_t at, uint32_t *lines)
{
	const char *end;
	size_t stop = at, next = at;

	for (*lines = 0; next < commands->len; (*lines)++) {
		end = strchr(commands->text + next, '\n');
		next = end - commands->text + 1;
		if (next - at > TOPO_COMMAND_MAX || (stop > at && topo_command_netns(commands->text + stop)))
			break;
		stop = next;
		/* such a line is written from its namespace, and alone */
		if (topo_command_netns(commands->text + at)) {
			++*lines;
			break;
		}
	}
	return stop;
}

const char *topo_command_netns(const char *line)
{
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, " \t\n");
	if (!(len == 5 && !strncmp(line, "cable", len)) && !(len == 3 && !strncmp(line, "hca", len)))
		return NULL;
	for (; *line && *line != '\n'; line += len) {
		line += strspn(line, " \t");
		if (!strncmp(line, "netns=", 6))
			return line;
		len = strcspn(line, " \t\n");
	}
	return NULL;
}
