# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 100
# What one tenant does, and another must not pay for. Counted are turns, packets and waits, not seconds.

# shellcheck source=tests/trace.sh
. "${BASH_SOURCE[0]%/*}/../trace.sh"

LIMIT=120

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# waits: so many queue pairs that went owed answers (a line), and so many of them waited (another)
waits()
{
	grep -c '^glass_qp_settle ' trace || :
	grep -c '^glass_qp_settle .*wait_ms=[1-9]' trace || :
}

# A killed process waits for nobody who reads from it.
test_killed_while_it_owes()
{
	local owed waited
	trace_on glass_qp_settle
	owed_reads --count 64 --end kill
	trace_off
	{ read -r owed; read -r waited; } < <(waits)
	((owed > 8)) || fail "$owed of 64 queue pairs owed anything: this test shows nothing"
	assert_eq "$waited" 0 "queue pairs that were waited for"
}

# All queue pairs of a context that is closed are waited for once.
test_exits_while_it_owes()
{
	local owed waited
	trace_on glass_qp_settle
	owed_reads --count 64 --end exit
	trace_off
	{ read -r owed; read -r waited; } < <(waits)
	((owed > 8)) || fail "$owed of 64 queue pairs owed anything: this test shows nothing"
	((waited <= 2)) || fail "$waited of $owed queue pairs were waited for, one after another"
}

# All contexts of a device that goes are waited for once.
test_unplugged_while_it_owes()
{
	local owed waited i
	local -a readers=()
	for i in 1 2; do
		start "reader$i.log" owed_reads --device glass1 --reader glass0 --count 32 --end stay
		readers+=("$STARTED")
		wait_for 30 grep -q reading "reader$i.log"
	done
	trace_on glass_qp_settle
	echo "add name=away act=unplug" >"$GLASS_DEBUGFS/glass1/inject/rules"
	wait_for 60 test ! -e /sys/class/infiniband/glass1
	trace_off
	{ read -r owed; read -r waited; } < <(waits)
	((owed > 8)) || fail "$owed of 64 queue pairs owed anything: this test shows nothing"
	((waited <= 2)) || fail "$waited of $owed queue pairs were waited for, one after another"
	kill "${readers[@]}"
	echo clear >"$GLASS_DEBUGFS/glass1/inject/rules"
	wait_for 60 ports_active
}

# findings_of COMM: how many are kept of it; and how many were lost, of anybody
findings_of()
{
	awk -v comm="$1" '/^# glass 1 lint:/ { for (i = 5; i <= NF; i++) at[$i] = i - 4; next }
		!/^#/ && $at["comm"] == comm { n++ } END { print n + 0 }' "$GLASS_DEBUGFS/glass0/lint/findings"
}

# Who tells lint a lot has its own findings lost, and nobody else's. It cannot invent objects.
test_lint_of_one_who_floods()
{
	local lint=$GLASS_DEBUGFS/glass0/lint i
	echo 'add all codes=GL003 log' >"$lint/scope"
	echo 1 >"$lint/clear"
	for i in 1 2 3; do
		assert_eq "$(lint_flood)" 300 "findings about own objects, run $i"
		assert_eq "$(findings_of lint_flood)" $((i * 256)) "findings that are kept after run $i"
		assert_eq "$(sed -n 's/^lost: //p' "$lint/stats")" $((i * 44)) "findings that are lost"
	done
	# the first of a run was counted again after the share was used up
	assert_eq "$(awk '/^# glass 1 lint:/ { for (i = 5; i <= NF; i++) at[$i] = i - 4; next } !/^#/ && $at["count"] == 2' \
		"$lint/findings" | wc -l)" 3 "findings that were counted twice"
	(($(dmesg | grep -c 'GL003 lint_flood') < 100)) || fail "the kernel's log is flooded"
	echo clear >"$lint/scope"
	echo 1 >"$lint/clear"
}

# turns_of PID...: in the file "trace": how many turns its queue pairs had
turns_of()
{
	grep -c "^glass_turn .*owner=$1 " trace || :
}

# span: seconds between the first and the last line of the trace as it is in the kernel
span()
{
	sed -n 's/^.*[^0-9]\([0-9]*\.[0-9]*\): glass_.*/\1/p' "$TRACING/trace" | awk 'NR == 1 { from = $1 } END { print $1 - from }'
}

# at_most WHAT COUNT RATE SECONDS: not more than RATE a second
at_most()
{
	awk -v n="$2" -v rate="$3" -v s="$4" 'BEGIN { exit !(n <= rate * s) }' || fail "$1: $2 in $4 s, more than $3 a second"
}

