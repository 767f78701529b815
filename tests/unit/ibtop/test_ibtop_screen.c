// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
/* The screen of ibtop without a terminal: keys go in, the rows of the canvas are read. */
#include <locale.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "ibtop_bench.h"

/* The row that is chosen */
static const char *chosen(void)
{
	unsigned int row;

	for (row = 0; row < b.canvas.rows; row++)
		if (b.canvas.glyphs[(size_t)row * b.canvas.cols + 1].flags & GLYPH_CHOSEN)
			return row_text(row);
	return "";
}

static void chosen_has(const char *text)
{
	if (strstr(chosen(), text))
		return;
	dump();
	fail_msg("chosen: %s, not %s", chosen(), text);
}

static const char *first_row(void)
{
	return row_text(b.screen.table_row);
}

static void sort_by(const char *column)
{
	unsigned int i;

	press("F6");
	press("Home");
	for (i = 0; i < b.screen.menu.count; i++) {
		if (!strcmp(b.screen.menu.items[b.screen.menu.cursor].label, column))
			break;
		press("Down");
	}
	assert_int_not_equal(i, b.screen.menu.count);
	press("Enter");
}

/* ---- tests */

static void test_every_view_and_back(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < VIEW_COUNT; i++) {
		char text[64];
		unsigned int k;

		press("v");
		sees("Enter chooses");
		press("Home");
		for (k = 0; k < i; k++)
			press("Down");
		press("Enter");
		assert_int_equal(b.screen.view, i);
		refresh();
		/* the head names every column that is on the screen */
		assert_true(b.screen.num_placed > 0);
		snprintf(text, sizeof(text), "%s", b.screen.placed[0].column->title);
		assert_non_null(strstr(row_text(b.screen.head_row), text));
		press("Enter");
		press("F6");
		press("Esc");
		press("Esc");
		press("C");
		press("Esc");
	}
	press("1");
	sees("1000001");
	press("Tab");
	assert_int_equal(b.screen.view, VIEW_DEVICE);
	press("Shift-Tab");
	press("Shift-Tab");
	assert_int_equal(b.screen.view, VIEW_COUNT - 1);
	press("Tab");
	assert_int_equal(b.screen.view, VIEW_PROCESS);
	press("L");
	assert_int_equal(b.screen.view, VIEW_LEAK);
	press("L");
	assert_int_equal(b.screen.view, VIEW_PROCESS);
	press("0");
	assert_int_equal(b.screen.view, 9);
}

static void test_rates_and_fill(void **state)
{
	const char *row;

	(void)state;
	size(200, 50);
	row = row_text(row_with("0x111"));
	/* the 18th QP: 10 messages and 18000 bytes a second, 17 of 64 sends posted */
	assert_non_null(strstr(row, "17/64]"));
	assert_non_null(strstr(row, " 17.6k"));
	assert_non_null(strstr(row_text(row_with("0x101")), " err "));
	sees("QPs 20 1 err");
	sees("\u2588"); /* sparklines */
	b.screen.settings.on[SWITCH_ascii] = true;
	draw();
	for (unsigned int i = 0; i < b.canvas.rows; i++)
		for (const char *c = row_text(i); *c; c++)
			assert_true((unsigned char)*c < 0x80);
}

static void test_moving(void **state)
{
	(void)state;
	b.qps = 300;
	refresh();
	chosen_has("0x100");
	press("Down");
	chosen_has("0x101");
	press("End");
	chosen_has("0x22b");
	assert_non_null(strstr(row_text(22), "0x22b"));
	press("PgUp");
	press("PgDn");
	chosen_has("0x22b");
	press("Home");
	chosen_has("0x100");
	press("PgDn");
	assert_string_not_equal(first_row(), "");
	press("^A");
	press("$");
	sees("ACTIVITY");
	sees(" QPN"); /* what names the object stays */
	press("Left");
	press("^");
	sees("COMMAND");
	sees_not("ACTIVITY");
	press("Right");
	sees_not(" TYPE ");
}

/* What is chosen stays chosen, wherever it goes; at the top the first one is. */
static void test_chosen_object_stays(void **state)
{
	(void)state;
	size(80, 30);
	press("Down");
	press("Down");
	press("Down");
	chosen_has("0x103");
	press("I");
	sort_by("tx_bytes_s");
	chosen_has("0x103");
	assert_non_null(strstr(first_row(), "0x113"));
	press("I");
	chosen_has("0x103");
	assert_non_null(strstr(first_row(), "0x100"));
	press("Home");
	press("I");
	chosen_has("0x113");
	/* gone: the cursor stays where it was */
	press("Down");
	press("Down");
	chosen_has("0x111");
	b.qps = 10;
	refresh();
	refresh();
	assert_string_not_equal(chosen(), "");
}

