# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 145
# Ethernet ports (RoCEv2), with the kernel's rxe at the other end: rxe0 is in the first network namespace, glassr0 in another, and a
# veth pair joins the two.

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

test_link()
{
	assert_match "$(rdma link show glassr0/1)" 'state ACTIVE physical_state LINK_UP'
	ibv_devinfo -d glassr0 -v >info
	for line in 'link_layer:.*Ethernet' 'active_mtu:.*4096' 'transport:.*InfiniBand' "::ffff:$THERE4, RoCE v2" "$THERE6, RoCE v2"; do
		grep -q "$line" info || fail "ibv_devinfo does not say $line: $(<info)"
	done
	assert_eq "$(ether dev netdev state netdev_mtu)" 'glassr0 there active 4200'
	# one port for an interface; an interface that is none
	refuses in_ns there rdma link add glassr1 type glass netdev there
	assert_match "$REFUSAL" 'busy'
	refuses in_ns there rdma link add glassr1 type glass netdev lo
	assert_match "$REFUSAL" 'Invalid argument'
	# rxe has the UDP port of the first namespace
	refuses rdma link add glassr1 type glass netdev here
	assert_match "$REFUSAL" 'Address already in use'
	assert_match "$(dmesg | tail -n 20)" 'glass: glassr1: UDP port 4791 is taken in the network namespace of here, perhaps by rdma_rxe'
	# a port of the fabric it is not
	refuses ibfabric cut glassr0:1
	# an address that comes and goes
	ip -n there addr add 10.9.0.77/24 dev there
	wait_for 20 gid_of glassr0 10.9.0.77
	ip -n there addr del 10.9.0.77/24 dev there
	wait_for 20 no_gid 10.9.0.77
	# the carrier
	ip -n there link set there down
	wait_for 20 port_state_is glassr0/1 DOWN
	ip -n there link set there up
	wait_for 20 port_state_is glassr0/1 ACTIVE
	ip -n there addr replace $THERE6/64 dev there nodad
	wait_for 20 gid_of glassr0 $THERE6
	ip -n there link set there mtu 1500
	wait_for 20 mtu_is 1024
	ip -n there link set there mtu 4200
	wait_for 20 mtu_is 4096
}

# The GIDs, with their types, interfaces and addresses: a VLAN upon the interface has its own.
test_gids()
{
	ibtop -b -n 1 -v gid -D glassr0 >out
	cat out
	assert_match "$(grep -w 10.9.0.2 out)" \
		"^glassr0  *1  *$(gid_of glassr0 $THERE4)  *0000:0000:0000:0000:0000:ffff:0a09:0002  *RoCE v2  *there  *10.9.0.2\$"
	assert_match "$(grep -w fd00:9::2 out)" 'RoCE v2  *there  *fd00:9::2$'
	assert_eq "$(grep -c 'RoCE v2' out)" "$(ether gids)" "GIDs of the view"
	ibtop -b -n 1 --json -v gid -f 'netdev==there && address==10.9.0.2' >out
	in_file out '"gid_type": *"RoCE v2"'
	# details have them from the kernel's core; the driver's own list is the same
	ibtop --detail 'port glassr0:1' >out
	cat out
	in_file out 'gid=0000:0000:0000:0000:0000:ffff:0a09:0002 netdev=there address=10.9.0.2'
	assert_eq "$(sed -n 's/^ *gid: index=\([0-9]*\) gid=\([0-9a-f:]*\).*/\1 \2/p' "$GLASS_DEBUGFS/glassr0/details/port" | sort -n)" \
		"$(ibtop -b -n 1 -v gid -D glassr0 -c index,gid | awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' | sort -n)" "GIDs of the driver"
	# those of InfiniBand ports have neither interface nor address
	ibtop -b -n 1 -v gid -D glass0 -f 'port==1' >out
	in_file out '^glass0 .* IB  *-  *-$'
	upper_link there vlan link there name there.7 type vlan id 7
	ip -n there addr add 10.9.7.2/24 dev there.7
	ip -n there link set there.7 up
	wait_for 20 gid_of glassr0 10.9.7.2
	ibtop -b -n 1 -v gid -D glassr0 >out
	cat out
	assert_match "$(grep -w 10.9.7.2 out)" 'RoCE v2  *there.7  *10.9.7.2$'
	ip -n there link del there.7
	wait_for 20 no_gid 10.9.7.2
}

