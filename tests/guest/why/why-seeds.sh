# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# long: each first cause twenty times
# takes 900
# Each first cause is provoked twenty times with different seeds, and ibwhy must name it: with all records always; without some of
# them it may say that it does not know, but it may never name another one.

# shellcheck source=tests/lib/why.sh
. "$TESTS/lib/why.sh"
# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

LIMIT=240
TIMES=$(word_of_boot why_times 20)

setup()
{
	start_opensm
	progress "the first seed is $(why_base); --append why_seed=N repeats a run"
}

cleanup()
{
	netcable_down
	fresh_glass
}

whole()
{
	seeds "$TIMES" "$WHY_OPEN" "$@"
}

test_peer_reset() { whole peer_reset; }
test_peer_init() { whole peer_init; }
test_peer_err() { whole peer_err; }
test_peer_gone() { whole peer_gone; }
test_peer_exited() { whole peer_exited; }
test_peer_killed() { whole peer_killed; }
test_peer_stopped() { whole peer_stopped; }
test_wrong_qpn() { whole wrong_qpn; }
test_wrong_lid() { whole wrong_lid; }
test_wrong_gid() { whole wrong_gid; }
test_wrong_pkey() { whole wrong_pkey; }
test_psn_mismatch() { whole psn_mismatch; }
test_mtu_mismatch() { whole mtu_mismatch; }
test_key_stale() { whole key_stale; }
test_key_unknown() { whole key_unknown; }
test_key_other_pd() { whole key_other_pd; }
test_key_bounds() { whole key_bounds; }
test_key_access() { whole key_access; }
test_qp_access() { whole qp_access; }
test_misaligned() { whole misaligned; }
test_lkey_stale() { whole lkey_stale; }
test_lkey_unknown() { whole lkey_unknown; }
test_lkey_other_pd() { whole lkey_other_pd; }
test_lkey_bounds() { whole lkey_bounds; }
test_lkey_access() { whole lkey_access; }
test_no_recv() { whole no_recv; }
test_recv_short() { whole recv_short; }
test_cq_overrun() { whole cq_overrun; }
test_read_depth() { whole read_depth; }
test_modify_err() { whole modify_err; }
test_bad_request() { whole bad_request; }
test_bad_bind() { whole bad_bind; }

# ---- causes from outside, made by commands while the program runs

SEND=()
# by_rule CAUSE SIDE KEYS...: a rule on the QP of side A or B, named by its seed; its verdict must name the rule
by_rule()
{
	local cause=$1 side=$2
	shift 2
	# shellcheck disable=SC2016 # the shell of first_causes expands them
	seeds "$TIMES" "$WHY_OPEN" outside "${SEND[@]}" --cause "$cause" --says 'rule fc' \
		--run 'cd '"$GLASS_DEBUGFS"'/$'"$side"'_DEV/inject; echo clear >rules; echo "add name=fc '"$*"' qpn=$'"$side"'_QPN" >rules'
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
	echo clear >"$GLASS_DEBUGFS/glass1/inject/rules"
}

test_injected_drop_of_requests() { by_rule injected A act=drop dir=tx; }
test_injected_drop_at_the_peer() { by_rule injected B act=drop dir=rx; }
test_injected_drop_of_answers() { by_rule injected B act=drop dir=tx; }
test_injected_nak() { by_rule injected A act=nak code=rem_access dir=tx; }
test_injected_rnr() { SEND=(--send); by_rule injected B act=rnr timer=1 dir=rx; }
test_injected_qp_fatal() { by_rule injected A act=qp_fatal; }
test_injected_completion() { by_rule injected A act=cqe_error status=loc_prot_err; }
# a request without payload would not be corrupted
test_injected_corruption() { SEND=(--send); by_rule injected A act=corrupt dir=tx; }
test_injected_corruption_of_headers() { by_rule injected A act=corrupt what=header dir=tx; }
test_timeout_short_for_requests() { by_rule timeout_short A act=delay time=3s dir=tx; }
test_timeout_short_for_answers() { by_rule timeout_short B act=delay time=3s dir=tx; }

# whole_fabric: that of the module, whatever a test before left
whole_fabric()
{
	GLASS_PORTS=(glass0/1 glass0/2 glass1/1 glass1/2)
	fresh_glass
	start_opensm
}

# ports_of_switch: PORT_DEV is the port of the switch to which each adapter is connected
ports_of_switch()
{
	local n
	for n in 0 1; do
		export "PORT_glass$n=$(peer_of "glass$n:1")"
	done
	SWITCH_LID=$(lid_of switch0)
	export SWITCH_LID
}

