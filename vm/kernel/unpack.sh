#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make a cache entry of the packages of Debian's kernel $2, which lie unpacked in $1/extra. Runs in the Debian root; this directory
# is /glass, the cache entry is $1, and it will be at the same place when modules are built. Left behind: kver, vmlinuz, build/
# (to build modules against), common/ (what build/ includes), lib/modules/.
set -eu
out=$1 kver=$2
from=$out/extra

cp "$from/boot/vmlinuz-$kver" "$out/vmlinuz"
mkdir -p "$out/lib"
mv "$from/usr/lib/modules" "$out/lib/"
cd "$out/lib/modules/$kver"
# The guest has no hardware, and copies these at each boot.
rm -rf build source kernel/sound
for dir in kernel/drivers/*; do
	case ${dir##*/} in
	block | char | dma-buf | infiniband | md | net | nvme | nvdimm | scsi | target | virtio) ;;
	*) rm -rf "$dir" ;;
	esac
done
rm -rf kernel/drivers/net/*/ kernel/drivers/scsi/*/
depmod -b "$out" "$kver"
mkdir updates

# The headers name each other by where they are installed.
headers=$from/usr/src/linux-headers-$kver
common=$(sed -n 's|^include /usr/src/\(.*\)/Makefile$|\1|p' "$headers/Makefile")
kbuild=$(readlink "$headers/scripts" | sed 's|.*/\(linux-kbuild-[^/]*\)/scripts$|\1|')
if [ -z "$common" ] || [ ! -d "$from/usr/src/$common" ] || [ ! -d "/usr/lib/$kbuild" ]; then
	echo "the packages of $kver are not laid out as expected: look at the headers' Makefile and scripts again"
	exit 1
fi
mv "$headers" "$out/build"
mv "$from/usr/src/$common" "$out/common"
cd "$out"
echo "include $out/common/Makefile" >build/Makefile
for dir in build common; do
	for link in scripts tools; do
		[ ! -L $dir/$link ] || ln -sfn "/usr/lib/$kbuild/$link" $dir/$link
	done
done
rm -rf "$from"
echo "$kver" >kver
