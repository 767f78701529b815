# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 80
# long: each action, seen in four ways
# Each action once, on a program that knows nothing of it: what docs/ibinject.md says of it is seen by the program, in the
# trace, in a capture and in counters.

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

# ---- who looks

# mark TEXT: in the trace and in the captures
mark()
{
	local dev
	for dev in "${SEEN[@]}"; do
		echo "$1" >"$GLASS_DEBUGFS/$dev/bookmark"
	done
}

# look DEVICE...: captures of these, the trace of all
look()
{
	SEEN=("$@")
	quiet
	# no packet may be missing when who writes them down is slow
	ibcap -s 128 -B 65536 "$@" >captured 2>ibcap.log </dev/null &
	CAPTURE=$!
	wait_for 10 in_file ibcap.log capturing
}

look_no_more()
{
	kill -INT "$CAPTURE"
	finish "$CAPTURE" ibcap.log
	quiet
}

# ended DEVICE: has the capture come to the mark behind the row?
ended()
{
	grep -q "$1 bookmark: end$ROWS\$" captured
}

# counted DEVICE COUNTER: of port 1
counted()
{
	local port=/sys/class/infiniband/$1/ports/1
	cat "$port/hw_counters/$2" 2>/dev/null || cat "$port/counters/$2"
}

# milliseconds TIME: of HH:MM:SS.NNN
milliseconds()
{
	awk -F: '{ printf "%d\n", (($1 * 60 + $2) * 60 + $3) * 1000 }' <<<"$1"
}

# check KIND WHAT: one cell of a row
check()
{
	local n from to
	case $1 in
	program) grep -qE -- "$2" program || fail "$ROW: the program did not tell /$2/: $(tail -n 20 program)" ;;
	trace) grep -qE -- "$2" trace || fail "$ROW: the trace has no /$2/: $(grep -E 'glass_(inject|async|qp_state|port_state|pkt_drop|cqe|rnr|qp_retry)' trace | tail -n 30)" ;;
	no-trace) ! grep -E -- "$2" trace || fail "$ROW: the trace has /$2/" ;;
	# N times REGEX
	traces)
		n=$(grep -cE -- "${2#* }" trace || :)
		assert_eq "$n" "${2%% *}" "$ROW: /${2#* }/ in the trace"
		;;
	capture) grep -qE -- "$2" capture || fail "$ROW: the capture has no /$2/: $(tail -n 30 capture)" ;;
	no-capture) ! grep -E -- "$2" capture || fail "$ROW: the capture has /$2/" ;;
	# MILLISECONDS REGEX -> REGEX: so long between the first packet of these
	apart)
		to=${2#* -> } from=${2% -> *}
		n=${from%% *} from=${from#* }
		from=$(milliseconds "$(grep -E -m 1 -- "$from" capture | cut -d' ' -f1)")
		to=$(milliseconds "$(grep -E -m 1 -- "$to" capture | cut -d' ' -f1)")
		((to - from >= n)) || fail "$ROW: $((to - from)) ms apart, not $n"
		;;
	# DEVICE:NAME=N or DEVICE:NAME>=N, beyond what it was; before a row it notes that
	counter)
		n=${2#*=} from=${2%%[>=]*}
		to=$(($(counted "${from%:*}" "${from#*:}") - ${BEFORE[$from]}))
		if [[ $2 == *'>='* ]]; then
			((to >= n)) || fail "$ROW: $from: $to, not at least $n"
		else
			assert_eq "$to" "$n" "$ROW: $from"
		fi
		;;
	*) fail "$ROW: no such cell: $1" ;;
	esac
}

