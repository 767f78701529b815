# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# libfabric's provider verbs and the utility providers above it: fi_pingpong compares what arrives (-c). The server is in the
# namespace peer, on glass1.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/users.sh
. "$TESTS/lib/users.sh"

LIMIT=150

setup()
{
	start_opensm
	ipoib_up
}

cleanup()
{
	ipoib_down
	stop_opensm
}

peer_listening()
{
	ip netns exec peer ss -Hltn "sport = :$1" | grep -q .
}

# begin ENDPOINT PROVIDER SUFFIX OPTION...: both sides of fi_pingpong, in the background; SERVER and CLIENT are their processes
begin()
{
	local endpoint=$1 provider=$2 suffix=$3
	local -a command=(fi_pingpong -c -e "$endpoint" -p "$provider")
	shift 3
	next_port
	start server.log in_peer "${command[@]}" -d "glass1$suffix" -B "$TCP_PORT" "$@"
	SERVER=$STARTED
	wait_for 20 peer_listening "$TCP_PORT"
	start client.log "${command[@]}" -d "glass0$suffix" -P "$TCP_PORT" "$@" $THERE
	CLIENT=$STARTED
}

both_well()
{
	finish "$CLIENT" client.log "client"
	finish "$SERVER" server.log "server"
	cat client.log
	# a line for each size
	(($(grep -cE '^[0-9]+[kmg]? +[0-9]' client.log) >= ${1:-1})) || fail "too few results"
}

sizes()
{
	begin "$@"
	both_well 5
}

# All sizes up to 1 MiB; datagrams up to the path MTU
test_msg() { sizes msg verbs '' -I 20; }
test_rxm() { sizes rdm 'verbs;ofi_rxm' '' -I 20; }
test_rxd() { sizes rdm 'verbs;ofi_rxd' -dgram -I 20; }
test_dgram()
{
	begin dgram verbs -dgram -I 50
	both_well 4
}

# RC sends lost packets again, and so does the provider rxd, above UD.
test_msg_with_loss()
{
	lossy 'qptype==rc'
	begin msg verbs '' -I 200 -S 65536
	both_well
	calm
}

test_rxm_with_loss()
{
	lossy 'qptype==rc'
	begin rdm 'verbs;ofi_rxm' '' -I 200 -S 65536
	both_well
	calm
}

test_rxd_with_loss()
{
	lossy 'qptype==ud'
	begin rdm 'verbs;ofi_rxd' -dgram -I 100 -S 4096
	both_well
	calm
}

# Each side has an error: the one whose QP fails at once, the other when its retries are used up.
test_msg_qp_fails()
{
	begin msg verbs '' -I 20000 -S 4096
	break_qp glass0 'qptype==rc' 50
	outcome 60 "client, server" "$CLIENT" "$SERVER"
	cat client.log server.log
	[[ $STATUSES =~ ^[1-9][0-9]*\ [1-9][0-9]*$ ]] || fail "$STATUSES"
	grep -q 'Work Request Flushed' client.log || fail "client: $(<client.log)"
}

# An endpoint without connections: rxm passes the error of a send on, and not that no more messages come. See docs/reports.md.
test_rxm_qp_fails()
{
	begin rdm 'verbs;ofi_rxm' '' -I 20000 -S 65536
	break_qp glass0 'qptype==rc' 50
	outcome 45 "client, server" "$CLIENT" "$SERVER"
	cat client.log server.log
	[[ " $STATUSES " != *" 0 "* ]] || fail "ended well"
}

test_rxd_qp_fails()
{
	begin rdm 'verbs;ofi_rxd' -dgram -I 20000 -S 4096
	break_qp glass0 'qptype==ud' 50
	outcome 45 "client, server" "$CLIENT" "$SERVER"
	cat client.log server.log
	[[ " $STATUSES " != *" 0 "* ]] || fail "ended well"
}
