# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 70
# long: each action, and how it is healed
# Injection rules that answer in a responder's place, hold packets, delay completions, fail verbs, and break ports and the
# device: unmodified programs meet each, every observer tells of it, and what ends is healed.

# shellcheck source=tests/lib/inject.sh
. "$TESTS/lib/inject.sh"

LIMIT=120

setup()
{
	start_opensm
}

cleanup()
{
	quiet
	stop_opensm
}

# ---- answers in the place of the responder

# The third message is answered with a NAK: its sender sees that status, and nothing else was wrong.
test_nak()
{
	quiet
	local before
	before=$(dropped glass1 injected)
	rule glass1 "add name=no comm=ibv_rc_pingpong op=send dir=rx nth=3 act=nak code=rem_access"
	start ibcap.log ibcap -w nak.pcapng -f 'op==ack' glass1:1
	local cap=$STARTED
	wait_for 10 in_file ibcap.log capturing
	trace_on glass_inject glass_pkt_tx glass_pkt_drop
	ends_badly ibv_rc_pingpong -n 20 -s 1000
	trace_off
	kill -INT "$cap"
	finish "$cap" ibcap.log
	assert_match "$REFUSAL" 'Failed status remote access error \(10\)'
	assert_match "$(firings glass1 no)" 'act=nak port=1 dir=rx qpn=0x[0-9a-f]+ nqp=1 role=req op=send psn=[0-9]+ rpsn=2 round=1 msg=3 len=[0-9]+ n=3 pid=[0-9]+ comm=ibv_rc_pingpong'
	assert_eq "$(grep -c 'glass_inject dev=glass1 rule=no action=nak' trace)" 1 "trace events of the rule"
	assert_eq "$(($(dropped glass1 injected) - before))" 1 "drop_injected: the request"
	assert_eq "$(grep -c 'glass_pkt_tx dev=glass1 .*syndrome=0x62' trace)" 1 "the NAK in the trace"
	assert_eq "$(tshark -r nak.pcapng -Y 'infiniband.aeth.syndrome == 0x62' -T fields -e frame.comment | grep -c 'rule=no')" 1 \
		"the NAK in the capture, with the rule"
	quiet
	pair glass1 glass0 ibv_rc_pingpong -n 10
}

# The same on its way out; and a NAK that asks for the packet again is but a retry.
test_nak_at_the_sender()
{
	quiet
	rule glass0 "add name=out comm=ibv_rc_pingpong op=send nth=2 act=nak code=rem_op"
	ends_badly ibv_rc_pingpong -n 20
	assert_match "$REFUSAL" 'Failed status remote operation error'
	quiet
	rule glass0 "add name=again comm=ibv_rc_pingpong op=send every=5 act=nak code=psn_seq"
	trace_on glass_qp_retry
	pair glass1 glass0 ibv_rc_pingpong -n 20
	trace_off
	(($(told glass0 again hit) >= 4)) || fail "hit too seldom"
	(($(grep -c 'glass_qp_retry dev=glass0 .*nak_seq' trace) >= 4)) || fail "not as many retries"
	quiet
}

test_rnr()
{
	quiet
	rule glass1 "add name=later comm=ibv_rc_pingpong op=send dir=rx count=3 timer=12 act=rnr"
	trace_on glass_rnr
	pair glass1 glass0 ibv_rc_pingpong -n 20
	trace_off
	assert_eq "$(told glass1 later hit)" 3 "hits"
	assert_eq "$(grep -c 'glass_rnr dev=glass0 .* dir=rx .*wait_ns=640000' trace)" 3 "RNR NAKs that the sender saw, and how long it waited"
	quiet
}

# An answer that was made up asks for a migration no more than its request did.
test_rnr_to_who_is_armed()
{
	quiet
	operations armed "echo 'add name=later comm=operations op=send dir=rx count=1 timer=12 act=rnr' >$GLASS_DEBUGFS/glass1/inject/rules"
	assert_eq "$(told glass1 later hit)" 1 "hits"
	quiet
}

