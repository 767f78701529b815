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

/* Returns an errno value; the caller frees *ids. */
static int read_ids(uint64_t **ids, size_t *count)
{
	struct debugfs_file f = { 0 };
	int err = box_ids(&f, ids, count);

	debugfs_tell(&f);
	debugfs_free(&f);
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
		err = box_ask(b, ids[i]);
		if (!err)
			debugfs_tell(b->story[b->count - 1].text);
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
	err = box_ask(b, id);
	if (!err)
		debugfs_tell(b->story[0].text);
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
	b->file = box_file();
	err = debugfs_read_path(b->file, name, strcmp(name, "-") ? name : "/dev/stdin");
	if (err) {
		cli_error("%s: %s", name, strerror(err));
		return ST_FAILED;
	}
	if (b->file->len && !strstr(b->file->text, "# glass 1 ")) {
		cli_error("%s: has no story; expected a file of \"ibwhy --save FILE\"", name);
		return ST_FAILED;
	}
	r.file = b->file;
	while (b->count < WHY_STORIES_MAX && why_story_read(&r, &story)) {
		struct box_story *s = box_add(b);

		s->story = story;
		s->text = b->file;
	}
	/* a read that found no story */
	if (b->count < WHY_STORIES_MAX)
		why_story_free(&story);
	debugfs_tell(b->file);
	return ST_OK;
}

