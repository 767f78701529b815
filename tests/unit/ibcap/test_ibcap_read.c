// SPDX-License-Identifier: GPL-2.0-only
/* ibcap reads back what it wrote: the facts of comments, and time. */
#define _GNU_SOURCE
#include "harness.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ibcap/describe.h"
#include "ibcap/ibcap.h"
#include "ibcap/output.h"
#include "lib/cli.h"
#include "wire/opcode.h"
#include "wire/roce.h"
#include "wire/serial.h"

static char capture[] = "/tmp/ibcap-read-XXXXXX", lines[] = "/tmp/ibcap-lines-XXXXXX";

/* What ibcap.c has besides main() */
void ibcap_error(const char *format, ...)
{
	(void)format;
}

static const struct {
	struct glass_pkt pkt;
	struct glass_cap_record record;
} packets[] = {
	{ { .lnh = GLASS_LNH_LOCAL, .slid = 1, .dlid = 2, .opcode = GLASS_TR_RC | GLASS_BOP_SEND_ONLY, .pkey = 0xffff,
	    .dqpn = 0x22, .psn = 5 },
	  { .time_ns = 1700000000123456789ULL, .flow = 0x100001100000000, .wr_id = 7, .qpn = 0x11, .pid = 811,
	    .flags = GLASS_CAP_HAS_QP | GLASS_CAP_HAS_OWNER | GLASS_CAP_HAS_WR, .port = 1, .dir = GLASS_DIR_TX,
	    .qptype = GLASS_QPT_RC, .comm = "a b%c", .rule = "lossy", .reason = GLASS_DROP_INJECTED } },
	{ { .lnh = GLASS_LNH_LOCAL, .slid = 1, .dlid = 2, .opcode = GLASS_TR_RC | GLASS_BOP_SEND_ONLY, .pkey = 0xffff,
	    .dqpn = 0x22, .psn = 5 },
	  { .time_ns = 1700000000123456790ULL, .flags = GLASS_CAP_HOP, .port = 3, .dir = GLASS_DIR_RX, .node = "leaf0" } },
	{ { .lnh = GLASS_LNH_LOCAL, .slid = 2, .dlid = 1, .opcode = GLASS_TR_RC | GLASS_BOP_ACK, .pkey = 0xffff,
	    .dqpn = 0x11, .psn = 5 },
	  { .time_ns = 1700000001000000000ULL, .flags = GLASS_CAP_HAS_QP | GLASS_CAP_AGENT, .qpn = 0x11, .port = 1,
	    .dir = GLASS_DIR_RX, .qptype = GLASS_QPT_RC } },
};

#define PACKETS (sizeof(packets) / sizeof(*packets))

/* Writes the packets, and returns the lines that a capture of them prints; the caller frees them. */
static char *write_capture(void)
{
	struct output_interface ports[] = { { .name = "glass0:1" } };
	struct output out = { .path = capture, .num_interfaces = 1, .interfaces = ports };
	union {
		struct glass_cap_record record;
		uint8_t bytes[sizeof(struct glass_cap_record) + GLASS_PKT_WIRE_MAX];
	} r;
	char *text = NULL;
	struct seen seen;
	size_t size, i;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(output_open(&out), 0);
	for (i = 0; i < PACKETS; i++) {
		int len = glass_pkt_build(&packets[i].pkt, r.bytes + sizeof(r.record), GLASS_PKT_WIRE_MAX);

		assert_true(len > 0);
		r.record = packets[i].record;
		r.record.header = sizeof(r.record);
		r.record.orig_len = r.record.cap_len = len;
		describe_decode(&seen, "glass0:1", &r.record);
		assert_true(seen.decoded);
		assert_int_equal(output_packet(&out, 0, &r.record), 0);
		describe_line(to, &seen);
	}
	assert_int_equal(output_close(&out), 0);
	fclose(to);
	return text;
}

/* Standard input becomes a socket that has the capture, as a program of ssh gets it. */
static void feed_stdin(void)
{
	int sockets[2], fd = open(capture, O_RDONLY);
	char bytes[1 << 16];
	ssize_t len = read(fd, bytes, sizeof(bytes));

	if (len < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
	    write(sockets[1], bytes, len) != len || dup2(sockets[0], STDIN_FILENO) < 0)
		_exit(99);
	close(sockets[0]);
	close(sockets[1]);
	close(fd);
}

/* What ibcap --read prints, in a process of its own; the caller frees it. */
static char *read_lines(struct ibcap_options *o, int want)
{
	char *text = calloc(1, 1 << 16);
	int status = 0, fd;
	FILE *from;
	pid_t pid;

	if (!o->read)
		o->read = capture;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		fd = open(lines, O_WRONLY | O_TRUNC);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
			_exit(99);
		feed_stdin();
		_exit(ibcap_read(o));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), want);
	from = fopen(lines, "r");
	assert_non_null(from);
	if (!fread(text, 1, (1 << 16) - 1, from))
		*text = 0;
	fclose(from);
	return text;
}

static void test_read_is_what_was_written(void **state)
{
	struct ibcap_options o = { .pictures = PICTURE_OUTPUTS_INIT };
	char *want = write_capture(), *got = read_lines(&o, 0);

	(void)state;
	assert_string_equal(got, want);
	free(got);
	free(want);
}

static void test_read_standard_input(void **state)
{
	struct ibcap_options o = { .read = "-", .pictures = PICTURE_OUTPUTS_INIT };
	char *want = write_capture(), *got = read_lines(&o, 0);

	(void)state;
	assert_string_equal(got, want);
	free(got);
	free(want);
}

