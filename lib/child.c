// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/cli.h"

static sigset_t ours, before;
static bool adopting;
static pid_t own; /* a child that child_wait() must not reap: its owner waits for it */

void child_prepare(void)
{
	sigemptyset(&ours);
	sigaddset(&ours, SIGCHLD);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, &before);
}

/*
 * Runs in the child. If exec fails, its errno goes through the pipe; otherwise exec closes the
 * pipe.
 */
static void become(char **argv, int to, bool apart)
{
	int err, nothing;

	if (apart) {
		setpgid(0, 0);
		/* the child must not outlive a killed tool: no terminal signal reaches its group */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
		dup2(nothing, 0);
		dup2(nothing, 1);
		dup2(nothing, 2);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(to, &err, sizeof(err)) != sizeof(err))
		err = 0;
	_exit(CLI_NOT_RUN);
}

static int start(struct child *c, char **argv, bool apart)
{
	int ends[2], err = 0;
	ssize_t n;

	memset(c, 0, sizeof(*c));
	c->apart = apart;
	if (!argv)
		return CLI_OK;
	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC) || (c->pid = fork()) < 0) {
		cli_error("%s: %s", argv[0], strerror(errno));
		c->pid = 0;
		return CLI_NOT_RUN;
	}
	if (!c->pid)
		become(argv, ends[1], apart);
	close(ends[1]);
	do
		n = read(ends[0], &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	if (n != sizeof(err))
		return CLI_OK;
	waitpid(c->pid, NULL, 0);
	c->pid = 0;
	cli_error("%s: %s", argv[0], strerror(err));
	return err == ENOENT ? CLI_NOT_FOUND : CLI_NOT_RUN;
}

int child_start(struct child *c, char **argv)
{
	return start(c, argv, false);
}

int child_start_apart(struct child *c, char **argv)
{
	return start(c, argv, true);
}

void child_adopt(pid_t but)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	adopting = true;
	own = but;
}

/* Reaps adopted processes that have ended, so that they do not stay zombies. */
static void reap_adopted(const struct child *c)
{
	siginfo_t info;

	while (adopting) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid ||
		    info.si_pid == c->pid || info.si_pid == own)
			return;
		waitpid(info.si_pid, NULL, WNOHANG);
	}
}

static void look(struct child *c)
{
	int status;

	reap_adopted(c);
	if (c->ended || !c->pid || waitpid(c->pid, &status, WNOHANG) != c->pid)
		return;
	c->ended = true;
	c->killed = WIFSIGNALED(status);
	c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool child_wait(struct child *c, int milliseconds)
{
	int64_t end = now_ms() + milliseconds;

	for (;;) {
		struct timespec left = { 3600, 0 };
		int64_t ms = end - now_ms();
		siginfo_t info;
		int signal;

		look(c);
		if (c->ended || c->stopped)
			return true;
		if (milliseconds >= 0) {
			if (ms < 0)
				return false;
			left = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
		}
		signal = sigtimedwait(&ours, &info, &left);
		if (signal < 0 && errno == EAGAIN && milliseconds >= 0) {
			look(c);
			return c->ended;
		}
		if (signal <= 0 || signal == SIGCHLD)
			continue;
		if (!c->pid || c->apart)
			c->stopped = true;
		/* the terminal already sent its signals to the whole foreground group */
		else if (info.si_code != SI_KERNEL)
			kill(c->pid, signal);
	}
}

void child_end(struct child *c)
{
	bool apart = c->apart;

	if (!c->pid)
		return;
	/* from here on child_wait() forwards signals and waits for the end */
	c->apart = c->stopped = false;
	if (!c->ended) {
		kill(apart ? -c->pid : c->pid, SIGTERM);
		if (!child_wait(c, 5000))
			kill(c->pid, SIGKILL);
	}
	/* kill the rest of the process group */
	if (apart)
		kill(-c->pid, SIGKILL);
	child_wait(c, -1);
}
