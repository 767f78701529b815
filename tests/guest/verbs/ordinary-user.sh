# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 195
# long: what the suites pyverbs and perftest run, twice more
# Programs of a user who has no privilege, with the lockable memory of a Debian user (8 MiB) and of an older system (64 KiB).
# What needs more is refused where it registers memory, and says so.

# shellcheck source=tests/lib/pyverbs.sh
. "$TESTS/lib/pyverbs.sh"

LIMIT=60

setup()
{
	fresh_glass
	start_opensm
	ipoib_up
	# some tests of pyverbs want huge pages: 2 MiB each
	echo 16 >/proc/sys/vm/nr_hugepages
}

cleanup()
{
	echo 0 >/proc/sys/vm/nr_hugepages
	ipoib_down
	stop_opensm
}

# users: makes ./small and ./usual, which run a command as such a user
users()
{
	local name
	chmod 777 .
	for name in small:64 usual:8192; do
		cat >"${name%:*}" <<-END
			#!/bin/bash
			ulimit -l ${name#*:}
			exec setpriv --reuid=65534 --regid=65534 --clear-groups "\$@"
		END
		chmod 755 "${name%:*}"
	done
}

# needs_more REGEX COMMAND...: it must be refused for want of lockable memory, and say so
needs_more()
{
	local regex=$1
	shift
	refuses timeout 30 "$@"
	assert_match "$REFUSAL" "$regex" "what '$*' says"
}

# pair_needs_more TOOL OPTION...: the same of both ends of perftest, which find each other first
pair_needs_more()
{
	next_port
	start server.log "$@" -F -d glass1 -p "$TCP_PORT"
	wait_for 20 listening_or_gone "$TCP_PORT" "$STARTED"
	needs_more 'allocate MR|create MR' "$@" -F -d glass0 -p "$TCP_PORT" localhost
	wait_for 20 gone "$STARTED"
	assert_match "$(<server.log)" 'allocate MR|create MR' "what the server says"
}

p()
{
	pair glass0 glass1 "$@" -F
}

# Else the other tests would pass for nothing.
test_the_user_is_ordinary()
{
	users
	assert_eq "$(./small id -u)" 65534 "user"
	assert_eq "$(./small sed -n 's/^CapEff:\t//p' /proc/self/status)" 0000000000000000 "capabilities"
	assert_eq "$(./small bash -c 'ulimit -l') $(./usual bash -c 'ulimit -l')" "64 8192" "limits in KiB"
	# the adapters are there for everybody; management is root's
	assert_eq "$(./small ibv_devinfo -l | grep -c 'glass[01]$')" 2 "adapters"
	assert_eq "$(./small ibstat -l | sort | tr '\n' ' ')" "glass0 glass1 " "adapters of ibstat"
	refuses timeout 30 ./small ibping -S -C glass0
	assert_match "$REFUSAL" "can't open UMAD port|[Pp]ermission denied"
}

test_perftest_with_64_kib()
{
	users
	p ./small ib_write_bw -n 200 -s 4096
	p ./small ib_read_lat -n 100 -s 4096
	p ./small ib_send_bw -n 200 -s 4096 -e
	p ./small ib_send_lat -n 100 -s 64 -c UD
	p ./small ib_atomic_bw -n 200
	pair_needs_more ./small ib_write_bw -s 65536
}

test_perftest_with_8_mib()
{
	users
	p ./usual ib_write_bw -n 200 -s 65536
	p ./usual ib_write_bw -n 20 -s 2097152
	p ./usual ib_read_bw -n 100 -s 65536 -q 4
	p ./usual ib_send_bw -n 100 -s 4096 --use-srq -q 4
	p ./usual ib_send_lat -n 100 -s 220 -I 220
	pair_needs_more ./usual ib_write_bw -s 8388608
}

# What is charged to a user's limit is given back: the same again and again, and in two programs at a time.
test_limits_are_given_back()
{
	users
	local i
	for i in 1 2 3 4 5; do
		p ./small ib_write_lat -n 10 -s 4096
	done
	assert_eq "$(./small bash -c 'for i in 1 2 3; do ibv_rc_pingpong -d glass0 -s 1048576; done 2>&1' | grep -c 'register MR')" 3 "refusals"
	p ./small ib_write_lat -n 10 -s 4096
}

# rping_of USER OPTION...: both ends
rping_of()
{
	local user=$1
	shift
	cm_server "./$user" rping -s -V -C 20 -a $THERE "$@"
	cm_client "./$user" rping -c -V -C 20 -a $THERE "$@"
}

test_rping()
{
	users
	rping_of small -S 64
	rping_of small -S 4000
	rping_of usual -S 65000
	# the server has room for one buffer, the client would need two
	cm_server ./small rping -s -V -C 20 -a $THERE -S 32768
	needs_more 'reg_mr failed' ./small rping -c -V -C 20 -a $THERE -S 32768
	kill "$SERVER"
	needs_more 'reg_mr failed' ./small rping -c -V -C 20 -a $THERE -S 65000
}

test_connections_by_rdma_cm()
{
	users
	next_port
	cm_server ./usual ib_send_bw -F -R -p "$TCP_PORT" -d glass1 -n 200 -s 4096
	cm_client ./usual ib_send_bw -F -R -p "$TCP_PORT" -d glass0 -n 200 -s 4096 $THERE
	cm_server ./small ucmatose -b $THERE -c 5 -C 20 -S 1000
	cm_client ./small ucmatose -s $THERE -c 5 -C 20 -S 1000
	cm_server ./small udaddy -b $THERE -C 20 -S 1000
	cm_client ./small udaddy -s $THERE -C 20 -S 1000
}

# pyverbs_as USER LEAST TEST...: a part of rdma-core's own tests, of which LEAST must pass and none fail
pyverbs_as()
{
	local user=$1 least=$2 status=0
	shift 2
	users
	copy_tests
	chmod -R a+rX tests
	"./$user" "$PYVERBS/run" tests results --dev glass0 "$@" >log 2>&1 || status=$?
	judge results some | sort >judged
	grep -v '^pass' judged || :
	((status < 2)) || fail "the run ended with status $status: $(tail -n 5 log)"
	! grep -q '^fail' judged || fail "some tests failed: $(tail -n 20 log)"
	(($(grep -c '^pass' judged) >= least)) || fail "$(grep -c '^pass' judged) tests passed, fewer than $least"
}

LIMIT_test_pyverbs_with_64_kib=300
test_pyverbs_with_64_kib()
{
	pyverbs_as small 40 test_mr test_cq test_qp
}

LIMIT_test_pyverbs_with_8_mib=300
test_pyverbs_with_8_mib()
{
	pyverbs_as usual 30 test_rdmacm test_srq test_odp test_pd
}
