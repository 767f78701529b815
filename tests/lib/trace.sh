# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites about trace events: the ring buffer by hand.

TRACING=/sys/kernel/tracing

# event_path EVENT: below events/; an event of Glass, all of them (glass), or SYSTEM/EVENT of another system (.: all of it)
event_path()
{
	case $1 in
	glass | */*) echo "$1" ;;
	*) echo "glass/$1" ;;
	esac
}

# trace_on EVENT...: an empty trace of these events. They are off when the test ends, also when it fails. They begin and end
# together: events are switched one by one, and between two of them a program can do much. TRACE_KB: size of a CPU's buffer.
trace_on()
{
	local event
	trap 'echo 0 >"$TRACING/events/enable"; echo 1 >"$TRACING/tracing_on"' EXIT
	echo 0 >"$TRACING/tracing_on"
	echo 0 >"$TRACING/events/glass/enable"
	echo >"$TRACING/trace"
	echo mono >"$TRACING/trace_clock"
	# room for all events: overwritten ones would be missed
	echo "${TRACE_KB:-16384}" >"$TRACING/buffer_size_kb"
	for event in "$@"; do
		echo 1 >"$TRACING/events/$(event_path "$event")/enable"
	done
	echo 1 >"$TRACING/tracing_on"
}

# trace_off: stops, and puts the lines into the file "trace", without what stands before the event's name
trace_off()
{
	echo 0 >"$TRACING/tracing_on"
	echo 0 >"$TRACING/events/glass/enable"
	echo 1 >"$TRACING/tracing_on"
	sed -n 's/^.*: \(glass_[a-z_]*\): /\1 /p' "$TRACING/trace" >trace
}

# ---- between two traces: what tests/guest/bpf/bpf-times compares the times of the BPF tools with

BEFORE=$TRACING/instances/before

# probes_on WHERE FILE GROUP: lines of standard input go into FILE (uprobe_events, kprobe_events), all of GROUP are on in WHERE
probes_on()
{
	cat >>"$TRACING/$2"
	echo 1 >"$1/events/$3/enable"
}

# before_on [EVENT...]: a trace of these events, whose probes are there before those of tools that begin now
before_on()
{
	local event
	mkdir "$BEFORE"
	echo mono >"$BEFORE/trace_clock"
	echo 16384 >"$BEFORE/buffer_size_kb"
	for event in "$@"; do
		echo 1 >"$BEFORE/events/$(event_path "$event")/enable"
	done
}

# both_begin: trace_on has been called, too, after the tools had begun; what counts begins
both_begin()
{
	echo BEGIN >"$BEFORE/trace_marker"
	echo BEGIN >"$TRACING/trace_marker"
}

# both_end: the files "before" and "after", and "trace", as trace_off has it
both_end()
{
	echo END >"$TRACING/trace_marker"
	echo END >"$BEFORE/trace_marker"
	trace_off
	echo 0 >"$TRACING/events/enable"
	echo 0 >"$BEFORE/events/enable"
	cat "$TRACING/trace" >after
	cat "$BEFORE/trace" >before
	rmdir "$BEFORE"
	: >"$TRACING/uprobe_events"
	: >"$TRACING/kprobe_events"
}

# programs_only: out of the trace goes what QP0 and QP1 did; the subnet manager may stir at any time
programs_only()
{
	sed -i '/ qpn=0x[01] /d' trace
}

# field NAME: that field of each line of standard input
field()
{
	sed -n "s/^.* $1=\([^ ]*\).*/\1/p"
}

provider_library()
{
	compgen -G '/usr/lib/*/libibverbs/libglass-rdmav*.so'
}

# bpftrace_attached PID LOG [SPECIAL]: has this bpftrace attached all probes that LOG announces, but for SPECIAL of them (BEGIN
# and END, which the kernel does not list), or is it gone? It says "Attaching" before it does; interrupted in between it
# ends with status 255.
bpftrace_attached()
{
	gone "$1" && return
	local announced
	announced=$(sed -n 's/^Attaching \([0-9]*\) probes\{0,1\}\.\.\.$/\1/p' "$2")
	[[ -n $announced ]] && bpftool -j perf show | jq -e --argjson pid "$1" --argjson want "$((announced - ${3:-0}))" \
		'[.[] | select(.pid == $pid)] | length >= $want'
}
