# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Several guests (--hosts N), joined as a star: host 1 has a cable to each other host, and the others have none among each other.
#
# Each of the hosts 2 to N has a shell of its own, its keeper, which boots the guest, waits for its end and judges it, as the main
# shell does with host 1. The main shell gives orders to a keeper in a file order$K, and is told of a host's end in a file down$K;
# the line "look" in the other one's FIFO ctl.out only says that there is something to look at.
#
# Between each pair of guests there are two unix sockets of QEMU's, which nothing else can reach:
#   net$K   the cable: virtio-net at both ends. On host 1 the NIC is named host$K, on host K host1 (vm/guest/init).
#   on$K    virtio-serial at both ends: the command `on` of host 1 (vm/guest/hosts.h). It does not use the NIC, because tests cut,
#           rename and overload that, and because a guest sees at once when the other end of such a port has gone.
# Each guest has one port more, "power": host 1 asks the main shell to kill and boot guests, and a keeper tells its guest to end.

MOST_HOSTS=4
CABLE_MTU=9000		# the largest that a NIC takes; the guest's start-up sets a smaller one
END_LIMIT=60		# seconds for the end of a host, after that of the command
END_LIMIT_BUILT=300	# the same where it looks for lost memory first

declare -a HOST_PID=()	# of the keepers that live
HOSTS_STATUS=0 SOCKETS=''

# check_hosts_kernel: has the kernel what hosts need? Of one that is built here that can be said before it is built.
check_hosts_kernel()
{
	local -a config
	((OPT_HOSTS > 1)) || return 0
	if kernel_is_built; then
		config=("$VM"/kernel/{base,"$OPT_KERNEL"}.config)
	elif [[ -n $KERNEL ]]; then
		config=("$KERNEL/build/.config")
	else
		config=("$ROOT/root/boot/config-$KVER")
	fi
	grep -qs '^CONFIG_VIRTIO_NET=[my]' "${config[@]}" ||
		die "$ST_USAGE" "--hosts $OPT_HOSTS: the kernel $OPT_KERNEL has no virtio_net (CONFIG_VIRTIO_NET), by which hosts are joined; take another --kernel, such as stable"
}

# host_link K: adds the two ends that this host has of its links with host K, or, on host K, with host 1.
host_link()
{
	local k=$1 peer=1 end=02 role=$RECONNECT
	if ((HOST == 1)); then
		peer=$k end=01 role='server=on'
	fi
	HOST_DEVICES+=(
		-chardev "socket,id=on$k,path=$(qemu_quote "$SOCKETS/on$k"),$role$( ((HOST > 1)) || echo ',wait=off')"
		-device "virtserialport,nr=$((3 + k)),chardev=on$k,name=host$peer"
		-netdev "stream,id=net$k,addr.type=unix,addr.path=$(qemu_quote "$SOCKETS/net$k"),$role"
		# No boot ROM: it would only take time.
		-device "virtio-net-pci,netdev=net$k,mac=52:54:00:77:0$k:$end,host_mtu=$CABLE_MTU,romfile="
	)
}

# host_devices: what joins this host with others, in HOST_DEVICES. After RUNDIR was made.
host_devices()
{
	local k version
	version=$("${QEMU[@]}" --version | sed -n '1s/^QEMU emulator version \([0-9.]*\).*/\1/p')
	# Either end may start first, and be booted anew.
	RECONNECT=server=off,reconnect=1
	[[ $(printf '%s\n' 9.2 "$version" | sort -V | head -n 1) != 9.2 ]] || RECONNECT=server=off,reconnect-ms=300
	mkfifo "$RUNDIR/power.in"
	# Read with the lines of the control channel.
	ln -s ctl.out "$RUNDIR/power.out"
	exec {POWER_IN}<>"$RUNDIR/power.in"
	# shellcheck disable=SC2054 # the commas are QEMU's
	HOST_DEVICES=(-chardev "pipe,id=power,path=$(qemu_quote "$RUNDIR/power")" -device virtserialport,nr=4,chardev=power,name=power)
	if ((HOST > 1)); then
		host_link "$HOST"
		return
	fi
	for ((k = 2; k <= OPT_HOSTS; k++)); do
		host_link "$k"
	done
}

