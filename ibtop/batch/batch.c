// SPDX-License-Identifier: GPL-2.0-only
/* ibtop -b: writes each refresh as text. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ibtop/batch/batch.h"
#include "ibtop/record/record.h"
#include "ibtop/refresh/refresh.h"
#include "lib/cli.h"
#include "lib/printable.h"

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	stop = signal;
}

struct batch {
	struct model *m;
	const struct options *options;
	struct batch_view views[VIEW_COUNT];
	size_t count;
	struct format format;
	bool first; /* no output yet */
	char *told; /* messages of the previous refresh, each between two newlines */
};

/* ---- what to show */

static bool add_view(struct batch *b, const struct view *view)
{
	const struct options *o = b->options;
	struct batch_view *v = &b->views[b->count];
	struct glass_filter_error error;
	const char *columns = o->columns;
	char text[200];
	int n;

	if (b->count == VIEW_COUNT)
		return false;
	v->view = view;
	v->query.view = view->id;
	v->query.search = o->search;
	v->query.has_pid = o->has_pid;
	v->query.pid = o->pid;
	/* by default, programs get all columns, and people get those that fit on a line */
	if (!columns)
		columns = o->output == OUTPUT_TEXT ? "" : "all";
	n = columns_parse(view, columns, v->columns, COLUMNS_MAX, text, sizeof(text));
	if (n < 0) {
		cli_error("--columns: %s", text);
		return false;
	}
	v->num_columns = n;
	if (!query_sort(view, o->sort ? o->sort : view->sorted, &v->query.sort,
			&v->query.reverse)) {
		cli_error("--sort: the view %s has no column %s", view->name, o->sort);
		return false;
	}
	if (o->filter) {
		v->filter = query_filter(view, o->filter, &error);
		if (!v->filter) {
			glass_filter_explain(stderr, program_invocation_short_name, o->filter,
					     &error);
			return false;
		}
		v->query.filter = v->filter;
	}
	model_want(b->m, view->id);
	b->count++;
	return true;
}

/* Reads what the view of the object needs that --detail names. Returns false if it names none. */
static bool want_detail(struct batch *b)
{
	const char *text = b->options->detail, *object;
	const struct view *view = text ? view_named(text, &object) : NULL;

	if (view)
		model_want(b->m, view->id);
	else if (text)
		cli_error("--detail: '%.60s' does not name an object; write, for example, \"qp glass0:0x11\"",
			  text);
	return view || !text;
}

