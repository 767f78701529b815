# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# long: adapters that move between namespaces, under traffic
# takes 100
# Adapters in network namespaces of their own (rdma system set netns exclusive): glass0 is here, glass1 and glass2 are in the namespace
# blue. A cable joins their fabrics, whose interfaces are in two other namespaces, near and far. Programs find each other by the veth
# pair ip0.

# kmemleak watches this suite on the debug kernel.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

LIMIT=120
HERE=192.0.2.1 THERE=192.0.2.2

setup()
{
	fresh_glass
	stop_opensm
	ibfabric clear
	# busy until the namespaces of other suites are gone altogether
	wait_for 30 rdma system set netns exclusive || fail "$(rdma system set netns exclusive 2>&1)"
	# a name for this namespace, for rdma
	ip netns attach first 1
	join_namespaces
}

cleanup()
{
	ip netns del first
	netcable_down
	[[ ! -e /run/netns/blue ]] || ip netns del blue
	wait_for 20 names_here 'glass0 glass1 glass2' || :
	wait_for 30 rdma system set netns shared || fail "$(rdma system set netns shared 2>&1)"
	fresh_glass
}

# join_namespaces: glass0 and glass2 at the switch near, glass1 at the switch far, and all ports ACTIVE
join_namespaces()
{
	stop_opensm
	ibfabric clear
	printf '%s\n' 'switch near ports=8' 'switch far ports=8' 'hca glass0 ports=1' 'hca glass1 ports=1' 'hca glass2 ports=1' \
		'cable near:1 glass0:1' 'cable far:1 glass1:1' 'cable near:2 glass2:1' >"$CONFIG/commands"
	udevadm settle --timeout=30
	veth_pair 4500
	join_by wire
	fabric_opensm
	wait_for 60 all_active
}

# names_here NAMES: the RDMA devices that this namespace has
names_here()
{
	[[ $(rdma -j dev | jq -r 'sort_by(.ifname) | map(.ifname) | join(" ")') == "$1" ]]
}

# blue COMMAND...: in the namespace blue, with its /sys. (start needs the command itself, for its process id.)
blue()
{
	ip netns exec blue "$@"
}

names_in_blue()
{
	[[ $(blue rdma -j dev | jq -r 'sort_by(.ifname) | map(.ifname) | join(" ")') == "$1" ]]
}

blue_active()
{
	[[ $(blue cat /sys/class/infiniband/glass1/ports/1/state) == '4: ACTIVE' ]]
}

# make_blue: the namespace, with glass1 and glass2
make_blue()
{
	[[ ! -e /run/netns/blue ]] || return 0
	ip netns add blue
	ip link add ip0 type veth peer name ip0 netns blue
	ip addr add $HERE/24 dev ip0
	ip -n blue addr add $THERE/24 dev ip0
	ip -n blue link set lo up
	ip link set ip0 up
	ip -n blue link set ip0 up
	rdma dev set glass1 netns blue
	rdma dev set glass2 netns blue
	wait_for 60 blue_active
	wait_for 60 links_active
}

# packets: how many left by the cables
packets()
{
	table netdevs tx_packets | awk '{ n += $1 } END { print n + 0 }'
}

listening_in_blue()
{
	[[ -n $(blue ss -Hltn "sport = :$1") ]]
}

# across COMMAND OPTION...: as server on glass1 in blue, as client on glass0 here
across()
{
	local server before
	before=$(packets)
	next_port
	echo "+ $*"
	start server.log ip netns exec blue timeout 60 "$@" -d glass1 -p "$TCP_PORT"
	server=$STARTED
	wait_for 20 listening_in_blue "$TCP_PORT" || { cat server.log; fail "no server: $*"; }
	timeout 60 "$@" -d glass0 -p "$TCP_PORT" $THERE >client.log 2>&1 || {
		cat client.log server.log
		fail "client of '$*' failed"
	}
	finish "$server" server.log "server of '$*'"
	(($(packets) > before + 10)) || fail "nothing crossed the cable: $*"
}

test_a_device_is_in_one_namespace()
{
	make_blue
	names_here glass0 || fail "$(rdma dev)"
	names_in_blue 'glass1 glass2' || fail "$(blue rdma dev)"
	assert_eq "$(ls /sys/class/infiniband) $(blue ls /sys/class/infiniband | tr '\n' ' ')" 'glass0 glass1 glass2 ' "devices in /sys"
	assert_eq "$(ibv_devices | grep -c glass) $(blue ibv_devices | grep -c glass)" '1 2' "devices of libibverbs"
	refuses ibv_rc_pingpong -d glass1
	refuses blue ibv_rc_pingpong -d glass0
	refuses traffic -a glass0 -b glass1 -n 1
	refuses ibping -c 1 -C glass1 -L 1
	# the driver and its tools show all
	ls "$GLASS_DEBUGFS"/glass[012]/qp
	assert_eq "$(table nodes device netns | sort | tr '\n' ' ')" \
		"- - - - glass0 $(stat -Lc %i /proc/self/ns/net) glass1 $(stat -Lc %i /run/netns/blue) glass2 $(stat -Lc %i /run/netns/blue) "
	ibfabric show
	[[ $(ibfabric show near) == *'glass2:1 '*' HCA in blue, LID '* ]] || fail "$(ibfabric show near)"
	[[ $(ibfabric show near) == *'glass0:1 '*' HCA, LID '* ]] || fail "$(ibfabric show near)"
	assert_eq "$(ibfabric show --json | jq -c '[.nodes[] | select(.kind == "hca") | [.device, .netns]]')" \
		'[["glass0",null],["glass1","blue"],["glass2","blue"]]'
	ibtop -b -n 1 --csv -v fnode -c name,netns -f "name==glass1 && netns==$(stat -Lc %i /run/netns/blue)" | grep glass1
}

