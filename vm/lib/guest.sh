# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Start QEMU, pass the streams through, find out how it ended.
#
# The guest has four virtio-serial channels beside the console (which is only for the kernel): a terminal, control,
# standard output, standard error. The control channel says "loading" before Glass is loaded, "ready" when the command
# starts, then "exit N" or "fail WHY". Three directories are shared by 9p: host (what to run, the build's products), tree
# (read-only), out. Several guests (--hosts): lib/hosts.sh.

BOOT_LIMIT=120		# seconds until the command must have started; see guest_kept_waiting
BOOT_LIMIT_BUILT=600	# the same for the kernels that look for mistakes
BOOT_LIMIT_BUSY=5	# times that limit, however busy this machine is

# A splat is a line of the kernel's log that begins with one of these.
SPLAT_RE='^(\[[^]]*\] *)*(BUG: |WARNING: |kernel BUG at|Oops: |UBSAN: |general protection fault|[Uu]nable to handle|Internal error: |Kernel panic|INFO: (task .* blocked|possible |rcu|trying to register|lockdep|suspicious)|rcu: INFO|=+\[ cut|-+\[ cut here|possible (circular|recursive|irq)|refcount_t: |list_(add|del) corruption|watchdog: BUG|kmemleak: unreferenced|ref_tracker: |unregister_netdevice: waiting|BUG [^:]* \((Not t|T)ainted)'

# RUNS: what all guests of this run share, and below it a directory RUNDIR for each. HOST: the number of this shell's guest.
RUNS='' RUNDIR='' QEMU_PID='' STTY_SAVED='' HOST=1
: "${OPT_HOSTS:=1}"
declare -a CATS=()

