# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 60
# Requests and answers of two QPs of one host, and datagrams, go directly from one to the other (engine/direct.c), unless somebody looks at
# hops. What can be seen is the same either way: packets in the flight recorder and in captures, trace events, counters of queue pairs,
# ports and switches, drops.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"

TRACE=/sys/kernel/tracing
LIMIT=120

setup()
{
	modprobe -r ib_ipoib
	load_fabric <<-END_OF_COMMANDS
		switch left ports=4
		switch right ports=4
		hca glass0 ports=1
		hca glass1 ports=1
		cable left:1 glass0:1
		cable right:1 glass1:1
		cable left:2 right:2
	END_OF_COMMANDS
	echo mono >"$TRACE/trace_clock"
	# it stays: without one, nodes repeat their traps, which ports count, too; and it does not sweep by itself
	fabric_opensm -s 0
	# each packet that goes directly
	echo 'p:way/pass glass_link_pass' >"$TRACE/kprobe_events"
}

cleanup()
{
	every_hop 0
	watch_ways 0
	echo 0 >"$TRACE/events/glass/glass_cqe/enable"
	watch_packets 0
	echo local >"$TRACE/trace_clock"
	echo >"$TRACE/kprobe_events"
	stop_opensm
	fresh_glass
	modprobe ib_ipoib
}

# every_hop 1: somebody looks at the hops of packets.
every_hop()
{
	echo "$1" >"$TRACE/events/glass/glass_hop/enable"
}

# watch_packets 1: packets are traced, and first packets of requests
watch_packets()
{
	local event
	for event in glass_pkt_tx glass_pkt_rx glass_pkt_drop glass_wr_start; do
		echo "$1" >"$TRACE/events/glass/$event/enable"
	done
}

# watch_ways 1: turns of queue pairs, and packets on the direct way, are traced
watch_ways()
{
	echo "$1" >"$TRACE/events/glass/glass_turn/enable"
	echo "$1" >"$TRACE/events/way/enable"
}

# counters of all ports on the way; to read them takes no packet
port_counters()
{
	local columns
	columns=$(head -n 1 "$FABRIC/ports" | grep -o '[rt]x_[a-z]*\|xmit_[a-z]*\|[a-z0-9]*_dropped' | tr '\n' ' ')
	# shellcheck disable=SC2086 # names without blanks
	table ports node port $columns |
		awk -v names="$columns" 'BEGIN { n = split(names, name) } { for (i = 1; i <= n; i++) print $1 "/" $2, name[i], $(i + 2) }'
}

qp_counters()
{
	local port
	for port in glass0/1 glass1/1; do
		rdma -j statistic show link "$port" |
			jq -r '.[0] | to_entries[] | select(.value | type == "number") | select(.key != "port" and .key != "ifindex") |
				"'"$port"' \(.key) \(.value)"'
	done
}

# packets that the queue pairs for management have sent and received
mads()
{
	local device
	for device in glass0 glass1; do
		table "../$device/qp" qptype qpn tx_pkts rx_pkts | grep -E '^(smi|gsi) ' || :
	done
}

# grown BEFORE AFTER: what each counter has grown by
grown()
{
	awk 'NR == FNR { before[$1 " " $2] = $3; next } { print $1, $2, $3 - before[$1 " " $2] }' "$1" "$2"
}

# look NAME TOOL ARGUMENT...: what the run of a tool leaves, in the files NAME.*; COMM is the name of its last run
look()
{
	local name=$1 tool=$2 comm
	shift 2
	# the recorder remembers other programs, too
	comm=$name-$RANDOM
	cp "$(command -v "$tool")" "./$comm"
	# once more if management datagrams came in between: ports count them, too
	while
		mads >mads.before
		port_counters >ports.before
		qp_counters >qps.before
		watch_ways 1
		echo >"$TRACE/trace"
		# a slow machine repeats nothing
		pair glass1 glass0 "./$comm" -F -u 20 "$@"
		watch_ways 0
		grep -c 'glass_turn: dev=glass1 ' "$TRACE/trace" >"$name.turns" || :
		grep -c ' pass: (glass_link_pass' "$TRACE/trace" >"$name.passes" || :
		qp_counters >qps.after
		port_counters >ports.after
		mads >mads.after
		! cmp -s mads.before mads.after
	do
		comm=$name-$RANDOM
		cp "$(command -v "$tool")" "./$comm"
	done
	COMM=$comm
	grown ports.before ports.after >"$name.ports"
	grown qps.before qps.after >"$name.qps"
	ibcap --flight -w flight.pcapng glass0 glass1 >flight.log 2>&1
	# each packet stands there for each of its ends: PSN from the first one on, opcode, length, and what became of it
	tshark -r flight.pcapng -Y "frame.comment contains \"comm=$comm\"" -T fields -e frame.interface_name -e infiniband.bth.opcode \
		-e infiniband.bth.psn -e frame.len -e frame.comment |
		awk -F'\t' '!n++ { first = $3 } { match($5, /reason=[a-z_]*/); print ($3 - first + 16777216) % 16777216, $2, $1, $4, substr($5, RSTART, RLENGTH) }' |
		sort -n >"$name.packets"
}