# A WRITE that is acknowledged and never happened.
test_ack()
{
	quiet
	local before
	before=$(dropped glass1 injected)
	rule glass1 "add name=liar comm=message op=write dir=rx act=ack"
	message write 3000
	assert_eq "$(told glass1 liar hit)" 3 "hits: the packets of 3000 bytes"
	assert_eq "$(($(dropped glass1 injected) - before))" 3 "packets that were not delivered"
	quiet
	# who waits for it waits in vain, though its sender was told that it is there
	rule glass1 "add name=liar comm=message op=send dir=rx act=ack"
	trace_on glass_cqe
	start message.log message send 100
	sent() { grep -q 'glass_cqe: dev=glass0 .* qpn=0x[0-9a-f]\{2,\} .*status=success' "$TRACING/trace"; }
	wait_for 20 sent
	trace_off
	programs_only
	assert_eq "$(grep -c 'glass_cqe dev=glass1' trace)" 0 "completions of the receiver"
	kill "$STARTED"
	quiet
}

# An XRC target is of the program that made it, for rules about packets, completions and verbs.
test_xrc_target_is_its_programs()
{
	quiet
	rule glass0 'add name=gone comm=xrc_target qptype=xrc_tgt op=send dir=rx count=1 act=drop'
	xrc_target traffic
	assert_eq "$(told glass0 gone hit)" 1 'hits of packets'
	quiet
	rule glass0 'add name=slow comm=xrc_target qptype=xrc_tgt op=recv count=1 time=1ms act=cqe_delay'
	xrc_target traffic
	assert_eq "$(told glass0 slow hit)" 1 'hits of completions'
	quiet
	rule glass0 'add name=none comm=xrc_target verb=create_qp act=fail err=ENOMEM'
	assert_eq "$(xrc_target fails)" 'create_qp: Cannot allocate memory'
	quiet
}

# What waits of it in the CQ of an SRQ goes with it.
test_late_completion_of_an_xrc_target()
{
	quiet
	rule glass0 'add name=slow qptype=xrc_tgt op=recv time=10min act=cqe_delay'
	xrc_target late "$GLASS_DEBUGFS/glass0/inject/rules"
	quiet
}

# The same when it is reset: nothing comes when the rule ends, and the target works anew.
test_late_completion_of_an_xrc_target_that_is_reset()
{
	quiet
	rule glass0 'add name=slow qptype=xrc_tgt op=recv nth=1 time=10min act=cqe_delay'
	xrc_target reset "$GLASS_DEBUGFS/glass0/inject/rules"
	quiet
}

# A kernel consumer's QP does not go while the event of a completion that was late is being delivered.
test_late_completion_event_of_the_kernel()
{
	quiet
	rule glass0 'add name=slow qptype=rc op=write time=20ms act=cqe_delay'
	insmod /usr/local/lib/glass/check_late.ko device=glass0
	rmmod check_late
	quiet
}

test_what_cannot_be_answered_is_refused()
{
	quiet
	refused glass0 "add act=ack op=flush" \
		"op=flush: a FLUSH or ATOMIC WRITE is answered with an empty READ response, not with an ACK"
	refused glass0 "add act=ack op=read" "op=read: a READ or atomic is answered with data, not with an ACK"
	refused glass0 "add act=nak" "act=nak: needs code="
	refused glass0 "add act=corrupt what=icrc crc=good" \
		"crc=good: would repair the corrupted CRC: nothing would be corrupt"
	# forced, a datagram is answered; its QP does not take that
	rule glass1 "add name=ud comm=ibv_ud_pingpong op=send dir=rx nth=2 act=nak code=inv_req force=yes"
	local before
	before=$(dropped glass0 qp_type)
	next_port
	start server.log ibv_ud_pingpong -d glass1 -p "$TCP_PORT" -n 5
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	start client.log ibv_ud_pingpong -d glass0 -p "$TCP_PORT" -n 5 localhost
	answered() { (($(dropped glass0 qp_type) == before + 1)); }
	wait_for 20 answered
	kill "$STARTED" "$server"
	quiet
}

# ---- completions

