# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What debugfs shows of a running program, who may look, and errors set from outside.

# kmemleak watches this suite on the debug kernel.

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

KINDS=(ucontext pd mr cq srq qp ah dm port mcast switch swport lft mft)

# running_pair [TYPE]: two pingpongs (rc, ud) that do not end by themselves; sets SERVER and CLIENT.
running_pair()
{
	local pingpong=ibv_${1:-rc}_pingpong
	next_port
	start server.log "$pingpong" -d glass1 -p "$TCP_PORT" -n 100000000
	SERVER=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$SERVER"
	start client.log "$pingpong" -d glass0 -p "$TCP_PORT" -n 100000000 localhost
	CLIENT=$STARTED
	wait_for 20 qp_of "$CLIENT" glass0
}

# qp_of PID DEVICE [STATE]: the number of the process's QP, once there is one.
qp_of()
{
	awk -v pid="$1" -v state="${3:-rts}" '
		NR == 1 { sub(/^# glass 1 qp: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pid"] == pid && tolower($at["state"]) == state { print $at["qpn"]; found = 1; exit }
		END { exit !found }' "$GLASS_DEBUGFS/$2/qp"
}

# rule DEVICE TEXT: give the device an injection rule.
rule()
{
	printf '%s\n' "$2" >"$GLASS_DEBUGFS/$1/inject/rules"
}

test_only_root_may_look()
{
	local path mode bad=''
	while read -r mode path; do
		case $mode in
		d700 | f400 | f600 | f200) ;;
		*) bad+="$mode $path"$'\n' ;;
		esac
	done < <(find "$GLASS_DEBUGFS" -printf '%y%m %p\n')
	assert_eq "$bad" "" "files open to others"
	refuses setpriv --reuid=65534 --regid=65534 --clear-groups cat "$GLASS_DEBUGFS/glass0/qp"
	assert_match "$REFUSAL" 'Permission denied'
}

test_tables_say_what_they_are()
{
	local dev kind first
	for dev in glass0 glass1; do
		for kind in "${KINDS[@]}"; do
			first=$(head -n 1 "$GLASS_DEBUGFS/$dev/$kind")
			assert_match "$first" "^# glass 1 $kind: [a-z_0-9]+( [a-z_0-9]+)+\$" "header of $dev/$kind"
		done
	done
}

# Each line has as many columns as the header names.
test_tables_have_whole_lines()
{
	running_pair
	local dev kind
	for dev in glass0 glass1; do
		for kind in "${KINDS[@]}"; do
			awk -v file="$dev/$kind" '
				NR == 1 { n = NF - 4; next }
				NF != n { printf "%s: %d columns, header has %d: %s\n", file, NF, n, $0; bad = 1 }
				END { exit bad }' "$GLASS_DEBUGFS/$dev/$kind"
		done
	done
	kill "$CLIENT" "$SERVER"
}

test_objects_of_a_running_program()
{
	running_pair
	local kind dir=$GLASS_DEBUGFS/glass0
	for kind in ucontext pd mr cq qp; do
		[[ $'\n'$(column "$dir/$kind" pid)$'\n' == *$'\n'"$CLIENT"$'\n'* ]] || {
			cat "$dir/$kind"
			fail "no $kind of process $CLIENT"
		}
	done
	kill "$CLIENT" "$SERVER"
}

# counted KIND PID DEVICE: the rows of that process
counted()
{
	column "$GLASS_DEBUGFS/$3/$1" pid | grep -cx "$2" || :
}

