# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# NVMe over fabrics for suites: host and target of the stock kernel, with a RAM disk behind them. nvme_up and nvme_down, beside
# ipoib.sh, have both ends in the first network namespace: they talk on one port. The target of another host: on_target.

NVMET=/sys/kernel/config/nvmet
NQN=glass-ram

# target_up ADDRESS: a target with /dev/ram0, 32 MiB
target_up()
{
	modprobe brd rd_nr=1 rd_size=32768
	modprobe nvmet-rdma
	mkdir "$NVMET/subsystems/$NQN" "$NVMET/subsystems/$NQN/namespaces/1" "$NVMET/ports/1"
	echo 1 >"$NVMET/subsystems/$NQN/attr_allow_any_host"
	printf /dev/ram0 >"$NVMET/subsystems/$NQN/namespaces/1/device_path"
	echo 1 >"$NVMET/subsystems/$NQN/namespaces/1/enable"
	echo ipv4 >"$NVMET/ports/1/addr_adrfam"
	echo rdma >"$NVMET/ports/1/addr_trtype"
	echo "$1" >"$NVMET/ports/1/addr_traddr"
	echo 4420 >"$NVMET/ports/1/addr_trsvcid"
	ln -s "$NVMET/subsystems/$NQN" "$NVMET/ports/1/subsystems/$NQN"
}

target_down()
{
	rm "$NVMET/ports/1/subsystems/$NQN"
	rmdir "$NVMET/ports/1" "$NVMET/subsystems/$NQN/namespaces/1" "$NVMET/subsystems/$NQN"
	modprobe -r nvmet-rdma brd
}

# on_target up|down [ADDRESS]: the target of host 2
on_target()
{
	on 2 bash -c "set -eu; $(declare -p NVMET NQN); $(declare -f target_up target_down); target_$1 ${2:-}"
}

# nvme_up: IPoIB must be up; the disk is /dev/nvme0n1
nvme_up()
{
	target_up $HERE
	modprobe nvme-rdma
	connect
}

nvme_down()
{
	disconnect
	modprobe -r nvme-rdma
	target_down
}

disk_there()
{
	[[ -b /dev/nvme0n1 ]]
}

no_disk()
{
	[[ ! -e /dev/nvme0n1 ]]
}

# connect [ADDRESS]: of the target; NVME_OPTIONS may have further options
# shellcheck disable=SC2120 # suites of two hosts give the address
connect()
{
	echo "transport=rdma,traddr=${1:-$HERE},trsvcid=4420,nqn=$NQN,nr_io_queues=2${NVME_OPTIONS:+,$NVME_OPTIONS}" >/dev/nvme-fabrics
	wait_for 20 disk_there || fail "no disk"
}

disconnect()
{
	disk_there || return 0
	echo 1 >/sys/class/nvme/nvme0/delete_controller
	wait_for 30 no_disk || fail "the disk stays"
}

# nvme_write_at_once FILE BLOCKS: four writers at a time, each with that many blocks of 64 KiB of FILE
nvme_write_at_once()
{
	local i
	local -a writers=()
	for i in 0 1 2 3; do
		start "writer$i.log" dd if="$1" of=/dev/nvme0n1 bs=64k skip=$((i * $2)) seek=$((i * $2)) count="$2" oflag=direct \
			conv=notrunc status=none
		writers+=("$STARTED")
	done
	for i in 0 1 2 3; do
		finish "${writers[i]}" "writer$i.log"
	done
}
