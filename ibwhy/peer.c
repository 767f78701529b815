// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/debugfs/device.h"
#include "peer.h"
#include "record.h"

#define OBJECT "# glass 1 object: "

/* ---- the other host's */

static void add_object(struct peer *p, const struct why_story *s)
{
	if (p->objects % 64 == 0) {
		p->object = realloc(p->object, (p->objects + 64) * sizeof(*p->object));
		if (!p->object)
			cli_die(CLI_FAILED, "out of memory");
	}
	p->object[p->objects++] = *s;
}

static void read_objects(struct peer *p)
{
	char *line = debugfs_line(&p->objects_text);
	struct why_story s;

	while (line && p->objects < WHY_STORIES_MAX) {
		if (strncmp(line, OBJECT, strlen(OBJECT))) {
			line = debugfs_line(&p->objects_text);
			continue;
		}
		line = why_story_read_object(&p->objects_text, &s, line + strlen(OBJECT));
		add_object(p, &s);
	}
}

enum status peer_read(struct peer *p, const char *name)
{
	enum status status;
	int err;

	memset(p, 0, sizeof(*p));
	status = box_read_file(&p->box, name);
	if (status)
		return status;
	/* the lines of the first reading end in NULs */
	err = debugfs_read_path(&p->objects_text, name, name);
	if (err) {
		cli_error("%s: %s", name, strerror(err));
		return ST_FAILED;
	}
	read_objects(p);
	return ST_OK;
}

void peer_free(struct peer *p)
{
	while (p->objects)
		why_story_free(&p->object[--p->objects]);
	free(p->object);
	debugfs_free(&p->objects_text);
	box_free(&p->box);
}

bool peer_join(struct why_story *s, const struct peer *p)
{
	bool joined = false;
	size_t i;

	/* the newest story of a QP of that number */
	for (i = p->box.count; i-- && !joined;)
		joined = why_story_join(s, &p->box.story[i].story);
	for (i = 0; i < p->objects && !joined; i++)
		joined = why_story_join(s, &p->object[i]);
	return joined;
}

/* ---- this host's */

static enum status write_text(FILE *to, const char *text, size_t len)
{
	return fwrite(text, 1, len, to) == len ? ST_OK : ST_FAILED;
}

static enum status save_story(FILE *to, uint64_t id)
{
	char *path = format_text("%s/failure", debugfs_root),
	     *line = format_text("%llu\n", (unsigned long long)id);
	struct debugfs_file f = { 0 };
	int err = debugfs_ask(&f, "failure", path, line);
	enum status status = err == ENOENT ? ST_OK : err ? box_refused("failure", err) : ST_OK;

	if (!err)
		status = write_text(to, f.text, f.len);
	debugfs_free(&f);
	free(path);
	free(line);
	return status;
}

/* Writes the QPs of an adapter; details/qp names no adapter, so the title of each gets it. */
static enum status save_qps(FILE *to, const char *dev)
{
	static const char title[] = "# glass 1 inspect: ";
	struct debugfs_file f = { 0 };
	enum status status = ST_OK;
	char *line;

	if (debugfs_read(&f, dev, "details/qp"))
		f.len = 0;
	while (f.len && (line = debugfs_line(&f))) {
		bool head = !strncmp(line, title, strlen(title));

		if (fprintf(to, head ? OBJECT "%s %s\n" : "%s%s\n", head ? dev : "",
			    head ? line + strlen(title) : line) < 0)
			status = ST_FAILED;
	}
	debugfs_free(&f);
	return status;
}

static enum status save_all(FILE *to, bool where)
{
	struct devices devices;
	enum status status;
	struct box box;
	size_t i;

	status = box_read(&box, 0);
	for (i = 0; i < box.count && !status; i++) {
		struct why_story *s = &box.story[i].story;

		status = save_story(to, box_id(s));
		record_add(s, where);
		why_story_write(to, s, WHY_PLACES);
		why_story_write(to, s, WHY_LINT);
	}
	box_free(&box);
	if (!status && debugfs_devices_with("details/qp", &devices))
		devices.count = 0;
	for (i = 0; !status && i < devices.count; i++)
		status = save_qps(to, devices.name[i]);
	return status;
}

enum status save(const char *name, bool where)
{
	FILE *to = strcmp(name, "-") ? fopen(name, "we") : stdout;
	enum status status;
	bool ok;

	if (!to) {
		cli_error("%s: %s", name, strerror(errno));
		return ST_FAILED;
	}
	status = save_all(to, where);
	ok = !ferror(to);
	ok &= !(to == stdout ? fflush(to) : fclose(to));
	if (ok)
		return status;
	cli_error("%s: %s", name, strerror(errno));
	return ST_FAILED;
}
