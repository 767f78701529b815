# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 480
# long: five minutes of chaos

# kmemleak watches this suite on the debug kernel.

# Traffic of many kinds over three switches, a netdev cable and an Ethernet wire, with a disk of NVMe-oF, and random faults: rules,
# killed and frozen programs, pulled cables, HCAs that go, killed subnet managers, CPUs that go, memory that is short, and observers.
# There are rounds of five minutes at most (longer ones on slow kernels, where a round takes longer to begin and to end), two or more.
# At the end of each, all faults end. Then all traffic must succeed again, nothing may be left of it, and the module is unloaded and
# loaded.
#
# On the kernel's command line, soak=N is how many minutes of faults (5) and soak_seed=N is what they are chosen by. `make soak` sets them.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/nvme.sh
. "$TESTS/lib/nvme.sh"
# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"
# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"
# shellcheck source=tests/lib/soak.sh
. "$TESTS/lib/soak.sh"

MINUTES=$(word_of_boot soak 5)
# the last round is compared with the first
ROUND_MINUTES=$((5 * SLOWER))
ROUNDS=$((MINUTES > 2 * ROUND_MINUTES ? (MINUTES + ROUND_MINUTES - 1) / ROUND_MINUTES : 2))
ROUND_SECONDS=$((MINUTES * 60 / ROUNDS))
# the harness multiplies it on slow kernels
LIMIT=$((200 + ROUNDS * 440 + MINUTES * 60))
# What the kernel may keep for itself from the first round to the last, in kB: caches that fill up over many rounds
MAY_GROW=$((20 * 1024))

setup()
{
	fresh_glass
	echo '+memory' >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || :
}

cleanup()
{
	netcable_down
	fresh_glass
}

# kernel_kb: memory that the kernel has and cannot give back
kernel_kb()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|KernelStack|PageTables|Percpu|VmallocUsed):/ { kb += $2 } END { print kb }' /proc/meminfo
}

# no_objects: nothing of a program is left
no_objects()
{
	local device
	for device in "${SOAK_DEVICES[@]}"; do
		! rdma resource show qp link "$device" 2>/dev/null | grep -q ' pid ' || return 1
		! rdma resource show mr dev "$device" 2>/dev/null | grep -q ' pid ' || return 1
	done
}

# ends_of NAME: how often it ended with which status
ends_of()
{
	sort -n "$1.ends" | uniq -c | awk '{ printf "%s%d x status %d", (NR > 1 ? ", " : ""), $1, $2 }'
}

test_chaos()
{
	local seed round name first=0 last=0
	seed=$(word_of_boot soak_seed $((SRANDOM % 30000)))
	progress "seed $seed, $ROUNDS rounds of $ROUND_SECONDS s"
	RANDOM=$seed
	for ((round = 1; round <= ROUNDS; round++)); do
		soak_up
		actors_begin
		wait_for 240 all_well || {
			last_words
			fail "not one end without an error, before any fault: $(not_well)"
		}
		chaos_for $ROUND_SECONDS "chaos.$round"
		heal
		rm -f ./*.well
		wait_for 240 all_well || {
			last_words
			all_there_is
			fail "after all faults had ended, no end without an error: $(not_well)"
		}
		actors_end
		for name in "${ACTORS[@]}"; do
			[[ ! -e $name.bad ]] || {
				cat "$name.bad"
				tail -n 30 "chaos.$round"
				fail "round $round: $name got wrong data, or died"
			}
			note "round $round: $name: $(ends_of "$name")"
		done
		note "round $round: $(cut -d' ' -f1 "chaos.$round" | sort | uniq -c | awk '{ printf "%s%d %s", (NR > 1 ? ", " : ""), $1, $2 }')"
		wait_for 20 no_objects || {
			rdma resource show qp
			rdma resource show mr
			fail "objects of programs are left"
		}
		soak_down
		last=$(kernel_kb)
		progress "round $round: kernel memory $last kB"
		((first)) || first=$last
	done
	((last - first <= MAY_GROW)) || fail "the kernel's memory grew from $first to $last kB in $ROUNDS rounds"
}
