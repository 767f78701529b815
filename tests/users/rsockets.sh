# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Programs of TCP sockets on rsockets, by LD_PRELOAD of librspreload. The server is in the namespace peer, on glass1.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/users.sh
. "$TESTS/lib/users.sh"

LIMIT=150
PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so

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

# begin OPTION...: NetPIPE, which compares what comes back
begin()
{
	start server.log in_peer env LD_PRELOAD=$PRELOAD NPtcp -i "$@"
	SERVER=$STARTED
	wait_for 20 cm_listening_or_gone "$SERVER"
	start client.log env LD_PRELOAD=$PRELOAD NPtcp -i -o /dev/null -h $THERE "$@"
	CLIENT=$STARTED
}

both_well()
{
	finish "$CLIENT" client.log "client"
	finish "$SERVER" server.log "server"
	cat client.log
}

test_netpipe()
{
	begin -u 65536
	both_well
}

test_netpipe_with_loss()
{
	lossy 'qptype==rc'
	begin -u 65536
	both_well
	calm
}

test_netpipe_qp_fails()
{
	begin -u 65536
	break_qp glass0 'qptype==rc' 50
	outcome 45 "client, server" "$CLIENT" "$SERVER"
	cat client.log server.log
}

test_iperf3()
{
	skip "iperf3 moves its data on rsockets, and does not end (docs/reports.md)"
}
