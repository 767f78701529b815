// SPDX-License-Identifier: GPL-2.0-only
/* Lines that describe nodes and ports. */
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "net.h"

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

/* Reads the GUID of an id as ibnetdiscover writes it: "S-0002c90000000001". */
static bool guid_of_id(const char *id, size_t len, uint64_t *guid)
{
	char digits[17];

	if (len != 18 || !strchr("SHR", id[0]) || id[1] != '-')
		return false;
	memcpy(digits, id + 2, 16);
	digits[16] = 0;
	if (strspn(digits, "0123456789abcdefABCDEF") != 16)
		return false;
	*guid = strtoull(digits, NULL, 16);
	return *guid;
}

/* Finds the description in what follows the id: # "DESC" ..., or # DESC port 0 lid 1. */
static char *read_desc(const char *at)
{
	static const char *const ends[] = { " enhanced port ", " base port ", " port 0", " lid ",
					    " lmc " };
	const char *begin = strchr(at, '#'), *end, *found;
	size_t i;

	if (!begin)
		return NULL;
	begin++;
	skip_blanks(&begin);
	if (*begin == '"') {
		begin++;
		end = strrchr(begin, '"');
		if (!end)
			end = begin + strlen(begin);
	} else {
		end = begin + strlen(begin);
		for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
			found = strstr(begin, ends[i]);
			if (found && found < end)
				end = found;
		}
	}
	if (end - begin > TOPO_DESC)
		end = begin + TOPO_DESC;
	return format_text("%.*s", (int)(end - begin), begin);
}

/*
 * Makes the name of a node. Managed switches of NVIDIA have descriptions such as
 * "MF0;NAME:MODEL/U1", of which NAME is what people call it; chips of a chassis differ in the end.
 */
static void make_name(struct topo *t, const char *text, const char *fallback, char name[TOPO_NAME])
{
	const char *begin = strchr(text, ';'), *colon = begin ? strchr(begin, ':') : NULL;
	const char *chip = colon ? strchr(colon, '/') : NULL;
	char *part;

	if (strncmp(text, "MF0;", 4) || !colon || colon == begin + 1) {
		topo_name_make(t, text, fallback, name);
		return;
	}
	part = format_text("%.*s%s", (int)(colon - begin - 1), begin + 1,
			   chip && strcmp(chip, "/U1") ? chip : "");
	topo_name_make(t, part, fallback, name);
	free(part);
}

/* Behind the description of a switch: # "DESC" enhanced port 0 lid 3 lmc 0 */
static bool has_enhanced_port(const char *at)
{
	const char *comment = strchr(at, '#'), *quote = comment ? strrchr(comment, '"') : NULL;

	return comment && strstr(quote ? quote : comment, " enhanced port 0");
}

/*
 * The output of ibnetdiscover has the numbers of each node, but no system image GUID that is 0. A
 * net file of ibsim may leave all of them to its reader.
 */
static void set_sysguid(struct net *net, struct topo_node *n, const char *id, size_t len)
{
	uint64_t guid;

	n->sysguid = net->sysguid;
	n->no_sysguid = !net->sysguid && (net->has_sysguid || (net->has_vendor && net->has_devid &&
							       guid_of_id(id, len, &guid)));
}

static void set_guids(struct net *net, struct topo_place place, struct topo_node *n, const char *id,
		      size_t len)
{
	struct net_base *base = &net->base[n->kind != TOPO_SWITCH];
	bool counted = false;
	unsigned int port;
	uint64_t guid;

	if (guid_of_id(id, len, &guid)) {
		if (base->fresh && base->next != guid)
			parse_error(net->p, place,
				    "\"%.*s\" is of another GUID than the line above: "
				    "0x%llx",
				    (int)len, id, (unsigned long long)base->next);
		n->guid = guid;
	} else if (base->given) {
		n->guid = base->next;
		counted = true;
	}
	if (base->given && n->guid == base->next)
		base->next += n->kind == TOPO_SWITCH ? 1 : n->ports + 1;
	if (n->kind == TOPO_SWITCH)
		n->port[0].guid = base->fresh && base->port_zero ? base->port_zero : n->guid;
	for (port = 1; counted && n->kind != TOPO_SWITCH && port <= n->ports; port++)
		n->port[port].guid = n->guid + port;
	base->fresh = false;
	base->port_zero = 0;
}

