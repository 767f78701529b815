// SPDX-License-Identifier: GPL-2.0-only
/* The views of the fabric: values of the driver, sums, rates, references, events, when they are read. */
#define _GNU_SOURCE
#include <math.h>

#include "ibtop_fake.h"

#define PORT_HEAD \
	"# glass 1 fport: node port lid peer state width speed tx_words rx_words tx_pkts rx_pkts xmit_discards rcv_relay link_downed\n"
#define NODE_HEAD  "# glass 1 fnode: name kind ports guid desc device lid\n"
#define NETDEV_HEAD \
	"# glass 1 netcable: a netdev state trouble peer peer_host pulled tx_bytes rx_bytes tx_packets rx_packets tx_dropped lost bad_stranger bad_untrained\n"
#define CABLE_HEAD "# glass 1 fcable: a b width speed mtu pulled a_state b_state active_width active_speed\n"

/* glass0 at leaf0, which has a cable to spine0. The counters are those after so many steps. */
static void write_fabric(const struct fake *f, unsigned int step, bool pulled)
{
	const char *state = pulled ? "down" : "active";
	char text[1000];

	fake_write(f, "debug/glass/fabric/nodes",
		   NODE_HEAD "glass0 hca 1 0x100 glass0 glass0 1\n"
			     "leaf0 switch 4 0x200 a%20leaf - 2\nspine0 switch 2 0x300 % - 3\n");
	snprintf(text, sizeof(text),
		 PORT_HEAD "glass0 1 1 leaf0:1 active 4 edr %u 0 %u 0 0 0 0\n"
			   "leaf0 0 2 - active 4 edr 7777 7777 77 77 100 0 0\n"
			   "leaf0 1 0 glass0:1 active 4 edr 0 %u 0 %u 0 %u 0\n"
			   "leaf0 2 0 spine0:1 %s 4 edr %u 0 %u 0 %u 0 %u\n"
			   "leaf0 3 0 - down - - 0 0 0 0 0 0 0\n"
			   "spine0 1 0 leaf0:2 %s 4 edr 0 %u 0 %u 0 0 0\n",
		 1000 * step, 10 * step, 1000 * step, 10 * step, step, state, 1000 * step, 10 * step,
		 2 * step, pulled, state, 1000 * step, 10 * step);
	fake_write(f, "debug/glass/fabric/ports", text);
	snprintf(text, sizeof(text),
		 CABLE_HEAD "glass0:1 leaf0:1 12 ndr 4096 no active active 4 edr\n"
			    "leaf0:2 spine0:1 12 ndr 4096 %s %s %s 4 edr\n",
		 pulled ? "yes" : "no", state, state);
	fake_write(f, "debug/glass/fabric/cables", text);
}

static void open_fabric(struct fake *f)
{
	fake_open(f);
	model_want(f->m, VIEW_FNODE);
	model_want(f->m, VIEW_FCABLE);
	assert_true(model_refresh(f->m));
}

/* Is the rate what a counter has gone up by since the last refresh? */
static void rate_is(const struct fake *f, const struct row *row, const char *column, double counted)
{
	struct cell cell = fake_cell(f, row, column);
	double expected = counted * NS_PER_SEC / model_interval(f->m);

	assert_int_equal(cell.state, CELL_VALUE);
	if (fabs(cell.real - expected) > expected / 1000)
		fail_msg("%s is %f, not %f", column, cell.real, expected);
}

