# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 40
# First causes, provoked by programs: ibwhy must name each.

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
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
test_qp_access() { row qp_access rc_write_qp_forbids; }
test_misaligned() { row misaligned rc_cas_misaligned; }
test_read_depth() { row read_depth rc_reads_beyond_depth; }
test_request() { row bad_request rc_read_no_depth; }
test_bind() { row bad_bind rc_local_inv_no_key; }
test_peer_reset() { row peer_reset rc_peer_in_reset; }
test_own_modify() { row modify_err rc_flush_by_modify; }
test_cq_overrun() { row cq_overrun rc_cq_overrun; }

# The program ends well, so that without --always there is nothing to tell; its output and status stay.
test_quiet()
{
	ibwhy -- error_table "$TESTS/tables/errors.tsv" rc_send_no_receive >out 2>err || fail "status $?: $(cat out err)"
	in_file out '^ok rc_send_no_receive' || fail "output of the command: $(<out)"
	assert_eq "$(<err)" "" "told of a program that ends well"
}
