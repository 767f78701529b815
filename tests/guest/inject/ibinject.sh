# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 50
# ibinject: what it asks the driver for happens, and what it tells is what happened.

LIMIT=120

setup()
{
	# what other suites left listed
	ibinject clear
	start_opensm
}

cleanup()
{
	ibinject clear
	stop_opensm
}

# told TEXT REGEX: a pattern that a file must have
told()
{
	grep -qE -- "$2" "$1" || {
		cat "$1"
		fail "$1 has no /$2/"
	}
}

# listed DEVICE NAME KEY: what `ibinject list` tells of a rule
listed()
{
	ibinject list --json "$1" | jq -r --arg name "$2" --arg key "$3" '.[] | select(.name == $name) | .[$key] // .keys[$key]'
}

is_listed()
{
	[[ -n $(listed "$1" "$2" name) ]]
}

none_listed()
{
	[[ $(ibinject list --json | jq length) == 0 ]]
}

# of_traffic KIND COLUMN: the object of the running program on glass1
of_traffic()
{
	paste -d' ' <(column "$GLASS_DEBUGFS/glass1/$1" pid) <(column "$GLASS_DEBUGFS/glass1/$1" "$2") |
		awk -v pid="$STARTED" '$1 == pid { print $2; exit }'
}

# object KIND COLUMN WORD EVENT [OPTION...]: what the shorthand does to a running program; it must be told.
object()
{
	local kind=$1 col=$2 word=$3 event=$4 status=0
	shift 4
	start log traffic "$@"
	wait_for 20 in_file log '^running'
	ibinject "$kind" "glass1:$(of_traffic "$kind" "$col")" "$word" --name "dead" >name
	assert_eq "$(<name)" dead "name that was told"
	wait "$STARTED" || status=$?
	assert_eq "$status" 3 "status of traffic (3: an error was told)"
	told log "$event"
	assert_eq "$(listed glass1 dead hit)" 1 "hits"
	ibinject del dead
	none_listed || fail "the rule is still there"
}

test_qp() { object qp qpn fatal 'event qp_fatal'; }
test_cq() { object cq cqn overrun 'event (cq_err|qp_fatal)'; }
test_srq() { object srq srqn fatal 'event srq_err' --srq --mode send; }

# Of an object that one device has, it is found out which.
test_object_tells_the_device()
{
	local status=0 qpn
	start log traffic
	wait_for 20 in_file log '^running'
	qpn=$(of_traffic qp qpn)
	ibinject qp "$qpn" fatal --dry-run
	if column "$GLASS_DEBUGFS/glass0/qp" qpn | grep -qx "$qpn"; then
		refuses ibinject qp "$qpn" fatal
		assert_match "$REFUSAL" "several devices have qp qpn=$qpn: glass0 glass1"
		ibinject qp "glass1:$qpn" fatal
	else
		ibinject qp "$qpn" fatal 2>err
		told err 'on glass1'
	fi
	wait "$STARTED" || status=$?
	assert_eq "$status" 3 "status of traffic (3: an error was told)"
	ibinject clear
}

# What the driver refuses is shown in the rule as it was typed.
test_driver_refuses()
{
	refuses ibinject add glass0 act=qp_fatal qpn=0xfffff1
	assert_match "$REFUSAL" 'qpn=0xfffff1: no such QP on glass0
  act=qp_fatal qpn=0xfffff1
               \^{12}$'
	refuses ibinject drop glass0 --port 77
	assert_match "$REFUSAL" 'port=77: no such port on glass0
  act=drop port=77
           \^{7}$'
	ibinject drop glass0 --wr_id 1 --name one
	refuses ibinject drop glass0 --wr_id 1 --name one
	assert_match "$REFUSAL" 'name=one: there is a rule of this name'
	ibinject clear glass0
	refuses ibinject del glass0 one
	assert_match "$REFUSAL" 'one: no rule of this name'
}

# Whatever the table of actions has for packets, completions and verbs is taken.
test_every_action_is_taken()
{
	local act n=0
	for act in $(ibinject help actions | awk '/^  / && $2 ~ /^[PCV]$/ { print $1 }'); do
		local -a more=(--qpn 0xfffff1)
		[[ $act == nak ]] && more+=(--code psn_seq)
		[[ $act == cqe_error ]] && more+=(--status loc_prot_err)
		[[ $act == fail ]] && more=(--pid 99999999 --verb reg_mr --err ENOMEM)
		ibinject "$act" glass0 --name "try_$act" "${more[@]}"
		assert_eq "$(listed glass0 "try_$act" act)" "$act" "action of the rule"
		n=$((n + 1))
	done
	((n >= 15)) || fail "only $n actions were tried"
	ibinject clear
	none_listed || fail "rules are left after clear"
}