# same PACKETS TOOL ARGUMENT...: a run of so many packets, half of which are answers, leaves the same on the direct way as on the other one
same()
{
	same_packets "$@"
	# the answers had turns of the server's queue pair, or not
	(($(<direct.turns) < $1 / 8)) || fail "$(<direct.turns) turns of the server: not the direct way"
	(($(<watched.turns) > $1 / 4)) || fail "$(<watched.turns) turns of the server: the direct way, while somebody looks"
}

same_packets() { same_trains "$1" "$1" "${@:2}"; }

# same_trains PACKETS TRAINS TOOL ARGUMENT...: these packets go as so many trains and single packets
same_trains()
{
	local packets=$1 trains=$2
	shift 2
	look direct "$@"
	every_hop 1
	look watched "$@"
	every_hop 0
	(($(<direct.passes) > trains * 3 / 4)) || fail "$(<direct.passes) of $trains went directly"
	(($(<direct.passes) < trains * 5 / 4)) || fail "$(<direct.passes) went directly, not $trains: no trains"
	assert_eq "$(<watched.passes)" 0 "packets that went directly while somebody looked"
	assert_eq "$(wc -l <direct.packets)" "$((2 * packets))" "packets, at both ends"
	diff direct.packets watched.packets || fail "other packets"
	diff direct.ports watched.ports || fail "other counters of ports"
	diff direct.qps watched.qps || fail "other counters of queue pairs"
	grep -q 'left/2 tx_pkts [1-9]' direct.ports || fail "the switches counted nothing"
}

# one request at a time, each with its answer
test_reads() { same 200 ib_read_bw -n 100 -s 64 -t 1 -o 1; }
test_long_reads() { same 200 ib_read_bw -n 100 -s 3000 -t 1 -o 1; }
test_atomics() { same 200 ib_atomic_bw -n 100 -t 1 -o 1; }
test_writes() { same 200 ib_write_bw -n 100 -s 200 -t 1 -Q 1; }
test_sends() { same 200 ib_send_bw -n 100 -s 200 -t 1 -Q 1 -r 200; }
test_datagrams() { same_packets 100 ib_send_bw -c UD -n 100 -s 200 -t 1 -Q 1 -r 200; }

# long messages: one request at a time, as a train, and its ACK; a READ's data, in one train, have a turn of the server
test_long_writes() { same_trains 340 40 ib_write_bw -n 20 -s 65536 -t 1 -Q 1; }
test_long_sends() { same_trains 170 20 ib_send_bw -n 10 -s 65536 -t 1 -Q 1 -r 100; }
test_unaligned_trains() { same_trains 120 40 ib_write_bw -n 20 -s 20001 -t 1 -Q 1; }
# a message whose buffers cross a page
test_writes_across_pages() { same 200 ib_write_bw -n 100 -s 3000 -t 1 -Q 1; }
test_sends_across_pages() { same 200 ib_send_bw -n 100 -s 3000 -t 1 -Q 1 -r 200; }
test_trains_of_reads() { same_trains 340 40 ib_read_bw -n 20 -s 65536 -t 1 -o 1; }

# Each byte comes where it belongs, on both ways.
test_data()
{
	local way mtu
	for way in 0 1; do
		every_hop "$way"
		for mtu in 256 1024 4096; do
			random_messages --mtu "$mtu" 500 "$RANDOM$RANDOM" >messages.log || fail "MTU $mtu: $(cat messages.log)"
			cat messages.log
		done
	done
	every_hop 0
}

