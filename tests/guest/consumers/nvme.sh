# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 45
# long: a disk, block by block
# NVMe over fabrics: host and target of the stock kernel, with a RAM disk behind them, over IPoIB addresses. The host
# registers memory by work request for each I/O (REG_MR), the target reads and writes it by RDMA and ends with a SEND with
# invalidate; what it does not invalidate, the host does (LOCAL_INV).

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"

# shellcheck source=tests/lib/nvme.sh
. "$TESTS/lib/nvme.sh"

setup()
{
	fresh_glass
	start_opensm
	ipoib_up
	nvme_up
}

cleanup()
{
	nvme_down
	ipoib_down
	# the kernel keeps CQs of the adapter for the next who shares them
	fresh_glass
}

LIMIT=90

# checked FILE BYTES BLOCK: FILE goes to the disk in blocks, and comes back the same, from the disk and from the RAM behind it
checked()
{
	dd if="$1" of=/dev/nvme0n1 bs="$3" oflag=direct conv=notrunc status=none
	dd if=/dev/nvme0n1 bs="$3" iflag=direct,count_bytes count="$2" status=none | cmp - "$1"
	dd if=/dev/ram0 bs=64k iflag=direct,count_bytes count="$2" status=none | cmp - "$1"
}

test_data()
{
	local block
	head -c 3145728 /dev/urandom >data
	for block in 128k 1M; do
		checked data 3145728 "$block"
	done
	head -c 196608 data >small
	for block in 4k 12k; do
		checked small 196608 "$block"
	done
}

# Several at a time, on both queues.
test_many_at_once()
{
	head -c 16777216 /dev/urandom >data
	nvme_write_at_once data 64
	dd if=/dev/nvme0n1 bs=1M iflag=direct count=16 status=none | cmp - data
}

# What it does is what this suite is about.
test_work_requests()
{
	local trace=/sys/kernel/tracing op
	echo 0 >$trace/tracing_on
	echo >$trace/trace
	echo 1 >$trace/events/glass/glass_wr_post/enable
	echo 1 >$trace/tracing_on
	head -c 1048576 /dev/urandom >data
	checked data 1048576 64k
	echo 0 >$trace/tracing_on
	echo 0 >$trace/events/glass/glass_wr_post/enable
	cp $trace/trace posts
	echo >$trace/trace
	echo 1 >$trace/tracing_on
	for op in reg_mr send_inv read write; do
		grep -q " op=$op " posts || fail "no $op among the work requests: $(sed -n 's/.* op=\([a-z_]*\) .*/\1/p' posts | sort | uniq -c)"
	done
}

test_regions()
{
	local file=/sys/kernel/debug/glass/glass0/mr
	grep -q ' fast ' "$file" || fail "no fast region in $file: $(cat "$file")"
}

# All that the host registered goes, and comes back, without anything left behind.
test_reconnect()
{
	local before
	disconnect
	before=$(grep -c ' fast ' "/sys/kernel/debug/glass/glass0/mr" || :)
	assert_eq "$before" 0 "fast regions without a connection"
	connect
	head -c 262144 /dev/urandom >data
	checked data 262144 4k
}
