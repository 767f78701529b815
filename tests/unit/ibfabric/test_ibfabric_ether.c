// SPDX-License-Identifier: GPL-2.0-only
/* ibfabric and Ethernet ports, on a driver that is files: what show, save and add say. */
#define _GNU_SOURCE
#include "ibfabric_cli.h"

#include <inttypes.h>

#define ETHER_HEAD "# glass 1 ether: dev netdev netns ifindex netdev_mtu mac state gids tx_packets\n"

/* Two devices: one in the caller's network namespace, one in another. glassr9 has come in between. */
static int two_ports(void **state)
{
	static char text[1000];

	cli_empty_fabric(state);
	cli_file("fabric/nodes",
		 NODES_HEAD "near switch 2 0x40 0x40 0x2c9 0x2 near - 4 base yes - edr -\n"
			    "glass0 hca 1 0x10 0x10 0x2c9 0x1 glass0 glass0 1 - - - edr -\n"
			    "glassr0 hca 1 0x20 0x20 0x2c9 0x1 glassr0 glassr0 0 - - - edr -\n"
			    "glassr1 hca 1 0x30 0x30 0x2c9 0x1 glassr1 glassr1 0 - - - edr -\n");
	cli_file("fabric/cables", CABLES_HEAD "near:1 glass0:1 12 ndr 4096 no active active 4 edr\n");
	snprintf(text, sizeof(text),
		 ETHER_HEAD "glassr0 there %" PRIu64 " 5 4200 02:00:00:00:00:01 active 3 0\n"
			    "glassr1 le%%20ft 77 6 1500 02:00:00:00:00:02 down 1 0\n"
			    "glassr9 wire 77 6 1500 02:00:00:00:00:03 down 0 0\n", netns_own());
	cli_file("fabric/ethernet", text);
	return 0;
}

static void test_show(void **state)
{
	(void)state;
	cli_is(0,
	       "near  switch, 2 ports, 1 free, LID 4\n"
	       "    1  glass0:1           4x EDR    active  HCA\n"
	       "\n"
	       "Without a switch\n"
	       "glassr0  HCA, 1 port\n"
	       "    1  there              Ethernet  active  3 GIDs, MTU 4200\n"
	       "glassr1  HCA, 1 port\n"
	       "    1  le ft in netns 77  Ethernet  down    1 GID, MTU 1500\n",
	       "show");
	cli_has(0, "\"ethernet\":{", "show", "--json", "glassr0");
	assert_non_null(strstr(cli_said, "\"netdev\":\"there\""));
	assert_non_null(strstr(cli_said, "\"netdev_mtu\":4200"));
	assert_non_null(strstr(cli_said, "\"gids\":3"));
	assert_null(strstr(cli_said, "le ft"));
	cli_has(0, "Ethernet port of there</title>", "show", "--svg");
	cli_has(0, "tooltip=\"Ethernet port of there\"", "show", "--dot");
}

/* The file builds the rest again, and says what is missing. */
static void test_save(void **state)
{
	(void)state;
	assert_int_equal(cli("save", NULL), 0);
	assert_non_null(strstr(cli_said, "hca glass0 "));
	assert_null(strstr(cli_said, "hca glassr"));
	assert_non_null(strstr(cli_said,
			       "# Ethernet port, not built by load: rdma link add glassr0 type glass netdev there\n"));
	assert_non_null(strstr(cli_said,
			       "# Ethernet port, not built by load, in the network namespace 77, which has no name: "
			       "rdma link add glassr1 type glass netdev le ft\n"));
	assert_non_null(strstr(cli_said, "glassr0 is an Ethernet port of there: no part of a fabric that load builds"));
	assert_non_null(strstr(cli_said, "glassr1 is an Ethernet port of le ft"));
	assert_null(strstr(cli_said, "glassr9"));
}

