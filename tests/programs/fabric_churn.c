// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random commands for the fabric: nodes, cables and HCAs that come and go. The program chooses from its own model of the fabric, so
 * the same seed and the same first fabric give the same commands. At intervals and at the end it compares the model with the tables
 * in debugfs.
 *
 * Other programs make traffic meanwhile. A command takes less than a millisecond, and a new link needs a subnet manager, which takes
 * much longer. So most commands wait until the HCAs that stay have sent data since the command before, and for a limited time if they
 * send none. And cables of the first fabric that were lost come back: the traffic would end for ever otherwise.
 */
#include <getopt.h>

#include "vt.h"

#define COMMANDS "/sys/kernel/config/glass/commands"
#define ERROR	 "/sys/kernel/config/glass/error"
#define TABLES	 "/sys/kernel/debug/glass/fabric"
#define DEVICES	 "/sys/class/infiniband"

#define MAX_NODES 128
#define MAX_PORTS 254
#define MAX_CABLES (MAX_NODES * MAX_PORTS / 2)
#define MAX_COMING 16
#define MAX_COLUMNS 64
#define NAME 32
#define RANDOM_NAMES 20 /* x0, x1 ... */
#define FIRST_CABLES 256
#define VERIFY_EVERY 25
#define TELL_EVERY 100
#define LEAST_TRAFFIC 10 /* fail if fewer than one of so many waits had traffic */

/* What a cable supports, as the table says it */
struct limits {
	char width[8], speed[8], mtu[8];
	bool pulled;
};

static const struct limits no_limits = { "12", "ndr", "4096", false };

struct cable {
	struct node *node[2];
	int port[2];
	struct limits limits;
};

struct node {
	char name[NAME], kind[8];
	int ports;
	struct cable *at[MAX_PORTS + 1]; /* by number of the port, from 1 on */
};

static struct node *nodes[MAX_NODES];
static struct cable *cables[MAX_CABLES];
static int nnodes, ncables;

static const char *coming[MAX_COMING], *keep_node = "";
static int ncoming;
static unsigned int seed;
static int wanted = 200, wait_ms = 300, carried_out, waits, waits_with_traffic;
static uint64_t wait_bytes = 400000;
static FILE *command_log;
static uint64_t began_ms, last_sent;

/* The cables of the first fabric, as the words of a command */
static struct {
	char a[NAME + 4], b[NAME + 4];
} first[FIRST_CABLES];
static int nfirst;

/* The commands that were carried out, by their first word */
static struct verb {
	const char *name;
	int count;
	uint64_t us, most_us;
} verbs[] = { { .name = "hca" }, { .name = "ca" }, { .name = "switch" }, { .name = "cable" }, { .name = "uncable" },
	      { .name = "pull" }, { .name = "plug" }, { .name = "remove" } };

static void usage(FILE *to)
{
	fprintf(to, "Usage: fabric_churn [OPTION]...\n"
		    "  -n, --count N     commands that the driver must carry out (200)\n"
		    "  -s, --seed N      what they are chosen by (0)\n"
		    "  -c, --coming HCA  an HCA that is removed and made again; may be given several times\n"
		    "  -k, --keep NODE   the cables of this node are not changed\n"
		    "  -w, --wait MS     how long a command waits for data of the HCAs that stay (300)\n"
		    "  -b, --bytes N     how much data they must have sent (400000); a MAD has 256 bytes\n"
		    "  -l, --log FILE    the commands, one a line, each written before it is carried out\n"
		    "Prints a line every %d commands. Compares the tables of the fabric with its own model every %d commands.\n"
		    "Exit status 0: well; 1: a command was refused, the fabric is not what the commands made, or there was hardly any\n"
		    "traffic; 2: wrong arguments.\n",
		TELL_EVERY, VERIFY_EVERY);
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ull + ts.tv_nsec / 1000;
}

/* 0 to n - 1 */
static int below(int n)
{
	return rand_r(&seed) % n;
}

/* ---- tables in debugfs */

struct table {
	const char *name;
	char *text, *next;
	char *column[MAX_COLUMNS], *value[MAX_COLUMNS];
	int columns;
};

static char *read_whole(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t room = 1 << 16, len = 0;
	char *text = malloc(room);
	ssize_t n;

	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	CHECK(text, "out of memory");
	while ((n = read(fd, text + len, room - 1 - len)) > 0) {
		len += n;
		if (len == room - 1) {
			room *= 2;
			text = realloc(text, room);
			CHECK(text, "out of memory");
		}
	}
	CHECK(!n, "%s: %s", path, strerror(errno));
	close(fd);
	text[len] = '\0';
	return text;
}

