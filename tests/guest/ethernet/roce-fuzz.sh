# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 45
# long: hundreds of thousands of datagrams

# kmemleak watches this suite on the debug kernel.

# Random datagrams at an Ethernet port, most of them almost valid, while other packets pass the same port.
#
# On the kernel's command line (--append) frames=N is how many datagrams there are (200000; fewer on kernels that look for
# mistakes), and frames_seed=N what they are chosen by; the seed is in the output.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

FRAMES=$(word_of_boot frames $((200000 / ${SLOWER:-1})))
LIMIT=$((150 + FRAMES / 1000))

setup()
{
	roce_up
}

cleanup()
{
	roce_down
}

# taken: the datagrams that the kernel has given to the port, as its UDP counts them
taken()
{
	# shellcheck disable=SC2016 # awk expands it
	in_ns there awk '/^Udp: [0-9]/ { n += $2 } /^Udp6InDatagrams/ { n += $2 } END { print n }' /proc/net/snmp /proc/net/snmp6
}

# accounted: the datagrams that the port has accepted or dropped by a rule
accounted()
{
	local -a bad
	mapfile -t bad < <(head -n 1 "$FABRIC/ethernet" | tr ' ' '\n' | grep ^bad_)
	ether rx_packets "${bad[@]}" | awk '{ for (i = 1; i <= NF; i++) n += $i; print n }'
}

# differ: what the two say, less than nothing if the port counts more. Read twice: packets come in meanwhile.
differ()
{
	local before
	before=$(taken)
	DIFFER=$(($(accounted) - before))
	[[ $(taken) == "$before" ]]
}

all_accounted()
{
	differ && ((DIFFER == BEFORE))
}

test_random_datagrams()
{
	local seed log=traffic.log pid begin mac rule
	local -a bad counts
	seed=$(word_of_boot frames_seed "$SRANDOM")
	wait_for 20 differ
	BEFORE=$DIFFER
	traffic_on "$log" -a rxe0 -b glassr0 -A "$(gid_of rxe0 $HERE4)" -B "$(gid_of glassr0 $THERE4)" -t 18 -r 7
	pid=$STARTED
	mac=$(ip -n there -j link show there | jq -r '.[0].address')
	begin=${EPOCHREALTIME/./}
	datagrams -m "$mac" -4 "$(gid_of glassr0 $THERE4),$HERE4" -6 "$(gid_of glassr0 $THERE6),$HERE6" "$FRAMES" "$seed" >log ||
		fail "$(<log)"
	note "$(paste -sd' ' log), in $(((${EPOCHREALTIME/./} - begin) / 1000)) ms"
	traffic_goes_on "$log" "$pid"
	assert_no_match "$(<"$log")" 'wc status'
	note "traffic beside it: $(tail -n 1 "$log")"
	wait_for 30 all_accounted || {
		cat "$FABRIC/ethernet"
		fail "the kernel's UDP has given the port $((BEFORE - DIFFER)) datagrams more than it counts"
	}
	mapfile -t bad < <(head -n 1 "$FABRIC/ethernet" | tr ' ' '\n' | grep -E '^(rx_packets|bad_)')
	read -ra counts < <(ether "${bad[@]}")
	note "all are accounted for: $(paste -d= <(printf '%s\n' "${bad[@]}") <(printf '%s\n' "${counts[@]}") | paste -sd' ')"
	for rule in "${bad[@]}"; do
		[[ $rule == bad_overrun || $rule == bad_down ]] || (($(ether "$rule") > 0)) || fail "no datagram counts as $rule"
	done
	# most datagrams have reached the port, and a good part of them the transport
	[[ $(tail -n 1 log) =~ deep=([0-9]+)\ renewed=([0-9]+) ]] || fail "$(<log)"
	((BASH_REMATCH[2] > 0)) || fail "no QP has failed: the datagrams do not reach them"
	(($(ether bad_overrun) < BASH_REMATCH[1] / 2)) || fail "most datagrams were dropped because too many waited"
	# the port works
	GID_OPTION=-g
	both ibv_rc_pingpong -n 100 -c
}
