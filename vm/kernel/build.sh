#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Build the kernel of base.config and $2.config. Runs in the Debian root; this directory is /glass, the cache entry is $1, and
# in it extra/ has the packages that only this needs, unpacked. Left behind: kver, vmlinux, build/ (to build modules
# against), lib/modules/.
set -eu
here=/glass out=$1 name=$2
export PATH=$PATH:$out/extra/usr/bin M4=$out/extra/usr/bin/m4 BISON_PKGDATADIR=$out/extra/usr/share/bison
export KBUILD_BUILD_USER=glass KBUILD_BUILD_HOST=glass

mkdir -p "$out/src"
tar -xf "$out"/extra/usr/src/linux-source-*.tar.* -C "$out/src" --strip-components=1
cd "$out/src"

# Runs by QEMU's PVH entry before there is a KASAN shadow: must not call memcmp(), which is instrumented. The source
# says so, too, but the compiler calls it all the same.
sed -i 's/!__builtin_memcmp(sig, signature, 12)/((const u32 *)sig)[0] == signature[0] \&\& ((const u32 *)sig)[1] == signature[1] \&\& ((const u32 *)sig)[2] == signature[2]/' \
	arch/x86/include/asm/cpuid.h
if grep -q '__builtin_memcmp(sig' arch/x86/include/asm/cpuid.h; then
	echo "arch/x86/include/asm/cpuid.h has changed: look at hypervisor_cpuid_base() again"
	exit 1
fi

# An XRC receive QP that was made, but not opened for lack of memory, keeps its domain from being closed: ib_create_qp_user()
# forgets that create_xrc_qp_user() has counted it. The sweep through places without memory (62-faults) would trip over that.
sed -i '/^struct ib_qp \*ib_create_qp_user(/,/^}/ s/^\t\tib_destroy_qp(qp);$/&\n\t\tatomic_dec(\&attr->xrcd->usecnt);/' \
	drivers/infiniband/core/verbs.c
if [ "$(grep -c '^		atomic_dec(&attr->xrcd->usecnt);$' drivers/infiniband/core/verbs.c)" != 1 ]; then
	echo "drivers/infiniband/core/verbs.c has changed: look at ib_create_qp_user() again"
	exit 1
fi

make -s tinyconfig
cat $here/base.config "$here/$name.config" >>.config
make -s olddefconfig >/dev/null 2>&1
# An option whose dependencies are not met vanishes without a word.
grep -hE '^(CONFIG_|# CONFIG_)' $here/base.config "$here/$name.config" | while read -r line; do
	grep -qxF -- "$line" .config || echo "$line"
done >"$out/lost"
if [ -s "$out/lost" ]; then
	echo "lines of base.config and $name.config that do not hold in the final configuration:"
	cat "$out/lost"
	exit 1
fi
rm "$out/lost"

nice make -s -j"$(nproc)" vmlinux modules
make -s kernelrelease >"$out/kver"
make -s INSTALL_MOD_PATH="$out" INSTALL_MOD_STRIP=1 modules_install
kver=$(cat "$out/kver")
rm -f "$out/lib/modules/$kver/build" "$out/lib/modules/$kver/source"
mkdir -p "$out/lib/modules/$kver/updates"
cp System.map "$out/"
strip -o "$out/vmlinux" vmlinux
make -s run-command KBUILD_RUN_COMMAND="scripts/package/install-extmod-build $out/build"
cp .config "$out/build/"

cd /
rm -rf "$out/src" "$out/extra"
