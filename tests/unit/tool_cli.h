/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a tool's command line in a process of its own, on devices that are files in a directory.
 * TOOL_NAME and TOOL_MAIN say which tool.
 */
#ifndef GLASS_TESTS_UNIT_TOOL_CLI_H
#define GLASS_TESTS_UNIT_TOOL_CLI_H

#include "harness.h"
#include <errno.h>
#include <stdbool.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char cli_root[] = "/tmp/" TOOL_NAME "-XXXXXX";
static char cli_said[32768]; /* standard output, then standard error */
static bool cli_full;	      /* standard output has no room */

/* Writes a file below the root; its directories are made. */
static inline void cli_file(const char *name, const char *text)
{
	char path[400], *slash;
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", cli_root, name);
	for (slash = path + strlen(cli_root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
	to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}

/* What is in such a file; in a buffer that the next call uses anew */
static inline const char *cli_text(const char *name)
{
	static char text[4096];
	char path[400];
	size_t n;
	FILE *from;

	snprintf(path, sizeof(path), "%s/%s", cli_root, name);
	from = fopen(path, "r");
	assert_non_null(from);
	n = fread(text, 1, sizeof(text) - 1, from);
	text[n] = 0;
	fclose(from);
	return text;
}

static inline int cli_begin(void **state)
{
	(void)state;
	program_invocation_short_name = (char *)TOOL_NAME;
	if (!mkdtemp(cli_root))
		return -1;
	debugfs_root = cli_root;
	return 0;
}

static inline int cli_end(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", cli_root);
	return system(command);
}

static inline void cli_collect(int fd)
{
	size_t len = strlen(cli_said);
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	n = read(fd, cli_said + len, sizeof(cli_said) - 1 - len);
	cli_said[len + (n > 0 ? n : 0)] = 0;
	close(fd);
}

/* The words of the command line, at most 31; ends with NULL. Returns the exit status. */
static inline int cli(const char *word, ...)
{
	FILE *out = tmpfile(), *err = tmpfile();
	char *argv[32] = { (char *)TOOL_NAME, (char *)word };
	int argc = word ? 2 : 1, status;
	va_list more;
	pid_t pid;

	va_start(more, word);
	while (word && argc < 31 && (argv[argc] = va_arg(more, char *)))
		argc++;
	va_end(more);
	assert_non_null(out);
	assert_non_null(err);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(cli_full ? open("/dev/full", O_WRONLY) : fileno(out), 1);
		dup2(fileno(err), 2);
		exit(TOOL_MAIN(argc, argv));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	cli_said[0] = 0;
	cli_collect(dup(fileno(out)));
	cli_collect(dup(fileno(err)));
	fclose(out);
	fclose(err);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* It must end with that status and have said just that. */
#define cli_is(status, said, ...)                                                                  \
	do {                                                                                       \
		assert_int_equal(cli(__VA_ARGS__, NULL), status);                                  \
		assert_string_equal(cli_said, said);                                               \
	} while (0)

/* The same, and what it said has this in it. */
#define cli_has(status, piece, ...)                                                                \
	do {                                                                                       \
		int got_ = cli(__VA_ARGS__, NULL);                                                 \
		if (got_ != (status) || !strstr(cli_said, piece))                                  \
			fail_msg("status %d, said: %s", got_, cli_said);                           \
	} while (0)

#endif
