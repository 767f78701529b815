# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 45
# long: a fabric, compared with what operators run
# The fabric in ibtop: what it shows is what the tables, ibnetdiscover, iblinkinfo and perfquery say; rates, a cut, the screen, a record.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/terminal.sh
. "$TESTS/lib/terminal.sh"

LIMIT=90

# glass0 at leaf0, glass1 at leaf1, two spines
setup()
{
	fresh_glass
	make_fabric fat-tree --leaves 2 --spines 2 --hosts-per-leaf 1
}

cleanup()
{
	fresh_glass
}

# json VIEW: its rows, one refresh
json()
{
	ibtop -b -n 1 --json -v "$1" | jq -c ".$1"
}

# start_traffic: from glass0 to glass1, which can wait for a new way; its process is in STARTED
start_traffic()
{
	start traffic.log traffic -t 18
	wait_for 20 in_file traffic.log '^running'
	wait_for 60 routed glass0 glass1
	wait_for 60 links_active
}

# drops_at NODE:PORT
drops_at()
{
	json fport | jq -e ".[] | select(\"\(.node):\(.port)\" == \"$1\") | .xmit_discards > 0"
}

# Each value of each table, unless it changed meanwhile.
test_tables()
{
	local kind
	for kind in node port cable; do
		cat "$FABRIC/${kind}s" >before
		json "f$kind" >rows.json
		cat "$FABRIC/${kind}s" >after
		python3 - "f$kind" <<'END'
import json, sys
from urllib.parse import unquote


def value(text):
    try:
        return int(text, 0)
    except ValueError:
        return "" if text == "%" else unquote(text)


def table(path):
    lines = open(path).read().splitlines()
    names = lines[0].split(": ")[1].split()
    return [dict(zip(names, line.split(" "))) for line in lines[1:]]


before, after, rows = table("before"), table("after"), json.load(open("rows.json"))
if not len(before) == len(after) == len(rows) > 0:
    sys.exit(f"{sys.argv[1]}: {len(rows)} of {len(before)} rows")
same = 0
for row, was, now in zip(rows, before, after):
    for name, text in now.items():
        if was[name] != text:
            continue
        if row.get(name) != (None if text == "-" else value(text)) or (text == "-" and name in row):
            sys.exit(f"{sys.argv[1]} {now}: {name} is {row.get(name)} in ibtop")
        same += 1
if same < 0.8 * len(rows) * len(before[0]):
    sys.exit(f"no more than {same} values were compared")
END
	done
}

