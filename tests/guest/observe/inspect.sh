# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 110
# long: reads each key of each object
# What debugfs tells of one object, held against what a program did; dumps while thousands of QPs come and go.

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

DOC=${TESTS%/*}/docs/debugfs.md

# inspect DEVICE WHAT: what it says of an object, by one open file as the interface wants it.
inspect()
{
	local fd
	exec {fd}<>"$GLASS_DEBUGFS/$1/inspect"
	echo "$2" >&"$fd"
	cat <&"$fd"
	exec {fd}<&-
}

checks()
{
	inspect_check "$1" | tee out
	assert_no_match "$(<out)" '^not ok'
	grep -q '^ok' out || fail "no check of that name"
}

test_attributes() { checks attributes; }
test_sends() { checks sends; }
test_waits() { checks waits; }
test_rnr() { checks rnr; }
test_receive_came_late() { checks receive_came_late; }
test_credits() { checks credits; }
test_program_at_fault() { checks program_at_fault; }
test_recvs() { checks recvs; }
test_answers() { checks answers; }
test_history() { checks history; }
test_errors() { checks errors; }
test_datagram() { checks datagram; }
test_cqes() { checks cqes; }
test_lost_cqes() { checks lost_cqes; }
test_srq() { checks srq; }
test_large_cq() { checks large_cq; }
test_same_as_tables() { checks same_as_tables; }
test_port_and_switch() { checks port_and_switch; }
test_refused() { checks refused; }
test_kernel_objects() { checks kernel_objects; }

# By a shell: an answer, a reason, and nothing without a question.
test_by_shell()
{
	local out
	out=$(inspect glass0 'port 1')
	assert_match "$out" '^# glass 1 inspect: port 1'$'\n''port: 1'$'\n''state: active'
	assert_match "$(cat "$GLASS_DEBUGFS/glass0/inspect")" '^error: nothing was asked for'
	refuses bash -c "echo frobnicate >$GLASS_DEBUGFS/glass0/inspect"
	assert_match "$REFUSAL" 'Invalid argument'
	refuses bash -c "echo qp 0xfffff1 >$GLASS_DEBUGFS/glass0/inspect"
	assert_match "$REFUSAL" 'No such file'
}

# details/ has what inspect says, of each object once.
test_details()
{
	local kind dev title rows
	start log traffic --mode write
	wait_for 20 in_file log '^running'
	for dev in glass0 glass1; do
		for kind in ucontext pd mr mw dm xrcd cq srq qp ah port mcast switch; do
			timeout 60 cat "$GLASS_DEBUGFS/$dev/details/$kind" >details
			sed -n 's/^# glass 1 inspect: //p' details >titles
			rows=$(objects "$kind" "$dev")
			assert_eq "$(wc -l <titles)" "$rows" "objects in details/$kind of $dev"
			assert_eq "$(sort titles | uniq -d)" '' "objects that are there twice"
			while IFS= read -r title; do
				# keys and entries, without what changes meanwhile
				inspect "$dev" "$title" | sed -E '/^  [a-z_]+: .*=/d; s/^( *[a-z_]+:).*/\1/' >asked
				awk -v head="# glass 1 inspect: $title" '/^# / { on = $0 == head } on' details |
					sed -E '/^  [a-z_]+: .*=/d; s/^( *[a-z_]+:).*/\1/' >shown
				case $title in
				# what a QP that works has of these comes and goes
				qp\ *) sed -i -E '/^(  (ack|rnr|timer)|oldest_age|ack_in|rnr_in|credits|  (oldest|first|last|retry))/d' asked shown ;;
				esac
				diff asked shown || fail "details/$kind of $dev differs from inspect: $title"
			done < <(head -n 8 titles)
		done
	done
	# by pieces, from the beginning and again
	for kind in 1 100 4096; do
		dd if="$GLASS_DEBUGFS/glass0/details/port" bs="$kind" status=none | sed 's/ [0-9]*$//' >pieces
		sed 's/ [0-9]*$//' "$GLASS_DEBUGFS/glass0/details/port" | diff - pieces || fail "pieces of $kind bytes"
	done
	refuses bash -c "echo port 1 >$GLASS_DEBUGFS/glass0/details/port"
}

# A port that is down is what a QP with work waits for.
test_port_down()
{
	local qpn=''
	start log traffic --mode write
	wait_for 20 in_file log '^running'
	qpn=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0 .*/\1/p' log)
	[[ -n $qpn ]] || fail "no QP: $(<log)"

	stop_opensm
	port_down
	waits()
	{
		# its retries will be over soon
		SEEN=$(inspect glass0 "qp $qpn")
		[[ $SEEN =~ (^|$'\n')waits_for:\ port$'\n' ]]
	}
	wait_for 20 waits
	assert_match "$SEEN" 'why: its port, which is not active'
	kill "$STARTED" || :
	port_up
	start_opensm
}

