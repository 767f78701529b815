/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's last init: runs one command and reports to the host.
 *
 *   agent run ARGVFILE ENVFILE    standard output and error go to the virtio ports out and err, input is /dev/null
 *   agent tty ARGVFILE ENVFILE    the command gets the terminal /dev/hvc0
 *
 * ARGVFILE holds the arguments, ENVFILE what is added to the environment (NAME=VALUE), each ended by a NUL byte. Port ctl carries "ready", then "exit STATUS" to the host (and
 * before that "loading", from init), and "size ROWS COLUMNS" from it. We are process 1: orphans come to us to be reaped, and we must not return.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PORT_CTL "/run/glass/port-ctl"
#define PORT_OUT "/run/glass/port-out"
#define PORT_ERR "/run/glass/port-err"
#define TERMINAL "/dev/hvc0"
#define KMEMLEAK "/sys/kernel/debug/kmemleak"
#define LEAKS "/run/glass/leaks"

static int ctl = -1;

static void write_all(int fd, const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(fd, buf, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;		/* the host has gone, nobody to tell */
		buf += n;
		len -= n;
	}
}

static void tell(const char *format, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	write_all(ctl, line, strlen(line));
}

static void fail(const char *what)
{
	tell("fail agent: %s: %s\n", what, strerror(errno));
	for (;;)
		pause();
}

struct pump {
	int from;		/* pipe from the command */
	int to;			/* virtio port */
	int done;		/* eventfd: the command has ended, take what is left and stop */
	pthread_t thread;
};

/*
 * What processes left behind by the command write later is not waited for: end of file may never come, and one
 * that writes without end never leaves the pipe empty. What is in it when the command has ended is all.
 */
static void *pump(void *arg)
{
	static const int chunk = 65536;
	struct pump *p = arg;
	char *buf = malloc(chunk);
	struct pollfd fds[2] = { { p->from, POLLIN, 0 }, { p->done, POLLIN, 0 } };
	int left = -1;		/* bytes that are still taken; -1: the command runs */

	while (buf && left) {
		ssize_t n;

		if (left < 0 && poll(&fds[1], 1, 0) > 0 && ioctl(p->from, FIONREAD, &left))
			break;
		n = read(p->from, buf, left < 0 || left > chunk ? chunk : left);
		if (n > 0) {
			write_all(p->to, buf, n);
			left -= left < 0 ? 0 : n;
		} else if (n < 0 && errno == EAGAIN && left < 0) {
			poll(fds, 2, -1);
		} else if (!n || errno != EINTR) {
			break;
		}
	}
	free(buf);
	return NULL;
}

static int pump_start(struct pump *p, const char *port)
{
	int fds[2];

	p->to = open(port, O_WRONLY | O_CLOEXEC);
	if (p->to < 0)
		fail(port);
	p->done = eventfd(0, EFD_CLOEXEC);
	if (p->done < 0 || pipe2(fds, O_CLOEXEC))
		fail("pipe");
	p->from = fds[0];
	fcntl(p->from, F_SETFL, O_NONBLOCK);
	fcntl(fds[1], F_SETPIPE_SZ, 1 << 20);
	return fds[1];
}

static void pump_finish(struct pump *p)
{
	eventfd_write(p->done, 1);
	pthread_join(p->thread, NULL);
}

/* The strings of a file, each ended by a NUL byte, and NULL behind the last one. */
static char **read_strings(const char *path)
{
	char *data, **argv, *p;
	struct stat st;
	size_t n = 0, i;
	ssize_t got = 0, r;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		fail(path);
	data = malloc(st.st_size + 1);
	if (!data)
		fail("memory");
	while ((r = read(fd, data + got, st.st_size - got)) > 0)
		got += r;
	close(fd);
	for (i = 0; i < (size_t)got; i++)
		n += !data[i];
	argv = calloc(n + 1, sizeof(*argv));
	if (!argv)
		fail("memory");
	for (i = 0, p = data; i < n; i++, p += strlen(p) + 1)
		argv[i] = p;
	return argv;
}

static char **read_argv(const char *path)
{
	char **argv = read_strings(path);

	if (!argv[0]) {
		errno = EINVAL;
		fail(path);
	}
	return argv;
}

static void read_env(const char *path)
{
	char **env;

	for (env = read_strings(path); *env; env++)
		if (putenv(*env))
			fail(path);
}

/* Writes what is still in our page cache to the file system of that directory, before the guest is killed. */
static void flush(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	syncfs(fd);
	close(fd);
}

static void exec_command(char **argv)
{
	int error;

	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	error = errno;
	fprintf(stderr, "%s: %s\n", argv[0], error == ENOENT ? "command not found" : strerror(error));
	_exit(error == ENOENT ? 127 : 126);
}

static int wait_for(pid_t command)
{
	int status;

	for (;;) {
		pid_t pid = wait(&status);

		if (pid < 0 && errno != EINTR)
			fail("wait");
		if (pid == command)
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
}

static int run_piped(char **argv)
{
	struct pump out, err;
	int out_fd, err_fd, status;
	pid_t pid;

	out_fd = pump_start(&out, PORT_OUT);
	err_fd = pump_start(&err, PORT_ERR);
	tell("ready\n");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		setsid();
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(out_fd, 1);
		dup2(err_fd, 2);
		exec_command(argv);
	}
	close(out_fd);
	close(err_fd);
	pthread_create(&out.thread, NULL, pump, &out);
	pthread_create(&err.thread, NULL, pump, &err);
	status = wait_for(pid);
	pump_finish(&out);
	pump_finish(&err);
	return status;
}

/* Does nothing unless the kernel has kmemleak. What it finds is in the kernel's log. */
static void look_for_leaks(void)
{
	pid_t pid;

	if (access(KMEMLEAK, W_OK))
		return;
	pid = fork();
	if (!pid) {
		execl(LEAKS, LEAKS, NULL);
		_exit(127);
	}
	if (pid > 0)
		wait_for(pid);
}

/* The user's window has changed size. */
static void *follow_size(void *arg)
{
	int tty = *(int *)arg;
	FILE *in = fdopen(dup(ctl), "r");
	struct winsize size = { 0 };
	char line[128];

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "size %hu %hu", &size.ws_row, &size.ws_col) == 2)
			ioctl(tty, TIOCSWINSZ, &size);
	return NULL;
}

static int run_on_terminal(char **argv)
{
	int tty, status;
	pthread_t thread;
	pid_t pid;

	tty = open(TERMINAL, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (tty < 0)
		fail(TERMINAL);
	tell("ready\n");
	pthread_create(&thread, NULL, follow_size, &tty);
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		setsid();
		ioctl(tty, TIOCSCTTY, 0);
		dup2(tty, 0);
		dup2(tty, 1);
		dup2(tty, 2);
		exec_command(argv);
	}
	status = wait_for(pid);
	tcdrain(tty);
	return status;
}

int main(int argc, char **argv)
{
	char **command;
	int status;

	signal(SIGPIPE, SIG_IGN);
	ctl = open(PORT_CTL, O_RDWR | O_CLOEXEC);
	if (ctl < 0 || argc != 4) {
		dprintf(2, "agent: %s: %s\n", PORT_CTL, strerror(errno));
		return 1;
	}
	command = read_argv(argv[2]);
	read_env(argv[3]);
	if (strcmp(argv[1], "tty")) {
		status = run_piped(command);
		look_for_leaks();
	} else {
		status = run_on_terminal(command);
	}
	flush("/out");
	/* The working directory, which may be writable. */
	flush(".");
	tell("exit %d\n", status);
	for (;;)
		pause();
}
