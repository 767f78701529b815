# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A guest whose run is recorded (vm/vm run --record DIR), and runs again exactly (vm/vm replay DIR), by record and replay of QEMU: one
# emulated CPU whose clock counts instructions. QEMU records what comes from outside: the times of events, random numbers and disk I/O.
# It cannot record shared directories, so the guest has their contents on a disk, and sends $OUT by a channel.
#
# DIR has all that the replay needs but QEMU itself:
#   log                 QEMU's recording
#   vmlinux, initramfs  what was booted
#   root.img            the disk image, a hard link to the cache's where possible
#   share.img           command, products and tree
#   settings            memory, command line of the kernel, QEMU's version, tree, kernel
#   console             the kernel's log
#   module/             glass.ko, with its symbols, for gdb

REPLAY_VERSION=1

# settings_of DIR NAME: prints it
settings_of()
{
	sed -n "s/^$2=//p" "$1/settings"
}

# record_into DIR: makes the directory. An older recording in it is replaced.
record_into()
{
	local dir=$1
	if [[ -e $dir ]] && { [[ ! -d $dir ]] || { [[ -n $(ls -A -- "$dir") && ! -e $dir/settings ]]; }; }; then
		die "$ST_USAGE" "--record $dir: it is there, and no recording; name a new directory"
	fi
	rm -rf --one-file-system -- "$dir" && mkdir -p -- "$dir" || die "$ST_USAGE" "--record $dir: cannot make this directory"
	RECORD_DIR=$(cd -- "$dir" && pwd -P)
}

# pack_share: share.img, of what share_files has made
pack_share()
{
	local size
	mkdir -p "$RUNS/share/tree" "$RUNS/share/work" || return
	[[ $TREE_SHOWN == "$RUNS/tree" ]] || die "$ST_USAGE" "--record: $TREE_SHOWN has more than $SNAPSHOT_LIMIT MB, too much for a recording"
	mv -T -- "$TREE_SHOWN" "$RUNS/share/tree" || return
	if [[ -n $WORK_SHOWN ]]; then
		[[ $WORK_SHOWN == "$RUNS/work" ]] || die "$ST_USAGE" "--record: $WORK has more than $SNAPSHOT_LIMIT MB, too much for a recording"
		mv -T -- "$WORK_SHOWN" "$RUNS/share/work" || return
	fi
	size=$(du -sm "$RUNS/share" | cut -f1)
	chroot_run "$RUNS:/mnt" -- mke2fs -q -t ext4 -O ^has_journal -d /mnt/share /mnt/share.img $((size * 5 / 4 + 64))M &&
		cp --sparse=always -- "$RUNS/share.img" "$RECORD_DIR/share.img" && rm "$RUNS/share.img"
}

