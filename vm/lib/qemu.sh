# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Which QEMU runs the guest: this machine's, when it is new enough, or one that is unpacked into the cache and installed
# nowhere.

# Before 8.1 a CPU of an emulated guest may meet the breakpoint by which another one patches code (static keys, ftrace)
# after it was taken away again, and the guest's kernel dies ("int3: 0000").
QEMU_OLDEST=8.1

qemu_version()
{
	qemu-system-x86_64 --version 2>/dev/null | sed -n '1s/^QEMU emulator version \([0-9.]*\).*/\1/p'
}

# qemu_is_new VERSION
qemu_is_new()
{
	[[ -n $1 && $(printf '%s\n' "$QEMU_OLDEST" "$1" | sort -V | head -n 1) == "$QEMU_OLDEST" ]]
}

# Unpacked only: it is run by its own dynamic loader, with its own libraries.
build_qemu()
{
	local dir=$1
	apt_settings
	mmdebstrap --variant=extract --include=qemu-system-x86 "${APT_PROXY[@]}" \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-include=/usr/share/doc/*/copyright' \
		"$SUITE" "$dir/root" ${APT_MIRROR:+"$APT_MIRROR"} || return
	_qemu_command "$dir"
	"${QEMU[@]}" --version
}

# _qemu_command DIR: sets QEMU to the command that runs the one below DIR.
_qemu_command()
{
	local root=$1/root libs
	libs=$root/usr/lib/x86_64-linux-gnu
	QEMU=("$libs/ld-linux-x86-64.so.2" --library-path "$libs" "$root/usr/bin/qemu-system-x86_64"
		-L "$root/usr/share/qemu" -L "$root/usr/share/seabios")
}

# Sets QEMU, the command with the options that it needs always.
prepare_qemu()
{
	local version key
	version=$(qemu_version)
	if qemu_is_new "$version"; then
		QEMU=(qemu-system-x86_64)
		return
	fi
	key=$({ echo "$SUITE"; declare -f build_qemu _qemu_command; } | sha256sum | cut -c1-16)
	cache_entry qemu "$key" build_qemu "unpacking QEMU of Debian's $SUITE, this machine has ${version:-none} (about 40 s, once)"
	_qemu_command "$REPLY"
}
