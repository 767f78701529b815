# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# NVMe over fabrics for suites, beside ipoib.sh: host and target of the stock kernel, with a RAM disk behind them. Both have their
# end in the first network namespace: they talk on one port.

NVMET=/sys/kernel/config/nvmet
NQN=glass-ram

# nvme_up: IPoIB must be up; the disk is /dev/nvme0n1, 32 MiB
nvme_up()
{
	modprobe brd rd_nr=1 rd_size=32768
	modprobe nvmet-rdma
	modprobe nvme-rdma
	mkdir "$NVMET/subsystems/$NQN" "$NVMET/subsystems/$NQN/namespaces/1" "$NVMET/ports/1"
	echo 1 >"$NVMET/subsystems/$NQN/attr_allow_any_host"
	printf /dev/ram0 >"$NVMET/subsystems/$NQN/namespaces/1/device_path"
	echo 1 >"$NVMET/subsystems/$NQN/namespaces/1/enable"
	echo ipv4 >"$NVMET/ports/1/addr_adrfam"
	echo rdma >"$NVMET/ports/1/addr_trtype"
	echo $HERE >"$NVMET/ports/1/addr_traddr"
	echo 4420 >"$NVMET/ports/1/addr_trsvcid"
	ln -s "$NVMET/subsystems/$NQN" "$NVMET/ports/1/subsystems/$NQN"
	connect
}

nvme_down()
{
	disconnect
	rm "$NVMET/ports/1/subsystems/$NQN"
	rmdir "$NVMET/ports/1" "$NVMET/subsystems/$NQN/namespaces/1" "$NVMET/subsystems/$NQN"
	modprobe -r nvme-rdma nvmet-rdma brd
}

disk_there()
{
	[[ -b /dev/nvme0n1 ]]
}

no_disk()
{
	[[ ! -e /dev/nvme0n1 ]]
}

connect()
{
	echo "transport=rdma,traddr=$HERE,trsvcid=4420,nqn=$NQN,nr_io_queues=2" >/dev/nvme-fabrics
	wait_for 20 disk_there || fail "no disk"
}

disconnect()
{
	disk_there || return 0
	echo 1 >/sys/class/nvme/nvme0/delete_controller
	wait_for 30 no_disk || fail "the disk stays"
}
