# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites about the BPF tools: several at once over the same traffic.

# tool OUT NAME OPTION...: begins; its lines come into OUT, and OUT.err. Returns when it traces.
tool()
{
	local out=$1
	shift
	"$@" >"$out" 2>"$out.err" </dev/null &
	TOOLS[$!]=$out
	LAST_TOOL=$!
}

# Loading takes its time under emulation: several begin together.
tools_ready()
{
	local pid
	for pid in "${!TOOLS[@]}"; do
		wait_for 60 in_file_or_gone "${TOOLS[pid]}.err" 'tracing; Ctrl-C' "$pid"
		! gone "$pid" || {
			cat "${TOOLS[pid]}.err"
			fail "${TOOLS[pid]} ended before it began"
		}
	done
}

in_file_or_gone()
{
	in_file "$1" "$2" || gone "$3"
}

# tools_end: all that began; each ends well.
tools_end()
{
	local pid status
	kill -INT "${!TOOLS[@]}"
	for pid in "${!TOOLS[@]}"; do
		status=0
		wait "$pid" || status=$?
		((status == 0)) || {
			cat "${TOOLS[pid]}.err"
			fail "${TOOLS[pid]} ended with status $status"
		}
	done
	TOOLS=()
}

# told FILE JQ: of all lines of a tool's JSON as one array
told()
{
	jq -sr "$2" "$1"
}

declare -a TOOLS=()
