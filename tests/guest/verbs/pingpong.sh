# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 52
# The examples of libibverbs, unmodified, with their own data check.

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# ways COMMAND...: between the two adapters, and within one.
ways()
{
	pair glass0 glass1 "$@"
	pair glass0 glass0 "$@"
}

test_rc() { ways ibv_rc_pingpong -n 200; }
test_rc_events() { ways ibv_rc_pingpong -n 200 -e; }
test_rc_check() { ways ibv_rc_pingpong -n 200 -c; }
test_rc_check_events() { ways ibv_rc_pingpong -n 200 -c -e; }

LIMIT_test_rc_sizes=240
test_rc_sizes()
{
	local size
	# around the path MTU (1024 here), a page, and up to many packets
	for size in 1 2 3 4 63 64 255 1023 1024 1025 2048 4095 4096 4097 10000 65536 262144 1048576; do
		pair glass0 glass1 ibv_rc_pingpong -c -n 20 -s "$size"
	done
}

LIMIT_test_rc_sizes_to_itself=120
test_rc_sizes_to_itself()
{
	local size
	for size in 1 1024 1025 65536 1048576; do
		pair glass0 glass0 ibv_rc_pingpong -c -n 20 -s "$size"
	done
}

LIMIT_test_rc_mtus=120
test_rc_mtus()
{
	local mtu
	for mtu in 256 512 1024 2048 4096; do
		pair glass0 glass1 ibv_rc_pingpong -c -n 20 -s 10000 -m "$mtu"
	done
}

test_rc_second_port() { pair glass0 glass1 ibv_rc_pingpong -c -n 200 -i 2; }

test_ud() { ways ibv_ud_pingpong -n 200; }
test_ud_events() { ways ibv_ud_pingpong -n 200 -e; }
test_ud_check() { ways ibv_ud_pingpong -n 200 -c; }
test_ud_check_events() { ways ibv_ud_pingpong -n 200 -c -e; }

test_ud_sizes()
{
	local size
	for size in 1 2 3 64 1024 2048; do
		pair glass0 glass1 ibv_ud_pingpong -c -n 50 -s "$size"
	done
}

test_ud_with_gid()
{
	next_port
	start server.log ibv_ud_pingpong -c -n 100 -g 0 -d glass0 -p "$TCP_PORT"
	wait_for 20 listening_or_gone "$TCP_PORT" "$STARTED"
	ibv_ud_pingpong -c -n 100 -g 0 -d glass1 -p "$TCP_PORT" localhost
	finish "$STARTED" server.log
}

test_srq() { ways ibv_srq_pingpong -n 200; }
test_srq_events() { ways ibv_srq_pingpong -n 200 -e; }
test_srq_check() { ways ibv_srq_pingpong -n 200 -c; }
test_srq_check_events() { ways ibv_srq_pingpong -n 200 -c -e; }
test_srq_many_qps() { pair glass0 glass1 ibv_srq_pingpong -c -n 100 -q 64; }

# An ordinary user, with the lockable memory an ordinary user has.
test_unprivileged_program()
{
	chmod 777 .
	cat >limited <<-'END'
		#!/bin/bash
		ulimit -l 8192
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	END
	chmod 755 limited
	pair glass0 glass1 ./limited ibv_rc_pingpong -c -n 100
}

test_memlock_limit_is_enforced()
{
	cat >limited <<-'END'
		#!/bin/bash
		ulimit -l 64
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	END
	chmod 755 limited
	refuses ./limited ibv_rc_pingpong -d glass0 -s 1048576
	assert_match "$REFUSAL" "register MR"
}

test_wrong_port_number_is_refused()
{
	refuses ibv_rc_pingpong -d glass0 -i 3
	assert_match "$REFUSAL" '[Cc]ould|[Ff]ail|INIT'
}
