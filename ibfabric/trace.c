// SPDX-License-Identifier: GPL-2.0-only
/* trace: the way of a data packet through the fabric, as the driver finds it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"
#include "lib/json.h"
#include "lib/lockdown.h"

#define HOPS_MAX 1024

struct hop {
	char node[TOPO_NAME];
	char in[8], out[8]; /* port numbers; "-": none */
	char why[24];	    /* word of the reason of the drop; "-": none */
};

struct trace {
	const struct topo *t;
	struct topo_end from;
	int64_t to_node;      /* -1: no port has the LID */
	unsigned int to_port; /* 0: of a switch */
	unsigned int lid;
	struct hop hop[HOPS_MAX];
	unsigned int hops;
	bool arrives, cut;
	/* the netdev cable by which the packet leaves this fabric; NULL: it does not leave */
	const struct topo_netcable *leaves;
};

struct options {
	const char *from, *to;
	bool both, json;
};

enum key { KEY_BOTH = 256, KEY_JSON };

static const struct argp_option table[] = {
	{ "both", KEY_BOTH, NULL, 0, "also trace the way back", 1 },
	{ "json", KEY_JSON, NULL, 0, "print JSON", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_BOTH:
		o->both = true;
		return 0;
	case KEY_JSON:
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->to)
			argp_error(state, "%s: expected two ports alone", arg);
		*(o->from ? &o->to : &o->from) = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->to)
			argp_error(state,
				   "expected where from and where to, such as glass0 glass1");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Why a packet is dropped, and what to do about it. %1 is the node, %2 the port, %3 the LID. */
static const struct reason {
	const char *word, *why, *advice;
} reasons[] = {
	{ "no_route",
	  "the forwarding table of the switch has no entry for the LID, or leads back to the port "
	  "where the packet came in",
	  "let the subnet manager route: start opensm, or wait for its next sweep; \"ibroute LID\" prints the "
	  "table of a switch" },
	{ "port_down",
	  "the port that the packet must leave by is not ACTIVE, or its cable is pulled",
	  "\"ibfabric show\" prints the states; \"ibfabric plug\" plugs a cable; a port in INIT waits for a "
	  "subnet manager, such as opensm" },
	{ "wrong_lid",
	  "the LID is not of the port where the packet arrived, so the tables of the switches lead "
	  "elsewhere",
	  "let the subnet manager route again: restart opensm" },
	{ "loop", "the forwarding tables of the switches lead in a circle",
	  "let the subnet manager route again: restart opensm; \"ibroute LID\" prints the table of a switch" },
	{ "bad_len", "the packet is longer than the MTU of a link on the way",
	  "\"ibfabric show\" prints the links" },
	{ "bad_lrh",
	  "the packet has no LID of a port as its source, or a virtual lane that the port lacks",
	  "start a subnet manager, such as opensm, which gives a LID to the port" },
	{ "injected", "a rule of injection drops it", "\"ibinject list\" prints the rules" },
	{ 0 },
};

/* Reads "A", "A:P" or, if lid is not NULL, a LID. Returns false after an error. */
static bool read_place(const struct topo *t, const char *word, struct topo_end *end,
		       unsigned int *lid)
{
	const struct topo_node *n;
	uint64_t number;
	const char *near;
	char *refused;
	int64_t node;

	if (strchr(word, ':')) {
		refused = topo_read_end(t, word, strlen(word), end);
		if (refused)
			cli_error("%s", refused);
		free(refused);
		return !refused;
	}
	node = topo_find(t, word);
	if (node >= 0) {
		n = &t->node[node];
		*end = (struct topo_end){ node, n->kind == TOPO_SWITCH ? 0 : 1 };
		return true;
	}
	if (lid && debugfs_number(word, strlen(word), &number)) {
		if (!number || number > 0xbfff) {
			cli_error("%s: unicast LIDs are 1 to 49151", word);
			return false;
		}
		*lid = number;
		return true;
	}
	near = topo_nearest(t, word);
	cli_error("%s: there is no such node%s%s%s", word, near ? "; did you mean " : "",
		  near ? near : "", near ? "?" : "; \"ibfabric show\" lists them");
	return false;
}

static unsigned int lid_of(const struct topo *t, struct topo_end end)
{
	const struct topo_node *n = &t->node[end.node];

	return n->kind == TOPO_SWITCH ? n->lid : n->port[end.port].lid;
}

