# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 10
# A page that does not come is waited for by the queue pair that needs it, and by nobody else: not by a lane, a rule, a capture, a
# destroy verb or the end of a process.

# shellcheck source=tests/lib/inject.sh
. "$TESTS/lib/inject.sh"

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

# stuck [ARGUMENT]: a packet needs such a page, and a thread waits for it
stuck()
{
	[[ -e /proc/sys/vm/unprivileged_userfaultfd ]] || skip "this kernel has no userfaultfd"
	start stuck.log stuck_page "$@"
	STUCK=$STARTED
	wait_for 60 in_file stuck.log '^stuck$' || fail "nobody waits: $(<stuck.log)"
	RECEIVER=$(sed -n 's/.*receiver=//p' stuck.log)
}

# SIGUSR1, and the end of that program
released()
{
	kill -USR1 "$STUCK"
	finish "$STUCK" stuck.log
	in_file stuck.log '^ok'
}

nobody_waits()
{
	! pgrep '^glass_page/' >/dev/null
}

somebody_waits()
{
	pgrep '^glass_page/' >/dev/null
}

# Traffic, rules and captures of the same adapter
others_go_on()
{
	pair glass0 glass0 ibv_rc_pingpong -n 200
	pair glass0 glass1 ibv_ud_pingpong -n 100
	"$BASH" -e -c 'echo "add name=other wr_id=77 act=dup" >"$1/rules"; cat "$1/rules" "$1/stats"
		echo "del name=other" >"$1/rules"' - "${RULES%/*}" >others.log 2>&1
	in_file others.log '^add name=other ' || fail "not listed: $(<others.log)"
	start capture.log ibcap -c 4 -w capture.pcapng glass0
	local capture=$STARTED
	wait_for 10 in_file capture.log capturing
	pair glass1 glass0 ibv_ud_pingpong -n 10
	finish "$capture" capture.log "a capture"
}

test_others_go_on()
{
	quiet
	stuck
	somebody_waits || fail "no thread waits for the page"
	others_go_on
	assert_match "$(ibtop -b -n 1 --json -v qp | jq -r '.qp[] | select(.comm == "stuck_page") | .waits_for')" 'page' \
		"what the receiver waits for"
	released
	wait_for 10 nobody_waits
}

# What a rule holds is let go at once: the packet is not waited for.
test_rules_go_on()
{
	quiet
	stuck
	echo "add name=fatal act=qp_fatal qpn=$RECEIVER" >"$RULES"
	# shellcheck disable=SC2317
	fired() { [[ -n $(firings glass0 fatal) ]]; }
	wait_for 10 fired
	released
	assert_match "$(firings glass0 fatal)" 'act=qp_fatal qpn=0x[0-9a-f]+ pid=[0-9]+ comm=stuck_page'
	wait_for 10 nobody_waits
}

# The queue pairs and the region go without the page.
test_destroyed_without_it()
{
	quiet
	stuck leave
	released
	wait_for 10 nobody_waits
}

# Nor does the end of the program need it.
test_killed_without_it()
{
	quiet
	stuck
	kill -KILL "$STUCK"
	wait_for 20 gone "$STUCK"
	wait_for 10 nobody_waits
	wait_for 10 no_objects_of "$STUCK"
}

no_objects_of()
{
	! rdma resource show qp pid "$1" 2>/dev/null | grep -q "pid $1 "
}
