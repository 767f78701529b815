# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 62
# First causes, provoked by programs: ibwhy must name each.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

LIMIT=200

setup()
{
	start_opensm
}

cleanup()
{
	netcable_down
	# the default fabric, which tests have changed
	fresh_glass
}

# row CAUSE ROW: a row of the table of errors, which names the failure of its requester so
row()
{
	ibwhy --always -- error_table "$TESTS/tables/errors.tsv" "$2" >out 2>err || fail "status $?: $(cat out err)"
	in_file err "^first cause: $1: " || fail "not $1: $(<err)"
	in_file err '^  do: ' || fail "no advice"
	# the requester's verdict is the same alone
	ibwhy --last >last
	in_file last '^first cause: ' || fail "the last one: $(<last)"
}

test_no_receive() { row no_recv rc_send_no_receive; }
test_short_receive() { row recv_short rc_send_short_receive; }
test_receive_lkey() { row lkey_unknown rc_send_bad_receive_lkey; }
test_receive_forbids() { row lkey_access rc_send_receive_forbids; }
test_srq_lkey() { row lkey_unknown rc_srq_bad_receive_lkey; }
test_datagram_lkey() { row lkey_unknown ud_bad_receive_lkey; }
test_qp_access() { row qp_access rc_write_qp_forbids; }
test_misaligned() { row misaligned rc_cas_misaligned; }
test_read_depth() { row read_depth rc_reads_beyond_depth; }
test_request() { row bad_request rc_read_no_depth; }
test_bind() { row bad_bind rc_local_inv_no_key; }
test_peer_reset() { row peer_reset rc_peer_in_reset; }
test_own_modify() { row modify_err rc_flush_by_modify; }
test_wrong_qpn() { row wrong_qpn rc_no_such_qp; }
test_wrong_lid() { row wrong_lid rc_no_such_lid; }
test_key_unknown() { row key_unknown rc_write_bad_rkey; }
test_cq_overrun() { row cq_overrun rc_cq_overrun; }

# injected KIND COLUMN FAULT ACTION OPTION...: ibinject makes a queue of glass1 fail; the verdict on its QP names queue and rule
injected()
{
	local kind=$1 column=$2 fault=$3 action=$4 num qpn table=$GLASS_DEBUGFS/glass1/qp
	shift 4
	start traffic.log traffic "$@"
	wait_for 20 in_file traffic.log '^running'
	read -r qpn num < <(paste -d' ' <(column "$table" pid) <(column "$table" qpn) <(column "$table" "$column") |
		sed -n "s/^$STARTED //p")
	ibinject "$kind" "glass1:$num" "$fault" >out 2>&1 || fail "$(<out)"
	wait_for 30 gone "$STARTED"
	ibwhy "glass1:$qpn" >out || fail "$(<out)"
	in_file out '^first cause: injected: ' || fail "not injected: $(<out)"
	tr -s ' \n' ' ' <out >line
	printf -v num '%#x' "$num"
	grep -q "${kind^^} glass1:$num failed first: a fault was injected" line || fail "not $kind $num: $(<out)"
	grep -qE "Injection rule [^ ]+ fired: $action\. It was set by ibinject " line || fail "no rule: $(<out)"
}

test_injected_overrun() { injected cq scqn overrun cq_overrun; }
test_injected_srq() { injected srq srqn fatal srq_fatal --srq --mode send; }

# The program ends well, so that without --always there is nothing to tell; its output and status stay.
test_quiet()
{
	ibwhy -- error_table "$TESTS/tables/errors.tsv" rc_send_no_receive >out 2>err || fail "status $?: $(cat out err)"
	in_file out '^ok rc_send_no_receive' || fail "output of the command: $(<out)"
	assert_eq "$(<err)" "" "told of a program that ends well"
}

# ---- ports: traffic from glass0 to glass1, and no subnet manager that would route anew

# default_fabric: as it was made, with LIDs
default_fabric()
{
	fresh_glass
	start_opensm
	stop_opensm
}

# traffic_dies OPTIONS COMMAND...: traffic with these options, and then COMMAND; QPN is the number of the sender
traffic_dies()
{
	local options
	read -ra options <<<"$1"
	shift
	start traffic.log traffic "${options[@]}"
	wait_for 20 in_file traffic.log '^running'
	QPN=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0.*/\1/p' traffic.log)
	"$@"
	wait_for 30 gone "$STARTED"
}

# verdict CAUSE [SENTENCE]: of the sender
verdict()
{
	ibwhy "glass0:$QPN" >out || fail "$(<out)"
	in_file out "^first cause: $1: " || fail "not $1: $(<out)"
	in_file out '^  do: ' || fail "no advice"
	[[ -z ${2:-} ]] || tr -s ' \n' ' ' <out | grep -q "$2" || fail "no '$2': $(<out)"
}

fabric()
{
	echo "$*" >/sys/kernel/config/glass/commands
}

test_cable_cut()
{
	default_fabric
	traffic_dies "-t 10" fabric uncable glass1:1
	verdict cable_cut 'is down: its cable was cut'
}

test_own_cable_cut()
{
	default_fabric
	traffic_dies "-t 10" fabric uncable glass0:1
	verdict cable_cut 'The port glass0:1 is down: its cable was cut'
}

test_cable_pulled()
{
	default_fabric
	traffic_dies "-t 10" fabric pull glass1:1
	verdict cable_cut 'is down: its cable was pulled'
}

test_port_down_by_rule()
{
	default_fabric
	traffic_dies "-t 10" bash -c "echo 'add name=dark act=port_down port=1' >$GLASS_DEBUGFS/glass1/inject/rules"
	verdict injected 'Injection rule dark fired: port_down'
}

pull_and_plug()
{
	printf '%s\n' "pull $1" "plug $1" >/sys/kernel/config/glass/commands
}

# A packet may be dropped between the two commands: then the port's last change came later, and ibwhy must not tell.
between_commands()
{
	ibwhy "glass0:$QPN" >out && tr -s ' \n' ' ' <out | grep -q 'before its last change'
}

# the cable is in again, but nobody makes the ports active
test_no_subnet_manager()
{
	local try
	for try in 1 2 3 4 5; do
		default_fabric
		traffic_dies "-t 10" pull_and_plug glass1:1
		between_commands || break
		note "a packet was dropped between the commands (try $try)"
	done
	verdict sm_gone 'no subnet manager made it active'
}

port_drops()
{
	(($(awk '/ port_down / { n++ } END { print n + 0 }' "$GLASS_DEBUGFS/glass0/droplog") >= $1))
}

pull_again()
{
	fabric pull glass1:1
	wait_for 20 port_drops 20
	pull_and_plug glass1:1
	fabric pull glass1:1
}

# The port changes while the requester tries: what took it down first is not known.
test_port_changes_later()
{
	default_fabric
	traffic_dies "-t 16" pull_again
	verdict undetermined 'before its last change'
}

# over_veth COMMAND...: traffic between two fabrics that a pair of interfaces joins
over_veth()
{
	veth_pair 4500
	two_fabrics
	join_by wire
	one_subnet
	stop_opensm
	traffic_dies "-a glass0 -b glass2 -t 10" "$@"
	netcable_down
}

test_netdev_gone()
{
	over_veth ip -n near link del wire
	verdict netdev_gone 'near:8 is down: the network interface of its cable'
}

test_no_carrier()
{
	over_veth ip -n far link set wire down
	verdict netdev_gone 'near:8 is down: the network interface of its cable lost its carrier'
}