static int split(char *line, char *to[MAX_COLUMNS])
{
	char *rest = NULL, *word = strtok_r(line, " ", &rest);
	int n = 0;

	for (; word && n < MAX_COLUMNS; word = strtok_r(NULL, " ", &rest))
		to[n++] = word;
	return n;
}

/* Reads a table and its header. table_next() frees the text at the end. */
static void table_begin(struct table *t, const char *name, const char *kind)
{
	char path[128], head[64];

	snprintf(path, sizeof(path), "%s/%s", TABLES, name);
	snprintf(head, sizeof(head), "# glass 1 %s:", kind);
	t->name = name;
	t->text = read_whole(path);
	CHECK(!strncmp(t->text, head, strlen(head)), "%s: no header '%s'", path, head);
	t->next = strchr(t->text, '\n');
	CHECK(t->next, "%s: the header does not end", path);
	*t->next++ = '\0';
	t->columns = split(t->text + strlen(head), t->column);
}

/* The next row; false at the end */
static bool table_next(struct table *t)
{
	char *line = t->next, *end = strchr(line, '\n');
	int n;

	if (!*line) {
		free(t->text);
		return false;
	}
	CHECK(end, "%s: the last line does not end: %s", t->name, line);
	*end = '\0';
	t->next = end + 1;
	CHECK(*line != '#', "%s: %s", t->name, line);
	n = split(line, t->value);
	CHECK(n == t->columns, "%s: %d values in %d columns", t->name, n, t->columns);
	return true;
}

static const char *value(const struct table *t, const char *column)
{
	int i;

	for (i = 0; i < t->columns; i++)
		if (!strcmp(t->column[i], column))
			return t->value[i];
	vt_fail("%s: no column %s", t->name, column);
}

/* ---- the model */

static struct node *find_node(const char *name)
{
	int i;

	for (i = 0; i < nnodes; i++)
		if (!strcmp(nodes[i]->name, name))
			return nodes[i];
	return NULL;
}

static void add_node(const char *name, const char *kind, int ports)
{
	struct node *n = calloc(1, sizeof(*n));

	CHECK(n && nnodes < MAX_NODES, "no room for %s", name);
	CHECK(ports > 0 && ports <= MAX_PORTS, "%s has %d ports", name, ports);
	snprintf(n->name, sizeof(n->name), "%s", name);
	snprintf(n->kind, sizeof(n->kind), "%s", kind);
	n->ports = ports;
	nodes[nnodes++] = n;
}

static void add_cable(struct node *a, int a_port, struct node *b, int b_port, const struct limits *limits)
{
	struct cable *c = calloc(1, sizeof(*c));

	CHECK(c && ncables < MAX_CABLES, "no room for a cable");
	*c = (struct cable){ .node = { a, b }, .port = { a_port, b_port }, .limits = *limits };
	a->at[a_port] = b->at[b_port] = c;
	cables[ncables++] = c;
}

static void drop_cable(struct cable *c)
{
	int i;

	for (i = 0; i < ncables && cables[i] != c;)
		i++;
	memmove(cables + i, cables + i + 1, (--ncables - i) * sizeof(*cables));
	c->node[0]->at[c->port[0]] = NULL;
	c->node[1]->at[c->port[1]] = NULL;
	free(c);
}

static void drop_node(struct node *n)
{
	int i, port;

	for (port = 1; port <= n->ports; port++)
		if (n->at[port])
			drop_cable(n->at[port]);
	for (i = 0; i < nnodes && nodes[i] != n;)
		i++;
	memmove(nodes + i, nodes + i + 1, (--nnodes - i) * sizeof(*nodes));
	free(n);
}

static int port_of(const char *end)
{
	const char *colon = strchr(end, ':');

	CHECK(colon && atoi(colon + 1) > 0, "not a port: %s", end);
	return atoi(colon + 1);
}

/* The node of NODE:PORT, or NULL */
static struct node *find_node_of(const char *end)
{
	char name[NAME];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(end, ":"), end);
	return find_node(name);
}

/* NODE:PORT, which must be a port of the model; *port is its number. */
static struct node *end_of(const char *end, int *port)
{
	struct node *n = find_node_of(end);

	*port = port_of(end);
	CHECK(n && *port <= n->ports, "no such port was made: %s", end);
	return n;
}

