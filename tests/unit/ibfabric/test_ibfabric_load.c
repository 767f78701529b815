// SPDX-License-Identifier: GPL-2.0-only
/* What ibfabric load makes of dumps and net files, and what it says of wrong ones. */
#define _GNU_SOURCE
#include "ibfabric_cli.h"

#define LEAF "S-e41d2d0300ab1230"
#define HOST "H-0002c903000010f8"

#define SWITCH_LINES                                                  \
	"vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xe41d2d0300ab1234\n" \
	"switchguid=0xe41d2d0300ab1230(e41d2d0300ab1231)\n"           \
	"Switch\t36 \"" LEAF "\"\t\t# \"MF0;sw-leaf1:MSB7700/U1\" enhanced port 0 lid 3 lmc 0\n"
#define HOST_LINES                                                                         \
	"vendid=0x2c9\ndevid=0x1013\nsysimgguid=0x2c903000010fb\ncaguid=0x2c903000010f8\n" \
	"Ca\t2 \"" HOST "\"\t\t# \"node01 HCA-1\"\n"
#define DUMP                                                                                       \
	"#\n# Topology file: generated on Thu May  7 12:00:00 2026\n#\n\n" SWITCH_LINES            \
	"[7]\t\"" HOST "\"[1](2c903000010f9) \t\t# \"node01 HCA-1\" lid 1 4xEDR\n\n" HOST_LINES    \
	"[1](2c903000010f9) \t\"" LEAF "\"[7]\t\t# lid 1 lmc 0 \"MF0;sw-leaf1:MSB7700/U1\" lid 3 " \
	"4xEDR\n"
#define DUMP_COMMANDS                                                                               \
	"switch sw-leaf1 ports=36 guid=0xe41d2d0300ab1230 sysguid=0xe41d2d0300ab1234 "              \
	"portguids=0xe41d2d0300ab1231 vendor=0x2c9 devid=0xd2f0 "                                   \
	"desc=MF0%3Bsw-leaf1:MSB7700/U1 port0=enhanced\n"                                           \
	"hca node01_HCA-1 ports=2 guid=0x2c903000010f8 sysguid=0x2c903000010fb "                    \
	"portguids=0x2c903000010f9,0x2c903000010fa vendor=0x2c9 devid=0x1013 desc=node01%20HCA-1\n" \
	"cable sw-leaf1:7 node01_HCA-1:1 width=4 speed=edr\n"

static char path[200];

static const char *in_root(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", cli_root, name);
	return path;
}

/* The file must load as these commands. */
static void loads(const char *text, const char *expected)
{
	cli_file("net", text);
	cli_is(0, expected, "load", "-n", in_root("net"));
}

/* The file must be refused, and the message about the line must have this in it. */
static void refused(const char *text, const char *piece)
{
	cli_file("net", text);
	cli_has(1, piece, "load", "-n", in_root("net"));
}

static void test_ibfabric_dump(void **state)
{
	(void)state;
	loads(DUMP, DUMP_COMMANDS);
	cli_is(0, "ibfabric: 1 HCA, 0 passive adapters, 1 switch, 1 cable\n", "load",
	       in_root("net"));
	assert_string_equal(COMMANDS, DUMP_COMMANDS);
	/* --full, --grouping, and the node of a link that lists the remote port of an adapter */
	loads(SWITCH_LINES
	      "[7][ext 3]\t\"" HOST "\"[1](2c903000010f9)\t# \"node01 HCA-1\" lid 1 4xEDR s=4 "
	      "w=2 v=4 slot 7\n\nChassis 1 (guid 0x1)\n" HOST_LINES "[1](2c903000010f9)\t\"" LEAF
	      "\"[7][ext 3]\t# lid 1 lmc 0 \"x\" lid 3 4xEDR s=4 w=2 v=4\n",
	      DUMP_COMMANDS);
}

