// SPDX-License-Identifier: GPL-2.0-only
/* Commands of the driver (configfs), as far as they describe a fabric. */
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/debugfs/text.h"
#include "lib/nearest.h"
#include "parse.h"

/* A word of the line, and the part behind its '=' */
struct word {
	const char *at, *value; /* value: NULL without '=' */
	size_t len, key_len, value_len;
};

static bool next_word(const char **at, struct word *w)
{
	const char *equal;

	*at += strspn(*at, " \t");
	w->at = *at;
	w->len = strcspn(*at, " \t");
	*at += w->len;
	equal = memchr(w->at, '=', w->len);
	w->key_len = equal ? (size_t)(equal - w->at) : w->len;
	w->value = equal ? equal + 1 : NULL;
	w->value_len = equal ? w->len - w->key_len - 1 : 0;
	return w->len;
}

static bool key_is(const struct word *w, const char *key)
{
	return w->value && strlen(key) == w->key_len && !memcmp(key, w->at, w->key_len);
}

static void bad_value(struct parse *p, struct topo_place place, const struct word *w,
		      const char *expected)
{
	parse_error(p, place, "%.*s: expected %s", (int)w->len, w->at, expected);
}

static void unknown_key(struct parse *p, struct topo_place place, const struct word *w,
			const char *const *keys)
{
	char word[40];
	struct glass_nearest near;

	snprintf(word, sizeof(word), "%.*s", (int)w->key_len, w->at);
	near = glass_nearest_to(word);
	for (; *keys; keys++)
		glass_nearest_consider(&near, *keys);
	if (near.found)
		parse_error(p, place, "%.*s: there is no such key; did you mean %s=?", (int)w->len,
			    w->at, near.found);
	else
		parse_error(p, place, "%.*s: there is no such key here", (int)w->len, w->at);
}

/* Reads a number up to `most`. */
static bool read_value(struct parse *p, struct topo_place place, const struct word *w,
		       uint64_t most, uint64_t *to)
{
	if (debugfs_number(w->value, w->value_len, to) && *to <= most)
		return true;
	parse_error(p, place, "%.*s: expected a number up to 0x%llx", (int)w->len, w->at,
		    (unsigned long long)most);
	return false;
}

static void read_port_guids(struct parse *p, struct topo_place place, const struct word *w,
			    struct topo_node *n)
{
	unsigned int first = n->kind == TOPO_SWITCH ? 0 : 1, last = first ? n->ports : 0, port;
	const char *at = w->value, *end = w->value + w->value_len;
	size_t len;

	for (port = first; port <= last && at <= end; port++, at += len + 1) {
		const char *comma = memchr(at, ',', end - at);

		len = (comma ? comma : end) - at;
		if (!debugfs_number(at, len, &n->port[port].guid)) {
			bad_value(p, place, w, "GUIDs, such as 0x2c9,0x2ca");
			return;
		}
	}
	if (port <= last || at <= end)
		parse_error(p, place, "%.*s: expected %u GUIDs, one for each port%s", (int)w->len,
			    w->at, last - first + 1, first ? "" : ": port 0 alone has one");
}

static void read_desc(struct parse *p, struct topo_place place, const struct word *w,
		      struct topo_node *n)
{
	char *text = malloc(w->value_len + 1);
	ssize_t len;

	if (!text)
		cli_die(CLI_FAILED, "out of memory");
	len = debugfs_decode(w->value, w->value_len, text);
	if (len < 0 || len > TOPO_DESC) {
		bad_value(p, place, w, "at most 64 bytes, in which %XX is a byte");
		free(text);
		return;
	}
	free(n->desc);
	n->desc = text;
}

static unsigned int read_width(struct parse *p, struct topo_place place, const struct word *w)
{
	uint64_t number;

	if (debugfs_number(w->value, w->value_len, &number) && topo_width_legal(number))
		return number;
	bad_value(p, place, w, "1, 2, 4, 8 or 12");
	return 0;
}

static unsigned int read_speed(struct parse *p, struct topo_place place, const struct word *w)
{
	unsigned int speed = topo_speed_find(w->value, w->value_len);

	if (!speed)
		bad_value(p, place, w, "sdr, ddr, qdr, fdr, edr, hdr or ndr");
	return speed;
}

