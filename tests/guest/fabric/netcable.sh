# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 90
# Netdev cables: two fabrics in two network namespaces become one subnet.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

LIMIT=120

setup()
{
	fresh_glass
}

cleanup()
{
	netcable_down
	fresh_glass
}

# Four HCAs on two switches, which only a veth pair joins
test_one_subnet_over_veth()
{
	local -a ends
	veth_pair 4500
	two_fabrics
	join_by veth
	assert_eq "$(netdevs_of state)" 'up up' "states of the cables"
	fabric_opensm
	wait_for 60 all_active
	mapfile -t ends < <(device_ports)
	assert_eq "${#ends[@]}" 4 "ports of devices"
	fabric_check pairs "${ends[@]}"
	ibnetdiscover -C glass0 >net
	assert_eq "$(grep -c ^Switch net)" 2 "switches that ibnetdiscover sees"
	assert_eq "$(grep -c ^Ca net)" 4 "HCAs that ibnetdiscover sees"
	cat "$FABRIC/netdevs"
}
