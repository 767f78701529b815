# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# hosts 2
# long: many first causes, between two guests
# takes 120
# First causes between two hosts: each keeps its own end. Alone, ibwhy may not know; with the stories of the other host it names the
# first cause. It never names another one.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"
# shellcheck source=tests/lib/hosts.sh
. "$TESTS/lib/hosts.sh"
# shellcheck source=tests/lib/why.sh
. "$TESTS/lib/why.sh"

LIMIT=120

setup()
{
	fresh_glass
	join_hosts
	fabric_opensm
	far_up
}

cleanup()
{
	stop_opensm
}

# both CAUSE SEED: A's process here, B's on host 2; their truths in `truths` and `far`
both()
{
	local far status=0
	begin_verdicts
	on 2 bash -c "echo clear >$GLASS_DEBUGFS/failures"
	next_port
	on 2 first_causes --devices glass0,glass0 --at-b "$TCP_PORT" "$1" "$2" >far 2>far.err &
	far=$!
	first_causes --devices glass0,glass0 --to-b "host2:$TCP_PORT" "$1" "$2" >truths 2>err || status=$?
	wait "$far" || fail "B's process: $(<far.err)"
	((status == 0)) || fail "A's process: status $status: $(<err)"
}

# seen_by_both CAUSE: alone A's host may not know; with the file of B's host it must
seen_by_both()
{
	local seed
	seed=$(why_base)
	for seed in "$seed" $((seed + 1)) $((seed + 2)); do
		both "$1" "$seed"
		judge all
		on 2 ibwhy --save - >far.stories
		ibwhy --json --peer far.stories >verdicts
		compare "${2-}"
	done
}

test_key_stale() { seen_by_both key_stale; }
test_key_bounds() { seen_by_both key_bounds; }
test_key_access() { seen_by_both key_access; }
test_qp_access() { seen_by_both qp_access; }
test_misaligned() { seen_by_both misaligned; }
test_recv_short() { seen_by_both recv_short; }
# the end without a failure keeps no packets, and is gone with its program
test_mtu_mismatch() { seen_by_both mtu_mismatch all; }
test_psn_mismatch() { seen_by_both psn_mismatch all; }
test_no_recv() { seen_by_both no_recv all; }
test_peer_err() { seen_by_both peer_err all; }
test_peer_gone() { seen_by_both peer_gone all; }

# The file of a host can be read without Glass, and names the failures of that host.
test_file()
{
	local far
	both key_bounds "$(why_base)"
	on 2 ibwhy --save - >far.stories
	far=$(jq -r 'select(.dev) | "\(.num) \(.cause)"' far)
	ibwhy --file far.stories --json >verdicts
	assert_eq "$(jq -r 'if type == "array" then .[] else . end | "\(.failure.num) \(.cause)"' verdicts | sed 's/undetermined/key_bounds/')" "$far" "failures of the file"
}

# A program that hangs because its peer, on the other host, posts no receive: the chain ends there.
test_hang()
{
	local far pid
	next_port
	on 2 first_causes --devices glass0,glass0 --at-b "$TCP_PORT" hang_no_recv 1 >far 2>&1 &
	far=$!
	start near first_causes --devices glass0,glass0 --to-b "host2:$TCP_PORT" hang_no_recv 1
	pid=$STARTED
	wait_for 30 in_file near '^ready' || fail "$(cat near far)"
	# at first the QPs beside it are busy
	wait_for 20 chain_ends "$pid" || fail "$(<out)"
	kill "$pid"
	wait_for 10 gone "$pid"
	kill "$far"
}

chain_ends()
{
	ibwhy -p "$1" >out && in_file out 'end of the chain: other_host: '
}
