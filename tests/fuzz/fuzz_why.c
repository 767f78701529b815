// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stories of failures, as ibwhy reads them: of the driver, of files, and of another host; and
 * snapshots of QPs that wait. The first byte tells which.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lib/picture/report.h"
#include "lib/picture/story.h"
#include "lib/picture/trace.h"
#include "lib/why/verdict.h"
#include "lib/why/wait.h"

static void check_printable(const char *text)
{
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= ' ' && (unsigned char)*text < 0x7f, "byte 0x%02x",
			   (unsigned char)*text);
}

static void check_verdict(const struct why_verdict *v)
{
	unsigned int i;

	FUZZ_CHECK(v->steps && v->steps <= WHY_STEPS, "%u steps", v->steps);
	FUZZ_CHECK(v->missing <= WHY_MISSING, "%u sentences", v->missing);
	for (i = 0; i < v->steps; i++) {
		check_printable(v->step[i].text);
		check_printable(v->step[i].evidence);
	}
	for (i = 0; i < v->missing; i++)
		check_printable(v->miss[i]);
}

/* The report and the trace of a story, whose texts are escaped */
static void draw(const struct why_story *s, const struct why_verdict *v)
{
	struct picture_report report = { .story = s, .verdict = v, .tool = "fuzz", .choice = "" };
	struct picture_book *book = picture_book_new(PICTURE_ITEMS_MIN);
	struct picture_trace *trace;
	struct picture_wish wish;
	char choice[400], *text = NULL;
	struct picture *p;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	FUZZ_CHECK(book && to, "no memory");
	trace = picture_trace_new(to, "fuzz", false);
	FUZZ_CHECK(trace, "no memory");
	FUZZ_CHECK(!picture_story(s, book, trace), "no memory");
	picture_trace_end(trace, 0);
	rewind(to);
	picture_story_wish(s, &wish);
	p = picture_book_choose(book, &wish, choice, sizeof(choice));
	if (p) {
		p->zero = picture_story_zero(s);
		FUZZ_CHECK(p->count <= PICTURE_ITEMS_MIN, "%zu rows", p->count);
	}
	report.picture = p;
	picture_write_report(to, &report);
	fputc(0, to);
	fclose(to);
	FUZZ_CHECK(strstr(text, "<script>") == strstr(text, "<script>'use strict'"), "a script of others");
	for (size_t i = 0; text[i]; i++)
		FUZZ_CHECK(text[i] == '\n' || (unsigned char)text[i] >= ' ', "byte 0x%02x", (unsigned char)text[i]);
	free(text);
	picture_book_free(book);
}

static void check_story(const struct why_story *s)
{
	struct why_verdict v;

	FUZZ_CHECK(s->rows <= WHY_ROWS_MAX && s->cells <= WHY_CELLS_MAX && s->table_rows <= WHY_TABLE_ROWS, "%zu rows", s->rows);
	why_reason(s, &v);
	draw(s, &v);
	check_verdict(&v);
	FUZZ_CHECK(v.cause < WHY_CAUSE_COUNT, "cause %d", v.cause);
	if (v.cause)
		FUZZ_CHECK(v.step[v.steps - 1].advice == why_cause_advice(v.cause) ||
				   v.steps == WHY_STEPS,
			   "a cause without advice");
	else
		FUZZ_CHECK(v.missing, "undetermined, and nothing is missing");
}

/* All stories of the text; the first one with the view of each other one */
static void stories(const char *text, size_t len)
{
	static struct debugfs_file file;
	struct why_reader r = { .file = &file };
	struct why_story first, next;
	int n = 1;

	FUZZ_CHECK(!debugfs_copy(&file, "fuzzed", text, len), "no memory");
	if (why_story_read(&r, &first)) {
		check_story(&first);
		while (n++ < 8 && why_story_read(&r, &next)) {
			check_story(&next);
			if (why_story_join(&first, &next))
				check_story(&first);
			why_story_free(&next);
		}
	}
	check_printable(debugfs_error(&file));
	why_story_free(&first);
}

static void waits(const char *text, size_t len)
{
	static struct debugfs_file file;
	struct why_held held = { "glass0", "r", 0x11 };
	struct why_fault fault[] = {
		{ .dev = "glass1", .rule = "r", .qpn = 0x22, .act = WHY_FAULT_CQE_LOSE, .count = 1, .seq = 7 },
		{ .dev = "glass0", .rule = "r", .qpn = 0x11, .act = WHY_FAULT_ACK, .psn = 1 },
		{ .dev = "glass0", .rule = "r", .qpn = 0x11, .act = WHY_FAULT_DROP, .psn = 1 },
	};
	struct why_cq cq = { .dev = "glass0", .comm = "client", .notify = "next", .cqn = 7, .pid = 811, .used = 1 };
	struct why_srq srq = { .dev = "glass1", .srqn = 3 };
	struct why_failure failure = { .dev = "glass0", .object = "qp", .num = 0x11, .id = 1, .last = "A step." };
	struct why_process_state stopped = { 812, true };
	struct why_qp qp[8];
	struct why_snapshot w = { .qp = qp, .held = &held, .helds = 1, .fault = fault,
				  .faults = 3, .cq = &cq, .cqs = 1, .srq = &srq, .srqs = 1,
				  .failure = &failure, .failures = 1, .process = &stopped, .processes = 1 };
	struct why_verdict v;
	char *line = (char *)"";
	size_t i;

	FUZZ_CHECK(!debugfs_copy(&file, "fuzzed", text, len), "no memory");
	while (line && w.qps < 8) {
		struct why_qp *q = &qp[w.qps];

		line = why_story_read_object(&file, &q->story, "qp");
		if (why_qp_take(q, w.qps & 1 ? "glass1" : "glass0"))
			w.qps++;
		else
			why_story_free(&q->story);
	}
	for (i = 0; i < w.qps; i++) {
		FUZZ_CHECK(why_wait(&w, &qp[i], &v) < WHY_END_COUNT, "no end");
		check_verdict(&v);
	}
	for (i = 0; i < w.qps; i++)
		why_story_free(&qp[i].story);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data & 1)
		waits((const char *)data + 1, size - 1);
	else
		stories((const char *)data + 1, size - 1);
	return 0;
}
