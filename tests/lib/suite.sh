# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the suites in tests/guest/ are written with. A suite is a bash file of functions:
#
#   test_NAME       one test; ends well = passed. Runs in a bash of its own under set -eu -o pipefail, below $TMP.
#   setup, cleanup  before the first and after the last test of the suite (a subnet manager started in setup lives on)
#   LIMIT=S         seconds a test may take (60);  LIMIT_test_NAME=S for one of them
#
# A suite with the line "# hosts 2" runs on the first of two hosts; `on 2 COMMAND` runs a command on the second (docs/guest.md).
#
# What a test prints is shown only when it fails; a note also when it passes. TESTS is the folder tests/, in which a suite
# finds its tables and helpers.

GLASS_DEBUGFS=/sys/kernel/debug/glass
GLASS_PORTS=(glass0/1 glass0/2 glass1/1 glass1/2)

# note TEXT...: a line for whoever runs the test, such as a figure
note()
{
	printf '%s\n' "$*" | tee -a "$STATE/notes"
}

# progress TEXT...: a line that is shown at once, from a test that takes long; also in the kernel's log, between its warnings
progress()
{
	printf '%s\n' "$*"
	printf '      %s\n' "$*" >&"$GLASS_PROGRESS"
	echo "<6>tests: $*" >/dev/kmsg
}

# ---- verdicts

pass()
{
	exit 0
}

# fail MESSAGE...
fail()
{
	printf 'fail: %s\n' "$*" >&2
	exit 1
}

# skip REASON...: not a way out for what does not work yet; only for what this guest cannot have.
skip()
{
	printf '%s\n' "$*" >"$STATE/skip"
	exit 77
}

# has_flush: before Linux 6.2 the RDMA core has no FLUSH and no ATOMIC WRITE; the test of operations is then skipped in sight
has_flush()
{
	operations has-flush
}

# assert_eq GOT WANTED [WHAT]
assert_eq()
{
	[[ $1 == "$2" ]] || fail "${3:-value}: got '$1', wanted '$2'"
}

# assert_match TEXT REGEX [WHAT]
assert_match()
{
	[[ $1 =~ $2 ]] || {
		printf '%s\n' "$1"
		fail "${3:-the text above} does not match /$2/"
	}
}

# assert_no_match TEXT REGEX [WHAT]
assert_no_match()
{
	[[ ! $1 =~ $2 ]] || fail "${3:-text} matches /$2/: ${BASH_REMATCH[0]}"
}

# refuses COMMAND...: it must fail by itself, not by a signal; its output is in REFUSAL.
refuses()
{
	local status=0
	REFUSAL=$("$@" 2>&1) || status=$?
	((status)) || fail "should have been refused: $*"
	# 255 is how infiniband-diags fail.
	((status < 126 || status == 255)) || fail "status $status from: $*"
}

