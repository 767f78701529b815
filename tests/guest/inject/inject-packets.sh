# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 42
# Injection rules for packets: programs that know nothing of them meet the fault, and every observer tells of it.

# shellcheck source=tests/lib/inject.sh
. "$TESTS/lib/inject.sh"

LIMIT=180

setup()
{
	start_opensm
}

cleanup()
{
	quiet
	stop_opensm
}

clear()
{
	rule "$1" clear
	assert_eq "$(<"$GLASS_DEBUGFS/$1/inject/rules")" "" "rules after clear"
}

test_a_drop_is_seen_everywhere()
{
	quiet
	local before
	before=$(dropped glass0 injected)
	rule glass0 "add name=d1 qptype=rc op=send dir=tx nth=3 act=drop"
	trace_on glass_inject glass_pkt_drop
	pair glass1 glass0 ibv_rc_pingpong -n 10
	trace_off
	assert_eq "$(told glass0 d1 hit)" 1 "hits"
	assert_eq "$(($(dropped glass0 injected) - before))" 1 "drop_injected"
	assert_eq "$(firings glass0 d1 | wc -l)" 1 "journal"
	assert_match "$(firings glass0 d1)" 'act=drop port=1 dir=tx qpn=0x[0-9a-f]+ nqp=1 role=req op=send psn=[0-9]+ rpsn=[0-9]+ round=1 msg=[0-9]+ len=[0-9]+ n=3 pid=[0-9]+ comm=ibv_rc_pingpong'
	assert_eq "$(grep -c 'glass_inject dev=glass0 rule=d1 action=drop kind=qp' trace)" 1 "trace events of the rule"
	assert_eq "$(grep -c 'glass_pkt_drop dev=glass0 .* reason=injected place=tx' trace)" 1 "trace events of the drop"
	assert_match "$(grep '^fired' "$GLASS_DEBUGFS/glass0/inject/stats")" 'fired_drop: [1-9]'
	clear glass0
}

# The capture's comment names rule and reason.
test_a_capture_names_the_rule()
{
	quiet
	rule glass1 "add name=here qptype=rc op=send dir=rx nth=2 act=drop"
	start ibcap.log ibcap -w rx.pcapng -f 'dir==rx' glass1:1
	local cap=$STARTED
	wait_for 10 in_file ibcap.log capturing
	pair glass1 glass0 ibv_rc_pingpong -n 5
	kill -INT "$cap"
	finish "$cap" ibcap.log
	tshark -r rx.pcapng -T fields -e frame.comment >comments
	assert_eq "$(grep -c 'rule=here' comments)" 1 "comments with the rule"
	assert_match "$(grep 'rule=here' comments)" 'reason=injected'
	clear glass1
}

# An ACK that is swallowed: one that comes later says the same.
test_acks_are_swallowed()
{
	quiet
	local before
	before=$(dropped glass1 injected)
	rule glass1 "add name=mute op=ack dir=tx nth=1 act=drop"
	pair glass1 glass0 ibv_rc_pingpong -n 10
	assert_eq "$(told glass1 mute hit)" 1 "swallowed"
	assert_eq "$(($(dropped glass1 injected) - before))" 1 "drop_injected"
	clear glass1
}

test_duplicates()
{
	quiet
	local before
	before=$(dropped glass1 duplicate)
	rule glass0 "add name=twice qptype=rc op=send every=2 budget=4 copies=2 act=dup"
	pair glass1 glass0 ibv_rc_pingpong -n 20
	assert_eq "$(told glass0 twice hit)" 4 "hits"
	(($(dropped glass1 duplicate) >= before + 8)) || fail "the peer saw too few duplicates"
	clear glass0
}

test_delays()
{
	quiet
	rule glass1 "add name=slow qptype=uc op=send dir=rx nth=2 time=300ms act=delay"
	local from=${EPOCHREALTIME/./}
	pair glass1 glass0 ibv_uc_pingpong -n 10 -s 512
	((${EPOCHREALTIME/./} - from > 300000)) || fail "it was not late"
	assert_match "$(firings glass1 slow)" ' time_ns=300000000 set_pid='
	clear glass1
}

