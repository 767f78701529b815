# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest's architecture (--arch): all that depends on it, and the root, the compiler and the disk of one that this machine cannot run.
#
# This machine is amd64, and so is the Debian root in which the tree is compiled. For another architecture there are besides:
#   foreign   a Debian root of that architecture, unpacked only: its programs do not run here
#   cross     the cross compiler, unpacked; it is laid over the Debian root
#   image     the disk: the foreign root, whose packages were installed by its own guest (vm/guest/finish)
# The kernel always comes in packages, whose build tools are those of amd64.

OPT_ARCH=amd64 OPT_PAGES=''
# In the Debian root the foreign root is mounted here.
FOREIGN_AT=/srv
FOREIGN='' CROSS=''

# Packages of vm/packages that the foreign root does not have: kernels, and what compiles, checks and packs the tree, all of which
# happens in the Debian root of amd64.
FOREIGN_WITHOUT='linux-image-amd64 linux-headers-amd64 squashfs-tools autoconf automake libtool gawk man-db mandoc build-essential
	cmake ninja-build pkg-config dpkg-dev clang sparse pahole shellcheck libclang-rt-19-dev libopenmpi-dev python3-pyelftools'
FINISH_LIMIT=3600	# seconds

# arch_settings: sets what depends on $OPT_ARCH: names of QEMU and of Debian, console, and what QEMU's monitor is asked for. ARCH_DIR
# is the directory below build/.
arch_settings()
{
	case $OPT_ARCH in
	amd64)
		QEMU_NAME=qemu-system-x86_64 QEMU_PACKAGE=qemu-system-x86 ARCH_DIR='' ARCH_TRIPLET=x86_64-linux-gnu ARCH_CONSOLE=ttyS0
		ARCH_STACK=RSP= ARCH_MONITOR_CPU=("info lapic") ARCH_MONITOR=("info irq" "info pic")
		;;
	arm64)
		QEMU_NAME=qemu-system-aarch64 QEMU_PACKAGE=qemu-system-arm ARCH_DIR=/arm64 ARCH_TRIPLET=aarch64-linux-gnu ARCH_LOADER=ld-linux-aarch64.so.1 ARCH_CONSOLE=ttyAMA0
		ARCH_STACK=' SP=' ARCH_MONITOR_CPU=() ARCH_MONITOR=("info irq" "info pic")
		;;
	esac
}

# machine_of ACCEL: sets MACHINE, QEMU's options for machine and processor, and MACHINE_WORDS, what the kernel's command line needs
# for them. After prepare_boot.
machine_of()
{
	local accel=$1
	MACHINE_WORDS=''
	case $accel in
	kvm) MACHINE=(-accel kvm) ;;
	tcg) MACHINE=(-accel 'tcg,thread=multi') ;;
	icount) MACHINE=(-accel 'tcg,thread=single' -icount 'shift=0,sleep=off') ;;
	esac
	if [[ $OPT_ARCH == arm64 ]]; then
		# A processor that knows pages of 16 KiB, and atomic instructions, but no authentication of pointers, which is dear to emulate.
		MACHINE+=(-M 'virt,gic-version=3' -cpu neoverse-n1)
		return
	fi
	MACHINE+=(-M 'pc,hpet=off')
	case $accel in
	kvm) MACHINE+=(-cpu host) ;;
	# erms, fsrm: with these the kernel copies memory by "rep movsb", one byte at a time under TCG.
	*) MACHINE+=(-cpu 'max,-erms,-fsrm') ;;
	esac
	# The emulated TSC is the host's. A kernel that is kept waiting stops trusting it, and looks at a dear one; and it would
	# have found out how fast it is by emulated timers, which on a busy machine gave a clock ten times too fast.
	[[ $accel == tcg ]] && MACHINE_WORDS=" tsc=reliable tsc_early_khz=$("$BOOT/tsc-khz")"
	# While the processor idles, its clock leaps to the next timer: a task that waits for the disk of a busy machine would seem
	# to hang for minutes.
	[[ $accel == icount ]] && MACHINE_WORDS=' tsc=reliable tsc_early_khz=1000000 sysctl.kernel.hung_task_timeout_secs=0'
	# The kernel tries whether timer interrupts arrive in time. When this machine is busy they do not; having tried all there
	# is, the kernel would panic.
	[[ $accel == kvm ]] || MACHINE_WORDS+=' no_timer_check'
}

is_foreign()
{
	[[ $OPT_ARCH != amd64 ]]
}

# check_arch: is it one that there is, and can it be had with the other options?
check_arch()
{
	case $OPT_ARCH in
	amd64 | arm64) ;;
	*) bad_usage "--arch $OPT_ARCH: expected amd64 or arm64" ;;
	esac
	case $OPT_PAGES in
	'' | 4k) OPT_PAGES='' ;;
	16k) is_foreign || bad_usage "--pages 16k: only --arch arm64 has pages of 16 KiB" ;;
	*) bad_usage "--pages $OPT_PAGES: expected 4k or 16k" ;;
	esac
	if is_foreign; then
		[[ $OPT_KERNEL == stable ]] || not_foreign "--kernel $OPT_KERNEL"
		[[ -z $OPT_CLEAN ]] || not_foreign "--clean"
		[[ -z $OPT_RECORD ]] || not_foreign "--record"
		((!OPT_COUNTS)) || not_foreign "--counts"
		((!OPT_ICOUNT)) || not_foreign "--icount"
		[[ ${GLASS_ACCEL:-} != kvm ]] || not_foreign "GLASS_ACCEL=kvm"
		! image_is_used || not_foreign "--image"
	fi
	arch_settings
}

# not_foreign WHAT: ends the script
not_foreign()
{
	bad_usage "$1: not supported with --arch $OPT_ARCH"
}