static void limits_of(const struct table *t, struct limits *l)
{
	memset(l, 0, sizeof(*l));
	snprintf(l->width, sizeof(l->width), "%s", value(t, "width"));
	snprintf(l->speed, sizeof(l->speed), "%s", value(t, "speed"));
	snprintf(l->mtu, sizeof(l->mtu), "%s", value(t, "mtu"));
	l->pulled = !strcmp(value(t, "pulled"), "yes");
}

/* The model becomes the fabric that is there. */
static void read_fabric(void)
{
	struct node *a, *b;
	struct limits l;
	struct table t;
	int pa, pb;

	table_begin(&t, "nodes", "fnode");
	while (table_next(&t))
		add_node(value(&t, "name"), value(&t, "kind"), atoi(value(&t, "ports")));
	table_begin(&t, "cables", "fcable");
	while (table_next(&t)) {
		a = end_of(value(&t, "a"), &pa);
		b = end_of(value(&t, "b"), &pb);
		limits_of(&t, &l);
		add_cable(a, pa, b, pb, &l);
		CHECK(nfirst < FIRST_CABLES, "the first fabric has too many cables");
		snprintf(first[nfirst].a, sizeof(first[nfirst].a), "%s", value(&t, "a"));
		snprintf(first[nfirst++].b, sizeof(first[nfirst].b), "%s", value(&t, "b"));
	}
}

/* ---- the tables beside the model */

static bool is_hca(const struct node *n)
{
	return !strcmp(n->kind, "hca");
}

static bool has_device(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", DEVICES, name);
	return !access(path, F_OK);
}

static void verify_nodes(void)
{
	struct node *n;
	struct table t;
	int rows = 0;

	table_begin(&t, "nodes", "fnode");
	for (; table_next(&t); rows++) {
		n = find_node(value(&t, "name"));
		CHECK(n, "%s is in the table of nodes, and was removed or never made", value(&t, "name"));
		CHECK(!strcmp(value(&t, "kind"), n->kind) && atoi(value(&t, "ports")) == n->ports,
		      "%s is a %s with %s ports, and was made as %s with %d", n->name, value(&t, "kind"), value(&t, "ports"), n->kind,
		      n->ports);
		CHECK(!strcmp(value(&t, "device"), is_hca(n) ? n->name : "-"), "%s has the device %s", n->name, value(&t, "device"));
		CHECK(has_device(n->name) == is_hca(n), "%s/%s: %s", DEVICES, n->name, is_hca(n) ? "is not there" : "is there");
	}
	CHECK(rows == nnodes, "%d nodes in the table, %d were made", rows, nnodes);
}

static void verify_cables(void)
{
	struct cable *c;
	struct node *a, *b;
	struct limits l;
	struct table t;
	int rows = 0, pa, pb;

	table_begin(&t, "cables", "fcable");
	for (; table_next(&t); rows++) {
		a = end_of(value(&t, "a"), &pa);
		b = end_of(value(&t, "b"), &pb);
		c = a->at[pa];
		CHECK(c && c == b->at[pb] && (a != b || pa != pb), "no such cable was made: %s %s", value(&t, "a"), value(&t, "b"));
		limits_of(&t, &l);
		CHECK(!memcmp(&l, &c->limits, sizeof(l)), "cable %s %s: width=%s speed=%s mtu=%s pulled=%d, not %s %s %s %d",
		      value(&t, "a"), value(&t, "b"), l.width, l.speed, l.mtu, l.pulled, c->limits.width, c->limits.speed,
		      c->limits.mtu, c->limits.pulled);
	}
	CHECK(rows == ncables, "%d cables in the table, %d were made", rows, ncables);
}

/* What a port's column "peer" must be */
static const char *peer_of(const struct node *n, int port, char *to, size_t size)
{
	const struct cable *c = n->at[port];
	int other;

	if (!c)
		return "-";
	other = c->node[0] == n && c->port[0] == port;
	snprintf(to, size, "%s:%d", c->node[other]->name, c->port[other]);
	return to;
}