# What overtook it is a hole to the peer, which asks for it again.
test_reorder()
{
	quiet
	rule glass0 "add name=late op=write nth=3 act=reorder gap=2"
	message write 65536
	assert_eq "$(told glass0 late hit)" 1 "hits"
	clear glass0
}

# corrupt_and PARAMETERS REASON ERRORS: the packet dies at the peer, which counts ERRORS, and is sent again
corrupt_and()
{
	quiet
	local before errors
	before=$(dropped glass1 "$2")
	errors=$(port_attr glass1/1 counters/port_rcv_errors)
	rule glass0 "add name=bad qptype=rc op=send nth=2 seed=1 $1"
	pair glass1 glass0 ibv_rc_pingpong -n 5 -s 2048
	assert_eq "$(told glass0 bad hit)" 1 "hits of $1"
	assert_eq "$(($(dropped glass1 "$2") - before))" 1 "drop_$2 after $1"
	# what the CRCs show, PortRcvErrors counts (IBA 16.1.3.5)
	assert_eq "$(($(port_attr glass1/1 counters/port_rcv_errors) - errors))" "$3" "port_rcv_errors after $1"
	clear glass0
}

test_corrupt_payload()
{
	corrupt_and "act=corrupt" bad_vcrc 1
	assert_match "$(firings glass0 bad | tail -n 1)" ' comm=ibv_rc_pingpong at=[0-9]+ set_pid=[0-9]+ set_by=[^ ]+ set_uid=0$'
}
test_corrupt_vcrc() { corrupt_and "act=corrupt what=vcrc" bad_vcrc 1; }
test_truncate() { corrupt_and "act=truncate" bad_len 1; }

# With CRCs that fit, the QP believes what it reads: here another destination QP.
test_corrupt_header_with_good_crc()
{
	quiet
	# byte 13 is the first of the destination QP
	corrupt_and "act=corrupt what=header at=13 bits=8 crc=good" no_qp 0
}

test_truncate_with_good_crc()
{
	quiet
	rule glass0 "add name=short op=write nth=2 act=truncate keep=100 crc=good"
	refuses message write 65536
	assert_eq "$(told glass0 short hit)" 1 "hits"
	clear glass0
}

# The same seed and the same traffic: the same faults, told by the places of the packets.
test_same_seed_same_journal()
{
	quiet
	local run
	for run in 1 2 3; do
		rule glass0 "add name=some comm=ibv_rc_pingpong op=send prob=10% seed=$((run > 2 ? 8 : 7)) act=drop"
		pair glass1 glass0 ibv_rc_pingpong -n 200
		firings glass0 some | tail -n "$(told glass0 some hit)" |
			sed -E 's/^seq=[0-9]+ time=[0-9]+ //; s/ qpn=[^ ]+//; s/ psn=[^ ]+//; s/ pid=[^ ]+//' >journal."$run"
		clear glass0
	done
	[[ -s journal.1 ]] || fail "nothing was hit"
	diff journal.1 journal.2 || fail "the second run met other faults"
	! cmp -s journal.1 journal.3 || fail "another seed, the same faults"
}

# hit_by NAME TRIGGERS: which of ten packets a rule of that new name hits, by their numbers in the stream
hit_by()
{
	rule glass1 "add name=$1 qptype=uc op=send dir=rx act=delay time=1us $2"
	pair glass1 glass0 ibv_uc_pingpong -n 10 -s 512 >&2
	assert_eq "$(told glass1 "$1" eligible)" 10 "packets that '$2' was asked about"
	{ firings glass1 "$1" || :; } | sed 's/.* n=\([0-9]*\) .*/\1/' | paste -sd' '
	clear glass1
}

