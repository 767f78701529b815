# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites of several hosts (# hosts N): their fabrics become one subnet, and programs of two hosts become peers. Beside fabric.sh and
# netcable.sh.

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

# far_up: after fabric_opensm, the cable and the ports at both of its sides
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

# on_each COMMAND...: on both hosts
on_each()
{
	"$@"
	on 2 "$@"
}

# ipoib_hosts: IPoIB on port 1 of glass0: 10.8.0.1 on host 1, 10.8.0.2 on host 2
ipoib_hosts()
{
	ip addr replace 10.8.0.1/24 dev ib0
	on 2 ip addr replace 10.8.0.2/24 dev ib0
	on_each ip link set ib0 up
	wait_for 60 ping -c 1 -W 2 10.8.0.2
}

# across COMMAND OPTION...: as server on host 2 and as client here, both must succeed
across()
{
	local server status=0
	next_port
	echo "+ $*"
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
