// SPDX-License-Identifier: GPL-2.0-only
/* Input lines at the bottom of the screen, and questions. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/state.h"
#include "lib/cli.h"

static const char *const labels[] = {
	[PROMPT_SEARCH] = "Search: ",
	[PROMPT_FILTER] = "Filter: ",
	[PROMPT_PID] = "Process id (empty: all): ",
	[PROMPT_SEEK] = "Go to (SECONDS, -SECONDS from the end, #REFRESH, HH:MM:SS): ",
	[PROMPT_DELAY] = "Seconds between refreshes: ",
	[PROMPT_RUN] = "Run: ",
};

void prompt_open(struct screen *s, enum prompt_kind kind, const char *text)
{
	struct prompt *p = &s->prompt;

	p->kind = kind;
	p->label = labels[kind];
	p->error[0] = '\0';
	p->has_place = false;
	edit_begin(&p->edit, text,
		   kind == PROMPT_SEARCH ? &s->settings.searches :
		   kind == PROMPT_FILTER ? &s->settings.filters :
					   NULL);
}

static void refuse(struct prompt *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(struct prompt *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->error, sizeof(p->error), format, args);
	va_end(args);
	p->has_place = false;
}

/* ---- handling of entered text */

static bool enter_filter(struct screen *s, const char *text)
{
	struct glass_filter_error error = {};
	struct prompt *p = &s->prompt;

	if (view_filter(s, text, &error)) {
		edit_history_add(&s->settings.filters, text);
		return true;
	}
	refuse(p, "%s", error.text);
	p->has_place = true;
	p->at = error.at;
	p->len = error.len ? error.len : 1;
	return false;
}

static bool enter_search(struct screen *s, const char *text)
{
	if (strlen(text) >= sizeof(s->search)) {
		refuse(&s->prompt, "at most %zu bytes", sizeof(s->search) - 1);
		return false;
	}
	strcpy(s->search, text);
	s->stale = s->stale || s->only_matches;
	if (!*text) {
		s->only_matches = false;
		return true;
	}
	edit_history_add(&s->settings.searches, text);
	if (s->pager.kind != PAGER_NONE)
		pager_search(s, 1, true);
	else
		view_search(s, 1, true);
	return true;
}

static bool enter_pid(struct screen *s, const char *text)
{
	char *end;
	unsigned long long pid;

	s->stale = true;
	if (!*text) {
		s->has_pid = false;
		return true;
	}
	errno = 0;
	pid = strtoull(text, &end, 10);
	if (*end || errno || text[0] < '0' || text[0] > '9') {
		refuse(&s->prompt, "%.100s: not a number", text);
		return false;
	}
	s->has_pid = true;
	s->pid = pid;
	return true;
}

static bool enter_seek(struct screen *s, const char *text, enum request *request)
{
	struct prompt *p = &s->prompt;
	unsigned int frame;

	p->has_place = false;
	if (!model_frames(s->model)) {
		refuse(p, "the recording is empty");
		return false;
	}
	if (!seek_parse(s->model, text, &frame, p->error, sizeof(p->error)))
		return false;
	if (!model_seek(s->model, frame))
		screen_notice(s, SEVERITY_ERROR, "the recording cannot be read there");
	s->paused = true;
	s->at_end = false;
	*request = REQUEST_SHOW;
	return true;
}

static bool enter_delay(struct screen *s, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.001 && seconds <= DELAY_MAX_MS / 1000)) {
		refuse(&s->prompt, "%.100s: seconds between 0.001 and %d", text, DELAY_MAX_MS / 1000);
		return false;
	}
	s->settings.delay_ms = seconds * 1000 + 0.5;
	s->settings_changed = true;
	return true;
}

static bool enter(struct screen *s, enum request *request)
{
	char text[EDIT_MAX * 4 + 1];

	edit_text(&s->prompt.edit, text, sizeof(text));
	switch (s->prompt.kind) {
	case PROMPT_SEARCH:
		return enter_search(s, text);
	case PROMPT_FILTER:
		return enter_filter(s, text);
	case PROMPT_PID:
		return enter_pid(s, text);
	case PROMPT_SEEK:
		return enter_seek(s, text, request);
	case PROMPT_DELAY:
		return enter_delay(s, text);
	case PROMPT_RUN:
		snprintf(s->run_command, sizeof(s->run_command), "%s", text);
		if (*text)
			*request = REQUEST_RUN;
		return true;
	case PROMPT_NONE:
		break;
	}
	return true;
}

