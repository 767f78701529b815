# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 75
# long: trace-cmd, perf and bpftrace read every event
# The trace events as an interface: the reference, what tools make of them, the plug-in, the profiles, the probes.

ROOT=${TESTS%/*}
# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

LIMIT=120

# The reference is what the script makes of the driver that runs here.
test_reference_is_true()
{
	"$ROOT/tracepoints/generate" >generated.md
	diff "$ROOT/tracepoints/README.md" generated.md ||
		fail "tracepoints/README.md is not what tracepoints/generate makes: vm/vm run -- tracepoints/generate >tracepoints/README.md"
}

# A field that nobody explains is refused, and so is an explanation of nothing.
test_reference_is_whole()
{
	mkdir tree
	cp -r "$ROOT/tracepoints" "$ROOT/driver" tree/
	sed -i '/^glass_cqe\tsolicited\t/d' tree/tracepoints/fields.tsv
	refuses tree/tracepoints/generate
	assert_match "$REFUSAL" 'glass_cqe: field solicited is not in fields.tsv'
	cp "$ROOT/tracepoints/fields.tsv" tree/tracepoints/
	printf 'glass_cqe\tno_such_field\t-\tnothing\n' >>tree/tracepoints/fields.tsv
	refuses tree/tracepoints/generate
	assert_match "$REFUSAL" 'explains nothing: glass_cqe no_such_field'
}

# a_bit_of_everything: something of each event
a_bit_of_everything()
{
	message send
	message write_imm
	operations windows
	! has_flush || operations flush
	error_table "$TESTS/tables/errors.tsv" rc_send_no_receive rc_write_bad_rkey rc_no_such_qp
	smpquery nodeinfo "$(($(port_attr glass1/1 lid)))"
	echo 'here and now' >"$GLASS_DEBUGFS/glass0/bookmark"
	setpriv --reuid=65534 --clear-groups greedy dm_bytes
	start traffic.log traffic
	wait_for 20 in_file traffic.log '^running'
	echo "add act=qp_fatal qpn=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0.*/\1/p' traffic.log)" >"$GLASS_DEBUGFS/glass0/inject/rules"
	wait_for 20 gone "$STARTED"
	ibportstate "$(($(port_attr glass1/2 lid)))" 2 down
	wait_for 30 ports_active
}

recorded()
{
	trace-cmd start -b 16384 -e glass >/dev/null
	a_bit_of_everything >everything.log 2>&1 || { cat everything.log; return 1; }
	trace-cmd stop
	trace-cmd extract -o all.dat >/dev/null
	trace-cmd reset >/dev/null
}

EVENTS='api_enter api_exit wr_post wr_start wr_complete pkt_tx pkt_rx pkt_drop cqe poll qp_state qp_retry rnr async port_state mad bookmark inject share'

