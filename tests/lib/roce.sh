# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites with Ethernet ports: rxe0 is in the first network namespace, glassr0 in the namespace "there", and a veth pair joins the two.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

# For perftest: without it, a program fails when it cannot measure its clock, which happens on a busy host ("Can't produce a report").
ANY_CLOCK=-F

# of rxe0 and of glassr0
HERE4=10.9.0.1 THERE4=10.9.0.2 HERE6=fd00:9::1 THERE6=fd00:9::2

roce_up()
{
	fresh_glass
	modprobe rdma_rxe
	wire_up
	rdma link add rxe0 type rxe netdev here
	in_ns there rdma link add glassr0 type glass netdev there
	wait_for 20 have_gids rxe0 $HERE4 $HERE6
	wait_for 20 have_gids glassr0 $THERE4 $THERE6
}

# A test that failed may have left only some of them. The rest must go all the same: rdma_rxe would keep the UDP port of the first
# namespace, which later suites in this guest need.
roce_down()
{
	no_links rxe0 glassr0
	# a namespace that was deleted takes the pair with it, some time later
	ip link del here 2>/dev/null || wait_for 20 test ! -e /sys/class/net/here
	no_netns there
	modprobe -r rdma_rxe
	fresh_glass
}

# no_links DEVICE...: removes those that are there, or waits until the end of a namespace has
no_links()
{
	local device
	for device in "$@"; do
		rdma link del "$device" 2>/dev/null || wait_for 20 test ! -e "/sys/class/infiniband/$device"
	done
}

# no_netns NAME: removes it, if it is there
no_netns()
{
	[[ ! -e /run/netns/$1 ]] || ip netns del "$1"
}

wire_up()
{
	ip netns add there
	ip link add here mtu 4200 type veth peer name there mtu 4200 netns there
	ip -n there link set lo up
	echo 0 >/proc/sys/net/ipv6/conf/here/accept_dad
	in_ns there bash -c 'echo 0 >/proc/sys/net/ipv6/conf/there/accept_dad'
	ip addr add $HERE4/24 dev here
	ip addr add $HERE6/64 dev here nodad
	ip -n there addr add $THERE4/24 dev there
	ip -n there addr add $THERE6/64 dev there nodad
	ip link set here up
	ip -n there link set there up
}

# upper_link NETNS TYPE ARGUMENT...: makes an interface of this type (vlan, bond ...), if the kernel has such; else the test is skipped
upper_link()
{
	local said
	said=$(ip -n "$1" link add "${@:3}" 2>&1) || {
		[[ $said != *'Unknown device type'* ]] || skip "this kernel has no interfaces of type $2"
		fail "ip link add ${*:3}: $said"
	}
}

# have_gids DEVICE ADDRESS...
have_gids()
{
	local address
	for address in "${@:2}"; do
		gid_of "$1" "$address" || return 1
	done
}

# gid_of DEVICE ADDRESS: the index of this address among its RoCE v2 GIDs. The addresses are 10.9.M.N and fd00:9:M::N or fd00:9::N.
gid_of()
{
	local port=/sys/class/infiniband/$1/ports/1 want i
	if [[ $2 =~ ^10\.9\.([0-9]+)\.([0-9]+)$ ]]; then
		printf -v want '0000:0000:0000:0000:0000:ffff:0a09:%02x%02x' "${BASH_REMATCH[@]:1}"
	elif [[ $2 =~ ^fd00:9:([0-9]*):+([0-9]+)$ ]]; then
		printf -v want 'fd00:0009:%04x:0000:0000:0000:0000:%04x' "0x0${BASH_REMATCH[1]}" "0x${BASH_REMATCH[2]}"
	fi
	for i in {0..15}; do
		[[ $(<"$port/gids/$i") != "$want" || $(<"$port/gid_attrs/types/$i") != *v2* ]] || {
			echo "$i"
			return 0
		}
	done 2>/dev/null
	return 1
}

# ether COLUMN...: of the only Ethernet port; without columns, the whole row
# shellcheck disable=SC2120
ether()
{
	table ethernet "$@"
}

# port_count DEVICE COLUMN: of one Ethernet port of several
port_count()
{
	awk -v dev="$1" -v column="$2" '/^#/ { for (i = 1; i <= NF; i++) if ($i == column) at = i - 4; next } $1 == dev { print $at }' \
		"$FABRIC/ethernet"
}

# between WHO ADDRESS_HERE ADDRESS_THERE TOOL OPTION...: WHO (rxe or glass) is the server. The QPs have these addresses; the programs
# exchange them by TCP over IPv4, or connect to CONNECT_HERE or CONNECT_THERE. GID_OPTION is the option, -g or -x, that takes the index
# of the GID.
between()
{
	local i
	for ((i = 0; i < 5; i++)); do
		try_between "$@"
		((REJECTED)) || return 0
	done
	fail "perftest was rejected $i times"
}

