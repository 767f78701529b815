# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# long: many tenants, each measured alone and beside another
# takes 250
# What one tenant does, and another must not pay for. Counted are turns, packets and waits, not seconds.

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

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
# sleeps COUNT WHAT: of so many pairs
sleeps()
{
	local n=$1 turns packets seconds
	start sleeper.log neighbour --count "$n" "$2"
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
	sleeps 4 sleep
}

test_sleeper_of_many()
{
	sleeps 300 sleep
}

# The peers advertise no credits, and each try is a probe.
test_sleeper_with_probes()
{
	sleeps 300 probe
}

# The receive buffers are pages on demand that never come.
test_sleeper_with_absent_pages()
{
	[[ -e /proc/sys/vm/unprivileged_userfaultfd ]] || skip "this kernel has no userfaultfd"
	sleeps 100 stuck
}

# failed COUNT COMM: are so many queue pairs of that program in ERR?
failed()
{
	(($(awk -v comm="$2" 'NR == 1 { sub(/^# glass 1 qp: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["comm"] == comm && tolower($at["state"]) == "err" { n++ } END { print n + 0 }' "$GLASS_DEBUGFS/glass0/qp") == $1))
}

# With a dead peer and the smallest ACK timeout, a queue pair makes its eight tries, of one packet each but for the first; then it is
# in ERR, and costs nothing.
test_sleeper_with_dead_peers()
{
	local sleeper packets turns i
	trace_on glass_turn glass_pkt_tx
	start sleeper.log neighbour --count 100 dead
	sleeper=$STARTED
	wait_for 60 failed 100 neighbour
	trace_off
	turns=$(turns_of "$sleeper")
	# the first try is 16 packets, of which each may be the only one in its doorbell
	packets=$(grep -c '^glass_pkt_tx dev=glass0 ' trace)
	echo "100 pairs: $turns turns and $packets packets"
	((packets >= 800)) || fail "$packets packets: this test shows nothing"
	((packets <= 100 * (16 + 7) + 50)) || fail "$packets packets of 100 queue pairs"
	# timers that run still have their turn
	for ((i = 0, turns = 1; turns && i < 5; i++)); do
		trace_on glass_turn
		pair glass0 glass1 ibv_rc_pingpong -n 100
		trace_off
		turns=$(turns_of "$sleeper")
	done
	assert_eq "$turns" 0 "turns of queue pairs in ERR"
	kill "$sleeper"
	wait "$sleeper" || :
}

# Their timeouts come one after another, also when each is a second apart.
test_sleeper_with_late_timeouts()
{
	local sleeper turns packets seconds
	start sleeper.log neighbour --count 1000 --timeout 18 dead
	sleeper=$STARTED
	wait_for 60 grep -q ready sleeper.log
	trace_on glass_qp_retry
	wait_for 60 traced 1
	trace_on glass_turn glass_pkt_tx
	wait_for 60 turned 600
	seconds=$(span)
	trace_off
	turns=$(turns_of "$sleeper")
	packets=$(grep -c '^glass_pkt_tx ' trace)
	echo "1000 pairs: $turns turns and $packets packets in $seconds s"
	at_most turns "$turns" 200 "$seconds"
	at_most packets "$packets" 400 "$seconds"
	kill "$sleeper"
	wait "$sleeper" || :
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

# turns_a_doorbell: of the raw trace (api and turns): how many doorbells there were, and the most turns in one of them
turns_a_doorbell()
{
	awk '{ match($0, /-[0-9]+ +\[/); task = substr($0, RSTART + 1, RLENGTH - 2) + 0 }
		/: glass_api_enter: .* verb=post_send .* doorbell$/ { rings[task] = 1; n[task] = 0; doorbells++ }
		/: glass_turn: .* lane=-1 / { if (rings[task] && ++n[task] > most) most = n[task] }
		/: glass_api_exit: .* verb=post_send / { delete rings[task] }
		END { print doorbells + 0, most + 0 }' "$TRACING/trace"
}

# A doorbell has 32 turns at most, whatever it is rung for, and leaves the rest to a lane. No turn is longer than a turn.
test_doorbells_are_bounded()
{
	local what doorbells most i
	for what in "--count 256 bell-write" "--count 4096 bell-local" "--count 4096 bell-flush" "--count 4096 ud-nobody" \
		"--count 1024 mcast"; do
		# shellcheck disable=SC2086
		start nuisance.log taskset -c 0 nuisance $what
		wait_for 60 grep -q ready nuisance.log
		for ((i = 0, doorbells = 0; doorbells < 3 && i < 10; i++)); do
			# the newest events are enough, and soon read; those of one task are all in the buffer of its CPU
			TRACE_KB=1024 trace_on glass_turn glass_api_enter glass_api_exit
			wait_for 60 traced 2000
			trace_off
			read -r doorbells most < <(turns_a_doorbell)
		done
		echo "$what: $doorbells doorbells, $most turns at most"
		((doorbells >= 3 && most >= 16)) || fail "$what: $doorbells doorbells, $most turns in one of them: this shows nothing"
		((most <= 32)) || fail "$what: $most turns in one doorbell"
		awk -F'[= ]' '/^glass_turn/ && ($(NF - 2) > 68 || $NF > 32) { print; bad = 1 } END { exit bad }' trace || fail "$what: a turn was longer than a turn"
		kill "$STARTED"
		wait "$STARTED" || :
	done
}

# between OWNER: OWNER's turns on lanes; the most turns of one other owner between two of them on a lane, while OWNER has more
# to do; and all such turns of others
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
		} else if (busy[lane]) {
			met++
			if (++n[lane, who] > most) most = n[lane, who]
		}
	} END { print seen + 0, most + 0, met + 0 }' trace
}

