# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 95
# Memory windows, XRC, path migration and prefetching, as programs see them.

# shellcheck source=tests/lib/inject.sh
. "$TESTS/lib/inject.sh"

setup()
{
	fresh_glass
	start_opensm
}

cleanup()
{
	stop_opensm
}

LIMIT=90

test_memory_windows() { operations windows; }

# Nothing of what the program made stays.
test_windows_go_with_their_program()
{
	operations windows
	assert_eq "$(sed 1d /sys/kernel/debug/glass/glass1/mw)" '' 'memory windows left'
}

test_path_migration()
{
	local status=0
	operations migrate 'ibinject port glass0:1 down' || status=$?
	ibinject port glass0:1 up
	((status == 0)) || fail "status $status"
	wait_for 30 ports_active
}

test_migration_by_hand() { operations by-hand; }

# A kernel consumer cannot register more than it mapped, in the last page or behind it.
test_registration_beyond_what_was_mapped()
{
	insmod /usr/local/lib/glass/check_reg_mr.ko device=glass0
	rmmod check_reg_mr
}

# Two QPs that invalidate one region at the same time do not wait for each other. (Both gave up after 200 ms, and failed.)
test_invalidated_by_two()
{
	insmod /usr/local/lib/glass/check_invalidate.ko device=glass0
	rmmod check_invalidate
}

test_flush()
{
	# by the kernel's version, not by what the adapter says: that is tested
	[[ $(printf '6.2\n%s\n' "$(uname -r)" | sort -V | head -n 1) == 6.2 ]] || skip "the RDMA core of Linux before 6.2 has no FLUSH"
	operations flush
}

test_keys_differ() { operations keys; }

# A program that takes lkey and rkey for one number goes on with the knob, which is off otherwise; rights are checked as ever.
test_equal_keys()
{
	local knob status=0
	for knob in "$GLASS_DEBUGFS"/glass[01]/behavior/equal_keys; do
		assert_eq "$(<"$knob")" 0 "$knob"
		echo 1 >"$knob"
	done
	operations keys equal || status=$?
	for knob in "$GLASS_DEBUGFS"/glass[01]/behavior/equal_keys; do
		echo 0 >"$knob"
	done
	((status == 0)) || fail "status $status"
	operations keys
}

test_xsrq_pingpong()
{
	local client server
	local -a clients=()
	next_port
	start server.log ibv_xsrq_pingpong -d glass0 -p "$TCP_PORT" -c 2 -n 100
	server=$STARTED
	wait_for 10 listening_or_gone "$TCP_PORT" "$server"
	for client in 1 2; do
		start "client$client.log" ibv_xsrq_pingpong -d glass1 -p "$TCP_PORT" -n 100 localhost
		clients+=("$STARTED")
	done
	for client in 1 2; do
		finish "${clients[client - 1]}" "client$client.log"
	done
	finish "$server" server.log
}

# What is to be seen while XRC is at work: domains, SRQs in them, both halves of the QPs.
xrc_objects()
{
	grep -q ' xrc_ini ' /sys/kernel/debug/glass/glass1/qp && grep -q ' xrc_tgt ' /sys/kernel/debug/glass/glass0/qp &&
		(($(wc -l </sys/kernel/debug/glass/glass0/xrcd) > 1))
}

test_xrc_objects()
{
	local server
	next_port
	start server.log ib_send_bw -d glass0 -p "$TCP_PORT" -c XRC -D 20
	server=$STARTED
	wait_for 10 listening_or_gone "$TCP_PORT" "$server"
	start client.log ib_send_bw -d glass1 -p "$TCP_PORT" -c XRC -D 20 localhost
	wait_for 15 xrc_objects || fail "glass0: $(cat /sys/kernel/debug/glass/glass0/xrcd /sys/kernel/debug/glass/glass0/qp)"
	kill "$STARTED" "$server"
	wait_for 10 gone "$server"
}

test_perftest_xrc()
{
	local tool
	for tool in ib_send_bw ib_write_bw ib_read_bw ib_atomic_bw ib_send_lat ib_write_lat ib_read_lat; do
		pair glass0 glass1 "$tool" -c XRC -n 100
	done
}

# A target QP of a shared domain outlives the context that made it, while lint looks at both.
test_xrc_shared()
{
	local lint=$GLASS_DEBUGFS/glass0/lint status=0
	echo 'add all' >"$lint/scope"
	xrc_shared || status=$?
	echo clear >"$lint/scope"
	echo 1 >"$lint/clear"
	((status == 0)) || fail "status $status"
}

test_xrc_target_with_an_srq() { xrc_shared srq; }

# Completions of a kernel consumer's target, in the CQ of the SRQ, go with it when nobody polled them.
test_xrc_target_of_the_kernel()
{
	xrc_target kernel
	assert_match "$(dmesg | grep check_xrc: | tail -n 1)" ' 0 completions after the end of their QP$'
}

test_overrun_of_an_xrc_srqs_cq() { xrc_shared overrun; }

test_xrc_target_has_an_owner() { xrc_target owner; }

# The receive that a message fills is of an SRQ and may have more SGEs than there is room for in a target's own receive queue.
# On the debug kernel KASAN sees what is written beyond.
test_inspect_of_an_xrc_target_in_mid_message()
{
	quiet
	rule glass1 'add name=second comm=xrc_target op=send nth=2 act=hold'
	xrc_target midway "$GLASS_DEBUGFS/glass1/inject/rules"
	quiet
}