no_gid()
{
	! gid_of glassr0 "$1"
}

mtu_is()
{
	ibv_devinfo -d glassr0 | grep -q "active_mtu:[[:space:]]*$1 "
}

test_pingpong()
{
	local tool
	GID_OPTION=-g
	for tool in ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong ibv_srq_pingpong; do
		if [[ $tool == ibv_ud_pingpong || $tool == ibv_srq_pingpong ]]; then
			both "$tool" -n 100
		else
			both "$tool" -n 100 -c
		fi
	done
}

test_perftest()
{
	local tool
	GID_OPTION=-x
	for tool in ib_write_bw ib_read_bw ib_send_bw; do
		both "$tool" -s 65536 -n 50
		both "$tool" -s 1 -n 50
	done
	both ib_atomic_bw -n 50
	both ib_send_bw -c UD -s 1024 -n 50
	both ib_write_bw -c UC -s 65536 -n 50
	both ib_write_lat -s 64 -n 50
	# rdma_cm chooses paths and QPs
	between rxe $HERE4 $THERE4 ib_write_bw -R -s 65536 -n 50
	between glass $HERE4 $THERE4 ib_send_bw -R -s 4096 -n 50
}

# rping compares what it gets.
test_rping()
{
	start server.log rping -s -a $HERE4 -C 20 -V -S 1000
	wait_for 20 cm_listens rping
	in_ns there rping -c -a $HERE4 -C 20 -V -S 1000 -v >client.log 2>&1 || fail "$(<client.log)"
	finish "$STARTED" server.log
	assert_eq "$(grep -c '^ping data: rdma-ping' client.log)" 20 "pings"
	start server.log in_ns there rping -s -a $THERE6 -C 20 -V -S 1000
	wait_for 20 cm_listens rping
	rping -c -a $THERE6 -C 20 -V -S 1000 -v >client.log 2>&1 || fail "$(<client.log)"
	finish "$STARTED" server.log
	assert_eq "$(grep -c '^ping data: rdma-ping' client.log)" 20 "pings"
}

# A packet from the port to itself is not sent.
test_loopback()
{
	local before
	before=$(ether tx_packets)
	next_port
	start server.log in_ns there ibv_rc_pingpong -d glassr0 -g "$(gid_of glassr0 $THERE4)" -n 50 -c -p "$TCP_PORT"
	wait_for 20 listening_there "$TCP_PORT" "$STARTED"
	in_ns there ibv_rc_pingpong -d glassr0 -g "$(gid_of glassr0 $THERE4)" -n 50 -c -p "$TCP_PORT" 127.0.0.1 >client.log 2>&1 ||
		fail "$(<client.log)"
	finish "$STARTED" server.log
	assert_eq "$(ether tx_packets)" "$before" "packets that were sent"
}

# rule NAME KIND: a datagram of that kind counts under that rule, and nowhere else
rule()
{
	local before after
	local -a bad
	mapfile -t bad < <(head -n 1 "$FABRIC/ethernet" | tr ' ' '\n' | grep ^bad_)
	before=$(ether "${bad[@]}")
	python3 "$TESTS/programs/roce_datagram.py" $HERE4 $THERE4 "$2"
	wait_for 10 rose "$before" "${bad[@]}"
	after=$(ether "${bad[@]}")
	assert_eq "$(paste -d' ' <(tr ' ' '\n' <<<"${bad[*]}") <(tr ' ' '\n' <<<"$before") <(tr ' ' '\n' <<<"$after") |
		awk '$2 != $3 { print $1, $3 - $2 }')" "$1 1" "what rose for $2"
}

