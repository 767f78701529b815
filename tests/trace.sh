# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites about trace events: the ring buffer by hand.

TRACING=/sys/kernel/tracing

# trace_on EVENT...: an empty trace of these events (of all: glass)
trace_on()
{
	local event
	echo 0 >"$TRACING/events/glass/enable"
	echo >"$TRACING/trace"
	echo mono >"$TRACING/trace_clock"
	# room for all: what is overwritten would be missed
	echo 16384 >"$TRACING/buffer_size_kb"
	for event in "$@"; do
		[[ $event == glass ]] && event='' || event=/$event
		echo 1 >"$TRACING/events/glass$event/enable"
	done
}

# trace_off: stops, and puts the lines into the file "trace", without what stands before the event's name
trace_off()
{
	echo 0 >"$TRACING/events/glass/enable"
	sed -n 's/^.*: \(glass_[a-z_]*\): /\1 /p' "$TRACING/trace" >trace
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
