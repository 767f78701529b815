# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 165
# long: kernel memory, filled to the limit again and again
# What one user may have: kernel memory, and places in the tables of an adapter. Who takes all of a share is refused, and told
# why; others and the kernel go on, and what was taken is given back to the last byte, however the program ends.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"
# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

LIMIT=120
MPI=$TESTS/mpi

PERCENT=/sys/module/glass/parameters/user_memory_percent

setup()
{
	fresh_glass
	start_opensm
}

cleanup()
{
	stop_opensm
}

# as UID COMMAND...: a user without privilege, and with all the lockable memory that some tests want
as()
{
	local uid=$1
	shift
	exec prlimit --memlock=unlimited setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@"
}

# small_share: one percent of the machine for the rest of the test, so that it is soon taken
small_share()
{
	trap 'echo 25 >"$PERCENT"' EXIT
	echo 1 >"$PERCENT"
}

# share UID WHAT COLUMN: of glass0; nothing if that user has no such line
share()
{
	awk -v uid="$1" -v what="$2" -v name="$3" '
		NR == 1 { sub(/^# glass 1 share: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["uid"] == uid && $at["what"] == what { print $at[name] }' "$GLASS_DEBUGFS/glass0/share"
}

# has_nothing UID...: those users have no books any more; the driver warns when books are closed with something in them
has_nothing()
{
	local uid
	for uid; do
		! grep -q "^$uid " "$GLASS_DEBUGFS/glass0/share" || return 1
	done
}

nothing_is_left()
{
	wait_for 20 has_nothing "$@" || fail "still charged: $(<"$GLASS_DEBUGFS/glass0/share")"
}

# limit_of_memory [USERS]: of one user, or of as many, with the percentage as it is
limit_of_memory()
{
	awk -v percent="$(($(<$PERCENT) * ${1:-1}))" '/^MemTotal:/ { printf "%d", $2 * 1024 * percent / 100 }' /proc/meminfo
}

took()
{
	sed -n 's/^took //p' "$1" | head -n 1
}

# greedy_waits UID WHAT: has taken what it gets, and keeps it; its id is in STARTED
greedy_waits()
{
	start "greedy.$1" as "$1" greedy "$2" wait
	wait_for 60 in_file "greedy.$1" '^ready$' || fail "user $1: $(<"greedy.$1")"
}

# gets_nothing UID DEVICE: another program of a user whose share of memory is taken
gets_nothing()
{
	(as "$1" greedy large_cq leave "$2") >nothing.log || fail "user $1 on $2: $(<nothing.log)"
	assert_eq "$(took nothing.log)" 0 "large CQs of user $1 on $2"
}

# ---- memory

# takes_memory WHAT: refused within the share, twice after the same number, and all is given back
takes_memory()
{
	local limit used
	small_share
	limit=$(limit_of_memory)
	greedy_waits 65534 "$1"
	cat "$GLASS_DEBUGFS/glass0/share"
	used=$(share 65534 memory used)
	assert_eq "$(share 65534 memory limit)" "$limit" "limit"
	((used <= limit)) || fail "$used bytes are used, and the limit is $limit"
	# a queue, a region or an area was the one too many
	((used > limit - 9 * 1024 * 1024)) || fail "only $used of $limit bytes are used"
	assert_match "$(share 65534 memory refused)" '^[1-9]'
	kill "$STARTED"
	finish "$STARTED" greedy.65534
	nothing_is_left 65534
	(as 65534 greedy "$1") >twice.log || fail "$(<twice.log)"
	cat twice.log
	nothing_is_left 65534
	(as 65534 greedy "$1" leave) >leave.log || fail "$(<leave.log)"
	nothing_is_left 65534
}

test_memory_of_completion_queues() { takes_memory large_cq; }
test_memory_of_queue_pairs() { takes_memory large_qp; }
test_memory_of_shared_receive_queues() { takes_memory large_srq; }
test_memory_of_regions() { takes_memory mr; }
test_memory_of_targets() { takes_memory target; }
test_memory_of_answers() { takes_memory answers; }
test_memory_that_stays_mapped() { takes_memory mapped; }

# large_cqs: as many as user 65534 gets besides what is charged to it; looks for memory that is no longer mapped
large_cqs()
{
	(as 65534 greedy large_cq leave) >large.log || fail "$(<large.log)"
	took large.log
}

# The end of a program uncharges nothing that somebody else has: pages in a pipe.
test_pages_in_a_pipe_outlive_the_program()
{
	local n
	small_share
	n=$(large_cqs)
	mkfifo pipe
	exec 7<>pipe
	(as 65534 greedy piped leave) >&7 || fail "piped"
	assert_eq "$(large_cqs)" $((n - 1)) "large CQs while a page is in the pipe"
	(($(share 65534 memory used) > 8 * 1024 * 1024)) || fail "uncharged: $(<"$GLASS_DEBUGFS/glass0/share")"
	exec 7>&-
	nothing_is_left 65534
	assert_eq "$(large_cqs)" "$n" "large CQs afterwards"
	nothing_is_left 65534
}

# The same of a child that has one page of a queue.
test_a_child_outlives_the_program()
{
	local n
	small_share
	n=$(large_cqs)
	(as 65534 greedy forked leave) >forked.log || fail "$(<forked.log)"
	assert_eq "$(large_cqs)" $((n - 1)) "large CQs while a child has a page"
	(($(share 65534 memory used) > 8 * 1024 * 1024)) || fail "uncharged: $(<"$GLASS_DEBUGFS/glass0/share")"
	kill -KILL "$(pgrep -u 65534 greedy)"
	nothing_is_left 65534
	assert_eq "$(large_cqs)" "$n" "large CQs afterwards"
	nothing_is_left 65534
}

# A program that makes and destroys queues for as long as it runs, and unmaps none of them.
test_endless_dropper()
{
	local how limit refused
	small_share
	limit=$(limit_of_memory)
	for how in TERM KILL; do
		start dropper.log as 65534 greedy mapped forever
		wait_for 60 in_file dropper.log '^ready$' || fail "$(<dropper.log)"
		refused=$(share 65534 memory refused)
		wait_for 30 eval '(($(share 65534 memory refused) > refused + 100))'
		cat "$GLASS_DEBUGFS/glass0/share"
		(($(share 65534 memory used) <= limit)) || fail "more than $limit bytes"
		(($(share 65534 memory used) > limit - 9 * 1024 * 1024)) || fail "what it has mapped is not charged"
		gets_nothing 65534 glass1
		kill -$how "$STARTED"
		[[ $how == KILL ]] || finish "$STARTED" dropper.log
		nothing_is_left 65534
	done
	(as 65534 greedy large_cq leave) >after.log || fail "$(<after.log)"
	(($(took after.log) > 0)) || fail "nothing can be had afterwards"
	nothing_is_left 65534
}

# Where an area for many queues does not fit any more, one for a single queue does, and that is no refusal.
test_last_bytes()
{
	local limit used
	small_share
	limit=$(limit_of_memory)
	greedy_waits 65534 medium_cq
	cat "$GLASS_DEBUGFS/glass0/share"
	used=$(share 65534 memory used)
	((used <= limit && used > limit - 16384)) || fail "$used of $limit bytes are used"
	assert_eq "$(share 65534 memory refused)" 1 "refusals"
	kill "$STARTED"
	finish "$STARTED" greedy.65534
	nothing_is_left 65534
}

# Three users' shares are what all users have together.
test_all_users_together()
{
	local uid pids=() first last
	small_share
	for uid in 65534 65533 65532 65531 65530; do
		greedy_waits $uid large_cq
		pids+=("$STARTED")
	done
	cat "$GLASS_DEBUGFS/glass0/share"
	first=$(took greedy.65534) last=$(took greedy.65530)
	assert_eq "$(share 65534 memory all_limit)" "$(limit_of_memory 3)" "limit of all"
	(($(share 65534 memory all_used) <= $(limit_of_memory 3))) || fail "all have more"
	(($(share 65534 memory all_used) > $(limit_of_memory 3) - 9 * 1024 * 1024)) || fail "all have less"
	assert_eq "$last" 0 "large CQs of the fifth"
	((first > 1)) || fail "the first has $first"
	# the kernel's consumers and root go on
	ipoib_up
	ping -c 3 -W 2 $THERE
	ipoib_down
	start root.log greedy large_cq one
	pids+=("$STARTED")
	wait_for 20 in_file root.log ready
	kill "${pids[@]}"
	wait "${pids[@]}"
	nothing_is_left 65534 65533 65532 65531 65530
}

# A size that is refused changes nothing.
test_memory_of_a_resize()
{
	small_share
	(as 65534 greedy resize) >log || fail "$(<log)"
	cat log
	nothing_is_left 65534
}

# A killed program, with all that it had.
test_killed()
{
	local what
	small_share
	for what in large_qp mapped target mr; do
		greedy_waits 65534 $what
		kill -KILL "$STARTED"
		nothing_is_left 65534
		start greedy.log as 65534 greedy $what wait
		wait_for 20 in_file "$GLASS_DEBUGFS/glass0/share" '^65534 memory'
		kill -KILL "$STARTED"
		nothing_is_left 65534
	done
}

# A program whose adapter goes.
test_unplugged()
{
	small_share
	greedy_waits 65534 large_qp
	# it would lose its port
	stop_opensm
	echo 'add name=away act=unplug' >"$GLASS_DEBUGFS/glass0/inject/rules"
	wait_for 20 test ! -e /sys/class/infiniband/glass0
	kill -KILL "$STARTED"
	echo 'del name=away' >"$GLASS_DEBUGFS/glass0/inject/rules"
	wait_for 20 test -e "$GLASS_DEBUGFS/glass0/share"
	nothing_is_left 65534
	start_opensm
}

# The others go on: another user, the kernel's own consumers, and root.
test_others_go_on()
{
	local greedy
	small_share
	greedy_waits 65534 large_cq
	greedy=$STARTED
	gets_nothing 65534 glass0
	# the share is of all adapters together
	gets_nothing 65534 glass1
	pair glass0 glass1 setpriv --reuid=65533 --clear-groups ibv_rc_pingpong -s 1024 -n 100
	pair glass0 glass1 ibv_rc_pingpong -r 4000 -n 100
	ipoib_up
	ping -c 3 -W 2 $THERE
	ipoib_down
	kill "$greedy"
	finish "$greedy" greedy.65534
	nothing_is_left 65534 65533
}

# Who may have more resources has no share.
test_root_has_no_limit()
{
	small_share
	start root.log greedy large_cq one
	wait_for 20 in_file root.log ready
	many_qps --cqs -n 10 -s 131072
	[[ $(share 0 memory limit) == "$(limit_of_memory)" ]]
	kill "$STARTED"
	finish "$STARTED" root.log
}

# Root without that capability: an ordinary program of the same user number, whose share root's others leave alone.
as_ordinary_root()
{
	exec setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource "$@"
}

test_exempt_programs_use_up_no_share()
{
	local n i pids=() had
	small_share
	(as_ordinary_root greedy large_cq leave) >alone.log || fail "$(<alone.log)"
	n=$(took alone.log)
	((n > 0 && n < 100)) || fail "took $n"
	for ((i = 0; i <= n; i++)); do
		start "root.$i" greedy large_cq one
		pids+=("$STARTED")
		wait_for 20 in_file "root.$i" ready
	done
	had=$(share 0 memory exempt)
	((had > (n + 1) * 8 * 1024 * 1024 && had > $(limit_of_memory))) || fail "exempt: $had"
	assert_eq "$(share 0 memory used)" "$had" "used"
	(as_ordinary_root greedy large_cq leave) >beside.log || fail "$(<beside.log)"
	cat "$GLASS_DEBUGFS/glass0/share"
	assert_eq "$(took beside.log)" "$n" "large CQs beside root's other programs"
	kill "${pids[@]}"
	wait "${pids[@]}"
	nothing_is_left 0
}

# The parameter is the share of memory alone: a quarter of each table stays the most that a user may have.
test_all_memory_but_not_all_places()
{
	trap 'echo 25 >"$PERCENT"' EXIT
	echo 100 >"$PERCENT"
	takes_places dm 1024
	takes_places dm_bytes 128 dm_bytes 0 4096
	greedy_waits 65534 mcast
	assert_eq "$(share 65534 memory limit) $(share 65534 memory all_limit)" "- -" "limits of memory"
	assert_eq "$(took greedy.65534) $(share 65534 mcast limit)" "2048 2048" "groups"
	kill "$STARTED"
	finish "$STARTED" greedy.65534
	nothing_is_left 65534
}

test_parameter()
{
	local bad
	trap 'echo 25 >"$PERCENT"' EXIT
	assert_eq "$(<$PERCENT)" 25 default
	for bad in 0 101 -1 x 4294967297; do
		! echo "$bad" 2>/dev/null >"$PERCENT" || fail "$bad is taken"
		assert_eq "$(<$PERCENT)" 25 "after $bad"
	done
	echo 100 >"$PERCENT"
	start root.log greedy cq one
	wait_for 20 in_file root.log ready
	assert_eq "$(share 0 memory limit)" - "limit with 100 percent"
	kill "$STARTED"
	finish "$STARTED" root.log
	stop_opensm
	unload_glass
	refuses modprobe glass user_memory_percent=0
	load_glass user_memory_percent=2
	assert_eq "$(<$PERCENT)" 2 "as it was loaded"
	fresh_glass
	start_opensm
}

# One user with many numbers, in a user namespace of its own, has one share.
test_user_namespace()
{
	small_share
	start greedy.log as 65534 unshare --user --map-root-user greedy large_cq wait
	wait_for 30 in_file greedy.log '^ready$' || fail "$(<greedy.log)"
	assert_match "$(share 65534 memory refused)" '^[1-9]'
	gets_nothing 65534 glass0
	kill "$STARTED"
	finish "$STARTED" greedy.log
	nothing_is_left 65534
}

# ---- the tables of an adapter

# takes_places WHAT N [WORD]: N and no more
takes_places()
{
	local word=${3:-$1} had
	greedy_waits 65534 "$1"
	cat "$GLASS_DEBUGFS/glass0/share"
	# what the program needs besides counts, too
	had=$(($(took greedy.65534) + ${4:-0}))
	assert_eq "$had" "$2" "$1"
	[[ $1 == mcast_qp ]] || assert_eq "$(share 65534 "$word" used) $(share 65534 "$word" limit)" "$((${5:-1} * had)) $((${5:-1} * $2))" "table"
	assert_match "$(share 65534 "$word" refused)" '^[1-9]'
	kill -KILL "$STARTED"
	nothing_is_left 65534
	(as 65534 greedy "$1") >twice.log || fail "$(<twice.log)"
	nothing_is_left 65534
}

test_completion_queues() { takes_places cq 16384 cq 1; }
test_shared_receive_queues() { takes_places srq 4096; }
test_protection_domains() { takes_places pd 16384 pd 1; }
test_xrc_domains() { takes_places xrcd 16384; }
test_pieces_of_device_memory() { takes_places dm 1024; }
test_device_memory() { takes_places dm_bytes 128 dm_bytes 0 4096; }
test_multicast_groups() { takes_places mcast 2048; }
test_members_of_a_group() { takes_places mcast_qp 256; }

# Programs of all users together leave an eighth to the kernel and to root.
test_a_reserve()
{
	local uid pids=() n=0
	for uid in 65534 65533 65532 65531; do
		greedy_waits $uid mcast
		pids+=("$STARTED")
		n=$((n + $(took greedy.$uid)))
	done
	(($(objects mcast glass0) >= n && n <= 7168 && n > 7168 - 50)) || fail "$n groups of programs"
	(as 65530 greedy mcast leave) >none.log || fail "$(<none.log)"
	assert_eq "$(took none.log)" 0 "groups of the fifth"
	# IPoIB joins its groups now, and a program of root's one more
	ipoib_up
	ping -c 3 -W 2 $THERE
	ipoib_down
	start root.log greedy mcast one
	pids+=("$STARTED")
	wait_for 20 in_file root.log ready
	kill "${pids[@]}"
	wait "${pids[@]}"
	nothing_is_left 65534 65533 65532 65531 65530
}

# A group counts for each user with a member in it, not for who came first.
test_a_group_of_two_users()
{
	start first.log as 65534 greedy mcast_qp wait
	wait_for 30 in_file first.log '^ready$'
	greedy_waits 65533 mcast_qp
	assert_eq "$(share 65534 mcast used) $(share 65533 mcast used)" "1 1" "groups of each"
	assert_eq "$(took first.log) $(took greedy.65533)" "256 256" "members"
	kill "$(pgrep -u 65534 greedy)"
	nothing_is_left 65534
	assert_eq "$(share 65533 mcast used)" 1 "the second's"
	kill "$STARTED"
	finish "$STARTED" greedy.65533
	nothing_is_left 65533
}

# ---- the cause is told

test_told_by_lint()
{
	small_share
	iblint --no-rcfile --json -- setpriv --reuid=65534 --clear-groups bash -c 'exec greedy large_cq leave >/dev/null' >lint.json 2>lint.err || :
	jq -c . lint.json
	jq -se 'any(.[] | .. | objects; .code == "GL062" and (.text // "" | test("user 65534 has [0-9]+ bytes of kernel memory.*user_memory_percent")))' lint.json ||
		fail "no finding: $(<lint.err)"
	nothing_is_left 65534
}

test_told_by_a_trace_event()
{
	local limit
	small_share
	limit=$(limit_of_memory)
	trace_on glass_share glass_api_exit
	trap 'echo 0 >"$TRACING/events/enable"; echo 25 >"$PERCENT"' EXIT
	(as 65534 greedy large_cq leave) >log || fail "$(<log)"
	(as 65534 greedy mcast leave) >log || fail "$(<log)"
	trace_off
	grep -qE "^glass_share dev=glass0 what=memory uid=65534 used=[0-9]+ more=[0-9]+ limit=$limit\$" trace || fail "no memory: $(grep share trace)"
	grep -q '^glass_share dev=glass0 what=mcast uid=65534 used=2048 more=1 limit=2048$' trace || fail "no groups: $(grep share trace)"
	assert_eq "$(grep -A 1 -m 1 what=memory trace | sed -n '2s/.* verb=\([a-z_]*\).* ret=/\1 /p')" "create_cq -12" "the verb that failed"
	nothing_is_left 65534
}

# What each object has of it.
test_memory_of_objects()
{
	start root.log greedy large_cq one
	wait_for 20 in_file root.log ready
	assert_match "$(column "$GLASS_DEBUGFS/glass0/cq" memory | sort -n | tail -n 1)" '^8[0-9]{6}$' "memory of the large CQ"
	assert_eq "$(rdma -jdd resource show cq | jq -r '.[] | select(.comm == "greedy") | .drv_memory' | sort)" \
		"$(awk 'NR == 1 { sub(/^# glass 1 [a-z]+: */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["comm"] == "greedy" { print $at["memory"] }' "$GLASS_DEBUGFS/glass0/cq" | sort)" cq
	kill "$STARTED"
	finish "$STARTED" root.log
}

# ---- other limits

in_cgroup()
{
	echo "$BASHPID" >cg/greedy/cgroup.procs
	as "$@"
}

cgroup_ends()
{
	[[ ! -d cg/greedy ]] || {
		xargs -r kill -KILL <cg/greedy/cgroup.procs || :
		wait_for 10 rmdir cg/greedy || :
	}
	umount cg
}

# Its memory cgroup pays for what a program makes the kernel allocate.
test_memory_cgroup()
{
	local before after
	mkdir cg
	mount -t cgroup2 none cg || skip "no cgroup2"
	trap 'cgroup_ends' EXIT
	grep -qw memory cg/cgroup.controllers || skip "no memory controller"
	echo +memory >cg/cgroup.subtree_control
	mkdir cg/greedy
	start pd.log in_cgroup 65534 greedy pd one
	wait_for 20 in_file pd.log ready
	before=$(sed -n 's/^kernel //p' cg/greedy/memory.stat)
	start cq.log in_cgroup 65534 greedy large_cq one
	wait_for 20 in_file cq.log ready
	after=$(sed -n 's/^kernel //p' cg/greedy/memory.stat)
	echo "before $before, after $after"
	((after - before >= 131072 * 64)) || fail "8 MiB of completions are not charged: $before, $after"
}

# What runs with the lockable memory of an ordinary user runs with the share, too.
test_usual_programs()
{
	local limit
	assert_eq "$(<$PERCENT)" 25 percent
	chmod 777 .
	for limit in 65536 8388608; do
		cat >user <<-END
			#!/bin/bash
			exec prlimit --memlock=$limit setpriv --reuid=65534 --regid=65534 --clear-groups "\$@"
		END
		chmod 755 user
		pair glass0 glass1 ./user ibv_rc_pingpong -n 100
		pair glass0 glass1 ./user ibv_ud_pingpong -n 100
	done
	pair glass0 glass1 ./user ib_write_bw -F -n 100
	pair glass0 glass1 ./user ib_send_bw -F -n 100
	pair glass0 glass1 ./user ib_read_bw -F -n 100
	pair glass0 glass1 ./user ib_send_lat -F -n 100
	pair glass0 glass1 ./user ib_write_bw -F -q 64 -n 100 -s 4096
	pair glass0 glass1 ./user ib_send_bw -F -q 64 -n 100 -s 4096
	ipoib_up
	cm_server ./user rping -s -V -C 10 -a $THERE
	cm_client ./user rping -c -V -C 10 -a $THERE
	ipoib_down
	nothing_is_left 65534
}

# mpi LIMIT VARIABLE...: four ranks of an ordinary user with so much lockable memory, over UCX
mpi()
{
	local limit=$1
	shift
	setpriv --reuid=65534 --regid=65534 --clear-groups prlimit --memlock="$limit" env HOME="$PWD" UCX_TLS=rc_v,self "$@" \
		mpirun --oversubscribe -n 4 --mca pml ucx ./exchange >mpi.log 2>&1 || fail "$(<mpi.log)"
	in_file mpi.log '^4 ranks: all is right$' || fail "no result: $(<mpi.log)"
	nothing_is_left 65534
}

LIMIT_test_mpi=300
# As UCX comes it pins some 100 MiB in each rank, and asks for unlimited lockable memory on any adapter. With small pools it does
# with what a Debian user has.
test_mpi()
{
	chmod 777 .
	mpicc -O2 -Wall -o exchange "$MPI/exchange.c"
	mpi unlimited
	mpi 8388608 UCX_NET_DEVICES=glass0:1 UCX_RC_VERBS_ALLOC=heap UCX_IB_ALLOC=heap UCX_IB_RX_QUEUE_LEN=64 \
		UCX_RC_VERBS_RX_QUEUE_LEN=64 UCX_RC_VERBS_TX_BUFS_GROW=32 UCX_RC_VERBS_RX_BUFS_GROW=64
}
