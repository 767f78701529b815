# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 270
# long: valgrind, and ten thousand queue pairs
# ibtop in batch mode: it shows what debugfs and rdma netlink tell of the same moment, and goes on when a source fails.

# shellcheck source=tests/lib/rxe.sh
. "$TESTS/lib/rxe.sh"

LIMIT=60

setup()
{
	ibinject clear
	start_opensm
	rxe_up
}

cleanup()
{
	ibinject clear
	stop_opensm
	rxe_down
}

# start_traffic OPTION...: a program that sends from glass0 to glass1; its process is in STARTED.
start_traffic()
{
	start traffic.log traffic "$@"
	wait_for 20 in_file traffic.log '^running'
}

# holder: a program with memory windows, device memory and an XRC domain on glass1; its process is in STARTED.
holder()
{
	start holder.log operations hold
	wait_for 20 in_file holder.log '^holding'
}

# json VIEW... : one refresh as JSON
json()
{
	local IFS=,
	ibtop -b -n 1 --json -v "$*"
}

# Stopped, the program's objects stand still: then everything must be equal.
test_tables_are_those_of_debugfs()
{
	start_traffic
	local pid=$STARTED
	holder
	local other=$STARTED
	kill -STOP "$pid"
	wait_for 10 stands_still "$pid"
	json all >all.json
	python3 - "$pid" "$other" <<'END'
import json, sys

pids = sys.argv[1:]
views = json.load(open("all.json"))
seen = 0
# what time changes; what the driver's own counters of the fabric are
AGES = {"age", "state_age", "oldest_age", "ack_in", "rnr_in"}


def value(text):
    try:
        return int(text, 0)
    except ValueError:
        out = bytearray()
        raw = b"" if text == "%" else text.encode()
        while raw:
            if raw[:1] == b"%":
                out.append(int(raw[1:3], 16))
                raw = raw[3:]
            else:
                out += raw[:1]
                raw = raw[1:]
        return out.decode()


for dev in ("glass0", "glass1"):
    for view, key in (("ucontext", "ctxn"), ("pd", "pdn"), ("mr", "mrn"), ("cq", "cqn"), ("srq", "srqn"),
                      ("qp", "qpn"), ("ah", "ahn"), ("mw", "mwn"), ("dm", "dmn"), ("xrcd", "xrcdn"), ("port", "port")):
        lines = open(f"/sys/kernel/debug/glass/{dev}/{view}").read().splitlines()
        names = lines[0].split(": ")[1].split()
        rows = [dict(zip(names, line.split())) for line in lines[1:]]
        got = [row for row in views[view] if row["dev"] == dev]
        if len(got) != len(rows):
            sys.exit(f"{dev} {view}: {len(got)} of {len(rows)} rows")
        for theirs, ours in zip(rows, got):
            # the programs', of which nothing moves; of others their number and what stands
            mine = theirs.get("pid") in pids
            for name in names if mine else [key]:
                if name in AGES:
                    continue
                want = None if theirs[name] == "-" else value(theirs[name])
                if ours.get(name) != want or (want is None and name in ours):
                    sys.exit(f"{dev} {view} {theirs[key]} {name}: debugfs {theirs[name]}, ibtop {ours.get(name)}")
                seen += mine
if seen < 200:
    sys.exit(f"no more than {seen} values of the program were compared")
for pid, kinds in zip(pids, (("qp", "cq", "mr", "pd"), ("mw", "dm", "xrcd", "srq"))):
    process = [p for p in views["process"] if p["pid"] == int(pid)][0]
    for view in kinds:
        n = sum(row.get("pid") == int(pid) for row in views[view])
        if process["n" + view] != n or not n:
            sys.exit(f"process {pid} has {n} {view}, ibtop says {process['n' + view]}")
END
	# netlink's numbers of PDs and CQs are others than the driver's; QPs have one number
	assert_eq "$(rdma -j resource show qp | jq -c 'map(select(.ifname | startswith("glass")) | {dev: .ifname, qpn: .lqpn, state: (.state | ascii_downcase), pid: (.pid // 0)}) | sort')" \
		"$(jq -c '.qp | map(select(.dev | startswith("glass")) | {dev, qpn, state, pid}) | sort' all.json)" "QPs"
	local kind
	for kind in pd cq mr ctx srq; do
		[[ $kind != ctx ]] || continue
		# memory of the kernel is in debugfs alone
		assert_eq "$(rdma -j resource show $kind | jq '[.[] | select(.ifname | startswith("glass"))] | length')" \
			"$(jq "[.${kind}[] | select(.dev | startswith(\"glass\")) | select(.mrkind != \"dma\")] | length" all.json)" "$kind"
	done
	kill "$other"
	kill -CONT "$pid"
	kill "$pid"
	finish "$pid" traffic.log
}

# Windows, device memory and XRC domains: where they hang, what there is to tell of one, that they come and go.
test_windows_device_memory_and_xrc_domains()
{
	local pid num kind
	ibtop -b -d 0.1 --json -v event >runs.json &
	local top=$!
	wait_for 20 in_file runs.json '"event":'
	holder
	pid=$STARTED
	assert_eq "$(ibtop -b -n 1 -t --ascii -c object,size -f "pid==$pid && dev==glass1" | sed -E 's/^[^a-z]*//;s/ [0-9]+/ /;s/ +/ /g;s/ $//' |
		grep -E '^(mw|dm|xrcd)')" $'mw 2.93k\nmw -\ndm 8k\nxrcd -' "in the tree"
	# the window is in the region that it names
	ibtop -b -n 1 --json -v mr,mw,dm,xrcd,ucontext -p "$pid" >held.json
	jq -e '.mw as $mw | .mr as $mr | .dm as $dm |
		($mw | map(.mwtype) == [1, 2]) and ($mw[0].access == "remote_write") and ($mw[1] | has("len") | not) and
		($mr[] | select(.dev == "glass1" and .mrn == $mw[0].mrn) | .windows == 1) and
		($mr[] | select(.mrkind == "dm") | .dmn == $dm[0].dmn and .len == $dm[0].len) and
		.xrcd[0].nsrq == 1 and (.ucontext[] | select(.dev == "glass1") | .nmw == 2 and .ndm == 1)' held.json >/dev/null ||
		fail "$(<held.json)"
	assert_eq "$(ibtop -b -n 1 --json -v mw -p "$pid" -s -len | jq -c '.mw | map(.mwtype)')" '[1,2]' "the longest first"
	assert_eq "$(ibtop -b -n 1 --json -v mw -f "pid==$pid && !len" | jq -c '.mw | map(.mwtype)')" '[2]' "those that are not bound"
	for kind in mw dm xrcd; do
		num=$(jq ".${kind}[0].${kind}n" held.json)
		ibtop --json --detail "$kind glass1:$num" >detail.json
		assert_eq "$(jq -r ".object.columns.${kind}n" detail.json)" "$num" "number of $kind, by inspect"
		assert_eq "$(jq -r '.object.columns.comm' detail.json)" operations "who made $kind"
	done
	kill "$pid"
	for kind in mw dm xrcd; do
		wait_for 20 gone_told "$kind" "$pid"
	done
	kill "$top"
	wait "$top"
}

# gone_told KIND PID: did an event of runs.json tell that one went?
gone_told()
{
	grep '}$' runs.json | jq -se --arg kind "$1" --argjson pid "$2" \
		'any(.[].event[]; .what == "gone" and .kind == $kind and .pid == $pid)' >/dev/null
}

# Nothing of a stopped program is under way any more.
stands_still()
{
	local before
	before=$(grep -h " $1 " "$GLASS_DEBUGFS"/glass?/qp | cut -d' ' -f1-3,10-13,37-50)
	read -r -t 0.1 _ <>"$STATE/never" || :
	[[ $before == "$(grep -h " $1 " "$GLASS_DEBUGFS"/glass?/qp | cut -d' ' -f1-3,10-13,37-50)" ]]
}

# While it runs: no counter is beyond what debugfs had before and after; rates are what counters do.
test_running_traffic()
{
	start_traffic -m write
	local pid=$STARTED qpn before after
	qpn=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0 .*/\1/p' traffic.log)
	before=$(sent "$qpn")
	ibtop -b -n 3 -d 0.3 --json -v qp,port,device,process >runs.json
	after=$(sent "$qpn")
	assert_eq "$(wc -l <runs.json)" 3 "refreshes"
	jq -es --argjson qpn $((qpn)) --argjson before "$before" --argjson after "$after" --argjson pid "$pid" '
		def qp: .qp[] | select(.dev == "glass0" and .qpn == $qpn);
		(.[0] | qp) as $a | (.[1] | qp) as $b | (.[2] | qp) as $c |
		$a.tx_msgs_s == null and $a.tx_bytes >= $before and $c.tx_bytes <= $after and $b.tx_bytes_s > 0 and
		# per second by the driver'"'"'s own clock
		(($c.tx_bytes - $b.tx_bytes) / (($c.created + $c.age - $b.created - $b.age) / 1e9) / $c.tx_bytes_s - 1 | fabs) < 0.001 and
		$c.tx_peak >= $c.tx_bytes_s and ($c.activity | length) == 2 and $c.sq_fill.max == $c.sq_max and
		(.[2] | .device[] | select(.dev == "glass0") | .tx_bytes_s) >= $c.tx_bytes_s and
		(.[2] | .process[] | select(.pid == $pid) | .tx_bytes_s) >= $c.tx_bytes_s' runs.json >/dev/null || {
		jq -c '.qp[]' runs.json
		fail "rates"
	}
	kill "$pid"
	finish "$pid" traffic.log
}

