# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The states of the guest that blocks of the documentation need: "<!-- run: NAME -->" calls setup_NAME, beside tests/lib/suite.sh.
# Their processes are in $STATE/docs.pids, until a block begins with a state of its own.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"
# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

# The state of the block before: processes, subnet managers, namespaces, cables, Ethernet ports.
setups_end()
{
	local pid
	while read -r pid; do
		kill -KILL "$pid" 2>/dev/null || continue
		wait_for 20 gone "$pid"
	done < <(cat "$STATE/docs.pids" 2>/dev/null; pgrep -x opensm)
	system_end
	rm -f "$STATE/docs.pids" "$STATE/opensm.pid" my_program my_test /usr/local/bin/my_program /usr/local/bin/my_test
	no_links rxe0 glassr0 siw0 siw1
	ip -all netns delete
	ip link del here 2>/dev/null || wait_for 20 test ! -e /sys/class/net/here
	ip link del eth0 2>/dev/null || :
	modprobe -r rdma_rxe
	# the debug kernel's
	[[ ! -e /sys/module/siw ]] || modprobe -r siw
	[[ ! -e /sys/module/smc ]] || wait_for 20 modprobe -r smc_diag smc
	wait_for 20 rdma system set netns shared
	# the LIDs that OpenSM remembers
	rm -f /var/cache/opensm/*
	fresh_glass
}

# What blocks of rhel-guide.md change in the system: settings, a user, an NFS server and its client.
system_end()
{
	if [[ -e /etc/nfs.conf.d/rdma.conf ]]; then
		umount --force /mnt/share 2>/dev/null || :
		rpc.nfsd 0
		exportfs -ua
		killall -q rpc.mountd || :
		! mountpoint -q /proc/fs/nfsd || wait_for 20 umount /proc/fs/nfsd
	fi
	! id student >/dev/null 2>&1 || userdel --remove student
	rm -f /etc/nfs.conf.d/rdma.conf /etc/exports /etc/security/limits.d/rdma.conf /etc/opensm/{opensm,partitions}.conf \
		/etc/udev/rules.d/{70-persistent-ipoib,70-rdma-group,76-glass}.rules
	udevadm control --reload
}

# in_background COMMAND...
in_background()
{
	"$@" >/dev/null 2>&1 </dev/null &
	echo $! >>"$STATE/docs.pids"
}

# a fresh module, no subnet manager
setup_plain()
{
	:
}

# a fresh module, and a fabric without nodes
setup_empty()
{
	ibfabric clear
}

setup_opensm()
{
	start_opensm
}

# ibv_rc_pingpong between glass0 and glass1, which does not end by itself
setup_pingpong()
{
	pingpong ibv_rc_pingpong
}

# the same; the end at glass0 is called my_program
setup_my_program_runs()
{
	cp "$(command -v ibv_rc_pingpong)" my_program
	pingpong ./my_program
}

# pingpong PROGRAM: at glass0; ibv_rc_pingpong is at glass1
pingpong()
{
	start_opensm
	in_background ibv_rc_pingpong -d glass1 -n 100000000
	wait_for 20 listening 18515
	in_background "$1" -d glass0 -n 100000000 127.0.0.1
	wait_for 20 grep -q "rts.*${1##*/}" "$GLASS_DEBUGFS/glass0/qp"
}

# ib_send_bw with two queue pairs from glass0 to glass1
setup_send_bw()
{
	start_opensm
	send_bw
}

send_bw()
{
	in_background ib_send_bw -F -d glass1 -q 2 -s 4096 --run_infinitely
	wait_for 20 listening 18515
	in_background ib_send_bw -F -d glass0 -q 2 -s 4096 --run_infinitely 127.0.0.1
	wait_for 20 messages_flow
}

messages_flow()
{
	[[ $(column "$GLASS_DEBUGFS/glass0/qp" tx_msgs | awk '{ n += $1 } END { print n + 0 }') -gt 100 ]]
}

# the same, and SIGSTOP has stopped the receiver: all its receives are used
setup_stopped_receiver()
{
	setup_send_bw
	kill -STOP "$(head -n 1 "$STATE/docs.pids")"
	wait_for 30 receives_used
}

receives_used()
{
	[[ $(ibtop -b -n 1 --csv -v qp -D glass0 -f 'pid>0' -c wait | grep -c 'RNR timer: the peer had no receive') == 2 ]]
}

# a SEND to a QP that is still in RESET: its sender fails
setup_unready_peer()
{
	start_opensm
	first_causes --two --alone --send peer_reset 1
}

# the same, and ./my_test, which ends well
setup_failure_and_my_test()
{
	setup_unready_peer
	cp "$(command -v GL012_good)" my_test
}

