# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# RDS over RDMA: the kernel's module rds_rdma. Debian has no rds-tools, so two Python programs send each other messages. RDS uses the
# first network namespace only.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/users.sh
. "$TESTS/lib/users.sh"

LIMIT=150

setup()
{
	start_opensm
	ipoib_cross
	modprobe rds_rdma
}

cleanup()
{
	modprobe -r rds_rdma rds
	ipoib_cross_down
	stop_opensm
}

# begin MESSAGES: of up to 60000 bytes; the digest of each comes back. SERVER and CLIENT are the processes.
begin()
{
	cat >server.py <<-'END'
		import hashlib, socket, sys
		s = socket.socket(21, socket.SOCK_SEQPACKET)  # AF_RDS
		s.bind((sys.argv[1], 18634))
		print('ready', flush=True)
		for i in range(int(sys.argv[2])):
		    data, sender = s.recvfrom(1 << 17)
		    s.sendto(hashlib.sha256(data).digest(), sender)
	END
	cat >client.py <<-'END'
		import hashlib, os, socket, sys
		s = socket.socket(21, socket.SOCK_SEQPACKET)
		s.bind((sys.argv[1], 18635))
		for i in range(int(sys.argv[3])):
		    data = os.urandom(1 + i * 7919 % 60000)
		    s.sendto(data, (sys.argv[2], 18634))
		    assert s.recvfrom(100)[0] == hashlib.sha256(data).digest(), i
	END
	start server.log python3 server.py $THERE "$1"
	SERVER=$STARTED
	wait_for 20 in_file server.log ready
	start client.log python3 client.py $HERE $THERE "$1"
	CLIENT=$STARTED
}

both_well()
{
	finish "$CLIENT" client.log "client"
	finish "$SERVER" server.log "server"
}

xmit_data()
{
	cat "/sys/class/infiniband/$1/ports/1/counters/port_xmit_data"
}

test_messages()
{
	local before
	before=$(xmit_data glass0)
	begin 100
	both_well
	# 3 MB, in words of four bytes
	(($(xmit_data glass0) - before > 700000)) || fail "only $(($(xmit_data glass0) - before)) words went from glass0"
}

test_messages_with_loss()
{
	lossy 'qptype==rc'
	begin 100
	both_well
	calm
}

# RDS connects anew, and sends again what was not acknowledged.
test_qp_fails()
{
	begin 200
	break_qp glass0 'qptype==rc' 30
	both_well
}
