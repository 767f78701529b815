// SPDX-License-Identifier: GPL-2.0-only
/* ibtop's model over a machine of files: rates, marks, waits, sums, lists, the tree, what is
 * missing. */
#define _GNU_SOURCE
#include "ibtop/batch/batch.h"
#include "ibtop_fake.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define QP_FILE "debug/glass/glass0/qp"
#define QP_HEAD \
	"# glass 1 qp: qpn qptype state state_age pdn ctxn scqn rcqn sq_max sq_used rq_max rq_used pid comm created age tx_msgs tx_bytes rnr_rx rnr_tx first_cause waits_for oldest_age ack_in retry_left retry_cnt\n"
#define CQ_HEAD "# glass 1 cq: cqn ctxn state max used pid comm created age total\n"

static void refresh(struct fake *f)
{
	assert_true(model_refresh(f->m));
}

/* The row of the process that owns an object, or NULL */
static const struct row *process_of(struct fake *f, const struct row *row)
{
	struct row_id id = { .view = VIEW_PROCESS, .device = NO_DEVICE, .num = { fake_cell(f, row, "pid").num } };

	return model_find(f->m, &id);
}

static void test_rates_and_fill(void **state)
{
	struct fake *f = *state;
	const struct row *qp;

	fake_write(
		f, QP_FILE,
		QP_HEAD
		"0x11 rc rts 5 1 1 4 4 64 10 - - 812 prog 1000 1000000000 100 4096 1 2 - ack 2000000 3000000 5 7\n");
	fake_open(f);
	refresh(f);
	qp = fake_row(f, VIEW_QP, 0);
	assert_int_equal(fake_cell(f, qp, "tx_msgs_s").state, CELL_NA);
	assert_string_equal(fake_text(f, qp, "sq_fill"), "10/64  16%");
	assert_int_equal(fake_cell(f, qp, "rq_fill").state, CELL_NONE);
	assert_false(row_new(qp));
	/* half a second later by the driver's own clock, whatever the time of reading was */
	fake_write(
		f, QP_FILE,
		QP_HEAD
		"0x11 rc rts 5 1 1 4 4 64 37 - - 812 prog 1000 1500000000 150 8192 1 4 - ack 2000000 3000000 5 7\n");
	refresh(f);
	qp = fake_row(f, VIEW_QP, 0);
	assert_true(fake_cell(f, qp, "tx_msgs_s").real == 100);
	assert_true(fake_cell(f, qp, "tx_bytes_s").real == 8192);
	assert_true(fake_cell(f, qp, "rnr_s").real == 4);
	assert_true(fake_cell(f, qp, "tx_peak").real == 8192);
	/* 27 more in half a second, 27 left */
	assert_int_equal(fake_cell(f, qp, "sq_full_in").num, 500000000);
	assert_string_equal(
		fake_text(f, qp, "wait"),
		"the peer's ACK: all posted requests were sent; oldest 2ms, timer in 3ms, 5 of 7 retries left");
	/* a counter that goes back has no rate, and is not taken for a giant one */
	fake_write(
		f, QP_FILE,
		QP_HEAD
		"0x11 rc rts 5 1 1 4 4 64 37 - - 812 prog 1000 2500000000 0 8192 1 4 - ack 2000000 3000000 5 7\n");
	refresh(f);
	qp = fake_row(f, VIEW_QP, 0);
	assert_int_equal(fake_cell(f, qp, "tx_msgs_s").state, CELL_NA);
	assert_true(fake_cell(f, qp, "tx_bytes_s").real == 0);
	assert_true(fake_cell(f, qp, "tx_peak").real == 8192);
}

static void test_history(void **state)
{
	struct fake *f = *state;
	const struct column *tx = column_find(view_get(VIEW_QP), "tx_bytes_s");
	const struct column *fill = column_find(view_get(VIEW_QP), "sq_fill");
	float values[HISTORY];
	char text[400];
	unsigned int i;
	size_t n;

	fake_open(f);
	for (i = 0; i < HISTORY + 10; i++) {
		snprintf(
			text, sizeof(text),
			QP_HEAD
			"0x11 rc rts 5 1 1 4 4 64 %u 8 0 812 prog 1000 %u000000000 0 %u 0 0 - nothing - - - -\n",
			i % 65, i + 1, 100 * i * (i + 1) / 2);
		fake_write(f, QP_FILE, text);
		refresh(f);
		n = row_history(f->m, fake_row(f, VIEW_QP, 0), tx, values, HISTORY);
		assert_int_equal(n, i < HISTORY ? i : HISTORY);
		if (n) {
			/* the newest is last, and they go back from there */
			assert_true(values[n - 1] == 100.0f * i);
			assert_true(values[0] == 100.0f * (i - n + 1));
		}
		n = row_history(f->m, fake_row(f, VIEW_QP, 0), fill, values, 4);
		assert_int_equal(n, i < 3 ? i + 1 : 4);
		assert_true(values[n - 1] == (i % 65) / 64.0f);
	}
	assert_true(row_peak(f->m, fake_row(f, VIEW_QP, 0), tx) == 100.0 * (i - 1));
}

