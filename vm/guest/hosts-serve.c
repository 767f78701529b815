/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server of every host but the first: runs the commands that come from host 1, each in a session of its own. It is the command
 * of this guest's agent, and ends when vm/vm says "end" on the port "power".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosts.h"

#define LOOK_MS 200		/* as in the hub */

struct command {
	struct command *next;
	uint32_t session;
	pid_t pid;
	int in;			/* -1: closed */
	int out[2];		/* standard output and error; -1: closed */
	struct buffer input;	/* for the command, not written yet */
	bool input_ends;
	int unconfirmed;	/* bytes on the way to `on` */
	bool ended, gone;	/* the command has ended; its `on` has gone */
	int status;
	int left[2];		/* bytes that were in the pipes when it ended, and are to be sent */
};

static struct command *commands;
static struct stream hub;

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void send_exit(uint32_t session, int status)
{
	stream_send(&hub, (struct frame){ .type = EXIT, .session = session, .number = status }, NULL);
}

static void send_text(uint32_t session, enum frame_type type, const char *text)
{
	stream_send(&hub, (struct frame){ .type = type, .session = session, .length = strlen(text) }, text);
}

static char **split_arguments(const char *payload, size_t length)
{
	char *data = malloc(length + 1), **argv, *p;
	size_t n = 0, i;

	if (!data)
		return NULL;
	memcpy(data, payload, length);
	data[length] = 0;
	for (i = 0; i < length; i++)
		n += !data[i];
	argv = calloc(n + 1, sizeof(*argv));
	for (i = 0, p = data; argv && i < n; i++, p += strlen(p) + 1)
		argv[i] = p;
	return argv;
}

/* In the child. What keeps the command from being executed is written to report. */
static void exec_command(char **argv, int in, int out, int err, int report)
{
	sigset_t none;
	int error;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	oom_protect(false);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	execvp(argv[0], argv);
	error = errno;
	dprintf(report, "%s: %s\n", argv[0], error == ENOENT ? "command not found" : strerror(error));
	_exit(error == ENOENT ? 127 : 126);
}

/* A pipe whose ends the commands do not inherit; the server's end, 0 or 1, never blocks it. */
static bool make_pipe(int fds[2], int ours)
{
	if (pipe2(fds, O_CLOEXEC))
		return false;
	fcntl(fds[ours], F_SETFL, O_NONBLOCK);
	return true;
}

/*
 * A command that stays when its `on` has gone. It prints its process id; or, if it cannot be executed, why. The pipe ends either by
 * execve() or with a message.
 */
static void run_in_background(uint32_t session, char **argv)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fds[2], status = 0;
	char text[512];
	ssize_t n;
	pid_t pid;

	if (null < 0 || pipe2(fds, O_CLOEXEC)) {
		close_fd(&null);
		send_exit(session, 126);
		return;
	}
	pid = fork();
	if (!pid)
		exec_command(argv, null, null, null, fds[1]);
	close(fds[1]);
	n = read(fds[0], text, sizeof(text) - 1);
	close(fds[0]);
	close(null);
	if (pid < 0 || n > 0) {
		text[n > 0 ? n : 0] = 0;
		if (pid > 0 && waitpid(pid, &status, 0) == pid)
			status = WEXITSTATUS(status);
		send_text(session, ERRORS, pid < 0 ? "fork failed\n" : text);
		send_exit(session, status ? status : 126);
		return;
	}
	snprintf(text, sizeof(text), "%d\n", pid);
	send_text(session, OUTPUT, text);
	send_exit(session, 0);
}

static void run(uint32_t session, char **argv, bool input)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
	struct command *c = calloc(1, sizeof(*c));
	bool ok = c && argv && argv[0] && make_pipe(out, 0) && make_pipe(err, 0);

	if (ok && input) {
		ok = make_pipe(in, 1);
	} else if (ok) {
		in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		ok = in[0] >= 0;
	}
	if (ok) {
		c->pid = fork();
		if (!c->pid)
			exec_command(argv, in[0], out[1], err[1], err[1]);
		ok = c->pid > 0;
	}
	close_fd(&in[0]);
	close_fd(&out[1]);
	close_fd(&err[1]);
	if (!ok) {
		send_text(session, ERRORS, "on: the host cannot start the command: out of memory, processes or descriptors\n");
		send_exit(session, STATUS_LOST);
		close_fd(&in[1]);
		close_fd(&out[0]);
		close_fd(&err[0]);
		free(c);
		return;
	}
	c->session = session;
	c->in = in[1];
	c->out[0] = out[0];
	c->out[1] = err[0];
	c->next = commands;
	commands = c;
}

static void signal_command(const struct command *c, int number)
{
	if (!c->ended && kill(-c->pid, number))
		kill(c->pid, number);	/* has no session yet */
}

static void read_hub(void)
{
	const char *payload;
	struct command *c;
	struct frame f;

	while (stream_next(&hub, &f, &payload)) {
		if (f.type == RUN || f.type == RUN_INPUT || f.type == RUN_BACKGROUND) {
			char **argv = split_arguments(payload, f.length);

			if (f.type == RUN_BACKGROUND && argv && argv[0])
				run_in_background(f.session, argv);
			else
				run(f.session, argv, f.type == RUN_INPUT);
			if (argv)
				free(argv[0]);
			free(argv);
			continue;
		}
		for (c = commands; c && c->session != f.session; c = c->next)
			;
		if (!c)
			continue;
		if (f.type == INPUT && c->in >= 0) {
			buffer_put(&c->input, payload, f.length);
		} else if (f.type == INPUT) {
			stream_send(&hub, (struct frame){ .type = TAKEN, .session = c->session, .number = f.length }, NULL);
		} else if (f.type == INPUT_END) {
			c->input_ends = true;
		} else if (f.type == SIGNAL) {
			signal_command(c, f.number);
		} else if (f.type == TAKEN) {
			c->unconfirmed -= f.number;
		} else if (f.type == GONE) {
			signal_command(c, SIGKILL);
			c->gone = true;
		}
	}
}

