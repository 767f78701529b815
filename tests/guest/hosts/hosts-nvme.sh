# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# NVMe over fabrics between two hosts: the target and its RAM disk are on host 2, the initiator is here, and a netdev cable joins
# their switches. What is written here is compared with what comes back, and with what the disk of host 2 holds.
# hosts 2
# takes 120
# long: a disk, block by block, between two guests

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"
# shellcheck source=tests/lib/hosts.sh
. "$TESTS/lib/hosts.sh"
# shellcheck source=tests/lib/nvme.sh
. "$TESTS/lib/nvme.sh"

LIMIT=200
TARGET=10.8.0.2

setup()
{
	join_hosts
	fabric_opensm
	far_up
	ipoib_hosts
	on_target up $TARGET
	modprobe nvme-rdma
	connect $TARGET
}

cleanup()
{
	disconnect
	modprobe -r nvme-rdma
	on_target down
}

# sum_of_target BYTES: the checksum of what the disk of host 2 begins with
sum_of_target()
{
	on 2 dd if=/dev/ram0 bs=64k iflag=direct,count_bytes count="$1" status=none | sha256sum
}

# checked FILE BLOCK: FILE goes to the disk in blocks; it comes back the same, and the disk of host 2 has it
checked()
{
	local bytes
	bytes=$(stat -c %s "$1")
	dd if="$1" of=/dev/nvme0n1 bs="$2" oflag=direct conv=notrunc status=none
	dd if=/dev/nvme0n1 bs="$2" iflag=direct,count_bytes count="$bytes" status=none | cmp - "$1"
	assert_eq "$(sum_of_target "$bytes")" "$(sha256sum <"$1")" "disk of host 2 after blocks of $2"
}

test_data()
{
	local block
	for block in 1M 128k 12k 4k; do
		# other data each time: what the last round left on the disk would not do
		head -c 786432 /dev/urandom >data
		checked data "$block"
	done
	# it came over the cable: each block crossed it twice
	(($(table netdevs rx_bytes) > 2 * 786432)) || fail "the cable received $(table netdevs rx_bytes) bytes only"
	no_bad_frames
}

# What is written to the disk of host 2 behind the back of this one is what it reads.
test_reads_what_the_target_has()
{
	on 2 bash -c 'head -c 1048576 /dev/urandom >/tmp/data; dd if=/tmp/data of=/dev/ram0 bs=64k oflag=direct conv=notrunc status=none'
	assert_eq "$(dd if=/dev/nvme0n1 bs=64k iflag=direct count=16 status=none | sha256sum)" "$(on 2 cat /tmp/data | sha256sum)"
	on 2 rm /tmp/data
}

test_many_at_once()
{
	head -c 8388608 /dev/urandom >data
	nvme_write_at_once data 32
	dd if=/dev/nvme0n1 bs=1M iflag=direct count=8 status=none | cmp - data
	assert_eq "$(sum_of_target 8388608)" "$(sha256sum <data)" "disk of host 2"
}

# sums_of: of all files below the mount point; also for `on 2`, whose mount point has the same name
sums_of()
{
	echo 'cd /mnt && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum'
}

test_filesystem()
{
	mkfs.ext4 -q /dev/nvme0n1
	mount /dev/nvme0n1 /mnt
	mkdir /mnt/some
	cp -r /glass/docs /mnt/some/
	head -c 5000001 /dev/urandom >/mnt/some/random
	ln /mnt/some/random /mnt/link
	bash -c "$(sums_of)" >wanted
	(($(wc -l <wanted) > 30)) || fail "only $(wc -l <wanted) files"
	umount /mnt
	mount -o ro /dev/nvme0n1 /mnt
	bash -c "$(sums_of)" | cmp - wanted
	umount /mnt
	e2fsck -fn /dev/nvme0n1
	on 2 mount -t ext4 -o ro,noload /dev/ram0 /mnt
	on 2 bash -c "$(sums_of)" | cmp - wanted
	on 2 umount /mnt
}

frames_more_than()
{
	(($(table netdevs tx_frames) > $1))
}

cut_for_host_2()
{
	[[ $(on 2 ibfabric show switch0) == *'peer down'* ]]
}

# The cable is pulled while data are written, and plugged in again: the writes go on, and all data are there.
test_cable_cut_in_the_midst()
{
	local n
	head -c 8388608 /dev/urandom >data
	n=$(table netdevs tx_frames)
	start writer.log dd if=data of=/dev/nvme0n1 bs=64k oflag=direct conv=notrunc status=none
	wait_for 30 frames_more_than $((n + 100))
	ibfabric cut switch0:4
	gone "$STARTED" && fail "all was written before the cable was cut"
	wait_for 20 cut_for_host_2
	ibfabric plug switch0:4
	far_up
	finish "$STARTED" writer.log
	dd if=/dev/nvme0n1 bs=1M iflag=direct count=8 status=none | cmp - data
	assert_eq "$(sum_of_target 8388608)" "$(sha256sum <data)" "disk of host 2"
}

# All that the initiator registered goes with its connection, and comes back.
test_reconnect()
{
	disconnect
	assert_eq "$(grep -c ' fast ' /sys/kernel/debug/glass/glass0/mr || :)" 0 "fast regions without a connection"
	connect $TARGET
	head -c 262144 /dev/urandom >data
	checked data 4k
}
