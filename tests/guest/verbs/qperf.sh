# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 40
# long: one more program that measures
# qperf: RC, UC and UD, RDMA, atomics, and its checks of their results.

setup()
{
	start_opensm
	fresh_server
}

cleanup()
{
	kill "$(<"$STATE/qperf.pid")"
	stop_opensm
}

# One server for all of them; it outlives the test that started it.
fresh_server()
{
	next_port
	echo "$TCP_PORT" >"$STATE/qperf.port"
	(cd / && exec setsid qperf -lp "$TCP_PORT" >"$STATE/qperf.log" 2>&1 </dev/null) &
	echo $! >"$STATE/qperf.pid"
	wait_for 20 listening "$TCP_PORT"
}

LIMIT=30

# measure OPTION... TEST: it must end well and have moved something.
measure()
{
	local status=0
	qperf localhost -lp "$(<"$STATE/qperf.port")" -li glass0:1 -ri glass1:1 -t 1 -to 10 "$@" >out 2>&1 || status=$?
	cat out
	((status == 0)) || {
		cat "$STATE/qperf.log"
		fail "qperf $* ended with status $status"
	}
	# bw = 70.2 MB/sec, latency = 56 us, msg_rate = 12.7 K/sec
	assert_match "$(<out)" '(bw|latency|msg_rate|rate) += +[0-9.]*[1-9]'
}

test_rc_bw() { measure rc_bw; }
test_rc_bi_bw() { measure rc_bi_bw; }
test_rc_lat() { measure rc_lat; }
test_rc_events() { measure -cp 0 rc_lat; }
test_uc_bw() { measure uc_bw; }
test_uc_lat() { measure uc_lat; }
test_ud_bw() { measure ud_bw; }
test_ud_lat() { measure ud_lat; }
test_rc_rdma_read_bw() { measure rc_rdma_read_bw; }
test_rc_rdma_write_bw() { measure rc_rdma_write_bw; }
test_rc_rdma_write_poll_lat() { measure rc_rdma_write_poll_lat; }
test_uc_rdma_write_bw() { measure uc_rdma_write_bw; }
test_rc_compare_swap_mr() { measure rc_compare_swap_mr; }
test_rc_fetch_add_mr() { measure rc_fetch_add_mr; }
test_ver_rc_compare_swap() { measure ver_rc_compare_swap; }
test_ver_rc_fetch_add() { measure ver_rc_fetch_add; }
