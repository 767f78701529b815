# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites with a disk of the kernel's SCSI target.

# disk: its name, while there is one
disk()
{
	local vendor
	vendor=$(grep -s -l '^LIO-ORG' /sys/block/sd*/device/vendor) || return
	vendor=${vendor%/device/vendor}
	echo "/dev/${vendor##*/}"
}

disk_there()
{
	local d
	d=$(disk) && [[ -b $d ]]
}