# The nodes, links and counters that management datagrams find, from outside of the driver.
test_diagnostics()
{
	local lid counter
	# GUID and LID of switches, GUID of others
	{
		ibswitches | sed -nE 's/^Switch\s*: 0x0*([0-9a-f]+) ports ([0-9]+) .* lid ([0-9]+) .*/\1 \2 \3/p'
		ibhosts | sed -nE 's/^Ca\s*: 0x0*([0-9a-f]+) ports ([0-9]+) .*/\1 \2/p'
	} | sort >found
	ibtop -b -n 1 --csv -v fnode -c guid,ports,lid,kind | sed 1d | awk -F, '{ sub(/^0x/, "", $2); print $2, $3 ($5 == "switch" ? " " $4 : "") }' |
		sort >shown
	assert_eq "$(<shown)" "$(<found)" "nodes of ibswitches and ibhosts"
	# switch GUID, port, width in lanes, state
	iblinkinfo --line --switches-only |
		sed -nE 's/^0x0*([0-9a-f]+) +"[^"]*" +[0-9]+ +([0-9]+)\[.*\( +([0-9]+)X +[0-9.]+ Gbps +(Active|Down|Init)[ /]+.*/\1 \2 \3 \L\4/p' | sort >found
	ibtop -b -n 1 --csv -v fnode -c name,guid -f 'kind==switch' >switches
	ibtop -b -n 1 --csv -v fport -c node,port,width,state -f 'peer' >ports
	awk -F, 'FNR == 1 { next } FILENAME == "switches" { sub(/^0x/, "", $3); guid[$2] = $3; next }
		$2 in guid { print guid[$2], $3, $4, $5 }' switches ports | sort >shown
	[[ -s found ]] || { iblinkinfo --line --switches-only; fail "iblinkinfo is not understood"; }
	assert_eq "$(<shown)" "$(<found)" "links of iblinkinfo"
	# the query itself does not pass this port: glass0 asks leaf0
	lid=$(lid_of leaf0)
	perfquery -C glass0 -P 1 "$lid" 2 >found
	json fport | jq '.[] | select(.node == "leaf0" and .port == 2)' >port.json
	for counter in PortXmitPkts:tx_pkts PortRcvPkts:rx_pkts PortXmitData:tx_words PortRcvData:rx_words PortXmitDiscards:xmit_discards \
		LinkDownedCounter:link_downed; do
		assert_eq "$(jq ".${counter#*:}" port.json)" "$(sed -n "s/^${counter%:*}:\.*//p" found)" "$counter"
	done
}

# Traffic: rates along the way, sums of nodes, both directions of cables; none beside it.
test_rates()
{
	start_traffic
	local pid=$STARTED
	local -a hops
	mapfile -t hops < <(way glass0 glass1 | awk '{ print $1 ":" $3 }')
	((${#hops[@]} == 3)) || fail "the way: ${hops[*]}"
	ibtop -b -n 2 -d 1 --json -v fnode,fport,fcable | tail -n 1 >now.json
	python3 - "${hops[@]}" <<'END'
import json, sys

now = json.load(open("now.json"))
ports = {f"{p['node']}:{p['port']}": p for p in now["fport"]}
for name in sys.argv[1:]:
    if ports[name]["tx_pkts_s"] < 10 or ports[name]["tx_bytes_s"] < 1000:
        sys.exit(f"no rate at {name}: {ports[name]}")
busy = {p for p in ports if p.startswith("spine") and ports[p]["tx_pkts_s"] > 10}
if len({p.split(":")[0] for p in busy} | {p.split(":")[0] for p in sys.argv[1:] if p.startswith("spine")}) > 2:
    sys.exit(f"traffic everywhere: {busy}")
for node in now["fnode"]:
    own = [p for p in ports.values() if p["node"] == node["name"] and p["port"]]
    for column in ("tx_bytes_s", "rx_bytes_s", "tx_pkts_s", "rx_pkts_s", "errors_s"):
        if abs(node[column] - sum(p[column] for p in own)) > 1:
            sys.exit(f"{node['name']} {column}: {node[column]}, ports {[p[column] for p in own]}")
    if node["ports_active"] != sum(p["state"] == "active" for p in own):
        sys.exit(f"{node}")
for cable in now["fcable"]:
    if (cable["ab_bytes_s"], cable["ba_bytes_s"]) != (ports[cable["a"]]["tx_bytes_s"], ports[cable["b"]]["tx_bytes_s"]):
        sys.exit(f"{cable}")
# the bytes of a cable arrive: counters of both ends are read at slightly different times
for name in sys.argv[1:]:
    far = ports[ports[name]["peer"]]
    if not 0.5 < far["rx_bytes_s"] / ports[name]["tx_bytes_s"] < 2:
        sys.exit(f"{name} sends {ports[name]['tx_bytes_s']}, {ports[name]['peer']} receives {far['rx_bytes_s']}")
END
	# greatest first
	ibtop -b -n 2 -d 0.5 --csv -v fport -s tx_bytes_s -c tx_bytes_s | tail -n 5 | cut -d, -f2 | sort -c -g -r
	kill "$pid"
	finish "$pid" traffic.log
}

# A cable is cut under traffic: states, errors, events; and plugged in again.
test_cut()
{
	local cut pid
	start_traffic
	pid=$STARTED
	cut=$(way glass0 glass1 | awk 'NR == 1 { print $1 ":" $3 }')
	start events ibtop -b -d 0.3 --json -v event,fport,fcable
	wait_for 20 in_file events '"event":.*"tx_bytes_s":[0-9]'
	# the request that is dropped may be one that is sent again: OpenSM finds no other way before
	kill -STOP "$(<"$STATE/opensm.pid")"
	ibfabric cut "$cut"
	assert_eq "$(ibtop -b -n 1 --csv -v fcable -c pulled,a_state,b_state -f "a==\"$cut\"" | sed 1d | cut -d, -f2-)" 'yes,down,down'
	assert_eq "$(ibtop -b -n 1 --csv -v fport -f 'state==down && link_downed>0' -c node,port | sed 1d | cut -d, -f2- | sort | paste -sd' ')" \
		"$(printf '%s\n' "$cut" "$(peer_of "$cut")" | tr : , | sort | paste -sd' ')" "ports that went down"
	wait_for 20 drops_at "$cut"
	kill -CONT "$(<"$STATE/opensm.pid")"
	wait_for 60 routed glass0 glass1
	# what was dropped there
	assert_eq "$(json fport | jq "[.[] | select(\"\(.node):\(.port)\" == \"$cut\") | .errors == .xmit_discards and .errors > 0] == [true]")" true
	assert_eq "$(json fnode | jq ".[] | select(.name == \"${cut%:*}\") | .ports_active == .ports - 1 and .errors > 0")" true
	wait_for 20 in_file events "\"fport\",\"text\":\"$cut: active -> down\""
	wait_for 20 in_file events "\"fcable\",\"text\":\"$cut - [a-z0-9:]*: pulled out\""
	ibfabric plug "$cut"
	wait_for 60 links_active
	wait_for 20 in_file events "\"fcable\",\"text\":\"$cut - [a-z0-9:]*: plugged in\""
	wait_for 20 in_file events "\"fport\",\"text\":\"$cut: .* -> active\""
	kill "$STARTED"
	wait "$STARTED" || :
	kill "$pid"
	finish "$pid" traffic.log
}

# From a node to its ports, along a cable, and back; a cable is cut by a key.
test_screen()
{
	terminal 150 30 "exec 2>err; ibtop -d 0.3"
	sees 'F1 *Help'
	keys b
	sees '^.NAME +KIND +PORTS'
	sees '^.spine1 +switch +2 +2 '
	keys /
	typed leaf1
	keys Enter o
	sees 'node=="leaf1"'
	sees '^.leaf1 +0 .*active'
	sees '^.leaf1 +1 .*glass1:1'
	sees_not 'spine0:1 '
	keys End p
	sees 'node=="spine[01]"'
	sees '^.spine[01] +1 .*leaf0:'
	keys o
	sees '^.NAME +KIND +PORTS'
	keys Tab Tab
	sees '^.glass0:1 +leaf0:1 +no +active +active'
	keys Home i
	sees 'ibfabric cut glass0:1'
	keys Enter
	sees 'status 0'
	keys Enter
	sees '^.glass0:1 +leaf0:1 +yes +down +down'
	keys i
	sees 'ibfabric plug glass0:1'
	keys Enter
	sees 'status 0'
	keys Enter
	sees '^.glass0:1 +leaf0:1 +no +(active|init|armed)'
	keys Enter
	sees '^.fcable glass0:1 - leaf0:1 '
	sees '^glass0:1 +state='
	keys Esc q
	sees 'STATUS=0'
	t kill-server
}

# A record has the fabric, whatever is shown meanwhile; what it shows again is what was shown.
test_record()
{
	ibtop -b -n 3 -d 0.3 --record rec --json -v fnode,fport,fcable >live.json
	ibtop -b --replay rec --json -v fnode,fport,fcable | jq -c 'del(.frame)' | cmp - <(jq -c . live.json)
	ibtop -b -n 1 --record other -v qp >/dev/null
	assert_eq "$(ibtop -b --replay other --csv -v fcable -c a | wc -l)" 7 "cables and a header"
	ibtop -b --replay other --openmetrics -v fport >metrics
	in_file metrics '^ibtop_fport_tx_pkts_total\{node="leaf0",port="2"\} [0-9]+$' || fail "$(head metrics)"
}

# One object; what is no object; who may not see them; a fabric without nodes, and none.
test_odd_ones()
{
	ibtop -b -n 1 --detail 'fnode leaf0' >out
	assert_match "$(<out)" $'\nports:\n.*  2: state=active lid=0 peer=spine[01]:1 width=4 speed=edr '
	refuses ibtop -b -n 1 --detail 'fport leaf0:9'
	assert_match "$REFUSAL" 'there is no such object'
	refuses ibtop -b -n 1 -v fport -f 'state==activ'
	assert_match "$REFUSAL" 'activ'
	su -s /bin/sh nobody -c 'ibtop -b -n 1 --json -v fnode,fport' 2>/dev/null | jq -e '.fnode == null and .fport == null' >/dev/null
	assert_match "$(su -s /bin/sh nobody -c 'ibtop -b -n 1 -v fcable' 2>/dev/null)" 'n/a: only Glass shows a fabric, and only to root'
	stop_opensm
	ibfabric clear
	assert_eq "$(json fnode) $(json fport) $(json fcable)" '[] [] []' "without nodes"
	unload_glass
	assert_eq "$(json fnode) $(json fport) $(json fcable)" 'null null null' "without the module"
	load_glass
}

# A thousand switches with more than ten thousand ports: all of them, within bounds of time and memory.
test_many()
{
	local peak
	stop_opensm
	ibfabric make torus --size 10x10x10 --hosts-per-switch 2 --real 2 --replace
	assert_eq "$(table ports node | wc -l)" 11000
	SECONDS=0
	ibtop -b -n 2 -d 0 --csv -v fport -c node,port,state >ports
	assert_eq "$(wc -l <ports)" 22001 "two refreshes and a header"
	assert_eq "$(ibtop -b -n 1 --csv -v fcable -c a | wc -l)" 5001 "cables and a header"
	assert_eq "$(ibtop -b -n 1 --csv -v fnode -c name -f 'kind==switch && ports_active==0' | wc -l)" 1001 "switches and a header"
	((SECONDS < 40)) || fail "$SECONDS s"
	start screen ibtop -b -d 0.5 -v fport -f 'errors>0'
	wait_for 30 in_file screen 'Ports of the fabric: 0  \(rates'
	peak=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$STARTED/status")
	echo "$peak KiB"
	((peak < 60000)) || fail "$peak KiB"
	kill "$STARTED"
	wait "$STARTED" || :
}
