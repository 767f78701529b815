# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 65
# long: a packet dies of every reason there is
# Every reason of which a packet can die is provoked, and seen in the trace, in the counters and in a capture, each packet once.

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"
TABLE=$TESTS/tables/drops.tsv

setup()
{
	fresh_glass
}

cleanup()
{
	fresh_glass
}

LIMIT=600

rows()
{
	grep -v '^#' "$TABLE" | tail -n +2
}

# counted: "dev:reason packets" of both devices, from debugfs
counted()
{
	local dev
	for dev in glass0 glass1; do
		awk -v dev="$dev" '!/^#/ { n[$2] += $3 } END { for (r in n) print dev ":" r, n[r] }' "$GLASS_DEBUGFS/$dev/drops"
	done | sort
}

# traced: "dev:reason packets", from the file "trace"
traced()
{
	sed -n 's/^glass_pkt_drop dev=\([^ ]*\) .* reason=\([a-z_]*\) .*/\1:\2/p' trace | sort | uniq -c | awk '{ print $2, $1 }'
}

# capture_rows: what dies on either device goes into drops.pcapng from here to rows_captured, between the marks of the rows.
capture_rows()
{
	start ibcap.log ibcap -w drops.pcapng -f 'reason!=none' glass0 glass1
	CAPTURE=$STARTED
	wait_for 20 in_file ibcap.log capturing
	ROWS=()
}

# mark TEXT: in the capture
mark()
{
	echo "$1" >"$GLASS_DEBUGFS/glass0/bookmark"
}

# rows_captured: between the marks of each row, as many packets died as were counted
rows_captured()
{
	local n
	kill -INT "$CAPTURE"
	finish "$CAPTURE" ibcap.log
	tshark -r drops.pcapng -T fields -e frame.time_epoch -e systemd_journal.message -e frame.interface_name -e frame.comment |
		LC_ALL=C sort -s -n -k1,1 >comments
	for n in "${!ROWS[@]}"; do
		awk -F '\t' -v n="$n" '$2 != "" { on = $2 == "row " n; next } on' comments |
			sed -nE 's/^[^\t]*\t\t([a-z0-9]*):[0-9]*\t.*reason=([a-z_]*).*/\1:\2/p' | sort | uniq -c | awk '{ print $2, $1 }' >"caught.$n"
		within "caught.$n" "$n" "${ROWS[n]}: captured"
	done
}

# grew FROM TO: "dev:reason packets" counted in between
grew()
{
	join -a 2 -e 0 -o 0,1.2,2.2 "$1" "$2" | awk '$3 > $2 { print $1, $3 - $2 }'
}

# within SEEN ROW WHAT: what was seen is what was counted while the row's command ran, and no more than what was counted since a
# moment before to a moment after: others' packets may die while a trace or the row's part of the capture begins and ends.
within()
{
	awk -v what="$3" '
		FILENAME == ARGV[1] { least[$1] = $2; all[$1]; next }
		FILENAME == ARGV[2] { most[$1] = $2; all[$1]; next }
		{ seen[$1] = $2; all[$1] }
		END { for (k in all) if (seen[k] + 0 < least[k] + 0 || seen[k] + 0 > most[k] + 0) {
			printf "%s: %s: %d, counted: %d to %d\n", what, k, seen[k], least[k], most[k]; bad = 1 }
		      exit bad }' "least.$2" "most.$2" "$1" || fail "$3: not as many packets as were counted"
}

