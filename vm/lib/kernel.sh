# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A kernel that is not the Debian root's own: the debug kernel, made of Debian's kernel source and vm/kernel/.

# In the Debian root the kernel's cache entry is mounted here; where does not matter, but it must not change.
KERNEL_AT=/mnt
KERNEL='' KERNEL_KEY=''

# The cache entry: kver, vmlinux, System.map, build/ (to build modules against), lib/modules/.
build_kernel()
{
	local dir=$1
	apt_settings
	# Unpacked beside the kernel instead of installed: nothing else has a use for these, and they go when it is built.
	mmdebstrap --variant=extract --include="$KERNEL_SOURCE,flex,bison,bc,m4" "${APT_PROXY[@]}" \
		"$SUITE" "$dir/extra" ${APT_MIRROR:+"$APT_MIRROR"} || return
	GLASS_CHROOT_TREE=$VM/kernel chroot_run "$dir:$KERNEL_AT" -- sh /glass/build.sh "$KERNEL_AT"
}

# After prepare_root. Sets KERNEL (path of the cache entry; empty for the root's own kernel) and KERNEL_KEY; KVER follows.
prepare_kernel()
{
	KERNEL='' KERNEL_KEY=''
	[[ $OPT_KERNEL == debug ]] || return 0
	# The source of the release that the root has.
	KERNEL_SOURCE=linux-source-$(cut -d. -f1,2 <<<"$KVER")
	KERNEL_KEY=$({ echo "$KVER"; cat "$VM"/kernel/*; declare -f build_kernel; } | sha256sum | cut -c1-16)
	cache_entry kernel "$KERNEL_KEY" build_kernel "building the debug kernel (about 30 minutes of processor time, once)"
	KERNEL=$REPLY
	KVER=$(<"$KERNEL/kver")
}
