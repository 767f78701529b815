// SPDX-License-Identifier: GPL-2.0-only
/* ibwhy on a driver that is files: what it asks, what it tells, how it ends. */
#define _GNU_SOURCE
#include <errno.h>

#include "ibwhy/hang.h"
#include "ibwhy/ibwhy.h"
#include "ibwhy/other.h"

#define TOOL_NAME "ibwhy"
#define TOOL_MAIN ibwhy_main
#include "tool_cli.h"

#include <json-c/json.h>

#include "lib/lockdown.h"
#include "stories.h"

#define TABLE "# glass 1 failures: id when age\n"

/* The id that ibwhy writes is the first line of the file; it reads on behind it. */
static void keep_story(const char *text)
{
	char *out = malloc(strlen(text) + 3);

	sprintf(out, "3\n%s", text);
	cli_file("failure", out);
	free(out);
}

static int one_failure(void **state)
{
	static const struct told gone = { "gone", "retry", WHY_CAUSE_PEER_GONE, { { "REASON", "no_qp" } } };
	char *text;

	(void)state;
	cli_end(NULL);
	mkdir(cli_root, 0755);
	cli_file("glass0/details/qp", "");
	cli_file("glass0/qp", "");
	text = story_of(&gone);
	keep_story(text);
	free(text);
	cli_file("failures", TABLE "3 10000000000 1000000\n");
	return 0;
}

static char *under(const char *name)
{
	static char path[400];

	snprintf(path, sizeof(path), "%s/%s", cli_root, name);
	return path;
}

static void said(const char *piece)
{
	if (!strstr(cli_said, piece))
		fail_msg("not said: %s\nsaid: %s", piece, cli_said);
}

static void test_ibwhy_tells_file(void **state)
{
	(void)state;
	cli_has(0, "first cause: peer_gone: the program of the peer destroyed the peer QP\n", "--file",
		under("failure"), "3");
	said("failure 3: qp glass0:0x11, 1.0 ms ago\n");
	said("glass0:0x11 of client (pid 811) completed with retry_exc_err (wr_id 0x7): no answer");
	said("-536 ms  glass0:0x11 sent the READ of PSN 7936 8 times");
	said("seen: gone_qps: how=destroy\n");
	cli_has(0, "first cause: peer_gone", "--file", under("failure"), "glass0:0x11");
	cli_has(0, "first cause: peer_gone", "--file", under("failure"), "--last");
	cli_has(0, "first cause: peer_gone", "--file", under("failure"));
	cli_is(120, "ibwhy: failure 4: there is none of this id; ibwhy lists those that are kept\n",
	       "--file", under("failure"), "4");
	cli_is(120,
	       "ibwhy: glass0:0x12: no failure of this object is kept; ibwhy lists those that are\n",
	       "--file", under("failure"), "glass0:0x12");
}

static void test_ibwhy_brief(void **state)
{
	(void)state;
	assert_int_equal(cli("--file", under("failure"), "-b", NULL), 0);
	assert_null(strstr(cli_said, "seen:"));
}

/* With several stories, one line for each */
static void test_ibwhy_lists(void **state)
{
	(void)state;
	assert_int_equal(cli(NULL, NULL), 0);
	assert_string_equal(
		cli_said,
		"   id      age object           what               process                peer             first cause\n"
		"    3   1.0 ms glass0:0x11      retry_exc_err      client (811)           glass1:0x22      peer_gone\n");
	cli_file("failures", TABLE);
	cli_is(0, "no failures\n", NULL);
	cli_is(120, "ibwhy: no failures\n", "--last");
}

static void test_ibwhy_json(void **state)
{
	json_object *got, *v;

	(void)state;
	assert_int_equal(cli("--json", "--last", NULL), 0);
	got = json_tokener_parse(cli_said);
	assert_non_null(got);
	assert_true(json_object_object_get_ex(got, "cause", &v));
	assert_string_equal(json_object_get_string(v), "peer_gone");
	assert_true(json_object_object_get_ex(got, "steps", &v));
	assert_int_equal(json_object_array_length(v), 5);
	assert_true(json_object_object_get_ex(got, "failure", &v));
	assert_true(json_object_object_get_ex(v, "psn", &v));
	assert_int_equal(json_object_get_int64(v), 7936);
	json_object_put(got);
	assert_int_equal(cli("--json", NULL), 0);
	got = json_tokener_parse(cli_said);
	assert_int_equal(json_object_array_length(got), 1);
	json_object_put(got);
}

