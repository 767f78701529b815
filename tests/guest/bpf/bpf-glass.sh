# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The BPF tools on Glass: a known number of everything, told exactly, and at the times of the trace. All of them watch
# the same session, which setup makes; the tests look at what they told.
# takes 140
# long: the kernel's verifier looks at each tool

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"
# shellcheck source=tests/lib/bpf.sh
. "$TESTS/lib/bpf.sh"

LIMIT=120
LIMIT_setup=240
LIMIT_test_wrong_times_are_seen=300
SESSION=$STATE/bpf

# primes
WRITES=101
MESSAGES=7
DROPS=5
REGISTRATIONS=13
EVENTS=(glass_wr_post glass_wr_start glass_wr_complete glass_cqe glass_poll glass_qp_state glass_qp_retry glass_rnr glass_pkt_drop
	glass_pkt_tx glass_pkt_rx glass_api_enter glass_api_exit glass_async)

setup()
{
	ibinject clear
	[[ -r /sys/kernel/btf/vmlinux ]] || skip "this kernel has no type information (BTF)"
	start_opensm
	rm -rf "$SESSION"
	mkdir -p "$SESSION"
	cd "$SESSION" || fail "no $SESSION"
	before_on "${EVENTS[@]}"
	"$TESTS/guest/bpf/bpf-times" probes "$(provider_library)" glass_before | probes_on "$BEFORE" uprobe_events glass_before
	# what the subnet manager does at its own times is not counted
	tool wrlat wrlat -j -Q -O -f 'qpn>1 && status==success'
	tool ibcount ibcount -j -Q -O -f 'qpn>1'
	tool ibcount.qp ibcount -j -Q -N -r 0
	tool ibslower ibslower -j -Q -u 0 -f 'qpn>1 && status==success'
	tool ibdrop ibdrop -j -Q -e
	tool ibretry ibretry -j -Q
	tool qpstate qpstate -j -Q
	tool mrlat mrlat -j -Q -e -f 'comm=="register"'
	tool cqfill cqfill -j -Q -H -f 'comm=="traffic"'
	tool ibasync ibasync -j -Q
	tool ibflow ibflow -j -Q -n 3 -f 'comm=="message"'
	tool verbssnoop verbssnoop -j -Q -a -f 'comm=="message" || comm=="register"'
	tools_ready
	trace_on "${EVENTS[@]}"
	"$TESTS/guest/bpf/bpf-times" probes "$(provider_library)" glass_after | probes_on "$TRACING" uprobe_events glass_after
	both_begin
	ibinject add glass0 name=lossy op=write dir=tx act=drop every=17 count=$DROPS
	traffic -n $WRITES -m write
	ibinject clear
	for ((i = 0; i < MESSAGES; i++)); do message send; done
	error_table "$TESTS/tables/errors.tsv" rc_send_no_receive
	error_table "$TESTS/tables/errors.tsv" rc_write_bad_rkey
	register glass0 $REGISTRATIONS 4096
	both_end
	tools_end
}

cleanup()
{
	ibinject clear
	stop_opensm
}

# traced EVENT [REGEX]: how many events, without those of management
traced()
{
	grep -E "^$1 " "$SESSION/trace" | grep -vE ' qpn=0x[01] ' | grep -cE -- "${2:-}" || :
}

test_nothing_is_lost()
{
	local f
	for f in "$SESSION"/*.err; do
		f=${f%.err}
		assert_eq "$(told "$f" 'last | [.type, .lost] | join(" ")')" 'end 0' "${f##*/}"
	done
}

