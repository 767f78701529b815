# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 35
# Packets at the ports of switches: captures, injection rules, the trace event, the flight recorder.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"

LIMIT=120
EVENT=/sys/kernel/tracing/events/glass/glass_hop/enable

# glass0 at leaf0, glass1 at leaf1, spine0 between them: each packet passes three switches
setup()
{
	fresh_glass
	make_fabric fat-tree --leaves 2 --spines 1 --hosts-per-leaf 1
}

cleanup()
{
	echo 0 >$EVENT
	echo nohops >"$GLASS_DEBUGFS/glass0/flight"
	echo run >"$GLASS_DEBUGFS/glass0/flight"
	ibinject clear
	fresh_glass
}

# hops FROM TO: "NODE DIR PORT" of the way, as the forwarding tables have it
hops()
{
	way "$1" "$2" | while read -r node in out; do
		printf '%s rx %s\n%s tx %s\n' "$node" "$in" "$node" "$out"
	done
}

# captured FILE: "NODE DIR PORT" of the SENDs from glass0 in lines of ibcap, each once, in their order
captured()
{
	local lid
	lid=$(lid_of glass0)
	awk -v from="slid=$lid" '$4 ~ /^rc_send/ && $5 == from { split($2, end, ":"); print end[1], $3, end[2] }' "$1" | awk '!seen[$0]++'
}

capture()
{
	start "$@"
	CAPTURE=$STARTED
	wait_for 20 grep -q capturing "$1"
}

capture_ends()
{
	kill -TERM "$CAPTURE"
	finish "$CAPTURE" "$1"
}

test_capture_sees_each_hop()
{
	capture all.log ibcap fabric
	pair glass1 glass0 ibv_rc_pingpong -g 0 -n 3
	capture_ends all.log
	assert_eq "$(captured all.log)" "$(hops glass0 glass1)" "the ports on the way"
	[[ $(hops glass0 glass1 | wc -l) == 6 ]] || fail "the way has not three switches"
}

# One port alone; tshark reads the file; what is in it was at the sender, too, byte for byte
test_capture_of_one_port()
{
	local port
	port=$(peer_of spine0:1)
	capture one.log ibcap -w one.pcapng "$port" glass0:1
	pair glass1 glass0 ibv_rc_pingpong -g 0 -n 3
	capture_ends one.log
	assert_eq "$(tshark -r one.pcapng -T fields -e frame.interface_name | sort -u | paste -sd' ')" "$(printf '%s\n' "$port" glass0:1 | sort | paste -sd' ')" interfaces
	assert_match "$(tshark -r one.pcapng -T fields -e frame.comment | grep node=)" "node=${port%:*} port=${port#*:}" "comments"
	# RC alone: MADs between glass0 and the first switch do not come to that port
	tshark -r one.pcapng -Y "frame.interface_name == \"$port\" && infiniband.bth.opcode < 0x20" -T fields -e infiniband.bth.psn -e infiniband.payload | sort >there
	tshark -r one.pcapng -Y 'frame.interface_name == "glass0:1" && infiniband.bth.opcode < 0x20' -T fields -e infiniband.bth.psn -e infiniband.payload | sort >here
	[[ -s there ]] || fail "nothing was captured at $port"
	diff -u here there || fail "the switch saw other packets than the adapter"
}

test_capture_ends_with_its_node()
{
	ibfabric add switch gone ports=4
	capture gone.log ibcap gone:2
	refuses ibcap gone:5
	assert_match "$REFUSAL" 'gone:5: gone has 4 ports'
	ibfabric remove gone
	finish "$CAPTURE" gone.log "ibcap of a switch that was removed"
	refuses ibcap gone:2
	assert_match "$REFUSAL" 'gone: no such device or switch'
}

test_event_names_each_hop()
{
	local from
	from=$(lid_of glass0)
	echo >/sys/kernel/tracing/trace
	echo 1 >$EVENT
	pair glass1 glass0 ibv_rc_pingpong -g 0 -n 3
	echo 0 >$EVENT
	grep "glass_hop:.* slid=$from " /sys/kernel/tracing/trace | grep opcode=rc_send |
		sed -E 's/.* dev=([^ ]*) port=([0-9]*) .* dir=([a-z]*) reason=none.*/\1 \3 \2/' | awk '!seen[$0]++' >got
	assert_eq "$(<got)" "$(hops glass0 glass1)" "the events"
}

