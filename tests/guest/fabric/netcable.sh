# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 100
# long: all sorts of interfaces, and 32 cables
# Netdev cables: two fabrics in two network namespaces become one subnet, over all sorts of interfaces.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"
# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

LIMIT=200

setup()
{
	fresh_glass
}

cleanup()
{
	netcable_down
	fresh_glass
}

test_over_veth()
{
	veth_pair 4500
	two_fabrics
	join_by wire
	assert_eq "$(netdevs_of link_mtu link_vcrc trouble)" '4096 no none 4096 no none' "MTU, VCRC and trouble"
	assert_eq "$(netdevs_of peer peer_host)" "far:8 $(hostname) near:8 $(hostname)" "peers"
	one_subnet
	no_bad_frames
	assert_eq "$(netdevs_of lost tx_dropped rx_undelivered)" '0 0 0 0 0 0' "packets that were lost"
}

test_with_vcrc()
{
	veth_pair 2300
	two_fabrics
	netdev_cable near near:8 wire vcrc=yes
	netdev_cable far far:8 wire
	cables_up
	assert_eq "$(netdevs_of link_mtu link_vcrc)" '2048 yes 2048 yes' "MTU and VCRC"
	one_subnet
	no_bad_frames
}

# 1,500 bytes carry an MTU of 1,024, and 300 carry none
test_mtu_follows_the_interface()
{
	veth_pair 1500
	two_fabrics
	join_by wire
	assert_eq "$(netdevs_of link_mtu)" '1024 1024' "MTU of the link"
	one_subnet
	ip -n near link set wire mtu 300
	wait_for 20 has_row small_mtu netdevs trouble || fail "small_mtu is not told: $(cat "$FABRIC/netdevs")"
	wait_for 20 port_down near 8
	ip -n near link set wire mtu 4500
	ip -n far link set wire mtu 4500
	cables_up
	wait_for 20 has_row 'near:8 4096' netdevs a link_mtu
	one_subnet
}

# A queue of the interface that takes nothing: the packets are drops with a reason, at the port of the switch that has the cable.
test_interface_that_refuses()
{
	local status=0 n reason reach dev place rest
	veth_pair 4500
	two_fabrics
	join_by wire silence=60000
	one_subnet
	# a sweep now, which repeated traps may cause, would find one half only, and remove the routes to the other
	stop_opensm
	# IPoIB sends, too: what is dropped is dropped while the trace is on
	trace_on glass_pkt_drop
	tc -n near qdisc add dev wire root pfifo limit 0
	traffic -a glass0 -b glass2 -t 10 -r 1 -n 1 >traffic.log || status=$?
	# a frame with several packets: each packet is a drop
	next_port
	start server.log ib_write_bw -F -n 16 -s 64 -l 16 -u 10 -d glass2 -p "$TCP_PORT"
	wait_for 20 listening "$TCP_PORT"
	if ib_write_bw -F -n 16 -s 64 -l 16 -u 10 -d glass0 -p "$TCP_PORT" localhost >client.log 2>&1; then
		fail "ib_write_bw succeeded: $(<client.log)"
	fi
	kill "$STARTED" 2>/dev/null || true
	wait "$STARTED" || true
	tc -n near qdisc del dev wire root
	trace_off
	assert_eq "$status" 3 "status of traffic: $(<traffic.log)"
	assert_match "$(<traffic.log)" 'transport retry counter exceeded'
	IFS=$'\t' read -r reason reach dev place rest < <(grep -P '\tnetdev\t' "$TESTS/tables/drops.tsv")
	assert_eq "$reach" netdev "the row of the table of drops"
	assert_match "$(<trace)" "glass_pkt_drop dev=$dev .* reason=$reason place=$place"
	n=$(grep -c "dev=$dev .* reason=$reason " trace)
	assert_eq "$(awk -v reason="$reason" '$2 == reason { n += $3 } END { print n + 0 }' "$GLASS_DEBUGFS/$dev/drops")" "$n" "packets in drops"
	n=$(grep -c "reason=$reason " trace)
	assert_eq "$(table netdevs a tx_dropped | sed -n 's/^near:8 //p')" "$n" "tx_dropped"
	one_subnet
	no_bad_frames
}

