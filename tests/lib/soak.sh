# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the soak: a fabric with traffic of all sorts, faults chosen at random, and what must hold after each round. Beside fabric.sh,
# netcable.sh, ipoib.sh, roce.sh and trace.sh.

CONFIG=/sys/kernel/config/glass
# What programs say of data that are not what was sent
WRONG_DATA='arrived when|bytes instead of|was due|invalid data|data mismatch|wrong bytes'
# What is written to the RAM disk, /dev/nvme0n1, and read back: a disk of NVMe-oF at the first address of IPoIB. Whole blocks of 512k.
DISK_KB=$((${SLOWER:-1} < 4 ? 2048 / ${SLOWER:-1} / 512 * 512 : 512))
# Seconds for one program, which ends earlier when nothing goes wrong. Those that faults made wait for ever are ended by it, so a round
# takes as long at its end.
PROGRAM_LIMIT=$((40 + 20 * ${SLOWER:-1}))
# Switches s1 and s2 have two cables between them; the switch far is reached through an Ethernet interface.
SOAK_FABRIC=('switch s1 ports=8' 'switch s2 ports=8' 'switch far ports=4'
	'hca glass0 ports=1' 'hca glass1 ports=1' 'hca glass2 ports=1' 'hca glass3 ports=1' 'hca glass4 ports=1'
	'cable s1:1 glass0:1' 'cable s2:1 glass1:1' 'cable s1:2 glass2:1' 'cable s2:2 glass3:1' 'cable far:1 glass4:1'
	'cable s1:7 s2:7' 'cable s1:8 s2:8')
# Ports whose cables are pulled
SOAK_CABLES=(s1:7 s1:8 s1:2 s2:2)
# An HCA that is removed, and its cable
SOAK_COMING=(glass3 'hca glass3 ports=1' 'cable s2:2 glass3:1')
# None of them lets a QP take data that were not sent: each must go unnoticed, or end in an error.
SOAK_RULES=('prob=2% act=drop' 'op=ack prob=5% act=drop' 'prob=3% copies=2 act=dup' 'prob=5% time=2ms jitter=1ms act=delay'
	'prob=3% gap=3 act=reorder' 'prob=2% what=payload bits=3 act=corrupt' 'prob=2% act=truncate' 'every=400 code=rem_op act=nak'
	'prob=2% act=rnr' 'qptype=rc every=3000 status=loc_prot_err act=cqe_error')
SOAK_DEVICES=(glass0 glass1 glass2 glass3 glass4 glassr1 glassr2)

# nap SECONDS, without a process
nap()
{
	read -r -t "$1" _ <>"$STATE/never" || :
}

# ---- the fabric

# hcas_routed: packets of glass0 arrive at the other HCAs of the fabric, and theirs at it
hcas_routed()
{
	local n
	for n in 1 2 3 4; do
		ibfabric trace --both glass0 "glass$n" || return 1
	done
}

soak_up()
{
	local n
	stop_opensm
	ibfabric clear
	veth_pair 4500
	printf '%s\n' "${SOAK_FABRIC[@]}" >"$CONFIG/commands" || fail "the fabric: $(<"$CONFIG/error")"
	netdev_cable near s2:4 wire
	netdev_cable far far:4 wire
	wait_for 20 cables_up
	udevadm settle --timeout=30
	fabric_opensm
	wait_for 60 hcas_routed
	modprobe ib_ipoib
	# HCAs that come back get the first names that are free here, and may not take that of an interface in another namespace
	for n in 0 1; do
		ip link set "$(ipoib_of glass$n/1)" name "soak$n"
	done
	ipoib_up
	disk_up
	ip netns add there
	second_wire
}

soak_down()
{
	second_wire_down
	ip netns del there
	nvme_down
	ipoib_down
	netcable_down
	unload_fabric
	# kernel consumers that would come with the module again
	load_glass
}

# A disk whose requests fail, 5 s after its connection did, and which connects again each second, for ever
disk_up()
{
	modprobe nvme-rdma
	target_up $HERE
	NVME_OPTIONS=reconnect_delay=1,ctrl_loss_tmo=-1,fast_io_fail_tmo=5 connect
}

# ---- programs that check their data

# pingpong A B PORT PROGRAM OPTION...: of libibverbs; both ends must end well
pingpong()
{
	local a=$1 b=$2 port=$3 server status=0
	shift 3
	"$@" -d "$a" -p "$port" >"server.$port" 2>&1 &
	server=$!
	wait_for 5 listening_or_gone "$port" "$server" || :
	"$@" -d "$b" -p "$port" localhost || status=$?
	((status == 0)) || kill "$server" 2>/dev/null || :
	wait "$server" || status=$?
	cat "server.$port"
	return "$status"
}

