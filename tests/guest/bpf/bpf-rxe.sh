# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The BPF tools on a driver that knows nothing of them (rxe), connections and datagrams on both, and the scripts for bpftrace.
# takes 130
# long: the kernel's verifier looks at each tool and script

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"
# shellcheck source=tests/lib/bpf.sh
. "$TESTS/lib/bpf.sh"

LIMIT=120
# primes
REGISTRATIONS=13
CONNECTIONS=7
QUERIES=5

# Two devices, each on an end of one cable
setup()
{
	local n
	[[ -r /sys/kernel/btf/vmlinux ]] || skip "this kernel has no type information (BTF)"
	modprobe rdma_rxe
	ip link add veth0 type veth peer name veth1
	for n in 0 1; do
		ip link set "veth$n" up
		ip addr add "192.0.2.$((n + 1))/24" dev "veth$n"
		rdma link add "rxe$n" type rxe netdev "veth$n"
	done
	start_opensm
}

cleanup()
{
	rdma link del rxe0
	rdma link del rxe1
	ip link del veth0
	modprobe -r rdma_rxe
	stop_opensm
}

# Functions of rxe that stand for the verbs that are timed
kprobes_of_verbs()
{
	local group=$1 verb
	for verb in reg_mr:rxe_reg_user_mr dereg_mr:rxe_dereg_mr; do
		echo "p:$group/${verb%:*} ${verb#*:}"
		echo "r:$group/${verb%:*}_left ${verb#*:}"
	done
}

times_are_those_of_the_trace()
{
	"$TESTS/guest/bpf/bpf-times" check "$@" || fail "the times differ"
}

events_of()
{
	told ibcm "[.[] | select(.type == \"event\" and .event == \"$1\")] | length"
}

steps_of()
{
	told ibcm "[.[] | select(.type == \"summary\" and .step == \"$1\").count] | add // 0"
}

# Each connection is asked for, answered and confirmed once, whatever is sent again below.
connections_are_told()
{
	local step
	assert_eq "$(events_of connect_request)" "$CONNECTIONS"
	# a client in user space is told of the response, and makes itself established
	assert_eq "$(events_of connect_response)" "$CONNECTIONS"
	assert_eq "$(events_of established)" "$CONNECTIONS"
	for step in send_req send_rep send_rtu; do
		assert_eq "$(steps_of "$step")" "$CONNECTIONS" "$step"
	done
	assert_eq "$(events_of rejected) $(events_of unreachable) $(events_of connect_error)" '0 0 0'
}

