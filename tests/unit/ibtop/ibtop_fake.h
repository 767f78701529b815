/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine out of files: sysfs and debugfs of a test, written and rewritten by it. */
#ifndef GLASS_TESTS_UNIT_IBTOP_FAKE_H
#define GLASS_TESTS_UNIT_IBTOP_FAKE_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "ibtop/model/snapshot.h"
#include "ibtop/refresh/refresh.h"

struct fake {
	char root[64], sysfs[80], debugfs[80], record[80];
	struct options options;
	struct model *m;
	struct list list;
};

static void fake_dir(const struct fake *f, const char *path)
{
	char full[300], *s;

	snprintf(full, sizeof(full), "%s/%s", f->root, path);
	for (s = full + strlen(f->root) + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = 0;
		mkdir(full, 0700);
	}
	mkdir(full, 0700);
}

static void fake_write(const struct fake *f, const char *path, const char *text)
{
	char full[300];
	FILE *to;

	snprintf(full, sizeof(full), "%s/%s", f->root, path);
	to = fopen(full, "w");
	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
}

static inline void fake_remove(const struct fake *f, const char *path)
{
	char full[300];

	snprintf(full, sizeof(full), "%s/%s", f->root, path);
	assert_int_equal(remove(full), 0);
}

#define FAKE_HEADER_COLUMN(name, unit, meaning) " " #name
#define FAKE_HEADER(kind, COLUMNS) "# glass 1 " kind ":" COLUMNS(FAKE_HEADER_COLUMN) "\n"

/* A Glass adapter without objects */
static void fake_device(const struct fake *f, const char *dev)
{
	static const struct {
		const char *file, *text;
	} files[] = {
		{ "ucontext", FAKE_HEADER("ucontext", GLASS_COLUMNS_UCONTEXT) },
		{ "pd", FAKE_HEADER("pd", GLASS_COLUMNS_PD) },
		{ "mr", FAKE_HEADER("mr", GLASS_COLUMNS_MR) },
		{ "cq", FAKE_HEADER("cq", GLASS_COLUMNS_CQ) },
		{ "srq", FAKE_HEADER("srq", GLASS_COLUMNS_SRQ) },
		{ "qp", FAKE_HEADER("qp", GLASS_COLUMNS_QP) },
		{ "ah", FAKE_HEADER("ah", GLASS_COLUMNS_AH) },
		{ "mw", FAKE_HEADER("mw", GLASS_COLUMNS_MW) },
		{ "dm", FAKE_HEADER("dm", GLASS_COLUMNS_DM) },
		{ "xrcd", FAKE_HEADER("xrcd", GLASS_COLUMNS_XRCD) },
		{ "port", FAKE_HEADER("port", GLASS_COLUMNS_PORT) },
		{ "inject/rules", "" },
		{ "inject/journal", "" },
		{ "droplog", FAKE_HEADER("droplog", GLASS_COLUMNS_DROPLOG) },
	};
	char path[200];
	size_t i;

	snprintf(path, sizeof(path), "sys/class/infiniband/%s/ports", dev);
	fake_dir(f, path);
	snprintf(path, sizeof(path), "debug/glass/%s/inject", dev);
	fake_dir(f, path);
	for (i = 0; i < ARRAY_LEN(files); i++) {
		snprintf(path, sizeof(path), "debug/glass/%s/%s", dev, files[i].file);
		fake_write(f, path, files[i].text);
	}
}

static int fake_begin(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));

	rnd_restart(state);
	strcpy(f->root, "/tmp/ibtop-test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	snprintf(f->sysfs, sizeof(f->sysfs), "%s/sys", f->root);
	snprintf(f->debugfs, sizeof(f->debugfs), "%s/debug", f->root);
	snprintf(f->record, sizeof(f->record), "%s/record", f->root);
	fake_dir(f, "sys/class/infiniband");
	fake_dir(f, "debug/glass/fabric");
	fake_device(f, "glass0");
	f->options.sysfs = f->sysfs;
	f->options.debugfs = f->debugfs;
	*state = f;
	return 0;
}

static int fake_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int fake_end(void **state)
{
	struct fake *f = *state;

	list_free(&f->list);
	model_free(f->m);
	nftw(f->root, fake_unlink, 16, FTW_DEPTH | FTW_PHYS);
	free(f);
	return 0;
}

static void fake_open(struct fake *f)
{
	char error[300] = "";

	f->m = model_open(&f->options, error, sizeof(error));
	if (!f->m)
		fail_msg("%s", error);
}

static inline struct cell fake_cell(const struct fake *f, const struct row *row, const char *name)
{
	return row_cell_named(f->m, row, name);
}

/* The text of a cell as people read it */
static inline const char *fake_text(const struct fake *f, const struct row *row, const char *name)
{
	static const struct format human = { .style = STYLE_HUMAN };
	static char text[300];
	struct cell cell = fake_cell(f, row, name);

	cell_text(&cell, &human, text, sizeof(text));
	return text;
}

static inline const struct row *fake_row(const struct fake *f, enum view_id view, size_t i)
{
	assert_in_range(i + 1, 1, f->m->now->tables[view].count);
	return table_row(&f->m->now->tables[view], i);
}

#endif
