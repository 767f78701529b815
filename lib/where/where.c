// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tool's side: starts a parser for each module, asks it, and takes what it says as text of an
 * enemy. A parser that fails is not started again for this module.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/printable.h"
#include "lib/where/files.h"
#include "lib/where/jail.h"
#include "lib/where/message.h"
#include "lib/where/parse.h"
#include "lib/where/where.h"

#define PARSERS 8     /* processes at a time */
#define LOST_MS 60000 /* time lost by parsers that did not answer; then no more is asked */
#define FILES	8     /* that one parser may ask for */

/* within this time a parser must answer */
int where_answer_ms = 10000;

/* A module that was looked at, and its parser if that runs. */
struct known {
	struct known *next;
	char *path;
	uint8_t build_id[WHERE_BUILD_ID];
	size_t build_id_bytes;
	bool useless;	     /* do not ask */
	char *note;	     /* why, or what else went wrong; NULL: nothing */
	int socket, process; /* of the parser; -1: it does not run. process: a pidfd */
	unsigned int files;  /* that it asked for */
	uint64_t used;	     /* w->time when it was asked last */
};

struct where {
	struct known *known;
	unsigned int parsers; /* processes that run */
	uint64_t time;	      /* counts questions */
	int64_t lost_ms;
};

struct where *where_new(void)
{
	return calloc(1, sizeof(struct where));
}

static char *text_copy(const char *text)
{
	return text && *text ? format_text("%s", text) : NULL;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* ---- parsers */

/* Ends the parser. Returns how it ended by itself, as waitid() says, or 0 in si_pid. */
static siginfo_t stop(struct where *w, struct known *k)
{
	siginfo_t end = { 0 };

	if (k->socket < 0)
		return end;
	close(k->socket);
	/* its number may belong to another process, if the tool reaps all its children */
	syscall(SYS_pidfd_send_signal, k->process, SIGKILL, NULL, 0);
	if (waitid(P_PIDFD, k->process, &end, WEXITED))
		end.si_pid = 0;
	close(k->process);
	k->socket = k->process = -1;
	w->parsers--;
	return end;
}

/* Notes why nothing more is asked about the module. */
static void give_up(struct where *w, struct known *k, const char *why)
{
	stop(w, k);
	k->useless = true;
	free(k->note);
	k->note = text_copy(why);
}

static void stop_oldest(struct where *w)
{
	struct known *k, *oldest = NULL;

	for (k = w->known; k; k = k->next)
		if (k->socket >= 0 && (!oldest || k->used < oldest->used))
			oldest = k;
	if (oldest)
		stop(w, oldest);
}

/* The child: keeps its two descriptors, and gives up everything else. */
static __attribute__((noreturn)) void be_parser(int socket, int file, const struct where_module *m)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* out of the way of the numbers that they get */
	socket = fcntl(socket, F_DUPFD, 16);
	file = fcntl(file, F_DUPFD, 16);
	if (nothing < 0 || socket < 0 || file < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 ||
	    dup2(nothing, 2) < 0 || dup2(socket, 3) < 0 || dup2(file, 4) < 0)
		_exit(1);
	/* also files whose end the driver waits for */
	close_range(5, ~0u, 0);
	/* signals of the terminal are for the tool */
	setpgid(0, 0);
	if (!jail_enter())
		parse_refuse(3, "the parser could not give up its rights");
	parse_serve(3, 4, m);
}

static struct where_module module_of(const struct known *k)
{
	struct where_module m = { .path = k->path, .build_id_bytes = k->build_id_bytes };

	memcpy(m.build_id, k->build_id, sizeof(m.build_id));
	return m;
}

