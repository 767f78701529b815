# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What a program sees before any subnet manager has run, and what OpenSM makes of it.

setup()
{
	fresh_glass
}

cleanup()
{
	stop_opensm
}

test_devices_are_listed()
{
	local list
	list=$(ibv_devices)
	assert_match "$list" glass0
	assert_match "$list" glass1
	assert_eq "$(ls /sys/class/infiniband)" $'glass0\nglass1' "devices in sysfs"
}

test_devinfo_says_infiniband_and_init()
{
	local info
	info=$(ibv_devinfo)
	echo "$info"
	assert_eq "$(grep -c 'hca_id:' <<<"$info")" 2 "number of devices"
	assert_eq "$(grep -c 'link_layer:.*InfiniBand' <<<"$info")" 4 "ports with link layer InfiniBand"
	assert_eq "$(grep -c 'state:.*PORT_INIT' <<<"$info")" 4 "ports in INIT"
	assert_no_match "$info" 'PORT_ACTIVE'
}

test_devinfo_verbose_has_sane_limits()
{
	local info
	info=$(ibv_devinfo -v -d glass0)
	echo "$info"
	assert_match "$info" 'max_qp:[[:space:]]+[1-9]'
	assert_match "$info" 'max_cqe:[[:space:]]+[1-9]'
	assert_match "$info" 'max_mr_size:[[:space:]]+0x[1-9a-f]'
	assert_match "$info" 'active_mtu:[[:space:]]+(2048|4096)'
	assert_match "$info" 'GID\[ +0\]:[[:space:]]+fe80'
}

# What the guest was booted with is what the suites run on: a kernel that does not know a word of its command line says nothing.
test_the_kernel_is_the_one_asked_for()
{
	local word
	for word in $(</proc/cmdline); do
		[[ $word == preempt=* ]] || continue
		assert_match "$(</sys/kernel/debug/sched/preempt)" "[(]${word#preempt=}[)]"
	done
	case $(uname -r) in
	*-rt-*) assert_eq "$(</sys/kernel/realtime)" 1 "/sys/kernel/realtime" ;;
	*-race)
		assert_match "$(</sys/kernel/debug/kcsan)" '^enabled: 1'
		(($(nproc) > 1)) || fail "one processor"
		;;
	*-debug) [[ -e /sys/kernel/debug/fail_page_alloc && -e /proc/lockdep ]] || fail "the debug kernel is not one" ;;
	esac
}

# The version is the project's, whoever is asked.
test_one_version_everywhere()
{
	local version tool page
	version=$(/glass/vm/version)
	assert_match "$version" '^[0-9]+[.][0-9]+[.][0-9]+$'
	assert_eq "$(ibv_devinfo | sed -n 's/^[[:space:]]*fw_ver:[[:space:]]*//p' | sort -u)" "$version" "fw_ver of ibv_devinfo"
	assert_eq "$(rdma -j dev show | jq -r '.[].fw' | sort -u)" "$version" "fw of rdma dev"
	assert_eq "$(sort -u /sys/class/infiniband/glass*/fw_ver)" "$version" "fw_ver in sysfs"
	assert_eq "$(modinfo -F version glass)" "$version" "modinfo"
	assert_eq "$(cat /sys/module/glass/version)" "$version" "version of the module"
	# the tools are those that have a manual page
	for page in /usr/local/share/man/man8/*.8; do
		tool=${page##*/}
		tool=${tool%.8}
		assert_eq "$("$tool" --version)" "$tool (Glass) $version" "$tool --version"
		assert_match "$(grep '^\.TH' "$page")" "\"Glass ${version//./\\.}\"" "manual page of $tool"
	done
	assert_eq "$(/glass/vm/vm --version)" "vm (Glass) $version" "vm/vm --version"
}

# The subnet prefix of a port is that of its first GID.
test_rdma_link_has_the_subnet_prefix()
{
	local link port
	link=$(rdma -j link show)
	echo "$link"
	for port in "${GLASS_PORTS[@]}"; do
		assert_eq "$(jq -r --arg port "${port#*/}" --arg dev "${port%/*}" \
			'.[] | select(.ifname == $dev and .port == ($port | tonumber)).subnet_prefix' <<<"$link")" \
			"$(port_attr "$port" gids/0 | cut -d: -f1-4)" "subnet prefix of $port"
	done
	assert_match "$link" '"subnet_prefix":"fe80:0000:0000:0000"'
}

test_guids_are_distinct()
{
	local guids
	guids=$(ibv_devinfo -v | sed -n 's/.*GID\[ *0\]:[[:space:]]*//p'; cat /sys/class/infiniband/glass*/node_guid)
	echo "$guids"
	assert_eq "$(sort <<<"$guids" | uniq -d)" "" "GUIDs that appear twice"
}

test_udev_made_the_device_nodes()
{
	local node
	for node in uverbs0 uverbs1 umad0 umad1 umad2 umad3 rdma_cm; do
		[[ -c /dev/infiniband/$node ]] || fail "no /dev/infiniband/$node"
	done
	# as on every machine with rdma-core: verbs are for all, management datagrams for root
	assert_eq "$(stat -c %a /dev/infiniband/uverbs0)" 666 "mode of uverbs0"
	assert_eq "$(stat -c %a /dev/infiniband/umad0)" 600 "mode of umad0"
}

LIMIT_test_opensm_makes_every_port_active=90
test_opensm_makes_every_port_active()
{
	local port
	for port in "${GLASS_PORTS[@]}"; do
		port_state_is "$port" INIT || fail "$port is $(port_attr "$port" state) before OpenSM"
	done
	start_opensm
	assert_eq "$(ibv_devinfo | grep -c 'state:.*PORT_ACTIVE')" 4 "ports ACTIVE"
}

test_lids_are_distinct()
{
	local port lids=''
	for port in "${GLASS_PORTS[@]}"; do
		lids+="$(($(port_attr "$port" lid)))"$'\n'
	done
	echo "$lids"
	assert_no_match "$lids" $'(^|\n)0\n' "LIDs"
	assert_eq "$(sort <<<"${lids%$'\n'}" | uniq -d)" "" "LIDs that appear twice"
}

test_every_port_knows_the_subnet_manager()
{
	local port sm first=''
	for port in "${GLASS_PORTS[@]}"; do
		sm=$(port_attr "$port" sm_lid)
		: "${first:=$sm}"
		assert_eq "$sm" "$first" "SM LID of $port"
		(($(port_attr "$port" sm_lid))) || fail "$port has no SM LID"
	done
}

LIMIT_test_ports_stay_active_without_opensm=90
test_ports_stay_active_without_opensm()
{
	stop_opensm
	ports_active || fail "a port left ACTIVE when OpenSM ended"
}
