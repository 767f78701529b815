# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# While the kernel refuses memory: at each of many places glass, when it is loaded, either does without or goes, whole and
# clean; and each verb works or says so, and leaves nothing.
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
	done
	for what in failslab fail_page_alloc fail_usercopy; do
		echo 0 >"/sys/kernel/debug/$what/verbose"
	done
	unload_glass
}

cleanup()
{
	[[ -e /proc/self/fail-nth ]] || return 0
	rm -f /run/modprobe.d/without-memory.conf
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

# said_since MARK REGEX: whether the kernel wrote something like REGEX after the line that ends in MARK
said_since()
{
	dmesg | sed -n "/$1\$/,\$p" | grep -E "$2" >/dev/null
}

# places_before_init MODULE: how many there are while the kernel takes the module in, before the module does anything: a parameter
# that it refuses at once tells.
places_before_init()
{
	local said
	said=$(load_failing "$1" 100000 num_hcas=0) || return
	[[ $said == "failed "*" untouched "* ]] || {
		echo "num_hcas=0: $said" >&2
		return 1
	}
	echo "${said##* }"
}

# The module's own places one by one, then further and further apart, until nothing fails any more. Those before them are the
# kernel's: where its trace events have no memory, 6.12 warns when the module goes (event_file_put). Nor are consumers of
# the device loaded: without memory for its queues IPoIB crashes (ipoib_ndo_uninit).
test_load_without_memory()
{
	local module n step=1 first said failed=0 loaded=0 mark=$EPOCHREALTIME
	module=$(modinfo -n glass)
	modprobe -r ib_ipoib
	mkdir -p /run/modprobe.d
	echo 'install ib_ipoib /bin/false' >/run/modprobe.d/without-memory.conf
	first=$(places_before_init "$module") || fail "cannot count places"
	for ((n = first + 1; ; n += step)); do
		echo "without memory, $mark: place $n" >/dev/kmsg
		said=$(load_failing "$module" "$n" "num_hcas=1 num_ports=1") || fail "$n: cannot try"
		case $said in
		# EFAULT: the parameters could not be read
		'failed ENOMEM injected' | 'failed EFAULT injected') failed=$((failed + 1)) ;;
		# so the driver core says when it has no memory for links in sysfs, before it asks Glass
		'failed EINVAL injected' | 'failed ENODEV injected')
			said_since "without memory, $mark: place $n" 'failed to create module links for glass|driver_sysfs_add failed' ||
				fail "place $n: $said"
			failed=$((failed + 1))
			;;
		'loaded injected')
			# what did not work was something that it can do without; it can go again
			loaded=$((loaded + 1))
			unload_glass
			;;
		'loaded untouched '*) break ;;
		*) fail "place $n: $said" ;;
		esac
		wait_for 10 nothing_left || fail "place $n ($said): something stayed"
		((n < first + 40)) || step=$((1 + (n - first) / 40))
	done
	echo "$failed failures, $loaded times without, places $first to $n"
	((failed > 40)) || fail "only $failed of the places made it fail"
	unload_glass
	rm /run/modprobe.d/without-memory.conf
	load_glass
}

# The core's counts of what programs have; address handles, which the subnet manager has, too, are not among them.
resources_are()
{
	[[ $(rdma resource show) == "$1" ]]
}

LIMIT_test_verbs_without_memory=400

# Whatever a verb asks for, one thing after the other: small memory, pages, what it copies from the program and to it.
test_verbs_without_memory()
{
	local before status=0 fail_pages=/sys/kernel/debug/fail_page_alloc
	[[ -e /sys/module/glass ]] || load_glass
	start_opensm
	# single pages, too, and those that need not have an address
	echo 0 >$fail_pages/min-order
	echo N >$fail_pages/ignore-gfp-highmem
	before=$(rdma resource show)
	verbs_failing >verbs.log || status=$?
	echo 1 >$fail_pages/min-order
	echo Y >$fail_pages/ignore-gfp-highmem
	grep -v '^ok ' verbs.log || :
	((status == 0)) || fail "verbs_failing ended with status $status"
	wait_for 10 resources_are "$before" || fail "left: $(rdma resource show), there was: $before"
	stop_opensm
}