# try REASON DEV PLACE ALSO COMMAND...: all its deaths are told, are of the reasons named, and are counted as they are told
try()
{
	local reason=$1 dev=$2 place=$3 also=$4 seen where row=${#ROWS[@]}
	shift 4
	echo "== $reason: $*"
	ROWS+=("$reason")
	counted >counted.0
	mark "row $row"
	trace_on glass_pkt_drop
	counted >counted.1
	"$@" >out 2>&1 || { cat out; fail "$reason: '$*' failed"; }
	counted >counted.2
	trace_off
	mark "end of row $row"
	counted >counted.3
	grew counted.1 counted.2 >"least.$row"
	grew counted.0 counted.3 >"most.$row"
	traced >told
	seen=$(sed -n 's/^glass_pkt_drop dev=\([^ ]*\) .* reason=\([a-z_]*\) place=\([a-z]*\).*/\1:\3:\2/p' trace | sort -u)
	grep -qx "$dev:$place:$reason" <<<"$seen" || fail "$reason: no packet died of it at $dev ($place); seen: ${seen//$'\n'/ }"
	for where in $seen; do
		[[ $where == "$dev:$place:$reason" || $also == '*' || " $also " == *" $where "* ]] ||
			fail "$reason: a packet died of $where, too"
	done
	within told "$row" "$reason: told"
}

# injected: a program whose third message is lost, and sent again
injected()
{
	echo "add qptype=rc op=send nth=3 act=drop" >"$GLASS_DEBUGFS/glass0/inject/rules"
	pair glass1 glass0 ibv_rc_pingpong -n 5
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
}

# run_row WHICH: the rows of the table for now: sm-down, odd, or plain ("")
run_rows()
{
	local which=$1 reason reach dev place also command n=0
	local -A put=()
	shift
	while (($#)); do
		put[$1]=$2
		shift 2
	done
	capture_rows
	while IFS=$'\t' read -r reason reach dev place also command; do
		[[ $reach == verbs ]] || continue
		case $command in
		@sm-down\ * | @odd\ *)
			[[ ${command%% *} == "@$which" ]] || continue
			command=${command#* }
			;;
		*) [[ -z $which ]] || continue ;;
		esac
		[[ -z ${put[only]:-} || ${put[only]} == "$reason" ]] || continue
		local key
		for key in "${!put[@]}"; do
			command=${command//@$key/${put[$key]}}
		done
		# shellcheck disable=SC2086
		try "$reason" "$dev" "$place" "$also" $command
		n=$((n + 1))
	done < <(rows)
	((n)) || fail "no row was run"
	rows_captured
}

# group_up: all ports join IPoIB's broadcast group, whose LID is then in MLID; without IPv6 they are quiet in it.
group_up()
{
	local nic
	echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
	for nic in /sys/class/net/ib*; do
		ip link set "${nic##*/}" up
	done
	# the switch sends to each of them
	joined()
	{
		MLID=$(saquery -g | grep -A1 'MGID.*:ffff:ffff$' | sed -n 's/^\t*Mlid\.*\(0x[0-9A-Fa-f]*\)$/\1/p')
		[[ $MLID ]] || return 1
		trace_on glass_pkt_drop
		dead_packets no_mcast "$MLID"
		trace_off
		(($(grep -c 'reason=no_mcast place=rx' trace) == 3))
	}
	wait_for 30 joined
	joined
}

group_down()
{
	local nic
	for nic in /sys/class/net/ib*; do
		ip link set "${nic##*/}" down
	done
	echo 0 >/proc/sys/net/ipv6/conf/all/disable_ipv6
}

# The table names every reason that the driver knows, and no other.
test_table_is_whole()
{
	local in_driver in_table
	in_driver=$(grep -o 'REC->reason, [^)]*' "$TRACING/events/glass/glass_pkt_drop/format" | grep -o '"[a-z_]*"' | tr -d '"' |
		grep -vx none | sort)
	in_table=$(rows | cut -f1 | sort -u)
	assert_eq "$in_table" "$in_driver" reasons
}

test_before_the_ports_are_up()
{
	run_rows sm-down
}

test_every_reason()
{
	start_opensm
	group_up
	run_rows '' errors "$TESTS/tables/errors.tsv" mlid "$MLID" \
		switch "$(ibswitches | sed -n '1s/.* lid \([0-9]*\) .*/\1/p')"
	group_down
}

# violation counters of the port, as perfquery and PortInfo tell them
test_key_violations_are_counted()
{
	local before after kind
	start_opensm
	for kind in pkey qkey; do
		before=$(column "$GLASS_DEBUGFS/glass1/port" "${kind}_viol" | head -n 1)
		error_table "$TESTS/tables/errors.tsv" "ud_wrong_$kind"
		after=$(column "$GLASS_DEBUGFS/glass1/port" "${kind}_viol" | head -n 1)
		((after > before)) || fail "${kind}_viol was $before and is $after"
	done
}

# Copies of a multicast packet die one by one: of two members, the one behind a port that is down.
test_each_copy_of_a_multicast_packet()
{
	local lid
	start_opensm
	group_up
	# with nobody to repair it, the switch goes on sending to a port that is down
	stop_opensm
	lid=$(($(port_attr glass1/2 lid)))
	ibportstate "$lid" 2 down >/dev/null
	wait_for 10 eval '! port_state_is glass1/2 ACTIVE'
	trace_on glass_pkt_drop
	dead_packets no_mcast "$MLID"
	trace_off
	group_down
	cat trace
	assert_eq "$(grep -c 'dev=glass0 .* reason=port_down place=switch' trace)" 1 "copies that died in the switch"
	assert_eq "$(grep -c 'dev=glass1 port=1 .* reason=no_mcast place=rx' trace)" 1 "copies that arrived"
	assert_eq "$(grep -c 'dev=glass1 port=2 ' trace)" 0 "copies at the port that is down"
}

# What is in the last entries is what was told.
test_droplog()
{
	local told kept
	fresh_glass
	start_opensm
	trace_on glass_pkt_drop
	error_table "$TESTS/tables/errors.tsv" ud_no_such_qp ud_wrong_qkey ud_no_receive
	trace_off
	told=$(sed 's/^glass_pkt_drop dev=[^ ]* port=\([0-9]*\) opcode=\([a-z_]*\) .* reason=\([a-z_]*\) place=\([a-z]*\).*/\1 \4 \3 \2/' trace |
		grep -v '^glass_')
	[[ -n $told ]] || fail "nothing was told"
	kept=$(awk '!/^#/ { print $4, $5, $6, $7 }' "$GLASS_DEBUGFS/glass1/droplog")
	assert_eq "$kept" "$told" "the last packets that died"
	assert_eq "$(column "$GLASS_DEBUGFS/glass1/droplog" seq | paste -sd' ')" "$(seq -s' ' "$(wc -l <<<"$told")")" "their numbers"
}

# A counter does not wait for somebody to look.
test_counted_without_a_trace()
{
	local before after
	start_opensm
	before=$(awk '$2 == "no_qp" { n += $3 } END { print n + 0 }' "$GLASS_DEBUGFS/glass1/drops")
	error_table "$TESTS/tables/errors.tsv" ud_no_such_qp
	after=$(awk '$2 == "no_qp" { n += $3 } END { print n + 0 }' "$GLASS_DEBUGFS/glass1/drops")
	assert_eq "$((after - before))" 1 "packets to no QP"
}

# After this the fabric is of no use: the suite's cleanup loads it anew.
test_odd_fabrics()
{
	local lid
	fresh_glass
	start_opensm
	lid=$(($(port_attr glass1/1 lid)))
	stop_opensm
	ibportstate "$lid" 1 mkey 0x1234567 mkeyprot 2 >/dev/null
	run_rows odd lid "$lid" only bad_mkey
	fresh_glass
	start_opensm
	lid=$(($(port_attr glass1/1 lid)))
	stop_opensm
	ibportstate "$lid" 1 lid 77 >/dev/null
	run_rows odd lid "$lid" only wrong_lid
}