# With these probabilities each model goes through its states in turn.
test_models_of_loss()
{
	quiet
	assert_eq "$(hit_by turns gemodel=1,1,1,0)" "2 4 6 8 10" "packets of the bad state, and none of the good one"
	assert_eq "$(hit_by gap loss4=0,1,0,1,1)" "1 3 5 7 9" "single losses in the gap"
	assert_eq "$(hit_by burst loss4=1,0,1,1)" "1 3 5 7 9" "a burst in which every other packet is lost"
	assert_eq "$(hit_by end loss4=1,0)" "1 2 3 4 5 6 7 8 9 10" "a burst without end"
}

# What prob decided of the first packet holds for all: with some seeds all are hit, with the others none.
test_a_correlation_of_one()
{
	quiet
	local seed got all=0 none=0
	for seed in {1..4}; do
		got=$(hit_by "seed-$seed" "prob=50% corr=1 seed=$seed")
		case $got in
		'') none=$((none + 1)) ;;
		'1 2 3 4 5 6 7 8 9 10') all=$((all + 1)) ;;
		*) fail "seed $seed: $got" ;;
		esac
	done
	((all && none)) || fail "all with $all seeds, none with $none"
}

# nqp, rpsn and round name a packet of a program that does not run yet; sent again it is let through.
test_the_nth_packet_of_a_program_to_come()
{
	quiet
	rule glass0 "add name=p17 nqp=1 qptype=rc op=send rpsn=17 round=1 act=drop"
	pair glass1 glass0 ibv_rc_pingpong -n 40
	assert_match "$(firings glass0 p17 | tail -n 1)" ' nqp=1 role=req op=send psn=[0-9]+ rpsn=17 round=1 '
	assert_eq "$(told glass0 p17 hit)" 1 "hits"
	clear glass0
}

