# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 35
# Cables that are cut under traffic, tables that lead in a circle, a second path, a second subnet manager.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"
TABLE=$TESTS/tables/drops.tsv

LIMIT=120

setup()
{
	fresh_glass
}

cleanup()
{
	fresh_glass
}

# glass0 and glass1 at leaf0, glass2 and glass3 at leaf1, two spines
tree()
{
	make_fabric fat-tree --leaves 2 --spines 2 --hosts-per-leaf 2
}

# on_the_way A B: the port by which a packet from A leaves the first switch
on_the_way()
{
	way "$1" "$2" | head -n 1 | awk '{ print $1 ":" $3 }'
}

# counted DEVICE REASON: packets
counted()
{
	awk -v reason="$2" '!/^#/ && $2 == reason { n += $3 } END { print n + 0 }' "$GLASS_DEBUGFS/$1/drops"
}

test_connection_lives_through_a_cut()
{
	local cut pid
	tree
	cut=$(on_the_way glass0 glass2)
	traffic_on log -a glass0 -b glass2 -t 18 -r 7
	pid=$STARTED
	ibfabric cut "$cut"
	rerouted()
	{
		routed glass0 glass2 && routed glass2 glass0 && [[ $(on_the_way glass0 glass2) != "$cut" ]]
	}
	wait_for 60 rerouted || fail "OpenSM does not route around $cut"
	traffic_goes_on log "$pid"
	assert_no_match "$(<log)" 'wc status'
	ibfabric plug "$cut"
	wait_for 60 links_active
	fabric_check pairs glass0:1 glass1:1 glass2:1 glass3:1
}

# The cable is cut for longer than the retries take: OpenSM stands still.
test_connection_breaks_by_a_cut()
{
	local cut pid status=0
	tree
	cut=$(on_the_way glass0 glass2)
	traffic_on log -a glass0 -b glass2 -t 14 -r 1
	pid=$STARTED
	kill -STOP "$(<"$STATE/opensm.pid")"
	ibfabric cut "$cut"
	wait "$pid" || status=$?
	kill -CONT "$(<"$STATE/opensm.pid")"
	cat log
	assert_eq "$status" 3 "status of traffic"
	assert_match "$(<log)" 'wc status="transport retry counter exceeded" code=12 .* side=a'
	assert_eq "$(places_of glass0 port_down)" "switch $cut" "where the sender's packets were dropped"
	# an acknowledgement that was on its way when the cable was cut is lost, too
	assert_eq "$(drops_of glass2 port_down | grep -vc ' rc_ack$')" 0 "packets of the receiver that were dropped, but for acknowledgements"
	ibfabric plug "$cut"
	wait_for 60 links_active
}

# By both names: each cable between the two
test_cut_and_plug_by_nodes()
{
	tree
	ibfabric cut leaf0 spine0
	ibfabric cut leaf0 spine1
	assert_eq "$(table cables pulled | sort | uniq -c | awk '{ print $2, $1 }' | paste -sd' ')" "no 6 yes 2" cables
	refuses ibfabric trace glass0 glass2
	assert_match "$REFUSAL" 'port_down|no_route'
	routed glass0 glass1
	ibfabric plug leaf0 spine0
	ibfabric plug leaf0 spine1
	wait_for 60 links_active
	wait_for 60 all_routed
	fabric_check pairs glass0:1 glass2:1
}

# circle: two switches with two cables between them, which send packets for glass1 to one another
circle()
{
	local lid
	load_fabric <<-END_OF_COMMANDS
		switch left ports=4
		switch right ports=4
		hca glass0 ports=1
		hca glass1 ports=1
		cable left:1 glass0:1
		cable right:1 glass1:1
		cable left:2 right:2
		cable left:3 right:3
	END_OF_COMMANDS
	fabric_opensm
	routed glass0 glass1
	fabric_check pairs glass0:1 glass1:1
	lid=$(lid_of glass1)
	# it would repair them
	stop_opensm
	fabric_check lft glass0:1 "$(lid_of left)" "$lid" 2
	fabric_check lft glass0:1 "$(lid_of right)" "$lid" 3
}

# see_REASON DEVICE: provokes the drops that need a fabric
see_loop()
{
	local status=0
	traffic -a "$1" -b glass1 -t 10 -r 1 -n 1 >traffic.log || status=$?
	assert_eq "$status" 3 "status of traffic: $(<traffic.log)"
	assert_match "$(<traffic.log)" 'transport retry counter exceeded'
}

