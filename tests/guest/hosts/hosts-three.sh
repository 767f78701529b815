# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Three hosts in one subnet: all send to all, one loses its power and comes back, and the others go on meanwhile.
# hosts 3
# takes 200
# long: three guests at once

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"
# shellcheck source=tests/lib/hosts.sh
. "$TESTS/lib/hosts.sh"

LIMIT=120
LIMIT_test_one_host_dies_and_comes_back=500

# of the cables to the hosts: the ports of switch0 that glass0:2 and glass1:2 had
declare -A PORT_TO=([2]=2 [3]=4)

setup()
{
	local k
	for k in 2 3; do
		ibfabric remove "switch0:${PORT_TO[$k]}"
		ibfabric add cable "switch0:${PORT_TO[$k]}" netdev="host$k"
		join "$k"
	done
	fabric_opensm
	ip addr add 10.8.0.1/24 dev ib0
	ip link set ib0 up
	for k in 2 3; do
		host_up "$k"
	done
}

# join K: on host K
join()
{
	on "$1" ibfabric remove switch0:4
	on "$1" ibfabric add cable switch0:4 netdev=host1
	on "$1" ip addr add "10.8.0.$1/24" dev ib0
	on "$1" ip link set ib0 up
}

host_active()
{
	[[ $(on "$1" cat /sys/class/infiniband/glass0/ports/1/state) == '4: ACTIVE' ]]
}

# host_up K: its port is ACTIVE, and IPoIB reaches it
host_up()
{
	wait_for 60 host_active "$1"
	wait_for 60 ping -c 1 -W 2 "10.8.0.$1"
}

# at K COMMAND...: on host K, also on this one
at()
{
	if (($1 == 1)); then
		"${@:2}"
	else
		on "$@"
	fi
}

listens()
{
	[[ -n $(at "$1" ss -Hltn "sport = :$2") ]]
}

# peers SERVER CLIENT COMMAND...: as server on the one host and as client on the other. They find each other by IPoIB, because hosts 2
# and 3 have no other network.
peers()
{
	local server=$1 client=$2 pid
	shift 2
	next_port
	echo "+ $* (server host$server, client host$client)"
	at "$server" timeout 100 "$@" -d glass0 -p "$TCP_PORT" >"server.$client.log" 2>&1 &
	pid=$!
	wait_for 30 listens "$server" "$TCP_PORT"
	at "$client" timeout 100 "$@" -d glass0 -p "$TCP_PORT" "10.8.0.$server" >"client.$client.log" 2>&1 || {
		cat "client.$client.log" "server.$client.log"
		fail "client of '$*' on host$client failed"
	}
	finish "$pid" "server.$client.log" "server of '$*' on host$server"
}

# all_to_all HOST...: between each two of these hosts, both ways, with data that are compared
all_to_all()
{
	local a b
	for a; do
		for b; do
			((a == b)) || peers "$a" "$b" rdma_aware -s 100000
		done
	done
}

# sees SWITCHES HCAS: what ibnetdiscover finds
sees()
{
	[[ $(ibnetdiscover -C glass0 | grep -c '^Switch') == "$1" && $(ibnetdiscover -C glass0 | grep -c '^Ca') == "$2" ]]
}

test_all_to_all()
{
	sees 3 6 || fail "$(ibnetdiscover -C glass0)"
	all_to_all 1 2 3
	no_bad_frames
}

test_one_host_dies_and_comes_back()
{
	local guid pid
	guid=$(on 3 cat /sys/class/infiniband/glass0/ports/1/gids/0 | tr -d :)
	guid=0x${guid:16}
	next_port
	on 2 ib_send_bw -F -u 19 -D 600 -d glass0 -p "$TCP_PORT" >server.log 2>&1 &
	wait_for 30 listens 2 "$TCP_PORT"
	start client.log ib_send_bw -F -u 19 -D 600 -d glass0 -p "$TCP_PORT" host2
	pid=$STARTED
	wait_for 30 talks

	on 3 --kill
	wait_for 20 has_row 'switch0 4 down' ports node port state
	wait_for 60 in_file "$STATE/opensm.log" "Removed port with GUID:$guid"
	wait_for 60 sees 2 4 || fail "$(ibnetdiscover -C glass0)"
	note "OpenSM: $(grep -o "Removed port with GUID:$guid.*" "$STATE/opensm.log" | tail -n 1)"
	talks || fail "hosts 1 and 2 stopped talking when host 3 died"
	! gone "$pid" || { cat client.log; fail "the program ended when host 3 died"; }
	all_to_all 1 2

	on 3 --start
	join 3
	host_up 3
	wait_for 60 sees 3 6 || fail "$(ibnetdiscover -C glass0)"
	talks || fail "hosts 1 and 2 stopped talking when host 3 came back"
	! gone "$pid" || { cat client.log; fail "the program ended when host 3 came back"; }
	kill "$pid"
	all_to_all 1 2 3
	no_bad_frames
}

# talks: packets to host 2 are on their way
talks()
{
	local before
	before=$(table netdevs a tx_packets | awk -v a="switch0:${PORT_TO[2]}" '$1 == a { print $2 }')
	wait_for 20 sent_more "$((before + 200))"
}

sent_more()
{
	(($(table netdevs a tx_packets | awk -v a="switch0:${PORT_TO[2]}" '$1 == a { print $2 }') > $1))
}