static unsigned int read_mtu(struct parse *p, struct topo_place place, const struct word *w)
{
	uint64_t number;

	if (debugfs_number(w->value, w->value_len, &number) && topo_mtu_legal(number))
		return number;
	bad_value(p, place, w, "256, 512, 1024, 2048 or 4096");
	return 0;
}

/* Is the value the word `yes`, and not `no`? Any other word is an error. */
static bool read_choice(struct parse *p, struct topo_place place, const struct word *w,
			const char *yes, const char *no)
{
	char expected[40];

	if (strlen(yes) == w->value_len && !memcmp(yes, w->value, w->value_len))
		return true;
	if (strlen(no) == w->value_len && !memcmp(no, w->value, w->value_len))
		return false;
	snprintf(expected, sizeof(expected), "%s or %s", yes, no);
	bad_value(p, place, w, expected);
	return false;
}

/* Reads a key that only switches have. Returns false if it is none. */
static bool read_switch_key(struct parse *p, struct topo_place place, const struct word *w,
			    struct topo_node *n)
{
	if (n->kind != TOPO_SWITCH)
		return false;
	if (key_is(w, "port0"))
		n->enhanced = read_choice(p, place, w, "enhanced", "base");
	else if (key_is(w, "enforcement"))
		n->no_enforcement = !read_choice(p, place, w, "yes", "no");
	else
		return false;
	return true;
}

static void read_node_key(struct parse *p, struct topo_place place, const struct word *w,
			  struct topo_node *n)
{
	static const char *const keys[] = { "ports", "guid", "sysguid", "portguids", "vendor",
					    "devid", "desc", "width",	"speed",     NULL };
	static const char *const switch_keys[] = { "ports",	  "guid",  "sysguid", "portguids",
						   "vendor",	  "devid", "desc",    "port0",
						   "enforcement", "width", "speed",   NULL };
	uint64_t number;

	if (key_is(w, "ports"))
		return;
	if (key_is(w, "guid")) {
		read_value(p, place, w, UINT64_MAX, &n->guid);
	} else if (key_is(w, "sysguid")) {
		n->no_sysguid = read_value(p, place, w, UINT64_MAX, &n->sysguid) && !n->sysguid;
	} else if (key_is(w, "portguids")) {
		read_port_guids(p, place, w, n);
	} else if (key_is(w, "vendor")) {
		n->has_vendor = read_value(p, place, w, 0xffffff, &number);
		n->vendor = n->has_vendor ? number : 0;
	} else if (key_is(w, "devid")) {
		n->has_devid = read_value(p, place, w, 0xffff, &number);
		n->devid = n->has_devid ? number : 0;
	} else if (key_is(w, "desc")) {
		read_desc(p, place, w, n);
	} else if (key_is(w, "width")) {
		n->width = read_width(p, place, w);
	} else if (key_is(w, "speed")) {
		n->speed = read_speed(p, place, w);
	} else if (!read_switch_key(p, place, w, n)) {
		unknown_key(p, place, w, n->kind == TOPO_SWITCH ? switch_keys : keys);
	}
}

static void read_node(struct parse *p, struct topo_place place, enum topo_kind kind, const char *at)
{
	char name[TOPO_NAME + 1], *refused;
	const char *first;
	uint64_t ports = 0;
	struct word w;
	uint32_t number;

	if (!next_word(&at, &w) || w.value) {
		parse_error(p, place, "expected the name of the %s", topo_kind_word(kind));
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)w.len, w.at);
	first = at;
	while (next_word(&at, &w)) {
		if (kind == TOPO_HCA && key_is(&w, "netdev")) {
			parse_error(p, place, "%.*s: load makes no Ethernet ports; \"ibfabric add\" makes %s",
				    (int)w.len, w.at, name);
			return;
		}
		if (key_is(&w, "ports") && !read_value(p, place, &w, TOPO_PORTS_MAX, &ports))
			return;
	}
	if (!ports) {
		parse_error(p, place, "%s: ports=N is missing", name);
		return;
	}
	refused = topo_add_node(p->topo, kind, name, ports, &number);
	if (refused) {
		parse_error(p, place, "%s", refused);
		free(refused);
		return;
	}
	p->topo->node[number].place = place;
	for (at = first; next_word(&at, &w);)
		read_node_key(p, place, &w, &p->topo->node[number]);
}

