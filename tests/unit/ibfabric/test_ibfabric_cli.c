// SPDX-License-Identifier: GPL-2.0-only
/* ibfabric on a driver that is files: what it writes, what it prints, how it ends. */
#define _GNU_SOURCE
#include "ibfabric_cli.h"

#define SMALL_SAVED                                                                                 \
	"hca glass0 ports=1 guid=0x10 sysguid=0x10 portguids=0x11 vendor=0x2c9 devid=0x1 "          \
	"desc=my%20host\n"                                                                          \
	"hca glass1 ports=1 guid=0x20 sysguid=0x20 portguids=0x21 vendor=0x2c9 devid=0x1 desc=%\n"  \
	"ca host2 ports=1 guid=0x30 sysguid=0x30 portguids=0x31 vendor=0x2c9 devid=0x1 desc=host2 " \
	"width=12 speed=ndr\n"                                                                      \
	"switch switch0 ports=4 guid=0x40 sysguid=0 portguids=0x40 vendor=0x2c9 devid=0x2 "         \
	"desc=switch0 port0=enhanced enforcement=no\n"                                              \
	"cable glass0:1 switch0:1 width=12 speed=ndr mtu=4096\n"                                    \
	"cable glass1:1 switch0:2 width=4 speed=hdr mtu=2048 pulled=yes\n"                          \
	"cable host2:1 switch0:3 width=12 speed=ndr mtu=4096\n"

static char path[200];

static const char *in_root(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", cli_root, name);
	return path;
}

static void test_ibfabric_make(void **state)
{
	(void)state;
	cli_is(0, "ibfabric: 2 HCAs, 0 passive adapters, 1 switch, 2 cables\n", "make", "star");
	assert_string_equal(COMMANDS,
			    "switch switch0 ports=2\nhca glass0 ports=1\nhca glass1 ports=1\n"
			    "cable switch0:1 glass0:1\ncable switch0:2 glass1:1\n");
	cli_is(0,
	       "switch rail0 ports=3 speed=hdr\nswitch rail1 ports=3 speed=hdr\n"
	       "hca glass0 ports=2 speed=hdr\nca host1 ports=2 speed=hdr\n"
	       "cable rail0:1 glass0:1 width=4 speed=hdr\ncable rail1:1 glass0:2 width=4 speed=hdr\n"
	       "cable rail0:2 host1:1 width=4 speed=hdr\ncable rail1:2 host1:2 width=4 speed=hdr\n"
	       "cable rail0:3 rail1:3 width=4 speed=hdr\n",
	       "make", "dual-rail", "--hosts=2", "--isl=1", "--real=1", "--print", "--width=4",
	       "--speed=hdr");
	cli_has(0, "cable spine0-0:3 core0:1\n", "make", "fat-tree", "--pods=2", "--leaves=2",
		"--print");
	cli_has(0, "cable sw-0-1-1:1 sw-1-1-1:2\n", "make", "torus", "--size=2x2x2", "--print");
	cli_has(0, "hca glass1 ports=1\nca host3 ports=1\n", "make", "fat-tree", "--real=2",
		"--leaves=2", "--print");
	cli_has(1, "3 cores: expected a multiple of the 2 spines", "make", "fat-tree", "--pods=2",
		"--cores=3", "--print");
	cli_has(1, "a switch has at most 254 ports", "make", "star", "--hosts=300");
	cli_has(2, "--size is no option of star", "make", "star", "--size=3");
	cli_has(2, "--leaves is no option of torus", "make", "--leaves=3", "torus");
	cli_has(2, "did you mean torus?", "make", "tours");
	cli_has(2, "--size: '4y3'", "make", "torus", "--size=4y3");
	cli_has(2, "--size: '3x': expected 1 to 3 numbers joined by x, such as 4x4x2", "make", "torus",
		"--size=3x");
}

static void test_ibfabric_occupied(void **state)
{
	(void)state;
	cli_is(1,
	       "ibfabric: there is a fabric already: 2 HCAs, 1 passive adapter, 1 switch, 3 cables; --replace "
	       "removes it first, and \"ibfabric save\" keeps it in a file\n",
	       "make", "star");
	assert_string_equal(COMMANDS, "");
	cli_is(0, "", "make", "star", "--hosts=1", "--replace", "-q");
	/* each write is of a file opened anew, so the clear is overwritten by what follows */
	assert_string_equal(
		COMMANDS, "switch switch0 ports=2\nhca glass0 ports=1\ncable switch0:1 glass0:1\n");
}

static void test_ibfabric_save_and_load(void **state)
{
	(void)state;
	cli_has(0, "\n" SMALL_SAVED, "save");
	cli_is(0, "", "save", in_root("saved"));
	cli_is(0, SMALL_SAVED, "load", "--dry-run", in_root("saved"));
	cli_is(0, "", "load", "--replace", "-q", in_root("saved"));
	assert_string_equal(COMMANDS, SMALL_SAVED);
	cli_has(1, "/no/such: No such file or directory", "load", "/no/such");
	cli_has(2, "expected a FILE", "load");
}

static void test_ibfabric_show(void **state)
{
	(void)state;
	cli_is(0,
	       "switch0  switch, 4 ports, 1 free, LID 4\n"
	       "    1  glass0:1   4x EDR  active       HCA, LID 1\n"
	       "    2  glass1:1   4x HDR  pulled       HCA\n"
	       "    3  host2:1    1x SDR  init/active  passive, LID 3\n",
	       "show");
	cli_is(0,
	       "glass0  HCA, 1 port, LID 1  \"my host\"\n"
	       "    1  switch0:1  4x EDR  active       switch, LID 4\n",
	       "show", "glass0");
	cli_is(1, "ibfabric: glas0: there is no such node; did you mean glass0?\n", "show",
	       "glas0");
	cli_has(0, "\"pulled\":true", "show", "--json");
	cli_has(0, "\"glass0\" -- \"switch0\" [taillabel=\"1\", headlabel=\"1\", label=\"4x EDR\"]",
		"show", "--dot");
	cli_has(0, "style=dashed, color=\"#c0392b\"", "show", "--dot");
}