test_not_root()
{
	local status=0
	setpriv --reuid 65534 --clear-groups ibinject list >out 2>&1 || status=$?
	assert_eq "$status" 3 "status"
	told out "only root may use injection; run this program as root"
}

test_run()
{
	local status=0
	ibinject run -j fired.json -r 'glass0: name=third op=send nth=3 act=drop' -r 'glass1: op=ack dir=tx nth=5 act=drop' \
		-- traffic --mode send --count 100 2>err
	told err 'glass0 third fired 1 of [0-9]+ times: name=third op=send nth=3 act=drop'
	told err 'glass1 run\.2 fired 1 of [0-9]+ times: op=ack dir=tx nth=5 act=drop'
	assert_eq "$(jq -c '[.rules[].hit]' fired.json)" '[1,1]' "hits in the JSON"
	assert_eq "$(jq -c '[.journal[] | select(.name == "third") | .act, .op, .n]' fired.json)" '["drop","send",3]' "journal in the JSON"
	assert_eq "$(jq .status fired.json)" 0 "status in the JSON"
	none_listed || fail "the rules are still there"
	ibinject run -q -r 'glass0: op=send act=dup' -- sh -c 'exit 42' || status=$?
	assert_eq "$status" 42 "status of the command"
	status=0
	ibinject run -q -r 'glass0: act=drop port=77' -- touch ran 2>err || status=$?
	assert_eq "$status" 121 "status of a refused rule"
	[[ ! -e ran ]] || fail "the command ran without its rule"
	told err '^  glass0: act=drop port=77$'
}

is_over()
{
	[[ $(listed "$1" "$2" over) == "$3" ]]
}

# However ibinject ends: its rules act no more.
test_rules_end_with_a_killed_run()
{
	start run.log ibinject run -r 'glass0: name=mine op=send act=drop wr_id=0xffffffffff' -- traffic
	wait_for 20 is_listed glass0 mine
	wait_for 20 in_file run.log '^running'
	assert_eq "$(listed glass0 mine tie)" fd "tie"
	is_over glass0 mine null || fail "over: $(listed glass0 mine over)"
	kill -KILL "$STARTED"
	wait_for 10 is_over glass0 mine tie
	ibinject clear glass0
}

test_watch()
{
	start watch.log ibinject watch --count 2 glass0
	local watch=$STARTED
	opened() { [[ -n $(find "/proc/$watch/fd" -lname '*/glass0/inject/journal' 2>/dev/null) ]]; }
	wait_for 10 opened
	ibinject run -q -r 'glass0: name=seen op=send every=10 budget=2 act=dup' -- traffic --mode send --count 50
	finish "$watch" watch.log
	assert_eq "$(grep -cE '^ *[0-9]+\.[0-9]{6} glass0 seen dup port=1 dir=tx qpn=0x[0-9a-f]+ nqp=1 ' watch.log)" 2 "lines"
	grep -q $'\033' watch.log && fail "colours in a file"
	:
}

test_status()
{
	local before
	before=$(ibinject status --json glass0 | jq '.[0].fired')
	ibinject run -q -r 'glass0: op=send nth=2 act=dup' -- traffic --mode send --count 20
	assert_eq "$(ibinject status --json glass0 | jq '.[0].fired')" $((before + 1)) "fired"
}

test_scenario()
{
	cat >good.yaml <<'END'
device: glass0
limit: 60s
steps:
  - add: name=loss op=send nth=3 act=drop
  - after: loss
    bookmark: the loss
  - add: name=later op=send every=5 act=dup
  - expect: {rule: later, fired: 2..1000000000, within: 20s}
  - del: later
  - expect: {rule: loss, fired: 1}
END
	local trace=/sys/kernel/tracing status=0
	echo >$trace/trace
	echo 1 >$trace/events/glass/glass_bookmark/enable
	ibinject scenario -j out.json good.yaml -- traffic --mode send --count 30000
	echo 0 >$trace/events/glass/glass_bookmark/enable
	grep -q 'the loss' $trace/trace || fail "no bookmark in the trace"
	assert_eq "$(jq .unmet out.json)" 0 "unmet expectations"
	none_listed || fail "rules are left"
	sed 's/fired: 1}/fired: 2}/' good.yaml >bad.yaml
	ibinject scenario bad.yaml -- traffic --mode send --count 30000 2>err || status=$?
	assert_eq "$status" 124 "status of an expectation that was not met"
	told err 'bad.yaml:10:5: rule loss fired 1 times, not 2'
}

