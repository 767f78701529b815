// SPDX-License-Identifier: GPL-2.0-only
/* Commands of the fabric: what they mean, and how wrong ones are refused. */
#include "harness.h"

#include "fabric/command.h"

static struct glass_fabric_command c;
static struct glass_fabric_error e;

static int parse(const char *line)
{
	/* as long as the line: the sanitizer finds reads behind it */
	size_t len = strlen(line);
	char *copy = malloc(len ? len : 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, line, len);
	err = glass_fabric_parse(&c, &e, copy, len);
	free(copy);
	return err;
}

static void test_nodes(void **state)
{
	(void)state;
	assert_int_equal(parse("switch sw1 ports=36 guid=0x0002c90200423a10 sysguid=0x0002c90200423a13 "
			       "vendor=0x2c9 devid=0xc738 desc=MF0%3bspine%201 portguids=0x77"), 1);
	assert_int_equal(c.verb, GLASS_FABRIC_SWITCH);
	assert_string_equal(c.node.name, "sw1");
	assert_int_equal(c.node.ports, 36);
	assert_int_equal(c.node.guid, 0x0002c90200423a10ULL);
	assert_int_equal(c.node.sys_guid, 0x0002c90200423a13ULL);
	assert_int_equal(c.node.vendor_id, 0x2c9);
	assert_int_equal(c.node.device_id, 0xc738);
	assert_string_equal(c.node.desc, "MF0;spine 1");
	assert_int_equal(c.node.num_port_guids, 1);
	assert_int_equal(c.node.port_guid[0], 0x77);
	assert_true(c.node.has_sys_guid);
	assert_false(c.node.enhanced || c.node.no_enforcement);
	assert_int_equal(parse("switch a ports=2 port0=enhanced enforcement=no sysguid=0"), 1);
	assert_true(c.node.enhanced && c.node.no_enforcement && c.node.has_sys_guid);
	assert_int_equal(c.node.sys_guid, 0);

	assert_int_equal(parse("  hca glass0\tports=2  portguids=1,2 "), 1);
	assert_int_equal(c.verb, GLASS_FABRIC_HCA);
	assert_false(c.node.has_desc);
	assert_int_equal(c.node.num_port_guids, 2);
	assert_int_equal(parse("ca n1 desc=% ports=254"), 1);
	assert_true(c.node.has_desc);
	assert_string_equal(c.node.desc, "");
	assert_int_equal(parse("ca n1 ports=1 speed=hdr width=2"), 1);
	assert_int_equal(c.node.speed_ext, 7);
	assert_int_equal(c.node.width, GLASS_WIDTH_1X | GLASS_WIDTH_2X);
	assert_int_equal(parse("remove n1"), 1);
	assert_string_equal(c.node.name, "n1");
	assert_int_equal(parse("clear"), 1);
	assert_int_equal(c.verb, GLASS_FABRIC_CLEAR);
	assert_int_equal(parse(""), 0);
	assert_int_equal(parse("  "), 0);
	assert_int_equal(parse("# hca x"), 0);
}

static void test_cables(void **state)
{
	(void)state;
	assert_int_equal(parse("cable sw1:36 glass0:2"), 1);
	assert_string_equal(c.a.node, "sw1");
	assert_int_equal(c.a.port, 36);
	assert_string_equal(c.b.node, "glass0");
	assert_int_equal(c.b.port, 2);
	assert_int_equal(c.cable.width, 0xff);
	assert_int_equal(c.cable.mtu, GLASS_MTU_4096);
	assert_false(c.cable.pulled);
	assert_int_equal(parse("cable a:1 b:1 mtu=2048 pulled=yes speed=fdr width=4"), 1);
	assert_int_equal(c.cable.width, GLASS_WIDTH_1X | GLASS_WIDTH_2X | GLASS_WIDTH_4X);
	assert_int_equal(c.cable.speed, 7);
	assert_int_equal(c.cable.speed_ext, GLASS_SPEED_EXT_FDR);
	assert_int_equal(c.cable.mtu, GLASS_MTU_2048);
	assert_true(c.cable.pulled);
	assert_int_equal(parse("pull a:1"), 1);
	assert_int_equal(c.verb, GLASS_FABRIC_PULL);
	assert_int_equal(parse("plug a:1"), 1);
	assert_int_equal(parse("uncable a:1"), 1);
}

