// SPDX-License-Identifier: GPL-2.0-only
/* ibinject --dry-run=CAPTURE: what a rule would have hit, in a capture that is made here. */
#define _GNU_SOURCE
#include "ibinject_cli.h"

#include "put_packet.h"
#include "wire/serial.h"

static char file[300];

/* A SEND of an RC QP. */
static void put(FILE *to, unsigned int interface, bool outbound, u32 psn, u8 opcode, const char *comment)
{
	uint8_t data[64] = { 0 }, wire[GLASS_PKT_WIRE_MAX];
	struct glass_seg seg = { data, sizeof(data) };
	struct glass_pkt pkt = {
		.lnh = GLASS_LNH_LOCAL,
		.slid = 1,
		.dlid = 2,
		.opcode = opcode,
		.pkey = 0xffff,
		.dqpn = 0x12,
		.psn = psn,
		.seg = &seg,
	};
	struct pcapng_packet p = { .interface = interface, .outbound = outbound, .data = wire };
	int len;

	if (opcode != GLASS_BOP_ACK) {
		pkt.len = sizeof(data);
		pkt.nseg = 1;
	}
	len = glass_pkt_build(&pkt, wire, sizeof(wire));
	assert_true(len > 0);
	p.orig_len = p.cap_len = len;
	assert_true(put_packet(to, &p, comment) > 0);
}

#define OWNER "qpn=0x11 qptype=rc pid=7 comm=ib_send_bw"

static int begin(void **state)
{
	const struct pcapng_interface ports[] = { { .name = "glass0:1" }, { .name = "glass1:1" } };
	FILE *to;
	u32 psn;

	if (cli_begin(state))
		return -1;
	snprintf(file, sizeof(file), "%s/run.pcapng", cli_root);
	to = fopen(file, "w");
	if (!to || pcapng_section(to, "test") < 0 || pcapng_interface(to, &ports[0]) < 0 ||
	    pcapng_interface(to, &ports[1]) < 0)
		return -1;
	for (psn = 0xfffffe; psn != 4; psn = glass_psn_add(psn, 1)) {
		/* frames 1 to 12 by pairs, then 0 once more */
		put(to, 0, true, psn, GLASS_BOP_SEND_ONLY, "wr_id=0x5 flow=72057594109853703 " OWNER);
		put(to, 1, false, psn, GLASS_BOP_SEND_ONLY, "qpn=0x12 qptype=rc pid=8 comm=a%20b");
	}
	put(to, 0, true, 0, GLASS_BOP_SEND_ONLY, OWNER);
	put(to, 0, false, 0, GLASS_BOP_ACK, OWNER);
	return fclose(to);
}

static int try(const char *rule, const char *dev)
{
	static char dry[512];

	snprintf(dry, sizeof(dry), "--dry-run=%s", file);
	return dev ? cli("add", dry, dev, rule, "act=drop", NULL) : cli("add", dry, rule, "act=drop", NULL);
}

/* try() must end well, and have said this. */
static void hits(const char *rule, const char *dev, const char *said)
{
	if (try(rule, dev) || !strstr(cli_said, said))
		fail_msg("%s: %s", rule, cli_said);
}

