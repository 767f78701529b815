# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Two hosts (vm/vm run --hosts): their names, the cable between them, and the command `on`, by which a suite works on the second.
# hosts 2
# takes 140
# long: two guests at once

# refused_by_on STATUS TEXT ARG...: `on ARG...` must end with that status and say that text.
refused_by_on()
{
	local want=$1 text=$2 status=0
	shift 2
	REFUSAL=$(on "$@" 2>&1 >/dev/null) || status=$?
	assert_eq "$status" "$want" "status of: on $*"
	assert_match "$REFUSAL" "$text" "message of: on $*"
}

runs_on_2()
{
	on 2 pgrep -fx "$1"
}

does_not_run_on_2()
{
	! runs_on_2 "$1"
}

test_each_host_has_its_name_and_the_same_surroundings()
{
	assert_eq "$(hostname)" host1
	assert_eq "$(on 2 hostname)" host2
	assert_eq "$(on host2 hostname)" host2
	assert_eq "$(on 2 printenv GLASS_HOST GLASS_HOSTS)" $'2\n2'
	assert_eq "$(on 2 pwd)" /glass "working directory"
	assert_eq "$(on 2 id -u)" 0
	assert_eq "$(on 2 printenv PATH)" "$PATH" "PATH"
	assert_eq "$(on 2 bash -c 'ulimit -l')" unlimited "locked memory"
	assert_eq "$(on 2 cksum tests/guest/harness)" "$(cd /glass && cksum tests/guest/harness)" "the tree"
	assert_eq "$(on 2 cat /proc/self/oom_score_adj)" 0 "out-of-memory score"
	on 2 test -e /sys/class/infiniband/glass0 || fail "Glass is not loaded on host 2"
}

test_large_frames_cross_the_cable()
{
	ping -c 3 -s 4000 -M "do" -W 10 host2
	on 2 ping -c 3 -s 4000 -M "do" -W 10 host1
	assert_eq "$(cat /sys/class/net/host2/mtu) $(on 2 cat /sys/class/net/host1/mtu)" "4500 4500" "MTU"
	ip link set host2 mtu 9000
	on 2 ip link set host1 mtu 9000
	ping -c 1 -s 8900 -M "do" -W 10 host2
	ip link set host2 mtu 4500
	on 2 ip link set host1 mtu 4500
}

# A cable that is cut, and a NIC that has another name, are nothing to `on`.
test_on_does_not_need_the_cable()
{
	on 2 ip link set host1 down
	! ping -c 1 -W 2 host2 || fail "the cable is cut, and host 2 answers"
	ip link set host2 down
	ip link set host2 name other
	assert_eq "$(on 2 hostname)" host2
	ip link set other name host2
	ip link set host2 up
	on 2 ip link set host1 up
	wait_for 20 ping -c 1 -W 1 host2
}

test_arguments_and_status_are_those_of_the_command()
{
	local -a args=('' 'a b' $'new\nline\n' '"q"' "'s'" "\$HOME \`x\` \\n" $'\xff\xfe' '*' -- -k '--kill' $'\t')
	local status=0
	printf '<%s>' "${args[@]}" >wanted
	on 2 printf '<%s>' "${args[@]}" >got
	cmp got wanted
	on 2 -- printf '<%s>' "${args[@]}" | cmp - wanted
	on 2 bash -c 'exit 7' || status=$?
	assert_eq "$status" 7
	on 2 bash -c 'kill -KILL $$' || status=$?
	assert_eq "$status" 137 "status of a command that a signal ended"
	refused_by_on 127 '^no-such-command: command not found$' 2 no-such-command
}

test_streams_are_apart_and_whole()
{
	local status
	on 2 bash -c 'seq 200000; seq 100000 >&2' >out 2>err
	seq 200000 | cmp - out
	seq 100000 | cmp - err
	seq 300000 | on 2 bash -c 'cat; echo end >&2' >out 2>err
	seq 300000 | cmp - out
	assert_eq "$(<err)" end
	seq 300000 >in
	assert_eq "$(on 2 wc -l <in)" 300000 "lines of a file as input"
	assert_eq "$(on 2 head -n 1 <in)" 1 "what a command prints that does not read all of its input"
	assert_eq "$(on 2 readlink /proc/self/fd/0 </dev/null)" /dev/null "input"
	# Of a command whose reader goes: SIGPIPE, as without `on`.
	status=0
	on 2 yes 'a line of test 1005' | head -n 1 >out || status=${PIPESTATUS[0]}
	assert_eq "$(<out) $status" 'a line of test 1005 141'
	wait_for 10 does_not_run_on_2 'yes a line of test 1005'
}

