# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 85
# long: lessons between two adapters, one after the other
# Mistakes of programs in addresses of Ethernet ports: lint tells them, and refuses nothing that the kernel takes.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=60

setup()
{
	roce_up
}

cleanup()
{
	roce_down
}

# lint KIND OWN_ADDRESS DGID: runs the program with lint; what it says is in `out`, findings in `err`
lint()
{
	in_ns there iblint --no-where -- python3 "$TESTS/programs/roce_lint.py" glassr0 "$(gid_of glassr0 "$2")" "$3" "$1" >out 2>err || :
	cat out err
}

test_good()
{
	lint good $THERE4 ::ffff:$HERE4
	in_file out accepted
	! in_file err ' \[GL0\(33\|34\) ' || fail "a finding in a good program"
	lint good $THERE6 $HERE6
	in_file out accepted
	! in_file err ' \[GL0\(33\|34\) ' || fail "a finding in a good program"
}

test_no_grh()
{
	lint no_grh $THERE4 ::ffff:$HERE4
	in_file out refused
	in_file err 'address without a GRH, which each address of an Ethernet port must have \[GL033 '
}

test_family()
{
	lint good $THERE4 $HERE6
	in_file out refused
	in_file err "one of that GID and the peer's is an IPv4 address, the other is not \[GL033 "
	lint good $THERE6 ::ffff:$HERE4
	in_file out refused
	in_file err "one of that GID and the peer's is an IPv4 address, the other is not \[GL033 "
}

test_mtu()
{
	lint mtu $THERE4 ::ffff:$HERE4
	in_file out accepted
	! in_file err ' \[GL034 ' || fail "a finding, though the interface has room"
	ip -n there link set there mtu 1500
	wait_for 20 active_mtu_is 1024
	lint mtu $THERE4 ::ffff:$HERE4
	in_file out accepted
	in_file err 'path_mtu of QP 0x[0-9a-f]* is 4096, but the network interface of the port has room for 1024 \[GL034 '
	ip -n there link set there mtu 4200
	wait_for 20 active_mtu_is 4096
}

# link_local DEVICE: the index of its first GID that is link-local
link_local()
{
	ibtop -b -n 1 -v gid -D "$1" -f 'address~fe80:*' -c index,gid | awk '$1 ~ /^[0-9]+$/ { print $1; exit }'
}

# lint_index KIND INDEX DGID: as lint(), by the index of the own GID
lint_index()
{
	in_ns there iblint --no-where -- python3 "$TESTS/programs/roce_lint.py" glassr0 "$2" "$3" "$1" >out 2>err || :
	cat out err
}

test_link_local()
{
	local own peer kind
	own=$(link_local glassr0)
	[[ $own ]] || fail "$(ibtop -b -n 1 -v gid -D glassr0)"
	peer=$(ip -6 -o addr show dev here scope link | sed 's|.* \(fe80:[^/]*\)/.*|\1|')
	for kind in good ah; do
		# to a node on the link, and from a link-local GID to a peer on the link
		lint_index "$kind" "$own" "$peer"
		in_file out accepted
		! in_file err GL033 || fail "a finding in a good program"
		lint_index "$kind" "$own" $HERE6
		in_file out accepted
		! in_file err GL033 || fail "a finding in a good program"
		# on another link there may be a node with this address, but not on this one
		lint_index "$kind" "$own" fe80::9:9
		in_file out refused
		in_file err "the peer's GID is link-local, and no node on the link of that GID has it \[GL033 "
	done
	# a peer behind a router
	ip -n there -6 route add fd00:9:5::/64 via $HERE6 dev there
	for kind in good ah; do
		lint_index "$kind" "$own" fd00:9:5::1
		in_file out accepted
		in_file err 'that GID is link-local, but the peer is behind a router, which does not forward such packets \[GL033 '
		lint $kind $THERE6 fd00:9:5::1
		in_file out accepted
		! in_file err GL033 || fail "a finding in a good program"
	done
	ip -n there -6 route del fd00:9:5::/64
}

# A GID of a VLAN for a peer that only the untagged interface reaches, and one of the port for a peer of another interface
test_other_netdev()
{
	local text='the network interface of that GID has no route to the peer, and another one has \[GL033 ' kind
	upper_link there vlan link there name there.7 type vlan id 7
	ip -n there addr add 10.9.7.2/24 dev there.7
	in_ns there bash -c 'echo 0 >/proc/sys/net/ipv6/conf/there.7/accept_dad'
	ip -n there addr add fd00:9:7::2/64 dev there.7 nodad
	ip -n there link set there.7 up
	wait_for 20 have_gids glassr0 10.9.7.2 fd00:9:7::2
	for kind in good ah; do
		lint $kind 10.9.7.2 ::ffff:$HERE4
		in_file out refused
		in_file err "$text"
		lint $kind $THERE4 ::ffff:10.9.7.1
		in_file out refused
		in_file err "$text"
		# nobody is there, but the interface is the right one
		lint $kind $THERE4 ::ffff:10.9.0.99
		in_file out refused
		! in_file err GL033 || fail "a finding for a peer that is not there"
	done
	# of IPv6, the kernel takes a route by the other interface; nobody answers there
	lint good fd00:9:7::2 fd00:9::99
	in_file out refused
	in_file err "$text"
	# both interfaces are in the peer's subnet: either will do
	ip -n there addr add 10.9.0.22/24 dev there.7
	wait_for 20 have_gids glassr0 10.9.0.22
	lint good 10.9.0.22 ::ffff:10.9.0.98
	in_file out refused
	! in_file err GL033 || fail "a finding, though the interface has a route"
	ip -n there link del there.7
}

# The lesson about addresses (tests/pitfalls), between two Ethernet ports in place of glass0 and glass1
test_lessons()
{
	local code=GL033
	second_wire
	lesson()
	{
		in_ns there env glass0=glassr1 glass1=glassr2 iblint --no-where -- "$1" >out 2>err
	}
	! lesson "${code}_bad" || fail "${code}_bad has ended well"
	cat err
	in_file err "\\[$code " || fail "no finding of $code"
	assert_eq "$(grep -oE '\[GL[0-9]+ ' err | sort -u)" "[$code " "findings of ${code}_bad"
	lesson "${code}_good" || fail "${code}_good: $(cat out err)"
	assert_eq "$(grep -oE '\[GL[0-9]+ ' err)" '' "findings of ${code}_good"
	second_wire_down
}

active_mtu_is()
{
	ibv_devinfo -d glassr0 | grep -q "active_mtu:[[:space:]]*$1 "
}
