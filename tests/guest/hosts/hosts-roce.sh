# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Two hosts whose NICs are joined: here an Ethernet port of Glass, on host 2 the kernel's rxe. NVMe over fabrics between them, with the
# target on one side and then on the other, and each side's data compared.
# hosts 2
# takes 100
# long: a disk, block by block, between two guests

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/hosts.sh
. "$TESTS/lib/hosts.sh"
# shellcheck source=tests/lib/nvme.sh
. "$TESTS/lib/nvme.sh"

LIMIT=200
HERE=10.77.2.1 TARGET=10.77.2.2

setup()
{
	rdma link add glassr0 type glass netdev host2
	on 2 modprobe rdma_rxe
	on 2 rdma link add rxe0 type rxe netdev host1
	wait_for 20 rping_there
}

cleanup()
{
	on 2 rdma link del rxe0
	on 2 modprobe -r rdma_rxe
	rdma link del glassr0
}

# the ports know their addresses, and the hosts each other's
rping_there()
{
	on 2 --background rping -s -a $TARGET -C 2 -V
	timeout 10 rping -c -a $TARGET -C 2 -V >client.log 2>&1
}

# checked FILE BLOCK: FILE goes to /dev/nvme0n1 in blocks, and comes back the same
checked()
{
	local bytes
	bytes=$(stat -c %s "$1")
	dd if="$1" of=/dev/nvme0n1 bs="$2" oflag=direct conv=notrunc status=none
	dd if=/dev/nvme0n1 bs="$2" iflag=direct,count_bytes count="$bytes" status=none | cmp - "$1"
}

# sum_of_ram BYTES: the checksum of what the target's disk begins with
sum_of_ram()
{
	dd if=/dev/ram0 bs=64k iflag=direct,count_bytes count="$1" status=none | sha256sum
}

# for a shell on host 2: all that a suite has here
of_suite()
{
	echo "set -eu; $(declare -p NVMET NQN HERE); $(declare -f "$@" disk_there no_disk)"
}

test_target_has_rxe()
{
	local block
	on_target up $TARGET
	modprobe nvme-rdma
	connect $TARGET
	for block in 1M 128k 4k; do
		head -c 524288 /dev/urandom >data
		checked data "$block"
		assert_eq "$(on 2 bash -c "$(of_suite sum_of_ram); sum_of_ram 524288")" "$(sha256sum <data)" "disk of host 2 after blocks of $block"
	done
	head -c 4194304 /dev/urandom >data
	nvme_write_at_once data 16
	assert_eq "$(on 2 bash -c "$(of_suite sum_of_ram); sum_of_ram 4194304")" "$(sha256sum <data)" "disk of host 2"
	carried 5000000
	disconnect
	modprobe -r nvme-rdma
	on_target down
}

# carried BYTES: the Ethernet port of Glass has sent or received that much
carried()
{
	local tx rx
	tx=$(($(<"/sys/class/infiniband/glassr0/ports/1/counters/port_xmit_data") * 4))
	rx=$(($(<"/sys/class/infiniband/glassr0/ports/1/counters/port_rcv_data") * 4))
	((tx + rx > $1)) || fail "glassr0 has sent $tx bytes and received $rx"
}

far_disk()
{
	on 2 test -b /dev/nvme0n1
}

no_far_disk()
{
	on 2 test ! -e /dev/nvme0n1
}

test_target_has_glass()
{
	local block
	target_up $HERE
	on 2 modprobe nvme-rdma
	on 2 bash -c "echo transport=rdma,traddr=$HERE,trsvcid=4420,nqn=$NQN,nr_io_queues=2 >/dev/nvme-fabrics"
	wait_for 20 far_disk
	for block in 1M 128k 4k; do
		head -c 524288 /dev/urandom >data
		on 2 bash -c 'cat >/tmp/data' <data
		on 2 bash -c "$(of_suite checked); checked /tmp/data $block"
		assert_eq "$(sum_of_ram 524288)" "$(sha256sum <data)" "disk here after blocks of $block"
	done
	on 2 bash -c 'echo 1 >/sys/class/nvme/nvme0/delete_controller'
	wait_for 30 no_far_disk
	on 2 modprobe -r nvme-rdma
	target_down
}
