# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 90
# long: containers start slowly under emulation
# Two containers (systemd-nspawn) are two hosts of one fabric: each has a network namespace, with one end of a veth pair and with one
# HCA that nothing else sees. docs/hosts.md has these commands.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

LIMIT=180

setup()
{
	fresh_glass
	stop_opensm
	ibfabric clear
	wait_for 30 rdma system set netns exclusive || fail "$(rdma system set netns exclusive 2>&1)"
	printf '%s\n' 'switch switch0 ports=4' 'switch switch1 ports=4' 'hca glass0 ports=1' 'hca glass1 ports=1' \
		'cable switch0:1 glass0:1' 'cable switch1:1 glass1:1' >"$CONFIG/commands"
	udevadm settle --timeout=30
	ip netns add red
	ip netns add blue
	ip link add wire mtu 4500 netns red type veth peer name wire mtu 4500 netns blue
	ip -n red link set wire up
	ip -n blue link set wire up
	ip -n red addr add 192.0.2.1/24 dev wire
	ip -n blue addr add 192.0.2.2/24 dev wire
	ibfabric add cable switch0:4 netdev=wire netns=red
	ibfabric add cable switch1:4 netdev=wire netns=blue
	cables_up
	fabric_opensm
	wait_for 60 all_active
	make_root red
	make_root blue
	rdma dev set glass0 netns red
	rdma dev set glass1 netns blue
	wait_for 60 links_active
}

devices_back()
{
	[[ $(rdma -j dev | jq length) == 2 ]]
}

cleanup()
{
	local name
	for name in red blue; do
		umount "/dev/shm/containers/$name/root"
		ip netns del "$name"
	done
	rm -rf /dev/shm/containers
	wait_for 30 devices_back || :
	wait_for 30 rdma system set netns shared || fail "$(rdma system set netns shared 2>&1)"
	fresh_glass
}

# make_root NAME: a root file system for the container: the one of this guest, and changes in memory
make_root()
{
	local dir=/dev/shm/containers/$1
	mkdir -p "$dir/upper" "$dir/work" "$dir/root"
	mount -t overlay -o "lowerdir=/,upperdir=$dir/upper,workdir=$dir/work" overlay "$dir/root"
	# nspawn wants one
	tr -d - </proc/sys/kernel/random/uuid >"$dir/root/etc/machine-id"
}

# in_container NAME COMMAND...: in a container in that network namespace. nspawn starts there, so that the /sys that it mounts is that of the
# namespace; with --network-namespace-path= it is that of the first one. Neither systemd nor a journal runs in this guest:
# the options in the last line.
in_container()
{
	exec nsenter --net="/run/netns/$1" systemd-nspawn --quiet --directory="/dev/shm/containers/$1/root" --machine="$1" --as-pid2 --pipe \
		--bind=/dev/infiniband --rlimit=RLIMIT_MEMLOCK=infinity \
		--link-journal=no --register=no --keep-unit "${@:2}"
}

# contained NAME COMMAND...: the same, and comes back
contained()
{
	(in_container "$@")
}

listens_in_blue()
{
	[[ -n $(ip netns exec blue ss -Hltn "sport = :$1") ]]
}

# across COMMAND OPTION...: as server in the container blue and as client in red; data cross the cable
across()
{
	local server before
	before=$(table netdevs tx_packets | head -n 1)
	next_port
	echo "+ $*"
	start server.log in_container blue "$@" -p "$TCP_PORT"
	server=$STARTED
	wait_for 40 listens_in_blue "$TCP_PORT" || { cat server.log; fail "no server: $*"; }
	contained red "$@" -p "$TCP_PORT" 192.0.2.2 >client.log 2>&1 || {
		cat client.log server.log
		fail "client of '$*' failed"
	}
	finish "$server" server.log "server of '$*'"
	(($(table netdevs tx_packets | head -n 1) > before + 10)) || fail "nothing crossed the cable: $*"
}

test_a_container_has_one_device()
{
	assert_eq "$(rdma dev)" '' "devices that no container has"
	contained red ibv_devinfo >red 2>&1 || fail "$(<red)"
	contained blue ibv_devinfo >blue 2>&1 || fail "$(<blue)"
	assert_eq "$(grep -h hca_id red blue | tr -d '\t ')" $'hca_id:glass0\nhca_id:glass1' "devices of the containers"
	assert_eq "$(cat red blue | grep -c PORT_ACTIVE)" 2 "ports that are ACTIVE"
	! contained red ibv_devinfo -d glass1 || fail "red sees the device of blue"
	assert_eq "$(ibfabric show --json | jq -c '[.nodes[] | select(.kind == "hca") | [.device, .netns]], [.netdev_cables[] | [.a.node, .netns]]')" \
		$'[["glass0","red"],["glass1","blue"]]\n[["switch0","red"],["switch1","blue"]]'
}

test_programs_of_two_containers()
{
	across ibv_rc_pingpong -c
	across rdma_aware -s 100000
	across ibv_ud_pingpong -c -s 2000
	across ib_write_bw -F -n 100
	across ib_send_bw -F -n 100 -c XRC
	no_bad_frames
}