# With one queue pair, and with all that a neighbour does, a tenant has one turn for each of the neighbour.
# by_tenant COMMAND...: the neighbour, run by another user
by_tenant()
{
	local victim nasty seen=0 more most round met=0 others
	# on one CPU, and so on one lane: a neighbour with one queue pair would have the other lane for itself
	start victim.log taskset -c 0 neighbour --count 1 flood-large
	victim=$STARTED
	wait_for 60 grep -q ready victim.log
	start nasty.log taskset -c 0 setpriv --reuid 65534 --regid 65534 --clear-groups prlimit --memlock=unlimited "$@"
	nasty=$STARTED
	wait_for 60 grep -q ready nasty.log
	# a machine that has no CPU for the victim's program gives it few turns, too: then a few times more
	for ((round = 0; (seen <= 100 || met <= 50) && round < 20; round++)); do
		trace_on glass_turn
		wait_for 60 traced 10000
		trace_off
		read -r more most others < <(between "$victim")
		echo "turns: $more of the victim, $others of the other between them; between two of the victim $most at most"
		((most <= 1)) || fail "$most turns of the neighbour between two of the victim"
		((seen += more, met += others)) || :
	done
	((seen > 100)) || fail "the victim had $seen turns"
	((met > 50)) || fail "the neighbour had $met turns while the victim waited: this shows nothing"
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

# group_turns WHAT: the program "group" with as many members as a user may have in one, all of the work in short turns
group_turns()
{
	trace_on glass_turn
	setpriv --reuid 65534 --regid 65534 --clear-groups group --count 256 "$1" >group.log 2>&1 || { cat group.log; fail "$1 failed"; }
	trace_off
	grep -q received group.log || fail "$1: not all was received"
	echo "$1: $(grep -c ^glass_turn trace) turns, $(sort -t= -k6n trace | tail -n 1)"
	turns_are_short "$1"
}

# One datagram goes to 256 members, and its sender has no longer turns for it. Each gets each once, and in order.
test_group_of_many()
{
	group_turns all
}

# Who leaves the group meanwhile takes nothing from the others, and waits for nobody.
test_group_that_shrinks()
{
	group_turns shrinks
}

# The sender is destroyed meanwhile: members have gaps nowhere but at its end.
test_group_without_its_sender()
{
	group_turns sender
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
		start flood.log setpriv --reuid 65534 --regid 65534 --clear-groups group --count 256 flood
		wait_for 60 grep -q ready flood.log
		trace_on glass_turn
		wait_for 60 traced 100
		trace_off
		turns_are_short flood
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

test_turns_are_by_tenant()
{
	by_tenant neighbour --count 64 flood-large
}

test_turns_are_by_tenant_who_flushes()
{
	by_tenant neighbour --count 16384 flush-recv
}

test_turns_are_by_tenant_who_works_locally()
{
	by_tenant nuisance --count 4096 bell-local
}

test_turns_are_by_tenant_who_sends_to_itself()
{
	by_tenant nuisance --count 1024 mcast
}
