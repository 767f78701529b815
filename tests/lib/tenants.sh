# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A tenant that is a nuisance, in a cgroup of its own, and what goes on beside it: a victim's messages and a file system on
# NVMe over fabrics, both with data that is compared. For shared-server.sh and bench/shared-server; beside ipoib.sh and nvme.sh.

TENANT=/sys/fs/cgroup/tenant
MOUNT=$STATE/mount
# one nuisance of each kind: what `nuisance_of` runs
# shellcheck disable=SC2034
NUISANCES=(sleep probe dead stuck flood flush-send flush-recv bell-write bell-local bell-flush ud-nobody ud-empty mcast
	fail-access fail-seq fail-rnr fail-timeout objects exit memory tables lint)

# again COMMAND: for a program that ends by itself; the memory limit may end it early
again()
{
	echo "echo ready; while :; do $1 || :; done"
}

# nuisance_of NAME: the command, for bash -c
nuisance_of()
{
	case $1 in
	sleep | probe | dead | stuck) echo "exec neighbour --count 50 $1" ;;
	flood) echo "exec neighbour --count 64 flood" ;;
	flush-*) echo "exec neighbour --count 16384 $1" ;;
	bell-write) echo "exec nuisance --count 256 $1" ;;
	bell-* | ud-* | mcast) echo "exec nuisance --count 1024 $1" ;;
	fail-*) echo "exec nuisance --count 8 $1" ;;
	objects) echo "exec nuisance objects" ;;
	exit) again "owed_reads --count 8 --end kill" ;;
	memory) again "greedy large_qp leave >/dev/null" ;;
	tables) again "greedy mcast leave >/dev/null" ;;
	lint) again "lint_flood >/dev/null" ;;
	*) fail "no such nuisance: $1" ;;
	esac
}

# tenants_begin: OpenSM, IPoIB and the disk
tenants_begin()
{
	[[ -e /sys/fs/cgroup/cgroup.controllers ]] || skip "no cgroup2"
	echo '+cpu +memory' >/sys/fs/cgroup/cgroup.subtree_control || skip "no controllers for CPU time and memory"
	start_opensm
	ipoib_up
	nvme_up
	mkfs.ext4 -q /dev/nvme0n1
	mkdir -p "$MOUNT"
	mount /dev/nvme0n1 "$MOUNT"
	[[ ! -e /proc/sys/vm/unprivileged_userfaultfd ]] || echo 1 >/proc/sys/vm/unprivileged_userfaultfd
}

tenants_end()
{
	umount "$MOUNT"
	[[ ! -e /proc/sys/vm/unprivileged_userfaultfd ]] || echo 0 >/proc/sys/vm/unprivileged_userfaultfd
	nvme_down
	ipoib_down
	# the kernel keeps CQs of the adapter for the next who shares them
	fresh_glass
}

# in_tenant COMMAND: as nobody, in the cgroup
in_tenant()
{
	echo "$BASHPID" >"$TENANT/cgroup.procs"
	exec prlimit --memlock=unlimited setpriv --reuid=65534 --regid=65534 --clear-groups bash -c "$1"
}

# nuisance_on NAME throttled|free: has begun when this returns. Its programs are made without a limit of CPU time: 5 % of a slow
# machine would take minutes for that.
nuisance_on()
{
	[[ $1 != lint ]] || echo 'add all codes=GL003' >"$GLASS_DEBUGFS/glass0/lint/scope"
	mkdir "$TENANT"
	echo 64M >"$TENANT/memory.max"
	start "nuisance.$1" in_tenant "$(nuisance_of "$1")"
	NUISANCE=$STARTED
	wait_for 60 in_file "nuisance.$1" '^ready$' || fail "$1: $(<"nuisance.$1")"
	[[ $2 == free ]] || echo '5000 100000' >"$TENANT/cpu.max"
}

no_tenant()
{
	rmdir "$TENANT" 2>/dev/null
}

# nuisance_off NAME: it must have gone on until now
nuisance_off()
{
	! gone "$NUISANCE" || fail "$1 has ended: $(<"nuisance.$1")"
	echo max >"$TENANT/cpu.max"
	echo 1 >"$TENANT/cgroup.kill"
	wait "$NUISANCE" || :
	wait_for 60 no_tenant || fail "the cgroup of $1 stays: $(<"$TENANT/cgroup.events")"
	echo clear >"$GLASS_DEBUGFS/glass0/lint/scope"
	echo 1 >"$GLASS_DEBUGFS/glass0/lint/clear"
}

# files KIB: written to the mount, read back from the disk and compared; KiB a second
files()
{
	local from
	[[ -s file ]] || head -c $(($1 * 1024)) /dev/urandom >file
	from=${EPOCHREALTIME/./}
	cp file "$MOUNT/file"
	sync -f "$MOUNT/file"
	echo 3 >/proc/sys/vm/drop_caches
	cmp file "$MOUNT/file" || fail "the file has other data"
	echo $((2000000 * $1 / (${EPOCHREALTIME/./} - from)))
	rm "$MOUNT/file"
}

# round MESSAGES KIB: both at the same time; a line "MESSAGES_A_SECOND KIB_A_SECOND"
round()
{
	local kib
	start victim.log setpriv --reuid=65533 --regid=65533 --clear-groups prlimit --memlock=unlimited neighbour --count "$1" victim
	kib=$(files "$2")
	finish "$STARTED" victim.log "the victim"
	echo "$(sed -n "s/^messages $1 rate //p" victim.log) $kib"
}

# median_of COLUMN FILE: "median (least to most)" of so many numbers
median_of()
{
	cut -d ' ' -f "$1" "$2" | sort -n | awk '{ v[NR] = $1 } END { printf "%d (%d to %d)", v[int((NR + 1) / 2)], v[1], v[NR] }'
}

# row NAME HOW ROUNDS MESSAGES KIB: measures, and prints a line of the table; HOW: alone, throttled or free
row()
{
	local i
	[[ $2 == alone ]] || nuisance_on "$1" "$2"
	: >rounds
	for ((i = 0; i < $3; i++)); do
		round "$4" "$5" >>rounds
	done
	[[ $2 == alone ]] || nuisance_off "$1"
	printf '%-14s %-10s %24s %24s\n' "$1" "$2" "$(median_of 1 rounds)" "$(median_of 2 rounds)"
}

table_header()
{
	printf '%-14s %-10s %24s %24s\n' nuisance cpu.max "messages a second" "KiB of files a second"
}