# word_of_boot NAME DEFAULT: the value of NAME= on the kernel's command line
word_of_boot()
{
	local word value=$2
	for word in $(</proc/cmdline); do
		[[ $word != "$1"=* ]] || value=${word#*=}
	done
	echo "$value"
}

# ---- waiting

# wait_for SECONDS COMMAND...: poll until the command succeeds.
wait_for()
{
	local limit=$((${SLOWER:-1} * $1)) start=$EPOCHREALTIME
	shift
	while ! "$@" >/dev/null 2>&1; do
		((${EPOCHREALTIME/./} - ${start/./} < limit * 1000000)) || {
			printf 'fail: not within %s s: %s\n' "$limit" "$*" >&2
			return 1
		}
		# The shell's own timed read instead of a process, which is dear under emulation.
		read -r -t 0.05 _ <>"$STATE/never" || :
	done
}

# listening PORT: does a server listen on that TCP port?
listening()
{
	[[ -n $(ss -Hltn "sport = :$1") ]]
}

gone()
{
	! kill -0 "$1" 2>/dev/null
}

# in_file FILE REGEX
in_file()
{
	grep -qE -- "$2" "$1"
}

# ---- ports and the subnet manager

# port_attr DEVICE/PORT ATTRIBUTE: from sysfs, e.g. port_attr glass0/1 state
port_attr()
{
	cat "/sys/class/infiniband/${1%/*}/ports/${1#*/}/$2"
}

port_state_is()
{
	[[ $(port_attr "$1" state) == *"$2" ]]
}

ports_active()
{
	local port
	for port in "${GLASS_PORTS[@]}"; do
		port_state_is "$port" ACTIVE || return 1
	done
}

start_opensm()
{
	if [[ -s $STATE/opensm.pid ]] && ! gone "$(<"$STATE/opensm.pid")"; then
		return 0
	fi
	# -s 1 would poll; a sweep follows traps by itself. A session of its own outlives the test that started it.
	# -d 2: each line is in the log at once. OpenSM keeps others than those of errors back until it has 4096 bytes of them.
	setsid opensm -d 2 --log_file "$STATE/opensm.log" --erase_log_file "$@" >"$STATE/opensm.out" 2>&1 </dev/null &
	echo $! >"$STATE/opensm.pid"
	wait_for 60 ports_active || {
		tail -n 30 "$STATE/opensm.log" >&2
		fail "OpenSM did not make every port ACTIVE"
	}
}

stop_opensm()
{
	local pid
	[[ -s $STATE/opensm.pid ]] || return 0
	pid=$(<"$STATE/opensm.pid")
	rm -f "$STATE/opensm.pid"
	kill "$pid" 2>/dev/null || return 0
	wait_for 20 gone "$pid" || kill -KILL "$pid"
}

load_glass()
{
	modprobe glass "$@"
	udevadm settle --timeout=30
	wait_for 10 test -e /sys/class/infiniband/glass0
}

unload_glass()
{
	wait_for 10 modprobe -r glass
}

# Loaded anew: every port is INIT, every counter 0, no object of any program.
fresh_glass()
{
	stop_opensm
	unload_glass
	load_glass "$@"
}

# ---- what two processes do together

# start LOG COMMAND...: in the background; its process id is in STARTED. The test's end kills it.
start()
{
	local log=$1
	shift
	"$@" >"$log" 2>&1 </dev/null &
	STARTED=$!
}

# finish PID LOG [WHAT]: wait for a started process, which must succeed.
finish()
{
	local status=0
	wait "$1" || status=$?
	((status == 0)) || {
		cat "$2"
		fail "${3:-process $1} ended with status $status"
	}
}

# A TCP port for each test that wants one; nothing else uses the network here, so counting is enough.
next_port()
{
	TCP_PORT=$((20000 + $(cat "$STATE/port" 2>/dev/null || echo 0) % 20000))
	echo $((TCP_PORT - 20000 + 1)) >"$STATE/port"
}

# pair SERVER_DEVICE CLIENT_DEVICE TOOL OPTION...: TOOL as server and as client, both must succeed.
# The output is in server.log and client.log. Fits ibverbs' pingpongs (port by -p, device by -d).
pair()
{
	local server_dev=$1 client_dev=$2 pid
	shift 2
	next_port
	echo "+ $* (server $server_dev, client $client_dev)"
	start server.log "$@" -d "$server_dev" -p "$TCP_PORT"
	pid=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$pid"
	local status=0
	"$@" -d "$client_dev" -p "$TCP_PORT" localhost >client.log 2>&1 || status=$?
	((status == 0)) || {
		echo "client:"
		cat client.log
		echo "server:"
		cat server.log
		fail "client of '$*' ended with status $status"
	}
	finish "$pid" server.log "server of '$*'"
}

listening_or_gone()
{
	listening "$1" || gone "$2"
}

# ---- objects

# objects KIND [DEVICE...]: how many objects of a kind the debugfs tables list.
objects()
{
	local kind=$1 dev n=0
	shift
	(($#)) || set -- glass0 glass1
	for dev in "$@"; do
		n=$((n + $(grep -vc '^#' "$GLASS_DEBUGFS/$dev/$kind" || :)))
	done
	echo "$n"
}

# column FILE NAME: that column of every line, found by the header "# glass 1 KIND: COL COL ..."
column()
{
	awk -v name="$2" '
		NR == 1 { sub(/^# glass 1 [a-z]+: */, ""); for (i = 1; i <= NF; i++) if ($i == name) c = i
			  if (!c) { print "no column " name > "/dev/stderr"; exit 1 } next }
		!/^#/ { print $c }' "$1"
}
