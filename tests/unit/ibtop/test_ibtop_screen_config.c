// SPDX-License-Identifier: GPL-2.0-only
/* The configuration file of ibtop's screen: what is written is read, what is wrong is told and passed over. */
#define _GNU_SOURCE
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "ibtop/screen/config.h"

static char complaints[4096];
static unsigned int count;

static void complain(void *arg, const char *text)
{
	size_t len = strlen(complaints);

	(void)arg;
	count++;
	snprintf(complaints + len, sizeof(complaints) - len, "%s\n", text);
}

static bool read_text(struct settings *s, const char *text, size_t len)
{
	FILE *from = fmemopen((char *)text, len, "r");
	bool good;

	assert_non_null(from);
	complaints[0] = '\0';
	count = 0;
	good = config_read(s, from, "file", complain, NULL);
	fclose(from);
	return good;
}

static void test_written_is_read(void **state)
{
	struct settings a, b;
	char *text = NULL, *again = NULL;
	size_t size, size2;
	char error[200];
	FILE *to;

	(void)state;
	settings_init(&a);
	a.theme = THEME_CONTRAST;
	a.delay_ms = 2050;
	a.has_view = true;
	a.view = VIEW_CQ;
	a.on[SWITCH_bars] = a.on[SWITCH_header] = false;
	a.on[SWITCH_ascii] = true;
	a.views[VIEW_QP].num_columns =
		columns_parse(view_get(VIEW_QP), "qpn state wait", a.views[VIEW_QP].columns, COLUMNS_MAX,
			      error, sizeof(error));
	assert_true(query_sort(view_get(VIEW_QP), "+sq_fill", &a.views[VIEW_QP].sort,
			       &a.views[VIEW_QP].reverse));
	a.views[VIEW_PROCESS].sort = NULL;
	edit_history_add(&a.filters, "qpn==0x11 && comm~\"perf*\"");
	edit_history_add(&a.filters, "a=b=c # no comment");
	edit_history_add(&a.searches, "caf\u00e9");
	to = open_memstream(&text, &size);
	config_write(&a, to);
	fclose(to);
	settings_init(&b);
	assert_true(read_text(&b, text, size));
	to = open_memstream(&again, &size2);
	config_write(&b, to);
	fclose(to);
	assert_string_equal(text, again);
	assert_non_null(strstr(text, "qp.columns = qpn state wait\n"));
	assert_non_null(strstr(text, "qp.sort = +sq_fill\n"));
	assert_non_null(strstr(text, "process.sort = none\n"));
	assert_non_null(strstr(text, "delay = 2.050\n"));
	assert_int_equal(b.delay_ms, 2050);
	assert_int_equal(b.view, VIEW_CQ);
	assert_false(b.on[SWITCH_bars]);
	assert_string_equal(b.filters.lines[0], "a=b=c # no comment");
	assert_int_equal(b.filters.count, 2);
	assert_false(b.filters.changed);
	/* views that nobody changed are not written: their columns may get better */
	assert_null(strstr(text, "cq.columns"));
	settings_free(&a);
	settings_free(&b);
	free(text);
	free(again);
}

static void test_complaints(void **state)
{
	static const struct {
		const char *line, *complaint;
	} lines[] = {
		{ "theme = pink", "file:1: theme: pink: dark, light, contrast or mono" },
		{ "mouse = maybe", "file:1: mouse: maybe: yes or no" },
		{ "delay = 0", "file:1: delay: 0: seconds between" },
		{ "delay = 1e99", "file:1: delay: 1e99" },
		{ "delay = nan", "file:1: delay: nan" },
		{ "delay = 1s", "file:1: delay: 1s" },
		{ "view = nowhere", "file:1: there is no view nowhere" },
		{ "qp.columns = dev qpnn", "qpnn" },
		{ "qp.columns = dev -dev", "file:1: no column is left to show" },
		{ "qp.sort = nothing", "file:1: qp has no column nothing" },
		{ "qp.colour = red", "file:1: qp.colour: a view has only the settings columns and sort" },
		{ "qq.sort = qpn", "file:1: there is no view qq" },
		{ ".sort = qpn", "file:1: there is no view " },
		{ "hello", "file:1: expected KEY = VALUE" },
		{ "color = red", "file:1: color: there is no such setting" },
	};
	static const char fine[] = "# only\n\n  # comments\r\n mouse=no\r\n";
	struct settings s;
	size_t i;

	(void)state;
	settings_init(&s);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (read_text(&s, lines[i].line, strlen(lines[i].line)) || count != 1 ||
		    !strstr(complaints, lines[i].complaint))
			fail_msg("%s: %s", lines[i].line, complaints);
	}
	/* nothing of it was taken */
	assert_int_equal(s.theme, THEME_DARK);
	assert_int_equal(s.delay_ms, 0);
	assert_true(s.views[VIEW_QP].num_columns > 5);
	assert_true(read_text(&s, fine, strlen(fine)));
	assert_false(s.on[SWITCH_mouse]);
	settings_free(&s);
}

