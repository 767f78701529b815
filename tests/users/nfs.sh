# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# NFS 4.2 over RDMA: server and client of the kernel, with Debian's programs. The two ends are in two network namespaces, on glass0 and
# glass1; each is server once.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/users.sh
. "$TESTS/lib/users.sh"

LIMIT=240
MIB=16

setup()
{
	start_opensm
	ipoib_up
	modprobe rpcrdma
	# the guest's root is an overlay, which cannot be exported
	mkdir -p /export /var/lib/nfs/v4recovery
	mount -t tmpfs export /export
	server_up ip netns exec peer
	mkdir -p /mnt/nfs
	mount -t nfs -o rdma,port=20049,vers=4.2 $THERE:/ /mnt/nfs
}

cleanup()
{
	umount /mnt/nfs
	server_down ip netns exec peer
	umount /export
	modprobe -r rpcrdma
	ipoib_down
	stop_opensm
}

# server_up [COMMAND...]: in the namespace into which COMMAND leads
server_up()
{
	# The harness ends processes that a test leaves in its directory.
	(cd / && "$@" sh -ec '
		mount -t nfsd nfsd /proc/fs/nfsd
		exportfs -o rw,no_root_squash,insecure,fsid=0,no_subtree_check "*:/export"
		rpc.mountd
		rpc.nfsd --no-nfs-version 3 --grace-time 10 --lease-time 10 --rdma=20049 4')
}

server_down()
{
	"$@" sh -ec '
		mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
		rpc.nfsd 0'
	pkill rpc.mountd
}

# from_the_server FILE: read past the client's cache
from_the_server()
{
	dd if="$1" bs=1M iflag=direct status=none | sha256sum
}

new_data()
{
	head -c $((MIB << 20)) /dev/urandom >data
	SUM=$(sha256sum <data)
}

xmit_data()
{
	cat "/sys/class/infiniband/$1/ports/1/counters/port_xmit_data"
}

test_data()
{
	local there back block
	there=$(xmit_data glass0) back=$(xmit_data glass1)
	for block in 4k 1M; do
		new_data
		dd if=data of=/mnt/nfs/file bs=$block conv=fsync status=none
		assert_eq "$(sha256sum </export/file)" "$SUM" "what the server has"
		assert_eq "$(from_the_server /mnt/nfs/file)" "$SUM" "what was read"
	done
	# in words of four bytes
	there=$((($(xmit_data glass0) - there) / 262144)) back=$((($(xmit_data glass1) - back) / 262144))
	((there >= 2 * MIB && back >= 2 * MIB)) || fail "$there MiB went from glass0, $back MiB from glass1"
}

# The other end is the server.
test_server_and_client_swapped()
{
	server_up env
	new_data
	cp data /export/theirs
	ip netns exec peer sh -ec "
		mkdir -p /mnt/there
		mount -t nfs -o rdma,port=20049,vers=4.2 $HERE:/ /mnt/there
		dd if=data of=/mnt/there/mine bs=1M conv=fsync status=none
		dd if=/mnt/there/theirs bs=1M iflag=direct status=none | sha256sum >was_read
		umount /mnt/there"
	assert_eq "$(sha256sum </export/mine)" "$SUM" "what the server has"
	assert_eq "$(<was_read)" "$SUM" "what was read"
}

# writes_and_reads [FILE]: the same data there and back
writes_and_reads()
{
	dd if=data of=/mnt/nfs/file bs=1M conv=fsync status=none
	assert_eq "$(sha256sum </export/file)" "$SUM" "what the server has"
	assert_eq "$(from_the_server /mnt/nfs/file)" "$SUM" "what was read"
}

test_data_with_loss()
{
	new_data
	lossy 'qptype==rc' 50
	writes_and_reads
	calm
}

# xprt: how often the client of the mount has connected
xprt()
{
	sed -n 's/^\txprt:\trdma [0-9]* [0-9]* \([0-9]*\) .*/\1/p' /proc/self/mountstats
}

# The client connects anew, and goes on; whichever end fails.
test_qp_of_client_fails()
{
	local before
	new_data
	before=$(xprt)
	start dd.log dd if=data of=/mnt/nfs/file bs=1M conv=fsync
	local writer=$STARTED
	break_qp glass0 'qptype==rc' 20
	finish "$writer" dd.log "writer"
	assert_eq "$(sha256sum </export/file)" "$SUM" "what the server has"
	[[ $(xprt) != "$before" ]] || fail "no new connection: $before"
}

test_qp_of_server_fails()
{
	local before
	new_data
	cp data /export/file
	before=$(xprt)
	start dd.log sh -c 'dd if=/mnt/nfs/file bs=1M iflag=direct | sha256sum >was_read'
	local reader=$STARTED
	break_qp glass1 'qptype==rc' 20
	finish "$reader" dd.log "reader"
	assert_eq "$(<was_read)" "$SUM" "what was read"
	[[ $(xprt) != "$before" ]] || fail "no new connection: $before"
}