sent()
{
	awk -v qpn="$1" 'NR == 1 { for (i = 6; i <= NF; i++) if ($i == "tx_bytes") c = i - 4; next } $1 == qpn { print $c }' \
		"$GLASS_DEBUGFS/glass0/qp"
}

# A receiver that is stopped, a sender that has to wait: why, in words.
test_why_it_waits()
{
	next_port
	start server.log ib_send_bw -d glass1 -p "$TCP_PORT" -n 1000000 -s 64
	local server=$STARTED client
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	start client.log ib_send_bw -d glass0 -p "$TCP_PORT" -n 1000000 -s 64 localhost
	client=$STARTED
	wait_for 20 shows "qp" "pid==$client && tx_msgs>100"
	kill -STOP "$server"
	wait_for 20 shows qp "pid==$client && waits_for==rnr && wait~\"the RNR timer: the peer had no receive posted*\""
	# of the two, whose fault it is: the receive queue is empty
	wait_for 20 shows qp "pid==$server && rq_used==0"
	wait_for 20 says_stuck "$client"
	kill -CONT "$server"
	wait_for 20 shows qp "pid==$client && waits_for!=rnr"
	kill "$client" "$server"
}

# shows VIEW FILTER: is there such a row?
shows()
{
	[[ $(ibtop -b -n 1 --csv -v "$1" -c dev -f "$2" | wc -l) -gt 1 ]]
}