static void test_netdev_cables(void **state)
{
	(void)state;
	assert_int_equal(parse("cable sw1:36 netdev=eth0"), 1);
	assert_int_equal(c.verb, GLASS_FABRIC_CABLE);
	assert_string_equal(c.a.node, "sw1");
	assert_int_equal(c.a.port, 36);
	assert_string_equal(c.b.node, "");
	assert_string_equal(c.cable.netdev, "eth0");
	assert_int_equal(c.cable.netdev_at, strlen("cable sw1:36 netdev="));
	assert_int_equal(c.cable.netdev_len, 4);
	assert_int_equal(c.cable.silence_ms, 3000);
	assert_false(c.cable.vcrc);
	assert_int_equal(c.cable.mtu, GLASS_MTU_4096);
	assert_int_equal(c.cable.width, 0xff);
	/* in any order, with the keys of other cables */
	assert_int_equal(parse("cable a:1 vcrc=yes mtu=1024 silence=0x1f4 pulled=yes netdev=a.b-c_d@e speed=qdr width=4"), 1);
	assert_string_equal(c.cable.netdev, "a.b-c_d@e");
	assert_int_equal(c.cable.silence_ms, 500);
	assert_true(c.cable.vcrc && c.cable.pulled);
	assert_int_equal(c.cable.mtu, GLASS_MTU_1024);
	assert_int_equal(c.cable.speed, 7);
	assert_int_equal(parse("cable a:1 netdev=x vcrc=no"), 1);
	assert_false(c.cable.vcrc);
	/* the longest name, and one with = */
	assert_int_equal(parse("cable a:1 netdev=123456789012345"), 1);
	assert_string_equal(c.cable.netdev, "123456789012345");
	assert_int_equal(parse("cable a:1 netdev=a=b"), 1);
	assert_string_equal(c.cable.netdev, "a=b");
	/* bounds */
	assert_int_equal(parse("cable a:1 netdev=x silence=100"), 1);
	assert_int_equal(c.cable.silence_ms, 100);
	assert_int_equal(parse("cable a:1 netdev=x silence=60000"), 1);
	assert_int_equal(c.cable.silence_ms, 60000);
	/* a cable with two ends has no interface, and no word of the line before */
	assert_int_equal(parse("cable a:1 b:1"), 1);
	assert_string_equal(c.cable.netdev, "");
	assert_string_equal(c.b.node, "b");
}

/* The sentence of a missing end names both kinds of ends. */
static void test_no_end(void **state)
{
	char text[GLASS_FABRIC_ERROR_TEXT];

	(void)state;
	assert_int_equal(parse("cable a:1"), -EINVAL);
	assert_int_equal(e.kind, GLASS_FE_NO_END);
	glass_fabric_error_text(&e, text);
	assert_non_null(strstr(text, "NAME:PORT"));
	assert_non_null(strstr(text, "netdev="));
	assert_int_equal(parse("cable a:1 netdev=1234567890123456"), -EINVAL);
	glass_fabric_error_text(&e, text);
	assert_non_null(strstr(text, "1 to 15 bytes"));
	assert_int_equal(parse("cable a:1 silence=500"), -EINVAL);
	glass_fabric_error_text(&e, text);
	assert_non_null(strstr(text, "netdev="));
}

/* An HCA with an Ethernet port has one port, whether that is said or not. */
static void test_ethernet_hca(void **state)
{
	(void)state;
	assert_int_equal(parse("hca roce0 netdev=eth0 guid=7 desc=a"), 1);
	assert_int_equal(c.verb, GLASS_FABRIC_HCA);
	assert_string_equal(c.cable.netdev, "eth0");
	assert_int_equal(c.cable.netdev_at, strlen("hca roce0 netdev="));
	assert_int_equal(c.node.ports, 1);
	assert_int_equal(c.node.guid, 7);
	assert_int_equal(parse("hca roce0 ports=1 netdev=eth0"), 1);
	assert_int_equal(c.node.ports, 1);
	assert_int_equal(parse("hca roce0 ports=1"), 1);
	assert_string_equal(c.cable.netdev, "");
}

