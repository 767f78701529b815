// SPDX-License-Identifier: GPL-2.0-only
/* Panes with the story of a queue pair: why it failed, its packets, what it waits for. */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "ibtop_bench.h"

#define FAILURES "# glass 1 failures: id dev object num\n"

/* The driver has a failure of 0x101, which is in ERR: the story of a test of ibwhy. */
static void put_failure(void)
{
	char *text = calloc(1, 1 << 16);
	FILE *from = fopen("ibwhy/stories/access.story", "r");

	assert_non_null(from);
	strcpy(text, "3\n"); /* ibtop writes the id and reads on behind it */
	assert_true(fread(text + 2, 1, (1 << 16) - 3, from) > 0);
	fclose(from);
	machine_file(&b.machine, "../failures", FAILURES "1 glass0 qp 0x101\n2 glass0 cq 0x101\n3 glass0 qp 0x101\n4 glass0 qp 0x100\n");
	machine_file(&b.machine, "../failure", text);
	free(text);
}

static void test_story(void **state)
{
	(void)state;
	put_failure();
	size(120, 60);
	press("Down");
	press("Enter");
	sees("qp 0x101 on glass0 of beta: why it failed");
	sees("R_Key 0x1234 was no longer valid: server (pid 812) invalidated it by LOCAL_INV.");
	sees("first cause: key_stale");
	sees_not("\033");
	/* a failure does not change */
	refresh();
	sees("first cause: key_stale");
	press("d");
	sees("qp 0x101 on glass0 of beta: the packets before its failure");
	sees("write_only PSN 7936, 64 B");
	sees("dropped: access");
	size(60, 24);
	press("End");
	sees("completed write: rem_access_err");
	size(120, 60);
	press("Enter");
	sees("\u2502 PEER  qp 0x100");
	press("Esc");
	sees_not("\u2502 PEER");
	/* from the list, too */
	press("d");
	sees("the packets before its failure");
	press("Esc");
	machine_remove(&b.machine, "../failures");
	press("d");
	sees("no diagram: the driver keeps no failure of it");
	press("Enter");
	sees("no story: the driver keeps no failure of it");
	sees("\u2502 PEER");
	press("Esc");
}

static void test_story_of_stuck(void **state)
{
	char dir[200];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/glass/glass0/details", b.machine.debugfs);
	assert_int_equal(mkdir(dir, 0755), 0);
	machine_file(&b.machine, "details/qp", "# glass 1 inspect: qp 0x100\nqpn: 0x100\nqptype: rc\nstate: rts\npid: 1000001\n"
		     "comm: alpha\nwaits_for: rnr\npeer: glass0:0x101\ndest_qpn: 0x101\npeer:\n  dev: glass0\n  qpn: 0x101\n"
		     "# glass 1 inspect: qp 0x101\nqpn: 0x101\nqptype: rc\nstate: rts\npid: 1000002\ncomm: beta\n"
		     "waits_for: nothing\npeer: glass0:0x100\nrq:\n  max: 64\n  used: 0\n");
	size(120, 60);
	/* nothing moves */
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	assert_true(model_refresh(b.model));
	screen_refreshed(&b.screen);
	draw();
	press("Enter");
	sees("qp 0x100 on glass0 of alpha: what it waits for");
	sees("glass0:0x100 of alpha (pid 1000001) waits for rnr.");
	sees("end of the chain: no_recv");
	press("d");
	sees("no diagram: ");
	sees("waits for rnr.");
	press("Esc");
	machine_remove(&b.machine, "details/qp");
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_story, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_story_of_stuck, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
