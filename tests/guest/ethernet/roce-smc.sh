# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 150
# long: link groups of SMC that end by timeouts
# spoils the guest: Linux may leak a socket whose link group ends while its program closes it; then SMC cannot be unloaded
# SMC-Rv2: the kernel's sockets of AF_SMC, which move their data by RDMA WRITE into buffers of the peer, between two Ethernet ports of
# Glass, and between Glass and rxe. The kernel's socket diagnosis says which connections use RDMA, and which fell back to TCP.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"

LIMIT=120

setup()
{
	modinfo smc_diag >/dev/null 2>&1 || skip "this kernel has no SMC (Debian's has)"
	roce_up
	second_wire
	smc_up
	names
}

# smc_up: SMC knows all devices, and has no link group
smc_up()
{
	smc_down
	modprobe smc_diag
	wait_for 20 ready_for_smc rxe0 glassr0 glassr1 glassr2
	smc eid GLASS
}

# The module goes when the last socket is destroyed, some time after its program has closed it.
smc_down()
{
	[[ ! -e /sys/module/smc_diag ]] || modprobe -r smc_diag
	[[ ! -e /sys/module/smc ]] || wait_for 20 modprobe -r smc
}

# names: a physical network of its own for each port. Without these, SMC takes the ports for ports of one host at
# one network, since a namespace sees all RDMA devices: both get second links, some of which are at the device of the other.
names()
{
	smc pnet A rxe0
	smc pnet B glassr0
	smc pnet C glassr1
	smc pnet D glassr2
}

cleanup()
{
	modinfo smc_diag >/dev/null 2>&1 || return 0
	# it may keep SMC itself (see above), but nothing of Glass
	modprobe -r smc_diag
	second_wire_down
	roce_down
}

# smc WORD...: in the first namespace
smc()
{
	timeout $((60 * SLOWER)) python3 "$TESTS/programs/smc.py" "$@"
}

# smc_in NETNS WORD...
smc_in()
{
	in_ns "$1" timeout $((100 * SLOWER)) python3 "$TESTS/programs/smc.py" "${@:2}"
}

ready_for_smc()
{
	local device all
	all=$(smc devices)
	for device; do
		grep -qx "$device" <<<"$all" || return 1
	done
}

# serve NETNS ADDRESS: its process in SERVER, the port is TCP_PORT, the log server.log. NETNS "-" is the first one.
serve()
{
	next_port
	local -a where=()
	# of the server before
	rm -f server.log
	[[ $1 == - ]] || where=(nsenter --net="/run/netns/$1")
	start server.log "${where[@]}" python3 "$TESTS/programs/smc.py" serve "$2" "$TCP_PORT"
	SERVER=$STARTED
	wait_for 20 in_file server.log ready || { cat server.log; fail "no server"; }
}

no_server()
{
	kill "$SERVER"
	wait_for 20 gone "$SERVER"
}

# made LOG N DEVICE: all N connections of it use RDMA at this device
made()
{
	(($(grep -cE "^smc-r $3 [0-9a-f:]+:ffff:0a09:[0-9a-f:]+ [0-9a-f:]+:ffff:0a09:" "$1") == $2)) || {
		cat "$1"
		fail "not $2 connections of $3 by SMC-R"
	}
}

# fell_back LOG: its connection uses TCP, since the client's kernel found no device for SMC (SMC_CLC_DECL_NOSMCDEV)
fell_back()
{
	[[ $(<"$1") == 'tcp 0x03030000' ]] || fail "not by TCP, or for another reason: $(<"$1")"
}

# sent_bytes DEVICE: by its port; the counter has words of four bytes
sent_bytes()
{
	echo $(($(cat "/sys/class/infiniband/$1/ports/1/counters/port_xmit_data") * 4))
}

# smc_qps DEVICE: the QPs that SMC has there
smc_qps()
{
	rdma resource show qp link "$1/1" | sed -n 's/.* lqpn \([0-9]*\) .* comm \[smc\].*/\1/p'
}

no_smc_qps()
{
	[[ -z $(for device; do smc_qps "$device"; done) ]]
}

# across BYTES N: N connections from glassr1 to glassr2 with as many bytes in each direction
across()
{
	serve beyond 10.9.1.2
	smc_in there send 10.9.1.2 "$TCP_PORT" "$1" "$2" >client.log 2>&1 || { cat client.log; fail "send"; }
	made client.log "$2" glassr1
	no_server
}

test_bytes()
{
	local before_1 before_2
	before_1=$(sent_bytes glassr1)
	before_2=$(sent_bytes glassr2)
	across 2000000 1
	(($(sent_bytes glassr1) - before_1 > 2000000)) || fail "glassr1 has not sent the data"
	(($(sent_bytes glassr2) - before_2 > 2000000)) || fail "glassr2 has not sent the data"
	across 1 1
	across 65536 1
}

# They share a link group, that is a QP at each end, but have buffers and keys of their own.
test_connections()
{
	across 300000 8
	assert_eq "$(smc_qps glassr1 | wc -l) $(smc_qps glassr2 | wc -l)" "1 1" "QPs of SMC"
	across 10000 40
}

# The same by sockets of AF_INET with a protocol of its own
test_protocol()
{
	python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM, 256)' ||
		skip "Linux has no IPPROTO_SMC before 6.11"
	export SMC_PROTOCOL=1
	across 300000 2
}

