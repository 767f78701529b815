# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 190
# long: all verbs and perftest's modes once more, over a cable
# All transports and operations between two fabrics that a netdev cable joins: glass0 is in one, glass1 in the other, so whatever goes
# from one to the other crosses the cable. Programs of our own compare all data.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"
# shellcheck source=tests/lib/talk.sh
. "$TESTS/lib/talk.sh"
# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

LIMIT=120

setup()
{
	fresh_glass
	stop_opensm
	ibfabric clear
	printf '%s\n' 'switch near ports=8' 'switch far ports=8' 'hca glass0 ports=2' 'hca glass1 ports=2' \
		'cable near:1 glass0:1' 'cable near:2 glass0:2' 'cable far:1 glass1:1' 'cable far:2 glass1:2' >"$CONFIG/commands"
	udevadm settle --timeout=30
	veth_pair 9000
	join_by wire
	fabric_opensm
	wait_for 60 all_active
}

cleanup()
{
	netcable_down
	fresh_glass
}

# sent: packets that both cables sent
sent()
{
	table netdevs tx_packets | awk '{ n += $1 } END { print n + 0 }'
}

# crossed PACKETS COMMAND...: so many packets at least cross the cable, and none is lost or breaks a rule
crossed()
{
	local least=$1 before
	before=$(sent)
	shift
	"$@"
	(($(sent) - before >= least)) || fail "$(($(sent) - before)) packets crossed the cable, not $least: $*"
	no_bad_frames
	assert_eq "$(netdevs_of lost tx_dropped)" '0 0 0 0' "packets that were lost"
}

# p PACKETS PROGRAM OPTION...
p()
{
	crossed "$1" pair glass0 glass1 "${@:2}"
}

test_perftest_rc()
{
	local program
	for program in write read send atomic; do
		p 100 "ib_${program}_bw" -F -n 100
		p 100 "ib_${program}_lat" -F -n 100
		p 200 "ib_${program}_bw" -F -n 100 -b
	done
	p 400 ib_write_bw -F -n 100 -q 4 -s 4096
	p 100 ib_send_bw -F -n 100 --use-srq
}

# sum COLUMN: of both cables
sum()
{
	table netdevs "$1" | awk '{ n += $1 } END { print n + 0 }'
}

# per_frame COMMAND...: how many packets a frame had, in hundredths
per_frame()
{
	local packets frames
	packets=$(sum tx_packets) frames=$(sum tx_frames)
	"$@" >&2
	packets=$(($(sum tx_packets) - packets)) frames=$(($(sum tx_frames) - frames))
	echo $((100 * packets / frames))
}

# Requests that are posted together share frames. While packets are captured, each has a frame of its own.
test_short_packets_share_frames()
{
	local n capture program
	for program in write send; do
		n=$(per_frame p 1600 "ib_${program}_bw" -F -n 1600 -s 64 -l 16)
		((n >= 300)) || fail "$program: $n hundredths of a packet in a frame"
	done
	n=$(per_frame p 800 ib_read_bw -F -n 800 -s 64 -l 8)
	((n >= 200)) || fail "read: $n hundredths of a packet in a frame"
	# short and long ones by turns: none overtakes another
	p 800 ib_send_bw -F -n 800 -s 64 -l 16 -q 4
	p 800 ib_write_bw -F -n 800 -s 400 -l 16 -b
	start ibcap.log ibcap -w capture.pcapng glass0
	capture=$STARTED
	wait_for 20 test -s capture.pcapng
	n=$(per_frame p 1600 ib_write_bw -F -n 1600 -s 64 -l 16)
	kill -INT "$capture"
	finish "$capture" ibcap.log
	((n == 100)) || fail "with a capture: $n hundredths of a packet in a frame"
}

# Two programs that poll and a lane share one CPU: a doorbell processes frames that the lane has not got to.
test_busy_cpus()
{
	local cpu program busy=()
	for ((cpu = $(nproc); cpu > 0; cpu--)); do
		start busy.log taskset -c $((cpu - 1)) sh -c 'while :; do :; done'
		busy+=("$STARTED")
	done
	for program in write read send; do
		p 1000 "ib_${program}_bw" -F -n 1000 -s 64
		p 640 "ib_${program}_bw" -F -n 40 -s 65536
	done
	kill "${busy[@]}"
	wait "${busy[@]}" || true
}

# Two programs that wait for each other: the context that sends a packet also receives it.
test_talk()
{
	TALKERS=("-d glass0" "-d glass1")
	some_talk 'glass[01]'
}

test_perftest_sizes()
{
	p 2000 ib_write_bw -F -n 5 -a
	p 2000 ib_send_bw -F -n 5 -a
	# trains whose last packet has the longest header: the last answer of a READ
	p 2000 ib_read_bw -F -n 5 -a
	p 1000 ib_read_bw -F -n 10 -s 1048576
}

