# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites with netdev cables: the network namespaces near and far, interfaces that join them, and two fabrics in one module.

# netcable_down: the namespaces of a test are gone, and their interfaces with them
netcable_down()
{
	local ns
	for ns in near far; do
		[[ ! -e /run/netns/$ns ]] || ip netns del "$ns"
	done
}

# in_ns NAMESPACE COMMAND...: in that network namespace. (`ip netns exec` would mount another /sys, without configfs.)
in_ns()
{
	nsenter --net="/run/netns/$1" "${@:2}"
}

# veth_pair MTU: namespaces near and far, each with one end, "wire"
veth_pair()
{
	netcable_down
	ip netns add near
	ip netns add far
	ip link add wire mtu "$1" netns near type veth peer name wire mtu "$1" netns far
	ip -n near link set lo up
	ip -n far link set lo up
	ip -n near link set wire up
	ip -n far link set wire up
}

# two_fabrics [PORTS]: glass0 and glass1 at the switch near, glass2 and glass3 at the switch far; no cable joins the switches
# shellcheck disable=SC2120 # a suite gives the number
two_fabrics()
{
	stop_opensm
	ibfabric clear
	printf '%s\n' "switch near ports=${1:-8}" "switch far ports=${1:-8}" \
		'hca glass0 ports=1' 'hca glass1 ports=1' 'hca glass2 ports=1' 'hca glass3 ports=1' \
		'cable near:1 glass0:1' 'cable near:2 glass1:1' 'cable far:1 glass2:1' 'cable far:2 glass3:1' >"$CONFIG/commands"
	udevadm settle --timeout=30
}

# netdev_cable NAMESPACE A:P NETDEV [KEY=VALUE]...: from this port to the interface of that namespace
netdev_cable()
{
	local line="cable $2 netdev=$3 ${*:4}"
	# shellcheck disable=SC2016 # the shell in the namespace expands them
	in_ns "$1" bash -c 'echo "$1" >"$2/commands"' - "$line" "$CONFIG" || fail "$line: $(<"$CONFIG/error")"
}

# netdevs_of COLUMN...: of all netdev cables, in one line
netdevs_of()
{
	table netdevs "$@" | tr '\n' ' ' | sed 's/ $//'
}

netdevs_up()
{
	[[ $(netdevs_of state) =~ ^up( up)*$ ]]
}

# cables_up: all netdev cables are up
cables_up()
{
	wait_for 30 netdevs_up || {
		cat "$FABRIC/netdevs"
		fail "the cables do not come up"
	}
}

# join_by NETDEV [KEY=VALUE]...: the two fabrics, by the interfaces of this name
join_by()
{
	netdev_cable near near:8 "$@"
	netdev_cable far far:8 "$@"
	cables_up
}

# all_active: the ports of all devices
all_active()
{
	local file
	for file in /sys/class/infiniband/*/ports/*/state; do
		[[ $(<"$file") == '4: ACTIVE' ]] || return 1
	done
}

# one_subnet: OpenSM makes all ports ACTIVE, sees all nodes, and data arrive between all pairs of HCAs
one_subnet()
{
	local -a ends
	fabric_opensm
	wait_for 60 all_active
	mapfile -t ends < <(device_ports)
	assert_eq "${#ends[@]}" 4 "ports of devices"
	FABRIC_MTU=$(table netdevs link_mtu | head -n 1) fabric_check pairs "${ends[@]}"
	ibnetdiscover -C glass0 >net
	assert_eq "$(grep -c ^Switch net) $(grep -c ^Ca net)" "2 4" "switches and HCAs that ibnetdiscover sees"
}

# no_bad_frames [COLUMN...]: no frame broke a rule, but for those counted in COLUMNs
no_bad_frames()
{
	local column count
	local -a bad
	mapfile -t bad < <(head -n 1 "$FABRIC/netdevs" | tr ' ' '\n' | grep ^bad_)
	((${#bad[@]} > 10)) || fail "the table has ${#bad[@]} columns bad_*"
	for column in "${bad[@]}"; do
		[[ " $* " != *" $column "* ]] || continue
		count=$(table netdevs "$column" | sort -u | tr '\n' ' ')
		[[ $count == "0 " ]] || fail "frames that broke a rule: $column of the cables' ends: $count"
	done
}
