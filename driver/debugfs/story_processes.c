// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table `processes` of a story (story.h). */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>

#include "debugfs/story.h"
#include "observe/gone.h"

DEFINE_GLASS_FIELDS(story_processes, GLASS_COLUMNS_STORY_PROCESS);

#define PROCESS(name) GLASS_COL_STORY_PROCESS_##name

/* Returns the word for the state of a task. The caller is in an RCU read section. */
static const char *task_word(const struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);

	if (READ_ONCE(task->exit_state))
		return READ_ONCE(task->exit_state) & EXIT_ZOMBIE ? "zombie" : "gone";
	if (state & (__TASK_STOPPED | __TASK_TRACED) || task->signal->flags & SIGNAL_STOP_STOPPED)
		return "stopped";
	return state == TASK_RUNNING ? "running" : "sleeping";
}

/*
 * Returns the word for the state of a process of the first PID namespace, which is the one of
 * struct glass_owner. `created`: ktime_get_ns() when it created an object; a process that began
 * later only has the same number. Any context.
 */
static const char *process_word(pid_t pid, u64 created)
{
	const struct task_struct *task;
	const char *word = "gone";

	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_TGID);
	if (task && (!created || task->start_time <= created))
		word = task_word(task);
	rcu_read_unlock();
	return word;
}

void glass_story_note_processes(struct glass_story *s, const struct glass_failure *f)
{
	if (f->pid)
		s->local_process = process_word(f->pid, f->created);
	if (f->peer_comm[0] && f->peer_pid)
		s->peer_process = process_word(f->peer_pid, s->ready->peer.owner.created_ns);
}

/* state: a word, or NULL for the kernel */
static void process_row(struct glass_lines *l, pid_t pid, const char *comm, const char *role, u32 uid,
			const char *state)
{
	if (!glass_lines_begin(l))
		return;
	glass_row_num(&l->row, PROCESS(pid), pid);
	glass_row_text(&l->row, PROCESS(comm), "%.*s", TASK_COMM_LEN, comm);
	glass_row_word(&l->row, PROCESS(role), role);
	if (state)
		glass_row_word(&l->row, PROCESS(state), state);
	glass_row_num(&l->row, PROCESS(uid), uid);
	glass_lines_row(l, &glass_fields_story_processes);
	glass_lines_end(l);
}

/* The row of the process of a peer that no longer exists, if the driver remembers that QP. */
static void gone_peer_row(struct glass_lines *l, const struct glass_failure *f)
{
	struct glass_gone_qp gone;

	if (!f->peer_qpn || !f->peer_dev[0])
		return;
	if (!glass_gone_find_qps(f->peer_hca, f->peer_qpn, &gone, 1) || gone.dest_qpn != f->num)
		return;
	process_row(l, gone.pid, gone.comm, "remote", gone.uid,
		    gone.pid ? process_word(gone.pid, gone.born) : NULL);
}

void glass_story_processes(struct glass_lines *l, const struct glass_story *s,
			   const struct glass_failure *f)
{
	glass_lines_block(l, GLASS_STORY_PROCESSES_BYTES);
	glass_lines_header(l, GLASS_HEADER("processes", GLASS_COLUMNS_STORY_PROCESS));
	process_row(l, f->pid, f->comm, "local", f->uid, s->local_process);
	if (f->peer_comm[0])
		process_row(l, f->peer_pid, f->peer_comm, "remote", f->peer_uid, s->peer_process);
	else
		gone_peer_row(l, f);
}
