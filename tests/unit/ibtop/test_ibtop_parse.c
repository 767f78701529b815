// SPDX-License-Identifier: GPL-2.0-only
/* What ibtop reads from others: debugfs rows, netlink messages. None of it may be trusted. */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>

#include "harness.h"
#include "ibtop/model/snapshot.h"
#include "ibtop/refresh/refresh.h"
#include "ibtop/source/netlink.h"

/* What reaches a terminal or JSON is UTF-8 without control characters, whatever it was. */
static void test_printable(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "plain", "plain" },
		{ "grün € 😀", "grün € 😀" },
		{ "\033[31mred", "?[31mred" },
		{ "\x7f\t\n", "???" },
		{ "\xc3", "?" },
		{ "\xc3(", "?(" },
		{ "\xc0\xaf", "??" },		/* overlong */
		{ "\xe0\x80\xaf", "???" },	/* overlong */
		{ "\xed\xa0\x80", "???" },	/* surrogate */
		{ "\xf4\x90\x80\x80", "????" }, /* beyond the last */
		{ "\xc2\x9b"
		  "31m",
		  "??31m" }, /* a C1 control */
		{ "a\u202eb\u2066c\u061cd\u2028e", "a???b???c??d???e" }, /* bidirectional, lines */
		{ "\u200d\u2027\u202f\u2065\u206a", "\u200d\u2027\u202f\u2065\u206a" },
	};
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		strcpy(text, cases[i].from);
		printable(text);
		assert_string_equal(text, cases[i].to);
	}
}

/* ---- rows */

struct rows {
	struct pool pool;
	struct row *row;
};

static void clear(struct rows *r)
{
	size_t size = sizeof(struct row) + ROW_COLUMNS * sizeof(union value);

	memset(r->row, 0, size);
	r->row->view = VIEW_QP;
}

static int rows_begin(void **state)
{
	struct rows *r = calloc(1, sizeof(*r));

	rnd_restart(state);
	r->row = calloc(1, sizeof(struct row) + ROW_COLUMNS * sizeof(union value));
	r->row->view = VIEW_QP;
	*state = r;
	return 0;
}

static int rows_end(void **state)
{
	struct rows *r = *state;

	pool_free(&r->pool);
	free(r->row);
	free(r);
	return 0;
}

static bool parse(struct rows *r, const struct layout *l, const char *line)
{
	clear(r);
	return layout_row(l, VIEW_QP, line, strlen(line), r->row, NULL, &r->pool);
}

static struct layout *layout(const char *line)
{
	return layout_parse(VIEW_QP, "qp", line, strlen(line));
}

static void test_rows(void **state)
{
	struct rows *r = *state;
	/* a driver newer than this ibtop has a column between, and another order */
	struct layout *l = layout("# glass 1 qp: state from_the_future qpn comm sq_used");

	assert_non_null(l);
	assert_true(parse(r, l, "rts 77 0x11 my%20prog -"));
	assert_string_equal(r->row->v[COL_QP_state].text, "rts");
	assert_int_equal(r->row->v[COL_QP_qpn].num, 0x11);
	assert_string_equal(r->row->v[COL_QP_comm].text, "my prog");
	assert_false(row_has(r->row, COL_QP_sq_used));
	assert_true(row_none(r->row, COL_QP_sq_used));
	/* what the table does not have is neither */
	assert_false(row_has(r->row, COL_QP_pid));
	assert_false(row_none(r->row, COL_QP_pid));
	assert_false(parse(r, l, "rts 77 0x11 my%20prog"));	/* too few */
	assert_false(parse(r, l, "rts 77 0x11 my%20prog - 5")); /* too many */
	assert_false(parse(r, l, "rts 77 eleven prog 1"));	/* no number */
	assert_false(parse(r, l, "rts 77 0x11 prog  1"));	/* an empty word */
	assert_false(parse(r, l, "rts 77 0x11 pr%0og 1"));	/* bad escape */
	assert_false(parse(r, l, "rts 77 0x11 a%00b 1"));	/* a NUL */
	assert_false(parse(r, l, ""));
	layout_free(l);
	assert_null(layout("# glass 2 qp: qpn"));
	assert_null(layout("# glass 1 cq: cqn"));
	assert_null(layout("# glass 1 qp: "));
	assert_null(layout("qpn state"));
	/* nobody fills what ibtop computes */
	l = layout("# glass 1 qp: qpn tx_bytes_s");
	assert_false(parse(r, l, "0x11 5"));
	layout_free(l);
}

