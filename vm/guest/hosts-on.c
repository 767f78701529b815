/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands `on` and `hosts wait`: ask the hub, and carry the streams of the command. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "hosts.h"

static const char USAGE[] =
	"Usage: on HOST COMMAND [ARG]...\n"
	"       on HOST --background COMMAND [ARG]...\n"
	"       on HOST --kill\n"
	"       on HOST --start\n"
	"\n"
	"Runs COMMAND on another host of vm/vm run --hosts, as root, in the directory in which host 1's command began. HOST is 2\n"
	"or host2. Standard output, standard error and the exit status (128+N if signal N ended COMMAND) are those of COMMAND.\n"
	"Its input is that of `on` if this is a pipe, a file or a socket, else /dev/null. The signals HUP, INT, QUIT, TERM, USR1\n"
	"and USR2 go to COMMAND and its process group. COMMAND is killed when its `on` is killed.\n"
	"\n"
	"--background  start COMMAND, print its process id on HOST and return; input, output and errors are /dev/null\n"
	"--kill        end the guest at once, as a power cut does; what is not in its file of $OUT yet is lost\n"
	"--start       boot it again, and wait until it is up\n"
	"\n"
	"Exit status: that of COMMAND; 2 for wrong arguments; 125 if HOST is down, ends meanwhile, or does not boot.\n";

static struct stream hub = { .fd = -1 };

static int complain(const char *format, const char *what)
{
	fprintf(stderr, "on: ");
	fprintf(stderr, format, what);
	fputc('\n', stderr);
	return STATUS_LOST;
}

static bool call_hub(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = HUB_SOCKET };

	hub.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (hub.fd < 0 || connect(hub.fd, (struct sockaddr *)&address, sizeof(address)))
		return false;
	fcntl(hub.fd, F_SETFL, O_NONBLOCK);
	/* the hub's end is told in words */
	signal(SIGPIPE, SIG_IGN);
	return true;
}