/* A NUL in a name of an interface: lines of configfs may have any bytes. */
static void test_netdev_nul(void **state)
{
	(void)state;
	assert_int_equal(glass_fabric_parse(&c, &e, "cable a:1 netdev=e\0h", 20), -EINVAL);
	assert_int_equal(e.kind, GLASS_FE_BAD_NETDEV);
	assert_int_equal(e.at, 17);
	assert_int_equal(e.len, 3);
}

static const struct {
	const char *line;
	enum glass_fabric_error_kind kind;
	const char *word; /* the wrong one */
	u64 low, high;
} wrong[] = {
	{ "router r1", GLASS_FE_UNKNOWN_COMMAND, "router", 0, 0 },
	{ "hca", GLASS_FE_NO_NAME, "", 0, 0 },
	{ "hca -a ports=1", GLASS_FE_BAD_NAME, "-a", 0, 0 },
	{ "hca fabric ports=1", GLASS_FE_BAD_NAME, "fabric", 0, 0 },
	{ "hca a/b ports=1", GLASS_FE_BAD_NAME, "a/b", 0, 0 },
	{ "ca a23456789012345678901234567890123 ports=1", GLASS_FE_BAD_NAME,
	  "a23456789012345678901234567890123", 0, 0 },
	{ "hca a", GLASS_FE_MISSING_KEY, "a", 0, 0 },
	{ "hca a ports=9", GLASS_FE_OUT_OF_RANGE, "9", 1, 8 },
	{ "hca a ports=0", GLASS_FE_OUT_OF_RANGE, "0", 1, 8 },
	{ "switch a ports=1", GLASS_FE_OUT_OF_RANGE, "1", 2, 254 },
	{ "switch a ports=99999999999999999999999", GLASS_FE_OUT_OF_RANGE,
	  "99999999999999999999999", 2, 254 },
	{ "switch a ports=two", GLASS_FE_NO_NUMBER, "two", 0, 0 },
	{ "switch a ports=", GLASS_FE_NO_NUMBER, "", 0, 0 },
	{ "switch a ports=2 ports=3", GLASS_FE_GIVEN_TWICE, "ports=3", 0, 0 },
	{ "switch a ports=2 pulled=yes", GLASS_FE_UNKNOWN_KEY, "pulled", 0, 0 },
	{ "switch a ports=2 color=red", GLASS_FE_UNKNOWN_KEY, "color", 0, 0 },
	{ "ca a ports=2 port0=base", GLASS_FE_UNKNOWN_KEY, "port0", 0, 0 },
	{ "switch a ports=2 port0=big", GLASS_FE_UNKNOWN_WORD, "big", 0, 0 },
	{ "switch a 2", GLASS_FE_EXTRA_WORD, "2", 0, 0 },
	{ "hca a ports=1 portguids=1,2", GLASS_FE_MANY_GUIDS, "1,2", 0, 1 },
	{ "switch a portguids=1,2 ports=9", GLASS_FE_MANY_GUIDS, "1,2", 0, 1 },
	{ "hca a ports=2 portguids=1,", GLASS_FE_NO_NUMBER, "", 0, 0 },
	{ "hca a ports=2 desc=%4", GLASS_FE_BAD_TEXT, "%4", 0, 64 },
	{ "hca a ports=2 desc=%00", GLASS_FE_BAD_TEXT, "%00", 0, 64 },
	{ "hca a ports=2 desc=x%zz", GLASS_FE_BAD_TEXT, "x%zz", 0, 64 },
	{ "hca a ports=2 desc=12345678901234567890123456789012345678901234567890123456789012345",
	  GLASS_FE_BAD_TEXT,
	  "12345678901234567890123456789012345678901234567890123456789012345", 0, 64 },
	{ "cable a:1", GLASS_FE_NO_END, "", 0, 0 },
	{ "cable a b:1", GLASS_FE_BAD_END, "a", 0, 0 },
	{ "cable a:x b:1", GLASS_FE_BAD_END, "a:x", 0, 0 },
	{ "cable a:0 b:1", GLASS_FE_OUT_OF_RANGE, "0", 1, 254 },
	{ "cable a:1 b:255", GLASS_FE_OUT_OF_RANGE, "255", 1, 254 },
	{ "cable a:1 b:2 width=3", GLASS_FE_UNKNOWN_WORD, "3", 0, 0 },
	{ "cable a:1 b:2 speed=fast", GLASS_FE_UNKNOWN_WORD, "fast", 0, 0 },
	{ "cable a:1 b:2 mtu=1500", GLASS_FE_UNKNOWN_WORD, "1500", 0, 0 },
	{ "cable netdev=eth0", GLASS_FE_BAD_END, "netdev=eth0", 0, 0 },
	{ "cable a:1 netdev=", GLASS_FE_BAD_NETDEV, "", 0, 15 },
	{ "cable a:1 netdev=1234567890123456", GLASS_FE_BAD_NETDEV, "1234567890123456", 0, 15 },
	{ "cable a:1 netdev=a/b", GLASS_FE_BAD_NETDEV, "a/b", 0, 15 },
	{ "cable a:1 netdev=a:b", GLASS_FE_BAD_NETDEV, "a:b", 0, 15 },
	{ "cable a:1 netdev=x netdev=x", GLASS_FE_GIVEN_TWICE, "netdev=x", 0, 0 },
	{ "cable a:1 netdev=x b:1", GLASS_FE_EXTRA_WORD, "b:1", 0, 0 },
	{ "cable a:1 b:1 netdev=x", GLASS_FE_UNKNOWN_KEY, "netdev", 0, 0 },
	{ "cable a:1 b:1 silence=500", GLASS_FE_UNKNOWN_KEY, "silence", 0, 0 },
	{ "cable a:1 b:1 vcrc=yes", GLASS_FE_UNKNOWN_KEY, "vcrc", 0, 0 },
	{ "ca a ports=1 netdev=x", GLASS_FE_UNKNOWN_KEY, "netdev", 0, 0 },
	{ "hca a ports=2 netdev=x", GLASS_FE_ETHER_KEY, "ports=2", 0, 0 },
	{ "hca a netdev=x speed=edr", GLASS_FE_ETHER_KEY, "speed=edr", 0, 0 },
	{ "hca a width=4 netdev=x guid=1", GLASS_FE_ETHER_KEY, "width=4", 0, 0 },
	{ "hca a netdev=a/b", GLASS_FE_BAD_NETDEV, "a/b", 0, 15 },
	{ "hca a netdev=x silence=200", GLASS_FE_UNKNOWN_KEY, "silence", 0, 0 },
	{ "hca a netdev=x portguids=1,2", GLASS_FE_MANY_GUIDS, "1,2", 0, 1 },
	{ "cable a:1 netdev=x silence=99", GLASS_FE_OUT_OF_RANGE, "99", 100, 60000 },
	{ "cable a:1 netdev=x silence=60001", GLASS_FE_OUT_OF_RANGE, "60001", 100, 60000 },
	{ "cable a:1 silence=4294967396 netdev=x", GLASS_FE_OUT_OF_RANGE, "4294967396", 100, 60000 },
	{ "cable a:1 netdev=x silence=1s", GLASS_FE_NO_NUMBER, "1s", 0, 0 },
	{ "cable a:1 netdev=x vcrc=maybe", GLASS_FE_UNKNOWN_WORD, "maybe", 0, 0 },
	{ "cable a:1 netdev=x color=red", GLASS_FE_UNKNOWN_KEY, "color", 0, 0 },
	{ "cable a:1 silence=500", GLASS_FE_ALONE, "silence=500", 0, 0 },
	{ "cable a:1 vcrc=yes mtu=256", GLASS_FE_ALONE, "vcrc=yes", 0, 0 },
	{ "cable a:1 vcrc=no silence=500", GLASS_FE_ALONE, "silence=500", 0, 0 },
	{ "cable a:1 mtu=1024", GLASS_FE_NO_END, "", 0, 0 },
	{ "cable a:1 color=red", GLASS_FE_UNKNOWN_KEY, "color", 0, 0 },
	{ "pull a:1 b:1", GLASS_FE_EXTRA_WORD, "b:1", 0, 0 },
	{ "clear all", GLASS_FE_EXTRA_WORD, "all", 0, 0 },
	{ "remove", GLASS_FE_NO_NAME, "", 0, 0 },
};

