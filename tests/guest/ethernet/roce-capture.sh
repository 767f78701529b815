# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 205
# long: tshark reads captures of all there is
# What observers show of an Ethernet port: captures of its packets, and their addresses. The kernel's rxe is at the other end.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=120

setup()
{
	roce_up
}

cleanup()
{
	roce_down
}

# capture_begins NAME OPTION...: ibcap at the port into NAME.pcapng, and tshark at the other end of the wire into NAME.wire.pcapng
capture_begins()
{
	local name=$1
	shift
	start wire.log tshark -i here -f 'udp port 4791' -B 64 -w "$name.wire.pcapng"
	WIRE=$STARTED
	wait_for 20 in_file wire.log 'Capturing on'
	# dumpcap says so before it has opened the interface; then the file has its first blocks
	wait_for 20 test -s "$name.wire.pcapng"
	start capture.log ibcap -w "$name.pcapng" -B 65536 "$@" glassr0
	CAPTURE=$STARTED
	wait_for 20 in_file capture.log capturing
}

# packets FILE: how many there are already
packets()
{
	tshark -r "$1" 2>/dev/null | wc -l
}

# as_many FILE FILE
as_many()
{
	local a b
	a=$(packets "$1")
	b=$(packets "$2")
	((a > 0 && a <= b))
}

# capture_ends NAME: ends both, and compares them
capture_ends()
{
	kill -INT "$CAPTURE"
	finish "$CAPTURE" capture.log ibcap
	wait_for 20 as_many "$1.pcapng" "$1.wire.pcapng"
	kill -INT "$WIRE"
	finish "$WIRE" wire.log tshark
	python3 "$TESTS/programs/roce_capture.py" "$1.pcapng" "$1.wire.pcapng" >"$1.opcodes" || fail "$1"
	cat "$1.opcodes"
}

# has NAME OPCODE...: packets of these opcodes were captured
has()
{
	local op
	for op in "${@:2}"; do
		grep -q "0x$op:" "$1.opcodes" || fail "$1 has no packet with opcode 0x$op: $(<"$1.opcodes")"
	done
}

test_captures()
{
	GID_OPTION=-g
	capture_begins rc
	both ibv_rc_pingpong -n 20 -s 10000 -c
	capture_ends rc
	has rc 00 01 02 11
	capture_begins uc
	both ibv_uc_pingpong -n 20 -s 10000 -c
	capture_ends uc
	has uc 20 21 22
	capture_begins ud
	both ibv_ud_pingpong -n 20 -s 1001
	capture_ends ud
	has ud 64
	GID_OPTION=-x
	capture_begins others
	both ib_write_bw -s 10000 -n 20
	both ib_read_bw -s 10000 -n 20
	both ib_atomic_bw -n 20
	between rxe $HERE4 $THERE4 ib_send_bw -R -s 4096 -n 20
	capture_ends others
	has others 06 07 08 0c 0d 0e 0f 11 12 64
}

# What ibcap wrote is what it reads, and what it prints at once.
test_read()
{
	local lines gid
	GID_OPTION=-g
	start lines ibcap glassr0
	lines=$STARTED
	wait_for 20 in_file lines capturing
	capture_begins one
	between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 5 -s 100 -c
	between glass $HERE6 $THERE6 ibv_rc_pingpong -n 5 -s 100 -c
	capture_ends one
	kill -INT "$lines"
	finish "$lines" lines ibcap
	ibcap --read one.pcapng >lines.read
	# each session has its own times
	assert_eq "$(grep -v ^ibcap: lines | cut -d' ' -f2-)" "$(cut -d' ' -f2- <lines.read)" "lines of both"
	grep -q "glassr0:1 tx rc_send_only src=$THERE4 dst=$HERE4 dqpn=" lines.read || fail "$(<lines.read)"
	grep -q "glassr0:1 rx rc_send_only src=$HERE6 dst=$THERE6 dqpn=" lines.read || fail "$(<lines.read)"
	# a capture that others made
	assert_eq "$(ibcap --read one.wire.pcapng | wc -l)" "$(wc -l <lines.read)" "packets of the wire that ibcap reads"
	# by address, in the form of sysfs
	gid=$(cat "/sys/class/infiniband/rxe0/ports/1/gids/$(gid_of rxe0 $HERE4)")
	assert_eq "$(ibcap --read one.pcapng -f "sgid==\"$gid\"" | wc -l)" "$(grep -c "src=$HERE4 " lines.read)" "packets from $HERE4"
}

# malformed FILE: the malformed packets; tshark takes some payloads for those of NFS
malformed()
{
	tshark -r "$1" --disable-protocol rpcordma -Y _ws.malformed 2>/dev/null
}

