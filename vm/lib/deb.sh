# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian packages of the working tree, built in a root of the suite that they are for: packaging/debian. The root is not the
# guest's: it has what packages are built and examined with, and nothing that runs RDMA programs.

# builder_packages: what the root needs: packaging/builder-packages, and the Build-Depends of debian/control
builder_packages()
{
	sed 's/#.*//' "$TREE/packaging/builder-packages" | tr -s ' \t\n' '\n' | sed '/^$/d'
	# dh-sequence-NAME is provided by dh-NAME, and debhelper-compat by debhelper.
	sed -n '/^Build-Depends:/,/^[A-Z]/{ s/^ \([^ ,]*\).*/\1/p }' "$TREE/packaging/debian/control" |
		sed 's/^dh-sequence-/dh-/; s/^debhelper-compat$/debhelper/'
}

# A mirror may have no source of an older rdma-core; then there is no provider.
builder_finish_hook()
{
	rdmacore_hook 'ls rdma-core_*.orig.tar.* || echo "no mirror has the source of rdma-core $version"'
}

build_builder()
{
	local dir=$1 packages
	apt_settings
	packages=$(builder_packages | paste -sd,)
	builder_finish_hook >"$dir/finish.sh"
	INITRD=No mmdebstrap --variant=apt --include="$packages" "${APT_PROXY[@]}" \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--customize-hook="sh '$dir/finish.sh' \"\$1\"" \
		"$DEB_SUITE" "$dir/root" ${APT_MIRROR:+"$APT_MIRROR"}
}

# Sets ROOT: the path of the cache entry of the builder of $DEB_SUITE.
prepare_builder()
{
	[[ $(uname -m) == x86_64 ]] || die "$ST_USAGE" "packages are built on x86_64 only, this machine is $(uname -m)"
	host_needs
	need_root "building packages"
	local key
	key=$({ echo "$DEB_SUITE"; builder_packages; builder_finish_hook; declare -f build_builder; } | sha256sum | cut -c1-16)
	cache_entry "builder-$DEB_SUITE" "$key" build_builder "making the root of $DEB_SUITE in which packages are built (about 2 minutes, once)"
	ROOT=$REPLY
}

# Prints the tree's own files, each ended by a NUL byte: those that git knows or would add, or, without git, all but build/.
tree_files()
{
	if git -C "$TREE" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$TREE" ls-files -z --cached --others --exclude-standard --deduplicate
	else
		(cd "$TREE" && find . -name build -prune -o \( -type f -o -type l \) -printf '%P\0')
	fi
}

# Prints when the tree was last changed, in seconds: its last commit, or its page of changes.
tree_epoch()
{
	git -C "$TREE" log -1 --format=%ct 2>/dev/null || stat -c %Y "$TREE/docs/changes.md"
}

# deb_make: the packages of $DEB_SUITE, in $DEB_OUT (build/deb, or build/deb-$DEB_SUITE if it is not the default suite).
deb_make()
{
	[[ -d $TREE/packaging/debian ]] || die "$ST_BUILD" "this tree has no packaging/debian"
	prepare_builder
	with_lock "$BUILD/deb.lock" "building packages" _deb_make || exit "$ST_BUILD"
}

_deb_make()
{
	local out=$BUILD/deb work
	[[ $DEB_SUITE == "$SUITE" ]] || out+=-$DEB_SUITE
	out=${DEB_OUT:-$out}
	mkdir -p "$out"
	work=$(mktemp -d "${TMPDIR:-/tmp}/glass-deb.XXXXXX")
	# What vanished since git listed it is not there.
	(cd "$TREE" && tree_files | while IFS= read -r -d '' file; do
		[[ ! -e $file && ! -L $file ]] || printf '%s\0' "$file"
	done | LC_ALL=C sort -z | tar --null --no-recursion --files-from=- -cf "$work/tree.tar") &&
		tree_epoch >"$work/epoch" &&
		long_step "building the packages of $DEB_SUITE" "$BUILD/deb.log" \
			chroot_run "$work:/mnt" "$out:/out" -- /glass/packaging/build-deb "$DEB_SUITE" /mnt /out "${DEB_NEXT:-}"
	local status=$?
	rm -rf -- "$work"
	((status)) || msg "packages of $DEB_SUITE: $out"
	return "$status"
}