static void verify_ports(void)
{
	int rows = 0, want = 0, i, port;
	struct node *n;
	struct table t;
	char peer[48];

	for (i = 0; i < nnodes; i++)
		want += nodes[i]->ports;
	table_begin(&t, "ports", "fport");
	while (table_next(&t)) {
		n = find_node(value(&t, "node"));
		port = atoi(value(&t, "port"));
		CHECK(n && port <= n->ports, "%s:%d is in the table of ports, and was not made", value(&t, "node"), port);
		if (!port)
			continue;
		rows++;
		CHECK(!strcmp(value(&t, "peer"), peer_of(n, port, peer, sizeof(peer))), "%s:%d has the peer %s, not %s", n->name, port,
		      value(&t, "peer"), peer_of(n, port, peer, sizeof(peer)));
		CHECK((n->at[port] && !n->at[port]->limits.pulled) || !strcmp(value(&t, "state"), "down"),
		      "%s:%d has no link, and its state is %s", n->name, port, value(&t, "state"));
	}
	CHECK(rows == want, "%d ports in the table, %d were made", rows, want);
}

static void verify(void)
{
	verify_nodes();
	verify_cables();
	verify_ports();
}

/* ---- traffic */

static bool is_coming(const char *name)
{
	int i;

	for (i = 0; i < ncoming; i++)
		if (!strcmp(coming[i], name))
			return true;
	return false;
}

/* Bytes that the HCAs that stay have sent by port 1, without VL15 */
static uint64_t sent_bytes(void)
{
	uint64_t sum = 0;
	char path[128], *text;
	int i;

	for (i = 0; i < nnodes; i++) {
		if (!is_hca(nodes[i]) || is_coming(nodes[i]->name))
			continue;
		snprintf(path, sizeof(path), "%s/%s/ports/1/counters/port_xmit_data", DEVICES, nodes[i]->name);
		text = read_whole(path);
		sum += 4 * strtoull(text, NULL, 10);
		free(text);
	}
	return sum;
}

/* Most commands wait; a quarter follows the one before at once. */
static void wait_for_traffic(void)
{
	uint64_t until = vt_now_ms() + wait_ms, before;

	if (!below(4))
		return;
	waits++;
	before = sent_bytes();
	do {
		poll(NULL, 0, 10);
		if (sent_bytes() - before >= wait_bytes) {
			waits_with_traffic++;
			return;
		}
	} while (vt_now_ms() < until);
}

static int count_kind(const char *kind)
{
	int i, n = 0;

	for (i = 0; i < nnodes; i++)
		n += !strcmp(nodes[i]->kind, kind);
	return n;
}

static void tell_progress(void)
{
	uint64_t sent = sent_bytes(), us = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(verbs); i++)
		us += verbs[i].us;
	printf("%d of %d commands, %.1f s (in the driver %.1f s): %d hca, %d ca, %d switch, %d cable; %.1f MB sent; traffic in %d of %d waits\n",
	       carried_out, wanted, (vt_now_ms() - began_ms) / 1000.0, us / 1e6, count_kind("hca"), count_kind("ca"),
	       count_kind("switch"), ncables, (sent - last_sent) / 1e6, waits_with_traffic, waits);
	last_sent = sent;
}

/* ---- commands */

static void count_verb(const char *line, uint64_t us)
{
	size_t len = strcspn(line, " "), i;

	for (i = 0; i < ARRAY_LEN(verbs); i++) {
		struct verb *v = &verbs[i];

		if (strlen(v->name) != len || memcmp(v->name, line, len))
			continue;
		v->count++;
		v->us += us;
		v->most_us = us > v->most_us ? us : v->most_us;
		return;
	}
	vt_fail("no verb: %s", line);
}

/* The driver must carry it out: what is chosen is right by the model. */
static __attribute__((format(printf, 1, 2))) void command(const char *format, ...)
{
	static char line[128];
	static int fd = -1;
	uint64_t begin;
	ssize_t n;
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (command_log) {
		fprintf(command_log, "%.3f %s\n", (vt_now_ms() - began_ms) / 1000.0, line);
		fflush(command_log);
	}
	if (fd < 0)
		fd = open(COMMANDS, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0, "%s: %s", COMMANDS, strerror(errno));
	begin = now_us();
	n = pwrite(fd, line, strlen(line), 0);
	if (n != (ssize_t)strlen(line)) {
		int err = errno;

		vt_fail("command %d refused: %s: %s: %s", carried_out, line, n < 0 ? strerror(err) : "cut", read_whole(ERROR));
	}
	count_verb(line, now_us() - begin);
	carried_out++;
}

static void make_node(void)
{
	static const char *const kinds[] = { "ca", "switch", "switch" };
	const char *kind = kinds[below(ARRAY_LEN(kinds))];
	int ports = 2 + below(30);
	char name[NAME];

	snprintf(name, sizeof(name), "x%d", below(RANDOM_NAMES));
	if (find_node(name))
		return;
	command("%s %s ports=%d", kind, name, ports);
	add_node(name, kind, ports);
}

