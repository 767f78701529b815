# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 90
# long: a hundred thousand rules
# Injection at its limits: random rules, thousands of completions and packets that wait, verbs that seldom fail.

# shellcheck source=tests/lib/inject.sh
. "$TESTS/lib/inject.sh"

LIMIT=120
LIMIT_test_random_rules=240

setup()
{
	start_opensm
}

cleanup()
{
	quiet
	stop_opensm
}

# Whoever in the kernel waits for a completion gets it: a device can always be taken away.
test_the_kernel_is_not_left_waiting()
{
	quiet
	local act
	for act in act=cqe_lose act=cqe_dup "time=1h act=cqe_delay"; do
		rule glass1 "add name=all $act"
		# the subnet manager talks to it
		rule glass1 "add name=flap port=2 time=50ms act=port_flap"
		flapped() { [[ $(told glass1 flap over) == count ]]; }
		wait_for 20 flapped
		rule glass1 "add name=away time=100ms act=unplug"
		wait_for 60 test -e /sys/class/infiniband/glass1
		quiet
	done
	refused glass1 "add act=cqe_lose pid=0" "pid=0: not allowed for completions of the kernel: it would wait for ever, or free twice"
	pair glass1 glass0 ibv_rc_pingpong -n 10
}

# What a rule made late comes when it ends, all of it: none is behind the mark that follows.
test_all_late_completions_come_at_once()
{
	quiet
	rule glass0 "add name=late comm=ib_write_bw op=write nth=1 act=cqe_delay time=1h"
	trace_on glass_cqe glass_wr_complete glass_bookmark
	next_port
	start server.log ib_write_bw -d glass1 -p "$TCP_PORT" -n 5000 -s 64 -t 2000 -Q 1
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	start client.log ib_write_bw -d glass0 -p "$TCP_PORT" -n 5000 -s 64 -t 2000 -Q 1 localhost
	local client=$STARTED
	# posted as many as it may, and all of them are done: no more comes
	local n=0 last
	done_so_far() { grep -c 'glass_wr_complete: dev=glass0 qpn=0x[0-9a-f]\{2,\} ' "$TRACING/trace" || :; }
	all_wait()
	{
		last=$n
		n=$(done_so_far)
		((n > 500 && n == last))
	}
	wait_for 30 all_wait || fail "only $n are done: $(<client.log)"
	kill -STOP "$client"
	n=$(done_so_far)
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
	echo released >"$GLASS_DEBUGFS/glass0/bookmark"
	all_came() { (($(grep -c 'glass_cqe: dev=glass0 .* qpn=0x[0-9a-f]\{2,\} ' "$TRACING/trace") >= n)); }
	wait_for 20 all_came
	trace_off
	programs_only
	assert_eq "$(grep -c 'glass_cqe dev=glass0' trace)" "$n" "completions"
	assert_eq "$(sed '1,/glass_bookmark/d' trace | grep -c 'glass_cqe dev=glass0')" 0 "completions that came later"
	kill -CONT "$client"
	finish "$client" client.log
	finish "$server" server.log
	quiet
}

# Of two programs whose packets wait, each goes on by itself, in its own order.
test_streams_wait_by_themselves()
{
	quiet
	rule glass0 "add name=one comm=message op=write nth=1 act=hold"
	start first.log message write 20000
	local first=$STARTED
	held() { [[ $(stat_of glass0 waiting) == "$1" ]]; }
	wait_for 20 held 20
	start second.log message write 20000
	wait_for 20 held 40
	column "$GLASS_DEBUGFS/glass0/inject/held" hit | sort | uniq -c | tr -s ' \n' ' ' >hits
	assert_eq "$(<hits)" " 38 no 2 yes " "who was hit"
	trace_on glass_pkt_rx
	ibinject step glass0 one >step
	finish "$first" first.log
	assert_eq "$(stat_of glass0 waiting)" 20 "of the second"
	assert_eq "$(wc -l <step)" 20 "packets that went"
	ibinject release glass0 >/dev/null
	finish "$STARTED" second.log
	trace_off
	# no hole, no disorder: each PSN once
	grep 'glass_pkt_rx dev=glass1 .*opcode=rc_write' trace | field psn >psns
	assert_eq "$(wc -l <psns)" 40 "packets that arrived"
	diff <(head -n 20 psns) <(tail -n 20 psns)
	quiet
}

