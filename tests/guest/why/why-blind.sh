# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# long: each first cause twenty times without packets, and some with a recorder that forgets
# takes 900
# First causes of which records are missing: the flight recorder is off, or was overwritten; the adapter is not Glass. ibwhy names the
# first cause, or says that it does not know and what is missing. It never names another one.

# shellcheck source=tests/lib/why.sh
. "$TESTS/lib/why.sh"
# shellcheck source=tests/lib/rxe.sh
. "$TESTS/lib/rxe.sh"

LIMIT=900
TIMES=$(word_of_boot why_times 20)

setup()
{
	start_opensm
	progress "the first seed is $(why_base); --append why_seed=N repeats a run"
}

cleanup()
{
	echo on >"$GLASS_DEBUGFS/glass0/flight"
	stop_opensm
}

# blind N PATTERN OPTION...: each cause whose name matches, N times; it may remain undetermined
blind()
{
	local n=$1 pattern=$2 cause
	local -a causes
	shift 2
	mapfile -t causes < <(first_causes --list | grep -E "$pattern")
	for cause in "${causes[@]}"; do
		seeds "$n" all "$cause" "$@"
	done
}

off()
{
	echo off >"$GLASS_DEBUGFS/glass0/flight"
	blind "$TIMES" "$1"
	echo on >"$GLASS_DEBUGFS/glass0/flight"
}

test_recorder_off_peer() { off '^(peer|psn|mtu)'; }
test_recorder_off_wrong() { off '^wrong'; }
test_recorder_off_keys() { off '^l?key'; }
test_recorder_off_others() { off '^(qp_access|misaligned|no_recv|recv_short|cq|read|modify|bad)'; }

# overwritten: how many failures say so
overwritten()
{
	grep -c overwritten "$GLASS_DEBUGFS/failures" || :
}

buried()
{
	# a test that failed may have left it off
	echo on >"$GLASS_DEBUGFS/glass0/flight"
	blind $((TIMES < 4 ? 1 : TIMES / 4)) "$1" --bury
	# of the last cause
	(($(overwritten) > 0)) || fail "the recorder had all packets: $(cat "$GLASS_DEBUGFS/failures")"
}

test_overwritten_peer_state() { buried '^peer_(reset|init|err)'; }
test_overwritten_peer_end() { buried '^peer_(exited|killed|gone)'; }
test_overwritten_peer_stopped() { buried '^peer_stopped|no_recv'; }
test_overwritten_wrong() { buried '^wrong|psn'; }

# No record of what fails at once is overwritten so soon.
test_busy_others()
{
	echo on >"$GLASS_DEBUGFS/glass0/flight"
	blind $((TIMES < 4 ? 1 : TIMES / 4)) '^(l?key|qp_access|misaligned|mtu|recv_short|read|modify|bad|cq)' --bury
}

# ---- an adapter that is not Glass: rxe at both ends, for Glass has no Ethernet port. It keeps no records: ibwhy tells the state of the
# QP that failed, and that it cannot tell a first cause.
test_rxe()
{
	local cause i base gid
	base=$(why_base)
	rxe_up
	wait_for 20 link_local rxe0
	wait_for 20 link_local rxe1
	gid=$(link_local rxe0)
	assert_eq "$(link_local rxe1)" "$gid" "GID of the other end"
	for cause in peer_reset peer_gone psn_mismatch key_stale key_access no_recv; do
		begin_verdicts
		for ((i = 0; i < TIMES; i++)); do
			# shellcheck disable=SC2016 # the shell of first_causes expands it
			provoke "$cause" $((base + i)) --one --devices rxe0,rxe1 --gid "$gid" \
				--after 'ibwhy >list; ibwhy --json >json; ibwhy -p $PPID >process; ibwhy -p $PPID --json >process.json; echo "$A_DEV:$A_QPN" >qp'
			in_file list "^  $(<qp) of first_causes .* is in the state (err|sqe)" || fail "$cause $((base + i)): $(<qp) is not in: $(<list)"
			in_file list "is not a Glass adapter: .*cannot tell the first cause" || fail "it says not what it cannot: $(<list)"
			assert_eq "$(jq length json)" 0 "verdicts"
			in_file process "^  $(<qp) of first_causes .* is in the state" || fail "$(<process)"
			assert_no_match "$(cat list process)" 'first cause: [a-z]' "a cause of a QP of rxe"
			jq -e '.other_adapters | length > 0 and all(.cannot)' process.json >jq.out || fail "$(<process.json)"
		done
		progress "rxe: $cause: $i times no first cause is named, and that is said"
	done
	rxe_down
}