test_after_another_rule()
{
	quiet
	rule glass0 "add name=first qptype=rc op=send nth=5 act=drop"
	rule glass0 "add name=second qptype=rc op=send after=first act=dup budget=1"
	refused glass0 "add after=nobody act=drop" "after=nobody: no rule of this name"
	pair glass1 glass0 ibv_rc_pingpong -n 20
	assert_eq "$(told glass0 second hit)" 1 "hits of the second rule"
	local a b
	a=$(firings glass0 first | tail -n 1) b=$(firings glass0 second | tail -n 1)
	a=${a#seq=} b=${b#seq=}
	((${b%% *} > ${a%% *})) || fail "the second rule was first"
	clear glass0
}

# is_over DEVICE NAME WHY
is_over()
{
	[[ $(told "$1" "$2" over) == "$3" ]]
}

test_lifetimes()
{
	quiet
	start tail.log tail -f /dev/null
	# of RC: what the subnet manager sends meanwhile is no matter of theirs
	rule glass0 "add name=mine tie=$STARTED qptype=rc act=drop"
	rule glass0 "add name=short ttl=100ms act=drop wr_id=1"
	rule glass0 "add name=few qptype=rc op=send count=2 act=dup"
	refused glass0 "add name=x tie=99999999 act=drop" "tie=99999999: no such process"
	exec 5>"$GLASS_DEBUGFS/glass0/inject/rules"
	echo "add name=open tie=fd qptype=rc act=drop" >&5
	assert_eq "$(told glass0 open over)" "" "while the file is open"
	exec 5>&-
	is_over glass0 open tie || fail "the file was closed, and the rule lives"
	assert_eq "$(told glass0 mine over)" "" "while the process runs"
	kill "$STARTED"
	wait_for 10 is_over glass0 mine tie
	wait_for 10 is_over glass0 short ttl
	pair glass1 glass0 ibv_rc_pingpong -n 20
	wait_for 10 is_over glass0 few count
	assert_eq "$(told glass0 few hit)" 2 "hits of a rule with a count"
	assert_eq "$(told glass0 mine hit)" 0 "hits of a rule whose process died before"
	clear glass0
}

# put_off: how often the timer of a delayed work was set again, in the trace, before it went off: of the one with the most
put_off()
{
	awk '
		!/function=delayed_work_timer_fn/ { next }
		{ match($0, /timer=[^ ]+/); timer = substr($0, RSTART, RLENGTH) }
		/ timer_start: / && ++n[timer] > most { most = n[timer] }
		/ timer_expire_entry: / { n[timer]-- }
		END { print most + 0 }' "$TRACING/trace"
}

# Rules with lifetimes that come and go all the while put off no other's end.
test_a_lifetime_ends_while_rules_come_and_go()
{
	quiet
	local i times
	rule glass0 "add name=short ttl=100ms act=drop wr_id=1"
	trace_on timer/timer_start timer/timer_expire_entry
	for ((i = 0; i < 300; i++)); do
		rule glass0 "add name=other ttl=1h act=drop wr_id=1"
		rule glass0 "del name=other"
	done
	echo 0 >"$TRACING/events/timer/enable"
	times=$(put_off)
	((times < 30)) || fail "a timer was put off $times times by $i rules that came and went"
	wait_for 20 is_over glass0 short ttl
	clear glass0
}

# What waits goes on its way when the rule ends.
test_healed_by_clear()
{
	quiet
	rule glass0 "add name=never qptype=uc op=send time=1h act=delay count=1"
	next_port
	start server.log ibv_uc_pingpong -d glass1 -p "$TCP_PORT" -n 5 -s 512
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	start client.log ibv_uc_pingpong -d glass0 -p "$TCP_PORT" -n 5 -s 512 localhost
	# shellcheck disable=SC2317
	waits() { grep -q '^waiting: 1$' "$GLASS_DEBUGFS/glass0/inject/stats"; }
	wait_for 20 waits
	clear glass0
	finish "$STARTED" client.log
	finish "$server" server.log
	assert_match "$(<"$GLASS_DEBUGFS/glass0/inject/stats")" 'waiting: 0'
}

# Rules can be read and written again.
test_rules_read_back()
{
	quiet
	rule glass0 "add name=a op=send,write psn=5..9 prob=2.5% act=drop"
	rule glass0 "add dir=rx act=delay time=2ms jitter=1ms dist=pareto"
	sed -E 's/ (hit|eligible)=[0-9]+//g' "$GLASS_DEBUGFS/glass0/inject/rules" >rules.1
	clear glass0
	local line
	while read -r line; do
		rule glass0 "$line hit=9 eligible=10"
	done <rules.1
	sed -E 's/ (hit|eligible)=[0-9]+//g' "$GLASS_DEBUGFS/glass0/inject/rules" >rules.2
	diff rules.1 rules.2
	clear glass0
}

test_what_is_wrong_is_told()
{
	quiet
	refused glass0 "add act=drop frobnicate=1" "frobnicate=1: unknown key"
	refused glass0 "add act=drop port=77" "port=77: no such port on glass0"
	refused glass0 "add act=rnr qptype=ud" "qptype=ud: only RC has NAKs, RNR NAKs and ACKs"
	refused glass0 "del name=nobody" "name=nobody: no rule of this name"
	rule glass0 "add name=one act=drop wr_id=1"
	refused glass0 "add name=one act=drop" "name=one: there is a rule of this name"
	clear glass0
}

# Who reads the journal while it is written gets whole lines: a corruption has the place of its bit.
test_lines_of_the_journal_are_whole()
{
	quiet
	# seldom enough that no message spends its retries
	rule glass0 "add name=c comm=traffic op=send prob=2% seed=1 act=corrupt"
	start traffic.log traffic --mode send --size 64
	local traffic=$STARTED reads=0
	while (($(told glass0 c hit) < 500)); do
		gone "$traffic" && fail "traffic ended: $(<traffic.log)"
		cat "$GLASS_DEBUGFS/glass0/inject/journal" >>lines
		reads=$((reads + 1))
	done
	kill -INT "$traffic"
	finish "$traffic" traffic.log
	echo "$reads reads"
	((reads > 1)) || fail "it was not read while it was written"
	grep ' name=c ' lines >of_c
	grep -v ' at=[0-9]' of_c && fail "lines without the bit"
	clear glass0
}

# pages_asked_for: by this shell since the histogram began
pages_asked_for()
{
	sed -n 's/^{ order: *\([0-9]*\) } hitcount: *\([0-9]*\)$/\1 \2/p' "$TRACING/events/kmem/mm_page_alloc/hist" |
		awk '{ pages += $2 * 2 ^ $1 } END { print pages + 0 }'
}

# The thousandth rule costs as much as the first one.
test_thousands_of_rules()
{
	quiet
	local i line few many trigger="hist:keys=order if common_pid == $BASHPID"
	for ((i = 1; i <= 4096; i++)); do
		echo "add name=n$i qpn=$((0xf00000 + i)) op=send act=drop"
	done >lines
	echo "$trigger" >"$TRACING/events/kmem/mm_page_alloc/trigger"
	# shellcheck disable=SC2064  # by the names of now
	trap "echo '!$trigger' >'$TRACING/events/kmem/mm_page_alloc/trigger'" EXIT
	i=0
	while read -r line; do
		echo "$line" >"$GLASS_DEBUGFS/glass0/inject/rules"
		((++i != 1024)) || few=$(pages_asked_for)
	done <lines
	many=$(pages_asked_for)
	echo "pages of 4 KiB: $few for 1024 rules, $many for 4096"
	((many > 0 && many < 7 * few)) || fail "four times as many rules take $many pages, not four times $few"
	assert_eq "$(wc -l <"$GLASS_DEBUGFS/glass0/inject/rules")" 4096 "rules"
	refused glass0 "add act=drop" "too many rules (4096 are the limit), delete some"
	pair glass1 glass0 ibv_rc_pingpong -n 100
	assert_eq "$(grep -c 'hit=0 eligible=0' "$GLASS_DEBUGFS/glass0/inject/rules")" 4096 "rules that hit nothing"
	clear glass0
}

# hit_rules: the names of those that fired
hit_rules()
{
	sed -n 's/^add name=\([^ ]*\) .* hit=[1-9].*/\1/p' "$GLASS_DEBUGFS/glass0/inject/rules" | tr '\n' ' '
}

# However many come and go, the oldest of those that are left is asked first, and one that is gone is never asked.
test_rules_come_and_go()
{
	quiet
	local i
	for ((i = 1; i <= 300; i++)); do
		rule glass0 "add name=n$i comm=ibv_rc_pingpong op=send act=dup"
	done
	pair glass1 glass0 ibv_rc_pingpong -n 5
	assert_eq "$(hit_rules)" "n1 " "rules that fired"
	for i in {2..200..2} {199..1..2}; do
		((i == 150)) || rule glass0 "del name=n$i"
	done
	rule glass0 "add name=last comm=ibv_rc_pingpong op=send act=dup"
	assert_eq "$(wc -l <"$GLASS_DEBUGFS/glass0/inject/rules")" 102 "rules"
	pair glass1 glass0 ibv_rc_pingpong -n 5
	assert_eq "$(hit_rules)" "n150 " "rules that fired"
	rule glass0 "del name=n150"
	for i in {300..201}; do
		rule glass0 "del name=n$i"
	done
	pair glass1 glass0 ibv_rc_pingpong -n 5
	assert_eq "$(hit_rules)" "last " "rules that fired"
	rule glass0 "del name=last"
	pair glass1 glass0 ibv_rc_pingpong -n 5
	# names are free again
	rule glass0 "add name=n1 comm=ibv_rc_pingpong op=send act=dup"
	refused glass0 "add name=n1 act=dup" "name=n1: there is a rule of this name"
	clear glass0
}