# run.pcapng: the first SENDs of a program at glass0 and of its peer, in turn. With -u 20 none is sent again where the guest is slow.
setup_capture()
{
	start_opensm
	in_background ibcap -q -w run.pcapng -c 14 -f 'qpn>1 && op==send' glass0:1
	wait_for 20 test -s run.pcapng
	pair glass1 glass0 ib_send_lat -F -s 64 -n 20 -u 20
	wait_for 20 gone "$(tail -n 1 "$STATE/docs.pids")"
}

# my_program and my_test, here and in the path: a program that ends well
setup_my_program()
{
	local good name
	good=$(command -v GL012_good)
	start_opensm
	for name in my_program my_test; do
		cp "$good" $name
		cp "$good" /usr/local/bin/$name
	done
	echo 'glass0: op=send nth=1 act=dup' >rules
}

# the tree of `ibfabric make fat-tree` with its subnet manager
setup_fat_tree()
{
	ibfabric make fat-tree --replace
	opensm -B -g 0x0667000000000101
	setup_active
}

# for "after": the ports of that tree are ACTIVE
setup_active()
{
	wait_for 60 port_state_is glass0/1 ACTIVE
	wait_for 60 port_state_is glass7/1 ACTIVE
	wait_for 60 ibfabric trace glass0 glass7
}

# that tree without a subnet manager
setup_tree()
{
	ibfabric make fat-tree --replace
}

# a program sends from glass0 to glass1, each at a leaf switch of its own; two spine switches join these
setup_two_leaves()
{
	ibfabric make fat-tree --leaves 2 --spines 2 --hosts-per-leaf 1 --replace
	opensm -B -g 0x0667000000000101
	setup_crossed
	send_bw
}

# two leaf switches, an HCA and a subnet manager at each, and no spine between them: what make demo joins by namespaces
setup_leaves()
{
	ibfabric make fat-tree --leaves 2 --spines 2 --hosts-per-leaf 1 --replace
	ibfabric remove spine0
	ibfabric remove spine1
	opensm -B -g 0x0667000000000101
	wait_for 60 port_state_is glass0/1 ACTIVE
}

# for "after": the subnet manager of leaves has found the other side
setup_crossed()
{
	wait_for 60 port_state_is glass1/1 ACTIVE
	wait_for 60 ibfabric trace glass0 glass1
}

# two fabrics in one module, near and far, and their namespaces with an interface each
setup_two_fabrics_apart()
{
	veth_pair 4500
	two_fabrics
}

# for "after": the second of their cables, and a subnet manager
setup_joined()
{
	ibfabric add cable far:8 netdev=wire netns=far
	wait_for 20 netdevs_up
	fabric_opensm
}

setup_two_fabrics()
{
	setup_two_fabrics_apart
	ibfabric add cable near:8 netdev=wire netns=near
	setup_joined
}

# an HCA at each of two switches; glass1 is in the namespace blue
setup_namespaces()
{
	rdma system set netns exclusive
	veth_pair 4500
	ip netns add blue
	ibfabric clear
	printf '%s\n' 'switch near ports=8' 'switch far ports=8' 'hca glass0 ports=1' 'hca glass1 ports=1' \
		'cable near:1 glass0:1' 'cable far:1 glass1:1' >"$CONFIG/commands"
	udevadm settle --timeout=30
	rdma dev set glass1 netns blue
	ibfabric add cable near:8 netdev=wire netns=near
	setup_joined
}

# glassr0 at the interface "there" of a namespace, with addresses, and with a VLAN upon it
setup_ethernet()
{
	ip netns add far
	ip link add here mtu 4200 type veth peer name there mtu 4200 address 46:c1:4c:c3:3c:57 netns far
	in_ns far bash -c 'echo 0 >/proc/sys/net/ipv6/conf/there/accept_dad'
	ip link set here up
	ip -n far addr add 10.9.0.2/24 dev there
	ip -n far addr add fd00:9::2/64 dev there nodad
	ip -n far link set there up
	in_ns far rdma link add glassr0 type glass netdev there
	ip -n far link add link there name there.7 type vlan id 7
	in_ns far bash -c 'echo 0 >/proc/sys/net/ipv6/conf/there.7/accept_dad'
	ip -n far addr add 10.9.7.2/24 dev there.7
	ip -n far link set there.7 up
	wait_for 20 five_gids
}

five_gids()
{
	[[ $(ibtop -b -n 1 --csv -v gid -D glassr0 | wc -l) == 6 ]]
}

# an interface eth0 with an address
setup_ethernet_alone()
{
	ip link add eth0 type dummy
	ip addr add 10.9.0.1/24 dev eth0
	ip link set eth0 up
}