# try_between ...: as between; REJECTED is 1 if perftest lost a race of its own. perftest with -R listens anew after both ends have
# exchanged their parameters. A client that is quicker is rejected, or, with UD, gets a SIDR REP with the status "unsupported" (1); then
# perftest 25.01 uses what it has freed, and may crash.
try_between()
{
	local who=$1 here=$2 there=$3 pid status=0 port
	shift 3
	REJECTED=0
	[[ $1 != ib_* ]] || set -- "$1" $ANY_CLOCK "${@:2}"
	next_port
	port=$TCP_PORT
	local -a rxe=("$@" -d rxe0 -p "$port" "$GID_OPTION" "$(gid_of rxe0 "$here")")
	local -a glass=(in_ns there timeout $((60 * SLOWER)) "$@" -d glassr0 -p "$port" "$GID_OPTION" "$(gid_of glassr0 "$there")")
	echo "+ $* ($who is the server, $here, $there)"
	if [[ $who == rxe ]]; then
		start server.log "${rxe[@]}"
		pid=$STARTED
		wait_for 20 listening_or_gone "$port" "$pid" "$1"
		"${glass[@]}" "${CONNECT_HERE:-$HERE4}" >client.log 2>&1 || status=$?
	else
		start server.log "${glass[@]}"
		pid=$STARTED
		wait_for 20 listening_there "$port" "$pid" "$1"
		timeout $((60 * SLOWER)) "${rxe[@]}" "${CONNECT_THERE:-$THERE4}" >client.log 2>&1 || status=$?
	fi
	if ((status)) && [[ " $* " == *' -R '* ]] && grep -qE 'RDMA_CM_EVENT_(REJECTED; error: 8|UNREACHABLE; error: 1)\.?$' client.log; then
		# also in the namespace, below other programs
		pkill -KILL -x "$1" || :
		wait "$pid" 2>/dev/null || :
		REJECTED=1
		return
	fi
	((status == 0)) || {
		cat client.log server.log
		ether >&2
		fail "client of '$*' ended with status $status"
	}
	finish "$pid" server.log "server of '$*'"
}

# listening_or_gone PORT PID TOOL: by TCP, or, with -R, by rdma_cm
listening_or_gone()
{
	listening "$1" || cm_listens "${3:-}" rxe0 || gone "$2"
}

listening_there()
{
	[[ -n $(in_ns there ss -Hltn "sport = :$1") ]] || cm_listens "${3:-}" glassr0 || gone "$2"
}

# cm_listens TOOL [DEVICE]: who listens at each address does so at one device after the other
cm_listens()
{
	[[ $1 ]] && rdma resource show cm_id | grep -q "^link ${2:-[^/]*}/.* state LISTEN.* comm $1"
}

# both TOOL OPTION...: each is the server once, once over IPv4 and once over IPv6
both()
{
	between rxe $HERE4 $THERE4 "$@"
	between glass $HERE6 $THERE6 "$@"
}

# second_wire: glassr1 in "there" and glassr2 in "beyond", joined by another veth
second_wire()
{
	ip netns add beyond
	ip link add left mtu 4200 netns there type veth peer name right mtu 4200 netns beyond
	in_ns there bash -c 'echo 0 >/proc/sys/net/ipv6/conf/left/accept_dad'
	in_ns beyond bash -c 'echo 0 >/proc/sys/net/ipv6/conf/right/accept_dad'
	ip -n there addr add 10.9.1.1/24 dev left
	ip -n there addr add fd00:9:1::1/64 dev left nodad
	ip -n beyond addr add 10.9.1.2/24 dev right
	ip -n beyond addr add fd00:9:1::2/64 dev right nodad
	ip -n there link set left up
	ip -n beyond link set right up
	in_ns there rdma link add glassr1 type glass netdev left
	in_ns beyond rdma link add glassr2 type glass netdev right
	wait_for 20 have_gids glassr1 10.9.1.1 fd00:9:1::1
	wait_for 20 have_gids glassr2 10.9.1.2 fd00:9:1::2
}

second_wire_down()
{
	no_links glassr1 glassr2
	no_netns beyond
}

# with_gids A ADDRESS B ADDRESS: the options of programs with both ends, in OPTIONS
with_gids()
{
	OPTIONS=(--a "$1" --b "$3" --a-gid "$(gid_of "$1" "$2")" --b-gid "$(gid_of "$3" "$4")")
}
