# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 60
# long: a disk, block by block
# RTRS and RNBD: a block device by RDMA, client and server of the kernel, with a RAM disk behind them. The server registers chunks of
# 128 KiB, each as one page, once mapped and registered again after each I/O (always_invalidate); without that, hundreds of chunks
# in one region. The client writes into them by RDMA WRITE with immediate data; the server writes what was read into memory that
# the client registered by work request.
#
# The debug kernel has RTRS, Debian's has not.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"

RNBD=/sys/class/rnbd-client/ctl
LIMIT=120

setup()
{
	modinfo rnbd-server >/dev/null 2>&1 || skip "this kernel has no RTRS (the debug kernel has)"
	fresh_glass
	start_opensm
	ipoib_up
	modprobe brd rd_nr=1 rd_size=32768
}

cleanup()
{
	modinfo rnbd-server >/dev/null 2>&1 || return 0
	disconnect
	unserve
	modprobe -r brd
	ipoib_down
	fresh_glass
}

# serve [PARAMETER...]: the server, with parameters of rtrs-server, and a client
serve()
{
	# of a test that failed
	disconnect
	unserve
	modprobe rtrs-server "$@"
	modprobe rnbd-server dev_search_path=/dev
	modprobe rnbd-client
}

unserve()
{
	[[ -e /sys/module/rtrs_server ]] || return 0
	modprobe -r rnbd-client rnbd-server rtrs-client rtrs-server
}

gid_of()
{
	cat "/sys/class/infiniband/${1%/*}/ports/${1#*/}/gids/0"
}

# From glass0 to glass1: RTRS is in the first network namespace alone, and by their GIDs it finds the adapters without IP.
gid_path()
{
	echo "gid:$(gid_of glass0/1),gid:$(gid_of glass1/1)"
}

disk_there()
{
	[[ -b /dev/rnbd0 ]]
}

no_disk()
{
	[[ ! -e /sys/block/rnbd0 && ! -e /dev/rnbd0 ]]
}

# sessions client|server: how many there are
sessions()
{
	find "/sys/class/rtrs-$1" -mindepth 1 -maxdepth 1 | wc -l
}

no_session()
{
	(($(sessions client) == 0 && $(sessions server) == 0))
}

# connect PATH
connect()
{
	echo "sessname=glass path=$1 device_path=ram0 access_mode=rw" >$RNBD/map_device
	wait_for 20 disk_there || fail "no disk"
	assert_eq "$(cat /sys/class/rtrs-client/glass/paths/*/state)" connected "the path"
}

disconnect()
{
	disk_there || return 0
	echo normal >/sys/block/rnbd0/rnbd/unmap_device
	wait_for 30 no_disk || fail "the disk stays"
	wait_for 30 no_session || fail "a session stays: $(sessions client) of the client, $(sessions server) of the server"
}

# checked FILE BYTES BLOCK: FILE goes to the disk in blocks, and comes back the same, from the disk and from the RAM behind it
checked()
{
	dd if="$1" of=/dev/rnbd0 bs="$3" oflag=direct conv=notrunc status=none
	dd if=/dev/rnbd0 bs="$3" iflag=direct,count_bytes count="$2" status=none | cmp - "$1"
	dd if=/dev/ram0 bs=64k iflag=direct,count_bytes count="$2" status=none | cmp - "$1"
}

# fast_regions DEVICE PAGE_SIZE MINIMUM: at least so many of them, of the server, with pages of that size
fast_regions()
{
	local file=$GLASS_DEBUGFS/$1/mr n
	shift
	n=$(paste -d ' ' <(column "$file" mrkind) <(column "$file" page_size) <(column "$file" pages) | grep -c "^fast $1 [1-9]" || :)
	((n >= $2)) || fail "$n regions with pages of $1 bytes, not $2: $(head -n 5 "$file")"
}

# no_complaint: neither side says that something went wrong. The client also warns of the event with which the CM ends each
# connection, where it is slower to destroy its rdma_cm_id than the CM is to leave TIMEWAIT.
no_complaint()
{
	dmesg --level=emerg,alert,crit,err,warn | sed '/CM event: timewait exit, err: 0)$/d' | sed -n '/rtrs\|rnbd/p' >complaints
	[[ ! -s complaints ]] || {
		cat complaints
		fail "RTRS or RNBD complains"
	}
}

# moved PATH PAGE_SIZE REGIONS BLOCKS [PARAMETER...]: data in blocks of these sizes, with at least so many regions of such pages.
# Each block is one request, and there is one at a time. RTRS keeps the paths that a request tried in a list of each CPU and does not
# disable preemption meanwhile: on the debug kernel, which preempts, a second request on that CPU finds no path and fails with
# ECONNABORTED. Its other policy, round-robin, uses this_cpu_ptr() there, of which that kernel complains.
moved()
{
	local path=$1 page=$2 regions=$3 block server=glass1
	local -a blocks
	read -ra blocks <<<"$4"
	shift 4
	dmesg --clear
	serve "$@"
	connect "$path"
	if [[ $path == ip:* ]]; then
		server=glass0
	fi
	fast_regions "$server" "$page" "$regions"
	head -c 589824 /dev/urandom >data
	for block in "${blocks[@]}"; do
		checked data 589824 "$block"
	done
	disconnect
	unserve
	no_complaint
}

# 512 chunks, each a region of one page, registered again after each I/O without being mapped again
test_chunk_a_region() { moved "$(gid_path)" 131072 512 "4k 12k 64k"; }

# All chunks in one region of 512 pages
test_chunks_in_one_region() { moved "$(gid_path)" 131072 1 "4k 12k 64k" always_invalidate=N; }

test_small_chunks() { moved "$(gid_path)" 8192 64 "4k" max_chunk_size=8192 sess_queue_depth=64; }
test_large_chunks() { moved "$(gid_path)" 1048576 1 "12k 192k" max_chunk_size=1048576 sess_queue_depth=32 always_invalidate=N; }

# Found by its IP address, on one port
test_by_ip() { moved "ip:$HERE" 131072 512 "64k"; }