test_wrlat_counts()
{
	local op
	assert_eq "$(told "$SESSION/wrlat" '.[] | select(.name == "wire" and .op == "write").count')" $WRITES
	assert_eq "$(told "$SESSION/wrlat" '.[] | select(.name == "total" and .op == "write").count')" $WRITES
	for op in send write; do
		assert_eq "$(told "$SESSION/wrlat" ".[] | select(.name == \"total\" and .op == \"$op\").count")" \
			"$(traced glass_wr_complete "op=$op .*status=success ")" "$op"
	done
	# each slot lies where its numbers are, and all of them are all
	told "$SESSION/wrlat" 'map(select(.type == "histogram")) | all((.slots | map(.count) | add) == .count and .min <= .max and .sum >= .max and
		.slots[0].from <= .min and .slots[-1].to >= .max)' | grep -x true
	# programs post and poll, the probes see it
	assert_eq "$(told "$SESSION/wrlat" '[.[] | select(.op == "write").name] | sort | join(" ")')" 'cqe poll post queue total wire'
}

# times_are_those_of_the_trace TOOL: each time that the tool tells lies between those of two traces of the same events
times_are_those_of_the_trace()
{
	"$TESTS/guest/bpf/bpf-times" check "$1" "$SESSION/before" "$SESSION/after" "$SESSION/$1" || fail "the times differ"
}

# Each stage, by operation: how many, their sum, their extremes, and each slot of the histogram
test_wrlat_has_the_times_of_the_trace() { times_are_those_of_the_trace wrlat; }

# Each stage of each request
test_ibslower_has_the_times_of_the_trace() { times_are_those_of_the_trace ibslower; }

test_verbssnoop_has_the_times_of_the_trace() { times_are_those_of_the_trace verbssnoop; }
test_mrlat_has_the_times_of_the_trace() { times_are_those_of_the_trace mrlat; }
test_cqfill_has_the_times_of_the_trace() { times_are_those_of_the_trace cqfill; }
test_qpstate_has_the_times_of_the_trace() { times_are_those_of_the_trace qpstate; }
test_ibretry_has_the_times_of_the_trace() { times_are_those_of_the_trace ibretry; }
test_ibdrop_has_the_times_of_the_trace() { times_are_those_of_the_trace ibdrop; }
test_ibasync_has_the_times_of_the_trace() { times_are_those_of_the_trace ibasync; }
test_ibflow_has_the_times_of_the_trace() { times_are_those_of_the_trace ibflow; }

# A tool that were wrong would be found out.
test_wrong_times_are_seen()
{
	local tool change
	while read -r tool change; do
		jq -c "$change" "$SESSION/$tool" >wrong
		! cmp -s wrong <(jq -c . "$SESSION/$tool") || fail "$tool: '$change' changes nothing"
		! "$TESTS/guest/bpf/bpf-times" check "$tool" "$SESSION/before" "$SESSION/after" wrong || fail "$tool: '$change' is not seen"
	done <<-'END'
		ibslower if .type == "event" and .op == "write" then .wire_ns *= 2 else . end
		ibslower if .type == "event" then .post_ns = .total_ns else . end
		ibslower if .type == "event" and .op == "write" then .op = "send" | .flow += 1 else . end
		wrlat if .type == "histogram" and .name == "wire" then .sum += 10000000000 else . end
		wrlat if .type == "histogram" and .name == "poll" then .slots |= map(.from *= 1024) else . end
		wrlat if .type == "histogram" and .name == "total" then .count += 1 else . end
		mrlat if .type == "event" then .took_ns *= 2 else . end
		verbssnoop if .type == "event" and .took_ns then .took_ns /= 2 else . end
		verbssnoop if .type == "event" and .verb == "alloc_pd" then .verb = "create_cq" else . end
		qpstate if .type == "event" and .since_ns then .since_ns *= 2 else . end
		ibdrop if .type == "event" then .time_ns += 1000000000 else . end
		ibretry if .type == "event" and .wait_ns then .wait_ns += 1 else . end
		ibflow if .type == "event" and .hop == "sent" then .hop = "arrived" else . end
		cqfill if .type == "histogram" then .slots |= map(.from *= 1024) else . end
	END
}

test_ibslower_counts()
{
	assert_eq "$(told "$SESSION/ibslower" '[.[] | select(.type == "event" and .op == "write")] | length')" $WRITES
	# a packet that was lost is a time-out, and that is long
	told "$SESSION/ibslower" "[.[] | select(.type == \"event\" and .op == \"write\" and .timeouts + .naks > 0)] | length >= 1" | grep -x true
	assert_eq "$(told "$SESSION/ibslower" '.[] | select(.type == "summary") | .slow == .seen')" true
}

