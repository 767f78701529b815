# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The Debian root file system, the disk image made of it, and the kernel with its small initramfs.
# Three cache entries, so that a change of the boot code does not cost a new root file system.

SUITE=trixie
# Built in or not, as the kernel has it.
GUEST_MODULES=(virtio_pci virtio_console virtio_blk ext4 9p 9pnet_virtio)
# The options of QEMU for the disks that the guest boots from.
declare -a DISKS=()

host_needs()
{
	need mmdebstrap mmdebstrap mke2fs e2fsprogs \
		unshare util-linux flock util-linux setpriv util-linux
	[[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]] ||
		[[ -e /usr/share/keyrings/debian-archive-keyring.pgp ]] ||
		need no-such-command debian-archive-keyring
}

# The mirror this machine uses already, if it is a Debian one: nearest, and maybe the only one it can reach. Prints
# nothing otherwise: mmdebstrap knows where Debian is.
debian_mirror()
{
	local origin label uri
	while IFS='|' read -r origin label uri; do
		[[ $origin == Debian && $label == Debian ]] || continue
		printf '%s\n' "${uri%/}"
		return
	done < <(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2>/dev/null)
}

package_list()
{
	sed 's/#.*//' "$VM/packages" | tr -s ' \t\n' '\n' | sed '/^$/d'
}

# rdmacore_hook JUDGE: prints the begin of a hook that mmdebstrap calls with a new root ($1) when all packages are in. It puts
# the source of the root's rdma-core into /usr/src: the provider must be compiled inside the source of the very libibverbs that
# will load it. A mirror can lack the .dsc and still have the original tarball, which is all we need: the command JUDGE sees the
# file, not the exit status.
rdmacore_hook()
{
	cat <<'HOOK'
set -eu
root=$1
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || :
sed -n 's/^deb /deb-src /p' "$root/etc/apt/sources.list" >"$root/etc/apt/sources.list.d/source.list"
chroot "$root" sh -c '
	apt-get update -q
	cd /usr/src
	version=$(dpkg-query -W -f "\${source:Version}" libibverbs1)
	apt-get source -q --download-only "rdma-core=$version" || :
HOOK
	printf '\t%s\n' "$1"
	cat <<'HOOK'
'
rm -f "$root/etc/apt/sources.list.d/source.list" "$root/etc/resolv.conf"
rm -rf "$root"/var/lib/apt/lists/* "$root"/boot/initrd.img-* "$root"/usr/src/rdma-core_*.debian.*
mkdir -p "$root/glass" "$root/out"
HOOK
}

root_finish_hook()
{
	rdmacore_hook 'ls rdma-core_*.orig.tar.* >/dev/null'
	cat <<'HOOK'
for dir in "$root"/usr/lib/modules/*/; do
	mkdir -p "$dir/updates"
done
echo glass >"$root/etc/hostname"
printf '127.0.0.1\tlocalhost glass\n::1\tlocalhost\n' >"$root/etc/hosts"
HOOK
}

# Sets APT_MIRROR and APT_PROXY: a proxy that this machine's apt goes through, mmdebstrap's needs, too.
apt_settings()
{
	local scheme url
	APT_MIRROR=$(debian_mirror)
	APT_PROXY=()
	for scheme in http https; do
		url=$(apt-config shell url "Acquire::$scheme::Proxy" 2>/dev/null)
		eval "$url"
		[[ -n $url ]] && APT_PROXY+=(--aptopt="Acquire::$scheme::Proxy \"$url\"")
	done
}

# Prints a hook for mmdebstrap, ROOT SUITE...: the root's apt line once more for each suite. apt prefers the release to its
# backports, so a package of a suite is named PACKAGE/SUITE.
suites_hook()
{
	cat <<-'HOOK'
		set -eu
		list=$1/etc/apt/sources.list
		line=$(sed -n '/^deb /{p;q}' "$list")
		shift
		for suite; do
			echo "$line" | sed "s/^\\(deb\\( \\[[^]]*\\]\\)\\? [^ ]* \\)[^ ]*/\\1$suite/"
		done >>"$list"
	HOOK
}

build_root()
{
	local dir=$1 packages
	# The manual pages of RDMA (rdma-core, infiniband-diags, perftest, iproute2's rdma), and of the tools that docs send people to.
	local -a pages=('man?/ib*' 'man?/rdma*' 'man?/mlx5dv*' 'man8/opensm*' 'man8/osmtest*' 'man8/rping*' 'man8/perfquery*' 'man8/sa*query*'
		'man8/sm*' 'man8/dump_*' 'man8/vendstat*' 'man8/check_lft*' 'man1/*ping*' 'man1/qperf*' 'man1/trace-cmd*' 'man8/bpftrace*' 'man1/man.1*'
		'man1/apropos*')
	apt_settings
	packages=$(package_list | paste -sd,)
	root_finish_hook >"$dir/finish.sh"
	# INITRD=No: Debian's own initramfs would take a while and is not used.
	INITRD=No mmdebstrap --variant=apt --include="$packages" "${APT_PROXY[@]}" \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		"${pages[@]/#/--dpkgopt=path-include=/usr/share/man/}" \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-include=/usr/share/doc/rdma-core/*' \
		--dpkgopt='path-include=/usr/share/doc/*/copyright' \
		--customize-hook="sh '$dir/finish.sh' \"\$1\"" \
		"$SUITE" "$dir/root" ${APT_MIRROR:+"$APT_MIRROR"} || return
	ls "$dir/root/lib/modules" >"$dir/kver"
	if [[ $(wc -l <"$dir/kver") != 1 ]]; then
		echo "expected one kernel, got:"
		cat "$dir/kver"
		return 1
	fi
}

