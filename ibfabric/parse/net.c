// SPDX-License-Identifier: GPL-2.0-only
/* The output of ibnetdiscover, and ibsim's net files, which extend it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/debugfs/text.h"
#include "net.h"

bool net_number(const char **at, unsigned int *to)
{
	const char *begin = *at;

	for (*to = 0; **at >= '0' && **at <= '9'; ++*at) {
		if (*to > 200000000)
			return false;
		*to = 10 * *to + (**at - '0');
	}
	return *at > begin;
}

bool net_quoted(const char **at, const char **text, size_t *len)
{
	const char *end = **at == '"' ? strchr(*at + 1, '"') : NULL;

	if (!end)
		return false;
	*text = *at + 1;
	*len = end - *text;
	*at = end + 1;
	return true;
}

bool net_expand(struct net *net, struct topo_place place, const char *id, size_t len,
		char to[NET_ID])
{
	bool alias = memchr(id, '@', len), whole = memchr(id, '#', len);
	int n;

	if (alias)
		n = snprintf(to, NET_ID, "%s%.*s", *id == '@' ? net->prefix : "", (int)len, id);
	else
		n = snprintf(to, NET_ID, "%s%s%.*s", whole ? "" : net->prefix,
			     *net->prefix && !whole ? "#" : "", (int)len, id);
	if (len && n < NET_ID)
		return true;
	parse_error(net->p, place, len ? "an id of more than %d bytes" : "an empty id", NET_ID - 1);
	return false;
}

/* Returns what follows "KEY=" in the line, or NULL. */
static const char *after(const char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len))
		return NULL;
	line += len + strspn(line + len, " \t");
	return *line == '=' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

/* Reads the number at the beginning of a value; a comment may follow. */
static bool read_number(struct net *net, struct topo_place place, const char *value, uint64_t most,
			uint64_t *to)
{
	size_t len = strcspn(value, " \t#(");

	if (debugfs_number(value, len, to) && *to <= most)
		return true;
	parse_error(net->p, place, "%s: expected a number up to 0x%llx", value,
		    (unsigned long long)most);
	return false;
}

static void read_base(struct net *net, struct topo_place place, struct net_base *base,
		      const char *value, bool relative)
{
	const char *open = strchr(value, '(');
	uint64_t number;
	size_t len;

	if (!read_number(net, place, value, UINT64_MAX, &number))
		return;
	if (!relative)
		base->absolute = number;
	base->next = relative ? base->absolute + number : number;
	base->given = base->fresh = true;
	base->port_zero = 0;
	if (!open)
		return;
	/* in hexadecimal, without 0x */
	for (open++, len = 0; strchr("0123456789abcdefABCDEF", open[len]) && open[len];)
		len++;
	if (open[len] != ')' || !len || len > 16)
		parse_error(net->p, place, "%s: expected (GUID) of port 0", open - 1);
	else
		base->port_zero = strtoull(open, NULL, 16);
}

/* The lines "KEY=VALUE" in front of a node. Returns false if the line is none of them. */
static bool read_key(struct net *net, struct topo_place place, const char *line)
{
	static const struct {
		const char *key;
		int base;
	} bases[] = { { "switchguid", 0 },
		      { "hcaguids", 1 },
		      { "hcaguid", 1 },
		      { "caguid", 1 },
		      { "rtguid", 1 } };
	static const struct {
		const char *key;
		unsigned int least, most;
	} masks[] = { { "width", 1, 31 }, { "speed", 1, 7 }, { "extspeed", 0, 15 } };
	int *to[] = { &net->widths, &net->speeds, &net->extended };
	const char *value;
	uint64_t number;
	size_t i, len;

	for (i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		len = strlen(bases[i].key);
		value = after(line, bases[i].key);
		if (value) {
			read_base(net, place, &net->base[bases[i].base], value, false);
			return true;
		}
		if (!strncmp(line, bases[i].key, len) && line[len] == '+') {
			read_base(net, place, &net->base[bases[i].base], line + len + 1, true);
			return true;
		}
	}
	for (i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		value = after(line, masks[i].key);
		if (!value)
			continue;
		if (!read_number(net, place, value, masks[i].most, &number))
			return true;
		if (number < masks[i].least)
			parse_error(net->p, place, "%s: expected at least %u", line,
				    masks[i].least);
		*to[i] = number;
		return true;
	}
	if ((value = after(line, "vendid"))) {
		net->has_vendor = read_number(net, place, value, 0xffffff, &number);
		net->vendor = net->has_vendor ? number : 0;
	} else if ((value = after(line, "devid"))) {
		net->has_devid = read_number(net, place, value, 0xffff, &number);
		net->devid = net->has_devid ? number : 0;
	} else if ((value = after(line, "sysimgguid"))) {
		net->has_sysguid = read_number(net, place, value, UINT64_MAX, &net->sysguid);
	} else if ((value = after(line, "module"))) {
		const char *text;

		if (!net_quoted(&value, &text, &len) || len >= NET_ID / 2 ||
		    memchr(text, '#', len) || memchr(text, '@', len))
			parse_error(net->p, place,
				    "%s: expected module=\"NAME\", of less than %d "
				    "bytes without # and @",
				    line, NET_ID / 2);
		else
			snprintf(net->prefix, sizeof(net->prefix), "%.*s", (int)len, text);
	} else {
		return false;
	}
	return true;
}