test_perftest_uc()
{
	p 100 ib_write_bw -F -c UC -n 100
	p 100 ib_send_bw -F -c UC -n 100 -s 4096
	p 100 ib_write_lat -F -c UC -n 100
	p 100 ib_send_lat -F -c UC -n 100
	p 200 ib_write_bw -F -c UC -n 100 -b
}

test_perftest_ud()
{
	p 100 ib_send_bw -F -c UD -n 100 -s 2048
	p 100 ib_send_lat -F -c UD -n 100 -s 64
	p 200 ib_send_bw -F -c UD -n 100 -s 1024 -b
	p 100 ib_send_bw -F -c UD -n 100 -s 1024 -x 0
	p 100 ib_send_bw -F -c UD -g -n 100 -s 1024
}

test_perftest_xrc()
{
	local program
	for program in write read send; do
		p 100 "ib_${program}_bw" -F -c XRC -n 100
		p 100 "ib_${program}_lat" -F -c XRC -n 100
	done
	p 100 ib_atomic_bw -F -c XRC -n 100
}

# every verb between the two ends, data compared
LIMIT_test_verbs=300
test_verbs()
{
	crossed 1000 verbs_check >checks.log || { cat checks.log; fail "a check failed"; }
	assert_match "$(<checks.log)" '[1-9][0-9]* passed, 0 failed'
	# with a GRH, as routers and multicast need it
	crossed 1000 verbs_check --gid 0 >checks.log || { cat checks.log; fail "a check with a GRH failed"; }
	assert_match "$(<checks.log)" '[1-9][0-9]* passed, 0 failed'
}

test_traffic()
{
	local size mode
	for mode in send write mixed; do
		for size in 1 4095 100000; do
			crossed 200 traffic -n 200 --mode "$mode" --size "$size"
		done
	done
	crossed 200 traffic -n 200 --srq --mode send
	crossed 200 traffic -n 200 --a glass1 --b glass0 --a-port 2 --b-port 2
}

test_data_of_programs()
{
	local size
	for size in 1 4096 1048576; do
		p 3 rdma_aware -s "$size"
	done
	p 3 rdma_aware -g 0
	p 400 ibv_rc_pingpong -c -n 200
	p 400 ibv_srq_pingpong -c -n 200
	p 400 ibv_uc_pingpong -c -n 200
	p 400 ibv_ud_pingpong -c -n 200 -s 2000
	crossed 5 xrc_shared
}

# windows, FLUSH and ATOMIC WRITE, path migration
test_operations()
{
	crossed 10 operations windows
	crossed 10 operations by-hand
	crossed 4 operations keys
	! has_flush || crossed 4 operations flush
}

# A doorbell may process a frame with preemption off (HELP_NS in driver/engine/frames.c). A knob that is set meanwhile must not make
# it sleep. The kernel complains if it does, and then this test fails.
test_strict_mode_while_a_doorbell_helps()
{
	local knob=$GLASS_DEBUGFS/glass1/behavior/write_reorder
	# Waits between the look at the knobs and the packets of the frame. A probe may do only so much, hence many.
	local slowly='kprobe:glass_netcable_frame { $i = 0; while ($i < 100) { @[kstack] = count(); $i++; } }'
	start slow.log bpftrace -e "$(for _ in {1..5}; do echo "$slowly"; done) kprobe:glass_link_frame { @helped = count(); }"
	local slow=$STARTED
	wait_for 150 bpftrace_attached "$slow" slow.log
	local -a pids=()
	local i sets=0
	# more programs than CPUs, so that frames wait for a lane and doorbells process them
	for i in 0 2 4; do
		next_port
		start "log$i" ib_write_bw -F -n 200 -t 8 -s 4096 -u 18 -d glass1 -p "$TCP_PORT"
		pids+=("$STARTED")
		wait_for 30 listening "$TCP_PORT"
		start "log$((i + 1))" ib_write_bw -F -n 200 -t 8 -s 4096 -u 18 -d glass0 -p "$TCP_PORT" localhost
		pids+=("$STARTED")
	done
	until gone "${pids[1]}" && gone "${pids[3]}" && gone "${pids[5]}"; do
		echo 1 >"$knob"
		echo 0 >"$knob"
		sets=$((sets + 1))
	done
	for i in "${!pids[@]}"; do
		finish "${pids[i]}" "log$i" "ib_write_bw"
	done
	echo "the knob was set $sets times"
	kill -INT "$slow"
	finish "$slow" slow.log
	in_file slow.log '^@helped: [1-9]' || fail "no doorbell has processed a frame"
}
LIMIT_test_strict_mode_while_a_doorbell_helps=300