/* A number that is used again is another object. */
static void test_new_and_gone(void **state)
{
	struct fake *f = *state;
	struct query q = { .view = VIEW_QP, .with_gone = true };
	struct row_id id;

	fake_write(f, QP_FILE,
		   QP_HEAD
		   "0x11 rc rts 5 1 1 4 4 64 0 8 0 812 prog 1000 10 0 0 0 0 - nothing - - - -\n"
		   "0x12 rc rts 5 1 1 4 4 64 0 8 0 812 prog 1000 10 0 0 0 0 - nothing - - - -\n");
	fake_open(f);
	refresh(f);
	row_id(fake_row(f, VIEW_QP, 0), &id);
	assert_ptr_equal(model_find(f->m, &id), fake_row(f, VIEW_QP, 0));
	fake_write(
		f, QP_FILE,
		QP_HEAD
		"0x11 rc rts 5 1 1 4 4 64 0 8 0 813 other 2000 10 0 0 0 0 - nothing - - - -\n"
		"0x12 rc err 5 1 1 4 4 64 0 8 0 812 prog 1000 20 0 0 0 0 retry_exc nothing - - - -\n");
	refresh(f);
	assert_null(model_find(f->m, &id));
	assert_true(row_new(fake_row(f, VIEW_QP, 0)));
	assert_false(row_new(fake_row(f, VIEW_QP, 1)));
	assert_true(model_list(f->m, &q, &f->list));
	assert_int_equal(f->list.count, 3);
	assert_true(row_gone(f->list.items[2].row));
	assert_string_equal(fake_text(f, f->list.items[2].row, "mark"), "gone");
	assert_string_equal(fake_text(f, f->list.items[2].row, "comm"), "prog");
	q.with_gone = false;
	assert_true(model_list(f->m, &q, &f->list));
	assert_int_equal(f->list.count, 2);
	/* the events say the same */
	q.view = VIEW_EVENT;
	q.filter = NULL;
	assert_true(model_list(f->m, &q, &f->list));
	assert_int_equal(f->list.count, 4); /* process 813, QP gone, QP new, error */
	assert_string_equal(fake_text(f, f->list.items[3].row, "what"), "error");
	assert_string_equal(fake_text(f, f->list.items[3].row, "text"),
			    "rts -> err, first cause retry_exc");
	refresh(f);
	q = (struct query){ .view = VIEW_QP, .with_gone = true };
	assert_true(model_list(f->m, &q, &f->list));
	assert_int_equal(f->list.count, 2);
}