says_stuck()
{
	ibtop -b -n 2 -d 0 --json -v process -p "$1" | tail -n 1 | jq -e '.process[0] | .stuck_qps == 1 and (.wait | test("RNR"))' >/dev/null
}

test_injection_is_seen()
{
	start_traffic
	local pid=$STARTED
	ibtop -b -d 0.1 --json -v inject,event >runs.json &
	local top=$!
	wait_for 20 in_file runs.json '"inject":\[\]'
	ibinject add glass1 name=lost "pid=$pid" op=ack dir=tx count=2 act=drop
	wait_for 20 in_file runs.json '"what":"inject"'
	wait_for 20 in_file runs.json '"rule":"lost".*"hit":2.*"over":"count"'
	wait_for 20 in_file runs.json '"what":"drop".*injected'
	kill "$top"
	wait "$top"
	ibinject clear
	kill "$pid"
	finish "$pid" traffic.log
}

test_detail_of_both_ends()
{
	start_traffic
	local pid=$STARTED qpn
	qpn=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0 .*/\1/p' traffic.log)
	ibtop --detail "qp glass0:$qpn" >detail
	in_file detail '^== qp glass0:' && in_file detail '^== peer' || fail "$(<detail)"
	assert_eq "$(grep -c '^  comm  *traffic$' detail)" 4 "names of the program: of each end, and of its peer"
	in_file detail '^  change: .*from=rtr to=rts cause=verb' || fail "no history: $(<detail)"
	assert_eq "$(head -n 2 detail | tail -n 1)" "why:"
	ibtop --json --detail "qp glass0:$qpn" | jq -e '.object.sq.max | tonumber > 0' >/dev/null || fail "JSON"
	refuses ibtop --detail 'qp glass0:0xabcdef'
	assert_match "$REFUSAL" 'there is no such object'
	refuses ibtop --detail 'qp 0'
	assert_match "$REFUSAL" 'add the device'
	kill "$pid"
	finish "$pid" traffic.log
}

