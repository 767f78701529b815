# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Two hosts whose switches a cable joins: one subnet, with programs of either host as peers.
# hosts 2
# takes 120

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

LIMIT=200

setup()
{
	join_hosts
}

# join_hosts: the cable of glass1:2 on each host becomes that to the other host
join_hosts()
{
	ibfabric remove switch0:4
	ibfabric add cable switch0:4 netdev=host2
	on 2 ibfabric remove switch0:4
	on 2 ibfabric add cable switch0:4 netdev=host1
}

far_active()
{
	[[ $(on 2 cat /sys/class/infiniband/glass0/ports/1/state) == '4: ACTIVE' ]]
}

far_up()
{
	cables_up
	wait_for 60 far_active
	wait_for 60 port_active 4
}

# port_active PORT: of switch0
port_active()
{
	has_row "switch0 $1 active" ports node port state
}

# far_lid DEVICE
far_lid()
{
	on 2 cat "/sys/class/infiniband/$1/ports/1/lid"
}

# across COMMAND OPTION...: as server on host 2 and as client here, both must succeed
across()
{
	local server status=0
	next_port
	on 2 timeout 100 "$@" -d glass0 -p "$TCP_PORT" >server.log 2>&1 &
	server=$!
	wait_for 30 on 2 bash -c "ss -ltn | grep -q ':$TCP_PORT '"
	timeout 100 "$@" -d glass0 -p "$TCP_PORT" host2 >client.log 2>&1 || status=$?
	((status == 0)) || {
		cat client.log server.log
		fail "client of '$*' ended with status $status"
	}
	wait "$server" || {
		cat server.log
		fail "server of '$*' failed"
	}
}

test_one_subnet()
{
	cables_up
	assert_eq "$(netdevs_of peer peer_host trouble)" 'switch0:4 host2 none' "peer"
	assert_eq "$(on 2 ibstat glass0 | sed -n 's/.*Node GUID: //p')" 0x0667000200000100 "GUID on host 2"
	fabric_opensm
	far_up
	ibnetdiscover -C glass0 >net
	assert_eq "$(grep -c ^Switch net) $(grep -c ^Ca net)" '2 4' "switches and HCAs that ibnetdiscover sees"
	ibping_far
}

# ibping_far: management datagrams both ways
ibping_far()
{
	on 2 --background ibping -S -C glass0 -P 1
	wait_for 20 ibping -c 1 -C glass0 -P 1 -L "$(far_lid glass0)"
	on 2 pkill ibping
}

test_programs_of_two_hosts()
{
	# two emulated guests may answer each other late: a timeout of 2 s (-u 19), not of the usual 67 ms
	across ib_send_lat -F -n 200 -u 19
	across ib_write_bw -F -n 100 -u 19
	across ib_read_bw -F -n 100 -u 19
	across ib_send_bw -F -n 100 -u 19 -a
	across ib_atomic_bw -F -n 100 -u 19
	across ib_send_bw -F -n 100 -c UD -s 2048
	across ib_write_bw -F -n 100 -c UC
	no_bad_frames
}

test_connections_by_rdma_cm()
{
	ip addr add 10.8.0.1/24 dev ib0 2>/dev/null || :
	ip link set ib0 up
	on 2 ip addr add 10.8.0.2/24 dev ib0
	on 2 ip link set ib0 up
	wait_for 60 ping -c 1 -W 2 10.8.0.2
	on 2 bash -c 'setsid rping -s -a 10.8.0.2 -v -C 20 >/tmp/rping.log 2>&1 </dev/null &'
	wait_for 30 rping -c -a 10.8.0.2 -v -C 20
	ping -c 20 -i 0.05 -s 1500 10.8.0.2 >/dev/null || fail "IPoIB loses packets"
}

# A host that loses its power: its ports are gone for the other. When it is there again, so are they.
test_power_cut()
{
	on 2 --kill
	wait_for 20 has_row 'switch0 4 down' ports node port state
	pair glass0 glass1 ibv_rc_pingpong -c -n 100
	on 2 --start
	on 2 ibfabric remove switch0:4
	on 2 ibfabric add cable switch0:4 netdev=host1
	far_up
	across ib_send_bw -F -n 100 -u 19
}