# Eight commands wait until eight others write to them, in the opposite order; the output of one more is not read until then.
test_commands_run_at_the_same_time()
{
	local i full
	local -a pids=()
	on 2 bash -c 'mkfifo /tmp/meet.{1..8}'
	mkfifo full
	on 2 seq 1000000 >full &
	pids[0]=$!
	exec {full}<full
	for i in {1..8}; do
		on 2 bash -c "read -r line </tmp/meet.$i; echo \"$i \$line\"" >"out.$i" &
		pids[i]=$!
	done
	for i in {8..1}; do
		on 2 bash -c "echo met >/tmp/meet.$i"
		wait "${pids[i]}"
		assert_eq "$(<"out.$i")" "$i met"
	done
	assert_eq "$(cksum <&"$full")" "$(seq 1000000 | cksum)" "output that nobody had read"
	wait "${pids[0]}"
}

test_command_ends_with_its_on()
{
	local pid status=0
	on 2 tail -s 1001 -f /dev/null &
	pid=$!
	wait_for 10 runs_on_2 'tail -s 1001 -f /dev/null'
	kill "$pid"
	wait "$pid" || status=$?
	assert_eq "$status" 143 "status of a command that a signal ended"
	does_not_run_on_2 'tail -s 1001 -f /dev/null'
	# The command and its process group get the signal, and do with it as they like.
	on 2 bash -c 'trap "echo caught; exit 3" USR1; echo ready; tail -s 1006 -f /dev/null & wait' >out &
	pid=$!
	wait_for 10 in_file out ready
	kill -USR1 "$pid"
	status=0
	wait "$pid" || status=$?
	assert_eq "$status $(tail -n 1 out)" "3 caught"
	on 2 bash -c 'tail -s 1002 -f /dev/null; :' &
	pid=$!
	wait_for 10 runs_on_2 'tail -s 1002 -f /dev/null'
	kill -KILL "$pid"
	wait_for 10 does_not_run_on_2 'tail -s 1002 -f /dev/null'
}

test_background_command_outlives_its_on()
{
	local pid
	pid=$(on 2 --background tail -s 1003 -f /dev/null)
	assert_eq "$(on 2 pgrep -fx 'tail -s 1003 -f /dev/null')" "$pid" "process id"
	on 2 kill "$pid"
	wait_for 10 does_not_run_on_2 'tail -s 1003 -f /dev/null'
	refused_by_on 127 '^no-such-command: command not found$' 2 --background no-such-command
}

# What host 2 leaves is in a directory of its own, which host 1 sees, too.
test_files_of_another_host_come_back()
{
	on 2 bash -c 'echo kept >"$OUT/file"'
	assert_eq "$(<"$OUT/host2/file")" kept
	rm "$OUT/host2/file"
}

test_wrong_use_is_told()
{
	refused_by_on 2 '^on: host3: no such host; there are host1 to host2 ' 3 true
	refused_by_on 2 '^on: host1 is this host; ' 1 true
	refused_by_on 2 '^on: second: not a host; write 2 or host2' second true
	refused_by_on 2 '^on: 2: which command\?' 2
	refused_by_on 2 '^on: unknown option: --reboot' 2 --reboot
	refused_by_on 2 '^on: --kill takes no command' 2 --kill true
	refused_by_on 2 '^on: --background: no command given' 2 --background
	refused_by_on 125 '^on: host2 is up already' 2 --start
	assert_match "$(on --help)" '--start'
	# From there no other host is reached.
	refused_by_on 125 'only host 1 of vm/vm run --hosts reaches others' 2 bash -c 'exec -a on /run/glass/hosts 1 true'
}

LIMIT_test_host_is_killed_and_started_again=240
test_host_is_killed_and_started_again()
{
	local pid status=0 before
	before=$(on 2 cat /proc/sys/kernel/random/boot_id)
	on 2 touch /tmp/mark
	on 2 bash -c 'echo begun; tail -s 1004 -f /dev/null' >out 2>err &
	pid=$!
	wait_for 10 in_file out begun
	on 2 --kill
	wait "$pid" || status=$?
	assert_eq "$status" 125 "status of a command whose host was killed"
	assert_match "$(<err)" '^on: host2 is down: killed by: on 2 --kill; on 2 --start boots it$'
	refused_by_on 125 '^on: host2 is down: killed by: on 2 --kill; on 2 --start boots it$' 2 true
	refused_by_on 125 '^on: host2 is down: killed' 2 --kill
	! ping -c 1 -W 2 host2 || fail "a host that was killed answers"

	on 2 --start
	assert_eq "$(on 2 hostname)" host2
	[[ $(on 2 cat /proc/sys/kernel/random/boot_id) != "$before" ]] || fail "the guest is the one that was killed"
	! on 2 test -e /tmp/mark || fail "the guest's disk is the one that was killed"
	wait_for 20 ping -c 1 -s 4000 -M "do" -W 5 host2
}
