# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 60
# Ethernet ports send the packets of a long message in frames of several datagrams (GSO), if the interface takes such. They reach another
# port of Glass whole, and rxe one by one.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=120

setup()
{
	roce_up
	second_wire
}

# Without these hooks, the kernel splits each frame before it passes it on. Newer kernels do; older ones pass it on whole anyway.
have_hooks()
{
	grep -qw nf_register_net_hooks /proc/kallsyms
}

# whole: nothing was split on the way
whole()
{
	have_hooks || note "this kernel has no netfilter, and splits the frames"
	! have_hooks || ((UDP < RX / 3)) || fail "not whole: $RX packets, $UDP frames"
}

cleanup()
{
	second_wire_down
	roce_down
}

# datagrams NETNS: what UDP has passed on there: a frame that stays whole counts as one
datagrams()
{
	local v4 v6
	v4=$(in_ns "$1" awk '$1 == "Udp:" && $2 ~ /^[0-9]/ { print $2 }' /proc/net/snmp)
	v6=$(in_ns "$1" awk '$1 == "Udp6InDatagrams" { print $2 }' /proc/net/snmp6)
	echo $((v4 + v6))
}

# The ACK timeout, 1 s: a slow machine shall repeat nothing
PATIENCE=18

# no_errors DEVICE: it has received no datagram that breaks a rule; on a slow machine too many may wait
no_errors()
{
	assert_eq "$(awk -v dev="$1" '/^#/ { for (i = 1; i <= NF; i++) if ($i ~ /^bad_/ && $i != "bad_overrun") bad[i - 4]; next }
		$1 == dev { for (i in bad) n += $i } END { print n + 0 }' "$FABRIC/ethernet")" 0 "datagrams at $1 that break a rule"
}

# flow FROM ADDRESS TO ADDRESS NETNS: messages of 64 KiB, which the program compares; TO is in NETNS. RX is how many packets came, and
# UDP how many datagrams or frames UDP has passed on.
flow()
{
	local rx udp
	rx=$(port_count "$3" rx_packets) udp=$(datagrams "$5")
	with_gids "$1" "$2" "$3" "$4"
	traffic "${OPTIONS[@]}" -n 200 -s 65536 -t $PATIENCE || fail "traffic ${OPTIONS[*]}"
	RX=$(($(port_count "$3" rx_packets) - rx)) UDP=$(($(datagrams "$5") - udp))
	note "$2 to $4: $RX packets in $UDP frames"
	no_errors "$1"
	no_errors "$3"
}

test_whole()
{
	flow glassr1 10.9.1.1 glassr2 10.9.1.2 beyond
	((RX > 3000)) || fail "only $RX packets"
	whole
	flow glassr2 fd00:9:1::2 glassr1 fd00:9:1::1 there
	((RX > 3000)) || fail "only $RX packets"
	whole
}

# An interface that takes no such frames gets single datagrams; so does one while somebody captures at the port.
test_single()
{
	ip -n there link set left gso_max_segs 1
	flow glassr1 10.9.1.1 glassr2 10.9.1.2 beyond
	ip -n there link set left gso_max_segs 65535
	((UDP == RX)) || fail "$RX packets, $UDP frames"
	start capture.log ibcap -w all.pcapng glassr1
	wait_for 20 grep -q . capture.log
	flow glassr1 10.9.1.1 glassr2 10.9.1.2 beyond
	kill -INT "$STARTED"
	finish "$STARTED" capture.log
	((UDP == RX)) || fail "captured: $RX packets, $UDP frames"
}

# A capture at the interface has another frame's header and the same data: what arrives stays whole.
test_interface_captured()
{
	start dump.log in_ns beyond dumpcap -i right -q -w wire.pcapng
	wait_for 20 test -s wire.pcapng
	flow glassr1 10.9.1.1 glassr2 10.9.1.2 beyond
	pkill -INT -x dumpcap
	finish "$STARTED" dump.log
	whole
}

# 64 queue pairs, each with long messages, over a slow interface: all wait for it in turn, and none of them overruns it.
test_many_queue_pairs()
{
	local dropped waits
	dropped=$(port_count glassr1 tx_dropped) waits=$(port_count glassr1 waits)
	in_ns there tc qdisc replace dev left root tbf rate $((200 / SLOWER))mbit burst 200k limit 20m
	next_port
	start server.log in_ns beyond ib_write_bw $ANY_CLOCK -d glassr2 -x "$(gid_of glassr2 10.9.1.2)" -q 64 -s 65536 -n 20 -u 20 -p "$TCP_PORT"
	wait_for 20 listening_beyond "$TCP_PORT"
	in_ns there timeout $((60 * SLOWER)) ib_write_bw $ANY_CLOCK -d glassr1 -x "$(gid_of glassr1 10.9.1.1)" -q 64 -s 65536 -n 20 -u 20 \
		-p "$TCP_PORT" 10.9.1.2 >client.log 2>&1 || fail "$(<client.log)"
	finish "$STARTED" server.log
	in_ns there tc qdisc del dev left root
	ether >&2
	(($(port_count glassr1 waits) > waits)) || fail "no queue pair has waited"
	assert_eq "$(port_count glassr1 tx_dropped)" "$dropped" "packets that were dropped"
}

