// SPDX-License-Identifier: GPL-2.0-only
/* GIDs of ports, from sysfs: their view, details of ports, events and records. */
#define _GNU_SOURCE
#include "ibtop/batch/batch.h"
#include "ibtop_fake.h"

#define PORTS "sys/class/infiniband/glass0/ports"
#define EMPTY "0000:0000:0000:0000:0000:0000:0000:0000"
#define LINK_LOCAL "fe80:0000:0000:0000:0211:22ff:fe33:4455"
#define V4 "0000:0000:0000:0000:0000:ffff:0a09:0002"

static void write_gid(struct fake *f, unsigned int port, unsigned int index, const char *gid,
		      const char *type, const char *netdev)
{
	char path[120], text[80];

	snprintf(path, sizeof(path), PORTS "/%u/gids/%u", port, index);
	snprintf(text, sizeof(text), "%s\n", gid);
	fake_write(f, path, text);
	/* the kernel's files of an empty entry can be opened, but not read */
	snprintf(path, sizeof(path), PORTS "/%u/gid_attrs/types/%u", port, index);
	snprintf(text, sizeof(text), "%s\n", type);
	fake_write(f, path, *type ? text : "");
	snprintf(path, sizeof(path), PORTS "/%u/gid_attrs/ndevs/%u", port, index);
	snprintf(text, sizeof(text), "%s\n", netdev);
	fake_write(f, path, *netdev ? text : "");
}

static void make_port(struct fake *f, unsigned int port, const char *link_layer)
{
	char path[120];

	snprintf(path, sizeof(path), PORTS "/%u/gids", port);
	fake_dir(f, path);
	snprintf(path, sizeof(path), PORTS "/%u/gid_attrs/types", port);
	fake_dir(f, path);
	snprintf(path, sizeof(path), PORTS "/%u/gid_attrs/ndevs", port);
	fake_dir(f, path);
	snprintf(path, sizeof(path), PORTS "/%u/link_layer", port);
	fake_write(f, path, link_layer);
}

/* A port of Ethernet with three GIDs, and one of InfiniBand */
static void make_ports(struct fake *f)
{
	make_port(f, 1, "Ethernet\n");
	write_gid(f, 1, 0, LINK_LOCAL, "RoCE v2", "there");
	write_gid(f, 1, 1, V4, "RoCE v2", "there.7");
	write_gid(f, 1, 2, EMPTY, "", "");
	write_gid(f, 1, 3, "fd00:0009:0000:0000:0000:0000:0000:0002", "IB/RoCE v1", "there");
	make_port(f, 2, "InfiniBand\n");
	write_gid(f, 2, 0, "fe80:0000:0000:0000:6c61:7373:0000:0001", "IB/RoCE v1", "");
}

static void refresh(struct fake *f)
{
	assert_true(model_refresh(f->m));
}

static void check_row(struct fake *f, size_t i, unsigned int port, unsigned int index,
		      const char *type, const char *netdev, const char *address)
{
	const struct row *row = fake_row(f, VIEW_GID, i);

	assert_int_equal(fake_cell(f, row, "port").num, port);
	assert_int_equal(fake_cell(f, row, "index").num, index);
	assert_string_equal(fake_text(f, row, "gid_type"), type);
	assert_string_equal(fake_text(f, row, "netdev"), netdev);
	assert_string_equal(fake_text(f, row, "address"), address);
}

static void check_rows(struct fake *f)
{
	assert_int_equal(view_count(f->m, VIEW_GID), 4);
	check_row(f, 0, 1, 0, "RoCE v2", "there", "fe80::211:22ff:fe33:4455");
	check_row(f, 1, 1, 1, "RoCE v2", "there.7", "10.9.0.2");
	check_row(f, 2, 1, 3, "RoCE v1", "there", "fd00:9::2");
	check_row(f, 3, 2, 0, "IB", "-", "-");
	assert_string_equal(fake_text(f, fake_row(f, VIEW_GID, 1), "gid"), V4);
}

static void test_view(void **state)
{
	struct fake *f = *state;
	char error[200];

	make_ports(f);
	fake_open(f);
	/* it is read from the first time on that it is wanted */
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_GID), 0);
	assert_true(model_lacks(f->m, VIEW_GID));
	assert_non_null(strstr(view_missing(f->m, VIEW_GID), "next refresh"));
	model_want(f->m, VIEW_GID);
	refresh(f);
	assert_false(model_lacks(f->m, VIEW_GID));
	assert_null(view_missing(f->m, VIEW_GID));
	check_rows(f);
	/* none is new, and none is an event */
	assert_false(row_new(fake_row(f, VIEW_GID, 0)));
	assert_int_equal(view_count(f->m, VIEW_EVENT), 0);
	assert_ptr_equal(row_named(f->m, "gid glass0:1", error, sizeof(error)), fake_row(f, VIEW_GID, 1));
	assert_ptr_equal(row_named(f->m, "gid glass0:0:2", error, sizeof(error)), fake_row(f, VIEW_GID, 3));
	assert_null(row_named(f->m, "gid glass0:0", error, sizeof(error)));
}