static bool add_views(struct batch *b)
{
	const char *names = b->options->view;
	const struct view *view;
	char name[64], text[200];
	size_t len, i;

	if (!names)
		names = b->options->output == OUTPUT_OPENMETRICS ? "device,port,qp,cq,srq"
								 : "process";
	if (!strcmp(names, "all")) {
		for (i = 0; i < VIEW_COUNT; i++)
			if (i != VIEW_TREE && i != VIEW_LEAK && !add_view(b, view_get(i)))
				return false;
		return true;
	}
	do {
		len = strcspn(names, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		view = view_find(name);
		if (!view) {
			view_explain(name, text, sizeof(text));
			cli_error("--view: %s", text);
			return false;
		}
		for (i = 0; i < b->count && b->views[i].view != view; i++)
			;
		if (i == b->count && !add_view(b, view))
			return false;
		names += len;
	} while (*names++ == ',' && *names);
	return true;
}

/* ---- text */

static size_t put_branches(const struct item *item, bool ascii, char *text, size_t size)
{
	size_t used = 0;
	unsigned int d;

	*text = 0;
	for (d = 1; d < item->depth; d++)
		used += snprintf(text + used, size - used, "%s",
				 !(item->lines >> d & 1) ? "   "
				 : ascii		 ? "|  "
							 : "│  ");
	if (item->depth)
		used += snprintf(text + used, size - used, "%s",
				 item->last ? (ascii ? "`- " : "└─ ") : (ascii ? "|- " : "├─ "));
	return used;
}

static void item_text(const struct batch *b, const struct batch_view *v, const struct item *item,
		      const struct column *c, char *text, size_t size)
{
	struct cell cell = row_cell(b->m, item->row, c);
	float history[HISTORY];
	size_t n, used = 0;

	if (v->view->id == VIEW_TREE && c->index == COL_TREE_object)
		used = put_branches(item, b->format.ascii, text, size);
	if (cell.state == CELL_VALUE && c->unit == UNIT_spark) {
		n = row_history(b->m, item->row, c, history, 16);
		spark_text(history, n, 0, &b->format, text, size);
		return;
	}
	if (c->unit == UNIT_mark && cell.state != CELL_VALUE) {
		snprintf(text, size, " ");
		return;
	}
	cell_text(&cell, &b->format, text + used, size - used);
	/* a terminal that is not in UTF-8 may take its bytes as control characters */
	if (b->format.ascii)
		printable_ascii(text);
}

/* Counts characters, not bytes. */
static unsigned int width_of(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Returns the length without trailing blanks, which an empty sparkline consists of. */
static size_t trimmed(const char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

static void put_padded(const char *text, unsigned int width, bool right, bool last)
{
	int pad = width - width_of(text);

	if (right)
		printf("%*s%s", pad > 0 ? pad : 0, "", text);
	else if (!last)
		printf("%s%*s", text, pad > 0 ? pad : 0, "");
	else
		printf("%.*s", (int)trimmed(text), text);
	fputs(last ? "\n" : "  ", stdout);
}

static void put_text(const struct batch *b, const struct batch_view *v)
{
	unsigned int width[COLUMNS_MAX], c;
	time_t seconds = model_realtime(b->m) / 1000000000;
	char text[600], when[64];
	struct tm tm;
	size_t i;

	localtime_r(&seconds, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	printf("%s  %s: %zu", when, v->view->title, v->list.count);
	if (model_refreshes(b->m) > 1)
		printf("  (rates over %.1f s)", model_interval(b->m) / 1e9);
	if (view_missing(b->m, v->view->id))
		printf("  n/a: %s", view_missing(b->m, v->view->id));
	putchar('\n');
	if (!v->list.count)
		return;
	for (c = 0; c < v->num_columns; c++) {
		width[c] = width_of(v->columns[c]->title);
		for (i = 0; i < v->list.count; i++) {
			item_text(b, v, &v->list.items[i], v->columns[c], text, sizeof(text));
			if (width_of(text) > width[c])
				width[c] = width_of(text);
		}
	}
	for (c = 0; c < v->num_columns; c++)
		put_padded(v->columns[c]->title, width[c], v->columns[c]->right,
			   c + 1 == v->num_columns);
	for (i = 0; i < v->list.count; i++) {
		for (c = 0; c < v->num_columns; c++) {
			item_text(b, v, &v->list.items[i], v->columns[c], text, sizeof(text));
			put_padded(text, width[c], v->columns[c]->right, c + 1 == v->num_columns);
		}
	}
}

/* ---- messages: on standard error, once while they persist */

static void tell_messages(struct batch *b)
{
	const struct message *msgs;
	size_t n = model_messages(b->m, &msgs), i, size = 0;
	char line[800], *now = NULL;
	FILE *to = open_memstream(&now, &size);

	if (!to)
		return;
	for (i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "\n%s%s%s\n", msgs[i].dev ? msgs[i].dev : "",
			 msgs[i].dev ? ": " : "", msgs[i].text);
		fputs(line, to);
		if (!b->told || !strstr(b->told, line)) {
			line[strlen(line) - 1] = 0;
			cli_error("%s", line + 1);
		}
	}
	fclose(to);
	free(b->told);
	b->told = now;
}

/* ---- the loop */

static bool show(struct batch *b)
{
	size_t i;

	for (i = 0; i < b->count; i++) {
		if (!model_list(b->m, &b->views[i].query, &b->views[i].list)) {
			cli_error("no memory for the rows of view %s", b->views[i].view->name);
			return false;
		}
	}
	if (b->options->detail)
		return batch_detail(stdout, b->m, b->options->detail,
				    b->options->output == OUTPUT_JSON) &&
		       !fflush(stdout);
	switch (b->options->output) {
	case OUTPUT_JSON:
		batch_json(stdout, b->m, b->views, b->count);
		break;
	case OUTPUT_CSV:
		batch_csv(stdout, b->m, &b->views[0], b->first);
		break;
	case OUTPUT_OPENMETRICS:
		batch_openmetrics(stdout, b->m, b->views, b->count);
		break;
	case OUTPUT_TEXT:
		for (i = 0; i < b->count; i++) {
			if (!b->first || i)
				putchar('\n');
			put_text(b, &b->views[i]);
		}
	}
	b->first = false;
	if (fflush(stdout) || ferror(stdout)) {
		cli_error("standard output: %s", strerror(errno));
		return false;
	}
	return true;
}

/* Did all devices that the command line names exist at the end? */
static bool devices_were_there(const struct model *m)
{
	const struct message *msgs;
	size_t n = model_messages(m, &msgs), i;

	for (i = 0; i < n; i++)
		if (msgs[i].severity == SEVERITY_ERROR && !msgs[i].dev &&
		    strstr(msgs[i].text, "no such device"))
			return false;
	return true;
}

static void sleep_ms(unsigned int ms)
{
	/* a signal ends the sleep */
	if (ms && !stop)
		poll(NULL, 0, ms);
}

static int run(struct batch *b)
{
	unsigned int done = 0;

	while (!stop) {
		/* with --seek, the model already has the first snapshot to show */
		if (!(b->options->seek && model_refreshes(b->m) && !done) && !model_refresh(b->m))
			break;
		if (b->options->output != OUTPUT_JSON)
			tell_messages(b);
		if (!show(b))
			return CLI_FAILED;
		if (++done == b->options->iterations)
			break;
		if (!model_replaying(b->m))
			sleep_ms(model_wait_ms(b->m));
	}
	return record_failed(b->m) || !devices_were_there(b->m) ? CLI_FAILED : CLI_OK;
}

int batch_run(struct model *m, const struct options *options)
{
	struct batch b = { .m = m,
			   .options = options,
			   .first = true,
			   .format = { .style = STYLE_HUMAN, .ascii = options->ascii } };
	struct sigaction sa = { .sa_handler = on_signal };
	int status;
	size_t i;

	if (!add_views(&b) || !want_detail(&b)) {
		status = CLI_USAGE;
	} else if (options->output == OUTPUT_CSV && b.count > 1) {
		cli_error("--csv has the rows of one view: name one with --view");
		status = CLI_USAGE;
	} else {
		sigaction(SIGINT, &sa, NULL);
		sigaction(SIGTERM, &sa, NULL);
		status = run(&b);
	}
	for (i = 0; i < VIEW_COUNT; i++) {
		glass_filter_free(b.views[i].filter);
		list_free(&b.views[i].list);
	}
	free(b.told);
	return status;
}
