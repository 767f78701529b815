# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# One message followed by its flow, from the driver's taking the post to the completion, on both sides.

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

LIMIT=120

# stages DEVICE: of the lines in "mine", in their order: the event without glass_, and what it is about
stages()
{
	awk -v dev="dev=$1" '$2 == dev {
		what = ""
		for (i = 3; i <= NF; i++)
			if ($i ~ /^(opcode|op)=/) { what = $i; sub(/^[a-z]*=/, "", what) }
		sub(/^glass_/, "", $1)
		print $1, what
	}' mine | paste -sd,
}

# follow SENDER RECEIVER RECEIVES COMMAND...: what is expected to happen to the message on either side; yes: it takes a receive
follow()
{
	local sender=$1 receiver=$2 receives=$3 flow
	shift 3
	trace_on glass
	"$@"
	trace_off
	flow=$(grep '^glass_wr_post .*wr_id=0xa1 ' trace | field flow)
	assert_match "$flow" '^0x1[0-9a-f]{14}$' "the flow of the post"
	grep -w "flow=$flow" trace >mine || fail "no event has flow $flow"
	cat mine
	assert_eq "$(stages glass0)" "$sender" "what the sender did"
	assert_eq "$(stages glass1)" "$receiver" "what the receiver did"
	# the numbers agree: QPN in the flow, wr_id in the events
	assert_eq "$(((flow >> 32) & 0xffffff))" "$(($(grep '^glass_wr_post' mine | field qpn)))" "QPN in the flow"
	assert_eq "$(grep '^glass_wr_' mine | field wr_id | sort -u)" 0xa1
	[[ $receives == no ]] || assert_eq "$(grep '^glass_cqe dev=glass1' mine | field wr_id)" 0xb1
}

test_send()
{
	follow 'wr_post send,wr_start send,pkt_tx rc_send_first,pkt_tx rc_send_middle,pkt_tx rc_send_last,pkt_rx rc_ack,wr_complete send,cqe send' \
		'pkt_rx rc_send_first,pkt_rx rc_send_middle,pkt_rx rc_send_last,cqe recv,pkt_tx rc_ack' yes message send
}

test_write()
{
	follow 'wr_post write,wr_start write,pkt_tx rc_write_first,pkt_tx rc_write_last,pkt_rx rc_ack,wr_complete write,cqe write' \
		'pkt_rx rc_write_first,pkt_rx rc_write_last,pkt_tx rc_ack' no message write 2000
}

test_write_imm()
{
	follow 'wr_post write_imm,wr_start write_imm,pkt_tx rc_write_only_imm,pkt_rx rc_ack,wr_complete write_imm,cqe write' \
		'pkt_rx rc_write_only_imm,cqe recv_write_imm,pkt_tx rc_ack' yes message write_imm 100
}

test_read()
{
	follow 'wr_post read,wr_start read,pkt_tx rc_read_req,pkt_rx rc_read_resp_first,pkt_rx rc_read_resp_middle,pkt_rx rc_read_resp_last,wr_complete read,cqe read' \
		'pkt_rx rc_read_req,pkt_tx rc_read_resp_first,pkt_tx rc_read_resp_middle,pkt_tx rc_read_resp_last' no message read
}

test_atomics()
{
	local op
	for op in cmp_swap fetch_add; do
		follow "wr_post $op,wr_start $op,pkt_tx rc_$op,pkt_rx rc_atomic_ack,wr_complete $op,cqe $op" \
			"pkt_rx rc_$op,pkt_tx rc_atomic_ack" no message "$op"
	done
}

test_datagram()
{
	follow 'wr_post send,wr_start send,pkt_tx ud_send_only,wr_complete send,cqe send' 'pkt_rx ud_send_only,cqe recv' yes \
		message -t ud send
}

