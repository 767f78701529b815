# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 40
# The files of configfs: commands that are refused and why, long writes, and the module in use.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
HEADER=${TESTS%/*}/driver/uapi/glass-fabric.h

# IPoIB would take 16 MiB a port for its connected mode
NO_IPOIB=/etc/modprobe.d/no-ipoib.conf

setup()
{
	echo 'install ib_ipoib /bin/true' >"$NO_IPOIB"
	fresh_glass
}

cleanup()
{
	rm -f "$NO_IPOIB"
	fresh_glass
}

# small: a switch with an HCA and a passive adapter
small()
{
	ibfabric clear
	printf '%s\n' 'switch s ports=4 guid=0x100' 'hca h ports=2' 'ca c ports=1' 'cable s:1 h:1' 'cable s:2 c:1' >"$CONFIG/commands"
}

# state: all that commands make
state()
{
	table nodes name kind ports guid
	table cables a b pulled width speed mtu
}

# refused COMMAND ERROR MESSAGE: the write fails with this message of the C library, and `error` begins with ERROR
refused()
{
	local before said
	before=$(state)
	refuses bash -c 'printf "%s\n" "$1" >"$2"' - "$1" "$CONFIG/commands"
	said=$(<"$CONFIG/error")
	assert_match "$REFUSAL" "write error: $3\$" "errno of '$1'"
	[[ $said == "$2"* ]] || fail "error of '$1': got '$said', wanted '$2'"
	assert_match "$said" '^[0-9]+ [0-9]+ [0-9]+ [a-z_]+: [a-z].*[^.]$' "error of '$1'"
	assert_eq "$(state)" "$before" "the fabric after '$1'"
	SEEN+=" $(cut -d' ' -f4 <<<"$said" | tr -d :)"
}

# Each kind of error but that of 65536 nodes, and those of other tests
test_commands_that_are_refused()
{
	local kind said invalid='Invalid argument'
	SEEN=''
	small
	refused 'bogus x' '1 0 5 unknown_command: unknown command; there are hca, ca, switch, ' "$invalid"
	refused 'switch' '1 6 0 no_name: ' "$invalid"
	refused 'switch -x ports=4' '1 7 2 bad_name: ' "$invalid"
	refused 'switch fabric ports=4' '1 7 6 bad_name: ' "$invalid"
	refused "ca $(printf 'n%.0s' {1..32}) ports=1" '1 3 32 bad_name: ' "$invalid"
	refused 'cable' '1 5 0 no_end: ' "$invalid"
	refused 'cable s:3' '1 9 0 no_end: ' "$invalid"
	refused 'cable s:3 h' '1 10 1 bad_end: ' "$invalid"
	refused 'pull s:' '1 5 2 bad_end: ' "$invalid"
	refused 'pull s:1 now' '1 9 3 extra_word: ' "$invalid"
	# a dummy interface never carries a packet, but can have an Ethernet port
	modprobe dummy numdummies=0
	ip link add roce_dummy type dummy
	rdma link add roce_port type glass netdev roce_dummy
	refused 'pull roce_port:1' '1 5 11 ethernet: ' "$invalid"
	rdma link del roce_port
	ip link del roce_dummy
	refused 'clear all' '1 6 3 extra_word: ' "$invalid"
	refused 'switch t ports=4 lid=3' '1 17 3 unknown_key: ' "$invalid"
	refused 'hca t ports=2 port0=base' '1 14 5 unknown_key: ' "$invalid"
	refused 'switch t ports=4 ports=4' '1 17 7 given_twice: ' "$invalid"
	refused 'switch t' '1 7 1 missing_key: ' "$invalid"
	refused 'switch t ports=four' '1 15 4 no_number: ' "$invalid"
	refused 'switch t ports=1' '1 15 1 out_of_range: out of range (2 to 254)' "$invalid"
	refused 'switch t ports=255' '1 15 3 out_of_range: out of range (2 to 254)' "$invalid"
	refused 'hca t ports=9' '1 12 1 out_of_range: out of range (1 to 8)' "$invalid"
	refused 'ca t ports=1 vendor=0x1000000' '1 20 9 out_of_range: ' "$invalid"
	refused 'ca t ports=1 guid=0' '1 18 1 out_of_range: ' "$invalid"
	refused 'cable s:3 h:2 speed=warp' '1 20 4 unknown_word: ' "$invalid"
	refused "ca t ports=1 desc=$(printf 'd%.0s' {1..65})" '1 18 65 bad_text: a text has at most 64 bytes' "$invalid"
	refused 'ca t ports=1 portguids=0x1,0x2' '1 23 7 many_guids: more GUIDs than ports (1)' "$invalid"
	refused 'ca t ports=1 desc=%4' '1 18 2 bad_text: ' "$invalid"
	refused 'switch h ports=4' '1 7 1 name_taken: ' 'File exists'
	refused 'switch t ports=4 guid=0x100' '1 22 5 guid_taken: ' 'File exists'
	refused 'remove t' '1 7 1 no_node: ' 'No such file or directory'
	refused 'cable s:3 t:1' '1 10 3 no_node: ' 'No such file or directory'
	refused 'pull c:2' '1 5 3 no_port: the node has no such port (1 to 1)' 'No such file or directory'
	refused 'pull s:3' '1 5 3 no_cable: ' 'No such file or directory'
	refused 'uncable h:2' '1 8 3 no_cable: ' 'No such file or directory'
	refused 'cable s:1 h:2' '1 6 3 has_cable: ' 'Device or resource busy'
	refused 'cable s:3 h:1' '1 10 3 has_cable: ' 'Device or resource busy'
	refused 'cable s:3 s:3' '1 10 3 same_port: ' "$invalid"
	refused 'cable s:3 netdev=a/b' '1 17 3 bad_netdev: ' "$invalid"
	refused 'cable s:3 silence=500' '1 10 11 alone: ' "$invalid"
	refused 'cable s:3 netdev=nothing' '1 17 7 no_netdev: ' 'No such device'
	refused 'cable s:3 netdev=lo' '1 17 2 not_ethernet: ' "$invalid"
	ip link add t0 type veth peer name t1
	refused 'hca n ports=2 netdev=t0' '1 6 7 ether_key: ' "$invalid"
	refused 'hca n netdev=nothing' '1 13 7 no_netdev: ' 'No such device'
	refused 'hca n netdev=lo' '1 13 2 not_ethernet: ' "$invalid"
	if said=$(ip link add link t0 name t0.7 type vlan id 7 2>&1); then
		refused 'hca n netdev=t0.7' '1 13 4 vlan: ' 'Operation not supported'
	elif [[ $said == *'Unknown device type'* ]]; then
		note "this kernel has no VLANs"
		SEEN+=' vlan'
	else
		fail "ip link add: $said"
	fi
	echo 'hca n netdev=t0' >"$CONFIG/commands"
	refused 'hca m netdev=t0' '1 13 2 ether_taken: ' 'Device or resource busy'
	echo 'remove n' >"$CONFIG/commands"
	# refused after the port was opened: the UDP port is free again, as the program below shows
	refused 'hca h netdev=t0' '1 4 1 name_taken: ' 'File exists'
	refused 'hca n netdev=t0 guid=0x100' '1 21 5 guid_taken: ' 'File exists'
	start taken.log python3 -c '
import signal, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4791))
print("bound", flush=True)
signal.pause()'
	wait_for 20 in_file taken.log bound
	refused 'hca n netdev=t0' '1 13 2 udp_port_taken: ' 'Address already in use'
	kill "$STARTED"
	wait_for 20 gone "$STARTED"
	echo 'cable s:3 netdev=t0' >"$CONFIG/commands"
	refused 'cable s:4 netdev=t0' '1 17 2 netdev_taken: ' 'Device or resource busy'
	echo 'uncable s:3' >"$CONFIG/commands"
	ip link del t0
	for kind in $(sed -n 's/^[[:space:]]*X([A-Z_]*, \([a-z_]*\), [E0][A-Z]*,.*/\1/p' "$HEADER"); do
		case $kind in
		too_many_hcas | too_many_nodes | too_many_netdevs | no_memory | no_device | long_line) ;;
		*) [[ " $SEEN " == *" $kind "* ]] || fail "no command was refused for $kind" ;;
		esac
	done
}

