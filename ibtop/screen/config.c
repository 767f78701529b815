// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ibtop/screen/config.h"

#define LINE_BYTES 8192
#define FILE_BYTES (256 * 1024)

#define SWITCH_INFO(name, on, meaning) { #name, meaning },
static const struct switch_info switches[SWITCH_COUNT] = { TOP_SWITCHES(SWITCH_INFO) };
#define SWITCH_FIRST(name, on, meaning) on,
static const bool switched[SWITCH_COUNT] = { TOP_SWITCHES(SWITCH_FIRST) };

const struct switch_info *switch_get(unsigned int i)
{
	return &switches[i];
}

void settings_default_view(struct settings *s, enum view_id id)
{
	struct view_settings *v = &s->views[id];
	const struct view *view = view_get(id);
	char error[200];
	int n = columns_parse(view, view->shown, v->columns, COLUMNS_MAX, error, sizeof(error));

	v->num_columns = n > 0 ? n : 0;
	v->sort = NULL;
	v->reverse = false;
	if (*view->sorted)
		query_sort(view, view->sorted, &v->sort, &v->reverse);
}

void settings_init(struct settings *s)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	memcpy(s->on, switched, sizeof(s->on));
	for (i = 0; i < VIEW_COUNT; i++)
		settings_default_view(s, i);
}

void settings_free(struct settings *s)
{
	edit_history_free(&s->filters);
	edit_history_free(&s->searches);
}