listening_beyond()
{
	[[ -n $(in_ns beyond ss -Hltn "sport = :$1") ]]
}

# All sizes, with guards around the data.
test_checked()
{
	local -a what=()
	local name
	for name in 'rc_send*' 'rc_write*' 'rc_read*' rc_fence rc_order; do
		what+=(--test "$name")
	done
	verbs_check --a glassr1 --b glassr2 --gid "$(gid_of glassr1 10.9.1.1)" --b-gid "$(gid_of glassr2 10.9.1.2)" "${what[@]}"
	verbs_check --a glassr2 --b glassr1 --gid "$(gid_of glassr2 fd00:9:1::2)" --b-gid "$(gid_of glassr1 fd00:9:1::1)" "${what[@]}"
	no_errors glassr1
	no_errors glassr2
}

# errors_of_rxe: packets that rxe had to drop, or to ask for again
errors_of_rxe()
{
	local name
	for name in duplicate_request out_of_seq_request rcvd_seq_err completer_retry_err retry_exceeded_err; do
		echo "$name $(</sys/class/infiniband/rxe0/ports/1/hw_counters/$name)"
	done
}

# frames_of_glass: what the interface of glassr0 has sent
frames_of_glass()
{
	in_ns there awk '$1 == "there:" { print $11 }' /proc/net/dev
}

# rxe gets each packet as a datagram of its own, with the ICRC that it must have: none is lost or repeated.
test_rxe()
{
	local before frames
	before=$(errors_of_rxe) frames=$(frames_of_glass)
	with_gids glassr0 $THERE4 rxe0 $HERE4
	traffic "${OPTIONS[@]}" -n 200 -s 65536 -t $PATIENCE || fail "traffic ${OPTIONS[*]}"
	with_gids glassr0 $THERE6 rxe0 $HERE6
	traffic "${OPTIONS[@]}" -n 200 -s 65536 -t $PATIENCE || fail "traffic ${OPTIONS[*]}"
	frames=$(($(frames_of_glass) - frames))
	((frames < 3000)) || fail "$frames frames for 6400 packets and their answers"
	# rxe reads and sends, Glass answers
	GID_OPTION=-x
	between rxe $HERE4 $THERE4 ib_read_bw -s 65536 -n 50 -u $PATIENCE
	between glass $HERE6 $THERE6 ib_read_bw -s 65536 -n 50 -u $PATIENCE
	assert_eq "$(errors_of_rxe)" "$before" "what rxe counts"
	no_errors glassr0
}

# sends KIND PACKETS RULE COUNT: of the datagrams of a frame, over IPv4 and IPv6, so many are received, and so many break this rule
sends()
{
	local from rx bad
	for from in "$HERE4 $THERE4" "$HERE6 $THERE6"; do
		rx=$(port_count glassr0 rx_packets) bad=$(port_count glassr0 "$3")
		# shellcheck disable=SC2086 # two words
		python3 "$TESTS/programs/roce_gso.py" $from "$1"
		wait_for 10 came "$((rx + $2))" "$((bad + $4))" "$3"
	done
}

came()
{
	[[ $(port_count glassr0 rx_packets) == "$1" && $(port_count glassr0 "$3") == "$2" ]]
}

# Frames that any program makes, without a right to.
test_foreign_frames()
{
	local udp
	udp=$(datagrams there)
	sends good 8 bad_icrc 0
	! have_hooks || assert_eq "$(($(datagrams there) - udp))" 2 "frames that arrived whole"
	assert_eq "$(grep -c ' no_qp rc_send_only 0xabcdef ' "$GLASS_DEBUGFS/glassr0/droplog")" 16 "drops in the log"
	sends icrc 7 bad_icrc 1
	sends mixed 8 bad_icrc 0
	sends short 0 bad_short 8
	sends shorter 7 bad_short 1
	sends many 40 bad_icrc 0
	sends mad 8 bad_icrc 0
}

test_random_frames()
{
	local seed=${GLASS_SEED:-$RANDOM}
	note "seed $seed"
	python3 "$TESTS/programs/roce_gso.py" $HERE4 $THERE4 "random:$seed"
	python3 "$TESTS/programs/roce_gso.py" $HERE6 $THERE6 "random:$seed"
	ether >&2
	GID_OPTION=-g
	between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 20 -c
}

# The port goes while frames come: nothing is left, and nothing crashes.
test_port_goes()
{
	local i
	for i in {1..5}; do
		start frames.log bash -c "for i in {1..20}; do python3 '$TESTS/programs/roce_gso.py' $HERE4 $THERE4 good || exit; done"
		in_ns there rdma link del glassr0
		in_ns there rdma link add glassr0 type glass netdev there
		wait_for 20 have_gids glassr0 $THERE4 $THERE6
		kill "$STARTED" 2>/dev/null || :
		wait "$STARTED" 2>/dev/null || :
	done
	GID_OPTION=-g
	between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 20 -c
}