# Any device has the netlink view; what only Glass knows is n/a, not 0.
test_rxe()
{
	rxe_traffic
	local server=$RXE_SERVER client=$RXE_CLIENT
	wait_for 20 shows qp "dev==rxe0 && pid==$client && state==rts"
	ibtop -b -n 2 -d 0.5 --json -D rxe0 -D rxe1 -v all >runs.json
	jq -es --argjson pid "$client" '.[1] |
		(.device | map(.dev) == ["rxe0", "rxe1"]) and (.device[0] | .driver == "rxe" and .sources == "netlink sysfs" and .nah == null) and
		(.qp[] | select(.pid == $pid) | .sq_used == null and .sq_fill == null and .waits_for == null and .state == "rts" and .qptype == "rc"
			and .comm == "ibv_rc_pingpong" and .dest_qpn > 0) and
		(.port[0] | .state == "active" and .netdev == "veth0" and .tx_pkts_s > 0 and .link_layer == "Ethernet") and
		(.process[] | select(.pid == $pid) | .nqp == 1 and .nmr == 1 and .pinned > 0 and .stuck_qps == null) and
		.lint == null and .ah == null and .mw == null and .dm == null and .xrcd == null and .inject == null and .share == null' runs.json >/dev/null || {
		jq -c '.device[], .qp[], .port[], .process[]' runs.json
		fail "rxe"
	}
	assert_eq "$(rdma -j resource show qp | jq -c 'map(select(.ifname | startswith("rxe")) | {dev: .ifname, qpn: .lqpn, pid: (.pid // 0)}) | sort')" \
		"$(tail -n 1 runs.json | jq -c '.qp | map({dev, qpn, pid}) | sort')" "QPs"
	assert_match "$(ibtop -b -n 1 -v qp -D rxe0 -c qpn,sq_fill,wait)" '0x[0-9a-f]+ +n/a +n/a'
	assert_eq "$(ibtop -b -n 1 -v tree -D rxe0 -f "pid==$client" -c object | grep -c -E 'ucontext|pd|mr|qp|cq')" 5 "objects in the tree"
	kill "$client" "$server"
}

