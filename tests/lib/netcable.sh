# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites with netdev cables: two network namespaces, what joins them, and two fabrics in one module.

# netcable_down: the namespaces and interfaces of a test are gone
netcable_down()
{
	local ns
	for ns in near far; do
		! ip netns pids "$ns" >/dev/null 2>&1 || ip netns del "$ns"
	done
}

# veth_pair MTU: namespaces near and far, each with one end, "wire"
veth_pair()
{
	netcable_down
	ip netns add near
	ip netns add far
	ip link add wire mtu "$1" netns near type veth peer name wire mtu "$1" netns far
	ip -n near link set wire up
	ip -n far link set wire up
}

# two_fabrics: glass0 and glass1 at the switch near, glass2 and glass3 at the switch far, and no cable between the switches
two_fabrics()
{
	stop_opensm
	ibfabric clear
	printf '%s\n' 'switch near ports=8' 'switch far ports=8' 'hca glass0 ports=1' 'hca glass1 ports=1' 'hca glass2 ports=1' 'hca glass3 ports=1' \
		'cable near:1 glass0:1' 'cable near:2 glass1:1' 'cable far:1 glass2:1' 'cable far:2 glass3:1' >"$CONFIG/commands"
	udevadm settle --timeout=30
}

# netdev_cable NAMESPACE A:P NETDEV [KEY=VALUE]...: from this port to the interface of that namespace
netdev_cable()
{
	local ns=$1 port=$2 netdev=$3
	shift 3
	nsenter --net="/run/netns/$ns" sh -c 'echo "$1" >"$2/commands"' - "cable $port netdev=$netdev $*" "$CONFIG" ||
		fail "cable $port netdev=$netdev $*: $(<"$CONFIG/error")"
}

# netdevs_of COLUMN: of all netdev cables, in one line
netdevs_of()
{
	table netdevs "$1" | tr '\n' ' ' | sed 's/ $//'
}

netdevs_up()
{
	[[ $(netdevs_of state) =~ ^up( up)*$ ]]
}

# join_by NETDEV [KEY=VALUE]...: the two fabrics, by the interfaces of this name
join_by()
{
	local netdev=$1
	shift
	[[ $netdev != veth ]] || netdev=wire
	netdev_cable near near:8 "$netdev" "$@"
	netdev_cable far far:8 "$netdev" "$@"
	wait_for 20 netdevs_up || {
		cat "$FABRIC/netdevs"
		fail "the cables do not come up"
	}
}

# all_active: the ports of all devices
all_active()
{
	local state
	for state in $(cat /sys/class/infiniband/*/ports/1/state | tr -d ' '); do
		[[ $state == 4:ACTIVE ]] || return 1
	done
}
