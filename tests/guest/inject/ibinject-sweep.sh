# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 130
# long: runs programs dozens of times
# ibinject over whole programs: sweep finds planted bugs, shrink the faults that matter, a dry run what a rule would hit;
# and traffic that is checked outlives all that a network does.

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

LIMIT=180

setup()
{
	ibinject clear
	start_opensm
}

cleanup()
{
	echo 1 >/sys/devices/system/cpu/cpu1/online 2>/dev/null || :
	ibinject clear
	stop_opensm
}

# letter MATRIX FAULT: what a sweep said of it
letter()
{
	sed -n "s/^$2  *\([^ ]*\)$/\1/p" "$1"
}

# swept STATUS FILE OPTION...: a sweep over the fragile program, which must end so
swept()
{
	local status=0 wanted=$1 file=$2
	shift 2
	ibinject sweep -f comm==fragile -t 3 -w 9 "$@" -- fragile >"$file" || status=$?
	cat "$file"
	assert_eq "$status" "$wanted" "status of the sweep"
}

# The sender's faults: it hangs when a completion is lost, and leaks when memory cannot be registered.
test_sweep_finds_hang_and_leak()
{
	fragile
	swept 4 matrix -d glass0 -n 2 -a drop,dup,cqe_lose,fail
	assert_eq "$(letter matrix drop)" .. "a lost packet"
	assert_eq "$(letter matrix dup)" .. "a packet twice"
	assert_eq "$(letter matrix cqe_lose)" HH "a lost completion"
	assert_eq "$(letter matrix 'fail verb=reg_mr err=ENOMEM')" L- "no memory to register"
	local verb
	for verb in alloc_ucontext alloc_pd create_cq create_qp modify_qp; do
		assert_match "$(letter matrix "fail verb=$verb err=ENOMEM")" '^e[-e]$' "$verb fails"
	done
	# what is tried once more
	assert_eq "$(letter matrix 'fail verb=destroy_qp err=ENOMEM')" .- "destroy_qp fails"
}

# The receiver's: a receive that fails crashes it, one that is told twice makes it wrong.
test_sweep_finds_crash_and_wrong_data()
{
	swept 4 matrix -d glass1 -n 2 -a cqe_error,cqe_dup
	assert_eq "$(letter matrix 'cqe_error status=loc_prot_err')" CC "a receive fails"
	assert_eq "$(letter matrix cqe_dup)" WW "a receive is told twice"
	# the same, for programs
	ibinject sweep -d glass1 -n 1 -a cqe_dup -f comm==fragile -t 3 -w 9 --json -- fragile >json || :
	assert_eq "$(jq -r '.[0].verdict' json)" wrong "verdict in JSON"
}

# A sweep that is killed leaves no program behind, which hangs for ever; and the next one goes on.
test_killed_sweep()
{
	start sweep.log ibinject sweep -d glass0 -n 1 -t 100 -a drop,cqe_lose -f comm==fragile -o results -- fragile
	hangs() { ibinject list glass0 2>/dev/null | grep -qE 'sweep\.1 +1 .*cqe_lose'; }
	wait_for 60 hangs
	local fragile
	fragile=$(pgrep -x fragile)
	kill -KILL "$STARTED"
	ended() { [[ ! -e /proc/$fragile ]] || grep -q '^State:.*Z' "/proc/$fragile/status"; }
	wait_for 20 ended
	assert_eq "$(jq -r 'select(.verdict) | "\(.fault) \(.verdict)"' results)" "drop survived" "results that are kept"
	ibinject clear
	swept 4 matrix -d glass0 -n 1 -a drop,cqe_lose -o results
	assert_eq "$(letter matrix drop)$(letter matrix cqe_lose)" .H "the matrix"
	assert_eq "$(wc -l <results)" 3 "lines of results"
}

# Results in a directory of the host (9p), where Linux may write a whole page again when a program adds a line.
test_results_on_the_host()
{
	rm -f "$OUT/results"
	ibinject sweep -d glass0 -n 1 -a drop,dup -f comm==fragile -t 20 -w 9 -o "$OUT/results" -- sh -c 'sync; fragile'
	sync
	# what the host has
	echo 3 >/proc/sys/vm/drop_caches
	cat "$OUT/results"
	assert_eq "$(grep -c '"command"' "$OUT/results")" 1 "first lines"
	assert_eq "$(jq -r 'select(.verdict) | "\(.fault) \(.verdict)"' "$OUT/results" | tr '\n' ' ')" "drop survived dup survived " "results"
	rm "$OUT/results"
}