test_contexts_count_their_objects()
{
	local kind text=''
	running_pair ud
	wait_for 20 eval '(($(counted ah "$CLIENT" glass0)))'
	for kind in pd mr cq srq qp ah; do
		text+=" $(counted $kind "$CLIENT" glass0)"
	done
	assert_eq "$text" ' 1 1 1 0 1 1' "PDs, regions, CQs, SRQs, QPs and AHs of the program"
	assert_eq "$(awk -v pid="$CLIENT" '
		NR == 1 { sub(/^# glass 1 ucontext: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pid"] == pid { print "", $at["npd"], $at["nmr"], $at["ncq"], $at["nsrq"], $at["nqp"], $at["nah"] }' \
		"$GLASS_DEBUGFS/glass0/ucontext")" "$text" "the same in the row of its context"
	kill "$CLIENT" "$SERVER"
}

test_tables_can_be_read_under_traffic()
{
	running_pair
	local i files=() kind
	for kind in "${KINDS[@]}"; do
		files+=("$GLASS_DEBUGFS"/glass[01]/"$kind")
	done
	for ((i = 0; i < 30; i++)); do
		cat "${files[@]}" >out
	done
	if gone "$CLIENT" || gone "$SERVER"; then
		cat client.log server.log
		fail "the program ended meanwhile"
	fi
	kill "$CLIENT" "$SERVER"
}

test_qp_error_reaches_the_program()
{
	running_pair
	local qpn
	qpn=$(qp_of "$CLIENT" glass0)
	rule glass0 "add act=qp_fatal qpn=$qpn"
	wait_for 20 gone "$CLIENT"
	cat client.log
	assert_match "$(<client.log)" 'Failed status'
	kill "$SERVER" 2>/dev/null || :
}

# injected ACTION SELECTOR KIND EVENT [OPTION...]: set an object of a running program to error; the program must tell.
injected()
{
	local act=$1 selector=$2 kind=$3 event=$4 status=0 num
	shift 4
	start log traffic "$@"
	wait_for 20 in_file log '^running'
	num=$(paste -d' ' <(column "$GLASS_DEBUGFS/glass1/$kind" pid) <(column "$GLASS_DEBUGFS/glass1/$kind" "$selector") |
		awk -v pid="$STARTED" '$1 == pid { print $2; exit }')
	[[ -n $num ]] || fail "no $kind of process $STARTED on glass1"
	rule glass1 "add act=$act $selector=$num" || fail "refused: $(<"$GLASS_DEBUGFS/glass1/inject/last_error")"
	wait "$STARTED" || status=$?
	cat log
	assert_eq "$status" 3 "status of traffic (3: an error was told)"
	assert_match "$(<log)" "$event"
}

test_qp_fatal_is_told() { injected qp_fatal qpn qp 'event qp_fatal'; }
test_cq_overrun_is_told() { injected cq_overrun cqn cq 'event (cq_err|qp_fatal)'; }
test_srq_fatal_is_told() { injected srq_fatal srqn srq 'event srq_err' --srq --mode send; }

test_unknown_object_is_an_error()
{
	if rule glass0 'add act=qp_fatal qpn=0xfffff1'; then
		fail "a rule for a QP that does not exist was taken"
	fi
	assert_match "$(cat "$GLASS_DEBUGFS/glass0/inject/last_error")" '0xfffff1'
}

test_nonsense_is_an_error()
{
	local line
	for line in 'add act=cq_overrun cqn=12345678' 'add act=srq_fatal srqn=12345678' 'add' 'add act=' 'add act=nothing_like_it qpn=1' 'frobnicate' 'add act=qp_fatal qpn=zzz' 'add act=qp_fatal'; do
		if rule glass0 "$line"; then
			fail "taken: $line"
		fi
		[[ -n $(cat "$GLASS_DEBUGFS/glass0/inject/last_error") ]] ||
			fail "no last_error after: $line"
	done
}

test_trace_events_of_one_message()
{
	local tracing=/sys/kernel/tracing
	[[ -d $tracing/events/glass ]] || fail "no trace events of glass"
	echo >"$tracing/trace"
	echo 1 >"$tracing/events/glass/enable"
	pair glass0 glass1 ibv_rc_pingpong -n 3
	echo 0 >"$tracing/events/glass/enable"
	cat "$tracing/trace" >trace
	head -n 40 trace
	assert_match "$(<trace)" 'glass_[a-z_]+: .*glass0'
	assert_match "$(<trace)" 'glass_[a-z_]+: .*glass1'
}
