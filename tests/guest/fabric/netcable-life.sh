# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 120
# long: eight times traffic whose interfaces change
# Network interfaces of cables that go, move, and get other names under load; and what cables are refused.

# kmemleak watches this suite on the debug kernel.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

LIMIT=200

setup()
{
	fresh_glass
}

cleanup()
{
	netcable_down
	fresh_glass
}

# joined: one subnet of two fabrics, over veth
joined()
{
	veth_pair 4500
	two_fabrics
	join_by wire
	fabric_opensm
	wait_for 60 all_active
}

# load: traffic both ways, until unload_ends. It may end with errors, but not by a signal.
load()
{
	LOADS=()
	rm -f stop
	keep_traffic load.1 -a glass0 -b glass2 &
	LOADS+=($!)
	keep_traffic load.2 -a glass3 -b glass1 --srq &
	LOADS+=($!)
	wait_for 30 some_frames
}

keep_traffic()
{
	local log=$1 status
	shift
	while [[ ! -e stop ]]; do
		status=0
		timeout -k 10 30 traffic "$@" -t 12 -r 3 -n 3000 >"$log" 2>&1 || status=$?
		((status < 128)) || echo "$status" >>killed
	done
}

some_frames()
{
	local n
	n=$(table netdevs rx_frames | awk '{ n += $1 } END { print n + 0 }')
	((n > 200))
}

end_load()
{
	touch stop
	wait "${LOADS[@]}"
	[[ ! -e killed ]] || fail "traffic was killed by a signal: $(<killed)"
}

no_cables()
{
	[[ -z $(table netdevs a) ]]
}

test_interface_removed()
{
	joined
	load
	ip -n near link del wire
	wait_for 20 no_cables
	wait_for 10 has_row 'near 8 down -' ports node port state peer
	end_load
	veth_pair 4500
	join_by wire
	one_subnet
}

test_interface_renamed_and_moved()
{
	joined
	load
	ip -n near link set wire down
	ip -n near link set wire name other
	ip -n near link set other up
	cables_up
	wait_for 10 has_row 'near:8 other' netdevs a netdev
	ip netns add third
	ip -n near link set other netns third
	ip -n third link set other up
	cables_up
	wait_for 60 all_active
	end_load
	assert_eq "$(table netdevs a netns | awk '$1 == "near:8" { print $2 }')" "$(stat -Lc %i /run/netns/third)" "namespace"
	one_subnet
	ip netns del third
	wait_for 20 no_cables
}

# no_cables_but A:P
no_cables_but()
{
	[[ $(table netdevs a) == "$1" ]]
}

test_mtu_changed_under_load()
{
	local mtu
	joined
	load
	for mtu in 1500 9000 2300 4500; do
		ip -n near link set wire mtu "$mtu"
		ip -n far link set wire mtu "$mtu"
		cables_up
	done
	end_load
	wait_for 60 all_active
	one_subnet
}

test_namespace_deleted_under_load()
{
	joined
	load
	ip netns del far
	wait_for 20 no_cables
	end_load
}

test_uncabled_and_cabled_under_load()
{
	local i
	joined
	load
	for i in {1..10}; do
		echo 'uncable near:8' >"$CONFIG/commands"
		netdev_cable near near:8 wire
		cables_up
	done
	end_load
	wait_for 60 all_active
	one_subnet
}

test_switch_removed_under_load()
{
	joined
	load
	echo 'remove far' >"$CONFIG/commands"
	wait_for 20 no_cables_but near:8
	end_load
	wait_for 10 has_row silent netdevs state
}

test_module_unloaded_under_load()
{
	joined
	load
	wait_for 30 many_frames
	stop_opensm
	touch stop
	# programs hold the module: they lose their adapters first, as at any unplug
	ibfabric clear
	wait "${LOADS[@]}"
	unload_glass
	load_glass
}


many_frames()
{
	local n
	n=$(table netdevs rx_frames | sort -n | head -n 1)
	((n > 1000))
}

# refused_cable NAMESPACE LINE WORD: the write fails, and the error is of this kind
refused_cable()
{
	# shellcheck disable=SC2016 # the shell in the namespace expands them
	! in_ns "$1" bash -c 'echo "$1" >"$2/commands"' - "$2" "$CONFIG" 2>/dev/null || fail "not refused: $2"
	assert_match "$(<"$CONFIG/error")" " $3: " "error of: $2"
}

test_refused()
{
	veth_pair 4500
	two_fabrics
	refused_cable near 'cable near:8 netdev=nothing' no_netdev
	refused_cable near 'cable near:8 netdev=lo' not_ethernet
	refused_cable near 'cable near:1 netdev=wire' has_cable
	refused_cable near 'cable near:8 netdev=wire silence=1' out_of_range
	refused_cable near 'cable near:8 netdev=a/b' bad_netdev
	refused_cable near 'cable near:8 silence=500' alone
	netdev_cable near near:8 wire
	refused_cable near 'cable near:7 netdev=wire' netdev_taken
	# the interface of another namespace is not seen
	refused_cable far 'cable far:8 netdev=lo' not_ethernet
}
