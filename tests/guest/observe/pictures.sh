# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 26
# Pictures of ibcap and ibflow: of exchanges that fail, with the numbers of tshark; traces with exact counts.

# shellcheck source=tests/lib/bpf.sh
. "$TESTS/lib/bpf.sh"

CHECK=$TESTS/guest/observe/check-trace
LIMIT=120

# primes
WRITES=101
DROPS=5

setup()
{
	ibinject clear
	start_opensm
}

cleanup()
{
	ibinject clear
	echo run >"$GLASS_DEBUGFS/glass0/flight"
	stop_opensm
}

# captured OPTION... -- COMMAND...: the command's packets go to capture.pcapng and to the pictures of these options
captured()
{
	local -a options=()
	local capture
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	start ibcap.log ibcap -w capture.pcapng -B 65536 "${options[@]}" glass0:1 glass1:1
	capture=$STARTED
	wait_for 10 in_file ibcap.log capturing
	"$@"
	kill -INT "$capture"
	finish "$capture" ibcap.log ibcap
}

lossy_writes()
{
	ibinject add glass0 name=lossy op=write dir=tx act=drop every=17 count=$DROPS
	traffic -n $WRITES -m write
	ibinject clear
}

# shark FILTER: how many packets of capture.pcapng of the program traffic fit
shark()
{
	tshark -r capture.pcapng -Y "frame.comment contains \"comm=traffic\" && ($1)" -T fields -e frame.number | wc -l
}

# of_picture WORD: the number before that word in what ibcap says of its picture
of_picture()
{
	grep -oE "[0-9,]+ $1" ibcap.log | head -n 1 | tr -dc 0-9
}

is_xml()
{
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" || fail "$1 is not XML"
}

count()
{
	{ grep -oE -- "$1" "$2" || :; } | wc -l
}

