#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Make the read-only root of the guest that is one file: the Debian root without the packages and files of ./without.
#
#   make-base.sh EPOCH
#
# Runs in a throw-away copy of the Debian root; this directory is /glass. Leaves in /out: base.squashfs; dirs, a list of the root's
# directories that are not empty; status, dpkg's. What changes here gets the time EPOCH, so that the same root gives the same file.
set -eu -o pipefail
shopt -s nullglob
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
epoch=$1
touch /tmp/begin
mapfile -t without < <(sed 's/#.*//' /glass/without | tr -s ' \t\n' '\n' | sed '/^$/d')
packages=() paths=()
for word in "${without[@]}"; do
	case $word in
	/*) paths+=("$word") ;;
	*) packages+=("$word") ;;
	esac
done
# without it no index of manual pages is made anew after each package
rm -f /var/lib/man-db/auto-update
apt-get -q -y purge "${packages[@]}"
apt-get -q -y autoremove --purge
for path in "${paths[@]}"; do
	# A pattern, and the begin of a name.
	# shellcheck disable=SC2206
	found=($path*)
	if ((${#found[@]} == 0)); then
		echo "make-base.sh: the root has no $path (vm/image/without)" >&2
		exit 1
	fi
	rm -rf -- "${found[@]}"
done
ldconfig
rm -rf /var/cache/ldconfig/aux-cache /var/log/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/lib/apt/lists/*

# What is mounted below / is none of it.
mkdir -p /run/base
mount --bind / /run/base
find /run/base -xdev -newer /tmp/begin -exec touch -h -d "@$epoch" {} +
cd /run/base
{
	find . -xdev -mindepth 1 -type d ! -empty -printf '/%P\n'
	# /bin and so on
	find . -mindepth 1 -maxdepth 1 -type l -xtype d -printf '/%P\n'
} | sort >/out/dirs
cp var/lib/dpkg/status /out/status
mksquashfs /run/base /out/base.squashfs -noappend -no-progress -quiet -mkfs-time "$epoch" \
	-comp zstd -Xcompression-level 15 -b 256K
