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

setup()
{
	roce_up
	second_wire
}

cleanup()
{
	second_wire_down
	roce_down
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
	timeout $((60 * SLOWER)) traffic "${OPTIONS[@]}" -n 300 -s 10000 -t 12 -r 7
}

# RC: checked data, and perftest
reliable()
{
	netem "$1"
	each_pair traffic_mixed
	GID_OPTION=-x
	both ib_write_bw -s 65536 -n 50 -u 12
	both ib_read_bw -s 65536 -n 50 -u 12
	both ib_send_bw -s 1000 -n 200 -u 12
	both ib_atomic_bw -n 50 -u 12
}

test_rc_loss() { reliable loss; }
test_rc_duplication() { reliable dup; }
test_rc_reordering() { reliable reorder; }
test_rc_all() { reliable all; }

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