/* A file in the folder of the test; the caller frees the text. */
static char *content(const char *name)
{
	char *text = calloc(1, 1 << 18);
	FILE *file = fopen(under(name), "r");

	if (!file)
		fail_msg("%s was not written", name);
	assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
	fclose(file);
	return text;
}

static void test_ibwhy_pictures(void **state)
{
	static const char *const files[][3] = { { "--svg", "p.svg", "READ" },	{ "--mermaid", "p.mmd", "sequenceDiagram" },
						{ "--html", "p.html", "peer_gone" }, { "--perfetto", "p.json", "traceEvents" } };
	char *text, *file;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		file = strdup(under(files[i][1]));
		cli_has(0, "first cause: peer_gone", "3", files[i][0], file);
		text = content(files[i][1]);
		if (!strcasestr(text, files[i][2]))
			fail_msg("%s has no %s", files[i][1], files[i][2]);
		free(text);
		free(file);
	}
	/* the text, then the diagram */
	cli_has(0, "8 packets, 8 dropped, 7 sent again, 0 NAKs\n", "3", "--diagram", "-b");
	said("first cause: peer_gone");
	/* nothing but the picture */
	assert_int_equal(cli("3", "--mermaid", "-", "-b", NULL), 0);
	assert_int_equal(strncmp(cli_said, "sequenceDiagram\n", 16), 0);
	cli_is(121, "ibwhy: /nowhere/x.svg: No such file or directory\n", "3", "--svg", "/nowhere/x.svg", "--mermaid", "-");
}

static void test_ibwhy_pictures_of_one(void **state)
{
	char *two = read_story("access"), *cq = read_story("real_cq_overrun"), *both = malloc(strlen(two) + strlen(cq) + 1);

	(void)state;
	sprintf(both, "%s%s", two, cq);
	cli_file("both", both);
	cli_is(122, "ibwhy: pictures are those of one failure: name its id; ibwhy lists them\n", "--file", under("both"),
	       "--diagram");
	cli_has(121, "ibwhy: no packet was seen: there is nothing to draw\n", "--file", under("both"), "7", "--svg", "/dev/null");
	/* a report needs no packets */
	cli_has(0, "<h1>Failure 7: cq glass0:0x19</h1>", "--file", under("both"), "7", "--html", "-");
	cli_has(122, "pictures are those of a failure", "-p", "1", "--diagram");
	cli_has(122, "standard output", "3", "--json", "--diagram");
	cli_has(122, "standard output", "--diagram", "--", "true");
	free(both);
	free(two);
	free(cq);
}

#define PLACES "# glass 1 places: what dev num pid comm place\n"