# The switch's end of the cable is taken down, which takes both down.
port_down()
{
	local lid port
	lid=$(column "$GLASS_DEBUGFS/glass0/switch" lid)
	port=$(column "$GLASS_DEBUGFS/glass0/port" peer | head -n 1)
	# in-band from the second port, of which the way stays
	ibportstate -C glass0 -P 2 "$lid" "${port#*:}" disable
}

port_up()
{
	local lid port
	lid=$(column "$GLASS_DEBUGFS/glass0/switch" lid)
	port=$(column "$GLASS_DEBUGFS/glass0/port" peer | head -n 1)
	ibportstate -C glass0 -P 2 "$lid" "${port#*:}" enable
}

# Every column and every key has its line in docs/debugfs.md: tests/checks/debugfs-doc. Here: what is read is documented.
test_keys_are_documented()
{
	local kind num key
	start log traffic
	wait_for 20 in_file log '^running'
	for kind in ucontext pd mr cq qp port switch; do
		num=$(sed -n 2p "$GLASS_DEBUGFS/glass0/$kind" | cut -d' ' -f1)
		[[ $kind == qp ]] && num="$num port=1"
		inspect glass0 "$kind $num" | sed -n 's/^ *\([a-z_0-9]*\):.*/\1/p' | sort -u >keys
		[[ -s keys ]] || fail "nothing of $kind $num"
		while read -r key; do
			grep -q "\`$key\`" "$DOC" || fail "$kind: '$key' is not in docs/debugfs.md"
		done <keys
	done
	kill "$STARTED" || :
}

# In the LFT every LID of a port is there; the multicast table has what IPoIB and others joined, or nothing.
test_switch_files()
{
	local port lid
	for port in "${GLASS_PORTS[@]}"; do
		lid=$((16#$(port_attr "$port" lid | sed 's/^0x//')))
		awk -v lid="$lid" -v peer="${port/\//:}" '
			$1 == lid && $3 == peer { found = 1 } END { exit !found }' "$GLASS_DEBUGFS/glass0/lft" ||
			fail "LID $lid of $port is not in the LFT: $(<"$GLASS_DEBUGFS/glass0/lft")"
	done
	assert_eq "$(column "$GLASS_DEBUGFS/glass0/switch" lft_entries)" "$(objects lft glass0)" "entries of the LFT"
	assert_eq "$(column "$GLASS_DEBUGFS/glass0/switch" mft_entries)" "$(objects mft glass0)" "entries of the MFT"
	assert_eq "$(column "$GLASS_DEBUGFS/glass0/switch" ports)" "$(($(objects swport glass0) - 1))" "ports"
}

# counter FILE PORT COLUMN
counter()
{
	paste -d' ' <(column "$GLASS_DEBUGFS/glass0/$1" port) <(column "$GLASS_DEBUGFS/glass0/$1" "$3") |
		awk -v p="$2" '$1 == p { print $2 }'
}

# both_ends SWITCH_PORT: sent here, received there; received here, sent there; words sent here, received there.
both_ends()
{
	printf '%s\n' "$(counter port 1 tx_pkts) $(counter swport "$1" rx_pkts)" \
		"$(counter port 1 rx_ucast) $(counter swport "$1" tx_ucast)" \
		"$(counter port 1 tx_words) $(counter swport "$1" rx_words)"
}

# Nobody sent between two looks.
at_rest()
{
	local first
	first=$(both_ends "$1")
	[[ $first == "$(both_ends "$1")" ]]
}

# same_packets SWITCH_PORT BEFORE: since then both ends of the cable of glass0/1 counted alike. Not since the beginning:
# what an adapter sends to itself never comes to the switch.
same_packets()
{
	paste -d' ' <(echo "$2") <(both_ends "$1") | awk '$3 - $1 != $4 - $2 { bad = 1 } END { exit bad || NR != 3 }'
}

test_port_counters()
{
	local one before ends
	one=$(column "$GLASS_DEBUGFS/glass0/port" peer | head -n 1)
	wait_for 10 at_rest "${one#*:}"
	ends=$(both_ends "${one#*:}")
	before=$(counter port 1 tx_ucast)
	traffic -n 50
	((before + 50 <= $(counter port 1 tx_ucast))) || fail "fewer packets than messages"
	# others may be sending between two looks
	wait_for 10 same_packets "${one#*:}" "$ends"
}

LIMIT_test_dumps_while_qps_come_and_go=150
test_dumps_while_qps_come_and_go()
{
	local before after
	start log traffic
	wait_for 20 in_file log '^running'
	before=$(column "$GLASS_DEBUGFS/glass0/qp" tx_msgs | sort -n | tail -n 1)
	dump_stress -n 10000
	after=$(column "$GLASS_DEBUGFS/glass0/qp" tx_msgs | sort -n | tail -n 1)
	gone "$STARTED" && fail "traffic ended: $(<log)"
	((after > before)) || fail "traffic stood still: $before, then $after messages"
	kill "$STARTED" || :
}
