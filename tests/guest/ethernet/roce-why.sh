# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 35
# What ibwhy tells of a connection between Glass and rxe from which the network is taken away.

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

# traffic ADDRESS_HERE ADDRESS_THERE: ib_write_bw at glassr0 writes to rxe0 for ever; it gives up after some seconds without an ACK
traffic()
{
	local here=$1 there=$2
	echo clear >"$GLASS_DEBUGFS/failures"
	next_port
	start server.log ib_write_bw $ANY_CLOCK -d rxe0 -x "$(gid_of rxe0 "$here")" -p "$TCP_PORT" --run_infinitely -s 4096
	SERVER=$STARTED
	wait_for 20 listening "$TCP_PORT"
	start client.log in_ns there ib_write_bw $ANY_CLOCK -d glassr0 -x "$(gid_of glassr0 "$there")" -p "$TCP_PORT" --run_infinitely -s 4096 \
		--qp-timeout=17 $HERE4
	CLIENT=$STARTED
	SENT=$(ether tx_packets)
	wait_for 20 flows
}

flows()
{
	(($(ether tx_packets) > SENT + 100))
}

has_failed()
{
	ibwhy --last >last 2>&1 && in_file last '^first cause: '
}

# verdict CAUSE TEXT: of the connection that fails; TEXT is in a step
verdict()
{
	wait_for 60 has_failed
	cat last
	kill "$CLIENT" "$SERVER" 2>/dev/null || :
	wait_for 30 gone "$CLIENT"
	wait_for 30 gone "$SERVER"
	in_file last "^first cause: $1: " || fail "no verdict $1"
	[[ $(tr -s '\n ' ' ' <last) == *"$2"* ]] || fail "no step says: $2"
}

test_gid_gone()
{
	traffic $HERE4 $THERE4
	ip -n there addr del $THERE4/24 dev there
	verdict gid_gone "has no longer the GID of $THERE4, from which this QP sends"
	ip -n there addr add $THERE4/24 dev there
	wait_for 20 gid_of glassr0 $THERE4
}

test_no_route()
{
	traffic $HERE6 $THERE6
	# of IPv4, the kernel takes a destination without a route for one on the link
	ip -n there route del fd00:9::/64 dev there
	verdict no_ip_route "The kernel has no route to $HERE6 by the network interface there."
	ip -n there route add fd00:9::/64 dev there
}

test_no_neighbour()
{
	traffic $HERE4 $THERE4
	# the peer's host leaves the network, and nobody knows its MAC address any more
	ip addr del $HERE4/24 dev here
	ip -n there neighbour flush dev there
	verdict no_neighbour "Nobody on the network of there answers for the address $HERE4."
	ip addr add $HERE4/24 dev here
	wait_for 20 gid_of rxe0 $HERE4
}

test_interface_down()
{
	traffic $HERE4 $THERE4
	ip -n there link set there down
	verdict netdev_gone 'The port glassr0:1 is down: its network interface is down, or has no carrier.'
	ip -n there link set there up
	wait_for 20 port_state_is glassr0/1 ACTIVE
}