# A program that sleeps causes 200 turns and 400 packets a second at most, however many queue pairs try in vain.
sleeps()
{
	local n=$1 turns packets seconds
	start sleeper.log neighbour --count "$n" sleep
	wait_for 60 grep -q ready sleeper.log
	# all of them have become patient when the first has had its turn again
	trace_on glass_qp_retry
	wait_for 120 grep -Eq 'round=[0-9]{2,} ' "$TRACING/trace"
	trace_on glass_turn glass_pkt_tx
	wait_for 60 turned 300
	seconds=$(span)
	trace_off
	turns=$(turns_of "$STARTED")
	packets=$(grep -c '^glass_pkt_tx ' trace)
	echo "$n pairs: $turns turns and $packets packets in $seconds s"
	at_most turns "$turns" 200 "$seconds"
	at_most packets "$packets" 400 "$seconds"
	kill "$STARTED"
	wait "$STARTED" || :
}

# turned COUNT: are so many turns in the trace?
turned()
{
	(($(grep -c ': glass_turn: ' "$TRACING/trace") >= $1))
}

# traced COUNT: as turned, of any event. A trace that grows faster than it is read is not read.
traced()
{
	(($(cat "$TRACING"/per_cpu/cpu*/stats | awk '/^entries:/ { n += $2 } END { print n + 0 }') >= $1))
}

test_sleeper_of_four()
{
	sleeps 4
}

test_sleeper_of_many()
{
	sleeps 300
}

# Who waited in vain goes on at once when the peer is back: the first answer lets the next one try.
test_patience_is_rewarded()
{
	mkfifo go
	exec 7<>go
	neighbour --count 300 wait >wait.log 2>&1 <&7 &
	local pid=$! tries
	wait_for 60 grep -q ready wait.log
	trace_on glass_qp_retry
	wait_for 120 grep -Eq 'round=[0-9]{2,} ' "$TRACING/trace"
	trace_on glass_qp_retry
	echo >&7
	finish "$pid" wait.log
	trace_off
	grep -q received wait.log || fail "not all was received"
	# one by one, in the pace of who tries in vain, would be 300 tries more
	tries=$(grep -c '^glass_qp_retry ' trace || :)
	((tries < 150)) || fail "$tries tries in vain after the peer was back"
}

# turns_are_short WHAT: in the file "trace"
turns_are_short()
{
	awk -F'[= ]' '/^glass_turn/ && ($(NF - 2) > 68 || $NF > 32) { print; bad = 1 } END { exit bad }' trace || fail "$1: a turn was longer than a turn"
}

# Not longer than a turn, whatever a queue pair has to do.
test_turns_are_short()
{
	local what
	for what in "--count 16384 flush-recv" "--count 16384 flush-send" "--count 64 flood"; do
		# shellcheck disable=SC2086
		start neighbour.log neighbour $what
		wait_for 60 grep -q ready neighbour.log
		trace_on glass_turn
		wait_for 60 traced 300
		trace_off
		echo "$what: $(turns_of "$STARTED") turns, $(sort -t= -k6n trace | tail -n 1), $(sort -t= -k7n trace | tail -n 1)"
		turns_are_short "$what"
		kill "$STARTED"
		wait "$STARTED" || :
	done
}

# between OWNER: turns of one other owner between two of OWNER's on a lane, while OWNER has more to do: the largest number
between()
{
	awk -v victim="$1" '/^glass_turn / {
		for (i = 2; i <= NF; i++) { split($i, a, "="); f[a[1]] = a[2] }
		lane = f["lane"]; who = f["owner"]
		if (lane < 0 || who == 0) next
		if (who == victim) {
			seen++
			delete n
			busy[lane] = (f["sent"] >= 64 || f["wrs"] >= 32)
		} else if (busy[lane] && ++n[lane, who] > most) {
			most = n[lane, who]
		}
	} END { print seen + 0, most + 0 }' trace
}