# what is the same in each run, of captured packets: headers, and words of comments
PACKET_FIELDS='frame.interface_name frame.len infiniband.lrh.vl infiniband.lrh.lver infiniband.lrh.sl infiniband.lrh.lnh infiniband.lrh.slid
	infiniband.lrh.dlid infiniband.lrh.pktlen infiniband.bth.opcode infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt infiniband.bth.tver
	infiniband.bth.p_key infiniband.bth.a infiniband.reth.dmalen infiniband.aeth.syndrome infiniband.aeth.msn infiniband.deth.q_key'

# seen NAME TOOL ARGUMENT...: as look, while packets are captured and traced: NAME.captured and NAME.events, in their order
seen()
{
	local name=$1 capture field
	local -a fields=()
	start ibcap.log ibcap -w capture.pcapng glass0:1 glass1:1
	capture=$STARTED
	wait_for 20 in_file ibcap.log capturing
	watch_packets 1
	look "$@"
	watch_packets 0
	kill -INT "$capture"
	finish "$capture" ibcap.log ibcap
	for field in $PACKET_FIELDS; do
		fields+=(-e "$field")
	done
	tshark -r capture.pcapng -Y "frame.comment contains \"comm=$COMM\"" -T fields -e infiniband.bth.psn "${fields[@]}" -e frame.comment |
		awk -F'\t' -v OFS='\t' '!n++ { first = $1 } { $1 = ($1 - first + 16777216) % 16777216; print }' |
		sed -E "s/\\b(qpn|pid|wr_id|flow|comm)=[^ ,;]*//g" >"$name.captured"
	sed -nE 's/.*: (glass_(pkt_tx|pkt_rx|pkt_drop|wr_start): .*)/\1/p' "$TRACE/trace" | grep -v ' dqpn=0x[01] ' |
		sed -E 's/\b(s?qpn|dqpn|psn|flow|wr_id|va|rkey|qkey)=[^ ]*//g' >"$name.events"
}

# looked_at PACKETS TOOL ARGUMENT...: captures and traces of so many packets are the same on the direct way as on the other one
looked_at()
{
	local packets=$1
	shift
	seen direct "$@"
	every_hop 1
	seen watched "$@"
	every_hop 0
	(($(<direct.passes) > packets * 3 / 4)) || fail "$(<direct.passes) of $packets packets went directly"
	assert_eq "$(<watched.passes)" 0 "packets that went directly while somebody looked at hops"
	assert_eq "$(wc -l <direct.captured)" "$((2 * packets))" "packets captured, at both ends"
	assert_eq "$(grep -c '^glass_pkt_[tr]x' direct.events)" "$((2 * packets))" "events of packets, at both ends"
	diff direct.captured watched.captured || fail "other packets captured"
	diff direct.events watched.events || fail "other events"
	diff direct.packets watched.packets || fail "other packets recorded"
}

test_reads_looked_at() { looked_at 200 ib_read_bw -n 100 -s 64 -t 1 -o 1; }
test_atomics_looked_at() { looked_at 200 ib_atomic_bw -n 100 -t 1 -o 1; }
test_writes_looked_at() { looked_at 200 ib_write_bw -n 100 -s 200 -t 1 -Q 1; }
test_sends_looked_at() { looked_at 200 ib_send_bw -n 100 -s 200 -t 1 -Q 1 -r 200; }
test_long_writes_looked_at() { looked_at 60 ib_write_bw -n 20 -s 8192 -t 1 -Q 1; }
test_long_reads_looked_at() { looked_at 60 ib_read_bw -n 20 -s 8192 -t 1 -o 1; }
test_datagrams_looked_at() { looked_at 100 ib_send_bw -c UD -n 100 -s 200 -t 1 -Q 1 -r 200; }

# Injection rules for other programs do not close the way, and one that may match does.
test_rules()
{
	ibinject add glass0 act=drop comm=nobody
	ibinject add glass1 act=drop comm=nobody
	look other ib_read_bw -n 100 -s 64 -t 1 -o 1
	(($(<other.turns) < 25)) || fail "$(<other.turns) turns of the server: a rule of another program closes the way"
	# it may match packets of these queue pairs, but none is a SEND
	ibinject add glass1 op=send act=drop
	look ours ib_read_bw -n 100 -s 64 -t 1 -o 1
	ibinject clear
	(($(<ours.turns) > 50)) || fail "$(<ours.turns) turns of the server: a rule did not close the way"
	diff other.packets ours.packets || fail "other packets"
}

