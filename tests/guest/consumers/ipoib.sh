# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 50
# long: all sizes, and links that go and come
# IPoIB: the kernel's own consumer of UD, multicast and the subnet manager's address paths.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"

setup()
{
	fresh_glass
	start_opensm
	ipoib_up
}

cleanup()
{
	ipoib_down
	stop_opensm
}

LIMIT=40

mtu()
{
	cat "/sys/class/net/$1/mtu"
}

# pings N OPTION...: the first N are all answered, however late: with a time limit ping goes on until it has N answers. One is on
# its way at a time (-A): datagrams have no flow control.
pings()
{
	local n=$1
	shift
	ping -A -c "$n" -w $((${SLOWER:-1} * 20)) "$@" $THERE >ping.log || :
	cat ping.log
	sed -n 's/.* icmp_seq=\([0-9]*\) .*/\1/p' ping.log | sort -nu | head -n "$n" >answered
	seq "$n" | diff - answered || fail "not all of $n were answered"
}

xmit_packets()
{
	cat "/sys/class/infiniband/$1/ports/1/counters/port_xmit_packets"
}

test_datagram_mode()
{
	ipoib_names
	assert_eq "$(cat "/sys/class/net/$HERE_IF/mode")" datagram mode
	# The broadcast group that OpenSM makes by itself has an MTU of 2048; IPoIB's header takes four of them.
	wait_for 10 eval '(($(mtu "$HERE_IF") == 2044))' || fail "MTU is $(mtu "$HERE_IF")"
}

# The packets must have gone through the adapters, in both directions.
test_ping_crosses_the_fabric()
{
	local here there
	here=$(xmit_packets glass0) there=$(xmit_packets glass1)
	pings 100
	here=$(($(xmit_packets glass0) - here)) there=$(($(xmit_packets glass1) - there))
	((here >= 100 && there >= 100)) || fail "port_xmit_packets grew by $here and $there"
}

test_ping_sizes()
{
	local size mtu
	ipoib_names
	mtu=$(mtu "$HERE_IF")
	for size in 0 1 3 64 1000 1473 $((mtu - 29)) $((mtu - 28)); do
		pings 5 -M 'do' -s "$size"
	done
	refuses ping -c 1 -W 2 -M 'do' -s $((mtu - 27)) $THERE
	# in fragments; ping's socket has room for one such answer
	for size in {1..10}; do
		pings 1 -s 60000
	done
}

# ARP asks by multicast; the answer carries the QP and the GID, and the subnet manager knows the LID of that.
test_arp()
{
	local there
	ipoib_names
	there=$(ip -n peer -o link show "$THERE_IF" | sed -n 's:.*link/infiniband \([0-9a-f:]*\) .*:\1:p')
	ip neigh flush dev "$HERE_IF"
	ip -n peer neigh flush dev "$THERE_IF"
	pings 2
	ip neigh show dev "$HERE_IF" | tee neigh
	assert_match "$(<neigh)" "^$THERE lladdr $there "
}

# Every address of the link answers, so both have joined the same group in the subnet manager.
test_ipv6_multicast()
{
	local there
	ipoib_names
	there=$(ip -n peer -o -6 addr show dev "$THERE_IF" scope link | sed -n 's:.*inet6 \([0-9a-f:]*\)/.*:\1:p')
	answers()
	{
		ping -6 -c 1 -W 1 "$there%$HERE_IF"
	}
	wait_for 10 answers
	# -L: this side's own answers do not count.
	all_nodes()
	{
		ping -6 -L -c 1 -W 1 "ff02::1%$HERE_IF" | grep -q "bytes from $there"
	}
	wait_for 15 all_nodes
}

test_groups_at_the_subnet_manager()
{
	saquery -g | tee groups
	# IPv4 broadcast and all-hosts
	assert_match "$(<groups)" 'MGID\.*ff12:401b:ffff::ffff:ffff'
	assert_match "$(<groups)" 'MGID\.*ff12:401b:ffff::1'
}

# UDP to a group that only the peer has joined: the sender becomes a member that only sends.
test_udp_multicast()
{
	cat >receiver.py <<'END'
import socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('', 7007))
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton('239.5.5.5') + socket.inet_aton(sys.argv[1]))
print('joined', flush=True)
print('got', s.recvfrom(9000)[0].decode())
END
	cat >sender.py <<'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(sys.argv[1]))
