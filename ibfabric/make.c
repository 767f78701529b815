// SPDX-License-Identifier: GPL-2.0-only
/* make: builds fabrics of well-known forms. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "ibfabric/model/generate.h"
#include "lib/nearest.h"

#define DEFAULT_REAL 8 /* HCAs of a fabric with more hosts: each costs memory and threads */

struct options {
	const char *form;
	struct generate g;
	unsigned int given; /* a bit for each row of numbers */
	bool print, replace, quiet, has_size;
};

enum key {
	KEY_HCAS = 256,
	KEY_PORTS,
	KEY_LEAVES,
	KEY_SPINES,
	KEY_HOSTS_PER_LEAF,
	KEY_LINKS,
	KEY_PODS,
	KEY_CORES,
	KEY_SIZE,
	KEY_HOSTS_PER_SWITCH,
	KEY_HOSTS,
	KEY_ISL,
	KEY_REAL,
	KEY_WIDTH,
	KEY_SPEED,
	KEY_PRINT,
	KEY_REPLACE,
};

enum form { STAR = 1, FAT_TREE = 2, TORUS = 4, DUAL_RAIL = 8, ALL = 15 };

static const struct {
	const char *word;
	char *(*build)(struct topo *t, const struct generate *g);
	unsigned int bit;
} forms[] = {
	{ "star", generate_star, STAR },
	{ "fat-tree", generate_fat_tree, FAT_TREE },
	{ "torus", generate_torus, TORUS },
	{ "dual-rail", generate_dual_rail, DUAL_RAIL },
};

#define FORMS (sizeof(forms) / sizeof(*forms))

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "star: hosts around one switch", 1 },
	{ "hosts", KEY_HOSTS, "N", 0, "hosts (default 2); also of dual-rail (default 4)", 1 },
	{ "hcas", KEY_HCAS, "N", OPTION_ALIAS, NULL, 1 },
	{ "ports", KEY_PORTS, "N", 0, "ports of each host (default 1)", 1 },
	{ NULL, 0, NULL, 0, "fat-tree: each leaf is cabled to each spine of its pod", 2 },
	{ "leaves", KEY_LEAVES, "N", 0, "leaf switches (default 4), with pods: of each pod", 2 },
	{ "spines", KEY_SPINES, "N", 0, "spine switches (default 2), with pods: of each pod", 2 },
	{ "hosts-per-leaf", KEY_HOSTS_PER_LEAF, "N", 0, "hosts of each leaf (default 2)", 2 },
	{ "links", KEY_LINKS, "N", 0, "cables between a leaf and a spine (default 1)", 2 },
	{ "pods", KEY_PODS, "N", 0, "three levels: pods, which cores join (default: two levels)",
	  2 },
	{ "cores", KEY_CORES, "N", 0,
	  "core switches (default: the spines of a pod), a multiple of them", 2 },
	{ NULL, 0, NULL, 0, "torus: a switch at each place", 3 },
	{ "size", KEY_SIZE, "XxYxZ", 0, "1 to 3 dimensions (default 3x3)", 3 },
	{ "hosts-per-switch", KEY_HOSTS_PER_SWITCH, "N", 0, "hosts of each switch (default 1)", 3 },
	{ NULL, 0, NULL, 0, "dual-rail: hosts with two ports, each at another switch", 4 },
	{ "isl", KEY_ISL, "N", 0, "cables between the rails (default 0: two subnets)", 4 },
	{ NULL, 0, NULL, 0, "All:", 5 },
	{ "real", KEY_REAL, "N", 0,
	  "hosts that are HCAs, spread over the switches; the others are passive (default: all, at most 8)",
	  5 },
	{ "width", KEY_WIDTH, "N", 0,
	  "width of all cables: 1, 2, 4, 8 or 12 (default: that of the ports)", 5 },
	{ "speed", KEY_SPEED, "WORD", 0,
	  "speed of all cables: sdr to ndr (default: that of the ports)", 5 },
	{ "print", KEY_PRINT, NULL, 0, "print the commands for the driver, and build nothing", 5 },
	{ "replace", KEY_REPLACE, NULL, 0, "remove the fabric that is there first", 5 },
	{ "quiet", 'q', NULL, 0, "do not print what was built", 5 },
	{ 0 },
};