/* What the command reads. It need not read all. */
static void give_input(struct command *c)
{
	if (buffer_used(&c->input)) {
		ssize_t n = write(c->in, c->input.data + c->input.from, buffer_used(&c->input));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			n = buffer_used(&c->input);
			close_fd(&c->in);
		}
		buffer_take(&c->input, n);
		stream_send(&hub, (struct frame){ .type = TAKEN, .session = c->session, .number = n }, NULL);
	}
	if (c->input_ends && !buffer_used(&c->input))
		close_fd(&c->in);
}

/*
 * Of one that has ended: what was in the pipe then is all, as in the agent; what processes it left behind print later goes nowhere.
 */
static void take_output(struct command *c, int which)
{
	char data[CHUNK];
	size_t most = WINDOW - c->unconfirmed;
	ssize_t n;

	if (most > sizeof(data))
		most = sizeof(data);
	if (c->ended && most > (size_t)c->left[which])
		most = c->left[which];
	n = read(c->out[which], data, most);
	if (n > 0) {
		c->unconfirmed += n;
		c->left[which] -= c->ended ? n : 0;
		stream_send(&hub, (struct frame){ .type = which ? ERRORS : OUTPUT, .session = c->session, .length = n }, data);
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		close_fd(&c->out[which]);
		c->left[which] = 0;
	}
}

static void reap(void)
{
	struct command *c;
	int status, i;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (c = commands; c && (c->pid != pid || c->ended); c = c->next)
			;
		if (!c)
			continue;
		c->ended = true;
		c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		for (i = 0; i < 2; i++)
			if (c->out[i] < 0 || ioctl(c->out[i], FIONREAD, &c->left[i]))
				c->left[i] = 0;
	}
}

static void free_ended(void)
{
	struct command **at = &commands, *c;

	while ((c = *at)) {
		if (!c->ended || (!c->gone && (c->left[0] || c->left[1]))) {
			at = &c->next;
			continue;
		}
		if (!c->gone)
			send_exit(c->session, c->status);
		*at = c->next;
		close_fd(&c->in);
		close_fd(&c->out[0]);
		close_fd(&c->out[1]);
		buffer_free(&c->input);
		free(c);
	}
}

/* Does vm/vm say that this is the end? */
static bool told_to_end(int power)
{
	char text[64];
	ssize_t n = read(power, text, sizeof(text) - 1);

	return n > 0 && memmem(text, n, "end", 3);
}

static void turn_commands(struct pollfd *p)
{
	struct command *c;
	int i;

	for (c = commands; c; c = c->next, p += 3) {
		if (p[2].revents)
			give_input(c);
		for (i = 0; i < 2; i++)
			if (p[i].revents)
				take_output(c, i);
	}
}

int serve_main(void)
{
	struct signalfd_siginfo signal_info;
	int power = open_port("power"), children, i;
	bool connected = false;
	struct command *c;
	sigset_t set;

	hub.fd = open_port("host1");
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	children = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	oom_protect(true);

	for (;;) {
		struct pollfd *fds;
		size_t n = 3;

		if (!connected && port_connected(hub.fd)) {
			connected = true;
			stream_send(&hub, (struct frame){ .type = HELLO }, NULL);
		}
		if (connected && !stream_write(&hub))
			return 1;
		for (c = commands; c; c = c->next)
			n += 3;
		fds = calloc(n, sizeof(*fds));
		if (!fds)
			return 1;
		fds[0] = (struct pollfd){ power, POLLIN, 0 };
		fds[1] = (struct pollfd){ children, POLLIN, 0 };
		fds[2] = (struct pollfd){ connected ? hub.fd : -1, POLLIN | (buffer_used(&hub.out) ? POLLOUT : 0), 0 };
		for (c = commands, n = 3; c; c = c->next) {
			/* one that has ended has nothing new to say */
			for (i = 0; i < 2; i++, n++)
				fds[n] = (struct pollfd){ c->unconfirmed < WINDOW && (!c->ended || c->left[i]) ? c->out[i] : -1, POLLIN, 0 };
			fds[n++] = (struct pollfd){ buffer_used(&c->input) || c->input_ends ? c->in : -1, POLLOUT, 0 };
		}
		if (poll(fds, n, connected ? -1 : LOOK_MS) < 0) {
			free(fds);
			continue;
		}
		if (fds[0].revents && told_to_end(power))
			return 0;
		/* before the new ones, which are not in this array */
		turn_commands(&fds[3]);
		if (fds[1].revents) {
			while (read(children, &signal_info, sizeof(signal_info)) > 0)
				;
			reap();
		}
		if (fds[2].revents & POLLHUP || (fds[2].revents & POLLIN && !stream_read(&hub))) {
			/* Host 1 has gone. It is booted once more if it had not got far. */
			connected = false;
			stream_reset(&hub);
			for (c = commands; c; c = c->next) {
				signal_command(c, SIGKILL);
				c->gone = true;
			}
		} else {
			read_hub();
		}
		free(fds);
		free_ended();
	}
}
