# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 120
# long: Wireshark looks at all there is
# ibcap: what it captures is what tshark dissects and what the driver's trace says.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"

TRACE=/sys/kernel/tracing/instances/capture
ALL=(glass0:1 glass0:2 glass1:1 glass1:2)

setup()
{
	start_opensm
}

cleanup()
{
	[[ ! -d $TRACE ]] || rmdir $TRACE
	stop_opensm
}

# begin FILE OPTION...: captures; CAPTURE is the process
begin()
{
	local file=$1
	shift
	start ibcap.log ibcap -w "$file" "$@"
	CAPTURE=$STARTED
	wait_for 10 in_file ibcap.log capturing
}

end()
{
	kill -INT "$CAPTURE"
	finish "$CAPTURE" ibcap.log ibcap
}

trace_on()
{
	[[ -d $TRACE ]] || mkdir $TRACE
	echo 32768 >$TRACE/buffer_size_kb
	echo mono >$TRACE/trace_clock
	echo 0 >$TRACE/trace
	# both events begin and end at once: between two of these lines, packets go
	echo 0 >$TRACE/tracing_on
	echo 1 >$TRACE/events/glass/glass_pkt_tx/enable
	echo 1 >$TRACE/events/glass/glass_pkt_rx/enable
	echo 1 >$TRACE/tracing_on
}

trace_off()
{
	echo 0 >$TRACE/tracing_on
	echo 0 >$TRACE/events/glass/enable
	cat $TRACE/trace >trace
	echo 0 >$TRACE/trace
}

# traffic_compared COMMAND...: what happens meanwhile is captured and traced; both must agree.
traffic_compared()
{
	# the capture first: what the trace has, it must have, too
	begin capture.pcapng -B 65536 "${ALL[@]}"
	trace_on
	"$@"
	trace_off
	end
	"$TESTS/guest/observe/compare-capture" capture.pcapng trace "${ALL[@]}" | tee compared
}

# opcode N: how many packets of that BTH opcode were captured on all interfaces
opcode()
{
	grep -o "0x$1:[0-9]*" compared | awk -F: '{ n += $2 } END { print n + 0 }'
}

LIMIT=120
LIMIT_test_pingpong=300

times_sent_again()
{
	cat /sys/class/infiniband/glass[01]/ports/1/hw_counters/retries | awk '{ n += $1 } END { print n }'
}

test_pingpong()
{
	local before try
	# whose local ACK timeout runs out, for nobody had time for it, sends again; then the numbers are others
	for try in {1..5}; do
		before=$(times_sent_again)
		traffic_compared pair glass0 glass1 ibv_rc_pingpong -n 20 -s 10000
		(($(times_sent_again) > before)) || break
	done
	# 20 messages each way of 10 packets of 1024 bytes, each sent and received
	assert_eq "$(opcode 00)" 80 "packets rc_send_first"
	assert_eq "$(opcode 01)" 640 "packets rc_send_middle"
	assert_eq "$(opcode 02)" 80 "packets rc_send_last"
	comparison_stands_a_stall
	comparison_sees_a_loss
}

compares()
{
	"$TESTS/guest/observe/compare-capture" "$1" "$2" "${ALL[@]}"
}

# Whoever compares may lose the CPU between reading one clock and the other: nothing is missing for that.
comparison_stands_a_stall()
{
	cat >sitecustomize.py <<'END'
import time
read = time.clock_gettime


def slow(clock):
    now = read(clock)
    while read(clock) - now < 0.02:
        pass
    return now


time.clock_gettime = slow
END
	cp compared before
	PYTHONPATH=$TMP compares capture.pcapng trace >compared
	diff before compared
}

# The last packet and one in the midst of the capture, and one of the trace: each is missed.
comparison_sees_a_loss()
{
	local -a number
	mapfile -t number < <(tshark -r capture.pcapng -Y 'infiniband.bth.opcode < 0x20' -T fields -e frame.number)
	editcap capture.pcapng fewer.pcapng "${number[-1]}"
	refuses compares fewer.pcapng trace
	assert_match "$REFUSAL" 'only traced' "without the last packet"
	editcap capture.pcapng fewer.pcapng "${number[${#number[@]} / 2]}"
	refuses compares fewer.pcapng trace
	assert_match "$REFUSAL" 'only traced' "without a packet"
	awk '!/opcode=rc_/ || ++n != 100' trace >fewer
	refuses compares capture.pcapng fewer
	assert_match "$REFUSAL" 'only captured' "without an event"
}

