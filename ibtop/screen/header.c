// SPDX-License-Identifier: GPL-2.0-only
/* The lines above the table, and the key bar below it. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/state.h"

/* ---- totals */

static struct cell cell_of(const struct screen *s, const struct row *row, unsigned int column)
{
	return row_cell(s->model, row, &view_get(row_view(row))->columns[column]);
}

static double real_of(const struct screen *s, const struct row *row, unsigned int column)
{
	struct cell cell = cell_of(s, row, column);

	return cell.state == CELL_VALUE ? cell.real : 0;
}

static uint64_t num_of(const struct screen *s, const struct row *row, unsigned int column)
{
	struct cell cell = cell_of(s, row, column);

	return cell.state == CELL_VALUE ? cell.num : 0;
}

/* Adds a device's history to the total, aligned at the newest value. */
static void add_history(const struct screen *s, const struct row *row, unsigned int column, float *sum,
			size_t *count)
{
	float values[HISTORY];
	size_t n = row_history(s->model, row, &view_get(VIEW_DEVICE)->columns[column], values, HISTORY), i;

	if (n > *count) {
		memmove(sum + (n - *count), sum, *count * sizeof(*sum));
		memset(sum, 0, (n - *count) * sizeof(*sum));
		*count = n;
	}
	for (i = 0; i < n; i++)
		sum[*count - n + i] += values[i];
}

static void add_device(struct screen *s, struct totals *t, const struct row *row)
{
	t->devices++;
	t->ports += num_of(s, row, COL_DEVICE_ports);
	t->active += num_of(s, row, COL_DEVICE_ports_active);
	t->qps += num_of(s, row, COL_DEVICE_nqp);
	t->err_qps += num_of(s, row, COL_DEVICE_err_qps);
	t->cqs += num_of(s, row, COL_DEVICE_ncq);
	t->mrs += num_of(s, row, COL_DEVICE_nmr);
	if (cell_of(s, row, COL_DEVICE_tx_bytes_s).state == CELL_VALUE)
		t->has_rates = true;
	t->tx += real_of(s, row, COL_DEVICE_tx_bytes_s);
	t->rx += real_of(s, row, COL_DEVICE_rx_bytes_s);
	t->retries += real_of(s, row, COL_DEVICE_retries_s);
	t->rnr += real_of(s, row, COL_DEVICE_rnr_s);
	t->drops += real_of(s, row, COL_DEVICE_drops_s);
	add_history(s, row, COL_DEVICE_tx_bytes_s, t->tx_history, &t->tx_count);
	add_history(s, row, COL_DEVICE_rx_bytes_s, t->rx_history, &t->rx_count);
}

void totals_update(struct screen *s)
{
	struct query devices = { .view = VIEW_DEVICE }, processes = { .view = VIEW_PROCESS };
	struct totals t = {};
	size_t i;

	if (model_list(s->model, &devices, &s->scratch))
		for (i = 0; i < s->scratch.count; i++)
			add_device(s, &t, s->scratch.items[i].row);
	if (model_list(s->model, &processes, &s->scratch)) {
		t.processes = s->scratch.count;
		for (i = 0; i < s->scratch.count; i++)
			t.stuck_qps += num_of(s, s->scratch.items[i].row, COL_PROCESS_stuck_qps);
	}
	/* peak of the shown snapshots: a seek in a record resets it */
	t.tx_peak = model_refreshes(s->model) > 1 ? s->totals.tx_peak : 0;
	t.rx_peak = model_refreshes(s->model) > 1 ? s->totals.rx_peak : 0;
	if (t.tx > t.tx_peak)
		t.tx_peak = t.tx;
	if (t.rx > t.rx_peak)
		t.rx_peak = t.rx;
	s->totals = t;
}

/* ---- lines */

static void clock_text(uint64_t ns, char *text, size_t size)
{
	time_t seconds = ns / 1000000000;
	struct tm tm;

	if (!ns || !localtime_r(&seconds, &tm) || !strftime(text, size, "%H:%M:%S", &tm))
		snprintf(text, size, "--:--:--");
}

static void put_count(struct pen *pen, const char *name, uint64_t n)
{
	pen_printf(pen, ROLE_TITLE, "  %s ", name);
	pen_printf(pen, ROLE_VALUE, "%llu", (unsigned long long)n);
}

static void draw_counts(struct screen *s, struct canvas *c, unsigned int row)
{
	const struct totals *t = &s->totals;
	struct pen pen = pen_at(c, row, 0);
	char clock[16];

	clock_text(model_realtime(s->model), clock, sizeof(clock));
	pen_put(&pen, ROLE_TITLE, "ibtop ");
	pen_put(&pen, ROLE_VALUE, clock);
	put_count(&pen, "dev", t->devices);
	pen_put(&pen, ROLE_TITLE, "  active ports ");
	pen_printf(&pen, t->active >= t->ports ? ROLE_VALUE : ROLE_WARN, "%u", t->active);
	if (t->ports)
		pen_printf(&pen, ROLE_TITLE, "/%u", t->ports);
	put_count(&pen, "procs", t->processes);
	put_count(&pen, "QPs", t->qps);
	if (t->err_qps)
		pen_printf(&pen, ROLE_BAD, " %llu err", (unsigned long long)t->err_qps);
	if (t->stuck_qps)
		pen_printf(&pen, ROLE_WARN, " %llu stuck", (unsigned long long)t->stuck_qps);
	put_count(&pen, "CQs", t->cqs);
	put_count(&pen, "MRs", t->mrs);
}

