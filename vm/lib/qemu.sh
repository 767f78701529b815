# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Which QEMU runs the guest: this machine's, when it is new enough, or one that is unpacked into the cache and installed
# nowhere.

# Before 8.1 a CPU of an emulated guest may meet the breakpoint by which another one patches code (static keys, ftrace)
# after it was taken away again, and the guest's kernel dies ("int3: 0000").
QEMU_OLDEST=8.1
# The first that speaks the plugin interface that vm/plugin/ is written for.
QEMU_OLDEST_COUNTS=10.0

qemu_version()
{
	"$QEMU_NAME" --version 2>/dev/null | sed -n '1s/^QEMU emulator version \([0-9.]*\).*/\1/p'
}

# qemu_is_new VERSION: is it as new as the options of this run need?
qemu_is_new()
{
	local oldest=$QEMU_OLDEST
	if ((OPT_COUNTS)); then
		oldest=$QEMU_OLDEST_COUNTS
		# It may have been built without plugins.
		"$QEMU_NAME" -plugin help >/dev/null 2>&1 || return
	fi
	[[ -n $1 && $(printf '%s\n' "$oldest" "$1" | sort -V | head -n 1) == "$oldest" ]]
}

# Unpacked only: it is run by its own dynamic loader, with its own libraries.
build_qemu()
{
	local dir=$1
	apt_settings
	mmdebstrap --variant=extract --include="$QEMU_PACKAGE" "${APT_PROXY[@]}" \
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
	QEMU=("$libs/ld-linux-x86-64.so.2" --library-path "$libs" "$root/usr/bin/$QEMU_NAME"
		-L "$root/usr/share/qemu" -L "$root/usr/share/seabios")
}

# Sets QEMU, the command with the options that it needs always.
prepare_qemu()
{
	local version
	version=$(qemu_version)
	if qemu_is_new "$version"; then
		QEMU=("$QEMU_NAME")
		return
	fi
	prepare_own_qemu "this machine has ${version:-none}"
}

# prepare_own_qemu WHY: sets QEMU to the one in the cache, and QEMU_AT, where it lies.
prepare_own_qemu()
{
	local key
	key=$({ echo "$SUITE $QEMU_PACKAGE"; declare -f build_qemu _qemu_command; } | sha256sum | cut -c1-16)
	cache_entry qemu "$key" build_qemu "unpacking QEMU of Debian's $SUITE, $1 (about 40 s, once)"
	QEMU_AT=$REPLY
	_qemu_command "$QEMU_AT"
}

build_plugin()
{
	GLASS_CHROOT_TREE=$VM/plugin chroot_run "$1:/out" -- \
		cc -std=gnu11 -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -o /out/counts.so counts.c
}

# Sets PLUGIN, the counter of instructions that QEMU loads for --counts.
prepare_plugin()
{
	local key
	key=$({ echo "$ROOT_KEY"; cat "$VM"/plugin/*; declare -f build_plugin; } | sha256sum | cut -c1-16)
	cache_entry plugin "$key" build_plugin "compiling the counter of instructions (a few seconds, once)"
	PLUGIN=$REPLY/counts.so
}
