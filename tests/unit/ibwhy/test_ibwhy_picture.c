// SPDX-License-Identifier: GPL-2.0-only
/* Pictures and reports of stories: known outputs, what each row becomes, and hostile stories. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/picture/report.h"
#include "lib/picture/story.h"
#include "lib/picture/trace.h"
#include "lib/picture/write.h"
#include "stories.h"

#define GOLDEN "ibwhy/golden/"

/* A story with its verdict and its picture */
struct drawn {
	struct debugfs_file file;
	struct why_story story;
	struct why_verdict verdict;
	struct picture_book *book;
	struct picture *picture;
	char choice[400];
};

static void read_text(struct debugfs_file *f, struct why_story *s, const char *text)
{
	struct why_reader r = { .file = f };

	assert_int_equal(debugfs_copy(f, "story", text, strlen(text)), 0);
	assert_true(why_story_read(&r, s));
}

/* theirs: the story of the other host, or NULL */
static void draw_joined(struct drawn *d, const char *text, const struct why_story *theirs)
{
	struct picture_wish wish;

	memset(d, 0, sizeof(*d));
	read_text(&d->file, &d->story, text);
	if (theirs)
		assert_true(why_story_join(&d->story, theirs));
	why_reason(&d->story, &d->verdict);
	d->book = picture_book_new(PICTURE_ITEMS);
	assert_non_null(d->book);
	assert_int_equal(picture_story(&d->story, d->book, NULL), 0);
	picture_story_wish(&d->story, &wish);
	d->picture = picture_book_choose(d->book, &wish, d->choice, sizeof(d->choice));
	if (d->picture)
		d->picture->zero = picture_story_zero(&d->story);
}

static void draw_text(struct drawn *d, const char *text)
{
	draw_joined(d, text, NULL);
}

static void draw_file(struct drawn *d, const char *name)
{
	char *text = read_story(name);

	draw_text(d, text);
	free(text);
}

static void drawn_free(struct drawn *d)
{
	picture_book_free(d->book);
	why_story_free(&d->story);
	debugfs_free(&d->file);
}

enum format { SVG, MERMAID, UTF8, HTML };

static const char *const suffixes[] = { "svg", "mmd", "utf8", "html" };

static char *written(const struct drawn *d, enum format format)
{
	struct picture_terminal terminal = { .width = 110, .utf8 = true };
	struct picture_report report = { &d->story, &d->verdict, d->picture, "ibwhy (Glass)",
					 "ibwhy 3 --html x", d->choice };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	if (format == SVG)
		picture_write_svg(to, d->picture);
	else if (format == MERMAID)
		picture_write_mermaid(to, d->picture);
	else if (format == HTML)
		picture_write_report(to, &report);
	else
		picture_write_text(to, d->picture, &terminal);
	fclose(to);
	return text;
}

/* GLASS_UPDATE=1 writes what is expected anew; look at it before it is committed. */
static void is_golden(const struct drawn *d, const char *name, enum format format)
{
	char path[100], *got = written(d, format), *want = calloc(1, 1 << 20);
	FILE *file;

	snprintf(path, sizeof(path), "%s%s.%s", *name == '.' ? "" : GOLDEN, name, suffixes[format]);
	if (getenv("GLASS_UPDATE")) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(got, file);
		fclose(file);
	}
	file = fopen(path, "r");
	assert_non_null(want);
	if (!file)
		fail_msg("%s: not there; GLASS_UPDATE=1 writes it", path);
	assert_true(fread(want, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	if (strcmp(got, want))
		fail_msg("%s differs; GLASS_UPDATE=1 writes it anew. Now:\n%s", path, got);
	free(got);
	free(want);
}

static void test_story_goldens(void **state)
{
	static const char *const stories[] = { "real_dead_key", "real_peer_in_reset", "access" };
	struct drawn d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(stories) / sizeof(*stories); i++) {
		draw_file(&d, stories[i]);
		is_golden(&d, stories[i], UTF8);
		is_golden(&d, stories[i], SVG);
		is_golden(&d, stories[i], MERMAID);
		is_golden(&d, stories[i], HTML);
		drawn_free(&d);
	}
}

/* of the same failure as the text there */
static void test_readme_picture(void **state)
{
	struct drawn d;

	(void)state;
	draw_file(&d, "real_unready_peer");
	is_golden(&d, "../../docs/failure", SVG);
	drawn_free(&d);
}