static void test_ibfabric_dump_errors(void **state)
{
	(void)state;
	refused(SWITCH_LINES "[7] \"" HOST "\"[1](2c903000010f9) # \"n\" lid 1 4xEDR\n" HOST_LINES
			     "[1](2c903000010f9) \"" LEAF "\"[8] # lid 1 lmc 0 \"x\" lid 3 4xEDR\n",
		"net:6: sw-leaf1:7 is cabled to node01_HCA-1:1, but line 12 has \"" LEAF
		"\"[8] at that port");
	refused(SWITCH_LINES "[7] \"" HOST "\"[1](2c903000010f9) # \"n\" lid 1 4xEDR\n" HOST_LINES,
		"net:6: sw-leaf1:7 is cabled to node01_HCA-1:1, but node01_HCA-1 (line 11) lists no cable at its port 1");
	refused(SWITCH_LINES "[7] \"" HOST "\"[1](2c903000010f9) # \"n\" lid 1 4xEDR\n" HOST_LINES
			     "[1](2c903000010f9) \"" LEAF "\"[7] # lid 1 lmc 0 \"x\" lid 3 1xEDR\n",
		"net:6: this is 4x edr, but at the other end 1x edr (line 12)");
	refused(SWITCH_LINES "[37] \"" HOST "\"[1] # \"n\" lid 1 4xEDR\n",
		"net:6: sw-leaf1 has no port 37: it has 1 to 36");
	refused(SWITCH_LINES "[7] \"H-0002c903000010f9\"[1] # \"n\" lid 1 4xEDR\n" HOST_LINES,
		"net:6: \"H-0002c903000010f9\": the file describes no such node; did you mean \"" HOST
		"\"?");
	refused(SWITCH_LINES SWITCH_LINES, "net:10: \"" LEAF "\" is described twice (line 5)");
	refused("Switch 4 \"" LEAF "\"\nswitchguid=0xe41d2d0300ab1230\nSwitch 4 \"other\"\n",
		"net:3: other has the GUID 0xe41d2d0300ab1230, as");
	refused("switchguid=0x1\nSwitch 4 \"" LEAF "\"\n",
		"net:2: \"" LEAF "\" is of another GUID");
	refused("Switch 255 \"a\"\n", "net:1: a: a switch has 2 to 254 ports, not 255");
	refused("Swich 4 \"a\"\n", "net:1: not a line of ibnetdiscover or of a net file: Swich");
	refused("[1] \"a\"[1]\n", "net:1: a port without a node");
	refused("SW  1  1 0x2c9 4x EDR\n", "this is the output of ibnetdiscover -p");
	refused("# nothing\n", "it describes no fabric");
	refused("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\nq\nr\ns\nt\nu\nv\n",
		"net: more errors; these are the first 20\n");
}

#define SW_A	"S-0000000000000010"
#define SW_B	"S-0000000000000020"
#define NUMBERS "vendid=0x2c9\ndevid=0xd2f0\n"

/* What a dump says of a node, and what the driver would choose otherwise. */
static void test_ibfabric_node_keys(void **state)
{
	(void)state;
	/* no system image GUID; a description with the words of the comment; a base port 0 */
	loads(NUMBERS "switchguid=0x10(10)\nSwitch 4 \"" SW_A
		      "\" # \"a enhanced port 0\" base port 0 lid 0 lmc 0\n\n" NUMBERS
		      "sysimgguid=0x0\nswitchguid=0x20(20)\nSwitch 4 \"" SW_B
		      "\" # \"b\" enhanced port 0 lid 2 lmc 0\n",
	      "switch a_enhanced_port_0 ports=4 guid=0x10 sysguid=0 portguids=0x10 vendor=0x2c9 "
	      "devid=0xd2f0 desc=a%20enhanced%20port%200\n"
	      "switch b ports=4 guid=0x20 sysguid=0 portguids=0x20 vendor=0x2c9 devid=0xd2f0 "
	      "desc=b port0=enhanced\n");
	/* the driver refuses the name of its own directory */
	loads("Switch 4 \"x\" # \"fabric\"\n", "switch fabric-2 ports=4 desc=fabric\n");
	refused("switch fabric ports=4\n", "net:1: fabric: a name has 1 to 31");
}

