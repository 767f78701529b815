/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen of ibtop without a terminal: keys go in, the rows of the canvas are read. */
#ifndef GLASS_TESTS_UNIT_IBTOP_BENCH_H
#define GLASS_TESTS_UNIT_IBTOP_BENCH_H

#include <locale.h>
#include <unistd.h>

#include "harness.h"
#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/state.h"
#include "ibtop_machine.h"

#define QPS 20

struct bench {
	struct machine machine;
	struct options options;
	struct model *model;
	struct screen screen;
	struct canvas canvas;
	unsigned int qps, round;
	char config[96];
};

static struct bench b;

static inline void draw(void)
{
	screen_draw(&b.screen, &b.canvas);
}

static inline void refresh(void)
{
	machine_objects(&b.machine, b.qps, ++b.round);
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	draw();
}

static inline void size(unsigned int cols, unsigned int rows)
{
	assert_true(canvas_resize(&b.canvas, rows, cols));
	draw();
}

static inline void begin_screen(void)
{
	char error[200] = "";

	b.model = model_open(&b.options, error, sizeof(error));
	assert_non_null(b.model);
	if (!screen_init(&b.screen, b.model, &b.options, error, sizeof(error)))
		fail_msg("%s", error);
	size(80, 24);
	refresh();
	refresh();
	refresh();
}

static inline void end_screen(void)
{
	screen_free(&b.screen);
	model_free(b.model);
	canvas_free(&b.canvas);
}

static inline int set_up(void **state)
{
	(void)state;
	alarm(120); /* whatever hangs ends badly */
	memset(&b, 0, sizeof(b));
	setlocale(LC_CTYPE, "C.UTF-8");
	machine_begin(&b.machine);
	snprintf(b.config, sizeof(b.config), "%s/conf/ibtop", b.machine.dir);
	b.qps = QPS;
	b.options = (struct options){ .delay_ms = 1000,
				      .debugfs = b.machine.debugfs,
				      .sysfs = b.machine.sysfs,
				      .config = b.config,
				      .view = "qp",
				      .color = true };
	begin_screen();
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	end_screen();
	machine_end(&b.machine);
	return 0;
}

/* ---- keys and what is seen */

static inline enum request press(const char *name)
{
	int key = key_parse(name);
	enum request request;

	assert_int_not_equal(key, TOP_KEY_NONE);
	request = screen_key(&b.screen, key);
	draw();
	return request;
}

static inline void type(const char *text)
{
	for (; *text; text++)
		screen_key(&b.screen, (unsigned char)*text);
	draw();
}

/* A row of the canvas as UTF-8, without blanks at its end */
static inline const char *row_text(unsigned int row)
{
	static char texts[4][2048];
	static unsigned int turn;
	size_t len = 0, end = 0;
	unsigned int col;
	char *text;

	turn = (turn + 1) % 4;
	text = texts[turn];
	for (col = 0; row < b.canvas.rows && col < b.canvas.cols; col++) {
		wchar_t ch = b.canvas.glyphs[(size_t)row * b.canvas.cols + col].ch;
		mbstate_t state = {};
		char one[16];
		size_t n;

		if (!ch)
			continue;
		n = wcrtomb(one, ch, &state);
		if (n == (size_t)-1 || len + n >= sizeof(texts[0]))
			continue;
		memcpy(text + len, one, n);
		len += n;
		if (ch != L' ')
			end = len;
	}
	text[end] = '\0';
	return text;
}

/* The row that has a text, or -1 */
static inline int row_with(const char *text)
{
	unsigned int row;

	for (row = 0; row < b.canvas.rows; row++)
		if (strstr(row_text(row), text))
			return row;
	return -1;
}

static inline void dump(void)
{
	unsigned int row;

	for (row = 0; row < b.canvas.rows; row++)
		print_error("|%s\n", row_text(row));
}

static inline void sees(const char *text)
{
	if (row_with(text) >= 0)
		return;
	dump();
	fail_msg("not on the screen: %s", text);
}

static inline void sees_not(const char *text)
{
	if (row_with(text) < 0)
		return;
	dump();
	fail_msg("on the screen: %s", text);
}

#endif