# make_disk ROOT FILE: a disk with the files of a root
make_disk()
{
	local used
	used=$(du -sm --apparent-size "$1" | cut -f1) || return
	# Thrown away after each boot, so a journal would be wasted work. The file is sparse.
	mke2fs -q -t ext4 -L glass-root -m 0 -O '^has_journal,^metadata_csum' -E lazy_itable_init=1,root_owner=0:0 \
		-d "$1" "$2" $((used * 5 / 4 + 4096))M
}

build_image()
{
	make_disk "$ROOT/root" "$1/root.img"
}

# Kernel, agent and initramfs; compiled in the chroot, so that the host needs no compiler.
build_boot()
{
	local dir=$1
	if kernel_is_built; then
		# What the guest boots from is built in.
		cp "$KERNEL/vmlinux" "$dir/" &&
			GLASS_CHROOT_TREE=$VM/guest chroot_run "$dir:/out" -- sh /glass/make-boot.sh /out /nothing /
	elif is_foreign; then
		GLASS_CHROOT_TREE=$VM/guest chroot_run "$dir:/out" "$KERNEL:$KERNEL_AT" -- env "CC=$ARCH_TRIPLET-gcc" "FOREIGN=$FOREIGN_AT" \
			sh /glass/make-boot.sh /out "$KERNEL_AT/vmlinuz" "$KERNEL_AT" "${GUEST_MODULES[@]}"
	elif [[ -n $KERNEL ]]; then
		# A build tree has it already.
		[[ ! -e $KERNEL/vmlinux ]] || cp "$KERNEL/vmlinux" "$dir/" || return
		GLASS_CHROOT_TREE=$VM/guest chroot_run "$dir:/out" "$KERNEL:$KERNEL_AT" -- \
			sh /glass/make-boot.sh /out "$KERNEL_AT/vmlinuz" "$KERNEL_AT" "${GUEST_MODULES[@]}"
	else
		GLASS_CHROOT_TREE=$VM/guest chroot_run "$dir:/out" -- \
			sh /glass/make-boot.sh /out "/boot/vmlinuz-$KVER" / "${GUEST_MODULES[@]}"
	fi
}

# Sets ROOT (path of the cache entry) and KVER.
prepare_root()
{
	[[ $(uname -m) == x86_64 ]] || die "$ST_USAGE" "the guest is x86_64 only, this machine is $(uname -m)"
	host_needs
	need_root "preparing the guest"
	if [[ -n $OPT_CLEAN ]]; then
		prepare_clean_root
		return
	fi
	ROOT_KEY=$({ echo "$SUITE"; package_list; root_finish_hook; declare -f build_root; } | sha256sum | cut -c1-16)
	cache_entry root "$ROOT_KEY" build_root "making the Debian root file system (about 2 minutes, once)"
	ROOT=$REPLY
	KVER=$(<"$ROOT/kver")
	! is_foreign || prepare_foreign
}

# Sets BOOT: kernel, agent and initramfs.
prepare_boot()
{
	local key
	key=$({ echo "$ROOT_KEY" "$KERNEL_KEY" "${GUEST_MODULES[*]}${FOREIGN:+ $FOREIGN_KEY}"; cat "$VM"/guest/*; } | sha256sum | cut -c1-16)
	cache_entry boot "$key" build_boot "making the guest's boot files (a few seconds, once)"
	BOOT=$REPLY
}

# Sets DISKS, ROOT_IMAGE, BOOT and QEMU, too, what prepare_kernel sets, and PLUGIN with --counts.
prepare_guest()
{
	prepare_root
	prepare_qemu
	prepare_kernel
	prepare_boot
	if is_foreign; then
		prepare_foreign_image
	else
		cache_entry image "$({ echo "$ROOT_KEY"; declare -f build_image make_disk; } | sha256sum | cut -c1-16)" \
			build_image "making the disk image (about 20 s, once)"
		ROOT_IMAGE=$REPLY/root.img
	fi
	# shellcheck disable=SC2054 # the commas are QEMU's
	DISKS=(-drive "if=none,id=root,format=raw,snapshot=on,file=$(qemu_quote "$ROOT_IMAGE")" -device virtio-blk-pci,drive=root)
	((!OPT_COUNTS)) || prepare_plugin
}