# The kernel refuses devices, of either kind of port: the command has its errno.
test_devices_that_the_kernel_refuses()
{
	local fails=/usr/local/lib/glass/fail_node.ko quota=122 # EDQUOT
	local said="1 4 1 no_device: the InfiniBand device cannot be made: the kernel refused with errno $quota"
	small
	ip link add t0 type veth peer name t1
	insmod $fails err=-$quota
	refused 'hca n ports=1' "$said" 'Disk quota exceeded'
	refused 'hca n netdev=t0' "$said" 'Disk quota exceeded'
	refuses rdma link add n type glass netdev t0
	assert_match "$REFUSAL" 'Disk quota exceeded' "what rdma says"
	echo -12 >/sys/module/fail_node/parameters/err # ENOMEM
	refused 'hca n ports=1' '1 4 1 no_memory: ' 'Cannot allocate memory'
	refused 'hca n netdev=t0' '1 4 1 no_memory: ' 'Cannot allocate memory'
	rmmod fail_node
	# nothing is left of them
	printf '%s\n' 'hca n netdev=t0' 'remove n' >"$CONFIG/commands"
	ip link del t0
}

# Lines before the wrong one are in force, those behind it are not. A write that is good has no error.
test_lines_before_an_error()
{
	small
	# in one write: bash writes each line by itself
	printf '%s\n' 'ca d ports=1' '# a comment' '' 'ca d ports=2' 'ca e ports=1' >lines
	refuses bash -c 'cat lines >"$1"' - "$CONFIG/commands"
	assert_match "$(<"$CONFIG/error")" '^4 3 1 name_taken: '
	assert_eq "$(table nodes name | grep -xE 'd|e')" d "nodes"
	echo 'ca e ports=1' >"$CONFIG/commands"
	assert_eq "$(<"$CONFIG/error")" '' "error after a good write"
	# without a newline at its end
	printf 'ca f ports=1' >"$CONFIG/commands"
	assert_eq "$(table nodes name | grep -xE 'd|e|f' | paste -sd' ')" 'd e f' nodes
}

