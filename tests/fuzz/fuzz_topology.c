// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptions of fabrics, of any origin: output of ibnetdiscover, net files of ibsim, commands of
 * the driver. A fabric that is read keeps the rules of a fabric, and its commands describe it
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ibfabric/model/choose.h"
#include "ibfabric/model/command.h"
#include "ibfabric/model/levels.h"
#include "ibfabric/parse/parse.h"

#define HEAVY 4096 /* ports: fabrics with more are not written as commands, which takes long */

/* Includes this file itself, so that the limits of depth and number hold. */
static const char *whole;
static size_t whole_len;

static char *include(const char *name, const char *from, size_t *len, char **path)
{
	char *copy = malloc(whole_len + 1);

	*path = strdup(name);
	(void)from;
	if (copy)
		memcpy(copy, whole, whole_len);
	*len = whole_len;
	return copy;
}

static void check_node(const struct topo *t, uint32_t i)
{
	const struct topo_node *n = &t->node[i];
	unsigned int p;

	FUZZ_CHECK(topo_name_legal(n->name), "node %u is named \"%s\"", i, n->name);
	FUZZ_CHECK(topo_find(t, n->name) == i, "%s is not found", n->name);
	FUZZ_CHECK(n->ports >= 1 && n->ports <= TOPO_PORTS_MAX, "%s has %u ports", n->name,
		   n->ports);
	FUZZ_CHECK(!n->desc || strlen(n->desc) <= TOPO_DESC, "%s: a long description", n->name);
	FUZZ_CHECK(!n->port[0].cable, "%s: a cable at port 0", n->name);
	for (p = 1; p <= n->ports; p++) {
		uint32_t number = n->port[p].cable;
		const struct topo_cable *c = number ? &t->cable[number - 1] : NULL;

		FUZZ_CHECK(number <= t->cables, "%s:%u: cable %u", n->name, p, number);
		FUZZ_CHECK(!c || !c->gone, "%s:%u: a cable that is gone", n->name, p);
		FUZZ_CHECK(!c || (c->end[0].node == i && c->end[0].port == p) ||
				   (c->end[1].node == i && c->end[1].port == p),
			   "%s:%u has a cable of other ports", n->name, p);
	}
}

static void check(const struct topo *t)
{
	uint32_t i;
	int k;

	FUZZ_CHECK(t->all_ports <= TOPO_ALL_PORTS, "%u ports", t->all_ports);
	for (i = 0; i < t->nodes; i++)
		if (!t->node[i].gone)
			check_node(t, i);
	for (i = 0; i < t->cables; i++) {
		const struct topo_cable *c = &t->cable[i];

		for (k = 0; k < 2 && !c->gone; k++)
			FUZZ_CHECK(t->node[c->end[k].node].port[c->end[k].port].cable == i + 1,
				   "cable %u is not at its end %d", i, k);
		FUZZ_CHECK(!c->width || topo_width_legal(c->width), "cable %u: %ux", i, c->width);
		FUZZ_CHECK(c->speed < TOPO_SPEED_COUNT, "cable %u: speed %u", i, c->speed);
	}
}

/* Reads the text. Returns whether it was taken, and what was said of errors. */
static bool read_text(const char *text, size_t len, struct topo *t, char **errors)
{
	struct parse p = { .topo = t, .include = include };
	size_t errors_len = 0, notes_len = 0;
	char *notes = NULL;
	bool taken;

	p.errors = open_memstream(errors, &errors_len);
	p.notes = open_memstream(&notes, &notes_len);
	taken = parse_text(&p, "input", text, len);
	fclose(p.errors);
	fclose(p.notes);
	FUZZ_CHECK(taken == !errors_len, "%s, and told: %s", taken ? "taken" : "refused", *errors);
	FUZZ_CHECK(p.files <= PARSE_FILES_MAX, "%u files", p.files);
	parse_free(&p);
	free(notes);
	return taken;
}

/* The commands of a fabric, read again, are the same commands. */
static void check_commands(const struct topo *t)
{
	struct topo_commands first, second;
	struct topo again = { 0 };
	size_t at = 0, next;
	char *errors = NULL;
	uint32_t lines, all = 0;

	topo_commands(t, &first);
	for (; at < first.len; at = next, all += lines) {
		next = topo_commands_chunk(&first, at, &lines);
		if (next == at)
			break;
		FUZZ_CHECK(next - at <= TOPO_COMMAND_MAX && first.text[next - 1] == '\n',
			   "a write of %zu bytes", next - at);
	}
	FUZZ_CHECK(at < first.len || all == first.lines, "%u of %u lines", all, first.lines);
	if (first.lines && at == first.len) {
		FUZZ_CHECK(read_text(first.text, first.len, &again, &errors),
			   "its commands are refused: %s", errors);
		topo_commands(&again, &second);
		FUZZ_CHECK(!strcmp(first.text, second.text), "other commands: %s%s", first.text,
			   second.text);
		topo_commands_free(&second);
		free(errors);
	}
	topo_commands_free(&first);
	topo_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct topo_node *where;
	struct topo t = { 0 };
	unsigned int most;
	char *errors = NULL;

	fuzz_begin(data, size);
	whole = (const char *)data;
	whole_len = size;
	if (read_text(whole, size, &t, &errors)) {
		check(&t);
		free(topo_levels(&t, &most));
		free(topo_choose_named(&t, "H*"));
		free(topo_choose_default(&t));
		free(topo_check_real(&t, &where));
		check(&t);
		if (t.all_ports <= HEAVY)
			check_commands(&t);
	}
	free(errors);
	topo_free(&t);
	return 0;
}
