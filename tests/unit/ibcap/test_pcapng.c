// SPDX-License-Identifier: GPL-2.0-only
/* ibcap's writer of pcapng: the blocks, byte by byte, and ERF's time. */
#include "harness.h"

#include "put_packet.h"

static char *text;
static size_t size;
static FILE *to;

static int open_text(void **state)
{
	rnd_restart(state);
	text = NULL;
	to = open_memstream(&text, &size);
	return !to;
}

static int close_text(void **state)
{
	(void)state;
	fclose(to);
	free(text);
	return 0;
}

static uint32_t at32(size_t at)
{
	uint32_t v;

	assert_true(at + 4 <= size);
	memcpy(&v, text + at, sizeof(v));
	return v;
}

static uint16_t at16(size_t at)
{
	uint16_t v;

	assert_true(at + 2 <= size);
	memcpy(&v, text + at, sizeof(v));
	return v;
}

/* One block: its length stands at both ends, and is what the writer said. */
static void is_block(uint32_t type, long len)
{
	fflush(to);
	assert_true(len > 0);
	assert_int_equal(len, size);
	assert_int_equal(len % 4, 0);
	assert_int_equal(at32(0), type);
	assert_int_equal(at32(4), len);
	assert_int_equal(at32(len - 4), len);
}

/* The option of that code from `at` on; its length in *len. Fails when it is not there. */
static const char *find_option(size_t at, uint16_t code, uint16_t *len)
{
	while (at + 4 <= size - 4) {
		uint16_t c = at16(at);

		*len = at16(at + 2);
		if (c == code)
			return text + at + 4;
		assert_int_not_equal(c, 0);
		at += 4 + (*len + 3) / 4 * 4;
	}
	fail_msg("no option %u", code);
	return NULL;
}

static void test_pcapng_section(void **state)
{
	uint16_t len;
	const char *app;

	(void)state;
	is_block(0x0a0d0d0a, pcapng_section(to, "a test"));
	assert_int_equal(at32(8), 0x1a2b3c4d);
	assert_int_equal(at16(12), 1);
	assert_int_equal(at16(14), 0);
	assert_int_equal(at32(16), 0xffffffff);
	app = find_option(24, 4, &len);
	assert_int_equal(len, 6);
	assert_memory_equal(app, "a test", 6);
}

static void test_pcapng_interface(void **state)
{
	const struct pcapng_interface i = { .name = "glass0:1", .description = "a port",
					    .filter = "qpn==0x11", .snap = 100 };
	uint16_t len;
	const char *o;

	(void)state;
	is_block(1, pcapng_interface(to, &i));
	assert_int_equal(at16(8), 197);
	assert_int_equal(at32(12), 116);
	o = find_option(16, 2, &len);
	assert_int_equal(len, 8);
	assert_memory_equal(o, "glass0:1", 8);
	o = find_option(16, 9, &len);
	assert_int_equal(len, 1);
	assert_int_equal(*o, 9);
	o = find_option(16, 11, &len);
	assert_int_equal(len, 10);
	assert_memory_equal(o, "\0qpn==0x11", 10);
}

/* An entry in the journal's export format, padded to 32 bits; no options. */
static void test_pcapng_note(void **state)
{
	static const char entry[] = "__REALTIME_TIMESTAMP=1122334455\nPRIORITY=5\nSYSLOG_IDENTIFIER=glass0\nMESSAGE=here\n";

	(void)state;
	is_block(9, pcapng_note(to, 1122334455667ULL, "glass0", "here"));
	assert_int_equal(at32(4), 12 + ((sizeof(entry) - 1 + 3) & ~3UL));
	assert_memory_equal(text + 8, entry, sizeof(entry) - 1);
	/* what would be a field of its own */
	assert_int_equal(pcapng_note(to, 0, "glass0", "a\nMESSAGE=b"), -1);
}

