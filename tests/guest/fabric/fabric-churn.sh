# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 150
# long: hundreds of commands under traffic

# kmemleak watches this suite on the debug kernel.

# Nodes and cables that come and go at random under traffic. On the kernel's command line (--append) churn=N is how many commands
# (200), and churn_seed=N what they are chosen by; the seed is in the output.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"

COMMANDS=$(word_of_boot churn 200)
LIMIT=$((200 + COMMANDS))

# HCAs that are removed and made again, and such as stay
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

# any WORD...: one of them
any()
{
	local -a words=("$@")
	ANY=${words[RANDOM % ${#words[@]}]}
}

# command LINE: the driver carries it out
command_of_fabric()
{
	echo "$1" >>commands
	echo "$1" >"$CONFIG/commands" || fail "refused: $1: $(<"$CONFIG/error")"
}

has_node()
{
	has_row "$1" nodes name
}

# free_ports: NAME:PORT of all ports without a cable. A port without a device is in no table of ports: HCAs always have one here.
free_ports()
{
	table ports node port peer | awk '$2 != 0 && $3 == "-" { print $1 ":" $2 }'
}

make_node()
{
	local kind n=$((RANDOM % 20))
	any ca switch switch
	kind=$ANY
	! has_node "x$n" || return 0
	command_of_fabric "$kind x$n ports=$((2 + RANDOM % 30))"
}

make_cable()
{
	local -a free
	local a limits
	mapfile -t free < <(free_ports)
	((${#free[@]} >= 2)) || return 0
	any "${free[@]}"
	a=$ANY
	any "${free[@]}"
	[[ $a != "$ANY" ]] || return 0
	limits=$ANY
	any '' '' 'width=1' 'speed=sdr' 'speed=fdr width=4' 'mtu=2048' 'pulled=yes'
	command_of_fabric "cable $a $limits${ANY:+ $ANY}"
}

# change_cable COMMAND: of any cable but that of the port at which the subnet manager runs
change_cable()
{
	local -a ends
	mapfile -t ends < <(table cables a b | grep -vE '(^| )glass0:' | tr ' ' '\n')
	((${#ends[@]})) || return 0
	any "${ends[@]}"
	command_of_fabric "$1 $ANY"
}

remove_node()
{
	local -a names
	mapfile -t names < <(table nodes name | grep -E '^x')
	((${#names[@]})) || return 0
	any "${names[@]}"
	command_of_fabric "remove $ANY"
}

# An HCA goes under its programs, or comes again, with a cable to a port that it had or another one
hca_comes_or_goes()
{
	local hca
	any "${COMING[@]}"
	hca=$ANY
	if has_node "$hca"; then
		command_of_fabric "remove $hca"
		[[ ! -e /sys/class/infiniband/$hca ]] || fail "$hca is removed, and its device is there"
	else
		command_of_fabric "hca $hca ports=$((1 + RANDOM % 2))"
		[[ -e /sys/class/infiniband/$hca ]] || fail "$hca is made, and its device is not there"
		any 0 1 2 3
		make_hca_cable "$hca" "leaf$ANY"
	fi
}

make_hca_cable()
{
	local port
	port=$(free_ports | awk -v at="$2:" '!found && index($0, at) == 1 { print; found = 1 }')
	[[ -z $port ]] || command_of_fabric "cable $1:1 $port"
}

# A fault of the random choice is no reason to fail: what is chosen is read from the tables just before.
random_command()
{
	case $((RANDOM % 16)) in
	0 | 1 | 2) make_node ;;
	3 | 4 | 5 | 6) make_cable ;;
	7 | 8) change_cable pull ;;
	9 | 10 | 11) change_cable plug ;;
	12) change_cable uncable ;;
	13) remove_node ;;
	14 | 15) hca_comes_or_goes ;;
	esac
}

# keep LOG COMMAND...: over and over, however it ends; but by no signal except that of timeout
keep()
{
	local log=$1 status
	shift
	while [[ ! -e stop ]]; do
		status=0
		timeout -k 10 20 "$@" >"$log.last" 2>&1 || status=$?
		echo "$status" >>"$log"
		if ((status > 124)); then
			cp "$log.last" "$log.killed"
		fi
	done
}

# pingpong A B: ibv_rc_pingpong, data compared
pingpong_of()
{
	local port=$1 server status=0
	ibv_rc_pingpong -c -d "$2" -p "$port" -n 300 >/dev/null 2>&1 &
	server=$!
	wait_for 5 listening_or_gone "$port" "$server" || :
	ibv_rc_pingpong -c -d "$3" -p "$port" -n 300 localhost || status=$?
	kill "$server" 2>/dev/null || :
	wait "$server" 2>/dev/null || :
	return "$status"
}

# keep_pingpong LOG PORT A B
keep_pingpong()
{
	export -f pingpong_of wait_for listening_or_gone listening gone
	keep "$1" bash -c 'pingpong_of "$@"' - "$2" "$3" "$4"
}

# ends_of LOG: how often it ended with which status
ends_of()
{
	sort -n "$1" | uniq -c | awk '{ printf "%s%d x status %d", (NR > 1 ? ", " : ""), $1, $2 }'
}

test_random_commands_under_traffic()
{
	local seed i log
	seed=$(word_of_boot churn_seed $((SRANDOM % 30000)))
	note "seed $seed, $COMMANDS commands"
	RANDOM=$seed
	keep traffic.1 traffic -a glass0 -b glass7 -t 12 -r 2 -n 5000 &
	keep traffic.2 traffic -a glass2 -b glass1 -t 12 -r 2 -n 5000 &
	keep traffic.3 traffic -a glass6 -b glass4 -t 14 -r 7 -n 5000 --srq &
	keep_pingpong pingpong.1 18600 glass1 glass6 &
	keep_pingpong pingpong.2 18601 glass3 glass0 &
	for ((i = 0; i < COMMANDS; i++)); do
		random_command
	done
	touch stop
	wait
	note "$(wc -l <commands) were carried out: $(awk '{ n[$1]++ } END { for (c in n) printf "%s %d ", c, n[c] }' commands)"
	for log in traffic.1 traffic.2 traffic.3 pingpong.1 pingpong.2; do
		note "$log: $(ends_of "$log")"
		[[ ! -e $log.killed ]] || {
			tail -n 20 "$log.killed"
			fail "$log was killed, or did not end"
		}
	done
	grep -qx 0 traffic.1 || fail "no traffic between HCAs that stay came to its end"
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
