# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 110
# long: each cause twice, and programs that hang
# What programs do, and ibwhy says: each cause by two seeds, programs that hang, and the status of a command.

# shellcheck source=tests/lib/why.sh
. "$TESTS/lib/why.sh"

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# Each cause that a program provokes, by two seeds; the suite why-seeds has more of both.
LIMIT_test_seeds=200
test_seeds()
{
	local cause
	local -a causes
	mapfile -t causes < <(first_causes --list)
	for cause in "${causes[@]}"; do
		seeds 2 "$WHY_OPEN" "$cause"
	done
}

# The process that has both ends exits when its request has failed. The QP that is connected to the failed one is not the peer, to which
# the packets go; but the story must list it before it is destroyed.
test_connected_qp_that_goes()
{
	local i
	begin_verdicts
	for i in {1..20}; do
		provoke wrong_lid 120312450 --one
	done
	judge "$WHY_OPEN"
}

# ---- the status of a command

# ends_with STATUS COMMAND...: ibwhy has that status
ends_with()
{
	local want=$1 status=0
	shift
	ibwhy -- "$@" >out 2>err || status=$?
	assert_eq "$status" "$want" "status of $*: $(<err)"
}

test_status_of_the_command()
{
	ends_with 0 true
	ends_with 7 sh -c 'exit 7'
	# shellcheck disable=SC2016 # the command's shell expands it
	ends_with 137 sh -c 'kill -9 $$'
	ends_with 127 /no/such/command
	echo text >file
	ends_with 126 "$PWD/file"
	# what it tells goes to standard error, and the output of the command stays its own
	ends_with 3 sh -c 'first_causes --one peer_gone 7; echo its output; exit 3'
	in_file out '^its output$' || fail "$(<out)"
	in_file err '^first cause: peer_gone: ' || fail "$(<err)"
}

# On a terminal, lines of a story are not longer than it is wide.
test_narrow_terminal()
{
	first_causes --one peer_gone 7
	script -qec 'stty cols 50; NO_COLOR=1 ibwhy --last' /dev/null </dev/null | tr -d '\r' >narrow
	in_file narrow '^first cause: peer_gone:' || fail "$(<narrow)"
	awk 'length > 50 { print; long = 1 } END { exit long }' narrow || fail "longer than 50 columns: $(<narrow)"
	ibwhy --last >wide
	awk 'length > 50 { long = 1 } END { exit !long }' wide || fail "not longer without a terminal: $(<wide)"
	assert_eq "$(tr -s ' \n' ' ' <narrow | sed 's/, [0-9.]* [a-z]* ago//')" "$(tr -s ' \n' ' ' <wide | sed 's/, [0-9.]* [a-z]* ago//')" "the words"
}

# ---- a fault, and what it costs the peer

# perftest_of DEVICE STATE: the number of its QP there, in QPN
perftest_of()
{
	QPN=$(rdma -j resource show qp link "$1" | jq -r --arg state "$2" '[.[] | select(.comm == "ib_send_bw" and .state == $state) | .lqpn] | first // empty')
	[[ $QPN ]]
}

# The program whose QP a fault kills ends at once. Its peer finds the QP in ERR, and then no QP: both stories end at the fault.
test_fault_in_a_running_program()
{
	local server client receiver sender
	next_port
	start server.log ib_send_bw -F -D 60 -u 10 -d glass1 -p "$TCP_PORT"
	server=$STARTED
	wait_for 20 listening "$TCP_PORT"
	start client.log ib_send_bw -F -D 60 -u 10 -d glass0 -p "$TCP_PORT" localhost
	client=$STARTED
	wait_for 20 perftest_of glass0 RTS
	sender=$QPN
	wait_for 20 perftest_of glass1 RTR
	receiver=$QPN
	wait_for 20 sends_to "$receiver"
	ibinject qp "glass1:$receiver" fatal
	wait_for 20 gone "$server"
	wait_for 20 gone "$client"
	ibwhy "glass0:$sender" >out
	in_file out 'completed with retry_exc_err' || fail "$(<out)"
	in_file out '^first cause: injected: ' || fail "$(<out)"
	in_file out 'Injection rule .* fired: qp_fatal\. It was set by ibinject ' || fail "$(<out)"
	ibwhy "glass1:$receiver" >out
	in_file out '^first cause: injected: ' || fail "$(<out)"
}

