#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make the guest's boot files in directory $1: vmlinux (unless it is there) of the compressed kernel $2, and an initramfs with
# the kernel modules named after it, which are taken from directory $3.
# Runs in the Debian root; this directory is /glass. For another architecture the environment names its compiler (CC) and its root
# (FOREIGN).
set -eu
out=$1 image=$2 modules=$3
shift 3
kver=$(ls "$modules/lib/modules")

# An uncompressed kernel saves the guest from unpacking it under emulation; QEMU starts it by its PVH entry.
# Where the payload lies stands in the header (Documentation/arch/x86/boot.rst); its last 4 bytes are its size.
number()
{
	od -An -v -t "u$2" -j "$1" -N "$2" "$image" | tr -d ' '
}
if [ -n "${FOREIGN:-}" ]; then
	# arm64's image is not compressed
	cp "$image" "$out/vmlinux"
elif [ ! -e "$out/vmlinux" ]; then
	start=$((($(number 0x1f1 1) + 1) * 512 + $(number 0x248 4)))
	length=$(($(number 0x24c 4) - 4))
	tail -c "+$((start + 1))" "$image" | head -c "$length" >/tmp/payload
	case $(od -An -t x1 -N 4 /tmp/payload | tr -d ' ') in
	28b52ffd) zstd -q -dc /tmp/payload >"$out/vmlinux" ;;
	fd377a58) xz -dc /tmp/payload >"$out/vmlinux" ;;
	1f8b*) gzip -dc /tmp/payload >"$out/vmlinux" ;;
	*) cp "$image" "$out/vmlinux" ;;
	esac
fi

dir=/tmp/initramfs
mkdir -p $dir/bin $dir/modules $dir/glass
cp "${FOREIGN:-}/usr/bin/busybox" $dir/bin/
for applet in sh mount umount mkdir insmod switch_root poweroff cp; do
	ln -s busybox $dir/bin/$applet
done
n=100
for module in "$@"; do
	modprobe -d "$modules" -S "$kver" --show-depends "$module" | sed -n 's/^insmod //p'
done | awk '!seen[$1]++ { print $1 }' | while read -r file; do
	name=${file##*/}
	n=$((n + 1))
	case $name in
	*.xz) xz -dc "$file" >"$dir/modules/$n-${name%.xz}" ;;
	*.zst) zstd -q -dc "$file" >"$dir/modules/$n-${name%.zst}" ;;
	*) cp "$file" "$dir/modules/$n-$name" ;;
	esac
done
cc=${CC:-cc}
$cc -O2 -Wall -Wextra -Werror -static -pthread -o $dir/glass/agent agent.c
[ -n "${FOREIGN:-}" ] || cc -O2 -Wall -Wextra -Werror -static -o "$out/tsc-khz" tsc-khz.c
$cc -O2 -Wall -Wextra -Werror -static -o $dir/glass/hosts hosts*.c
cp init finish leaks recorded $dir/glass/
cp initramfs-init $dir/init
chmod +x $dir/init $dir/glass/init $dir/glass/finish $dir/glass/leaks $dir/glass/recorded
(cd $dir && find . | cpio --quiet -o -H newc) >"$out/initramfs"
