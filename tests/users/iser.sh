# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# iSER: the kernel's target with a RAM disk, set up by configfs, and open-iscsi. Both ends are in the first network namespace, because
# the kernel's iSER uses no other one. The target has the address of glass1, to which packets leave by glass0.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/users.sh
. "$TESTS/lib/users.sh"
# shellcheck source=tests/lib/scsi.sh
. "$TESTS/lib/scsi.sh"

LIMIT=240
MIB=16
CORE=/sys/kernel/config/target/core/iblock_0
TARGET=/sys/kernel/config/target/iscsi
NAME=iqn.2026-01.org.example:ram

setup()
{
	local tpg=$TARGET/$NAME/tpgt_1
	start_opensm
	ipoib_cross
	modprobe brd rd_nr=1 rd_size=32768
	modprobe target_core_iblock
	modprobe iscsi_target_mod
	modprobe ib_isert
	modprobe ib_iser
	mkdir -p $CORE/ram
	echo udev_path=/dev/ram0 >$CORE/ram/control
	echo 1 >$CORE/ram/enable
	mkdir -p "$tpg/lun/lun_0" "$tpg/np/$THERE:3260"
	ln -s $CORE/ram "$tpg/lun/lun_0/ram"
	echo 0 >"$tpg/attrib/authentication"
	echo 1 >"$tpg/attrib/generate_node_acls"
	echo 1 >"$tpg/attrib/cache_dynamic_acls"
	echo 0 >"$tpg/attrib/demo_mode_write_protect"
	echo 1 >"$tpg/np/$THERE:3260/iser"
	echo 1 >"$tpg/enable"
	mkdir -p /etc/iscsi /run/lock/iscsi
	echo InitiatorName=iqn.2026-01.org.example:host >/etc/iscsi/initiatorname.iscsi
	# The harness ends processes that a test leaves in its directory.
	(
		cd /
		setsid iscsid -f >"$STATE/iscsid.log" 2>&1 </dev/null &
		echo $! >"$STATE/iscsid.pid"
	)
	wait_for 20 iscsiadm -m discovery -t st -p $THERE -I iser
	iscsiadm -m node -T $NAME -p $THERE --login
	wait_for 20 disk_there
}

cleanup()
{
	local tpg=$TARGET/$NAME/tpgt_1
	iscsiadm -m node -T $NAME -p $THERE --logout
	kill "$(<"$STATE/iscsid.pid")"
	echo 0 >"$tpg/enable"
	rm "$tpg/lun/lun_0/ram"
	rmdir "$tpg/np/$THERE:3260" "$tpg/lun/lun_0" "$tpg" "$TARGET/$NAME" "$TARGET"
	rmdir $CORE/ram $CORE
	modprobe -r ib_iser ib_isert iscsi_target_mod target_core_iblock brd
	ipoib_cross_down
	stop_opensm
}

new_data()
{
	head -c $((MIB << 20)) /dev/urandom >data
	SUM=$(sha256sum <data)
}

# read_back FILE: that many MiB of a disk, past the page cache
read_back()
{
	dd if="$1" bs=1M count=$MIB iflag=direct status=none | sha256sum
}

writes_and_reads()
{
	local d
	d=$(disk)
	dd if=data of="$d" bs="$1" oflag=direct conv=notrunc status=none
	assert_eq "$(read_back /dev/ram0)" "$SUM" "what the target's disk has"
	assert_eq "$(read_back "$d")" "$SUM" "what was read"
}

xmit_data()
{
	cat "/sys/class/infiniband/$1/ports/1/counters/port_xmit_data"
}

test_data()
{
	local there back
	assert_match "$(iscsiadm -m session -P 1)" 'Iface Transport: iser'
	there=$(xmit_data glass0) back=$(xmit_data glass1)
	new_data
	writes_and_reads 1M
	new_data
	writes_and_reads 64k
	# in words of four bytes
	there=$((($(xmit_data glass0) - there) / 262144)) back=$((($(xmit_data glass1) - back) / 262144))
	((there >= 2 * MIB && back >= 2 * MIB)) || fail "$there MiB went from glass0, $back MiB from glass1"
}

test_data_with_loss()
{
	new_data
	lossy 'qptype==rc' 50
	writes_and_reads 1M
	calm
}

# The initiator logs in again, and repeats what had no answer; whichever end fails.
test_qp_of_initiator_fails()
{
	local writer
	new_data
	start dd.log dd if=data of="$(disk)" bs=64k oflag=direct conv=notrunc
	writer=$STARTED
	break_qp glass0 'qptype==rc' 30
	finish "$writer" dd.log "writer"
	assert_eq "$(read_back /dev/ram0)" "$SUM" "what the target's disk has"
}

test_qp_of_target_fails()
{
	local reader
	new_data
	dd if=data of=/dev/ram0 bs=1M oflag=direct conv=notrunc status=none
	start dd.log sh -c "dd if=$(disk) bs=64k count=$((MIB * 16)) iflag=direct | sha256sum >was_read"
	reader=$STARTED
	break_qp glass1 'qptype==rc' 30
	finish "$reader" dd.log "reader"
	assert_eq "$(<was_read)" "$SUM" "what was read"
}