# any_pingpong A B PORT
any_pingpong()
{
	local -a programs=('ibv_rc_pingpong -c -n 300' 'ibv_rc_pingpong -c -n 40 -s 65536 -m 2048' 'ibv_uc_pingpong -c -n 200' 'ibv_ud_pingpong -c -n 100'
		'ibv_srq_pingpong -c -n 100 -q 8' 'ibv_rc_pingpong -c -e -n 100')
	local -a words
	read -r -a words <<<"${programs[SRANDOM % ${#programs[@]}]}"
	pingpong "$@" "${words[@]}"
}

# rdma_cm, by the addresses of IPoIB
ping_by_cm()
{
	local server status=0
	ip netns exec peer rping -s -V -C 30 -S 4000 -a $THERE >server.cm 2>&1 &
	server=$!
	wait_for 5 cm_listening_or_gone "$server" || :
	rping -c -V -C 30 -S 4000 -a $THERE || status=$?
	((status == 0)) || kill "$server" 2>/dev/null || :
	wait "$server" || status=$?
	cat server.cm
	return "$status"
}

# bytes by TCP over IPoIB, there and back; there is one server for all
stream_server()
{
	in_peer python3 -c '
import socket, sys, threading
listener = socket.create_server((sys.argv[1], 7009))
def echo(link):
    try:
        link.settimeout(120)
        while data := link.recv(1 << 16):
            link.sendall(data)
    except OSError:
        pass
    link.close()
while True:
    threading.Thread(target=echo, args=(listener.accept()[0],), daemon=True).start()' $THERE
}

stream()
{
	python3 -c '
import os, socket, sys, threading
data = os.urandom(1 << 17)
link = socket.create_connection((sys.argv[1], 7009), timeout=60)
threading.Thread(target=lambda: (link.sendall(data), link.shutdown(socket.SHUT_WR)), daemon=True).start()
got = b""
while part := link.recv(1 << 16):
    got += part
if got != data[:len(got)]:
    sys.exit("wrong bytes")
sys.exit(len(got) != len(data))' $THERE
}

# disk_io: random data to the disk, in blocks of several sizes, and back
disk_io()
{
	local block
	for block in 4k 64k 512k; do
		head -c "${DISK_KB}K" /dev/urandom >disk.data
		dd if=disk.data of=/dev/nvme0n1 bs="$block" oflag=direct conv=notrunc status=none || return 1
		dd if=/dev/nvme0n1 bs="$block" iflag=direct,count_bytes count="${DISK_KB}K" status=none >disk.back || return 1
		cmp disk.data disk.back || {
			echo 'wrong bytes'
			return 1
		}
	done
}

# rest SECONDS: on a slow kernel, whose few CPUs the programs would keep busy alone, each rests for as long as it ran, 20 s at most.
# Otherwise the timeouts of others (NVMe's, the subnet manager's) pass before any fault.
rest()
{
	if ((SLOWER > 1)); then
		nap $(($1 < 20 ? $1 : 20))
	fi
}

# keep NAME COMMAND...: over and over, until the file "stop" is there. NAME.ends has the status of each; NAME.bad, what the first one
# said that got wrong data, or died of a signal that only a mistake in it, or in the provider, sends.
keep()
{
	local name=$1 status began
	shift
	while [[ ! -e stop ]]; do
		status=0 began=$SECONDS
		timeout -k 10 "$PROGRAM_LIMIT" "$@" >"$name.last" 2>&1 </dev/null || status=$?
		echo "$status" >>"$name.ends"
		if [[ ! -e $name.bad ]] && { [[ $status =~ ^(132|134|135|136|139)$ ]] || grep -qE "$WRONG_DATA" "$name.last"; }; then
			{ echo "status $status"; cat "$name.last"; } >"$name.bad"
		fi
		if ((status == 0)); then
			: >"$name.well"
		else
			nap 0.2
		fi
		rest $((SECONDS - began))
	done
}

# keep_function NAME FUNCTION ARG...
keep_function()
{
	local name=$1
	shift
	keep "$name" bash -c "set -u; $(declare -p STATE SLOWER HERE THERE DISK_KB 2>/dev/null); $(declare -f); \"\$@\"" - "$@"
}

ACTORS=(mixed srq xrc across back ping1 ping2 ether cm tcp disk)

