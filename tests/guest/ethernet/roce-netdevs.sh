# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 70
# long: bonds, macvlans and VLANs under traffic
# Ethernet ports of several kinds of interfaces, between two namespaces: bond, macvlan and VLAN; XRC and FLUSH, which need
# Glass at both ends; and a port that loads the module.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=120

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

# across SERVER CLIENT ADDRESS ADDRESS TOOL OPTION...: SERVER is a device in "beyond", CLIENT one in "there"; the addresses are those of their
# GIDs. The programs exchange them by TCP over IPv4, to the server's TCP_HOST. GID_OPTION is the option that takes the index.
across()
{
	local server=$1 client=$2 server_gid client_gid status=0 pid
	server_gid=$(gid_of "$server" "$3")
	client_gid=$(gid_of "$client" "$4")
	shift 4
	[[ $1 != ib_* ]] || set -- "$1" $ANY_CLOCK "${@:2}"
	next_port
	echo "+ $* ($server is the server, $client the client)"
	start server.log in_ns beyond timeout $((60 * SLOWER)) "$@" -d "$server" -p "$TCP_PORT" "$GID_OPTION" "$server_gid"
	pid=$STARTED
	wait_for 20 listening_beyond "$TCP_PORT" "$pid"
	in_ns there timeout $((60 * SLOWER)) "$@" -d "$client" -p "$TCP_PORT" "$GID_OPTION" "$client_gid" "$TCP_HOST" >client.log 2>&1 || status=$?
	((status == 0)) || {
		cat client.log server.log
		ether >&2
		fail "client of '$*' ended with status $status"
	}
	finish "$pid" server.log "server of '$*'"
}

listening_beyond()
{
	[[ -n $(in_ns beyond ss -Hltn "sport = :$1") ]] || gone "$2"
}

# at_netdevs HERE THERE: ports of these interfaces, glassr3 in "there" and glassr4 in "beyond", with addresses of 10.9.4 and traffic
at_netdevs()
{
	in_ns there bash -c "echo 0 >/proc/sys/net/ipv6/conf/$1/accept_dad"
	in_ns beyond bash -c "echo 0 >/proc/sys/net/ipv6/conf/$2/accept_dad"
	ip -n there addr add 10.9.4.1/24 dev "$1"
	ip -n there addr add fd00:9:4::1/64 dev "$1" nodad
	ip -n beyond addr add 10.9.4.2/24 dev "$2"
	ip -n beyond addr add fd00:9:4::2/64 dev "$2" nodad
	ip -n there link set "$1" up
	ip -n beyond link set "$2" up
	in_ns there rdma link add glassr3 type glass netdev "$1"
	in_ns beyond rdma link add glassr4 type glass netdev "$2"
	wait_for 20 have_gids glassr3 10.9.4.1 fd00:9:4::1
	wait_for 20 have_gids glassr4 10.9.4.2 fd00:9:4::2
	wait_for 20 port_state_is glassr3/1 ACTIVE
	wait_for 20 port_state_is glassr4/1 ACTIVE
	TCP_HOST=10.9.4.2
	traffic
}

traffic()
{
	GID_OPTION=-g
	across glassr4 glassr3 10.9.4.2 10.9.4.1 ibv_rc_pingpong -n 50 -c
	across glassr4 glassr3 fd00:9:4::2 fd00:9:4::1 ibv_ud_pingpong -n 50
	GID_OPTION=-x
	across glassr4 glassr3 10.9.4.2 10.9.4.1 ib_write_bw -s 65536 -n 50
}

no_ports()
{
	rdma link del glassr3
	rdma link del glassr4
}

# A bond of two wires at each end: the traffic goes on by the other wire when one is pulled.
test_bond()
{
	local i
	upper_link there bond pair type bond mode active-backup miimon 50
	for i in 1 2; do
		ip link add "p$i" mtu 4200 netns there type veth peer name "q$i" mtu 4200 netns beyond
	done
	ip -n beyond link add pair type bond mode active-backup miimon 50
	for i in 1 2; do
		ip -n there link set "p$i" master pair
		ip -n beyond link set "q$i" master pair
	done
	ip -n there link set pair mtu 4200
	ip -n beyond link set pair mtu 4200
	at_netdevs pair pair
	assert_eq "$(active there)" p1 "the active wire"
	ip -n there link set p1 down
	wait_for 20 active_is there p2
	wait_for 20 active_is beyond q2
	wait_for 20 port_state_is glassr3/1 ACTIVE
	wait_for 20 port_state_is glassr4/1 ACTIVE
	traffic
	no_ports
	ip -n there link del pair
	ip -n beyond link del pair
	ip -n there link del p1
	ip -n there link del p2
}

active()
{
	in_ns "$1" cat /proc/net/bonding/pair | sed -n 's/^Currently Active Slave: //p'
}

active_is()
{
	[[ $(active "$1") == "$2" ]]
}

test_macvlan()
{
	ip link add under mtu 4200 netns there type veth peer name under mtu 4200 netns beyond
	ip -n there link set under up
	ip -n beyond link set under up
	upper_link there macvlan link under name upon type macvlan mode bridge
	ip -n beyond link add link under name upon type macvlan mode bridge
	at_netdevs upon upon
	no_ports
	ip -n there link del under
}

