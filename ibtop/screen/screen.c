// SPDX-License-Identifier: GPL-2.0-only
/* The main loop: waits for keys, signals and the next refresh. */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ibtop/record/record.h"
#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/screen.h"
#include "ibtop/screen/state.h"
#include "ibtop/screen/term.h"
#include "lib/cli.h"

struct loop {
	struct screen screen;
	struct canvas canvas;
	sigset_t before; /* signal mask before */
	int signals;	 /* signalfd */
	uint64_t refreshed;	/* end of the last refresh, ms */
	unsigned int took;	/* its duration, ms */
	unsigned int shown;	/* number of refreshes shown */
	bool quit, resized, mouse;
	int status;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* ---- signals: read from a signalfd between drawings, so that they never interrupt one */

static bool signals_begin(struct loop *l)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCHLD };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaddset(&set, caught[i]);
	sigprocmask(SIG_BLOCK, &set, &l->before);
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->signals >= 0;
}

static void signals_end(struct loop *l)
{
	struct signalfd_siginfo info;

	/* discard signals that arrived during the shutdown: they were meant for the screen */
	while (l->signals >= 0 && read(l->signals, &info, sizeof(info)) == sizeof(info))
		;
	if (l->signals >= 0)
		close(l->signals);
	sigprocmask(SIG_SETMASK, &l->before, NULL);
}

static void end_by(struct loop *l, int sig)
{
	l->quit = true;
	/* Ctrl-C is a normal way to quit, like q */
	l->status = sig == SIGINT ? CLI_OK : 128 + sig;
}

static void suspend(struct loop *l)
{
	sigset_t stop;

	term_leave();
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	/* stops here until SIGCONT */
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	term_return();
	l->mouse = false;
	l->resized = true;
}

static void take_signals(struct loop *l)
{
	struct signalfd_siginfo info;

	while (!l->quit && read(l->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			l->resized = true;
		else if (info.ssi_signo == SIGTSTP)
			suspend(l);
		else if (info.ssi_signo != SIGCHLD)
			end_by(l, info.ssi_signo);
	}
}

/* ---- commands */

/* Waits until the child ends (false), or until input is readable or a signal asks to end (true). */
static bool wait_outside(struct loop *l, pid_t child, int *status, bool input)
{
	struct pollfd fds[] = { { .fd = l->signals, .events = POLLIN },
				{ .fd = input ? STDIN_FILENO : -1, .events = POLLIN } };
	struct signalfd_siginfo info;

	for (;;) {
		if (child && waitpid(child, status, WNOHANG) == child)
			return false;
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return true;
		while (read(l->signals, &info, sizeof(info)) == sizeof(info)) {
			int sig = info.ssi_signo;

			/*
			 * Ctrl-C and Ctrl-\ go to the command; while waiting for Enter they mean
			 * "go back"
			 */
			if (sig == SIGWINCH)
				l->resized = true;
			else if (sig == SIGTERM || sig == SIGHUP)
				end_by(l, sig);
			else if (input && (sig == SIGINT || sig == SIGQUIT))
				return true;
		}
		if (l->quit) {
			if (child)
				kill(child, SIGTERM);
			return true;
		}
		if (fds[1].revents)
			return true;
	}
}

static void wait_for_enter(struct loop *l)
{
	char ch;
	int none;

	for (;;) {
		wait_outside(l, 0, &none, true);
		if (l->quit || read(STDIN_FILENO, &ch, 1) != 1 || ch == '\n')
			return;
	}
}

static void run_command(struct loop *l)
{
	const char *command = l->screen.run_command;
	int status = 0;
	pid_t child;

	term_leave();
	printf("\n+ %s\n", command);
	fflush(stdout);
	child = fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &l->before, NULL);
		/* nobody could continue a stopped command */
		signal(SIGTSTP, SIG_IGN);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (child < 0)
		printf("ibtop: %s\n", strerror(errno));
	else if (!wait_outside(l, child, &status, false) && WIFSIGNALED(status))
		printf("\n[signal %d] ", WTERMSIG(status));
	else
		printf("\n[status %d] ", WEXITSTATUS(status));
	if (!l->quit) {
		printf("Enter goes back to ibtop ");
		fflush(stdout);
		wait_for_enter(l);
	}
	term_return();
	l->mouse = false;
	l->resized = true;
}