/* Ports support what the links of their node have, if they would not do so anyway. */
static void test_ibfabric_rates(void **state)
{
	static const struct {
		const char *link, *keys, *caps;
	} one[] = { { "4xEDR", "", " width=4 speed=edr" },
		    { "1xSDR", "", " width=1 speed=sdr" },
		    { "4xHDR", " speed=hdr", " width=4 speed=hdr" },
		    { "12xQDR", " width=12", " width=12 speed=qdr" },
		    { "2xNDR", " width=2 speed=ndr", " width=2 speed=ndr" } };
	char text[400], expected[400];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(one) / sizeof(*one); i++) {
		snprintf(text, sizeof(text),
			 "Switch 4 \"a\"\n[1] \"b\"[2] # \"b\" lid 1 %s\n"
			 "Switch 4 \"b\"\n[2] \"a\"[1] # \"a\" lid 2 %s\n",
			 one[i].link, one[i].link);
		snprintf(expected, sizeof(expected),
			 "switch a ports=4 desc=a%s\nswitch b ports=4 desc=b%s\n"
			 "cable a:1 b:2%s\n",
			 one[i].keys, one[i].keys, one[i].caps);
		loads(text, expected);
	}
	/* several links: the widest and the fastest, which need not be one */
	loads("Switch 4 \"a\"\n[1] \"b\"[1] # \"b\" lid 1 2xHDR\n[2] \"b\"[2] # \"b\" lid 1 4xEDR\n"
	      "[3] \"c\"[1] # \"c\" lid 1 4xEDR\n"
	      "Switch 4 \"b\"\n[1] \"a\"[1] # \"a\" lid 2 2xHDR\n[2] \"a\"[2] # \"a\" lid 2 4xEDR\n"
	      "Switch 4 \"c\"\n[1] \"a\"[3] # \"a\" lid 2 4xEDR\n",
	      "switch a ports=4 desc=a width=4 speed=hdr\nswitch b ports=4 desc=b width=4 speed=hdr\n"
	      "switch c ports=4 desc=c\ncable a:1 b:1 width=2 speed=hdr\n"
	      "cable a:2 b:2 width=4 speed=edr\ncable a:3 c:1 width=4 speed=edr\n");
	/* beside a link of 2x, one without a limit keeps its 4x */
	loads("Switch 4 \"a\"\n[1] \"b\"[1] w=16\n[2] \"b\"[2]\nSwitch 4 \"b\"\n[1] \"a\"[1] w=16\n[2] \"a\"[2]\n",
	      "switch a ports=4 desc=a width=4\nswitch b ports=4 desc=b width=4\n"
	      "cable a:1 b:1 width=2\ncable a:2 b:2\n");
}

static void test_ibfabric_ibsim(void **state)
{
	(void)state;
	loads("# comment\nSwitch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\tw=2\n[3]\t\"Switch2\"[4] s=3\n\nSwitch 8 \"Switch2\"\n"
	      "[4] \"Switch1\" [3]\n\nHca\t2 \"Hca1\"\n[1]\t\"Switch1\"\n",
	      "switch Switch1 ports=8 desc=Switch1\nswitch Switch2 ports=8 desc=Switch2\nhca Hca1 ports=2 desc=Hca1\n"
	      "cable Switch1:1 Hca1:1 width=4\ncable Switch1:3 Switch2:4 speed=ddr\n");
	cli_file("part", "module=\"m\"\nHca 1 \"H\"\n@[1] \"up\"\n");
	loads("switchguid=0x100\nhcaguids=0x200\ninclude \"part\"\nmodule=\"\"\nSwitch 2 \"S\" # the switch\n[1] \"m@up\"\n",
	      "hca m_H ports=1 guid=0x200 portguids=0x201 desc=m%23H\n"
	      "switch the_switch ports=2 guid=0x100 portguids=0x100 desc=the%20switch\n"
	      "cable the_switch:1 m_H:1\n");
	cli_file("net", "do Link \"a\"[1] \"b\"[1]\nSwitch 2 \"S\"\n");
	cli_has(0, "net:1: ignored, as it is for ibsim's console: do Link", "load", "-n",
		in_root("net"));
	refused("include \"net\"\n", "too many files include files");
	refused("include \"nothing\"\n", "net:1: include \"nothing\": No such file");
	refused("Switch 2 \"S\"\n[1] \"@no\"\n", "net:2: \"@no\": there is no such alias");
	refused("Switch 2 \"S\"\n[1] \"S\"[2] w=33\n", "net:2: w=33: expected w=1..31");
}

