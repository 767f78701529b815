# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 900
# long: perftest in all types, each size over each MTU, and by rdma_cm
# by hand: takes a quarter of an hour, and roce tests a part of it
# perftest between an Ethernet port and rxe: each is the server, once over IPv4 and once over IPv6.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=600

# The kernel would tell of perftest's crashes (try_between).
TOLD=$(</proc/sys/debug/exception-trace)

setup()
{
	echo 0 >/proc/sys/debug/exception-trace
	roce_up
}

cleanup()
{
	roce_down
	echo "$TOLD" >/proc/sys/debug/exception-trace
}

# mtu_of_interfaces BYTES MTU: both have this MTU, and the ports that of InfiniBand that fits into it
mtu_of_interfaces()
{
	ip link set here mtu "$1"
	ip -n there link set there mtu "$1"
	wait_for 20 mtu_is rxe0 "$2"
	wait_for 20 mtu_is glassr0 "$2"
}

mtu_is()
{
	ibv_devinfo -d "$1" | grep -q "active_mtu:[[:space:]]*$2 "
}

# sizes TOOL SIZE... -- OPTION...: connected by TCP, or as CONNECT (both_by_cm) does
sizes()
{
	local tool=$1 size
	local -a of=()
	shift
	while [[ $1 != -- ]]; do
		of+=("$1")
		shift
	done
	shift
	for size in "${of[@]}"; do
		"${CONNECT:-both}" "$tool" -s "$size" -n "$(times "$size")" "$@"
	done
}

# times SIZE: the number of messages
times()
{
	echo $(($1 > 100000 ? 10 : 50))
}

# sizes_by_cm ARGUMENT...: as sizes, also connected by rdma_cm, which has no UC
sizes_by_cm()
{
	CONNECT=both_by_cm sizes "$@"
	sizes "$@"
}

# both_by_cm TOOL OPTION...: as both, and the addresses by which the programs connect are those of the QPs
both_by_cm()
{
	between rxe $HERE4 $THERE4 "$@" -R
	CONNECT_HERE=$HERE6 CONNECT_THERE=$THERE6 between glass $HERE6 $THERE6 "$@" -R --ipv6-addr
}

# around MTU: sizes from 1 byte to 1 MiB, near a packet and a train
around()
{
	echo 1 $(($1 - 1)) "$1" $(($1 + 1)) 65537 1048576
}

rc()
{
	local tool
	mtu_of_interfaces "$1" "$2"
	GID_OPTION=-x
	# shellcheck disable=SC2046 # several words
	for tool in ib_{write,read,send}_bw; do
		sizes_by_cm "$tool" $(around "$2") --
	done
	for tool in ib_{write,read,send}_lat; do
		sizes_by_cm "$tool" 1 "$2" 65537 --
	done
	both ib_atomic_bw -n 50
	both ib_atomic_bw -A CMP_AND_SWAP -n 50
	both ib_atomic_lat -n 50
	both_by_cm ib_atomic_bw -n 50
}

uc()
{
	local tool
	mtu_of_interfaces "$1" "$2"
	GID_OPTION=-x
	# shellcheck disable=SC2046 # several words
	for tool in ib_{write,send}_bw; do
		sizes "$tool" $(around "$2") -- -c UC
	done
	sizes ib_write_lat 1 "$2" 65537 -- -c UC
	sizes ib_send_lat 1 "$2" 65537 -- -c UC
}

ud()
{
	mtu_of_interfaces "$1" "$2"
	GID_OPTION=-x
	sizes_by_cm ib_send_bw 1 $(($2 - 1)) "$2" -- -c UD
	sizes_by_cm ib_send_lat 1 "$2" -- -c UD
}

test_rc_1024() { rc 1500 1024; }
test_uc_1024() { uc 1500 1024; }
test_ud_1024() { ud 1500 1024; }
test_rc_2048() { rc 2200 2048; }
test_uc_2048() { uc 2200 2048; }
test_ud_2048() { ud 2200 2048; }
test_rc_4096() { rc 4200 4096; }
test_uc_4096() { uc 4200 4096; }
test_ud_4096() { ud 4200 4096; }