/* A CQ has no packets: the report has no diagram, but all else. */
static void test_story_without_picture(void **state)
{
	struct drawn d;
	char *page;

	(void)state;
	draw_file(&d, "real_cq_overrun");
	assert_null(d.picture);
	is_golden(&d, "real_cq_overrun", HTML);
	page = written(&d, HTML);
	assert_non_null(strstr(page, "cq_overrun"));
	assert_null(strstr(page, "id=\"view\""));
	free(page);
	drawn_free(&d);
}

#define HEAD                                                                                                   \
	"# glass 1 failure: 1\nid: 1\nwhen: 1000000\ndev: glass0\nobject: qp\nnum: 0x11\nqptype: rc\n"         \
	"status: retry_exc_err\ncause: retry_exc\npid: 1\ncomm: client\npeer_dev: glass1\npeer_qpn: 0x22\n"    \
	"peer_pid: 2\npeer_comm: server\n# glass 1 local: glass0 qp 0x11\nqpn: 0x11\ndest_qpn: 0x22\ndlid: 2\n" \
	"created: 1000\n# glass 1 remote: glass1 qp 0x22\nqpn: 0x22\ndest_qpn: 0x11\ndlid: 1\n"
#define PACKETS                                                                                          \
	"# glass 1 packets: when dir op psn packets len dqpn slid dlid flow wr_id tx_dev tx_qpn tx_reason " \
	"rx_dev rx_qpn rx_reason\n"
#define DROPS "# glass 1 drops: dev when place reason opcode dqpn psn len slid dlid flow at\n"

static void has_line(const struct drawn *d, const char *piece)
{
	char *text = written(d, UTF8);

	if (!strstr(text, piece))
		fail_msg("the diagram has no '%s':\n%s", piece, text);
	free(text);
}

/* A train is one arrow with its PSNs, and counts as many packets. */
static void test_story_train(void **state)
{
	struct drawn d;

	(void)state;
	draw_text(&d, HEAD PACKETS "500000 tx rc_send_middle 16777214 4 4096 0x22 1 2 0x9 0x7 glass0 0x11 none glass1 0x22 none\n");
	assert_int_equal(d.picture->packets, 4);
	has_line(&d, "send_middle PSN 16777214 to 1, 4,096 B");
	has_line(&d, "-500.0 us");
	drawn_free(&d);
}

/* The log of drops names the switch of a packet; a drop of a packet that was overwritten is drawn, too. */
static void test_story_drops(void **state)
{
	struct drawn d;

	(void)state;
	draw_text(&d, HEAD PACKETS
		  "500000 tx rc_send_only 5 1 64 0x22 1 2 0x9 0x7 glass0 0x11 no_route - - -\n" DROPS
		  "glass0 400000 switch no_route rc_send_only 0x22 4 64 1 2 0x8 leaf1:3\n"
		  "glass0 500100 switch no_route rc_send_only 0x22 5 64 1 2 0x9 leaf0:2\n"
		  "glass0 500200 switch no_route rc_send_only 0x33 5 64 1 2 0x9 leaf0:2\n"
		  "glass0 900 switch no_route rc_send_only 0x22 5 64 1 2 0x9 leaf0:2\n");
	assert_int_equal(d.picture->packets, 2);
	assert_int_equal(d.picture->dropped, 2);
	has_line(&d, "dropped: no_route at leaf0");
	has_line(&d, "dropped: no_route at leaf1");
	drawn_free(&d);
}

/* A firing on a packet is its rule; one on something else is a row of its own. */
static void test_story_rules(void **state)
{
	struct drawn d;

	(void)state;
	draw_text(&d, HEAD PACKETS
		  "500000 tx rc_send_only 5 1 64 0x22 1 2 0x9 0x7 glass0 0x11 injected - - -\n"
		  "# glass 1 journal: dev when rule act site qpn dir psn\n"
		  "glass0 500000 lossy drop packet 0x11 tx 5\n"
		  "glass1 600000 slow delay completion 0x22 - -\n");
	has_line(&d, "(rule lossy)");
	has_line(&d, "rule slow: delay");
	drawn_free(&d);
}