test_ibcount_counts()
{
	assert_eq "$(told "$SESSION/ibcount" '.[] | select(.op == "write") | "\(.tx) \(.tx_bytes)"')" "$WRITES $((WRITES * 4096))"
	assert_eq "$(told "$SESSION/ibcount" '.[] | select(.op == "recv").rx')" "$(traced glass_cqe 'status=success op=recv ')"
	assert_eq "$(told "$SESSION/ibcount" '[.[] | select(.type == "summary").errors] | add')" \
		"$(($(traced glass_wr_complete) - $(traced glass_wr_complete status=success) + $(traced glass_cqe 'op=recv') - $(traced glass_cqe 'status=success op=recv')))" errors
	assert_eq "$(told "$SESSION/ibcount.qp" '.[] | select(.comm == "traffic" and .dev == "glass0") | "\(.tx) \(.tx_bytes) \(.rx)"')" \
		"$WRITES $((WRITES * 4096)) 0"
	assert_eq "$(told "$SESSION/ibcount.qp" '[.[] | select(.comm == "message" and .dev == "glass1").rx] | add')" $MESSAGES
}

test_ibdrop_counts()
{
	assert_eq "$(told "$SESSION/ibdrop" '[.[] | select(.type == "summary" and .reason == "injected").packets] | add')" $DROPS
	assert_eq "$(told "$SESSION/ibdrop" '[.[] | select(.type == "event" and .reason == "injected")] | length')" $DROPS
	assert_eq "$(told "$SESSION/ibdrop" '[.[] | select(.type == "summary")] | map("\(.dev) \(.reason) \(.packets)") | sort | join(",")')" \
		"$(awk '$1 == "glass_pkt_drop" { for (i = 2; i <= NF; i++) { if ($i ~ /^dev=/) d = substr($i, 5); if ($i ~ /^reason=/) r = substr($i, 8) }
			n[d " " r]++ } END { for (k in n) print k, n[k] }' "$SESSION/trace" | sort | paste -sd,)"
}

test_ibretry_counts()
{
	local why
	for why in timeout nak_seq rnr implied; do
		assert_eq "$(told "$SESSION/ibretry" "[.[] | select(.type == \"summary\" and .what == \"$why\").count] | add // 0")" \
			"$(traced glass_qp_retry "why=$why ")" "$why"
	done
	# error_table: rnr_retry 1 and never a receive
	assert_eq "$(told "$SESSION/ibretry" '[.[] | select(.type == "summary") | "\(.what) \(.count)"] | map(select(startswith("rnr"))) | join(",")')" \
		'rnr 1,rnr_sent 2,rnr_received 1'
}

test_qpstate_counts()
{
	assert_eq "$(told "$SESSION/qpstate" '[.[] | select(.type == "summary") | "\(.to) \(.cause) \(.count)"] | sort | join(",")')" \
		"$(awk '$1 == "glass_qp_state" { for (i = 2; i <= NF; i++) { if ($i ~ /^to=/) t = substr($i, 4); if ($i ~ /^cause=/) c = substr($i, 7) }
			n[t " " c]++ } END { for (k in n) print k, n[k] }' "$SESSION/trace" | sort | paste -sd,)"
	# two queue pairs of each message
	assert_eq "$(told "$SESSION/qpstate" '[.[] | select(.type == "event" and .comm == "message" and .to == "rtr")] | length')" $((2 * MESSAGES))
	# what kills them in error_table
	told "$SESSION/qpstate" '[.[] | select(.type == "event" and .to == "err").cause] | contains(["rnr_exc", "rem_access", "resp_access"])' | grep -x true
}