# Cut packets, and those of the flight recorder
test_cut()
{
	local snap
	GID_OPTION=-g
	for snap in 40 64 1042; do
		start capture.log ibcap -w "cut$snap.pcapng" -s "$snap" glassr0
		CAPTURE=$STARTED
		wait_for 20 in_file capture.log capturing
		between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 3 -s 1000 -c
		kill -INT "$CAPTURE"
		finish "$CAPTURE" capture.log ibcap
		assert_eq "$(tshark -r "cut$snap.pcapng" -T fields -e frame.cap_len | sort -nu | tail -n 1)" \
			"$((14 + (snap < 1040 ? snap : 1040)))" "most bytes with -s $snap"
		assert_eq "$(malformed "cut$snap.pcapng")" '' "malformed packets"
	done
	ibcap --flight -w flight.pcapng glassr0
	assert_eq "$(malformed flight.pcapng)" '' "malformed packets of the flight recorder"
	grep -q 'rc_send_only' <(ibcap --flight glassr0) || fail "no packet in the flight recorder"
	(($(tshark -r flight.pcapng -Y 'infiniband.bth.opcode==0x11' | wc -l) > 3)) || fail "no ACK in the flight recorder"
}

# A rule changes the payload of a packet to rxe and makes its CRC anew: rxe takes it, and the program finds wrong data.
test_corrupt()
{
	GID_OPTION=-g
	echo 'add name=spoil dir=tx op=send count=1 act=corrupt what=payload at=0 bits=1 crc=good' >"$GLASS_DEBUGFS/glassr0/inject/rules"
	between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 1 -s 100 -c
	in_file server.log 'invalid data in page 0' || fail "the data are right: $(<server.log)"
	echo clear >"$GLASS_DEBUGFS/glassr0/inject/rules"
	# a wrong CRC: rxe drops the packet, and gets it again
	echo 'add name=spoil dir=tx op=send count=1 act=corrupt what=payload at=0 bits=1' >"$GLASS_DEBUGFS/glassr0/inject/rules"
	between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 1 -s 100 -c
	! in_file server.log 'invalid data' || fail "$(<server.log)"
	echo clear >"$GLASS_DEBUGFS/glassr0/inject/rules"
}

# A rule cuts a packet behind any of its bytes. rxe drops what is left, and gets the packet again.
test_truncated()
{
	local keep want=''
	GID_OPTION=-g
	capture_begins cut
	for keep in 0 1 5 6 7 99; do
		echo "add name=cut dir=tx op=send count=1 act=truncate keep=$keep" >"$GLASS_DEBUGFS/glassr0/inject/rules"
		between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 2 -s 100 -c
		echo clear >"$GLASS_DEBUGFS/glassr0/inject/rules"
		# a whole BTH, and of the payload as much as was not in the place of the CRCs
		want+="$((14 + 20 + 8 + 12 + (keep > 6 ? keep - 6 : 0) + 4)) "
	done
	kill -INT "$CAPTURE"
	finish "$CAPTURE" capture.log ibcap
	wait_for 20 as_many cut.pcapng cut.wire.pcapng
	kill -INT "$WIRE"
	finish "$WIRE" wire.log tshark
	tshark -r cut.wire.pcapng --disable-protocol rpcordma -Y 'infiniband.bth.opcode == 4 && frame.len < 158' -T fields -e frame.len >cut.lengths
	assert_eq "$(paste -sd' ' cut.lengths) " "$want" "bytes of the frames"
}

# The addresses of packets in trace events, as text and by the plug-in, and in a drop
test_traces()
{
	local trace=/sys/kernel/tracing/instances/roce
	GID_OPTION=-g
	[[ -d $trace ]] || mkdir "$trace"
	echo 8192 >"$trace/buffer_size_kb"
	echo 1 >"$trace/events/glass/glass_pkt_tx/enable"
	echo 1 >"$trace/events/glass/glass_pkt_rx/enable"
	echo 1 >"$trace/events/glass/glass_pkt_drop/enable"
	echo 'add name=lose dir=tx op=send count=1 act=drop' >"$GLASS_DEBUGFS/glassr0/inject/rules"
	both ibv_rc_pingpong -n 5 -s 100 -c
	echo clear >"$GLASS_DEBUGFS/glassr0/inject/rules"
	echo 0 >"$trace/tracing_on"
	cat "$trace/trace" >trace.text
	# this takes the events out
	trace-cmd extract -B roce -o trace.dat >/dev/null
	[[ ! -d $trace ]] || rmdir "$trace"
	grep -q "glass_pkt_tx: dev=glassr0 .* sgid=::ffff:$THERE4 dgid=::ffff:$HERE4\$" trace.text || fail "$(grep -m 3 glass_pkt_tx trace.text)"
	grep -q "glass_pkt_rx: dev=glassr0 .* sgid=$HERE6 dgid=$THERE6\$" trace.text || fail "$(grep -m 3 glass_pkt_rx trace.text)"
	grep -q "glass_pkt_drop: .* reason=injected place=tx sgid=::ffff:$THERE4 dgid=::ffff:$HERE4\$" trace.text ||
		fail "$(grep -m 3 glass_pkt_drop trace.text)"
	trace-cmd report trace.dat >report.text
	grep -q "glassr0/1 sends RC SEND ONLY PSN [0-9]*, $THERE4 -> $HERE4 QP 0x" report.text || fail "$(grep -m 3 sends report.text)"
	grep -q "glassr0/1 gets RC SEND ONLY PSN [0-9]*, $HERE6 -> $THERE6 QP 0x" report.text || fail "$(grep -m 3 gets report.text)"
}