s.sendto(b'hello', ('239.5.5.5', 7007))
END
	start receiver.log in_peer python3 receiver.py $THERE
	local receiver=$STARTED
	wait_for 20 in_file receiver.log joined
	# The subnet manager sets up the route after it has answered the join: what is sent before is lost.
	sent_and_gone()
	{
		python3 sender.py $HERE
		gone "$receiver"
	}
	wait_for 20 sent_and_gone
	finish "$receiver" receiver.log
	assert_match "$(<receiver.log)" 'got hello'
	saquery -g | grep -i 'ff12:401b:ffff::f05:505'
}

# transfer MEGABYTES: TCP there and back, each side's digest compared
transfer()
{
	cat >server.py <<'END'
import hashlib, socket, sys
s = socket.create_server((sys.argv[1], 7008))
print('ready', flush=True)
c, _ = s.accept()
h = hashlib.sha256()
while True:
    data = c.recv(1 << 16)
    if not data:
        break
    h.update(data)
    c.sendall(data)
print(h.hexdigest())
END
	cat >client.py <<'END'
import hashlib, os, socket, sys, threading
s = socket.create_connection((sys.argv[1], 7008))
block = os.urandom(1 << 20)
total = int(sys.argv[2])
sent, got = hashlib.sha256(), hashlib.sha256()
def send():
    for i in range(total):
        data = i.to_bytes(4, 'big') + block[4:]
        sent.update(data)
        s.sendall(data)
    s.shutdown(socket.SHUT_WR)
t = threading.Thread(target=send)
t.start()
n = 0
while True:
    data = s.recv(1 << 16)
    if not data:
        break
    n += len(data)
    got.update(data)
t.join()
assert n == total << 20, n
assert sent.digest() == got.digest()
print(sent.hexdigest())
END
	start server.log in_peer python3 server.py $THERE
	local server=$STARTED
	wait_for 20 in_file server.log ready
	python3 client.py $THERE "$1" | tee client.log
	finish "$server" server.log
	assert_eq "$(tail -n 1 server.log)" "$(tail -n 1 client.log)" "the digest of what arrived"
}

test_tcp_transfer()
{
	local before after
	before=$(xmit_packets glass0)
	transfer 10
	after=$(xmit_packets glass0)
	((after - before >= 10 * 1048576 / 2044)) || fail "only $((after - before)) packets for 10 MiB"
}

test_second_port_takes_over()
{
	local second
	ipoib_names
	second=$(ipoib_of glass0/2)
	ip addr del $HERE/24 dev "$HERE_IF"
	ip addr add $HERE/24 dev "$second"
	ip link set "$second" up
	# The peer still has the first port's hardware address.
	ip -n peer neigh flush dev "$THERE_IF"
	wait_for 20 ping -c 1 -W 1 $THERE
	pings 20
	ip addr del $HERE/24 dev "$second"
	ip link set "$second" down
	ip addr add $HERE/24 dev "$HERE_IF"
	ip -n peer neigh flush dev "$THERE_IF"
	wait_for 20 ping -c 1 -W 1 $THERE
}

test_down_and_up()
{
	local i
	ipoib_names
	for i in 1 2 3; do
		ip link set "$HERE_IF" down
		ip -n peer link set "$THERE_IF" down
		ip -n peer link set "$THERE_IF" up
		ip link set "$HERE_IF" up
		wait_for 20 ping -c 1 -W 1 $THERE || fail "no answer after round $i"
	done
}

# RC queue pairs with an SRQ, owned by the kernel.
test_connected_mode()
{
	ipoib_names
	echo connected >"/sys/class/net/$HERE_IF/mode"
	ip netns exec peer sh -c "echo connected >/sys/class/net/$THERE_IF/mode"
	ip link set "$HERE_IF" mtu 65520
	ip -n peer link set "$THERE_IF" mtu 65520
	wait_for 20 ping -c 1 -W 1 $THERE
	wait_for 20 ping -c 1 -W 1 -M 'do' -s 65000 $THERE
	for try in {1..10}; do
		pings 1 -M 'do' -s 65000
	done
	transfer 20
	echo datagram >"/sys/class/net/$HERE_IF/mode"
	ip netns exec peer sh -c "echo datagram >/sys/class/net/$THERE_IF/mode"
	wait_for 20 ping -c 1 -W 1 $THERE
}

glass0_sent_more_than()
{
	(($(xmit_packets glass0) > $1))
}

# gone_with_an_event_on_its_way FROM: leaves connected mode when more than FROM packets were sent, CPU 1 being busy until then
# and a while longer
gone_with_an_event_on_its_way()
{
	local busy seconds=0.7 status=0
	((${SLOWER:-1} == 1)) || seconds=2
	timeout "$seconds" taskset -c 1 chrt -f 50 sh -c 'while :; do :; done' &
	busy=$!
	ping -q -c 1 -W 1 -I "$HERE_IF" 224.0.0.1 >/dev/null &
	wait_for 5 glass0_sent_more_than "$1" || status=$?
	echo datagram >"/sys/class/net/$HERE_IF/mode" || status=1
	wait "$busy" || :
	return $status
}