# by_fabric CAUSE COMMAND UNDO: COMMAND takes the way from A to B away, and UNDO gives it back; both get the port of the switch
# at B in AT. The verdict must name that port.
by_fabric()
{
	local cause=$1 do=$2 undo=$3 i base
	whole_fabric
	ports_of_switch
	base=$(why_base)
	begin_verdicts
	for ((i = 0; i < TIMES; i++)); do
		# shellcheck disable=SC2016
		provoke outside $((base + i)) --alone --cause "$cause" --says switch0: \
			--run 'eval AT=\$PORT_$B_DEV; export AT; echo "AT=$AT A_DEV=$A_DEV B_DEV=$B_DEV; export AT A_DEV B_DEV" >at; '"$do"
		# shellcheck source=/dev/null
		. ./at
		eval "$undo"
		wait_for 60 ports_active
	done
	judge "$WHY_OPEN"
	progress "seeds $base to $((base + i - 1)): $(paste -sd, judged | sed 's/,/, /g')"
}

LIMIT_test_cable_cut=600
# shellcheck disable=SC2016 # they expand in the shells that run them
test_cable_cut() { by_fabric cable_cut 'ibfabric cut $AT' 'ibfabric plug $AT'; }

# by the subnet management of the port at the switch
LIMIT_test_port_down=600
# shellcheck disable=SC2016
test_port_down()
{
	by_fabric port_down 'ibportstate -C $A_DEV -P 1 $SWITCH_LID ${AT#*:} disable >/dev/null' \
		'ibportstate -C "$A_DEV" -P 1 $SWITCH_LID ${AT#*:} enable >/dev/null'
}

# The table of the switch loses the LID of B. OpenSM, which would write it anew, does not sweep meanwhile.
LIMIT_test_no_route=600
# shellcheck disable=SC2016
test_no_route()
{
	by_fabric no_route 'fabric_check lft $A_DEV:1 $SWITCH_LID $(($(cat /sys/class/infiniband/$B_DEV/ports/1/lid))) 255 >&2' \
		'fabric_check lft "$A_DEV:1" $SWITCH_LID $(($(cat /sys/class/infiniband/$B_DEV/ports/1/lid))) ${AT#*:}'
}

# The subnet manager is gone, and a cable that was pulled is plugged in again: the port stays in INIT.
LIMIT_test_sm_gone=1200
# shellcheck disable=SC2016
test_sm_gone()
{
	OPENSM=$STATE/opensm.pid
	export OPENSM
	by_fabric sm_gone 'kill -KILL $(cat $OPENSM); ibfabric cut $AT; ibfabric plug $AT' 'stop_opensm; start_opensm'
}

# ---- three switches in a row, and a subnet manager that takes routes away before the request is posted

# in_a_row: row0 has glass0, row2 has glass1
in_a_row()
{
	load_fabric <<-END_OF_COMMANDS
		switch row0 ports=4
		switch row1 ports=4
		switch row2 ports=4
		hca glass0 ports=1
		hca glass1 ports=1
		cable row0:1 glass0:1
		cable row2:1 glass1:1
		cable row0:2 row1:1
		cable row1:2 row2:2
	END_OF_COMMANDS
	fabric_opensm
	wait_for 60 all_routed
}

# lost A B: the subnet manager, at glass0, has no way behind the cut any more: the FIRST switch of packets from there has no route. It
# cannot change the switches on the other side of the cut.
FIRST=row0
lost()
{
	local end
	end=$(ibfabric trace "$1" "$2" --json 2>/dev/null | jq -r '.[0] | "\(.reason) \(.dropped_at)"')
	[[ $1 == glass0 && $end == "no_route $FIRST" || $1 != glass0 && $end == "port_down "* ]]
}

# set_route A B PORT: the first switch of packets from A to B sends them to its port; 255: nowhere
set_route()
{
	local first=row0
	[[ $1 == glass0 ]] || first=row2
	fabric_check lft "$1:1" "$(lid_of "$first")" "$(lid_of "$2")" "$3" >&2
}

lost_by_table()
{
	[[ $(ibfabric trace "$1" "$2" --json 2>/dev/null | jq -r '.[0].reason') == no_route ]]
}

# routes_lost CAUSE SAYS COMMAND UNDO [lost_by_table]: COMMAND takes the way away, and the first switch loses its route
routes_lost()
{
	local cause=$1 says=$2 do=$3 undo=$4 until=${5:-lost} i base
	in_a_row
	base=$(why_base)
	{
		declare -p STATE FABRIC FIRST
		declare -f wait_for table has_row lid_of lost set_route lost_by_table
		# shellcheck disable=SC2016 # it expands in the shell that runs it
		echo "$do"'; echo "A_DEV=$A_DEV B_DEV=$B_DEV" >at; wait_for 60 '"$until"' "$A_DEV" "$B_DEV"'
	} >loses
	begin_verdicts
	for ((i = 0; i < TIMES; i++)); do
		provoke outside $((base + i)) --alone --cause "$cause" --says "$says" --run 'bash -eu ./loses'
		# shellcheck source=/dev/null
		. ./at
		eval "$undo"
		wait_for 60 links_active
		wait_for 60 all_routed
	done
	judge "$WHY_OPEN"
	grep -q 'routes: node=row[02]' verdicts || fail "no verdict rests on a lost route"
	progress "seeds $base to $((base + i - 1)): $(paste -sd, judged | sed 's/,/, /g')"
	whole_fabric
}