/* Finds the port that has the LID as its base LID. */
static void find_lid(struct trace *trace)
{
	const struct topo *t = trace->t;
	uint32_t i;
	unsigned int p;

	trace->to_node = -1;
	for (i = 0; i < t->nodes; i++)
		for (p = t->node[i].kind != TOPO_SWITCH;
		     p <= (t->node[i].kind == TOPO_SWITCH ? 0 : t->node[i].ports); p++)
			if (lid_of(t, (struct topo_end){ i, p }) == trace->lid) {
				trace->to_node = i;
				trace->to_port = p;
				return;
			}
}

/*
 * The far end of a netdev cable has a name that begins with @. It is the last hop: the driver cannot
 * know what the other host does with the packet.
 */
static bool is_far(const struct hop *h)
{
	return *h->node == '@';
}

/* Finds the netdev cable of the last hop, by the port before it. */
static void find_leaving(struct trace *trace)
{
	const struct hop *last = &trace->hop[trace->hops - 1];
	struct topo_end at = { 0 };
	uint64_t port;
	int64_t node;

	if (trace->hops < 2 || !is_far(last))
		return;
	node = topo_find(trace->t, last[-1].node);
	if (node < 0 || !debugfs_number(last[-1].out, strlen(last[-1].out), &port) ||
	    port > trace->t->node[node].ports)
		return;
	at.node = node;
	at.port = port;
	trace->leaves = topo_netcable_at(trace->t, at);
	trace->arrives = false;
}

static void read_hops(struct trace *trace, struct debugfs_file *f)
{
	static const char *const names[] = { "node", "in_port", "out_port", "why" };
	struct debugfs_table t;
	int at[4];

	if (!debugfs_table_begin(&t, f, "hop") || !debugfs_columns_find(&t, names, 4, at))
		return;
	while (debugfs_table_next(&t)) {
		struct hop *h = &trace->hop[trace->hops];

		if (trace->hops == HOPS_MAX) {
			trace->cut = true;
			break;
		}
		snprintf(h->node, sizeof(h->node), "%s", debugfs_value(&t, at[0]));
		snprintf(h->in, sizeof(h->in), "%s", debugfs_value(&t, at[1]));
		snprintf(h->out, sizeof(h->out), "%s", debugfs_value(&t, at[2]));
		snprintf(h->why, sizeof(h->why), "%s", debugfs_value(&t, at[3]));
		trace->hops++;
	}
	if (trace->hops) {
		const struct hop *last = &trace->hop[trace->hops - 1];

		trace->arrives = !strcmp(last->why, "-") && !strcmp(last->out, "-") && !trace->cut;
		find_leaving(trace);
	}
}

/* Asks the driver. Returns ST_NO_FABRIC or ST_FAILED after an error. */
static enum status ask(struct trace *trace)
{
	char *path = format_text("%s/fabric/trace", debugfs_root), *locked;
	char *line = format_text("%s:%u %u", trace->t->node[trace->from.node].name,
				 trace->from.port, trace->lid);
	struct debugfs_file f = { 0 };
	enum status status = ST_OK;
	int err = debugfs_ask(&f, "fabric/trace", path, line);

	locked = lockdown_refusal(path, err);
	if (!err) {
		read_hops(trace, &f);
		debugfs_tell(&f);
	} else if (locked || err == EACCES || err == EPERM || err == ENOENT) {
		cli_error("%s", locked ? locked
				: err == ENOENT
					? "this module cannot trace: it has no file fabric/trace"
					: "only root may trace; run this program as root");
		status = ST_NO_FABRIC;
	} else {
		cli_error("the driver cannot trace \"%s\": %s", line, strerror(err));
		status = ST_FAILED;
	}
	if (!status && !trace->hops) {
		cli_error("the driver has no answer to \"%s\"", line);
		status = ST_FAILED;
	}
	debugfs_free(&f);
	free(locked);
	free(line);
	free(path);
	return status;
}

/* "glass0:1", or "switch0" for port 0 */
static char *name_of(const struct topo *t, struct topo_end end)
{
	return end.port ? format_text("%s:%u", t->node[end.node].name, end.port)
			: format_text("%s", t->node[end.node].name);
}