static void test_wrong(void **state)
{
	char text[GLASS_FABRIC_ERROR_TEXT];
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (parse(wrong[i].line) != -EINVAL || e.kind != wrong[i].kind)
			fail_msg("%s: %s", wrong[i].line, glass_fabric_error_word(e.kind));
		assert_true(e.at + e.len <= strlen(wrong[i].line));
		assert_int_equal(e.len, strlen(wrong[i].word));
		assert_memory_equal(wrong[i].line + e.at, wrong[i].word, e.len);
		assert_int_equal(e.low, wrong[i].low);
		assert_int_equal(e.high, wrong[i].high);
		assert_int_equal(glass_fabric_error_errno(&e), -EINVAL);
		glass_fabric_error_text(&e, text);
		assert_true(strlen(text) > 5);
		assert_null(strchr(text, '<'));
	}
	e.kind = GLASS_FE_OUT_OF_RANGE;
	e.low = 0;
	e.high = ~0ULL;
	glass_fabric_error_text(&e, text);
	assert_string_equal(text, "out of range (0 to 18446744073709551615)");
}

/* An HCA that cannot be plugged in: the command has the kernel's error. */
static void test_no_device(void **state)
{
	char text[GLASS_FABRIC_ERROR_TEXT];

	(void)state;
	glass_fabric_error_set(&e, GLASS_FE_NONE, 4, 1);
	glass_fabric_error_device(&e, -EEXIST);
	assert_int_equal(e.kind, GLASS_FE_NO_DEVICE);
	assert_int_equal(e.at, 4);
	assert_int_equal(glass_fabric_error_errno(&e), -EEXIST);
	glass_fabric_error_text(&e, text);
	assert_non_null(strstr(text, "refused with errno 17"));
	glass_fabric_error_device(&e, -ENOMEM);
	assert_int_equal(e.kind, GLASS_FE_NO_MEMORY);
	assert_int_equal(glass_fabric_error_errno(&e), -ENOMEM);
}