# An interface has a port, and so has a macvlan upon it: both ports have the GIDs of the macvlan. Each has its traffic.
test_two_ports_with_a_gid()
{
	upper_link there macvlan link left name upon type macvlan mode bridge
	ip -n beyond link add link right name upon type macvlan mode bridge
	at_netdevs upon upon
	wait_for 20 have_gids glassr1 10.9.1.1 10.9.4.1
	lower_traffic
	# whichever gets its GIDs last
	rdma link del glassr1
	rdma link del glassr2
	in_ns there rdma link add glassr1 type glass netdev left
	in_ns beyond rdma link add glassr2 type glass netdev right
	wait_for 20 have_gids glassr1 10.9.1.1 10.9.4.1
	wait_for 20 have_gids glassr2 10.9.1.2 10.9.4.2
	TCP_HOST=10.9.4.2
	traffic
	lower_traffic
	no_ports
	ip -n there link del upon
	ip -n beyond link del upon
}

lower_traffic()
{
	TCP_HOST=10.9.1.2
	GID_OPTION=-g
	across glassr2 glassr1 10.9.1.2 10.9.1.1 ibv_rc_pingpong -n 50 -c
}

# A VLAN has no port of its own: that of the interface below has its GIDs, and carries its traffic.
test_vlan()
{
	upper_link there vlan link left name left.7 type vlan id 7
	ip -n beyond link add link right name right.7 type vlan id 7
	refuses in_ns there rdma link add glassr3 type glass netdev left.7
	assert_match "$(dmesg | tail -n 20)" 'glass: glassr3: left.7 is a VLAN, .* the port of the interface below, left$'
	ip -n there addr add 10.9.4.1/24 dev left.7
	ip -n beyond addr add 10.9.4.2/24 dev right.7
	ip -n there link set left.7 up
	ip -n beyond link set right.7 up
	wait_for 20 have_gids glassr1 10.9.4.1
	wait_for 20 have_gids glassr2 10.9.4.2
	TCP_HOST=10.9.4.2
	GID_OPTION=-g
	across glassr2 glassr1 10.9.4.2 10.9.4.1 ibv_rc_pingpong -n 50 -c
	across glassr2 glassr1 10.9.4.2 10.9.4.1 ibv_ud_pingpong -n 50
	ip -n there link del left.7
	ip -n beyond link del right.7
}

# Only Glass has XRC at Ethernet ports. perftest waits until both sides are ready; ibv_xsrq_pingpong sends at once, and its first message
# dies of its timeouts if the other side is slow.
test_xrc()
{
	local tool
	TCP_HOST=10.9.1.2
	GID_OPTION=-x
	for tool in ib_send_bw ib_write_bw ib_read_bw ib_atomic_bw; do
		across glassr2 glassr1 10.9.1.2 10.9.1.1 "$tool" -c XRC -n 50
		across glassr2 glassr1 fd00:9:1::2 fd00:9:1::1 "$tool" -c XRC -n 50
	done
}

# rxe computes another ICRC of a FLUSH (docs/interop.md), which Glass drops: two ports of Glass agree, and with rxe there is none.
test_flush()
{
	local before
	verbs_check --a glassr1 --b glassr2 --gid "$(gid_of glassr1 10.9.1.1)" --b-gid "$(gid_of glassr2 10.9.1.2)" \
		--test rc_flush --test rc_atomic_write | tee checks.log
	! in_file checks.log '^skip rc_flush: ' || skip "this kernel has no FLUSH"
	in_file checks.log '^2 passed, 0 failed, 0 skipped'
	before=$(bad_icrc)
	! verbs_check --a rxe0 --b glassr0 --gid "$(gid_of rxe0 $HERE4)" --b-gid "$(gid_of glassr0 $THERE4)" --test rc_flush ||
		fail "rxe has mended its ICRC of FLUSH: docs/interop.md"
	(($(bad_icrc) > before)) || fail "no FLUSH of rxe was dropped for its ICRC"
}

bad_icrc()
{
	ether dev bad_icrc | sed -n 's/^glassr0 //p'
}

# A command of the fabric makes the port, and takes away what `rdma link add` has made. ibfabric goes into the namespace by itself.
test_command()
{
	TCP_HOST=10.9.1.2
	GID_OPTION=-g
	echo 'remove glassr1' >"$CONFIG/commands"
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	in_ns there bash -c 'echo "hca glassr1 netdev=left guid=0x1234" >"$0/commands"' "$CONFIG" || fail "$(<"$CONFIG/error")"
	wait_for 20 have_gids glassr1 10.9.1.1 fd00:9:1::1
	in_file /sys/class/infiniband/glassr1/node_guid '^0000:0000:0000:1234$'
	across glassr2 glassr1 10.9.1.2 10.9.1.1 ibv_rc_pingpong -n 50 -c
	ibfabric remove glassr1
	ibfabric add hca glassr1 netdev=left netns=there
	wait_for 20 have_gids glassr1 10.9.1.1 fd00:9:1::1
	across glassr2 glassr1 10.9.1.2 10.9.1.1 ibv_rc_pingpong -n 50 -c
}

# The module is not there: the kernel's core loads it by its alias for links.
test_autoload()
{
	unload_glass
	in_ns there rdma link add glassr0 type glass netdev there
	wait_for 20 have_gids glassr0 $THERE4 $THERE6
	wait_for 20 test -e /sys/class/infiniband/glass0
	udevadm settle --timeout=30
	in_ns there rdma link add glassr1 type glass netdev left
	in_ns beyond rdma link add glassr2 type glass netdev right
	wait_for 20 have_gids glassr1 10.9.1.1 fd00:9:1::1
	wait_for 20 have_gids glassr2 10.9.1.2 fd00:9:1::2
}