test_cqfill_counts()
{
	assert_eq "$(told "$SESSION/cqfill" '.[] | select(.type == "summary" and .dev == "glass0") | "\(.completions) \(.errors) \(.polled) \(.level)"')" \
		"$WRITES 0 $WRITES 0"
	# as much as fits at once, and not more than the CQ holds
	told "$SESSION/cqfill" 'map(select(.type == "summary")) | length >= 1 and all(.max_level >= 1 and .max_level <= .size and .max_wait_ns >= .mean_wait_ns)' |
		grep -x true
	assert_eq "$(told "$SESSION/cqfill" '.[] | select(.type == "histogram" and .dev == "glass0").count')" $WRITES
}

test_ibasync_counts()
{
	assert_eq "$(told "$SESSION/ibasync" '[.[] | select(.type == "summary") | "\(.event) \(.count)"] | sort | join(",")')" \
		"$(sed -n 's/^glass_async .*event=\([^ ]*\) .*/\1/p' "$SESSION/trace" | sort | uniq -c | awk '{ print $2, $1 }' | sort | paste -sd,)"
	assert_eq "$(told "$SESSION/ibasync" '[.[] | select(.event == "qp_access_err" and .kind == "qp" and .comm == "error_table")] | length')" 1
}

# Each hop of a message of three packets, in their order, as often as there were messages to follow
test_ibflow_tells_every_hop()
{
	local flow
	assert_eq "$(told "$SESSION/ibflow" '[.[] | select(.type == "summary")] | map(.hops) | join(" ")')" '16 16 16'
	flow=$(told "$SESSION/ibflow" '[.[] | select(.type == "event")][0].flow')
	assert_eq "$(told "$SESSION/ibflow" "[.[] | select(.type == \"event\" and .flow == $flow and (.dev == \"glass0\")) | .hop] | join(\" \")")" \
		'posted taken begun sent sent sent arrived done completed'
	assert_eq "$(told "$SESSION/ibflow" "[.[] | select(.type == \"event\" and .flow == $flow and (.dev == \"glass1\")) | \"\(.hop) \(.op)\"] | join(\",\")")" \
		'arrived rc_send_first,arrived rc_send_middle,arrived rc_send_last,completed recv,sent rc_ack'
	assert_eq "$(told "$SESSION/ibflow" "[.[] | select(.type == \"event\" and .flow == $flow and .hop == \"polled\")] | length")" 2
	# the flow is that of the trace
	grep -q "^glass_wr_post .*$(printf 'flow=0x%x' "$flow")" "$SESSION/trace" || fail "the trace has no such flow"
}

test_mrlat_counts()
{
	assert_eq "$(told "$SESSION/mrlat" '[.[] | select(.type == "histogram") | "\(.name) \(.count)"] | join(",")')" \
		"reg_mr $REGISTRATIONS,dereg_mr $REGISTRATIONS"
	# 4096 times 1 .. 13
	assert_eq "$(told "$SESSION/mrlat" '[.[] | select(.type == "summary").bytes] | add')" $((4096 * REGISTRATIONS * (REGISTRATIONS + 1) / 2))
	assert_eq "$(told "$SESSION/mrlat" '[.[] | select(.type == "summary") | "\(.from):\(.calls)"] | join(" ")')" '4096:1 8192:2 16384:4 32768:6'
}

test_verbssnoop_tells_each()
{
	assert_eq "$(told "$SESSION/verbssnoop" '[.[] | select(.comm == "register" and .verb == "reg_mr" and .ret == 0)] | length')" $REGISTRATIONS
	assert_match "$(told "$SESSION/verbssnoop" '[.[] | select(.comm == "register" and .verb == "reg_mr")][2].args')" 'len=12288 '
	assert_eq "$(told "$SESSION/verbssnoop" '[.[] | select(.comm == "message" and .verb == "create_qp")] | length')" $((2 * MESSAGES))
	# as often as the trace has it: every verb of these programs
	assert_eq "$(told "$SESSION/verbssnoop" '[.[] | select(.type == "event" and .took_ns != null)] | length')" \
		"$(grep -cE '^ *(message|register)-[0-9].* glass_api_exit: ' "$SESSION/after")"
	# what never enters the kernel
	assert_eq "$(told "$SESSION/verbssnoop" '[.[] | select(.type == "event" and .verb == "post_send" and .took_ns == null)] | length')" $MESSAGES
	assert_eq "$(told "$SESSION/verbssnoop" '[.[] | select(.type == "event" and .verb == "poll" and (.args | contains("op=recv")))] | length')" $MESSAGES
}

test_filters_are_of_the_kernel()
{
	tool all ibcount -j -Q -N -r 0
	tool one ibcount -j -Q -N -r 0 -d glass0 -f 'comm=="message" && !(len<1500)'
	tool none ibcount -j -Q -N -r 0 -q 0xfffff0
	tools_ready
	message send 3000
	message write 1000
	message send 2000
	tools_end
	assert_eq "$(told all '[.[] | select(.comm == "message") | .tx + .rx] | add')" 5
	assert_eq "$(told one '[.[] | select(.type == "summary").tx] | add')" 2
	assert_eq "$(told none '[.[] | select(.type == "summary")] | length')" 0
}

# Whose CQ has failed: the tool asks when it comes, or, for a filter, has known since it was made.
test_ibasync_knows_whose_cq_it_is()
{
	local cqn one
	tool asked ibasync -j -Q
	tool known ibasync -j -Q -f 'comm=="traffic" && kind==cq'
	tool others ibasync -j -Q -f 'comm=="register"'
	tools_ready
	start traffic.log traffic
	wait_for 20 in_file traffic.log '^running'
	cqn=$(awk -v pid="$STARTED" 'NR == 1 { sub(/^# glass 1 cq: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pid"] == pid { print $at["cqn"]; exit }' "$GLASS_DEBUGFS/glass0/cq")
	ibinject cq "glass0:$cqn" overrun
	wait_for 20 gone "$STARTED"
	ibinject clear
	tools_end
	for one in asked known; do
		assert_eq "$(told "$one" '[.[] | select(.type == "event" and .event == "cq_err") | "\(.dev) \(.kind) \(.num) \(.pid) \(.comm)"] | join(",")')" \
			"glass0 cq $cqn $STARTED traffic" "$one"
	done
	assert_eq "$(told others '[.[] | select(.type == "event")] | length')" 0
}

# INTERVAL and COUNT end it; text has a header line for each summary, and -T a time before each event.
test_text_and_intervals()
{
	tool all verbssnoop -T -f 'comm=="register"'
	tool twice ibcount 1 2
	tools_ready
	register glass0 3 4096
	wait_for 30 gone "$LAST_TOOL"
	wait "$LAST_TOOL" || fail "ibcount 1 2: status $?"
	unset "TOOLS[$LAST_TOOL]"
	tools_end
	assert_eq "$(grep -c '^DEV  *PID  *COMM  *TX  *TXBYTES  *RX ' twice)" 2 "summaries"
	assert_eq "$(head -n 1 all | awk '{ print $1, $2, $3, $NF }')" 'TIME DEV PID ARGS'
	assert_eq "$(grep -cE '^[0-9:]{8}\.[0-9]{6} glass0 +[0-9]+ register +reg_mr +mr +[0-9]+ +0 +[0-9]+\.[0-9] start=0x' all)" 3 "lines of reg_mr"
	assert_match "$(<all)" $'\n-? +reg_mr +3 +0 '
}

test_refusals_say_why()
{
	refuses wrlat -f 'op==sendx'
	assert_match "$REFUSAL" 'did you mean .send.'
	refuses wrlat -f 'comm~"perf*"'
	assert_match "$REFUSAL" 'comm'
	refuses mrlat -q 5
	assert_match "$REFUSAL" 'events of mrlat have no qpn'
	refuses ibcount 0
	assert_match "$REFUSAL" 'INTERVAL'
	refuses setpriv --reuid 65534 --clear-groups wrlat
	assert_match "$REFUSAL" 'needs root'
	refuses unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/btf && exec wrlat'
	assert_match "$REFUSAL" 'CONFIG_DEBUG_INFO_BTF'
}
