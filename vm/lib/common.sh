# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Messages, host packages, locks and the per-user cache. Everything here writes to standard error only:
# standard output belongs to the command that runs in the guest.

readonly ST_USAGE=2		# wrong arguments, or the host lacks something
readonly ST_BUILD=123		# the working tree does not build
readonly ST_TIMEOUT=124		# the time limit ended the guest
readonly ST_GUEST=125		# the guest did not boot, or died
readonly ST_SPLAT=126		# the command succeeded but the kernel complained

CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/glass
export PATH=$PATH:/usr/sbin:/sbin

# Of several hosts (--hosts): the one that messages are about, "host2: ".
WHOSE=''

msg()
{
	printf 'vm: %s%s\n' "$WHOSE" "$*" >&2
}

# die STATUS MESSAGE...
die()
{
	local status=$1
	shift
	printf 'vm: error: %s%s\n' "$WHOSE" "$*" >&2
	exit "$status"
}

# environment_of_caller NAME: sets REPLY to the value that it had when this script began, which uses names of its own.
environment_of_caller()
{
	local entry
	local -a entries
	mapfile -d '' -t entries </proc/$$/environ
	for entry in "${entries[@]}"; do
		[[ $entry == "$1="* ]] || continue
		REPLY=${entry#*=}
		return 0
	done
	return 1
}

# exec_as_called COMMAND ARG...: with the environment that the caller gave, but for variables GLASS_*.
exec_as_called()
{
	local _entry
	local -a _environment
	mapfile -d '' -t _environment </proc/$$/environ
	for _entry in "${_environment[@]}"; do
		[[ $_entry =~ ^[A-Za-z_][A-Za-z0-9_]*= && $_entry != GLASS_* ]] || continue
		export "${_entry?}" 2>/dev/null
	done
	exec "$@"
}

# need COMMAND PACKAGE ...: make sure the host has each command, by apt when that is possible.
need()
{
	local -a missing=()
	while (($#)); do
		command -v "$1" >/dev/null 2>&1 || [[ " ${missing[*]} " == *" $2 "* ]] || missing+=("$2")
		shift 2
	done
	((${#missing[@]})) || return 0

	local how="apt-get install --no-install-recommends ${missing[*]}"
	command -v apt-get >/dev/null 2>&1 ||
		die "$ST_USAGE" "this machine lacks: ${missing[*]} (names of Debian packages), and there is no apt to install them"
	((EUID == 0)) || die "$ST_USAGE" "missing packages; run: sudo $how"

	msg "installing on this machine: ${missing[*]}"
	local log
	log=$(mktemp)
	if ! { DEBIAN_FRONTEND=noninteractive $how -y || {
		apt-get update && DEBIAN_FRONTEND=noninteractive $how -y
	}; } >"$log" 2>&1 </dev/null; then
		tail -n 20 "$log" >&2
		rm -f "$log"
		die "$ST_USAGE" "this failed: $how"
	fi
	rm -f "$log"
}

# own_user_namespace WHAT: begin anew as the root of a user namespace, where the user may mount and own the guest's files.
own_user_namespace()
{
	local user
	local -a enter=(unshare --user --map-root-user --map-auto --mount --pid --fork)
	user=$(id -un)
	need newuidmap uidmap
	"${enter[@]}" true 2>/dev/null || {
		grep -qsE "^($user|$EUID):" /etc/subuid ||
			die "$ST_USAGE" "$1 needs user ids of your own; run: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $user"
		die "$ST_USAGE" "$1 needs root here: this machine refuses user namespaces (unshare --user) to $user; run it with sudo"
	}
	exec_as_called "${enter[@]}" --mount-proc --kill-child -- "$VM/vm" "${VM_ARGS[@]}" <&0 &
	NAMESPACE_PID=$!
	trap 'end_namespace 130' INT
	trap 'end_namespace 143' TERM
	trap 'end_namespace 129' HUP
	wait "$NAMESPACE_PID"
	exit $?
}

# end_namespace STATUS: unshare itself lets no signal through but a kill. Who is inside may tidy up, but not for long.
end_namespace()
{
	local inside
	trap '' INT TERM HUP
	inside=$(cat "/proc/$NAMESPACE_PID/task/$NAMESPACE_PID/children" 2>/dev/null)
	[[ -n $inside ]] && kill "${inside%% *}" 2>/dev/null
	timeout 5 tail --pid="$NAMESPACE_PID" -f /dev/null || kill -KILL "$NAMESPACE_PID"
	exit "$1"
}

need_root()
{
	((EUID == 0)) || own_user_namespace "$1"
	# A container without CAP_SYS_ADMIN is root in name only.
	unshare --mount true 2>/dev/null ||
		die "$ST_USAGE" "$1 needs the right to mount (CAP_SYS_ADMIN); in a container: docker run --privileged"
}

# hash_of FILE...: a short key of the contents (names do not count).
hash_of()
{
	cat -- "$@" | sha256sum | cut -c1-16
}

# with_lock FILE WHAT COMMAND...: run COMMAND while holding the lock.
with_lock()
{
	local file=$1 what=$2 fd
	shift 2
	mkdir -p "${file%/*}"
	exec {fd}>>"$file"
	if ! flock --nonblock "$fd"; then
		msg "waiting for another run that is $what"
		flock "$fd"
	fi
	# The descriptor must not leak into children that outlive us, or the lock would too.
	local status=0
	"$@" {fd}>&- || status=$?
	exec {fd}>&-
	return "$status"
}

# long_step TEXT LOG COMMAND...: one line when it begins, one when it ends, the log's tail when it fails.
long_step()
{
	local text=$1 log=$2 start=$SECONDS status=0
	shift 2
	msg "$text ..."
	"$@" >"$log" 2>&1 </dev/null || status=$?
	if ((status)); then
		printf -- '--- end of %s\n' "$log" >&2
		tail -n 25 "$log" >&2
		msg "failed: $text (status $status)"
		return "$status"
	fi
	msg "  done in $((SECONDS - start)) s"
}

# cache_entry KIND KEY BUILDER TEXT: path of the entry in REPLY, built when it is not there.
# An entry is a directory made under another name and renamed when it is whole, so that whatever was
# interrupted half-way is never taken for good. KEY has no "-", KIND may have one.
cache_entry()
{
	local kind=$1 key=$2
	REPLY=$CACHE/$kind-$key
	if [[ ! -e $REPLY/.complete ]]; then
		with_lock "$CACHE/$kind.lock" "preparing the same thing" _cache_build "$@" || exit $?
		REPLY=$CACHE/$kind-$key
	fi
	touch -c "$REPLY/.complete" 2>/dev/null || true
}

_cache_build()
{
	local kind=$1 key=$2 builder=$3 text=$4
	local entry=$CACHE/$kind-$key old
	[[ -e $entry/.complete ]] && return 0

	# Left-overs of builds that were interrupted; we hold the lock, so nobody is at work in them.
	# --one-file-system: should a mount have survived in there, do not follow it.
	# Another kind may begin with the name of this one.
	for old in "$CACHE/.making-$kind-"* "$entry"; do
		[[ ! -e $old || $old == "$CACHE/.making-$kind-"*-* ]] || rm -rf --one-file-system -- "$old"
	done
	# What nobody used for a month.
	find "$CACHE" -mindepth 2 -maxdepth 2 -path "$CACHE/$kind-*/.complete" ! -path "$CACHE/$kind-*-*/.complete" -mtime +30 -printf '%h\0' 2>/dev/null |
		xargs -0 -r rm -rf --one-file-system --

	local making=$CACHE/.making-$kind-$key
	mkdir -p "$making" "$CACHE/log"
	if ! long_step "$text" "$CACHE/log/$kind.log" "$builder" "$making"; then
		rm -rf --one-file-system -- "$making"
		exit "$ST_USAGE"
	fi
	touch "$making/.complete"
	mv -T -- "$making" "$entry"
}
