/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what Glass shows in debugfs: tables of objects, and answers of `inspect`. */
#ifndef DUMP_H
#define DUMP_H

#include "vt.h"

#define DUMP_ROOT "/sys/kernel/debug/glass"

/* ---- files */

/* The rest of an open file as a string, to be freed. */
static VT_UNUSED char *dump_rest(int fd, size_t *len)
{
	size_t room = 1 << 16, used = 0;
	char *text = malloc(room);
	ssize_t n;

	CHECK(text, "out of memory");
	while ((n = read(fd, text + used, room - used - 1)) > 0) {
		used += n;
		if (used + 1 == room) {
			room *= 2;
			text = realloc(text, room);
			CHECK(text, "out of memory");
		}
	}
	CHECK(!n, "read: %s", strerror(errno));
	text[used] = 0;
	if (len)
		*len = used;
	return text;
}

static VT_UNUSED int dump_open(const char *dev, const char *file, int flags)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), DUMP_ROOT "/%s/%s", dev, file);
	fd = open(path, flags);
	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	return fd;
}

static VT_UNUSED char *dump_file(const char *dev, const char *file)
{
	int fd = dump_open(dev, file, O_RDONLY);
	char *text = dump_rest(fd, NULL);

	close(fd);
	return text;
}

/* ---- inspect */

/* What a line written to `inspect` says: 0 and the answer, or an errno and its reason. */
static VT_UNUSED int inspect_fd(int fd, const char *line, char **answer)
{
	int err = write(fd, line, strlen(line)) < 0 ? errno : 0;

	*answer = dump_rest(fd, NULL);
	return err;
}

