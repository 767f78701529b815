# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 20
# What one tenant does, and another must not pay for. Counted are turns, packets and waits, not seconds.

# shellcheck source=tests/trace.sh
. "${BASH_SOURCE[0]%/*}/../trace.sh"

LIMIT=120

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# waits: so many queue pairs that went owed answers (a line), and so many of them waited (another)
waits()
{
	grep -c '^glass_qp_settle ' trace || :
	grep -c '^glass_qp_settle .*wait_ms=[1-9]' trace || :
}

# A killed process waits for nobody who reads from it.
test_killed_while_it_owes()
{
	local owed waited
	trace_on glass_qp_settle
	owed_reads --count 64 --end kill
	trace_off
	{ read -r owed; read -r waited; } < <(waits)
	((owed > 8)) || fail "$owed of 64 queue pairs owed anything: this test shows nothing"
	assert_eq "$waited" 0 "queue pairs that were waited for"
}

# All queue pairs of a context that is closed are waited for once.
test_exits_while_it_owes()
{
	local owed waited
	trace_on glass_qp_settle
	owed_reads --count 64 --end exit
	trace_off
	{ read -r owed; read -r waited; } < <(waits)
	((owed > 8)) || fail "$owed of 64 queue pairs owed anything: this test shows nothing"
	((waited <= 2)) || fail "$waited of $owed queue pairs were waited for, one after another"
}

# All contexts of a device that goes are waited for once.
test_unplugged_while_it_owes()
{
	local owed waited i
	local -a readers=()
	for i in 1 2; do
		start "reader$i.log" owed_reads --device glass1 --reader glass0 --count 32 --end stay
		readers+=("$STARTED")
		wait_for 30 grep -q reading "reader$i.log"
	done
	trace_on glass_qp_settle
	echo "add name=away act=unplug" >"$GLASS_DEBUGFS/glass1/inject/rules"
	wait_for 60 test ! -e /sys/class/infiniband/glass1
	trace_off
	{ read -r owed; read -r waited; } < <(waits)
	((owed > 8)) || fail "$owed of 64 queue pairs owed anything: this test shows nothing"
	((waited <= 2)) || fail "$waited of $owed queue pairs were waited for, one after another"
	kill "${readers[@]}"
	echo clear >"$GLASS_DEBUGFS/glass1/inject/rules"
	wait_for 60 ports_active
}

# findings_of COMM: how many are kept of it; and how many were lost, of anybody
findings_of()
{
	awk -v comm="$1" '/^# glass 1 lint:/ { for (i = 5; i <= NF; i++) at[$i] = i - 4; next }
		!/^#/ && $at["comm"] == comm { n++ } END { print n + 0 }' "$GLASS_DEBUGFS/glass0/lint/findings"
}

# Who tells lint a lot has its own findings lost, and nobody else's. It cannot invent objects.
test_lint_of_one_who_floods()
{
	local lint=$GLASS_DEBUGFS/glass0/lint i
	echo 'add all codes=GL003 log' >"$lint/scope"
	echo 1 >"$lint/clear"
	for i in 1 2 3; do
		assert_eq "$(lint_flood)" 300 "findings about own objects, run $i"
		assert_eq "$(findings_of lint_flood)" $((i * 256)) "findings that are kept after run $i"
		assert_eq "$(sed -n 's/^lost: //p' "$lint/stats")" $((i * 44)) "findings that are lost"
	done
	# the first of a run was counted again after the share was used up
	assert_eq "$(awk '/^# glass 1 lint:/ { for (i = 5; i <= NF; i++) at[$i] = i - 4; next } !/^#/ && $at["count"] == 2' \
		"$lint/findings" | wc -l)" 3 "findings that were counted twice"
	(($(dmesg | grep -c 'GL003 lint_flood') < 100)) || fail "the kernel's log is flooded"
	echo clear >"$lint/scope"
	echo 1 >"$lint/clear"
}