static void test_rows_and_sums(void **state)
{
	struct fake *f = *state;
	const struct row *leaf, *port, *cable;

	write_fabric(f, 1, false);
	open_fabric(f);
	assert_int_equal(view_count(f->m, VIEW_FNODE), 3);
	assert_int_equal(view_count(f->m, VIEW_FPORT), 6);
	assert_int_equal(view_count(f->m, VIEW_FCABLE), 2);
	leaf = fake_row(f, VIEW_FNODE, 1);
	assert_string_equal(fake_text(f, leaf, "desc"), "a leaf");
	assert_int_equal(fake_cell(f, leaf, "dev").state, CELL_NONE);
	assert_int_equal(fake_cell(f, leaf, "device").state, CELL_NONE);
	assert_string_equal(fake_text(f, fake_row(f, VIEW_FNODE, 0), "device"), "glass0");
	/* without port 0, whose counters are in no sum */
	assert_int_equal(fake_cell(f, leaf, "ports_active").num, 2);
	assert_int_equal(fake_cell(f, leaf, "errors").num, 3);
	assert_int_equal(fake_cell(f, leaf, "tx_bytes_s").state, CELL_NA);
	write_fabric(f, 3, false);
	assert_true(model_refresh(f->m));
	port = fake_row(f, VIEW_FPORT, 3);
	assert_int_equal(fake_cell(f, port, "errors").num, 6);
	assert_false(row_new(port));
	rate_is(f, port, "tx_bytes_s", 8000);
	rate_is(f, port, "tx_pkts_s", 20);
	rate_is(f, port, "errors_s", 4);
	assert_true(fake_cell(f, port, "rx_bytes_s").real == 0);
	leaf = fake_row(f, VIEW_FNODE, 1);
	rate_is(f, leaf, "tx_bytes_s", 8000);
	rate_is(f, leaf, "rx_bytes_s", 8000);
	rate_is(f, leaf, "rx_pkts_s", 20);
	rate_is(f, leaf, "errors_s", 6);
	rate_is(f, leaf, "activity", 16000);
	rate_is(f, leaf, "tx_peak", 8000);
	cable = fake_row(f, VIEW_FCABLE, 1);
	rate_is(f, cable, "ab_bytes_s", 8000);
	rate_is(f, cable, "ab_pkts_s", 20);
	assert_true(fake_cell(f, cable, "ba_bytes_s").real == 0);
	assert_int_equal(fake_cell(f, cable, "errors").num, 6);
	rate_is(f, cable, "errors_s", 4);
}

/* Long tables are read from the first time on that somebody wants to see them. */
static void test_read_when_wanted(void **state)
{
	struct fake *f = *state;

	write_fabric(f, 1, false);
	fake_open(f);
	assert_true(model_refresh(f->m));
	assert_int_equal(view_count(f->m, VIEW_FPORT), 0);
	assert_true(model_lacks(f->m, VIEW_FPORT));
	assert_false(model_lacks(f->m, VIEW_QP));
	assert_non_null(strstr(view_missing(f->m, VIEW_FCABLE), "next refresh"));
	model_want(f->m, VIEW_QP);
	assert_true(model_refresh(f->m));
	assert_int_equal(view_count(f->m, VIEW_FPORT), 0);
	model_want(f->m, VIEW_FPORT);
	assert_true(model_refresh(f->m));
	assert_int_equal(view_count(f->m, VIEW_FPORT), 6);
	assert_int_equal(view_count(f->m, VIEW_FCABLE), 0);
	assert_false(model_lacks(f->m, VIEW_FPORT));
	assert_true(model_lacks(f->m, VIEW_FCABLE));
	assert_null(view_missing(f->m, VIEW_FPORT));
	/* they were there before: they are neither new, nor an event */
	assert_false(row_new(fake_row(f, VIEW_FPORT, 0)));
	assert_int_equal(view_count(f->m, VIEW_EVENT), 0);
	model_want(f->m, VIEW_FNODE);
	assert_true(model_refresh(f->m));
	assert_int_equal(view_count(f->m, VIEW_FNODE), 3);
	assert_false(row_new(fake_row(f, VIEW_FNODE, 0)));
	/* a module without a fabric, or none */
	fake_remove(f, "debug/glass/fabric/nodes");
	fake_remove(f, "debug/glass/fabric/ports");
	fake_remove(f, "debug/glass/fabric/cables");
	assert_true(model_refresh(f->m));
	assert_int_equal(view_count(f->m, VIEW_FNODE), 0);
	assert_non_null(strstr(view_missing(f->m, VIEW_FNODE), "only Glass"));
}