# READs of 1 MiB
test_read()
{
	traffic_compared pair glass0 glass1 ib_read_bw -F -n 5 -s 1048576 -m 4096
	# 5 and one that warms up; sent and received
	assert_eq "$(($(opcode 0d) % 10))" 0 "packets rc_read_resp_first"
	(($(opcode 0d) >= 10)) || fail "too few packets rc_read_resp_first"
	assert_eq "$(opcode 0e)" $(($(opcode 0d) * 254)) "packets rc_read_resp_middle"
}

test_atomics()
{
	traffic_compared pair glass0 glass1 ib_atomic_bw -F -n 50 -A CMP_AND_SWAP
	(($(opcode 13) >= 100)) || fail "too few packets rc_cmp_swap"
	assert_eq "$(opcode 12)" "$(opcode 13)" "packets rc_atomic_ack"
	traffic_compared pair glass0 glass1 ib_atomic_bw -F -n 50 -A FETCH_AND_ADD
	(($(opcode 14) >= 100)) || fail "too few packets rc_fetch_add"
}

test_uc_and_ud()
{
	traffic_compared pair glass0 glass1 ib_send_bw -F -c UC -n 20 -s 4000 -m 1024
	(($(opcode 20) >= 40)) || fail "too few packets uc_send_first"
	traffic_compared pair glass0 glass1 ib_send_bw -F -c UD -n 20 -s 1000 -x 0
	(($(opcode 64) >= 40)) || fail "too few packets ud_send_only"
}

# a client and a server, whose SRQ is in an XRC domain
xrc()
{
	local server client
	next_port
	start xrc-server.log ibv_xsrq_pingpong -d glass1 -p "$TCP_PORT" -c 1 -n 20 -s 3000
	server=$STARTED
	wait_for 10 listening_or_gone "$TCP_PORT" "$server"
	start xrc-client.log ibv_xsrq_pingpong -d glass0 -p "$TCP_PORT" -n 20 -s 3000 localhost
	client=$STARTED
	finish "$client" xrc-client.log
	finish "$server" xrc-server.log
}

flush_headers()
{
	traffic_compared operations flush
	assert_eq "$(opcode 1c) $(opcode 1d)" '2 2' "FLUSH and ATOMIC WRITE, sent and received"
	grep -qE ' opcode=rc_flush .* va=0x[0-9a-f]+ rkey=0x[1-9a-f][0-9a-f]* dma_len=256 .* feth=0x1 len=0 ' trace || fail "$(grep rc_flush trace)"
	grep -qE ' opcode=rc_atomic_write .* va=0x[0-9a-f]+ rkey=0x[1-9a-f][0-9a-f]* dma_len=8 .* len=8 ' trace || fail "$(grep rc_atomic_write trace)"
}

# Headers that few packets have: the trace has them as they are on the wire, ibcap tells and filters them.
test_rare_headers()
{
	traffic_compared operations windows
	(($(opcode 17) >= 2)) || fail "no rc_send_only_inv"
	grep -q ' opcode=rc_send_only_inv .* inv_key=0x[1-9a-f]' trace || fail "no key that is to be invalidated"
	! has_flush || flush_headers
	traffic_compared message send_imm
	grep -qE ' opcode=rc_send_last_imm .* imm=0x[1-9a-f]' trace || fail "no immediate data"
	traffic_compared xrc
	(($(opcode a0) >= 40)) || fail "too few packets xrc_send_first"
	grep -qE ' opcode=xrc_send_first .* xrc_srqn=[1-9]' trace || fail "no SRQ"
}
LIMIT_test_rare_headers=180

# one_line FILTER COMMAND...: the packet that ibcap tells first of what comes meanwhile
one_line()
{
	local filter=$1
	shift
	start lines ibcap -c 1 -f "$filter" glass1:1
	CAPTURE=$STARTED
	wait_for 10 in_file lines capturing
	"$@"
	finish "$CAPTURE" lines ibcap
	LINE=$(grep ' glass1:1 ' lines)
}

flush_is_filtered()
{
	one_line 'feth==1 && op==flush' operations flush
	assert_match "$LINE" ' rc_flush .* va=0x[0-9a-f]+ rkey=0x[0-9a-f]+ dma_len=256 feth=0x1'
	one_line 'opcode==rc_atomic_write && len==8' operations flush
	assert_match "$LINE" ' rc_atomic_write .* dma_len=8'
}

