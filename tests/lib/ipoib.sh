# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Addresses on the fabric: IPoIB interfaces, and programs that find each other by them (rdma_cm). For suites, beside suite.sh.
#
# Both adapters live in one kernel, which would hand IP packets between its own addresses over loopback. So one
# interface moves into a network namespace of its own, "peer": 10.7.0.1 is glass0's first port, here; 10.7.0.2 glass1's
# first port, there.

HERE=10.7.0.1 THERE=10.7.0.2

# ipoib_of DEVICE/PORT: the name of that port's network interface
ipoib_of()
{
	grep -l "^$((${1#*/} - 1))\$" "/sys/class/infiniband/${1%/*}/device/net/"*/dev_port | sed 's:/dev_port$::; s:.*/::; q'
}

# in_peer COMMAND...: in the other namespace; the process stays the same, so that `start` knows its id.
in_peer()
{
	exec ip netns exec peer "$@"
}

ipoib_up()
{
	local here there
	here=$(ipoib_of glass0/1)
	there=$(ipoib_of glass1/1)
	[[ -n $here && -n $there ]] || fail "no IPoIB interface for glass0/1 ('$here') or glass1/1 ('$there')"
	printf '%s %s\n' "$here" "$there" >"$STATE/ipoib"
	ip netns add peer
	ip link set "$there" netns peer
	ip -n peer link set lo up
	ip addr add $HERE/24 dev "$here"
	ip -n peer addr add $THERE/24 dev "$there"
	ip link set "$here" up
	ip -n peer link set "$there" up
	wait_for 30 ping -c 1 -W 1 $THERE
}

# HERE_IF and THERE_IF, the interfaces
ipoib_names()
{
	read -r HERE_IF THERE_IF <"$STATE/ipoib"
}

ipoib_down()
{
	ipoib_names
	# Into the first process's namespace: a deleted namespace would give it back some time later.
	ip -n peer link set "$THERE_IF" netns 1
	ip netns del peer
	ip addr flush dev "$HERE_IF"
	ip link set "$HERE_IF" down
}

# ipoib_cross [PORT]: the interfaces of port PORT (1) of both adapters in the first namespace, for kernel modules that use no other one. An
# address of the other port is reached by the interface of this one, not by loopback: routes to it come before the kernel's local ones,
# which apply to what arrives.
ipoib_cross()
{
	local here there name
	here=$(ipoib_of "glass0/${1:-1}")
	there=$(ipoib_of "glass1/${1:-1}")
	printf '%s %s\n' "$here" "$there" >"$STATE/ipoib"
	ip addr add $HERE/24 dev "$here"
	ip addr add $THERE/24 dev "$there"
	ip link set "$here" up
	ip link set "$there" up
	for name in "$here" "$there"; do
		sysctl -q "net.ipv4.conf.$name.accept_local=1" "net.ipv4.conf.$name.rp_filter=0" "net.ipv4.conf.$name.arp_ignore=1"
		ip rule add pref 10 iif "$name" lookup local
	done
	ip route add $THERE dev "$here" src $HERE table 201
	ip route add $HERE dev "$there" src $THERE table 202
	ip rule add pref 20 to $THERE lookup 201
	ip rule add pref 20 to $HERE lookup 202
	ip rule add pref 100 lookup local
	ip rule del pref 0
	wait_for 30 ping -c 1 -W 1 $THERE
}

ipoib_cross_down()
{
	local name
	ipoib_names
	ip rule add pref 0 lookup local
	ip rule del pref 100
	for name in "$HERE_IF" "$THERE_IF"; do
		ip rule del pref 10
		ip rule del pref 20
		ip addr flush dev "$name"
		ip link set "$name" down
	done
}

# cm_listening PID: does that process listen by rdma_cm?
cm_listening()
{
	rdma resource show cm_id | grep -q " state LISTEN .* pid $1 "
}

cm_listening_or_gone()
{
	cm_listening "$1" || gone "$1"
}

# cm_server COMMAND...: started in the namespace peer, listening when this returns; log in server.log
cm_server()
{
	start server.log in_peer "$@"
	SERVER=$STARTED
	wait_for 20 cm_listening_or_gone "$SERVER" || fail "does not listen: $*"
}

# cm_client COMMAND...: and both it and the server must end well; log in client.log
cm_client()
{
	local status=0
	timeout 40 "$@" >client.log 2>&1 || status=$?
	((status == 0)) || {
		echo "client:"
		cat client.log
		echo "server:"
		cat server.log
		fail "client '$*' ended with status $status"
	}
	finish "$SERVER" server.log "server of '$*'"
}

# perftest_by_cm TOOL OPTION...: perftest with addresses and QPs by rdma_cm
perftest_by_cm()
{
	local tool=$1
	shift
	next_port
	cm_server "$tool" -F -R -p "$TCP_PORT" -d glass1 "$@"
	cm_client "$tool" -F -R -p "$TCP_PORT" -d glass0 "$@" $THERE
}