test_flight_recorder_names_hops()
{
	echo hops >"$GLASS_DEBUGFS/glass0/flight"
	echo rearm >"$GLASS_DEBUGFS/glass0/flight"
	pair glass1 glass0 ibv_rc_pingpong -g 0 -n 2
	echo freeze >"$GLASS_DEBUGFS/glass0/flight"
	ibcap --flight glass0:1 >flight.log
	grep -v ' glass0:1 ' flight.log >nodes.log
	assert_eq "$(captured nodes.log)" "$(hops glass0 glass1)" "the hops of the recorder"
	ibcap --flight -q -w flight.pcapng glass0:1
	assert_eq "$(tshark -r flight.pcapng -T fields -e frame.interface_name | sort -u | paste -sd' ')" 'fabric glass0:1' interfaces
	# a packet of before has none
	echo nohops >"$GLASS_DEBUGFS/glass0/flight"
	echo rearm >"$GLASS_DEBUGFS/glass0/flight"
	pair glass1 glass0 ibv_rc_pingpong -g 0 -n 2
	echo freeze >"$GLASS_DEBUGFS/glass0/flight"
	ibcap --flight glass0:1 >flight.log
	tail -n 5 flight.log | grep -c ' glass0:1 ' >ours
	assert_eq "$(<ours)" 5 "the last packets, at the adapter alone"
}

# column_of NODE:PORT COLUMN: of fabric/ports
column_of()
{
	table ports node port "$2" | awk -v end="$1" '$1 ":" $2 == end { print $3 }'
}

# A rule at one port loses packets there and nowhere else; RC repeats them; the log and the counters name the port
test_rule_loses_packets()
{
	local port before hit
	port=$(peer_of spine0:1)
	before=$(column_of "$port" rcv_errors)
	ibinject drop "$port" 'op==send' --dir rx --nth 3 --name third
	capture rule.log ibcap -f 'reason!=none' "$port"
	pair glass1 glass0 ibv_rc_pingpong -g 0 -n 20
	capture_ends rule.log
	hit=$(ibinject list --json | jq '.[] | select(.name == "third") | .hit')
	((hit >= 1)) || fail "the rule hit nothing"
	assert_eq "$(($(column_of "$port" rcv_errors) - before))" "$hit" "rcv_errors of $port"
	assert_eq "$(grep -c "$port rx .*reason=injected rule=third" rule.log)" "$hit" "captured with the reason"
	{
		drops_of glass0 injected
		drops_of glass1 injected
	} >log
	assert_eq "$(grep -c "^switch $port " log)" "$hit" "lines of droplog with $port"
	assert_match "$(cat "$GLASS_DEBUGFS/fabric/inject/journal")" "name=third act=drop node=${port%:*} port=${port#*:} dir=rx "
	ibinject clear fabric
	assert_eq "$(cat "$GLASS_DEBUGFS/fabric/inject/rules")" '' "rules after clear"
}

# By a pattern; a switch's own answers, too: perfquery of leaf1 gets none while leaf1 loses them
test_rule_loses_answers_of_a_switch()
{
	local lid
	lid=$(lid_of leaf1)
	perfquery -C glass0 "$lid" 1 >/dev/null
	ibinject add act=drop 'node=leaf*' dir=tx slid="$lid" class=perf
	refuses perfquery -C glass0 -t 300 "$lid" 1
	ibinject clear fabric
	perfquery -C glass0 "$lid" 1 >/dev/null
}

# refused MESSAGE COMMAND...
refused()
{
	refuses "${@:2}"
	assert_match "$REFUSAL" "$1" "the refusal of: ${*:2}"
}

test_rules_that_are_refused()
{
	refused 'leaf0 has the ports 1 to 2' ibinject drop leaf0:9
	refused 'at ports of switches there is act=drop only' ibinject corrupt leaf0:1
	refused 'is not known at ports of switches' ibinject drop leaf0 'qpn==3'
	refused 'is not known at ports of switches' ibinject add act=drop node=leaf0 comm=x
	refused 'names a switch, but' bash -c 'echo add act=drop node=leaf0 >"$1" || cat "${1%rules}last_error" >&2; exit 1' - "$GLASS_DEBUGFS/glass0/inject/rules"
	refused 'not a name of 1 to 31 bytes' ibinject add act=drop "node=$(printf 'n%.0s' {1..32})"
	refused 'does not go with this action' ibinject add act=cqe_lose node=leaf0
	refused 'a flight recorder has the packets of devices' ibcap --flight leaf0
	assert_eq "$(cat "$GLASS_DEBUGFS"/*/inject/rules)" '' "rules that were refused"
}

# A file without a reader's commands observes all switches: so it is under lockdown
test_capture_without_commands()
{
	local pid
	timeout 60 cat "$GLASS_DEBUGFS/fabric/capture" >raw &
	pid=$!
	pair glass1 glass0 ibv_rc_pingpong -g 0 -n 3
	wait_for 20 test -s raw
	kill "$pid"
	wait "$pid" || :
	for node in leaf0 spine0 leaf1; do
		grep -aq "$node" raw || fail "no packet of $node"
	done
}
