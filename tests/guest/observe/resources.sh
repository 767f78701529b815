# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the kernel's own tools tell about objects and counters.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"

setup()
{
	fresh_glass
	start_opensm
	ipoib_up
}

cleanup()
{
	ipoib_down
	stop_opensm
}

# An SRQ pingpong's server has made all it needs when it waits for its client.
program()
{
	next_port
	start server.log ibv_srq_pingpong -d glass1 -p "$TCP_PORT" -q 5
	PROGRAM=$STARTED
	wait_for 20 listening "$TCP_PORT"
}

test_ctx_pd_cq_mr_srq_qp()
{
	local kind out
	program
	for kind in ctx pd cq mr srq qp; do
		out=$(rdma -dd resource show "$kind" | grep "pid $PROGRAM comm ibv_srq_pingpon" || :)
		echo "$out"
		[[ -n $out ]] || {
			rdma -dd resource show "$kind"
			fail "no $kind of the program"
		}
		assert_match "$out" '(dev|link) glass1'
		assert_no_match "$out" glass0
		case $kind in
		qp) assert_eq "$(grep -c 'type RC' <<<"$out")" 5 "queue pairs" ;;
		*) assert_eq "$(wc -l <<<"$out")" 1 "number of $kind" ;;
		esac
	done
	assert_match "$(rdma -dd resource show qp | grep "pid $PROGRAM ")" 'state INIT'
	assert_match "$(rdma -dd resource show cq | grep "pid $PROGRAM ")" 'cqe [1-9]'
	assert_match "$(rdma -dd resource show mr | grep "pid $PROGRAM ")" 'mrlen [1-9]'
	kill "$PROGRAM"
	none()
	{
		! rdma -dd resource show | grep "pid $PROGRAM "
	}
	wait_for 10 none
}

# The QPs that the QP's line names are those of the driver's own table.
test_qp_numbers()
{
	program
	rdma -dd resource show qp | sed -n "s/.* lqpn \([0-9]*\) .* pid $PROGRAM .*/\1/p" | sort >nldev
	awk -v pid="$PROGRAM" '
		NR == 1 { sub(/^# glass 1 [a-z]+: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pid"] == pid { print $at["qpn"] }' "$GLASS_DEBUGFS/glass1/qp" |
		while read -r qpn; do echo $((qpn)); done | sort >debugfs
	[[ -s nldev ]] || fail "no QP"
	diff nldev debugfs
}

# driver_pairs KIND: what Glass adds about the program's objects, as JSON
driver_pairs()
{
	rdma -jdd resource show "$1" | jq -c --argjson pid "$PROGRAM" '.[] | select(.pid == $pid)'
}

# of KIND KEY: that value of each object, sorted; of a queue pair what is 0 is left out
of()
{
	driver_pairs "$1" | jq -r "if has(\"drv_$2\") then .drv_$2 else \"0\" end" | sort
}

# table KIND COLUMN: the same from debugfs
table()
{
	awk -v pid="$PROGRAM" -v name="$2" '
		NR == 1 { sub(/^# glass 1 [a-z]+: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pid"] == pid { print $at[name] == "-" ? 0 : $at[name] }' "$GLASS_DEBUGFS/glass1/$1" | sort
}

test_driver_details()
{
	local kind key keys
	declare -A keys=(
		[qp]="srqn sq_used rq_used tx_msgs rx_msgs retries drops"
		[cq]="cqn state used max_used notify total errors armed events"
		[srq]="srqn state max used max_sge limit total limit_events"
		[mr]="mrkind pages remote_reads remote_writes atomics page_size"
	)
	program
	# the RDMA core of Linux 6.1 asks no driver about an SRQ
	case $(uname -r) in 6.1.*) unset 'keys[srq]' ;; esac
	for kind in "${!keys[@]}"; do
		for key in ${keys[$kind]}; do
			assert_eq "$(of "$kind" "$key")" "$(table "$kind" "$key")" "$kind $key"
		done
	done
	[[ -n ${keys[srq]:-} ]] || return 0
	assert_match "$(of srq used)" '^[1-9][0-9]*$' "receives in the SRQ"
	# Text names them as well.
	rdma -dd resource show srq | grep -A 1 "pid $PROGRAM " | tee out
	assert_match "$(<out)" ' drv_limit_events 0( |$)'
}

# Many queue pairs fit into a message, because one without anything to tell has no pairs at all.
test_idle_queue_pairs_have_no_pairs()
{
	start idle.log many_qps -d glass1 -n 3 -s 1 -w
	wait_for 20 in_file idle.log ready
	PROGRAM=$STARTED
	assert_eq "$(driver_pairs qp | jq -c 'keys | map(select(startswith("drv_")))' | sort -u)" '[]' "pairs"
	assert_eq "$(driver_pairs qp | wc -l)" 3 "queue pairs"
	kill "$PROGRAM"
}

# Why a queue pair died is told, too.
test_driver_details_of_an_error()
{
	program
	printf 'add act=qp_fatal qpn=%s\n' "$(table qp qpn | head -n 1)" >"$GLASS_DEBUGFS/glass1/inject/rules"
	# The tool breaks its lines where it likes.
	rdma -dd resource show qp | grep -A 3 "pid $PROGRAM " | tee out
	assert_match "$(<out)" 'state ERR '
	assert_eq "$(driver_pairs qp | jq -rs 'map(select(.drv_last_cause)) | map([.state, .drv_first_cause, .drv_last_cause] | join(" ")) | join(",")')" \
		"ERR injected injected" "queue pairs with a cause"
	grep -q 'drv_last_cause injected' out
}

test_summary()
{
	program
	rdma resource show | tee out
	assert_match "$(<out)" 'glass1: pd [1-9][0-9]* cq [1-9][0-9]* qp [1-9][0-9]* cm_id 0 mr [1-9][0-9]* ctx 1 srq [1-9]'
}

test_cm_id()
{
	cm_server rping -s -a $THERE
	rdma -dd resource show cm_id | tee out
	assert_match "$(<out)" "link glass1/1 cm-idn [0-9]+ state LISTEN ps TCP pid $SERVER comm rping src-addr $THERE"
}

test_connected_qp()
{
	local client
	cm_server rping -s -C 100000000 -a $THERE
	start client.log rping -c -C 100000000 -a $THERE
	client=$STARTED
	ready()
	{
		[[ $(rdma resource show qp | grep -c "type RC state RTS .* pid \($client\|$SERVER\) ") == 2 ]]
	}
	wait_for 20 ready
	rdma -dd resource show qp | grep "pid $client " | tee out
	assert_match "$(<out)" 'link glass0/1 lqpn [0-9]+ rqpn [0-9]+ type RC state RTS rq-psn [0-9]+ sq-psn [0-9]+'
	kill "$client"
	wait_for 20 gone "$SERVER"
}

test_kernel_objects()
{
	rdma -dd resource show qp | tee out
	assert_match "$(<out)" 'type GSI state RTS .*comm \[ib_core\]'
	assert_match "$(<out)" 'type UD state RTS .*comm \[ib_ipoib\]'
}

test_json()
{
	program
	rdma -jdd resource show qp | jq -e --argjson pid "$PROGRAM" '[.[] | select(.pid == $pid)] | length == 5'
}