static void test_pcapng_packet(void **state)
{
	uint8_t data[4186];
	struct pcapng_packet p = { .interface = 3, .time_ns = 0x1122334455667788, .data = data,
				   .lost = 5 };
	uint32_t lens[] = { 0, 1, 26, 27, 290, sizeof(data) };
	uint16_t len;
	const char *o;
	size_t i, opts;

	(void)state;
	rnd_fill(data, sizeof(data));
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		rewind(to);
		p.cap_len = lens[i];
		p.orig_len = lens[i] + 10;
		p.outbound = i % 2;
		is_block(6, put_packet(to, &p, "wr_id=0x1"));
		assert_int_equal(at32(8), 3);
		assert_int_equal(at32(12), 0x11223344);
		assert_int_equal(at32(16), 0x55667788);
		assert_int_equal(at32(20), lens[i] + 16);
		assert_int_equal(at32(24), lens[i] + 26);
		assert_int_equal((uint8_t)text[28 + 8], 21);
		assert_memory_equal(text + 28 + 16, data, lens[i]);
		opts = 28 + (16 + lens[i] + 3) / 4 * 4;
		o = find_option(opts, 1, &len);
		assert_int_equal(len, 9);
		assert_memory_equal(o, "wr_id=0x1", 9);
		o = find_option(opts, 2, &len);
		assert_int_equal(len, 4);
		assert_int_equal(*o & 3, i % 2 ? 2 : 1);
		o = find_option(opts, 4, &len);
		assert_int_equal(len, 8);
		assert_int_equal(*o, 5);
	}
	p.cap_len = 100000;
	assert_int_equal(put_packet(to, &p, ""), -1);
}

static void test_pcapng_statistics(void **state)
{
	const struct pcapng_statistics s = { .interface = 1, .start_ns = 1, .end_ns = 2,
					     .received = 30, .lost = 10, .delivered = 20 };
	uint64_t v;
	uint16_t len;

	(void)state;
	is_block(5, pcapng_statistics(to, &s));
	assert_int_equal(at32(8), 1);
	memcpy(&v, find_option(20, 4, &len), 8);
	assert_int_equal(v, 30);
	memcpy(&v, find_option(20, 7, &len), 8);
	assert_int_equal(v, 10);
	memcpy(&v, find_option(20, 8, &len), 8);
	assert_int_equal(v, 20);
}

/* A text that is too long is cut, not refused. */
static void test_pcapng_long_text(void **state)
{
	char *name = malloc(5000);
	struct pcapng_interface i = { .name = name, .filter = name };
	uint16_t len;

	(void)state;
	memset(name, 'n', 4999);
	name[4999] = 0;
	is_block(1, pcapng_interface(to, &i));
	find_option(16, 2, &len);
	assert_int_equal(len, 1024);
	free(name);
}

/* Reads ERF's time as Wireshark does: the nanosecond that was written comes back. */
static void erf_time(uint64_t ns)
{
	uint8_t h[ERF_HEADER];
	uint64_t ts = 0, part;
	int i;

	erf_header(h, ns, 26, 26, 0);
	for (i = 7; i >= 0; i--)
		ts = ts << 8 | h[i];
	part = (ts & 0xffffffff) * 1000000000;
	part += (part & 0x80000000) << 1;
	assert_int_equal(ts >> 32, ns / 1000000000);
	assert_int_equal(part >> 32, ns % 1000000000);
}

static void test_erf(void **state)
{
	uint8_t h[ERF_HEADER];
	int i;

	(void)state;
	erf_time(0);
	erf_time(999999999);
	erf_time(1795270611448040377);
	for (i = 0; i < 10000; i++)
		erf_time((uint64_t)rnd_below(0x7fffffff) * 1000000000 + rnd_below(1000000000));
	erf_header(h, 0, 64, 290, 6);
	assert_int_equal(h[8], 21);
	assert_int_equal(h[9], 2 | 4 | 8);
	assert_int_equal(h[10] << 8 | h[11], 80);
	assert_int_equal(h[14] << 8 | h[15], 290);
	erf_header(h, 0, 290, 290, 0);
	assert_int_equal(h[9], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pcapng_section, open_text, close_text),
		cmocka_unit_test_setup_teardown(test_pcapng_interface, open_text, close_text),
		cmocka_unit_test_setup_teardown(test_pcapng_note, open_text, close_text),
		cmocka_unit_test_setup_teardown(test_pcapng_packet, open_text, close_text),
		cmocka_unit_test_setup_teardown(test_pcapng_statistics, open_text, close_text),
		cmocka_unit_test_setup_teardown(test_pcapng_long_text, open_text, close_text),
		cmocka_unit_test_setup(test_erf, rnd_restart),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
