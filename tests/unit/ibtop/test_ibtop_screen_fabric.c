// SPDX-License-Identifier: GPL-2.0-only
/* Views of the fabric on the screen: from a node to its ports, along cables, and back. */
#include <locale.h>

#include "harness.h"
#include "ibtop/refresh/refresh.h"
#include "ibtop/screen/state.h"
#include "ibtop_machine.h"

static struct machine machine;
static struct options options;
static struct model *model;
static struct screen screen;
static struct canvas canvas;

static void refresh(void)
{
	assert_true(model_refresh(model));
	screen_refreshed(&screen);
	screen_draw(&screen, &canvas);
}

static int set_up(void **state)
{
	char error[200] = "";

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	machine_begin(&machine);
	machine_objects(&machine, 2, 1);
	machine_file(&machine, "../fabric/nodes",
		     "# glass 1 fnode: name kind ports device lid\n"
		     "glass0 hca 1 glass0 1\nleaf0 switch 2 - 2\nspine0 switch 2 - 3\n");
	machine_file(&machine, "../fabric/ports",
		     "# glass 1 fport: node port peer state\n"
		     "glass0 1 leaf0:1 active\nleaf0 0 - active\nleaf0 1 glass0:1 active\n"
		     "leaf0 2 spine0:1 active\nspine0 0 - active\nspine0 1 leaf0:2 active\n");
	machine_file(&machine, "../fabric/cables",
		     "# glass 1 fcable: a b pulled\nglass0:1 leaf0:1 no\nleaf0:2 spine0:1 no\n");
	options = (struct options){ .delay_ms = 1000,
				    .debugfs = machine.debugfs,
				    .sysfs = machine.sysfs,
				    .config = "/nonexistent/ibtop",
				    .view = "qp" };
	model = model_open(&options, error, sizeof(error));
	assert_non_null(model);
	assert_true(screen_init(&screen, model, &options, error, sizeof(error)));
	assert_true(canvas_resize(&canvas, 24, 100));
	refresh();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	screen_free(&screen);
	model_free(model);
	canvas_free(&canvas);
	memset(&canvas, 0, sizeof(canvas));
	machine_end(&machine);
	return 0;
}

static enum request press(const char *name)
{
	enum request request = screen_key(&screen, key_parse(name));

	if (request == REQUEST_REFRESH)
		refresh();
	screen_draw(&screen, &canvas);
	return request;
}

/* The object in the chosen row */
static const char *chosen(void)
{
	const struct row *row = view_chosen(&screen);

	assert_non_null(row);
	return row_cell(model, row, column_find(view_get(VIEW_TREE), "object")).text;
}

static const char *filter(void)
{
	return screen.views[screen.view].filter_text ? screen.views[screen.view].filter_text : "";
}

/* The first view of the fabric reads it at once; a pause keeps the moment that it shows. */
static void test_read_at_once(void **state)
{
	(void)state;
	press("Z");
	assert_int_equal(press("b"), REQUEST_NONE);
	assert_int_equal(screen.view, VIEW_FNODE);
	assert_int_equal(screen.list.count, 0);
	assert_int_equal(press("Z"), REQUEST_REFRESH);
	assert_int_equal(screen.list.count, 3);
	assert_int_equal(press("Down"), REQUEST_NONE);
	press("b");
	assert_int_equal(screen.view, VIEW_QP);
	assert_int_equal(press("b"), REQUEST_NONE);
	assert_int_equal(screen.list.count, 3);
}

static void test_ports_of_a_node(void **state)
{
	(void)state;
	press("b");
	press("Down");
	assert_string_equal(chosen(), "fnode leaf0");
	press("o");
	assert_int_equal(screen.view, VIEW_FPORT);
	assert_string_equal(filter(), "node==\"leaf0\"");
	assert_int_equal(screen.list.count, 3);
	assert_string_equal(chosen(), "fport leaf0:0");
	/* along the cable: the ports of the other node */
	press("End");
	assert_string_equal(chosen(), "fport leaf0:2");
	press("p");
	assert_string_equal(filter(), "node==\"spine0\"");
	assert_string_equal(chosen(), "fport spine0:1");
	press("o");
	assert_int_equal(screen.view, VIEW_FNODE);
	assert_string_equal(chosen(), "fnode leaf0");
	assert_null(screen.views[VIEW_FPORT].filter_text);
	/* of the node of a port, and back to all ports */
	press("Tab");
	assert_int_equal(screen.list.count, 6);
	press("Home");
	press("Down");
	press("o");
	assert_string_equal(filter(), "node==\"leaf0\"");
	press("o");
	assert_int_equal(screen.view, VIEW_FPORT);
	assert_int_equal(screen.list.count, 6);
}

static void test_ports_of_others(void **state)
{
	(void)state;
	/* of an object of a device: the HCA's */
	press("o");
	assert_string_equal(filter(), "node==\"glass0\"");
	assert_int_equal(screen.list.count, 1);
	press("o");
	assert_int_equal(screen.view, VIEW_QP);
	/* of a cable: those at its ends */
	press("b");
	press("Tab");
	press("Tab");
	assert_int_equal(screen.view, VIEW_FCABLE);
	press("Down");
	assert_string_equal(chosen(), "fcable leaf0:2 - spine0:1");
	press("o");
	assert_int_equal(screen.list.count, 2);
	assert_string_equal(chosen(), "fport leaf0:2");
	press("o");
	assert_int_equal(screen.view, VIEW_FCABLE);
	/* cut it, after a look at the command */
	press("i");
	assert_int_equal(screen.prompt.kind, PROMPT_RUN);
	press("Enter");
	assert_string_equal(screen.run_command, "ibfabric cut leaf0:2");
}

/* Enter: all about a node, and its ports; o: from there to the view of its ports */
static void test_detail(void **state)
{
	size_t i;

	(void)state;
	press("b");
	press("End");
	press("Enter");
	assert_int_equal(screen.pager.kind, PAGER_DETAIL);
	assert_non_null(strstr(screen.pager.title, "fnode spine0"));
	for (i = 0; i < screen.pager.left.count; i++)
		if (screen.pager.left.lines[i].text &&
		    strstr(screen.pager.left.lines[i].text, "peer=leaf0:2"))
			break;
	assert_true(i < screen.pager.left.count);
	press("o");
	assert_int_equal(screen.pager.kind, PAGER_NONE);
	assert_int_equal(screen.view, VIEW_FPORT);
	assert_int_equal(screen.list.count, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(test_read_at_once),
		TEST(test_ports_of_a_node),
		TEST(test_ports_of_others),
		TEST(test_detail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