guest_cleanup()
{
	local status=$?
	trap '' INT TERM HUP
	[[ -n $QEMU_PID ]] && kill -KILL "$QEMU_PID" 2>/dev/null
	((${#CATS[@]})) && kill "${CATS[@]}" 2>/dev/null
	[[ -n $STTY_SAVED ]] && stty "$STTY_SAVED" <&0 2>/dev/null
	if ((HOST == 1)); then
		((OPT_HOSTS == 1)) || hosts_cleanup
		[[ -n $RUNS ]] && rm -rf --one-file-system -- "$RUNS"
	fi
	return "$status"
}

# kernel_log: the console's lines, less what KCSAN says of others than Glass.
kernel_log()
{
	tr -d '\r\000' <"$RUNDIR/console" | awk -f "$VM/lib/races.awk"
}

# A comma ends a QEMU option value unless doubled.
qemu_quote()
{
	printf '%s' "${1//,/,,}"
}

console_tail()
{
	printf -- '--- %send of the guest'\''s console\n' "$WHOSE" >&2
	tail -n 120 "$RUNDIR/console" | tr -d '\r\000' >&2
	printf -- '---\n' >&2
}

show_splat()
{
	msg "the kernel complained:"
	# Lockdep needs many words.
	local after=45
	kernel_is_built && after=150
	kernel_log | grep -E -A "$after" -m 3 "$SPLAT_RE" | head -n $((3 * after)) >&2
}

# What the kernel killed because memory was short, from its log: the program itself says nothing.
tell_oom()
{
	local line name size n=0 mem=${OPT_MEM%[MmGg]}
	local killed='(Out of memory|Memory cgroup out of memory): Killed process ([0-9]+) \((.*)\) total-vm:[0-9]+kB, anon-rss:([0-9]+)kB, file-rss:([0-9]+)kB, shmem-rss:([0-9]+)kB'
	while IFS= read -r line; do
		[[ $line =~ $killed ]] || continue
		((++n <= 5)) || continue
		size=$(((BASH_REMATCH[4] + BASH_REMATCH[5] + BASH_REMATCH[6]) / 1024))
		name="${BASH_REMATCH[3]} (pid ${BASH_REMATCH[2]}, $size MB)"
		if [[ ${BASH_REMATCH[1]} == Out* ]]; then
			msg "the kernel ran out of memory and killed $name; try --mem $((2 * mem))${OPT_MEM##*[0-9]}"
		else
			msg "the kernel killed $name, whose cgroup was at its memory limit"
		fi
	done < <(tr -d '\r\000' <"$RUNDIR/console" | grep -aF 'ut of memory: Killed process')
	((n <= 5)) || msg "and $((n - 5)) more were killed for memory"
}

# copy_products FILE: one file, because a request of 9p for each of many files takes its time under emulation
copy_products()
{
	local -a dirs=(-C "$BUILD$ARCH_DIR/dest" .)
	[[ -z $KERNEL ]] || dirs+=(-C "$BUILD$ARCH_DIR/kernel-$KVER/dest" .)
	tar -cf "$1" "${dirs[@]}"
}

SNAPSHOT_LIMIT=300	# MB of a tree that is copied

# snapshot FROM DIR: a copy of the directory as it is now, without .git, and of the tree without build/, too. Not only that what runs be
# what was there when it began: Linux 6.12 calls itself without end, and dies, when a file of a 9p mount shrinks while it is read (netfs_retry_reads).
snapshot()
{
	local from=$1 to=$2 size
	local -a without=(--exclude=./.git)
	[[ $from != "$TREE" ]] || without+=(--exclude=./build)
	size=$(cd "$from" && du -sm "${without[@]}" . 2>/dev/null | cut -f1)
	if ((size > SNAPSHOT_LIMIT)); then
		msg "$from has $size MB: the guest sees it as it changes; a file that shrinks while the guest reads it can crash the guest"
		return 1
	fi
	mkdir -p "$to"
	[[ $from != "$TREE" ]] || mkdir -p "$to/build"
	# A file that changes or goes while it is copied is no reason to stop.
	(set +o pipefail && tar -C "$from" --anchored "${without[@]}" -cf - . 2>/dev/null | tar -C "$to" -xf -) ||
		msg "not all of $from could be copied to $to, for the guest (TMPDIR names another place)"
	return 0
}

# share_files MODE: sets RUNS, and in it share/: what each guest of this run gets; and TREE_SHOWN, WORK_SHOWN, the directories that
# each sees.
share_files()
{
	RUNS=$(mktemp -d "${TMPDIR:-/tmp}/glass-vm.XXXXXX")
	TREE_SHOWN=$TREE WORK_SHOWN=$WORK
	mkdir -p "$RUNS/share" "$RUNS/out"
	if image_is_used; then
		TREE_SHOWN=''
	elif [[ $1 == run ]]; then
		# Who sits in a shell wants to see what they edit.
		snapshot "$TREE" "$RUNS/tree" && TREE_SHOWN=$RUNS/tree
	fi
	[[ -n $WORK_SHOWN && $1 == run ]] && ((!OPT_RW)) && snapshot "$WORK_SHOWN" "$RUNS/work" && WORK_SHOWN=$RUNS/work
	image_is_used && return
	if ((OPT_GLASS)); then
		# A copy, so that a build in the meantime does not pull the files from under the guest.
		with_lock "$BUILD/.lock" "building this tree" copy_products "$RUNS/share/products.tar"
	fi
	if [[ -n $KERNEL ]]; then
		tar -C "$KERNEL" -cf "$RUNS/share/kernel.tar" lib
	fi
}

# guest_start MODE ACCEL ARGV...: boot and return; sets RUNDIR, QEMU_PID. Settings come from the OPT_ variables.
guest_start()
{
	local mode=$1 accel=$2 share build='' tree work
	shift 2
	[[ -n $RUNS ]] || share_files "$mode"
	tree=$TREE_SHOWN work=$WORK_SHOWN
	RUNDIR=$RUNS/host$HOST
	rm -rf --one-file-system -- "$RUNDIR"
	mkdir "$RUNDIR"
	share=$RUNDIR/share
	cp -al "$RUNS/share" "$share"
	printf '%s\0' "$@" >"$share/argv"
	((${#OPT_ENV[@]} == 0)) || printf '%s\0' "${OPT_ENV[@]}" >"$share/env"
	[[ -e $share/env ]] || : >"$share/env"
	[[ -z $tree || ! -d $BUILD || $tree/build == "$BUILD" ]] || build=$BUILD
	{
		printf 'GLASS_MODE=%s GLASS_LOAD=%s GLASS_OPENSM=%s GLASS_VERBOSE=%s\n' \
			"$mode" "$OPT_GLASS" "$((OPT_OPENSM && HOST == 1))" "$OPT_VERBOSE"
		printf 'export GLASS_KERNEL_IS_BUILT=%d\n' "$(kernel_is_built && echo 1 || echo 0)"
		printf 'export GLASS_COMMITS=%d\n' "$(git -C "$TREE" rev-list --count HEAD 2>/dev/null || echo 0)"
		[[ -n $build ]] && echo GLASS_MOUNT_BUILD=1
		[[ -n $work ]] && printf 'GLASS_WORK_AT=%q GLASS_WORK_MODE=%s\n' "$WORK_AT" "$( ((OPT_RW)) && echo cache=mmap || echo ro)"
		image_is_used && echo GLASS_IMAGE=1
		printf 'export TERM=%q\n' "${TERM:-dumb}"
		((OPT_ICOUNT)) && echo 'export GLASS_ICOUNT=1'
		((OPT_COUNTS)) && echo 'export GLASS_COUNTS=/out/.counts'
		[[ -n ${CI:-} ]] && printf 'export CI=%q\n' "$CI"
		[[ -n ${NO_COLOR:-} ]] && printf 'export NO_COLOR=%q\n' "$NO_COLOR"
		printf 'export GLASS_HOST_TTY=%d\n' "$([[ -t 1 ]] && echo 1 || echo 0)"
		((OPT_HOSTS > 1)) && printf 'export GLASS_HOST=%d GLASS_HOSTS=%d\nGLASS_JOIN=%d\n' "$HOST" "$OPT_HOSTS" "$OPT_OPENSM"
	} >"$share/conf"

	local out=$RUNS/out
	if [[ -n $OPT_OUT ]]; then
		mkdir -p "$OPT_OUT" || die "$ST_USAGE" "cannot make the directory of --out: $OPT_OUT"
		out=$(cd "$OPT_OUT" && pwd -P)
	fi
	if ((HOST > 1)); then
		out+=/host$HOST
		mkdir -p "$out" || die "$ST_USAGE" "cannot make the directory $out, for what this host leaves"
	fi

	mkfifo "$RUNDIR"/{stdout,stderr,ctl.in,ctl.out,qmp.in,qmp.out}
	: >"$RUNDIR/console"
	machine_of "$accel"
	local more=$MACHINE_WORDS
	image_is_used && more+=" GLASS_DISKS=$IMAGE_DISKS"
	# Counts have addresses: the same in each process that runs the same program.
	((OPT_COUNTS)) && more+=' norandmaps'
	local -a terminal=(-chardev 'null,id=tty')
	[[ $mode == tty ]] && terminal=(-chardev 'stdio,id=tty,signal=off')
	# Nothing is secret, nothing may get lost; what a busy machine delays is not stuck.
	# pci=noacpi: its interpreter needs half a minute for each device's interrupt there, and virtio has MSI.
	kernel_is_built && more+=' pci=noacpi no_hash_pointers printk.devkmsg=on log_buf_len=4M watchdog_thresh=60'
	local fs='security_model=none,multidevs=remap'
	# shellcheck disable=SC2054 # the commas are QEMU's
	local -a qemu=(
		"${QEMU[@]}" "${MACHINE[@]}" -smp "$OPT_CPUS" -m "$OPT_MEM"
		-nodefaults -no-user-config -display none -no-reboot
		-kernel "$BOOT/vmlinux" -initrd "$BOOT/initramfs"
		-append "console=$ARCH_CONSOLE loglevel=5 panic=-1 net.ifnames=0 audit=0 mitigations=off$more ${OPT_APPEND:-}"
		-chardev "pipe,id=qmp,path=$(qemu_quote "$RUNDIR/qmp")" -mon chardev=qmp,mode=control
		-chardev "file,id=console,path=$(qemu_quote "$RUNDIR/console")" -serial chardev:console
		"${DISKS[@]}" -device virtio-rng-pci
		-device "virtio-serial-pci,max_ports=$((4 + (OPT_HOSTS > 1 ? OPT_HOSTS : 0)))"
		"${terminal[@]}" -device virtconsole,nr=0,chardev=tty
		-chardev "pipe,id=ctl,path=$(qemu_quote "$RUNDIR/ctl")" -device virtserialport,nr=1,chardev=ctl,name=ctl
		-chardev "file,id=out,path=$(qemu_quote "$RUNDIR/stdout")" -device virtserialport,nr=2,chardev=out,name=out
		-chardev "file,id=err,path=$(qemu_quote "$RUNDIR/stderr")" -device virtserialport,nr=3,chardev=err,name=err
		-virtfs "local,path=$(qemu_quote "$share"),mount_tag=host,readonly=on,$fs"
		-virtfs "local,path=$(qemu_quote "$out"),mount_tag=out,$fs"
	)
	[[ -z $tree ]] || qemu+=(-virtfs "local,path=$(qemu_quote "$tree"),mount_tag=tree,readonly=on,$fs")

	if ((OPT_HOSTS > 1)); then
		host_devices
		qemu+=("${HOST_DEVICES[@]}")
	fi
	((!OPT_COUNTS)) || qemu+=(-plugin "file=$(qemu_quote "$PLUGIN"),out=$(qemu_quote "$out/.counts")")
	[[ -z $build ]] || qemu+=(-virtfs "local,path=$(qemu_quote "$build"),mount_tag=build,readonly=on,$fs")
	[[ -z $work ]] || qemu+=(-virtfs "local,path=$(qemu_quote "$work"),mount_tag=work$( ((OPT_RW)) || echo ,readonly=on),$fs")

	exec {CTL_IN}<>"$RUNDIR/ctl.in" {CTL}<>"$RUNDIR/ctl.out" {QMP_IN}<>"$RUNDIR/qmp.in" {QMP}<>"$RUNDIR/qmp.out"
	# If whoever reads our output has gone (a pipe into head), the guest has no purpose any more.
	(cat "$RUNDIR/stdout" || echo lost >"$RUNDIR/ctl.out") &
	CATS=($!)
	cat "$RUNDIR/stderr" >&2 &
	CATS+=($!)
	if [[ $mode == tty ]]; then
		STTY_SAVED=$(stty -g <&0)
		# Carriage returns are the guest terminal's business.
		setpriv --pdeathsig KILL -- "${qemu[@]}" <&0 2>"$RUNDIR/qemu.err" &
	else
		setpriv --pdeathsig KILL -- "${qemu[@]}" </dev/null >/dev/null 2>"$RUNDIR/qemu.err" &
	fi
	QEMU_PID=$!
}

# guest_kept_waiting: seconds for which QEMU's threads waited for a processor of this machine, all together: while one of them
# waits, the others soon wait for it, asleep. A guest that gets no processor does not stand still, and starting it again would
# only cost more.
guest_kept_waiting()
{
	local file _ waited sum=0
	for file in "/proc/$QEMU_PID"/task/*/schedstat; do
		{ read -r _ waited _ <"$file"; } 2>/dev/null && ((sum += waited))
	done
	echo $((sum / 1000000000))
}

# guest_failed STATUS WHAT: the guest ended, or is to be ended, for another reason than the command's end. Sets GUEST_FAILURE, a
# sentence, and GUEST_AGAIN when Glass was not loaded yet, so that neither Glass nor the command can be the cause.
guest_failed()
{
	local panic
	GUEST_STATUS=$1 GUEST_FAILURE=$2
	panic=$(tr -d '\r\000' <"$RUNDIR/console" | grep -aoE -m 1 'Kernel panic - .*')
	[[ -z $panic ]] || GUEST_FAILURE+=" ($panic)"
	((GUEST_READY)) || {
		((GUEST_LOADING)) || GUEST_AGAIN=1
		GUEST_FAILURE+=", and Glass was $( ((GUEST_AGAIN)) && echo 'not loaded yet' || echo 'loaded or being loaded')"
	}
}

# guest_wait LIMIT BOOT_LIMIT: wait for the command's end; sets GUEST_STATUS, and what guest_failed sets. QEMU still runs, unless it
# ended by itself: call guest_end.
guest_wait()
{
	local start=$EPOCHSECONDS limit=$1 boot_limit=$2 line part='' gone=0 status when waited=0
	GUEST_STATUS='' GUEST_FAILURE='' GUEST_LOADING=0 GUEST_READY=0 GUEST_AGAIN=0 GUEST_BOOTED=0
	while [[ -z $GUEST_STATUS ]]; do
		if IFS= read -r -t 1 -u "$CTL" line; then
			line=$part$line part=''
			case $line in
			loading) GUEST_LOADING=1 ;;
			booted) GUEST_BOOTED=1 ;;	# and waits for the other hosts, which have limits of their own
			ready)
				GUEST_READY=1 GUEST_BOOT_SECONDS=$((EPOCHSECONDS - start))
				# What was sent before the agent had opened the port is lost.
				declare -F send_size >/dev/null && send_size
				;;
			"exit "*) GUEST_STATUS=${line#exit } ;;
			"fail "*)
				guest_failed "$ST_GUEST" "the guest did not get ready: ${line#fail }"
				GUEST_AGAIN=0		# it knows why
				;;
			lost) GUEST_STATUS=141 ;;
			look) hosts_look ;;
			"kill "* | "start "*) host_power "$line" ;;
			esac
			continue
		fi
		# The second may end in the middle of a line.
		part+=$line
		((OPT_HOSTS == 1)) || hosts_look
		[[ -z $GUEST_STATUS ]] || break
		if ((gone)); then
			when=$( ((GUEST_READY)) || echo ' before it was ready')
			# A guest that dies ends QEMU without a signal. QEMU 10.0 itself sometimes fails an assertion
			# (iotlb_to_section) when one CPU maps a device while another one uses one.
			status=0
			wait "$QEMU_PID" 2>/dev/null || status=$?
			if ((status == 128 + 6 || status == 128 + 11)); then
				guest_failed "$ST_GUEST" "QEMU crashed${when/it/the guest}"
			else
				guest_failed "$ST_GUEST" "the guest died$when"
			fi
		elif ! kill -0 "$QEMU_PID" 2>/dev/null; then
			gone=1		# once more round, for what it said last
		elif ((limit > 0 && EPOCHSECONDS - start >= limit)); then
			guest_failed "$ST_TIMEOUT" "time limit of $limit s reached, guest ended"
			GUEST_AGAIN=0
		elif ((!GUEST_READY && !GUEST_BOOTED && EPOCHSECONDS - start >= boot_limit)); then
			# What it had to wait for a processor does not count.
			waited=$(guest_kept_waiting)
			if ((EPOCHSECONDS - start - waited >= boot_limit || EPOCHSECONDS - start >= BOOT_LIMIT_BUSY * boot_limit)); then
				guest_failed "$ST_GUEST" "the guest was not ready after $((EPOCHSECONDS - start)) s, in which its threads waited $waited s for a processor"
			fi
		fi
	done
}

guest_end()
{
	{ kill -KILL "$QEMU_PID"; wait "$QEMU_PID"; } 2>/dev/null
	QEMU_PID=''
	wait "${CATS[@]}" 2>/dev/null
	CATS=()
}

# guest_run MODE ARGV...: boot, wait, end; what is known of a failure is kept.
guest_run()
{
	guest_start "$1" "$ACCEL" "${@:2}"
	guest_wait "$OPT_TIMEOUT" "$BOOT_LIMIT"
	# Of a command that takes too long there is nothing to find out here.
	EVIDENCE='' GUEST_WHY=$GUEST_FAILURE
	[[ -z $GUEST_FAILURE || $GUEST_READY$GUEST_STATUS == 1$ST_TIMEOUT ]] || keep_evidence "$GUEST_FAILURE"
	# The others end before host 1 does, so that nobody sees its peer vanish.
	((HOST > 1 || OPT_HOSTS == 1 || GUEST_AGAIN)) || hosts_end
	guest_end
	[[ -z $EVIDENCE ]] || GUEST_FAILURE+="; its console is kept in $EVIDENCE"
}

# guest_boot MODE ARGV...: guest_run; once more if the guest did not get far.
guest_boot()
{
	guest_run "$@"
	# Now and then an emulated guest stands still or panics while it boots: docs/guest.md.
	if ((GUEST_AGAIN)) && [[ $1 == run && $ACCEL == tcg ]]; then
		msg "$GUEST_FAILURE; booting once more"
		grep -v 'terminating on signal' "$RUNDIR/qemu.err" >&2
		exec {CTL_IN}>&- {CTL}>&- {QMP_IN}>&- {QMP}>&-
		guest_run "$@"
	fi
}

# guest_verdict: tell what went wrong in the guest that has ended; the status that follows from it is in GUEST_STATUS.
guest_verdict()
{
	tell_oom
	if [[ -n $GUEST_FAILURE ]]; then
		grep -v 'terminating on signal' "$RUNDIR/qemu.err" >&2
		console_tail
		printf 'vm: error: %s%s\n' "$WHOSE" "$GUEST_FAILURE" >&2
		return
	fi
	((OPT_VERBOSE)) && mkdir -p "$CACHE/log" && cp "$RUNDIR/console" "$CACHE/log/console$( ((HOST == 1)) || echo "-host$HOST").log"
	if kernel_log | grep -E "$SPLAT_RE" >/dev/null; then
		show_splat
		[[ $GUEST_STATUS == 0 ]] && GUEST_STATUS=$ST_SPLAT
	fi
}

# Sets ACCEL, kvm or tcg, and ACCEL_WHY.
# Can this machine's KVM run a stock kernel? Some nested ones cannot, and hang instead of saying so: so try it, with
# a limit, all the way to user space, once for each boot of this machine.
pick_accel()
{
	local verdict boot_id
	if is_foreign; then
		ACCEL=tcg ACCEL_WHY="this machine is no $OPT_ARCH"
		return
	fi
	ACCEL=${GLASS_ACCEL:-} ACCEL_WHY="GLASS_ACCEL=${GLASS_ACCEL:-}"
	case $ACCEL in
	kvm | tcg) return ;;
	'') ;;
	*) die "$ST_USAGE" "GLASS_ACCEL=$ACCEL: expected kvm or tcg" ;;
	esac
	ACCEL=tcg ACCEL_WHY='this machine has no /dev/kvm'
	[[ ! -e /dev/kvm ]] || ACCEL_WHY="/dev/kvm is closed to $(id -un 2>/dev/null || id -u)"
	[[ -r /dev/kvm && -w /dev/kvm ]] || return 0
	boot_id=$(</proc/sys/kernel/random/boot_id)
	verdict=$CACHE/accel-${boot_id%%-*}-$KVER
	[[ -e $verdict ]] || with_lock "$CACHE/accel.lock" "trying KVM" probe_kvm "$verdict"
	ACCEL=$(<"$verdict")
	ACCEL_WHY=$([[ $ACCEL == kvm ]] && echo 'it boots a guest here' || echo 'KVM was tried, and boots no guest here')
}

probe_kvm()
{
	[[ -e $1 ]] && return 0
	msg "trying whether KVM works here (15 s at most, once) ..."
	# Verdicts from before this machine's last boot.
	find "$CACHE" -maxdepth 1 -name 'accel-*-*' ! -name "accel-${boot_id%%-*}-*" -delete
	if (
		OPT_GLASS=0 OPT_OPENSM=0 OPT_VERBOSE=0 OPT_OUT='' OPT_CPUS=2 OPT_ICOUNT=0 OPT_COUNTS=0 OPT_MEM=1G OPT_APPEND='' OPT_HOSTS=1 OPT_ENV=() OPT_RW=0 WORK=''
		trap guest_cleanup EXIT
		guest_start run kvm true >/dev/null 2>&1
		guest_wait 15 15 >/dev/null 2>&1
		guest_end
		[[ $GUEST_STATUS == 0 ]]
	); then
		echo kvm >"$1"
		msg "  it does"
	else
		echo tcg >"$1"
		msg "  it does not; the guest is emulated"
	fi
}

guest_main()
{
	local mode=$1
	shift
	trap guest_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	if ((OPT_ICOUNT)); then
		ACCEL=icount ACCEL_WHY='--icount'
	else
		pick_accel
	fi
	# A machine of somebody else's (CI) is as fast or as slow as this says.
	! image_is_used || msg "$([[ $ACCEL == kvm ]] && echo "booting with KVM" || echo "booting, emulated (TCG)"): $ACCEL_WHY"
	((OPT_VERBOSE)) && msg "booting $( ((OPT_HOSTS == 1)) || echo "$OPT_HOSTS hosts, each ")with $ACCEL, $OPT_CPUS processors, $OPT_MEM"
	if [[ $mode == tty ]]; then
		send_size()
		{
			printf 'size %s\n' "$(stty size <&0)" >&"$CTL_IN"
		}
		trap send_size WINCH
	fi
	kernel_is_built && BOOT_LIMIT=$BOOT_LIMIT_BUILT
	if ((OPT_HOSTS > 1)); then
		share_files "$mode"
		hosts_start
	fi
	guest_boot "$mode" "$@"
	((OPT_VERBOSE)) && ((GUEST_READY)) && msg "the command started $GUEST_BOOT_SECONDS s after the boot began"
	guest_verdict
	((OPT_HOSTS == 1)) || hosts_verdict
	exit "$GUEST_STATUS"
}