# hosts_start: the keepers of all hosts but the first. After share_files.
hosts_start()
{
	local k
	WHOSE='host1: ' SOCKETS=$RUNS
	# A unix socket's name has 107 characters at most.
	((${#RUNS} < 90)) || SOCKETS=$(mktemp -d /tmp/glass-vm.XXXXXX)
	for ((k = 2; k <= OPT_HOSTS; k++)); do
		host_start "$k"
	done
}

host_start()
{
	rm -f "$RUNS/order$1" "$RUNS/down$1"
	host_keep "$1" </dev/null &
	HOST_PID[$1]=$!
}

# host_keep K: the keeper, a shell of its own. Its status is 0, $ST_SPLAT or $ST_GUEST.
host_keep()
{
	HOST=$1 WHOSE="host$1: " QEMU_PID='' CATS=() STTY_SAVED='' OPT_TIMEOUT=0 GUEST_CUT=0 GUEST_END_BY=0
	unset -f send_size
	trap guest_cleanup EXIT
	trap 'exit 143' TERM HUP
	guest_boot run /run/glass/hosts serve
	if ((GUEST_CUT)); then
		GUEST_WHY="killed by: on $HOST --kill"
	elif [[ -z $GUEST_FAILURE ]] && ((!GUEST_END_BY || GUEST_STATUS)); then
		GUEST_FAILURE="the server of its commands ended by itself, status $GUEST_STATUS"
		GUEST_WHY=$GUEST_FAILURE GUEST_STATUS=$ST_GUEST
	fi
	guest_verdict
	tell_shell "down$HOST" 1 "$GUEST_WHY"
	exit "$GUEST_STATUS"
}

# tell_shell FILE HOST TEXT: for the shell of that host
tell_shell()
{
	local fifo=$RUNS/host$2/ctl.out
	printf '%s\n' "$3" >"$RUNS/$1.new" && mv "$RUNS/$1.new" "$RUNS/$1"
	# Opened to read and write, it does not wait for a reader. If it is not there, the shell looks within a second.
	# shellcheck disable=SC2094
	[[ ! -p $fifo ]] || echo look 1<>"$fifo"
}

# hosts_look: is there something to do? Once a second, and when told to look.
hosts_look()
{
	local k why
	if ((HOST > 1)); then
		keeper_look
		return
	fi
	for ((k = 2; k <= OPT_HOSTS; k++)); do
		[[ -n ${HOST_PID[k]:-} ]] || continue
		if [[ ! -e $RUNS/down$k ]]; then
			! kill -0 "${HOST_PID[k]}" 2>/dev/null || continue
			[[ -e $RUNS/down$k ]] || echo "its keeper ended" >"$RUNS/down$k"
		fi
		why=$(<"$RUNS/down$k")
		host_reap "$k"
		printf 'down %d %s\n' "$k" "$why" >&"$POWER_IN"
		# The command cannot begin.
		((GUEST_READY)) || GUEST_STATUS=$ST_GUEST
	done
}

keeper_look()
{
	local order=''
	kill -0 $$ 2>/dev/null || exit "$ST_GUEST"
	if [[ -e $RUNS/order$HOST ]]; then
		order=$(<"$RUNS/order$HOST")
		rm -f "$RUNS/order$HOST"
	fi
	if [[ $order == cut ]] || { [[ $order == end ]] && ((!GUEST_READY)); }; then
		GUEST_CUT=1 GUEST_STATUS=0
	elif [[ $order == end ]]; then
		GUEST_END_BY=$((EPOCHSECONDS + $(kernel_is_built && echo "$END_LIMIT_BUILT" || echo "$END_LIMIT")))
		echo end >&"$POWER_IN"
	elif ((GUEST_END_BY && EPOCHSECONDS >= GUEST_END_BY)); then
		guest_failed "$ST_GUEST" "the guest did not end when the command of host 1 had ended"
	fi
}

# host_power LINE: host 1 asks to kill or to start a host. A host that has ended, or runs, is told by "down" or by itself.
host_power()
{
	[[ $1 =~ ^(kill|start)\ ([2-9])$ ]] && ((HOST == 1 && BASH_REMATCH[2] <= OPT_HOSTS)) || return 0
	local k=${BASH_REMATCH[2]}
	if [[ ${BASH_REMATCH[1]} == kill ]]; then
		[[ -z ${HOST_PID[k]:-} ]] || tell_shell "order$k" "$k" cut
	elif [[ -z ${HOST_PID[k]:-} ]]; then
		host_start "$k"
	fi
}

host_reap()
{
	local status=0
	wait "${HOST_PID[$1]}" || status=$?
	HOST_PID[$1]=''
	((HOSTS_STATUS == ST_GUEST || status == 0)) || HOSTS_STATUS=$status
}

# hosts_end: of all others: in order when the command has ended, so that what is in $OUT arrives; else at once.
hosts_end()
{
	local k order=end
	[[ -z $GUEST_FAILURE && $GUEST_STATUS != 141 ]] || order='cut'
	for k in "${!HOST_PID[@]}"; do
		[[ -z ${HOST_PID[k]} ]] || tell_shell "order$k" "$k" "$order"
	done
	for k in "${!HOST_PID[@]}"; do
		[[ -z ${HOST_PID[k]} ]] || host_reap "$k"
	done
}

# hosts_verdict: what the other hosts make of the status
hosts_verdict()
{
	hosts_end
	((GUEST_STATUS)) || GUEST_STATUS=$HOSTS_STATUS
}

# When the run is broken off.
hosts_cleanup()
{
	local k
	for k in "${!HOST_PID[@]}"; do
		[[ -z ${HOST_PID[k]} ]] || kill "${HOST_PID[k]}" 2>/dev/null
	done
	wait 2>/dev/null
	[[ -z $SOCKETS || $SOCKETS == "$RUNS" ]] || rm -rf --one-file-system -- "$SOCKETS"
}