# events_raised: by rules of glass0, so far; a sum of 0 is not told
events_raised()
{
	awk '$1 == "fired_event:" { n = $2 } END { print n + 0 }' "$GLASS_DEBUGFS/glass0/inject/stats"
}

# What happens to objects, and each asynchronous event, comes when a packet is about to go.
test_sweep_over_events()
{
	local event before
	# what other suites did in this guest counts, too
	before=$(events_raised)
	swept 4 matrix -d glass0 -n 1 -a qp_fatal,cq_overrun,srq_fatal,event -o results
	# the sender is told by completions with an error, and leaves all as it is
	assert_match "$(letter matrix qp_fatal)" '^[eL]$' "the QP dies"
	assert_match "$(letter matrix cq_overrun)" '^[eLH]$' "the CQ dies"
	assert_eq "$(letter matrix srq_fatal)" - "it has no SRQ"
	for event in qp_fatal qp_req_err qp_access_err comm_est sq_drained path_mig path_mig_err qp_last_wqe_reached cq_err \
		device_fatal port_active port_err lid_change pkey_change sm_change client_reregister gid_change; do
		assert_match "$(letter matrix "event event=$event")" '^[.eL]$' "the event $event"
		[[ $(jq -r "select(.fault == \"event event=$event\") | .hit" results) == 1 ]] || fail "$event was not raised"
	done
	for event in srq_err srq_limit_reached; do
		assert_eq "$(letter matrix "event event=$event")" - "it has no SRQ"
	done
	assert_eq "$(($(events_raised) - before))" 17 "events that were raised"
}

# One of rdma-core's examples, both ends of it.
test_sweep_over_an_example()
{
	next_port
	cat >both <<END
#!/bin/bash
ibv_rc_pingpong -d glass1 -p $TCP_PORT -n 5 & server=\$!
until [[ -n \$(ss -Hltn 'sport = :$TCP_PORT') ]]; do kill -0 \$server || exit 3; done
ibv_rc_pingpong -d glass0 -p $TCP_PORT -n 5 localhost || { status=\$?; kill \$server; wait \$server; exit \$status; }
wait \$server
END
	chmod +x both
	local status=0
	ibinject sweep -d glass0 -n 1 -t $((4 * ${SLOWER:-1})) -f comm==ibv_rc_pingpong -a drop,reorder,cqe_lose,cqe_error,fail -o results -- ./both >matrix || status=$?
	cat matrix
	assert_eq "$status" 4 "status of the sweep"
	assert_eq "$(letter matrix drop)" . "a lost packet"
	assert_eq "$(letter matrix reorder)" . "packets out of order"
	assert_eq "$(letter matrix cqe_lose)" H "a lost completion"
	assert_eq "$(letter matrix 'cqe_error status=rem_access_err')" L "a completion with an error: it ends, and destroys nothing"
	assert_eq "$(letter matrix 'fail verb=create_qp err=ENOMEM')" L "no queue pair: it ends, and its peer has to be killed"
}

# Of all that was hit, one fault matters.
test_shrink()
{
	cat >fails <<'END'
#!/bin/bash
exec fragile
END
	chmod +x fails
	start record.log ibinject record all
	local recorder=$STARTED
	wait_for 10 in_file record.log recording
	# a lost packet and a doubled one do no harm; the completion that is told twice does
	ibinject run -q -r 'glass0: name=l comm=fragile op=send nth=2 act=drop' -r 'glass0: name=d comm=fragile op=send every=2 act=dup' \
		-r 'glass1: name=c comm=fragile op=recv nth=2 act=cqe_dup' -- ./fails && fail "it did not fail"
	kill -INT "$recorder"
	finish "$recorder" record.log
	(($(grep -c '^fired' all) >= 3)) || fail "too little was recorded"
	ibinject shrink -o few all -- ./fails >rules
	cat rules
	assert_eq "$(wc -l <rules)" 1 "faults that are enough"
	assert_match "$(<rules)" '^glass1: act=cqe_dup nqp=1 .*nth=2'
	assert_eq "$(grep -c '^fired glass1 .*act=cqe_dup' few)" 1 "faults in the record that is left"
	refuses ibinject shrink all -- true
	assert_match "$REFUSAL" 'does not fail with the faults of all'
}

