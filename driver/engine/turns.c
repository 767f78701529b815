// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Decides the order in which the QPs of a lane have their turns (party.h). */
#include "engine/lane.h"
#include "engine/party.h"

/*
 * Appends an entry to t, a party's queue: a QP to the queue of a process, or a process to the queue
 * of a group. The entry is not queued yet. Returns true if the queue was empty. The caller must
 * then queue the party, too.
 */
static bool turn_enqueue(struct glass_turns *t, struct list_head *entry)
{
	bool first = list_empty(&t->waiting);

	list_add_tail(entry, &t->waiting);
	return first;
}

void glass_run_add_by_turn(struct glass_run *run, struct glass_qp *qp)
{
	struct glass_party *p = qp->party;

	if (!p) {
		list_add_tail(&qp->run_node, &run->qps);
		return;
	}
	if (turn_enqueue(&p->turns[run->lane], &qp->run_node) &&
	    turn_enqueue(&p->group->turns[run->lane], &p->turns[run->lane].node))
		list_add_tail(&p->group->turns[run->lane].node, &run->groups);
}

/*
 * Called when a QP of a party gets a turn. `t` is the party's queue, which is an entry of the list
 * `level`. Moves t to the end of that list, or removes t if no other QP of the party waits.
 */
static void had_turn(struct glass_turns *t, struct list_head *level)
{
	if (list_empty(&t->waiting))
		list_del_init(&t->node);
	else
		list_move_tail(&t->node, level);
}

struct glass_qp *glass_run_next(struct glass_run *run)
{
	struct glass_turns *group, *process;
	struct glass_qp *qp;

	if (!list_empty(&run->qps) && (!run->kernel_had || list_empty(&run->groups))) {
		qp = list_first_entry(&run->qps, struct glass_qp, run_node);
		list_del_init(&qp->run_node);
		run->kernel_had = true;
		return qp;
	}
	run->kernel_had = false;
	if (list_empty(&run->groups))
		return NULL;
	group = list_first_entry(&run->groups, struct glass_turns, node);
	process = list_first_entry(&group->waiting, struct glass_turns, node);
	qp = list_first_entry(&process->waiting, struct glass_qp, run_node);
	list_del_init(&qp->run_node);
	had_turn(process, &group->waiting);
	had_turn(group, &run->groups);
	return qp;
}