static void test_waits(void **state)
{
	static const struct {
		const char *state, *cause, *waits_for, *text;
	} cases[] = {
		{ "rts", "-", "nothing", "nothing: no send is posted and no message is under way" },
		{ "err", "retry_exc", "nothing",
		  "nothing any more: it is in ERR for 5.0s, first cause retry_exc" },
		{ "rts", "-", "no_signaled",
		  "an event that never comes: the send queue is full of requests that are done, and none is signaled" },
		{ "rts", "-", "rnr",
		  "the RNR timer: the peer had no receive posted, 5 of 6 retries left" },
		/* a driver newer than this ibtop */
		{ "rts", "-", "godot", "godot" },
	};
	struct fake *f = *state;
	char text[600];
	size_t i;

	fake_open(f);
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(
			text, sizeof(text),
			"# glass 1 qp: qpn state state_age first_cause waits_for rnr_left rnr_retry\n0x11 %s 5000000000 %s %s 5 6\n",
			cases[i].state, cases[i].cause, cases[i].waits_for);
		fake_write(f, QP_FILE, text);
		refresh(f);
		assert_string_equal(fake_text(f, fake_row(f, VIEW_QP, 0), "wait"), cases[i].text);
	}
	/* whose other end died; not of a queue pair that has another peer by now */
	fake_write(f, QP_FILE,
		   "# glass 1 qp: qpn state first_cause waits_for peer\n"
		   "0x11 rts - message glass0:0x12\n0x12 err rnr_exc nothing glass0:0x11\n"
		   "0x13 rts - nothing glass0:0x14\n0x14 err - nothing glass0:0x13\n"
		   "0x15 rts - nothing glass0:0x14\n0x16 rts - nothing glass0:0x15\n");
	refresh(f);
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 0), "wait"),
		"the rest of a message, or a packet that the peer must send again; its peer is in ERR, first cause rnr_exc");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_QP, 1), "wait"),
			    "nothing any more: it is in ERR, first cause rnr_exc");
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 2), "wait"),
		"nothing: no send is posted and no message is under way; its peer is in ERR");
	for (i = 4; i < 6; i++)
		assert_string_equal(fake_text(f, fake_row(f, VIEW_QP, i), "wait"),
				    cases[0].text);
	/* held by a rule that names it; a rule for another one does not */
	fake_write(f, QP_FILE,
		   "# glass 1 qp: qpn state waits_for\n0x11 rts window\n0x12 rts window\n");
	fake_write(f, "debug/glass/glass0/inject/rules",
		   "add name=stop qpn=0x12 act=hold seed=1 hit=3 eligible=3\n");
	refresh(f);
	assert_string_equal(fake_text(f, fake_row(f, VIEW_QP, 0), "wait"),
			    "the peer's ACK: the limit of unacknowledged packets is reached");
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 1), "wait"),
		"injection: rule stop holds its packets; the peer's ACK: the limit of unacknowledged packets is reached");
	fake_write(f, "debug/glass/glass0/inject/rules",
		   "add name=stop qpn=0x10..0x11 act=hold seed=1 hit=3 eligible=3\n");
	refresh(f);
	assert_non_null(strstr(fake_text(f, fake_row(f, VIEW_QP, 0), "wait"), "rule stop holds"));
	assert_null(strstr(fake_text(f, fake_row(f, VIEW_QP, 1), "wait"), "holds"));
	/* one that names no queue pair, but a process */
	fake_write(f, QP_FILE,
		   "# glass 1 qp: qpn state waits_for pid\n0x11 rts window 5\n0x12 rts window 6\n");
	fake_write(f, "debug/glass/glass0/inject/rules",
		   "add name=stop pid=6 act=hold seed=1 hit=3 eligible=3\n");
	refresh(f);
	assert_null(strstr(fake_text(f, fake_row(f, VIEW_QP, 0), "wait"), "hold"));
	assert_non_null(
		strstr(fake_text(f, fake_row(f, VIEW_QP, 1), "wait"), "rule stop may hold its"));
	/* where the peer died, or is gone, a rule that may hold packets explains nothing; one that names the queue pair does */
	fake_write(f, QP_FILE,
		   "# glass 1 qp: qpn state state_age waits_for peer pid\n"
		   "0x11 rts 5 nothing glass0:0x12 6\n0x12 err 5 nothing glass0:0x11 6\n"
		   "0x13 rts 5 window glass0:0x14 6\n0x14 err 5 nothing glass0:0x13 6\n"
		   "0x15 rts 5000000000 window glass0:0x99 6\n0x16 rts 5 window glass0:0x99 6\n"
		   "0x17 rts 5000000000 nothing glass0:0x99 6\n");
	refresh(f);
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 0), "wait"),
		"nothing: no send is posted and no message is under way; its peer is in ERR");
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 2), "wait"),
		"the peer's ACK: the limit of unacknowledged packets is reached; its peer is in ERR");
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 4), "wait"),
		"the peer's ACK: the limit of unacknowledged packets is reached; its peer glass0:0x99 is gone");
	/* a peer that is this young may come with the next refresh */
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 5), "wait"),
		"injection: rule stop may hold its packets; the peer's ACK: the limit of unacknowledged packets is reached");
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 6), "wait"),
		"nothing: no send is posted and no message is under way; its peer glass0:0x99 is gone");
	fake_write(f, "debug/glass/glass0/inject/rules",
		   "add name=stop qpn=0x11..0x13 act=hold seed=1 hit=3 eligible=3\n");
	refresh(f);
	assert_null(strstr(fake_text(f, fake_row(f, VIEW_QP, 0), "wait"), "rule"));
	assert_string_equal(
		fake_text(f, fake_row(f, VIEW_QP, 2), "wait"),
		"injection: rule stop holds its packets; the peer's ACK: the limit of unacknowledged packets is reached; its peer is in ERR");
	fake_write(f, "debug/glass/glass0/inject/rules",
		   "add name=stop qpn=0x12 act=hold seed=1 hit=3 eligible=3\n");
	refresh(f);
	assert_string_equal(fake_text(f, fake_row(f, VIEW_INJECT, 0), "spec"),
			    "name=stop qpn=0x12 act=hold seed=1");
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_INJECT, 0), "over").state, CELL_NONE);
}

static void test_sums(void **state)
{
	struct fake *f = *state;
	const struct row *row;

	fake_write(
		f, QP_FILE,
		QP_HEAD
		"0x11 rc rts 5 1 1 4 5 64 0 8 0 812 prog 1000 10 0 0 0 0 - ack - - - -\n"
		"0x12 rc err 5 1 1 4 4 64 0 8 0 812 prog 1000 10 0 0 0 0 retry_exc nothing - - - -\n"
		"0x13 rc rts 5 1 2 6 6 64 0 8 0 900 zzz 1000 10 0 0 0 0 - nothing - - - -\n");
	fake_write(f, "debug/glass/glass0/cq",
		   CQ_HEAD "4 1 ok 128 64 812 prog 1000 30 7\n5 1 ok 128 0 812 prog 1000 10 7\n");
	fake_write(
		f, "debug/glass/glass0/mr",
		"# glass 1 mr: mrn pdn mrkind len pid comm created age\n1 1 user 4096 812 prog 1000 20\n"
		"2 1 user 8192 812 prog 1000 20\n3 9 dma - 0 kernel 1000 20\n");
	fake_write(f, "debug/glass/glass0/pd", "# glass 1 pd: pdn ctxn pid comm\n1 1 812 prog\n");
	fake_write(f, "debug/glass/glass0/ucontext",
		   "# glass 1 ucontext: ctxn pid comm\n1 812 prog\n");
	fake_open(f);
	refresh(f);
	row = process_of(f, fake_row(f, VIEW_QP, 0));
	assert_non_null(row);
	assert_int_equal(fake_cell(f, row, "nqp").num, 2);
	assert_int_equal(fake_cell(f, row, "ncq").num, 2);
	assert_int_equal(fake_cell(f, row, "pinned").num, 12288);
	assert_int_equal(fake_cell(f, row, "err_qps").num, 1);
	assert_int_equal(fake_cell(f, row, "age").num, 30);
	assert_string_equal(fake_text(f, row, "dev"), "glass0");
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_PD, 0), "pinned").num, 12288);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_UCONTEXT, 0), "pinned").num, 12288);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_DEVICE, 0), "nqp").num, 3);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_DEVICE, 0), "err_qps").num, 1);
	/* a QP that uses a CQ for both counts once */
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_CQ, 0), "users").num, 2);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_CQ, 1), "users").num, 1);
	/* nothing moved since: the first one is stuck, and the process says so */
	refresh(f);
	row = process_of(f, fake_row(f, VIEW_QP, 0));
	assert_int_equal(fake_cell(f, row, "stuck_qps").num, 1);
	assert_string_equal(fake_text(f, row, "wait"),
			    "glass0:0x11: the peer's ACK: all posted requests were sent");
	assert_int_equal((int64_t)fake_cell(f, row, "grown").num, 0);
}