/* Random bytes, and random words of the grammar: never a read beyond the line, always an answer. */
static void test_random(void **state)
{
	static const char *const words[] = {
		"hca", "switch", "cable", "pull", "a", "a:1", "b:2", "ports=2", "guid=0x1", "desc=%41",
		"portguids=1,2", "width=4", "speed=edr", "netdev=x", "silence=200", "vcrc=yes", "#", "\t", "=", ":", "ports=", "%", "\xff",
	};
	char line[200];
	u32 i, k, n;

	(void)state;
	for (i = 0; i < 20000; i++) {
		for (n = 0, k = rnd() % 8; k && n < 150; k--)
			n += sprintf(line + n, "%s%s", n ? " " : "", words[rnd() % ARRAY_SIZE(words)]);
		line[n] = 0;
		if (n && rnd() % 4 == 0)
			line[rnd() % n] = 1 + rnd() % 255;
		if (parse(line) < 0) {
			assert_true(e.kind && e.kind < GLASS_FE_COUNT);
			assert_true(e.at + e.len <= strlen(line));
		} else {
			assert_int_equal(e.kind, GLASS_FE_NONE);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_cables),
		cmocka_unit_test(test_netdev_cables),
		cmocka_unit_test(test_no_end),
		cmocka_unit_test(test_ethernet_hca),
		cmocka_unit_test(test_netdev_nul),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_no_device),
		cmocka_unit_test_setup(test_random, rnd_restart),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