# With one queue pair, and with all that a neighbour does, a tenant has one turn for each of the neighbour.
test_turns_are_by_tenant()
{
	local victim seen=0 more most round
	start victim.log neighbour --count 1 flood
	victim=$STARTED
	wait_for 60 grep -q ready victim.log
	# another user: nobody
	setpriv --reuid 65534 --regid 65534 --clear-groups neighbour --count 64 flood >nasty.log 2>&1 &
	local nasty=$!
	wait_for 60 grep -q ready nasty.log
	# a machine that has no CPU for the victim's program gives it few turns, too: then a few times more
	for ((round = 0; seen <= 100 && round < 20; round++)); do
		trace_on glass_turn
		wait_for 60 traced 20000
		trace_off
		read -r more most < <(between "$victim")
		echo "turns: $more of the victim, $(turns_of "$nasty") of the other; between two of the victim $most at most"
		((most <= 1)) || fail "$most turns of the neighbour between two of the victim"
		((seen += more)) || :
	done
	((seen > 100)) || fail "the victim had $seen turns"
	kill "$victim" "$nasty"
	wait "$victim" "$nasty" || :
}

# doorbells: in the trace as it is in the kernel: turns in doorbells, and how many of them were of another process's queue pairs
doorbells()
{
	awk '/: glass_turn: .* lane=-/ {
		task = $1; sub(/.*-/, "", task)
		owner = $0; sub(/.* owner=/, "", owner); sub(/ .*/, "", owner)
		n++; others += owner != task
	} END { print n + 0, others + 0 }' "$TRACING/trace"
}

# A doorbell runs queue pairs of its own group. Another group's answer on a lane: they would wait for a program that is stopped.
test_doorbells_run_their_own_group()
{
	local all others
	trace_on glass_turn
	pair glass0 glass1 ibv_rc_pingpong -n 300 -e
	read -r all others < <(doorbells)
	((others > 0)) || fail "none of $all turns in doorbells was another process's of the same user: this test shows nothing"
	trace_on glass_turn
	next_port
	start server.log ibv_rc_pingpong -n 300 -e -d glass0 -p "$TCP_PORT"
	wait_for 20 listening_or_gone "$TCP_PORT" "$STARTED"
	setpriv --reuid 65534 --regid 65534 --clear-groups ibv_rc_pingpong -n 300 -e -d glass1 -p "$TCP_PORT" localhost
	finish "$STARTED" server.log
	echo 0 >"$TRACING/events/enable"
	read -r all others < <(doorbells)
	echo "$all turns in doorbells, $others of another user's queue pairs"
	((all > 0)) || fail "no turn in a doorbell"
	assert_eq "$others" 0 "turns of another user's queue pairs in a doorbell"
}

# group_turns WHAT: neighbour with a group of as many members as a user may have in one, all of the work in short turns
group_turns()
{
	trace_on glass_turn
	setpriv --reuid 65534 --regid 65534 --clear-groups neighbour --count 256 "$1" >group.log 2>&1 || { cat group.log; fail "$1 failed"; }
	trace_off
	grep -q received group.log || fail "$1: not all was received"
	echo "$1: $(grep -c ^glass_turn trace) turns, $(sort -t= -k6n trace | tail -n 1)"
	turns_are_short "$1"
}

# One datagram goes to 256 members, and its sender has no longer turns for it. Each gets each once, and in order.
test_group_of_many()
{
	group_turns group
}

# Who leaves the group meanwhile takes nothing from the others, and waits for nobody.
test_group_that_shrinks()
{
	group_turns group-shrinks
}

# The sender is destroyed meanwhile: members have gaps nowhere but at its end.
test_group_without_its_sender()
{
	group_turns group-sender
}

# died_of REASON: packets of glass0
died_of()
{
	awk -v reason="$1" '!/^#/ && $2 == reason { n += $3 } END { print n + 0 }' "$GLASS_DEBUGFS/glass0/drops"
}

# A sender is killed while it has copies to make: they are not made, and nothing is left of it.
test_killed_amid_copies()
{
	local before i
	before=$(died_of not_copied)
	for ((i = 0; i < 10; i++)); do
		start flood.log setpriv --reuid 65534 --regid 65534 --clear-groups neighbour --count 256 group-flood
		wait_for 60 grep -q ready flood.log
		trace_on glass_turn
		wait_for 60 traced 100
		trace_off
		turns_are_short group-flood
		kill -KILL "$STARTED"
		wait "$STARTED" || :
		wait_for 30 no_groups
		(($(died_of not_copied) == before)) || break
	done
	((i < 10)) || fail "no copy of ten senders was left to be made: this test shows nothing"
	# the driver warns when a user's books are closed and something is charged yet
	wait_for 30 eval '! grep -q "^65534 " "$GLASS_DEBUGFS/glass0/share"'
}

no_groups()
{
	! grep -q ff12:a01b:fe80 "$GLASS_DEBUGFS/glass0/mcast"
}
