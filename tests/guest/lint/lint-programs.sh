# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 140
# long: many programs of others, each looked at
# Programs of others under iblint, unmodified: what it finds and docs/iblint.md does not tell of is wrong.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"

LIMIT=90

setup()
{
	fresh_glass
	start_opensm
	ipoib_up
	# what is known, with its reason
	sed -n '/^## Programs of others/,/^## /{/^mute /p}' "$TESTS/../docs/iblint.md" >"$STATE/known"
	[[ -s $STATE/known ]] || fail "docs/iblint.md: no suppressions under Programs of others"
}

cleanup()
{
	ipoib_down
	stop_opensm
}

looks()
{
	grep -q ' all ' "$GLASS_DEBUGFS/glass0/lint/scope" && grep -q ' all ' "$GLASS_DEBUGFS/glass1/lint/scope"
}

# look [NAME]: from here to `looked` nothing may be found but what is known of programs of that name.
look()
{
	: >rules
	[[ $# == 0 ]] || grep " comm=$1 " "$STATE/known" >rules || fail "docs/iblint.md tells nothing of $1"
	start lint.log iblint --all --fail-on any --rcfile rules
	LINT=$STARTED
	wait_for 20 looks
}

looked()
{
	local status=0
	kill -INT "$LINT"
	wait "$LINT" || status=$?
	((status == 0)) || {
		cat lint.log
		fail "iblint ended with status $status"
	}
	tail -n 1 lint.log
}

p()
{
	pair glass0 glass1 "$@"
}

test_pingpongs()
{
	local program
	look ibv_srq_pingpon
	for program in ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong ibv_srq_pingpong ibv_xsrq_pingpong; do
		p "$program" -n 200
		p "$program" -e -n 200
	done
	p ibv_rc_pingpong -t -n 100
	p ibv_rc_pingpong -o -n 100
	looked
}

test_perftest_rc()
{
	local tool post
	look
	for tool in ib_write_bw ib_read_bw ib_send_bw ib_atomic_bw; do
		for post in "" --use_old_post_send; do
			# shellcheck disable=SC2086
			p $tool -F -n 200 $post
		done
		[[ $tool == ib_write_bw ]] || p "$tool" -F -e -n 200
	done
	for tool in ib_write_lat ib_read_lat ib_send_lat ib_atomic_lat; do
		p "$tool" -F -n 100
	done
	p ib_send_lat -F -e -n 100
	looked
}

test_perftest_other_transports()
{
	local tool
	look
	p ib_send_bw -F -c UD -n 200 -s 1024
	p ib_send_bw -F -c UD -n 200 -s 1024 --use_old_post_send
	p ib_send_bw -F -c UD -e -n 200 -s 1024
	p ib_send_lat -F -c UD -n 100 -s 64
	p ib_send_bw -F -c UC -n 200
	p ib_write_bw -F -c UC -n 200
	for tool in ib_send_bw ib_write_bw ib_read_bw ib_atomic_bw; do
		p "$tool" -F -c XRC -n 100 -q 2
	done
	looked
}

test_perftest_modes()
{
	look
	p ib_send_bw -F -b -n 200
	p ib_write_bw -F -q 4 -n 100
	p ib_send_bw -F --use-srq -q 4 -n 100
	p ib_write_bw -F -I 128 -s 128 -n 200
	p ib_send_lat -F -I 64 -s 64 -n 100 -c UD
	p ib_write_bw -F -l 16 -t 128 -n 800 -s 64
	p ib_write_bw -F -Q 50 -t 256 -n 1000 -s 64
	p ib_read_bw -F -o 16 -n 200
	looked
}

test_perftest_by_rdma_cm()
{
	look ib_send_bw
	perftest_by_cm ib_send_bw -n 200
	perftest_by_cm ib_send_bw -c UD -n 200 -s 1024
	looked
}

# both TOOL OPTION...: server and client of rdma_cm's own programs
both()
{
	echo "+ $*"
	cm_server "$@" -b $THERE
	cm_client "$@" -s $THERE
}

test_rdma_cm()
{
	look rstream
	cm_server rping -s -V -C 20 -S 1000 -a $THERE
	cm_client rping -c -V -C 20 -S 1000 -a $THERE
	both ucmatose -c 10 -C 20 -S 4000
	both udaddy -c 5 -C 20 -S 1000
	both rstream -S 4096 -C 50
	both rstream -S 4096 -C 50 -T b
	cm_server rdma_server -s $THERE -p 7471
	cm_client rdma_client -s $THERE -p 7471
	looked
}

# ucx TRANSPORTS OPTION...: ucx_perftest over these, both ends. Debian's starts MPI unless its input is a terminal.
ucx()
{
	local status=0
	next_port
	echo "+ ucx_perftest $*"
	start server.log env UCX_TLS="$1" UCX_NET_DEVICES=glass1:1 script -qec "ucx_perftest -P 0 -p $TCP_PORT" /dev/null
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	UCX_TLS=$1 UCX_NET_DEVICES=glass0:1 timeout 60 \
		script -qec "ucx_perftest -P 0 -p $TCP_PORT localhost ${*:2}" /dev/null >client.log 2>&1 </dev/null || status=$?
	((status == 0)) && in_file client.log '^Final: ' || {
		cat client.log server.log
		fail "ucx_perftest ended with status $status"
	}
	finish "$server" server.log "server of ucx_perftest"
}

LIMIT_test_ucx=300
test_ucx()
{
	local transport test
	look
	for transport in rc_v ud_v; do
		for test in tag_lat tag_bw stream_bw ucp_am_bw ucp_put_lat ucp_get; do
			ucx $transport -t $test -n 100 -w 10 -s 64
		done
		ucx $transport -t ucp_fadd -n 100 -w 10 -s 8
		# a rendezvous: by READ where the transport has it
		ucx $transport -t tag_bw -n 20 -w 2 -s 1000000
	done
	looked
}