# sends_to QPN: has the receiver at glass1 got a hundred messages?
sends_to()
{
	(($(awk -v qpn="$(printf '0x%x' "$1")" 'NR == 1 { for (i = 5; i <= NF; i++) if ($i == "rx_msgs") at = i - 4 } $1 == qpn { n += $at } END { print n + 0 }' "$GLASS_DEBUGFS/glass1/qp") > 100))
}

# ---- programs that hang

# hang CAUSE OPTION...: it hangs; its process in HUNG, that of its peer in PEER
hang()
{
	local cause=$1
	shift
	start hang.log first_causes --two "$@" "$cause" "$(why_base)"
	HUNG=$STARTED
	wait_for 30 in_file hang.log '^ready' || fail "$(<hang.log)"
	PEER=$(sed -n 's/.* peer_pid=//p' hang.log)
}

# chain_is END PID: so does ibwhy -p end, as text and as JSON
chain_is()
{
	ibwhy -p "$2" >out && in_file out "end of the chain: $1: " &&
		ibwhy -p "$2" --json >json && jq -e --arg end "$1" 'any(.waits[]; .end == $end)' json
}

# chain_ends_with END PID: at the latest when no timer of the QP has just fired
chain_ends_with()
{
	wait_for 20 chain_is "$@" || fail "not $1: $(<out)"
}

let_go()
{
	kill "$HUNG"
	wait_for 10 gone "$HUNG"
	wait_for 10 gone "$PEER"
}

test_hang_without_receives()
{
	hang hang_no_recv
	chain_ends_with no_recv "$HUNG"
	in_file out "\\(pid $PEER\\) has no receive posted" || fail "$(<out)"
	kill -STOP "$PEER"
	chain_ends_with stopped "$HUNG"
	in_file out "\\(pid $PEER\\) is stopped" || fail "$(<out)"
	kill -CONT "$PEER"
	let_go
}

test_hang_in_a_circle()
{
	hang hang_cycle
	chain_ends_with cycle "$HUNG"
	kill -STOP "$PEER"
	chain_ends_with stopped "$HUNG"
	kill -CONT "$PEER"
	let_go
}

# The program polls for a completion that a rule lost.
test_hang_by_a_lost_completion()
{
	# shellcheck disable=SC2016 # the shell of first_causes expands them
	hang hang_lost --run 'echo "add name=thief act=cqe_lose qpn=$A_QPN" >'"$GLASS_DEBUGFS"'/$A_DEV/inject/rules'
	chain_ends_with lost "$HUNG"
	in_file out 'rule thief lost 1 completion of' || fail "$(<out)"
	let_go
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
	echo clear >"$GLASS_DEBUGFS/glass1/inject/rules"
}

test_hang_held_by_a_rule()
{
	# shellcheck disable=SC2016 # the shell of first_causes expands them
	hang hang_held --run 'echo "add name=brake act=hold dir=tx qpn=$A_QPN" >'"$GLASS_DEBUGFS"'/$A_DEV/inject/rules'
	chain_ends_with held "$HUNG"
	in_file out 'rule brake holds a packet' || fail "$(<out)"
	let_go
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
	echo clear >"$GLASS_DEBUGFS/glass1/inject/rules"
}

# ---- programs of others that hang

# step_says REGEX: a step of the last chain_is
step_says()
{
	jq -e --arg re "$1" 'any(.waits[].steps[].text; test($re))' json >/dev/null || fail "no '$1': $(<out)"
}

# row_of TABLE DEVICE COLUMN: that of the first row of $CLIENT or $SERVER, which $PROCESS names, in FOUND
row_of()
{
	FOUND=$(awk -v pid="$PROCESS" -v column="$3" \
		'NR == 1 { for (i = 5; i <= NF; i++) at[$i] = i - 4 } NR > 1 && $at["pid"] == pid { print $at[column]; exit }' "$GLASS_DEBUGFS/$2/$1")
	[[ $FOUND ]]
}

# exchanges N: has the client sent so many messages? Its QP in QPN
exchanges()
{
	PROCESS=$CLIENT
	row_of qp glass0 tx_pkts && (($FOUND > $1)) && row_of qp glass0 qpn && QPN=$FOUND
}

# others COMMAND...: its client on glass0 in CLIENT, its server on glass1 in SERVER
others()
{
	next_port
	start server.log "$@" -d glass1 -p "$TCP_PORT"
	SERVER=$STARTED
	wait_for 20 listening "$TCP_PORT"
	start client.log "$@" -d glass0 -p "$TCP_PORT" localhost
	CLIENT=$STARTED
}