# What users have, and may have, as the driver tells it.
test_shares()
{
	local table=$GLASS_DEBUGFS/glass0/share
	start greedy.log setpriv --reuid=65534 --regid=65534 --clear-groups greedy dm wait glass0
	wait_for 30 in_file greedy.log '^ready$'
	ibtop -b -n 1 --json -v share -D glass0 >share.json
	assert_eq "$(jq -r '.share[] | [.uid, .what, .used, .limit, .refused, .exempt, .all_used // "-", .all_limit // "-"] | join(" ")' share.json | sort)" \
		"$(tail -n +2 "$table" | sort)" "the table"
	jq -e '.share[] | select(.uid == 65534 and .what == "dm") | .used == 1024 and .limit == 1024 and .refused >= 1 and .owner != ""' share.json >/dev/null ||
		fail "$(<share.json)"
	assert_match "$(ibtop -b -n 1 -v share -D glass0 -f 'uid==65534 && what==dm' -c uid,what,used,limit | tail -n 1)" '^65534 +dm +1024 +1024$'
	kill "$STARTED"
	finish "$STARTED" greedy.log
	wait_for 20 eval '! grep -q "^65534 " "$GLASS_DEBUGFS/glass0/share"'
	su -s /bin/sh nobody -c 'ibtop -b -n 1 --json -v share' | jq -e '.share == null' >/dev/null || fail "an ordinary user sees shares"
}

test_unprivileged()
{
	start_traffic
	local pid=$STARTED
	su -s /bin/sh nobody -c 'ibtop -b -n 1 --json -v qp,mr,ah' >all.json 2>err
	assert_eq "$(<err)" "" "standard error"
	jq -e --argjson pid "$pid" '(.qp | map(select(.pid == $pid)) | length == 2 and all(.sq_used == null and .state == "rts")) and
		(.mr | map(select(.pid == $pid)) | all(.lkey == null and .len > 0)) and .ah == null and
		(.messages | map(.text) | any(test("^only root may see fill levels")) and any(test("keys")))' all.json >/dev/null || {
		cat all.json
		fail "unprivileged"
	}
	su -s /bin/sh nobody -c 'ibtop -b -n 1 -v qp' 2>err >out
	in_file err '^ibtop: only root may see fill levels' || fail "$(<err)"
	kill "$pid"
	finish "$pid" traffic.log
}

# Device, debugfs and process go under it: messages and events, and it goes on.
test_sources_go()
{
	local top pid
	rdma link add rxe9 type rxe netdev lo
	start_traffic
	pid=$STARTED
	[[ -p go ]] || mkfifo go
	# a mount name space of its own, so that debugfs can go for it alone
	unshare --mount --propagation private sh -c 'ibtop -b -d 0.1 --json -v device,event,qp >runs.json & echo $! >pid
		read -r _ <go; umount -l /sys/kernel/debug || echo no >failed
		read -r _ <go; mount -t debugfs none /sys/kernel/debug; wait' &
	top=$!
	wait_for 20 in_file runs.json '"dev":"rxe9"'
	rdma link del rxe9
	wait_for 20 in_file runs.json '"what":"gone","dev":"rxe9","kind":"device"|"dev":"rxe9".*"what":"gone","kind":"device"'
	wait_for 20 last_is 'all(.device[]; .dev != "rxe9")'
	echo >go
	wait_for 20 last_is '(.messages | any(.text | test("mount -t debugfs"))) and (.qp | any(.state == "rts" and .sq_used == null))'
	[[ ! -e failed ]] || fail "debugfs was not unmounted"
	echo >go
	wait_for 20 last_is '(.messages == []) and (.qp | any(.state == "rts" and .sq_used != null))'
	kill -KILL "$pid"
	wait_for 20 in_file runs.json "\"what\":\"gone\",\"kind\":\"process\",\"num\":$pid"
	kill "$(<pid)"
	wait "$top" || fail "ibtop ended with status $?"
}

# last_is FILTER: is that true of the last whole line?
last_is()
{
	grep '}$' runs.json | tail -n 1 | jq -e "$1" >/dev/null
}

# The driver itself goes and comes back.
test_driver_unloaded()
{
	ibtop -b -d 0.1 --json -v device >runs.json &
	local top=$!
	wait_for 20 last_is '.device | any(.dev == "glass0")'
	stop_opensm
	unload_glass
	wait_for 20 last_is '.device | all(.dev | startswith("rxe"))'
	load_glass
	wait_for 20 last_is '.device | any(.dev == "glass0" and .health == "ok")'
	start_opensm
	kill "$top"
	wait "$top" || fail "ibtop ended with status $?"
}

