# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 90
# Beside each kind of nuisance, run by nobody in a cgroup with little CPU time and memory, others go on: a victim's messages, and
# files on a disk by NVMe over fabrics, all with data that is compared. The rates are printed, and none of them is asserted.
# bench/shared-server measures all of them for longer.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/nvme.sh
. "$TESTS/lib/nvme.sh"
# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"
# shellcheck source=tests/lib/tenants.sh
. "$TESTS/lib/tenants.sh"

LIMIT=120
LIMIT_setup=90

setup()
{
	fresh_glass
	tenants_begin
}

cleanup()
{
	tenants_end
}

# beside NAME HOW: a line of the table
beside()
{
	local line
	line=$(row "$1" "$2" 3 320 512) || fail "$line"
	note "$line"
}

test_alone()
{
	note "$(table_header)"
	beside nobody alone
}

test_sleep() { beside sleep throttled; }
test_probe() { beside probe throttled; }
test_dead() { beside dead throttled; }
test_flood() { beside flood throttled; }
test_flood_unthrottled() { beside flood free; }
test_flush_send() { beside flush-send throttled; }
test_flush_recv() { beside flush-recv throttled; }
test_flush_recv_unthrottled() { beside flush-recv free; }
test_bell_write() { beside bell-write throttled; }
test_bell_local() { beside bell-local throttled; }
test_bell_flush() { beside bell-flush throttled; }
test_ud_nobody() { beside ud-nobody throttled; }
test_ud_empty() { beside ud-empty throttled; }
test_mcast() { beside mcast throttled; }
test_mcast_unthrottled() { beside mcast free; }
test_fail_access() { beside fail-access throttled; }
test_fail_seq() { beside fail-seq throttled; }
test_fail_rnr() { beside fail-rnr throttled; }
test_fail_timeout() { beside fail-timeout throttled; }
test_objects() { beside objects throttled; }
test_exit() { beside exit throttled; }
test_memory() { beside memory throttled; }
test_tables() { beside tables throttled; }
test_lint() { beside lint throttled; }

test_stuck()
{
	[[ -e /proc/sys/vm/unprivileged_userfaultfd ]] || skip "this kernel has no userfaultfd"
	beside stuck throttled
}

# between_kernel: of the file "trace": turns of queue pairs of the kernel on lanes after which they had more to do, and the most
# turns in a row that programs had while such a queue pair waited
between_kernel()
{
	awk '/^glass_turn / {
		for (i = 2; i <= NF; i++) { split($i, a, "="); f[a[1]] = a[2] }
		lane = f["lane"]; qp = f["dev"] f["qpn"]
		if (lane < 0) next
		if (f["owner"] == 0) {
			n[lane] = 0
			waits[lane] -= (lane, qp) in busy
			delete busy[lane, qp]
			if (f["sent"] >= 64) { busy[lane, qp]; waits[lane]++; seen++ }
		} else if (waits[lane] > 0 && ++n[lane] > most) {
			most = n[lane]
		}
	} END { print seen + 0, most + 0 }' trace
}

# Kernel consumers have every other turn of a lane, however many tenants there are.
test_turns_of_the_kernel()
{
	local seen=0 more most i pids=()
	for i in 1 2 3; do
		start "flood$i.log" setpriv --reuid="6553$i" --clear-groups prlimit --memlock=unlimited neighbour --count 16 flood
		pids+=("$STARTED")
		wait_for 60 in_file "flood$i.log" '^ready$'
	done
	for ((i = 0; seen <= 20 && i < 20; i++)); do
		# the disk is only read: the last turn of a write's answers may end just with the turn
		trace_on glass_turn
		dd if=/dev/nvme0n1 of=/dev/null bs=1M count=2 iflag=direct status=none
		trace_off
		read -r more most < <(between_kernel)
		echo "turns: $more of the kernel after which it had more to do; between two of them $most at most"
		((most <= 1)) || fail "programs had $most turns in a row while the kernel waited"
		((seen += more)) || :
	done
	((seen > 20)) || fail "the kernel had to wait $seen times: this test shows nothing"
	kill "${pids[@]}"
	wait "${pids[@]}" || :
}