# The journal has the number of a receive in its queue, as it has that of a send.
test_journal_numbers_receives()
{
	quiet
	rule glass0 "add name=fourth comm=ibv_rc_pingpong op=recv nth=4 act=cqe_delay time=1us"
	pair glass1 glass0 ibv_rc_pingpong -n 10
	assert_match "$(firings glass0 fourth)" ' op=recv msg=- .* set_uid=0 recv=4$'
}

test_a_completion_comes_late()
{
	quiet
	rule glass0 "add name=late comm=ibv_rc_pingpong op=send nth=3 act=cqe_delay time=400ms"
	trace_on glass_inject glass_cqe
	local from=${EPOCHREALTIME/./}
	pair glass1 glass0 ibv_rc_pingpong -n 10
	trace_off
	programs_only
	((${EPOCHREALTIME/./} - from > 400000)) || fail "it was not late"
	assert_match "$(firings glass0 late)" 'act=cqe_delay cqn=[0-9]+ qpn=0x[0-9a-f]+ nqp=1 op=send msg=3 '
	# the message had its answer: that completion waits behind
	local after
	after=$(sed -n '/glass_inject dev=glass0 rule=late/,$p' trace | grep 'glass_cqe dev=glass0' | field op | sed -n 1,2p | tr '\n' ' ')
	assert_eq "$after" "send recv " "the first completions after the delay, in their order"
	assert_eq "$(grep -c 'glass_cqe dev=glass0 ' trace)" 20 "completions in all"
	quiet
}

# What waits comes at once when the rule ends, and goes with its QP.
test_late_completions_are_healed()
{
	quiet
	rule glass0 "add name=never comm=ibv_rc_pingpong op=send nth=2 act=cqe_delay time=1h"
	next_port
	start server.log ibv_rc_pingpong -d glass1 -p "$TCP_PORT" -n 5
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	start client.log ibv_rc_pingpong -d glass0 -p "$TCP_PORT" -n 5 localhost
	hit() { [[ $(told glass0 never hit) == 1 ]]; }
	wait_for 20 hit
	rule_text glass0 clear
	finish "$STARTED" client.log
	finish "$server" server.log
	rule glass0 "add name=never comm=message op=write act=cqe_delay time=1h"
	local before
	before=$(objects qp glass0)
	start message.log message write
	wait_for 20 hit
	kill -KILL "$STARTED"
	wait_for 20 gone "$STARTED"
	none_of_it() { [[ $(objects qp glass0) == "$before" ]]; }
	wait_for 20 none_of_it
	quiet
}

# More completions than may wait: the oldest come before their time, and none overtakes another.
test_late_completions_beyond_the_limit()
{
	quiet
	late_order limit "$GLASS_DEBUGFS/glass0/inject/rules"
	quiet
}

# While the rule, or the knob, that makes them late goes, and others complete, they keep their order.
test_order_while_a_delay_ends()
{
	quiet
	late_order ends "$GLASS_DEBUGFS/glass0/inject/rules" \
		'add name=late comm=late_order op=write nth=1 time=1h act=cqe_delay' clear
	late_order ends "$GLASS_DEBUGFS/glass0/behavior/late_completions" 1 0
	quiet
}

# ---- verbs

test_a_verb_fails()
{
	quiet
	rule glass0 "add name=mem comm=ibv_rc_pingpong verb=reg_mr err=ENOMEM count=1 act=fail"
	trace_on glass_inject glass_api_exit
	refuses ibv_rc_pingpong -d glass0 -p 1
	trace_off
	assert_match "$REFUSAL" "Couldn't register MR"
	assert_match "$(firings glass0 mem)" 'act=fail verb=reg_mr n=1 pid=[0-9]+ comm=ibv_rc_pingpong'
	grep -q 'glass_api_exit dev=glass0 verb=reg_mr .*ret=-12' trace || fail "the verb's errno is not in the trace"
	assert_eq "$(grep -c 'glass_inject dev=glass0 rule=mem action=fail' trace)" 1 "trace events of the rule"
	pair glass1 glass0 ibv_rc_pingpong -n 5
	quiet
}