static bool read_end(struct parse *p, struct topo_place place, const char **at, struct topo_end *to)
{
	char *refused;
	struct word w;

	if (!next_word(at, &w)) {
		parse_error(p, place, "expected NAME:PORT");
		return false;
	}
	refused = topo_read_end(p->topo, w.at, w.len, to);
	if (refused)
		parse_error(p, place, "%s", refused);
	free(refused);
	return !refused;
}

static void read_cable_key(struct parse *p, struct topo_place place, const struct word *w,
			   struct topo_cable *c)
{
	static const char *const keys[] = { "width", "speed", "mtu", "pulled", NULL };

	if (key_is(w, "width")) {
		c->width = read_width(p, place, w);
	} else if (key_is(w, "speed")) {
		c->speed = read_speed(p, place, w);
	} else if (key_is(w, "mtu")) {
		c->mtu = read_mtu(p, place, w);
	} else if (key_is(w, "pulled")) {
		c->pulled = read_choice(p, place, w, "yes", "no");
	} else {
		unknown_key(p, place, w, keys);
	}
}

/* Reads the word netdev= behind the port. Returns false after an error. */
static bool read_netdev(struct parse *p, struct topo_place place, const char *at,
			char netdev[TOPO_NETDEV])
{
	struct word w;

	while (next_word(&at, &w)) {
		if (!key_is(&w, "netdev"))
			continue;
		if (!topo_netdev_legal(w.value, w.value_len)) {
			bad_value(p, place, &w, "the name of a network interface: 1 to 15 bytes without / and :");
			return false;
		}
		snprintf(netdev, TOPO_NETDEV, "%.*s", (int)w.value_len, w.value);
		return true;
	}
	parse_error(p, place, "expected NAME:PORT, or netdev=INTERFACE, as the other end");
	return false;
}

static void read_netns(struct parse *p, struct topo_place place, const struct word *w,
		       struct topo_netcable *c)
{
	char *text = malloc(w->value_len + 1);

	if (!text)
		cli_die(CLI_FAILED, "out of memory");
	if (debugfs_decode(w->value, w->value_len, text) < 1) {
		bad_value(p, place, w, "a name in /run/netns, a path or a PID");
		free(text);
		return;
	}
	free(c->netns);
	c->netns = text;
}

static void read_netcable_key(struct parse *p, struct topo_place place, const struct word *w,
			      struct topo_netcable *c)
{
	static const char *const keys[] = { "netdev", "netns", "silence", "vcrc", "width",
					    "speed",  "mtu",   "pulled",  NULL };
	uint64_t number;

	if (key_is(w, "netdev"))
		return;
	if (key_is(w, "netns")) {
		read_netns(p, place, w, c);
	} else if (key_is(w, "silence")) {
		if (debugfs_number(w->value, w->value_len, &number) &&
		    number >= GLASS_CABLE_SILENCE_MIN_MS && number <= GLASS_CABLE_SILENCE_MAX_MS)
			c->silence = number;
		else
			bad_value(p, place, w, "100 to 60000 ms");
	} else if (key_is(w, "vcrc")) {
		c->vcrc = read_choice(p, place, w, "yes", "no");
	} else if (key_is(w, "width")) {
		c->width = read_width(p, place, w);
	} else if (key_is(w, "speed")) {
		c->speed = read_speed(p, place, w);
	} else if (key_is(w, "mtu")) {
		c->mtu = read_mtu(p, place, w);
	} else if (key_is(w, "pulled")) {
		c->pulled = read_choice(p, place, w, "yes", "no");
	} else {
		unknown_key(p, place, w, keys);
	}
}

static void read_netcable(struct parse *p, struct topo_place place, struct topo_end end,
			  const char *at)
{
	char netdev[TOPO_NETDEV], *refused;
	uint32_t number;
	struct word w;

	if (!read_netdev(p, place, at, netdev))
		return;
	refused = topo_add_netcable(p->topo, end, netdev, &number);
	if (refused) {
		parse_error(p, place, "%s", refused);
		free(refused);
		return;
	}
	p->topo->netcable[number].place = place;
	while (next_word(&at, &w))
		read_netcable_key(p, place, &w, &p->topo->netcable[number]);
}

