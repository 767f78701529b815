# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 120
# long: a fabric of 288 ports, and what operators run on it
# A fat tree from a dump of ibnetdiscover, as a cluster has it: what operators' tools see of it, and that data arrive.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"

# Eight switches of 36 ports in two levels, 16 HCAs of two ports
DUMP=$TESTS/guest/fabric/fat-tree.net

LIMIT=120

# IPoIB comes to the ports only in the test that wants it
NO_IPOIB=/etc/modprobe.d/no-ipoib.conf

setup()
{
	echo 'install ib_ipoib /bin/true' >"$NO_IPOIB"
	fresh_glass
	modprobe -r ib_ipoib
	ibfabric load "$DUMP" --replace
	udevadm settle --timeout=60
	fabric_opensm
}

cleanup()
{
	stop_opensm
	[[ ! -d /sys/module/glass ]] || unload_glass
	rm -f "$NO_IPOIB"
	modprobe ib_ipoib
	load_glass
}

# normal: what a dump says but for LIDs, LMCs and comments at its beginning; its blocks in the order of their text
normal()
{
	sed -E '/^#/d; s/ (lid|lmc) [0-9]+//g' |
		awk 'BEGIN { RS = "" } { gsub(/\n/, "\001"); print }' | LC_ALL=C sort | tr '\001' '\n'
}

test_dump_is_a_cluster()
{
	assert_eq "$(grep -c '^Switch' "$DUMP")" 8 switches
	assert_eq "$(grep -c '^Ca' "$DUMP")" 16 adapters
	assert_eq "$(devices | wc -l)" 16 devices
	assert_eq "$(device_ports | wc -l)" 32 "ports of devices"
	assert_eq "$(table cables a | wc -l)" 64 cables
}

# The same nodes, GUIDs, descriptions, links, widths and speeds
test_ibnetdiscover_prints_the_dump()
{
	quietly ibnetdiscover
	normal <"$DUMP" >want
	normal <out >got
	[[ -s want ]] || fail "nothing is left of the dump"
	diff -u want got || fail "ibnetdiscover does not print the dump"
	# it can be loaded again
	ibfabric show --file out >/dev/null
}

test_diagnostics_run_clean()
{
	local switch first last
	first=$(lid_of node01_HCA-1:1)
	last=$(lid_of node16_HCA-1:2)
	switch=$(lid_of sw-spine02)
	quietly iblinkinfo
	assert_eq "$(grep -c 'Active/ *LinkUp' out)" 128 "lines with an active link"
	quietly ibqueryerrors
	assert_match "$(<out)" 'Summary: 24 nodes checked, 0 bad nodes found'
	quietly ibtracert "$first" "$last"
	quietly ibroute "$switch"
	assert_match "$(<out)" "(40|41) valid lids dumped"
	quietly ibroute -M "$switch"
	quietly smpquery nodeinfo "$switch"
	assert_match "$(<out)" 'DevId:\.*0xc738'
	quietly smpquery nodedesc "$switch"
	assert_match "$(<out)" 'MF0;sw-spine02:SX6036/U1'
	quietly smpquery switchinfo "$switch"
	quietly smpquery portinfo "$switch" 1
	assert_match "$(<out)" 'LinkSpeedExtActive:\.*14\.0625'
	quietly sminfo
	assert_match "$(<out)" 'SMINFO_MASTER'
	quietly saquery NR
	assert_eq "$(grep -c 'NodeRecord dump' out)" 40 "node records"
	quietly saquery MCMR
	quietly saquery --src-to-dst "$first:$last"
	quietly dump_fts
	assert_eq "$(grep -c '^Unicast lids' out)" 8 "tables of dump_fts"
	quietly ibhosts
	assert_eq "$(wc -l <out)" 16 hosts
	quietly ibswitches
	assert_eq "$(wc -l <out)" 8 switches
}

