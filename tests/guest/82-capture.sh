# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# ibcap: what it captures is what tshark dissects and what the driver's trace says.

# shellcheck source=tests/ipoib.sh
. "${BASH_SOURCE[0]%/*}/../ipoib.sh"

TESTS=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
TRACE=/sys/kernel/tracing/instances/capture
ALL=(glass0:1 glass0:2 glass1:1 glass1:2)

setup()
{
	start_opensm
}

cleanup()
{
	[[ ! -d $TRACE ]] || rmdir $TRACE
	stop_opensm
}

# begin FILE OPTION...: captures; CAPTURE is the process
begin()
{
	local file=$1
	shift
	start ibcap.log ibcap -w "$file" "$@"
	CAPTURE=$STARTED
	wait_for 10 in_file ibcap.log capturing
}

end()
{
	kill -INT "$CAPTURE"
	finish "$CAPTURE" ibcap.log ibcap
}

trace_on()
{
	[[ -d $TRACE ]] || mkdir $TRACE
	echo 32768 >$TRACE/buffer_size_kb
	echo 0 >$TRACE/trace
	echo 1 >$TRACE/events/glass/glass_pkt_tx/enable
	echo 1 >$TRACE/events/glass/glass_pkt_rx/enable
}

trace_off()
{
	echo 0 >$TRACE/events/glass/enable
	cat $TRACE/trace >trace
	echo 0 >$TRACE/trace
}

# traffic_compared COMMAND...: what happens meanwhile is captured and traced; both must agree.
traffic_compared()
{
	# the capture first: what the trace has, it must have, too
	begin capture.pcapng -B 65536 "${ALL[@]}"
	trace_on
	"$@"
	trace_off
	end
	"$TESTS/compare-capture" capture.pcapng trace "${ALL[@]}" | tee compared
}

# opcode N: how many packets of that BTH opcode were captured on all interfaces
opcode()
{
	grep -o "0x$1:[0-9]*" compared | awk -F: '{ n += $2 } END { print n + 0 }'
}

LIMIT_test_pingpong=120
test_pingpong()
{
	traffic_compared pair glass0 glass1 ibv_rc_pingpong -n 20 -s 10000
	# 20 messages each way of 10 packets of 1024 bytes, each sent and received
	assert_eq "$(opcode 00)" 80 "packets rc_send_first"
	assert_eq "$(opcode 01)" 640 "packets rc_send_middle"
}