foreign_packages()
{
	local package
	while read -r package; do
		[[ " ${FOREIGN_WITHOUT//[[:space:]]/ } " == *" $package "* ]] || echo "$package"
	done < <(package_list)
}

# The cache entry: root/, unpacked only, with its packages in root/packages.
build_foreign()
{
	local dir=$1 packages
	apt_settings
	packages=$(foreign_packages | paste -sd,)
	# Keeps the packages, and the names of those that are essential.
	cat >"$dir/keep.sh" <<-'HOOK'
		set -eu
		root=$1
		mkdir "$root/packages" "$root/glass" "$root/out"
		mv "$root"/var/cache/apt/archives/*.deb "$root/packages/"
		cd "$root/packages"
		for file in *.deb; do
			[ "$(dpkg-deb --field "$file" Essential)" != yes ] || echo "$file"
		done >essential
		rm -f "$root/etc/resolv.conf"
		echo glass >"$root/etc/hostname"
		printf '127.0.0.1\tlocalhost glass\n::1\tlocalhost\n' >"$root/etc/hosts"
	HOOK
	mmdebstrap --architectures="$OPT_ARCH" --variant=extract --include='?essential' --include="$packages" --skip=essential/unlink \
		"${APT_PROXY[@]}" \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-include=/usr/share/doc/*/copyright' \
		--extract-hook="sh '$dir/keep.sh' \"\$1\"" \
		"$SUITE" "$dir/root" ${APT_MIRROR:+"$APT_MIRROR"}
}

# The cache entry: root/, with the cross compiler and a link to the loader, which the linker looks for, and mnt/, where chroot_run lays
# root/ over the Debian root.
build_cross()
{
	apt_settings
	mmdebstrap --variant=extract --include="gcc-$ARCH_TRIPLET" "${APT_PROXY[@]}" "$SUITE" "$1/root" ${APT_MIRROR:+"$APT_MIRROR"} &&
		ln -s "$ARCH_TRIPLET/$ARCH_LOADER" "$1/root/usr/lib/$ARCH_LOADER" &&
		mkdir "$1/mnt"
}

# Sets FOREIGN and CROSS, paths of cache entries. After prepare_root has set ROOT.
prepare_foreign()
{
	FOREIGN_KEY=$({ echo "$SUITE $OPT_ARCH"; foreign_packages; declare -f build_foreign; } | sha256sum | cut -c1-16)
	cache_entry "foreign-$OPT_ARCH" "$FOREIGN_KEY" build_foreign "unpacking a Debian root of $OPT_ARCH (2 to 5 minutes, once)"
	FOREIGN=$REPLY
	cache_entry "cross-$OPT_ARCH" "$({ echo "$SUITE $ARCH_TRIPLET"; declare -f build_cross; } | sha256sum | cut -c1-16)" \
		build_cross "unpacking the compiler for $OPT_ARCH (about 20 s, once)"
	CROSS=$REPLY
}

# The cache entry of a kernel of that architecture. Its build tools are amd64's, since they are of no architecture for apt.
build_foreign_kernel()
{
	apt_settings
	mmdebstrap --architectures="amd64,$OPT_ARCH" --variant=extract --include="$KERNEL_PACKAGES" "${APT_PROXY[@]}" \
		"$SUITE" "$1/extra" ${APT_MIRROR:+"$APT_MIRROR"} &&
		GLASS_CHROOT_TREE=$VM/kernel chroot_run "$1:$KERNEL_AT" -- sh /glass/unpack.sh "$KERNEL_AT"
}

# Sets KERNEL_KEY, and REPLY to the path of the kernel's cache entry.
prepare_foreign_kernel()
{
	local name=$OPT_ARCH${OPT_PAGES:+-$OPT_PAGES}
	KERNEL_PACKAGES=linux-image-$name:$OPT_ARCH,linux-headers-$name:$OPT_ARCH
	KERNEL_KEY=$({ echo "$SUITE $KERNEL_PACKAGES"; cat "$VM/kernel/unpack.sh"; declare -f build_foreign_kernel; } | sha256sum | cut -c1-16)
	cache_entry kernel "$KERNEL_KEY" build_foreign_kernel "unpacking Debian's kernel of $name (about a minute, once)"
}

# The disk: made of what was unpacked, then booted, so that the packages' own programs install them. After prepare_boot.
build_foreign_image()
{
	local disk=$1/root.img
	make_disk "$FOREIGN/root" "$disk" || return
	machine_of tcg
	# shellcheck disable=SC2054 # the commas are QEMU's
	timeout "$FINISH_LIMIT" "${QEMU[@]}" "${MACHINE[@]}" -smp 2 -m 2G -nodefaults -no-user-config -display none -no-reboot \
		-kernel "$BOOT/vmlinux" -initrd "$BOOT/initramfs" \
		-append "console=$ARCH_CONSOLE loglevel=5 panic=-1 net.ifnames=0 GLASS_FINISH=1$MACHINE_WORDS" \
		-drive "if=none,id=root,format=raw,discard=unmap,cache=unsafe,file=$(qemu_quote "$disk")" -device virtio-blk-pci,drive=root \
		-device virtio-rng-pci -serial stdio | tee "$1/console"
	grep -q '^glass-finish: done' "$1/console"
}

# Sets ROOT_IMAGE. After prepare_boot.
prepare_foreign_image()
{
	cache_entry "image-$OPT_ARCH" "$({ echo "$FOREIGN_KEY"; cat "$VM/guest/finish"; declare -f build_foreign_image make_disk; } | sha256sum | cut -c1-16)" \
		build_foreign_image "installing the packages of $OPT_ARCH in their own guest, emulated (about 15 minutes, once)"
	ROOT_IMAGE=$REPLY/root.img
}