void prompt_key(struct screen *s, int key, enum request *request)
{
	struct prompt *p = &s->prompt;

	if (key == TOP_KEY_ESCAPE) {
		p->kind = PROMPT_NONE;
	} else if (key == TOP_KEY_F10) {
		*request = REQUEST_QUIT;
	} else if (key == TOP_KEY_ENTER) {
		if (enter(s, request))
			p->kind = PROMPT_NONE;
	} else if (edit_key(&p->edit, key)) {
		p->error[0] = '\0';
		p->has_place = false;
	}
}

/* ---- questions */

void question_close(struct screen *s)
{
	if (s->question.open)
		close(s->question.pidfd);
	s->question.open = false;
}

void question_kill(struct screen *s, int signal)
{
	struct question *q = &s->question;
	char comm[64], now[64];
	uint64_t pid;
	int fd;

	if (!object_pid(s, &pid, comm, sizeof(comm)))
		return;
	errno = ESRCH;
	fd = pid <= INT32_MAX ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
	if (fd < 0) {
		screen_notice(s, SEVERITY_ERROR, "process %llu: %s", (unsigned long long)pid,
			      strerror(errno));
		return;
	}
	question_close(s);
	*q = (struct question){ .open = true, .signal = signal, .pidfd = fd, .pid = pid };
	/*
	 * The answers come first, because the rest may be cut. The process may have another name than
	 * it had when it created the object.
	 */
	if (process_name(pid, now, sizeof(now)) && strcmp(now, comm))
		snprintf(q->text, sizeof(q->text), "Send SIG%s to %llu %s? [y/N] (made the object as %s)",
			 sigabbrev_np(signal), (unsigned long long)pid, now, comm);
	else
		snprintf(q->text, sizeof(q->text), "Send SIG%s to %llu %s? [y/N]",
			 sigabbrev_np(signal), (unsigned long long)pid, comm);
}

void question_key(struct screen *s, int key)
{
	struct question *q = &s->question;
	int err = 0;

	if (key != 'y' && key != 'Y') {
		question_close(s);
		screen_notice(s, SEVERITY_NOTE, "not sent");
		return;
	}
	if (syscall(SYS_pidfd_send_signal, q->pidfd, q->signal, NULL, 0) < 0)
		err = errno;
	question_close(s);
	if (err)
		screen_notice(s, SEVERITY_ERROR, "SIG%s to process %llu: %s", sigabbrev_np(q->signal),
			      (unsigned long long)q->pid, strerror(err));
	else
		screen_notice(s, SEVERITY_NOTE, "SIG%s sent to process %llu",
			      sigabbrev_np(q->signal), (unsigned long long)q->pid);
}

/* ---- drawing */

/* Marks the place of an error below the text. */
static void draw_place(struct prompt *p, struct canvas *c, unsigned int row, unsigned int col,
		       unsigned int skipped)
{
	unsigned int from = edit_column(&p->edit, p->at);
	unsigned int to = edit_column(&p->edit, p->at + p->len);

	if (to <= from)
		to = from + 1;
	from = from > skipped ? from - skipped : 0;
	to = to > skipped ? to - skipped : 1;
	canvas_fill(c, row, col + from, to - from, ROLE_BAD, L'^');
}

unsigned int prompt_draw(struct screen *s, struct canvas *c)
{
	struct prompt *p = &s->prompt;
	unsigned int rows = 1, row, i, col, skipped;

	if (s->question.open) {
		canvas_fill(c, c->rows - 1, 0, c->cols, ROLE_WARN, L' ');
		c->cursor_row = c->rows - 1;
		c->cursor_col = canvas_put(c, c->rows - 1, 0, c->cols - 1, ROLE_WARN, s->question.text);
		return 1;
	}
	if (p->kind == PROMPT_NONE)
		return 0;
	if (*p->error)
		rows += 1 + p->has_place;
	row = c->rows - rows;
	for (i = 0; i < rows; i++)
		canvas_fill(c, row + i, 0, c->cols, ROLE_TEXT, L' ');
	col = canvas_put(c, row, 0, c->cols / 2, ROLE_TITLE, p->label);
	skipped = edit_draw(&p->edit, c, row, col, c->cols - col);
	if (p->has_place)
		draw_place(p, c, row + 1, col, skipped);
	if (*p->error)
		canvas_put(c, c->rows - 1, 0, c->cols, ROLE_BAD, p->error);
	return rows;
}
