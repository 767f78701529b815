# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A kernel that is not the Debian root's own: those that are built of Debian's kernel source and vm/kernel/ (debug, race), other
# kernels of Debian's, and any packages or build tree.

# In the Debian root the kernel's cache entry is mounted here; where does not matter, but it must not change.
KERNEL_AT=/mnt
# ... and a kernel's build tree here.
KERNEL_TREE_AT=/media
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

# Unpacks $KERNEL_PACKAGES, and what they depend on, of the root's release and of the suites $KERNEL_SUITES into $1/extra.
fetch_kernel()
{
	local dir=$1
	apt_settings
	suites_hook >"$dir/suites.sh"
	mmdebstrap --variant=extract --include="$KERNEL_PACKAGES" "${APT_PROXY[@]}" \
		${KERNEL_SUITES:+--setup-hook="sh '$dir/suites.sh' \"\$1\" $KERNEL_SUITES"} \
		"$KERNEL_RELEASE" "$dir/extra" ${APT_MIRROR:+"$APT_MIRROR"} && rm "$dir/suites.sh"
}

# The cache entry of a kernel that comes in packages.
build_packaged_kernel()
{
	local dir=$1
	fetch_kernel "$dir" || return
	GLASS_CHROOT_TREE=$VM/kernel chroot_run "$dir:$KERNEL_AT" -- sh /glass/unpack.sh "$KERNEL_AT"
}

# The same of the packages $KERNEL_FILES.
build_kernel_of_files()
{
	local dir=$1 file
	mkdir "$dir/extra"
	for file in "${KERNEL_FILES[@]}"; do
		dpkg-deb --extract "$file" "$dir/extra" || return
	done
	GLASS_CHROOT_TREE=$VM/kernel chroot_run "$dir:$KERNEL_AT" -- sh /glass/unpack.sh "$KERNEL_AT"
}

# The same of the build tree $KERNEL_TREE.
build_kernel_of_tree()
{
	GLASS_CHROOT_TREE=$VM/kernel chroot_run "$1:$KERNEL_AT" "$KERNEL_TREE:$KERNEL_TREE_AT" -- \
		sh /glass/from-tree.sh "$KERNEL_AT" "$KERNEL_TREE_AT"
}