static void test_references(void **state)
{
	struct fake *f = *state;
	const struct column *object = column_find(view_get(VIEW_TREE), "object");
	char error[200], text[200];
	const struct row *row;

	write_fabric(f, 1, true);
	open_fabric(f);
	row = row_named(f->m, "fport leaf0:2", error, sizeof(error));
	assert_ptr_equal(row, fake_row(f, VIEW_FPORT, 3));
	assert_string_equal(row_cell(f->m, row, object).text, "fport leaf0:2");
	assert_ptr_equal(row_peer(f->m, row), fake_row(f, VIEW_FPORT, 5));
	assert_ptr_equal(row_peer(f->m, row_peer(f->m, row)), row);
	assert_null(row_peer(f->m, fake_row(f, VIEW_FPORT, 4)));
	/* commands: a pulled cable is plugged in, the other is cut */
	assert_true(row_command(f->m, row, ACTION_INJECT, text, sizeof(text)));
	assert_string_equal(text, "ibfabric plug leaf0:2");
	assert_true(row_command(f->m, fake_row(f, VIEW_FPORT, 2), ACTION_INJECT, text, sizeof(text)));
	assert_string_equal(text, "ibfabric cut leaf0:1");
	assert_true(row_command(f->m, fake_row(f, VIEW_FPORT, 0), ACTION_CAPTURE, text, sizeof(text)));
	assert_string_equal(text, "ibcap -w ibtop.pcapng glass0:1");
	assert_false(row_command(f->m, row, ACTION_CAPTURE, text, sizeof(text)));
	assert_non_null(strstr(text, "at HCAs"));
	assert_false(row_command(f->m, fake_row(f, VIEW_FNODE, 1), ACTION_INJECT, text, sizeof(text)));
	assert_false(row_command(f->m, fake_row(f, VIEW_FPORT, 4), ACTION_INJECT, text, sizeof(text)));
	assert_false(row_command(f->m, row, ACTION_EXPLAIN, text, sizeof(text)));
	/* a cable by either end */
	row = row_named(f->m, "fcable spine0:1", error, sizeof(error));
	assert_ptr_equal(row, fake_row(f, VIEW_FCABLE, 1));
	assert_ptr_equal(row_named(f->m, "fcable leaf0:2", error, sizeof(error)), row);
	assert_string_equal(row_cell(f->m, row, object).text, "fcable leaf0:2 - spine0:1");
	assert_ptr_equal(row_named(f->m, "fnode spine0", error, sizeof(error)), fake_row(f, VIEW_FNODE, 2));
	assert_null(row_named(f->m, "fnode spine", error, sizeof(error)));
	assert_null(row_named(f->m, "fport spine0", error, sizeof(error)));
	assert_null(row_named(f->m, "fport spine0:9", error, sizeof(error)));
	assert_non_null(strstr(error, "no such object"));
}

static const char *entry_of(const struct detail *d, const char *key)
{
	size_t i;

	for (i = 0; i < d->count; i++)
		if (d->lines[i].kind == DETAIL_ENTRY && !strcmp(d->lines[i].key, key))
			return d->lines[i].text;
	return NULL;
}

static void test_details(void **state)
{
	struct fake *f = *state;
	struct detail *d;

	write_fabric(f, 1, false);
	open_fabric(f);
	d = model_detail(f->m, fake_row(f, VIEW_FNODE, 1));
	assert_non_null(d);
	assert_string_equal(entry_of(d, "2"),
			    "state=active lid=0 peer=spine0:1 width=4 speed=edr errors=2 link_downed=0");
	assert_string_equal(entry_of(d, "3"), "state=down lid=0 errors=0 link_downed=0");
	assert_null(entry_of(d, "4"));
	detail_free(d);
	d = model_detail(f->m, fake_row(f, VIEW_FCABLE, 1));
	assert_non_null(entry_of(d, "leaf0:2"));
	assert_non_null(strstr(entry_of(d, "spine0:1"), "peer=leaf0:2"));
	detail_free(d);
}

static bool has_event(struct fake *f, const char *what, const char *kind, const char *text)
{
	size_t i;

	for (i = 0; i < view_count(f->m, VIEW_EVENT); i++) {
		const struct row *row = fake_row(f, VIEW_EVENT, i);

		if (!strcmp(fake_text(f, row, "what"), what) && !strcmp(fake_text(f, row, "kind"), kind) &&
		    !strcmp(fake_text(f, row, "text"), text))
			return true;
	}
	return false;
}

static void test_events(void **state)
{
	struct fake *f = *state;

	write_fabric(f, 1, false);
	open_fabric(f);
	write_fabric(f, 2, true);
	assert_true(model_refresh(f->m));
	assert_true(has_event(f, "state", "fcable", "leaf0:2 - spine0:1: pulled out"));
	assert_true(has_event(f, "port", "fport", "leaf0:2: active -> down"));
	assert_true(has_event(f, "port", "fport", "spine0:1: active -> down"));
	assert_int_equal(view_count(f->m, VIEW_EVENT), 3);
	fake_write(f, "debug/glass/fabric/nodes",
		   NODE_HEAD "glass0 hca 1 0x100 glass0 glass0 1\nleaf0 switch 4 0x200 leaf - 2\n"
			     "leaf1 switch 4 0x201 leaf1 - 0\n");
	fake_write(f, "debug/glass/fabric/cables",
		   CABLE_HEAD "glass0:1 leaf0:1 12 ndr 4096 no active active 4 edr\n");
	assert_true(model_refresh(f->m));
	assert_true(has_event(f, "new", "fnode", "leaf1"));
	assert_true(has_event(f, "gone", "fnode", "spine0"));
	assert_true(has_event(f, "gone", "fcable", "leaf0:2 - spine0:1"));
	assert_int_equal(view_count(f->m, VIEW_EVENT), 6);
}