/* What ended: the peer QP, a key; and a lint finding at the end whose process made the mistake */
static void test_story_ends(void **state)
{
	struct drawn d;

	(void)state;
	draw_text(&d, HEAD PACKETS
		  "500000 tx rc_send_only 5 1 64 0x22 1 2 0x9 0x7 glass0 0x11 none glass1 0x22 no_qp\n"
		  "# glass 1 gone_qps: dev qpn when how signal\nglass1 0x22 300000 exit 9\nglass1 0x23 300000 exit 9\nglass1 0x22 900 exit 15\n"
		  "# glass 1 keys: dev key found gone_when gone_how\nglass1 0x1234 no 200000 local_inv\n"
		  "glass1 0x1235 no 800 dereg\nglass1 0x1236 yes 700 dereg\n"
		  "# glass 1 lint: code severity pid first text\nGL031 error 2 250000 key%20is%20dead\n");
	has_line(&d, "QP gone: exit, signal 9 ●");
	has_line(&d, "key 0x1234 ends: local_inv ●");
	has_line(&d, "key 0x1235 ends: dereg ●");
	/* of earlier objects of the same numbers */
	assert_int_equal(d.picture->count, 6);
	has_line(&d, "lint GL031: key is dead ●");
	drawn_free(&d);
}

/* Two hosts whose adapters have the same name, and whose QPs have the same number */
static void test_story_two_hosts(void **state)
{
	static const char *const mine =
		"# glass 1 failure: 1\nid: 1\nwhen: 1000000\nreal: 5000000\ndev: glass0\nobject: qp\nnum: 0x11\nqptype: rc\n"
		"status: rem_access_err\ncause: rem_access\npid: 1\ncomm: client\n# glass 1 local: glass0 qp 0x11\nqpn: 0x11\n"
		"dest_qpn: 0x11\ndlid: 2\ncreated: 1000\n" PACKETS
		"500000 tx rc_write_only 5 1 64 0x11 1 2 0x9 0x7 glass0 0x11 none - - -\n"
		"# glass 1 keys: dev key found gone_when gone_how\nglass0 0x1233 no 200000 dereg\n";
	static const char *const theirs =
		"# glass 1 failure: 1\nid: 1\nwhen: 3000000\nreal: 5000000\ndev: glass0\nobject: qp\nnum: 0x11\nqptype: rc\n"
		"cause: resp_access\n# glass 1 local: glass0 qp 0x11\nqpn: 0x11\ndest_qpn: 0x11\ndlid: 1\n"
		"# glass 1 gone_qps: dev qpn when how signal\nglass0 0x11 3900000 exit 9\n"
		"# glass 1 keys: dev key found gone_when gone_how\nglass0 0x1234 no 2300000 local_inv\n";
	struct debugfs_file file = { 0 };
	struct why_story other = { 0 };
	size_t i, far = 0, near = 0;
	struct drawn d;

	(void)state;
	read_text(&file, &other, theirs);
	draw_joined(&d, mine, &other);
	for (i = 0; i < d.picture->count; i++) {
		const struct picture_item *item = &d.picture->items[i];

		if (item->kind != PICTURE_NOTE)
			continue;
		far += item->end == 1 && (strstr(item->text, "0x1234 ends") || strstr(item->text, "QP gone"));
		near += item->end == 0 && strstr(item->text, "0x1233 ends");
	}
	assert_int_equal(far, 2);
	assert_int_equal(near, 1);
	drawn_free(&d);
	why_story_free(&other);
	debugfs_free(&file);
}

/* Both QPs have the same number. */
#define ETHERNET                                                                             \
	"# glass 1 failure: 3\ndev: glassr0\nobject: qp\nnum: 0x11\nqptype: rc\nwhen: 1000000\n" \
	"# glass 1 local: glassr0 qp 0x11\nqpn: 0x11\ndest_qpn: 0x11\ndlid: 0\n" PACKETS           \
	"500000 tx rc_send_only 5 1 64 0x11 0 0 0x9 0x7 glassr0 0x11 none - - -\n"              \
	"600000 rx rc_ack 5 1 0 0x11 0 0 0x9 0x7 - - - glassr0 0x11 none\n"

