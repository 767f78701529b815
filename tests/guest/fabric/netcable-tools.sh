# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 20
# Netdev cables in ibfabric and ibtop: interfaces of network namespaces, what is shown, saved and traced, and what errors say.

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

# two_hosts: two fabrics in one module, without a cable between them; each has a namespace with one end of a veth pair
two_hosts()
{
	veth_pair 4500
	two_fabrics
}

# join [KEY=VALUE]...: by ibfabric, which enters the namespaces
join()
{
	ibfabric add cable near:8 netdev=wire netns=near "$@"
	ibfabric add cable far:8 netdev=wire netns=far "$@"
	wait_for 20 netdevs_up
}

# says PATTERN COMMAND...: the command fails, and says so
says()
{
	local pattern=$1 text
	shift
	! text=$("$@" 2>&1) || fail "it did not fail: $*"
	assert_match "$text" "$pattern" "$*"
}

# sees PATTERN COMMAND...: a line of its output is like that
sees()
{
	local pattern=$1
	shift
	# not -q: the command writes to the end
	"$@" | grep -E -- "$pattern" >/dev/null
}

test_namespaces()
{
	local host own sleeper
	host=$(uname -n)
	own=$(readlink /proc/self/ns/net)
	two_hosts
	says 'netns=neer: there is no network namespace of this name in /run/netns; did you mean near\?' ibfabric add cable near:8 netdev=wire netns=neer
	says 'netns=/etc/passwd: this is no network namespace' ibfabric add cable near:8 netdev=wire netns=/etc/passwd
	says 'no_netdev: network namespace near has no network interface wier; did you mean wire\?' ibfabric add cable near:8 netdev=wier netns=near
	says 'no_netdev: this network namespace has no network interface wire; ' ibfabric add cable near:8 netdev=wire
	says 'not_ethernet: lo is no Ethernet interface' ibfabric add cable near:8 netdev=lo netns=near
	join silence=1000
	says 'netdev_taken: the cable at near:8 uses wire; ' ibfabric add cable near:7 netdev=wire netns=near
	says 'has_cable: ' ibfabric add cable near:8 netdev=wire netns=far
	assert_eq "$(readlink /proc/self/ns/net)" "$own" "the namespace of the shell"
	ibfabric show
	sees "^ +8  @wire in near +4x EDR +init +far:8 on $host$" ibfabric show near
	sees "^ +8  @wire in far +4x EDR +init +near:8 on $host$" ibfabric show far
	assert_eq "$(ibfabric show --json | jq -c '[.netdev_cables[] | [.a.node, .netns, .state, .peer.node, .peer.port, .peer.host]]')" \
		"[[\"near\",\"near\",\"up\",\"far\",8,\"$host\"],[\"far\",\"far\",\"up\",\"near\",8,\"$host\"]]"
	ibfabric show --svg >svg
	assert_eq "$(grep -c ">on $host</text>" svg)" 2 "boxes of other hosts"
	ibfabric show --dot | grep -c '"@near:8"'
	# a namespace by its path, and by a process in it
	ibfabric remove near:8
	nsenter --net=/run/netns/near tail -f /dev/null &
	sleeper=$!
	wait_for 10 sees near ip netns identify "$sleeper"
	ibfabric add cable near:8 netdev=wire netns="$sleeper"
	kill "$sleeper"
	wait_for 20 netdevs_up
	ibfabric remove near:8
	ibfabric add cable near:8 netdev=wire netns=/run/netns/near
	wait_for 20 netdevs_up
	says 'hides configfs|this module has no fabric|configfs is not mounted' ip netns exec near ibfabric add cable near:7 netdev=wire
}

test_changes()
{
	two_hosts
	join silence=1000
	ibfabric save saved
	grep '^cable .*netdev' saved
	assert_eq "$(grep -c '^cable [a-z]*:8 netdev=wire netns=[a-z]* silence=1000 ' saved)" 2 "lines of netdev cables"
	ibfabric cut near:8
	sees 'pulled +far:8' ibfabric show near
	wait_for 20 sees 'peer down: that port is disabled, or its cable pulled' ibfabric show far
	ibfabric show far
	ibfabric plug near:8
	wait_for 20 netdevs_up
	ibfabric remove near:8
	wait_for 20 sees 'silent: nobody says hello at wire' ibfabric show far
	ibfabric show far
	ip -n far link set wire down
	wait_for 20 sees 'no carrier: wire is down, or has no link' ibfabric show far
	ip -n far link set wire up
	ibfabric load --replace saved
	udevadm settle --timeout=30
	wait_for 20 netdevs_up
	ibfabric save again
	cmp saved again
	ibfabric remove near far
	assert_eq "$(netdevs_of a)" "" "netdev cables without nodes"
}

test_trace_and_ibtop()
{
	local lid host
	host=$(uname -n)
	two_hosts
	join
	fabric_opensm
	wait_for 60 all_active
	lid=$(lid_of glass2)
	wait_for 60 ibfabric trace glass0 "$lid"
	ibfabric trace glass0 "$lid"
	assert_eq "$(ibfabric trace glass0 "$lid" --json | jq -c '.[0] | [.arrives, .leaves_by, .peer, .peer_host, .hops[-1].node]')" \
		"[null,\"wire\",\"far:8\",\"$host\",\"@wire\"]"
	ibtop -b -n 2 -d 0.5 -v netcable
	ibtop -b -n 1 -v fport -c node,port,state,peer
	assert_eq "$(ibtop -b -n 1 --json -v netcable | jq -c '[.netcable[] | [.a, .netdev, .state, .trouble, .peer, .peer_host]]')" \
		"[[\"near:8\",\"wire\",\"up\",\"none\",\"far:8\",\"$host\"],[\"far:8\",\"wire\",\"up\",\"none\",\"near:8\",\"$host\"]]"
	assert_eq "$(ibtop -b -n 1 --json -v fport | jq -r '.fport[] | select(.node == "near" and .port == 8).peer')" "far:8 on $host"
	assert_eq "$(ibtop -b -n 1 --csv -v netcable -c netdev -f 'trouble==none && peer_mac!="" && vcrc==no' | wc -l)" 3 "cables and a header"
	ibtop -b -n 1 --detail 'netcable near:8'
	assert_eq "$(ibtop -b -n 1 --json -v netcable | jq -r '.netcable[0].rx_hellos > 0')" true
}
