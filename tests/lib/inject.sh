# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites about injection rules, by the driver's own files.

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

# rule_text DEVICE COMMAND: it may be refused
rule_text()
{
	printf '%s\n' "$2" >"$GLASS_DEBUGFS/$1/inject/rules"
}

# rule DEVICE COMMAND: it must be taken
rule()
{
	rule_text "$1" "$2" || fail "refused: $(<"$GLASS_DEBUGFS/$1/inject/last_error")"
}

# refused DEVICE COMMAND WHY: it must not
refused()
{
	refuses rule_text "$1" "$2"
	assert_eq "$(head -n 1 "$GLASS_DEBUGFS/$1/inject/last_error")" "$3" "why '$2' was refused"
	assert_match "$(tail -n 1 "$GLASS_DEBUGFS/$1/inject/last_error")" '^kind=[a-z0-9_]+ at=[-0-9]+ len=[-0-9]+ key=' "fields of it"
}

# quiet: what a test before left is no matter of this one
quiet()
{
	rule_text glass0 clear
	rule_text glass1 clear
	# a port that was down comes back by the subnet manager
	wait_for 60 ports_active
}

# told DEVICE NAME KEY: what is told of a rule
told()
{
	sed -n "s/^add name=$2 .* $3=\([^ ]*\).*/\1/p" "$GLASS_DEBUGFS/$1/inject/rules"
}

# firings DEVICE NAME: the lines of the journal
firings()
{
	grep " name=$2 " "$GLASS_DEBUGFS/$1/inject/journal"
}

# counter DEVICE NAME: what its first port counts
counter()
{
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}

# dropped DEVICE REASON: packets dropped for that reason there
dropped()
{
	counter "$1" "drop_$2"
}

# stat_of DEVICE KEY: of inject/stats
stat_of()
{
	sed -n "s/^$2: //p" "$GLASS_DEBUGFS/$1/inject/stats"
}

# ends_badly TOOL OPTION...: TOOL from glass0 to glass1, whose client must fail; REFUSAL has what it said
ends_badly()
{
	next_port
	start server.log "$@" -d glass1 -p "$TCP_PORT"
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	refuses "$@" -d glass0 -p "$TCP_PORT" localhost
	kill "$server" 2>/dev/null || :
}