static const struct reason *find_reason(const char *word)
{
	static struct reason other = { NULL, "docs/debugfs.md explains the reasons of drops",
				       NULL };
	const struct reason *r;

	for (r = reasons; r->word; r++)
		if (!strcmp(r->word, word))
			return r;
	return &other;
}

/* Did the packet pass the last node before? Then the tables lead in a circle. */
static bool is_circle(const struct trace *trace)
{
	unsigned int i;

	for (i = 0; i + 1 < trace->hops; i++)
		if (!strcmp(trace->hop[i].node, trace->hop[trace->hops - 1].node))
			return true;
	return trace->cut;
}

/* Prints the last hop: the far end of a netdev cable. */
static void print_leaving(const struct trace *trace, int width)
{
	const struct topo_netcable *c = trace->leaves;
	char *netdev = topo_netdev_name(c), *peer;

	peer = !*c->peer.port ? format_text("an unknown port")
	       : *c->peer.host ? format_text("%s on %s", c->peer.port, c->peer.host)
			       : format_text("%s", c->peer.port);
	printf("  %-*s  = %s\n", width, trace->hop[trace->hops - 1].node, peer);
	printf("The packet leaves this fabric by %s, to %s. The rest of its way is not known here.\n",
	       netdev, peer);
	free(netdev);
	free(peer);
}

static void print_text(const struct trace *trace)
{
	char *from = name_of(trace->t, trace->from), *to = NULL;
	const struct hop *last = &trace->hop[trace->hops - 1];
	const struct reason *r = find_reason(last->why);
	unsigned int lid = lid_of(trace->t, trace->from), i;
	int width = 0;

	if (trace->to_node >= 0)
		to = name_of(trace->t, (struct topo_end){ trace->to_node, trace->to_port });
	printf("From %s", from);
	if (lid)
		printf(" (LID %u)", lid);
	printf(" to %s%sLID %u%s\n", to ? to : "", to ? " (" : "", trace->lid,
	       to		? ")"
	       : trace->leaves ? ", which no port of this fabric has"
			       : ", which no port has");
	for (i = 0; i < trace->hops; i++)
		width = (int)strlen(trace->hop[i].node) > width ? (int)strlen(trace->hop[i].node)
								: width;
	for (i = 0; i < trace->hops; i++) {
		const struct hop *h = &trace->hop[i];
		bool in = strcmp(h->in, "-"), out = strcmp(h->out, "-"), drop = strcmp(h->why, "-");

		if (trace->leaves && i == trace->hops - 1) {
			print_leaving(trace, width);
			break;
		}
		printf("  %-*s  ", width, h->node);
		printf(in ? "in %3s" : "      ", h->in);
		printf(out ? "  out %3s" : "         ", h->out);
		puts(drop ? "  dropped" : out ? "" : "  arrives");
	}
	if (!trace->arrives && !trace->leaves) {
		printf("Dropped at %s: %s%s%s.\n", last->node,
		       strcmp(last->why, "-") ? last->why : "no end", ": ",
		       is_circle(trace) ? "the forwarding tables lead in a circle" : r->why);
		if (r->advice)
			printf("To mend it: %s.\n", r->advice);
	}
	free(from);
	free(to);
}

static void add(json_object *to, const char *key, const char *word)
{
	int64_t number = 0;

	if (!strcmp(word, "-"))
		return;
	if (strspn(word, "0123456789") == strlen(word))
		number = atoi(word);
	json_object_object_add(
		to, key, number ? json_object_new_int64(number) : json_object_new_string(word));
}