static int free_ports(void)
{
	int i, port, n = 0;

	for (i = 0; i < nnodes; i++)
		for (port = 1; port <= nodes[i]->ports; port++)
			n += !nodes[i]->at[port];
	return n;
}

/* The free port with this number, from 0 on */
static struct node *free_port(int number, int *port)
{
	int i;

	for (i = 0; i < nnodes; i++)
		for (*port = 1; *port <= nodes[i]->ports; ++*port)
			if (!nodes[i]->at[*port] && !number--)
				return nodes[i];
	vt_fail("no free port");
}

static void make_cable(void)
{
	static const struct {
		const char *text;
		struct limits l;
	} some[] = {
		{ "", { "12", "ndr", "4096", false } },
		{ "", { "12", "ndr", "4096", false } },
		{ " width=1", { "1", "ndr", "4096", false } },
		{ " speed=sdr", { "12", "sdr", "4096", false } },
		{ " speed=fdr width=4", { "4", "fdr", "4096", false } },
		{ " mtu=2048", { "12", "ndr", "2048", false } },
		{ " pulled=yes", { "12", "ndr", "4096", true } },
	};
	int n = free_ports(), which = below(ARRAY_LEN(some)), pa, pb;
	struct node *a, *b;

	if (n < 2)
		return;
	a = free_port(below(n), &pa);
	b = free_port(below(n), &pb);
	if (a == b && pa == pb)
		return;
	command("cable %s:%d %s:%d%s", a->name, pa, b->name, pb, some[which].text);
	add_cable(a, pa, b, pb, &some[which].l);
}

/* Any cable but those of the node at which the subnet manager runs; *end is an end of it. */
static struct cable *any_cable(int *end)
{
	struct cable *left[MAX_CABLES];
	int i, n = 0;

	for (i = 0; i < ncables; i++)
		if (strcmp(cables[i]->node[0]->name, keep_node) && strcmp(cables[i]->node[1]->name, keep_node))
			left[n++] = cables[i];
	*end = below(2);
	return n ? left[below(n)] : NULL;
}

static void pull_or_plug(bool pull)
{
	int end;
	struct cable *c = any_cable(&end);

	if (!c)
		return;
	command("%s %s:%d", pull ? "pull" : "plug", c->node[end]->name, c->port[end]);
	c->limits.pulled = pull;
}

static void uncable(void)
{
	int end;
	struct cable *c = any_cable(&end);

	if (!c)
		return;
	command("uncable %s:%d", c->node[end]->name, c->port[end]);
	drop_cable(c);
}

/* Is this cable of the first fabric lost, though its nodes are there? */
static bool is_lost(int i)
{
	struct node *a = find_node_of(first[i].a), *b = find_node_of(first[i].b);
	int pa = port_of(first[i].a), pb = port_of(first[i].b);

	/* an HCA that came again may have fewer ports */
	if (!a || !b || pa > a->ports || pb > b->ports)
		return false;
	return !a->at[pa] || a->at[pa] != b->at[pb] || a->at[pa]->limits.pulled;
}

/* A step towards one of the cables of the first fabric that are lost: what is in its place goes, or it is plugged in. */
static void mend(void)
{
	int lost[FIRST_CABLES], i, n = 0, pa, pb;
	struct node *a, *b;

	for (i = 0; i < nfirst; i++)
		if (is_lost(i))
			lost[n++] = i;
	if (!n)
		return;
	i = lost[below(n)];
	a = end_of(first[i].a, &pa);
	b = end_of(first[i].b, &pb);
	if (a->at[pa] && a->at[pa] == b->at[pb]) {
		command("plug %s", first[i].a);
		a->at[pa]->limits.pulled = false;
	} else if (a->at[pa]) {
		command("uncable %s", first[i].a);
		drop_cable(a->at[pa]);
	} else if (b->at[pb]) {
		command("uncable %s", first[i].b);
		drop_cable(b->at[pb]);
	} else {
		command("cable %s %s", first[i].a, first[i].b);
		add_cable(a, pa, b, pb, &no_limits);
	}
}

static void remove_node(void)
{
	struct node *left[MAX_NODES], *n;
	int i, count = 0;

	for (i = 0; i < nnodes; i++)
		if (nodes[i]->name[0] == 'x')
			left[count++] = nodes[i];
	if (!count)
		return;
	n = left[below(count)];
	command("remove %s", n->name);
	drop_node(n);
}