# port_down NODE PORT
port_down()
{
	has_row "$1 $2 down" ports node port state
}

port_up()
{
	has_row "$1 $2 active" ports node port state
}

test_carrier_silence_and_restart()
{
	local ups
	veth_pair 4500
	two_fabrics
	join_by wire silence=1000
	one_subnet
	# the carrier goes: down at once, at both ends
	ip -n far link set wire down
	wait_for 5 port_down near 8
	wait_for 5 port_down far 8
	assert_eq "$(netdevs_of state)" 'no_carrier no_carrier'
	ip -n far link set wire up
	cables_up
	# frames do not pass, but the carrier stays: silence
	in_ns far tc qdisc add dev wire root netem loss 100%
	in_ns near tc qdisc add dev wire root netem loss 100%
	wait_for 10 port_down near 8
	wait_for 10 port_down far 8
	assert_eq "$(netdevs_of state)" 'silent silent'
	in_ns far tc qdisc del dev wire root
	in_ns near tc qdisc del dev wire root
	cables_up
	# one side is made anew: the other takes it back
	ups=$(table netdevs a ups | awk '$1 == "near:8" { print $2 }')
	echo 'uncable far:8' >"$CONFIG/commands"
	wait_for 10 port_down near 8
	netdev_cable far far:8 wire silence=1000
	cables_up
	wait_for 60 port_up near 8
	(($(table netdevs a ups | awk '$1 == "near:8" { print $2 }') > ups)) || fail "the cable at near:8 did not come up anew"
	# a port that is disabled, or a cable that is pulled: down at both ends, and up again
	echo 'pull far:8' >"$CONFIG/commands"
	wait_for 10 port_down near 8
	wait_for 10 has_row 'near:8 peer_down' netdevs a trouble
	echo 'plug far:8' >"$CONFIG/commands"
	cables_up
	one_subnet
	# what was on its way when a session ended came when there was none, or the next one
	no_bad_frames bad_untrained bad_session
}

test_32_cables_of_a_switch()
{
	local n
	local -a commands=()
	netcable_down
	ip netns add near
	ip netns add far
	two_fabrics 40
	for n in {1..32}; do
		ip link add "w$n" mtu 4500 netns near type veth peer name "w$n" mtu 4500 netns far
		ip -n near link set "w$n" up
		ip -n far link set "w$n" up
		netdev_cable near "near:$((n + 8))" "w$n"
		netdev_cable far "far:$((n + 8))" "w$n"
	done
	cables_up
	assert_eq "$(table netdevs a | wc -l)" 64 "cables"
	fabric_opensm
	wait_for 60 all_active
	for n in {9..40}; do
		commands+=("$(has_row "near $n active" ports node port state && echo up)")
	done
	assert_eq "${commands[*]}" "$(printf 'up %.0s' {1..32} | sed 's/ $//')" "ports of the switch"
	one_subnet
	no_bad_frames
}

# tunnel_up ADDRESS_OF_NEAR ADDRESS_OF_FAR PREFIX: WireGuard between the namespaces over the veth pair, and a VXLAN on it
tunnel_up()
{
	local ns other key
	local -A ends=([near]=$1 [far]=$2)
	for ns in near far; do
		(umask 077 && wg genkey >"$ns.key")
		wg pubkey <"$ns.key" >"$ns.pub"
	done
	ip -n near addr add "$1/$3" dev wire nodad
	ip -n far addr add "$2/$3" dev wire nodad
	for ns in near far; do
		[[ $ns == near ]] && other=far || other=near
		ip -n "$ns" link add wg0 type wireguard
		key=$(<"$other.pub")
		in_ns "$ns" wg set wg0 private-key "$ns.key" listen-port 51820 peer "$key" \
			allowed-ips 10.9.0.0/24 endpoint "$(tunnel_end "${ends[$other]}")"
	done
	ip -n near addr add 10.9.0.1/24 dev wg0
	ip -n far addr add 10.9.0.2/24 dev wg0
	for ns in near far; do
		ip -n "$ns" link set wg0 mtu 4400 up
	done
	ip -n near link add tunnel mtu 4300 type vxlan id 7 local 10.9.0.1 remote 10.9.0.2 dstport 4789
	ip -n far link add tunnel mtu 4300 type vxlan id 7 local 10.9.0.2 remote 10.9.0.1 dstport 4789
	ip -n near link set tunnel up
	ip -n far link set tunnel up
	wait_for 20 in_ns near ping -c 1 -W 2 10.9.0.2
}