# One of the two ends of the cable is told
LIMIT_test_route_lost_by_a_cut=600
test_route_lost_by_a_cut() { routes_lost cable_cut 'row1:1|row0:2' 'ibfabric cut row0:2' 'ibfabric plug row0:2'; }

# The first two switches lose their routes: the second one's port is the cause
LIMIT_test_route_lost_by_a_cut_further_on=600
test_route_lost_by_a_cut_further_on() { routes_lost cable_cut 'row1:2|row2:2' 'ibfabric cut row1:2' 'ibfabric plug row1:2'; }

# All ports are active. OpenSM, which would write the table anew, does not sweep meanwhile.
LIMIT_test_route_lost_by_the_table=600
# shellcheck disable=SC2016 # they expand in the shells that run them
test_route_lost_by_the_table()
{
	routes_lost no_route 'the route led by port row' 'set_route "$A_DEV" "$B_DEV" 255' 'set_route "$A_DEV" "$B_DEV" 2' lost_by_table
}

# ---- two fabrics, joined by network interfaces

# near_goes_down: the interface of the cable loses its other end. The kernel tells of a lost carrier up to a second later, when a
# request could have failed already. OpenSM, which would take the route over the cable away, does not sweep meanwhile.
near_goes_down()
{
	kill -STOP "$(<"$STATE/opensm.pid")"
	ip -n far link set wire down
	wait_for 20 has_row 'near 8 down' ports node port state
}

# joined_again: the subnet manager has made the ports of the cable active. Those of the adapters remained so.
joined_again()
{
	has_row 'near 8 active' ports node port state && has_row 'far 8 active' ports node port state
}

# joined_by_wire: near and far are one subnet
joined_by_wire()
{
	veth_pair 4500
	two_fabrics
	join_by wire
	fabric_opensm
	wait_for 60 all_active
}

# wire_up_again: and the subnet manager has made the ports active
wire_up_again()
{
	ip -n far link set wire up
	cables_up
	wait_for 60 joined_again
}

# The interface of the cable loses its carrier: A is at one switch, B at the other.
LIMIT_test_netdev_gone=900
test_netdev_gone()
{
	local i base
	base=$(why_base)
	joined_by_wire
	{
		declare -p FABRIC
		declare -f table has_row wait_for near_goes_down
		echo near_goes_down
	} >goes_down
	begin_verdicts
	for ((i = 0; i < TIMES; i++)); do
		provoke outside $((base + i)) --alone --devices glass0,glass2 --cause netdev_gone --says wire --run 'bash -eu ./goes_down'
		kill -CONT "$(<"$STATE/opensm.pid")"
		wire_up_again
	done
	judge "$WHY_OPEN"
	progress "seeds $base to $((base + i - 1)): $(paste -sd, judged | sed 's/,/, /g')"
	netcable_down
	whole_fabric
}

# led_over_the_cable: both switches have routes to the adapters at the other one
led_over_the_cable()
{
	local way hops
	for way in 'glass0 glass2' 'glass2 glass0'; do
		# shellcheck disable=SC2086 # two words
		hops=$(ibfabric trace $way --json 2>/dev/null | jq -r '.[0] | select(.reason | IN("no_route", "port_down") | not) | .hops | length')
		((${hops:-0} >= 2)) || return 1
	done
}

# The same, and the subnet manager takes the routes over the cable away before the request is posted.
LIMIT_test_route_lost_by_a_netdev=900
test_route_lost_by_a_netdev()
{
	local i base
	FIRST=near
	base=$(why_base)
	joined_by_wire
	{
		declare -p STATE FABRIC FIRST
		declare -f table has_row wait_for lost
		# shellcheck disable=SC2016 # they expand in the shell that runs it
		echo 'ip -n far link set wire down; wait_for 20 has_row "near 8 down" ports node port state; wait_for 60 lost "$A_DEV" "$B_DEV"'
	} >goes_down
	begin_verdicts
	for ((i = 0; i < TIMES; i++)); do
		provoke outside $((base + i)) --alone --devices glass0,glass2 --cause netdev_gone --says wire --run 'bash -eu ./goes_down'
		wire_up_again
		wait_for 60 led_over_the_cable
	done
	judge "$WHY_OPEN"
	grep -q 'routes: node=near' verdicts || fail "no verdict rests on a lost route"
	progress "seeds $base to $((base + i - 1)): $(paste -sd, judged | sed 's/,/, /g')"
	netcable_down
	whole_fabric
}
