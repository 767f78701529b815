# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 35
# ibtop on a terminal: why a queue pair failed and its diagram, and what one that is stuck waits for.

# shellcheck source=tests/lib/terminal.sh
. "$TESTS/lib/terminal.sh"

setup()
{
	start_opensm
}

cleanup()
{
	ibinject clear
	stop_opensm
}

# begin_traffic: its pid is in TRAFFIC
begin_traffic()
{
	start traffic.log traffic
	TRAFFIC=$STARTED
	wait_for 20 in_file traffic.log '^running'
}

# top FILTER: the queue pairs that fit
top()
{
	terminal 140 45 "exec 2>err; ibtop -v qp -d 0.3 -f '$1'"
	sees 'F1 *Help'
}

# A program keeps its QP in ERR while it is stopped: the story stays to be read.
test_failed()
{
	begin_traffic
	kill -STOP "$TRAFFIC"
	local qpn
	qpn=$(ibtop -b -n 1 --csv -v qp -c qpn -f "pid==$TRAFFIC && dev==glass0" | sed -n '2s/.*,//p')
	ibinject qp "glass0:$qpn" fatal
	top "pid==$TRAFFIC && dev==glass0"
	sees '^.glass0 .* err '
	keys Enter
	sees "^ qp 0x[0-9a-f]+ on glass0 of traffic: why it failed .* Enter: all details, d: diagram"
	sees '^first cause: injected: an injection rule made it'
	# the text is ibwhy's
	ibwhy "glass0:$qpn" --no-where | grep '^first cause' >told
	sees "$(<told)"
	keys d
	sees ': the packets before its failure'
	# below its last packets
	keys End
	sees '[0-9]+ packets, 0 dropped'
	keys Enter
	sees '│ PEER +qp 0x[0-9a-f]+ on glass1 of traffic'
	keys Escape d
	sees ': the packets before its failure'
	keys q
	sees_not ': the packets before its failure'
	keys q
	sees 'STATUS=0'
	kill -CONT "$TRAFFIC"
	wait "$TRAFFIC" || :
}

# A rule holds all packets: the sender is stuck.
test_stuck()
{
	begin_traffic
	ibinject add glass0 name=jam op=send act=hold
	top "pid==$TRAFFIC && dev==glass0"
	# two refreshes without a message
	sees '^.glass0 .* rts .* 0 +0 .*'
	stuck()
	{
		[[ $(ibtop -b -n 2 -d 0.3 --csv -v process -c stuck_qps -f "pid==$TRAFFIC" | sed -n '$s/.*,//p') -gt 0 ]]
	}
	wait_for 20 stuck
	keys Enter
	sees "^ qp 0x[0-9a-f]+ on glass0 of traffic: what it waits for"
	sees 'end of the chain: held: an injection rule holds a packet'
	keys d
	sees 'no diagram: the driver keeps no failure of it'
	keys q q
	sees 'STATUS=0'
	kill "$TRAFFIC"
	wait "$TRAFFIC" || :
}