static VT_UNUSED char *inspect(const char *dev, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The answer, which must come; freed with the next call. */
static VT_UNUSED char *inspect(const char *dev, const char *fmt, ...)
{
	static char *last;
	char line[100];
	va_list ap;
	int fd, err;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	free(last);
	fd = dump_open(dev, "inspect", O_RDWR);
	err = inspect_fd(fd, line, &last);
	close(fd);
	CHECK(!err, "inspect %s: %s: %s", line, strerror(err), last);
	return last;
}

/* The n-th entry (from 0) of a section as "key=value ...", or NULL. */
static VT_UNUSED const char *inspect_entry(const char *answer, const char *section,
					   const char *entry, int n)
{
	static char out[8192];
	size_t slen = strlen(section), elen = strlen(entry);
	const char *line, *end;
	bool inside = false;

	for (line = answer; *line; line = end + 1) {
		end = strchr(line, '\n');
		CHECK(end, "the answer does not end in a newline");
		if (*line != ' ') {
			inside = !strncmp(line, section, slen) && line[slen] == ':' &&
				 line[slen + 1] == '\n';
			continue;
		}
		if (!inside || strncmp(line + 2, entry, elen) || line[2 + elen] != ':' ||
		    line[3 + elen] != ' ' || !memchr(line, '=', end - line) || n--)
			continue;
		CHECK((size_t)(end - line) < sizeof(out), "a long line: %.200s", line);
		snprintf(out, sizeof(out), "%.*s", (int)(end - line - elen - 4), line + elen + 4);
		return out;
	}
	return NULL;
}

static VT_UNUSED int inspect_count(const char *answer, const char *section, const char *entry)
{
	int n = 0;

	while (inspect_entry(answer, section, entry, n))
		n++;
	return n;
}

/* The value of a key of a section ("" is the object itself), or NULL. */
static VT_UNUSED const char *inspect_key(const char *answer, const char *section, const char *key)
{
	static char out[4][600];
	static int turn;
	size_t slen = strlen(section), klen = strlen(key);
	bool inside = !slen;
	const char *line, *end;
	char *to;

	for (line = answer; *line; line = end + 1) {
		size_t indent = slen ? 2 : 0;

		end = strchr(line, '\n');
		CHECK(end, "the answer does not end in a newline");
		if (*line != ' ' && line + strcspn(line, ":") == end - 1) {
			inside = slen && !strncmp(line, section, slen) && line[slen] == ':';
			continue;
		}
		if (!inside || strncmp(line + indent, key, klen) ||
		    strncmp(line + indent + klen, ": ", 2) || (slen && *line != ' '))
			continue;
		to = out[turn++ % 4];
		snprintf(to, sizeof(out[0]), "%.*s", (int)(end - line - indent - klen - 2),
			 line + indent + klen + 2);
		return to;
	}
	return NULL;
}

/* The value of a key of an entry, or NULL. */
static VT_UNUSED const char *entry_key(const char *entry, const char *key)
{
	static char out[4][2048];
	static int turn;
	size_t klen = strlen(key);
	const char *p = entry;
	char *to;

	while (p) {
		if (!strncmp(p, key, klen) && p[klen] == '=') {
			to = out[turn++ % 4];
			snprintf(to, sizeof(out[0]), "%.*s", (int)strcspn(p + klen + 1, " "),
				 p + klen + 1);
			return to;
		}
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return NULL;
}

/* ---- comparing */

static VT_UNUSED void want_text(const char *got, const char *what, const char *want)
{
	CHECK(got ? want && !strcmp(got, want) : !want, "%s is %s, not %s", what,
	      got ? got : "not there", want ? want : "to be left out");
}

static VT_UNUSED void want_num(const char *got, const char *what, uint64_t want)
{
	char *end;
	uint64_t num;

	CHECK(got, "%s is not there, it should be %llu", what, (unsigned long long)want);
	num = strtoull(got, &end, 0);
	CHECK(!*end && num == want, "%s is %s, not %llu (0x%llx)", what, got,
	      (unsigned long long)want, (unsigned long long)want);
}

static VT_UNUSED uint64_t num_of(const char *got, const char *what)
{
	char *end;
	uint64_t num;

	CHECK(got, "%s is not there", what);
	num = strtoull(got, &end, 0);
	CHECK(!*end, "%s is %s, which is no number", what, got);
	return num;
}

/* "0xADDR:LEN:0xLKEY,..." as inspect writes SGEs. */
static VT_UNUSED const char *sge_text(const struct ibv_sge *sge, int n)
{
	static char out[2048];
	size_t used = 0;
	int i;

	for (i = 0; i < n; i++)
		used += snprintf(out + used, sizeof(out) - used, "%s0x%llx:%u:0x%x", i ? "," : "",
				 (unsigned long long)sge[i].addr, sge[i].length, sge[i].lkey);
	return out;
}

/* The answer once a key has this value; the last answer when that does not come. */
static VT_UNUSED char *inspect_until(const char *dev, const char *line, const char *section,
				     const char *key, const char *want)
{
	uint64_t until = vt_now_ms() + VT_WAIT_MS;
	const char *got;
	char *answer;

	do {
		answer = inspect(dev, "%s", line);
		got = inspect_key(answer, section, key);
		if (got && !strcmp(got, want))
			return answer;
		sched_yield();
	} while (vt_now_ms() < until);
	vt_fail("inspect %s: %s.%s does not become %s, it is %s", line, section, key, want,
		got ? got : "not there");
}

/* ---- tables */

struct table {
	char *text;
	int ncols, nrows, room;
	char *cols[128];
	char ***cell; /* [row][column] */
};

/* Reads a table and sees that it is whole: the header, and as many values in each line. */
static VT_UNUSED void table_read(struct table *t, const char *dev, const char *file)
{
	char *line, *next, *word, head[60];
	char **cells;
	int n;

	memset(t, 0, sizeof(*t));
	t->text = dump_file(dev, file);
	CHECK(strchr(t->text, '\n'), "%s/%s is empty", dev, file);
	snprintf(head, sizeof(head), "# glass 1 %s: ", file);
	CHECK(!strncmp(t->text, head, strlen(head)), "%s/%s begins with %.40s", dev, file, t->text);
	line = t->text + strlen(head);
	for (; line && *line; line = next) {
		next = strchr(line, '\n');
		CHECK(next, "%s/%s: the last line has no end: %s", dev, file, line);
		*next++ = 0;
		if (!t->ncols) {
			while ((word = strsep(&line, " ")))
				t->cols[t->ncols++] = word;
			continue;
		}
		cells = calloc(t->ncols, sizeof(*cells));
		CHECK(cells, "out of memory");
		for (n = 0; (word = strsep(&line, " ")); n++) {
			CHECK(n < t->ncols && *word, "%s/%s: line %d has too many values", dev, file,
			      t->nrows + 2);
			cells[n] = word;
		}
		CHECK(n == t->ncols, "%s/%s: line %d has %d values, not %d", dev, file, t->nrows + 2, n,
		      t->ncols);
		if (t->nrows == t->room) {
			t->room = t->room ? 2 * t->room : 256;
			t->cell = realloc(t->cell, t->room * sizeof(*t->cell));
			CHECK(t->cell, "out of memory");
		}
		t->cell[t->nrows++] = cells;
	}
}

static VT_UNUSED void table_free(struct table *t)
{
	while (t->nrows)
		free(t->cell[--t->nrows]);
	free(t->cell);
	free(t->text);
}

static VT_UNUSED int table_col(const struct table *t, const char *name)
{
	int i;

	for (i = 0; i < t->ncols; i++)
		if (!strcmp(t->cols[i], name))
			return i;
	vt_fail("no column %s", name);
}

/* The row of which the first column is this number, or -1. */
static VT_UNUSED int table_row(const struct table *t, uint64_t num)
{
	int i;

	for (i = 0; i < t->nrows; i++)
		if (strtoull(t->cell[i][0], NULL, 0) == num)
			return i;
	return -1;
}

#endif
