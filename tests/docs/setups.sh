# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The states of the guest that blocks of the documentation need: "<!-- run: NAME -->" calls setup_NAME, beside tests/lib/suite.sh.
# Their processes are in $STATE/docs.pids, until a block begins with a state of its own.

# The state of the block before: processes, subnet managers, namespaces, cables.
setups_end()
{
	local pid
	while read -r pid; do
		kill -KILL "$pid" 2>/dev/null || continue
		wait_for 20 gone "$pid"
	done < <(cat "$STATE/docs.pids" 2>/dev/null; pgrep -x opensm)
	rm -f "$STATE/docs.pids" "$STATE/opensm.pid"
	ip -all netns delete
	# the LIDs that OpenSM remembers
	rm -f /var/cache/opensm/*
	fresh_glass
}

# in_background COMMAND...
in_background()
{
	"$@" >/dev/null 2>&1 </dev/null &
	echo $! >>"$STATE/docs.pids"
}

# a fresh module, no subnet manager
setup_plain()
{
	:
}

setup_opensm()
{
	start_opensm
}

# ibv_rc_pingpong between glass0 and glass1, which does not end by itself
setup_pingpong()
{
	start_opensm
	in_background ibv_rc_pingpong -d glass1 -n 100000000
	wait_for 20 listening 18515
	in_background ibv_rc_pingpong -d glass0 -n 100000000 127.0.0.1
	wait_for 20 grep -q 'rts.*ibv_rc_pingpong' "$GLASS_DEBUGFS/glass0/qp"
}

# ib_send_bw with two queue pairs from glass0 to glass1
setup_send_bw()
{
	start_opensm
	send_bw
}

send_bw()
{
	in_background ib_send_bw -F -d glass1 -q 2 -s 4096 --run_infinitely
	wait_for 20 listening 18515
	in_background ib_send_bw -F -d glass0 -q 2 -s 4096 --run_infinitely 127.0.0.1
	wait_for 20 messages_flow
}

messages_flow()
{
	[[ $(column "$GLASS_DEBUGFS/glass0/qp" tx_msgs | awk '{ n += $1 } END { print n + 0 }') -gt 100 ]]
}

# a SEND to a QP that is still in RESET: its sender fails
setup_unready_peer()
{
	start_opensm
	first_causes --two --alone --send peer_reset 1
}

# for "after": the ports of that tree are ACTIVE
setup_active()
{
	wait_for 60 port_state_is glass0/1 ACTIVE
	wait_for 60 port_state_is glass7/1 ACTIVE
	wait_for 60 ibfabric trace glass0 glass7
}

# two leaf switches, an HCA and a subnet manager at each, and no spine between them: what make demo joins by namespaces
setup_leaves()
{
	ibfabric make fat-tree --leaves 2 --spines 2 --hosts-per-leaf 1 --replace
	ibfabric remove spine0
	ibfabric remove spine1
	opensm -B -g 0x0667000000000101
	wait_for 60 port_state_is glass0/1 ACTIVE
}

# for "after": the subnet manager of leaves has found the other side
setup_crossed()
{
	wait_for 60 port_state_is glass1/1 ACTIVE
	wait_for 60 ibfabric trace glass0 glass1
}