/* 40 hosts at 4 switches */
static void many_hosts(void)
{
	char text[8192];
	int i, n = 0;

	for (i = 0; i < 4; i++)
		n += sprintf(text + n, "switch s%d ports=20\n", i);
	for (i = 0; i < 40; i++)
		n += sprintf(text + n, "ca h%d ports=1 guid=0x%x\ncable s%d:%d h%d:1\n", i, i + 1,
			     i / 10, i % 10 + 1, i);
	cli_file("many", text);
}

static void test_ibfabric_choose(void **state)
{
	static char said[32768];

	(void)state;
	many_hosts();
	assert_int_equal(cli("load", "-n", "--hcas=4", in_root("many"), NULL), 0);
	assert_non_null(strstr(cli_said, "hca h0 "));
	assert_non_null(strstr(cli_said, "hca h10 "));
	assert_non_null(strstr(cli_said, "hca h20 "));
	assert_non_null(strstr(cli_said, "hca h30 "));
	assert_non_null(strstr(cli_said, "ca h1 "));
	cli_has(0, "\nhca h7 ports=1 ", "load", "-n", "--hca=0x8", in_root("many"));
	cli_has(0, "\nhca h39 ports=1 ", "load", "-n", "--hca=h3?", in_root("many"));
	cli_has(1, "--hca h99: no such channel adapter; did you mean", "load", "-n", "--hca=h99",
		in_root("many"));
	cli_has(1, "--hca s0: s0 cannot be an HCA: it is a switch", "load", "-n", "--hca=s0",
		in_root("many"));
	cli_has(1, "more than 32 HCAs: libibumad opens at most 32 local adapters", "load", "-n",
		"--hca=h*", in_root("many"));
	cli_has(2, "--hcas: 33: expected 0 to 32", "load", "--hcas=33", in_root("many"));
	/* a dump without options: too many hosts, and an adapter with too many ports */
	strcpy(said, "");
	for (int i = 0; i < 33; i++)
		sprintf(said + strlen(said), "Hca 1 \"h%d\"\n", i);
	cli_file("net", said);
	cli_has(0,
		"net: 2 of 33 channel adapters are HCAs, the others passive: libibumad opens at most 32",
		"load", "-n", in_root("net"));
	cli_file("net", "Hca 4 \"h\"\n");
	cli_has(0,
		"net: 0 of 1 channel adapters are HCAs, the others passive: OpenSM accepts at most 2 ports",
		"load", "-n", in_root("net"));
	cli_has(1, "h cannot be an HCA: OpenSM accepts at most 2 ports per local adapter", "load",
		"-n", "--hca=h", in_root("net"));
	refused("hca h ports=3\n", "net:1: h: an HCA with 3 ports: OpenSM accepts at most 2");
}