test_trace_cmd_reads_every_event()
{
	local how event file
	local -a option
	recorded
	for how in story plain; do
		file=report.$how option=()
		[[ $how == story ]] || option=(-N)
		trace-cmd report -i all.dat "${option[@]}" >"$file" 2>"$file.err"
		assert_eq "$(<"$file.err")" '' "trace-cmd's complaints"
		assert_no_match "$(<"$file")" 'FAILED TO PARSE|\[UNKNOWN|<not found>|INVALID' "report ($how)"
		for event in $EVENTS; do
			grep -q "glass_$event: " "$file" || fail "no glass_$event in the report ($how)"
		done
	done
	# without the plug-in: the kernel's own words
	grep -qE 'glass_pkt_tx: +dev=glass0 port=1 opcode=rc_send_first ' report.plain || fail "no packet in the plain report"
	# each word is of the vocabulary
	assert_no_match "$(grep -oE ' (op|status|opcode|reason|place|cause|from|to|why|dir|verb|kind|event|action)=(0x|[0-9])[^ ]*' <(grep -vE 'glass_(mad|api_enter): ' report.plain) || :)" '=' \
		"words printed as numbers"
	# with it: a story
	grep -m 5 'glass_' report.story
	grep -qE 'glass_pkt_tx: +glass0/1 sends RC SEND FIRST PSN [0-9]+, LID [0-9]+ -> LID [0-9]+ QP 0x[0-9a-f]+, 1024 bytes #0-[0-9a-f]+-0' report.story ||
		fail "no packet told"
	grep -qE 'glass_pkt_tx: .*RC WRITE LAST IMM .*, immediate 0x[1-9a-f]' report.story || fail "no immediate data told"
	grep -qE 'glass_pkt_rx: .*RC SEND ONLY INV .*, invalidates rkey 0x[1-9a-f]' report.story || fail "no invalidation told"
	! has_flush || grep -qE 'glass_pkt_tx: .*RC FLUSH .* at 0x[0-9a-f]+ rkey 0x[0-9a-f]+, global for the range' report.story || fail "no FLUSH told"
	! has_flush || grep -qE 'glass_pkt_tx: +glass0/1 sends RC ATOMIC WRITE .*, 8 bytes, at 0x' report.story || fail "no ATOMIC WRITE told"
	grep -qE 'glass_pkt_tx: .*RC ACK .*RNR NAK: wait [0-9]+ us' report.story || fail "no RNR NAK told"
	grep -qE 'glass_pkt_rx: .*NAK: remote access error' report.story || fail "no NAK told"
	grep -qE 'glass_pkt_drop: +glass1/1: a packet dies at the port, no_qp: RC SEND ONLY' report.story || fail "no death told"
	grep -qE 'glass_cqe: .*QP 0x[0-9a-f]+, SEND wr_id 0xa1: SUCCESS, 3000 bytes' report.story || fail "no completion told"
	grep -qE 'glass_qp_state: +glass0 QP 0x[0-9a-f]+: RTS -> ERR, cause injected' report.story || fail "no state told"
	grep -qE 'glass_qp_retry: .*no answer in time; round 1, 0 left' report.story || fail "no retry told"
	grep -qE 'glass_rnr: .*waits [0-9]+ us, the peer has no receive for PSN [0-9]+; round 1, 0 left' report.story || fail "no RNR told"
	grep -qE 'glass_api_exit: +glass0: create_qp = 0, QP 0x' report.story || fail "no verb told"
	grep -qE 'glass_api_enter: +glass0: modify_qp\(mask=.*state=rts' report.story || fail "no modify_qp told"
	grep -qE 'glass_mad: +glass0/1 sends MAD subn get NodeInfo' report.story || fail "no MAD told"
	grep -qE 'glass_bookmark: +=+ here and now =+' report.story || fail "no bookmark told"
	grep -qE 'glass_inject: .*QP FATAL of QP 0x' report.story || fail "no injected fault told"
	grep -qE 'glass_share: +glass0: user 65534 wants [0-9]+ more of DM BYTES, has [0-9]+, may have 524288' report.story ||
		fail "no refused share told"
	grep -qE 'glass_async: +glass0: event QP FATAL of QP 0x' report.story || fail "no event told"
	grep -qE 'glass_port_state: +glass1/2: port ACTIVE -> (DOWN|INIT)' report.story || fail "no port told"
	# one message by its flow
	local flow
	flow=$(sed -n 's/.*glass_wr_post: .* wr_id 0xa1\( #0-[0-9a-f]*-0\)$/\1/p' report.story | head -n 1)
	(($(grep -cF -- "$flow" report.story) >= 13)) || fail "flow '$flow' is in $(grep -cF -- "$flow" report.story) lines only"
}

# A record that is cut short, or of other fields, must not bring the reader down.
test_plugin_without_its_fields()
{
	trace-cmd record --compression none -e glass:glass_cqe -e glass:glass_pkt_tx -o cqe.dat message send >/dev/null 2>&1
	# the same file, whose format calls the fields otherwise: the text is replaced in its place
	LC_ALL=C sed 's/field:u64 wr_id;/field:u64 xr_id;/g; s/REC->wr_id/REC->xr_id/g' cqe.dat >other.dat
	trace-cmd report -i other.dat >other.txt
	grep -qE 'glass_cqe: +dev=glass0 cqn=' other.txt || { cat other.txt; fail "not printed by its format"; }
	grep -qE 'glass_pkt_tx: +glass0/1 sends RC SEND FIRST' other.txt || fail "the other event is not told"
}

test_perf_and_bpftrace_read_them()
{
	perf record -q -a -e 'glass:glass_pkt_tx,glass:glass_cqe' -o perf.data message send >/dev/null
	perf script -i perf.data >perf.txt 2>perf.err
	assert_no_match "$(<perf.txt)$(<perf.err)" 'FAILED TO PARSE|unknown op'
	grep -q 'glass_cqe' perf.txt || { cat perf.txt perf.err; fail "no completion in perf script"; }
	bpftrace -c 'message send' -e '
		tracepoint:glass:glass_api_enter { @verbs[args.verb] = count(); }
		tracepoint:glass:glass_cqe { printf("cqe 0x%x %lu\n", args.wr_id, args.flow >> 56); }' >bpf.txt
	assert_match "$(<bpf.txt)" 'cqe 0xa1 1'
	assert_match "$(<bpf.txt)" 'cqe 0xb1 1'
	assert_match "$(<bpf.txt)" '@verbs\[34\]: 2'
}