static void test_random_rows(void **state)
{
	static const char pieces[] = "0x19af- %ABrts.:\n\xff";
	struct rows *r = *state;
	struct layout *l =
		layout("# glass 1 qp: qpn state comm tx_msgs peer created age sq_used sq_max");
	unsigned int i, k;

	for (i = 0; i < 20000; i++) {
		size_t len = rnd_below(60);
		/* exact size: ASan sees a byte too much */
		char *line = malloc(len ? len : 1);

		for (k = 0; k < len; k++)
			line[k] = pieces[rnd_below(sizeof(pieces) - 1)];
		clear(r);
		layout_row(l, VIEW_QP, line, len, r->row, NULL, &r->pool);
		free(line);
		pool_reset(&r->pool);
	}
	layout_free(l);
	for (i = 0; i < 5000; i++) {
		char line[100] = "# glass 1 qp: ";
		size_t len = 14 + rnd_below(60);

		for (k = 14; k < len; k++)
			line[k] = pieces[rnd_below(sizeof(pieces) - 1)];
		l = layout_parse(VIEW_QP, "qp", line, len);
		layout_free(l);
	}
}

/* ---- netlink */

struct net {
	struct model *m;
	struct options options;
	char buffer[8192];
};

static int net_begin(void **state)
{
	struct net *n = calloc(1, sizeof(*n));
	char error[200];

	rnd_restart(state);
	n->options.sysfs = "/nonexistent";
	n->options.debugfs = "/nonexistent";
	n->m = model_open(&n->options, error, sizeof(error));
	assert_non_null(n->m);
	assert_int_equal(device_get(n->m, "rxe0"), 0);
	*state = n;
	return 0;
}

static int net_end(void **state)
{
	struct net *n = *state;

	model_free(n->m);
	free(n);
	return 0;
}

static void test_netlink_objects(void **state)
{
	struct net *n = *state;
	struct nlmsghdr *h = mnl_nlmsg_put_header(n->buffer);
	struct table *t = &n->m->now->tables[VIEW_QP];
	struct nlattr *table, *entry;
	struct row *row;

	table = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_QP);
	entry = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_LQPN, 17);
	mnl_attr_put_u8(h, RDMA_NLDEV_ATTR_RES_TYPE, 2);
	mnl_attr_put_u8(h, RDMA_NLDEV_ATTR_RES_STATE, 3);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_PID, 812);
	mnl_attr_put_u32(h, 9999, 1);
	mnl_attr_nest_end(h, entry);
	/* without a number it is nothing */
	entry = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	mnl_attr_put_u8(h, RDMA_NLDEV_ATTR_RES_TYPE, 4);
	mnl_attr_nest_end(h, entry);
	/* a kernel's; a type and a state that nobody knows */
	entry = mnl_attr_nest_start(h, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_RES_LQPN, 1);
	mnl_attr_put_u32(h, RDMA_NLDEV_ATTR_PORT_INDEX, 2);
	mnl_attr_put_u8(h, RDMA_NLDEV_ATTR_RES_TYPE, 200);
	mnl_attr_put_u8(h, RDMA_NLDEV_ATTR_RES_STATE, 99);
	mnl_attr_put(h, RDMA_NLDEV_ATTR_RES_KERN_NAME, 4, "ab\033c"); /* no NUL */
	mnl_attr_nest_end(h, entry);
	mnl_attr_nest_end(h, table);
	assert_int_equal(netlink_add_objects(h, &(struct object_fill){ n->m, 0, VIEW_QP, false }), MNL_CB_OK);
	assert_int_equal(t->count, 2);
	row = table_row(t, 0);
	assert_int_equal(row->num[0], 17);
	assert_string_equal(row->v[COL_QP_qptype].text, "rc");
	assert_string_equal(row->v[COL_QP_state].text, "rts");
	assert_int_equal(row->v[COL_QP_pid].num, 812);
	assert_false(row_has(row, COL_QP_sq_used)); /* n/a, not 0 */
	row = table_row(t, 1);
	assert_int_equal(row->num[1], 2);
	assert_false(row_has(row, COL_QP_qptype));
	assert_false(row_has(row, COL_QP_state));
	assert_int_equal(row->v[COL_QP_pid].num, 0);
	assert_string_equal(row->v[COL_QP_comm].text, "ab?c");
}

