# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The kernel's own software adapter beside Glass: rxe0 and rxe1, with a veth between them. For suites, beside suite.sh.

rxe_up()
{
	local n
	ip link add veth0 type veth peer name veth1
	modprobe rdma_rxe
	for n in 0 1; do
		echo 0 >"/proc/sys/net/ipv6/conf/veth$n/accept_dad"
		ip link set "veth$n" mtu 9000 up
		rdma link add "rxe$n" type rxe netdev "veth$n"
	done
}

rxe_down()
{
	rdma link del rxe0
	rdma link del rxe1
	ip link del veth0
	modprobe -r rdma_rxe
}

# link_local DEVICE: the index of its link-local RoCE v2 GID
link_local()
{
	local port=/sys/class/infiniband/$1/ports/1 i
	for i in {0..15}; do
		[[ $(<"$port/gids/$i") != fe80:* || $(<"$port/gid_attrs/types/$i") != *v2* ]] || {
			echo "$i"
			return 0
		}
	done 2>/dev/null
	return 1
}

# rxe_traffic: ibv_rc_pingpong between them until it is killed; its processes are in RXE_SERVER and RXE_CLIENT
rxe_traffic()
{
	wait_for 20 link_local rxe1
	next_port
	start rxe-server.log ibv_rc_pingpong -d rxe1 -g "$(link_local rxe1)" -n 100000000 -p "$TCP_PORT"
	RXE_SERVER=$STARTED
	wait_for 20 listening "$TCP_PORT"
	start rxe-client.log ibv_rc_pingpong -d rxe0 -g "$(link_local rxe0)" -n 100000000 -p "$TCP_PORT" 127.0.0.1
	RXE_CLIENT=$STARTED
}
