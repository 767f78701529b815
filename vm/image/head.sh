#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Glass @VERSION@, a software InfiniBand adapter, and the guest in which it runs, as one file: ./FILE help
#
# This head is a script; behind it come the parts that are named here. The first time it unpacks QEMU, kernel and the scripts that
# start them (part runtime) into the user's cache; the guest reads its disks (base and glass) out of this file.
set -u -o pipefail
ID=@ID@
HEAD=@HEAD@ TOTAL=@TOTAL@
# name, offset, size, SHA-256
PARTS='@PARTS@'
FILE=$(readlink -f -- "${BASH_SOURCE[0]}")
CALLED=$0

die()
{
	printf 'vm: error: %s\n' "$*" >&2
	exit 2
}

# check_parts: is each of them as it was made?
check_parts()
{
	local name offset size sum
	while read -r name offset size sum; do
		[[ $(tail -c "+$((offset + 1))" -- "$FILE" | head -c "$size" | sha256sum) == "$sum "* ]] ||
			die "$FILE: damaged (its part $name has another checksum); get it again"
	done <<<"$PARTS"
}

# unpack DIR: the runtime, which others take when it is whole
unpack()
{
	local name offset size sum making=$CACHE/.making-guest-$ID
	read -r name offset size sum <<<"$PARTS"
	rm -rf --one-file-system -- "$making" "$1"
	mkdir -p -- "$making" || die "cannot make $making, for QEMU and the kernel (XDG_CACHE_HOME names another cache)"
	# tail does not write to the file's end.
	(set +o pipefail && tail -c "+$((offset + 1))" -- "$FILE" | head -c "$size" | tar -C "$making" -xzf - --no-same-owner) &&
		printf '%s\n' "$PARTS" >"$making/parts" && touch -- "$making/.complete" && mv -T -- "$making" "$1" || {
		rm -rf --one-file-system -- "$making"
		die "cannot unpack $size bytes of $FILE into $CACHE; is there room? (XDG_CACHE_HOME names another cache)"
	}
}

main()
{
	local size seen entry lock checked=0
	[[ $(uname -sm) == 'Linux x86_64' ]] || die "$FILE: the guest is for Linux on x86_64, this machine is $(uname -sm)"
	size=$(stat -c %s -- "$FILE")
	((size >= TOTAL)) || die "$FILE: truncated: $size of $TOTAL bytes are there; get it again"
	((size == TOTAL)) || die "$FILE: damaged: $size bytes instead of $TOTAL; get it again"
	CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/glass
	entry=$CACHE/guest-$ID
	mkdir -p -- "$CACHE" || die "cannot make $CACHE, for QEMU and the kernel (XDG_CACHE_HOME names another cache)"
	# Not read as a whole each time, but when it is another file, or was changed.
	seen="$FILE $(stat -c '%d %i %s %Y %Z' -- "$FILE")"
	# A container's layers have checksums of their own, and there it is new each time.
	[[ ${GLASS_IMAGE_CHECKED:-} != "$ID" || ! -e $entry/.complete ]] || checked=1
	if ((!checked)) && [[ ! -e $entry/.complete || $(cat -- "$entry/seen" 2>/dev/null) != "$seen" ]]; then
		exec {lock}>>"$CACHE/guest.lock" || die "cannot write to $CACHE (XDG_CACHE_HOME names another cache)"
		flock "$lock"
		[[ $(head -c "$HEAD" -- "$FILE" | sed "s/^ID=.*/ID=$(printf %032d 0)/" | sha256sum) == "$ID"* ]] ||
			die "$FILE: damaged (its head has another checksum); get it again"
		check_parts
		[[ -e $entry/.complete ]] || unpack "$entry"
		# Without it the next run compares the checksums again.
		printf '%s\n' "$seen" >"$entry/seen.$$" && mv -- "$entry/seen.$$" "$entry/seen" || rm -f -- "$entry/seen.$$"
		# Others that nobody used for a month.
		find "$CACHE" -mindepth 2 -maxdepth 2 -path "$CACHE/guest-*/.complete" ! -path "$entry/*" -mtime +30 -printf '%h\0' |
			xargs -0 -r rm -rf --one-file-system --
		exec {lock}>&-
	fi
	touch -c -- "$entry/.complete" 2>/dev/null
	export GLASS_IMAGE=$FILE
	[[ -n ${GLASS_VM_NAME:-} ]] || export GLASS_VM_NAME=$CALLED
	# shellcheck source=vm/lib/common.sh
	. "$entry/tree/vm/lib/common.sh" || die "$entry is not whole; remove it"
	exec_as_called bash "$entry/tree/vm/vm" "$@"
}

main "$@"
exit
