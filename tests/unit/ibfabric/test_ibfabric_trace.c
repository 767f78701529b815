// SPDX-License-Identifier: GPL-2.0-only
/* ibfabric trace, on answers of a driver that is files. */
#define _GNU_SOURCE
#include "ibfabric_cli.h"

/* The file has room for the question, which is written over its beginning, then the answer. */
static void answer(const char *question, const char *rows)
{
	char text[1024];

	snprintf(text, sizeof(text), "%*s# glass 1 hop: node in_port out_port why\n%s",
		 (int)strlen(question), "", rows);
	cli_file("fabric/trace", text);
}

static void test_ibfabric_trace_arrives(void **state)
{
	(void)state;
	answer("glass0:1 3", "glass0 - 1 -\nswitch0 1 3 -\nhost2 1 - -\n");
	cli_is(0,
	       "From glass0:1 (LID 1) to host2:1 (LID 3)\n"
	       "  glass0           out   1\n"
	       "  switch0  in   1  out   3\n"
	       "  host2    in   1           arrives\n",
	       "trace", "glass0", "host2");
	assert_memory_equal(cli_text("fabric/trace"), "glass0:1 3", 10);
	answer("glass0:1 3", "glass0 - 1 -\nswitch0 1 3 -\nhost2 1 - -\n");
	cli_has(0, "\"arrives\":true", "trace", "glass0:1", "3", "--json");
}

static void test_ibfabric_trace_dropped(void **state)
{
	(void)state;
	answer("glass0:1 3", "glass0 - 1 -\nswitch0 1 - no_route\n");
	cli_has(1,
		"Dropped at switch0: no_route: the forwarding table of the switch has no entry for the LID",
		"trace", "glass0", "host2");
	assert_non_null(strstr(cli_said, "To mend it: let the subnet manager route: start opensm"));
	answer("glass0:1 3", "glass0 - 1 -\nswitch0 1 2 -\nspine 1 2 -\nswitch0 3 - port_down\n");
	cli_has(1, "the forwarding tables lead in a circle", "trace", "glass0", "host2");
	answer("glass0:1 77", "glass0 - 1 -\nswitch0 1 - no_route\n");
	cli_has(1, "to LID 77, which no port has", "trace", "glass0", "77");
	answer("glass0:1 3", "glass0 - - strange\n");
	cli_has(1, "\"reason\":\"strange\"", "trace", "glass0", "host2", "--json");
}

static void test_ibfabric_trace_errors(void **state)
{
	(void)state;
	cli_is(1,
	       "ibfabric: glass1:1 has no LID: no subnet manager has configured it; start one, such as opensm\n",
	       "trace", "glass0", "glass1");
	cli_is(1, "ibfabric: glas0: there is no such node; did you mean glass0?\n", "trace",
	       "glas0", "host2");
	cli_has(1, "unicast LIDs are 1 to 49151", "trace", "glass0", "65535");
	cli_has(2, "expected where from and where to", "trace", "glass0");
	cli_is(3, "ibfabric: this module cannot trace: it has no file fabric/trace\n", "trace",
	       "glass0", "host2");
	answer("glass0:1 3", "");
	cli_is(1, "ibfabric: the driver has no answer to \"glass0:1 3\"\n", "trace", "glass0",
	       "host2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ibfabric_trace_arrives, cli_small_fabric),
		cmocka_unit_test_setup(test_ibfabric_trace_dropped, cli_small_fabric),
		cmocka_unit_test_setup(test_ibfabric_trace_errors, cli_small_fabric),
	};

	return cmocka_run_group_tests_name("ibfabric_trace", tests, cli_begin, cli_end);
}
