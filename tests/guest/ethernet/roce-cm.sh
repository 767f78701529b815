# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 15
# Debian's programs of rdma_cm, with glassr0 at one end and rxe0 at the other: each is the server once, over IPv4 and over IPv6.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=120

setup()
{
	roce_up
}

cleanup()
{
	roce_down
}

# cm_pair TOOL OPTION...: with rxe0 as the server, and with glassr0
cm_pair()
{
	local address
	for address in $HERE4 $HERE6; do
		echo "+ $* (rxe is the server, $address)"
		start server.log "$@" -b "$address"
		wait_for 20 cm_listens_or_gone "$1"
		in_ns there timeout $((50 * SLOWER)) "$@" -s "$address" >client.log 2>&1 || fail "client: $(<client.log)"
		finish "$STARTED" server.log "server of '$*'"
	done
	for address in $THERE4 $THERE6; do
		echo "+ $* (Glass is the server, $address)"
		start server.log in_ns there "$@" -b "$address"
		wait_for 20 cm_listens_or_gone "$1"
		timeout $((50 * SLOWER)) "$@" -s "$address" >client.log 2>&1 || fail "client: $(<client.log)"
		finish "$STARTED" server.log "server of '$*'"
	done
}

cm_listens_or_gone()
{
	cm_listens "$1" || gone "$STARTED"
}

test_ucmatose() { cm_pair ucmatose -c 5 -C 20 -S 4000; }
test_udaddy() { cm_pair udaddy -c 5 -C 20 -S 1000; }
test_rstream()
{
	cm_pair rstream -S 64 -C 200
	cm_pair rstream -S 65536 -C 20
}