test_rare_headers_are_filtered()
{
	one_line 'inv_key>0 && dir==rx' operations windows
	assert_match "$LINE" ' rx rc_send_only_inv .* inv_key=0x[1-9a-f]'
	! has_flush || flush_is_filtered
	one_line 'xrc_srqn in 1..1000 && opcode~"xrc_*"' xrc
	assert_match "$LINE" ' xrc_send_first .* xrc_srqn=[0-9]+'
}

sweep()
{
	start_opensm
}

test_opensm_sweep()
{
	fresh_glass
	traffic_compared sweep
	tshark -r capture.pcapng -T fields -e infiniband.mad.mgmtclass | sort -u >classes
	grep -q 0x81 classes || fail "no directed-route SMP among the classes: $(<classes)"
}

cm_and_multicast()
{
	cm_server rping -s -V -C 5 -a $THERE
	cm_client rping -c -V -C 5 -a $THERE
	start server.log in_peer stdbuf -oL mckey -b $THERE -m 239.1.2.3 -C 5 -S 1000
	SERVER=$STARTED
	wait_for 20 in_file server.log 'joined dgid'
	cm_client mckey -b $HERE -m 239.1.2.3 -C 5 -S 1000 -s
}

test_cm_and_multicast()
{
	ipoib_up
	traffic_compared cm_and_multicast
	ipoib_down
	tshark -r capture.pcapng -Y 'infiniband.mad.mgmtclass == 0x07 && infiniband.mad.attributeid == 0x10' >requests
	grep -q ConnectRequest requests || fail "no ConnectRequest was dissected: $(<requests)"
	tshark -r capture.pcapng -Y 'infiniband.lrh.dlid >= 0xc000 && infiniband.lrh.dlid != 0xffff' \
		-T fields -e infiniband.bth.destqp >multicast
	# 5 sent; received by the other adapter's port
	(($(grep -c 0xffffff multicast) >= 10)) || fail "only $(wc -l <multicast) multicast packets"
}

# ---- filters

test_filters()
{
	local pid
	start client.log traffic -s 10000
	pid=$STARTED
	wait_for 20 in_file client.log '^running'
	ibcap -q -w write.pcapng -c 50 -f 'op==write && dir==tx' glass0:1
	ibcap -q -w ack.pcapng -c 50 -f 'op==ack && pid==0 || op==ack && comm~"traf*"' glass0:1 glass1:1
	ibcap -q -w length.pcapng -c 50 -f 'len>=1024 && len<=2000 && !(op==read) && dir==rx' glass1:1
	# the driver cannot be told of addresses: evaluated by ibcap
	ibcap -q -w address.pcapng -c 20 -f 'va>0 && dev=="glass0"' glass0:1 glass1:1
	kill -INT "$pid"
	finish "$pid" client.log
	assert_eq "$(tshark -r write.pcapng -T fields -e infiniband.bth.opcode | sort -nu | paste -sd' ')" "6 7 8" "opcodes of writes"
	assert_eq "$(tshark -r write.pcapng -T fields -e frame.packet_flags_direction | sort -u)" 0x00000002 "directions"
	assert_eq "$(tshark -r ack.pcapng -T fields -e infiniband.bth.opcode | sort -u)" 17 "opcodes of ACKs"
	# 10000 bytes are 4096, 4096 and 1808
	assert_eq "$(tshark -r length.pcapng -T fields -e infiniband.bth.opcode -e infiniband.lrh.pktlen | sort -u)" \
		$'2\t458\n8\t458' "last packets"
	assert_eq "$(tshark -r address.pcapng -T fields -e frame.interface_name -e infiniband.bth.opcode | sort -u)" \
		$'glass0:1\t6' "packets with an address"
}
LIMIT_test_filters=60

test_wrong_filter_is_explained()
{
	refuses ibcap -w x.pcapng -f 'qpn==0x11 && len>' glass0:1
	assert_match "$REFUSAL" 'expected a value for' "what it says"
	assert_match "$REFUSAL" $'\n +\\^' "the caret"
}

# ---- what the driver accepts

commands()
{
	printf '%s\n' "$@" >&"$SESSION"
}