# ibtracert goes by the tables that it reads from the switches, trace by those of the driver.
test_trace_agrees_with_ibtracert()
{
	local a b
	for a in node01_HCA-1:1 node08_HCA-1:2 node16_HCA-1:1; do
		for b in node01_HCA-1:2 node02_HCA-1:1 node09_HCA-1:1 node12_HCA-1:2; do
			# ibtracert begins at a port of the fabric of its own
			quietly ibtracert "$(lid_of "$a")" "$(lid_of "$b")"
			sed -n 's/.*-> switch port {\(0x[0-9a-f]*\)}\[\([0-9]*\)\].*/\1 \2/p' out >by_ibtracert
			way "$a" "$b" | awk 'FILENAME != "-" { guid[$1] = $2; next } { print guid[$1], $2 }' <(table nodes name guid) - |
				sed 's/^0x/0x0000000000000000/; s/^0x0*\([0-9a-f]\{16\}\) /0x\1 /' >by_trace
			[[ -s by_trace ]] || fail "no switch on the way from $a to $b"
			diff -u by_ibtracert by_trace || fail "the ways from $a to $b differ"
		done
	done
}

# A cable from a leaf to a spine, in the middle of the tree
test_ibportstate_in_the_middle()
{
	local switch port=19 peer
	switch=$(lid_of sw-leaf01)
	peer=$(peer_of sw-leaf01:$port)
	link_is()
	{
		has_row "sw-leaf01 $port $1" ports node port state && has_row "${peer/:/ } $1" ports node port state
	}
	link_is active
	# it warns of two ports that could do more than the cable between them
	ibportstate "$switch" $port query >out
	assert_match "$(<out)" 'Peer PortInfo'
	quietly ibportstate "$switch" $port disable
	wait_for 20 link_is down
	wait_for 60 all_routed
	quietly ibportstate "$switch" $port enable
	wait_for 60 link_is active
	quietly ibportstate "$switch" $port reset
	wait_for 60 link_is active
	wait_for 60 links_active
	wait_for 60 all_routed
}

test_data_between_all_pairs()
{
	local -a ends
	mapfile -t ends < <(device_ports)
	fabric_check pairs "${ends[@]}" | tee out
	assert_eq "$(<out)" "992 messages between 32 ports"
}

# netdevs_up: IPoIB's interfaces come up, and join the broadcast group
netdevs_up()
{
	local nic
	echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
	for nic in /sys/class/net/ib*; do
		ip link set "${nic##*/}" up
	done
}

# joined MGID: so many members of the group
joined()
{
	(($(saquery --smkey 1 -m "$MLID" 2>/dev/null | grep -c 'PortGid') == $1))
}

group_is_there()
{
	MLID=$(saquery -g | grep -A1 'MGID.*:ffff:ffff$' | sed -n 's/^\t*Mlid\.*\(0x[0-9A-Fa-f]*\)$/\1/p')
	[[ $MLID ]]
}

LIMIT_test_multicast_reaches_all_members=200
test_multicast_reaches_all_members()
{
	local -a ends
	rm -f "$NO_IPOIB"
	modprobe ib_ipoib
	udevadm settle --timeout=60
	netdevs_up
	mapfile -t ends < <(device_ports)
	wait_for 60 group_is_there
	group_is_there
	wait_for 60 joined 32 || { saquery --smkey 1 -m "$MLID"; fail "not all have joined"; }
	# what IPoIB still says by itself may be before the tables of the switches are
	wait_for 60 fabric_check mcast ff12:401b:ffff::ffff:ffff "$MLID" "${ends[@]}" || :
	fabric_check mcast ff12:401b:ffff::ffff:ffff "$MLID" "${ends[@]}" | tee out
	assert_eq "$(<out)" "32 datagrams to 32 members each"
	echo 0 >/proc/sys/net/ipv6/conf/all/disable_ipv6
}

test_save_and_load_again()
{
	# IPoIB leaves its groups while a subnet manager answers: without one, each port would wait for it
	echo 'install ib_ipoib /bin/true' >"$NO_IPOIB"
	modprobe -r ib_ipoib
	# OpenSM does not survive its own HCA
	stop_opensm
	ibfabric save one
	ibfabric load one --replace
	ibfabric save two
	diff -u one two || fail "the fabric is not the one that was saved"
	assert_eq "$(devices | wc -l)" 16 devices
	fabric_opensm
	wait_for 60 all_routed
}

test_unload()
{
	unload_fabric
}
