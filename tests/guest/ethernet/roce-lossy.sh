# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 120
# long: many timeouts of reliable transports

# Ethernet ports over a network that loses, repeats and reorders packets (netem): between Glass and rxe, and between two ports of Glass.
# RC must bring all data over; on UC and UD, what arrives must be right, and the rest is counted.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=240
# of each hundred packets
PERCENT=5
# The ACK timeout of the programs: 4.096 us * 2^PATIENCE, 134 ms. Its eight tries must outlast a pause of the peer. In an emulated guest
# on a busy host the worker of rxe did not run for 140 ms, and once for 505 ms. Kernels that look for mistakes are slower by far.
PATIENCE=15
((${SLOWER:-1} == 1)) || PATIENCE=18

setup()
{
	roce_up
	second_wire
	know_neighbours
	one_backlog - here
	one_backlog there there left
	one_backlog beyond right
}

cleanup()
{
	second_wire_down
	roce_down
}

# ARP and neighbour discovery lose packets, too. The kernel asks again after 1 s, but by then the RDMA core has given up, and
# ibv_modify_qp() to RTR fails with ETIMEDOUT at rxe. So all neighbours are known before.
know_neighbours()
{
	neighbour_is "ip -n there" there "ip" here $HERE4 $HERE6
	neighbour_is "ip" here "ip -n there" there $THERE4 $THERE6
	neighbour_is "ip -n there" left "ip -n beyond" right 10.9.1.2 fd00:9:1::2
	neighbour_is "ip -n beyond" right "ip -n there" left 10.9.1.1 fd00:9:1::1
}

# one_backlog NETNS DEVICE...: what arrives there keeps its order. veth puts a packet into the backlog of the CPU that sends it, and rxe's
# worker may move to another CPU between two packets: then these could pass each other without netem.
one_backlog()
{
	local device
	local -a in=()
	[[ $1 == - ]] || in=(ip netns exec "$1")
	for device in "${@:2}"; do
		"${in[@]}" tee "/sys/class/net/$device/queues/rx-0/rps_cpus" <<<1 >/dev/null
	done
}

# neighbour_is IP DEVICE ITS_IP ITS_DEVICE ADDRESS...: these addresses are at ITS_DEVICE. IP is the command for the namespace.
neighbour_is()
{
	local ip=$1 device=$2 mac address
	# shellcheck disable=SC2086 # words
	mac=$($3 -br link show "$4" | awk '{print $3}')
	for address in "${@:5}"; do
		# shellcheck disable=SC2086 # words
		$ip neigh replace "$address" lladdr "$mac" dev "$device" nud permanent
	done
}

# netem KIND: all four ends lose, repeat, reorder, or do all of that
netem()
{
	local -a how
	case $1 in
	loss) how=(loss "$PERCENT%") ;;
	dup) how=(duplicate "$PERCENT%") ;;
	# all but these wait for no time
	reorder) how=(delay 1ms reorder "$((100 - PERCENT))%") ;;
	all) how=(loss "$PERCENT%" duplicate "$PERCENT%" delay 1ms reorder "$((100 - PERCENT))%") ;;
	esac
	tc qdisc replace dev here root netem limit 10000 "${how[@]}"
	in_ns there tc qdisc replace dev there root netem limit 10000 "${how[@]}"
	in_ns there tc qdisc replace dev left root netem limit 10000 "${how[@]}"
	in_ns beyond tc qdisc replace dev right root netem limit 10000 "${how[@]}"
}

# each_pair COMMAND...: with the OPTIONS for each two ends
each_pair()
{
	local pair
	for pair in "rxe0 $HERE4 glassr0 $THERE4" "glassr0 $THERE6 rxe0 $HERE6" "glassr1 10.9.1.1 glassr2 10.9.1.2" \
		"glassr2 fd00:9:1::2 glassr1 fd00:9:1::1"; do
		# shellcheck disable=SC2086 # four words
		with_gids $pair
		echo "+ $* ($pair)"
		"$@" || fail "$* ($pair)"
	done
}

traffic_mixed()
{
	timeout $((60 * SLOWER)) traffic "${OPTIONS[@]}" -n 300 -s 10000 -t "$PATIENCE" -r 7
}

# RC: checked data, and perftest
reliable()
{
	netem "$1"
	each_pair traffic_mixed
	GID_OPTION=-x
	both ib_write_bw -s 65536 -n 50 -u "$PATIENCE"
	both ib_read_bw -s 65536 -n 50 -u "$PATIENCE"
	both ib_send_bw -s 1000 -n 200 -u "$PATIENCE"
	both ib_atomic_bw -n 50 -u "$PATIENCE"
}

test_rc_loss() { reliable loss; }
test_rc_duplication() { reliable dup; }
test_rc_reordering() { reliable reorder; }
test_rc_all() { reliable all; }

# Answers of rxe wait in a slow link: those to the eight READs that are in flight take half a second and more, as long as all tries
# of the ACK timeout. When one is lost, the requester must not use up its tries while the others come in.
test_reads_over_a_slow_link()
{
	local timeout=14 rate=10000 reads=20
	((SLOWER == 1)) || timeout=17 rate=1250 reads=10
	netem loss
	tc qdisc replace dev here root netem limit 10000 loss "$PERCENT%" rate "${rate}kbit"
	GID_OPTION=-x
	between rxe $HERE4 $THERE4 ib_read_bw -s 65536 -n "$reads" -u "$timeout"
}

# counted_is KIND TRANSPORT BYTES: of 2,000 messages, what cannot be lost arrives, and what netem does is seen
counted_is()
{
	local word
	local -A n
	counted "${OPTIONS[@]}" -n 2000 -s "$3" "$2" >counted.log || return 1
	note "$1, $2 of at most $3 bytes: $(<counted.log)"
	for word in $(<counted.log); do
		n[${word%=*}]=${word#*=}
	done
	((n[arrived] == n[distinct] + n[twice] && n[sent] == n[distinct] + n[lost])) || return 1
	# of the messages with one packet 5 per cent are lost; of long ones 5 per cent for each packet
	case $1 in
	loss) ((n[twice] == 0 && n[late] == 0 && n[lost] > n[packets] / 50 && n[lost] < n[packets] / 10)) ;;
	# a second copy from the middle of a message ends it: its PSN is not the next (IBA 9.8.2.2)
	dup) ((n[twice] > 0 && (n[packets] == n[sent] ? n[lost] == 0 : n[lost] < n[packets] / 10))) ;;
	reorder) ((n[twice] == 0 && (n[lost] > 0 || n[late] > 0))) ;;
	all) ((n[lost] > n[packets] / 50 && n[distinct] > n[sent] / 2)) ;;
	esac
}

unreliable()
{
	netem "$1"
	each_pair counted_is "$1" ud 1000
	each_pair counted_is "$1" uc 1000
	each_pair counted_is "$1" uc 10000
}

test_counted_loss() { unreliable loss; }
test_counted_duplication() { unreliable dup; }
test_counted_reordering() { unreliable reorder; }
test_counted_all() { unreliable all; }