test_commands_of_a_session()
{
	local wrong
	exec {SESSION}<>$GLASS_DEBUGFS/glass0/capture
	for wrong in nonsense 'port 0' 'port 3' port 'snap x' 'ring 1' 'ring 1000000000' match 'match qpn' 'match qpn=1 qpn=2' \
		'match x=1' 'match op=unknown' stop 'start now' "match wr_id=$(printf '9%.0s' {1..30})"; do
		if commands "$wrong" 2>/dev/null; then
			fail "taken: $wrong"
		fi
	done
	commands 'port 1' 'snap 100' 'ring 65536' 'match qpn=0x11 op=write,send' 'match comm=a*' start
	for wrong in start 'port 2' 'snap 1' 'match qpn=1'; do
		if commands "$wrong" 2>/dev/null; then
			fail "taken while it runs: $wrong"
		fi
	done
	commands stop stop
	# what is left is a record that says END
	assert_eq "$(dd bs=8192 count=1 iflag=nonblock <&"$SESSION" 2>/dev/null | od -An -tu1 -j7 -N1 | tr -d ' ')" 2 "kind"
	exec {SESSION}>&-
}

test_only_so_many_sessions()
{
	local i fd
	local -a fds=()
	for ((i = 0; i < 16; i++)); do
		exec {fd}<>$GLASS_DEBUGFS/glass0/capture
		fds+=("$fd")
		echo start >&"$fd"
	done
	refuses ibcap -w x.pcapng glass0:1
	assert_match "$REFUSAL" 'glass0:1: too many captures are running'
	for fd in "${fds[@]}"; do
		exec {fd}>&-
	done
	begin x.pcapng -c 1 glass0:1
	end
}

# A reader that does not read loses packets and is told how many; the traffic goes on.
test_losses_are_counted()
{
	local lost got
	begin capture.pcapng -B 64 -c 100000 glass0:1
	kill -STOP "$CAPTURE"
	traffic -n 300 -s 4096
	kill -CONT "$CAPTURE"
	end
	lost=$(grep -o '[0-9]* lost' ibcap.log | tail -n 1 | cut -d' ' -f1)
	got=$(capinfos -Mc capture.pcapng | awk '/Number of packets/ { print $NF }')
	((lost > 100)) || fail "lost $lost"
	((got > 0)) || fail "nothing was captured"
	# in the statistics block of the file, too
	tshark -r capture.pcapng -q >/dev/null
}

# Packets of no interest take no room from those that are, and a reader that waits for one need not be told of each.
test_what_is_filtered_out_is_not_lost()
{
	begin capture.pcapng -B 1024 -f 'reason!=none' glass0:1
	traffic -n 3000 -s 4096
	end
	assert_eq "$(tail -n 1 ibcap.log)" "ibcap: 0 packets, 0 lost"
}

# ---- files

test_snap_length()
{
	begin capture.pcapng -s 64 glass0:1
	pair glass0 glass1 ibv_rc_pingpong -n 5 -s 4096
	end
	assert_eq "$(tshark -r capture.pcapng -Y 'infiniband.bth.opcode == 1' -T fields -e frame.cap_len -e frame.len -e infiniband.bth.opcode | sort -u)" \
		$'64\t1050\t1' "lengths"
	# an ACK is 24 bytes and two CRCs: what is cut in the CRCs is cut before them
	begin ack.pcapng -s 28 -f op==ack glass0:1
	pair glass0 glass1 ibv_rc_pingpong -n 5 -s 16
	end
	assert_eq "$(tshark -r ack.pcapng -T fields -e frame.cap_len -e frame.len | sort -u)" $'24\t30' "lengths of ACKs"
	assert_eq "$(tshark -r capture.pcapng -Y _ws.malformed | wc -l)" 0 "malformed packets"
}

test_files_take_turns()
{
	begin capture.pcapng -C 1 -W 2 glass0:1
	traffic -n 1500 -s 4096
	end
	((($(ls capture-*.pcapng | wc -l)) == 2)) || fail "files: $(ls capture*)"
	[[ ! -e capture-00001.pcapng ]] || fail "the first file is still there"
	for file in capture-*.pcapng; do
		capinfos "$file" >info || fail "$file is broken"
		(($(stat -c %s "$file") <= 1010000)) || fail "$file is too long"
	done
}
LIMIT_test_files_take_turns=120

test_standard_output()
{
	traffic -n 100000000 >traffic.log 2>&1 &
	wait_for 20 in_file traffic.log '^running'
	# who reads it goes away: a good end
	ibcap -q -w - glass0:1 | tshark -c 20 -r - -T fields -e infiniband.bth.opcode >fields
	(($(wc -l <fields) == 20)) || fail "got $(wc -l <fields) packets"
	ibcap -c 5 glass0:1 >lines
	assert_eq "$(grep -c 'glass0:1 [rt]x rc_.* psn=.* comm=traffic' lines)" 5 "lines"
	kill -INT $!
	wait $!
}

