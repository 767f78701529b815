# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A kernel that is not the Debian root's own: those that are built of Debian's kernel source and vm/kernel/ (debug, race), and
# Debian's real-time kernel.

# In the Debian root the kernel's cache entry is mounted here; where does not matter, but it must not change.
KERNEL_AT=/mnt
KERNEL='' KERNEL_KEY=''

# kernel_is_built: built here, of our own configuration: it looks for mistakes, is therefore several times slower than
# Debian's, and lacks some modules. The guest is told (GLASS_KERNEL_IS_BUILT).
kernel_is_built()
{
	[[ $OPT_KERNEL == debug || $OPT_KERNEL == race ]]
}

# The cache entry: kver, vmlinux, System.map, build/ (to build modules against), lib/modules/.
build_kernel()
{
	local dir=$1
	apt_settings
	# Unpacked beside the kernel instead of installed: nothing else has a use for these, and they go when it is built.
	mmdebstrap --variant=extract --include="$KERNEL_SOURCE,flex,bison,bc,m4" "${APT_PROXY[@]}" \
		"$SUITE" "$dir/extra" ${APT_MIRROR:+"$APT_MIRROR"} || return
	GLASS_CHROOT_TREE=$VM/kernel chroot_run "$dir:$KERNEL_AT" -- sh /glass/build.sh "$KERNEL_AT" "$OPT_KERNEL"
}

# The same of Debian's packages of kernel $KERNEL_RELEASE.
build_packaged_kernel()
{
	local dir=$1
	apt_settings
	mmdebstrap --variant=extract --include="linux-image-$KERNEL_RELEASE,linux-headers-$KERNEL_RELEASE" "${APT_PROXY[@]}" \
		"$SUITE" "$dir/extra" ${APT_MIRROR:+"$APT_MIRROR"} || return
	GLASS_CHROOT_TREE=$VM/kernel chroot_run "$dir:$KERNEL_AT" -- sh /glass/unpack.sh "$KERNEL_AT" "$KERNEL_RELEASE"
}

# After prepare_root. Sets KERNEL (path of the cache entry; empty for the root's own kernel) and KERNEL_KEY; KVER follows.
prepare_kernel()
{
	KERNEL='' KERNEL_KEY=''
	if kernel_is_built; then
		# The source of the release that the root has.
		KERNEL_SOURCE=linux-source-$(cut -d. -f1,2 <<<"$KVER")
		KERNEL_KEY=$({
			echo "$KVER $OPT_KERNEL"
			cat "$VM"/kernel/{build.sh,base.config,"$OPT_KERNEL.config"}
			declare -f build_kernel
		} | sha256sum | cut -c1-16)
		cache_entry kernel "$KERNEL_KEY" build_kernel "building the $OPT_KERNEL kernel (about 30 minutes of processor time, once)"
	elif [[ $OPT_KERNEL == rt ]]; then
		KERNEL_RELEASE=${KVER%-amd64}-rt-amd64
		KERNEL_KEY=$({ echo "$KERNEL_RELEASE"; cat "$VM/kernel/unpack.sh"; declare -f build_packaged_kernel; } | sha256sum | cut -c1-16)
		cache_entry kernel "$KERNEL_KEY" build_packaged_kernel "unpacking Debian's real-time kernel (about a minute, once)"
	else
		return 0
	fi
	KERNEL=$REPLY
	KVER=$(<"$KERNEL/kver")
}