# packages_of FILE.deb|DIR: sets KERNEL_FILES: all packages of the directory, or the image and, beside it, the headers that
# belong to it.
packages_of()
{
	local name dir kver
	need dpkg-deb dpkg
	if [[ -d $1 ]]; then
		KERNEL_FILES=("$1"/linux-*.deb)
		[[ -e ${KERNEL_FILES[0]} ]] ||
			die "$ST_USAGE" "--kernel $1: neither a kernel's build tree (no .config and Module.symvers) nor a directory with linux-*.deb"
		return
	fi
	name=$(dpkg-deb --field "$1" Package 2>/dev/null) || die "$ST_USAGE" "--kernel $1: not a Debian package"
	[[ $name == linux-image-[0-9]* ]] ||
		die "$ST_USAGE" "--kernel $1: this is package $name; name the image (linux-image-VERSION), and put its headers beside it"
	dir=$(dirname -- "$1") kver=${name#linux-image-}
	kver=${kver%-unsigned}
	KERNEL_FILES=("$1" "$dir/linux-headers-${kver}_"*.deb)
	[[ -e ${KERNEL_FILES[1]} ]] || die "$ST_USAGE" "--kernel $1: modules are built against linux-headers-$kver; put that package beside it"
	# Debian's headers need two more; since Linux 7.2 its image is empty, and needs two, too
	while read -r name; do
		KERNEL_FILES+=("$dir/${name}_"*.deb)
		[[ -e ${KERNEL_FILES[-1]} ]] || die "$ST_USAGE" "--kernel $1: linux-image-$kver or its headers need $name; put that package beside it"
	done < <({ dpkg-deb --field "$1" Depends; dpkg-deb --field "${KERNEL_FILES[1]}" Depends; } |
		grep -oE 'linux-(binary-[0-9][^ ,]*|modules-[0-9][^ ,]*|headers-[0-9][^ ,]*-common|kbuild-[0-9][^ ,]*)' | sort -u)
}

# is_kernel_path: does --kernel name a file or a directory?
is_kernel_path()
{
	[[ $OPT_KERNEL == */* || $OPT_KERNEL == *.deb || -d $OPT_KERNEL ]]
}

# kernel_of_path: sets what prepare_kernel needs for a file or a directory.
kernel_of_path()
{
	local path
	path=$(readlink -e -- "$OPT_KERNEL") || die "$ST_USAGE" "--kernel $OPT_KERNEL: no such file or directory"
	if [[ -d $path && -e $path/.config && -e $path/Module.symvers ]]; then
		[[ -e $path/vmlinux && -e $path/include/config/kernel.release ]] ||
			die "$ST_USAGE" "--kernel $OPT_KERNEL: the kernel is not built there; run make there first"
		[[ ! -L $path/source ]] ||
			die "$ST_USAGE" "--kernel $OPT_KERNEL: built outside of its sources (make O=); make packages there (make bindeb-pkg) and name those"
		KERNEL_TREE=$path
		KERNEL_KEY=$({ stat -c '%n %s %Y' "$path"/{vmlinux,Module.symvers,.config}; cat "$VM/kernel/from-tree.sh"; } | sha256sum | cut -c1-16)
		cache_entry kernel "$KERNEL_KEY" build_kernel_of_tree "copying the kernel of $path (about a minute, once)"
	else
		packages_of "$path"
		KERNEL_KEY=$({ stat -L -c '%n %s %Y' "${KERNEL_FILES[@]}"; cat "$VM/kernel/unpack.sh"; } | sha256sum | cut -c1-16)
		cache_entry kernel "$KERNEL_KEY" build_kernel_of_files "unpacking the kernel of ${OPT_KERNEL##*/} (about a minute, once)"
	fi
}

# Sets KERNEL_RELEASE, KERNEL_SUITES (beside it) and KERNEL_PACKAGES of a kernel of Debian's.
packages_of_debian()
{
	KERNEL_RELEASE=$SUITE KERNEL_SUITES='' KERNEL_PACKAGES=linux-image-amd64,linux-headers-amd64
	case $OPT_KERNEL in
	oldstable) KERNEL_RELEASE=bookworm ;;
	backports) KERNEL_SUITES=$SUITE-backports ;;
	rt) KERNEL_PACKAGES=linux-image-${KVER%-amd64}-rt-amd64,linux-headers-${KVER%-amd64}-rt-amd64 ;;
	esac
	# apt prefers the release to its backports
	KERNEL_PACKAGES=$([[ -z $KERNEL_SUITES ]] && echo "$KERNEL_PACKAGES" || sed "s|amd64|&/$KERNEL_SUITES|g" <<<"$KERNEL_PACKAGES")
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
	elif is_foreign; then
		prepare_foreign_kernel
	elif [[ $OPT_KERNEL == stable ]]; then
		return 0
	elif is_kernel_path; then
		kernel_of_path
	else
		packages_of_debian
		KERNEL_KEY=$({ echo "$ROOT_KEY $KERNEL_RELEASE $KERNEL_SUITES $KERNEL_PACKAGES"; cat "$VM/kernel/unpack.sh"; declare -f fetch_kernel; } | sha256sum | cut -c1-16)
		cache_entry kernel "$KERNEL_KEY" build_packaged_kernel "unpacking Debian's $OPT_KERNEL kernel (about a minute, once)"
	fi
	KERNEL=$REPLY
	KVER=$(<"$KERNEL/kver")
}

# kernel_chroot DIR COMMAND ARG...: chroot_run with DIR, if it is not empty, in place of the tree, and in KDIR the name of the directory
# against which modules for the kernel are built
kernel_chroot()
{
	local dir=$1 kdir=/lib/modules/$KVER/build
	local -a binds=()
	shift
	prepare_kernel
	if [[ -n $KERNEL ]]; then
		binds=("$KERNEL:$KERNEL_AT")
		kdir=$KERNEL_AT/build
	fi
	GLASS_CHROOT_TREE=$dir chroot_run "${binds[@]}" -- env "KDIR=$kdir" "$@"
}