/* An Ethernet port: frames, whole and cut; the lines of both are those that a capture prints. */
static void test_read_ethernet(void **state)
{
	static const uint8_t from4[4] = { 10, 9, 0, 2 }, to4[4] = { 10, 9, 0, 1 };
	struct output_interface ports[] = { { .name = "glassr0:1", .ethernet = true } };
	struct output out = { .path = capture, .num_interfaces = 1, .interfaces = ports };
	struct glass_pkt pkt = { .lnh = GLASS_LNH_GLOBAL, .opcode = GLASS_TR_RC | GLASS_BOP_SEND_ONLY, .pkey = 0xffff,
				 .dqpn = 0x22, .psn = 5, .len = 100, .nseg = 1 };
	struct ibcap_options o = { .pictures = PICTURE_OUTPUTS_INIT };
	uint8_t payload[100] = { 1, 2, 3 };
	struct glass_seg seg = { payload, sizeof(payload) };
	union {
		struct glass_cap_record record;
		uint8_t bytes[sizeof(struct glass_cap_record) + GLASS_PKT_WIRE_MAX];
	} r;
	char *text = NULL, *got;
	struct seen seen;
	size_t size, i;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	pkt.seg = &seg;
	pkt.grh.next_hdr = GLASS_NEXT_HDR_UDP;
	assert_int_equal(output_open(&out), 0);
	for (i = 0; i < 4; i++) {
		if (i < 2) {
			glass_gid_of_v4(from4, pkt.grh.sgid);
			glass_gid_of_v4(to4, pkt.grh.dgid);
		} else {
			memset(&pkt.grh.sgid, 0xfd, 16);
			memset(&pkt.grh.dgid, 0xfc, 16);
		}
		memset(&r.record, 0, sizeof(r.record));
		r.record.header = sizeof(r.record);
		r.record.time_ns = 1700000000123456789ULL + i;
		r.record.flags = GLASS_CAP_ETHERNET;
		r.record.port = 1;
		r.record.dir = i & 1;
		r.record.orig_len = glass_roce_bytes(&pkt);
		r.record.cap_len = glass_roce_cut(&pkt, i & 1 ? 100 : r.record.orig_len);
		assert_true(glass_roce_put(&pkt, r.bytes + sizeof(r.record), r.record.cap_len));
		describe_decode(&seen, "glassr0:1", &r.record);
		assert_true(seen.decoded);
		assert_int_equal(output_packet(&out, 0, &r.record), 0);
		describe_line(to, &seen);
	}
	assert_int_equal(output_close(&out), 0);
	fclose(to);
	assert_non_null(strstr(text, " rc_send_only src=10.9.0.2 dst=10.9.0.1 dqpn=0x22 psn=5 len=100"));
	got = read_lines(&o, 0);
	assert_string_equal(got, text);
	free(got);
	o.filter = "sgid==\"0000:0000:0000:0000:0000:ffff:0a09:0002\"";
	got = read_lines(&o, 0);
	*(strchr(strchr(text, '\n') + 1, '\n') + 1) = 0;
	assert_string_equal(got, text);
	free(got);
	/* the other end was not watched */
	o.filter = "dir==tx && sgid==\"0000:0000:0000:0000:0000:ffff:0a09:0002\"";
	o.pictures.mermaid = "-";
	got = read_lines(&o, 0);
	assert_non_null(strstr(got, "10.9.0.1, QP 0x22"));
	free(got);
	free(text);
}

static void test_read_filters(void **state)
{
	struct ibcap_options o = { .filter = "reason==injected", .pictures = PICTURE_OUTPUTS_INIT };
	char *want = write_capture(), *got;

	(void)state;
	got = read_lines(&o, 0);
	*(strchr(want, '\n') + 1) = 0;
	assert_string_equal(got, want);
	free(got);
	free(want);
}

static void test_read_draws(void **state)
{
	struct ibcap_options o = { .pictures = PICTURE_OUTPUTS_INIT };
	char *want = write_capture(), *got;

	(void)state;
	free(want);
	o.pictures.mermaid = "-";
	got = read_lines(&o, 0);
	assert_int_equal(strncmp(got, "sequenceDiagram\n", 16), 0);
	assert_non_null(strstr(got, "injected"));
	free(got);
}

/* A file that is cut off: its first packets, and a failure */
static void test_read_cut(void **state)
{
	struct ibcap_options o = { .pictures = PICTURE_OUTPUTS_INIT };
	char *got;

	(void)state;
	free(write_capture());
	assert_int_equal(truncate(capture, 400), 0);
	got = read_lines(&o, IBCAP_FAILED);
	free(got);
}

/* A file without a byte, and what is no file, are no captures without packets. */
static void test_read_no_capture(void **state)
{
	struct ibcap_options o = { .pictures = PICTURE_OUTPUTS_INIT };

	(void)state;
	assert_int_equal(truncate(capture, 0), 0);
	free(read_lines(&o, IBCAP_FAILED));
	o.read = "/";
	free(read_lines(&o, IBCAP_FAILED));
}

static int begin(void **state)
{
	int a = mkstemp(capture), b = mkstemp(lines);

	(void)state;
	close(a);
	close(b);
	return a < 0 || b < 0;
}

static int end(void **state)
{
	(void)state;
	return unlink(capture) | unlink(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_is_what_was_written),
		cmocka_unit_test(test_read_standard_input),
		cmocka_unit_test(test_read_ethernet),
		cmocka_unit_test(test_read_filters),
		cmocka_unit_test(test_read_draws),
		cmocka_unit_test(test_read_cut),
		cmocka_unit_test(test_read_no_capture),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
