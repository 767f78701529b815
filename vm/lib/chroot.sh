# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Run a command at native speed in the Debian root, which is mounted read-only in a mount name space of its own;
# the tree is at /glass, writable.

# chroot_run [HOSTDIR:DIR]... -- COMMAND ARG...
chroot_run()
{
	local -a binds=()
	while [[ $1 != -- ]]; do
		binds+=("$1")
		shift
	done
	shift
	local tree=${GLASS_CHROOT_TREE:-$TREE} cwd=/glass
	# Below the tree: stay at the same place.
	[[ $PWD == "$tree"/* ]] && cwd=/glass/${PWD#"$tree"/}

	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private bash -c '
		set -eu
		root=$1 tree=$2 cwd=$3 binds=$4
		shift 4
		mount --bind "$root" "$root"
		mount -o remount,bind,ro "$root"
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount --rbind /sys "$root/sys"
		for d in tmp run root; do
			mount -t tmpfs -o mode=1777 tmpfs "$root/$d"
		done
		mount --bind "$tree" "$root/glass"
		while ((binds-- > 0)); do
			mount --bind "${1%:*}" "$root${1##*:}"
			shift
		done
		exec chroot "$root" /usr/bin/env -i \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" ${CI:+CI="$CI"} \
			/bin/sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$cwd" "$@"
	' bash "$ROOT/root" "$tree" "$cwd" "${#binds[@]}" "${binds[@]}" "$@"
}