# strike: the rule of the row is added; what it has to have of a running program is put in
strike()
{
	local word
	for word in qpn cqn srqn; do
		[[ $RULE != *"@$word"* ]] || RULE=${RULE//@$word/$(of_process "${word%n}" "$word")}
	done
	rule "$DEV" "add name=seen $RULE act=$ROW"
}

# of_process KIND COLUMN: of the started program's object on the device of the row
of_process()
{
	paste -d' ' <(column "$GLASS_DEBUGFS/$DEV/$1" pid) <(column "$GLASS_DEBUGFS/$DEV/$1" "$2") |
		awk -v pid="$STARTED" '$1 == pid { print $2; exit }'
}

# row ACTION DEVICE 'KEY=VALUE...' 'PROGRAM' [KIND WHAT]...
#
# The program meets the rule. One whose name begins with running_ strikes itself, when its time has come. Then each KIND must
# have seen WHAT. Of every row: the rule fired, and journal, sums and trace have it.
row()
{
	local program=$4 status=0 key fired
	local -a cells=("${@:5}")
	ROW=$1 DEV=$2 RULE=$3 ROWS=$((${ROWS:-0} + 1))
	local -A BEFORE=()
	set -- "${cells[@]}"
	while (($#)); do
		if [[ $1 == counter ]]; then
			key=${2%%[>=]*}
			BEFORE[$key]=$(counted "${key%:*}" "${key#*:}")
		fi
		shift 2
	done
	fired=$(stat_of "$DEV" "fired_$ROW")
	echo "--- $ROW"
	mark "begin$ROWS"
	# of a program that runs as fast as it can, each packet would be too much
	if [[ $program == running_* ]]; then
		trace_on glass_inject glass_async glass_qp_state glass_qp_retry glass_port_state glass_pkt_drop
	else
		trace_on glass
		strike
	fi
	$program >program 2>&1 || status=$?
	echo "status $status" >>program
	(($(told "$DEV" seen hit) >= 1)) || fail "$ROW: it did not fire: $(<program)"
	rule "$DEV" "del name=seen"
	# what was broken comes back
	wait_for 60 ports_active
	trace_off
	programs_only
	mark "end$ROWS"
	for key in "${SEEN[@]}"; do
		wait_for 10 ended "$key"
	done
	sed -n "/bookmark: begin$ROWS\$/,\$p" captured >capture
	check trace "glass_inject dev=$DEV rule=seen action=$ROW kind="
	firings "$DEV" seen | tail -n 1 | grep -q "act=$ROW " || fail "$ROW: not in the journal"
	(($(stat_of "$DEV" "fired_$ROW") > ${fired:-0})) || fail "$ROW: not in the sums"
	set -- "${cells[@]}"
	while (($#)); do
		check "$1" "$2"
		shift 2
	done
	quiet
}

# ---- programs

pingpong()
{
	local status=0 server
	next_port
	start server.log ibv_rc_pingpong -d glass1 -p "$TCP_PORT" "$@"
	server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	ibv_rc_pingpong -d glass0 -p "$TCP_PORT" "$@" localhost || status=$?
	((status == 0)) || kill "$server" 2>/dev/null || :
	wait "$server" || :
	return $status
}

# of the packet that waits a step is told, and lets it go
message_step_by_step()
{
	start message.log message "$@"
	waits() { [[ $(stat_of "$DEV" waiting) == 2 ]]; }
	wait_for 20 waits
	column "$GLASS_DEBUGFS/$DEV/inject/held" timers
	ibinject step "$DEV" seen
	wait "$STARTED"
}

# it waits for a completion that does not come
message_that_hangs()
{
	start message.log message "$@"
	hit() { [[ $(told "$DEV" seen hit) == 1 ]]; }
	wait_for 20 hit
	kill -0 "$STARTED" && echo "it waits"
	kill "$STARTED"
	wait "$STARTED"
}

running_traffic()
{
	local status=0
	start traffic.log traffic "$@"
	wait_for 20 in_file traffic.log '^running'
	strike
	wait "$STARTED" || status=$?
	cat traffic.log
	return $status
}

# a program that takes an event and goes on
running_traffic_on()
{
	local word=$1
	shift
	start traffic.log traffic "$@"
	wait_for 20 in_file traffic.log '^running'
	strike
	wait_for 20 in_file traffic.log "$word"
	kill -INT "$STARTED"
	wait "$STARTED"
	cat traffic.log
}

# events EVENT... of the row's device, one after the other; then a COMMAND behind --
running_watch()
{
	start watch.log stdbuf -oL ibv_asyncwatch -d "$DEV"
	local watch=$STARTED
	wait_for 20 in_file watch.log async
	strike
	while (($#)) && [[ $1 != -- ]]; do
		wait_for 60 in_file watch.log "IBV_EVENT_$1"
		shift
	done
	(($# < 2)) || "${@:2}" || :
	kill "$watch"
	cat watch.log
}

# has_some COLUMN PID: more than ten messages of that process's QP on glass0
has_some()
{
	paste -d' ' <(column "$GLASS_DEBUGFS/glass0/qp" pid) <(column "$GLASS_DEBUGFS/glass0/qp" "$1") |
		awk -v pid="$2" '$1 == pid && $2 > 10 { found = 1 } END { exit !found }'
}

# running_pingpong OPTION...: between the devices; what its client says
running_pingpong()
{
	local status=0 server
	next_port
	start server.log ibv_rc_pingpong -d glass1 -p "$TCP_PORT" "$@" -n 1000000
	server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	start client.log ibv_rc_pingpong -d glass0 -p "$TCP_PORT" "$@" -n 1000000 localhost
	wait_for 20 has_some rx_msgs "$STARTED"
	strike
	wait "$STARTED" || status=$?
	kill "$server" 2>/dev/null || :
	cat client.log
	return $status
}

# writes from glass0 to glass1, of which one is always unanswered (who waits for a message would wait for ever when its peer
# is gone), and a program that waits for events of the row's device; what the writer and that program say
running_writes_watched()
{
	local status=0 watch server timeout=14 writer
	# An adapter goes in steps: first its queue pairs, which drop silently, then its links. Where this is slow it is tried for longer.
	((${SLOWER:-1} == 1)) || timeout=18
	start watch.log stdbuf -oL ibv_asyncwatch -d "$DEV"
	watch=$STARTED
	wait_for 20 in_file watch.log async
	next_port
	start server.log ib_write_bw -d glass1 -p "$TCP_PORT" -s 4096 -D 100
	server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	start writer.log ib_write_bw -d glass0 -p "$TCP_PORT" -s 4096 -u $timeout -D 100 localhost
	writer=$STARTED
	wait_for 20 has_some tx_msgs "$writer"
	strike
	wait "$writer" || status=$?
	kill "$server" 2>/dev/null || :
	wait_for 20 in_file watch.log IBV_EVENT
	kill "$watch" 2>/dev/null || :
	cat writer.log watch.log
	return $status
}

# ---- the table

test_packets()
{
	look glass0 glass1
	row drop glass0 'comm=message op=write nth=2' 'message write 3000' \
		program '^status 0$' \
		trace 'glass_pkt_drop dev=glass0 .*reason=injected place=tx' \
		trace 'glass_qp_retry dev=glass0 ' \
		capture 'glass0:1 tx rc_write_middle .*reason=injected rule=seen' \
		counter 'glass0:drop_injected=1'
	row dup glass0 'comm=message op=write nth=2 copies=2' 'message write 3000' \
		program '^status 0$' \
		traces '2 glass_pkt_drop dev=glass1 .*reason=duplicate' \
		capture 'glass0:1 tx rc_write_middle .*rule=seen' \
		capture 'glass1:1 rx rc_write_middle .*reason=duplicate' \
		counter 'glass1:drop_duplicate=2'
	row delay glass0 'comm=message op=write nth=3 time=30ms' 'message write 3000' \
		program '^status 0$' \
		trace 'glass_pkt_rx dev=glass1 .*opcode=rc_write_last' \
		apart '30 glass0:1 tx rc_write_last .*rule=seen -> glass1:1 rx rc_write_last' \
		counter 'glass0:drop_injected=0'
	row reorder glass0 'comm=message op=write nth=2 gap=2' 'message write 8000' \
		program '^status 0$' \
		trace 'glass_pkt_drop dev=glass1 .*reason=bad_psn' \
		trace 'glass_qp_retry dev=glass0 .*nak_seq' \
		capture 'glass0:1 tx rc_write_middle .*rule=seen' \
		capture 'glass1:1 rx rc_write_middle .*reason=bad_psn' \
		counter 'glass0:nak_rx>=1' counter 'glass0:retries>=1'
	row corrupt glass0 'comm=message op=write nth=2' 'message write 3000' \
		program '^status 0$' \
		trace 'glass_pkt_drop dev=glass1 .*reason=bad_vcrc' \
		capture 'glass0:1 tx .*rule=seen' \
		capture 'glass1:1 rx .*reason=bad_vcrc' \
		counter 'glass1:drop_bad_vcrc=1'
	row truncate glass0 'comm=message op=write nth=2' 'message write 3000' \
		program '^status 0$' \
		trace 'glass_pkt_drop dev=glass1 .*reason=bad_len' \
		capture 'glass0:1 tx .*rule=seen' \
		capture 'glass1:1 rx .*reason=bad_len' \
		counter 'glass1:drop_bad_len=1'
	row hold glass0 'comm=message op=write nth=2' 'message_step_by_step write 3000' \
		program '^frozen' program 'rule=seen hit=yes .*opcode=rc_write_middle' program '^status 0$' \
		no-trace 'glass_qp_retry dev=glass0 ' \
		capture 'glass0:1 tx rc_write_middle .*rule=seen' \
		capture 'glass1:1 rx rc_write_middle ' \
		counter 'glass0:retries=0'
	row nak glass1 'comm=message op=write dir=rx nth=2 code=rem_access' 'message write 3000' \
		program '^status [1-9]' \
		trace 'glass_pkt_tx dev=glass1 .*syndrome=0x62' \
		trace 'glass_cqe dev=glass0 .*status=rem_access_err' \
		capture 'glass1:1 rx .*reason=injected rule=seen' \
		capture 'glass1:1 tx rc_ack .*syndrome=0x62 .*rule=seen' \
		counter 'glass1:drop_injected=1' counter 'glass0:nak_rx=1'
	row rnr glass1 'comm=message op=send dir=rx count=3 timer=12' 'message send 100' \
		program '^status 0$' \
		traces '3 glass_rnr dev=glass0 .*dir=rx' \
		capture 'glass1:1 rx .*reason=injected rule=seen' \
		capture 'glass1:1 tx rc_ack .*syndrome=0x2c .*rule=seen' \
		counter 'glass0:rnr_rx=3' counter 'glass1:drop_injected=3'
	row ack glass1 'comm=message op=write dir=rx' 'message write 3000' \
		program '^status 0$' \
		traces '3 glass_pkt_drop dev=glass1 .*reason=injected' \
		trace 'glass_cqe dev=glass0 .*status=success' \
		capture 'glass1:1 rx .*reason=injected rule=seen' \
		capture 'glass1:1 tx rc_ack .*syndrome=0x[01][0-9a-f] .*rule=seen' \
		counter 'glass1:drop_injected=3'
	look_no_more
}

# On the wire there is nothing of them.
test_completions_and_verbs()
{
	look glass0 glass1
	row cqe_error glass0 'comm=ibv_rc_pingpong op=send nth=3 status=rem_access_err vendor=0x42' 'pingpong -n 20' \
		program 'Failed status remote access error \(10\)' program '^status [1-9]' \
		traces '1 glass_cqe dev=glass0 .*status=rem_access_err' \
		trace 'glass_qp_state dev=glass0 .*to=err cause=injected' \
		no-capture 'rule=' \
		counter 'glass0:flush_cqes>=1' counter 'glass0:rem_errs=0'
	row cqe_delay glass0 'comm=message op=write time=50ms' 'message write 100' \
		program '^status 0$' \
		traces '1 glass_cqe dev=glass0 ' \
		no-capture 'rule=' \
		counter 'glass0:retries=0'
	row cqe_lose glass0 'comm=message op=write' 'message_that_hangs write 100' \
		program '^it waits$' \
		traces '0 glass_cqe dev=glass0 ' \
		no-capture 'rule=' \
		counter 'glass0:retries=0'
	row cqe_dup glass0 'comm=traffic op=write,send nth=5' 'traffic --count 20' \
		program 'completion of 4, 5 was due' program '^status 1$' \
		traces '2 glass_cqe dev=glass0 .*wr_id=0x4 ' \
		no-capture 'rule=' \
		counter 'glass0:retries=0'
	row fail glass0 'comm=message verb=reg_mr err=ENOMEM' 'message write' \
		program 'Cannot allocate memory' program '^status [1-9]' \
		trace 'glass_api_exit dev=glass0 verb=reg_mr .*ret=-12' \
		no-trace 'glass_wr_start .*comm=message' \
		no-capture 'comm=message'
	look_no_more
}

test_objects()
{
	look glass0 glass1
	row qp_fatal glass1 'qpn=@qpn' 'running_traffic --post-on' \
		program '^event qp_fatal ' program 'Work Request Flushed Error' program '^status 3$' \
		trace 'glass_async dev=glass1 event=qp_fatal' \
		trace 'glass_qp_state dev=glass1 .*to=err cause=injected' \
		trace 'glass_qp_retry dev=glass0 ' \
		capture 'glass1:1 rx .*reason=qp_state' \
		counter 'glass1:drop_qp_state>=1' counter 'glass1:flush_cqes>=1' counter 'glass0:retries>=1'
	row cq_overrun glass1 'cqn=@cqn' 'running_traffic --post-on' \
		program '^event cq_err ' program '^status 3$' \
		trace 'glass_async dev=glass1 event=cq_err' \
		trace 'glass_qp_state dev=glass1 .*to=err' \
		capture 'glass1:1 rx .*reason=qp_state' \
		counter 'glass1:drop_qp_state>=1'
	row srq_fatal glass1 'srqn=@srqn' 'running_traffic --post-on --srq --mode send' \
		program '^event srq_err ' program '^status 3$' \
		trace 'glass_async dev=glass1 event=srq_err' \
		trace 'glass_qp_state dev=glass1 .*to=err' \
		capture 'glass1:1 rx .*reason=' \
		counter 'glass1:drops>=1'
	row srq_limit glass1 'srqn=@srqn' 'running_traffic_on srq_limit_reached --srq --mode send' \
		program '^event srq_limit_reached ' program '^status 0$' \
		trace 'glass_async dev=glass1 event=srq_limit_reached' \
		no-capture 'reason=(qp_state|injected)' \
		counter 'glass0:retry_errs=0'
	row event glass0 'event=comm_est qpn=@qpn' 'running_traffic_on comm_est' \
		program '^event comm_est ' program '^status 0$' \
		trace 'glass_async dev=glass0 event=comm_est' \
		no-trace 'cause=injected' \
		no-capture 'reason=(qp_state|injected)' \
		counter 'glass0:retry_errs=0'
	look_no_more
}

test_ports()
{
	look glass0 glass1
	row port_down glass0 'port=1' running_traffic \
		program '^event port_err ' program 'transport retry counter exceeded' program '^status 3$' \
		trace 'glass_async dev=glass0 event=port_err' \
		trace 'glass_port_state dev=glass0 ' \
		capture 'glass0:1 tx .*reason=port_down' \
		counter 'glass0:drop_port_down>=1' counter 'glass0:retry_errs>=1'
	row port_flap glass0 'port=1 time=100ms' 'running_watch PORT_ERR PORT_ACTIVE' \
		program 'IBV_EVENT_PORT_ERR' program 'IBV_EVENT_PORT_ACTIVE' \
		trace 'glass_async dev=glass0 event=port_err' trace 'glass_async dev=glass0 event=port_active' \
		capture 'glass0:1 rx ud_send_only .*slid=' \
		counter 'glass0:link_downed=1'
	row lid_change glass1 'port=1 lid=99' running_traffic \
		program '^event lid_change ' program 'transport retry counter exceeded' program '^status 3$' \
		trace 'glass_async dev=glass1 event=lid_change' \
		trace 'glass_pkt_drop dev=glass1 .*reason=wrong_lid' \
		capture 'glass1:1 rx .*reason=wrong_lid' \
		counter 'glass1:drop_wrong_lid>=1'
	row pkey_change glass1 'port=1 index=0 value=0x8001' running_traffic \
		program '^event pkey_change ' program '^status 3$' \
		trace 'glass_async dev=glass1 event=pkey_change' \
		trace 'glass_pkt_drop dev=glass[01] .*reason=bad_pkey' \
		capture 'rx .*reason=bad_pkey' \
		counter 'glass0:retry_errs>=1'
	row gid_change glass1 'port=1 index=0 value=0x1234' 'running_pingpong -g 0' \
		program 'transport retry counter exceeded' program '^status [1-9]' \
		trace 'glass_async dev=glass1 event=gid_change' \
		trace 'glass_pkt_drop dev=glass1 .*reason=bad_grh' \
		capture 'glass1:1 rx .*reason=bad_grh' \
		counter 'glass1:drop_bad_grh>=1'
	row sm_change glass0 'port=2 lid=77' 'running_watch SM_CHANGE -- saquery -t 200 -C glass0 -P 2 -N' \
		program 'IBV_EVENT_SM_CHANGE' \
		trace 'glass_async dev=glass0 event=sm_change' \
		trace 'glass_port_state dev=glass0 ' \
		capture 'glass0:2 tx ud_send_only .*dlid=77 ' \
		counter 'glass0:drop_injected=0'
	look_no_more
}

test_device()
{
	look glass0 glass1
	row device_fatal glass1 '' 'running_traffic --post-on' \
		program '^event device_fatal ' program 'Work Request Flushed Error' program '^status 3$' \
		trace 'glass_async dev=glass1 event=device_fatal' \
		trace 'glass_qp_state dev=glass1 .*to=err cause=injected' \
		capture 'glass1:1 rx .*reason=qp_state' \
		counter 'glass1:drop_qp_state>=1'
	look_no_more
	# a capture of glass1 would end with it
	look glass0
	row unplug glass1 '' running_writes_watched \
		program 'IBV_EVENT_DEVICE_FATAL' program 'Failed status 12' program '^status [1-9]' \
		trace 'glass_qp_retry dev=glass0 ' trace 'glass_port_state dev=glass1 port=1 from=armed to=active' \
		capture 'glass0:1 tx rc_write_.*reason=' \
		counter 'glass0:retry_errs>=1'
	look_no_more
}

test_every_action_has_a_row()
{
	# what Ethernet ports alone have is seen in a suite with such ports
	diff <(ibinject help actions | awk '/^  / && $2 ~ /^[PCOVND]$/ { print $1 }' | sort) \
		<({
			sed -n 's/^\trow \([a-z_]*\) .*/\1/p' "$TESTS/guest/inject/inject-seen.sh"
			grep -oE 'act=(ecn|cnp)\b' "$TESTS/guest/ethernet/roce-ecn.sh" | sed 's/act=//' | sort -u
		} | sort)
}
