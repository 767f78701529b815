# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Two programs that wait for each other: in which contexts their packets arrive.

TRACE=/sys/kernel/tracing/instances/talk

# talk TYPE N: N messages of 100 bytes each way between two processes; TALKERS has the options of the server and of the client
talk()
{
	local -a server client
	read -ra server <<<"${TALKERS[0]}"
	read -ra client <<<"${TALKERS[1]}"
	start server.log "ibv_$1_pingpong" "${server[@]}" -n "$2" -s 100
	wait_for 20 listening 18515
	timeout $((40 * SLOWER)) "ibv_$1_pingpong" "${client[@]}" -n "$2" -s 100 127.0.0.1
	finish "$STARTED" server.log
}

# at_once TYPE DEVICES: DEVICES is a regular expression. Four of five packets of a dialogue arrive in the context that has sent them.
# Without this, all do in kernel workers.
at_once()
{
	local all by_workers
	mkdir -p "$TRACE"
	echo 8192 >"$TRACE/buffer_size_kb"
	echo >"$TRACE/trace"
	echo 1 >"$TRACE/events/glass/glass_pkt_rx/enable"
	talk "$1" 200
	echo 0 >"$TRACE/events/glass/enable"
	grep -E " glass_pkt_rx: dev=$2 port=. opcode=${1}_" "$TRACE/trace" | grep -v 'dqpn=0x[01] ' >arrivals
	rmdir "$TRACE"
	all=$(wc -l <arrivals)
	by_workers=$(grep -c '^ *kworker' arrivals) || true
	note "$1: $all packets came, $by_workers of them in kernel workers"
	((all >= 400)) || fail "only $all packets"
	((5 * by_workers <= all)) || fail "$by_workers of $all packets waited for a kernel worker"
}

# some_talk DEVICES: all sorts of QPs
some_talk()
{
	[[ $(uname -v) != *PREEMPT_RT* ]] || skip "with PREEMPT_RT, lanes process all frames"
	at_once rc "$1"
	at_once uc "$1"
	at_once ud "$1"
}
