# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 40
# long: a disk, block by block
# SCSI over RDMA: initiator and target of the stock kernel, with a RAM disk behind them. No IP addresses here: the target is
# found by its GID and answers to a service ID, which is the node GUID of the first adapter. Data goes by RDMA READ and WRITE of the
# target, into memory that the initiator registered by work request.

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"
# shellcheck source=tests/lib/scsi.sh
. "$TESTS/lib/scsi.sh"

TARGET=/sys/kernel/config/target
LIMIT=90

# hex_of FILE: the number in it, without its colons
hex_of()
{
	tr -d ':' <"$1"
}

setup()
{
	local tpg acl
	fresh_glass
	start_opensm
	modprobe brd rd_nr=1 rd_size=32768
	modprobe target_core_iblock
	modprobe ib_srpt
	modprobe ib_srp
	tpg=$TARGET/srpt/$(target_name)/$(target_name)
	mkdir -p "$TARGET/core/iblock_0/ram"
	echo udev_path=/dev/ram0 >"$TARGET/core/iblock_0/ram/control"
	echo 1 >"$TARGET/core/iblock_0/ram/enable"
	mkdir -p "$tpg/lun/lun_0"
	ln -s "$TARGET/core/iblock_0/ram" "$tpg/lun/lun_0/ram"
	acl=$tpg/acls/$(initiator_name)
	mkdir -p "$acl/lun_0"
	ln -s "$tpg/lun/lun_0" "$acl/lun_0/ram"
	echo 1 >"$tpg/enable"
	connect
}

cleanup()
{
	local tpg acl
	tpg=$TARGET/srpt/$(target_name)/$(target_name)
	acl=$tpg/acls/$(initiator_name)
	disconnect
	echo 0 >"$tpg/enable"
	rm "$acl/lun_0/ram" "$tpg/lun/lun_0/ram"
	rmdir "$acl/lun_0" "$acl" "$tpg/lun/lun_0" "$tpg" "${tpg%/*}" "$TARGET/srpt"
	rmdir "$TARGET/core/iblock_0/ram" "$TARGET/core/iblock_0"
	modprobe -r ib_srp ib_srpt target_core_iblock brd
	fresh_glass
}

target_name()
{
	echo "0x$(hex_of /sys/class/infiniband/glass0/ports/1/gids/0)"
}

# No extension, and the GUID of its port
initiator_name()
{
	local gid
	gid=$(hex_of /sys/class/infiniband/glass1/ports/1/gids/0)
	echo "0x0000000000000000${gid:16}"
}

no_disk()
{
	! disk >/dev/null
}

login()
{
	local guid
	guid=$(hex_of /sys/class/infiniband/glass0/node_guid)
	echo "id_ext=$guid,ioc_guid=$guid,dgid=$(hex_of /sys/class/infiniband/glass0/ports/1/gids/0),pkey=ffff,service_id=$guid" \
		>/sys/class/infiniband_srp/srp-glass1-1/add_target
}

# The initiator forgets a target some time after its disk is gone, and refuses it until then.
connect()
{
	wait_for 20 login || fail "the target takes no login"
	wait_for 20 disk_there || fail "no disk"
}

disconnect()
{
	local port
	for port in /sys/class/srp_remote_ports/*/delete; do
		[[ -e $port ]] && echo 1 >"$port"
	done
	wait_for 30 no_disk || fail "the disk stays"
}

test_data()
{
	local d block
	d=$(disk)
	head -c 3145728 /dev/urandom >data
	for block in 4k 128k 1M; do
		dd if=data of="$d" bs="$block" oflag=direct conv=notrunc status=none
		dd if="$d" bs="$block" iflag=direct,count_bytes count=3145728 status=none | cmp - data
		dd if=/dev/ram0 bs=64k iflag=direct,count_bytes count=3145728 status=none | cmp - data
	done
}

# maps_of DEVICE REGEX: how often a region was mapped there, with arguments or results like that
maps_of()
{
	grep -cE "^glass_api_(enter|exit) dev=$1 verb=map_mr_sg .* $2( |\$)" trace || :
}

# commands_done REGEX: READs and WRITEs that ended, and whose line of the trace is like that
commands_done()
{
	grep -E ' scsi_dispatch_cmd_(done|error): .* cmnd=\((READ|WRITE)' "$TRACING/trace" | grep -cE -- "$1" || :
}

# Several at a time. A region is mapped anew as soon as it was given back: when its LOCAL_INV is posted, not when it is done.
test_many_at_once()
{
	local d i all good
	local -a writers=()
	d=$(disk)
	head -c 16777216 /dev/urandom >data
	trace_on glass_api_enter glass_api_exit scsi/scsi_dispatch_cmd_done scsi/scsi_dispatch_cmd_error
	for i in 0 1 2 3 4 5 6 7; do
		start "writer$i.log" dd if=data of="$d" bs=16k skip=$((i * 128)) seek=$((i * 128)) count=128 oflag=direct conv=notrunc status=none
		writers+=("$STARTED")
	done
	for i in 0 1 2 3 4 5 6 7; do
		finish "${writers[i]}" "writer$i.log"
	done
	# many small ones on their way together, each of its own
	echo 3 >/proc/sys/vm/drop_caches
	dd if="$d" bs=1M iflag=count_bytes count=16777216 status=none | cmp - data
	dd if=/dev/ram0 bs=64k iflag=direct,count_bytes count=16777216 status=none | cmp - data
	trace_off
	echo "$(maps_of glass1 'sg_nents=[0-9]+ .*') maps, $(maps_of glass1 valid=1) of a region that is valid"
	(($(maps_of glass1 valid=1) > 0)) || fail "no region was mapped while its LOCAL_INV was on its way"
	assert_eq "$(maps_of glass1 'ret=(0|-[0-9]+)')" 0 "maps that failed"
	# what fails is tried again by the kernel, and dd does not notice
	all=$(commands_done '') good=$(commands_done 'host=DID_OK .*status=SAM_STAT_GOOD')
	echo "$all commands, $good of them well"
	((all >= 1024)) || fail "only $all commands were traced"
	assert_eq "$good" "$all" "commands that ended well"
}

# The target's READs and WRITEs went from adapter to adapter.
test_by_rdma()
{
	local d op
	d=$(disk)
	head -c 1048576 /dev/urandom >data
	trace_on glass_wr_post
	dd if=data of="$d" bs=64k oflag=direct conv=notrunc status=none
	dd if="$d" bs=64k iflag=direct,count_bytes count=1048576 status=none | cmp - data
	trace_off
	for op in read write; do
		grep -q " dev=glass0 .* op=$op " trace || fail "no $op of the target: $(field op <trace | sort | uniq -c)"
	done
	grep -q " dev=glass1 .* op=reg_mr " trace || fail "the initiator registered nothing"
}

test_reconnect()
{
	local d
	disconnect
	connect
	d=$(disk)
	head -c 262144 /dev/urandom >data
	dd if=data of="$d" bs=4k oflag=direct conv=notrunc status=none
	dd if="$d" bs=4k iflag=direct,count_bytes count=262144 status=none | cmp - data
}