/* A picture has each node and cable, and text of anybody cannot break it. */
static void test_ibfabric_svg(void **state)
{
	(void)state;
	cli_file("fabric/nodes",
		 NODES_HEAD "glass0 hca 1 0x10 0x10 0x2c9 0x1 a%3C%26%0A%3E glass0 1 - - - edr -\n"
			    "glass1 hca 1 0x20 0x20 0x2c9 0x1 % - 0 - - - edr -\n"
			    "host2 ca 1 0x30 0x30 0x2c9 0x1 host2 - 3 - - - edr -\n"
			    "switch0 switch 4 0x40 0x40 0x2c9 0x2 switch0 - 4 base yes - edr -\n");
	cli_has(0, "<svg xmlns=\"http://www.w3.org/2000/svg\" ", "show", "--svg");
	assert_non_null(strstr(cli_said, "<title>glass0: a&lt;&amp;?&gt;, LID 1</title>"));
	assert_non_null(strstr(cli_said, "<title>glass1:1 - switch0:2 4x HDR pulled</title>"));
	assert_non_null(strstr(cli_said, "<title>host2:1 - switch0:3 1x SDR active/init</title>"));
	assert_non_null(strstr(cli_said, ">pulled</text>"));
	assert_null(strstr(cli_said, ">down</text>"));
	assert_non_null(strstr(cli_said, "</svg>\n"));
	assert_null(strstr(cli_said, "nan"));
	cli_has(2, "--svg and --dot show the whole fabric; leave out glass0", "show", "--svg",
		"glass0");
	cli_has(2, "exclude each other", "show", "--svg", "--json");
	cli_empty_fabric(NULL);
	cli_has(0, "</svg>\n", "show", "--svg");
	assert_null(strstr(cli_said, "nan"));
	assert_null(strstr(cli_said, "inf"));
}

/* All forms and sizes can be drawn: the sanitizers look on. */
static void test_ibfabric_svg_forms(void **state)
{
	static const char *const forms[][4] = {
		{ "star", "--hosts=30" },
		{ "fat-tree", "--pods=3", "--cores=4" },
		{ "torus", "--size=3x3x2" },
		{ "torus", "--size=5" },
		{ "dual-rail", "--isl=2" },
		{ "fat-tree", "--hosts-per-leaf=0", "--links=3" },
		{ "torus", "--hosts-per-switch=0" },
	};
	static char text[65536];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		assert_int_equal(
			cli("make", "--print", forms[i][0], forms[i][1], forms[i][2], NULL), 0);
		snprintf(text, sizeof(text), "%s", cli_said);
		cli_file("form", text);
		cli_has(0, "<svg ", "show", "--svg", "--file", in_root("form"));
		assert_null(strstr(cli_said, "nan"));
		cli_has(0, "graph fabric {", "show", "--dot", "-f", in_root("form"));
		cli_has(0, "\"nodes\"", "show", "--json", "-f", in_root("form"));
	}
}

static void test_ibfabric_edit(void **state)
{
	(void)state;
	cli_is(0, "", "cut", "glass0:1");
	assert_string_equal(COMMANDS, "pull glass0:1\n");
	cli_small_fabric(NULL);
	cli_is(0, "", "plug", "switch0", "glass1");
	assert_string_equal(COMMANDS, "plug glass1:1\n");
	cli_is(0, "ibfabric: all 1 cables between glass1 and switch0 are pulled already\n", "cut",
	       "glass1", "switch0");
	cli_is(1, "ibfabric: no cable joins glass0 and glass1\n", "cut", "glass0", "glass1");
	cli_is(1, "ibfabric: switch0:4 has no cable\n", "cut", "switch0:4");
	cli_is(1, "ibfabric: switch0 has no port 5: it has 1 to 4\n", "plug", "switch0:5");
	cli_is(1, "ibfabric: swich0: there is no such node; did you mean switch0?\n", "cut",
	       "swich0:1");
	cli_has(2, "expected ports A:P, or two nodes A B", "cut", "switch0");
	cli_small_fabric(NULL);
	cli_is(0, "", "remove", "glass1", "host2");
	assert_string_equal(COMMANDS, "remove glass1\nremove host2\n");
	cli_has(1, "there is no such node", "remove", "nothing");
	cli_small_fabric(NULL);
	cli_is(0, "", "add", "ca", "host9", "ports=1", "desc=my host%21");
	assert_string_equal(COMMANDS, "ca host9 ports=1 desc=my%20host%21\n");
	cli_has(2, "expected a command", "add");
	cli_small_fabric(NULL);
	cli_is(0, "", "clear");
	assert_string_equal(COMMANDS, "clear\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ibfabric_make, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_occupied, cli_small_fabric),
		cmocka_unit_test_setup(test_ibfabric_save_and_load, cli_small_fabric),
		cmocka_unit_test_setup(test_ibfabric_show, cli_small_fabric),
		cmocka_unit_test_setup(test_ibfabric_svg, cli_small_fabric),
		cmocka_unit_test_setup(test_ibfabric_svg_forms, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_edit, cli_small_fabric),
	};

	return cmocka_run_group_tests_name("ibfabric_cli", tests, cli_begin, cli_end);
}
