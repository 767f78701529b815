# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 75
# long: reads whole recorders
# The flight recorder: always on; when it is armed, the next error of a QP stops it.

setup()
{
	start_opensm
}

cleanup()
{
	echo run >$GLASS_DEBUGFS/glass0/flight
	stop_opensm
}

LIMIT=120

rearm()
{
	echo rearm >$GLASS_DEBUGFS/glass0/flight
}

# flight OPTION...: into flight.pcapng, both devices; what it says in flight.log, the summary in flight.json
flight()
{
	ibcap --flight --json -w flight.pcapng "$@" glass0 glass1 >flight.json 2>flight.log
}

state()
{
	jq -r ".flight.$1" flight.json
}

# opcode, PSN and length on the wire of each packet
fields()
{
	tshark -r flight.pcapng -T fields -e infiniband.bth.opcode -e infiniband.bth.psn -e frame.len -e frame.cap_len
}

# Short packets are recorded whole: byte for byte what a capture of the same traffic has.
test_same_as_a_capture()
{
	local capture
	rearm
	start ibcap.log ibcap -w capture.pcapng glass0:1 glass1:1
	capture=$STARTED
	wait_for 10 in_file ibcap.log capturing
	pair glass0 glass1 ibv_rc_pingpong -n 50 -s 40
	kill -INT "$capture"
	finish "$capture" ibcap.log
	flight
	assert_eq "$(state state)" armed
	packets capture.pcapng >capture.bytes
	packets flight.pcapng >flight.bytes
	[[ -s capture.bytes ]] || fail "nothing captured"
	# it remembers older pingpongs, too
	grep -oE ' pid=[0-9]+ comm=ibv_rc' capture.bytes | sort -u >pids
	assert_eq "$(wc -l <pids)" 2 "processes"
	grep -Ff pids flight.bytes >flight.these
	diff capture.bytes flight.these || fail "flight and capture differ"
	# Of the pingpong: what others sent before may have a payload that tshark takes for some protocol's, and finds wrong.
	assert_eq "$(tshark -r flight.pcapng -Y '_ws.malformed && frame.comment contains "comm=ibv_rc_pingpong"' | wc -l)" 0 "malformed packets"
}

# The packets of two devices are in one order of time. (All of the second device stood behind all of the first one's.)
# Packets that were recorded at one reading of the clock differ by nanoseconds.
test_in_order_of_time()
{
	pair glass0 glass1 ibv_rc_pingpong -n 50 -s 40
	flight
	tshark -r flight.pcapng -T fields -e frame.time_relative -e frame.interface_name >order
	assert_eq "$(awk '$1 < last - 1e-6 { n++ } { last = $1 } END { print n + 0 }' order)" 0 "packets that stand too late"
	(($(cut -f 2 order | uniq | wc -l) > 100)) || fail "the devices do not take turns"
}

# packets FILE: interface, direction, comment and the fields of each packet of the pingpong
packets()
{
	tshark -r "$1" -Y 'frame.comment contains "comm=ibv_rc_pingpong"' -T fields -e frame.interface_name -e frame.packet_flags_direction -e frame.comment \
		-e infiniband.bth.opcode -e infiniband.bth.psn -e frame.len -e frame.cap_len -e infiniband.payload \
		-e infiniband.invariant.crc -e infiniband.variant.crc | sort
}

# recorded_as_sent LETTER: of the packet of own_source both ends were recorded, with the bytes that its buffer held before
recorded_as_sent()
{
	flight -f 'comm=="own_source" && (op==write || op==send)'
	assert_eq "$(grep -aoE "$1{64}" flight.pcapng | wc -l),$(grep -acE -- '-{64}' flight.pcapng)" 2,0 \
		"records with what was sent, and with what is there now"
}

# A delivery may change the sender's memory, or let its owner have it back: what is recorded was copied before.
test_payload_is_that_of_the_moment_of_sending()
{
	local capture
	rearm
	own_source Q
	recorded_as_sent Q
	own_source R send
	recorded_as_sent R
	# somebody captures: another way through the driver
	start ibcap.log ibcap -w capture.pcapng glass0:1 glass1:1
	capture=$STARTED
	wait_for 10 in_file ibcap.log capturing
	own_source X
	kill -INT "$capture"
	finish "$capture" ibcap.log
	recorded_as_sent X
}

# Between hosts that nobody watches several packets travel as one: they are told apart again.
test_trains()
{
	rearm
	traffic -n 20 -s 65536 -m write
	flight -f 'comm=="traffic" && dir==tx && dev=="glass0" && op==write'
	fields >list
	tail -n 64 list >last
	# 65536 bytes in packets of 4096: first, 14 middle, last
	assert_eq "$(cut -f1 last | paste -sd' ')" "$(for _ in 1 2 3 4; do printf '6 '; printf '7 %.0s' {1..14}; printf '8 '; done | sed 's/ $//')" "opcodes"
	awk -F'\t' 'NR > 1 && $2 != (psn + 1) % 16777216 { exit 1 } { psn = $2 }' last || fail "PSNs: $(<last)"
	assert_eq "$(awk -F'\t' '$1 == 7 { print $3 }' last | sort -u)" $((8 + 12 + 4096 + 6)) "length of a middle packet"
	grep -q train <(tshark -r flight.pcapng -T fields -e frame.comment) || fail "no train in what should be trains"
	assert_eq "$(tshark -r flight.pcapng -Y _ws.malformed | wc -l)" 0 "malformed packets"
}