static unsigned int form_bit(const char *word)
{
	size_t i;

	for (i = 0; i < FORMS; i++)
		if (!strcmp(forms[i].word, word))
			return forms[i].bit;
	return 0;
}

/* Numbers of options: where they go, and which forms have them */
static const struct number {
	int key;
	const char *option;
	size_t offset;
	unsigned int least, most, forms;
} numbers[] = {
	{ KEY_HOSTS, "--hosts", offsetof(struct generate, hosts), 1, 20000, STAR | DUAL_RAIL },
	{ KEY_PORTS, "--ports", offsetof(struct generate, ports), 1, 2, STAR },
	{ KEY_LEAVES, "--leaves", offsetof(struct generate, leaves), 1, 1000, FAT_TREE },
	{ KEY_SPINES, "--spines", offsetof(struct generate, spines), 1, 1000, FAT_TREE },
	{ KEY_HOSTS_PER_LEAF, "--hosts-per-leaf", offsetof(struct generate, hosts_per_leaf), 0, 253,
	  FAT_TREE },
	{ KEY_LINKS, "--links", offsetof(struct generate, links), 1, 64, FAT_TREE },
	{ KEY_PODS, "--pods", offsetof(struct generate, pods), 0, 254, FAT_TREE },
	{ KEY_CORES, "--cores", offsetof(struct generate, cores), 1, 1000, FAT_TREE },
	{ KEY_HOSTS_PER_SWITCH, "--hosts-per-switch", offsetof(struct generate, hosts_per_switch),
	  0, 250, TORUS },
	{ KEY_ISL, "--isl", offsetof(struct generate, isl), 0, 100, DUAL_RAIL },
	{ KEY_REAL, "--real", offsetof(struct generate, real), 0, TOPO_REAL_MAX, ALL },
};

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

static void read_size(struct options *o, const char *arg, struct argp_state *state)
{
	unsigned int d = 0, size[GENERATE_DIMENSIONS] = { 1, 1, 1 };
	const char *at = arg;
	unsigned long n;
	char *end;

	for (;;) {
		if (*at < '0' || *at > '9')
			break;
		n = strtoul(at, &end, 10);
		if (n < 1 || n > 64)
			argp_error(state, "--size: %s: expected 1 to 64 in each dimension", arg);
		size[d++] = n;
		at = end;
		if (!*at || *at != 'x' || d == GENERATE_DIMENSIONS)
			break;
		at++;
	}
	/* an x at the end lacks its number */
	if (*at || !d || at[-1] == 'x')
		argp_error(state,
			   "--size: '%s': expected 1 to %d numbers joined by x, such as 4x4x2", arg,
			   GENERATE_DIMENSIONS);
	if (size[0] * size[1] * size[2] > 4096)
		argp_error(state, "--size: %s: more than 4096 switches", arg);
	memcpy(o->g.size, size, sizeof(size));
	o->g.dimensions = d;
}

static bool is_given(const struct options *o, int key)
{
	size_t i;

	for (i = 0; i < NUMBERS; i++)
		if (numbers[i].key == key)
			return o->given & 1 << i;
	return false;
}