/* Starts the parser of a module. Returns 0 or an errno value. */
static int start(struct where *w, struct known *k, int file)
{
	struct where_module m = module_of(k);
	int ends[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return errno;
	pid = fork();
	if (!pid)
		be_parser(ends[1], file, &m);
	err = errno;
	close(ends[1]);
	if (pid > 0) {
		k->process = syscall(SYS_pidfd_open, pid, 0);
		if (k->process >= 0) {
			k->socket = ends[0];
			k->files = 0;
			w->parsers++;
			return 0;
		}
		err = errno;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
	return err;
}

/* Makes sure that the parser of the module runs. */
static bool is_running(struct where *w, struct known *k)
{
	struct where_module m = module_of(k);
	int file, err;

	if (k->socket >= 0)
		return true;
	file = files_open_module(&m);
	if (file < 0) {
		give_up(w, k, NULL);
		return false;
	}
	if (w->parsers >= PARSERS)
		stop_oldest(w);
	err = start(w, k, file);
	close(file);
	if (err)
		give_up(w, k, strerror(err));
	return !err;
}

/* ---- questions and answers */

/* Waits until there is something to read. False: not before the time. */
static bool wait_until(int fd, int64_t end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left;
	int n;

	do {
		left = end - now_ms();
		n = left > 0 ? poll(&p, 1, left) : 0;
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/* The parser closed its socket. */
static void note_end(struct where *w, struct known *k)
{
	siginfo_t end;
	char *why;

	/* it ends in a moment, unless it wants to be waited for */
	wait_until(k->process, now_ms() + 1000);
	end = stop(w, k);
	if (end.si_pid && end.si_code != CLD_EXITED)
		why = format_text("the parser was ended by signal %d", end.si_status);
	else
		why = format_text("the parser ended");
	give_up(w, k, why);
	free(why);
}

static void note_nonsense(struct where *w, struct known *k)
{
	give_up(w, k, "the parser broke its protocol");
}

static void note_silence(struct where *w, struct known *k)
{
	char *why = format_text("the parser did not answer in %d s", where_answer_ms / 1000);

	w->lost_ms += where_answer_ms;
	give_up(w, k, why);
	free(why);
}

/* Opens the file that the parser asks for. Returns -1 if there is none, or it is none of its
 * business. */
static int open_wanted(const struct known *k, const struct message *m)
{
	struct where_module of = module_of(k);

	switch (m->kind) {
	case MESSAGE_WANT_DEBUG:
		return files_open_debug(&of);
	case MESSAGE_WANT_LINK:
		return files_open_link(&of, m->path);
	case MESSAGE_WANT_SHARED:
		return files_open_shared(m->path);
	default:
		return -1;
	}
}

/* Answers with a file. False: the parser asks for too much, or does not take the answer. */
static bool send_file(struct known *k, const struct message *m)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = "" };
	struct message_file answer = { 0 };
	struct iovec data = { &answer, sizeof(answer) };
	struct msghdr to = { .msg_iov = &data, .msg_iovlen = 1 };
	bool sent;
	int fd;

	if (k->files++ >= FILES)
		return false;
	fd = open_wanted(k, m);
	if (fd >= 0) {
		struct cmsghdr *with;

		answer.found = 1;
		to.msg_control = control.bytes;
		to.msg_controllen = sizeof(control.bytes);
		with = CMSG_FIRSTHDR(&to);
		with->cmsg_level = SOL_SOCKET;
		with->cmsg_type = SCM_RIGHTS;
		with->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(with), &fd, sizeof(fd));
	}
	sent = sendmsg(k->socket, &to, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(answer);
	if (fd >= 0)
		close(fd);
	return sent;
}

static void take_place(struct where_place *to, const struct message *m)
{
	to->function = text_copy(m->function);
	to->file = text_copy(m->file);
	to->path = text_copy(m->path);
	to->line = m->line;
	to->inlined = m->inlined;
}

static void end_texts(struct message *m)
{
	m->function[sizeof(m->function) - 1] = 0;
	m->file[sizeof(m->file) - 1] = 0;
	m->path[sizeof(m->path) - 1] = 0;
	m->note[sizeof(m->note) - 1] = 0;
}

/*
 * Reads messages until the end of the answer. Returns the number of places, or -1 if the parser
 * failed, which is noted then.
 */
static int read_answer(struct where *w, struct known *k, struct where_place *place, size_t max)
{
	int64_t end = now_ms() + where_answer_ms, before;
	struct message m;
	ssize_t got;
	size_t n = 0;

	for (;;) {
		if (!wait_until(k->socket, end)) {
			note_silence(w, k);
			break;
		}
		got = recv(k->socket, &m, sizeof(m), MSG_DONTWAIT | MSG_TRUNC);
		if (got != sizeof(m)) {
			got > 0 ? note_nonsense(w, k) : note_end(w, k);
			break;
		}
		end_texts(&m);
		if (m.kind == MESSAGE_END) {
			if (!k->note)
				k->note = text_copy(m.note);
			return n;
		}
		if (m.kind == MESSAGE_PLACE && n < max) {
			take_place(&place[n++], &m);
			continue;
		}
		/* a server may take its time */
		before = now_ms();
		if (m.kind == MESSAGE_PLACE || !send_file(k, &m)) {
			note_nonsense(w, k);
			break;
		}
		end += now_ms() - before;
	}
	where_places_free(place, n);
	memset(place, 0, max * sizeof(*place));
	return -1;
}

/* Returns the number of places that the parser knows at this return address; 0: none. */
static size_t ask(struct where *w, struct known *k, uint64_t offset, struct where_place *place,
		  size_t max)
{
	struct message_ask question = { .offset = offset, .max = max };
	int n;

	if (k->useless || w->lost_ms >= LOST_MS || !is_running(w, k))
		return 0;
	k->used = ++w->time;
	if (send(k->socket, &question, sizeof(question), MSG_NOSIGNAL | MSG_DONTWAIT) !=
	    sizeof(question)) {
		note_end(w, k);
		return 0;
	}
	n = read_answer(w, k, place, max);
	return n > 0 ? n : 0;
}

/* ---- modules and places */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct known *find(struct where *w, const struct where_module *m)
{
	struct known *k;

	for (k = w->known; k; k = k->next)
		if (k->build_id_bytes == m->build_id_bytes && !strcmp(k->path, m->path) &&
		    !memcmp(k->build_id, m->build_id, m->build_id_bytes))
			return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		cli_die(CLI_FAILED, "out of memory");
	k->path = format_text("%s", m->path);
	k->build_id_bytes = m->build_id_bytes;
	memcpy(k->build_id, m->build_id, m->build_id_bytes);
	k->socket = k->process = -1;
	k->next = w->known;
	w->known = k;
	return k;
}

void where_free(struct where *w)
{
	struct known *k;

	while (w && (k = w->known)) {
		w->known = k->next;
		stop(w, k);
		free(k->path);
		free(k->note);
		free(k);
	}
	free(w);
}

/*
 * Headers of libibverbs have inline functions, such as ibv_post_send(), that a program contains:
 * they are no places of the program.
 */
static bool is_verbs_source(const char *path)
{
	const char *file = base_name(path);

	return (!strcmp(file, "verbs.h") || !strcmp(file, "verbs_api.h")) && file - path >= 12 &&
	       !strncmp(file - 12, "/infiniband/", 12);
}

static bool is_verbs_module(const char *name)
{
	static const char *const names[] = { "libibverbs.so", "libglass-rdmav", "libglass.so",
					     "librdmacm.so" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

size_t where_resolve(struct where *w, const struct where_module *m, uint64_t offset,
		     struct where_place *place, size_t max)
{
	struct known *k = find(w, m);
	size_t n, i;

	memset(place, 0, max * sizeof(*place));
	n = ask(w, k, offset, place, max);
	if (!n)
		n = 1;
	for (i = 0; i < n; i++) {
		/* an empty name is a name, too */
		place[i].module = format_text("%s", base_name(m->path));
		place[i].offset = offset;
		place[i].note = text_copy(k->note);
		place[i].verbs = is_verbs_module(place[i].module) ||
				 (place[i].path && is_verbs_source(place[i].path));
	}
	return n;
}

void where_places_free(struct where_place *place, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(place[i].function);
		free(place[i].file);
		free(place[i].path);
		free(place[i].module);
		free(place[i].note);
	}
}

char *where_text(const struct where_place *p)
{
	const char *note = p->note ? p->note : "";
	char *text;

	if (p->file && p->line && p->function)
		text = format_text("%s:%u (%s)", p->file, p->line, p->function);
	else if (p->file && p->line)
		text = format_text("%s:%u", p->file, p->line);
	else if (p->function)
		text = format_text("%s (%s+0x%" PRIx64 "%s%s)", p->function, p->module, p->offset,
				   *note ? "; " : "", note);
	else
		text = format_text("%s+0x%" PRIx64 "%s%s%s", p->module, p->offset,
				   *note ? " (" : "", note, *note ? ")" : "");
	printable_ascii(text);
	return text;
}