# Each verb that a rule can take makes a program fail, and what it left the kernel can destroy.
test_every_verb_that_fails()
{
	quiet
	local verb before
	for verb in alloc_ucontext mmap alloc_pd dealloc_pd reg_mr dereg_mr create_cq destroy_cq create_qp modify_qp destroy_qp; do
		rule glass0 "add name=v comm=message verb=$verb err=EIO act=fail"
		refuses message write
		[[ $(told glass0 v hit) -ge 1 ]] || fail "$verb was not hit"
		rule_text glass0 "del name=v"
	done
	before=$(objects qp glass0)
	message write
	assert_eq "$(objects qp glass0)" "$before" "queue pairs"
	assert_eq "$(objects mr glass0)" "$(column "$GLASS_DEBUGFS/glass0/mr" pid | grep -c '^0$')" "regions, which are all the kernel's"
	refused glass0 "add verb=poll_cq err=EIO act=fail" \
		"verb=poll_cq: has no errno: make a completion fail instead (act=cqe_error)"
	refused glass0 "add verb=reg_mr,process_mad err=ENOMEM act=fail" \
		"verb=reg_mr,process_mad: a program's call of this verb cannot fail in this driver"
	quiet
}

flush_completes_as_flush()
{
	# the FLUSH comes first, and is no SEND; the ATOMIC WRITE behind it is no WRITE
	rule glass0 "add name=other comm=operations op=send,write,read act=cqe_error status=rem_op_err"
	operations flush
	assert_eq "$(told glass0 other hit)" 0 "firings for other operations"
	rule_text glass0 "del name=other"
	rule glass0 "add name=flush comm=operations op=flush act=cqe_error status=rem_op_err"
	refuses operations flush
	assert_match "$REFUSAL" '^operations: .*remote operation error'
	rule_text glass0 "del name=flush"
	rule glass0 "add name=aw op=atomic_write dir=tx count=1 act=drop"
	operations flush
	assert_eq "$(told glass0 aw hit)" 1 "ATOMIC WRITEs lost"
}

# Windows, device memory, XRC domains; and what FLUSH and ATOMIC WRITE complete as.
test_newer_verbs_and_operations_fail()
{
	quiet
	local verb
	for verb in alloc_mw alloc_dm alloc_xrcd; do
		rule glass1 "add name=v comm=operations verb=$verb err=ENOSPC act=fail"
		refuses operations hold
		assert_match "$REFUSAL" 'No space left on device' "$verb"
		[[ $(told glass1 v hit) -ge 1 ]] || fail "$verb was not hit"
		rule_text glass1 "del name=v"
	done
	! has_flush || flush_completes_as_flush
	quiet
}

# Posts never enter the kernel: the provider makes them fail.
test_a_post_fails()
{
	quiet
	rule glass0 "add name=full comm=traffic verb=post_send nth=5 err=ENOMEM act=fail"
	rule glass0 "add name=norecv comm=ibv_rc_pingpong verb=post_recv nth=1 err=EINVAL act=fail"
	refuses traffic --count 20
	assert_match "$REFUSAL" 'post_send.*Cannot allocate memory'
	assert_match "$(firings glass0 full)" 'act=fail verb=post_send n=5 pid=[0-9]+ comm=traffic'
	refuses ibv_rc_pingpong -d glass0 -p 1
	assert_match "$REFUSAL" "Couldn't post receive"
	rule glass0 clear
	rule glass1 "add name=srq comm=traffic verb=post_srq_recv nth=70 err=ENOMEM act=fail"
	refuses traffic --srq --mode send --count 200
	assert_match "$REFUSAL" 'post_recv: Cannot allocate memory'
	quiet
	traffic --count 20
}

# ---- ports and the device

# watched PORT_EVENT...: what a program that waits for events of glass0 was told, in this order
watched()
{
	local event
	for event in "$@"; do
		wait_for 30 in_file watch.log "IBV_EVENT_$event"
	done
}

watch_events()
{
	start watch.log stdbuf -oL ibv_asyncwatch -d glass0
	wait_for 20 in_file watch.log async
}