static void read_text(struct net *net, struct parse_lines *l);

static void read_include(struct net *net, struct topo_place place, const char *at)
{
	struct parse *p = net->p;
	struct parse_lines *l;
	const char *text;
	char *name, *whole, *path = NULL;
	size_t len;

	at += strcspn(at, "\"");
	if (!net_quoted(&at, &text, &len) || !len) {
		parse_error(p, place, "expected include \"FILE\"");
		return;
	}
	if (!p->include || net->depth == PARSE_DEPTH_MAX || p->files == PARSE_FILES_MAX) {
		parse_error(p, place,
			    p->include ? "too many files include files: at most %d, %d deep"
				       : "a file cannot be included here",
			    PARSE_FILES_MAX, PARSE_DEPTH_MAX);
		return;
	}
	name = format_text("%.*s", (int)len, text);
	whole = p->include(name, p->file[place.file], &len, &path);
	if (!whole) {
		parse_error(p, place, "include \"%s\": %s", name, strerror(errno));
		free(name);
		return;
	}
	l = calloc(1, sizeof(*l));
	if (!l)
		cli_die(CLI_FAILED, "out of memory");
	l->text = whole;
	l->len = len;
	l->place.file = p->files;
	p->file[p->files++] = path;
	free(name);
	net->depth++;
	read_text(net, l);
	net->depth--;
	net->node = -1;
	free(whole);
	free(l);
}

static const struct {
	const char *word;
	enum topo_kind kind;
	bool router;
} kinds[] = {
	{ "Switch", TOPO_SWITCH, false },
	{ "Hca", TOPO_CA, false },
	{ "Ca", TOPO_CA, false },
	{ "Rt", TOPO_CA, true },
};

static bool is_word(const char *line, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(line, word, len) && (line[len] == ' ' || line[len] == '\t' || !line[len]);
}

static void read_line(struct net *net, struct topo_place place, const char *line)
{
	/* headings of ibnetdiscover --grouping */
	static const char *const headings[] = { "Chassis ", "Non-Chassis ", "Spine Nodes",
						"Line Nodes" };
	size_t i;

	if (*line == '[' || *line == '@') {
		net_port(net, place, line);
		return;
	}
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (is_word(line, kinds[i].word)) {
			net_node(net, place, kinds[i].kind, kinds[i].router,
				 line + strlen(kinds[i].word));
			return;
		}
	net->node = -1;
	net->bad_node = false;
	if (!*line || read_key(net, place, line))
		return;
	for (i = 0; i < sizeof(headings) / sizeof(*headings); i++)
		if (!strncmp(line, headings[i], strlen(headings[i])))
			return;
	if (is_word(line, "include"))
		read_include(net, place, line + strlen("include"));
	else if (is_word(line, "do") || !strncmp(line, "pdebug", 6))
		parse_note(net->p, place, "ignored, as it is for ibsim's console: %s", line);
	else
		parse_error(net->p, place, "not a line of ibnetdiscover or of a net file: %.60s",
			    line);
}

static void read_text(struct net *net, struct parse_lines *l)
{
	while (net->p->error_count <= PARSE_ERRORS_MAX && parse_line(net->p, l))
		if (*l->line != '#')
			read_line(net, l->place, l->line);
}

void parse_net(struct parse *p, struct parse_lines *l)
{
	struct net net = { .p = p, .node = -1, .widths = -1, .speeds = -1, .extended = -1 };
	uint32_t i;

	read_text(&net, l);
	net_resolve(&net);
	if (!p->error_count && !p->topo->nodes)
		parse_error(p, (struct topo_place){ 0 }, "%s: it describes no node", p->file[0]);
	for (i = 0; i < net.ends; i++)
		free(net.end[i].remote);
	free(net.end);
	free(net.alias);
	topo_index_free(&net.ids);
	topo_index_free(&net.aliases);
}