rose()
{
	[[ $(ether "${@:2}") != "$1" ]]
}

test_rules()
{
	local before
	before=$(ether rx_packets)
	rule bad_short short
	rule bad_gid broadcast
	rule bad_length padding
	rule bad_icrc icrc
	rule bad_bth version
	rule bad_bth opcode
	rule bad_dqpn qp0
	assert_eq "$(ether rx_packets)" "$before" "packets that were received"
	# one that keeps all rules: no QP has its number, and the port records the drop
	python3 "$TESTS/programs/roce_datagram.py" $HERE4 $THERE4 good
	wait_for 10 rose "$before" rx_packets
	grep -q ' no_qp rc_send_only 0xabcdef ' "$GLASS_DEBUGFS/glassr0/droplog" || fail "$(<"$GLASS_DEBUGFS/glassr0/droplog")"
}

# A fault at one packet of a foreign peer.
test_injection()
{
	GID_OPTION=-g
	echo 'add name=lose dir=tx op=send count=3 act=drop' >"$GLASS_DEBUGFS/glassr0/inject/rules"
	between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 20 -s 100 -c
	assert_eq "$(grep -c 'name=lose act=drop' "$GLASS_DEBUGFS/glassr0/inject/journal")" 3 "firings"
	echo clear >"$GLASS_DEBUGFS/glassr0/inject/rules"
}

# The interface, its namespace, the link and the module go while packets flow.
flow()
{
	next_port
	start server.log ib_write_bw $ANY_CLOCK -d rxe0 -x "$(gid_of rxe0 $HERE4)" -p "$TCP_PORT" --run_infinitely -s 65536
	wait_for 20 listening "$TCP_PORT"
	SERVER=$STARTED
	start client.log in_ns there ib_write_bw $ANY_CLOCK -d glassr0 -x "$(gid_of glassr0 $THERE4)" -p "$TCP_PORT" --run_infinitely -s 65536 $HERE4
	CLIENT=$STARTED
	FLOWN=$(ether tx_packets)
	wait_for 20 flows
}

flows()
{
	(($(ether tx_packets) > FLOWN + 100))
}

no_link()
{
	! rdma link show glassr0/1
}

no_flow()
{
	kill "$CLIENT" "$SERVER" 2>/dev/null || :
	wait_for 30 gone "$CLIENT"
	wait_for 30 gone "$SERVER"
}

# knows_mac IP_COMMAND ADDRESS MAC: the kernel there sends to it
knows_mac()
{
	[[ $($1 -j neigh show to "$2" | jq -r '.[0].lladdr') == "$3" ]]
}

# new_mac NETNS INTERFACE ADDRESS IP_COMMAND_OF_PEER MAC: the kernel tells the peer by a gratuitous ARP
new_mac()
{
	in_ns "$1" bash -c "echo 1 >/proc/sys/net/ipv4/conf/$2/arp_notify"
	ip -n "$1" link set "$2" address "$5"
	wait_for 20 knows_mac "$4" "$3" "$5"
}

# The MAC addresses change while data flow, to rxe and between ports of Glass, and the QPs go on. (If that of rxe changes, its QPs lose
# their GID, and answer no more.)
test_mac_changed()
{
	local i
	flow
	for i in 1 2 3; do
		new_mac there there $THERE4 ip "02:00:00:00:01:0$i"
		FLOWN=$(ether tx_packets)
		wait_for 20 flows
	done
	kill "$CLIENT" "$SERVER"
	wait "$CLIENT" "$SERVER" || :
	second_wire
	with_gids glassr1 10.9.1.1 glassr2 10.9.1.2
	start traffic.log traffic "${OPTIONS[@]}" -s 4096
	wait_for 20 in_file traffic.log '^running'
	for i in 1 2 3; do
		new_mac there left 10.9.1.1 'ip -n beyond' "02:00:00:00:02:0$i"
		new_mac beyond right 10.9.1.2 'ip -n there' "02:00:00:00:03:0$i"
		FLOWN=$(port_count glassr2 rx_packets)
		wait_for 20 arrives
	done
	kill -INT "$STARTED"
	finish "$STARTED" traffic.log
	second_wire_down
}