test_a_port_goes_down()
{
	quiet
	watch_events
	local status=0
	start traffic.log traffic
	local traffic=$STARTED
	wait_for 20 in_file traffic.log '^running'
	rule glass0 "add name=cut port=1 act=port_down"
	port_state_is glass0/1 DOWN || fail "the port is not down"
	watched PORT_ERR
	wait "$traffic" || status=$?
	assert_eq "$status" 3 "status of traffic"
	in_file traffic.log 'transport retry counter exceeded' || fail "no completion told of it"
	assert_match "$(firings glass0 cut)" 'act=port_down port=1 pid=0 '
	(($(dropped glass0 port_down) > 0)) || fail "nothing died of it"
	refused glass0 "add port=9 act=port_down" "port=9: no such port on glass0"
	rule glass0 "del name=cut"
	wait_for 60 port_state_is glass0/1 ACTIVE
	watched PORT_ACTIVE
	pair glass1 glass0 ibv_rc_pingpong -n 5
}

test_a_port_flaps()
{
	quiet
	local before
	before=$(cat /sys/class/infiniband/glass0/ports/1/counters/link_downed)
	rule glass0 "add name=loose port=1 time=100ms flaps=3 act=port_flap"
	flapped() { [[ $(told glass0 loose over) == count ]]; }
	wait_for 30 flapped
	wait_for 60 ports_active
	assert_eq "$(($(cat /sys/class/infiniband/glass0/ports/1/counters/link_downed) - before))" 3 "link_downed"
	pair glass1 glass0 ibv_rc_pingpong -n 5
	quiet
}

# What a rule does in short steps goes on at its pace while other rules end, one in each look at lifetimes: its 300 steps of 1 ms
# are over before the last of the others. On a machine that is kept waiting that may take several tries; steps that each end
# puts off by 50 ms never are.
test_steps_while_rules_end()
{
	quiet
	local i round first
	first_over() { [[ -n $(told glass0 loose over) || -n $(told glass0 t250 over) ]]; }
	for round in 1 2 3; do
		for ((i = 1; i <= 250; i++)); do
			rule glass0 "add name=t$i ttl=$((i * 40))ms act=drop wr_id=1"
		done
		rule glass0 "add name=loose port=2 time=1ms flaps=150 act=port_flap"
		wait_for 60 first_over
		first=$(told glass0 loose over),$(told glass0 t250 over)
		quiet
		[[ $first != count, ]] || break
	done
	assert_eq "$first" count, "what ended first, loose or t250, in round $round"
	quiet
}

# While a port is down a rule's time ends.
test_a_port_comes_back_by_ttl()
{
	quiet
	local before
	before=$(cat /sys/class/infiniband/glass0/ports/2/counters/link_downed)
	rule glass0 "add name=brief port=2 ttl=200ms act=port_down"
	is_over() { [[ $(told glass0 brief over) == ttl ]]; }
	wait_for 20 is_over
	wait_for 60 port_state_is glass0/2 ACTIVE
	assert_eq "$(($(cat /sys/class/infiniband/glass0/ports/2/counters/link_downed) - before))" 1 "link_downed"
	quiet
}

# changes ATTRIBUTE RULE VALUE EVENT: what a port has changes, is told, and is put back
changes()
{
	local file=/sys/class/infiniband/glass0/ports/2/$1 before
	before=$(<"$file")
	start watch.log stdbuf -oL ibv_asyncwatch -d glass0
	wait_for 20 in_file watch.log async
	rule glass0 "add name=other port=2 $2"
	is_now() { [[ $(<"$file") == "$1" ]]; }
	wait_for 10 is_now "$3"
	[[ -z $4 ]] || watched "$4"
	rule glass0 "del name=other"
	wait_for 10 is_now "$before"
	kill "$STARTED"
}

test_lid_changes() { changes lid "lid=99 act=lid_change" 0x63 LID_CHANGE; }
test_pkey_changes() { changes pkeys/3 "index=3 value=0x8123 act=pkey_change" 0x8123 PKEY_CHANGE; }
# its event the kernel's core keeps to itself
test_gid_changes() { changes gids/0 "index=0 value=0x1234 act=gid_change" fe80:0000:0000:0000:0000:0000:0000:1234 ''; }
test_sm_changes() { changes sm_lid "lid=77 act=sm_change" 0x4d SM_CHANGE; }