static void test_ibfabric_commands(void **state)
{
	(void)state;
	loads("# saved\nswitch a ports=4\nca b ports=2 desc=%\ncable a:1 b:1 width=8 mtu=256\ncable a:2 b:2\npull a:2\n",
	      "switch a ports=4\nca b ports=2 desc=%\ncable a:1 b:1 width=8 mtu=256\ncable a:2 b:2 pulled=yes\n");
	loads("switch a ports=4 sysguid=0 enforcement=no port0=enhanced speed=ndr width=12\n"
	      "switch b ports=4 enforcement=yes port0=base\nhca c ports=1 width=2 speed=hdr\n",
	      "switch a ports=4 sysguid=0 port0=enhanced enforcement=no width=12 speed=ndr\n"
	      "switch b ports=4\nhca c ports=1 width=2 speed=hdr\n");
	refused("switch a ports=4 port0=yes\n", "net:1: port0=yes: expected enhanced or base");
	refused("switch a ports=4 enforcement=on\n", "net:1: enforcement=on: expected yes or no");
	refused("ca a ports=4 port0=base\n", "net:1: port0=base: there is no such key");
	refused("switch a ports=4 width=3\n", "net:1: width=3: expected 1, 2, 4, 8 or 12");
	refused("switch a ports=4 speed=xdr\n", "net:1: speed=xdr: expected sdr, ddr");
	refused("switch a ports=4 enforcment=no\n", "did you mean enforcement=?");
	refused("switch a ports=4 prots=3\n",
		"net:1: prots=3: there is no such key; did you mean ports=?");
	refused("switch a ports=x\n", "net:1: ports=x: expected a number");
	refused("switch a\n", "net:1: a: ports=N is missing");
	refused("switch a ports=4\ncable a:1 b:1\n", "net:2: b: there is no such node");
	refused("switch a ports=4\ncable a:1 a:1\n", "net:2: a:1 is cabled to itself");
	refused("switch a ports=4\ncable a:1 a:2\ncable a:2 a:3\n",
		"net:3: a:2 has a cable already");
	refused("switch a ports=4\ncable a:1 a:2 width=3\n",
		"net:2: width=3: expected 1, 2, 4, 8 or 12");
	refused("hca a ports=2 portguids=0x1\n", "expected 2 GUIDs, one for each port");
	refused("switch a ports=4\nswich b ports=4\n",
		"net:2: swich: there is no such command; did you mean switch?");
}

/* The driver's error has the line of the write, which becomes the line of the file. */
static void test_ibfabric_driver_error(void **state)
{
	char command[400];

	(void)state;
	cli_file("net", "# first\nswitch a ports=4\n\nca b ports=2\ncable a:1 b:1\n");
	cli_file("config/glass/error", "2 5 7 value: too many ports\n");
	snprintf(command, sizeof(command), "ln -sf /dev/full %s/config/glass/commands", cli_root);
	assert_int_equal(system(command), 0);
	cli_has(1, "net:4: value: too many ports\n  ca b ports=2\n       ^^^^^^^\n", "load",
		in_root("net"));
	cli_file("config/glass/error", "");
	cli_has(1, "the driver refused a command: No space left on device", "clear");
}

static void test_ibfabric_absent(void **state)
{
	static const char *const no[] = { "module", "config", "fabric" };
	char text[300];

	(void)state;
	snprintf(text, sizeof(text), "rm -r %s/%s", cli_root, no[2]);
	assert_int_equal(system(text), 0);
	cli_has(3, "this module has no fabric to show", "show");
	snprintf(text, sizeof(text), "rm -r %s/%s", cli_root, no[1]);
	assert_int_equal(system(text), 0);
	cli_has(3, "configfs is not mounted; run \"mount -t configfs none ", "clear");
	snprintf(text, sizeof(text), "rm -r %s/%s", cli_root, no[0]);
	assert_int_equal(system(text), 0);
	cli_is(3, "ibfabric: the module glass is not loaded; run \"modprobe glass\"\n", "clear");
	cli_is(3, "ibfabric: the module glass is not loaded; run \"modprobe glass\"\n", "show");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ibfabric_dump, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_dump_errors, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_node_keys, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_rates, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_ibsim, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_choose, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_commands, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_driver_error, cli_empty_fabric),
		cmocka_unit_test_setup(test_ibfabric_absent, cli_empty_fabric),
	};

	return cmocka_run_group_tests_name("ibfabric_load", tests, cli_begin, cli_end);
}
