# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Two hosts whose switches a cable joins: one subnet, with programs of either host as peers.
# hosts 2
# long: two guests, in which subnet managers come and go
# takes 150

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"
# shellcheck source=tests/lib/hosts.sh
. "$TESTS/lib/hosts.sh"

LIMIT=200

setup()
{
	join_hosts
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

# perftest and rdma_aware: two emulated guests may answer each other late: a timeout of 2 s (-u 19), not of the usual 67 ms
test_perftest_of_two_hosts()
{
	local program
	for program in write read send atomic; do
		across "ib_${program}_lat" -F -n 100 -u 19
		across "ib_${program}_bw" -F -n 100 -u 19
	done
	across ib_send_bw -F -n 50 -u 19 -a
	across ib_write_bw -F -n 100 -u 19 -b
	across ib_write_lat -F -n 50 -c UC
	across ib_write_bw -F -n 100 -c UC
	across ib_send_bw -F -n 100 -c UD -s 2048
	across ib_send_lat -F -n 50 -c UD -s 64
	across ib_send_bw -F -n 100 -u 19 -c XRC
	across ib_read_bw -F -n 100 -u 19 -c XRC
	no_bad_frames
}

# programs that compare what they get
test_data_of_two_hosts()
{
	local size
	for size in 1 4096 262144; do
		across rdma_aware -s "$size"
	done
	across rdma_aware -g 0
	across ibv_rc_pingpong -c -n 100
	across ibv_srq_pingpong -c -n 100
	across ibv_uc_pingpong -c -n 100
	across ibv_ud_pingpong -c -n 100 -s 2000
	no_bad_frames
}

test_connections_by_rdma_cm()
{
	ipoib_hosts
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