test_json_summary()
{
	traffic -n 100000000 >traffic.log 2>&1 &
	wait_for 20 in_file traffic.log '^running'
	ibcap -q --json -c 30 -w capture.pcapng glass0:1 glass1:1 >summary.json
	kill -INT $!
	wait $!
	jq -e '.packets == 30 and .lost == 0 and .file == "capture.pcapng" and (.interfaces | length) == 2 and
		([.interfaces[].packets] | add) == 30' summary.json
}

# Without a file for the packets, standard error has the summary, and nothing else.
test_json_without_a_file()
{
	traffic -n 100000000 >traffic.log 2>&1 &
	wait_for 20 in_file traffic.log '^running'
	ibcap --json -c 5 glass0:1 >lines 2>summary.json
	ibcap --json -c 5 -w - glass0:1 >capture.pcapng 2>piped.json
	ibcap --json --flight -c 5 glass0 >lines 2>flight.json
	kill -INT $!
	wait $!
	jq -e '.packets == 5' summary.json
	jq -e '.packets == 5' piped.json
	jq -e '.flight.state' flight.json
}

test_one_packet()
{
	traffic -n 100000000 >traffic.log 2>&1 &
	wait_for 20 in_file traffic.log '^running'
	ibcap -c 1 glass0:1 >line 2>ibcap.log
	kill -INT $!
	wait $!
	assert_eq "$(tail -n 1 ibcap.log)" "ibcap: 1 packet, 0 lost"
}

test_errors_name_the_object()
{
	refuses ibcap -w x glass7
	assert_match "$REFUSAL" 'glass7: no such device'
	refuses ibcap -w x glass0:3
	assert_match "$REFUSAL" 'glass0:3: glass0 has 2 ports'
	refuses ibcap -w x glass0:x
	assert_match "$REFUSAL" "'x' is not a port number"
	refuses ibcap -w /nowhere/x glass0:1
	assert_match "$REFUSAL" '/nowhere/x: No such file'
	refuses ibcap -w x -c 0 glass0:1
	assert_match "$REFUSAL" "'0' is not a number from 1"
	refuses setpriv --reuid=65534 --regid=65534 --clear-groups ibcap -w /tmp/x glass0:1
	assert_match "$REFUSAL" "glass0:1: only root can capture"
}

# ---- Wireshark

test_extcap()
{
	tshark -D >list 2>/dev/null
	for port in "${ALL[@]}"; do
		grep -q "$port (Glass" list || fail "no $port in: $(<list)"
	done
	traffic -n 100000000 >traffic.log 2>&1 &
	wait_for 20 in_file traffic.log '^running'
	timeout 60 tshark -i glass0:1 -c 100 -T fields -e infiniband.bth.psn >psns
	assert_eq "$(wc -l <psns)" 100 "packets"
	timeout 60 tshark -i glass0:1 -f 'op==ack' -c 10 -T fields -e infiniband.bth.opcode >opcodes
	assert_eq "$(sort opcodes | uniq -c | xargs)" "10 17" "opcodes with a capture filter"
	kill -INT $!
	wait $!
}
LIMIT_test_extcap=120

# The module can go while nobody captures, and cannot while somebody does.
test_unloading()
{
	begin capture.pcapng glass0:1
	refuses modprobe -r glass
	end
	stop_opensm
	unload_glass
	load_glass
	start_opensm
}

# A line in the file and on the terminal, once, however many ports are captured.
test_bookmark()
{
	start ibcap.log ibcap -w marks.pcapng glass0 glass1:1
	FILE=$STARTED
	start lines.log ibcap glass0
	LINES=$STARTED
	wait_for 20 in_file ibcap.log capturing
	wait_for 20 in_file lines.log capturing
	echo 'first act' >"$GLASS_DEBUGFS/glass0/bookmark"
	printf 'tab\there' >"$GLASS_DEBUGFS/glass1/bookmark"
	wait_for 20 in_file lines.log 'glass0 bookmark: first act'
	kill -INT "$FILE" "$LINES"
	finish "$FILE" ibcap.log
	finish "$LINES" lines.log
	tshark -r marks.pcapng -Y systemd_journal -T fields -e systemd_journal.syslog_id -e systemd_journal.message |
		tee marks
	assert_eq "$(<marks)" $'glass0\tfirst act\nglass1\ttab\\\\x09here' "marks in the file"
	assert_eq "$(grep -c bookmark: lines.log)" 1 "marks on the terminal"
}