static void list_texts(struct fake *f, const struct query *q, const char *column, const char *want)
{
	char got[1000] = "";
	size_t i;

	assert_true(model_list(f->m, q, &f->list));
	for (i = 0; i < f->list.count; i++) {
		struct cell cell = row_cell(f->m, f->list.items[i].row,
					    column_find(view_get(q->view), column));
		char text[200];
		static const struct format human = { .style = STYLE_HUMAN };

		cell_text(&cell, &human, text, sizeof(text));
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%*s%s", i ? "," : "",
			 (int)f->list.items[i].depth, "", text);
	}
	assert_string_equal(got, want);
}

static void test_lists(void **state)
{
	const struct view *view = view_get(VIEW_QP);
	struct query q = { .view = VIEW_QP };
	struct glass_filter_error error;
	struct glass_filter *filter;
	struct fake *f = *state;

	fake_write(
		f, QP_FILE,
		QP_HEAD
		"0x11 rc rts 5 1 1 4 5 64 32 8 0 812 prog 1000 10 0 0 0 0 - ack - - - -\n"
		"0x12 rc err 5 1 1 4 4 64 48 8 0 812 prog 1000 10 0 0 0 0 retry_exc nothing - - - -\n"
		"0x13 ud rts 5 1 2 6 6 128 60 8 0 900 zzz 1000 10 0 0 0 0 - nothing - - - -\n");
	fake_open(f);
	refresh(f);
	list_texts(f, &q, "qpn", "0x11,0x12,0x13");
	assert_true(query_sort(view, "sq_fill", &q.sort, &q.reverse));
	list_texts(f, &q, "qpn", "0x12,0x11,0x13");
	assert_true(query_sort(view, "+sq_fill", &q.sort, &q.reverse));
	list_texts(f, &q, "qpn", "0x13,0x11,0x12");
	assert_true(query_sort(view, "-comm", &q.sort, &q.reverse));
	list_texts(f, &q, "qpn", "0x13,0x11,0x12");
	assert_false(query_sort(view, "nothing_of_that_name", &q.sort, &q.reverse));
	q.sort = NULL;
	filter = query_filter(view, "sq_fill>=50 && state in {rts,rtr}", &error);
	assert_non_null(filter);
	q.filter = filter;
	list_texts(f, &q, "qpn", "0x11");
	glass_filter_free(filter);
	/* what is n/a matches nothing */
	q.filter = filter = query_filter(view, "tx_bytes_s>=0 || !(tx_bytes_s>=0)", &error);
	list_texts(f, &q, "qpn", "");
	glass_filter_free(filter);
	q.filter = NULL;
	assert_null(query_filter(view, "cqn==4", &error));
	assert_non_null(strstr(error.text, "the view qp has no `cqn`"));
	q.search = "RETRY_EXC";
	list_texts(f, &q, "qpn", "0x12");
	q.search = NULL;
	q.has_pid = true;
	q.pid = 900;
	list_texts(f, &q, "qpn", "0x13");
}

static bool fold_pds(void *arg, const struct row *row)
{
	(void)arg;
	return row_view(row) == VIEW_PD;
}

static void test_tree(void **state)
{
	struct query q = { .view = VIEW_TREE };
	struct glass_filter_error error;
	struct fake *f = *state;

	fake_write(
		f, QP_FILE,
		QP_HEAD
		"0x11 rc rts 5 1 1 4 5 64 32 8 0 812 prog 1000 10 0 0 0 0 - ack - - - -\n"
		"0x12 rc err 5 1 1 4 4 64 48 8 0 812 prog 1000 10 0 0 0 0 retry_exc nothing - - - -\n");
	fake_write(
		f, "debug/glass/glass0/cq",
		CQ_HEAD
		"4 1 ok 128 64 812 prog 1000 30 7\n5 1 ok 128 0 812 prog 1000 10 7\n6 1 ok 128 0 812 prog 1000 10 7\n");
	fake_write(f, "debug/glass/glass0/mr", "# glass 1 mr: mrn pdn pid\n1 1 812\n");
	fake_write(f, "debug/glass/glass0/pd",
		   "# glass 1 pd: pdn ctxn pid comm\n1 1 812 prog\n2 - 0 kernel\n");
	fake_write(f, "debug/glass/glass0/ucontext",
		   "# glass 1 ucontext: ctxn pid comm\n1 812 prog\n");
	fake_open(f);
	refresh(f);
	list_texts(
		f, &q, "object",
		"device glass0, ucontext 1,  pd 1,   mr 1,   qp 0x11,    cq 4,    cq 5,   qp 0x12,    cq 4,  cq 6, pd 2");
	/* what fits brings its ancestors */
	q.filter = query_filter(view_get(VIEW_TREE), "state==err", &error);
	list_texts(f, &q, "object", "device glass0, ucontext 1,  pd 1,   qp 0x12,    cq 4");
	glass_filter_free((void *)q.filter);
	q.filter = NULL;
	q.folded = fold_pds;
	list_texts(f, &q, "object", "device glass0, ucontext 1,  pd 1,  cq 6, pd 2");
	assert_true(f->list.items[2].folded);
	assert_false(f->list.items[4].folded); /* nothing is in it */
}