/* The port was down for the first copy, and had no route for the other seven. */
static void test_ibwhy_one_copy(void **state)
{
	static const struct told one = {
		"one", "lost", WHY_CAUSE_CABLE_CUT,
		{ { "REASON", "no_route" },
		  { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 no_route",
		    "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down" },
		  { "glass0 1 9464000000 536000000 1 switch no_route", "glass0 1 9464000000 536000000 1 switch port_down" },
		  { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 - 9000000000 cable_cut" } }
	};
	char *text = story_of(&one);

	(void)state;
	keep_story(text);
	free(text);
	cli_has(0, "1 copy reached s0:2 and was dropped there: port_down.", "3");
	said("first cause: cable_cut");
}

/* Places of a saved story: in the chain at a key, below it, in JSON, and in the report */
static void test_ibwhy_places(void **state)
{
	char *text = read_story("access"), *whole = malloc(strlen(text) + 1024), *file;
	json_object *got, *v;

	(void)state;
	sprintf(whole, "%s" PLACES "created glass0 0x11 811 client client.c:97%%20(connect_qp)\n"
		"posted glass0 0x7 811 client client.c:130\nregistered glass1 0x1234 812 server server.c:88\n"
		"ended glass1 0x1234 812 server server.c:214%%20(drop),%%20from%%20server.c:330%%20(main)\n", text);
	cli_file("places", whole);
	file = strdup(under("places"));
	cli_has(0, "R_Key 0x1234 was no longer valid: server (pid 812, server.c:214) invalidated it by", "--file", file);
	said("  where: client (pid 811) made glass0:0x11: client.c:97 (connect_qp)\n");
	said("  where: client (pid 811) posted the request of wr_id 0x7: client.c:130\n");
	said("  where: server (pid 812) registered key 0x1234: server.c:88\n");
	said("  where: server (pid 812) ended key 0x1234: server.c:214 (drop), from server.c:330 (main)\n");
	assert_int_equal(cli("--json", "--file", file, NULL), 0);
	got = json_tokener_parse(cli_said);
	assert_true(json_object_object_get_ex(got, "where", &v));
	assert_int_equal(json_object_array_length(v), 4);
	v = json_object_array_get_idx(v, 3);
	assert_true(json_object_object_get_ex(v, "place", &v));
	assert_string_equal(json_object_get_string(v), "server.c:214 (drop), from server.c:330 (main)");
	json_object_put(got);
	cli_has(0, "client (pid 811) made glass0:0x11: client.c:97 (connect_qp)</li>", "--file", file, "--html", "-");
	free(file);
	free(text);
	free(whole);
}

#define LINT_HEAD                                                                                       \
	"# glass 1 lint: id code severity kind num pid comm peer peer_pid peer_comm count first last seen " \
	"expected text scopes stack peer_stack\n"

/* The driver's row of a finding that lint/findings has, too, and of one that it no longer has */
#define STORY_LINT                                                                             \
	"# glass 1 lint: dev id code count last pid comm text\n"                               \
	"glass0 1 GL031 1 9000000000 811 client the%20QP%20is%20gone\n"                        \
	"glass1 1 GL038 1 9000000000 812 server it%20was%20cleared\n"

static unsigned int times_said(const char *what)
{
	const char *at = cli_said;
	unsigned int n = 0;

	for (; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

/* What the driver still has besides the story; --save keeps it. */
static void test_ibwhy_where(void **state)
{
	static const struct told gone = { "gone", "retry", WHY_CAUSE_PEER_GONE,
					  { { "REASON", "no_qp" }, { "pid: 811\ncomm: client\nwaits", "stack: 3074\npid: 811\ncomm: client\nwaits" },
					    { "uid signal dest_qpn", "uid signal dest_qpn stack" }, { "1000 - 0x11", "1000 - 0x11 4099" } } };
	char *text = story_of(&gone), *whole = format_text("%s%s", text, STORY_LINT), *file;

	(void)state;
	keep_story(whole);
	free(whole);
	free(text);
	cli_file("glass0/stacks", "# glass 1 stacks: stack recorder pid comm frames\n3074 3 811 client 2:0x12f4\n");
	cli_file("glass0/modules", "# glass 1 modules: recorder module pid build_id path\n3 2 811 - /nowhere/client\n");
	cli_file("glass1/stacks", "# glass 1 stacks: stack recorder pid comm frames\n4099 4 812 server 2:0x77\n4100 4 812 server 2:0x88\n");
	cli_file("glass1/modules", "# glass 1 modules: recorder module pid build_id path\n4 2 812 - /nowhere/server\n");
	cli_file("glass0/lint/findings", LINT_HEAD
		 "1 GL031 error qp 0x11 811 client glass1:0x22 812 server 1 9000000000 9000000000 - - the%20QP%20is%20gone 1 3074 -\n"
		 "2 GL031 error qp 0x99 4711 other - - - 1 9000000000 9000000000 - - other%20text 1 - -\n");
	cli_has(0, "  where: client (pid 811) made glass0:0x11: client+0x12f4\n", "3");
	said("server (pid 812, server+0x77) destroyed it by ibv_destroy_qp.");
	said("  where: server (pid 812) destroyed glass1:0x22: server+0x77\n");
	cli_has(0, "<code>GL031</code> the QP is gone</p><p class=\"dim\">at <code>client+0x12f4</code>", "3", "--html", "-");
	assert_null(strstr(cli_said, "other text"));
	/* the row of lint/findings takes the place of the story's */
	assert_int_equal(times_said("the QP is gone</p>"), 1);
	assert_int_equal(times_said("it was cleared</p>"), 1);
	assert_int_equal(cli("3", "--no-where", NULL), 0);
	assert_null(strstr(cli_said, "where:"));
	cli_has(122, "--where and --no-where exclude each other", "3", "--where", "--no-where");
	file = strdup(under("kept"));
	assert_int_equal(cli("--save", file, NULL), 0);
	cli_has(0, "  where: client (pid 811) made glass0:0x11: client+0x12f4\n", "--file", file, "3");
	/* each line of the file can be read again */
	assert_null(strstr(cli_said, "left out"));
	cli_has(0, "<code>GL031</code> the QP is gone</p><p class=\"dim\">at <code>client+0x12f4</code>", "--file", file,
		"3", "--html", "-");
	assert_int_equal(times_said("the QP is gone</p>"), 1);
	assert_int_equal(times_said("it was cleared</p>"), 1);
	free(file);
}

/* Of a key that has ended and of a receive that has failed; never of another receive. */
static void test_ibwhy_where_ends(void **state)
{
	static const struct told stale = { "stale", "access", WHY_CAUSE_KEY_STALE,
					   { { "gone_comm qp_pd", "gone_comm qp_pd gone_stack" }, { "local_inv 812 server 1", "local_inv 812 server 1 4100" },
					     { "op: write", "op: recv\nstack: 3074" } } };
	char *text = story_of(&stale);

	(void)state;
	keep_story(text);
	free(text);
	cli_file("glass0/stacks", "# glass 1 stacks: stack recorder pid comm frames\n3074 3 811 client 2:0x12f4\n");
	cli_file("glass0/modules", "# glass 1 modules: recorder module pid build_id path\n3 2 811 - /nowhere/client\n");
	cli_file("glass1/stacks", "# glass 1 stacks: stack recorder pid comm frames\n4100 4 812 server 2:0x88\n");
	cli_file("glass1/modules", "# glass 1 modules: recorder module pid build_id path\n4 2 812 - /nowhere/server\n");
	cli_has(0, "  where: server (pid 812) ended key 0x1234: server+0x88\n", "3");
	said("  where: client (pid 811) posted the receive of wr_id 0x7: client+0x12f4\n");
}

static void cut_out(char *story, const char *from, const char *to)
{
	char *at = strstr(story, from), *end = strstr(story, to);

	memmove(at, end, strlen(end) + 1);
}

/* This host knows neither the other end nor keys, and not what became of the packet. */
static void forget_peer(char *story)
{
	cut_out(story, "peer_dev:", "packets: 16");
	cut_out(story, "# glass 1 remote", "# glass 1 packets");
	cut_out(story, "glass1 0x1234", "# glass 1 ports");
}

/* The peer on another host: its file has what this host lacks. */
static void test_ibwhy_peer(void **state)
{
	char *mine = read_story("access"), *theirs = read_story("responder"), *local, *text;

	(void)state;
	forget_peer(mine);
	cli_file("mine", mine);
	cli_file("theirs", theirs);
	cli_has(0, "first cause: undetermined", "--file", under("mine"));
	said("missing: the peer: it is on another host or adapter");
	{
		char *file = strdup(under("mine"));

		cli_has(0, "first cause: key_stale", "--file", file, "--peer", under("theirs"));
		/* a QP of that number whose peer is on its own host is of another connection */
		local = strstr(theirs, "history:\n");
		text = format_text("%.*speer:\n  dev: glass1\n%s", (int)(local - theirs), theirs, local);
		cli_file("theirs", text);
		free(text);
		cli_has(0, "first cause: undetermined", "--file", file, "--peer", under("theirs"));
		free(file);
	}
	free(mine);
	free(theirs);
}

/*
 * A key that ended less than a second before or after it was refused at the other host: clocks of two hosts may differ by more, but
 * that host's own times tell what was first.
 */
static void test_ibwhy_peer_key_times(void **state)
{
	static const struct {
		const char *access, *gone, *cause;
	} keys[] = {
		{ "remote_write", "9999951000 ", "key_stale" },	 { "remote_read", "9999951000 ", "key_stale" },
		{ "remote_read", "10000000400 ", "key_access" }, { "remote_write", "10000000400 ", "undetermined" },
		{ "remote_read", "9999995000 ", "undetermined" }, { "remote_write", "9999995000 ", "key_stale" },
	};
	static const char *const late = "10000000700 0 rx write_only 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - "
					"0x9 0x7 glass0 1 0x11 none glass1 1 0x22 qp_state\n";
	char *mine = read_story("access"), *theirs = read_story("responder"), *key, *end, *drops, *again, *file;
	size_t i;

	(void)state;
	forget_peer(mine);
	cli_file("mine", mine);
	file = strdup(under("mine"));
	key = strstr(theirs, "remote_write active 812 server 9999951000 ");
	end = key + strlen("remote_write active 812 server 9999951000 ");
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		char *first, *text = format_text("%.*s%s active 812 server %s%s", (int)(key - theirs), theirs, keys[i].access,
						 keys[i].gone, end);

		cli_file("theirs", text);
		first = format_text("first cause: %s", keys[i].cause);
		cli_has(0, first, "--file", file, "--peer", under("theirs"));
		/* the packet came once more, when the QP was in ERR */
		drops = strstr(text, "# glass 1 drops");
		again = format_text("%.*s%s%s", (int)(drops - text), text, late, drops);
		cli_file("theirs", again);
		cli_has(0, first, "--file", file, "--peer", under("theirs"));
		free(first);
		free(again);
		free(text);
	}
	free(file);
	free(mine);
	free(theirs);
}

/* A QP whose queues are as long as they may be, and full: what stands behind them is read, too. */
static void test_ibwhy_full_queues(void **state)
{
	char *text = read_story("access"), *queue, *at, *end, *file;
	size_t i, entries = 2 * 16384;

	(void)state;
	at = strstr(text, "# glass 1 remote");
	queue = malloc(entries * 200 + strlen(text) + 1);
	assert_non_null(queue);
	end = queue + sprintf(queue, "%.*s", (int)(at - text), text);
	for (i = 0; i < entries; i++)
		end += sprintf(end, "  wqe: index=%zu state=queued op=write wr_id=0x%zx len=64 flags=signaled age=536000000 psn=7936 npsn=1 "
				    "tries=0 raddr=0x10000 rkey=0x1234 sge=0x7000:64:0x55 stack=0\n", i, i + 100);
	strcpy(end, at);
	cli_file("mine", queue);
	file = strdup(under("mine"));
	cli_has(0, "first cause: key_stale", "--file", file);
	assert_null(strstr(cli_said, "too many"));
	free(file);
	free(queue);
	free(text);
}

/* Two hosts that run the same program have adapters of the same name, and equal keys. */
static void test_ibwhy_peer_same_names(void **state)
{
	char *mine = read_story("access"), *theirs = read_story("responder"), *ports, *key, *text, *file;

	(void)state;
	forget_peer(mine);
	ports = strstr(mine, "# glass 1 ports");
	/* a region of this host, which does not contain the address of the request */
	text = format_text("%.*sglass0 0x1234 yes user 1 0x7f0000000000 4096 local_write|remote_write valid 811 client - - - - 1\n%s",
			   (int)(ports - mine), mine, ports);
	cli_file("mine", text);
	keep_story(text);
	free(text);
	file = strdup(under("mine"));
	cli_has(0, "first cause: undetermined", "--file", file);
	while ((key = strstr(theirs, "glass1 0x1234")))
		key[5] = '0';
	key = strstr(theirs, "gone_comm qp_pd\n") + strlen("gone_comm qp_pd");
	ports = strstr(theirs, "server 1\n") + strlen("server 1");
	text = format_text("%.*s gone_stack%.*s 4100%s", (int)(key - theirs), theirs, (int)(ports - key), key, ports);
	cli_file("theirs", text);
	free(text);
	cli_has(0, "first cause: key_stale", "--file", file, "--peer", under("theirs"));
	free(file);
	/* a call stack of that number on this host is of another call */
	cli_file("glass0/stacks", "# glass 1 stacks: stack recorder pid comm frames\n4100 3 811 client 2:0x12f4\n");
	cli_file("glass0/modules", "# glass 1 modules: recorder module pid build_id path\n3 2 811 - /nowhere/client\n");
	cli_has(0, "first cause: key_stale", "3", "--peer", under("theirs"));
	assert_null(strstr(cli_said, "client+0x12f4"));
	free(mine);
	free(theirs);
}

/* Clocks of two hosts differ: a drop may seem to be older than the QP. Flow 0: the sender is on another host. */
static void test_ibwhy_peer_clock(void **state)
{
	static const char *const theirs =
		"# glass 1 failure: 1\nwhen: 10000000000\nreal: 1699999999500000000\ndev: glass0\nobject: qp\nnum: 0x22\n"
		"# glass 1 local: glass0 qp 0x22\nqpn: 0x22\ndest_qpn: 0x11\n"
		"# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at\n"
		"glass0 1 9999992000 8000 1 qp msg_too_long send_middle 0x22 7936 64 1 2 0x0 -\n";
	char *mine = read_story("invalid"), *dev = strstr(mine, "peer_dev:"), *packets = strstr(mine, "packets: 16"),
	     *local = strstr(mine, "qpn: 0x11\n"), *remote = strstr(mine, "# glass 1 remote"),
	     *table = strstr(mine, "# glass 1 packets"), *seen = strstr(mine, "glass1 1 0x22 REASON"),
	     *behind = seen + strlen("glass1 1 0x22 REASON"), *text, *file;

	(void)state;
	text = format_text("%.*s%.*screated: 9900000000\n%.*s%.*s- - - -%s", (int)(dev - mine), mine,
			   (int)(local - packets), packets, (int)(remote - local), local, (int)(seen - table), table, behind);
	cli_file("mine", text);
	cli_file("theirs", theirs);
	file = strdup(under("mine"));
	cli_has(0, "first cause: undetermined", "--file", file);
	cli_has(0, "first cause: recv_short", "--file", file, "--peer", under("theirs"));
	/* later packets of the message have taken the place of the one that was refused; its receive failed */
	cli_file("theirs", "# glass 1 failure: 1\nwhen: 10000000000\nreal: 1699999999500000000\ndev: glass0\nobject: qp\nnum: 0x22\n"
			   "cause: loc_len\nop: recv\npsn: 7936\n# glass 1 local: glass0 qp 0x22\nqpn: 0x22\ndest_qpn: 0x11\n");
	cli_has(0, "first cause: recv_short", "--file", file, "--peer", under("theirs"));
	free(file);
	free(text);
	free(mine);
}

static void test_ibwhy_save(void **state)
{
	(void)state;
	cli_file("glass0/details/qp", "# glass 1 inspect: qp 0x11\nqpn: 0x11\nstate: rts\npid: 1\n");
	assert_int_equal(cli("--save", under("saved"), NULL), 0);
	assert_string_equal(cli_said, "");
	cli_has(0, "first cause: peer_gone", "--file", under("saved"), "3");
	assert_int_equal(cli("--save", "-", NULL), 0);
	said("# glass 1 object: glass0 qp 0x11\nqpn: 0x11\n");
	cli_has(121, "No such file or directory", "--save", "/nowhere/file");
	/* another file is none without failures */
	cli_file("other", "root:x:0:0:root:/root:/bin/bash\n");
	cli_has(121, "other: has no story; expected a file of \"ibwhy --save FILE\"\n", "--file", under("other"));
	cli_has(121, "other: has no story; expected a file of \"ibwhy --save FILE\"\n", "--last", "--peer", under("other"));
	cli_file("other", "");
	cli_has(0, "no failures\n", "--file", under("other"));
}

/* ---- programs that hang */

#define HANGS(state)                                                                               \
	"# glass 1 inspect: qp 0x11\nqpn: 0x11\nstate: " state "\nscqn: 3\nrcqn: 3\npid: %d\n"         \
	"comm: client\ncreated: 1000\nwaits_for: nothing\nrequester:\n  told: 4\n"

/* The tables of CQs and SRQs, and the failures with their stories */
static void test_ibwhy_hang_cq(void **state)
{
	char pid[30], *story = read_story("cq"), *qp = format_text(HANGS("err"), (int)getpid());

	(void)state;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	cli_file("glass0/details/qp", qp);
	cli_file("glass0/cq", "# glass 1 cq: cqn state used notify armed pid comm\n3 err 0 no 0 811 cli%20ent\n");
	cli_file("glass0/srq", "# glass 1 srq: srqn used\n1 4\n");
	cli_file("failures", "# glass 1 failures: id when age dev object num peer_dev peer_qpn\n"
			     "3 10000000000 1000000 glass0 cq 0x3 - -\n");
	keep_story(story);
	cli_has(0, "end of the chain: cq_failed: ", "-p", pid);
	said("CQ 3 of glass0, which cli ent (pid 811) made, is in error since 1.0 ms: ");
	said("Failure 3 has the first cause cq_overrun: a CQ overran");
	said("seen: failures: id=3; `ibwhy 3` has the whole chain\n");
	free(qp);
	free(story);
}

/* The journal of rules: of the firings on the QP that has the number now, the last one counts. */
static void test_ibwhy_hang_journal(void **state)
{
	static const char *const journal =
		"seq=1 time=999 name=thief act=cqe_lose cqn=3 qpn=0x11 op=send msg=9 wr_id=0x9\n"
		"seq=2 time=1000 name=thief act=cqe_lose cqn=3 qpn=0x11 op=send msg=3 wr_id=0x3\n"
		"seq=3 time=1001 name=slow act=cqe_delay cqn=3 qpn=0x11 op=send msg=4 wr_id=0x4\n"
		"seq=4 time=1002 name=thief act=cqe_lose cqn=3 qpn=0x11 op=send msg=5 wr_id=0x5\n"
		"seq=5 time=1003 name=thief act=cqe_lose cqn=3 qpn=0x12 op=recv msg=- wr_id=0x6 recv=1\n";
	char pid[30], *qp = format_text(HANGS("rts"), (int)getpid());

	(void)state;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	cli_file("glass0/details/qp", qp);
	cli_file("glass0/inject/journal", journal);
	cli_has(0, "end of the chain: lost: ", "-p", pid);
	said("Injection rule thief lost 2 completions of glass0:0x11: the last one of a send with");
	said("seen: glass0/inject/journal: seq=4 act=cqe_lose\n");
	free(qp);
}

/* ---- commands */

static void test_ibwhy_command(void **state)
{
	char *failures;

	(void)state;
	cli_file("failures", TABLE);
	failures = strdup(under("failures"));
	setenv("FAILURES", failures, 1);
	cli_is(0, "", "--", "true");
	cli_is(3, "ibwhy: no QP, CQ or SRQ of the command failed\n", "--", "sh", "-c", "exit 3");
	/* the process of the story does not run any more, and did not run before */
	cli_has(7, "first cause: peer_gone", "--", "sh", "-c",
		"echo 3 10000000000 1 >>\"$FAILURES\"; exit 7");
	cli_file("failures", TABLE);
	cli_is(0, "", "--", "sh", "-c", "echo 3 10000000000 1 >>\"$FAILURES\"");
	cli_file("failures", TABLE);
	cli_has(0, "first cause: peer_gone", "-a", "--", "sh", "-c",
		"echo 3 10000000000 1 >>\"$FAILURES\"");
	/* it was there before */
	cli_is(4, "ibwhy: no QP, CQ or SRQ of the command failed\n", "--", "sh", "-c", "exit 4");
	cli_has(127, "no_such_program", "--", "no_such_program");
	free(failures);
}

/* A failure of a process that runs, and is none of the command's */
static void test_ibwhy_command_others(void **state)
{
	char *text, pid[30], *at;

	(void)state;
	text = read_story("cq");
	snprintf(pid, sizeof(pid), "pid: %d\n", (int)getpid());
	at = strstr(text, "pid: 811\n");
	cli_file("failures", TABLE);
	{
		char *out = malloc(strlen(text) + 60);

		sprintf(out, "%.*s%s%s", (int)(at - text), text, pid, at + strlen("pid: 811\n"));
		keep_story(out);
		free(out);
	}
	setenv("FAILURES", under("failures"), 1);
	cli_is(5,
	       "ibwhy: no QP, CQ or SRQ of the command failed\n"
	       "ibwhy: 1 other object failed: ibwhy lists all\n",
	       "--", "sh", "-c", "echo 3 10000000000 1 >>\"$FAILURES\"; exit 5");
	free(text);
}

/* ---- errors */

static void test_ibwhy_no_driver(void **state)
{
	char *path = strdup(under("failures"));

	(void)state;
	unlink(path);
	cli_has(123, "this driver keeps no failures: driver and ibwhy must be of one version\n", NULL);
	cli_end(NULL);
	cli_has(123, "no Glass in this kernel, or debugfs is not mounted", NULL);
	cli_has(123, "no Glass in this kernel, or debugfs is not mounted", "3");
	cli_has(123, "no Glass in this kernel", "--", "true");
	free(path);
	mkdir(cli_root, 0755);
}

static void test_ibwhy_usage(void **state)
{
	(void)state;
	cli_has(122, "is no failure: expected an id (3) or an object (glass0:0x14)", "word");
	cli_has(122, "one failure at a time", "3", "4");
	cli_has(122, "exclude each other", "3", "-p", "4");
	cli_has(122, "--last: leave out", "--last", "3");
	cli_has(122, "--always needs a COMMAND", "-a");
	cli_has(122, "--pid: 'x' is no number", "-p", "x");
	cli_has(121, "/nowhere: No such file or directory", "--file", "/nowhere");
	cli_has(121, "/nowhere: No such file or directory", "--peer", "/nowhere");
	cli_has(0, "peer_killed     a signal killed the peer process\n", "--causes");
}

static void test_ibwhy_hostile(void **state)
{
	(void)state;
	cli_file("bad", "# glass 1 failure: 1\nid: 1\ncause: retry%1B[31m_exc\nnonsense\n"
			"# glass 1 packets: a a\nx y\n");
	cli_has(0, "first cause: undetermined", "--file", under("bad"));
	assert_null(strchr(cli_said, '\033'));
	said("bad:4: neither \"key: value\" nor \"section:\"");
	cli_file("bad", "# glass 1 nothing\n");
	cli_is(0, "no failures\n", "--file", under("bad"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ibwhy_tells_file, one_failure),
		cmocka_unit_test_setup(test_ibwhy_brief, one_failure),
		cmocka_unit_test_setup(test_ibwhy_lists, one_failure),
		cmocka_unit_test_setup(test_ibwhy_json, one_failure),
		cmocka_unit_test_setup(test_ibwhy_one_copy, one_failure),
		cmocka_unit_test_setup(test_ibwhy_places, one_failure),
		cmocka_unit_test_setup(test_ibwhy_where, one_failure),
		cmocka_unit_test_setup(test_ibwhy_pictures, one_failure),
		cmocka_unit_test_setup(test_ibwhy_pictures_of_one, one_failure),
		cmocka_unit_test_setup(test_ibwhy_where_ends, one_failure),
		cmocka_unit_test_setup(test_ibwhy_peer, one_failure),
		cmocka_unit_test_setup(test_ibwhy_peer_key_times, one_failure),
		cmocka_unit_test_setup(test_ibwhy_peer_same_names, one_failure),
		cmocka_unit_test_setup(test_ibwhy_full_queues, one_failure),
		cmocka_unit_test_setup(test_ibwhy_peer_clock, one_failure),
		cmocka_unit_test_setup(test_ibwhy_save, one_failure),
		cmocka_unit_test_setup(test_ibwhy_hang_cq, one_failure),
		cmocka_unit_test_setup(test_ibwhy_hang_journal, one_failure),
		cmocka_unit_test_setup(test_ibwhy_command, one_failure),
		cmocka_unit_test_setup(test_ibwhy_command_others, one_failure),
		cmocka_unit_test_setup(test_ibwhy_no_driver, one_failure),
		cmocka_unit_test_setup(test_ibwhy_usage, one_failure),
		cmocka_unit_test_setup(test_ibwhy_hostile, one_failure),
	};

	sysfs_root = "/nowhere";
	return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