# What a rule would have hit in a capture is what it hits.
test_dry_run_on_a_capture()
{
	ibinject drop glass0 'comm==ibv_rc_pingpong && op==send && len==500' --nth 2..3 --name now
	start ibcap.log ibcap -w run.pcapng glass0:1 glass1:1
	local cap=$STARTED
	wait_for 10 in_file ibcap.log capturing
	pair glass1 glass0 ibv_rc_pingpong -n 10 -s 500
	kill -INT "$cap"
	finish "$cap" ibcap.log
	ibinject clear
	ibinject drop glass0 'comm==ibv_rc_pingpong && op==send && len==500' --nth 2..3 --dry-run=run.pcapng >would 2>err
	cat would err
	tshark -r run.pcapng -T fields -e frame.number -e frame.comment | sed -n 's/^\([0-9]*\)\t.*rule=now.*/\1/p' >did
	assert_eq "$(wc -l <did)" 2 "packets that were hit"
	assert_eq "$(field_of frame would)" "$(<did)" "frames"
	assert_match "$(<err)" '2 of [0-9]+ packets would have been hit'
	refuses ibinject add act=drop nqp=1 --dry-run=run.pcapng
	assert_match "$REFUSAL" 'a capture does not have `nqp`'
	refuses ibinject add act=drop --dry-run=err
	assert_match "$REFUSAL" 'err: not a pcapng file'
}

# field_of NAME FILE: that field of each line
field_of()
{
	sed -n "s/^\(.* \)\?$1=\([^ ]*\).*/\2/p" "$2"
}

# Loss, duplicates, disorder and bit errors together, for a minute: nothing is lost, nothing comes twice.
LIMIT_test_traffic_outlives_a_storm=240
test_traffic_outlives_a_storm()
{
	local dev
	for dev in glass0 glass1; do
		ibinject drop $dev 'comm==traffic' --prob 5% --seed 1 --name lost
		ibinject dup $dev 'comm==traffic' --prob 5% --seed 2 --name twice
		ibinject reorder $dev 'comm==traffic' --prob 5% --gap 3 --seed 3 --name late
		ibinject corrupt $dev 'comm==traffic' --prob 5% --seed 4 --name spoilt
	done
	start traffic.log traffic --size 2048 --verbose
	local traffic=$STARTED
	wait_for 20 in_file traffic.log '^running'
	minute() { (($(grep -c 'per second' traffic.log) >= 60)); }
	wait_for 150 minute
	kill -INT "$traffic"
	finish "$traffic" traffic.log
	tail -n 1 traffic.log
	for dev in glass0 glass1; do
		(($(ibinject list --json $dev | jq 'map(select(.hit > 10)) | length') == 4)) || fail "a rule of $dev hit too little"
	done
	(($(sed -n 's/^messages \([0-9]*\)$/\1/p' traffic.log) > 1000)) || fail "too few messages"
	ibinject clear
}

# recorded FILE COMMAND...: what fires meanwhile
recorded()
{
	local file=$1 recorder
	shift
	start "$file.log" ibinject record "$file"
	recorder=$STARTED
	wait_for 10 in_file "$file.log" recording
	"$@"
	kill -INT "$recorder"
	finish "$recorder" "$file.log"
}

# The same seed meets the same packets, on one CPU and on two; and so does a replay.
test_the_same_on_one_cpu()
{
	local cpu=/sys/devices/system/cpu/cpu1/online run
	[[ -e $cpu ]] || skip "this guest has one CPU, or keeps those it has"
	for run in one two; do
		[[ $run == one ]] && echo 0 >$cpu || echo 1 >$cpu
		ibinject drop glass0 'comm==ibv_rc_pingpong && op==send' --prob 10% --seed 7 --name some
		ibinject dup glass1 'comm==ibv_rc_pingpong && op==send' --prob 10% --seed 8 --name more
		recorded "$run" pair glass1 glass0 ibv_rc_pingpong -n 150
		ibinject clear
	done
	(($(grep -c '^fired glass0' one) > 5 && $(grep -c '^fired glass1' one) > 5)) || fail "too little was hit"
	ibinject journal-diff one two || fail "two CPUs met other faults than one"
	echo 0 >$cpu
	start replay.log ibinject replay two
	local replay=$STARTED
	wait_for 10 in_file replay.log 'rules; SIGINT ends them'
	recorded again pair glass1 glass0 ibv_rc_pingpong -n 150
	kill -INT "$replay"
	finish "$replay" replay.log
	echo 1 >$cpu
	ibinject journal-diff two again || fail "the replay on one CPU met other faults"
}