# flight.pcapng has the packets of before.pcapng and no other, in that order and with the same times.
same_as_before()
{
	tshark -r before.pcapng -T fields -e frame.interface_name -e frame.comment -e infiniband.bth.psn -e infiniband.bth.opcode -e frame.time_epoch >before.list
	tshark -r flight.pcapng -T fields -e frame.interface_name -e frame.comment -e infiniband.bth.psn -e infiniband.bth.opcode -e frame.time_epoch >flight.list
	[[ -s before.list ]] || fail "nothing was recorded"
	diff before.list flight.list >difference || { head -n 5 difference; return 1; }
}

test_first_error_freezes()
{
	local qpn
	rearm
	start traffic.log traffic
	wait_for 20 in_file traffic.log '^running'
	qpn=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0.*/\1/p' traffic.log)
	echo "add act=qp_fatal qpn=$qpn" >$GLASS_DEBUGFS/glass0/inject/rules
	wait_for 20 gone "$STARTED"
	flight
	assert_eq "$(state state)" frozen
	assert_eq "$(state cause)" qp_fatal
	assert_eq "$(state dev)" glass0
	assert_eq "$(state qpn)" $((qpn))
	grep -q "frozen since .* qp_fatal of glass0 qpn=$qpn" flight.log || fail "$(<flight.log)"
	# what came after it is not in it
	pair glass0 glass1 ibv_rc_pingpong -n 10
	cp flight.pcapng before.pcapng
	flight
	same_as_before || fail "it went on"
	rearm
	pair glass0 glass1 ibv_rc_pingpong -n 10
	flight
	assert_eq "$(state state)" armed
	grep -q comm=ibv_rc_pingpong <(tshark -r flight.pcapng -T fields -e frame.comment) || fail "it did not go on after rearm"
}

# Each adapter numbers its QPs: after an error of one, another adapter's QP of that number is not recorded.
test_another_qp_of_that_number()
{
	local qpn knob
	for knob in "$GLASS_DEBUGFS"/glass[01]/behavior/qpn_reuse; do
		echo 1 >"$knob"
	done
	rearm
	start traffic.log traffic
	wait_for 20 in_file traffic.log '^running'
	qpn=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0.*/\1/p' traffic.log)
	echo "add act=qp_fatal qpn=$qpn" >"$GLASS_DEBUGFS/glass0/inject/rules"
	wait_for 20 gone "$STARTED"
	flight
	assert_eq "$(state qpn)" $((qpn))
	cp flight.pcapng before.pcapng
	pair glass1 glass1 ibv_rc_pingpong -n 10
	for knob in "$GLASS_DEBUGFS"/glass[01]/behavior/qpn_reuse; do
		echo 0 >"$knob"
	done
	grep -q "QPN $(printf '0x%06x' $((qpn)))," server.log client.log || fail "glass1 had no QP $qpn: this shows nothing"
	flight
	same_as_before || fail "a QP of glass1 was recorded"
}

# last_of FILTER: number of the last packet of the flight recorder that fits
last_of()
{
	tshark -r flight.pcapng -Y "frame.comment contains \"comm=verbs_check\" && ($1)" -T fields -e frame.number | tail -n 1
}

# The packet that brought the error is there, and what came of it.
test_the_cause_is_recorded()
{
	local nak write
	rearm
	verbs_check -t bad_rkey_write
	flight
	assert_eq "$(state state)" frozen
	assert_match "$(state cause)" '^(qp_access_err|rem_access_err)$'
	# a NAK "remote access error", and before it the WRITE that it refuses
	nak=$(last_of 'infiniband.aeth.syndrome == 0x62')
	write=$(last_of 'infiniband.bth.opcode >= 6 && infiniband.bth.opcode <= 11')
	((${write:-0} > 0 && ${nak:-0} > write)) || fail "WRITE in packet ${write:-?}, NAK in packet ${nak:-?}"
	rearm
}

# Unless it is armed, an error does not stop it.
test_runs_on()
{
	echo run >$GLASS_DEBUGFS/glass0/flight
	flight
	assert_eq "$(state state)" running
	verbs_check -t bad_rkey_write
	pair glass0 glass1 ibv_rc_pingpong -n 10
	flight
	assert_eq "$(state state)" running
	[[ -n $(last_of 'infiniband.aeth.syndrome == 0x62') ]] || fail "the error was not recorded"
	grep -q comm=ibv_rc_pingpong <(tshark -r flight.pcapng -T fields -e frame.comment) || fail "it stopped"
	rearm
}

test_off_and_by_hand()
{
	local file=$GLASS_DEBUGFS/glass0/flight
	rearm
	echo off >$file
	flight
	assert_eq "$(state state)" off
	cp flight.pcapng before.pcapng
	pair glass0 glass1 ibv_ud_pingpong -n 10
	flight
	same_as_before || fail "it recorded while it was off"
	echo on >$file
	echo freeze >$file
	flight
	assert_eq "$(state state)" frozen
	assert_eq "$(state cause)" by_hand
	echo rearm >$file
	refuses bash -c "echo nonsense >$file"
	# no write bit: docs/lockdown.md
	assert_eq "$(stat -c %a $file)" 400 "mode"
}