test_places_that_are_not_there()
{
	refused glass0 "add port=1 index=64 value=1 act=pkey_change" "index=64: no entry of the port's table (0 to 63)"
	refused glass0 "add port=1 index=8 value=1 act=gid_change" "index=8: no entry of the port's table (0 to 7)"
	refused glass0 "add port=1 index=0 value=0x10000 act=pkey_change" "value=0x10000: out of range (0x0 to 0xffff)"
}

# Packets of the old LID find no port.
test_a_lid_that_went()
{
	quiet
	local status=0
	start traffic.log traffic
	local traffic=$STARTED
	wait_for 20 in_file traffic.log '^running'
	rule glass1 "add name=moved port=1 lid=99 act=lid_change"
	wait "$traffic" || status=$?
	assert_eq "$status" 3 "status of traffic"
	in_file traffic.log 'transport retry counter exceeded' || fail "no completion told of it"
	(($(dropped glass1 wrong_lid) > 0)) || fail "nothing died of it"
	quiet
	pair glass1 glass0 ibv_rc_pingpong -n 5
}

test_device_fatal()
{
	quiet
	local status=0
	start traffic.log traffic
	local traffic=$STARTED
	wait_for 20 in_file traffic.log '^running'
	rule glass1 "add name=end act=device_fatal"
	wait "$traffic" || status=$?
	assert_eq "$status" 3 "status of traffic"
	in_file traffic.log 'event device_fatal side=b' || fail "no event"
	in_file traffic.log 'Work Request Flushed Error' || fail "nothing was flushed"
	assert_match "$(firings glass1 end)" 'act=device_fatal pid=0 '
	# what manages the device lives on
	port_state_is glass1/1 ACTIVE || fail "the port is gone"
	quiet
	pair glass1 glass0 ibv_rc_pingpong -n 5
}

# ---- packet by packet

held()
{
	sed 1d "$GLASS_DEBUGFS/$1/inject/held"
}

# so_many DEVICE N: as many wait
so_many()
{
	[[ $(held "$1" | wc -l) == "$2" ]]
}

# waited_long DEVICE: the first waits for longer than retries would need
waited_long()
{
	(($(column "$GLASS_DEBUGFS/$1/inject/held" age | head -n 1) > 1500000000))
}

test_packet_by_packet()
{
	quiet
	rule glass0 "add name=h comm=ibv_rc_pingpong op=send act=hold"
	next_port
	start server.log ibv_rc_pingpong -d glass1 -p "$TCP_PORT" -n 4 -s 512
	local server=$STARTED client
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	trace_on glass_qp_retry glass_pkt_rx
	start client.log ibv_rc_pingpong -d glass0 -p "$TCP_PORT" -n 4 -s 512 localhost
	client=$STARTED
	wait_for 20 so_many glass0 1
	# the timers of both ends stand: nobody tries again
	wait_for 20 waited_long glass0
	ibinject held glass0 >list
	assert_match "$(<list)" 'num=[0-9]+ rule=h hit=yes age=[0-9]+ timers=frozen port=1 dir=tx qpn=0x[0-9a-f]+ opcode=rc_send_only .* len=512 '
	ibinject step glass0 h >step
	assert_match "$(<step)" 'rule=h hit=yes .*dir=tx .*opcode=rc_send_only'
	assert_eq "$(wc -l <step)" 1 "packets that one step let go"
	wait_for 20 so_many glass0 1
	assert_eq "$(stat_of glass0 waiting)" 1 "waiting"
	rule glass0 "del name=h"
	finish "$client" client.log
	finish "$server" server.log
	trace_off
	assert_eq "$(grep -c glass_qp_retry trace)" 0 "retries"
	refused glass0 "step" "no packet waits"
	refused glass0 "step name=h" "name=h: no rule of this name"
	quiet
}