/* Attributes of any type, length and nesting */
static void put_random(struct nlmsghdr *h, unsigned int depth)
{
	unsigned int n = rnd_below(6);
	uint8_t bytes[40];
	struct nlattr *nest;

	while (n-- && h->nlmsg_len < 4000) {
		if (depth < 4 && rnd_below(2)) {
			nest = mnl_attr_nest_start(h, rnd_below(RDMA_NLDEV_ATTR_MAX + 3));
			put_random(h, depth + 1);
			mnl_attr_nest_end(h, nest);
		} else {
			rnd_fill(bytes, sizeof(bytes));
			mnl_attr_put(h, rnd_below(RDMA_NLDEV_ATTR_MAX + 3),
				     rnd_below(sizeof(bytes)), bytes);
		}
	}
}

static void test_random_netlink(void **state)
{
	static const struct {
		enum view_id view;
		int table, entry;
	} kinds[] = {
		{ VIEW_QP, RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY },
		{ VIEW_CQ, RDMA_NLDEV_ATTR_RES_CQ, RDMA_NLDEV_ATTR_RES_CQ_ENTRY },
		{ VIEW_MR, RDMA_NLDEV_ATTR_RES_MR, RDMA_NLDEV_ATTR_RES_MR_ENTRY },
		{ VIEW_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY },
		{ VIEW_UCONTEXT, RDMA_NLDEV_ATTR_RES_CTX, RDMA_NLDEV_ATTR_RES_CTX_ENTRY },
	};
	struct net *n = *state;
	unsigned int i, k;

	for (i = 0; i < 20000; i++) {
		const size_t kind = rnd_below(ARRAY_LEN(kinds));
		struct nlmsghdr *h = mnl_nlmsg_put_header(n->buffer), *copy;
		struct nlattr *table = mnl_attr_nest_start(h, kinds[kind].table), *entry;

		entry = mnl_attr_nest_start(h, kinds[kind].entry);
		put_random(h, 0);
		mnl_attr_nest_end(h, entry);
		put_random(h, 0);
		mnl_attr_nest_end(h, table);
		copy = malloc(h->nlmsg_len);
		memcpy(copy, h, h->nlmsg_len);
		/* lengths that are wrong, too; that of the message is the kernel's own and checked
		 * by libmnl */
		for (k = rnd_below(4); k; k--)
			((uint8_t *)copy)[sizeof(*h) + rnd_below(copy->nlmsg_len - sizeof(*h))] =
				rnd();
		netlink_add_objects(copy, &(struct object_fill){ n->m, 0, kinds[kind].view, false });
		free(copy);
		if (i % 64 == 0)
			model_refresh(n->m);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printable),
		cmocka_unit_test_setup_teardown(test_rows, rows_begin, rows_end),
		cmocka_unit_test_setup_teardown(test_random_rows, rows_begin, rows_end),
		cmocka_unit_test_setup_teardown(test_netlink_objects, net_begin, net_end),
		cmocka_unit_test_setup_teardown(test_random_netlink, net_begin, net_end),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
