// SPDX-License-Identifier: GPL-2.0-only
/* Records: what was recorded is what is replayed; a damaged or hostile one ends in a message or an
 * error. */
#define _GNU_SOURCE
#include "ibtop/record/record.h"
#include "ibtop_fake.h"

#define QP_HEAD "# glass 1 qp: qpn qptype state pid comm created age tx_bytes sq_used sq_max srqn\n"
#define FRAMES	30

static void write_qps(struct fake *f, unsigned int frame)
{
	char text[1000];

	/* one is there from the start, one comes and goes, one changes its state */
	snprintf(text, sizeof(text),
		 QP_HEAD "0x11 rc %s 812 my%%20prog%%2F%%C3%%A9 1000 %u000000000 %u %u 64 -\n%s",
		 frame < 20 ? "rts" : "err", frame + 1, 1000 * frame, frame % 65,
		 frame % 4 < 2 ? "0x12 ud rts 0 kernel 2000 5 0 0 128 3\n" : "");
	fake_write(f, "debug/glass/glass0/qp", text);
	snprintf(text, sizeof(text),
		 "# glass 1 fport: node port lid peer state width tx_words tx_pkts xmit_discards\n"
		 "leaf0 1 0 spine0:1 %s - %u %u %u\nspine0 1 0 leaf0:1 active 4 0 0 0\n",
		 frame % 5 ? "active" : "down", 100 * frame, frame, frame / 3);
	fake_write(f, "debug/glass/fabric/ports", text);
	snprintf(text, sizeof(text), "# glass 1 fnode: name kind ports desc\nleaf0 switch 2 a%%20leaf\n%s",
		 frame % 7 ? "spine0 switch 2 %\n" : "");
	fake_write(f, "debug/glass/fabric/nodes", text);
	fake_write(f, "debug/glass/fabric/netdevs",
		   "# glass 1 netcable: a netdev state peer peer_host tx_bytes\n"
		   "leaf0:1 veth0 up far:8 hostb 100\n");
	fake_write(f, "debug/glass/fabric/cables", "# glass 1 fcable: a b pulled\nleaf0:1 spine0:1 no\n");
	snprintf(text, sizeof(text), "add name=r act=drop prob=10%% seed=1 hit=%u eligible=%u\n",
		 frame, 2 * frame);
	fake_write(f, "debug/glass/glass0/inject/rules", text);
}

/* Everything that the views show, computed or not, as one text */
static char *all_text(struct fake *f)
{
	static const struct format exact = { .style = STYLE_EXACT };
	char *all = NULL, text[600];
	size_t size, i;
	unsigned int v, c;
	FILE *to = open_memstream(&all, &size);

	for (v = 0; v < VIEW_COUNT; v++) {
		const struct view *view = view_get(v);
		struct query q = { .view = v };

		assert_true(model_list(f->m, &q, &f->list));
		for (i = 0; i < f->list.count; i++) {
			fprintf(to, "%s", view->name);
			for (c = 0; c < view->num_columns; c++) {
				struct cell cell =
					row_cell(f->m, f->list.items[i].row, &view->columns[c]);

				/* what depends on when ibtop began */
				if (view->columns[c].unit == UNIT_spark ||
				    !strcmp(view->columns[c].name, "idle") ||
				    !strcmp(view->columns[c].name, "grown") ||
				    strstr(view->columns[c].name, "_peak") ||
				    strstr(view->columns[c].name, "stuck"))
					continue;
				cell_text(&cell, &exact, text, sizeof(text));
				fprintf(to, " %s=%s", view->columns[c].name, text);
			}
			putc('\n', to);
		}
	}
	fclose(to);
	return all;
}

/* Records; texts gets what was shown at each refresh. */
static void record(struct fake *f, char **texts)
{
	unsigned int i;

	f->options.record = f->record;
	fake_open(f);
	for (i = 0; i < FRAMES; i++) {
		write_qps(f, i);
		assert_true(model_refresh(f->m));
		if (texts)
			texts[i] = all_text(f);
	}
	assert_false(record_failed(f->m));
	model_free(f->m);
	f->m = NULL;
	f->options.record = NULL;
	f->options.replay = f->record;
}

static void test_round_trip(void **state)
{
	struct fake *f = *state;
	char *texts[FRAMES], *text;
	unsigned int i, k;

	record(f, texts);
	fake_open(f);
	assert_true(model_replaying(f->m));
	assert_int_equal(model_frames(f->m), FRAMES);
	for (i = 0; i < FRAMES; i++) {
		assert_true(model_refresh(f->m));
		assert_int_equal(model_frame(f->m), i);
		text = all_text(f);
		assert_string_equal(text, texts[i]);
		free(text);
	}
	assert_false(model_refresh(f->m));
	/* anywhere, in any order: rates and marks are as they were */
	for (k = 0; k < 40; k++) {
		i = rnd_below(FRAMES);
		assert_true(model_seek(f->m, i));
		assert_int_equal(model_frame(f->m), i);
		text = all_text(f);
		assert_string_equal(text, texts[i]);
		free(text);
	}
	assert_true(model_seek(f->m, 1000));
	assert_int_equal(model_frame(f->m), FRAMES - 1);
	assert_int_equal(model_frame_at(f->m, 0), 0);
	assert_int_equal(model_frame_at(f->m, UINT64_MAX / 2), FRAMES - 1);
	for (i = 0; i < FRAMES; i++)
		free(texts[i]);
}