void net_node(struct net *net, struct topo_place place, enum topo_kind kind, bool router,
	      const char *line)
{
	struct topo *t = net->p->topo;
	char id[NET_ID], name[TOPO_NAME], *desc, *refused;
	const char *at = line, *text;
	unsigned int ports;
	struct topo_node *n;
	uint32_t number;
	int64_t other;
	size_t len;

	net->node = -1;
	net->bad_node = true;
	skip_blanks(&at);
	if (!net_number(&at, &ports)) {
		parse_error(net->p, place, "expected the number of ports, then \"ID\"");
		return;
	}
	skip_blanks(&at);
	if (!net_quoted(&at, &text, &len)) {
		parse_error(net->p, place, "expected \"ID\" behind the number of ports");
		return;
	}
	if (memchr(text, '#', len) || memchr(text, '@', len)) {
		parse_error(net->p, place, "\"%.*s\": an id has no # and @", (int)len, text);
		return;
	}
	if (!net_expand(net, place, text, len, id))
		return;
	other = topo_index_get(&net->ids, id);
	if (other >= 0) {
		parse_error(net->p, place, "\"%s\" is described twice (line %u)", id,
			    t->node[other].place.line);
		return;
	}
	desc = read_desc(at);
	make_name(t, desc ? desc : id,
		  kind == TOPO_SWITCH ? "switch"
		  : router	      ? "router"
				      : "host",
		  name);
	refused = topo_add_node(t, kind, name, ports, &number);
	if (refused) {
		parse_error(net->p, place, "%s", refused);
		free(refused);
		free(desc);
		return;
	}
	topo_index_put(&net->ids, id, number);
	n = &t->node[number];
	n->place = place;
	n->router = router;
	n->desc = desc ? desc : format_text("%.*s", TOPO_DESC, id);
	n->enhanced = kind == TOPO_SWITCH && has_enhanced_port(at);
	set_sysguid(net, n, text, len);
	n->vendor = net->vendor;
	n->has_vendor = net->has_vendor;
	n->devid = net->devid;
	n->has_devid = net->has_devid;
	set_guids(net, place, n, text, len);
	net->sysguid = 0;
	net->has_sysguid = net->has_vendor = net->has_devid = false;
	net->node = number;
	net->bad_node = false;
	if (router && !net->said_router) {
		net->said_router = true;
		parse_note(net->p, place, "%s: a router is loaded as a passive channel adapter",
			   name);
	}
}

static bool read_bracket(const char **at, unsigned int *number)
{
	const char *from = *at;

	if (*from != '[')
		return false;
	from++;
	skip_blanks(&from);
	if (!net_number(&from, number) || *from != ']')
		return false;
	*at = from + 1;
	return true;
}

/* Skips "[ext 5]", the number that the chassis gives to a port (--grouping). */
static void skip_ext(const char **at)
{
	const char *end = strncmp(*at, "[ext ", 5) ? NULL : strchr(*at, ']');

	if (end)
		*at = end + 1;
}

/* Reads "(2c90000000001)", if it is there. */
static uint64_t read_port_guid(const char **at)
{
	uint64_t guid = 0;
	char *end;

	skip_blanks(at);
	if (**at != '(')
		return 0;
	if (strspn(*at + 1, "0123456789abcdefABCDEF") > 16)
		return 0;
	guid = strtoull(*at + 1, &end, 16);
	if (end == *at + 1 || *end != ')')
		return 0;
	*at = end + 1;
	return guid;
}

static void read_mask(struct net *net, struct topo_place place, const char *option, size_t len,
		      struct net_end *e)
{
	const char *at = option + 2;
	unsigned int value;

	if (len < 3 || option[1] != '=' || !net_number(&at, &value) || at != option + len) {
		parse_error(net->p, place, "%.*s: expected an option w=N, s=N or e=N", (int)len,
			    option);
	} else if (option[0] == 'w' && value >= 1 && value <= 31) {
		e->widths = value;
	} else if (option[0] == 's' && value <= 7) {
		/* as ibsim: QDR alone */
		e->speeds = value ? value : 4;
	} else if (option[0] == 'e' && value <= 15) {
		e->extended = value;
	} else {
		parse_error(net->p, place, "%.*s: expected w=1..31, s=0..7 or e=0..15", (int)len,
			    option);
	}
}

static void read_speed(struct net *net, struct topo_place place, const char *word,
		       struct net_end *e)
{
	size_t len = strcspn(word, " \t");

	e->speed = topo_speed_find(word, len);
	if (len == 5 && !strncmp(word, "FDR10", len)) {
		e->speed = TOPO_SPEED_qdr;
		if (!net->said_fdr10)
			parse_note(net->p, place, "FDR10 becomes QDR, as Glass has no FDR10");
		net->said_fdr10 = true;
	} else if (len == 3 && !strncmp(word, "XDR", len)) {
		e->speed = TOPO_SPEED_ndr;
		if (!net->said_xdr)
			parse_note(net->p, place, "XDR becomes NDR, as Glass has no XDR");
		net->said_xdr = true;
	}
}

/* Reads the end of a line of ibnetdiscover: "DESC" lid 4 4xEDR. */
static void read_link(struct net *net, struct topo_place place, const char *comment,
		      struct net_end *e)
{
	const char *at = strrchr(comment, '"'), *lid;
	unsigned int number;

	at = at ? at : comment;
	lid = strstr(at, "lid ");
	if (!lid)
		return;
	lid += 4;
	skip_blanks(&lid);
	if (!net_number(&lid, &number))
		return;
	skip_blanks(&lid);
	if (!net_number(&lid, &number) || *lid != 'x')
		return;
	if (topo_width_legal(number))
		e->width = number;
	read_speed(net, place, lid + 1, e);
}