/* Ethernet ports: both ends may have the same QP number; a peer that is not Glass has its address. */
static void test_story_ethernet(void **state)
{
	char name[PICTURE_LABEL];
	struct drawn d;

	(void)state;
	draw_text(&d, ETHERNET
		      "# glass 1 network: dev sgid dgid\n"
		      "glassr0 0000:0000:0000:0000:0000:ffff:0a09:0002 fd00:0009:0000:0000:0000:0000:0000:0001\n");
	picture_end_name(&d.picture->ends[0], name);
	assert_string_equal(name, "glassr0:0x11");
	picture_end_name(&d.picture->ends[1], name);
	assert_string_equal(name, "fd00:9::1, QP 0x11");
	assert_int_equal(d.picture->packets, 2);
	assert_int_equal(d.picture->items[0].end, 0);
	assert_int_equal(d.picture->items[1].end, 1);
	drawn_free(&d);
}

/* When the network interface has gone, nothing tells the addresses, and the ends are still two. */
static void test_story_ethernet_without_addresses(void **state)
{
	struct drawn d;

	(void)state;
	draw_text(&d, ETHERNET);
	assert_int_equal(d.picture->packets, 2);
	assert_int_equal(d.picture->items[0].end, 0);
	assert_int_equal(d.picture->items[1].end, 1);
	assert_string_equal(d.picture->ends[1].ip, "");
	drawn_free(&d);
}

static void test_story_trace(void **state)
{
	char *text = NULL, *story = read_story("real_dead_key");
	struct picture_trace *trace;
	struct drawn d;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	draw_text(&d, story);
	trace = picture_trace_new(to, "ibwhy", false);
	assert_non_null(trace);
	assert_int_equal(picture_story(&d.story, NULL, trace), 0);
	picture_trace_end(trace, 0);
	fclose(to);
	assert_non_null(strstr(text, "\"messages\":3"));
	drawn_free(&d);
	free(story);
	free(text);
}

/* Nothing of a story gets into the page unescaped, and no line of it is trusted. */
static void test_story_hostile(void **state)
{
	static const char *const bad[] = { "<script>", "</script>", "\"><q>", "&&", "%3cscript%3e", "%00", "-1",
					   "99999999999999999999", "%1b[2J" };
	char text[8192], *page;
	struct drawn d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text),
			 "# glass 1 failure: 1\nid: %1$s\nwhen: 1000000\nreal: 18446744073709551615\ndev: %1$s\nobject: qp\n"
			 "num: 0x11\nstatus: %1$s\ncause: %1$s\ncomm: %1$s\npid: %1$s\npeer_dev: %1$s\npeer_qpn: 0x22\n"
			 "# glass 1 local: %1$s\nqpn: 0x11\ndlid: %1$s\n%1$s:\n  %1$s: %1$s\nhistory:\n  change: when=%1$s from=%1$s to=%1$s\n"
			 "  change: when=18446744073709551615 from=%1$s to=err\nsq:\n  wqe: op=%1$s age=%1$s wr_id=%1$s\n"
			 PACKETS "5 tx rc_ack %1$s 18446744073709551615 %1$s %1$s 1 2 %1$s %1$s %1$s %1$s %1$s %1$s %1$s %1$s\n"
			 DROPS "%1$s 7 switch %1$s rc_ack 0x11 %1$s 4 1 2 8 %1$s\n"
			 "# glass 1 lint: code severity pid first text where\n%1$s %1$s %1$s 5 %1$s %1$s\n"
			 "# glass 1 keys: dev key gone_when gone_how\n%1$s %1$s 5 %1$s\n", bad[i]);
		draw_text(&d, text);
		page = written(&d, HTML);
		assert_null(strstr(page, "<q>"));
		assert_null(strstr(page, "<script><"));
		assert_null(strchr(page, '\033'));
		/* the page has one script, its own */
		assert_null(strstr(strstr(page, "<script>") + 1, "<script>"));
		free(page);
		if (d.picture)
			free(written(&d, SVG));
		drawn_free(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_story_goldens),	 cmocka_unit_test(test_story_without_picture),
		cmocka_unit_test(test_readme_picture),
		cmocka_unit_test(test_story_train),	 cmocka_unit_test(test_story_drops),
		cmocka_unit_test(test_story_rules),	 cmocka_unit_test(test_story_ends),
		cmocka_unit_test(test_story_two_hosts),
		cmocka_unit_test(test_story_ethernet),	 cmocka_unit_test(test_story_ethernet_without_addresses),
		cmocka_unit_test(test_story_trace),
		cmocka_unit_test(test_story_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
