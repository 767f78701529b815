# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 110
# long: thousands of objects of each kind
# What `make scale` does, with smaller numbers: many pairs, processes, regions, windows, groups and rules. All data is compared, and
# nothing is left.

# shellcheck source=tests/lib/inject.sh
. "$TESTS/lib/inject.sh"

KINDS=(ucontext pd cq qp srq mr ah mcast)

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

all_objects()
{
	local kind
	for kind in "${KINDS[@]}"; do
		echo "$kind $(objects "$kind")"
	done
}

as_before()
{
	all_objects >now
	cmp -s before now
}

nothing_is_left()
{
	wait_for 20 as_before || {
		diff before now
		fail "objects are left"
	}
}

# leaves_nothing PROGRAM [ARG]...: it succeeds, and what it made is gone
leaves_nothing()
{
	all_objects >before
	"$@" >log || fail "$*: status $?: $(<log)"
	cat log
	nothing_is_left
}

# killed_leaves_nothing PROGRAM [ARG]...: the same when it is killed with all that it made
killed_leaves_nothing()
{
	all_objects >before
	start log "$@" --wait
	wait_for 60 in_file log '^ready$' || fail "$*: $(<log)"
	kill -KILL "$STARTED"
	nothing_is_left
}

test_pairs() { leaves_nothing many_pairs -n 500; }
test_processes() { leaves_nothing many_processes -n 60; }
test_regions_and_windows() { leaves_nothing many_regions -n 3000 -m 3000; }
test_groups() { leaves_nothing many_groups -n 500; }
test_completion_queues() { leaves_nothing many_qps --cqs -n 2000 -s 1; }

test_killed_pairs() { killed_leaves_nothing many_pairs -n 500; }
test_killed_processes() { killed_leaves_nothing many_processes -n 60; }
test_killed_regions() { killed_leaves_nothing many_regions -n 3000 -m 3000; }
test_killed_groups() { killed_leaves_nothing many_groups -n 500; }

# A process that fails ends all others, and the program says which one it was.
test_a_process_fails()
{
	all_objects >before
	rule glass0 'add name=no comm=many_processes verb=create_qp err=ENOMEM count=1 act=fail'
	trap 'rule_text glass0 "del name=no"' EXIT
	refuses many_processes -n 80
	assert_match "$REFUSAL" 'many_processes: process [0-9]+: create_qp: Cannot allocate memory'
	nothing_is_left
}

LIMIT_test_the_experiment=240
# The command itself, which also compares the lists of ibtop and rdma with what there is.
test_the_experiment()
{
	"$TESTS/../bench/scale" --divide 200 --json scale.json >table 2>scale.log || fail "bench/scale: $(<scale.log)"
	cat table
	jq -e '(.rows | length == 7) and all(.rows[]; .objects > 0 and .kernel_bytes != null) and (.looks | length == 7)' scale.json >/dev/null ||
		fail "$(<scale.json)"
}
