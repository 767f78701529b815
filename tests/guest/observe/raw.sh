# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 45
# long: a thousand frames that are wrong
# glassN/raw: frames that no sender makes, and why each dies, as the capture's comment tells.

TRACE=/sys/kernel/tracing/instances/raw

setup()
{
	start_opensm
}

cleanup()
{
	[[ ! -d $TRACE ]] || rmdir $TRACE
	stop_opensm
}

LIMIT=120

lid()
{
	echo $(($(port_attr "$1" lid)))
}

# A pingpong between glass1 (server) and glass0 that runs on; QPN0 and QPN1, its QPs.
endless()
{
	local tool=$1
	next_port
	start server.log "$tool" -d glass1 -p "$TCP_PORT" -n 100000000
	SERVER=$STARTED
	wait_for 20 listening "$TCP_PORT"
	start client.log "$tool" -d glass0 -p "$TCP_PORT" -n 100000000 localhost
	CLIENT=$STARTED
	wait_for 20 ready glass0 "$CLIENT"
	wait_for 20 ready glass1 "$SERVER"
	QPN0=$(ready glass0 "$CLIENT")
	QPN1=$(ready glass1 "$SERVER")
}

# ready DEVICE PID: the QP of that process, once it sends
ready()
{
	awk -v pid="$2" '
		NR == 1 { sub(/^# glass 1 [a-z]+: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pid"] == pid && $at["state"] == "rts" { print $at["qpn"]; found = 1; exit }
		END { exit !found }' "$GLASS_DEBUGFS/$1/qp"
}

# watched: what glass0's ports see of the frames, and what dies, is captured from here to judged.
watched()
{
	: >expected
	# of what else is going on, nothing
	start ibcap.log ibcap -w raw.pcapng -f 'reason!=none || psn==0xabcdef' glass0
	CAPTURE=$STARTED
	wait_for 10 in_file ibcap.log capturing
	[[ -d $TRACE ]] || mkdir $TRACE
	echo 1 >$TRACE/events/glass/glass_pkt_drop/enable
}

# frame REASON KEY=VALUE...: handed to glass0's first port; it will die of REASON ("none": be taken), so says the capture.
# By default it is an RC SEND of 16 bytes for the client's QP from its peer.
frame()
{
	printf "%s \n" "$*" >>expected
	"$TESTS/guest/observe/raw-frame" "${PORT:-glass0:1}" opcode=4 psn=0xabcdef payload=16 slid="$LID1" dlid="$LID0" dqpn="${QPN0:-0x999}" "${@:2}"
}

# judged: the comments of the capture, one a frame and in their order, say what became of them.
judged()
{
	echo 0 >$TRACE/events/glass/glass_pkt_drop/enable
	kill -INT "$CAPTURE"
	finish "$CAPTURE" ibcap.log
	tshark -r raw.pcapng -Y 'frame.comment contains " raw" || frame.comment matches "^raw"' -T fields -e frame.comment >comments
	assert_eq "$(wc -l <comments)" "$(wc -l <expected)" "frames captured"
	sed -E 's/.*reason=([a-z_]+).*/\1/; t; s/.*/none/' comments | paste -d' ' - <(cut -d' ' -f2- expected) >seen
	diff expected seen || fail "the comments do not say that"
}

# dies REASON KEY=VALUE...: so says the trace, and the port's counter of that reason; the capture later
dies()
{
	local want=$1 port=${PORT:-glass0:1} counters before
	counters=/sys/class/infiniband/${port%:*}/ports/${port#*:}/hw_counters
	before=$(<"$counters/drop_$want")
	echo 0 >$TRACE/trace
	frame "$@"
	shift
	assert_eq "$(grep -c "glass_pkt_drop: dev=${port%:*} port=${port#*:} .* reason=$want" $TRACE/trace)" 1 \
		"trace events of a frame with $*"
	assert_eq "$(<"$counters/drop_$want")" $((before + 1)) "drop_$want after a frame with $*"
}

lids()
{
	LID0=$(lid glass0/1) LID1=$(lid glass1/1)
}

test_malformed()
{
	lids
	watched
	dies bad_vcrc break=vcrc
	dies bad_icrc break=icrc
	dies bad_len cut=20
	dies bad_len cut=40
	dies bad_len pktlen=100
	dies bad_len payload=0 pad=1
	dies bad_lrh lver=1
	dies bad_lrh lnh=1
	dies bad_lrh dlid=0
	dies bad_lrh slid=0xc000
	dies bad_bth tver=1
	dies bad_bth opcode=0x1f
	dies bad_bth opcode=0x44
	dies bad_grh lnh=3 dgid=fe80::1 ipver=4
	dies bad_grh lnh=3 dgid=fe80::1 nxthdr=6
	dies bad_grh lnh=3 dgid=fe80::1 paylen=3
	judged
}

test_misdirected()
{
	lids
	watched
	dies wrong_lid dlid=0x123
	dies no_qp dqpn=0x123456
	dies no_qp dqpn=0
	dies bad_grh lnh=3 dgid=fe80::1234:5678
	dies no_mcast dlid=0xc123 dqpn=0xffffff opcode=0x64 lnh=3 dgid=ff12:401b:ffff::99
	dies bad_bth dlid=0xc123 dqpn=5 opcode=0x64 lnh=3 dgid=ff12:401b:ffff::99
	dies bad_bth vl=15 dqpn=5
	judged
}

test_wrong_for_an_rc_qp()
{
	lids
	endless ibv_rc_pingpong
	watched
	dies bad_pkey pkey=0x8123
	dies wrong_slid slid=0x77
	dies qp_type opcode=0x64 qkey=1 sqpn=1
	dies qp_type opcode=0x24
	PORT=glass0:2 dies wrong_port dlid="$(lid glass0/2)"
	judged
	gone "$CLIENT" && fail "the program suffered: $(<client.log)"
	kill "$CLIENT" "$SERVER"
}

test_wrong_for_a_ud_qp()
{
	lids
	endless ibv_ud_pingpong
	watched
	dies bad_qkey opcode=0x64 qkey=0x22222222 sqpn="$QPN1"
	dies qp_type opcode=4
	# a forged packet that is right is taken
	frame none opcode=0x64 qkey=0x11111111 sqpn="$QPN1"
	judged
	gone "$CLIENT" && fail "the program suffered: $(<client.log)"
	kill "$CLIENT" "$SERVER"
}

test_before_the_qp_is_ready()
{
	lids
	next_port
	start server.log stdbuf -oL ibv_ud_pingpong -d glass0 -p "$TCP_PORT" -n 3
	SERVER=$STARTED
	wait_for 20 in_file server.log 'local address'
	# it has not been told its peer yet: INIT
	watched
	dies qp_state opcode=0x64 dqpn="$(grep -oE 'QPN 0x[0-9a-f]+' server.log | cut -d' ' -f2)" qkey=0x11111111 sqpn=0x50
	judged
	kill "$SERVER"
}

test_port_down()
{
	lids
	fresh_glass
	# LID 0 now, and the port in INIT: only SMPs pass
	watched
	dies port_down
	judged
	start_opensm
}

test_refused()
{
	local raw=$GLASS_DEBUGFS/glass0/raw
	local port flags size row
	# no frame; no such port; flags that there are none of; too long
	for row in '1 0 0' '0 0 100' '3 0 100' '255 0 100' '1 1 100' '1 0 8193'; do
		read -r port flags size <<<"$row"
		{
			printf '%b\0\0\0%b\0\0\0' "\\x$(printf %02x "$port")" "\\x$(printf %02x "$flags")"
			head -c "$size" /dev/zero
		} >frame
		refuses dd bs=16384 if=frame of="$raw"
		assert_match "$REFUSAL" 'Invalid argument' "$row"
	done
	assert_eq "$(stat -c %a $raw)" 200 "mode"
}

# Noise, whole and with a good end: the driver must stand it.
test_noise()
{
	python3 - <<-'END'
		import random, struct, importlib.machinery, importlib.util, os, sys
		random.seed(int(os.environ.get("GLASS_SEED", "7")))
		path = os.path.join(os.getcwd(), "x")
		raw = open("/sys/kernel/debug/glass/glass0/raw", "wb", buffering=0)
		for i in range(3000):
		    n = random.choice((1, 7, 8, 26, 50, 290, 1000, 4200, 8192))
		    frame = bytearray(random.randbytes(n))
		    if n >= 26 and random.random() < 0.8:
		        # a length that agrees lets it get further
		        frame[4:6] = struct.pack(">H", (n - 2) // 4 & 0x7ff)
		        frame[0] &= 0xf0
		        frame[1] = frame[1] & 0xf0 | random.choice((2, 3))
		    raw.write(struct.pack("=II", random.choice((1, 2)), 0) + frame)
	END
	pair glass0 glass1 ibv_rc_pingpong -c -n 20
}
