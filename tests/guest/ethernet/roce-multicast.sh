# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 37
# IP multicast groups at Ethernet ports: by verbs alone between two ports of Glass, and by rdma_cm with rxe.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

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

# joined NAMESPACE NETDEV GROUP: the interface is in this group. A kernel without IGMP (the debug kernel) lists IPv4 groups only by
# the addresses that the interface receives.
joined()
{
	local address=$3
	if [[ $3 == *.* && ! -e /proc/net/igmp ]]; then
		local b c d
		IFS=. read -r _ b c d <<<"$3"
		address=$(printf '01:00:5e:%02x:%02x:%02x' $((b & 127)) "$c" "$d")
	fi
	nsenter --net="$1" ip maddr show dev "$2" | grep -qw -- "$address"
}

# in_group ADDRESS: the interface of glassr1 is in this group
in_group()
{
	joined /run/netns/there left "$1"
}

out_of_group()
{
	! in_group "$1"
}

# members GROUP ADDRESS: three members at glassr1, which wait for 40 datagrams; their process in STARTED
members()
{
	start members.log mgroup -d glassr1 -g "$(gid_of glassr1 "$2")" -m 3 "$1" receive 40
	wait_for 20 in_file members.log ready
	in_group "$1" || fail "the interface is not in the group: $(ip -n there maddr show dev left)"
}

# group GROUP ADDRESS PEER: each member gets what the peer sends, once, and what its own port sends, once
group()
{
	out_of_group "$1" || fail "the interface is in the group already"
	members "$1" "$2"
	mgroup -d glassr2 -g "$(gid_of glassr2 "$3")" "$1" send 40
	finish "$STARTED" members.log mgroup
	out_of_group "$1" || fail "the interface is still in the group"
	mgroup -d glassr1 -g "$(gid_of glassr1 "$2")" -m 2 "$1" send 40
	out_of_group "$1" || fail "the interface is still in the group"
	# a program that ends leaves the group
	members "$1" "$2"
	kill -KILL "$STARTED"
	wait_for 20 out_of_group "$1"
}

test_ipv4() { group 239.1.2.3 10.9.1.1 10.9.1.2; }
test_ipv6() { group ff0e::1:2345 fd00:9:1::1 fd00:9:1::2; }

# Somebody else is in the group, too: the interface counts.
test_shared_group()
{
	start other.log nsenter --net=/run/netns/there python3 -c '
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("239.1.2.5") + socket.inet_aton("10.9.1.1"))
print("joined", flush=True)
s.recv(1)'
	local other=$STARTED
	wait_for 20 in_file other.log joined
	members 239.1.2.5 10.9.1.1
	mgroup -d glassr2 -g "$(gid_of glassr2 10.9.1.2)" 239.1.2.5 send 40
	finish "$STARTED" members.log mgroup
	in_group 239.1.2.5 || fail "the last member has taken the group away from another program"
	kill "$other"
	wait_for 20 out_of_group 239.1.2.5
}

test_no_group()
{
	refuses mgroup -d glassr1 -g "$(gid_of glassr1 10.9.1.1)" 10.1.2.3 receive 1
	assert_match "$REFUSAL" 'attach_mcast: Invalid argument'
}

# The interface goes while QPs are in groups.
test_interface_gone()
{
	members 239.1.2.3 10.9.1.1
	ip -n there link del left
	wait_for 30 no_link
	kill -KILL "$STARTED"
	wait_for 30 gone "$STARTED"
	ip netns del beyond
	second_wire
}

no_link()
{
	! rdma link show glassr1/1
}

# mckey_with NETDEV SENDER RECEIVER: with rdma_cm; these are NAMESPACE,ADDRESS. The receiver's interface is NETDEV.
mckey_with()
{
	local -a to=(-m 239.1.2.4 -C 20 -S 512)
	local from=${2%,*} address=${2#*,} at=${3%,*}
	start members.log nsenter --net="$at" timeout $((40 * SLOWER)) stdbuf -oL mckey "${to[@]}" -b "${3#*,}"
	wait_for 20 receiver_joined "$at" "$1"
	wait_for 20 sent_enough || {
		cat members.log client.log "$FABRIC/ethernet"
		fail "not all has come"
	}
	finish "$STARTED" members.log mckey
}

# mckey as sender does not wait for its sends: it destroys the QP, and with it what is not sent yet. So it may have to run again.
sent_enough()
{
	nsenter --net="$from" timeout $((40 * SLOWER)) mckey "${to[@]}" -b "$address" -s >client.log 2>&1 || fail "$(<client.log)"
	gone "$STARTED"
}

receiver_joined()
{
	joined "$1" "$2" 239.1.2.4 && grep -q 'joined dgid' members.log
}

# (rxe sends most of its multicasts nowhere: Linux 6.12.)
test_rdma_cm_with_rxe() { mckey_with here /run/netns/there,$THERE4 /proc/1/ns/net,$HERE4; }
test_rdma_cm() { mckey_with left /run/netns/beyond,10.9.1.2 /run/netns/there,10.9.1.1; }