test_record_and_replay()
{
	start_traffic
	ibtop -b -n 4 -d 0.2 --record rec --json -v all >live.json
	kill "$STARTED"
	finish "$STARTED" traffic.log
	ibtop -b --replay rec --json -v all >again.json
	# but for what is a record's alone
	jq -c 'del(.frame)' again.json | cmp - <(jq -c . live.json)
	# time travel: the third, with the rates that it had
	ibtop -b -n 1 --replay rec --seek '#2' --json -v qp | jq -e --slurpfile live <(sed -n 3p live.json) \
		'.frame == 2 and (.qp | map(.tx_bytes_s)) == ($live[0].qp | map(.tx_bytes_s))' >/dev/null || fail "seek"
	assert_eq "$(ibtop -b --replay rec --seek '#2' --csv -v process -c pid | cut -d, -f1 | sort -u | wc -l)" 3 "two snapshots and a header"
	assert_eq "$(ibtop -b --replay rec --seek -1000 --csv -v process -c pid | cut -d, -f1 | sort -u | wc -l)" 5 "all of them and a header"
	refuses ibtop -b --replay rec --seek '#4'
	assert_match "$REFUSAL" 'the record has #0 to #3'
	refuses ibtop -b -n 1 --record rec
	assert_match "$REFUSAL" 'exists already'
	refuses ibtop -b --replay /etc/passwd
	assert_match "$REFUSAL" 'not a record of ibtop'
	# a disk that is full is told, and the status says so
	mkdir small
	mount -t tmpfs -o size=8k small small
	assert_eq "$(status_of ibtop -b -n 3 -d 0 --record small/rec)" 1
	umount small
	assert_match "$(<err)" 'No space left on device; the record ends here'
}

status_of()
{
	local status=0
	"$@" >out 2>err </dev/null || status=$?
	echo "$status"
}

test_command_line()
{
	assert_eq "$(status_of ibtop -n 1)" 0
	assert_no_match "$(<out)" $'\e' "output that is no terminal's"
	assert_match "$(<out)" 'Processes: '
	assert_eq "$(status_of ibtop -b -n 1 -D nope)" 1
	assert_match "$(<err)" 'nope: there is no such device'
	assert_eq "$(status_of ibtop -b -n 1 -v qp -D nope)" 1
	assert_match "$(<out)" 'Queue pairs: 0  n/a: there is no such device$'
	assert_eq "$(status_of ibtop -b -n 1 -v nope)" 2
	assert_match "$(<err)" 'no view nope'
	assert_eq "$(status_of ibtop -b -n 1 -v '')" 2
	assert_match "$(<err)" 'the name of a view is empty'
	assert_eq "$(status_of ibtop -b -n 1 -v p)" 2
	assert_match "$(<err)" 'several views begin with this: process, port, pd'
	assert_eq "$(status_of ibtop --help columns nope)" 2
	assert_match "$(<err)" 'no view nope'
	assert_eq "$(status_of ibtop -b -n 1 -v qp -c qpm)" 2
	assert_match "$(<err)" 'did you mean qpn'
	assert_eq "$(status_of ibtop -b -n 1 -v qp -f 'sq_fill>')" 2
	assert_match "$(<err)" '\^'
	assert_eq "$(status_of ibtop -b -n 0)" 2
	assert_eq "$(status_of ibtop -b -d x)" 2
	assert_eq "$(status_of ibtop --json --csv)" 2
	assert_eq "$(status_of ibtop -b -n 1 -v qp,cq --csv)" 2
	assert_eq "$(status_of ibtop --nonsense)" 2
	assert_eq "$(status_of sh -c 'ibtop -b -n 1 >/dev/full')" 1
	assert_eq "$(status_of ibtop --help)" 0
	# a pipe that nobody reads any more ends it
	(
		set +o pipefail
		ibtop -b -d 0 | head -n 1 >out
	)
	# the man page has every option
	local option
	for option in $(ibtop --help | sed -n 's/^  \(-., \)\{0,1\} *--\([a-z]*\).*/\2/p'); do
		in_file /usr/local/share/man/man8/ibtop.8 "\\\\-\\\\-$option" || fail "the man page has no --$option"
	done
	# completion: options, views, columns of the view on the line
	# shellcheck disable=SC1091
	. /usr/local/share/bash-completion/completions/ibtop
	COMP_WORDS=(ibtop --re) COMP_CWORD=1
	_ibtop
	assert_eq "${COMPREPLY[*]}" "--record --replay"
	COMP_WORDS=(ibtop -v uc) COMP_CWORD=2
	_ibtop
	assert_eq "${COMPREPLY[*]}" "ucontext"
	COMP_WORDS=(ibtop -v qp -s -tx_b) COMP_CWORD=4
	_ibtop
	assert_eq "${COMPREPLY[*]}" "-tx_bytes -tx_bytes_s"
	COMP_WORDS=(ibtop -c "dev,+pinn") COMP_CWORD=2
	_ibtop
	assert_eq "${COMPREPLY[*]}" "dev,+pinned"
}