# throw_away_run COMMAND ARG...: in a copy of $ROOT, which the command may change: it goes afterwards. GLASS_WORK is at /mnt.
throw_away_run()
{
	local status=0
	GLASS_CHROOT_CHANGES=$(mktemp -d "${TMPDIR:-/tmp}/glass-deb.XXXXXX") || exit "$ST_USAGE"
	chroot_run ${GLASS_WORK:+"$GLASS_WORK:/mnt"} -- "$@" || status=$?
	rmdir "$GLASS_CHROOT_CHANGES"
	return "$status"
}

# clean_packages: what the clean root has, with the kernel of $OPT_CLEAN
clean_packages()
{
	local -a kernel=(linux-image-amd64 linux-headers-amd64)
	[[ $OPT_CLEAN != *-backports ]] || kernel=("${kernel[@]/%//$OPT_CLEAN}")
	printf '%s\n' "${kernel[@]}"
	sed 's/#.*//' "$TREE/tests/install/packages" | tr -s ' \t\n' '\n' | sed '/^$/d'
}

# Prints a hook for mmdebstrap, ROOT ARG...: on Debian 12, makes a Debian 13 in a directory, as docs/packages.md tells a user of
# Debian 12: by its own mmdebstrap, with the arguments ARG.
second_root_hook()
{
	cat <<-'HOOK'
		set -eu
		root=$1
		shift
		cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || :
		chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			mmdebstrap --variant=apt --include=ibverbs-utils --dpkgopt='path-exclude=/usr/share/locale/*' "$@"
		# The mirrors of this machine are not the guest's.
		rm -rf "$root/srv/debian13/etc/resolv.conf" "$root"/srv/debian13/var/lib/apt/lists/*
	HOOK
}

# The machine on which packages are installed: a root without Glass, and without what Glass is compiled with but DKMS.
build_clean_root()
{
	local dir=$1 packages suites=''
	local -a second=()
	apt_settings
	packages=$(clean_packages | paste -sd,)
	[[ $OPT_CLEAN != *-backports ]] || suites=$OPT_CLEAN
	suites_hook >"$dir/suites.sh"
	if [[ $OPT_CLEAN == bookworm ]]; then
		second=("${APT_PROXY[@]}" trixie /srv/debian13 ${APT_MIRROR:+"$APT_MIRROR"})
		second_root_hook >"$dir/second.sh"
	fi
	cat >"$dir/finish.sh" <<-'HOOK'
		set -eu
		rm -rf "$1"/var/lib/apt/lists/* "$1"/boot/initrd.img-* "$1/etc/resolv.conf"
		mkdir -p "$1/glass" "$1/out"
		echo clean >"$1/etc/hostname"
		printf '127.0.0.1\tlocalhost clean\n::1\tlocalhost\n' >"$1/etc/hosts"
	HOOK
	INITRD=No mmdebstrap --variant=apt --include="$packages" "${APT_PROXY[@]}" \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		${suites:+--setup-hook="sh '$dir/suites.sh' \"\$1\" $suites"} \
		${second:+--customize-hook="sh '$dir/second.sh' \"\$1\" ${second[*]@Q}"} \
		--customize-hook="sh '$dir/finish.sh' \"\$1\"" \
		"${OPT_CLEAN%-backports}" "$dir/root" ${APT_MIRROR:+"$APT_MIRROR"} || return
	ls "$dir/root/lib/modules" >"$dir/kver"
}

# What prepare_root sets, for vm/vm run --clean.
prepare_clean_root()
{
	ROOT_KEY=$({ echo "$OPT_CLEAN"; clean_packages; declare -f suites_hook second_root_hook build_clean_root; } | sha256sum | cut -c1-16)
	cache_entry "clean-$OPT_CLEAN" "$ROOT_KEY" build_clean_root "making a clean root of Debian $OPT_CLEAN (about a minute, once)"
	ROOT=$REPLY
	KVER=$(<"$ROOT/kver")
}
