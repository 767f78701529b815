# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# long: thousands of queue pairs
# Many of everything: the largest topology, thousands of queue pairs.

# IPoIB would take 16 MiB a port for its connected mode.
NO_IPOIB=/etc/modprobe.d/no-ipoib.conf

cleanup()
{
	rm -f "$NO_IPOIB"
	# first the many ports away: IPoIB would come to all of them
	[[ ! -d /sys/module/glass ]] || unload_glass
	modprobe ib_ipoib
	load_glass
}

LIMIT=120

# Thousands of queue pairs are made, shown and destroyed.
test_10000_queue_pairs()
{
	local pid
	fresh_glass
	start_opensm
	start many.log many_qps -n 10000 --wait
	pid=$STARTED
	wait_for 100 in_file many.log ready
	assert_eq "$(rdma -j resource show qp | jq "map(select(.pid == $pid)) | length")" 10000 "by rdma resource"
	assert_eq "$(awk -v pid="$pid" '{ for (i = 1; i <= NF; i++) if ($i == pid && $(i + 1) == "many_qps") n++ } END { print n + 0 }' \
		"$GLASS_DEBUGFS/glass0/qp")" 10000 "by debugfs"
	kill "$pid"
	finish "$pid" many.log
	cat many.log
}

# max_of WHAT: a limit of glass0 as ibv_devinfo says it.
max_of()
{
	ibv_devinfo -v -d glass0 | awk -v what="$1:" '$1 == what { print $2 }'
}

# One process has all queue pairs that are advertised: more rings than Linux would let it map one by one (vm.max_map_count,
# 65530). The kernel's own do not count, XRC targets of programs do: those that are gone leave room for as many as before, those
# that are there take it.
LIMIT=600
test_all_queue_pairs()
{
	local n targets=500 pid
	n=$(max_of max_qp)
	fresh_glass
	start_opensm
	many_qps --targets -n 1000
	many_qps -n "$n" -s 1 >many.log
	cat many.log
	(("$(awk '{ print $8 }' many.log)" < 100)) || fail "too many mappings: $(<many.log)"
	start targets.log many_qps --targets -n $targets --wait
	pid=$STARTED
	wait_for 20 in_file targets.log ready
	many_qps -n $((n - targets + 1)) -s 1 2>many.err && fail "more than max_qp were made"
	assert_match "$(<many.err)" "create $((n - targets)): "
	kill "$pid"
	finish "$pid" targets.log
}

test_all_completion_queues()
{
	local n
	n=$(max_of max_cq)
	fresh_glass
	start_opensm
	many_qps --cqs -n "$n" -s 1 >many.log
	cat many.log
	(("$(awk '{ print $8 }' many.log)" < 100)) || fail "too many mappings: $(<many.log)"
	many_qps --cqs -n $((n + 1)) -s 1 2>many.err && fail "more than max_cq were made"
	assert_match "$(<many.err)" "create $n: "
}

LIMIT=120
# Netlink asks for queue pairs that are being destroyed.
test_shown_while_destroyed()
{
	fresh_glass
	start_opensm
	start churn.log many_qps -n 50 --repeat 1000000
	churning()
	{
		in_file churn.log destroy_ms
	}
	wait_for 20 churning
	for ((i = 0; i < 40; i++)); do
		rdma -dd resource show qp >/dev/null
		rdma statistic show link glass0/1 >/dev/null
	done
	if gone "$STARTED"; then fail "many_qps ended: $(<churn.log)"; fi
	kill -KILL "$STARTED"
}

# load_large HCAS PORTS
load_large()
{
	echo 'install ib_ipoib /bin/true' >"$NO_IPOIB"
	stop_opensm
	unload_glass
	modprobe -r ib_ipoib
	load_glass num_hcas="$1" num_ports="$2"
	wait_for 30 test -e "/sys/class/infiniband/glass$(($1 - 1))/ports/$2/state"
	udevadm settle --timeout=60
}

test_32_adapters()
{
	local h p
	load_large 32 2
	GLASS_PORTS=()
	for ((h = 0; h < 32; h++)); do
		for ((p = 1; p <= 2; p++)); do GLASS_PORTS+=("glass$h/$p"); done
	done
	start_opensm
	assert_eq "$(cat /sys/class/infiniband/glass*/ports/*/lid | sort -u | wc -l)" 64 "LIDs"
	pair glass0 glass31 ibv_rc_pingpong -n 200
	pair glass31 glass0 ibv_rc_pingpong -i 2 -n 200
	pair glass15 glass16 ibv_ud_pingpong -n 200
	assert_eq "$(ibnetdiscover -C glass0 -P 1 -p | grep -c '^CA ')" 64 "ports that ibnetdiscover finds"
	stop_opensm
	unload_glass
}

# As large as it gets: the switch has 254 ports. OpenSM does not run on adapters of more than two ports: links are up, nobody gives LIDs.
test_31_adapters_of_8_ports()
{
	load_large 31 8
	assert_eq "$(cat /sys/class/infiniband/glass*/ports/*/state | grep -c INIT)" 248 "ports with a link"
	unload_glass
}