static void test_new_and_gone(void **state)
{
	(void)state;
	b.qps = 22;
	refresh();
	press("End");
	assert_int_equal(chosen()[0], '+');
	chosen_has("0x115");
	refresh();
	assert_int_equal(chosen()[0], ' ');
	b.qps = 20;
	refresh();
	assert_int_equal(row_text(row_with("0x115"))[0], 'x');
	refresh();
	sees_not("0x115");
}

static void test_filter(void **state)
{
	(void)state;
	press("F4");
	type("comm==beta && qpn<0x105");
	press("Enter");
	sees("filter comm==beta && qpn<0x105");
	sees("0x101");
	sees("0x103");
	sees_not("0x102");
	sees_not("0x107");
	/* an error is shown at its place, and the filter before goes on */
	press("F4");
	press("^U");
	type("qpn==0x101 && stat==err");
	press("Enter");
	sees("              ^^^^");
	sees("`stat`");
	sees("0x103");
	press("Esc");
	sees_not("`stat`");
	/* the history has what was right */
	press("\\");
	press("^U");
	press("Up");
	sees("Filter: comm==beta && qpn<0x105");
	press("Down");
	press("^U");
	press("Enter");
	sees("0x102");
	/* each view has its own */
	press("F4");
	type("qpn==1");
	press("Enter");
	sees("nothing fits (20 without filter)");
	press("5");
	sees_not("nothing fits");
}

static void test_search(void **state)
{
	(void)state;
	press("/");
	type("0X107");
	press("Enter");
	chosen_has("0x107");
	press("n");
	chosen_has("0x107");
	press("/");
	type("BETA");
	press("Enter");
	chosen_has("0x107");
	press("n");
	chosen_has("0x109");
	press("N");
	press("N");
	chosen_has("0x105");
	press("&");
	sees("only rows with BETA");
	sees_not("0x108");
	press("Esc");
	sees("0x108");
	press("/");
	type("nowhere");
	press("Enter");
	sees("no row has \"nowhere\"");
	press("Esc");
	press("n");
	sees("no text was searched for yet");
}

static void test_follow(void **state)
{
	(void)state;
	press("f");
	sees("process 1000001");
	sees_not("beta");
	press("5");
	sees_not("beta");
	press("F");
	sees("beta");
	press("P");
	type("1000002x");
	press("Enter");
	sees("1000002x: not a number");
	press("^U");
	type("1000002");
	press("Enter");
	sees_not("alpha");
	press("P");
	press("Enter");
	sees("alpha");
}

static void test_tree(void **state)
{
	(void)state;
	size(120, 60);
	press("F5");
	sees("device glass0");
	sees("\u251c\u2500ucontext 1");
	sees("\u2502 \u2514\u2500pd 11");
	sees("\u2502   \u251c\u2500qp 0x100");
	press("/");
	type("pd 11");
	press("Enter");
	press("-");
	sees("+pd 11");
	sees_not("0x100");
	sees("0x101");
	press("-");
	press("+");
	sees("0x100");
	press("*");
	sees("device glass0");
	sees("+ucontext 1");
	sees_not("pd 11");
	press("*");
	sees("0x100");
	press("t");
	assert_int_equal(b.screen.view, VIEW_QP);
}

static void test_detail(void **state)
{
	(void)state;
	press("Down");
	press("Enter");
	sees("qp 0x101 on glass0 of beta");
	/* side by side when there is room, below else */
	sees_not("\u2502");
	press("End");
	size(160, 50);
	press("Home");
	sees("\u2502 PEER  qp 0x100");
	press("p");
	sees(" qp 0x100 on glass0 of alpha");
	refresh();
	b.qps = 0;
	refresh();
	refresh();
	sees("(gone)");
	press("q");
	sees("nothing there");
	press("F10");
}

static void test_columns(void **state)
{
	unsigned int i;

	(void)state;
	press("C");
	sees("[x] dev");
	press("Space");
	press("Down");
	press("+");
	press("Enter");
	/* dev is gone, port went behind qpn */
	sees("   QPN PORT TYPE");
	assert_true(b.screen.settings_changed);
	press("C");
	press("d");
	press("Esc");
	sees(" DEV    PORT   QPN TYPE");
	/* the last one stays */
	press("C");
	for (i = 0; i < COLUMNS_MAX && b.screen.settings.views[VIEW_QP].num_columns > 1; i++) {
		press("Space");
		press("Down");
	}
	press("Space");
	assert_int_equal(b.screen.settings.views[VIEW_QP].num_columns, 1);
	press("Space");
	sees("one column stays");
	press("Esc");
}