# how often rules of the device have fired, and whether that is so often
fired() { ibinject status --json "$1" | jq '.[0].fired'; }
fired_often() { (($(fired "$1") >= $2)); }

# While packets go directly, past rules of other programs, rules come that match them: they fire at once.
test_rules_meanwhile()
{
	local connection server dev dir before
	ibinject add glass0 act=drop comm=nobody
	ibinject add glass1 act=drop comm=nobody
	for connection in RC UD; do
		next_port
		start server.log ib_send_bw -F -c "$connection" -d glass1 -p "$TCP_PORT" -D 60 -s 64 -Q 1
		server=$STARTED
		wait_for 20 listening "$TCP_PORT"
		start client.log ib_send_bw -F -c "$connection" -d glass0 -p "$TCP_PORT" -D 60 -s 64 -Q 1 localhost
		while read -r dev dir; do
			before=$(fired "$dev")
			ibinject add "$dev" name=now op=send "dir=$dir" act=delay time=1us count=3
			wait_for 20 fired_often "$dev" $((before + 3)) || fail "$connection: a rule of $dev did not fire"
			ibinject del "$dev" now
		done <<<$'glass0 tx\nglass1 rx\nglass0 tx'
		kill "$server" "$STARTED"
		wait_for 30 gone "$server"
	done
	ibinject clear
}

# A rule fails the completion of a receive amid many: from then on the queue pair receives nothing.
test_failed_receive()
{
	local connection server
	for connection in RC UD; do
		ibinject add glass1 act=cqe_error status=loc_prot_err op=recv nth=300
		echo >"$TRACE/trace"
		echo 1 >"$TRACE/events/glass/glass_cqe/enable"
		next_port
		start server.log ib_send_bw -F -c "$connection" -d glass1 -p "$TCP_PORT" -n 2000 -s 64 -t 256 -r 512
		server=$STARTED
		wait_for 20 listening "$TCP_PORT"
		ib_send_bw -F -c "$connection" -d glass0 -p "$TCP_PORT" -n 2000 -s 64 -t 256 -r 512 -u 10 localhost >client.log 2>&1 || :
		wait_for 30 gone "$server" || fail "$connection: the server goes on: $(<server.log)"
		echo 0 >"$TRACE/events/glass/glass_cqe/enable"
		ibinject clear
		# not those of management
		grep 'glass_cqe: dev=glass1 .* qpn=0x[0-9a-f]\{2,\} .* op=recv ' "$TRACE/trace" >receives
		assert_eq "$(grep -c status=loc_prot_err receives)" 1 "$connection: receives that failed"
		assert_eq "$(sed -n '/status=loc_prot_err/,$p' receives | grep -c status=success)" 0 "$connection: receives that succeeded afterwards"
		assert_eq "$(grep -c status=success receives)" 299 "$connection: receives that succeeded before"
	done
}

# Signaled requests that are posted together have one ACK for many of them, as ever.
test_posted_together()
{
	local tool
	for tool in ib_write_bw ib_send_bw; do
		look direct "$tool" -n 1600 -s 64 -l 32 -t 128 -r 512 -Q 1
		awk '$2 == 17 { acks++ } $2 != 17 { requests++ } END { print acks / 2, requests / 2; exit acks * 4 > requests }' direct.packets ||
			fail "$tool: an ACK for less than four requests"
	done
}

# The way back is closed: a request arrives, and the switch drops the answer, for which it has no route. Repetitions of the request
# end the same way.
test_one_way()
{
	local lid server status=0
	lid=$(lid_of glass0)
	stop_opensm
	fabric_check lft glass1:1 "$(lid_of right)" "$lid" 255
	next_port
	start server.log ib_read_bw -F -d glass1 -p "$TCP_PORT" -n 10 -s 64
	server=$STARTED
	wait_for 20 listening "$TCP_PORT"
	ib_read_bw -F -d glass0 -p "$TCP_PORT" -n 10 -s 64 -u 10 localhost >client.log 2>&1 || status=$?
	kill "$server" 2>/dev/null || :
	((status)) || fail "READs ended well: $(<client.log)"
	grep -qi 'transport retry counter exceeded\|status 12' client.log || fail "$(<client.log)"
	assert_eq "$(places_of glass1 no_route)" "switch right:1" "where the answers were dropped"
	# the answers were sent, and counted on the way
	ibcap --flight -w flight.pcapng glass0 glass1 >flight.log 2>&1
	tshark -r flight.pcapng -Y 'frame.interface_name == "glass1:1" && infiniband.bth.opcode == 16 && frame.comment contains "no_route"' |
		tee answers | grep -q . || fail "the recorder does not have the answers that were dropped"
	fabric_opensm -s 0
	wait_for 60 routed_again
}