# It has no send queue, and says so before anything looks at one.
test_post_send_on_an_xrc_target()
{
	trace_on glass_api_enter
	xrc_target post
	trace_off
	assert_eq "$(grep -c 'glass_api_enter .*verb=post_send .*XRC target has no send queue' trace)" 2 'posts refused by name'
}

# prefetch_began: has a program on glass0 brought in pages that were advised?
prefetch_began()
{
	local pages
	for pages in $(column "$GLASS_DEBUGFS/glass0/mr" prefetched); do
		[[ $pages != [1-9]* ]] || return 0
	done
	return 1
}

# What programs have on glass0, and the kernel: PDs and regions.
glass0_objects()
{
	echo "$(objects ucontext glass0) $(objects pd glass0) $(objects mr glass0)"
}

glass0_objects_are()
{
	[[ $(glass0_objects) == "$1" ]]
}

# prefetch_killed HOW: in the middle of what would take minutes
prefetch_killed()
{
	local before
	before=$(glass0_objects)
	assert_match "$before" '^0 ' "contexts before"
	start prefetch.log prefetch_ends "$1"
	wait_for 20 prefetch_began || {
		cat prefetch.log
		fail "no prefetch"
	}
	kill -KILL "$STARTED"
	wait_for 10 gone "$STARTED" || fail "it cannot be killed"
	wait_for 10 glass0_objects_are "$before" || fail "left: $(cat "$GLASS_DEBUGFS"/glass0/{ucontext,mr,pd})"
}

test_prefetch_waiting_is_killed() { prefetch_killed wait; }
test_prefetch_going_on_is_killed() { prefetch_killed linger; }

# prefetch_ends_by HOW
prefetch_ends_by()
{
	start prefetch.log prefetch_ends "$1"
	wait_for 30 gone "$STARTED" || fail "it goes on: $(cat "$GLASS_DEBUGFS/glass0/mr")"
	finish "$STARTED" prefetch.log
}

test_prefetch_ends_with_its_region() { prefetch_ends_by dereg; }

# The work still runs when it has dropped its last reference: only a queue of the module's own is drained before its text
# goes. (A buffer apart, because the kernel empties those that had events of a module that goes.)
test_prefetch_ends_before_the_module()
{
	local buffer=$TRACING/instances/advice queued work event ended
	mkdir "$buffer"
	for event in workqueue/workqueue_{queue_work,execute_end} module/module_free; do
		echo 1 >"$buffer/events/$event/enable"
	done
	prefetch_ends_by dereg
	# a name is found while the module is there
	queued=$(grep 'workqueue_queue_work: .*function=advice_work' "$buffer/trace") || fail 'no prefetch in the trace'
	stop_opensm
	modprobe -r glass
	cat "$buffer/trace" >advice
	rmdir "$buffer"
	modprobe glass
	start_opensm
	assert_match "$queued" 'workqueue=glass_slow ' 'the queue of the work'
	work=$(sed -n 's/.*work struct=\([^ ]*\) .*/\1/p' <<<"$queued" | tail -n 1)
	ended=$(sed -n "/workqueue_execute_end: work struct $work:/=" advice | tail -n 1)
	[[ -n $ended ]] || fail 'the work did not end'
	((ended < $(sed -n '/module_free: glass/=' advice))) || fail 'the module went before the work ended'
}
test_prefetch_ends_when_memory_changes() { prefetch_ends_by rereg; }

# flushed_while_sent HOW: the memory of what is on its way when its QP leaves RTS
flushed_while_sent()
{
	local knob=$GLASS_DEBUGFS/glass1/behavior/write_reorder status=0
	echo 1 >"$knob"
	flushed "$1" || status=$?
	echo 0 >"$knob"
	((status == 0)) || fail "status $status"
}

test_flushed_while_it_is_sent() { flushed_while_sent err; }
test_reset_while_it_is_sent() { flushed_while_sent reset; }

# A completion that a rule delays is gone when its QP is reset. (It came when the rule ended, with a place in the ring as it was
# before: the provider had no room for posts any more.)
test_reset_before_a_late_completion()
{
	rule glass0 'add name=late comm=operations op=send nth=1 time=1h act=cqe_delay'
	operations reset "echo clear >$GLASS_DEBUGFS/glass0/inject/rules"
}

# A create that the RDMA core undoes, because it cannot answer, meets no rule for destroy verbs. (The core warned, and the
# object stayed until the context was closed.)
test_a_create_is_undone_whatever_rules_say()
{
	local verb left
	left=$(stat_of glass0 left)
	for verb in dealloc_pd destroy_cq destroy_srq destroy_qp dereg_mr dealloc_xrcd; do
		rule glass0 "add name=$verb comm=aborted_create verb=$verb err=ENOSPC act=fail"
	done
	aborted_create "$GLASS_DEBUGFS/glass0/inject/rules"
	quiet
	assert_eq "$(stat_of glass0 left)" "$left" "objects that programs left"
}

# Rules end, one in each look at lifetimes, while the module goes. (The look used what the module had freed: KASAN tells.)
test_rules_end_while_the_module_goes()
{
	local round i
	stop_opensm
	for round in 1 2; do
		for ((i = 1; i <= 200; i++)); do
			rule glass0 "add name=r$i ttl=$((i * 20))ms act=hold wr_id=1"
		done
		unload_glass
		load_glass
	done
	start_opensm
}
LIMIT_test_rules_end_while_the_module_goes=180