static void test_kill(void **state)
{
	pid_t pid;
	char line[200], pid_text[32];
	int status;

	(void)state;
	press("k");
	sees("SIGTERM");
	press("Enter");
	sees("process 1000001: No such process");
	pid = fork();
	if (!pid) {
		/* ends with the test, however that ends */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(1);
	}
	snprintf(line, sizeof(line),
		 "# glass 1 qp: qpn qptype state pid comm created age\n0x7 rc rts %d victim 1 2\n", pid);
	machine_file(&b.machine, "qp", line);
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	draw();
	press("Home");
	press("k");
	press("Down");
	press("Enter");
	snprintf(pid_text, sizeof(pid_text), "Send SIGKILL to %d test_ibtop", pid);
	sees(pid_text);
	sees("[y/N] (made the object as victim)");
	press("n");
	sees("not sent");
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	press("F9");
	press("Down");
	press("Enter");
	press("y");
	sees("SIGKILL sent to process");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void test_commands(void **state)
{
	(void)state;
	press("Down");
	press("c");
	sees("Run: ibcap -f 'qpn==0x101'");
	assert_int_equal(press("Enter"), REQUEST_RUN);
	assert_int_equal(strncmp(b.screen.run_command, "ibcap -f 'qpn==0x101'", 21), 0);
	press("i");
	sees("Run: ibinject");
	press("Esc");
	sees_not("Run:");
	assert_int_equal(press("r"), REQUEST_REFRESH);
	assert_int_equal(press("^L"), REQUEST_REDRAW);
	assert_int_equal(press("q"), REQUEST_QUIT);
	press("Z");
	sees("PAUSED");
	assert_int_equal(screen_wait_ms(&b.screen, 0), -1);
	press("Space");
	sees_not("PAUSED");
	assert_int_equal(screen_wait_ms(&b.screen, 300), 700);
	press("D");
	type("0");
	press("Enter");
	sees("seconds between");
	press("^U");
	type("0.25");
	press("Enter");
	assert_int_equal(screen_wait_ms(&b.screen, 100), 150);
	press(".");
	sees("this is not a recording");
}

static void test_help_has_every_key(void **state)
{
	enum command command;

	(void)state;
	size(120, 200);
	press("F1");
	for (command = COMMAND_NONE + 1; command < COMMAND_COUNT; command++) {
		sees(command_get(command)->keys);
		sees(command_get(command)->meaning);
	}
	sees("Columns of this view");
	press("?");
	sees_not("Columns of this view");
	size(80, 24);
	press("h");
	sees_not("rnr_retry");
	press("/");
	type("RNR_RETRY");
	press("Enter");
	sees("rnr_retry");
	press("/");
	type("nowhere to be found");
	press("Enter");
	sees("no line has");
}

/* No key has two meanings, and every key that is written is one. */
static void test_keys(void **state)
{
	enum command command;

	(void)state;
	for (command = COMMAND_NONE + 1; command < COMMAND_COUNT; command++) {
		char keys[64], *word, *rest = keys;

		snprintf(keys, sizeof(keys), "%s", command_get(command)->keys);
		while ((word = strsep(&rest, " "))) {
			assert_int_not_equal(key_parse(word), TOP_KEY_NONE);
			if (command_of_key(key_parse(word)) != command)
				fail_msg("%s: two meanings", word);
		}
	}
}

static void test_mouse(void **state)
{
	unsigned int row, i;

	(void)state;
	size(80, 30);
	row = row_with("0x105");
	screen_mouse(&b.screen, MOUSE_PRESS, row, 5);
	draw();
	chosen_has("0x105");
	screen_mouse(&b.screen, MOUSE_PRESS, row, 5);
	draw();
	sees("qp 0x105 on glass0");
	screen_mouse(&b.screen, MOUSE_WHEEL_DOWN, row, 5);
	press("Esc");
	for (i = 0; i < b.screen.num_placed; i++)
		if (!strcmp(b.screen.placed[i].column->name, "sq_fill"))
			break;
	assert_int_not_equal(i, b.screen.num_placed);
	screen_mouse(&b.screen, MOUSE_PRESS, b.screen.head_row, b.screen.placed[i].col + 1);
	draw();
	assert_non_null(strstr(first_row(), "0x113"));
	screen_mouse(&b.screen, MOUSE_PRESS, b.screen.head_row, b.screen.placed[i].col + 1);
	draw();
	assert_non_null(strstr(first_row(), "0x100"));
	screen_mouse(&b.screen, MOUSE_PRESS, b.screen.tabs_row, b.screen.tab_col[VIEW_CQ] + 1);
	draw();
	assert_int_equal(b.screen.view, VIEW_CQ);
	screen_mouse(&b.screen, MOUSE_PRESS, 29, b.screen.bar_col[COMMAND_SETUP] + 1);
	draw();
	sees("save_at_quit");
	screen_mouse(&b.screen, MOUSE_PRESS, b.screen.menu.row + 1, b.screen.menu.col + 4);
	assert_false(b.screen.settings.on[0]);
	screen_mouse(&b.screen, MOUSE_PRESS, 0, 0);
	draw();
	sees_not("save_at_quit");
	assert_int_equal(screen_mouse(&b.screen, MOUSE_PRESS, 29, b.screen.bar_col[COMMAND_QUIT]),
			 REQUEST_QUIT);
}

static void test_sizes(void **state)
{
	unsigned int cols, rows;

	(void)state;
	for (rows = 1; rows < 40; rows += 3) {
		for (cols = 1; cols < 300; cols += 7) {
			size(cols, rows);
			if (rows < SCREEN_MIN_ROWS || cols < SCREEN_MIN_COLS)
				continue;
			sees("0x100");
			press("F1");
			press("Esc");
			press("F2");
			press("Esc");
			press("Enter");
			press("Esc");
		}
	}
	size(30, 5);
	sees("30x5: too small");
	sees("40x8 at least");
	/* keys go on to work */
	assert_int_equal(press("q"), REQUEST_QUIT);
}

/* Nothing that a program calls itself reaches the terminal as it is. */
static void test_hostile_names(void **state)
{
	unsigned int i;

	(void)state;
	machine_file(&b.machine, "qp",
		  "# glass 1 qp: qpn qptype state pid comm created age\n"
		  "0x7 rc rts 5 %1B[2J%07%0D%C2%9B31m%FF 1 2\n"
		  "0x8 rc rts 5 %E2%80%AEevil%CC%81%CC%81 1 2\n"
		  "0x9 rc rts 5 %E6%97%A5%E6%9C%AC%E8%AA%9E 1 2\n");
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	draw();
	for (i = 0; i < b.canvas.rows * b.canvas.cols; i++) {
		wchar_t ch = b.canvas.glyphs[i].ch;

		assert_false(ch && ch < L' ');
		assert_false(ch >= 0x7f && ch < 0xa0);
		assert_int_not_equal(ch, 0x202e);
		assert_int_not_equal(ch, 0x301);
	}
	sees("0x7");
	sees("\u65e5\u672c\u8a9e"); /* characters two columns wide */
	sees("[2J");
}

/* A device, debugfs, everything goes away: a message, and it goes on. */
static void test_things_go_away(void **state)
{
	(void)state;
	machine_remove(&b.machine, "qp");
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	draw();
	machine_file(&b.machine, "qp", "nonsense\n");
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	draw();
	sees("not a table that this ibtop can read");
	press("m");
	sees("Messages");
	press("Esc");
	machine_end(&b.machine);
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	draw();
	sees("this machine has no RDMA device now");
	press("m");
	press("Esc");
	press("Enter");
	press("F5");
	press("c");
}

/* With 10,000 QPs a redrawing formats what is seen, no more. */
static void test_many(void **state)
{
	struct timespec begin, end;
	double ms;
	unsigned int i;

	(void)state;
	b.qps = 10000;
	refresh();
	refresh();
	press("PgDn");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	for (i = 0; i < 100; i++)
		press(i % 2 ? "PgDn" : "Down");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	ms = ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / 1e6 / 100;
	printf("# %.2f ms of CPU for a key and its redrawing with 10,000 QPs (ASan)\n", ms);
	/* all rows would take far longer; this holds with sanitizers on a slow machine, too */
	assert_true(ms < 50);
	press("End");
	chosen_has("0x280f");
}

/* of the address sanitizer's library, whose header is not always there; without it (valgrind) nobody counts */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t in_use(void)
{
	return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

/*
 * Every view again and again, while objects come and go and things happen: what is in use does
 * not grow. What is lost altogether the leak checker tells when the program ends.
 */
static void test_a_thousand_refreshes(void **state)
{
	char rules[80], fired[160];
	size_t before = 0, after;
	unsigned int i;

	(void)state;
	for (i = 1; i <= 1000; i++) {
		if (i % 10 == 0)
			press("Tab");
		if (i % 10 == 3)
			press("Enter");
		if (i % 10 == 6)
			press("Esc");
		b.qps = i % 7 ? QPS : 0;
		snprintf(rules, sizeof(rules), "add name=r%u act=drop hit=%u eligible=%u\n", i % 5, i,
			 i);
		machine_file(&b.machine, "inject/rules", rules);
		snprintf(fired, sizeof(fired),
			 "seq=%u time=%u name=r%u act=drop port=1 dir=tx qpn=0x101 pid=%u comm=beta\n",
			 i, i, i % 5, MACHINE_PID_B);
		machine_file(&b.machine, "inject/journal", fired);
		refresh();
		/* by then each view was there, and what is kept of the past is full */
		if (i == 600)
			before = in_use();
	}
	after = in_use();
	printf("# in use after 600 refreshes %zu, after 1000 %zu\n", before, after);
	assert_in_range(after, 0, before + before / 50);
}

static void test_record_and_replay(void **state)
{
	char record[96];

	(void)state;
	end_screen();
	snprintf(record, sizeof(record), "%s/record", b.machine.dir);
	b.options.record = record;
	begin_screen();
	refresh();
	refresh();
	end_screen();
	b.options.record = NULL;
	b.options.replay = record;
	b.model = model_open(&b.options, b.config, sizeof(b.config));
	assert_non_null(b.model);
	memset(&b.screen, 0, sizeof(b.screen));
	b.options.config = "/nonexistent/ibtop";
	assert_true(screen_init(&b.screen, b.model, &b.options, b.config, sizeof(b.config)));
	size(100, 30);
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	draw();
	sees("recording #0 of 4");
	assert_int_equal(press("."), REQUEST_SHOW);
	screen_refreshed(&b.screen);
	draw();
	sees("recording #1 of 4");
	sees("PAUSED");
	assert_int_equal(press(")"), REQUEST_SHOW);
	screen_refreshed(&b.screen);
	draw();
	sees("recording #4 of 4");
	sees("0x100");
	press("{");
	screen_refreshed(&b.screen);
	draw();
	sees("recording #0 of 4");
	press("g");
	type("#99");
	press("Enter");
	sees("#99: the record has #0 to #4");
	press("^U");
	type("#2");
	assert_int_equal(press("Enter"), REQUEST_SHOW);
	screen_refreshed(&b.screen);
	draw();
	sees("recording #2 of 4");
	press("k");
	sees("this is a recording: its processes are not those of this machine");
}

/* What the command line asks for is for this time; what keys change is kept. */
static void test_options_are_not_saved(void **state)
{
	char error[200], text[4096] = "";
	FILE *from;

	(void)state;
	end_screen();
	b.options.columns = "qpn,state";
	b.options.sort = "+qpn";
	b.options.theme = "contrast";
	begin_screen();
	sees("  QPN");
	press("F2");
	press("Enter");
	press("Esc");
	press("5");
	press("I");
	assert_true(screen_save_at_quit(&b.screen, error, sizeof(error)));
	from = fopen(b.config, "r");
	assert_non_null(from);
	assert_true(fread(text, 1, sizeof(text) - 1, from) > 0);
	fclose(from);
	assert_non_null(strstr(text, "header = no\n"));
	assert_non_null(strstr(text, "theme = dark\n"));
	assert_null(strstr(text, "qp."));
	/* options that are wrong end before the terminal changes */
	end_screen();
	b.options.sort = "nothing";
	b.model = model_open(&b.options, error, sizeof(error));
	assert_false(screen_init(&b.screen, b.model, &b.options, error, sizeof(error)));
	assert_string_equal(error, "qp has no column nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_every_view_and_back), TEST(test_rates_and_fill), TEST(test_moving),
		TEST(test_chosen_object_stays), TEST(test_new_and_gone), TEST(test_filter),
		TEST(test_search), TEST(test_follow), TEST(test_tree), TEST(test_detail),
		TEST(test_columns), TEST(test_kill), TEST(test_commands),
		TEST(test_help_has_every_key), TEST(test_keys), TEST(test_mouse), TEST(test_sizes),
		TEST(test_hostile_names), TEST(test_things_go_away), TEST(test_many),
		TEST(test_a_thousand_refreshes), TEST(test_record_and_replay), TEST(test_options_are_not_saved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