/* Memory windows, device memory and XRC domains: counted, filtered, in the tree and by age; a driver without them is no
 * failure. */
static void test_newer_kinds(void **state)
{
	struct query tree = { .view = VIEW_TREE }, leak = { .view = VIEW_LEAK },
		     mw = { .view = VIEW_MW };
	struct glass_filter_error error;
	struct fake *f = *state;
	char why[200];

	fake_write(f, "debug/glass/glass0/ucontext",
		   "# glass 1 ucontext: ctxn pid comm age\n1 812 prog 50\n");
	fake_write(f, "debug/glass/glass0/pd",
		   "# glass 1 pd: pdn ctxn pid comm age nmw\n1 1 812 prog 40 2\n");
	fake_write(f, "debug/glass/glass0/mw",
		   "# glass 1 mw: mwn pdn mwtype rkey mrn iova len access qpn pid comm created age\n"
		   "7 1 1 0x701 3 0x1000 4096 remote_read|remote_write - 812 prog 1000 30\n"
		   "8 1 2 0x801 - - - - - 812 prog 1000 20\n");
	fake_write(f, "debug/glass/glass0/dm",
		   "# glass 1 dm: dmn ctxn len nmr pid comm created age\n2 1 8192 1 812 prog 1000 25\n");
	fake_write(f, "debug/glass/glass0/xrcd",
		   "# glass 1 xrcd: xrcdn pid comm created age nsrq nqp\n4 812 prog 1000 60 1 0\n");
	fake_open(f);
	refresh(f);
	list_texts(f, &tree, "object",
		   "device glass0, ucontext 1,  pd 1,   mw 7,   mw 8,  dm 2, xrcd 4");
	list_texts(f, &leak, "object", "ucontext 1,pd 1,mw 7,mw 8,dm 2,xrcd 4");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_PROCESS, 0), "nmw"), "2");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_PROCESS, 0), "ndm"), "1");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_DEVICE, 0), "nxrcd"), "1");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_UCONTEXT, 0), "nmw"), "2");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_UCONTEXT, 0), "ndm"), "1");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_PD, 0), "nmw"), "2");
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_MW, 1), "len").state, CELL_NONE);
	mw.filter = query_filter(view_get(VIEW_MW), "mwtype==1 && access==remote_read && len>1k",
				 &error);
	assert_non_null(mw.filter);
	list_texts(f, &mw, "rkey", "0x701");
	glass_filter_free((void *)mw.filter);
	assert_ptr_equal(row_named(f->m, "dm glass0:2", why, sizeof(why)), fake_row(f, VIEW_DM, 0));
	/* it comes back under the same number: another one, of which an event tells */
	fake_write(f, "debug/glass/glass0/dm",
		   "# glass 1 dm: dmn ctxn len nmr pid comm created age\n2 1 4096 0 812 prog 2000 5\n");
	refresh(f);
	assert_true(row_new(fake_row(f, VIEW_DM, 0)));
	assert_string_equal(fake_text(f, fake_row(f, VIEW_PROCESS, 0), "grown"), "0");
	/* without its table: n/a, not none, and the rest is there */
	fake_remove(f, "debug/glass/glass0/dm");
	refresh(f);
	assert_non_null(view_missing(f->m, VIEW_DM));
	assert_null(view_missing(f->m, VIEW_MW));
	assert_int_equal(view_count(f->m, VIEW_MW), 2);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_PROCESS, 0), "ndm").state, CELL_NA);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_UCONTEXT, 0), "ndm").state, CELL_NA);
}

static const struct message *message_with(const struct fake *f, const char *text)
{
	const struct message *msgs;
	size_t n = model_messages(f->m, &msgs), i;

	for (i = 0; i < n; i++)
		if (strstr(msgs[i].text, text))
			return &msgs[i];
	return NULL;
}

