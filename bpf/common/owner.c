// SPDX-License-Identifier: GPL-2.0-only
/* The objects that there are already, from the tables in debugfs. */
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "uapi/glass-columns.h"

#define MAX_COLUMNS 64
#define MAX_NAMED   8

static int split(char *line, char **words)
{
	int n = 0;
	char *save, *w;

	for (w = strtok_r(line, " \t\n", &save); w && n < MAX_COLUMNS;
	     w = strtok_r(NULL, " \t\n", &save))
		words[n++] = w;
	return n;
}

/* "# glass 1 qp: qpn ...": where each named column is; false: one is missing. */
static bool find_columns(char *header, const char *const *columns, int *at)
{
	char *colon = strchr(header, ':'), *words[MAX_COLUMNS];
	int n, c, i;

	if (*header != '#' || !colon)
		return false;
	n = split(colon + 1, words);
	for (c = 0; columns[c]; c++) {
		for (i = 0; i < n && strcmp(words[i], columns[c]); i++)
			;
		if (i == n)
			return false;
		at[c] = i;
	}
	return true;
}

static void each_line(const char *path, const char *dev, const char *const *columns,
		      void (*fn)(const char *dev, char *const *values, void *arg), void *arg)
{
	char line[2048], *words[MAX_COLUMNS], *values[MAX_NAMED];
	int at[MAX_NAMED], n, c;
	FILE *f = fopen(path, "r");

	if (!f)
		return;
	if (fgets(line, sizeof(line), f) && find_columns(line, columns, at)) {
		while (fgets(line, sizeof(line), f)) {
			n = split(line, words);
			for (c = 0; columns[c] && at[c] < n; c++)
				values[c] = words[at[c]];
			if (!columns[c])
				fn(dev, values, arg);
		}
	}
	fclose(f);
}

void owner_each(const char *kind, const char *const *columns,
		void (*fn)(const char *dev, char *const *values, void *arg), void *arg)
{
	char pattern[128];
	glob_t g;
	size_t i;

	snprintf(pattern, sizeof(pattern), "/sys/kernel/debug/glass/glass*/%s", kind);
	if (!glob(pattern, 0, NULL, &g)) {
		for (i = 0; i < g.gl_pathc; i++) {
			char dev[64];

			if (sscanf(g.gl_pathv[i], "/sys/kernel/debug/glass/%63[^/]/", dev) == 1)
				each_line(g.gl_pathv[i], dev, columns, fn, arg);
		}
	}
	globfree(&g);
}

void owner_decode(char *to, size_t size, const char *from)
{
	size_t n = 0;

	if (!strcmp(from, "-"))
		from = "";

	for (; *from && n + 1 < size; from++) {
		unsigned int c;

		if (*from == '%' && isxdigit((unsigned char)from[1]) &&
		    isxdigit((unsigned char)from[2]) &&
		    sscanf(from + 1, "%2x", &c) == 1) {
			to[n++] = c;
			from += 2;
		} else if (*from != '%') {
			to[n++] = *from;
		}
	}
	to[n] = 0;
}

struct target {
	int fd;
	uint32_t kind;
};

static void add_owner(const char *name, char *const *values, void *arg)
{
	const struct target *t = arg;
	struct owner_key key = { .kind = t->kind, .num = strtoul(values[0], NULL, 0) };
	struct owner o = { .pid = strtoul(values[1], NULL, 0) };
	union dev_name dev = { "" };

	snprintf(dev.text, sizeof(dev.text), "%s", name);
	key.dev = hash_words(dev.word, sizeof(dev) / 8);
	owner_decode(o.comm.text, sizeof(o.comm.text), values[2]);
	bpf_map_update_elem(t->fd, &key, &o, BPF_ANY);
}

void owner_fill(struct bpf_object *obj)
{
	static const char *const qp[] = { "qpn", "pid", "comm", NULL };
	static const char *const cq[] = { "cqn", "pid", "comm", NULL };
	struct target t = { .fd = bpf_object__find_map_fd_by_name(obj, "owners") };

	if (t.fd < 0)
		return;
	t.kind = GLASS_KIND_QP;
	owner_each("qp", qp, add_owner, &t);
	t.kind = GLASS_KIND_CQ;
	owner_each("cq", cq, add_owner, &t);
}
