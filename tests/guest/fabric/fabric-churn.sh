# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 90
# long: hundreds of commands under traffic

# kmemleak watches this suite on the debug kernel.

# Nodes and cables that come and go at random under traffic. On the kernel's command line, churn=N is the number of commands (200), and
# churn_seed=N is what fabric_churn chooses them by; the seed is in the output. A run of 1,000 commands on the debug kernel:
#
#   tests/run -j 1 --kernel debug --append churn=1000 fabric-churn

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"

COMMANDS=$(word_of_boot churn 200)
LIMIT=$((200 + COMMANDS))
# Seconds for one program that makes traffic, and its messages: on slow kernels fewer, so that programs still come to their ends
TRAFFIC_LIMIT=$((15 + 5 * ${SLOWER:-1}))
MESSAGES=$((1000 / ${SLOWER:-1}))

# HCAs that are removed and made again, and HCAs that stay
COMING=(glass2 glass3 glass4 glass5)
STAYING=(glass0 glass1 glass6 glass7)

setup()
{
	fresh_glass
	ibfabric make fat-tree --leaves 4 --spines 2 --hosts-per-leaf 2 --replace
	udevadm settle --timeout=30
	ibfabric save "$STATE/churn.fabric"
	fabric_opensm
}

cleanup()
{
	fresh_glass
}

# devices_are_there "DEVICE DEVICE": both, now
devices_are_there()
{
	local device
	for device in $1; do
		[[ -e /sys/class/infiniband/$device ]] || return 1
	done
}

# or_stop COMMAND...: it succeeds, or the commands are over
or_stop()
{
	[[ -e stop ]] || "$@"
}

# keep LOG "DEVICE DEVICE" COMMAND...: over and over while both are there, however it ends; but by no signal except that of timeout.
# LOG has the status of each that ended before the commands did.
keep()
{
	local log=$1 devices=$2 status
	shift 2
	: >"$log"
	while [[ ! -e stop ]]; do
		wait_for 1 or_stop devices_are_there "$devices" 2>/dev/null || continue
		status=0
		timeout -k 10 "$TRAFFIC_LIMIT" "$@" >"$log.last" 2>&1 || status=$?
		[[ -e stop ]] || echo "$status" >>"$log"
		if ((status > 124)); then
			cp "$log.last" "$log.killed"
		fi
	done
}

# pingpong_of PORT A B N: ibv_rc_pingpong, N messages each way, data compared
pingpong_of()
{
	local port=$1 server status=0
	ibv_rc_pingpong -c -d "$2" -p "$port" -n "$4" >/dev/null 2>&1 &
	server=$!
	wait_for 5 listening_or_gone "$port" "$server" || :
	ibv_rc_pingpong -c -d "$3" -p "$port" -n "$4" localhost || status=$?
	kill "$server" 2>/dev/null || :
	wait "$server" 2>/dev/null || :
	return "$status"
}

# keep_pingpong LOG PORT A B
keep_pingpong()
{
	export -f pingpong_of wait_for listening_or_gone listening gone
	keep "$1" "$3 $4" bash -c 'pingpong_of "$@"' - "$2" "$3" "$4" $((MESSAGES / 4))
}

# keep_traffic LOG A B OPTION...
keep_traffic()
{
	local log=$1 a=$2 b=$3
	shift 3
	keep "$log" "$a $b" traffic -a "$a" -b "$b" -n "$MESSAGES" "$@"
}

# ends_of LOG: how often it ended with which status
ends_of()
{
	sort -n "$1" | uniq -c | awk '{ printf "%s%d x status %d", (NR > 1 ? ", " : ""), $1, $2 }'
}

# random_commands SEED: the lines of fabric_churn are shown at once. On slow kernels, a command waits longer, and for less traffic.
random_commands()
{
	local line
	fabric_churn --count "$COMMANDS" --seed "$1" --keep glass0 --wait "$((400 + 100 * SLOWER))" --bytes "$((400000 / SLOWER))" \
		--log commands "${COMING[@]/#/--coming=}" |
		while IFS= read -r line; do
			progress "$line"
		done
}

test_random_commands_under_traffic()
{
	local seed log
	seed=$(word_of_boot churn_seed $((SRANDOM % 30000)))
	progress "seed $seed, $COMMANDS commands"
	keep_traffic traffic.1 glass0 glass7 -t 12 -r 2 &
	keep_traffic traffic.2 glass2 glass1 -t 12 -r 2 &
	keep_traffic traffic.3 glass6 glass4 -t 14 -r 7 --srq &
	keep_pingpong pingpong.1 18600 glass1 glass6 &
	keep_pingpong pingpong.2 18601 glass3 glass0 &
	random_commands "$seed" || {
		tail -n 20 commands
		fail "the last commands are above"
	}
	touch stop
	wait
	for log in traffic.1 traffic.2 traffic.3 pingpong.1 pingpong.2; do
		note "$log: $(ends_of "$log")"
		[[ ! -e $log.killed ]] || {
			tail -n 20 "$log.killed"
			fail "$log was killed, or did not end"
		}
	done
	grep -qx 0 traffic.1 || fail "no traffic between HCAs that stay came to its end while commands were carried out"
}

# The fabric as it was in the beginning, from whatever is there now
test_fabric_works_afterwards()
{
	local -a ends
	stop_opensm
	ibfabric load "$STATE/churn.fabric" --replace
	udevadm settle --timeout=30
	ibfabric save now
	diff -u "$STATE/churn.fabric" now || fail "it is not the fabric that was there"
	fabric_opensm
	wait_for 60 all_routed
	mapfile -t ends < <(device_ports)
	assert_eq "${#ends[@]}" 8 "ports of devices"
	fabric_check pairs "${ends[@]}"
	assert_match "${STAYING[*]}" glass0
}

# Nothing of the programs that lost their HCAs holds the module.
test_clear_and_unload()
{
	unload_fabric
	load_glass
}
