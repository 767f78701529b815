#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make a cache entry of a kernel's packages (image, headers and what these need), which are unpacked in $1/extra: Debian's, or
# those that `make bindeb-pkg` makes. Runs in the Debian root; this directory is /glass, the cache entry is $1, and it will be
# at the same place when modules are built. Left behind: kver, vmlinuz, build/ (to build modules against), common/ and kbuild/
# (which build/ includes, unless it is self-contained), lib/modules/.
set -eu
out=$1
from=$out/extra

fail()
{
	echo "$*"
	exit 1
}

modules=
for dir in "$from"/usr/lib/modules/*/kernel "$from"/lib/modules/*/kernel; do
	[ ! -d "$dir" ] || modules="$modules ${dir%/kernel}"
done
case ${modules# } in
'') fail "no modules: is there no package linux-image-VERSION among the packages?" ;;
*' '*) fail "more than one kernel:$modules" ;;
esac
modules=${modules# }
kver=${modules##*/}

for image in "$from/boot/vmlinuz-$kver" "$modules/vmlinuz"; do
	[ ! -f "$image" ] || cp "$image" "$out/vmlinuz"
done
[ -f "$out/vmlinuz" ] || fail "the packages of $kver have no vmlinuz"

mkdir -p "$out/lib/modules"
mv "$modules" "$out/lib/modules/"
cd "$out/lib/modules/$kver"
# The guest has no hardware, and copies these at each boot.
rm -rf build source vmlinuz kernel/sound
for dir in kernel/drivers/*; do
	case ${dir##*/} in
	block | char | dma-buf | infiniband | md | net | nvme | nvdimm | scsi | target | virtio) ;;
	*) rm -rf "$dir" ;;
	esac
done
rm -rf kernel/drivers/net/*/ kernel/drivers/scsi/*/
depmod -b "$out" "$kver"
mkdir -p updates

headers=$from/usr/src/linux-headers-$kver
[ -f "$headers/Makefile" ] || fail "the package linux-headers-$kver is not among the packages"
common=$(sed -n 's|^include /usr/src/\(.*\)/Makefile$|\1|p' "$headers/Makefile")
if [ -n "$common" ]; then
	# Debian's: the headers name the common ones and the build tools by where they are installed
	kbuild=$(readlink "$headers/scripts" | sed -n 's|.*/\(linux-kbuild-[^/]*\)/scripts$|\1|p')
	[ -d "$from/usr/src/$common" ] || fail "the package $common is not among the packages"
	[ -n "$kbuild" ] && [ -d "$from/usr/lib/$kbuild" ] || fail "the package ${kbuild:-linux-kbuild-VERSION} is not among the packages"
	mv "$from/usr/src/$common" "$out/common"
	mv "$from/usr/lib/$kbuild" "$out/kbuild"
	sed -i -e "s|/usr/src/$common/|$out/common/|" -e "s|/usr/src/linux-headers-$kver\$|$out/build|" "$headers/Makefile"
	# the compiler is the root's
	sed -i 's/gcc-[0-9]*/gcc/' "$headers/.kernelvariables"
	for dir in "$headers" "$out/common"; do
		for link in scripts tools; do
			[ ! -L "$dir/$link" ] || ln -sfn "$out/kbuild/$link" "$dir/$link"
		done
	done
fi
mv "$headers" "$out/build"
rm -rf "$from"
echo "$kver" >"$out/kver"