/* Whatever is in it: few complaints, each a line, and settings that can be used. */
static void test_random_bytes(void **state)
{
	static const char *const pieces[] = { "theme", "=", "\n", "qp.", "columns", "sort", ".", " ", "dev",
					      "filter = ", "delay", "yes", "\0", "\xff", "-", "view", "%n" };
	char text[3000];
	int round;

	(void)state;
	for (round = 0; round < 500; round++) {
		struct settings s;
		size_t len = 0, n, i;

		while (len < sizeof(text) - 20 && rnd_below(400)) {
			const char *piece = pieces[rnd_below(sizeof(pieces) / sizeof(pieces[0]))];

			n = *piece ? strlen(piece) : 1;
			memcpy(text + len, piece, n);
			len += n;
		}
		if (!len)
			text[len++] = '\n';
		settings_init(&s);
		read_text(&s, text, len);
		assert_true(count <= CONFIG_COMPLAINTS);
		for (i = 0; i < VIEW_COUNT; i++)
			assert_true(s.views[i].num_columns > 0);
		assert_true(s.theme < THEME_COUNT && s.view < VIEW_COUNT);
		settings_free(&s);
	}
}

static void test_files(void **state)
{
	char dir[] = "/tmp/ibtop-config.XXXXXX", path[64], error[200], name[64];
	struct settings s;
	struct stat st;
	FILE *to;

	(void)state;
	assert_non_null(mkdtemp(dir));
	settings_init(&s);
	complaints[0] = '\0';
	count = 0;
	snprintf(path, sizeof(path), "%s/a/b/config", dir);
	assert_true(config_load(&s, path, complain, NULL));
	assert_int_equal(count, 0);
	s.theme = THEME_LIGHT;
	assert_true(config_save(&s, path, error, sizeof(error)));
	assert_false(stat(path, &st));
	assert_int_equal(st.st_mode & 07777, 0600);
	s.theme = THEME_DARK;
	assert_true(config_load(&s, path, complain, NULL));
	assert_int_equal(s.theme, THEME_LIGHT);
	/* a symbolic link is replaced, not followed */
	assert_false(unlink(path));
	snprintf(name, sizeof(name), "%s/other", dir);
	to = fopen(name, "w");
	fputs("kept\n", to);
	fclose(to);
	assert_false(symlink(name, path));
	assert_true(config_save(&s, path, error, sizeof(error)));
	assert_false(lstat(path, &st));
	assert_true(S_ISREG(st.st_mode));
	assert_false(stat(name, &st));
	assert_int_equal(st.st_size, 5);
	/* what is no file */
	assert_false(unlink(path));
	assert_false(mkdir(path, 0700));
	assert_false(config_load(&s, path, complain, NULL));
	assert_non_null(strstr(complaints, "not a regular file"));
	assert_false(config_save(&s, path, error, sizeof(error)));
	assert_non_null(strstr(error, path));
	assert_false(rmdir(path));
	assert_false(mkfifo(path, 0600));
	assert_false(config_load(&s, path, complain, NULL));
	unlink(path);
	assert_false(truncate(name, 1 << 20));
	complaints[0] = '\0';
	assert_false(config_load(&s, name, complain, NULL));
	assert_non_null(strstr(complaints, "too long"));
	unlink(name);
	settings_free(&s);
	snprintf(path, sizeof(path), "%s/a/b", dir);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/a", dir);
	rmdir(path);
	assert_false(rmdir(dir));
}

static void test_path(void **state)
{
	char path[64];

	(void)state;
	setenv("XDG_CONFIG_HOME", "/x/y", 1);
	assert_true(config_path(NULL, path, sizeof(path)));
	assert_string_equal(path, "/x/y/ibtop/config");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	setenv("HOME", "/home/me", 1);
	assert_true(config_path(NULL, path, sizeof(path)));
	assert_string_equal(path, "/home/me/.config/ibtop/config");
	assert_true(config_path("mine", path, sizeof(path)));
	assert_string_equal(path, "mine");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_false(config_path(NULL, path, sizeof(path)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_is_read),
		cmocka_unit_test(test_complaints),
		cmocka_unit_test_setup(test_random_bytes, rnd_restart),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_path),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
