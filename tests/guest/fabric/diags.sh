# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# infiniband-diags: the fabric as its operators see it.

setup()
{
	fresh_glass
	start_opensm
}

cleanup()
{
	stop_opensm
}

lid()
{
	echo $(($(port_attr "$1" lid)))
}

switch_lid()
{
	ibswitches | sed -n '1s/.* lid \([0-9]*\) .*/\1/p'
}

test_ibstat()
{
	local out
	out=$(ibstat)
	echo "$out"
	assert_eq "$(grep -c "^CA 'glass" <<<"$out")" 2 adapters
	assert_eq "$(grep -c 'State: Active' <<<"$out")" 4 "active ports"
	assert_eq "$(grep -c 'Physical state: LinkUp' <<<"$out")" 4 "ports that are up"
	assert_eq "$(grep -c 'Link layer: InfiniBand' <<<"$out")" 4 "InfiniBand ports"
	assert_match "$(ibstat glass1 2)" "SM lid: [1-9]"
}

test_ibnetdiscover()
{
	local out
	out=$(ibnetdiscover)
	echo "$out"
	assert_eq "$(grep -c '^Ca' <<<"$out")" 2 adapters
	assert_eq "$(grep -c '^Switch' <<<"$out")" 1 switches
	assert_eq "$(grep -cE '^\[[0-9]+\]\(?.*"H-' <<<"$out")" 4 "links from the switch to adapters"
}

test_iblinkinfo()
{
	local out
	out=$(iblinkinfo)
	echo "$out"
	(("$(grep -c 'Active/ *LinkUp' <<<"$out")" >= 4)) || fail "fewer than four active links"
}

test_ibhosts_and_ibswitches()
{
	assert_eq "$(ibhosts | grep -c '^Ca')" 2 adapters
	assert_eq "$(ibswitches | grep -c '^Switch')" 1 switches
}

test_smpquery_nodeinfo()
{
	local out
	out=$(smpquery nodeinfo "$(lid glass1/1)")
	echo "$out"
	assert_match "$out" 'NodeType:\.*Channel Adapter'
	assert_match "$out" 'NumPorts:\.*2'
	assert_match "$(smpquery -D nodeinfo 0)" 'NodeType:\.*Channel Adapter'
	assert_match "$(smpquery nodeinfo "$(switch_lid)")" 'NodeType:\.*Switch'
}

test_smpquery_portinfo()
{
	local out
	out=$(smpquery portinfo "$(lid glass0/1)" 1)
	echo "$out"
	assert_match "$out" "Lid:\.*$(lid glass0/1)"
	assert_match "$out" 'LinkState:\.*Active'
	assert_match "$out" 'PhysLinkState:\.*LinkUp'
	# each port of the switch, too
	local port
	for port in 0 1 2 3 4; do
		smpquery portinfo "$(switch_lid)" "$port" >out || fail "portinfo of switch port $port"
	done
}

test_smpquery_nodedesc()
{
	assert_match "$(smpquery nodedesc "$(lid glass0/1)")" 'Node Description:\.*.*glass0'
	assert_match "$(smpquery nodedesc "$(switch_lid)")" 'Node Description:\.*[^.]'
}

test_smpquery_switchinfo()
{
	local out
	out=$(smpquery switchinfo "$(switch_lid)")
	echo "$out"
	assert_match "$out" 'LinearFdbCap:\.*[1-9]'
	assert_match "$out" 'LinearFdbTop:\.*[1-9]'
}

test_smpquery_pkeys_and_guids()
{
	assert_match "$(smpquery pkeys "$(lid glass0/1)" 1)" '0xffff|0x7fff'
	smpquery guidinfo "$(lid glass0/1)"
}

# A directed route that names a port the switch does not have must be answered by silence, not by a crash.
test_directed_route_to_nowhere()
{
	refuses smpquery -t 200 -D nodeinfo 0,1,77
	refuses smpquery -t 200 -D nodeinfo 0,9
	smpquery -D nodeinfo 0
}

counter()
{
	perfquery "$1" "$2" | sed -n "s/^$3:\.*//p"
}

test_perfquery_counts()
{
	local before after
	before=$(counter "$(lid glass0/1)" 1 PortXmitPkts)
	pair glass1 glass0 ibv_rc_pingpong -n 500 -s 4096
	after=$(counter "$(lid glass0/1)" 1 PortXmitPkts)
	# 500 messages of four packets, and their acknowledgements
	((after - before >= 2000)) || fail "PortXmitPkts went from $before to $after"
	assert_eq "$(counter "$(lid glass0/1)" 1 SymbolErrorCounter)" 0 SymbolErrorCounter
}

test_perfquery_counts_words_not_bytes()
{
	local before after words
	before=$(counter "$(lid glass0/1)" 1 PortXmitData)
	pair glass1 glass0 ibv_rc_pingpong -n 100 -s 4096
	after=$(counter "$(lid glass0/1)" 1 PortXmitData)
	words=$((after - before))
	# 100 x 4096 octets are 102400 words of four, and some headers
	((words >= 102400 && words < 150000)) || fail "PortXmitData grew by $words"
}

test_perfquery_reset()
{
	pair glass1 glass0 ibv_rc_pingpong -n 500
	perfquery -R "$(lid glass0/1)" 1
	local packets
	packets=$(counter "$(lid glass0/1)" 1 PortXmitPkts)
	# the answers to perfquery itself count
	((packets < 50)) || fail "PortXmitPkts is $packets after the reset"
	perfquery -r "$(lid glass0/1)" 1
}

test_perfquery_extended()
{
	perfquery -x "$(lid glass0/1)" 1 | tee out
	assert_match "$(<out)" 'PortXmitData:\.*[0-9]'
	perfquery -a "$(switch_lid)" | tee out
	assert_match "$(<out)" 'PortSelect:\.*255'
}

test_ibping()
{
	start server.log ibping -S -C glass1 -P 1
	answers()
	{
		ibping -C glass0 -P 1 -c 1 "$(lid glass1/1)" | grep ' 0% packet loss'
	}
	wait_for 20 answers
	ibping -C glass0 -P 1 -c 10 "$(lid glass1/1)" | tee out
	assert_match "$(<out)" '10 packets transmitted, 10 received, 0% packet loss'
}

test_saquery()
{
	local out
	out=$(saquery NR)
	echo "$out"
	assert_eq "$(grep -c 'NodeRecord dump' <<<"$out")" 5 "node records (four ports and a switch)"
	out=$(saquery --src-to-dst "$(lid glass0/1):$(lid glass1/2)")
	echo "$out"
	assert_match "$out" "dlid\.*$(lid glass1/2)"
	saquery PIR | grep -c 'PortInfoRecord dump'
	saquery -s | tee out
	assert_match "$(<out)" 'IsSM'
}

test_sminfo_and_ibtracert()
{
	assert_match "$(sminfo)" 'SMINFO_MASTER'
	ibtracert "$(lid glass0/1)" "$(lid glass1/1)" | tee out
	assert_match "$(<out)" 'switch port|\[1\] -> '
}
