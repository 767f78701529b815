# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# fio's engine rdma. It has no verification of its own: its writer is always the client, whatever the verb. Here the I/O buffers of
# both sides lie in files (mem=mmapshared), which are compared. The receiver is in the namespace peer, on glass1.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/users.sh
. "$TESTS/lib/users.sh"

LIMIT=120
BLOCK=65536 DEPTH=16

setup()
{
	start_opensm
	ipoib_up
}

cleanup()
{
	ipoib_down
	rm -f /dev/shm/{server,client}
	stop_opensm
}

# A thread of fio listens.
receiver_listening()
{
	rdma resource show cm_id | grep -q ' state LISTEN '
}

# begin VERB SIZE: both sides, in the background; SERVER and CLIENT are their processes. The receiver's buffers begin as random data.
# fio maps such a file, and a page more than its buffers, but does not make it so long.
begin()
{
	local -a job=(--thread --ioengine=rdma --port=8888 --bs="$BLOCK" --size="$2")
	rm -f /dev/shm/{server,client}
	head -c $((DEPTH * BLOCK)) /dev/urandom >/dev/shm/server
	cp /dev/shm/server before
	truncate -s +64K /dev/shm/server
	truncate -s $((BLOCK + 65536)) /dev/shm/client
	start server.log in_peer fio --name=receiver "${job[@]}" --rw=read --iodepth=$DEPTH --mem=mmapshared:/dev/shm/server
	SERVER=$STARTED
	wait_for 20 receiver_listening
	start client.log fio --name=sender "${job[@]}" --hostname=$THERE --verb="$1" --rw=write --iodepth=1 --iodepth_batch_complete=1 \
		--mem=mmapshared:/dev/shm/client --scramble_buffers=0 --buffer_pattern=0x70656572676c6173
	CLIENT=$STARTED
}

# sums FILE BLOCKS: checksums of its first blocks, the number of each kind before it
sums()
{
	local i
	for ((i = 0; i < $2; i++)); do
		dd if="$1" bs=$BLOCK skip=$i count=1 status=none | sha256sum | cut -d' ' -f1
	done
}

both_well()
{
	finish "$CLIENT" client.log "sender"
	finish "$SERVER" server.log "receiver"
	grep -q '^sender: .*err= 0' client.log || fail "sender: $(<client.log)"
}

# The sender writes to the receiver's buffers, chosen at random: after 256 writes all 16 have what it wrote.
wrote_all()
{
	local pattern
	both_well
	pattern=$(printf 'peerglas%.0s' $(seq $((BLOCK / 8))) | sha256sum | cut -d' ' -f1)
	assert_eq "$(sums /dev/shm/server $DEPTH | sort -u)" "$pattern" "buffers of the receiver"
}

# What it read last is a block of the receiver, of which none has changed.
read_one()
{
	both_well
	cmp -n $((DEPTH * BLOCK)) before /dev/shm/server
	sums before $DEPTH >blocks
	grep -qx "$(sums /dev/shm/client 1)" blocks || fail "the sender has read what the receiver has not"
}

test_write()
{
	begin write 16m
	wrote_all
}

test_read()
{
	begin read 16m
	read_one
}

test_write_with_loss()
{
	lossy 'qptype==rc'
	begin write 16m
	wrote_all
	calm
}

test_read_with_loss()
{
	lossy 'qptype==rc'
	begin read 16m
	read_one
	calm
}

test_qp_fails()
{
	begin write 1g
	break_qp glass0 'qptype==rc' 50
	outcome 45 "sender, receiver" "$CLIENT" "$SERVER"
	cat client.log server.log
	[[ $STATUSES != 0* ]] || fail "the sender ended well"
}
