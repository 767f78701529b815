# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# long: each first cause several times
# takes 300
# First causes between two Ethernet ports of this host, provoked with different seeds, over IPv4 and IPv6 by turns: ibwhy must name each.
# roce-why has the causes of the network opposite rxe.

# shellcheck source=tests/lib/why.sh
. "$TESTS/lib/why.sh"
# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=240
TIMES=$(word_of_boot why_times 6)

setup()
{
	fresh_glass
	ip netns add there
	second_wire
	progress "the first seed is $(why_base); --append why_seed=N repeats a run"
}

cleanup()
{
	second_wire_down
	no_netns there
	fresh_glass
}

# index_of FAMILY: the GIDs of both ports, which have the same index
index_of()
{
	local -a addresses=(10.9.1.1 10.9.1.2)
	(($1 == 4)) || addresses=(fd00:9:1::1 fd00:9:1::2)
	local a b
	a=$(gid_of glassr1 "${addresses[0]}")
	b=$(gid_of glassr2 "${addresses[1]}")
	((a == b)) || fail "GIDs of IPv$1: index $a at glassr1, $b at glassr2"
	echo "$a"
}

# over_ethernet CAUSE OPTION...: TIMES seeds. MENDS, if any, is run after each.
over_ethernet()
{
	local cause=$1 i base family
	shift
	base=$(why_base)
	begin_verdicts
	for ((i = 0; i < TIMES; i++)); do
		family=$((i % 2 ? 6 : 4))
		[[ ! ${FAMILY:-} ]] || family=$FAMILY
		provoke "$cause" $((base + i)) --devices glassr1,glassr2 --gid "$(index_of "$family")" "$@"
		[[ ! ${MENDS:-} ]] || "$MENDS"
	done
	judge "$WHY_OPEN"
	progress "seeds $base to $((base + TIMES - 1)): $(paste -sd, judged | sed 's/,/, /g')"
}

test_peer_reset() { over_ethernet peer_reset; }
test_peer_err() { over_ethernet peer_err; }
test_peer_gone() { over_ethernet peer_gone; }
test_peer_exited() { over_ethernet peer_exited; }
test_peer_killed() { over_ethernet peer_killed; }
test_peer_stopped() { over_ethernet peer_stopped; }
test_psn_mismatch() { over_ethernet psn_mismatch; }
test_mtu_mismatch() { over_ethernet mtu_mismatch; }
test_key_stale() { over_ethernet key_stale; }
test_key_unknown() { over_ethernet key_unknown; }
test_key_other_pd() { over_ethernet key_other_pd; }
test_key_bounds() { over_ethernet key_bounds; }
test_key_access() { over_ethernet key_access; }
test_qp_access() { over_ethernet qp_access; }
test_misaligned() { over_ethernet misaligned; }
test_lkey_stale() { over_ethernet lkey_stale; }
test_lkey_bounds() { over_ethernet lkey_bounds; }
test_no_recv() { over_ethernet no_recv; }
test_recv_short() { over_ethernet recv_short; }
test_cq_overrun() { over_ethernet cq_overrun; }
test_read_depth() { over_ethernet read_depth; }
test_modify_err() { over_ethernet modify_err; }
test_bad_request() { over_ethernet bad_request; }

# ---- causes of the network, made by a command while the program runs

# by_network CAUSE SAYS COMMAND MENDS: the shell of COMMAND has NS and IF, the namespace and interface of A, and MINE and HIS, the
# addresses of A and B
by_network()
{
	local cause=$1 says=$2 command=$3
	MENDS=$4
	cat >at_a <<'END'
case $A_DEV in
glassr1) NS=there IF=left ME=1 HE=2 ;;
*) NS=beyond IF=right ME=2 HE=1 ;;
esac
END
	printf '%s\n' "MINE=$5\$ME HIS=$5\$HE" "$command" >>at_a
	over_ethernet outside --alone --cause "$cause" --says "$says" --run 'bash -eu ./at_a'
}

addresses_back()
{
	ip -n there addr replace 10.9.1.1/24 dev left
	ip -n beyond addr replace 10.9.1.2/24 dev right
	ip -n there addr replace fd00:9:1::1/64 dev left nodad
	ip -n beyond addr replace fd00:9:1::2/64 dev right nodad
	wait_for 20 have_gids glassr1 10.9.1.1 fd00:9:1::1
	wait_for 20 have_gids glassr2 10.9.1.2 fd00:9:1::2
}

links_back()
{
	ip -n there link set left up
	ip -n beyond link set right up
	wait_for 20 port_state_is glassr1/1 ACTIVE
	wait_for 20 port_state_is glassr2/1 ACTIVE
	addresses_back
}

route_back()
{
	ip -n there route replace fd00:9:1::/64 dev left
	ip -n beyond route replace fd00:9:1::/64 dev right
}

# shellcheck disable=SC2016 # they expand in the shell that runs them
test_gid_gone_4()
{
	FAMILY=4
	by_network gid_gone 'has no longer the GID' 'ip -n $NS addr del $MINE/24 dev $IF' addresses_back 10.9.1.
}

# shellcheck disable=SC2016
test_gid_gone_6()
{
	FAMILY=6
	by_network gid_gone 'has no longer the GID' 'ip -n $NS addr del $MINE/64 dev $IF' addresses_back fd00:9:1::
}

# shellcheck disable=SC2016
test_no_ip_route()
{
	FAMILY=6
	by_network no_ip_route 'The kernel has no route to' 'while ip -n $NS route del fd00:9:1::/64 dev $IF 2>/dev/null; do :; done' route_back fd00:9:1::
}

# shellcheck disable=SC2016
test_netdev_gone()
{
	FAMILY=4
	by_network netdev_gone 'its network interface is down' 'ip -n $NS link set $IF down' links_back 10.9.1.
}

# ---- other namespaces with the same addresses, as containers have

others_up()
{
	ip netns add there2
	ip netns add beyond2
	ip link add left mtu 4200 netns there2 type veth peer name right mtu 4200 netns beyond2
	ip -n there2 addr add 10.9.1.1/24 dev left
	ip -n beyond2 addr add 10.9.1.2/24 dev right
	ip -n there2 link set left up
	ip -n beyond2 link set right up
	in_ns there2 rdma link add glassr3 type glass netdev left
	in_ns beyond2 rdma link add glassr4 type glass netdev right
	wait_for 20 have_gids glassr3 10.9.1.1
	wait_for 20 have_gids glassr4 10.9.1.2
}

# no_left: the namespace beyond was deleted, and some time later takes this end of its pair with it
no_left()
{
	! ip -n there link show left >/dev/null 2>&1
}

# The QPs there have the numbers of those that fail here: ibwhy must not take them for the peers.
test_same_addresses()
{
	local i pid
	local -a strangers=()
	others_up
	with_gids glassr3 10.9.1.1 glassr4 10.9.1.2
	for i in {1..12}; do
		start "stranger$i.log" traffic "${OPTIONS[@]}" -s 64
		strangers+=("$STARTED")
		wait_for 20 in_file "stranger$i.log" '^running'
		kill -STOP "$STARTED"
	done
	# new QPs here begin where those there did
	second_wire_down
	wait_for 20 no_left
	second_wire
	FAMILY=4 WHY_OPEN=all
	over_ethernet peer_gone --alone --two
	! grep 'glassr[34]' "$GLASS_DEBUGFS/failures" verdicts || fail "a stranger was taken for the peer"
	for pid in "${strangers[@]}"; do
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null || :
	done
	no_links glassr3 glassr4
	no_netns there2
	no_netns beyond2
}
