# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 45
# long: links that go down and come up many times
# Links that go down and come up: what the subnet manager is told, and that who asks gets an answer.

setup()
{
	fresh_glass
	start_opensm
}

cleanup()
{
	stop_opensm
	echo 0 >"$TRACEFS/events/glass/glass_mad/enable"
}

TRACEFS=/sys/kernel/tracing

# MADs from now on, in $TRACEFS/trace
watch_mads()
{
	echo 0 >"$TRACEFS/tracing_on"
	: >"$TRACEFS/trace"
	echo 1 >"$TRACEFS/events/glass/glass_mad/enable"
	echo 1 >"$TRACEFS/tracing_on"
}

# The switch, and its port to glass1/1
switch_of()
{
	SWITCH=$(smpquery -C glass0 -P 1 -D nodeinfo 0,1 >/dev/null && smpquery -C glass0 -P 1 -D portinfo 0,1 0 | sed -n 's/^Lid:\.*//p')
	SWITCH_PORT=$(ibtracert -C glass0 -P 1 "$(lid glass0/1)" "$(lid glass1/1)" | sed -n 's/.*\[\([0-9]*\)\] -> ca port.*/\1/p' | tail -n 1)
	[[ $SWITCH -gt 0 && $SWITCH_PORT -gt 0 ]] || fail "no switch '$SWITCH' '$SWITCH_PORT'"
}

lid()
{
	echo $(($(port_attr "$1" lid)))
}

# Traps 128 that reached the subnet manager's port, by transaction ID
traps()
{
	grep 'glass_mad: .*dir=rx .*method=trap ' "$TRACEFS/trace" | sed 's/.* tid=\([^ ]*\).*/\1/'
}

# at_least N: so many traps with the ID of the last one
at_least()
{
	local last
	last=$(traps | tail -n 1)
	[[ -n $last ]] && (($(traps | grep -c "^$last\$") >= $1))
}

LIMIT_test_trap_is_repeated=120
test_trap_is_repeated()
{
	local old pid
	pid=$(<"$STATE/opensm.pid")
	switch_of
	kill -STOP "$pid"
	watch_mads
	ibportstate -C glass0 -P 1 "$SWITCH" "$SWITCH_PORT" disable
	wait_for 30 at_least 3 || {
		grep glass_mad: "$TRACEFS/trace" | tail -n 30
		kill -CONT "$pid"
		fail "the trap is not repeated"
	}
	old=$(traps | tail -n 1)
	kill -CONT "$pid"
	repressed()
	{
		grep -q "glass_mad: .*method=trap_repress .*tid=$old" "$TRACEFS/trace"
	}
	wait_for 30 repressed
	# The next event has its own trap, and after the other was repressed it did not come again.
	ibportstate -C glass0 -P 1 "$SWITCH" "$SWITCH_PORT" enable
	other()
	{
		[[ $(traps | tail -n 1) != "$old" ]]
	}
	wait_for 30 other
	wait_for 60 ports_active
	# What was on its way while the subnet manager answered may be there still, a repeat a second later may not.
	(($(sed -n "/method=trap_repress .*tid=$old/,\$p" "$TRACEFS/trace" | grep -c "dir=rx .*method=trap .*tid=$old") <= 1)) ||
		fail "the trap comes after it was repressed"
}

# A port that is told to go down says so first.
test_answer_before_the_port_goes_down()
{
	local i target
	target=$(lid glass1/1)
	for ((i = 0; i < 10; i++)); do
		# The link comes up again by itself; the subnet manager makes it active.
		ibportstate -C glass0 -P 1 "$target" 1 down >out 2>&1 || {
			cat out
			fail "no answer, round $i"
		}
		wait_for 60 ports_active
	done
}

# The adapter's other port tells it to come up again.
enable_again()
{
	ibportstate -C glass1 -P 2 -D 0 1 enable
	wait_for 60 ports_active
}

# By directed route, and to stay down: only its own side can bring it back.
test_disable_by_the_other_side()
{
	local i path
	switch_of
	path=0,1,$SWITCH_PORT
	for ((i = 0; i < 5; i++)); do
		ibportstate -C glass0 -P 1 -D "$path" 1 disable >out 2>&1 || {
			cat out
			fail "no answer, round $i"
		}
		wait_for 20 port_state_is glass1/1 DOWN
		enable_again
	done
}

# The port itself asks: nothing leaves by the link, and it goes down all the same.
test_port_takes_itself_down()
{
	local down
	switch_of
	ibportstate -C glass1 -P 1 -D 0 1 disable
	wait_for 20 port_state_is glass1/1 DOWN
	down()
	{
		smpquery -C glass0 -P 1 portinfo "$SWITCH" "$SWITCH_PORT" | grep -q 'LinkState:\.*Down'
	}
	wait_for 20 down
	enable_again
}

active_mtu()
{
	ibv_devinfo -d glass0 -i 1 | sed -n 's/^[[:space:]]*active_mtu:[[:space:]]*\([0-9]*\).*/\1/p'
}

glass0_mtu_is()
{
	[[ $(active_mtu) == "$1" ]]
}

# What a port may not send is not sent: the sender is told, and the subnet manager decides how much it is (NeighborMTU).
test_a_datagram_fits_its_port()
{
	local status=0
	message -t ud send 3000
	assert_eq "$(active_mtu)" 4096 'before'
	# it would set it again
	stop_opensm
	ibportstate -C glass0 -P 1 -D 0 1 mtu 4
	wait_for 10 glass0_mtu_is 2048 || fail "$(active_mtu)"
	message -t ud send 2048
	message -t ud send 2049 2>err || status=$?
	ibportstate -C glass0 -P 1 -D 0 1 mtu 5
	wait_for 10 glass0_mtu_is 4096 || fail "$(active_mtu)"
	assert_eq "$status" 1 "2049 bytes: $(<err)"
	assert_match "$(<err)" 'local length error' 'the error'
	message -t ud send 4096
	start_opensm
}
