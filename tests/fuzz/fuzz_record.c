// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records, which are anybody's files: those of ibtop are replayed to the end, listed and sought
 * in; those of ibinject are compared with themselves and turned into rules again. The first byte
 * tells which.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ibinject/diff.h"
#include "ibinject/record.h"
#include "ibtop/model/snapshot.h"
#include "ibtop/refresh/refresh.h"
#include "rules/parse.h"

static void list_all(struct model *m)
{
	static struct list list;
	static const struct format formats[] = { { .style = STYLE_HUMAN }, { .style = STYLE_EXACT } };
	char text[600];
	unsigned int v, c;
	size_t i;

	for (v = 0; v < VIEW_COUNT; v++) {
		const struct view *view = view_get(v);
		struct query q = { .view = v };

		FUZZ_CHECK(model_list(m, &q, &list), "no memory");
		for (i = 0; i < list.count && i < 8; i++)
			for (c = 0; c < view->num_columns; c++) {
				struct cell cell = row_cell(m, list.items[i].row, &view->columns[c]);

				cell_text(&cell, &formats[i & 1], text, sizeof(text));
				FUZZ_CHECK(memchr(text, 0, sizeof(text)), "text without end");
				for (const char *s = text; *s; s++)
					FUZZ_CHECK((unsigned char)*s >= ' ' && *s != 0x7f,
						   "byte 0x%02x for a terminal", (unsigned char)*s);
			}
	}
}

static void replay(const char *path, uint8_t how)
{
	struct options options = { .replay = path };
	char error[600] = "";
	struct model *m = model_open(&options, error, sizeof(error));
	unsigned int i, frames;

	if (!m) {
		FUZZ_CHECK(*error && memchr(error, 0, sizeof(error)), "no reason");
		return;
	}
	frames = model_frames(m);
	FUZZ_CHECK(frames && model_replaying(m), "%u snapshots", frames);
	for (i = 0; i < 20 && model_refresh(m); i++) {
		FUZZ_CHECK(model_frame(m) == i, "snapshot %u, not %u", model_frame(m), i);
		list_all(m);
	}
	FUZZ_CHECK(i == (frames < 20 ? frames : 20), "%u of %u snapshots", i, frames);
	model_seek(m, how % (frames + 1));
	FUZZ_CHECK(model_frame(m) < frames, "snapshot %u of %u", model_frame(m), frames);
	list_all(m);
	model_free(m);
}

static void check_rule(const char *text)
{
	static struct glass_rule rule;
	struct glass_rule_error error;

	/* the driver may refuse it, and lives */
	glass_rule_parse(text, strlen(text), &rule, &error);
}

static void record(const char *path)
{
	struct firings a = { 0 }, b = { 0 };
	struct recorded r = { 0 };
	const char *why;
	bool taken;
	size_t i;

	taken = recorded_read(&r, path);
	for (i = 0; taken && i < r.count && i < 50; i++) {
		char *rule = replay_rule(r.fired[i].text, recorded_rule(&r, &r.fired[i]), &why);

		if (rule)
			check_rule(rule);
		else
			FUZZ_CHECK(why && *why, "no reason");
		free(rule);
	}
	recorded_free(&r);
	taken = firings_read(&a, path);
	FUZZ_CHECK(firings_read(&b, path) == taken, "taken once");
	if (taken)
		FUZZ_CHECK(!firings_compare(&a, &b, fuzz_sink()), "it differs from itself");
	firings_free(&a);
	firings_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path;
	uint8_t how;

	fuzz_begin(data, size);
	how = fuzz_u8();
	path = fuzz_file(data + !!size, size - !!size);
	if (how & 1)
		record(path);
	else
		replay(path, how >> 1);
	return 0;
}