/* A new fabric takes the place of the old one, and of its Ethernet ports. */
static void test_replace(void **state)
{
	char path[200];

	(void)state;
	cli_file("new", "switch other ports=2\n");
	snprintf(path, sizeof(path), "%s/new", cli_root);
	cli_has(0, "glassr0, an Ethernet port of there, was removed with the fabric; "
		   "\"rdma link add glassr0 type glass netdev there\" makes it again", "load", "--replace", path);
	assert_non_null(strstr(cli_said, "glassr1, an Ethernet port of le ft, was removed"));
}

/* netns= is the tool's own key: the driver does not get it. */
static void test_add(void **state)
{
	(void)state;
	cli_is(0, "", "add", "hca", "glassr2", "netdev=left", "guid=7");
	assert_string_equal(COMMANDS, "hca glassr2 netdev=left guid=7\n");
	two_ports(NULL);
	cli_is(0, "", "add", "hca", "glassr2", "netdev=left", "netns=/proc/self/ns/net", "guid=7");
	assert_string_equal(COMMANDS, "hca glassr2 netdev=left guid=7\n");
	two_ports(NULL);
	cli_is(1, "ibfabric: netns=/proc/self/ns/net: this key needs netdev=\n", "add", "hca", "glassr2", "ports=1",
	       "netns=/proc/self/ns/net");
	cli_is(1, "ibfabric: netns=/no/such: No such file or directory\n", "add", "hca", "glassr2", "netdev=left",
	       "netns=/no/such");
	assert_string_equal(COMMANDS, "");
}

/* The driver's own errors get the names of the interface and of its port. */
static void test_add_refused(void **state)
{
	char command[400];

	(void)state;
	snprintf(command, sizeof(command), "ln -sf /dev/full %s/config/glass/commands", cli_root);
	assert_int_equal(system(command), 0);
	cli_file("config/glass/error", "1 19 5 ether_taken: this network interface has an Ethernet port already\n");
	cli_has(1, "ether_taken: glassr0 is the Ethernet port of there; \"ibfabric remove glassr0\" removes it\n", "add",
		"hca", "glassr2", "netdev=there");
	assert_non_null(strstr(cli_said, "  hca glassr2 netdev=there\n                     ^^^^^\n"));
	/* another interface of this name, in another namespace, does not count */
	cli_file("config/glass/error", "1 19 4 ether_taken: this network interface has an Ethernet port already\n");
	cli_has(1, "ether_taken: wire has an Ethernet port already\n", "add", "hca", "glassr2", "netdev=wire");
	cli_file("config/glass/error", "1 19 6 vlan: this is a VLAN\n");
	cli_has(1, "vlan: left.7 is a VLAN; use the interface below it", "add", "hca", "glassr2", "netdev=left.7");
	cli_file("config/glass/error", "1 19 4 udp_port_taken: somebody else has UDP port 4791\n");
	cli_has(1, "udp_port_taken: left: somebody else has UDP port 4791 in this network namespace (", "add", "hca",
		"glassr2", "netdev=left");
}

static void test_load_refused(void **state)
{
	char path[200];

	(void)state;
	cli_file("new", "switch other ports=2\nhca glassr2 netdev=left\n");
	snprintf(path, sizeof(path), "%s/new", cli_root);
	cli_has(1, "new:2: netdev=left: load makes no Ethernet ports; \"ibfabric add\" makes glassr2\n", "load", "-n", path);
}

static void test_older_module(void **state)
{
	char path[200];

	(void)state;
	snprintf(path, sizeof(path), "%s/fabric/ethernet", cli_root);
	assert_int_equal(unlink(path), 0);
	cli_has(0, "glassr0  HCA, 1 port, 1 free\n", "show");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_show, two_ports),
		cmocka_unit_test_setup(test_save, two_ports),
		cmocka_unit_test_setup(test_replace, two_ports),
		cmocka_unit_test_setup(test_add, two_ports),
		cmocka_unit_test_setup(test_add_refused, two_ports),
		cmocka_unit_test_setup(test_load_refused, two_ports),
		cmocka_unit_test_setup(test_older_module, two_ports),
	};

	return cmocka_run_group_tests_name("ibfabric_ether", tests, cli_begin, cli_end);
}