/* ---- the loop */

static void refresh_model(struct loop *l)
{
	struct screen *s = &l->screen;
	uint64_t began = now_ms();

	if (!model_refresh(s->model)) {
		s->paused = s->at_end = true;
		/* the end of a record was shown once: enough for -n */
		if (s->options->iterations)
			l->quit = true;
	} else {
		l->shown++;
	}
	screen_refreshed(s);
	l->refreshed = now_ms();
	l->took = l->refreshed - began;
}

static void take_request(struct loop *l, enum request request)
{
	switch (request) {
	case REQUEST_QUIT:
		l->quit = true;
		break;
	case REQUEST_RUN:
		run_command(l);
		break;
	case REQUEST_REFRESH:
		refresh_model(l);
		break;
	case REQUEST_SHOW:
		screen_refreshed(&l->screen);
		break;
	case REQUEST_REDRAW:
		term_forget();
		break;
	case REQUEST_NONE:
		break;
	}
}

static void take_keys(struct loop *l)
{
	struct term_event event;

	while (!l->quit && term_event(&event)) {
		if (event.is_mouse)
			take_request(l, screen_mouse(&l->screen, event.mouse, event.row, event.col));
		else
			take_request(l, screen_key(&l->screen, event.key));
	}
}

static bool draw(struct loop *l)
{
	struct screen *s = &l->screen;
	unsigned int rows, cols;

	if (s->settings.on[SWITCH_mouse] != l->mouse) {
		l->mouse = s->settings.on[SWITCH_mouse];
		term_mouse(l->mouse);
	}
	if (l->resized || !l->canvas.rows) {
		term_size(&rows, &cols);
		if (!canvas_resize(&l->canvas, rows, cols))
			return false;
		l->resized = false;
	}
	screen_draw(s, &l->canvas);
	term_show(&l->canvas, screen_theme(s));
	return true;
}

static int wait_ms(const struct loop *l)
{
	int wait = screen_wait_ms(&l->screen, l->took);
	uint64_t since = now_ms() - l->refreshed;

	if (wait < 0)
		return -1;
	return since >= (uint64_t)wait ? 0 : wait - (int)since;
}

static void loop(struct loop *l)
{
	struct pollfd fds[] = { { .fd = l->signals, .events = POLLIN },
				{ .fd = STDIN_FILENO, .events = POLLIN } };
	unsigned int iterations = l->screen.options->iterations;

	if (model_refreshes(l->screen.model)) {
		/* --seek: stay at its snapshot */
		l->screen.paused = true;
		l->shown++;
		screen_refreshed(&l->screen);
	} else {
		refresh_model(l);
	}
	while (!l->quit) {
		if (!draw(l)) {
			l->status = CLI_FAILED;
			break;
		}
		if (iterations && l->shown >= iterations)
			break;
		poll(fds, 2, wait_ms(l));
		take_signals(l);
		/* a disconnected terminal is always readable, but never has a key */
		if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
			end_by(l, SIGHUP);
		take_keys(l);
		if (!l->quit && !wait_ms(l))
			refresh_model(l);
	}
}

int screen_run(struct model *m, const struct options *options)
{
	struct loop *l = calloc(1, sizeof(*l));
	char error[PATH_MAX + 200] = "";
	int status;

	setlocale(LC_CTYPE, "");
	if (!l) {
		cli_error("not enough memory");
		return CLI_FAILED;
	}
	l->resized = true;
	if (!screen_init(&l->screen, m, options, error, sizeof(error))) {
		l->status = CLI_USAGE;
	} else if (!signals_begin(l)) {
		snprintf(error, sizeof(error), "signals: %s", strerror(errno));
		l->status = CLI_FAILED;
		signals_end(l);
	} else {
		if (term_begin(options->color, error, sizeof(error))) {
			l->screen.color = term_has_color();
			loop(l);
			term_end();
			screen_save_at_quit(&l->screen, error, sizeof(error));
			if (l->status == CLI_OK && record_failed(m))
				l->status = CLI_FAILED;
		} else {
			l->status = CLI_FAILED;
		}
		signals_end(l);
	}
	if (*error)
		cli_error("%s", error);
	screen_free(&l->screen);
	canvas_free(&l->canvas);
	status = l->status;
	free(l);
	return status;
}