static void rate_text(double value, enum unit unit, bool known, char *text, size_t size)
{
	struct cell cell = { .state = known ? CELL_VALUE : CELL_NA, .unit = unit, .real = value };
	struct format format = { .style = STYLE_HUMAN };

	cell_text(&cell, &format, text, size);
}

static void put_rate(struct screen *s, struct pen *pen, const char *name, double value, double peak,
		     const float *history, size_t count, unsigned int width)
{
	struct format format = screen_format(s);
	char text[64], spark[HISTORY * 4 + 1];
	size_t from = count > width ? count - width : 0;

	pen_put(pen, ROLE_TITLE, name);
	spark_text(history + from, count - from, 0, &format, spark, sizeof(spark));
	pen->col += width - (count - from);
	pen_put(pen, ROLE_SPARK, spark);
	rate_text(value, UNIT_byte_rate, s->totals.has_rates, text, sizeof(text));
	pen_printf(pen, ROLE_VALUE, " %6s", text);
	rate_text(peak, UNIT_byte_rate, s->totals.has_rates, text, sizeof(text));
	pen_printf(pen, ROLE_DIM, " max %-6s ", text);
}

static void draw_rates(struct screen *s, struct canvas *c, unsigned int row)
{
	static const struct {
		const char *name;
		size_t offset;
	} troubles[] = {
		{ "retry", offsetof(struct totals, retries) },
		{ "RNR", offsetof(struct totals, rnr) },
		{ "drop", offsetof(struct totals, drops) },
	};
	const struct totals *t = &s->totals;
	struct pen pen = pen_at(c, row, 0);
	unsigned int width = 4, i;

	/* sparklines use half of the width beyond 80 columns */
	if (c->cols > 80)
		width += (c->cols - 80) / 2;
	if (width > HISTORY)
		width = HISTORY;
	put_rate(s, &pen, "TX ", t->tx, t->tx_peak, t->tx_history, t->tx_count, width);
	put_rate(s, &pen, "RX ", t->rx, t->rx_peak, t->rx_history, t->rx_count, width);
	for (i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++) {
		double value = *(const double *)((const char *)t + troubles[i].offset);
		char text[64];

		rate_text(value, UNIT_rate, t->has_rates, text, sizeof(text));
		pen_printf(&pen, ROLE_TITLE, "%s%s ", i ? " " : "", troubles[i].name);
		pen_put(&pen, value > 0 ? ROLE_BAD : ROLE_DIM, text);
	}
}

static void tab_text(unsigned int view, char *text, size_t size)
{
	if (view < 10)
		snprintf(text, size, " %u:%s ", (view + 1) % 10, view_get(view)->name);
	else
		snprintf(text, size, " %s ", view_get(view)->name);
}

static void draw_tabs(struct screen *s, struct canvas *c, unsigned int row)
{
	unsigned int i, first = 0, width[VIEW_COUNT], sum = 0, col = 0;
	char text[64];

	for (i = 0; i < VIEW_COUNT; i++) {
		tab_text(i, text, sizeof(text));
		width[i] = text_columns(text, c->ascii);
	}
	/* hide as many first tabs as needed to show the selected tab and the next one */
	for (i = 0; i < VIEW_COUNT && i <= s->view + 1; i++)
		sum += width[i];
	while (sum + 2 > c->cols && first < s->view)
		sum -= width[first++];
	memset(s->tab_width, 0, sizeof(s->tab_width));
	if (first)
		col += canvas_put(c, row, col, 1, ROLE_DIM, c->ascii ? "<" : "\u25c2");
	for (i = first; i < VIEW_COUNT; i++) {
		if (col + width[i] + (i + 1 < VIEW_COUNT) > c->cols)
			break;
		tab_text(i, text, sizeof(text));
		s->tab_col[i] = col;
		s->tab_width[i] = width[i];
		col += canvas_put(c, row, col, width[i],
				  i == s->view ? ROLE_TAB_CHOSEN : ROLE_TAB, text);
	}
	if (i < VIEW_COUNT)
		canvas_put(c, row, c->cols - 1, 1, ROLE_DIM, c->ascii ? ">" : "\u25b8");
}

/* ---- conditions that limit the list */

static bool has_conditions(const struct screen *s)
{
	return s->paused || s->has_pid || s->views[s->view].filter_text ||
	       (s->only_matches && *s->search);
}