# A hit can be seen before its packet is in the list of those that wait. A step in between finds the packet all the same.
test_step_after_a_hit()
{
	quiet
	# Keeps the packet for a while where its hit was counted and it does not wait yet. A probe may do only so much, hence many.
	local slowly='kprobe:glass_hold_add { $i = 0; while ($i < 200) { @[kstack] = count(); $i++; } }'
	start slow.log bpftrace -e "$(for _ in {1..5}; do echo "$slowly"; done)"
	local slow=$STARTED
	wait_for 150 bpftrace_attached "$slow" slow.log
	local round rules
	for round in 1 2 3; do
		rule glass0 "add name=h comm=message op=write nth=1 act=hold"
		start message.log message write 100
		rules=
		# without a process of its own, for it is quicker
		until [[ $rules == *' name=h '*' hit=1 '* ]]; do
			gone "$STARTED" && fail "no packet was counted: $(<message.log)"
			IFS= read -r -d '' rules <"$GLASS_DEBUGFS/glass0/inject/rules" || :
		done
		echo step >"$GLASS_DEBUGFS/glass0/inject/rules" || fail "round $round: $(<"$GLASS_DEBUGFS/glass0/inject/last_error")"
		finish "$STARTED" message.log
		rule glass0 "del name=h"
	done
	kill -INT "$slow"
	finish "$slow" slow.log
	quiet
}
LIMIT_test_step_after_a_hit=240

# What is behind a packet that waits goes on with it.
test_others_wait_behind()
{
	quiet
	rule glass0 "add name=one comm=message op=write nth=2 act=hold"
	start message.log message write 5000
	wait_for 20 so_many glass0 4
	assert_eq "$(column "$GLASS_DEBUGFS/glass0/inject/held" hit | tr '\n' ' ')" "yes no no no " "who was hit"
	ibinject step glass0 one >step
	assert_eq "$(wc -l <step)" 4 "packets that went"
	assert_match "$(<step)" 'hit=yes .*opcode=rc_write_middle'
	finish "$STARTED" message.log
	quiet
}

# So does what is sent later, when the rule is over and no other one is in force.
test_others_wait_behind_a_rule_that_is_over()
{
	quiet
	rule glass0 "add name=one comm=message op=write nth=1 count=1 act=hold"
	start message.log message -2 write 500
	wait_for 20 so_many glass0 1
	wait_for 20 in_file "$GLASS_DEBUGFS/glass0/inject/rules" 'name=one .* over=count'
	kill "$STARTED"
	wait_for 20 so_many glass0 2
	assert_eq "$(column "$GLASS_DEBUGFS/glass0/inject/held" hit | tr '\n' ' ')" "yes no " "who was hit"
	ibinject step glass0 one >step
	assert_eq "$(wc -l <step)" 2 "packets that went"
	finish "$STARTED" message.log
	quiet
}

# waiting N: so many packets of glass0 wait
waiting()
{
	[[ $(stat_of glass0 waiting) == "$1" ]]
}

# A packet of such a rule is overtaken by those that are sent later.
test_overtaken_when_the_rule_is_over()
{
	quiet
	rule glass0 "add name=late comm=message op=write nth=1 count=1 gap=1 time=50s act=reorder"
	start message.log message -2 write 500
	wait_for 20 waiting 1
	kill "$STARTED"
	finish "$STARTED" message.log
	wait_for 10 waiting 0
	quiet
}

# With timers=run the requester tries again meanwhile.
test_timers_may_run()
{
	quiet
	rule glass0 "add name=h comm=message op=write nth=1 timers=run act=hold"
	trace_on glass_qp_retry
	start message.log message write 100
	retried() { grep -q 'glass_qp_retry: dev=glass0' "$TRACING/trace"; }
	wait_for 20 retried
	rule glass0 "release"
	finish "$STARTED" message.log
	trace_off
	quiet
}

