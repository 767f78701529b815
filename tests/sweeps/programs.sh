# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The programs of the sweeps (run). Each has a function for its client, on glass0, and most have one for the server, on glass1; both
# replace the shell, begin in the directory of the attempt, $WORK, and use the free TCP port PORT. Optional:
#
#   listens_NAME    does the server listen? if not by TCP
#   stays_NAME=1    the server does not end by itself: a second client, without a fault, tells whether it still serves
#   wrong_NAME      status 0: data is wrong. Sees client.log and server.log
#   prepare_NAME    once, before the first attempt, in the directory $ONCE; must end well
#   finish_NAME     once, after the last attempt
#   filter_NAME     what a fault hits, a filter of ibinject; else what belongs to programs
#   needs_NAME      a command that must be there
#   packages_NAME   packages of Debian that the root file system has not: the program runs in the guest as one file

PROGRAMS='pingpong write_lat rping rcopy rstream ucx_rc ucx_ud openmpi nvmeof nvmeof_connect fabric_msg fabric_rxm'
# what programs share that is made once
ONCE=/tmp/sweeps.once

# ibv_rc_pingpong compares what arrives (-c).
server_pingpong() { exec ibv_rc_pingpong -c -d glass1 -p "$PORT" -n 200; }
client_pingpong() { exec ibv_rc_pingpong -c -d glass0 -p "$PORT" -n 200 localhost; }
wrong_pingpong() { grep -q 'invalid data' client.log server.log; }

server_write_lat() { exec ib_write_lat -d glass1 -p "$PORT" -n 200; }
client_write_lat() { exec ib_write_lat -d glass0 -p "$PORT" -n 200 localhost; }

# -V: the client compares what comes back
server_rping() { exec ip netns exec peer rping -s -p "$PORT" -C 50 -S 4096 -V; }
client_rping() { exec rping -c -a "$THERE" -p "$PORT" -C 50 -S 4096 -V; }
listens_rping() { cm_listening "$SERVER"; }
wrong_rping() { grep -q 'data mismatch' client.log; }

# Debian's starts MPI unless its input is a terminal. When UCX aborts, it resolves a backtrace first, which takes an emulated guest most
# of a minute.
ucx() { exec env UCX_HANDLE_ERRORS=none UCX_TLS="$1" UCX_NET_DEVICES="$2:1" script -qec "ucx_perftest -P 0 -p $PORT ${*:3}" /dev/null; }
server_ucx_rc() { ucx rc_v,self glass1; }
client_ucx_rc() { ucx rc_v,self glass0 localhost -t tag_bw -s 8192 -n 200 -w 1; }
server_ucx_ud() { ucx ud_v,self glass1; }
client_ucx_ud() { ucx ud_v,self glass0 localhost -t tag_bw -s 8192 -n 200 -w 1; }
needs_ucx_rc=ucx_perftest needs_ucx_ud=ucx_perftest

# A file goes over rsockets. The client has status 0 and prints its rate if the server has acknowledged the file.
prepare_rcopy() { head -c 300000 /dev/urandom >"$ONCE/data"; }
server_rcopy() { exec ip netns exec peer rcopy -p "$PORT"; }
client_rcopy() { exec rcopy "$ONCE/data" "$THERE:$WORK/$COPY" -p "$PORT"; }
listens_rcopy() { cm_listening "$SERVER"; }
wrong_rcopy() { grep -q 'bytes in' client.log && ! cmp -s "$ONCE/data" "$WORK/first"; }
needs_rcopy=rcopy stays_rcopy=1

# Requests and answers over rsockets; both ends compare (-T v).
server_rstream() { exec ip netns exec peer rstream -p "$PORT" -S 1024 -C 1 -I 200 -T v -b "$THERE"; }
client_rstream() { exec rstream -p "$PORT" -S 1024 -C 1 -I 200 -T v -s "$THERE"; }
listens_rstream() { cm_listening "$SERVER"; }
wrong_rstream() { grep -q 'data verification failed' client.log server.log; }
needs_rstream=rstream

