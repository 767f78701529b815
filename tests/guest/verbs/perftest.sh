# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 58
# perftest, unmodified: one program an operation, bandwidth (many requests under way) and latency (one).

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

LIMIT=120

# sizes TOOL ITERATIONS SIZE...
sizes()
{
	local tool=$1 iterations=$2 size
	shift 2
	for size in "$@"; do
		pair glass0 glass1 "$tool" -F -n "$iterations" -s "$size"
	done
	tail -n 6 client.log
}

test_write_bw() { sizes ib_write_bw 500 2 4096 65536; }
test_write_lat() { sizes ib_write_lat 200 2 4096; }
test_read_bw() { sizes ib_read_bw 500 2 4096 65536; }
test_read_lat() { sizes ib_read_lat 200 2 4096; }
test_send_bw() { sizes ib_send_bw 500 2 4096 65536; }
test_send_lat() { sizes ib_send_lat 200 2 4096; }
test_atomic_bw_fetch_add() { pair glass0 glass1 ib_atomic_bw -F -n 500 -A FETCH_AND_ADD; }
test_atomic_bw_cmp_swap() { pair glass0 glass1 ib_atomic_bw -F -n 500 -A CMP_AND_SWAP; }
test_atomic_lat() { pair glass0 glass1 ib_atomic_lat -F -n 200; }
test_send_bw_ud() { pair glass0 glass1 ib_send_bw -F -n 500 -s 1024 -c UD; }
test_send_lat_ud() { pair glass0 glass1 ib_send_lat -F -n 200 -s 64 -c UD; }
test_write_bw_many_qps() { pair glass0 glass1 ib_write_bw -F -n 200 -s 4096 -q 8; }
test_write_bw_bidirectional() { pair glass0 glass1 ib_write_bw -F -n 300 -s 4096 -b; }
test_send_bw_events() { pair glass0 glass1 ib_send_bw -F -n 300 -s 4096 -e; }
test_send_bw_srq() { pair glass0 glass1 ib_send_bw -F -n 300 -s 4096 --use-srq; }
test_send_lat_inline() { pair glass0 glass1 ib_send_lat -F -n 200 -s 512 -I 512; }
test_within_one_adapter() { pair glass0 glass0 ib_write_bw -F -n 300 -s 65536; }
