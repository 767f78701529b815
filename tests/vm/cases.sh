# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the suites beside this file. A case is a function; all run in shells of their own. WORK is a directory that goes at the end;
# the case's command leaves its output in $WORK/out and $WORK/err, and what a case that passes has to say in $WORK/times.

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# fail REASON: ends the case
fail()
{
	printf '%s\n' "$*" >"$WORK/reason"
	exit 1
}

# skip REASON: ends the case, which cannot run on this machine
skip()
{
	printf '%s\n' "$*" >"$WORK/reason"
	exit 77
}

# said out|err PATTERN
said()
{
	grep -qE -- "$2" "$WORK/$1" || fail "nothing about /$2/ in the command's $1"
}

# run_cases SUITE CASE...: prints a verdict a line.
run_cases()
{
	local suite=$1 name begin verdict took
	shift
	for name; do
		echo "@test $suite $name"
		rm -f "$WORK"/{reason,times}
		begin=${EPOCHREALTIME/./} verdict=pass
		("$name") >"$WORK/log" 2>&1 || { (($? == 77)) && verdict=skip || verdict=fail; }
		took=$(((${EPOCHREALTIME/./} - begin) / 100000))
		if [[ $verdict == pass ]]; then
			echo "@pass $suite $name $took"
			[[ ! -e $WORK/times ]] || cat "$WORK/times"
		elif [[ $verdict == skip ]]; then
			echo "@skip $suite $name $took $(head -n 1 "$WORK/reason")"
		else
			echo "@fail $suite $name $took $(head -n 1 "$WORK/reason" 2>/dev/null)"
			tail -n 15 "$WORK/log" "$WORK/err" | sed 's/^/      /'
		fi
	done
}

# ---- of suites that use the guest as one file
IMAGE=$WORK/guest.img

# The image, made when the first case needs it.
make_image()
{
	[[ -e $IMAGE ]] || vm/vm image -o "$IMAGE" >"$WORK/out" 2>"$WORK/err" || fail "vm/vm image: status $?"
	chmod 755 "$WORK"
	mkdir -p "$WORK/home" "$WORK/my dir, 1"
	((EUID)) || chown nobody "$WORK/home" "$WORK/my dir, 1"
}

# user COMMAND ARG...: as an ordinary user who has no network, a home of their own and little else, in an empty directory
user()
{
	local -a as=(unshare --user --map-current-user --net)
	((EUID)) || as=(unshare --net setpriv --reuid=nobody --regid=nogroup --clear-groups)
	(cd "${DIR:-$WORK/my dir, 1}" && exec "${as[@]}" env -i "HOME=$WORK/home" PATH=/usr/bin:/bin "$@")
}

# online COMMAND ARG...: the same user with a network, for what is fetched beforehand
online()
{
	local -a as=()
	((EUID)) || as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
	(cd "${DIR:-$WORK/my dir, 1}" && exec "${as[@]}" env -i "HOME=$WORK/home" PATH=/usr/bin:/bin "$@")
}

# job WANTED_STATUS COMMAND ARG...: as that user
job()
{
	local want=$1 got=0
	shift
	user "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
	((got == want)) || fail "status $got, wanted $want: $*"
}

# json FILTER FILE: what jq of the Debian root says
json()
{
	vm/vm chroot -- jq -r "$1" <"$2"
}

# No case is one of these.
HELPERS=$(declare -F | awk '{ print $3 }' | paste -sd '|')