# An answer is too long for a cable on its way, and its queue pair is destroyed while it is sent on: it sends nothing more.
test_destroyed_while_an_answer_is_stopped()
{
	local status=0
	(($(nproc) > 1)) || skip "the thread that is held needs a CPU of its own"
	printf 'uncable left:2\ncable left:2 right:2 mtu=1024\n' >"$CONFIG/commands"
	wait_for 90 links_active
	export FABRIC_MTU=1024
	wait_for 60 routed_again
	unset FABRIC_MTU
	insmod /usr/local/lib/glass/hold_answer.ko
	destroyed_sender >sender.log 2>&1 || status=$?
	rmmod hold_answer
	assert_eq "$(<sender.log)" destroyed "what the program says"
	assert_eq "$status" 0 "its status"
	ibcap --flight -w flight.pcapng glass0 glass1 >flight.log 2>&1
	assert_eq "$(tshark -r flight.pcapng -Y 'frame.interface_name == "glass0:1" && infiniband.bth.opcode == 12 &&
		frame.comment contains "comm=destroyed_sende"' | wc -l)" 1 "READs that left"
	printf 'uncable left:2\ncable left:2 right:2\n' >"$CONFIG/commands"
	wait_for 90 links_active
	wait_for 60 routed_again
}

# mads_sent: what the queue pairs for management of glass1 have sent
mads_sent()
{
	table ../glass1/qp qptype qpn tx_pkts | grep -E '^(smi|gsi) '
}

# snapshot NAME: counters of one moment, in the files ports.NAME, qps.NAME and mads.NAME. (Without a subnet manager nodes repeat their
# traps, which are received, but not sent, by queue pairs.)
snapshot()
{
	while
		mads_sent >"mads.$1"
		port_counters >"ports.$1"
		qp_counters >"qps.$1"
		mads_sent >mads.last
		! cmp -s "mads.$1" mads.last
	do
		:
	done
}

# smps NAME: how many SMPs glass1 had sent by then: ports do not count them
smps()
{
	awk '$1 == "smi" { n += $3 } END { print n }' "mads.$1"
}

# grows NODE/PORT COUNTER BY: has this counter of a port grown by that since ports.before?
grows()
{
	port_counters >ports.now
	grown ports.before ports.now | awk -v name="$1 $2" -v by="$3" '$1 " " $2 == name && $3 >= by { ok = 1 } END { exit !ok }'
}

# value FILE NODE/PORT COUNTER
value()
{
	awk -v name="$2 $3" '$1 " " $2 == name { print $3 }' "$1"
}

# long_run TOOL ARGUMENT...: it runs until it is ended, and packets have passed; $SERVER and $CLIENT
long_run()
{
	local tool=$1
	shift
	next_port
	start server.log "$tool" -F -d glass1 -p "$TCP_PORT" -D 600 "$@"
	SERVER=$STARTED
	wait_for 20 listening "$TCP_PORT"
	start client.log "$tool" -F -d glass0 -p "$TCP_PORT" -D 600 "$@" localhost
	CLIENT=$STARTED
	wait_for 30 grows left/2 tx_pkts 500
}

