# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Loading while the kernel refuses memory: at each of many places, glass either does without or goes, whole and clean.
#
# kmemleak watches this suite on the debug kernel.

setup()
{
	local what
	[[ -e /proc/self/fail-nth ]] || skip "this kernel injects no faults (the debug kernel does)"
	stop_opensm
	for what in failslab fail_page_alloc; do
		# what may sleep fails, too
		echo N >"/sys/kernel/debug/$what/ignore-gfp-wait"
		echo 0 >"/sys/kernel/debug/$what/verbose"
	done
	unload_glass
}

cleanup()
{
	[[ -e /proc/self/fail-nth ]] || return 0
	[[ -e /sys/module/glass ]] || load_glass
}

# nothing_left: as if it had never been loaded
nothing_left()
{
	local path
	for path in /sys/module/glass /sys/kernel/debug/glass /sys/class/infiniband/glass* /sys/bus/platform/drivers/glass* \
		/sys/bus/platform/devices/glass* /sys/kernel/tracing/events/glass; do
		[[ ! -e $path ]] || {
			echo "left: $path"
			return 1
		}
	done
}

LIMIT=900

# The first places one by one, then further and further apart, until nothing fails any more.
test_load_without_memory()
{
	local module n step=1 said failed=0 loaded=0
	module=$(modinfo -n glass)
	for ((n = 1; ; n += step)); do
		said=$(load_failing "$module" "$n" "num_hcas=1 num_ports=1") || fail "$n: cannot try"
		case $said in
		'failed ENOMEM injected') failed=$((failed + 1)) ;;
		'loaded injected')
			# what did not work was something that it can do without; it can go again
			loaded=$((loaded + 1))
			unload_glass
			;;
		'loaded untouched') break ;;
		*) fail "place $n: $said" ;;
		esac
		wait_for 10 nothing_left || fail "place $n ($said): something stayed"
		((n < 40)) || step=$((1 + n / 40))
	done
	echo "$failed failures, $loaded times without, $n places"
	((failed > 40)) || fail "only $failed of the places made it fail"
	unload_glass
	load_glass
}