bool config_path(const char *path, char *text, size_t size)
{
	const char *home = getenv("XDG_CONFIG_HOME");
	int n;

	if (path)
		n = snprintf(text, size, "%s", path);
	else if (home && *home == '/') /* XDG says to ignore a relative path */
		n = snprintf(text, size, "%s/ibtop/config", home);
	else if ((home = getenv("HOME")) && *home)
		n = snprintf(text, size, "%s/.config/ibtop/config", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

/* ---- reading */

struct reader {
	const char *path;
	unsigned int line, complaints;
	config_complain_fn complain;
	void *arg;
};

static void complain(struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct reader *r, const char *format, ...)
{
	char what[400], text[600];
	va_list args;

	if (r->complaints++ >= CONFIG_COMPLAINTS)
		return;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (r->line)
		snprintf(text, sizeof(text), "%.150s:%u: %s", r->path, r->line, what);
	else
		snprintf(text, sizeof(text), "%.150s: %s", r->path, what);
	r->complain(r->arg, text);
}

static char *trimmed(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

static void read_view_key(struct reader *r, struct settings *s, const char *key, const char *dot,
			  const char *value)
{
	const struct column *columns[COLUMNS_MAX];
	const struct view *view = NULL;
	char error[300];
	unsigned int i;
	int n;

	for (i = 0; i < VIEW_COUNT; i++)
		if (strlen(view_get(i)->name) == (size_t)(dot - key) &&
		    !strncmp(view_get(i)->name, key, dot - key))
			view = view_get(i);
	if (!view) {
		complain(r, "there is no view %.*s", (int)(dot - key > 40 ? 40 : dot - key), key);
	} else if (!strcmp(dot, ".columns")) {
		n = columns_parse(view, value, columns, COLUMNS_MAX, error, sizeof(error));
		if (n <= 0) {
			complain(r, "%s", error);
			return;
		}
		memcpy(s->views[view->id].columns, columns, n * sizeof(columns[0]));
		s->views[view->id].num_columns = n;
	} else if (!strcmp(dot, ".sort")) {
		if (!strcmp(value, "none"))
			s->views[view->id].sort = NULL;
		else if (!query_sort(view, value, &s->views[view->id].sort,
				     &s->views[view->id].reverse))
			complain(r, "%s has no column %.60s", view->name, value);
	} else {
		complain(r, "%.60s: a view has only the settings columns and sort", key);
	}
}

static void read_delay(struct reader *r, struct settings *s, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds >= 0.001 && seconds <= DELAY_MAX_MS / 1000))
		complain(r, "delay: %.40s: seconds between 0.001 and %d", value, DELAY_MAX_MS / 1000);
	else
		s->delay_ms = seconds * 1000 + 0.5;
}

/* The file has the newest entry first: append to the oldest end. */
static void read_history(struct edit_history *h, const char *value)
{
	if (*value && h->count < HISTORY_MAX && (h->lines[h->count] = strdup(value)))
		h->count++;
}

static void read_pair(struct reader *r, struct settings *s, const char *key, const char *value)
{
	const struct view *view;
	const char *dot;
	unsigned int i;

	for (i = 0; i < SWITCH_COUNT; i++) {
		if (strcmp(switches[i].name, key))
			continue;
		if (!strcmp(value, "yes") || !strcmp(value, "no"))
			s->on[i] = *value == 'y';
		else
			complain(r, "%s: %.40s: yes or no", key, value);
		return;
	}
	if (!strcmp(key, "theme")) {
		enum theme theme = theme_find(value);

		if (theme == THEME_COUNT)
			complain(r, "theme: %.40s: %s", value, theme_names());
		else
			s->theme = theme;
	} else if (!strcmp(key, "view")) {
		view = view_find(value);
		if (!view) {
			complain(r, "there is no view %.40s", value);
			return;
		}
		s->view = view->id;
		s->has_view = true;
	} else if (!strcmp(key, "delay")) {
		read_delay(r, s, value);
	} else if (!strcmp(key, "filter")) {
		read_history(&s->filters, value);
	} else if (!strcmp(key, "search")) {
		read_history(&s->searches, value);
	} else if ((dot = strchr(key, '.'))) {
		read_view_key(r, s, key, dot, value);
	} else {
		complain(r, "%.40s: there is no such setting", key);
	}
}

/*
 * Reads a line. Returns false at the end. Reports a line that is too long or has a NUL, and makes
 * *line empty.
 */
static bool read_line(struct reader *r, FILE *from, char *line, size_t size)
{
	size_t len = 0;
	bool bad = false;
	int ch;

	r->line++;
	while ((ch = getc(from)) != EOF && ch != '\n') {
		if (!ch || len + 1 >= size)
			bad = true;
		else
			line[len++] = ch;
	}
	if (ch == EOF && !len && !bad)
		return false;
	line[len] = '\0';
	if (bad) {
		complain(r, "not a line of text");
		line[0] = '\0';
	}
	return true;
}

bool config_read(struct settings *s, FILE *from, const char *path, config_complain_fn complain_fn,
		 void *arg)
{
	struct reader r = { .path = path, .complain = complain_fn, .arg = arg };
	char line[LINE_BYTES];

	while (read_line(&r, from, line, sizeof(line))) {
		char *text = trimmed(line), *equals;

		if (!*text || *text == '#')
			continue;
		equals = strchr(text, '=');
		if (!equals) {
			complain(&r, "expected KEY = VALUE");
			continue;
		}
		*equals = '\0';
		read_pair(&r, s, trimmed(text), trimmed(equals + 1));
	}
	s->filters.changed = s->searches.changed = false;
	return !r.complaints;
}

bool config_load(struct settings *s, const char *path, config_complain_fn complain_fn, void *arg)
{
	struct reader r = { .path = path, .complain = complain_fn, .arg = arg };
	/* do not block on a FIFO or a terminal */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *from;
	bool good;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return true;
	if (fd < 0 || fstat(fd, &st) < 0) {
		complain(&r, "%s", strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > FILE_BYTES) {
		complain(&r, S_ISREG(st.st_mode) ? "too long for a configuration file" : "not a regular file");
	} else if (!(from = fdopen(fd, "r"))) {
		complain(&r, "%s", strerror(errno));
	} else {
		good = config_read(s, from, path, complain_fn, arg);
		fclose(from);
		return good;
	}
	if (fd >= 0)
		close(fd);
	return false;
}

/* ---- writing */

void config_write(const struct settings *s, FILE *to)
{
	struct settings fresh;
	unsigned int i, k;

	settings_init(&fresh);
	fputs("# ibtop: written by the program; W in ibtop writes it anew\n", to);
	fprintf(to, "theme = %s\n", theme_name(s->theme));
	if (s->has_view)
		fprintf(to, "view = %s\n", view_get(s->view)->name);
	if (s->delay_ms)
		fprintf(to, "delay = %u.%03u\n", s->delay_ms / 1000, s->delay_ms % 1000);
	for (i = 0; i < SWITCH_COUNT; i++)
		fprintf(to, "%s = %s\n", switches[i].name, s->on[i] ? "yes" : "no");
	for (i = 0; i < VIEW_COUNT; i++) {
		const struct view_settings *v = &s->views[i], *f = &fresh.views[i];

		/* write only changed defaults: a later version may have better ones */
		if (v->num_columns != f->num_columns ||
		    memcmp(v->columns, f->columns, v->num_columns * sizeof(v->columns[0]))) {
			fprintf(to, "%s.columns =", view_get(i)->name);
			for (k = 0; k < v->num_columns; k++)
				fprintf(to, " %s", v->columns[k]->name);
			putc('\n', to);
		}
		if (v->sort == f->sort && (!v->sort || v->reverse == f->reverse))
			continue;
		fprintf(to, "%s.sort = %s%s\n", view_get(i)->name,
			!v->sort ? "" : v->reverse ? "-" : "+", v->sort ? v->sort->name : "none");
	}
	for (i = 0; i < s->filters.count; i++)
		fprintf(to, "filter = %s\n", s->filters.lines[i]);
	for (i = 0; i < s->searches.count; i++)
		fprintf(to, "search = %s\n", s->searches.lines[i]);
}

/* Makes the directories above a file. Ignores failures: creating the file reports them. */
static void make_directories(const char *path)
{
	char *copy = strdup(path), *slash;

	if (!copy)
		return;
	for (slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
}

bool config_save(const struct settings *s, const char *path, char *error, size_t error_size)
{
	size_t size = strlen(path) + 8;
	char *temporary = malloc(size);
	FILE *to = NULL;
	bool done = false;
	int fd = -1;

	if (temporary) {
		strcpy(stpcpy(temporary, path), ".XXXXXX");
		make_directories(path);
		fd = mkostemp(temporary, O_CLOEXEC);
	}
	if (fd >= 0 && (to = fdopen(fd, "w"))) {
		config_write(s, to);
		done = !ferror(to);
		/* fclose() writes the last bytes and may fail, too */
		done = !fclose(to) && done && !rename(temporary, path);
	}
	if (!done) {
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
		if (fd >= 0) {
			if (!to)
				close(fd);
			unlink(temporary);
		}
	}
	free(temporary);
	return done;
}