# Rank 0 is on glass0, rank 1 on glass1; both compare what they get.
prepare_openmpi()
{
	mpicc -O1 -Wall -Werror -o "$ONCE/mpi_checks" "$TESTS/users/mpi_checks.c" || return
	cat >"$ONCE/on_adapter" <<-'END'
		#!/bin/bash
		UCX_NET_DEVICES=glass$OMPI_COMM_WORLD_RANK:1 exec "$@"
	END
	chmod +x "$ONCE/on_adapter"
}
client_openmpi()
{
	exec env UCX_HANDLE_ERRORS=none UCX_TLS=rc_v,self mpirun --allow-run-as-root --oversubscribe --mca pml ucx --mca osc ucx -n 2 \
		"$ONCE/on_adapter" "$ONCE/mpi_checks" 1 8 20000
}
wrong_openmpi() { grep -q '^rank .*, expected ' client.log; }
needs_openmpi=mpirun

# fi_pingpong compares what arrives (-c).
fabric() { exec fi_pingpong -c -I 50 -S 4096 "$@"; }
fabric_there() { exec ip netns exec peer fi_pingpong -c -I 50 -S 4096 "$@"; }
server_fabric_msg() { fabric_there -e msg -p verbs -d glass1 -B "$PORT"; }
client_fabric_msg() { fabric -e msg -p verbs -d glass0 -P "$PORT" "$THERE"; }
server_fabric_rxm() { fabric_there -e rdm -p 'verbs;ofi_rxm' -d glass1 -B "$PORT"; }
client_fabric_rxm() { fabric -e rdm -p 'verbs;ofi_rxm' -d glass0 -P "$PORT" "$THERE"; }
wrong_fabric_msg() { grep -q "$FABRIC_WRONG" client.log server.log; }
wrong_fabric_rxm() { grep -q "$FABRIC_WRONG" client.log server.log; }
FABRIC_WRONG='Error at iteration='
needs_fabric_msg=fi_pingpong needs_fabric_rxm=fi_pingpong
packages_fabric_msg=libfabric-bin packages_fabric_rxm=libfabric-bin

# A kernel consumer: the client connects a disk, writes and reads it, and disconnects; host and target are in this kernel, on the second
# ports, since both use the first network namespace alone. The faults hit the host's queue pairs: one that transfers data (nvmeof), or one
# that connects. A request of the host has 5 s, and it connects anew for 20 s.
prepare_nvmeof()
{
	STATE=$ONCE HERE=10.7.1.1 THERE=10.7.1.2
	[[ ! -e $NVMET/subsystems/$NQN ]] || return 0
	mkfifo "$STATE/never" && head -c 1048576 /dev/urandom >"$ONCE/blocks" && ipoib_cross 2 && modprobe nvme-rdma &&
		echo 5 | tee /sys/module/nvme_core/parameters/{io,admin}_timeout && target_up $THERE
}
# a later disk has another number while the one before goes
nvme_disk()
{
	DISK=$(compgen -G '/dev/nvme*n1' | head -n 1)
	[[ -b $DISK ]]
}
client_nvmeof()
{
	# the controller of an attempt that was ended
	nvme disconnect -n "$NQN"
	set -e
	nvme connect -t rdma -a 10.7.1.2 -s 4420 -n "$NQN" -i 2 --keep-alive-tmo=5 --reconnect-delay=1 --ctrl-loss-tmo=20
	wait_for 10 nvme_disk
	# the first in one request, with its data; others are read by the target
	dd if="$ONCE/blocks" of="$DISK" bs=4k count=1 oflag=direct conv=notrunc status=none
	dd if="$ONCE/blocks" of="$DISK" bs=64k oflag=direct conv=notrunc status=none
	dd if="$DISK" bs=64k iflag=direct,count_bytes count=1048576 status=none | cmp - "$ONCE/blocks"
	dd if=/dev/ram0 bs=64k iflag=direct,count_bytes count=1048576 status=none | cmp - "$ONCE/blocks"
	nvme disconnect -n "$NQN"
}
wrong_nvmeof() { grep -q ' differ: ' client.log; }
finish_nvmeof() { nvme disconnect -n "$NQN" || :; }
prepare_nvmeof_connect() { prepare_nvmeof; }
client_nvmeof_connect() { client_nvmeof; }
wrong_nvmeof_connect() { wrong_nvmeof; }
finish_nvmeof_connect() { finish_nvmeof; }
needs_nvmeof=nvme needs_nvmeof_connect=nvme
filter_nvmeof='pid==0 && qptype==rc && len>=2000' filter_nvmeof_connect='pid==0 && qptype==rc'