# Each event can be listed with its fields by those who know only the format.
test_fields_are_packed()
{
	local event
	for event in "$TRACING"/events/glass/*/format; do
		# the kernel's header is 8 bytes, each field follows the one before, aligned to its size
		awk -v event="$event" '
			/field:/ && !/common_/ {
				match($0, /offset:[0-9]+/); at = substr($0, RSTART + 7, RLENGTH - 7) + 0
				match($0, /size:[0-9]+/); size = substr($0, RSTART + 5, RLENGTH - 5) + 0
				if (at > end && end) { hole += at - end }
				end = at + size
			}
			BEGIN { end = 8 }
			END { if (hole) { print event ": " hole " bytes of holes"; exit 1 } }' "$event" || fail "holes"
	done
}

test_probes_are_there()
{
	local notes name
	notes=$(readelf -n "$(provider_library)")
	for name in post_send post_recv doorbell poll poll_cq; do
		grep -A1 '^ *Provider: glass$' <<<"$notes" | grep -qE "Name: $name\$" || fail "no probe $name"
		grep -q "^| \`$name\` |" "$ROOT/tracepoints/README.md" || fail "probe $name is not in the reference"
	done
}

# Of 50 messages there and back: what either side posts and polls, no more and no less.
test_probes_fire()
{
	local lib
	lib=$(provider_library)
	# A map's entry is one process's: a probe's program can be preempted, and two that count in the same entry lose one.
	start probes.log bpftrace -e "
		usdt:$lib:glass:post_send { @posted[pid] = count(); }
		usdt:$lib:glass:poll { @polled[pid] = count(); @bad[pid] = sum(arg3 != 0); }"
	BPFTRACE=$STARTED
	wait_for 60 bpftrace_attached "$BPFTRACE" probes.log
	pair glass0 glass1 ibv_rc_pingpong -n 50
	kill -INT "$BPFTRACE"
	finish "$BPFTRACE" probes.log
	assert_eq "$(sed -n 's/^@posted.*: //p' probes.log | awk '{ n += $1 } END { print n }')" 100 "sends posted"
	assert_eq "$(sed -n 's/^@polled.*: //p' probes.log | awk '{ n += $1 } END { print n }')" 200 "completions polled"
	assert_eq "$(sed -n 's/^@bad.*: //p' probes.log | awk '{ n += $1 } END { print n }')" 0 "completions with an error"
}
LIMIT_test_probes_fire=120

profile()
{
	local name=$1
	shift
	"$ROOT/tracepoints/profiles/$name" -o "$name.dat" "$@" >"$name.log" 2>&1 || { cat "$name.log"; fail "profile $name"; }
	trace-cmd report -N -i "$name.dat" | sed -n 's/.*: *\(glass_[a-z_]*\): *\(.*\)/\1 \2/p' >"$name.txt"
	[[ -s $name.txt ]] || fail "profile $name recorded nothing"
}

test_profile_api()
{
	profile api message send
	assert_eq "$(cut -d' ' -f1 api.txt | sort -u | paste -sd' ')" 'glass_api_enter glass_api_exit'
	grep -q 'verb=create_qp' api.txt
}

test_profile_packets()
{
	profile packets message send
	assert_eq "$(grep -c '^glass_pkt_tx .*opcode=rc_send_' packets.txt)" 3 "packets of the message"
	grep -q '^glass_cqe .*wr_id=0xa1' packets.txt
	assert_no_match "$(<packets.txt)" 'glass_api'
}

# Of a message that arrives, nothing; of one that does not, what went wrong.
test_profile_errors()
{
	profile errors sh -c "message send && error_table '$TESTS/tables/errors.tsv' rc_write_bad_rkey"
	cat errors.txt
	assert_no_match "$(<errors.txt)" 'wr_id=0xa1|status=success|to=rts|cause=verb'
	grep -q '^glass_cqe .*status=rem_access_err' errors.txt
	grep -q '^glass_pkt_drop .*reason=access' errors.txt
	grep -q '^glass_qp_state .*to=err cause=rem_access' errors.txt
	grep -q '^glass_async .*event=qp_access_err' errors.txt
}

test_profile_lifecycle()
{
	profile lifecycle message send
	for word in verb=create_qp verb=destroy_qp verb=reg_mr verb=modify_qp from=rtr; do
		grep -q " $word " lifecycle.txt || fail "no $word"
	done
	assert_no_match "$(<lifecycle.txt)" 'verb=(query_|post_|poll|req_notify|mmap|process_mad)|glass_pkt|glass_cqe'
}

# Observers that are off cost one NOP each; a module in which one of them is something else is found out.
test_hooks_are_nops()
{
	local module
	grep -q ' jump_label_update$' /proc/kallsyms || skip "this kernel is built without jump labels (CONFIG_JUMP_LABEL): every hook reads its key"
	module=$(modinfo -n glass)
	"$TESTS/guest/observe/hooks-are-nops" "$module" | tee hooks
	assert_match "$(<hooks)" '^[0-9]{3} hooks of [0-9]{2} events'
	LC_ALL=C sed 's/\x0f\x1f\x44\x00\x00/\x0f\x1f\x44\x00\x90/g' "$module" >other.ko
	refuses "$TESTS/guest/observe/hooks-are-nops" other.ko
	assert_match "$REFUSAL" 'not a NOP'
}
