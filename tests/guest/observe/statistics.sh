# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 55
# long: counters, counted again
# The counters of a port (rdma statistic, sysfs) against the debugfs table of its queue pairs.

TABLES=$TESTS/tables

setup()
{
	# Interfaces join groups and look for neighbours when they like: without them nothing counts but what a test sends,
	# and MADs (see `without_mads`).
	modprobe -r ib_ipoib
	fresh_glass
	start_opensm
	stop_opensm
}

cleanup()
{
	modprobe ib_ipoib
}

# statistic DEVICE/PORT: "NAME VALUE" lines, by netlink.
statistic()
{
	rdma -j statistic show link "$1" | jq -r '.[0] | to_entries[] | select(.value | type == "number") | select(.key != "port" and .key != "ifindex") | "\(.key) \(.value)"' | sort
}

# counter DEVICE/PORT NAME
counter()
{
	statistic "$1" | awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }'
}

# sums DEVICE/PORT [mads]: the same from debugfs, of the queue pairs that there are, or of QP 0 and QP 1 alone.
sums()
{
	awk -v port="${1#*/}" -v mads="${2:-}" '
		NR == 1 { sub(/^# glass 1 qp: */, ""); for (i = 1; i <= NF; i++) { at[$i] = i; name[i] = $i } n = NF; next }
		$at["port"] == port && (!mads || $at["qptype"] ~ /^(smi|gsi)$/) {
				      for (i = at["tx_pkts"]; i <= at["drops"]; i++) sum[i] += $i
				      for (i = at["nak_rx"]; i <= at["flush_cqes"]; i++) sum[i] += $i
				      for (i = at["np_ecn_marked_roce_packets"]; i <= at["rp_cnp_ignored"]; i++) sum[i] += $i }
		END { for (i = at["tx_pkts"]; i <= at["drops"]; i++) printf "%s %d\n", name[i], sum[i]
		      for (i = at["nak_rx"]; i <= at["flush_cqes"]; i++) printf "%s %d\n", name[i], sum[i]
		      for (i = at["np_ecn_marked_roce_packets"]; i <= at["rp_cnp_ignored"]; i++) printf "%s %d\n", name[i], sum[i] }' \
		"$GLASS_DEBUGFS/${1%/*}/qp" | sort
}

# is_sum DEVICE/PORT: statistic == debugfs, with nothing counted between two looks.
is_sum()
{
	sums "$1" >sums.before
	statistic "$1" | grep -v '^drop_' >statistic.now
	sums "$1" >sums.after
	cmp -s sums.before sums.after && diff sums.after statistic.now
}

# without_mads DEVICE/PORT: `statistic` less what QP 0 and QP 1 count. The kernel asks for the SA's ClassPortInfo some time
# after a port became ACTIVE, and a trap is repeated until a subnet manager represses it.
without_mads()
{
	wait_for 20 mads_stand_still "$1"
	join -a 1 statistic.now mads.before | awk '{ print $1, $2 - $3 }'
}

mads_stand_still()
{
	sums "$1" mads >mads.before
	statistic "$1" >statistic.now
	sums "$1" mads >mads.after
	[[ -s mads.before ]] && cmp -s mads.before mads.after
}

# Before any other test: no queue pair has died yet, so that the sum of the living ones is all there is.
test_all_that_live()
{
	local port p
	next_port
	start server.log ibv_rc_pingpong -d glass1 -p "$TCP_PORT" -n 100000000
	p=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$p"
	start client.log ibv_rc_pingpong -d glass0 -p "$TCP_PORT" -n 100000000 localhost
	moves()
	{
		(($(counter glass0/1 tx_msgs) > 1000))
	}
	wait_for 20 moves
	kill -STOP "$p" "$STARTED"
	for port in "${GLASS_PORTS[@]}"; do
		wait_for 20 is_sum "$port" || {
			diff sums.after statistic.now || :
			fail "counters of $port are not the sum of its queue pairs'"
		}
	done
	(($(counter glass0/1 tx_msgs) > 1000)) || fail "too few messages"
	assert_eq "$(wc -l <statistic.now)" 25 "counters that queue pairs have"
	# They outlive the queue pairs.
	without_mads glass0/1 >before
	kill -KILL "$p" "$STARTED"
	both_gone()
	{
		gone "$p" && gone "$STARTED"
	}
	wait_for 10 both_gone
	wait_for 10 no_rc_qp
	without_mads glass0/1 >after
	diff before after
}

no_rc_qp()
{
	! grep -q ' rc ' "$GLASS_DEBUGFS"/glass[01]/qp
}

# delta PORT NAME: since `mark`. grown: the same up to the last look.
mark()
{
	local port
	for port in "${GLASS_PORTS[@]}"; do
		without_mads "$port" >"mark.${port/\//.}"
	done
}

grown()
{
	join "mark.${1/\//.}" now | awk -v name="$2" '$1 == name { print $3 - $2; found = 1 } END { exit !found }'
}

delta()
{
	without_mads "$1" >now
	grown "$1" "$2"
}

# expect PORT NAME=VALUE...
expect()
{
	local port=$1 pair
	shift
	without_mads "$port" >now
	for pair; do
		assert_eq "$(grown "$port" "${pair%=*}")" "${pair#*=}" "$port ${pair%=*}"
	done
}

test_messages_and_bytes()
{
	mark
	traffic -n 500 --mode send --size 4096
	# One ACK a message at least; how many more is the receiver's choice.
	expect glass0/1 tx_msgs=500 tx_bytes=2048000 tx_pkts=500 rx_msgs=0 rx_bytes=0 retries=0 err_cqes=0
	expect glass1/1 rx_msgs=500 rx_bytes=2048000 rx_pkts=500 tx_msgs=0 tx_bytes=0 drops=0 dup_rx=0
	assert_eq "$(delta glass0/1 rx_pkts)" "$(delta glass1/1 tx_pkts)" "acknowledgements"
	expect glass0/2 tx_pkts=0 rx_pkts=0
	expect glass1/2 tx_pkts=0 rx_pkts=0
}

# Messages of more than one packet, and trains.
test_long_messages()
{
	mark
	traffic -n 20 --mode write --size 1048576
	expect glass0/1 tx_msgs=20 tx_bytes=$((20 * 1048576)) tx_pkts=$((20 * 256))
	expect glass1/1 rx_msgs=20 rx_bytes=$((20 * 1048576)) rx_pkts=$((20 * 256))
}

# error CASE: that row of the table of errors.
error()
{
	mark
	error_table "$TABLES/errors.tsv" "$1"
}

test_remote_access_error()
{
	error rc_write_outside
	expect glass0/1 nak_rx=1 rem_errs=1 qp_errs=1 err_cqes=1 flush_cqes=4 loc_errs=0 retry_errs=0
	expect glass1/1 nak_tx=1 resp_errs=1 qp_errs=1 err_cqes=0 flush_cqes=3
}

test_local_error()
{
	error rc_send_bad_lkey
	expect glass0/1 loc_errs=1 qp_errs=1 err_cqes=1 flush_cqes=4 nak_rx=0
	expect glass1/1 loc_errs=0 qp_errs=0 resp_errs=0
}

test_rnr()
{
	error rc_send_no_receive
	expect glass0/1 rnr_rx=2 retry_errs=1 retries=1 timeouts=0 nak_rx=0
	expect glass1/1 rnr_tx=2 drop_rnr_wait=2 nak_tx=0
}

# What no queue pair counts, because there is none, counts the port.
test_no_such_qp()
{
	local n
	error rc_no_such_qp
	n=$(delta glass0/1 timeouts)
	((n > 0)) || fail "no timeout"
	expect glass0/1 retry_errs=1 retries=$((n - 1))
	(($(delta glass1/1 drop_no_qp) >= n)) || fail "fewer packets dropped than sent"
	expect glass1/1 drops=0
}

test_sysfs()
{
	local name value
	traffic -n 50 --mode send
	statistic glass1/1 >all
	while read -r name value; do
		assert_eq "$(cat "/sys/class/infiniband/glass1/ports/1/hw_counters/$name")" "$value" "$name"
	done <all
	(($(wc -l <all) > 40)) || fail "too few counters"
}

# All ports at once, as a person asks for them.
test_plain_text()
{
	rdma statistic show | tee out
	assert_eq "$(grep -c '^link glass[01]/[12]' out)" 4 "ports shown"
	assert_eq "$(grep -c ' tx_msgs [1-9]' out)" 4 "ports that sent something"
}

# A queue pair that is used again after RESET takes nothing away from its port.
test_never_backwards()
{
	mark
	state_table "$TABLES/transitions.tsv" >/dev/null
	without_mads glass0/1 >now
	join "mark.glass0.1" now | awk '$3 < $2 { print; bad = 1 } END { exit bad }'
}

# Nor does one that goes while somebody adds up those that there are, which is done in pieces.
test_never_backwards_while_queue_pairs_go()
{
	local before=0 now pid
	start many.log many_qps -n 300 --wait
	wait_for 20 in_file many.log ready
	mark
	all_rounds()
	{
		local i
		for ((i = 0; i < 10; i++)); do traffic -n 50 --mode send || return; done
	}
	all_rounds &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		now=$(counter glass0/1 tx_msgs)
		((now >= before)) || fail "tx_msgs fell from $before to $now"
		before=$now
	done
	wait "$pid"
	expect glass0/1 tx_msgs=500 rx_msgs=0
	expect glass1/1 rx_msgs=500 tx_msgs=0
	kill -TERM "$STARTED"
}