static void write_many(const struct fake *f, unsigned int nodes, const char *state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	unsigned int i, k;

	fputs(PORT_HEAD, to);
	for (i = 0; i < nodes; i++)
		for (k = 0; k <= 10; k++)
			fprintf(to, "sw%u %u 0 - %s 4 edr 0 0 0 0 0 0 0\n", i, k, state);
	fclose(to);
	fake_write(f, "debug/glass/fabric/ports", text);
	free(text);
	to = open_memstream(&text, &size);
	fputs(NODE_HEAD, to);
	for (i = 0; i < nodes; i++)
		fprintf(to, "sw%u switch 10 0x%x sw%u - 0\n", i, i + 1, i);
	fclose(to);
	fake_write(f, "debug/glass/fabric/nodes", text);
	free(text);
}

/* A subnet manager starts: a hundred ports share an event, and the list has room for others. */
static void test_many_ports(void **state)
{
	struct fake *f = *state;

	write_many(f, 1000, "init");
	open_fabric(f);
	assert_int_equal(view_count(f->m, VIEW_FPORT), 11000);
	write_many(f, 1000, "active");
	assert_true(model_refresh(f->m));
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_FNODE, 999), "ports_active").num, 10);
	assert_int_equal(view_count(f->m, VIEW_EVENT), 1);
	assert_true(has_event(f, "port", "fport", "sw0:0: init -> active, and 10999 others changed"));
}

/* What is wrong with a table is said; a row that names nothing is left out. */
static void test_bad_tables(void **state)
{
	struct fake *f = *state;
	const struct message *messages;

	write_fabric(f, 1, false);
	fake_write(f, "debug/glass/fabric/ports",
		   "# glass 1 fport: node port state\n- 1 active\nleaf0 - active\nleaf0 x active\nleaf0 1 active\n");
	fake_write(f, "debug/glass/fabric/cables",
		   "# glass 1 fcable: a b pulled\nleaf0:1 - no\nnonsense leaf0: yes\n");
	open_fabric(f);
	assert_int_equal(view_count(f->m, VIEW_FPORT), 1);
	assert_int_equal(view_count(f->m, VIEW_FCABLE), 1);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_FCABLE, 0), "errors").state, CELL_NA);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_FPORT, 0), "errors").state, CELL_NA);
	assert_int_equal(model_messages(f->m, &messages), 2);
	assert_null(messages[0].dev);
	assert_int_equal(messages[0].severity, SEVERITY_WARNING);
}

/* leaf0:3 has a netdev cable; the counters are those after so many steps. */
static void write_netdevs(const struct fake *f, unsigned int step, const char *state, const char *trouble,
			  const char *peer)
{
	char text[600];

	write_fabric(f, step, false);
	snprintf(text, sizeof(text),
		 PORT_HEAD "glass0 1 1 leaf0:1 active 4 edr 0 0 0 0 0 0 0\n"
			   "leaf0 3 0 %%40veth0:1 active 4 edr 0 0 0 0 0 0 0\n"
			   "leaf0 4 0 %%40veth1:1 down - - 0 0 0 0 0 0 0\n");
	fake_write(f, "debug/glass/fabric/ports", text);
	snprintf(text, sizeof(text),
		 NETDEV_HEAD "leaf0:3 veth0 %s %s %s no %u %u %u %u 1 %u %u 0\n"
			     "leaf0:4 veth1 silent none - - yes 0 0 0 0 0 0 0 0\n",
		 state, trouble, peer, 1000 * step, 500 * step, 10 * step, 5 * step, step, 2 * step);
	fake_write(f, "debug/glass/fabric/netdevs", text);
}

static const char *value_of(const struct detail *d, const char *key)
{
	size_t i;

	for (i = 0; i < d->count; i++)
		if (d->lines[i].kind == DETAIL_VALUE && !strcmp(d->lines[i].key, key))
			return d->lines[i].text;
	return NULL;
}