/* A cable from port 1 of a new HCA to the first free port of a leaf, if there is one */
static void cable_hca(const char *hca)
{
	struct node *leaf;
	char name[NAME];
	int port;

	snprintf(name, sizeof(name), "leaf%d", below(4));
	leaf = find_node(name);
	CHECK(leaf, "there is no %s", name);
	for (port = 1; port <= leaf->ports && leaf->at[port];)
		port++;
	if (port > leaf->ports)
		return;
	command("cable %s:1 %s:%d", hca, name, port);
	add_cable(find_node(hca), 1, leaf, port, &no_limits);
}

/* An HCA is removed under its programs, or comes again, with a cable to a port that it had or another one. */
static void hca_comes_or_goes(void)
{
	const char *hca = coming[below(ncoming)];
	struct node *n = find_node(hca);
	int ports = 1 + below(2);

	if (n) {
		command("remove %s", hca);
		CHECK(!has_device(hca), "%s is removed, and its device is there", hca);
		drop_node(n);
		return;
	}
	command("hca %s ports=%d", hca, ports);
	CHECK(has_device(hca), "%s is made, and its device is not there", hca);
	add_node(hca, "hca", ports);
	cable_hca(hca);
}

static void random_command(void)
{
	switch (below(19)) {
	case 0 ... 2:
		make_node();
		break;
	case 3 ... 6:
		make_cable();
		break;
	case 7 ... 8:
		pull_or_plug(true);
		break;
	case 9 ... 11:
		pull_or_plug(false);
		break;
	case 12:
		uncable();
		break;
	case 13:
		remove_node();
		break;
	case 14 ... 15:
		if (ncoming)
			hca_comes_or_goes();
		break;
	default:
		mend();
	}
}

static void tell_verbs(void)
{
	const char *comma = "";
	size_t i;

	printf("%d commands carried out:", carried_out);
	for (i = 0; i < ARRAY_LEN(verbs); i++) {
		struct verb *v = &verbs[i];

		if (!v->count)
			continue;
		printf("%s %d %s (%.1f ms, at most %.1f)", comma, v->count, v->name, v->us / 1000.0 / v->count, v->most_us / 1000.0);
		comma = ",";
	}
	printf("\n");
}

static void run(void)
{
	int verified = 0, told = 0, waited = 0;

	began_ms = vt_now_ms();
	read_fabric();
	verify();
	last_sent = sent_bytes();
	while (carried_out < wanted) {
		if (carried_out > waited)
			wait_for_traffic();
		waited = carried_out;
		random_command();
		if (carried_out / VERIFY_EVERY > verified || carried_out >= wanted) {
			verified = carried_out / VERIFY_EVERY;
			verify();
		}
		if (carried_out / TELL_EVERY > told || carried_out >= wanted) {
			told = carried_out / TELL_EVERY;
			tell_progress();
		}
	}
	tell_verbs();
	CHECK(!wait_ms || waits_with_traffic * LEAST_TRAFFIC >= waits, "hardly any traffic: in %d of %d waits", waits_with_traffic, waits);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'n' }, { "seed", required_argument, NULL, 's' },
		{ "coming", required_argument, NULL, 'c' }, { "keep", required_argument, NULL, 'k' },
		{ "wait", required_argument, NULL, 'w' },   { "log", required_argument, NULL, 'l' },
		{ "bytes", required_argument, NULL, 'b' },  { "help", no_argument, NULL, 'h' },
		{},
	};
	int c;

	vt_prog = "fabric_churn";
	while ((c = getopt_long(argc, argv, "n:s:c:k:w:b:l:h", options, NULL)) != -1) {
		switch (c) {
		case 'n': wanted = atoi(optarg); break;
		case 's': seed = strtoul(optarg, NULL, 0); break;
		case 'c':
			CHECK(ncoming < MAX_COMING, "too many HCAs");
			coming[ncoming++] = optarg;
			break;
		case 'k': keep_node = optarg; break;
		case 'w': wait_ms = atoi(optarg); break;
		case 'b': wait_bytes = strtoull(optarg, NULL, 0); break;
		case 'l':
			command_log = fopen(optarg, "we");
			CHECK(command_log, "%s: %s", optarg, strerror(errno));
			break;
		case 'h': usage(stdout); return 0;
		default: usage(stderr); return 2;
		}
	}
	if (optind < argc || wanted < 1) {
		usage(stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	run();
	return 0;
}