static void test_ibinject_capture_hits(void **state)
{
	static char dry[512];

	(void)state;
	hits("nth=2", NULL,
	     "frame=3 dev=glass0 port=1 dir=tx qpn=0x11 role=req op=send psn=16777215 rpsn=1 round=1 len=64 n=2\n"
	     "ibinject: 1 of 14 packets would have been hit; the selectors of 7 held\n");
	/* what comes again is in another round */
	hits("round=2", NULL, "frame=13 dev=glass0 port=1 dir=tx qpn=0x11 role=req op=send psn=0 rpsn=2 round=2 len=64 n=1\n");
	hits("op=ack", NULL, "0 of 14 packets");
	hits("dir=rx", "glass0", "frame=14 dev=glass0 port=1 dir=rx qpn=0x11 role=resp op=ack psn=0 ");
	hits("dir=rx", "glass0", "1 of 8 packets would have been hit");
	hits("comm=ib_send_bw", NULL, "7 of 14 packets");
	hits("wr_id=5", NULL, "6 of 14 packets");
	hits("count=2", NULL, "2 of 14 packets would have been hit; the selectors of 7 held");
	hits("pkey=0xffff", "glass1", "0 of 6 packets");
	/* what stands for a blank, on both sides */
	snprintf(dry, sizeof(dry), "--dry-run=%s", file);
	assert_int_equal(cli("drop", "--comm", "a%20b", "--dir", "rx", dry, NULL), 0);
	assert_non_null(strstr(cli_said, "6 of 14 packets"));
	hits("prob=50%", NULL, "without seed= the driver chooses a seed");
	hits("rpsn=5", NULL, "rpsn counts from the first packet");
}

static void test_ibinject_capture_refuses(void **state)
{
	static char dry[512];

	(void)state;
	assert_int_equal(try("nqp=1", NULL), 2);
	assert_non_null(strstr(cli_said, "a capture does not have `nqp`"));
	snprintf(dry, sizeof(dry), "--dry-run=%s", file);
	cli_has(2, "a capture has only packets: act=qp_fatal acts on objects", "add", dry, "qpn=3", "act=qp_fatal");
	cli_has(1, "No such file", "add", "--dry-run=no/such", "act=drop");
	cli_file("text", "this is no capture at all, and long enough");
	snprintf(dry, sizeof(dry), "--dry-run=%s/text", cli_root);
	cli_has(2, "not a pcapng file", "add", dry, "act=drop");
}

/* A capture with several sections names its ports anew; a stream goes on. */
static void test_ibinject_capture_sections(void **state)
{
	const struct pcapng_interface ports[] = { { .name = "glass0:1" }, { .name = "glass1:1" } };
	static char dry[512];
	char path[400];
	FILE *to;
	int i;

	(void)state;
	snprintf(path, sizeof(path), "%s/sections.pcapng", cli_root);
	snprintf(dry, sizeof(dry), "--dry-run=%s", path);
	to = fopen(path, "w");
	assert_non_null(to);
	for (i = 0; i < 2; i++) {
		pcapng_section(to, "test");
		pcapng_interface(to, &ports[i]);
		pcapng_interface(to, &ports[!i]);
		put(to, i, true, 2 * i, GLASS_BOP_SEND_ONLY, OWNER);
		put(to, i, true, 2 * i + 1, GLASS_BOP_SEND_ONLY, OWNER);
	}
	fclose(to);
	cli_has(0, "1 of 4 packets would have been hit", "add", dry, "nth=3", "act=drop");
	assert_non_null(strstr(cli_said, "frame=3 dev=glass0 port=1 dir=tx qpn=0x11 role=req op=send psn=2 "));
}

/* However a capture is cut off or spoilt: an answer or an error, no crash. */
static void test_ibinject_capture_hostile(void **state)
{
	static char bytes[8192], dry[512];
	char path[400];
	size_t len, i;
	FILE *f = fopen(file, "r");

	(void)state;
	len = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/bad.pcapng", cli_root);
	snprintf(dry, sizeof(dry), "--dry-run=%s", path);
	srand(5);
	for (i = 0; i < 60; i++) {
		size_t at = rand() % len, end = i % 2 ? len : (size_t)rand() % len;
		char was = bytes[at];
		int status;

		bytes[at] = rand();
		f = fopen(path, "w");
		fwrite(bytes, 1, end, f);
		fclose(f);
		bytes[at] = was;
		status = cli("add", dry, "act=drop", NULL);
		assert_true(status == 0 || status == 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ibinject_capture_hits),
		cmocka_unit_test(test_ibinject_capture_refuses),
		cmocka_unit_test(test_ibinject_capture_sections),
		cmocka_unit_test(test_ibinject_capture_hostile),
	};

	return cmocka_run_group_tests(tests, begin, cli_end);
}
