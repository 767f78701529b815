// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/blackbox/box.h"
#include "lib/cli.h"
#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"

static char *path_of(const char *file)
{
	return format_text("%s/%s", debugfs_root, file);
}

uint64_t box_id(const struct why_story *s)
{
	uint64_t id;

	return why_value_number(s, WHY_FAILURE, "", "id", &id) ? id : 0;
}

bool box_is_object(const struct why_story *s, const char *object)
{
	const char *dev = why_value(s, WHY_FAILURE, "", "dev"), *colon = strrchr(object, ':');
	uint64_t wanted, num;

	return dev && colon && strlen(dev) == (size_t)(colon - object) &&
	       !strncmp(dev, object, strlen(dev)) &&
	       debugfs_number(colon + 1, strlen(colon + 1), &wanted) &&
	       why_value_number(s, WHY_FAILURE, "", "num", &num) && num == wanted;
}

struct box_story *box_add(struct box *b)
{
	struct box_story *more = realloc(b->story, (b->count + 1) * sizeof(*more));

	if (!more)
		cli_die(CLI_FAILED, "out of memory");
	b->story = more;
	memset(&more[b->count], 0, sizeof(*more));
	return &more[b->count++];
}

struct debugfs_file *box_file(void)
{
	struct debugfs_file *f = calloc(1, sizeof(*f));

	if (!f)
		cli_die(CLI_FAILED, "out of memory");
	return f;
}

int box_ids(struct debugfs_file *f, uint64_t **ids, size_t *count)
{
	char *path = path_of("failures");
	int err = debugfs_read_path(f, "failures", path), column;
	struct debugfs_table t;
	uint64_t id;

	*ids = NULL;
	*count = 0;
	free(path);
	if (err || !debugfs_table_begin(&t, f, "failures"))
		return err;
	column = debugfs_column(&t, "id");
	while (debugfs_table_next(&t) && *count < WHY_STORIES_MAX) {
		if (!debugfs_value_number(&t, column, &id))
			continue;
		if (*count % 64 == 0)
			*ids = realloc(*ids, (*count + 64) * sizeof(**ids));
		if (!*ids)
			cli_die(CLI_FAILED, "out of memory");
		(*ids)[(*count)++] = id;
	}
	return 0;
}

uint64_t box_last_of_qp(const char *dev, uint64_t qpn)
{
	static const char *const names[] = { "id", "dev", "object", "num" };
	char *path = path_of("failures");
	struct debugfs_file f = { 0 };
	uint64_t id, num, found = 0;
	struct debugfs_table t;
	int at[4];
	bool ok;

	ok = !debugfs_read_path(&f, "failures", path) && debugfs_table_begin(&t, &f, "failures") &&
	     debugfs_columns_find(&t, names, 4, at);
	while (ok && debugfs_table_next(&t))
		if (debugfs_value_number(&t, at[0], &id) && debugfs_value_number(&t, at[3], &num) &&
		    num == qpn && !strcmp(debugfs_value(&t, at[1]), dev) &&
		    !strcmp(debugfs_value(&t, at[2]), "qp"))
			found = id;
	debugfs_free(&f);
	free(path);
	return found;
}

int box_ask(struct box *b, uint64_t id)
{
	char *path = path_of("failure"), *line = format_text("%llu\n", (unsigned long long)id);
	struct debugfs_file *f = box_file();
	int err = debugfs_ask(f, "failure", path, line);
	struct why_reader r = { .file = f };
	struct box_story *s;

	free(path);
	free(line);
	if (err) {
		debugfs_free(f);
		free(f);
		return err;
	}
	s = box_add(b);
	s->text = f;
	s->owns_text = true;
	if (!why_story_read(&r, &s->story)) {
		err = ENOENT;
		why_story_free(&s->story);
		b->count--;
	}
	if (err) {
		debugfs_free(f);
		free(f);
	}
	return err;
}

void box_free(struct box *b)
{
	size_t i;

	for (i = 0; i < b->count; i++) {
		why_story_free(&b->story[i].story);
		if (!b->story[i].owns_text)
			continue;
		debugfs_free(b->story[i].text);
		free(b->story[i].text);
	}
	if (b->file)
		debugfs_free(b->file);
	free(b->file);
	free(b->story);
	memset(b, 0, sizeof(*b));
}