/* Options may come before the topology: they are checked, and defaults set, at the end. */
static void check(struct options *o, struct argp_state *state)
{
	unsigned int bit = form_bit(o->form);
	size_t i;

	for (i = 0; i < NUMBERS; i++)
		if ((o->given & 1 << i) && !(numbers[i].forms & bit))
			argp_error(state, "%s is no option of %s", numbers[i].option, o->form);
	if (o->has_size && bit != TORUS)
		argp_error(state, "--size is no option of %s", o->form);
	if (bit == DUAL_RAIL && !is_given(o, KEY_HOSTS))
		o->g.hosts = 4;
	if (!is_given(o, KEY_CORES))
		o->g.cores = o->g.spines;
	if (is_given(o, KEY_CORES) && !o->g.pods)
		argp_error(state, "--cores: only a fat-tree with --pods has cores");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const struct number *n;

	key = key == KEY_HCAS ? KEY_HOSTS : key;
	for (n = numbers; n < numbers + NUMBERS; n++) {
		if (n->key != key)
			continue;
		*(unsigned int *)((char *)&o->g + n->offset) =
			option_number(arg, n->option, n->least, n->most, state);
		o->given |= 1 << (n - numbers);
		return 0;
	}
	switch (key) {
	case KEY_SIZE:
		read_size(o, arg, state);
		o->has_size = true;
		return 0;
	case KEY_WIDTH:
		o->g.width = option_number(arg, "--width", 1, 12, state);
		if (!topo_width_legal(o->g.width))
			argp_error(state, "--width: %s: expected 1, 2, 4, 8 or 12", arg);
		return 0;
	case KEY_SPEED:
		o->g.speed = topo_speed_find(arg, strlen(arg));
		if (!o->g.speed)
			argp_error(state,
				   "--speed: %s: expected sdr, ddr, qdr, fdr, edr, hdr or ndr",
				   arg);
		return 0;
	case KEY_PRINT:
		o->print = true;
		return 0;
	case KEY_REPLACE:
		o->replace = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->form)
			argp_error(state, "%s: nothing may follow the topology but options", arg);
		o->form = arg;
		if (!form_bit(arg)) {
			struct glass_nearest near = glass_nearest_to(arg);
			size_t i;

			for (i = 0; i < FORMS; i++)
				glass_nearest_consider(&near, forms[i].word);
			if (near.found)
				argp_error(state, "%s: there is no such topology; did you mean %s?",
					   arg, near.found);
			argp_error(
				state,
				"%s: there is no such topology; there are star, fat-tree, torus, dual-rail",
				arg);
		}
		return 0;
	case ARGP_KEY_END:
		if (!o->form)
			argp_error(state,
				   "expected a TOPOLOGY: star, fat-tree, torus or dual-rail");
		check(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static unsigned int count_hosts(const struct options *o)
{
	const struct generate *g = &o->g;

	switch (form_bit(o->form)) {
	case FAT_TREE:
		return (g->pods ? g->pods : 1) * g->leaves * g->hosts_per_leaf;
	case TORUS:
		return g->size[0] * g->size[1] * g->size[2] * g->hosts_per_switch;
	default:
		return g->hosts;
	}
}

int cmd_make(int argc, char **argv)
{
	static const struct argp argp = {
		table,
		parse,
		"star|fat-tree|torus|dual-rail",
		"Builds a fabric of a well-known form.\v"
		"HCAs, which have an InfiniBand device, are named glass0, glass1 and so on; passive hosts, which "
		"only have agents, host1 and so on.\n\nExamples:\n"
		"  ibfabric make star --hosts 3\n"
		"  ibfabric make fat-tree --leaves 8 --spines 4 --hosts-per-leaf 8 --real 4\n"
		"  ibfabric make fat-tree --pods 4 --cores 4\n"
		"  ibfabric make torus --size 4x4x4 --print\n"
		"  ibfabric make dual-rail --hosts 2 --replace",
		NULL,
		NULL,
		NULL
	};
	struct options o = { .g = { .hosts = 2,
				    .ports = 1,
				    .leaves = 4,
				    .spines = 2,
				    .hosts_per_leaf = 2,
				    .links = 1,
				    .size = { 3, 3, 1 },
				    .dimensions = 2,
				    .hosts_per_switch = 1 } };
	struct topo_commands commands;
	enum status status = ST_OK;
	struct topo t = { 0 };
	unsigned int hosts;
	char *refused = NULL;
	size_t i;

	parse_options(&argp, argc, argv, &o);
	hosts = count_hosts(&o);
	if (!is_given(&o, KEY_REAL))
		o.g.real = hosts < DEFAULT_REAL ? hosts : DEFAULT_REAL;
	for (i = 0; i < FORMS; i++)
		if (!strcmp(forms[i].word, o.form))
			refused = forms[i].build(&t, &o.g);
	if (refused) {
		cli_error("make %s: %s", o.form, refused);
		status = ST_FAILED;
	} else if (o.print) {
		topo_commands(&t, &commands);
		fputs(commands.text, stdout);
		topo_commands_free(&commands);
	} else {
		status = driver_build(&t, NULL, o.replace, o.quiet);
	}
	free(refused);
	topo_free(&t);
	return status;
}
