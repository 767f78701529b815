// SPDX-License-Identifier: GPL-2.0-only
/* show: prints the fabric. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "ibfabric/model/choose.h"
#include "ibfabric/view/view.h"
#include "lib/json.h"
#include "source.h"

#define NAMES_MAX 64

enum form { FORM_TREE, FORM_JSON, FORM_SVG, FORM_DOT };

struct options {
	enum form form;
	const char *file; /* NULL: the driver's fabric */
	const char *name[NAMES_MAX];
	int names;
};

enum key { KEY_JSON = 256, KEY_SVG, KEY_DOT };

static const struct argp_option table[] = {
	{ "json", KEY_JSON, NULL, 0, "print JSON", 1 },
	{ "svg", KEY_SVG, NULL, 0, "print a picture, for a browser", 1 },
	{ "dot", KEY_DOT, NULL, 0, "print a graph for Graphviz", 1 },
	{ "file", 'f', "FILE", 0,
	  "show the fabric that FILE describes, as load reads it, not the driver's", 2 },
	{ 0 },
};

static void set_form(struct options *o, enum form form, struct argp_state *state)
{
	if (o->form && o->form != form)
		argp_error(state, "--json, --svg and --dot exclude each other");
	o->form = form;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_JSON:
		set_form(o, FORM_JSON, state);
		return 0;
	case KEY_SVG:
		set_form(o, FORM_SVG, state);
		return 0;
	case KEY_DOT:
		set_form(o, FORM_DOT, state);
		return 0;
	case 'f':
		o->file = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->names == NAMES_MAX)
			argp_error(state, "more than %d names", NAMES_MAX);
		o->name[o->names++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (o->names && (o->form == FORM_SVG || o->form == FORM_DOT))
			argp_error(state, "--svg and --dot show the whole fabric; leave out %s",
				   o->name[0]);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Marks the nodes that are named. Returns false after an error. */
static bool choose(const struct topo *t, const struct options *o, bool *only)
{
	const char *near;
	int64_t node;
	int i;

	for (i = 0; i < o->names; i++) {
		node = topo_find(t, o->name[i]);
		if (node < 0) {
			near = topo_nearest(t, o->name[i]);
			cli_error("%s: there is no such node%s%s%s", o->name[i],
				  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
			return false;
		}
		only[node] = true;
	}
	return true;
}

static enum status print(const struct topo *t, const struct options *o, const bool *only)
{
	switch (o->form) {
	case FORM_JSON:
		return json_write(view_json(t, only), "-") ? ST_FAILED : ST_OK;
	case FORM_SVG:
		view_svg(t, stdout);
		return ST_OK;
	case FORM_DOT:
		view_dot(t, stdout);
		return ST_OK;
	default:
		if (!t->nodes)
			puts("The fabric is empty; \"ibfabric make star\" builds one.");
		view_tree(t, only, cli_color(stdout));
		return ST_OK;
	}
}

int cmd_show(int argc, char **argv)
{
	static const struct argp argp = {
		table,
		parse,
		"[NAME]...",
		"Prints the fabric, or the nodes of these names: a line for each cable, with the peer, the width "
		"and speed of the link, and its state. A link that is down, or a pulled cable, has the width and "
		"speed that the cable can carry.\v"
		"Examples:\n"
		"  ibfabric show\n"
		"  ibfabric show leaf0\n"
		"  ibfabric show --svg >fabric.svg\n"
		"  ibfabric show --file cluster.net --json",
		NULL,
		NULL,
		NULL
	};
	struct options o = { 0 };
	struct topo t = { 0 };
	enum status status;
	struct parse p = { 0 };
	bool *only = NULL;

	parse_options(&argp, argc, argv, &o);
	status = o.file ? source_read(o.file, &t, &p) : driver_read(&t);
	/* as load would choose */
	if (!status && o.file && !p.commands)
		free(topo_choose_default(&t));
	if (!status && o.names) {
		only = calloc(t.nodes + 1, sizeof(*only));
		if (!only)
			cli_die(CLI_FAILED, "out of memory");
		status = choose(&t, &o, only) ? ST_OK : ST_FAILED;
	}
	if (!status)
		status = print(&t, &o, only);
	free(only);
	parse_free(&p);
	topo_free(&t);
	return status;
}