# The way back closes while requests go directly. No answer vanishes: each that the queue pair has sent is counted by its port, and
# the switch drops it.
test_way_back_closes()
{
	local tool lid sent
	# of each two requests, the second alone asks for an ACK at once: the timeout is long enough that the first can wait
	for tool in ib_read_bw "ib_write_bw -t 2 -Q 2" "ib_send_bw -t 2 -Q 2"; do
		lid=$(lid_of glass0)
		stop_opensm
		snapshot before
		# shellcheck disable=SC2086 # with the options
		long_run $tool -s 64 -u 14
		fabric_check lft glass1:1 "$(lid_of right)" "$lid" 255
		# the client's retries end, and the server waits for ever
		wait_for 60 gone "$CLIENT" || fail "$tool goes on: $(<client.log)"
		kill "$SERVER" 2>/dev/null || :
		wait_for 20 gone "$SERVER"
		snapshot after
		grown ports.before ports.after >ports
		grown qps.before qps.after >qps
		sent=$(($(value qps glass1/1 tx_pkts) - $(smps after) + $(smps before)))
		assert_eq "$(value ports glass1/1 tx_pkts)" "$sent" "$tool: packets that the server's port has sent, and its queue pairs"
		assert_eq "$(places_of glass1 no_route)" "switch right:1" "$tool: where answers were dropped"
		fabric_opensm -s 0
		wait_for 60 routed_again
	done
}

# drops REASON: so many packets of both adapters were dropped for it
drops()
{
	{
		table ../glass0/drops reason packets
		table ../glass1/drops reason packets
	} | awk -v reason="$1" '$1 == reason { n += $2 } END { print n + 0 }'
}

more_drops()
{
	(($(drops "$1") > $2))
}

# The LID or the P_Key of a port changes while requests or datagrams go directly: they do so no more, and are dropped.
test_port_changes()
{
	local tool device rule reason before
	for tool in ib_write_bw "ib_send_bw -c UD"; do
		while read -r device reason rule; do
			ibinject clear
			port_counters >ports.before
			# shellcheck disable=SC2086 # with the options
			long_run $tool -s 64 -u 12
			echo 1 >"$TRACE/events/way/enable"
			echo >"$TRACE/trace"
			before=$(drops "$reason")
			# shellcheck disable=SC2086 # the words of a rule
			ibinject add "$device" port=1 $rule
			echo changed >"$TRACE/trace_marker"
			wait_for 60 more_drops "$reason" "$before" || fail "$tool, $device, $rule: no drop by $reason"
			[[ $tool == *UD ]] || wait_for 60 gone "$CLIENT" || fail "$device, $rule: the client goes on: $(<client.log)"
			kill "$CLIENT" "$SERVER" 2>/dev/null || :
			wait_for 20 gone "$CLIENT"
			wait_for 20 gone "$SERVER"
			echo 0 >"$TRACE/events/way/enable"
			grep -q changed "$TRACE/trace" || fail "$tool, $device, $rule: the trace has lost its mark"
			sed '1,/changed/d' "$TRACE/trace" | grep ' pass: ' >passes || :
			# each of two CPUs may have been sending one
			(($(wc -l <passes) <= 2)) || fail "$tool, $device, $rule: $(wc -l <passes) packets have gone directly since"
			[[ $tool == *UD ]] || grep -qi 'transport retry counter exceeded\|status 12' client.log ||
				fail "$device, $rule: $(<client.log)"
			ibinject clear
			wait_for 60 routed_again
		done <<-END_OF_RULES
			glass1 bad_pkey index=0 value=0x8001 act=pkey_change
			glass0 bad_pkey index=0 value=0x8001 act=pkey_change
			glass1 wrong_lid lid=99 act=lid_change
		END_OF_RULES
	done
}

# A cable is moved to another port of the switch while requests go directly: they go on over the new one.
test_cable_moves()
{
	local before
	port_counters >ports.before
	long_run ib_write_bw -s 64 -u 20
	printf 'uncable right:1\ncable right:3 glass1:1\n' >"$CONFIG/commands"
	before=$(port_counters | awk '$1 " " $2 == "right/1 tx_pkts" { print $3 }')
	wait_for 90 grows right/3 tx_pkts 500 || fail "nothing over the new cable: $(<client.log)"
	assert_eq "$(port_counters | awk '$1 " " $2 == "right/1 tx_pkts" { print $3 }')" "$before" "packets at the port that has lost its cable"
	kill "$CLIENT" "$SERVER" 2>/dev/null || :
	wait_for 20 gone "$CLIENT"
	wait_for 20 gone "$SERVER"
	printf 'uncable right:3\ncable right:1 glass1:1\n' >"$CONFIG/commands"
	wait_for 90 links_active
	wait_for 60 routed_again
}

routed_again()
{
	fabric_check pairs glass0:1 glass1:1 >/dev/null 2>&1
}