test_tables_in_a_circle()
{
	local errors
	circle
	see_loop glass0
	assert_match "$(places_of glass0 loop)" '^switch (left|right):[23]$'
	refuses ibfabric trace glass0 glass1
	assert_match "$REFUSAL" 'loop'
	# the driver names the same switch and port as the one that dropped it
	assert_eq "$(ibfabric trace glass0 glass1 --json | jq -r '.[0].hops[-1] | "switch \(.node):\(.in_port)"')" "$(places_of glass0 loop)" \
		"where the trace ends"
	errors=$(perfquery -C glass0 -P 1 "$(lid_of left)" 3 | sed -n 's/^PortRcvSwitchRelayErrors:\.*//p')
	errors=$((errors + $(perfquery -C glass0 -P 1 "$(lid_of right)" 2 | sed -n 's/^PortRcvSwitchRelayErrors:\.*//p')))
	((errors > 0)) || fail "no PortRcvSwitchRelayErrors"
	# the rest of the fabric goes on, and a subnet manager mends it
	fabric_opensm
	wait_for 60 routed glass0 glass1
	fabric_check pairs glass0:1 glass1:1
}

# Each reason of the table that needs a fabric is traced, counted and logged.
test_reasons_that_need_a_fabric()
{
	local reason reach dev place rest before first last after traced n=0
	circle
	while IFS=$'\t' read -r reason reach dev place rest; do
		[[ $reach == fabric ]] || continue
		declare -F "see_$reason" >/dev/null || fail "nothing here makes a packet die of $reason"
		# others send, too: what is counted while the trace is on is in it, and what is in it is counted at both ends of this
		before=$(counted "$dev" "$reason")
		trace_on glass_pkt_drop
		first=$(counted "$dev" "$reason")
		"see_$reason" "$dev"
		last=$(counted "$dev" "$reason")
		trace_off
		after=$(counted "$dev" "$reason")
		assert_match "$(<trace)" "glass_pkt_drop dev=$dev .* reason=$reason place=$place"
		traced=$(grep -c "dev=$dev .* reason=$reason " trace)
		((last - first <= traced && traced <= after - before)) ||
			fail "$reason: $traced packets in the trace, $((last - first)) to $((after - before)) counted"
		assert_match "$(places_of "$dev" "$reason")" "^$place [a-z0-9]+:[0-9]+$"
		n=$((n + 1))
	done <"$TABLE"
	((n)) || fail "no row was run"
}

# Two rails: the first has a cable between two switches, which is cut. The ports of the HCAs stay ACTIVE, and no other way is left.
test_path_migration()
{
	local pid
	load_fabric <<-END_OF_COMMANDS
		switch rail0a ports=4
		switch rail0b ports=4
		switch rail1 ports=4
		hca glass0 ports=2
		hca glass1 ports=2
		cable rail0a:1 glass0:1
		cable rail0b:1 glass1:1
		cable rail0a:2 rail0b:2
		cable rail1:1 glass0:2
		cable rail1:2 glass1:2
		cable rail0b:3 rail1:3
	END_OF_COMMANDS
	fabric_opensm -g "$(guid_of glass1)"
	wait_for 60 routed glass0:1 glass1:1
	wait_for 60 routed glass0:2 glass1:2
	traffic_on log -a glass0 -b glass1 -t 12 -r 3 -l 2
	pid=$STARTED
	ibfabric cut rail0a:2
	migrated()
	{
		in_file log 'event path_mig qpn=.* side=a' && in_file log 'event path_mig qpn=.* side=b'
	}
	wait_for 30 migrated || { cat log; fail "no migration"; }
	traffic_goes_on log "$pid"
	assert_no_match "$(<log)" 'wc status|path_mig_err'
	assert_match "$(places_of glass0 port_down)$(places_of glass1 port_down)" 'switch rail0[ab]:2'
}

LIMIT_test_standby_takes_over=200
test_standby_takes_over()
{
	local second
	tree
	stop_opensm
	printf '%s\n' 'sminfo_polling_timeout 1000' 'polling_retry_number 2' >opensm.conf
	fabric_opensm -g "$(guid_of glass0)" -p 10
	# the other end of the tree; its files must be its own
	mkdir cache
	start second.out env OSM_CACHE_DIR="$PWD/cache" OSM_TMP_DIR="$PWD/cache" opensm -F opensm.conf -g "$(guid_of glass3)" -p 5 \
		--log_file "$PWD/second.log" --erase_log_file
	second=$STARTED
	# master LID
	master_is()
	{
		sminfo -C glass1 | grep -q "sm lid $(lid_of "$1") .*SMINFO_MASTER"
	}
	standby()
	{
		sminfo -C glass1 "$(lid_of glass3)" | grep -q SMINFO_STANDBY
	}
	wait_for 60 standby || { tail -n 20 second.log; fail "the second subnet manager is not STANDBY"; }
	master_is glass0 || fail "$(sminfo -C glass1)"
	kill -KILL "$(<"$STATE/opensm.pid")"
	rm "$STATE/opensm.pid"
	wait_for 60 master_is glass3 || { tail -n 20 second.log; fail "the second subnet manager does not take over: $(sminfo -C glass1)"; }
	# it does what a master does
	ibfabric cut leaf0 spine0
	wait_for 60 all_routed
	ibfabric plug leaf0 spine0
	wait_for 60 links_active
	fabric_check pairs glass0:1 glass1:1 glass2:1 glass3:1
	if gone "$second"; then fail "the second subnet manager ended: $(tail -n 5 second.log)"; fi
	kill "$second"
}