# configfs takes 4,095 bytes of a write: cat writes the rest again, and no line is lost or cut.
test_writes_longer_than_4095_bytes()
{
	local i
	ibfabric clear
	for ((i = 1; i <= 254; i++)); do
		echo "ca adapter-$i ports=1 desc=Passive%20adapter%20number%20$i"
	done >long
	echo 'switch s ports=254' >>long
	for ((i = 1; i <= 254; i++)); do
		echo "cable s:$i adapter-$i:1 pulled=yes"
	done >>long
	(($(stat -c %s long) > 4 * 4095)) || fail "only $(stat -c %s long) bytes"
	cat long >"$CONFIG/commands"
	assert_eq "$(<"$CONFIG/error")" '' error
	assert_eq "$(table nodes name | wc -l)" 255 nodes
	assert_eq "$(table cables pulled | grep -c yes)" 254 cables
	# one line that is longer than all
	refuses bash -c 'printf "ca t ports=1 desc=%05000d\n" 0 >one; cat one >"$1"' - "$CONFIG/commands"
	assert_match "$REFUSAL" 'Argument list too long'
	assert_match "$(<"$CONFIG/error")" ' long_line: '
	if has_row t nodes name; then fail "a node of a line that is too long"; fi
	ibfabric clear
}

# 32, as many as libibumad opens
test_hcas_are_32_at_most()
{
	local i
	ibfabric clear
	for ((i = 0; i < 32; i++)); do echo "hca h$i ports=1"; done >"$CONFIG/commands"
	assert_eq "$(ls /sys/class/infiniband | wc -l)" 32 devices
	refused 'hca h32 ports=1' '1 4 3 too_many_hcas: there are 32 HCAs already' 'No space left on device'
	echo 'remove h7' >"$CONFIG/commands"
	echo 'hca h32 ports=1' >"$CONFIG/commands"
	[[ -e /sys/class/infiniband/h32 && ! -e /sys/class/infiniband/h7 ]] || fail "$(ls /sys/class/infiniband)"
	ibfabric clear
	assert_eq "$(ls /sys/class/infiniband)" '' "devices after clear"
}

test_only_root()
{
	assert_eq "$(stat -c %a "$CONFIG/commands")" 200 "mode of commands"
	refuses setpriv --reuid 65534 --clear-groups bash -c 'echo clear >"$1"' - "$CONFIG/commands"
	assert_match "$REFUSAL" 'Permission denied'
	refuses setpriv --reuid 65534 --clear-groups ibfabric clear
}

# The directory is the module's own, and nothing can be made in it.
test_directory_stays()
{
	refuses rmdir "$CONFIG"
	refuses mkdir "$CONFIG/x"
	[[ -e $CONFIG/commands ]] || fail "the directory is gone"
}

test_unload_with_the_module_in_use()
{
	small
	fabric_opensm
	start log traffic -a h -b h -n 0
	wait_for 20 in_file log running
	refuses modprobe -r glass
	assert_match "$REFUSAL" 'in use'
	kill -TERM "$STARTED"
	finish "$STARTED" log traffic
	stop_opensm
	# an open file of configfs holds it, too
	exec 3>"$CONFIG/commands"
	refuses modprobe -r glass
	exec 3>&-
	unload_glass
	[[ ! -e $CONFIG ]] || fail "$CONFIG is still there"
	load_glass
}
