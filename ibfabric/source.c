// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"

/* Reads a descriptor to its end and closes it. Returns NULL, with errno set, on failure. */
static char *read_all(int fd, size_t *len)
{
	size_t room = 65536;
	char *text = malloc(room), *more;
	ssize_t n = 1;
	int err;

	for (*len = 0; text && n > 0; *len += n > 0 ? n : 0) {
		if (*len == room) {
			more = *len >= PARSE_FILE_MAX ? NULL : realloc(text, room *= 2);
			if (!more) {
				errno = *len >= PARSE_FILE_MAX ? EFBIG : ENOMEM;
				n = -1;
				break;
			}
			text = more;
		}
		n = read(fd, text + *len, room - *len);
		if (n < 0 && errno == EINTR)
			n = 1, *len -= 1;
	}
	err = errno;
	close(fd);
	if (n < 0) {
		free(text);
		text = NULL;
	}
	errno = err;
	return text;
}

static char *read_file(const char *name, size_t *len)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : read_all(fd, len);
}

/* A file is looked for in the folder of the file that includes it, then in the current one. */
static char *include(const char *name, const char *from, size_t *len, char **path)
{
	const char *slash = strrchr(from, '/');
	char *text;

	if (*name != '/' && slash) {
		*path = format_text("%.*s/%s", (int)(slash - from), from, name);
		text = read_file(*path, len);
		if (text)
			return text;
		free(*path);
	}
	text = read_file(name, len);
	*path = text ? format_text("%s", name) : NULL;
	return text;
}

/* Prints each line as a message of its own. */
static void tell(char *lines)
{
	char *line;

	for (line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
		cli_error("%s", line);
}

enum status source_read(const char *file, struct topo *t, struct parse *p)
{
	bool input = !strcmp(file, "-"), good;
	char *text, *errors = NULL, *notes = NULL;
	size_t len, errors_len, notes_len;

	memset(p, 0, sizeof(*p));
	text = input ? read_all(dup(0), &len) : read_file(file, &len);
	if (!text) {
		cli_error("%s: %s", input ? "standard input" : file, strerror(errno));
		return ST_FAILED;
	}
	p->topo = t;
	p->include = include;
	p->errors = open_memstream(&errors, &errors_len);
	p->notes = open_memstream(&notes, &notes_len);
	if (!p->errors || !p->notes)
		cli_die(CLI_FAILED, "out of memory");
	good = parse_text(p, input ? "standard input" : file, text, len);
	fclose(p->errors);
	fclose(p->notes);
	tell(notes);
	tell(errors);
	free(notes);
	free(errors);
	free(text);
	return good ? ST_OK : ST_FAILED;
}