static struct net_end *new_end(struct net *net)
{
	if (net->ends == net->room) {
		net->room = net->room ? 2 * net->room : 64;
		net->end = realloc(net->end, net->room * sizeof(*net->end));
		if (!net->end)
			cli_die(CLI_FAILED, "out of memory");
	}
	memset(&net->end[net->ends], 0, sizeof(*net->end));
	return &net->end[net->ends++];
}

static void read_alias(struct net *net, struct topo_place place, unsigned int port,
		       const char *text, size_t len)
{
	char name[NET_ID];

	if (!len || memchr(text, '#', len) || memchr(text, '@', len) ||
	    snprintf(name, sizeof(name), "%s@%.*s", net->prefix, (int)len, text) >= NET_ID) {
		parse_error(net->p, place, "\"%.*s\": an alias has 1 to 60 bytes without # and @",
			    (int)len, text);
		return;
	}
	if (net->alias_count == TOPO_NODES_MAX) {
		parse_error(net->p, place, "more than %d aliases", TOPO_NODES_MAX);
		return;
	}
	if (net->alias_count == net->alias_room) {
		net->alias_room = net->alias_room ? 2 * net->alias_room : 16;
		net->alias = realloc(net->alias, net->alias_room * sizeof(*net->alias));
		if (!net->alias)
			cli_die(CLI_FAILED, "out of memory");
	}
	net->alias[net->alias_count] = (struct topo_end){ net->node, port };
	if (!topo_index_put(&net->aliases, name, net->alias_count))
		parse_error(net->p, place, "the alias \"%s\" is given twice", name);
	else
		net->alias_count++;
}

/* Reads what follows the local port: the remote port, options, comment. */
static void read_remote(struct net *net, struct topo_place place, unsigned int port, uint64_t guid,
			const char *at)
{
	struct topo_node *n = &net->p->topo->node[net->node];
	unsigned int remote_port = 1;
	char remote[NET_ID];
	struct net_end *e;
	const char *text;
	uint64_t remote_guid;
	size_t len;

	if (!net_quoted(&at, &text, &len)) {
		parse_error(net->p, place, "expected \"ID\" of the node at the other end");
		return;
	}
	if (!net_expand(net, place, text, len, remote))
		return;
	if (n->port[port].cable) {
		parse_error(net->p, place, "port %u of %s is described twice (line %u)", port,
			    n->name, net->end[n->port[port].cable - 1].place.line);
		return;
	}
	skip_blanks(&at);
	if (*at == '[' && !read_bracket(&at, &remote_port)) {
		parse_error(net->p, place, "expected [PORT] behind \"%s\"", remote);
		return;
	}
	if (!remote_port || remote_port > TOPO_PORTS_MAX) {
		parse_error(net->p, place, "port %u of \"%s\": ports are 1 to %d", remote_port,
			    remote, TOPO_PORTS_MAX);
		return;
	}
	skip_ext(&at);
	remote_guid = read_port_guid(&at);
	e = new_end(net);
	e->at = (struct topo_end){ net->node, port };
	e->remote = format_text("%s", remote);
	e->remote_port = remote_port;
	e->remote_guid = remote_guid;
	e->by_alias = strchr(remote, '@');
	e->widths = net->widths;
	e->speeds = net->speeds;
	e->extended = net->extended;
	e->place = place;
	/* until net_resolve(), the number of the end instead of the cable */
	n->port[port].cable = net->ends;
	if (guid)
		n->port[port].guid = guid;
	for (skip_blanks(&at); *at && *at != '#'; at += len, skip_blanks(&at)) {
		len = strcspn(at, " \t#");
		read_mask(net, place, at, len, e);
	}
	if (*at)
		read_link(net, place, at, e);
}

void net_port(struct net *net, struct topo_place place, const char *line)
{
	bool alias = *line == '@';
	const char *at = line + alias, *text;
	struct topo_node *n;
	unsigned int port;
	uint64_t guid;
	size_t len;

	if (net->bad_node)
		return;
	if (net->node < 0) {
		parse_error(net->p, place,
			    "a port without a node: a line \"Switch ...\", \"Ca ...\" "
			    "or \"Hca ...\" must come before it");
		return;
	}
	n = &net->p->topo->node[net->node];
	if (!read_bracket(&at, &port)) {
		parse_error(net->p, place, "expected [PORT]");
		return;
	}
	if (!port || port > n->ports) {
		parse_error(net->p, place, "%s has no port %u: it has 1 to %u", n->name, port,
			    n->ports);
		return;
	}
	skip_ext(&at);
	guid = read_port_guid(&at);
	skip_blanks(&at);
	if (!alias)
		read_remote(net, place, port, guid, at);
	else if (net_quoted(&at, &text, &len))
		read_alias(net, place, port, text, len);
	else
		parse_error(net->p, place, "expected \"ALIAS\"");
}
