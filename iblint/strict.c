// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "strict.h"

/* Former settings of the behaviours; NULL: not changed by this session */
struct former {
	char *text[DEVICES_MAX][GLASS_BEHAVIOR_COUNT];
};

static char *file_of(int knob)
{
	return format_text("behavior/%s", behaviors[knob].word);
}

static enum status read_former(struct former *f, const struct devices *devices, const bool *knob)
{
	size_t d;
	int i;

	for (d = 0; d < devices->count; d++) {
		for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++) {
			char *file;
			int err;

			if (!knob[i])
				continue;
			file = file_of(i);
			f->text[d][i] = debugfs_first_line(devices->name[d], file);
			err = errno;
			free(file);
			if (f->text[d][i])
				continue;
			if (err == ENOENT)
				cli_error("%s: this driver has no behaviour %s", devices->name[d],
					  behaviors[i].word);
			else
				cli_error("%s: behavior/%s: %s", devices->name[d],
					  behaviors[i].word, strerror(err));
			return ST_FAILED;
		}
	}
	return ST_OK;
}

static void free_former(struct former *f)
{
	size_t d, i;

	for (d = 0; d < DEVICES_MAX; d++)
		for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++)
			free(f->text[d][i]);
}

/*
 * Turns the behaviours on (seed not NULL), or restores them. Returns false after an error message.
 */
static bool set(const struct former *f, const struct devices *devices, const uint64_t *seed)
{
	bool ok = true;
	size_t d;
	int i;

	for (d = 0; d < devices->count; d++) {
		for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++) {
			char *file, *text;
			int err;

			if (!f->text[d][i])
				continue;
			file = file_of(i);
			text = seed ? format_text("1 seed=%" PRIu64, *seed)
				    : format_text("%s", f->text[d][i]);
			err = debugfs_write(devices->name[d], file, text);
			free(text);
			if (err) {
				text = debugfs_write_error(devices->name[d], file, err);
				cli_error("%s", text);
				free(text);
			}
			ok &= !err;
			free(file);
		}
	}
	return ok;
}

/* Runs in the guard process, whose only task is to restore the settings when the pipe closes. */
static void guard(const struct former *f, const struct devices *devices, int end)
{
	static const int deaf[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	size_t i;
	char c;

	for (i = 0; i < sizeof(deaf) / sizeof(*deaf); i++)
		signal(deaf[i], SIG_IGN);
	setsid();
	dup2(nothing, 0);
	dup2(nothing, 1);
	while (read(end, &c, 1) < 0 && errno == EINTR)
		;
	_exit(!set(f, devices, NULL));
}

enum status strict_begin(struct strict *s, const struct devices *devices,
			 const bool knob[GLASS_BEHAVIOR_COUNT], uint64_t seed)
{
	struct former f = { 0 };
	enum status status = read_former(&f, devices, knob);
	int ends[2];

	s->guard = 0;
	if (!status && pipe2(ends, O_CLOEXEC)) {
		cli_error("pipe: %s", strerror(errno));
		status = ST_FAILED;
	}
	if (!status) {
		fflush(NULL);
		s->guard = fork();
		if (!s->guard) {
			close(ends[1]);
			guard(&f, devices, ends[0]);
		}
		close(ends[0]);
		s->end = ends[1];
		if (s->guard < 0) {
			cli_error("fork: %s", strerror(errno));
			s->guard = 0;
			close(s->end);
			status = ST_FAILED;
		}
	}
	if (!status && !set(&f, devices, &seed)) {
		strict_end(s);
		status = ST_FAILED;
	}
	free_former(&f);
	return status;
}

bool strict_end(struct strict *s)
{
	int status = 0;

	if (!s->guard)
		return true;
	close(s->end);
	while (waitpid(s->guard, &status, 0) < 0 && errno == EINTR)
		;
	s->guard = 0;
	return !status;
}