# The scenario that the documentation shows, as it stands.
test_scenario_of_the_docs()
{
	sed -n '/^```yaml$/,/^```$/p' "$TESTS/../docs/ibinject.md" | sed '1d;$d' >docs.yaml
	told docs.yaml 'step: 2'
	ibinject scenario -v docs.yaml -- traffic --mode write 2>err &
	local scenario=$!
	wait_for 40 in_file err ': clear \(at'
	pkill -INT -P "$scenario" traffic
	finish "$scenario" err "the scenario"
	grep -E 'not reached|not [0-9]' err && fail "a step was not reached, or an expectation not met"
	none_listed || fail "rules are left"
}

# What no end of a rule heals is told then.
test_what_stays_broken()
{
	start log many_qps -n 1 --wait
	wait_for 20 in_file log ready
	local qpn
	qpn=$(of_process qp qpn)
	ibinject qp "glass0:$qpn" fatal --name dead
	ibinject del dead 2>err
	told err "glass0: qp $qpn of many_qps \(pid $STARTED\) stays broken"
	ibinject clear 2>err
	told err "glass0: qp $qpn of many_qps "
	kill "$STARTED"
	wait_for 20 gone "$STARTED"
	ibinject clear 2>err
	grep -q many_qps err && fail "it is told of a QP that is gone"
	:
}

# of_process KIND COLUMN: the object of the started program on glass0
of_process()
{
	paste -d' ' <(column "$GLASS_DEBUGFS/glass0/$1" pid) <(column "$GLASS_DEBUGFS/glass0/$1" "$2") |
		awk -v pid="$STARTED" '$1 == pid { print $2; exit }'
}

# A rule's number of a QP tells the device, and so do packets that wait.
test_packets_tell_the_device()
{
	start log traffic --mode send
	wait_for 20 in_file log '^running'
	local traffic=$STARTED
	ibinject hold "glass1:$(of_traffic qp qpn)" 'op==ack' --name stop
	wait_for 20 some_held
	ibinject step 2>err
	told err 'on glass1'
	ibinject release stop 2>err
	told err 'on glass1'
	ibinject del stop
	kill -INT "$traffic"
	finish "$traffic" log
}

some_held()
{
	ibinject held | grep -q '^dev=glass1 num='
}

# recorded FILE COMMAND...: what happens meanwhile
recorded()
{
	local file=$1 recorder
	shift
	start "$file.log" ibinject record -d glass0 "$file"
	recorder=$STARTED
	wait_for 10 in_file "$file.log" recording
	"$@"
	kill -INT "$recorder"
	finish "$recorder" "$file.log"
}

# The same seed hits the same packets; a replay hits them without the seed.
test_record_and_replay()
{
	local run seed status=0
	for run in 1 2 3; do
		seed=$((run > 2 ? 8 : 7))
		ibinject drop glass0 'comm==ibv_rc_pingpong && op==send' --prob 10% --seed $seed --name some
		recorded run.$run pair glass1 glass0 ibv_rc_pingpong -n 150
		ibinject clear glass0
	done
	told run.1 '^fired glass0 seq='
	ibinject journal-diff run.1 run.2 || fail "the second run met other faults"
	ibinject journal-diff run.1 run.3 >diff.out || status=$?
	assert_eq "$status" 4 "status of journals that differ"
	told diff.out '^\+ act=drop'
	start replay.log ibinject replay run.1
	local replay=$STARTED
	wait_for 10 in_file replay.log 'rules; SIGINT ends them'
	recorded run.4 pair glass1 glass0 ibv_rc_pingpong -n 150
	kill -INT "$replay"
	finish "$replay" replay.log
	told replay.log ' faults as recorded'
	ibinject journal-diff run.1 run.4 || fail "the replay met other faults"
	none_listed || fail "rules are left"
}

# Each fault once: what the program does then is told, and is not tried again.
LIMIT_test_sweep=240
test_sweep()
{
	local -a sweep=(ibinject sweep -d glass0 -a "drop,cqe_error" -f comm==traffic -n 1 -o results -- traffic --mode send --count 20)
	local status=0
	"${sweep[@]}" >matrix || status=$?
	cat matrix
	grep -q '[CHW]$' matrix && fail "a run crashed or hung"
	# traffic ends at once when it finds another order than it expects, and destroys nothing then
	((status == 0 || status == 4)) || fail "status $status"
	told matrix '^drop  +\.$'
	told matrix '^cqe_error status=loc_prot_err  +[eL]$'
	told matrix '^cqe_error status=rem_access_err  +[eL]$'
	none_listed || fail "rules are left"
	local lines
	lines=$(wc -l <results)
	"${sweep[@]}" >again || :
	cmp matrix again
	assert_eq "$(wc -l <results)" "$lines" "results after everything was known"
}