# Registrations, and connections of a client and a server on one device, known by their numbers
test_rxe()
{
	local server way
	before_on rdma_cma/.
	kprobes_of_verbs glass_before | probes_on "$BEFORE" kprobe_events glass_before
	tool verbssnoop verbssnoop -j -d rxe0
	tool mrlat mrlat -j -e -d rxe0 -f 'comm=="register"'
	tool ibmad ibmad -j -d rxe0
	tool ibcm ibcm -j -Q
	tools_ready
	trace_on rdma_cma/.
	kprobes_of_verbs glass_after | probes_on "$TRACING" kprobe_events glass_after
	both_begin
	register rxe0 $REGISTRATIONS 4096
	next_port
	start server.log ucmatose -b 192.0.2.1 -p "$TCP_PORT" -c $CONNECTIONS
	server=$STARTED
	wait_for 20 server_listens
	ucmatose -s 192.0.2.1 -p "$TCP_PORT" -c $CONNECTIONS >client.log 2>&1 || {
		cat client.log
		fail "ucmatose"
	}
	finish "$server" server.log
	both_end
	tools_end
	cat verbssnoop.err mrlat.err ibmad.err ibcm.err

	# registrations, exactly, with their sizes and their times
	assert_eq "$(told mrlat '[.[] | select(.type == "histogram") | "\(.name) \(.count)"] | join(",")')" \
		"reg_mr $REGISTRATIONS,dereg_mr $REGISTRATIONS"
	assert_eq "$(told mrlat '[.[] | select(.type == "summary").bytes] | add')" $((4096 * REGISTRATIONS * (REGISTRATIONS + 1) / 2))
	times_are_those_of_the_trace driver before after mrlat
	assert_eq "$(told verbssnoop '[.[] | select(.comm == "register" and .verb == "reg_mr" and .ret == 0)] | length')" $REGISTRATIONS
	assert_match "$(told verbssnoop '[.[] | select(.comm == "register" and .verb == "reg_mr")][2].args')" 'len=12288 '
	times_are_those_of_the_trace driver before after verbssnoop
	assert_eq "$(told verbssnoop '[.[] | select(.type == "event").dev] | unique | join(" ")')" rxe0
	# a queue pair on each side of each connection
	assert_match "$(told verbssnoop '[.[] | select(.comm == "ucmatose" and .verb == "create_qp")][0].args')" 'type=rc '
	assert_eq "$(told verbssnoop '[.[] | select(.comm == "ucmatose" and .verb == "create_qp" and .ret == 0)] | length')" $((2 * CONNECTIONS))
	assert_eq "$(told verbssnoop '[.[] | select(.comm == "ucmatose" and .verb == "destroy_qp" and .ret == 0)] | length')" $((2 * CONNECTIONS))
	# what the connection managers send each other; a slow machine sends again, with the same transaction
	for way in 'tx REQ' 'rx REQ' 'tx REP' 'rx REP' 'tx RTU' 'rx RTU'; do
		assert_eq "$(told ibmad "[.[] | select(.type == \"event\" and .class == \"cm\" and .dir == \"${way% *}\" and .attr == \"${way#* }\").tid] |
			unique | length")" $CONNECTIONS "$way"
	done
	connections_are_told
	times_are_those_of_the_trace ibcm before after ibcm
	assert_match "$(told ibcm '[.[] | select(.step == "send_req")][0].dst')" "^192.0.2.1:$TCP_PORT\$"
	assert_eq "$(told ibcm '[.[] | select(.step == "id_attach" and .dev != null).dev] | unique | map(select(startswith("rxe"))) | length >= 1')" true
	# nothing of this is lost
	assert_eq "$(told verbssnoop 'last.lost') $(told mrlat 'last.lost') $(told ibmad 'last.lost') $(told ibcm 'last.lost')" '0 0 0 0'
}

server_listens()
{
	rdma resource show cm_id | grep -q 'state LISTEN.*src-addr 192.0.2.1:'"$TCP_PORT"
}

# Two datagrams a query and their answers, each of them sent and received once
test_ibmad_on_glass()
{
	local n way
	before_on glass_mad
	tool ibmad ibmad -j -Q -f 'class==perf'
	tools_ready
	trace_on glass_mad
	both_begin
	for ((n = 0; n < QUERIES; n++)); do
		perfquery -t 20000 "$(($(port_attr glass1/1 lid)))" 1 >/dev/null
	done
	both_end
	tools_end
	for way in 'glass0 tx get' 'glass1 rx get' 'glass1 tx get_resp' 'glass0 rx get_resp'; do
		assert_eq "$(told ibmad "[.[] | select(.type == \"event\" and \"\(.dev) \(.dir) \(.method)\" == \"$way\").attr] | group_by(.) |
			map(\"\(.[0]) \(length)\") | join(\",\")")" "ClassPortInfo $QUERIES,PortCounters $QUERIES" "$way"
	done
	assert_eq "$(told ibmad '[.[] | select(.type == "event")] | length')" $((8 * QUERIES))
	times_are_those_of_the_trace ibmad before after ibmad
	assert_eq "$(told ibmad 'last.lost')" 0
}

# Connections over IPoIB, from one adapter to the other
test_ibcm_on_glass()
{
	# shellcheck source=tests/lib/ipoib.sh
	. "$TESTS/lib/ipoib.sh"
	ipoib_up
	before_on rdma_cma/.
	tool ibcm ibcm -j -Q
	tools_ready
	trace_on rdma_cma/.
	both_begin
	cm_server ucmatose -b $THERE -c $CONNECTIONS
	cm_client ucmatose -s $THERE -c $CONNECTIONS
	both_end
	tools_end
	ipoib_down
	connections_are_told
	times_are_those_of_the_trace ibcm before after ibcm
	assert_eq "$(told ibcm '[.[] | select(.step == "id_attach" and .dev != null).dev] | unique | join(" ")')" 'glass0 glass1'
	assert_eq "$(told ibcm '[.[] | select(.type == "event" and .step == "send_req").dst] | unique | join(" ")')" "$THERE:7471"
	# each side on its device, from where it is known by its address
	assert_eq "$(told ibcm '[.[] | select(.step == "send_req" and .type == "event").dev] | unique | join(" ")')" glass0
	assert_eq "$(told ibcm '[.[] | select(.event == "disconnected" and (.src | startswith("'$HERE':"))).dev] | unique | join(" ")')" glass0
	assert_eq "$(told ibcm '[.[] | select((.step == "send_rep" and .type == "event") or .event == "connect_request").dev] | unique | join(" ")')" glass1
	assert_eq "$(told ibcm 'last.lost')" 0
}

# Each script compiles, attaches and tells something of this traffic.
test_bpftrace_scripts()
{
	local script pid
	local -A running=()
	for script in "$TESTS"/../bpf/bpftrace/*.bt; do
		start "${script##*/}.log" bpftrace "$script"
		running[$STARTED]=${script##*/}
	done
	for pid in "${!running[@]}"; do
		script=${running[$pid]}
		wait_for 100 bpftrace_attached "$pid" "$script.log" "$(grep -cE '^(BEGIN|END)' "$TESTS/../bpf/bpftrace/$script")"
	done
	message send
	error_table "$TESTS/tables/errors.tsv" rc_send_no_receive
	error_table "$TESTS/tables/errors.tsv" rc_no_such_qp
	kill -INT "${!running[@]}"
	for pid in "${!running[@]}"; do
		finish "$pid" "${running[$pid]}.log" "${running[$pid]}"
		grep -q '^@' "${running[$pid]}.log" || {
			cat "${running[$pid]}.log"
			fail "${running[$pid]} told nothing"
		}
	done
	assert_match "$(<message_sizes.bt.log)" '@bytes\[1, 2\]'
	assert_match "$(<retries.bt.log)" 'why 2 round 1 left 0'
}
LIMIT_test_bpftrace_scripts=150
