#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make a cache entry of the kernel that is built in the tree $2, which is only read. Runs in the Debian root; this directory is
# /glass, the cache entry is $1. Left behind: kver, vmlinux, System.map, build/ (to build modules against), lib/modules/.
set -eu
out=$1 tree=$2

fail()
{
	echo "$*"
	exit 1
}

kver=$(cat "$tree/include/config/kernel.release")
for option in MODULES 64BIT PVH VIRTIO_PCI VIRTIO_CONSOLE INFINIBAND INFINIBAND_USER_ACCESS INFINIBAND_USER_MAD DEBUG_FS; do
	grep -Eq "^CONFIG_$option=[ym]" "$tree/.config" || lost="${lost:-} CONFIG_$option"
done
[ -z "${lost:-}" ] || fail "the guest and Glass need options that this kernel lacks:$lost"
[ -f "$tree/scripts/package/install-extmod-build" ] ||
	fail "Linux before 6.10 cannot copy what modules are built with; make packages (make bindeb-pkg), and name those"

cd "$tree"
cp System.map "$out/"
strip -o "$out/vmlinux" vmlinux
make -s run-command KBUILD_RUN_COMMAND="scripts/package/install-extmod-build $out/build"
cp .config "$out/build/"
make -s INSTALL_MOD_PATH="$out" INSTALL_MOD_STRIP=1 DEPMOD=true modules_install
rm -f "$out/lib/modules/$kver/build" "$out/lib/modules/$kver/source"
depmod -b "$out" "$kver"
mkdir -p "$out/lib/modules/$kver/updates"
echo "$kver" >"$out/kver"
