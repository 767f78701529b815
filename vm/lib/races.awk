# SPDX-License-Identifier: GPL-2.0-only
# The kernel's log (console or /dev/kmsg) without those reports of KCSAN in which no function of glass.ko has a part: the kernel
# has races of its own, which are not ours to mend. A report stands between two lines of "=".

function end_of_report()
{
	if (ours && !theirs)
		printf "%s", report
	report = ""
	ours = theirs = inside = 0
}

# Functions of kernel/workqueue.c that access a work item's data word. It is the workqueues' alone: they read it plainly while
# somebody queues the item, which needs no lock. Whoever calls queue_work() has no part in that.
function of_workqueues(name)
{
	return name ~ /^(__queue_work|queue(_delayed)?_work_on|mod_delayed_work_on|delayed_work_timer_fn|insert_work|set_work_data|set_work_pool_and_clear_pending|clear_pending_if_disabled|assign_work|move_linked_works|process_one_work|try_to_grab_pending|work_grab_pending|start_flush_work|__flush_work|__cancel_work)$/
}

# Functions of fs/select.c that access a waiter's word `triggered`. It is poll()'s alone: it reads it plainly while somebody wakes the
# waiter. Whoever calls wake_up() has no part in that.
function of_poll(name)
{
	return name ~ /^(pollwake|__pollwake|poll_schedule_timeout)(\.|$)/
}

/==============================$/ {
	if (inside > 1) {
		report = report $0 "\n"
		end_of_report()
	} else {
		# of KASAN's reports, perhaps: the next line tells
		end_of_report()
		report = $0 "\n"
		inside = ours = 1
	}
	next
}
inside == 1 {
	if ($0 !~ /BUG: KCSAN: /) {
		end_of_report()
		print
		next
	}
	inside = 2
	ours = 0
}
inside {
	report = report $0 "\n"
	# A stack ends with an empty line; below the entry of an interrupt, hard or soft, is who was interrupted, or who let the
	# soft interrupt in by local_bh_enable(), and below that of the scheduler is who woke a task: they have no part in it.
	if (/ (by task|by interrupt|at) .* on cpu |^(\[[^]]*\] *)*$/)
		interrupted = 0
	# Below the stacks stands which task reported it, and which work item that task was at.
	if (/ asm_| (handle_softirqs|__do_softirq|try_to_wake_up)\+|Reported by Kernel Concurrency Sanitizer/)
		interrupted = 1
	if (/BUG: KCSAN: data-race in /)
		theirs = (of_workqueues($(NF - 2)) && of_workqueues($NF)) || (of_poll($(NF - 2)) && of_poll($NF))
	if (/\[glass\]/ && (!interrupted || /BUG: KCSAN: /))
		ours = 1
	next
}
{ print }
# A guest that died in the midst of a report; with -v tell=1, status 3 says that the rest of one may follow.
END {
	unfinished = inside
	end_of_report()
	exit unfinished && tell ? 3 : 0
}
