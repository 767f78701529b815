# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Run a command at native speed in the Debian root, which is mounted read-only in a mount name space of its own;
# the tree is at /glass, writable.

# chroot_run [HOSTDIR:DIR]... -- COMMAND ARG...
# With another architecture its compiler lies over the root, and the headers and libraries of its own root are in their places.
# With GLASS_CHROOT_CHANGES=DIR the command sees the root writable; changes are kept in memory, mounted at DIR, and go with it.
chroot_run()
{
	local -a binds=()
	while [[ $1 != -- ]]; do
		binds+=("$1")
		shift
	done
	shift
	local tree=${GLASS_CHROOT_TREE:-$TREE} cwd=/glass build='' above=''
	[[ $tree != "$TREE" || $BUILD == "$TREE/build" ]] || build=$BUILD
	if [[ -n $CROSS ]]; then
		above=$CROSS
		binds+=("$FOREIGN/root:$FOREIGN_AT" "$FOREIGN/root/usr/include:/usr/include" "$FOREIGN/root/usr/lib/$ARCH_TRIPLET:/usr/lib/$ARCH_TRIPLET")
	fi
	# Below the tree: stay at the same place.
	[[ $PWD == "$tree"/* ]] && cwd=/glass/${PWD#"$tree"/}

	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private bash -c '
		set -eu
		root=$1 tree=$2 build=$3 changes=$4 above=$5 cwd=$6 binds=$7
		shift 7
		if [ -n "$changes" ]; then
			mount -t tmpfs tmpfs "$changes"
			mkdir "$changes/upper" "$changes/work" "$changes/root"
			mount -t overlay -o "lowerdir=$root,upperdir=$changes/upper,workdir=$changes/work" overlay "$changes/root"
			root=$changes/root
		elif [ -n "$above" ]; then
			mount -t overlay -o "ro,lowerdir=$above/root:$root" overlay "$above/mnt"
			root=$above/mnt
		else
			mount --bind "$root" "$root"
			mount -o remount,bind,ro "$root"
		fi
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount --rbind /sys "$root/sys"
		for d in tmp run root; do
			mount -t tmpfs -o mode=1777 tmpfs "$root/$d"
		done
		mount --bind "$tree" "$root/glass"
		[ -z "$build" ] || mount --bind "$build" "$root/glass/build"
		while ((binds-- > 0)); do
			mount --bind "${1%:*}" "$root${1##*:}"
			shift
		done
		exec chroot "$root" /usr/bin/env -i \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" ${CI:+CI="$CI"} \
			/bin/sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$cwd" "$@"
	' bash "$ROOT/root" "$tree" "$build" "${GLASS_CHROOT_CHANGES:-}" "$above" "$cwd" "${#binds[@]}" "${binds[@]}" "$@"
}