static void refused(struct fake *f, const char *why)
{
	char error[300] = "";

	assert_null(model_open(&f->options, error, sizeof(error)));
	if (!strstr(error, why))
		fail_msg("'%s' does not say '%s'", error, why);
}

static void test_refused(void **state)
{
	struct fake *f = *state;
	char error[300];

	f->options.replay = f->record;
	refused(f, "No such file");
	fake_write(f, "record", "");
	refused(f, "the file is empty, or not a regular file");
	fake_write(f, "record", "# some other file\n");
	refused(f, "not a record of ibtop");
	fake_write(f, "record", "# ibtop record 1\n");
	refused(f, "no snapshot");
	fake_write(f, "record", "# ibtop record 1\n@ mono=5 real=x\n@ end\n");
	refused(f, "damaged after snapshot 0");
	/* time does not go back */
	fake_write(f, "record",
		   "# ibtop record 1\n@ mono=5 real=5\n@ end\n@ mono=4 real=6\n@ end\n");
	refused(f, "damaged after snapshot 1");
	f->options.replay = f->root;
	refused(f, "not a regular file");
	/* no record is overwritten */
	f->options.replay = NULL;
	f->options.record = f->record;
	assert_null(model_open(&f->options, error, sizeof(error)));
	assert_non_null(strstr(error, "exists already"));
}

static bool told(const struct fake *f, const char *text)
{
	const struct message *msgs;
	size_t n = model_messages(f->m, &msgs), i;

	for (i = 0; i < n; i++)
		if (strstr(msgs[i].text, text))
			return true;
	return false;
}

/* One snapshot is damaged: it says so, and the next one is whole. */
static void test_damaged_snapshot(void **state)
{
	static const char *const bad[] = {
		"# glass 1 qp: dev qpn\nglass0\n",
		"# glass 1 qp: dev qpn\nglass0 zzz\n",
		"# glass 1 qp: dev qpn\n- 0x11\n",
		"# glass 1 qp: qpn dev\n0x11 glass0\n",
		"# glass 1 nothing: dev qpn\n",
		"# glass 1 tree: dev object\nglass0 x\n",
		"# glass 1 q: dev qpn\n",
		"glass0 0x11\n",
		"! 9 % text\n",
		"! 1\n",
		"# glass 1 qp: dev qpn tx_bytes_s\nglass0 0x11 5\n",
	};
	struct fake *f = *state;
	char text[500];
	size_t i;

	f->options.replay = f->record;
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		snprintf(text, sizeof(text),
			 "# ibtop record 1\n@ mono=1 real=1\n%s@ end\n@ mono=2 real=2\n"
			 "# glass 1 qp: dev qpn comm\nglass0 0x11 ?\n@ end\n@ mono=3 rea",
			 bad[i]);
		fake_write(f, "record", text);
		fake_open(f);
		assert_int_equal(model_frames(f->m), 2);
		assert_true(model_refresh(f->m));
		if (!told(f, "snapshot 0 of the record is damaged"))
			fail_msg("not told: %s", bad[i]);
		assert_true(model_refresh(f->m));
		assert_false(told(f, "damaged"));
		assert_int_equal(view_count(f->m, VIEW_QP), 1);
		assert_int_equal(fake_cell(f, fake_row(f, VIEW_QP, 0), "comm").state, CELL_NA);
		assert_int_equal(fake_cell(f, fake_row(f, VIEW_QP, 0), "pid").state, CELL_NA);
		model_free(f->m);
		f->m = NULL;
	}
}

/* Any bytes anywhere: an error or a message, and nothing of it reaches a terminal as a control
 * character. */
static void test_hostile(void **state)
{
	struct fake *f = *state;
	char *whole = NULL, error[300], *text, *s;
	unsigned int round, k;
	size_t size = 0, len;
	FILE *file;

	record(f, NULL);
	file = fopen(f->record, "r");
	len = getdelim(&whole, &size, 0, file);
	fclose(file);
	/* a few snapshots are enough, and quicker */
	len = len < 12000 ? len : 12000;
	for (round = 0; round < 1500; round++) {
		char *copy = malloc(len);
		size_t n = rnd_below(4) ? len : rnd_below(len);

		memcpy(copy, whole, len);
		for (k = rnd_below(30); k; k--) {
			size_t at = rnd_below(len), from = rnd_below(len), piece = rnd_below(40);

			if (rnd_below(2)) {
				copy[at] = rnd();
			} else if (at + piece < len && from + piece < len) {
				memmove(copy + at, copy + from, piece);
			}
		}
		file = fopen(f->record, "w");
		fwrite(copy, 1, n, file);
		fclose(file);
		free(copy);
		f->m = model_open(&f->options, error, sizeof(error));
		if (!f->m)
			continue;
		for (k = 0; k < 3 && model_refresh(f->m); k++)
			;
		model_seek(f->m, rnd_below(4));
		text = all_text(f);
		for (s = text; *s; s++)
			assert_true((unsigned char)*s >= ' ' || *s == '\n');
		free(text);
		model_free(f->m);
		f->m = NULL;
	}
	free(whole);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
	static const struct CMUnitTest tests[] = {
		T(test_round_trip),
		T(test_refused),
		T(test_damaged_snapshot),
		T(test_hostile),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