# rxe at the other end: as the server, and as the client
test_rxe()
{
	serve - $HERE4
	smc_in there send $HERE4 "$TCP_PORT" 500000 3 >client.log 2>&1 || { cat client.log; fail "send to rxe"; }
	made client.log 3 glassr0
	no_server
	serve there $THERE4
	smc send $THERE4 "$TCP_PORT" 500000 3 >client.log 2>&1 || { cat client.log; fail "send from rxe"; }
	made client.log 3 rxe0
	no_server
}

# SMC-Rv2 of Linux has no IPv6, and version 1 needs a GID of RoCE v1. Nor is there SMC-Rv2 without an enterprise id.
test_fallback()
{
	local before
	before=$(sent_bytes glassr1)
	serve beyond fd00:9:1::2
	smc_in there send fd00:9:1::2 "$TCP_PORT" 500000 >client.log
	fell_back client.log
	no_server
	smc no-eids
	serve beyond 10.9.1.2
	smc_in there send 10.9.1.2 "$TCP_PORT" 500000 >client.log
	fell_back client.log
	no_server
	smc eid GLASS
	(($(sent_bytes glassr1) - before < 100000)) || fail "the data went by RDMA"
	across 1000 1
}

hits()
{
	sed -n "s/^add name=loss .* hit=\([0-9]*\).*/\1/p" "$GLASS_DEBUGFS/$1/inject/rules"
}

test_loss()
{
	local lost device
	for device in glassr1 glassr2; do
		ibinject drop $device 'qptype==rc' --name loss --every 20 --count 10 >/dev/null
	done
	across 2000000 2
	lost="$(hits glassr1) $(hits glassr2)"
	ibinject clear >/dev/null
	assert_eq "$lost" "10 10" "lost packets"
}

# The module of SMC goes while it has link groups, and so does that of Glass.
test_modules_removed()
{
	across 300000 1
	smc_down
	no_smc_qps glassr1 glassr2 || fail "QPs are left"
	smc_up
	names
	across 300000 1
	unload_glass
	[[ -z $(smc devices | grep -v rxe0) ]] || fail "SMC has devices that are gone"
	modprobe glass
	wait_for 20 test -e /sys/class/infiniband/glass0
	udevadm settle --timeout=30
	in_ns there rdma link add glassr0 type glass netdev there
	in_ns there rdma link add glassr1 type glass netdev left
	in_ns beyond rdma link add glassr2 type glass netdev right
	wait_for 20 have_gids glassr1 10.9.1.1
	wait_for 20 have_gids glassr2 10.9.1.2
	wait_for 20 ready_for_smc glassr1 glassr2
	across 300000 1
}

# stays: a connection from glassr1 to glassr2 that is at work; its client in CLIENT
stays()
{
	# what a test before left
	ibinject clear >/dev/null
	serve beyond 10.9.1.2
	rm -f client.log
	start client.log nsenter --net=/run/netns/there python3 "$TESTS/programs/smc.py" stay 10.9.1.2 "$TCP_PORT"
	CLIENT=$STARTED
	wait_for 60 in_file client.log going || { cat client.log; fail "no connection"; }
	head -n 1 client.log >made.log
	made made.log 1 glassr1
}

# The link group of a connection outlives it by ten minutes. The namespaces go before.
test_namespace_removed()
{
	stays
	kill -KILL "$CLIENT"
	wait_for 20 gone "$CLIENT"
	no_server
	[[ -n $(smc_qps glassr1) ]] || fail "the link group has gone with its connection"
	ip netns del beyond
	# the other end of the veth pair goes, too
	wait_for 30 test ! -e /sys/class/infiniband/glassr2
	wait_for 30 test ! -e /sys/class/infiniband/glassr1
	second_wire
	wait_for 20 ready_for_smc glassr1 glassr2
	across 300000 1
}

# The tests from here on end link groups with connections at work: see above what Linux may leak then. A leaked socket also keeps its
# namespace.

# both_end WHY: both ends of that connection have ended, and no QP is left. Where the program is in the kernel decides whether it gets
# an error, or the end of the data.
both_end()
{
	wait_for 40 in_file server.log 'ended' || { cat server.log; fail "the server's end did not fail"; }
	finish "$CLIENT" client.log "client"
	note "$1: client $(tail -n 1 client.log), server $(tail -n 1 server.log)"
	in_file client.log '^ended (ECONNABORTED|ECONNRESET|ENOTCONN|EPIPE|by peer)$' || fail "the client ended in another way"
	no_server
	wait_for 20 no_smc_qps glassr1 glassr2 || fail "QPs are left: $(rdma resource show qp)"
}

# A QP fails: the link group ends, and with it its connections. The next one makes another.
test_qp_fails()
{
	local device
	for device in glassr1 glassr2; do
		stays
		ibinject qp "$device:$(smc_qps $device)" fatal >/dev/null
		both_end "a QP of $device failed"
		across 300000 1
	done
}

# No packet arrives any more: the QP of the sender gives up
test_silence()
{
	stays
	ibinject drop glassr1 'qptype==rc' --name loss >/dev/null
	both_end "no packet arrived"
	ibinject clear >/dev/null
	across 300000 1
}

test_device_removed()
{
	stays
	rdma link del glassr1
	both_end "glassr1 was removed"
	in_ns there rdma link add glassr1 type glass netdev left
	wait_for 20 have_gids glassr1 10.9.1.1
	wait_for 20 ready_for_smc glassr1
	across 300000 1
}