# Names, labels, types and the end as OpenMetrics has them; a family's lines stand together.
test_openmetrics()
{
	ibtop --openmetrics -v device,port,qp,cq,srq,mr,mw,dm,xrcd,process >metrics
	python3 - <<'END'
import re, sys

lines = open("metrics").read().split("\n")
assert lines[-1] == "" and lines[-2] == "# EOF", lines[-2:]
types, done, current, seen = {}, set(), None, set()
for line in lines[:-2]:
    m = re.fullmatch(r"# (TYPE|HELP) ([a-z][a-z0-9_]*) (.+)", line)
    if m:
        if m[1] == "TYPE":
            assert m[2] not in done, line
            done.add(m[2])
            current = m[2]
            types[m[2]] = m[3]
        assert m[2] == current, line
        continue
    m = re.fullmatch(r'([a-z][a-z0-9_]*)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)*\})? (-?[0-9.e+-]+)', line)
    assert m, line
    assert m[1] == current + {"counter": "_total", "info": "_info", "gauge": ""}[types[current]], line
    assert (m[1], m[2]) not in seen, line
    seen.add((m[1], m[2]))
    if types[current] == "info":
        assert m[3] == "1", line
assert types["ibtop_qp_tx_bytes"] == "counter" and types["ibtop_qp_sq_fill_ratio"] == "gauge"
assert types["ibtop_port_rx_bytes"] == "counter" and types["ibtop_qp_state_age_seconds"] == "gauge"
END
	assert_eq "$(status_of ibtop --openmetrics -n 2)" 2
}

# lines_at_least FILE N
lines_at_least()
{
	(($(wc -l <"$1") >= $2))
}

# Everything is read again and again, objects come and go: nothing stays behind, reachable or not. Each refresh reads all
# there is; what the view of devices spares is output. (tests/unit/ibtop/test_ibtop_screen.c does 1000 of all views under the leak
# checker.)
LIMIT_test_no_leak_after_1000_refreshes=1500
test_no_leak_after_1000_refreshes()
{
	start many.log many_qps -n 3 --repeat 1000000
	local pid=$STARTED top before after
	valgrind --quiet --leak-check=full --errors-for-leak-kinds=all --show-leak-kinds=all --error-exitcode=99 \
		ibtop -b -n 1000 -d 0 --json -D glass0 -v device -c mark,dev >/dev/null 2>err || {
		head -n 40 err
		fail "valgrind"
	}
	ibtop -b -d 0 --csv -D glass0 -v device -c mark,dev >refreshes &
	top=$!
	# by then the ring of events is full, too
	wait_for 60 lines_at_least refreshes 300
	before=$(awk '/^VmRSS/ { print $2 }' "/proc/$top/status")
	wait_for 100 lines_at_least refreshes 1300
	after=$(awk '/^VmRSS/ { print $2 }' "/proc/$top/status")
	kill "$top" "$pid"
	((after - before < 512)) || fail "$before KiB became $after KiB"
}