/* Is the next word, if there is one, a key? */
static bool key_follows(const char *at)
{
	struct word w;

	return !next_word(&at, &w) || w.value;
}

static void read_cable(struct parse *p, struct topo_place place, const char *at)
{
	struct topo_end a, b;
	uint32_t number;
	char *refused;
	struct word w;

	if (!read_end(p, place, &at, &a))
		return;
	if (key_follows(at)) {
		read_netcable(p, place, a, at);
		return;
	}
	if (!read_end(p, place, &at, &b))
		return;
	refused = topo_add_cable(p->topo, a, b, &number);
	if (refused) {
		parse_error(p, place, "%s", refused);
		free(refused);
		return;
	}
	p->topo->cable[number].place = place;
	while (next_word(&at, &w))
		read_cable_key(p, place, &w, &p->topo->cable[number]);
}

static void read_change(struct parse *p, struct topo_place place, const char *command,
			const char *at)
{
	struct topo_end end;
	struct word w;
	uint32_t cable, net;

	if (!read_end(p, place, &at, &end))
		return;
	cable = p->topo->node[end.node].port[end.port].cable;
	net = p->topo->node[end.node].port[end.port].netcable;
	if (!cable && !net) {
		parse_error(p, place, "%s:%u has no cable", p->topo->node[end.node].name, end.port);
		return;
	}
	if (!strcmp(command, "uncable") && net)
		topo_remove_netcable(p->topo, net - 1);
	else if (!strcmp(command, "uncable"))
		topo_remove_cable(p->topo, cable - 1);
	else if (net)
		p->topo->netcable[net - 1].pulled = !strcmp(command, "pull");
	else
		p->topo->cable[cable - 1].pulled = !strcmp(command, "pull");
	if (next_word(&at, &w))
		parse_error(p, place, "%.*s: nothing may follow the port", (int)w.len, w.at);
}

static void read_remove(struct parse *p, struct topo_place place, const char *at)
{
	char name[TOPO_NAME + 1];
	struct word w;
	int64_t node;

	if (!next_word(&at, &w)) {
		parse_error(p, place, "expected the name of a node");
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)w.len, w.at);
	node = topo_find(p->topo, name);
	if (node < 0)
		parse_error(p, place, "%s: there is no such node", name);
	else
		topo_remove_node(p->topo, node);
}

static void read_command(struct parse *p, struct parse_lines *l)
{
	static const char *const changes[] = { "pull", "plug", "uncable" };
	static const char *const words[] = { "hca",  "ca",	"switch", "cable", "pull",
					     "plug", "uncable", "remove", "clear", NULL };
	const char *at = l->line;
	struct glass_nearest near;
	char command[16];
	struct word w;
	int i;

	next_word(&at, &w);
	snprintf(command, sizeof(command), "%.*s", (int)w.len, w.at);
	for (i = TOPO_HCA; i <= TOPO_SWITCH; i++)
		if (!strcmp(command, topo_kind_word(i))) {
			read_node(p, l->place, i, at);
			return;
		}
	for (i = 0; i < 3; i++)
		if (!strcmp(command, changes[i])) {
			read_change(p, l->place, command, at);
			return;
		}
	if (!strcmp(command, "cable")) {
		read_cable(p, l->place, at);
	} else if (!strcmp(command, "remove")) {
		read_remove(p, l->place, at);
	} else if (!strcmp(command, "clear")) {
		topo_free(p->topo);
	} else {
		near = glass_nearest_to(command);
		for (i = 0; words[i]; i++)
			glass_nearest_consider(&near, words[i]);
		parse_error(p, l->place, "%.*s: there is no such command%s%s%s", (int)w.len, w.at,
			    near.found ? "; did you mean " : "", near.found ? near.found : "",
			    near.found ? "?" : "");
	}
}

void parse_commands(struct parse *p, struct parse_lines *l)
{
	while (p->error_count <= PARSE_ERRORS_MAX && parse_line(p, l))
		if (*l->line && *l->line != '#')
			read_command(p, l);
}