# IPoIB destroys the queue pairs of connections from a workqueue that must go on when memory is short. What such a one waits for
# must be able to, too; the kernel complains (check_flush_dependency) when it has to wait for what may not. It waits for the event of
# a completion vector when that is on its way to its CPU, which is busy here.
test_connection_goes_with_an_event_on_its_way()
{
	local limits=/sys/devices/virtual/workqueue status=0 wq
	local -A mask
	(($(nproc) > 1)) || skip "one CPU has no vector but its own"
	ipoib_names
	echo connected >"/sys/class/net/$HERE_IF/mode"
	ip netns exec peer sh -c "echo connected >/sys/class/net/$THERE_IF/mode"
	wait_for 20 ping -c 1 -W 1 $THERE
	# All that IPoIB and Glass do is done by CPU 0, and the vector of IPoIB's sends is CPU 1's.
	taskset -p -c 0 $BASHPID >/dev/null
	for wq in "$limits" "$limits/glass"; do
		mask[$wq]=$(<"$wq/cpumask")
		echo 1 >"$wq/cpumask"
	done
	echo 1 >/sys/kernel/debug/clear_warn_once
	gone_with_an_event_on_its_way "$(xmit_packets glass0)" || status=$?
	for wq in "$limits/glass" "$limits"; do
		echo "${mask[$wq]}" >"$wq/cpumask"
	done
	ip netns exec peer sh -c "echo datagram >/sys/class/net/$THERE_IF/mode"
	((status == 0)) || fail "status $status"
	wait_for 20 ping -c 1 -W 1 $THERE
}

# pkey_index VALUE: which entry of the table of glass0's first port has it
pkey_index()
{
	basename "$(grep -lx "$1" /sys/class/infiniband/glass0/ports/1/pkeys/*)"
}

carrier_is()
{
	[[ $(<"/sys/class/net/$1/carrier") == "$2" ]]
}

# A child interface is in another partition, with a broadcast group of its own. Its data is right, also when packets of that partition are
# lost. It loses its carrier with the P_Key, and works again when the port has it back.
LIMIT_test_child_interface=120
test_child_interface()
{
	local rules=$GLASS_DEBUGFS/glass0/inject/rules HERE=10.7.2.1 THERE=10.7.2.2 hit
	ipoib_names
	stop_opensm
	echo 'Default=0x7fff, ipoib : ALL=full; lab=0x2, ipoib : ALL=full;' >partitions.conf
	start_opensm --Pconfig "$PWD/partitions.conf"
	wait_for 20 pkey_index 0x8002
	ip link add link "$HERE_IF" name child type ipoib pkey 0x8002
	ip -n peer link add link "$THERE_IF" name child type ipoib pkey 0x8002
	ip addr add $HERE/24 dev child
	ip -n peer addr add $THERE/24 dev child
	ip link set child up
	ip -n peer link set child up
	wait_for 30 ping -c 1 -W 1 $THERE
	saquery -g | grep -i 'ff12:401b:8002::ffff:ffff' || fail "no broadcast group of the partition"
	pings 20
	ibinject drop glass0 'qptype==ud && op==send && pkey==0x8002' --every 50 --name lost
	transfer 2
	hit=$(sed -n 's/^add name=lost .* hit=\([0-9]*\).*/\1/p' "$rules")
	((hit >= 10)) || fail "$hit packets of the partition were lost"
	ibinject del glass0 lost

	ibinject add glass0 name=gone port=1 index="$(pkey_index 0x8002)" value=0 act=pkey_change
	wait_for 20 carrier_is child 0
	ping -c 1 -W 5 10.7.0.2 || fail "the interface of the default partition does not work either"
	refuses ping -c 1 -W 2 $THERE
	ibinject del glass0 gone
	wait_for 30 ping -c 1 -W 1 $THERE
	transfer 1

	ip link del child
	ip -n peer link del child
	stop_opensm
	start_opensm
	HERE=10.7.0.1 THERE=10.7.0.2
	wait_for 30 ping -c 1 -W 1 $THERE
}

# The driver goes while the kernel's own consumers use it. Without a subnet manager the kernel waits for its
# multicast leaves to time out, which takes most of the half minute of this test.
LIMIT_test_unload_under_traffic=90
test_unload_under_traffic()
{
	start ping.log ping -q -i 0.005 $THERE
	stop_opensm
	unload_glass
	kill "$STARTED"
	ip netns del peer
	load_glass
	start_opensm
	ipoib_up
	pings 5
}