# Programs that end do not wait for packets that do.
test_a_program_is_killed_while_its_packets_wait()
{
	quiet
	rule glass0 "add name=h comm=message op=write act=hold"
	start message.log message write 3000
	wait_for 20 so_many glass0 3
	kill -KILL "$STARTED"
	wait_for 20 gone "$STARTED"
	ibinject release glass0 >gone
	assert_eq "$(wc -l <gone)" 3 "packets that went"
	quiet
	assert_eq "$(stat_of glass0 waiting)" 0 "waiting"
}

# What arrives can wait, too.
test_arrivals_wait()
{
	quiet
	rule glass1 "add name=in comm=message op=write dir=rx nth=1 act=hold"
	start message.log message write 3000
	wait_for 20 so_many glass1 3
	wait_for 20 waited_long glass1
	rule glass1 clear
	finish "$STARTED" message.log
	quiet
}

# ---- the device goes and comes

# there DEVICE: is it there?
there()
{
	[[ -e /sys/class/infiniband/$1 ]]
}

guids_of()
{
	cat /sys/class/infiniband/glass1/node_guid /sys/class/infiniband/glass1/sys_image_guid /sys/class/infiniband/glass1/ports/*/gids/0
}

test_unplug()
{
	quiet
	guids_of >guids
	start watch.log stdbuf -oL ibv_asyncwatch -d glass1
	wait_for 20 in_file watch.log async
	start traffic.log traffic
	local traffic=$STARTED
	wait_for 20 in_file traffic.log '^running'
	rule glass1 "add name=away act=unplug"
	there glass1 && fail "the device is there"
	assert_match "$(firings glass1 away)" 'act=unplug pid=0 '
	assert_eq "$(cd "$GLASS_DEBUGFS/glass1" && echo * behavior/*)" 'behavior inject lint behavior/*' "what is left of the folder"
	# programs are told
	watched DEVICE_FATAL
	wait_for 30 gone "$traffic"
	refused glass1 "add qpn=0x11 act=qp_fatal" "act=qp_fatal: the device is unplugged"
	refused glass1 "add port=1 act=port_down" "act=port_down: the device is unplugged"
	rule glass1 "add name=wait comm=ibv_rc_pingpong op=send dir=rx nth=2 act=drop"
	assert_eq "$(stat_of glass1 rules)" 2 "rules"
	rule glass1 "del name=away"
	there glass1 || fail "the device is not there"
	wait_for 60 ports_active
	guids_of | diff guids - || fail "it is another one"
	pair glass1 glass0 ibv_rc_pingpong -n 10
	assert_eq "$(told glass1 wait hit)" 1 "hits of a rule that was added while it was away"
	quiet
}

# With a time it comes back by itself; its port rules are done again.
test_unplug_for_a_time()
{
	quiet
	rule glass1 "add name=cut port=2 act=port_down"
	rule glass1 "add name=brief time=300ms act=unplug"
	wait_for 30 there glass1
	assert_eq "$(told glass1 brief over)" count "why it is over"
	wait_for 30 port_state_is glass1/1 ACTIVE
	port_state_is glass1/2 DOWN || fail "the port came up"
	quiet
	pair glass1 glass0 ibv_rc_pingpong -n 5
}

# Again and again, with programs at work. OpenSM ignores a switch's trap that has come ten times, each within ten seconds of the one before.
# Then a sweep that still runs may clear PortStateChange, which tells of the port that came back, and nothing is left that tells of it.
test_unplug_under_load()
{
	quiet
	local i
	for i in 1 2 3 4 5; do
		start traffic.log traffic --mode mixed --size 65536
		wait_for 20 in_file traffic.log '^running'
		rule glass1 "add name=away act=unplug"
		wait_for 30 gone "$STARTED"
		rule glass1 clear
		wait_for 20 there glass1
		kill -HUP "$(<"$STATE/opensm.pid")"
		wait_for 60 ports_active
	done
	pair glass1 glass0 ibv_rc_pingpong -n 5
}

# The module goes while a device is away.
test_unload_while_unplugged()
{
	rule glass1 "add name=away act=unplug"
	fresh_glass
	there glass1 || fail "the device is not there"
	assert_eq "$(<"$GLASS_DEBUGFS/glass1/inject/rules")" "" "rules"
	start_opensm
}
