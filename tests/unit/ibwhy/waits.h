/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots of QPs that wait, as answers of inspect. */
#ifndef GLASS_TESTS_UNIT_IBWHY_WAITS_H
#define GLASS_TESTS_UNIT_IBWHY_WAITS_H

#include "harness.h"
#include "lib/why/wait.h"

/* A QP: its number, peer's device and number, process, state, wait, receives posted */
#define QP_TEXT(qpn, peer_dev, peer, pid, comm, state, wait, used)                                 \
	"qpn: " qpn "\nqptype: rc\nstate: " state "\npid: " pid "\ncomm: " comm "\nwaits_for: " wait \
	"\nwhy:\n  waits_for: " wait "\npeer:\n  dev: " peer_dev "\n  qpn: " peer                    \
	"\nsq:\n  used: 0\nrq:\n  used: " used "\n"

/*
 * The same with further lines of the object behind its first ones, and sections behind the others. An
 * object has a key once: so `peer` is one of these sections, too.
 */
#define QP_MORE(qpn, pid, comm, state, wait, lines, sections)                                      \
	"qpn: " qpn "\nstate: " state "\npid: " pid "\ncomm: " comm "\n" lines "waits_for: " wait   \
	"\nwhy:\n  waits_for: " wait "\n" sections

#define WAIT_QPS 3

struct wait_world {
	struct why_snapshot w;
	struct why_qp qp[WAIT_QPS];
	struct debugfs_file text[WAIT_QPS];
};

/* Text and device of each QP; NULL ends the list. */
static inline void wait_world(struct wait_world *world, const char *const text[WAIT_QPS],
			      const char *const dev[WAIT_QPS])
{
	size_t i;

	memset(world, 0, sizeof(*world));
	world->w.qp = world->qp;
	for (i = 0; i < WAIT_QPS && text[i]; i++) {
		assert_int_equal(debugfs_copy(&world->text[i], "qp", text[i], strlen(text[i])), 0);
		why_story_read_object(&world->text[i], &world->qp[i].story, "qp");
		assert_int_equal(world->text[i].bad, 0);
		assert_true(why_qp_take(&world->qp[i], dev[i]));
		world->w.qps++;
	}
}

static inline void wait_world_free(struct wait_world *world)
{
	size_t i;

	for (i = 0; i < WAIT_QPS; i++) {
		why_story_free(&world->qp[i].story);
		debugfs_free(&world->text[i]);
	}
}

#endif
