#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Install the packages *.deb of the current directory upon the guest's root, and leave what they changed in $OUT/layer.squashfs.
# Runs in the guest that is one file: vm/vm --image FILE --with.
set -eu -o pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
debs=("$PWD"/*.deb)
root=/run/glass/with
mkdir -p $root
mount -t tmpfs -o size=75%,mode=755 tmpfs $root
mkdir $root/upper $root/work $root/root
mount -t overlay -o "lowerdir=/run/glass/disks/glass:/run/glass/disks/base,upperdir=$root/upper,workdir=$root/work" with $root/root
for dir in proc sys dev; do
	mount --rbind /$dir $root/root/$dir
done
for dir in tmp run; do
	mount -t tmpfs -o mode=1777 tmpfs $root/root/$dir
done
mkdir $root/root/run/debs
mount --bind "$PWD" $root/root/run/debs
# No service is to be started.
printf '#!/bin/sh\nexit 101\n' >$root/root/usr/sbin/policy-rc.d
chmod +x $root/root/usr/sbin/policy-rc.d
rm -f $root/root/var/lib/man-db/auto-update
install()
{
	chroot $root/root dpkg --force-confnew --install "${debs[@]/#*\//run/debs/}"
}
# A package that must be configured before another one is unpacked (Pre-Depends) may come too late in the first turn.
install || install
umount $root/root/run/debs
rm -rf $root/root/usr/sbin/policy-rc.d $root/upper/var/log $root/upper/var/cache/ldconfig/aux-cache
umount --recursive $root/root
mksquashfs $root/upper "$OUT/layer.squashfs" -noappend -no-progress -quiet -comp zstd -Xcompression-level 6 -b 256K
