# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 26
# Congestion at Ethernet ports: packets that are marked (CE), CNPs, and QPs that send more slowly because of them.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=120
ECN=/sys/module/glass/parameters/ecn

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

# hw DEVICE COUNTER
hw()
{
	local file=/sys/class/infiniband/$1/ports/1/hw_counters
	# read anew, whatever the kernel remembers
	echo 0 >"$file/lifespan"
	cat "$file/$2"
}

marked() { hw "$1" np_ecn_marked_roce_packets; }
sent() { hw "$1" np_cnp_sent; }
handled() { hw "$1" rp_cnp_handled; }
ignored() { hw "$1" rp_cnp_ignored; }

# rule DEVICE RULE: the only rule of the device; without RULE there is none
rule()
{
	echo clear >"$GLASS_DEBUGFS/$1/inject/rules"
	[[ -z ${2:-} ]] || echo "add $2" >"$GLASS_DEBUGFS/$1/inject/rules"
}

# fired DEVICE: how often its rules have fired
fired()
{
	grep -c " act=" "$GLASS_DEBUGFS/$1/inject/journal"
}

# one_way N [OPTION]...: N messages from glassr1 to glassr2, with checked data
one_way()
{
	with_gids glassr1 10.9.1.1 glassr2 10.9.1.2
	timeout $((60 * SLOWER)) traffic "${OPTIONS[@]}" -n "$1" "${@:2}" >traffic.log || fail "$(<traffic.log)"
}

# The CNPs that come in at the sender's interface are right, whoever looks at them.
test_marks_are_answered()
{
	start cnps.log in_ns there python3 "$TESTS/programs/roce_cnps.py" left 3
	wait_for 20 in_file cnps.log ready
	rule glassr1 'name=mark dir=tx op=write act=ecn'
	one_way 2000
	rule glassr1
	finish "$STARTED" cnps.log roce_cnps.py
	assert_eq "$(sed 1d cnps.log | sort -u)" "$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glassr1 .*/\1/p' traffic.log)" "destination of the CNPs"
	(($(marked glassr2) >= 1000)) || fail "$(marked glassr2) packets were marked"
	(($(sent glassr2) > 0 && $(sent glassr2) <= $(marked glassr2))) || fail "$(sent glassr2) CNPs"
	wait_for 10 all_handled
	assert_eq "$(marked glassr1) $(sent glassr1) $(handled glassr2) $(ignored glassr1)" '0 0 0 0' "counters of the other side"
}

all_handled()
{
	(($(handled glassr1) == $(sent glassr2)))
}

# A QP that gets a CNP for each packet sends at a low rate: the rate rises only after 0.3 ms without a CNP (proto/rate.h), so a packet
# leaves every 0.3 ms at most, once the rate has fallen.
test_cnps_are_obeyed()
{
	local begin took
	rule glassr1 'name=slow dir=tx op=write act=cnp'
	begin=${EPOCHREALTIME/./}
	one_way 2000 -s 4000 -m write
	took=$(((${EPOCHREALTIME/./} - begin) / 1000))
	note "2,000 messages with CNPs: $took ms"
	((took >= 500)) || fail "2,000 messages took only $took ms"
	(($(handled glassr1) >= 2000)) || fail "$(handled glassr1) CNPs"
	# the column, while there is a QP
	with_gids glassr1 10.9.1.1 glassr2 10.9.1.2
	traffic_on log "${OPTIONS[@]}" -m write
	wait_for 10 has_rate
	rule glassr1
	# the rate rises again
	wait_for 20 has_no_rate
	traffic_goes_on log "$STARTED"
}

has_rate()
{
	table ../glassr1/qp qptype rate | grep -q '^rc [1-9]'
}

has_no_rate()
{
	table ../glassr1/qp qptype rate | grep -q '^rc 0$'
}

# A rule at the receiver: its port sends CNPs, or finds packets marked.
test_rules_of_the_receiver()
{
	local before
	rule glassr1
	before=$(handled glassr1)
	rule glassr2 'name=forge dir=rx op=write count=5 act=cnp'
	one_way 200
	rule glassr2
	assert_eq "$(fired glassr2)" 5 "firings"
	assert_eq "$(($(handled glassr1) - before))" 5 "CNPs"
	before=$(marked glassr2)
	rule glassr2 'name=find dir=rx op=write count=7 act=ecn'
	one_way 200
	rule glassr2
	assert_eq "$(($(marked glassr2) - before))" 7 "marked packets"
	# ports of InfiniBand have no such thing
	rule glass0 'name=none dir=tx act=ecn count=1'
	start_opensm
	timeout $((60 * SLOWER)) traffic -n 10
	stop_opensm
	rule glass0
}

test_off()
{
	local before
	before=$(sent glassr2)
	echo N >$ECN
	rule glassr1 'name=mark dir=tx op=write act=ecn'
	one_way 500
	assert_eq "$(sent glassr2)" "$before" "CNPs"
	before=$(handled glassr1)
	rule glassr1 'name=forge dir=tx op=write act=cnp count=20'
	one_way 500
	rule glassr1
	assert_eq "$(handled glassr1)" "$before" "CNPs that were obeyed"
	assert_eq "$(ignored glassr1)" 20 "CNPs that were ignored"
	echo Y >$ECN
}

# The marks of a queue: netem marks what may be marked, in place of losing it. Also what rxe sends.
test_marks_of_a_queue()
{
	local before
	in_ns there tc qdisc replace dev left root netem loss 20% ecn
	tc qdisc replace dev here root netem loss 20% ecn
	before=$(sent glassr2)
	next_port
	start server.log in_ns beyond ib_write_bw $ANY_CLOCK -d glassr2 -x "$(gid_of glassr2 10.9.1.2)" -p "$TCP_PORT" -s 65536 -n 50 --tclass=2
	wait_for 20 listening_beyond
	in_ns there timeout $((60 * SLOWER)) ib_write_bw $ANY_CLOCK -d glassr1 -x "$(gid_of glassr1 10.9.1.1)" -p "$TCP_PORT" -s 65536 -n 50 --tclass=2 10.9.1.2 \
		>client.log 2>&1 || fail "$(<client.log)"
	finish "$STARTED" server.log ib_write_bw
	(($(sent glassr2) > before)) || fail "no CNP was sent"
	before=$(sent glassr0)
	GID_OPTION=-x
	between glass $HERE4 $THERE4 ib_write_bw -s 65536 -n 50 --tclass=2
	(($(sent glassr0) > before)) || fail "no CNP was sent to rxe"
}

listening_beyond()
{
	[[ -n $(in_ns beyond ss -Hltn "sport = :$TCP_PORT") ]]
}