/* Sources go and come: n/a, a message, and the rest goes on. */
static void test_missing_sources(void **state)
{
	struct fake *f = *state;
	const struct message *msg;
	uint64_t since;

	fake_device(f, "glass1");
	fake_write(f, QP_FILE,
		   QP_HEAD
		   "0x11 rc rts 5 1 1 4 5 64 32 8 0 812 prog 1000 10 0 0 0 0 - ack - - - -\n");
	fake_open(f);
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_QP), 1);
	assert_int_equal(view_count(f->m, VIEW_DEVICE), 2);
	assert_null(message_with(f, "table"));
	/* one device's table is damaged: it is marked, nothing of it is half shown, the other goes
	 * on */
	fake_write(f, "debug/glass/glass1/qp", QP_HEAD "0x11 rc\n");
	refresh(f);
	msg = message_with(f, "not a table");
	assert_non_null(msg);
	assert_string_equal(msg->dev, "glass1");
	since = msg->since;
	assert_string_equal(fake_text(f, fake_row(f, VIEW_DEVICE, 0), "health"), "ok");
	assert_non_null(strstr(fake_text(f, fake_row(f, VIEW_DEVICE, 1), "health"), "not a table"));
	assert_int_equal(view_count(f->m, VIEW_QP), 1);
	refresh(f);
	assert_true(message_with(f, "not a table")->since == since);
	fake_device(f, "glass1");
	refresh(f);
	assert_null(message_with(f, "not a table"));
	/* a device goes */
	fake_remove(f, "sys/class/infiniband/glass1/ports");
	fake_remove(f, "sys/class/infiniband/glass1");
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_DEVICE), 1);
	/* debugfs is unmounted */
	f->m->debugfs = "/nonexistent";
	refresh(f);
	assert_non_null(message_with(f, "mount -t debugfs"));
	assert_int_equal(view_count(f->m, VIEW_QP), 0);
	assert_non_null(view_missing(f->m, VIEW_QP));
	f->m->debugfs = f->debugfs;
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_QP), 1);
	assert_null(view_missing(f->m, VIEW_QP));
	assert_non_null(view_missing(f->m, VIEW_LINT));
}

/* What users have, by user and word; a driver without the table is not one whose users have nothing. */
static void test_shares(void **state)
{
#define SHARE "debug/glass/glass0/share"
	static const char head[] = FAKE_HEADER("share", GLASS_COLUMNS_SHARE);
	struct fake *f = *state;
	const struct row *row;
	char text[1000];

	fake_open(f);
	refresh(f);
	assert_non_null(view_missing(f->m, VIEW_SHARE));
	snprintf(text, sizeof(text), "%s0 memory 9000 10000 0 8000 1000 30000\n4000000001 memory 10 10000 3 0 1000 30000\n"
		 "4000000001 mcast 2 2048 1 0 - 7168\n", head);
	fake_write(f, SHARE, text);
	refresh(f);
	assert_null(view_missing(f->m, VIEW_SHARE));
	assert_int_equal(view_count(f->m, VIEW_SHARE), 3);
	row = fake_row(f, VIEW_SHARE, 0);
	assert_string_equal(fake_text(f, row, "owner"), "root");
	assert_int_equal(fake_cell(f, row, "used").num, 9000);
	assert_int_equal(fake_cell(f, row, "exempt").num, 8000);
	assert_int_equal(fake_cell(f, row, "all_limit").num, 30000);
	row = fake_row(f, VIEW_SHARE, 1);
	/* a number without a name */
	assert_string_equal(fake_text(f, row, "owner"), "4000000001");
	assert_string_equal(fake_text(f, row, "what"), "memory");
	assert_int_equal(fake_cell(f, row, "refused").num, 3);
	row = fake_row(f, VIEW_SHARE, 2);
	assert_string_equal(fake_text(f, row, "what"), "mcast");
	assert_int_equal(fake_cell(f, row, "all_used").state, CELL_NONE);
	/* no limit, and a driver whose table ends before the last columns */
	fake_write(f, SHARE, "# glass 1 share: uid what used limit refused\n0 memory 9000 - 0\n");
	refresh(f);
	row = fake_row(f, VIEW_SHARE, 0);
	assert_int_equal(fake_cell(f, row, "limit").state, CELL_NONE);
	assert_int_equal(fake_cell(f, row, "exempt").state, CELL_NA);
	assert_int_equal(row->flags & ROW_NEW, 0);
	/* without a word a line names nothing */
	fake_write(f, SHARE, "# glass 1 share: uid what used\n0 - 9000\n");
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_QP), 0);
	assert_int_equal(view_count(f->m, VIEW_SHARE), 0);
}

/* Packets that died alike are one event a refresh: else a retrying sender pushes all else out. */
static void test_drops(void **state)
{
#define DROPS "debug/glass/glass0/droplog"
#define DROP_LINE(seq, psn, reason) #seq " 100 5 1 qp " reason " rc_send_only 0x11 " #psn " 64 1 3 0x0 -\n"
	static const char head[] = FAKE_HEADER("droplog", GLASS_COLUMNS_DROPLOG);
	struct fake *f = *state;
	char text[1000];

	snprintf(text, sizeof(text), "%s" DROP_LINE(1, 5, "bad_psn"), head);
	fake_write(f, DROPS, text);
	fake_open(f);
	refresh(f);
	/* what died before ibtop began is no news */
	assert_int_equal(view_count(f->m, VIEW_EVENT), 0);
	snprintf(text, sizeof(text), "%s" DROP_LINE(1, 5, "bad_psn") DROP_LINE(2, 6, "rnr_wait")
				     DROP_LINE(3, 7, "bad_psn") DROP_LINE(4, 8, "rnr_wait"), head);
	fake_write(f, DROPS, text);
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_EVENT), 2);
	assert_string_equal(fake_text(f, fake_row(f, VIEW_EVENT, 0), "text"),
			    "port 1: rc_send_only dropped (rnr_wait, qp), 2 of them, last psn 8, 64 bytes, lid 1 to 3");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_EVENT, 1), "text"),
			    "port 1: rc_send_only dropped (bad_psn, qp), psn 7, 64 bytes, lid 1 to 3");
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_EVENT), 2);
	snprintf(text, sizeof(text), "%s5 200 5 1 switch port_down rc_send_only 0x11 9 64 1 3 0x0 sw3:7\n", head);
	fake_write(f, DROPS, text);
	refresh(f);
	assert_string_equal(fake_text(f, fake_row(f, VIEW_EVENT, 2), "text"),
			    "port 1: rc_send_only dropped (port_down, switch at sw3:7), psn 9, 64 bytes, lid 1 to 3");
}