test_programs_of_two_namespaces()
{
	local size
	local -a patience=()
	# an XRC message of 64 KiB has no trains: on the debug kernel, a hundred of them take longer than eight tries of perftest's 67 ms
	((SLOWER == 1)) || patience=(-u 18)
	make_blue
	for size in 8 4096 300000; do
		across rdma_aware -s $size
	done
	across ibv_rc_pingpong -c -n 100
	across ibv_uc_pingpong -c -n 100
	across ibv_ud_pingpong -c -n 100 -s 2000
	across ib_write_bw -F -n 100
	across ib_send_bw -F -n 100 -c UD -s 2048
	across ib_send_bw -F -n 100 "${patience[@]}" -c XRC
	# both ends in blue, on either side of the cable
	blue traffic -a glass1 -b glass2 -n 500
	# management from there
	blue sminfo -C glass1 -P 1
	[[ $(blue ibnetdiscover -C glass1 | grep -c ^Ca) == 3 ]] || fail "$(blue ibnetdiscover -C glass1)"
	no_bad_frames
}

# interface_of DEVICE: of IPoIB; it stays in the first namespace when its device is given to another one
interface_of()
{
	local guid
	guid=$(guid_of "$1")
	ip -j link | jq -r --arg tail "$(sed 's/^0x0*//; s/^\(.*\)$/00000000000000000\1/; s/.*\(.\{16\}\)$/\1/; s/../:&/g' <<<"$guid")" \
		'.[] | select(.link_type == "infiniband" and (.address | endswith($tail))).ifname'
}

test_ipoib_and_rdma_cm()
{
	local near far
	make_blue
	modprobe ib_ipoib
	udevadm settle --timeout=30
	near=$(interface_of glass0)
	far=$(interface_of glass1)
	[[ -n $near && -n $far ]] || fail "no interfaces: $(ip link)"
	ip link set "$far" netns blue
	ip addr add 10.8.0.1/24 dev "$near"
	ip -n blue addr add 10.8.0.2/24 dev "$far"
	ip link set "$near" up
	ip -n blue link set "$far" up
	wait_for 40 ping -c 1 -W 2 10.8.0.2
	ping -c 20 -i 0.05 -s 1500 -q 10.8.0.2
	start rping.log ip netns exec blue rping -s -a 10.8.0.2 -v -V -C 20
	wait_for 20 in_blue_listens
	timeout 40 rping -c -a 10.8.0.2 -v -V -C 20
	finish "$STARTED" rping.log rping
	ip addr flush dev "$near"
}

in_blue_listens()
{
	[[ $(blue rdma resource show cm_id) == *' state LISTEN '* ]]
}

# A program that uses the device loses it, as if it were unplugged; IPoIB on it goes, too.
test_given_away_while_in_use()
{
	local status=0 round
	wait_for 60 blue_is_gone
	for round in 1 2 3; do
		start traffic.log traffic -v -t 17 -a glass0 -b glass1
		wait_for 30 brings traffic.log 0
		make_blue
		wait_for 30 gone "$STARTED" || fail "the program goes on"
		wait "$STARTED" || status=$?
		# by the event, or by the first verb that it gave then
		grep -E 'event device_fatal side=b|: Input/output error$' traffic.log || { cat traffic.log; fail "the program was not told"; }
		((status && status < 128)) || { cat traffic.log; fail "status $status of the program"; }
		across ibv_rc_pingpong -c -n 50
		# and out of the namespace, where another program uses it
		start traffic.log ip netns exec blue traffic -v -t 17 -a glass2 -b glass1
		wait_for 30 brings traffic.log 0
		blue rdma dev set glass1 netns first
		wait_for 30 gone "$STARTED" || fail "the program goes on in blue"
		wait_for 30 names_here 'glass0 glass1'
		ip netns del blue
		blue_is_gone
	done
}

# blue_is_gone: deletes the namespace; both devices are back
blue_is_gone()
{
	[[ ! -e /run/netns/blue ]] || ip netns del blue
	wait_for 30 names_here 'glass0 glass1 glass2' && wait_for 60 all_active
}

# A namespace that ends gives its devices back.
test_deleted_namespace_gives_devices_back()
{
	make_blue
	start traffic.log ip netns exec blue traffic -v -t 17 -a glass2 -b glass1
	wait_for 30 brings traffic.log 0
	ip netns del blue
	# the namespace lives as long as a process of it
	names_here glass0 || fail "the program has lost its namespace"
	wait_for 20 brings traffic.log "$(messages traffic.log)" || { cat traffic.log; fail "the program has lost its device"; }
	kill "$STARTED"
	finish "$STARTED" traffic.log
	wait_for 30 names_here 'glass0 glass1 glass2' || fail "$(rdma dev)"
	assert_eq "$(table nodes device netns | awk '$1 == "glass1" { print $2 }')" "$(stat -Lc %i /proc/self/ns/net)" "namespace of glass1"
	wait_for 60 all_active
	pair glass0 glass1 ibv_rc_pingpong -c -n 100
	traffic -a glass0 -b glass1 -n 100
}

test_module_goes_while_devices_are_in_a_namespace()
{
	make_blue
	across ibv_rc_pingpong -c -n 50
	stop_opensm
	unload_glass
	assert_eq "$(rdma dev)$(blue rdma dev)" '' "devices without the module"
	load_glass
	names_here 'glass0 glass1' || fail "$(rdma dev)"
	ip netns del blue
	join_namespaces
}
