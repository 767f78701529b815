# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 50
# long: every mode of perftest
# perftest's modes: transports, events, inline data, both directions, many QPs, connections by rdma_cm, multicast.

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

LIMIT=40

p()
{
	pair glass0 glass1 "$@" -F
}

test_uc()
{
	p ib_send_bw -c UC -n 300 -s 4096
	p ib_send_lat -c UC -n 100 -s 64
	p ib_write_bw -c UC -n 300 -s 65536
	p ib_write_lat -c UC -n 100 -s 4096
}

test_ud()
{
	p ib_send_bw -c UD -n 300 -s 2048
	p ib_send_lat -c UD -n 100 -s 2
}

test_with_grh()
{
	p ib_send_bw -x 0 -n 200
	p ib_send_bw -x 0 -n 200 -c UD -s 1024
}

test_events()
{
	p ib_send_bw -e -n 200 -s 4096
	p ib_send_lat -e -n 100 -s 64
	p ib_read_bw -e -n 200
	p ib_send_bw -e -c UD -n 200 -s 1024
	p ib_atomic_bw -e -n 200
}

test_inline()
{
	p ib_send_bw -I 64 -s 64 -n 300
	p ib_send_lat -I 220 -s 220 -n 100 -c UC
	p ib_send_lat -I 64 -s 64 -n 100 -c UD
	p ib_write_bw -I 128 -s 128 -n 300
	p ib_write_lat -I 8 -s 8 -n 100
}

# perftest posts by ibv_wr_* when the adapter has them: the other way must work, too.
test_both_ways_to_post()
{
	local tool
	for tool in ib_write_bw ib_read_bw ib_send_bw ib_atomic_bw; do
		p "$tool" -n 200 --use_old_post_send
		p "$tool" -n 200
	done
	p ib_write_lat -n 100 --use_old_post_send
}

# Regions on demand.
test_on_demand()
{
	p ib_write_bw -n 200 -s 65536 --odp
	p ib_send_bw -n 200 -s 4096 --odp
	p ib_read_lat -n 100 -s 8192 --odp
}

test_bidirectional()
{
	p ib_send_bw -b -n 200 -s 4096
	p ib_read_bw -b -n 200 -s 4096
	p ib_atomic_bw -b -n 200
	p ib_write_bw -b -n 200 -c UC
	p ib_send_bw -b -n 200 -c UD -s 1024
}

test_many_qps()
{
	p ib_send_bw -q 4 -n 100 -s 4096
	p ib_write_bw -q 32 -n 100 -s 4096
	p ib_read_bw -q 4 -n 100
	p ib_atomic_bw -q 4 -n 100
	p ib_send_bw -q 4 -n 100 -c UC
	p ib_send_bw -q 4 -n 100 -c UD -s 1024
	p ib_send_bw -q 4 -b -e -n 100
}

LIMIT_test_all_sizes=90
test_all_sizes() { p ib_write_bw -a -n 5; }
test_many_outstanding_reads() { p ib_read_bw -o 16 -n 300 -s 8192; }
test_cq_moderation() { p ib_write_bw -Q 50 -t 256 -n 1000 -s 64; }
test_post_list() { p ib_write_bw -l 16 -t 128 -n 800 -s 64; }
test_srq() { p ib_send_bw --use-srq -q 4 -n 200; }
test_mtu() { for mtu in 256 512 1024 2048 4096; do p ib_write_bw -m "$mtu" -n 50 -s 10000; done; }

test_cm_rc()
{
	perftest_by_cm ib_send_bw -n 200 -s 4096
	perftest_by_cm ib_write_bw -n 200
	perftest_by_cm ib_read_lat -n 100
	perftest_by_cm ib_write_bw -n 100 -q 4
	perftest_by_cm ib_send_bw -n 200 -b
}

test_cm_ud()
{
	perftest_by_cm ib_send_bw -c UD -n 200 -s 1024
	perftest_by_cm ib_send_lat -c UD -n 100 -s 64
}

# Not ib_send_lat: it asks for its group's end after it has given back the device, whose name is lost then.
test_multicast() { p ib_send_bw -c UD -g -n 200 -s 1024; }