static void parsed(const char *text, const char *want)
{
	const struct column *columns[COLUMNS_MAX];
	char error[200], got[300] = "";
	int n = columns_parse(view_get(VIEW_AH), text, columns, COLUMNS_MAX, error, sizeof(error)),
	    i;

	for (i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? "," : "",
			 columns[i]->name);
	assert_string_equal(n < 0 ? error : got, want);
}

static void test_columns(void **state)
{
	unsigned int v, c, k;
	char number[16], text[200];

	(void)state;
	parsed("", "dev,ahn,pdn,pid,comm,port,dlid,sl,grh,dgid,age");
	parsed("sl,ahn", "sl,ahn");
	parsed("ahn ahn", "ahn");
	parsed("+tclass,-dev,-comm,-age", "ahn,pdn,pid,port,dlid,sl,grh,dgid,tclass");
	parsed("ahn,-ahn", "no column is left to show");
	parsed("ahm", "the view ah has no column ahm; did you mean ahn?");
	assert_ptr_equal(view_find("qp"), view_get(VIEW_QP));
	assert_ptr_equal(view_find("4"), view_get(VIEW_QP));
	assert_ptr_equal(view_find("inj"), view_get(VIEW_INJECT));
	assert_null(view_find("p")); /* process, port, pd */
	assert_null(view_find("0"));
	snprintf(number, sizeof(number), "%u", VIEW_COUNT);
	assert_ptr_equal(view_find(number), view_get(VIEW_COUNT - 1));
	snprintf(number, sizeof(number), "%u", VIEW_COUNT + 1);
	assert_null(view_find(number));
	assert_null(view_find(""));
	view_explain("p", text, sizeof(text));
	assert_string_equal(text, "p: several views begin with this: process, port, pd");
	view_explain("nope", text, sizeof(text));
	assert_string_equal(text, "there is no view nope; ibtop --help views lists them");
	view_explain("", text, sizeof(text));
	assert_string_equal(text, "the name of a view is empty; ibtop --help views lists the views");
	for (v = 0; v < VIEW_COUNT; v++) {
		const struct view *view = view_get(v);
		const struct column *sort;
		bool reverse;

		assert_true(query_sort(view, view->sorted, &sort, &reverse));
		for (c = 0; c < view->num_columns; c++) {
			const struct column *col = &view->columns[c];

			assert_int_equal(col->index, c);
			assert_true(strlen(col->meaning) > 0);
			assert_true(col->width >= strlen(col->title));
			/* all can be filtered by, sparklines apart */
			assert_true(col->field >= 0 || col->unit == UNIT_spark);
			for (k = 0; k < c; k++)
				assert_string_not_equal(view->columns[k].name, col->name);
		}
	}
}