static void draw_conditions(struct screen *s, struct canvas *c, unsigned int row)
{
	struct pen pen = pen_at(c, row, 0);

	if (s->paused)
		pen_put(&pen, ROLE_WARN, s->at_end ? "AT THE END  " : "PAUSED  ");
	if (s->has_pid) {
		pen_put(&pen, ROLE_TITLE, "process ");
		pen_printf(&pen, ROLE_VALUE, "%llu  ", (unsigned long long)s->pid);
	}
	if (s->only_matches && *s->search) {
		pen_put(&pen, ROLE_TITLE, "only rows with ");
		pen_printf(&pen, ROLE_VALUE, "%s  ", s->search);
	}
	if (s->views[s->view].filter_text) {
		pen_put(&pen, ROLE_TITLE, "filter ");
		pen_put(&pen, ROLE_VALUE, s->views[s->view].filter_text);
	}
}

static void draw_replay(struct screen *s, struct canvas *c, unsigned int row)
{
	unsigned int frames = model_frames(s->model), frame = model_frame(s->model), width, done;
	uint64_t first = 0, last = 0, now = model_realtime(s->model);
	struct pen pen = pen_at(c, row, 0);

	model_frame_times(s->model, &first, &last);
	pen_put(&pen, ROLE_TITLE, "recording ");
	pen_printf(&pen, ROLE_VALUE, "#%u of %u  %.1f s of %.1f s ", frame, frames ? frames - 1 : 0,
		   now > first ? (now - first) / 1e9 : 0, last > first ? (last - first) / 1e9 : 0);
	if (pen.col + 12 > c->cols)
		return;
	width = c->cols - pen.col - 2;
	done = frames > 1 ? (unsigned long long)frame * width / (frames - 1) : width;
	canvas_fill(c, row, pen.col, 1, ROLE_BORDER, L'[');
	canvas_fill(c, row, pen.col + 1, done, ROLE_GOOD, c->ascii ? L'=' : L'\u2501');
	canvas_fill(c, row, pen.col + 1 + width, 1, ROLE_BORDER, L']');
}

static bool draw_message(struct screen *s, struct canvas *c, unsigned int row)
{
	static const enum role roles[] = { ROLE_DIM, ROLE_WARN, ROLE_BAD };
	const struct message *messages, *worst = NULL;
	size_t count = model_messages(s->model, &messages), i;
	struct pen pen = pen_at(c, row, 0);

	if (*s->notice) {
		pen_put(&pen, roles[s->notice_severity], s->notice);
		return true;
	}
	for (i = 0; i < count; i++)
		if (!worst || messages[i].severity > worst->severity)
			worst = &messages[i];
	if (!worst)
		return false;
	if (count > 1)
		pen_printf(&pen, roles[worst->severity], "[1 of %zu: m] ", count);
	if (worst->dev && *worst->dev)
		pen_printf(&pen, roles[worst->severity], "%s: ", worst->dev);
	pen_put(&pen, roles[worst->severity], worst->text);
	return true;
}

unsigned int header_draw(struct screen *s, struct canvas *c)
{
	/* on a small terminal the table gets all the space */
	bool room = c->rows >= 14;
	unsigned int row = 0;

	if (room && s->settings.on[SWITCH_header]) {
		draw_counts(s, c, row++);
		draw_rates(s, c, row++);
	}
	if (model_replaying(s->model))
		draw_replay(s, c, row++);
	s->tabs_row = UINT_MAX;
	if (room && s->settings.on[SWITCH_tabs]) {
		s->tabs_row = row;
		draw_tabs(s, c, row++);
	}
	if (has_conditions(s))
		draw_conditions(s, c, row++);
	if (draw_message(s, c, row))
		row++;
	return row;
}

void key_bar_draw(struct screen *s, struct canvas *c, unsigned int row)
{
	enum command command;
	unsigned int n = 0, extra, col = 0;

	for (command = COMMAND_NONE + 1; command < COMMAND_COUNT; command++)
		n += *command_get(command)->label != '\0';
	/* "F10" and six letters each; distribute the rest to labels, up to 10 letters */
	extra = n && c->cols / n > 8 ? c->cols / n - 8 : 0;
	if (extra > 4)
		extra = 4;
	memset(s->bar_width, 0, sizeof(s->bar_width));
	s->bar_row = row;
	for (command = COMMAND_NONE + 1; command < COMMAND_COUNT; command++) {
		const struct command_info *info = command_get(command);
		char key[8];
		unsigned int used;

		if (!*info->label)
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(info->keys, " "), info->keys);
		s->bar_col[command] = col;
		used = canvas_put(c, row, col, c->cols - col, ROLE_BAR_KEY, key);
		canvas_fill(c, row, col + used, 6 + extra, ROLE_BAR_LABEL, L' ');
		canvas_put(c, row, col + used, 6 + extra, ROLE_BAR_LABEL, info->label);
		s->bar_width[command] = used + 6 + extra;
		col += s->bar_width[command];
		if (col >= c->cols)
			return;
	}
	canvas_fill(c, row, col, c->cols - col, ROLE_BAR_LABEL, L' ');
}