static void test_netdev_cables(void **state)
{
	struct fake *f = *state;
	const struct row *row, *port;
	char error[200], text[200];
	struct detail *d;

	write_netdevs(f, 1, "up", "none", "spine1:8 hostb");
	fake_open(f);
	model_want(f->m, VIEW_FPORT);
	assert_true(model_refresh(f->m));
	assert_int_equal(view_count(f->m, VIEW_NETCABLE), 2);
	/* the peer of a port is the port at the other side, if it is known */
	port = row_named(f->m, "fport leaf0:3", error, sizeof(error));
	assert_string_equal(fake_text(f, port, "peer"), "spine1:8 on hostb");
	assert_null(row_peer(f->m, port));
	port = row_named(f->m, "fport leaf0:4", error, sizeof(error));
	assert_string_equal(fake_text(f, port, "peer"), "@veth1:1");
	/* commands and names */
	row = row_named(f->m, "netcable leaf0:3", error, sizeof(error));
	assert_ptr_equal(row, fake_row(f, VIEW_NETCABLE, 0));
	assert_ptr_equal(row_named(f->m, "netcable veth1", error, sizeof(error)), fake_row(f, VIEW_NETCABLE, 1));
	assert_ptr_equal(row_named(f->m, "netcable @veth0", error, sizeof(error)), row);
	assert_null(row_named(f->m, "netcable veth2", error, sizeof(error)));
	assert_string_equal(row_cell(f->m, row, column_find(view_get(VIEW_TREE), "object")).text,
			    "netcable leaf0:3 - @veth0");
	assert_true(row_command(f->m, row, ACTION_INJECT, text, sizeof(text)));
	assert_string_equal(text, "ibfabric cut leaf0:3");
	assert_true(row_command(f->m, fake_row(f, VIEW_NETCABLE, 1), ACTION_INJECT, text, sizeof(text)));
	assert_string_equal(text, "ibfabric plug leaf0:4");
	assert_true(row_command(f->m, row_named(f->m, "fport leaf0:3", error, sizeof(error)), ACTION_INJECT, text,
				sizeof(text)));
	assert_string_equal(text, "ibfabric cut leaf0:3");
	assert_false(row_command(f->m, row, ACTION_CAPTURE, text, sizeof(text)));
	/* rates */
	write_netdevs(f, 3, "up", "third", "spine1:8 hostb");
	assert_true(model_refresh(f->m));
	row = fake_row(f, VIEW_NETCABLE, 0);
	assert_false(row_new(row));
	rate_is(f, row, "tx_bytes_s", 2000);
	rate_is(f, row, "rx_bytes_s", 1000);
	rate_is(f, row, "tx_pkts_s", 20);
	rate_is(f, row, "rx_pkts_s", 10);
	rate_is(f, row, "activity", 3000);
	rate_is(f, row, "tx_peak", 2000);
	/* lost, dropped, and what broke a rule */
	assert_int_equal(fake_cell(f, row, "errors").num, 1 + 3 + 6);
	rate_is(f, row, "errors_s", 6);
	assert_true(has_event(f, "state", "netcable", "leaf0:3 - @veth0: trouble none -> third"));
	/* the detail has each rule that was broken, in words */
	d = model_detail(f->m, row);
	assert_string_equal(entry_of(d, "bad_stranger"), "6: packets came from another MAC address than the peer's");
	assert_null(entry_of(d, "bad_untrained"));
	assert_non_null(strstr(entry_of(d, "leaf0:3"), "peer=spine1:8 on hostb"));
	assert_string_equal(value_of(d, "lost"), "3");
	assert_string_equal(value_of(d, "peer_host"), "hostb");
	detail_free(d);
	write_netdevs(f, 4, "silent", "none", "- -");
	assert_true(model_refresh(f->m));
	assert_true(has_event(f, "state", "netcable", "leaf0:3 - @veth0: up -> silent"));
	port = row_named(f->m, "fport leaf0:3", error, sizeof(error));
	assert_string_equal(fake_text(f, port, "peer"), "@veth0:1");
	fake_write(f, "debug/glass/fabric/netdevs", NETDEV_HEAD);
	assert_true(model_refresh(f->m));
	assert_true(has_event(f, "gone", "netcable", "leaf0:3 - @veth0"));
	assert_null(view_missing(f->m, VIEW_NETCABLE));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
	static const struct CMUnitTest tests[] = {
		TEST(test_rows_and_sums), TEST(test_read_when_wanted), TEST(test_references),
		TEST(test_details),	  TEST(test_events),	       TEST(test_many_ports),
		TEST(test_bad_tables),	  TEST(test_netdev_cables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
