# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the suites of tests/users: faults while a program of others runs. Beside suite.sh.

# lossy FILTER [EVERY [COUNT]]: from now on, both adapters lose one of EVERY (20) packets that match, COUNT (10) at most
lossy()
{
	local dev
	# what a test before left
	ibinject clear >/dev/null
	for dev in glass0 glass1; do
		ibinject drop $dev "$1" --name loss --every "${2:-20}" --count "${3:-10}" >/dev/null
	done
}

# hits DEVICE NAME: how often that rule fired
hits()
{
	sed -n "s/^add name=$2 .* hit=\([0-9]*\).*/\1/p" "$GLASS_DEBUGFS/$1/inject/rules"
}

# calm: no faults any longer; packets must have been lost
calm()
{
	local lost
	lost=$(($(hits glass0 loss) + $(hits glass1 loss)))
	ibinject clear >/dev/null
	((lost)) || fail "no packet was lost"
	note "$lost packets were lost"
}

# victim DEVICE: the QP whose packet is held
victim()
{
	ibinject held | sed -n "/dev=$1 /s/.* rule=victim hit=yes .* qpn=\(0x[0-9a-f]*\) .*/\1/p" | head -n 1
}

held()
{
	[[ -n $(victim "$1") ]]
}

# break_qp DEVICE FILTER N: a QP of DEVICE that has sent its N-th packet which matches goes to ERR; VICTIM is its number. The packet is
# held until then, so that the QP is at work. To be called before that packet, or while there are many more.
break_qp()
{
	ibinject hold "$1" "$2" --nth "$3" --name victim >/dev/null
	wait_for 60 held "$1" || fail "no QP of $1 has sent $3 packets that match '$2'"
	VICTIM=$(victim "$1")
	ibinject qp "$1:$VICTIM" fatal >/dev/null
	ibinject clear "$1" >/dev/null
}

# all_gone PID...
all_gone()
{
	local pid
	for pid; do
		gone "$pid" || return 1
	done
}

# outcome SECONDS WHAT PID...: how each process of WHAT ends after a fault is a note. One that waits for longer is killed, and must go
# then: nothing of it may be left in the kernel. STATUSES has a word for each: its status, or "waits".
outcome()
{
	local seconds=$1 what=$2 pid status
	shift 2
	STATUSES=''
	wait_for "$seconds" all_gone "$@" || :
	for pid; do
		if gone "$pid"; then
			status=0
			wait "$pid" || status=$?
		else
			kill -KILL "$pid"
			wait "$pid" || :
			status=waits
		fi
		STATUSES+=${STATUSES:+ }$status
	done
	note "$what: $STATUSES"
	wait_for 20 no_qps_of_programs || fail "queue pairs of processes that are gone: $(cat "$GLASS_DEBUGFS"/glass?/qp)"
}

no_qps_of_programs()
{
	[[ -z $(column "$GLASS_DEBUGFS/glass0/qp" comm | grep -vx kernel) && -z $(column "$GLASS_DEBUGFS/glass1/qp" comm | grep -vx kernel) ]]
}
