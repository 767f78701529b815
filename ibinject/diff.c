// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "ibinject.h"
#include "lib/printable.h"
#include "lib/pairs.h"
#include "record.h"

/* The keys that identify a stream */
static const char *const stream_keys[] = { "dir", "role", "nqp", "verb", NULL };

/* Without a creation number (nqp), the numbers of the objects identify the stream. */
static const char *const number_keys[] = { "qpn", "cqn", "srqn", NULL };

/* Keys that differ in each run, or depend on such keys */
static const char *const left_out[] = { "seq", "time", "name", "pid",	"comm",
					"qpn", "cqn",  "srqn", "psn",	"flow",
					"wr_id", "set_pid", "set_by", "set_uid", "recv", NULL };

static bool is_one_of(const struct pair *p, const char *const *names)
{
	for (; *names; names++)
		if (pair_is(p, *names))
			return true;
	return false;
}

static void put_pair(FILE *to, const struct pair *p)
{
	fprintf(to, " %.*s=%.*s", (int)p->key_len, p->key, (int)p->value_len, p->value);
}

static FILE *open_text(char **text, size_t *size)
{
	FILE *f = open_memstream(text, size);

	if (!f)
		cli_die(CLI_FAILED, "out of memory");
	return f;
}

static bool is_none(const struct pair *p)
{
	return p->value_len == 1 && *p->value == '-';
}

void firings_add(struct firings *f, const char *dev, const char *line, bool bytes)
{
	char rpsn[32] = "-", nqp[32] = "-";
	size_t size_a, size_b;
	FILE *stream, *what;
	struct firing one;
	struct pair p;
	uint64_t at;

	if (f->count == f->room) {
		f->room = f->room ? 2 * f->room : 64;
		f->firing = realloc(f->firing, f->room * sizeof(*f->firing));
		if (!f->firing)
			cli_die(CLI_FAILED, "out of memory");
	}
	find_value(line, "rpsn", rpsn, sizeof(rpsn));
	find_value(line, "nqp", nqp, sizeof(nqp));
	stream = open_text(&one.stream, &size_a);
	what = open_text(&one.what, &size_b);
	fputs(dev, stream);
	while (next_pair(&line, &p)) {
		if (!p.value || is_none(&p))
			continue;
		if (is_one_of(&p, stream_keys) || (*nqp == '-' && is_one_of(&p, number_keys)))
			put_pair(stream, &p);
		else if (is_one_of(&p, left_out) || (pair_is(&p, "n") && *rpsn != '-'))
			continue;
		else if (bytes && pair_is(&p, "at") && find_number(p.key, "at", &at))
			fprintf(what, " byte=%" PRIu64, at / 8);
		else
			put_pair(what, &p);
	}
	fclose(stream);
	fclose(what);
	f->firing[f->count++] = one;
}

bool firings_read(struct firings *f, const char *file)
{
	FILE *from = strcmp(file, "-") ? fopen(file, "re") : stdin;
	unsigned long number = 0;
	char *line = NULL, dev[64];
	size_t size = 0;
	bool ok = from;
	uint64_t seq;

	if (!from)
		cli_error("%s: %s", file, strerror(errno));
	while (ok && getline(&line, &size, from) > 0) {
		const char *fired = line;
		enum record_line kind;

		number++;
		line[strcspn(line, "\n")] = 0;
		/* make it printable: firings that differ are printed */
		printable(line);
		kind = record_parse(&fired, dev, sizeof(dev));
		if (kind == RECORD_FIRED) {
			firings_add(f, dev, fired, false);
		} else if (kind == RECORD_NONE) {
			ok = find_number(line, "seq", &seq);
			if (ok)
				firings_add(f, "", line, false);
			else
				cli_error("%s:%lu: neither a journal nor a record", file, number);
		}
	}
	free(line);
	if (from && from != stdin)
		fclose(from);
	return ok;
}

void firings_free(struct firings *f)
{
	size_t i;

	for (i = 0; i < f->count; i++) {
		free(f->firing[i].stream);
		free(f->firing[i].what);
	}
	free(f->firing);
	memset(f, 0, sizeof(*f));
}

/* Orders by stream, then by occurrence. */
static int by_stream(const void *a, const void *b)
{
	const struct firing *x = a, *y = b;
	int order = strcmp(x->stream, y->stream);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void sort(struct firings *f)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		f->firing[i].number = i;
	if (f->count)
		qsort(f->firing, f->count, sizeof(*f->firing), by_stream);
}

static size_t stream_end(const struct firings *f, size_t from)
{
	size_t i = from;

	while (i < f->count && !strcmp(f->firing[i].stream, f->firing[from].stream))
		i++;
	return i;
}

struct part {
	const struct firing *f;
	size_t n;
};

static int by_what(const void *a, const void *b)
{
	const struct firing *x = *(const struct firing *const *)a, *y = *(const struct firing *const *)b;
	int order = strcmp(x->what, y->what);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static const struct firing **sorted(const struct part *p)
{
	const struct firing **to = calloc(p->n + 1, sizeof(*to));
	size_t i;

	if (!to)
		cli_die(CLI_FAILED, "out of memory");
	for (i = 0; i < p->n; i++)
		to[i] = &p->f[i];
	qsort(to, p->n, sizeof(*to), by_what);
	return to;
}

/*
 * Prints firings of a that are not in b, in order of occurrence. Each firing of b cancels one of a.
 * Returns their number.
 */
static size_t print_missing(const struct part *a, const struct part *b, char sign, FILE *to)
{
	const struct firing **x = sorted(a), **y = sorted(b);
	bool *both = calloc(a->n + 1, sizeof(*both));
	size_t i = 0, k = 0, missing = 0;

	if (!both)
		cli_die(CLI_FAILED, "out of memory");
	while (i < a->n && k < b->n) {
		int order = strcmp(x[i]->what, y[k]->what);

		if (!order)
			both[x[i] - a->f] = true;
		i += order <= 0;
		k += order >= 0;
	}
	for (i = 0; i < a->n; i++)
		if (!both[i]) {
			fprintf(to, "%c%s\n", sign, a->f[i].what);
			missing++;
		}
	free(both);
	free(x);
	free(y);
	return missing;
}

static bool compare_stream(const struct part *a, const struct part *b, FILE *to)
{
	const char *stream = a->n ? a->f->stream : b->f->stream;
	bool same = a->n == b->n;
	size_t i, missing;

	for (i = 0; i < a->n && same; i++)
		same = !strcmp(a->f[i].what, b->f[i].what);
	if (same)
		return true;
	fprintf(to, "%s: %zu and %zu\n", stream + (*stream == ' '), a->n, b->n);
	missing = print_missing(a, b, '-', to);
	missing += print_missing(b, a, '+', to);
	if (!missing)
		fputs("  the same in another order\n", to);
	return false;
}

size_t firings_compare(struct firings *a, struct firings *b, FILE *to)
{
	size_t i = 0, k = 0, differ = 0;

	sort(a);
	sort(b);
	while (i < a->count || k < b->count) {
		struct part x = { a->firing + i, 0 }, y = { b->firing + k, 0 };
		int order = i == a->count   ? 1
			    : k == b->count ? -1
					    : strcmp(x.f->stream, y.f->stream);

		if (order <= 0)
			x.n = stream_end(a, i) - i;
		if (order >= 0)
			y.n = stream_end(b, k) - k;
		differ += !compare_stream(&x, &y, to);
		i += x.n;
		k += y.n;
	}
	return differ;
}