test_drops_are_red_and_sent_again()
{
	captured --rows 2000 --svg x.svg --mermaid x.mmd --html x.html --perfetto x.json -- lossy_writes
	grep -q 'picture of glass[01]:0x' ibcap.log || fail "$(<ibcap.log)"
	assert_eq "$(shark 'frame.comment contains "reason=injected"')" $DROPS "drops of tshark"
	# as many packets: seen by the sender, but not those at their other end
	assert_eq "$(of_picture packets)" "$(shark 'frame.packet_flags_direction == 2')" "packets"
	assert_eq "$(count '<g class="packet' x.svg)" "$(of_picture packets)" "arrows"
	assert_eq "$(count '<g class="packet[a-z ]* again' x.svg)" "$(of_picture 'sent again')" "arrows of retransmissions"
	(($(of_picture 'sent again') >= DROPS)) || fail "not each dropped packet was sent again"
	# dropped by the rule: in red, with its name
	assert_eq "$(count '<title>.*dropped: injected \(rule lossy\)' x.svg)" $DROPS "drops by the rule"
	assert_eq "$(awk '/<g class="packet/ { bad = / bad"/ } /dropped: injected/ && /<title>/ && !bad' x.svg)" "" "drops that are not red"
	assert_eq "$(count 'class="cross"' x.svg)" "$(of_picture dropped)" "crosses"
	assert_eq "$(count 'rule lossy' x.mmd)" $DROPS "drops in mermaid"
	assert_eq "$(count '\-x' x.mmd)" "$(of_picture dropped)" "crosses in mermaid"
	is_xml x.svg
	assert_eq "$(stat -c %a x.svg)" 600 "mode"
	"$CHECK" x.json --op write --messages $WRITES >counts
	assert_match "$(<counts)" "messages=$WRITES .*unfinished=0 lost=0"
}

# Fewer rows: the rest is counted, and the drops stay.
test_long_exchange_is_summed_up()
{
	local left
	captured --rows 30 --svg x.svg -- lossy_writes
	assert_eq "$(count '<g class="packet' x.svg)" 30 "arrows"
	assert_eq "$(count '<title>.*dropped: injected' x.svg)" $DROPS "drops"
	left=$(grep -oE '[0-9,]+ packets? left out' x.svg | tr -d , | awk '{ n += $1 } END { print n + 0 }')
	assert_eq $((left + 30)) "$(of_picture packets)" "left out and drawn"
}

# The recorder, after an error: both ends, the NAK, the completion.
test_flight()
{
	local qpn
	echo rearm >"$GLASS_DEBUGFS/glass0/flight"
	verbs_check -t bad_rkey_write
	LC_ALL=C ibcap --flight --diagram glass0 glass1 >x.txt 2>x.err
	grep -q 'it has an error' x.err || fail "$(<x.err)"
	assert_match "$(<x.txt)" 'NAK PSN [0-9]+: remote access'
	assert_match "$(<x.txt)" 'dropped: access'
	assert_match "$(<x.txt)" '(completed|state event:) (rem_access_err|qp_access_err)'
	# ASCII, without colours: it is no terminal
	refuses grep -qP '[^\n -~]' x.txt
	# its number, as the user may ask for it
	qpn=$(grep -oE -m 1 'glass0:0x[0-9a-f]+' x.err) || fail "$(<x.err)"
	ibcap --flight --diagram --pair "$qpn" glass0 glass1 >y.txt 2>y.err
	grep -q "$qpn .*(asked for)" y.err || fail "$(<y.err)"
	LC_ALL=C.UTF-8 ibcap --flight -q --diagram glass0 glass1 | grep -q '│◀╌' || fail "no UTF-8"
	echo rearm >"$GLASS_DEBUGFS/glass0/flight"
}

test_ibflow_traces_each_message()
{
	local stage
	tool all ibflow -Q --perfetto all.json -f 'comm=="traffic"'
	tool one ibflow -Q --svg one.svg --mermaid one.mmd --html one.html -f 'comm=="traffic"'
	tools_ready
	lossy_writes
	tools_end
	"$CHECK" all.json --op write --messages $WRITES --finished >counts || fail "$(<counts)"
	assert_match "$(<counts)" "messages=$WRITES receptions=$WRITES .*unfinished=0 lost=0"
	# stages: each message has been posted, queued, sent, acknowledged
	for stage in post queue wire ack; do
		assert_eq "$(jq "[.traceEvents[] | select(.cat == \"stage\" and .name == \"$stage\")] | length" all.json)" $WRITES "$stage"
	done
	grep -q '<g class="packet' one.svg || fail "no packet of the message"
	grep -q 'posted write' one.svg || fail "no post"
	grep -q 'polled write: success' one.svg || fail "no poll"
	assert_eq "$(count '<g class="packet' one.svg)" "$(count '>>|-x' one.mmd)" "arrows"
	is_xml one.svg
}

# A program may have any name.
test_hostile_program()
{
	local name='a"><script>b;%%'
	cp "$(command -v traffic)" "$TMP/${name//\//_}"
	captured --svg x.svg --html x.html --mermaid x.mmd --perfetto x.json -- "$TMP/${name//\//_}" -n 7 -m write
	is_xml x.svg
	assert_eq "$(count '<script' x.html)" 1 "scripts"
	"$CHECK" x.json --op write --messages 7
	refuses grep -q '%%' x.mmd
}

test_wrong_options()
{
	refuses ibcap --svg - --html - glass0
	assert_match "$REFUSAL" 'only one output'
	refuses ibcap -w - --diagram glass0
	refuses ibcap --pair glass0 --diagram glass0
	assert_match "$REFUSAL" 'is not DEV:QPN'
	refuses ibcap --pair glass0:0x11 -w x glass0
	refuses ibcap --rows 3 --diagram glass0
	refuses ibcap --svg /nonexistent/x.svg -c 1 glass0
	assert_match "$REFUSAL" '/nonexistent/x.svg: No such file'
	refuses ibflow -j --diagram
	refuses ibcap --flight -q --diagram --pair glass0:0xfffff0 glass0
	assert_match "$REFUSAL" 'no packet of this QP was seen'
	# a full disk is told of
	refuses ibcap --flight -q --html /dev/full glass0 glass1
	assert_match "$REFUSAL" '/dev/full: No space left'
}