# tunnel_end ADDRESS: as wg wants it
tunnel_end()
{
	[[ $1 == *:* ]] && echo "[$1]:51820" || echo "$1:51820"
}

test_over_vxlan_in_wireguard_ipv4()
{
	modinfo wireguard >/dev/null 2>&1 || skip "this kernel has no WireGuard"
	veth_pair 4600
	two_fabrics
	tunnel_up 192.0.2.1 192.0.2.2 24
	join_by tunnel
	assert_eq "$(netdevs_of link_mtu)" '4096 4096' "MTU of the link"
	one_subnet
	no_bad_frames
}

test_over_vxlan_in_wireguard_ipv6()
{
	modinfo wireguard >/dev/null 2>&1 || skip "this kernel has no WireGuard"
	veth_pair 4600
	two_fabrics
	tunnel_up 2001:db8::1 2001:db8::2 64
	join_by tunnel
	one_subnet
	no_bad_frames
}

test_over_macsec()
{
	local key=0123456789abcdef0123456789abcdef near far
	modinfo macsec >/dev/null 2>&1 || skip "this kernel has no MACsec"
	veth_pair 4600
	two_fabrics
	near=$(ip -n near -j link show wire | jq -r '.[0].address')
	far=$(ip -n far -j link show wire | jq -r '.[0].address')
	ip -n near link add link wire secure type macsec encrypt on
	ip -n far link add link wire secure type macsec encrypt on
	ip -n near macsec add secure tx sa 0 pn 1 on key 00 "$key"
	ip -n far macsec add secure tx sa 0 pn 1 on key 00 "$key"
	ip -n near macsec add secure rx port 1 address "$far"
	ip -n near macsec add secure rx port 1 address "$far" sa 0 pn 1 on key 00 "$key"
	ip -n far macsec add secure rx port 1 address "$near"
	ip -n far macsec add secure rx port 1 address "$near" sa 0 pn 1 on key 00 "$key"
	ip -n near link set secure up
	ip -n far link set secure up
	join_by secure
	one_subnet
	no_bad_frames
}

# connected NAMESPACE INTERFACE: its IPoIB is in connected mode. ipoib_set_mode() sets it without the RTNL lock, and says EBUSY if
# another has the lock afterwards.
connected()
{
	ip -n "$1" link set "$2" type ipoib mode connected
}

# 1,500 bytes, and so an MTU of 1,024: IPoIB's group must have it, as docs/hosts.md says
test_ipoib_over_1500()
{
	local near far
	veth_pair 1500
	two_fabrics
	join_by wire
	# shellcheck disable=SC2016 # it is no command
	sed -n 's/.*`\(Default=0x7fff.*;\)`.*/\1/p' "${TESTS%/*}/docs/hosts.md" >partitions.conf
	[[ -s partitions.conf ]] || fail "docs/hosts.md has no line for partitions.conf"
	fabric_opensm -P "$PWD/partitions.conf"
	wait_for 60 all_active
	modprobe ib_ipoib
	udevadm settle --timeout=30
	near=$(basename /sys/class/infiniband/glass0/device/net/*)
	far=$(basename /sys/class/infiniband/glass2/device/net/*)
	ip link set "$near" netns near
	ip link set "$far" netns far
	ip -n near addr add 10.8.0.1/24 dev "$near"
	ip -n far addr add 10.8.0.2/24 dev "$far"
	ip -n near link set "$near" up
	ip -n far link set "$far" up
	wait_for 40 in_ns near ping -c 1 -W 2 10.8.0.2
	in_ns near ping -c 50 -i 0.02 -s 900 -q 10.8.0.2
	# connected mode has messages of 64 KiB
	wait_for 20 connected near "$near"
	wait_for 20 connected far "$far"
	in_ns near ping -c 20 -i 0.05 -s 40000 -q 10.8.0.2
	stop_opensm
}