static void test_cell_texts(void **state)
{
	static const struct {
		struct cell cell;
		const char *human, *exact;
	} cases[] = {
		{ { .state = CELL_NA, .unit = UNIT_num }, "n/a", "n/a" },
		{ { .state = CELL_NONE, .unit = UNIT_num }, "-", "-" },
		{ { .state = CELL_VALUE, .unit = UNIT_num }, "0", "0" },
		{ { .state = CELL_VALUE, .unit = UNIT_hex, .num = 17 }, "0x11", "0x11" },
		{ { .state = CELL_VALUE, .unit = UNIT_signed, .num = -3 }, "-3", "-3" },
		{ { .state = CELL_VALUE, .unit = UNIT_signed, .num = 3 }, "+3", "3" },
		{ { .state = CELL_VALUE, .unit = UNIT_bytes, .num = 4096 }, "4k", "4096" },
		{ { .state = CELL_VALUE, .unit = UNIT_bytes, .num = 1536 }, "1.50k", "1536" },
		{ { .state = CELL_VALUE, .unit = UNIT_bytes, .num = UINT64_MAX },
		  "16E",
		  "18446744073709551615" },
		{ { .state = CELL_VALUE, .unit = UNIT_words, .num = 256 }, "1k", "256" },
		{ { .state = CELL_VALUE, .unit = UNIT_rate, .real = 12.34 }, "12.3", "12.3" },
		{ { .state = CELL_VALUE, .unit = UNIT_rate, .real = 999.7 }, "1.00k", "999.7" },
		{ { .state = CELL_VALUE, .unit = UNIT_rate, .real = 123456 }, "123k", "123456.0" },
		{ { .state = CELL_VALUE, .unit = UNIT_ns, .num = 999 }, "999ns", "999" },
		{ { .state = CELL_VALUE, .unit = UNIT_ns, .num = 1500 }, "1.5us", "1500" },
		{ { .state = CELL_VALUE, .unit = UNIT_ns, .num = 61000000000 },
		  "61.0s",
		  "61000000000" },
		{ { .state = CELL_VALUE, .unit = UNIT_ns, .num = 100000000000 },
		  "1m40s",
		  "100000000000" },
		{ { .state = CELL_VALUE, .unit = UNIT_ns, .num = 3600000000000 },
		  "1h00m",
		  "3600000000000" },
		{ { .state = CELL_VALUE, .unit = UNIT_fill, .num = 3, .max = 4 },
		  "3/4  75%",
		  "3/4" },
		{ { .state = CELL_VALUE, .unit = UNIT_fill, .num = 0, .max = 0 }, "0/0", "0/0" },
	};
	static const float values[] = { 0, 1, 4, 8 };
	struct format format = { .style = STYLE_HUMAN };
	char text[64];
	size_t i, size;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		format.style = STYLE_HUMAN;
		cell_text(&cases[i].cell, &format, text, sizeof(text));
		assert_string_equal(text, cases[i].human);
		format.style = STYLE_EXACT;
		cell_text(&cases[i].cell, &format, text, sizeof(text));
		assert_string_equal(text, cases[i].exact);
		for (size = 1; size < 10; size++)
			assert_true(cell_text(&cases[i].cell, &format, text, size) < size);
	}
	assert_int_equal(spark_text(values, 4, 0, &format, text, sizeof(text)), 10);
	assert_string_equal(text, " ▁▄█");
	/* never half a character */
	assert_int_equal(spark_text(values, 4, 0, &format, text, 6), 4);
	assert_string_equal(text, " ▁");
	format.ascii = true;
	spark_text(values, 4, 0, &format, text, sizeof(text));
	assert_string_equal(text, " .:#");
}

/* A process of another user that calls itself so; it ends with this one. */
static pid_t named_process(const char *name)
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* with the user goes what was asked for before */
		if (setresuid(12345, 12345, 12345) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
		    prctl(PR_SET_NAME, name) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

/* Who a process belongs to is what the kernel says, whatever it calls itself. */
static void test_names_do_not_choose_owners(void **state)
{
	static const char *const names[] = { "plain", "?Umask:?Uid:?0", "a\nUid:\t0", "Uid:\t0" };
	struct fake *f = *state;
	char text[200];
	size_t i;

	if (geteuid())
		skip();
	for (i = 0; i < ARRAY_LEN(names); i++) {
		pid_t pid = named_process(names[i]);

		snprintf(text, sizeof(text), "# glass 1 mr: mrn pid\n1 %d\n", pid);
		fake_write(f, "debug/glass/glass0/mr", text);
		if (!i)
			fake_open(f);
		refresh(f);
		assert_string_equal(fake_text(f, fake_row(f, VIEW_PROCESS, 0), "owner"), "12345");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* A byte of UTF-8 may be a control character where the locale has another encoding: 0x9b is CSI. */
static void test_names_without_utf8(void **state)
{
	struct fake *f = *state;
	char text[2000];
	int ascii;

	fake_write(f, "debug/glass/glass0/mr", "# glass 1 mr: mrn pid comm\n1 0 %C3%9B2J\n");
	fake_open(f);
	f->options.view = "mr";
	f->options.columns = "mrn,comm";
	f->options.iterations = 1;
	for (ascii = 0; ascii < 2; ascii++) {
		FILE *to = tmpfile();
		int before = dup(1);

		assert_non_null(to);
		f->options.ascii = ascii;
		fflush(stdout);
		dup2(fileno(to), 1);
		assert_int_equal(batch_run(f->m, &f->options), 0);
		fflush(stdout);
		dup2(before, 1);
		close(before);
		rewind(to);
		text[fread(text, 1, sizeof(text) - 1, to)] = 0;
		fclose(to);
		assert_non_null(strstr(text, ascii ? " ??2J\n" : " \u00db2J\n"));
	}
}

/* --detail: a kind that does not exist is a wrong command line, an object that does not exist is none. */
static void test_detail_of_nothing(void **state)
{
	static const struct { const char *object; int status; } cases[] = {
		{ "nosuch x", 2 }, { "qp", 2 }, { "tree 1", 2 }, { "", 2 }, { "qp glass0:0x999", 1 },
	};
	struct fake *f = *state;
	size_t i;

	fake_open(f);
	f->options.iterations = 1;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		f->options.detail = cases[i].object;
		assert_int_equal(batch_run(f->m, &f->options), cases[i].status);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
	static const struct CMUnitTest tests[] = {
		T(test_rates_and_fill),
		T(test_history),
		T(test_new_and_gone),
		T(test_waits),
		T(test_sums),
		T(test_lists),
		T(test_tree),
		T(test_newer_kinds),
		T(test_missing_sources), T(test_drops), T(test_shares),
		T(test_names_do_not_choose_owners), T(test_names_without_utf8),
		T(test_detail_of_nothing),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_cell_texts),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