actors_begin()
{
	local a b
	KEEPERS=()
	rm -f stop ./*.ends ./*.bad ./*.well
	a=$(gid_of glassr1 10.9.1.1) b=$(gid_of glassr2 10.9.1.2)
	start stream.log stream_server
	STREAM=$STARTED
	local -a n=(--count $((6000 / SLOWER)) --timeout 12 --retry 7)
	keep mixed traffic -a glass0 -b glass1 "${n[@]}" &
	KEEPERS+=($!)
	keep srq traffic -a glass2 -b glass3 --srq --mode send "${n[@]}" &
	KEEPERS+=($!)
	keep xrc traffic -a glass3 -b glass0 --xrc "${n[@]}" &
	KEEPERS+=($!)
	keep across traffic -a glass1 -b glass4 --size 20000 --count $((200 / SLOWER)) --timeout 14 &
	KEEPERS+=($!)
	keep back traffic -a glass4 -b glass2 --mode write --count $((1000 / SLOWER)) --timeout 14 &
	KEEPERS+=($!)
	keep_function ping1 any_pingpong glass0 glass3 18700 &
	KEEPERS+=($!)
	keep_function ping2 any_pingpong glass1 glass2 18701 &
	KEEPERS+=($!)
	keep ether traffic -a glassr1 -b glassr2 --a-gid "$a" --b-gid "$b" --count $((1500 / SLOWER)) --timeout 12 --retry 7 &
	KEEPERS+=($!)
	keep_function cm ping_by_cm &
	KEEPERS+=($!)
	keep_function tcp stream &
	KEEPERS+=($!)
	keep_function disk disk_io &
	KEEPERS+=($!)
}

actors_end()
{
	: >stop
	kill "$STREAM"
	# not the subnet manager, which goes on
	wait "${KEEPERS[@]}" "$STREAM" || :
}

all_well()
{
	local name
	for name in "${ACTORS[@]}"; do
		[[ -e $name.well ]] || return 1
	done
}

not_well()
{
	local name
	for name in "${ACTORS[@]}"; do
		[[ -e $name.well ]] || echo "$name"
	done | paste -sd' '
}

# last_words: what those that did not end well said last
last_words()
{
	local name
	for name in $(not_well); do
		echo "$name, which ended with: $(sort "$name.ends" 2>/dev/null | uniq -c | paste -sd,)"
		tail -n 20 "$name.last"
	done
}

# all_there_is: what a person needs who asks why traffic does not go on
all_there_is()
{
	local device
	uptime
	ps -eo pid,ppid,stat,wchan:24,etimes,args --sort=pid | grep -v '\[.*\]$'
	ip -s link
	ip neigh
	ss -tain
	(in_peer sh -c 'ip -s link; ip neigh; ss -tain; nstat -z TcpRetransSegs TcpExtTCPTimeouts')
	for device in "${SOAK_DEVICES[@]}"; do
		cat "$GLASS_DEBUGFS/$device/drops"
		echo "rules of $device:"
		cat "$GLASS_DEBUGFS/$device/inject/rules"
	done
	tail -n 20 "$STATE/opensm.log"
	ibtop -b -n 2 -d 1 -v qp -c dev,qpn,type,state,pid,comm,peer,tx_msgs_s,why || :
	saquery MCMR 2>/dev/null | grep -E 'MGID|Mlid|Rate|Mtu' || :
}

# ---- chaos: each takes a moment, and leaves nothing that heal does not mend

CHAOS=(rule rule rule unruled kill kill freeze cable cable remove unplug manager cpu memory tenant tables tool tool events port)

# programs: the processes that make traffic
programs()
{
	pgrep 'traffic|^ibv_|^rping$' || :
}

# one_of WORD...: in CHOSEN, by the seed. RANDOM is read in this shell alone, so that the seed decides all.
one_of()
{
	local -a words=("$@")
	CHOSEN=''
	((!$#)) || CHOSEN=${words[RANDOM % $#]}
}

# write LINE FILE: it may be refused, or the file may have gone
write()
{
	{ printf '%s\n' "$1" >"$2"; } 2>/dev/null || :
}

chaos_rule()
{
	local rule
	one_of "${SOAK_RULES[@]}"
	rule=$CHOSEN
	one_of "${SOAK_DEVICES[@]}"
	DID+=" $CHOSEN: $rule"
	write "add $rule seed=$RANDOM ttl=4s" "$GLASS_DEBUGFS/$CHOSEN/inject/rules"
}

chaos_unruled()
{
	one_of "${SOAK_DEVICES[@]}"
	write clear "$GLASS_DEBUGFS/$CHOSEN/inject/rules"
}

chaos_kill()
{
	# shellcheck disable=SC2046 # one a word
	one_of $(programs)
	[[ -z $CHOSEN ]] || kill -KILL "$CHOSEN" 2>/dev/null || :
}

chaos_freeze()
{
	# shellcheck disable=SC2046
	one_of $(programs)
	[[ -n $CHOSEN ]] || return 0
	kill -STOP "$CHOSEN" 2>/dev/null || return 0
	nap 0.7
	kill -CONT "$CHOSEN" 2>/dev/null || :
}

chaos_cable()
{
	one_of "${SOAK_CABLES[@]}"
	write "pull $CHOSEN" "$CONFIG/commands"
	nap "0.$((RANDOM % 9 + 1))"
	write "plug $CHOSEN" "$CONFIG/commands"
}

chaos_remove()
{
	local line
	write "remove ${SOAK_COMING[0]}" "$CONFIG/commands"
	nap "0.$((RANDOM % 9 + 1))"
	for line in "${SOAK_COMING[@]:1}"; do
		write "$line" "$CONFIG/commands"
	done
}

chaos_unplug()
{
	write "add act=unplug time=500ms" "$GLASS_DEBUGFS/glass3/inject/rules"
}

chaos_port()
{
	one_of glass2 glass3 glass4
	write "add act=port_flap port=1 time=200ms" "$GLASS_DEBUGFS/$CHOSEN/inject/rules"
}

chaos_manager()
{
	local pid
	pid=$(<"$STATE/opensm.pid")
	kill -KILL "$pid" 2>/dev/null || :
	wait_for 10 gone "$pid"
	fabric_manager
}

# fabric_manager: OpenSM, without waiting for what it makes of a fabric that changes
fabric_manager()
{
	setsid opensm -d 2 --log_file "$STATE/opensm.log" --erase_log_file >"$STATE/opensm.out" 2>&1 </dev/null &
	echo $! >"$STATE/opensm.pid"
}

chaos_cpu()
{
	local cpu=/sys/devices/system/cpu/cpu1/online
	[[ -e $cpu ]] || return 0
	write 0 "$cpu"
	nap 0.5
	write 1 "$cpu"
}

# The whole guest: most of what is free is taken, and the kernel writes back and forgets what it can.
chaos_memory()
{
	local kb
	kb=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
	timeout 5 python3 -c 'import sys; b = bytearray(int(sys.argv[1]) << 10); b[::4096] = b"x" * len(b[::4096])' $((kb * 8 / 10)) || :
}

# One program with too little memory of its own
chaos_tenant()
{
	local group=/sys/fs/cgroup/soak
	mkdir "$group" 2>/dev/null && write 24M "$group/memory.max" || return 0
	timeout 5 bash -c 'echo $$ >"$1/cgroup.procs"; exec traffic -a glass0 -b glass2 --count 200 --size 100000' - "$group" >/dev/null 2>&1 || :
	wait_for 5 rmdir "$group"
}

chaos_tables()
{
	timeout 10 find "$GLASS_DEBUGFS" -type f -perm -400 ! -name capture ! -name 'raw*' -exec timeout 1 cat {} + >/dev/null 2>&1 || :
}

chaos_tool()
{
	one_of 'ibtop --batch --count 2' 'ibcap -q -w /dev/null glass0 glass1' 'ibcap --flight -q -w /dev/null glass0' \
		'iblint -q -- traffic --count 100' 'ibwhy --last' 'rdma resource show qp' 'iblinkinfo' 'ibinject list' 'ibfabric show' 'saquery'
	DID+=" $CHOSEN"
	# shellcheck disable=SC2086 # a command line
	timeout 4 $CHOSEN >/dev/null 2>&1 || :
}

chaos_events()
{
	echo 1 >"$TRACING/events/glass/enable"
	nap 0.5
	echo 0 >"$TRACING/events/glass/enable"
}

# chaos_for SECONDS LOG: what was done, a line each, is in LOG
chaos_for()
{
	local until=$((SECONDS + $1)) what
	while ((SECONDS < until)); do
		one_of "${CHAOS[@]}"
		what=$CHOSEN DID=''
		"chaos_$what"
		echo "$what$DID" >>"$2"
		nap "0.$((RANDOM % 6 + 1))"
	done
}

# heal: no rule, all cables and HCAs there, a subnet manager at work
heal()
{
	local device port
	for device in "${SOAK_DEVICES[@]}"; do
		write clear "$GLASS_DEBUGFS/$device/inject/rules"
	done
	write 1 /sys/devices/system/cpu/cpu1/online
	for port in "${SOAK_CABLES[@]}"; do
		write "plug $port" "$CONFIG/commands"
	done
	# It may stand unplugged, which the rule's end undoes.
	wait_for 20 test -e /sys/class/infiniband/glass3
	stop_opensm
	fabric_opensm
	wait_for 60 hcas_routed || {
		ibfabric show
		table cables a b pulled a_state b_state
		table netdevs a state trouble
		fail "not all HCAs are reached after all faults had ended"
	}
}