/* Which of the signals for the command this process does not ignore; these are read from the descriptor that is returned. */
static int catch_signals(void)
{
	static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };
	struct sigaction old;
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(forwarded) / sizeof(*forwarded); i++)
		if (!sigaction(forwarded[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/*
 * What a command writes goes to a pipe in pieces that fit when poll() says that it is writable (PIPE_BUF), so that signals are
 * seen meanwhile. False: it cannot be written.
 */
static bool pass_on(struct buffer *b, int fd, uint32_t *taken)
{
	size_t used = buffer_used(b);
	ssize_t n = write(fd, b->data + b->from, used < 4096 ? used : 4096);

	if (n < 0 && errno == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	buffer_take(b, n);
	*taken += n;
	return true;
}

/* Until the hub says how it ended. */
static int carry_streams(bool input)
{
	struct buffer pending[2] = { 0 };
	struct signalfd_siginfo signal;
	uint32_t taken = 0;
	int64_t credit = WINDOW;
	int signals = catch_signals(), status = -1, i;
	const char *payload;
	struct frame f;

	while (status < 0 || buffer_used(&pending[0]) || buffer_used(&pending[1])) {
		struct pollfd fds[] = {
			{ status < 0 ? hub.fd : -1, POLLIN | (buffer_used(&hub.out) ? POLLOUT : 0), 0 },
			{ signals, POLLIN, 0 },
			{ input && credit > 0 && status < 0 ? 0 : -1, POLLIN, 0 },
			{ buffer_used(&pending[0]) ? 1 : -1, POLLOUT, 0 },
			{ buffer_used(&pending[1]) ? 2 : -1, POLLOUT, 0 },
		};

		if (poll(fds, 5, -1) < 0)
			continue;
		if (fds[1].revents && read(signals, &signal, sizeof(signal)) == sizeof(signal)) {
			if (status >= 0)
				return 128 + signal.ssi_signo;
			stream_send(&hub, (struct frame){ .type = SIGNAL, .number = signal.ssi_signo }, NULL);
		}
		if (fds[2].revents) {
			char data[CHUNK];
			ssize_t n = read(0, data, credit < CHUNK ? credit : CHUNK);

			if (n > 0) {
				credit -= n;
				stream_send(&hub, (struct frame){ .type = INPUT, .length = n }, data);
			} else if (!n || (errno != EINTR && errno != EAGAIN)) {
				input = false;
				stream_send(&hub, (struct frame){ .type = INPUT_END }, NULL);
			}
		}
		for (i = 0; i < 2; i++)
			if (fds[3 + i].revents && !pass_on(&pending[i], 1 + i, &taken))
				return complain("cannot write what the command prints: %s", strerror(errno));
		if (taken >= WINDOW / 4) {
			stream_send(&hub, (struct frame){ .type = TAKEN, .number = taken }, NULL);
			taken = 0;
		}
		if (status >= 0)
			continue;
		if ((fds[0].revents && !stream_read(&hub)) || !stream_write(&hub))
			return complain("%s", "the hub of this host has ended, so no other host can be reached");
		while (status < 0 && stream_next(&hub, &f, &payload)) {
			if (f.type == OUTPUT || f.type == ERRORS) {
				buffer_put(&pending[f.type == ERRORS], payload, f.length);
			} else if (f.type == TAKEN) {
				credit += f.number;
			} else if (f.type == EXIT) {
				status = f.number;
			} else if (f.type == REFUSED) {
				complain("%s", payload);
				status = f.number;
			}
		}
	}
	return status;
}

int wait_main(void)
{
	if (!call_hub())
		return complain(HUB_SOCKET ": %s", strerror(errno));
	stream_send(&hub, (struct frame){ .type = WAIT }, NULL);
	return carry_streams(false);
}

static int wrong(const char *format, const char *what)
{
	complain(format, what);
	fputs("Try: on --help\n", stderr);
	return 2;
}

int on_main(int argc, char **argv)
{
	enum frame_type type = RUN;
	struct buffer arguments = { 0 };
	const char *digit;
	struct stat in;
	int at = 2;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(USAGE, stdout);
		return 0;
	}
	if (argc < 2)
		return wrong("%s", "name a host and a command");
	digit = argv[1] + (strncmp(argv[1], "host", 4) ? 0 : 4);
	if (*digit < '1' || *digit > '9' || digit[1])
		return wrong("%s: not a host; write 2 or host2", argv[1]);
	if (argc < 3)
		return wrong("%s: which command? (or --kill, --start)", argv[1]);

	if (!strcmp(argv[2], "--kill"))
		type = KILL;
	else if (!strcmp(argv[2], "--start"))
		type = BOOT;
	else if (!strcmp(argv[2], "--background"))
		type = RUN_BACKGROUND;
	else if (argv[2][0] == '-' && strcmp(argv[2], "--"))
		return wrong("unknown option: %s", argv[2]);
	if (type != RUN || !strcmp(argv[2], "--"))
		at++;
	if ((type == KILL || type == BOOT) && argc > at)
		return wrong("%s takes no command", argv[2]);
	if (type != KILL && type != BOOT && argc == at)
		return wrong("%s: no command given", argv[2]);
	if (type == RUN && !fstat(0, &in) && (S_ISFIFO(in.st_mode) || S_ISREG(in.st_mode) || S_ISSOCK(in.st_mode)))
		type = RUN_INPUT;
	for (; at < argc; at++)
		buffer_put(&arguments, argv[at], strlen(argv[at]) + 1);

	if (!call_hub()) {
		fprintf(stderr, "on: " HUB_SOCKET ": %s; only host 1 of vm/vm run --hosts reaches others\n", strerror(errno));
		return STATUS_LOST;
	}
	stream_send(&hub, (struct frame){ .type = type, .number = *digit - '0', .length = buffer_used(&arguments) }, arguments.data);
	return carry_streams(type == RUN_INPUT);
}