static json_object *trace_json(const struct trace *trace)
{
	json_object *to = json_object_new_object(), *hops = json_object_new_array(), *hop;
	const struct hop *last = &trace->hop[trace->hops - 1];
	char *from = name_of(trace->t, trace->from), *name;
	unsigned int i;

	json_object_object_add(to, "from", json_object_new_string(from));
	if (trace->to_node >= 0) {
		name = name_of(trace->t, (struct topo_end){ trace->to_node, trace->to_port });
		json_object_object_add(to, "to", json_object_new_string(name));
		free(name);
	}
	json_object_object_add(to, "lid", json_object_new_int(trace->lid));
	json_object_object_add(to, "arrives",
			       trace->leaves ? NULL : json_object_new_boolean(trace->arrives));
	if (trace->leaves) {
		json_object_object_add(to, "leaves_by", json_object_new_string(trace->leaves->netdev));
		if (*trace->leaves->peer.port) {
			json_object_object_add(to, "peer",
					       json_object_new_string(trace->leaves->peer.port));
			json_object_object_add(to, "peer_host",
					       json_object_new_string(trace->leaves->peer.host));
		}
	} else if (!trace->arrives) {
		json_object_object_add(to, "dropped_at", json_object_new_string(last->node));
		add(to, "reason", last->why);
	}
	for (i = 0; i < trace->hops; i++) {
		hop = json_object_new_object();
		json_object_object_add(hop, "node", json_object_new_string(trace->hop[i].node));
		add(hop, "in_port", trace->hop[i].in);
		add(hop, "out_port", trace->hop[i].out);
		json_object_array_add(hops, hop);
	}
	json_object_object_add(to, "hops", hops);
	free(from);
	return to;
}

/* Traces and prints one way. Returns ST_FAILED if the packet does not arrive. */
static enum status trace_one(struct trace *trace, json_object *json)
{
	enum status status = ask(trace);

	if (status)
		return status;
	if (json)
		json_object_array_add(json, trace_json(trace));
	else
		print_text(trace);
	return trace->arrives || trace->leaves ? ST_OK : ST_FAILED;
}

static bool need_lid(const struct topo *t, struct topo_end end, unsigned int *lid)
{
	char *name;

	*lid = lid_of(t, end);
	if (*lid)
		return true;
	name = name_of(t, end);
	cli_error("%s has no LID: no subnet manager has configured it; start one, such as opensm",
		  name);
	free(name);
	return false;
}

static enum status run(const struct topo *t, const struct options *o)
{
	struct trace *trace = calloc(2, sizeof(*trace)), *back = trace + 1;
	json_object *json = o->json ? json_object_new_array() : NULL;
	enum status status = ST_FAILED, other;
	struct topo_end to = { 0 };

	if (!trace)
		cli_die(CLI_FAILED, "out of memory");
	trace->t = back->t = t;
	if (!read_place(t, o->from, &trace->from, NULL) || !read_place(t, o->to, &to, &trace->lid))
		goto out;
	if (trace->lid) {
		find_lid(trace);
		if (trace->to_node >= 0)
			to = (struct topo_end){ trace->to_node, trace->to_port };
	} else if (need_lid(t, to, &trace->lid)) {
		trace->to_node = to.node;
		trace->to_port = t->node[to.node].kind == TOPO_SWITCH ? 0 : to.port;
	} else {
		goto out;
	}
	if (o->both && trace->to_node < 0) {
		cli_error("--both: no port has the LID %u", trace->lid);
		goto out;
	}
	status = trace_one(trace, json);
	if (o->both && status != ST_NO_FABRIC) {
		back->from = to;
		back->to_node = trace->from.node;
		back->to_port = trace->from.port;
		other = need_lid(t, trace->from, &back->lid) ? trace_one(back, json) : ST_FAILED;
		status = other ? other : status;
	}
out:
	if (json && json_object_array_length(json))
		json_write(json_object_get(json), "-");
	json_object_put(json);
	free(trace);
	return status;
}

int cmd_trace(int argc, char **argv)
{
	static const struct argp argp = {
		table,
		parse,
		"A[:P] B[:P]|LID",
		"Prints the way of a data packet from port A:P to the LID of port B:P, switch by switch, as the "
		"forwarding tables have it now. No packet is sent. Without P it is port 1, of a switch its port "
		"0.\v"
		"The exit status is 1 if the packet does not arrive. A packet that leaves by a netdev cable "
		"counts as one that arrives: the rest of its way is known to the other host alone.\n\nExamples:\n"
		"  ibfabric trace glass0 glass1\n"
		"  ibfabric trace glass0:2 host7 --both\n"
		"  ibfabric trace glass0 12 --json",
		NULL,
		NULL,
		NULL
	};
	struct options o = { 0 };
	struct topo t = { 0 };
	enum status status;

	parse_options(&argp, argc, argv, &o);
	status = driver_read(&t);
	if (!status)
		status = run(&t, &o);
	topo_free(&t);
	return status;
}
