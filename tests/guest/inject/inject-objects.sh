# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 38
# Injection rules for completions and events: unmodified programs meet them.

# shellcheck source=tests/lib/inject.sh
. "$TESTS/lib/inject.sh"

LIMIT=120

setup()
{
	start_opensm
}

cleanup()
{
	quiet
	stop_opensm
}

# The third message fails with the status that was asked for, and nothing else was wrong.
test_a_completion_tells_an_error()
{
	quiet
	rule glass0 "add name=third comm=ibv_rc_pingpong op=send nth=3 act=cqe_error status=rem_access_err vendor=0x42"
	next_port
	start server.log ibv_rc_pingpong -d glass1 -p "$TCP_PORT" -n 20
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	trace_on glass_cqe glass_qp_state glass_inject
	refuses ibv_rc_pingpong -d glass0 -p "$TCP_PORT" -n 20 localhost
	trace_off
	kill "$server" 2>/dev/null || :
	assert_match "$REFUSAL" 'Failed status remote access error \(10\)'
	assert_match "$(firings glass0 third)" 'act=cqe_error cqn=[0-9]+ qpn=0x[0-9a-f]+ nqp=1 op=send msg=3 wr_id=0x2 len=[0-9]+ n=3 pid=[0-9]+ comm=ibv_rc_pingpong'
	assert_eq "$(grep -c 'glass_cqe dev=glass0 .*status=rem_access_err' trace)" 1 "completions with the error"
	grep -q 'glass_qp_state dev=glass0 .* to=err cause=injected' trace || fail "the QP did not fail"
	quiet
	pair glass1 glass0 ibv_rc_pingpong -n 10
}

test_receives_fail_too()
{
	quiet
	rule glass0 "add comm=ibv_ud_pingpong op=recv nth=2 act=cqe_error status=loc_prot_err"
	next_port
	start server.log ibv_ud_pingpong -d glass1 -p "$TCP_PORT" -n 20
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	refuses ibv_ud_pingpong -d glass0 -p "$TCP_PORT" -n 20 localhost
	kill "$server" 2>/dev/null || :
	assert_match "$REFUSAL" 'Failed status local protection error'
	quiet
}

# A program that waits for what does not come.
test_a_completion_is_lost()
{
	quiet
	rule glass0 "add name=gone op=send comm=message act=cqe_lose"
	refuses message send
	assert_eq "$(firings glass0 gone | wc -l)" 1 "completions lost"
	quiet
	message send
}

test_a_completion_comes_twice()
{
	quiet
	rule glass0 "add name=two op=write comm=message act=cqe_dup"
	trace_on glass_cqe
	message write || :
	trace_off
	programs_only
	assert_eq "$(grep -c 'glass_cqe dev=glass0 ' trace)" 2 "completions of one WRITE"
	quiet
}

# Events of a port and of the device reach a program that waits for them; those of GIDs the kernel's core keeps to itself.
test_events_of_ports_and_device()
{
	quiet
	start watch.log stdbuf -oL ibv_asyncwatch -d glass0
	local watch=$STARTED n=0 event
	wait_for 20 in_file watch.log async
	for event in port_active port_err lid_change pkey_change sm_change client_reregister; do
		rule glass0 "add name=$event act=event event=$event port=2"
		n=$((n + 1))
		# shellcheck disable=SC2317
		reported() { (($(grep -c 'event_type' watch.log) >= n)); }
		wait_for 20 reported
	done
	rule glass0 "add act=event event=device_fatal"
	wait_for 20 in_file watch.log 'IBV_EVENT_DEVICE_FATAL'
	kill "$watch" 2>/dev/null || :
	quiet
}

# column_of PID KIND COLUMN: of that process's object on glass0
column_of()
{
	awk -v pid="$1" -v want="$3" '
		NR == 1 { sub(/^# glass 1 [a-z]+: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pid"] == pid { print $at[want]; found = 1; exit }
		END { exit !found }' "$GLASS_DEBUGFS/glass0/$2"
}

test_events_of_a_qp()
{
	quiet
	next_port
	start server.log ibv_rc_pingpong -d glass0 -p "$TCP_PORT" -n 100
	local server=$STARTED event qpn
	wait_for 20 column_of "$server" qp qpn
	qpn=$(column_of "$server" qp qpn)
	trace_on glass_async
	for event in qp_fatal qp_req_err qp_access_err comm_est sq_drained path_mig path_mig_err qp_last_wqe_reached; do
		rule glass0 "add act=event event=$event qpn=$qpn"
	done
	trace_off
	assert_eq "$(grep -c "glass_async dev=glass0 event=" trace)" 8 "events"
	assert_eq "$(column_of "$server" qp state)" init "state: events change nothing"
	kill "$server"
	quiet
}

# Two contexts change a port, one after the other, and the first takes its time to tell: still it is told first.
test_events_of_a_port_come_in_their_order()
{
	quiet
	local slow=/usr/local/lib/glass/slow_event.ko active=9 # IB_EVENT_PORT_ACTIVE
	rule glass0 "add name=down port=2 act=port_down"
	wait_for 20 port_state_is glass0/2 DOWN
	trace_on glass_async glass_port_state
	insmod $slow event=$active ms=1000
	rule glass0 "del name=down"
	# the subnet manager's agent has made it active, and is about to tell that
	wait_for 60 port_state_is glass0/2 ACTIVE
	rule glass0 "add name=down port=2 act=port_down"
	# shellcheck disable=SC2317
	both() { (($(grep -cE 'glass_async: dev=glass0 event=port_(active|err) ' "$TRACING/trace") >= 2)); }
	wait_for 20 both
	rmmod slow_event
	trace_off
	assert_eq "$(sed -nE 's/^glass_async dev=glass0 event=(port_active|port_err) .*/\1/p' trace | xargs)" "port_active port_err" "events"
	# what the port was told to be in the end is what it is
	assert_eq "$(grep 'glass_port_state dev=glass0 .*port=2 ' trace | sed 's/.* to=\([a-z]*\).*/\1/' | tail -n 1)" down "the last state"
	quiet
}
