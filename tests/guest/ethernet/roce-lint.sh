# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 30
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

active_mtu_is()
{
	ibv_devinfo -d glassr0 | grep -q "active_mtu:[[:space:]]*$1 "
}
