# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 50
# long: loads and unloads the module fifty times
# Ends of all sorts: programs killed in mid-traffic, the module unloaded, loaded wrongly, loaded often.

# kmemleak watches this suite on the debug kernel.

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
	load_glass
}

KINDS=(ucontext pd mr cq srq qp ah)

snapshot()
{
	local kind
	for kind in "${KINDS[@]}"; do
		echo "$kind $(objects "$kind")"
	done
	rdma resource show
}

back_to_snapshot()
{
	snapshot >now
	cmp -s before now
}

moving()
{
	local now
	now=$(cat /sys/class/infiniband/glass0/ports/1/counters/port_xmit_packets)
	((now > PACKETS + 100))
}

# killed_in_traffic SIGNAL_TARGETS TOOL...: start a pair, wait until it moves data, kill, and look for what is left.
killed_in_traffic()
{
	local who=$1 server client
	shift
	snapshot >before
	PACKETS=$(cat /sys/class/infiniband/glass0/ports/1/counters/port_xmit_packets)
	next_port
	start server.log "$@" -d glass1 -p "$TCP_PORT"
	server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	start client.log "$@" -d glass0 -p "$TCP_PORT" localhost
	client=$STARTED
	wait_for 30 moving || {
		cat client.log server.log
		fail "no traffic"
	}
	case $who in
	both) kill -KILL "$client" "$server" ;;
	client)
		kill -KILL "$client"
		wait_for 10 gone "$client"
		kill -KILL "$server" 2>/dev/null || :
		;;
	server)
		kill -KILL "$server"
		wait_for 10 gone "$server"
		kill -KILL "$client" 2>/dev/null || :
		;;
	esac
	wait_for 20 back_to_snapshot || {
		diff before now
		fail "objects are left behind"
	}
}

# killed_alone COMMAND...: the same for a program that has both ends in itself.
killed_alone()
{
	snapshot >before
	PACKETS=$(cat /sys/class/infiniband/glass0/ports/1/counters/port_xmit_packets)
	start log "$@"
	wait_for 30 moving || {
		cat log
		fail "no traffic"
	}
	kill -KILL "$STARTED"
	wait_for 20 back_to_snapshot || {
		diff before now
		fail "objects are left behind"
	}
}

test_kill_both_in_pingpong() { killed_in_traffic both ibv_rc_pingpong -n 100000000 -s 65536; }
test_kill_client_in_pingpong() { killed_in_traffic client ibv_rc_pingpong -n 100000000; }
test_kill_server_in_pingpong() { killed_in_traffic server ibv_rc_pingpong -n 100000000 -e; }
test_kill_in_srq_pingpong() { killed_in_traffic both ibv_srq_pingpong -n 100000000; }
test_kill_in_ud_pingpong() { killed_in_traffic both ibv_ud_pingpong -n 100000000; }
test_kill_in_writes() { killed_in_traffic both ib_write_bw -F -n 10000000 -s 65536; }
test_kill_in_traffic() { killed_alone traffic; }
test_kill_in_traffic_with_srq() { killed_alone traffic --srq --mode send; }
test_kill_in_reads() { killed_in_traffic client ib_read_bw -F -n 10000000 -s 65536; }

# Who writes to a process that has died must not wait for ever.
test_survivor_gets_an_error()
{
	next_port
	start server.log ib_write_bw -F -n 10000000 -s 4096 -d glass1 -p "$TCP_PORT"
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	PACKETS=$(<"/sys/class/infiniband/glass0/ports/1/counters/port_xmit_packets")
	start client.log ib_write_bw -F -n 10000000 -s 4096 -d glass0 -p "$TCP_PORT" localhost
	local client=$STARTED
	wait_for 20 moving
	kill -KILL "$server"
	wait_for 40 gone "$client" || {
		cat client.log
		cat "$GLASS_DEBUGFS/glass0/qp"
		fail "the writer goes on"
	}
	assert_match "$(<client.log)" 'Completion with error|Failed status|syndrom'
}

test_module_unloads_after_all_that()
{
	stop_opensm
	unload_glass
	[[ ! -e /sys/class/infiniband/glass0 ]] || fail "glass0 is still there"
	[[ ! -e $GLASS_DEBUGFS ]] || fail "$GLASS_DEBUGFS is still there"
	load_glass
}

LIMIT_test_load_and_unload_50_times=400
test_load_and_unload_50_times()
{
	local i
	stop_opensm
	for ((i = 1; i <= 50; i++)); do
		wait_for 20 modprobe -r glass || fail "unload $i"
		modprobe glass || fail "load $i"
		[[ -e /sys/class/infiniband/glass1 ]] || fail "no glass1 after load $i"
	done
	udevadm settle --timeout=60
	# warnings and worse are looked for in the kernel's log after every test
}

test_parameters_out_of_range_are_refused()
{
	local setting
	unload_glass
	for setting in num_hcas=0 num_hcas=33 num_hcas=4294967295 num_ports=0 num_ports=9 num_ports=1000000; do
		dmesg -C
		refuses modprobe glass "$setting"
		dmesg >log
		assert_match "$(<log)" "glass.*${setting%=*}" "kernel log after $setting"
		[[ ! -e /sys/class/infiniband/glass0 ]] || fail "there are devices after $setting"
	done
	# the switch of the star has too few ports
	dmesg -C
	refuses modprobe glass num_hcas=32 num_ports=8
	assert_match "$(dmesg)" 'glass: num_hcas=32 with num_ports=8: the switch has only 254 ports'
	refuses modprobe glass num_hcas=many
	refuses modprobe glass num_ports=-1
	load_glass
}

LIMIT_test_parameters_have_effect=120
test_parameters_have_effect()
{
	local setting hcas ports want
	for setting in '1 1' '3 1' '2 8' '16 1'; do
		read -r hcas ports <<<"$setting"
		unload_glass
		load_glass num_hcas="$hcas" num_ports="$ports"
		want=$((hcas * ports))
		assert_eq "$(ls /sys/class/infiniband | wc -l)" "$hcas" "adapters with num_hcas=$hcas"
		assert_eq "$(printf '%s\n' /sys/class/infiniband/glass*/ports/* | wc -l)" "$want" "ports with $setting"
		# ibfabric takes each line of this fabric, and so what it saves
		ibfabric save fabric 2>err
		assert_eq "$(<err)" "" "what ibfabric says with $setting"
		# it refuses adapters with which OpenSM does not run
		((ports <= 2)) || continue
		ibfabric load --dry-run -q fabric >commands
		assert_eq "$(grep -c '^cable ' commands)" "$want" "cables with $setting"
	done
	unload_glass
	load_glass
}