# recorded_qemu record|replay DIR: sets the array RECORDED, QEMU's arguments
recorded_qemu()
{
	local how=$1 dir=$2 disk file fs
	fs=$(qemu_quote "$dir")
	# shellcheck disable=SC2054 # the commas are QEMU's
	RECORDED=(
		"${QEMU[@]}" -M pc,hpet=off -accel 'tcg,thread=single' -icount "shift=0,rr=$how,rrfile=$fs/log"
		-cpu 'max,-erms,-fsrm' -smp 1 -m "$(settings_of "$dir" mem)"
		-nodefaults -no-user-config -display none -no-reboot
		-kernel "$dir/vmlinux" -initrd "$dir/initramfs" -append "$(settings_of "$dir" append)"
		-chardev "pipe,id=qmp,path=$(qemu_quote "$RUNDIR/qmp")" -mon chardev=qmp,mode=control
		-chardev "file,id=console,path=$(qemu_quote "$RUNDIR/console")" -serial chardev:console
	)
	for disk in root:root.img host:share.img; do
		file=$fs/${disk#*:} disk=${disk%%:*}
		# What the root's disk is changed to is forgotten.
		RECORDED+=(-drive "if=none,id=$disk-file,format=raw,file=$file,$([[ $disk == root ]] && echo snapshot=on || echo readonly=on)"
			-drive "if=none,id=$disk,driver=blkreplay,image=$disk-file$([[ $disk == root ]] || echo ,readonly=on)"
			-device "virtio-blk-pci,drive=$disk,serial=$disk")
	done
	RECORDED+=(-device "virtio-serial-pci,max_ports=6")
	# No input: none of it can be recorded.
	local name port=0
	for name in ctl out err back; do
		port=$((port + 1))
		RECORDED+=(-chardev "file,id=$name,path=$(qemu_quote "$RUNDIR/$name")" -device "virtserialport,nr=$port,chardev=$name,name=$name")
	done
}

# recorded_start record|replay DIR: starts QEMU; sets what guest_start sets
recorded_start()
{
	RUNDIR=$RUNS/host1
	rm -rf --one-file-system -- "$RUNDIR"
	mkdir "$RUNDIR"
	mkfifo "$RUNDIR"/{out,err,back,ctl,qmp.in,qmp.out}
	: >"$RUNDIR/console"
	recorded_qemu "$1" "$2"
	exec {CTL}<>"$RUNDIR/ctl" {QMP_IN}<>"$RUNDIR/qmp.in" {QMP}<>"$RUNDIR/qmp.out"
	(cat "$RUNDIR/out" || echo lost >"$RUNDIR/ctl") &
	CATS=($!)
	cat "$RUNDIR/err" >&2 &
	CATS+=($!)
	cat "$RUNDIR/back" >"$RUNS/back.tar" &
	CATS+=($!)
	setpriv --pdeathsig KILL -- "${RECORDED[@]}" "${@:3}" </dev/null >/dev/null 2>"$RUNDIR/qemu.err" &
	QEMU_PID=$!
}

# recorded_end: QEMU completes its log when it ends by itself, or is asked to
recorded_end()
{
	local end=$((SECONDS + 60))
	kill -TERM "$QEMU_PID" 2>/dev/null
	while kill -0 "$QEMU_PID" 2>/dev/null && ((SECONDS < end)); do
		read -r -t 0.1 -u "$QMP" _ || :
	done
	guest_end
}

# what_came_back: what the command left in $OUT
what_came_back()
{
	[[ -n $OPT_OUT ]] || return 0
	mkdir -p -- "$OPT_OUT" && tar -C "$OPT_OUT" -xf "$RUNS/back.tar" --no-same-owner || msg "what the command left in \$OUT did not come back whole"
}

recorded_traps()
{
	trap guest_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
}

# record_main ARGV...: boots, and runs the command
record_main()
{
	recorded_traps
	kernel_is_built && BOOT_LIMIT=$BOOT_LIMIT_BUILT
	share_files run
	{
		printf 'GLASS_MODE=run GLASS_LOAD=%s GLASS_OPENSM=%s GLASS_VERBOSE=1 GLASS_RECORD=1\n' "$OPT_GLASS" "$OPT_OPENSM"
		printf 'export GLASS_KERNEL_IS_BUILT=%d GLASS_ICOUNT=1 GLASS_HOST_TTY=0 TERM=dumb\n' "$(kernel_is_built && echo 1 || echo 0)"
		[[ -z $WORK_SHOWN ]] || printf 'GLASS_WORK_AT=%q GLASS_WORK_MODE=ro\n' "$WORK_AT"
	} >"$RUNS/share/conf"
	printf '%s\0' /run/glass/recorded "$@" >"$RUNS/share/argv"
	: >"$RUNS/share/env"
	((${#OPT_ENV[@]} == 0)) || printf '%s\0' "${OPT_ENV[@]}" >"$RUNS/share/env"
	pack_share || die "$ST_GUEST" "cannot pack the tree for $RECORD_DIR; is there room?"
	cp -- "$BOOT"/{vmlinux,initramfs} "$RECORD_DIR/" &&
		{ cp -l -- "$ROOT_IMAGE" "$RECORD_DIR/root.img" 2>/dev/null || cp --sparse=always -- "$ROOT_IMAGE" "$RECORD_DIR/root.img"; } &&
		mkdir "$RECORD_DIR/module" || die "$ST_GUEST" "cannot fill $RECORD_DIR; is there room?"
	cp -- "$BUILD/${KERNEL:+kernel-$KVER/}module/glass.ko" "$RECORD_DIR/module/" 2>/dev/null || rmdir "$RECORD_DIR/module"
	local more=' tsc=reliable tsc_early_khz=1000000 no_timer_check nokaslr norandmaps GLASS_RECORD=1'
	kernel_is_built && more+=' pci=noacpi no_hash_pointers printk.devkmsg=on log_buf_len=4M watchdog_thresh=60'
	{
		echo "version=$REPLAY_VERSION"
		echo "mem=$OPT_MEM"
		echo "append=console=ttyS0 loglevel=5 panic=-1 net.ifnames=0 audit=0 mitigations=off$more ${OPT_APPEND:-}"
		echo "qemu=$("${QEMU[@]}" --version | sed -n 1p)"
		echo "kver=$KVER"
		echo "commit=$(git -C "$TREE" rev-parse --short HEAD 2>/dev/null)"
		printf 'command=%q' "$1"
		(($# == 1)) || printf ' %q' "${@:2}"
		echo
	} >"$RECORD_DIR/settings"
	msg "recording into $RECORD_DIR (one CPU, several times slower than without) ..."
	recorded_start record "$RECORD_DIR"
	guest_wait "$OPT_TIMEOUT" $((5 * BOOT_LIMIT))
	recorded_end
	cp -- "$RUNDIR/console" "$RECORD_DIR/console"
	what_came_back
	guest_verdict
	msg "recorded: $(du -sh --apparent-size "$RECORD_DIR/log" | cut -f1) of log; $VM_NAME replay $(printf %q "$RECORD_DIR") runs it again"
	exit "$GUEST_STATUS"
}

# replay_check DIR: is it a whole recording? Sets REPLY to its path, and the guest's kernel.
replay_check()
{
	local file
	[[ -d $1 && -e $1/settings ]] || die "$ST_USAGE" "$1: no recording (vm/vm run --record DIR makes one)"
	REPLAY_DIR=$(cd -- "$1" && pwd -P)
	[[ $(settings_of "$REPLAY_DIR" version) == "$REPLAY_VERSION" ]] || die "$ST_USAGE" "$1: recorded by another version of vm/vm"
	for file in log vmlinux initramfs root.img share.img console; do
		[[ -s $REPLAY_DIR/$file ]] || die "$ST_USAGE" "$1: has no $file, so the recording did not end well; record again"
	done
}

# replay_main: runs it again
replay_main()
{
	local dir=$REPLAY_DIR gdb=$BUILD/replay text sections=''
	local -a more=()
	recorded_traps
	# Another QEMU may read its log in another way.
	text=$("${QEMU[@]}" --version | sed -n 1p)
	[[ $text == "$(settings_of "$dir" qemu)" ]] || msg "recorded with $(settings_of "$dir" qemu), but this is $text; the replay may fail"
	RUNS=$(mktemp -d "${TMPDIR:-/tmp}/glass-vm.XXXXXX")
	TREE_SHOWN='' OPT_MEM=$(settings_of "$dir" mem)
	if ((OPT_GDB)); then
		rm -rf "$gdb" && mkdir -p "$gdb" && cp -r "$dir/module" "$gdb/" 2>/dev/null
		cp "$dir/vmlinux" "$gdb/"
		sections=$(sed -n 's/.*glass-init: section \(\S*\) \(0x[0-9a-f]*\).*/\1 \2/p' "$dir/console" | tr -d '\r' |
			awk '$1 == ".text" { text = $2 } $1 != ".text" { more = more " -s " $1 " " $2 } END { if (text) print text more }')
		{
			echo 'set pagination off'
			echo 'file build/replay/vmlinux'
			[[ -z $sections ]] || echo "add-symbol-file build/replay/module/glass.ko $sections"
			echo 'target remote build/replay/gdb.sock'
		} >"$gdb/gdbinit"
		more=(-S -gdb "unix:$(qemu_quote "$gdb/gdb.sock"),server=on,wait=off")
	fi
	recorded_start replay "$dir" "${more[@]}"
	if ((OPT_GDB)); then
		text="$VM_NAME chroot -- gdb -x build/replay/gdbinit"
		msg "the guest stands at its first instruction, and waits for a debugger; in another terminal: $text"
		[[ -n $sections ]] || msg "the recording ended before Glass was loaded, so there are no symbols of it"
	fi
	guest_wait "$OPT_TIMEOUT" 1000000
	recorded_end
	what_came_back
	compare_consoles "$dir" || GUEST_STATUS=$ST_GUEST
	guest_verdict
	exit "$GUEST_STATUS"
}

# compare_consoles DIR: the kernel said the same as when it was recorded, as far as it came
compare_consoles()
{
	local size
	size=$(stat -c %s "$RUNDIR/console")
	cmp -s -n "$size" "$RUNDIR/console" "$1/console" && return
	msg "the replay went another way than the recording: the kernel said something else"
	diff <(tr -d '\r\000' <"$1/console") <(tr -d '\r\000' <"$RUNDIR/console") | head -n 10 >&2
	return 1
}
