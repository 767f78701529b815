# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 40
# rdma_cm: Debian's own programs, which find each other by the addresses of IPoIB interfaces.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"

setup()
{
	fresh_glass
	start_opensm
	ipoib_up
}

cleanup()
{
	ipoib_down
	stop_opensm
}

LIMIT=60

# server and client of one program: both TOOL OPTION..., the server with SERVER_OPTIONS
both()
{
	echo "+ $*"
	cm_server "$@" -b $THERE
	cm_client "$@" -s $THERE
}

test_rping()
{
	local size
	for size in 64 1000 65536; do
		cm_server rping -s -V -C 20 -S "$size" -a $THERE
		cm_client rping -c -V -C 20 -S "$size" -a $THERE
	done
}

# Both ends on one port.
test_rping_to_oneself()
{
	start server.log rping -s -V -C 20 -a $HERE
	SERVER=$STARTED
	wait_for 20 cm_listening_or_gone "$SERVER"
	cm_client rping -c -V -C 20 -a $HERE
}

# What ibtop shows of connections is what rdma tells of them, while one has traffic.
test_ibtop_shows_connections()
{
	start server.log in_peer rping -s -V -a $THERE
	local server=$STARTED client
	wait_for 20 cm_listening "$server"
	start client.log rping -c -V -a $THERE
	client=$STARTED
	connected() { rdma resource show cm_id | grep -q " state CONNECT .* pid $client "; }
	wait_for 20 connected
	ibtop -b -n 1 --json -v cm_id >connections.json
	rdma -j resource show cm_id >rdma.json
	jq -e --argjson pid "$client" '.cm_id | any(.pid == $pid and .cm_state == "connect" and .qpn > 0)' connections.json >/dev/null ||
		fail "rping has no connection: $(<connections.json); rdma: $(<rdma.json)"
	assert_eq "$(jq -c '[.cm_id[] | {dev, id: .cm_idn, qpn: (.qpn // 0), pid: (.pid // 0), state: .cm_state, ps: .port_space}] | sort' connections.json)" \
		"$(jq -c '[.[] | {dev: .ifname, id: .["cm-idn"], qpn: (.lqpn // 0), pid: (.pid // 0), state: (.state | ascii_downcase), ps: (.ps | ascii_downcase)}] | sort' rdma.json)" \
		"connections"
	assert_match "$(ibtop -b -n 1 -v cm_id -f "pid==$client" -c pid,cm_state,src,dst)" "$client +connect +$HERE:[0-9]+ +$THERE:7174"
	kill "$client" "$server"
}

# A server that stays, many clients at once.
test_rping_persistent()
{
	local i
	local -a clients=()
	start server.log in_peer rping -s -P -V -a $THERE
	SERVER=$STARTED
	wait_for 20 cm_listening_or_gone "$SERVER"
	for i in 1 2 3 4; do
		start "client$i.log" rping -c -V -C 20 -a $THERE
		clients+=("$STARTED")
	done
	for i in 1 2 3 4; do
		finish "${clients[i - 1]}" "client$i.log"
	done
	gone "$SERVER" && fail "the server has ended"
	kill "$SERVER"
}

test_ucmatose() { both ucmatose -c 10 -C 20 -S 4000; }
test_ucmatose_migrates() { both ucmatose -c 2 -m; }
test_udaddy() { both udaddy -c 5 -C 20 -S 1000; }

test_mckey()
{
	start server.log in_peer stdbuf -oL mckey -b $THERE -m 239.1.2.3 -C 20 -S 1000
	SERVER=$STARTED
	wait_for 20 in_file server.log 'joined dgid'
	# It waits a second for the route, which the subnet manager sets up after it has answered the join; on a busy machine
	# that is not enough, and what it sent is lost. It takes twenty of any.
	local status try
	for try in {1..10}; do
		echo "+ mckey, sender $try"
		status=0
		timeout 30 mckey -b $HERE -m 239.1.2.3 -C 20 -S 1000 -s >client.log 2>&1 || status=$?
		((status == 0)) || { cat client.log; fail "the sender ended with status $status"; }
		! wait_for 2 gone "$SERVER" || break
	done
	finish "$SERVER" server.log
}

LIMIT_test_rstream=150
test_rstream()
{
	both rstream -S 64 -C 200
	both rstream -S 65536 -C 50
	both rstream -S 4096 -C 50 -T b
	asynchronous
	grep -q '^custom' client.log
}

# In this mode rstream takes POLLHUP (16) for a failure also when the last answer is there to be read, and the server, which is
# done, hangs up at once: who comes first is chance, and who sleeps comes last. So let rpoll() look for a second before it sleeps,
# and try for a minute, as a busy machine loses often.
asynchronous()
{
	local status try end=$((SECONDS + 60))
	mkdir -p /etc/rdma/rsocket
	echo 1000000 >/etc/rdma/rsocket/polling_time
	for ((try = 1; SECONDS < end; try++)); do
		echo "+ rstream -T a, $try"
		cm_server rstream -S 4096 -C 50 -T a -b $THERE
		status=0
		timeout 40 rstream -S 4096 -C 50 -T a -s $THERE >client.log 2>&1 || status=$?
		finish "$SERVER" server.log "server of rstream -T a"
		((status == 16)) || break
	done
	rm /etc/rdma/rsocket/polling_time
	((status == 0)) || fail "client of rstream -T a: status $status: $(<client.log)"
}

test_riostream() { both riostream -S 65536 -C 50; }

test_cmtime()
{
	cm_server cmtime -b $THERE -c 20
	cm_client cmtime -b $HERE -s $THERE -c 20
}

test_rdma_client_and_server()
{
	cm_server rdma_server -s $THERE -p 7471
	cm_client rdma_client -s $THERE -p 7471
}

# Nobody there, or nobody listens: the client says so, in time.
test_refused()
{
	refuses timeout 30 rping -c -C 1 -a $THERE -p 7999
	assert_match "$REFUSAL" 'REJECTED|rejected|error 8|connect'
}

# A peer that dies in the midst is a disconnect for the other one, and leaves nothing behind.
test_killed_client()
{
	local before client
	before=$(objects qp)
	cm_server rping -s -V -C 100000000 -a $THERE
	start client.log rping -c -V -C 100000000 -a $THERE
	client=$STARTED
	connected()
	{
		[[ $(rdma resource show cm_id | grep -c " state CONNECT .* pid \($client\|$SERVER\) ") == 2 ]]
	}
	wait_for 20 connected
	kill -KILL "$client"
	wait_for 20 gone "$SERVER"
	back()
	{
		[[ $(objects qp) == "$before" ]]
	}
	wait_for 20 back
}

LIMIT_test_connections_by_the_hundred=90
test_connections_by_the_hundred()
{
	both ucmatose -c 100 -C 5
}
