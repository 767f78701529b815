// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box.h"
#include "lib/debugfs/table.h"
#include "lib/debugfs/text.h"
#include "lib/lockdown.h"

static char *path_of(const char *file)
{
	return format_text("%s/%s", debugfs_root, file);
}

enum status box_refused(const char *file, int err)
{
	char *path = path_of(file), *locked = lockdown_refusal(path, err);
	enum status status = ST_NO_DEVICE;

	if (locked) {
		cli_error("%s", locked);
	} else if (err == EACCES || err == EPERM) {
		cli_error("only root may read failures; run this program as root");
	} else if (err == ENOENT && access(debugfs_root, F_OK)) {
		cli_error("no Glass in this kernel, or debugfs is not mounted (%s is not there)",
			  debugfs_root);
	} else if (err == ENOENT) {
		cli_error(
			"%s: this driver keeps no failures: driver and ibwhy must be of one version",
			path);
	} else {
		cli_error("%s: %s", path, strerror(err));
		status = ST_FAILED;
	}
	free(locked);
	free(path);
	return status;
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

static struct box_story *add(struct box *b)
{
	struct box_story *more = realloc(b->story, (b->count + 1) * sizeof(*more));

	if (!more)
		cli_die(CLI_FAILED, "out of memory");
	b->story = more;
	memset(&more[b->count], 0, sizeof(*more));
	return &more[b->count++];
}

static struct debugfs_file *new_file(void)
{
	struct debugfs_file *f = calloc(1, sizeof(*f));

	if (!f)
		cli_die(CLI_FAILED, "out of memory");
	return f;
}

/* Reads the ids of the table of failures. Returns an errno value; the caller frees *ids. */
static int read_ids(uint64_t **ids, size_t *count)
{
	struct debugfs_file f = { 0 };
	char *path = path_of("failures");
	int err = debugfs_read_path(&f, "failures", path), column;
	struct debugfs_table t;
	uint64_t id;

	*ids = NULL;
	*count = 0;
	if (!err && debugfs_table_begin(&t, &f, "failures")) {
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
	}
	debugfs_tell(&f);
	debugfs_free(&f);
	free(path);
	return err;
}

/* Asks for one story. Returns an errno value; ENOENT: the driver no longer has it. */
static int ask(struct box *b, uint64_t id)
{
	char *path = path_of("failure"), *line = format_text("%llu\n", (unsigned long long)id);
	struct debugfs_file *f = new_file();
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
	s = add(b);
	s->text = f;
	s->owns_text = true;
	if (!why_story_read(&r, &s->story)) {
		err = ENOENT;
		why_story_free(&s->story);
		b->count--;
	}
	debugfs_tell(f);
	if (err) {
		debugfs_free(f);
		free(f);
	}
	return err;
}

enum status box_read(struct box *b, uint64_t after)
{
	uint64_t *ids;
	size_t count, i;
	int err = read_ids(&ids, &count);
	enum status status = err ? box_refused("failures", err) : ST_OK;

	memset(b, 0, sizeof(*b));
	for (i = 0; !status && i < count; i++) {
		if (ids[i] <= after)
			continue;
		err = ask(b, ids[i]);
		/* a newer failure may have pushed it out */
		if (err && err != ENOENT)
			status = box_refused("failure", err);
	}
	free(ids);
	return status;
}

enum status box_read_one(struct box *b, uint64_t id)
{
	int err;

	memset(b, 0, sizeof(*b));
	err = ask(b, id);
	if (err == ENOENT && !access(debugfs_root, F_OK)) {
		char *path = path_of("failure");
		bool has = !access(path, F_OK);

		free(path);
		if (has) {
			cli_error(
				"failure %llu: the driver does not have it; ibwhy lists those that it has",
				(unsigned long long)id);
			return ST_NONE;
		}
	}
	return err ? box_refused("failure", err) : ST_OK;
}

enum status box_last_id(uint64_t *id)
{
	uint64_t *ids;
	size_t count, i;
	int err = read_ids(&ids, &count);

	*id = 0;
	for (i = 0; i < count; i++)
		if (ids[i] > *id)
			*id = ids[i];
	free(ids);
	return err ? box_refused("failures", err) : ST_OK;
}

enum status box_read_file(struct box *b, const char *name)
{
	struct why_reader r = { 0 };
	struct why_story story;
	int err;

	memset(b, 0, sizeof(*b));
	b->file = new_file();
	err = debugfs_read_path(b->file, name, strcmp(name, "-") ? name : "/dev/stdin");
	if (err) {
		cli_error("%s: %s", name, strerror(err));
		return ST_FAILED;
	}
	r.file = b->file;
	while (b->count < WHY_STORIES_MAX && why_story_read(&r, &story)) {
		struct box_story *s = add(b);

		s->story = story;
		s->text = b->file;
	}
	/* a read that found no story */
	if (b->count < WHY_STORIES_MAX)
		why_story_free(&story);
	debugfs_tell(b->file);
	return ST_OK;
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