arrives()
{
	(($(port_count glassr2 rx_packets) > FLOWN + 100))
}

test_link_del()
{
	flow
	rdma link del glassr0
	wait_for 30 no_link
	no_flow
	wait_for 30 no_port glassr0
	assert_eq "$(ether dev)" '' "Ethernet ports"
	in_ns there rdma link add glassr0 type glass netdev there
	wait_for 20 gid_of glassr0 $THERE4
}

# The next link has the name and the interface of one that was deleted just before.
test_link_replaced()
{
	in_ns there bash -ec 'for i in {1..30}; do
		rdma link del glassr0
		rdma link add glassr0 type glass netdev there
	done'
	assert_eq "$(ether dev netdev)" 'glassr0 there' "Ethernet ports"
	wait_for 20 gid_of glassr0 $THERE4
}

# rxe_leaves: before its interface does, which would wait for it
rxe_leaves()
{
	kill "$SERVER"
	wait_for 30 gone "$SERVER"
	rdma link del rxe0
}

all_anew()
{
	wire_up
	rdma link add rxe0 type rxe netdev here
	in_ns there rdma link add glassr0 type glass netdev there
	wait_for 20 have_gids rxe0 $HERE4 $HERE6
	wait_for 20 have_gids glassr0 $THERE4 $THERE6
}

test_netdev_gone()
{
	flow
	rxe_leaves
	ip link del here
	wait_for 30 no_link
	no_flow
	ip netns del there
	all_anew
}

test_namespace_deleted()
{
	flow
	rxe_leaves
	# the program is in the namespace, and would keep it
	no_flow
	ip netns del there
	wait_for 30 no_link
	wait_for 30 no_interface here
	all_anew
}

# The port ends while its namespace does: each may be the first to be done.
test_link_and_namespace_deleted()
{
	local i
	for i in {1..30}; do
		ip netns add brief
		ip link add brief0 type veth peer name brief1 netns brief
		in_ns brief rdma link add glassr9 type glass netdev brief1
		rdma link del glassr9
		ip netns del brief
		wait_for 30 no_interface brief0
		wait_for 30 no_port glassr9
	done
}

# no_port DEVICE: also its node has gone
no_port()
{
	! ether dev | grep -qx "$1" && [[ ! -e $GLASS_DEBUGFS/$1 ]]
}

no_interface()
{
	[[ ! -e /sys/class/net/$1 ]]
}

test_unload()
{
	flow
	no_flow
	unload_glass
	load_glass
	in_ns there rdma link add glassr0 type glass netdev there
	wait_for 20 gid_of glassr0 $THERE4
	GID_OPTION=-g
	between rxe $HERE4 $THERE4 ibv_rc_pingpong -n 20 -c
}

# All sizes and operations, with guards around the data: rxe asks, and Glass asks.
test_checked()
{
	local -a what=()
	local name
	for name in 'rc_send*' 'rc_write*' 'rc_read*' rc_cmp_swap rc_fetch_add rc_atomics_both_ways rc_fence rc_order rc_atomic_write; do
		what+=(--test "$name")
	done
	verbs_check --a rxe0 --b glassr0 --gid "$(gid_of rxe0 $HERE4)" --b-gid "$(gid_of glassr0 $THERE4)" "${what[@]}"
	verbs_check --a glassr0 --b rxe0 --gid "$(gid_of glassr0 $THERE6)" --b-gid "$(gid_of rxe0 $HERE6)" "${what[@]}" | tee checks.log
	in_file checks.log '^(ok|skip) rc_atomic_write' || fail "no ATOMIC WRITE"
}
