# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 30
# A page that does not come holds up the packet that is for it, and whoever waits for that packet. Others go on: captures,
# injection rules, and their readers.

HERE=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
# shellcheck source=tests/inject.sh
. "$HERE/inject.sh"

LIMIT=120
RULES=/sys/kernel/debug/glass/glass0/inject/rules

setup()
{
	start_opensm
}

cleanup()
{
	quiet
	stop_opensm
}

# stuck [UNTIL]: a packet is on its way to such a page
stuck()
{
	start stuck.log stuck_page
	STUCK=$STARTED
	wait_for 20 in_file stuck.log "${1:-^stuck}"
}

# The page comes, and with it the end of that program.
comes()
{
	kill -USR1 "$STUCK"
	finish "$STUCK" stuck.log
	in_file stuck.log '^ok'
}

# give COMMAND: gives it to glass0 in the background; COMMANDED is who does
give()
{
	start command.log "$BASH" -c 'printf "%s\n" "$1" >"$2"' - "$1" "$RULES"
	COMMANDED=$STARTED
}

# What others do with the rules of this adapter meanwhile: add, list, delete, look at the sums
others_go_on()
{
	start others.log "$BASH" -e -c 'echo "add name=other wr_id=77 act=dup" >"$1/rules"; cat "$1/rules" "$1/stats"
		echo "del name=other" >"$1/rules"' - "${RULES%/*}"
	wait_for 20 gone "$STARTED"
	finish "$STARTED" others.log "what others do"
	in_file others.log '^add name=other ' || fail "not listed: $(<others.log)"
	! gone "$COMMANDED" || fail "the command does not wait for its packet"
}

held()
{
	(($(stat_of glass0 waiting) > 0))
}

# Whoever lets a packet go waits until it went: alone.
let_go()
{
	quiet
	rule glass0 "add name=h comm=stuck_page op=send act=hold"
	stuck '^sender'
	wait_for 20 held
	give "$1"
	wait_for 20 in_file stuck.log '^stuck'
	others_go_on
	comes
	finish "$COMMANDED" command.log "$1"
}

test_a_step_waits_alone()
{
	let_go "step name=h"
	assert_match "$(<"$RULES")" 'name=h ' "a step leaves the rule"
}

test_the_end_of_a_rule_waits_alone()
{
	let_go "del name=h"
	assert_eq "$(<"$RULES")" "" "rules"
}

test_the_end_of_all_rules_waits_alone()
{
	let_go clear
	assert_eq "$(<"$RULES")" "" "rules"
}

# The receiver's QP is locked while the packet waits.
test_an_action_waits_alone()
{
	quiet
	stuck
	give "add name=fatal act=qp_fatal qpn=$(sed -n 's/.*receiver=//p' stuck.log)"
	# shellcheck disable=SC2317
	listed() { grep -q 'name=fatal ' "$RULES"; }
	wait_for 20 listed
	others_go_on
	comes
	finish "$COMMANDED" command.log "qp_fatal"
	assert_match "$(firings glass0 fatal)" 'act=qp_fatal qpn=0x[0-9a-f]+ pid=[0-9]+ comm=stuck_page'
}

# A capture whose packet is on its way ends when that is there; others begin and end before.
test_a_capture_ends_alone()
{
	start first.log ibcap -w first.pcapng glass0
	local first=$STARTED
	wait_for 10 in_file first.log capturing
	stuck
	kill -INT "$first"
	start second.log ibcap -c 4 -w second.pcapng glass0
	local second=$STARTED
	wait_for 10 in_file second.log capturing
	pair glass1 glass0 ibv_ud_pingpong -n 10
	finish "$second" second.log "the second capture"
	! gone "$first" || fail "the first capture ended before its packet arrived"
	comes
	finish "$first" first.log "the first capture"
	assert_eq "$(tshark -r first.pcapng -Y 'infiniband.bth.opcode == 4' 2>/dev/null | wc -l)" 2 "that packet, sent and received"
}

# A reader that sleeps before a record that is not done is woken when that turns out to be none of its: there is one behind.
test_a_reader_is_woken_past_what_it_did_not_want()
{
	cat >reader.py <<-'END'
		import os, select
		fd = os.open("/sys/kernel/debug/glass/glass0/capture", os.O_RDWR | os.O_NONBLOCK)
		os.write(fd, b"match reason=no_qp\nstart\n")
		print("capturing", flush=True)
		poll = select.poll()
		poll.register(fd, select.POLLIN)
		while poll.poll(60000):
		    try:
		        if os.read(fd, 65536):
		            print("read", flush=True)
		            break
		    except BlockingIOError:
		        pass
	END
	start reader.log python3 reader.py
	local reader=$STARTED
	wait_for 20 in_file reader.log capturing
	stuck
	"$HERE/raw-frame" glass0:1 opcode=4 slid="$(port_attr glass1/1 lid)" dlid="$(port_attr glass0/1 lid)" dqpn=0x999
	comes
	wait_for 20 in_file reader.log read
	finish "$reader" reader.log
}