end_others()
{
	kill -9 "$CLIENT" "$SERVER" 2>/dev/null || :
	wait_for 10 gone "$CLIENT"
	wait_for 10 gone "$SERVER"
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
}

# Nothing comes from a CQ in error. A QP whose completions it swallowed has a full queue, which was told as no_signaled.
test_hang_by_a_cq_in_error()
{
	others ibv_rc_pingpong -e -n 1000000
	wait_for 20 exchanges 10
	row_of cq glass0 cqn
	ibinject cq "glass0:$FOUND" overrun
	chain_ends_with cq_failed "$CLIENT"
	step_says "^CQ $FOUND of glass0, which ibv_rc_pingpong \\(pid $CLIENT\\) made, is in error since .* IBV_EVENT_CQ_ERR tells that"
	step_says '^Failure [0-9]+ has the first cause injected: .* fired: cq_overrun\. It was set by ibinject'
	end_others
}

# The QP of a stopped program fails: its peer is idle, and would wait for ever.
test_hang_for_a_qp_in_error()
{
	others ibv_rc_pingpong -n 1000000
	wait_for 20 exchanges 10
	kill -STOP "$CLIENT"
	chain_ends_with stopped "$SERVER"
	ibinject qp "glass0:$QPN" fatal
	chain_ends_with failed "$SERVER"
	step_says "^Its peer glass0:$QPN of ibv_rc_pingpong \\(pid $CLIENT\\) is in the state err since "
	step_says '^[0-9]+ completions lie in its CQ [0-9]+, not polled\.'
	step_says '^Failure [0-9]+ has the first cause injected: '
	chain_ends_with stopped "$CLIENT"
	step_says "^glass0:$QPN of ibv_rc_pingpong \\(pid $CLIENT\\) is in the state err since "
	end_others
}

# A UD QP has no peer, and nobody sends a lost datagram again.
test_hang_of_datagrams()
{
	others ibv_ud_pingpong -n 1000000
	wait_for 20 exchanges 10
	echo "add name=thief comm=ibv_ud_pingpong qptype=ud op=send count=1 act=drop" >"$GLASS_DEBUGFS/glass0/inject/rules"
	chain_ends_with dropped "$CLIENT"
	step_says "^Injection rule thief lost PSN [0-9]+ of glass0:$QPN\\."
	chain_ends_with dropped "$SERVER"
	kill -STOP "$SERVER"
	chain_ends_with stopped "$CLIENT"
	step_says "^ibv_ud_pingpong \\(pid $SERVER\\) is stopped"
	kill -9 "$SERVER"
	wait_for 10 gone "$SERVER"
	chain_ends_with dropped "$CLIENT"
	step_says '^glass1:0x[0-9a-f]+, to which its last datagram went, does not exist'
	end_others
}

# The requester has its ACK, and the responder never gets the request. Both have no receives: they wait for WRITEs.
test_hang_by_a_forged_ack()
{
	others ib_write_lat -n 1000000
	wait_for 20 exchanges 10
	echo "add name=liar comm=ib_write_lat op=write count=1 act=ack" >"$GLASS_DEBUGFS/glass0/inject/rules"
	chain_ends_with forged "$CLIENT"
	step_says "^Injection rule liar forged the ACK of PSN [0-9]+ of glass0:$QPN\\. The peer never got that request"
	chain_ends_with forged "$SERVER"
	end_others
}

# It may wait for events that it has not acknowledged: the driver knows no more of what it has destroyed.
test_hang_without_qps()
{
	local status=0
	ibwhy -p $$ >out 2>err || status=$?
	assert_eq "$status" 120 "status of a process without QPs: $(<err)"
	in_file err "process $$ has no QP\\. If it waits in ibv_destroy_qp\\(\\) .*GL045" || fail "$(<err)"
}

# A responder has no timer: it never learns that its requester was killed.
test_server_whose_client_was_killed()
{
	others ibv_rc_pingpong -n 1000000
	wait_for 20 exchanges 10
	kill -9 "$CLIENT"
	wait_for 10 gone "$CLIENT"
	chain_ends_with abandoned "$SERVER"
	step_says "^Its peer glass0:$QPN does not exist"
	end_others
}
