// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/printable.h"

/* The message may quote files and programs that the tool does not trust: make it printable. */
static void tell(const char *format, va_list args)
{
	char *text;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	if (vasprintf(&text, format, args) < 0) {
		fputs("out of memory\n", stderr);
		return;
	}
	printable_lines(text);
	fprintf(stderr, "%s\n", text);
	free(text);
}

void cli_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(format, args);
	va_end(args);
}

void cli_die(enum cli_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(format, args);
	va_end(args);
	exit(status);
}

bool cli_color(FILE *to)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(to)) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}

unsigned int cli_columns(FILE *to)
{
	struct winsize size;

	return ioctl(fileno(to), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

bool process_name(uint64_t pid, char *to, size_t size)
{
	char path[64];
	size_t len;
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%llu/comm", (unsigned long long)pid);
	from = fopen(path, "re");
	if (!from)
		return false;
	len = fread(to, 1, size - 1, from);
	fclose(from);
	to[len] = '\0';
	to[strcspn(to, "\n")] = '\0';
	return len;
}

char *format_text(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		cli_die(CLI_FAILED, "out of memory");
	va_end(args);
	return text;
}

int cli_flush(int status)
{
	bool before = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !before)
		return status;
	cli_error("standard output: %s", errno ? strerror(errno) : "cannot be written to");
	return status ? status : CLI_FAILED;
}

void cli_parse_command(const struct argp *argp, unsigned int flags, int argc, char **argv,
		       void *input)
{
	char *name = argv[0];

	/* argp prints this word as the program's name */
	argv[0] = format_text("%s %s", program_invocation_short_name, name);
	argp_parse(argp, argc, argv, flags, NULL, input);
	free(argv[0]);
	argv[0] = name;
}
