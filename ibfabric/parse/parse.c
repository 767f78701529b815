// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "parse.h"

static void say(struct parse *p, FILE *to, struct topo_place place, const char *format,
		va_list args)
{
	if (place.line)
		fprintf(to, "%s:%u: ", p->file[place.file], place.line);
	vfprintf(to, format, args);
	putc('\n', to);
}

void parse_error(struct parse *p, struct topo_place place, const char *format, ...)
{
	va_list args;

	if (++p->error_count > PARSE_ERRORS_MAX)
		return;
	va_start(args, format);
	say(p, p->errors, place, format, args);
	va_end(args);
}

void parse_note(struct parse *p, struct topo_place place, const char *format, ...)
{
	va_list args;

	if (++p->note_count > PARSE_ERRORS_MAX)
		return;
	va_start(args, format);
	say(p, p->notes, place, format, args);
	va_end(args);
}

bool parse_line(struct parse *p, struct parse_lines *l)
{
	const char *begin, *end;
	size_t len;

	while (l->at < l->len) {
		begin = l->text + l->at;
		end = memchr(begin, '\n', l->len - l->at);
		len = end ? (size_t)(end - begin) : l->len - l->at;
		l->at += len + !!end;
		l->place.line++;
		while (len && strchr(" \t\r", begin[len - 1]) && begin[len - 1])
			len--;
		for (; len && (*begin == ' ' || *begin == '\t'); begin++)
			len--;
		if (len > PARSE_LINE_MAX) {
			parse_error(p, l->place, "a line of more than %d bytes", PARSE_LINE_MAX);
		} else if (memchr(begin, 0, len)) {
			parse_error(p, l->place, "a byte 0: this is no text");
		} else {
			memcpy(l->line, begin, len);
			l->line[len] = 0;
			return true;
		}
	}
	return false;
}

/* Commands begin with a word in small letters, followed by a blank. */
static bool is_command(const char *line)
{
	static const char *const words[] = { "hca",  "ca",	"switch", "cable", "pull",
					     "plug", "uncable", "remove", "clear" };
	size_t i, len = strcspn(line, " \t");

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == len && !strncmp(line, words[i], len))
			return true;
	return false;
}

/* Recognizes other output of the diagnostics, for an error that helps. */
static const char *other_format(const char *line)
{
	if (!strncmp(line, "SW ", 3) || !strncmp(line, "CA ", 3))
		return "the output of ibnetdiscover -p";
	if ((!strncmp(line, "Switch", 6) || !strncmp(line, "Ca", 2)) && strstr(line, ": 0x"))
		return "the output of ibswitches, ibhosts or ibnetdiscover -l";
	if (!strncmp(line, "CA: ", 4) || !strncmp(line, "Switch: 0x", 10))
		return "the output of iblinkinfo";
	return NULL;
}

static void read_lines(struct parse *p, struct parse_lines *l)
{
	const char *other;
	uint32_t number;
	size_t at;

	do {
		at = l->at;
		number = l->place.line;
		if (!parse_line(p, l)) {
			parse_error(p, (struct topo_place){ 0 }, "%s: it describes no fabric",
				    p->file[0]);
			return;
		}
	} while (!*l->line || *l->line == '#');
	if (p->error_count)
		return;
	other = other_format(l->line);
	if (other) {
		parse_error(p, l->place,
			    "this is %s; expected the output of ibnetdiscover without "
			    "options, a net file of ibsim, or what ibfabric save writes",
			    other);
		return;
	}
	p->commands = is_command(l->line);
	l->at = at;
	l->place.line = number;
	if (p->commands)
		parse_commands(p, l);
	else
		parse_net(p, l);
}

/* Two nodes or ports of one GUID would be one to all managers. */
static void check_guids(struct parse *p)
{
	struct topo *t = p->topo;
	struct topo_index guids = { 0 };
	unsigned int port;
	int64_t other;
	uint32_t i;

	for (i = 0; i < t->nodes && p->error_count < PARSE_ERRORS_MAX; i++) {
		struct topo_node *n = &t->node[i];

		if (n->gone)
			continue;
		if (n->guid && !topo_index_put_number(&guids, n->guid, i)) {
			other = topo_index_get_number(&guids, n->guid);
			parse_error(p, n->place, "%s has the GUID 0x%016llx, as %s has (line %u)",
				    n->name, (unsigned long long)n->guid, t->node[other].name,
				    t->node[other].place.line);
		}
		for (port = n->kind != TOPO_SWITCH; port <= n->ports; port++) {
			/* a port may have the GUID of its node */
			if (!n->port[port].guid || n->port[port].guid == n->guid ||
			    topo_index_put_number(&guids, n->port[port].guid, i))
				continue;
			other = topo_index_get_number(&guids, n->port[port].guid);
			parse_error(p, n->place,
				    "port %u of %s has the GUID 0x%016llx, as %s or a "
				    "port of it has (line %u)",
				    port, n->name, (unsigned long long)n->port[port].guid,
				    t->node[other].name, t->node[other].place.line);
		}
	}
	topo_index_free(&guids);
}

bool parse_text(struct parse *p, const char *name, const char *text, size_t len)
{
	struct parse_lines *l = calloc(1, sizeof(*l));

	if (!l)
		cli_die(CLI_FAILED, "out of memory");
	l->text = text;
	l->len = len;
	p->file[p->files++] = format_text("%s", name);
	read_lines(p, l);
	free(l);
	if (!p->error_count)
		check_guids(p);
	if (p->error_count > PARSE_ERRORS_MAX)
		fprintf(p->errors, "%s: more errors; these are the first %d\n", p->file[0],
			PARSE_ERRORS_MAX);
	if (p->note_count > PARSE_ERRORS_MAX)
		fprintf(p->notes, "%s: more notes; these are the first %d\n", p->file[0],
			PARSE_ERRORS_MAX);
	return !p->error_count;
}

void parse_free(struct parse *p)
{
	while (p->files)
		free(p->file[--p->files]);
}