# More RNR NAKs than the QP's rnr_retry: the request fails with that status.
test_never_ready()
{
	quiet
	rule glass1 "add name=never comm=message op=send dir=rx timer=1 act=rnr"
	trace_on glass_rnr glass_cqe glass_qp_state
	refuses message -r send 100
	trace_off
	assert_match "$REFUSAL" 'RNR retry counter exceeded'
	assert_eq "$(told glass1 never hit)" 1 "hits"
	grep -q 'glass_cqe dev=glass0 .*status=rnr_retry_exc_err' trace || fail "the completion is not in the trace"
	grep -q 'glass_qp_state dev=glass0 .*to=err cause=rnr_exc' trace || fail "the cause: $(grep to=err trace)"
	quiet
}

# Verbs that few programs call.
test_verbs_that_seldom_fail()
{
	quiet
	cat >verbs.py <<'END'
import errno, sys
from pyverbs.addr import AHAttr, AH
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
import pyverbs.enums as e

RULES = "/sys/kernel/debug/glass/glass0/inject/rules"
ctx = Context(name="glass0")
pd = PD(ctx)
cq = CQ(ctx, 16)


def srq_limit(srq):
    srq.modify(SrqAttr(srq_limit=4), e.IBV_SRQ_LIMIT)


def make_srq():
    return SRQ(pd, SrqInitAttr(SrqAttr(max_wr=16)))


def make_qp(qp_type=e.IBV_QPT_UD):
    attr = QPAttr(port_num=1)
    attr.qkey = 1
    return QP(pd, QPInitAttr(qp_type=qp_type, scq=cq, rcq=cq, cap=QPCap(4, 4, 1, 1, 0)), attr)


lid = ctx.query_port(1).lid
srq, qp = make_srq(), make_qp()
calls = {
    "create_ah": lambda: AH(pd, attr=AHAttr(dlid=lid, port_num=1)).close(),
    "create_srq": lambda: make_srq().close(),
    "modify_srq": lambda: srq_limit(srq),
    "query_srq": lambda: srq.query(),
    "query_qp": lambda: qp.query(e.IBV_QP_STATE),
    "destroy_srq": lambda: destroyed.close(),
}


for verb, call in calls.items():
    destroyed = make_srq()
    with open(RULES, "w") as f:
        f.write(f"add name=v comm=python3 verb={verb} err=EIO act=fail")
    try:
        call()
        failed = None
    except PyverbsRDMAError as x:
        failed = x.error_code
    with open(RULES, "w") as f:
        f.write("del name=v")
    if failed not in (errno.EIO, -errno.EIO):
        sys.exit(f"{verb}: {failed}, not EIO")
    # it did nothing, and works again
    if verb != "destroy_srq":
        call()
    destroyed.close()
    print(verb, "failed")
END
	trace_on glass_api_exit
	python3 verbs.py >verbs
	rule glass0 "add name=group comm=verbs_check verb=attach_mcast err=EIO act=fail"
	refuses verbs_check -t ud_mcast_loopback
	trace_off
	local verb
	for verb in create_ah create_srq modify_srq query_srq query_qp attach_mcast destroy_srq; do
		grep -q "glass_inject\|glass_api_exit dev=glass0 verb=$verb .*ret=-5" trace || fail "$verb: its errno is not in the trace"
	done
	assert_eq "$(wc -l <verbs)" 6 "verbs"
	quiet
}

no_traffic()
{
	! pgrep -x traffic
}

# 100,000 lines: each is a rule or is refused, while a program runs as it can. Some take what manages the device to ERR, for good:
# it is loaded anew, for which the kernel must have got rid of everything, and all is as it always was.
test_random_rules()
{
	quiet
	busy() { while :; do timeout 5 traffic --count 500 >/dev/null 2>&1 || :; done; }
	start busy.log busy
	local busy=$STARTED
	rule_fuzz glass0 | tee fuzz
	kill "$busy"
	(($(sed -n 's/^\([0-9]*\) of 100000 taken$/\1/p' fuzz) > 5000)) || fail "too few were rules"
	assert_eq "$(<"$GLASS_DEBUGFS/glass0/inject/rules")" "" "rules after clear"
	assert_eq "$(stat_of glass0 waiting)" 0 "waiting"
	wait_for 20 gone "$busy"
	wait_for 20 no_traffic
	fresh_glass
	start_opensm
	traffic --count 200
	pair glass1 glass0 ibv_rc_pingpong -n 10
}
