// SPDX-License-Identifier: GPL-2.0-only
/* ibfabric and netdev cables, on a driver that is files: commands, namespaces, what show, save and trace say. */
#define _GNU_SOURCE
#include "ibfabric_cli.h"

#include <inttypes.h>

/* A row of fabric/netdevs; the columns that ibfabric does not read are "-". */
struct wire {
	const char *port, *netdev;
	uint64_t netns;
	const char *state, *trouble, *other, *other_host, *peer, *peer_host, *pulled;
};

static void write_value(FILE *to, const struct wire *w, const char *column)
{
	static const char *const fixed[][2] = {
		{ "netdev_mtu", "1500" }, { "width", "12" },  { "speed", "ndr" },
		{ "mtu", "4096" },	  { "vcrc", "no" },   { "silence", "3000000000" },
		{ "link_mtu", "1024" },	  { "peer_guid", "0x77" },
	};
	const struct {
		const char *name, *value;
	} given[] = {
		{ "a", w->port },	     { "netdev", w->netdev },
		{ "state", w->state },	     { "trouble", w->trouble },
		{ "other", w->other },	     { "other_host", w->other_host },
		{ "peer", w->peer },	     { "peer_host", w->peer_host },
		{ "pulled", w->pulled ? w->pulled : "no" },
	};
	size_t i;

	if (!strcmp(column, "netns")) {
		fprintf(to, " %" PRIu64, w->netns ? w->netns : netns_own());
		return;
	}
	for (i = 0; i < sizeof(given) / sizeof(*given); i++)
		if (!strcmp(column, given[i].name)) {
			fprintf(to, " %s", given[i].value ? given[i].value : "-");
			return;
		}
	for (i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (!strcmp(column, fixed[i][0])) {
			fprintf(to, " %s", fixed[i][1]);
			return;
		}
	fputs(" -", to);
}

static void write_wires(const struct wire *wires, size_t n)
{
#define NAME(name, unit, meaning) #name,
	static const char *const columns[] = { GLASS_COLUMNS_NETCABLE(NAME) };
	static char text[8192], line[2048];
	size_t i, k;
	FILE *to;

	strcpy(text, NETDEVS_HEAD);
	for (i = 0; i < n; i++) {
		to = fmemopen(line, sizeof(line), "w");
		for (k = 0; k < sizeof(columns) / sizeof(*columns); k++)
			write_value(to, &wires[i], columns[k]);
		fclose(to);
		strcat(text, line + 1);
		strcat(text, "\n");
	}
	cli_file("fabric/netdevs", text);
}

/* One HCA at near:1, and wires at its other ports */
static void write_fabric(const struct wire *wires, size_t n)
{
	cli_file("fabric/nodes", NODES_HEAD "near switch 9 0x40 0x40 0x2c9 0x2 near - 4 base yes - edr -\n"
					    "glass0 hca 1 0x10 0x10 0x2c9 0x1 glass0 glass0 1 - - - edr -\n");
	cli_file("fabric/cables", CABLES_HEAD "near:1 glass0:1 12 ndr 4096 no active active 4 edr\n");
	cli_file("fabric/ports", PORTS_HEAD "near 0 0x40 4 0 active linkup - 4096 1 sdr 0\n"
					    "near 2 - 0 0 active 5 %40veth0:1 4096 4 edr 0\n"
					    "near 3 - 0 0 down 2 %40veth1:1 4096 - - 0\n"
					    "glass0 1 0x11 1 0 active linkup near:1 4096 4 edr 0\n");
	write_wires(wires, n);
}

static const struct wire two[] = {
	{ "near:2", "veth0", 0, "up", "none", NULL, NULL, "far:8", "hostb", NULL },
	{ "near:3", "veth1", 0, "silent", "none", NULL, NULL, NULL, NULL, NULL },
};

static int two_wires(void **state)
{
	cli_empty_fabric(state);
	write_fabric(two, 2);
	return 0;
}

/* What was said, without blanks and newlines: JSON is printed with them. */
static const char *squeezed(void)
{
	static char text[sizeof(cli_said)];
	size_t i, n = 0;

	for (i = 0; cli_said[i]; i++)
		if (cli_said[i] != ' ' && cli_said[i] != '\n')
			text[n++] = cli_said[i];
	text[n] = 0;
	return text;
}

static char path[200];

static const char *in_root(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", cli_root, name);
	return path;
}

/* A name for the namespace that the test is in: no right is needed to enter it. */
static void make_netns(const char *name)
{
	char link[300];

	mkdir(in_root("netns"), 0755);
	snprintf(link, sizeof(link), "%s/netns/%s", cli_root, name);
	assert_int_equal(symlink("/proc/self/ns/net", link), 0);
}

static void test_netcable_show(void **state)
{
	(void)state;
	cli_is(0,
	       "near  switch, 9 ports, 6 free, LID 4\n"
	       "    1  glass0:1  4x EDR   active  HCA, LID 1\n"
	       "    2  @veth0    4x EDR   active  far:8 on hostb\n"
	       "    3  @veth1    12x NDR  down    silent: nobody says hello at veth1\n",
	       "show");
	cli_has(0, "\"text\":\"silent: nobody says hello at veth1\"", "show", "--json");
	assert_non_null(strstr(squeezed(), "{\"a\":{\"node\":\"near\",\"port\":2,\"state\":\"active\"},"
					   "\"netdev\":\"veth0\",\"width\":12,"));
	assert_non_null(strstr(squeezed(), "\"peer\":{\"node\":\"far\",\"port\":8,\"host\":\"hostb\",\"guid\":"));
	assert_null(strstr(cli_said, "netns"));
	cli_has(0, "\"netdev_cables\":[]", "show", "--json", "glass0");
	cli_has(0, "\"@near:2\" [shape=box3d, label=\"far\\non hostb\", tooltip=\"far:8 on hostb\"];\n"
		   "\t\"near\" -- \"@near:2\" [taillabel=\"2\", headlabel=\"8\", label=\"veth0 4x EDR\"];\n",
		"show", "--dot");
	assert_non_null(strstr(cli_said, "label=\"nobody\""));
	assert_non_null(strstr(cli_said, "style=dashed, color=\"#888888\", tooltip=\"silent\"];"));
	cli_has(0, ">far:8</text>", "show", "--svg");
	assert_non_null(strstr(cli_said, ">on hostb</text>"));
	assert_non_null(strstr(cli_said, "<title>near:3 - @veth1 12x NDR down: silent: nobody says hello at veth1</title>"));
	assert_null(strstr(cli_said, "nan"));
	assert_non_null(strstr(cli_said, "1 HCA, 0 passive adapters, 1 switch, 1 cable, 2 netdev cables"));
	/* a module that knows no such cables */
	assert_int_equal(unlink(in_root("fabric/netdevs")), 0);
	cli_has(0, "near  switch, 9 ports, 8 free, LID 4\n", "show");
}

/* Each reason why a cable is not up, or is disturbed, in plain words */
static void test_netcable_words(void **state)
{
	static const struct {
		struct wire wire;
		const char *words;
	} all[] = {
#define AT3(state_, trouble_, ...) \
	{ .port = "near:3", .netdev = "e", .state = state_, .trouble = trouble_, __VA_ARGS__ }
#define PEER .peer = "far:8", .peer_host = "hostb"
		{ AT3("no_carrier", "none"), "no carrier: e is down, or has no link\n" },
		{ AT3("silent", "small_mtu"),
		  "silent: nobody says hello at e; small MTU: that of e, 1500 bytes, has no room for a packet\n" },
		{ AT3("silent", "self"), "down    self: e receives the frames that it sends\n" },
		{ AT3("silent", "version", .other = "old:1", .other_host = "hostc"),
		  "down    version: old:1 on hostc speaks another version of the frames; both hosts need the same Glass\n" },
		{ AT3("heard", "none", PEER), "far:8 on hostb is heard, but it does not answer\n" },
		{ AT3("heard", "peer_down", PEER),
		  "far:8 on hostb; peer down: that port is disabled, or its cable pulled\n" },
		{ AT3("up", "third", PEER, .other = "x:1", .other_host = "hostc"),
		  "far:8 on hostb; third: x:1 on hostc says hello, too; a wire joins two ports only\n" },
		{ AT3("up", "none", PEER, .pulled = "yes"), "pulled  far:8 on hostb\n" },
		/* another host may send anything */
		{ AT3("up", "none", .peer = "a%1b[31m:8", .peer_host = "b%22"), "a?[31m:8 on b\"\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		write_fabric(&all[i].wire, 1);
		cli_has(0, all[i].words, "show", "near");
		assert_int_equal(cli("show", "--svg", NULL), 0);
		assert_null(strchr(cli_said, '\033'));
		assert_int_equal(cli("show", "--dot", NULL), 0);
	}
	assert_non_null(strstr(cli_said, "on b\\\"\""));
}

static void test_netcable_namespaces(void **state)
{
	static const struct wire other = { "near:2", "wire", 5, "up", "none", NULL, NULL, "far:8", "hostb", NULL };

	(void)state;
	write_fabric(&other, 1);
	cli_has(0, "2  @wire in netns 5  4x EDR  active  far:8 on hostb\n", "show");
	cli_has(0, "\"netns_number\":5,", "show", "--json");
	cli_has(0, "cable near:2 netdev=wire width=12 speed=ndr mtu=4096\n", "save");
	assert_non_null(strstr(cli_said, "near:2: wire is in the network namespace 5, which has no name"));
}

/* The device of glass0 is in the namespace of this number. */
static void put_device(uint64_t netns)
{
	char nodes[400];

	snprintf(nodes, sizeof(nodes),
		 NODES_HEAD "near switch 9 0x40 0x40 0x2c9 0x2 near - 4 base yes - edr -\n"
			    "glass0 hca 1 0x10 0x10 0x2c9 0x1 glass0 glass0 1 - - - edr %" PRIu64 "\n", netns);
	cli_file("fabric/nodes", nodes);
}

static void test_device_namespaces(void **state)
{
	static const struct wire other = { "near:2", "wire", 5, "up", "none", NULL, NULL, "far:8", "hostb", NULL };

	(void)state;
	write_fabric(&other, 1);
	put_device(6);
	cli_has(0, "  active  HCA in netns 6, LID 1\n", "show");
	cli_has(0, "\"netns_number\":6,", "show", "--json");
	put_device(netns_own());
	cli_has(0, "  active  HCA, LID 1\n", "show");
}

static void test_netcable_save_and_load(void **state)
{
	static const char text[] = "switch a ports=4\ncable a:1 netdev=veth0\n"
				   "cable a:2 netdev=veth1 netns=far silence=500 vcrc=yes width=4 speed=hdr mtu=1024 pulled=yes\n"
				   "cable a:3 netdev=veth2 netns=/a%20b\n";

	(void)state;
	cli_has(0, "cable near:2 netdev=veth0 width=12 speed=ndr mtu=4096\n"
		   "cable near:3 netdev=veth1 width=12 speed=ndr mtu=4096\n", "save");
	cli_file("net", text);
	cli_is(0, text, "load", "-n", in_root("net"));
	cli_has(0, "2  @veth1 in far   4x HDR  pulled\n", "show", "-f", in_root("net"));
	cli_has(0, "another host", "show", "--svg", "-f", in_root("net"));
	cli_file("net", "switch a ports=4\ncable a:1 netdev=veth0\npull a:1\ncable a:2 netdev=b\nuncable a:2\n"
			"switch b ports=2\ncable b:1 netdev=c\nremove b\n");
	cli_is(0, "switch a ports=4\ncable a:1 netdev=veth0 pulled=yes\n", "load", "-n", in_root("net"));
	cli_file("net", "switch a ports=4\ncable a:1\n");
	cli_has(1, "net:2: expected NAME:PORT, or netdev=INTERFACE, as the other end", "load", "-n", in_root("net"));
	cli_file("net", "switch a ports=4\ncable a:1 netdev=a/b\ncable a:2 netdev=b silence=5\n"
			"cable a:2 netdev=b vrc=yes\ncable a:3 a:4 silence=500\ncable a:5 netdev=b\n");
	cli_has(1, "net:2: netdev=a/b: expected the name of a network interface", "load", "-n", in_root("net"));
	assert_non_null(strstr(cli_said, "net:3: silence=5: expected 100 to 60000 ms"));
	assert_non_null(strstr(cli_said, "net:4: a:2 has a cable already"));
	assert_non_null(strstr(cli_said, "net:5: silence=500: there is no such key here"));
	assert_non_null(strstr(cli_said, "net:6: a has no port 5: it has 1 to 4"));
	cli_file("net", "switch a ports=4\ncable a:1 netdev=b vrc=yes\n");
	cli_has(1, "net:2: vrc=yes: there is no such key; did you mean vcrc=?", "load", "-n", in_root("net"));
}

static void test_netcable_add(void **state)
{
	(void)state;
	make_netns("here");
	cli_is(0, "", "add", "cable", "near:4", "netdev=veth7", "silence=500");
	assert_string_equal(COMMANDS, "cable near:4 netdev=veth7 silence=500\n");
	/* the driver does not get the tool's own key */
	two_wires(NULL);
	make_netns("here");
	cli_is(0, "", "add", "cable", "near:4", "netdev=veth7", "netns=here", "silence=500");
	assert_string_equal(COMMANDS, "cable near:4 netdev=veth7 silence=500\n");
	cli_is(0, "", "add", "cable", "near:4", "netdev=veth7", "netns=/proc/self/ns/net");
}

static void test_netcable_add_errors(void **state)
{
	(void)state;
	cli_has(1, "netns=far: there is no network namespace of this name in ", "add", "cable", "near:4",
		"netdev=veth7", "netns=far");
	assert_non_null(strstr(cli_said, "/netns; there are none; \"ip netns add\" makes one\n"));
	make_netns("here");
	cli_has(1, "; did you mean here?\n", "add", "cable", "near:4", "netdev=veth7", "netns=hree");
	cli_has(1, "; there are here\n", "add", "cable", "near:4", "netdev=veth7", "netns=zzzzz");
	cli_is(1, "ibfabric: netns=999999999: there is no such process, and no network namespace of this name\n",
	       "add", "cable", "near:4", "netdev=veth7", "netns=999999999");
	cli_is(1, "ibfabric: netns=/no/such: No such file or directory\n", "add", "cable", "near:4", "netdev=veth7",
	       "netns=/no/such");
	cli_is(1, "ibfabric: netns=here: this key needs netdev=\n", "add", "cable", "near:4", "glass0:1",
	       "netns=here");
	assert_string_equal(COMMANDS, "");
	/* the line of the file */
	cli_file("net", "switch a ports=4\ncable a:1 netdev=veth0 netns=far\n");
	cli_has(1, "net:2: netns=far: there is no network namespace of this name in ", "load", "--replace",
		in_root("net"));
	assert_non_null(strstr(cli_said, "the fabric is again the one that was there before"));
}

/* The driver's own errors get the names of the interface and the namespace. */
static void test_netcable_refusals(void **state)
{
	char command[400];

	(void)state;
	make_netns("here");
	snprintf(command, sizeof(command), "ln -sf /dev/full %s/config/glass/commands", cli_root);
	assert_int_equal(system(command), 0);
	cli_file("config/glass/error", "1 20 5 no_netdev: this network namespace has no network interface of this name\n");
	cli_has(1, "no_netdev: this network namespace has no network interface veth7; ", "add", "cable", "near:4",
		"netdev=veth7");
	assert_non_null(strstr(cli_said, " (netns= names another namespace)\n  cable near:4 netdev=veth7\n"
					 "                      ^^^^^\n"));
	cli_has(1, "no_netdev: network namespace here has no network interface veth7; ", "add", "cable", "near:4",
		"netns=here", "netdev=veth7");
	cli_file("config/glass/error", "1 20 5 not_ethernet: this is no Ethernet interface\n");
	cli_has(1, "not_ethernet: veth7 is no Ethernet interface\n", "add", "cable", "near:4", "netdev=veth7");
	cli_file("config/glass/error", "1 20 5 netdev_taken: another cable uses this network interface\n");
	cli_has(1, "netdev_taken: another cable uses veth7\n", "add", "cable", "near:4", "netdev=veth7");
	cli_has(1, "netdev_taken: the cable at near:2 uses veth0; \"ibfabric remove near:2\" removes it\n", "add",
		"cable", "near:4", "netdev=veth0");
	cli_has(1, "netdev_taken: the cable at near:2 uses veth0; ", "add", "cable", "near:4", "netns=here",
		"netdev=veth0");
}

/* Lines with netns= are written alone, and the others in as few writes as possible. */
static void test_netcable_load_in_namespaces(void **state)
{
	(void)state;
	make_netns("here");
	cli_file("net", "switch a ports=4\ncable a:1 netdev=veth0\ncable a:2 netdev=veth1 netns=here\n"
			"cable a:3 netdev=veth2 netns=here\ncable a:4 netdev=veth3\n");
	cli_is(0, "ibfabric: 0 HCAs, 0 passive adapters, 1 switch, 0 cables, 4 netdev cables\n", "load", "--replace",
	       in_root("net"));
	assert_string_equal(COMMANDS, "switch a ports=4\ncable a:1 netdev=veth0\ncable a:2 netdev=veth1\n"
				      "cable a:3 netdev=veth2\ncable a:4 netdev=veth3\n");
}

static void test_netcable_edit(void **state)
{
	(void)state;
	cli_is(0, "", "cut", "near:2");
	assert_string_equal(COMMANDS, "pull near:2\n");
	cli_is(0, "ibfabric: near:2: the cable is plugged already\n", "plug", "near:2");
	two_wires(NULL);
	cli_is(0, "", "remove", "near:3", "near:1", "glass0");
	assert_string_equal(COMMANDS, "uncable near:3\nuncable near:1\nremove glass0\n");
	cli_is(1, "ibfabric: near:4 has no cable\n", "remove", "near:4");
	cli_is(1, "ibfabric: neer: there is no such node; did you mean near?\n", "remove", "neer:1");
}

static void answer(const char *question, const char *rows)
{
	char text[1024];

	snprintf(text, sizeof(text), "%*s# glass 1 hop: node in_port out_port why\n%s",
		 (int)strlen(question), "", rows);
	cli_file("fabric/trace", text);
}

static void test_netcable_trace(void **state)
{
	static const char way[] = "glass0 - 1 -\nnear 1 2 -\n@veth0 1 - -\n";

	(void)state;
	answer("glass0:1 77", way);
	cli_is(0,
	       "From glass0:1 (LID 1) to LID 77, which no port of this fabric has\n"
	       "  glass0          out   1\n"
	       "  near    in   1  out   2\n"
	       "  @veth0  = far:8 on hostb\n"
	       "The packet leaves this fabric by veth0, to far:8 on hostb. The rest of its way is not known here.\n",
	       "trace", "glass0", "77");
	answer("glass0:1 77", way);
	cli_has(0, "\"arrives\":null,\n    \"leaves_by\":\"veth0\",\n    \"peer\":\"far:8\",\n    \"peer_host\":\"hostb\"",
		"trace", "glass0", "77", "--json");
	/* a driver that looks for the LID at the far end */
	answer("glass0:1 77", "glass0 - 1 -\nnear 1 2 -\n@veth0 1 - wrong_lid\n");
	cli_has(0, "The packet leaves this fabric by veth0", "trace", "glass0", "77");
	/* the cable is not up: the packet is dropped before it */
	answer("glass0:1 77", "glass0 - 1 -\nnear 1 3 port_down\n");
	cli_has(1, "Dropped at near: port_down", "trace", "glass0", "77");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_netcable_show, two_wires),
		cmocka_unit_test_setup(test_netcable_words, cli_empty_fabric),
		cmocka_unit_test_setup(test_netcable_namespaces, cli_empty_fabric),
		cmocka_unit_test_setup(test_device_namespaces, cli_empty_fabric),
		cmocka_unit_test_setup(test_netcable_save_and_load, two_wires),
		cmocka_unit_test_setup(test_netcable_add, two_wires),
		cmocka_unit_test_setup(test_netcable_add_errors, two_wires),
		cmocka_unit_test_setup(test_netcable_refusals, two_wires),
		cmocka_unit_test_setup(test_netcable_load_in_namespaces, cli_empty_fabric),
		cmocka_unit_test_setup(test_netcable_edit, two_wires),
		cmocka_unit_test_setup(test_netcable_trace, two_wires),
	};

	return cmocka_run_group_tests_name("ibfabric_netcable", tests, cli_begin, cli_end);
}