static void test_events(void **state)
{
	struct fake *f = *state;

	make_ports(f);
	fake_open(f);
	model_want(f->m, VIEW_GID);
	refresh(f);
	/* another address takes the place of one, and an InfiniBand GID goes */
	write_gid(f, 1, 1, "0000:0000:0000:0000:0000:ffff:0a09:0003", "RoCE v2", "there");
	write_gid(f, 2, 0, EMPTY, "", "");
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_GID), 3);
	assert_true(row_new(fake_row(f, VIEW_GID, 1)));
	assert_false(row_new(fake_row(f, VIEW_GID, 0)));
	assert_int_equal(view_count(f->m, VIEW_EVENT), 3);
	for (size_t i = 0; i < 3; i++) {
		const struct row *row = fake_row(f, VIEW_EVENT, i);
		const char *text = fake_cell(f, row, "text").text;
		bool came = !strcmp(fake_cell(f, row, "what").text, "new");

		assert_string_equal(fake_text(f, row, "kind"), "gid");
		assert_true(came ? !strcmp(text, "port 1: 10.9.0.3") && fake_cell(f, row, "num").num == 1
				 : !strcmp(text, "port 1: 10.9.0.2") ||
					   !strcmp(text, "port 2: fe80:0000:0000:0000:6c61:7373:0000:0001"));
	}
}

/* An old kernel, or a table that goes while it is read: nothing is half shown. */
static void test_missing(void **state)
{
	struct fake *f = *state;

	make_port(f, 1, "Ethernet\n");
	fake_open(f);
	model_want(f->m, VIEW_GID);
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_GID), 0);
	assert_non_null(strstr(view_missing(f->m, VIEW_GID), "no port"));
	write_gid(f, 1, 0, V4, "RoCE v2", "there");
	fake_remove(f, PORTS "/1/gid_attrs/types/0");
	fake_remove(f, PORTS "/1/gid_attrs/ndevs/0");
	refresh(f);
	assert_int_equal(view_count(f->m, VIEW_GID), 1);
	assert_int_equal(fake_cell(f, fake_row(f, VIEW_GID, 0), "gid_type").state, CELL_NA);
	/* what is no GID is shown as it is, without an address */
	write_gid(f, 1, 0, "fe80::%1\x1b[2J", "RoCE v2", "there");
	refresh(f);
	check_row(f, 0, 1, 0, "RoCE v2", "there", "-");
	assert_null(strchr(fake_text(f, fake_row(f, VIEW_GID, 0), "gid"), '\x1b'));
}

static void test_detail(void **state)
{
	static const char *const entries[] = {
		"index=0 gid=" LINK_LOCAL " netdev=there address=fe80::211:22ff:fe33:4455 gid_type=RoCE v2",
		"index=1 gid=" V4 " netdev=there.7 address=10.9.0.2 gid_type=RoCE v2",
		"index=3 gid=fd00:0009:0000:0000:0000:0000:0000:0002 netdev=there address=fd00:9::2 gid_type=RoCE v1",
	};
	struct fake *f = *state;
	struct detail *d;
	size_t i, n = 0;

	make_ports(f);
	fake_open(f);
	refresh(f);
	d = model_detail(f->m, fake_row(f, VIEW_PORT, 0));
	assert_non_null(d);
	for (i = 0; i < d->count; i++) {
		if (d->lines[i].kind != DETAIL_ENTRY)
			continue;
		assert_string_equal(d->lines[i].key, "gid");
		assert_in_range(n, 0, ARRAY_LEN(entries) - 1);
		assert_string_equal(d->lines[i].text, entries[n++]);
	}
	assert_int_equal(n, ARRAY_LEN(entries));
	detail_free(d);
}

static void print(struct fake *f, enum output output, char *text, size_t size)
{
	FILE *to = tmpfile();
	int before = dup(1);

	assert_non_null(to);
	f->options.view = "gid";
	f->options.output = output;
	f->options.iterations = 1;
	fflush(stdout);
	dup2(fileno(to), 1);
	assert_int_equal(batch_run(f->m, &f->options), 0);
	fflush(stdout);
	dup2(before, 1);
	close(before);
	rewind(to);
	text[fread(text, 1, size - 1, to)] = 0;
	fclose(to);
}

static void test_outputs(void **state)
{
	struct fake *f = *state;
	char text[8000];

	make_ports(f);
	fake_open(f);
	print(f, OUTPUT_TEXT, text, sizeof(text));
	assert_non_null(strstr(text, "GIDs of ports: 4"));
	assert_non_null(strstr(text, V4 "  RoCE v2  there.7  10.9.0.2\n"));
	print(f, OUTPUT_JSON, text, sizeof(text));
	assert_non_null(strstr(text, "\"gid_type\":\"RoCE v2\""));
	assert_non_null(strstr(text, "\"address\":\"10.9.0.2\""));
	assert_non_null(strstr(text, "\"netdev\":\"there.7\""));
}

/* A record has the GIDs. */
static void test_record(void **state)
{
	struct fake *f = *state;

	make_ports(f);
	f->options.record = f->record;
	fake_open(f);
	refresh(f);
	check_rows(f);
	model_free(f->m);
	f->options.record = NULL;
	f->options.replay = f->record;
	fake_open(f);
	refresh(f);
	assert_null(view_missing(f->m, VIEW_GID));
	check_rows(f);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)
	static const struct CMUnitTest tests[] = {
		T(test_view),	T(test_events),	 T(test_missing),
		T(test_detail), T(test_outputs), T(test_record),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