test_unreliable_connection()
{
	follow 'wr_post send,wr_start send,pkt_tx uc_send_first,pkt_tx uc_send_last,wr_complete send,cqe send' \
		'pkt_rx uc_send_first,pkt_rx uc_send_last,cqe recv' yes message -t uc send 1500
}

# A consumer in the kernel: a MAD and its way, up to the poll on the other side.
test_kernel_consumer()
{
	local flow
	trace_on glass
	perfquery "$(($(port_attr glass1/1 lid)))" 1 >/dev/null
	trace_off
	flow=$(grep '^glass_mad dev=glass0 .*dir=tx mgmt_class=perf method=get' trace | field flow | tail -n 1)
	grep -w "flow=$flow" trace >mine || fail "no flow in the MAD that was sent"
	cat mine
	assert_eq "$(stages glass0 | sed 's/,mad ,/,/')" 'wr_post send,wr_start send,pkt_tx ud_send_only,wr_complete send,cqe send,poll send'
	assert_eq "$(stages glass1 | sed 's/,mad ,/,/')" 'pkt_rx ud_send_only,cqe recv,poll recv'
}

# Each round of a retry, and what is left; the RNR NAK on both sides, with the sender's flow.
test_retries_count_their_rounds()
{
	local rounds
	trace_on glass_qp_retry glass_rnr glass_wr_start
	error_table "$TESTS/tables/errors.tsv" rc_no_such_qp
	trace_off
	cat trace
	rounds=$(sed -n 's/.*why=timeout .* \(round=[0-9]* left=[0-9]*\) .*/\1/p' trace | paste -sd,)
	assert_eq "$rounds" 'round=1 left=0' "rounds of retry_cnt 1"
	trace_on glass_qp_retry glass_rnr
	error_table "$TESTS/tables/errors.tsv" rc_send_no_receive
	trace_off
	cat trace
	assert_eq "$(grep -c '^glass_rnr dev=glass1 .*dir=tx' trace)" 2 "RNR NAKs sent"
	assert_eq "$(grep '^glass_rnr dev=glass0 .*dir=rx' trace | sed 's/.* \(round=[0-9]* left=[0-9]*\) .*/\1/')" 'round=1 left=0'
	assert_eq "$(grep '^glass_qp_retry.*why=rnr' trace | sed 's/.* \(round=[0-9]* left=[0-9]*\) .*/\1/')" 'round=1 left=0'
	assert_eq "$(grep '^glass_rnr' trace | field flow | sort -u | wc -l)" 1 "flows of the NAKs"
}

# Every verb that is entered is left, by the same task.
test_verbs_are_entered_and_left()
{
	local verb
	trace_on glass_api_enter glass_api_exit
	message send >/dev/null
	message -t ud send >/dev/null
	error_table "$TESTS/tables/errors.tsv" rc_comm_est >/dev/null
	ibv_devinfo -v >/dev/null
	smpquery nodeinfo "$(($(port_attr glass1/1 lid)))" >/dev/null
	echo 0 >"$TRACING/events/glass/enable"
	sed -n 's/^ *\(.*\) *\[[0-9]*\] .*: \(glass_api_[a-z]*\): dev=[^ ]* verb=\([a-z_]*\) .*/\1 \3 \2/p' "$TRACING/trace" >calls
	awk '{ k = $1 " " $2; if ($3 == "glass_api_enter") open[k]++
	       else if (--open[k] < 0) { print "left, not entered: " $0; bad = 1 } }
	     END { for (k in open) if (open[k] > 0) { print "not left: " k; bad = 1 }; exit bad }' calls ||
		fail "calls that do not pair"
	for verb in alloc_ucontext mmap alloc_pd reg_mr create_cq create_qp modify_qp query_qp create_ah post_send destroy_qp destroy_ah \
		destroy_cq dereg_mr dealloc_pd dealloc_ucontext query_device query_port process_mad req_notify_cq; do
		grep -q " $verb glass_api_exit" calls || fail "no $verb in the trace"
	done
}
