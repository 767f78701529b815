/* SPDX-License-Identifier: GPL-2.0-only */
/* Stories of each first cause: a story of tests/unit/ibwhy/stories, changed in some places. */
#ifndef GLASS_TESTS_UNIT_IBWHY_CAUSES_H
#define GLASS_TESTS_UNIT_IBWHY_CAUSES_H

#include "stories.h"

#define REASON(word)	   { "REASON", word }
#define NEVER		   { "9400000000 600000000 destroy 1000 812 server 1000 - 0x11", "- - never - - - - - -" }
#define FOUND		   { "glass1 0x1234 no user 1 0x10000 4096 remote_write active 812 server 9999951000 local_inv 812 server 1", \
	"glass1 0x1234 yes user 1 0x10000 4096 remote_write active 812 server - - - - 1" }
#define LFOUND		   { "glass0 0x55 no user 1 0x7000 4096 local_write active 811 client 9999951000 dereg 811 client 1", \
	"glass0 0x55 yes user 1 0x7000 4096 local_write active 811 client - - - - 1" }
/* The receive of 512 bytes at 0x8000 that glass1 took, and what is known of its L_Key; the message has 64 */
#define RECEIVE(sge, key)  { "event: qp_access_err\ncause: resp_access\n", "status: loc_prot_err\ncause: loc_prot\nop: recv\nwr_id: 0x1\n" }, \
	{ "kind: event", "kind: completion" }, { "glass1 1 0x22 access", "glass1 1 0x22 local_prot" }, { "op=write", "op=send" }, \
	{ "  used: 0\n# glass 1 remote", "  used: 1\n  rwqe: state=filling wr_id=0x1 len=512 num_sge=1 sge=" sge "\n" \
	  "  rwqe: index=1 state=posted wr_id=0x2 len=512 num_sge=1 sge=0x9000:512:0x77\n# glass 1 remote" }, \
	{ "glass1 0x1234 no user 1 0x10000 4096 remote_write active 812 server 9999951000 local_inv 812 server 1", "glass1 0x66 " key }
#define CORRUPT		   { "# glass 1 gone_qps", "glass0 1 r1 corrupt 9464000000 7936 811 client 900 tester 0 -\n# glass 1 gone_qps" }
#define OTHER_QP	   { "missing: -\n", "connected: 1\n" }, { "glass1 1 0x22 2 rts", "glass1 1 0x25 2 rts" }
/* The first copy found the peer QP in a state in which it receives nothing */
#define DEAF_FIRST	   { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 no_qp", \
	"9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 qp_state" }
/* The peer QP received the first copy */
#define RECEIVED_FIRST	   { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 no_qp", \
	"9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 none" }
/* A peer QP with its last state and first error: "state destroyed age how", "since error" */
#define GONE_PEER(was, then) { "signal dest_qpn\nglass1 0x22 rc rts 9400000000 600000000 destroy 1000 812 server 1000 - 0x11", \
	"signal dest_qpn state_when state_before error\nglass1 0x22 rc " was " 1000 812 server 1000 - 0x11 " then }
/* glass0 -- s0 -- s1 -- glass1: s0 lost its route by port 2 at 9400000000; rows of ports of that cable, and of the one to glass1 */
#define TWO_SWITCHES(near, far, last) REASON("no_route"), { "missing: -\n", "dlid_port: glass1:1\n" }, \
	{ "# glass 1 processes", "# glass 1 routes: node lid port lost to\ns0 2 2 9400000000 s1:1\ns1 2 3 - glass1:1\n# glass 1 processes" }, \
	{ "s0 2 active 5 - 1 glass1:1 1000 sm\n", near "\n" far "\ns1 3 active 5 - 1 glass1:1 1000 sm\n" }, \
	{ "glass1 1 active 5 2 1 s0:2 1000 sm", last }
#define NEAR_UP		   "s0 2 active 5 - 1 s1:1 1000 sm"
#define FAR_UP		   "s1 1 active 5 - 1 s0:2 1000 sm"
#define LAST_UP		   "glass1 1 active 5 2 1 s1:3 1000 sm"
#define NO_PEER		   { "peer_dev: glass1\npeer_qpn: 0x22\npeer_pid: 812\npeer_comm: server\n", "dlid_port: none\n" }

static const struct told causes[] = {
	{ "peer reset", "retry", WHY_CAUSE_PEER_RESET, { REASON("qp_state"),
	  { "from=rtr to=rts cause=verb\nsq:\n  max: 64\n  slots: 64\n  used: 0", "from=rtr to=reset cause=verb\nsq:\n  max: 64\n  slots: 64\n  used: 0" } } },
	{ "peer never left reset", "retry", WHY_CAUSE_PEER_RESET, { REASON("qp_state"),
	  { "  changes: 3\n  change: when=5000000000 age=5000000000 from=reset to=init cause=verb\n  change: when=5100000000 age=4900000000 from=init to=rtr cause=verb\n  change: when=5200000000 age=4800000000 from=rtr to=rts cause=verb\nsq", "  changes: 0\nsq" } } },
	{ "peer init", "retry", WHY_CAUSE_PEER_INIT, { REASON("qp_state"),
	  { "  changes: 3\n  change: when=5000000000 age=5000000000 from=reset to=init cause=verb\n  change: when=5100000000 age=4900000000 from=init to=rtr cause=verb\n  change: when=5200000000 age=4800000000 from=rtr to=rts cause=verb\nsq", "  changes: 1\n  change: when=5000000000 age=5000000000 from=reset to=init cause=verb\nsq" } } },
	{ "peer err", "retry", WHY_CAUSE_PEER_ERR, { REASON("qp_state"),
	  { "from=rtr to=rts cause=verb\nsq:\n  max: 64\n  slots: 64\n  used: 0", "from=rtr to=err cause=verb\nsq:\n  max: 64\n  slots: 64\n  used: 0" },
	  { "rnr_told: 640000\nhistory", "rnr_told: 640000\nfirst_error:\n  cause: verb\n  when: 5200000000\nhistory" } } },
	{ "peer destroyed", "retry", WHY_CAUSE_PEER_GONE, { REASON("no_qp") } },
	{ "peer destroyed after an RNR NAK", "retry", WHY_CAUSE_PEER_GONE, { REASON("no_qp"), { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 no_qp", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 rnr_wait" } } },
	{ "peer ended", "retry", WHY_CAUSE_PEER_EXITED, { REASON("no_qp"), { " destroy ", " exit " } } },
	{ "peer closed", "retry", WHY_CAUSE_PEER_EXITED, { REASON("no_qp"), { " destroy ", " close " } } },
	{ "peer killed", "retry", WHY_CAUSE_PEER_KILLED, { REASON("no_qp"), { " destroy 1000 812 server 1000 - ", " exit 1000 812 server 1000 9 " } } },
	{ "peer killed before it answered", "retry", WHY_CAUSE_PEER_KILLED, { REASON("no_qp"), RECEIVED_FIRST, { " destroy 1000 812 server 1000 - ", " exit 1000 812 server 1000 9 " } } },
	{ "peer unplugged", "retry", WHY_CAUSE_UNPLUGGED, { REASON("no_qp"), { " destroy ", " unplug " } } },
	{ "peer failed, and ended while copies came", "retry", WHY_CAUSE_PEER_ERR, { REASON("no_qp"), DEAF_FIRST, GONE_PEER("err 9500000000 500000000 exit", "9450000000 rts retry_exc") } },
	{ "peer failed by a fault, and ended while copies came", "retry", WHY_CAUSE_INJECTED, { REASON("no_qp"), DEAF_FIRST, GONE_PEER("err 9500000000 500000000 exit", "9450000000 rts injected") } },
	{ "peer failed while the first copy was under way", "retry", WHY_CAUSE_PEER_ERR, { REASON("no_qp"), DEAF_FIRST, GONE_PEER("err 9500000000 500000000 exit", "9470000000 rts rem_access") } },
	{ "peer moved to ERR, and destroyed while copies came", "retry", WHY_CAUSE_PEER_ERR, { REASON("no_qp"), DEAF_FIRST, GONE_PEER("err 9500000000 500000000 destroy", "9450000000 rts verb") } },
	{ "peer moved to RESET, and destroyed while copies came", "retry", WHY_CAUSE_PEER_RESET, { REASON("no_qp"), DEAF_FIRST, GONE_PEER("reset 9500000000 500000000 destroy", "9450000000 rts none") } },
	{ "peer failed by a fault, and ended after the last copy", "retry", WHY_CAUSE_INJECTED, { REASON("qp_state"), GONE_PEER("err 9950000000 50000000 exit", "9450000000 rts injected"), { "  changes: 3\n  change: when=5000000000 age=5000000000 from=reset to=init cause=verb\n  change: when=5100000000 age=4900000000 from=init to=rtr cause=verb\n  change: when=5200000000 age=4800000000 from=rtr to=rts cause=verb\nsq", "  state: gone\nsq" } } },
	{ "peer failed, and ended before the first copy", "retry", WHY_CAUSE_PEER_ERR, { REASON("no_qp"), GONE_PEER("err 9400000000 600000000 exit", "9390000000 rts resp_access") } },
	{ "peer moved to ERR, and destroyed before the first copy", "retry", WHY_CAUSE_PEER_ERR, { REASON("no_qp"), GONE_PEER("err 9400000000 600000000 destroy", "9390000000 rts verb") } },
	{ "peer destroyed, and the number of this end unknown", "retry", WHY_CAUSE_PEER_GONE, { REASON("no_qp"), { "# glass 1 local: glass0 qp 0x11\nqpn: 0x11\n", "# glass 1 local: glass0 qp 0x11\n" } } },
	{ "peer failed as its adapter was unplugged", "retry", WHY_CAUSE_UNPLUGGED, { REASON("no_qp"), GONE_PEER("err 9400000000 600000000 unplug", "9390000000 rts verb") } },
	{ "no such QPN", "retry", WHY_CAUSE_WRONG_QPN, { REASON("no_qp"), NEVER, { "missing: -\n", "connected: 1\n" }, { "glass1 1 0x22 2 rts", "glass1 1 0x25 2 rts" } } },
	{ "no such QPN, no peer", "retry", WHY_CAUSE_WRONG_QPN, { REASON("no_qp"), NEVER, { "missing: -\n", "connected: 0\n" }, { "glass1 1 0x22 2 rts 812 server\n", "" } } },
	{ "somebody else's QPN", "retry", WHY_CAUSE_WRONG_QPN, { REASON("bad_psn"), { "dest_qpn: 0x11", "dest_qpn: 0x99" }, OTHER_QP } },
	{ "somebody else's QPN, and PSNs that seem to be old", "retry", WHY_CAUSE_WRONG_QPN, { REASON("duplicate"), { "dest_qpn: 0x11", "dest_qpn: 0x99" }, OTHER_QP } },
	{ "another adapter's LID, and a QP of that number there", "retry", WHY_CAUSE_WRONG_LID, { REASON("qp_state"), { "missing: -\n", "connected: 1\n" }, { "glass1 1 0x22 2 rts", "glass2 1 0x22 3 rts" } } },
	{ "QPN of a QP with another peer", "retry", WHY_CAUSE_WRONG_QPN, { REASON("wrong_slid"), { "dest_qpn: 0x11", "dest_qpn: 0x99" }, OTHER_QP } },
	{ "QPN of another type", "retry", WHY_CAUSE_WRONG_QPN, { REASON("qp_type"), OTHER_QP } },
	{ "another port's LID", "retry", WHY_CAUSE_WRONG_LID, { REASON("no_qp"), NEVER, { "missing: -\n", "connected: 1\n" }, { "glass1 1 0x22 2 rts", "glass2 1 0x22 3 rts" } } },
	{ "LID of this end, which has the QPN of the peer", "retry", WHY_CAUSE_WRONG_LID, { REASON("bad_psn"), { "missing: -\n", "connected: 2\n" }, { "peer_dev: glass1\npeer_qpn: 0x22", "peer_dev: glass0\npeer_qpn: 0x22" }, { "glass1 1 0x22 2 rts 812 server\n", "glass0 1 0x11 1 rts 811 client\nglass1 1 0x22 2 rts 812 server\n" } } },
	{ "nobody's LID", "lost", WHY_CAUSE_WRONG_LID, { REASON("no_route"), NO_PEER } },
	{ "LID of this end", "retry", WHY_CAUSE_WRONG_LID, { REASON("wrong_slid") } },
	{ "LID of another port", "retry", WHY_CAUSE_WRONG_LID, { REASON("wrong_lid") } },
	{ "GID", "retry", WHY_CAUSE_WRONG_GID, { REASON("bad_grh") } },
	{ "P_Key", "retry", WHY_CAUSE_WRONG_PKEY, { REASON("bad_pkey") } },
	{ "Q_Key", "retry", WHY_CAUSE_WRONG_QKEY, { REASON("bad_qkey") } },
	{ "PSN too high", "retry", WHY_CAUSE_PSN_MISMATCH, { REASON("bad_psn"), { "rq_psn: 7936", "rq_psn: 7000" } } },
	{ "PSN too low", "retry", WHY_CAUSE_PSN_MISMATCH, { REASON("duplicate"), { "rq_psn: 7936", "rq_psn: 8000" } } },
	{ "MTU", "invalid", WHY_CAUSE_MTU_MISMATCH, { REASON("bad_len"), { "dest_qpn: 0x11\ndlid: 1\nmtu: 1024", "dest_qpn: 0x11\ndlid: 1\nmtu: 512" } } },
	{ "MTU, and no reason of the responder", "invalid", WHY_CAUSE_MTU_MISMATCH, { REASON("none"), { "dest_qpn: 0x11\ndlid: 1\nmtu: 1024", "dest_qpn: 0x11\ndlid: 1\nmtu: 512" } } },
	{ "PSN inside the first message", "invalid", WHY_CAUSE_PSN_MISMATCH, { REASON("bad_seq"), { "first_psn: 7936", "first_psn: 7935" } } },
	{ "own PSN inside the peer's first message", "responder", WHY_CAUSE_PSN_MISMATCH, { { "cause: resp_access", "cause: resp_inv_req" }, { "first_psn: 7936", "first_psn: 7935" }, { "glass1 1 0x22 access", "glass1 1 0x22 bad_seq" } } },
	{ "no first of a message, and PSNs that agree", "invalid", WHY_CAUSE_UNDETERMINED, { REASON("bad_seq") } },
	{ "no reason of the responder", "invalid", WHY_CAUSE_UNDETERMINED, { REASON("none") } },
	{ "local_inv", "access", WHY_CAUSE_KEY_STALE, { { NULL, NULL } } },
	{ "dereg", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " dereg " } } },
	{ "send_inv", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " send_inv " } } },
	{ "rereg", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " rereg " } } },
	{ "key closed", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " close " } } },
	{ "key exit", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " exit " } } },
	{ "window that ended", "access", WHY_CAUSE_KEY_STALE, { { "glass1 0x1234 no user 1 0x10000 4096 remote_write active", "glass1 0x1234 yes window 1 0x10000 4096 remote_write unbound" } } },
	{ "key that ended after the failure, out of bounds", "access", WHY_CAUSE_KEY_BOUNDS, { { "9999951000 local_inv", "10000000500 exit" }, { "0x10000 4096", "0x10000 63" } } },
	{ "key that ended after the failure, of another PD", "access", WHY_CAUSE_KEY_OTHER_PD, { { "9999951000 local_inv 812 server 1", "10000000500 exit 812 server 2" } } },
	{ "key that ended while it was used", "access", WHY_CAUSE_KEY_STALE, { { "9999951000 local_inv", "9999991500 local_inv" } } },
	{ "key unknown", "access", WHY_CAUSE_KEY_UNKNOWN, { { "9999951000 local_inv 812 server", "- never - -" } } },
	{ "key of another PD", "access", WHY_CAUSE_KEY_OTHER_PD, { FOUND, { "- - - - 1\n", "- - - - 2\n" } } },
	{ "key out of bounds", "access", WHY_CAUSE_KEY_BOUNDS, { FOUND, { "0x10000 4096", "0x10000 63" } } },
	{ "key below bounds", "access", WHY_CAUSE_KEY_BOUNDS, { FOUND, { "0x10000 4096", "0x10001 4096" } } },
	{ "key without the right", "access", WHY_CAUSE_KEY_ACCESS, { FOUND, { "4096 remote_write", "4096 local_write|remote_read" } } },
	{ "responder: key", "responder", WHY_CAUSE_KEY_STALE, { { NULL, NULL } } },
	{ "atomic out of bounds", "access", WHY_CAUSE_KEY_BOUNDS, { FOUND, { "write_only 7936", "rc_cmp_swap 7936" }, { "op=write", "op=cmp_swap" }, { "0x10000 4096 remote_write", "0xfffc 8 remote_atomic" } } },
	{ "responder: bounds", "responder", WHY_CAUSE_KEY_BOUNDS, { FOUND, { "0x10000 4096", "0x10000 63" } } },
	{ "QP access", "invalid", WHY_CAUSE_QP_ACCESS, { REASON("access"), { "op=send", "op=write" }, { "access: remote_write|remote_read\n  rq_psn: 7936", "access: remote_read\n  rq_psn: 7936" } } },
	{ "QP grants nothing", "invalid", WHY_CAUSE_QP_ACCESS, { REASON("access"), { "op=send", "op=write" }, { "  access: remote_write|remote_read\n  rq_psn: 7936", "  rq_psn: 7936" } } },
	{ "misaligned", "invalid", WHY_CAUSE_MISALIGNED, { REASON("misaligned"), { "op=send", "op=fetch_add" } } },
	{ "lkey dereg", "local", WHY_CAUSE_LKEY_STALE, { { NULL, NULL } } },
	{ "lkey unknown", "local", WHY_CAUSE_LKEY_UNKNOWN, { { "9999951000 dereg 811 client", "- never - -" } } },
	{ "lkey of another PD", "local", WHY_CAUSE_LKEY_OTHER_PD, { LFOUND, { "- - - - 1\n", "- - - - 2\n" } } },
	{ "lkey bounds", "local", WHY_CAUSE_LKEY_BOUNDS, { LFOUND, { "0x7000 4096", "0x7000 63" } } },
	{ "lkey access", "local", WHY_CAUSE_LKEY_ACCESS, { LFOUND, { "op=send", "op=read" }, { "4096 local_write", "4096 remote_read" } } },
	{ "lkey of a receive, dereg", "responder", WHY_CAUSE_LKEY_STALE, { RECEIVE("0x8000:512:0x66", "no user 1 0x8000 4096 local_write - 812 server 9999951000 dereg 812 server 1") } },
	{ "lkey of a receive, unknown", "responder", WHY_CAUSE_LKEY_UNKNOWN, { RECEIVE("0x8000:512:0x66", "no - - - - - - - - - never - - 1") } },
	{ "lkey of a receive, of another PD", "responder", WHY_CAUSE_LKEY_OTHER_PD, { RECEIVE("0x8000:512:0x66", "other_pd user 2 0x8000 4096 local_write valid 812 server - - - - 1") } },
	{ "lkey of a receive, bounds", "responder", WHY_CAUSE_LKEY_BOUNDS, { RECEIVE("0x8000:512:0x66", "yes user 1 0x8000 63 local_write valid 812 server - - - - 1") } },
	{ "lkey of a receive, bounds behind the message", "responder", WHY_CAUSE_UNDETERMINED, { RECEIVE("0x8000:512:0x66", "yes user 1 0x8000 64 local_write valid 812 server - - - - 1") } },
	{ "lkey of a receive, access", "responder", WHY_CAUSE_LKEY_ACCESS, { RECEIVE("0x8000:512:0x66", "yes user 1 0x8000 4096 remote_read valid 812 server - - - - 1") } },
	{ "lkey of a receive, in an SGE behind the message", "responder", WHY_CAUSE_UNDETERMINED, { RECEIVE("0x8000:64:0x55,0x8000:64:0x66", "no - - - - - - - - - never - - 1") } },
	{ "no receive", "rnr", WHY_CAUSE_NO_RECV, { { NULL, NULL } } },
	{ "peer stopped", "rnr", WHY_CAUSE_PEER_STOPPED, { { "server remote sleeping", "server remote stopped" } } },
	{ "receive too short", "invalid", WHY_CAUSE_RECV_SHORT, { REASON("msg_too_long") } },
	{ "receive too short, and a copy behind the one that was refused", "invalid", WHY_CAUSE_RECV_SHORT, { REASON("msg_too_long"), { "9999993000 7000 rx ack", "9999992500 7500 tx send_only 7936 1 1024 0x22 1 2 0xffff ackreq - - - - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 qp_state\n9999993000 7000 rx ack" } } },
	{ "receive too short, by a drop of another host", "invalid", WHY_CAUSE_RECV_SHORT, { { "glass1 1 0x22 REASON", "- - - -" }, { "# glass 1 journal", "glass1 1 9999992000 8000 1 qp msg_too_long send_only 0x22 7936 64 1 2 0x0 -\n# glass 1 journal" }, { "op=send", "op=send flow=0x9" } } },
	{ "own receive too short", "responder", WHY_CAUSE_RECV_SHORT, { { "cause: resp_access", "cause: loc_len" }, { "7936 1 64", "7936 1 1024" }, { "glass1 1 0x22 access", "glass1 1 0x22 msg_too_long" } } },
	{ "CQ", "cq", WHY_CAUSE_CQ_OVERRUN, { { NULL, NULL } } },
	{ "port down by a command", "lost", WHY_CAUSE_PORT_DOWN, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 verb" } } },
	{ "cable cut", "lost", WHY_CAUSE_CABLE_CUT, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 cable_cut" } } },
	{ "cable pulled, other end", "lost", WHY_CAUSE_CABLE_CUT, { REASON("port_down"), { "glass1 1 active 5 2 1 s0:2 1000 sm", "glass1 1 down 2 2 1 s0:2 9000000000 cable_pulled" } } },
	{ "netdev without carrier", "lost", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "sm_lid cable when what", "sm_lid cable netdev when what" }, { " 1000 sm", " - 1000 sm" }, { "s0 2 active 5 - 1 glass1:1 - 1000 sm", "s0 2 down 2 - 1 - eth0 9000000000 carrier" } } },
	{ "port down by the other host", "lost", WHY_CAUSE_PORT_DOWN, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 - 9000000000 peer" } } },
	{ "cable cut before an answer", "lost", WHY_CAUSE_CABLE_CUT, { REASON("port_down"), { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 none" }, { "glass0 1 9464000000 536000000 1 switch port_down rc_read_req 0x22 7936 0 1 2 0x9 s0:2\n", "" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9480000000 cable_cut" } } },
	{ "interface full, then gone", "lost", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 cable_full - - - -" }, { "glass0 1 9464000000 536000000 1 switch port_down rc_read_req 0x22 7936 0 1 2 0x9 s0:2\n", "glass0 1 9464000000 536000000 1 link cable_full rc_read_req 0x22 7936 0 1 2 0x9 -\n" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 - 9480000000 carrier" } } },
	{ "copies lost on the way, before the port went down", "lost", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none - - - -" }, { "9531000000 469000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9531000000 469000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none - - - -" }, { "glass0 1 9464000000 536000000 1 switch port_down rc_read_req 0x22 7936 0 1 2 0x9 s0:2\nglass0 2 9531000000 469000000 1 switch port_down rc_read_req 0x22 7936 0 1 2 0x9 s0:2\n", "" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 - 9580000000 carrier" } } },
	{ "cable cut, and then its route taken away", "lost", WHY_CAUSE_CABLE_CUT, { REASON("port_down"), { "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 no_route - - - -" }, { "glass0 8 9933000000 67000000 1 switch port_down rc_read_req 0x22 7936 0 1 2 0x9 s0:2", "glass0 8 9933000000 67000000 1 switch no_route rc_read_req 0x22 7936 0 1 2 0x9 s0:1" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 - 9000000000 cable_cut" } } },
	{ "port down, and no route at another switch", "lost", WHY_CAUSE_UNDETERMINED, { REASON("port_down"), { "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 no_route - - - -" }, { "glass0 8 9933000000 67000000 1 switch port_down rc_read_req 0x22 7936 0 1 2 0x9 s0:2", "glass0 8 9933000000 67000000 1 switch no_route rc_read_req 0x22 7936 0 1 2 0x9 s1:1" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 - 9000000000 cable_cut" } } },
	{ "no route before the port went down", "lost", WHY_CAUSE_UNDETERMINED, { REASON("port_down"), { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 no_route - - - -" }, { "glass0 1 9464000000 536000000 1 switch port_down rc_read_req 0x22 7936 0 1 2 0x9 s0:2", "glass0 1 9464000000 536000000 1 switch no_route rc_read_req 0x22 7936 0 1 2 0x9 s0:1" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 - 9000000000 cable_cut" } } },
	{ "port down, and another fate", "lost", WHY_CAUSE_UNDETERMINED, { REASON("port_down"), { "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 none" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 cable_cut" } } },
	{ "port changed since", "lost", WHY_CAUSE_UNDETERMINED, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9800000000 cable_cut" } } },
	{ "port up again", "lost", WHY_CAUSE_UNDETERMINED, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 init 5 - 1 glass1:1 9800000000 up" } } },
	{ "GID gone", "ether", WHY_CAUSE_GID_GONE, { REASON("no_route"), { "yes veth0 yes - 0000:0000:0000:0000:0000:ffff:0a09:0001 reachable", "no - - - - -" } } },
	{ "no IP route", "ether", WHY_CAUSE_NO_IP_ROUTE, { REASON("no_route"), { "yes veth0 yes - 0000:0000:0000:0000:0000:ffff:0a09:0001 reachable", "yes veth0 no 101 - -" } } },
	{ "a way to the peer that is there again", "ether", WHY_CAUSE_UNDETERMINED, { REASON("no_route") } },
	{ "nobody has the address", "ether", WHY_CAUSE_NO_NEIGHBOUR, { REASON("none"), { "reachable", "failed" } } },
	{ "nobody has the address yet", "ether", WHY_CAUSE_NO_NEIGHBOUR, { REASON("none"), { "reachable", "incomplete" } } },
	{ "nobody has the address of the gateway", "ether", WHY_CAUSE_NO_NEIGHBOUR, { REASON("none"), { "0a09:0001 reachable", "0a09:00fe failed" } } },
	{ "lost in the network", "ether", WHY_CAUSE_UNDETERMINED, { REASON("none") } },
	{ "a rule dropped them, and nobody has the address", "ether", WHY_CAUSE_INJECTED, { REASON("injected"), { "reachable", "failed" } } },
	{ "network interface down", "ether", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "glassr0 1 active 5 0 0 - veth0 1000 interface", "glassr0 1 down 2 0 0 - veth0 9000000000 interface" } } },
	{ "netdev gone", "lost", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 eth0 9000000000 netdev_gone" } } },
	{ "netdev silent", "lost", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 eth0 9000000000 silence" } } },
	{ "port down by a rule", "lost", WHY_CAUSE_INJECTED, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 rule" } } },
	{ "unplugged", "lost", WHY_CAUSE_UNPLUGGED, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 unplug" } } },
	{ "no route", "lost", WHY_CAUSE_NO_ROUTE, { REASON("no_route") } },
	{ "no route to a port whose cable was cut", "lost", WHY_CAUSE_CABLE_CUT, { REASON("no_route"), { "missing: -\n", "dlid_port: glass1:1\n" }, { "glass1 1 active 5 2 1 s0:2 1000 sm", "glass1 1 down 2 2 1 - 9000000000 cable_cut" } } },
	{ "no route to a port that went down later", "lost", WHY_CAUSE_UNDETERMINED, { REASON("no_route"), { "missing: -\n", "dlid_port: glass1:1\n" }, { "glass1 1 active 5 2 1 s0:2 1000 sm", "glass1 1 down 2 2 1 - 9800000000 cable_cut" } } },
	{ "no route to a port at another switch", "lost", WHY_CAUSE_UNDETERMINED, { REASON("no_route"), { "missing: -\n", "dlid_port: glass1:1\n" }, { "glass1 1 active 5 2 1 s0:2 1000 sm", "glass1 1 active 5 2 1 s1:2 1000 sm" } } },
	{ "route lost though all ports of its way are active", "lost", WHY_CAUSE_NO_ROUTE, { TWO_SWITCHES(NEAR_UP, FAR_UP, LAST_UP) } },
	{ "route lost as the cable to the next switch was cut", "lost", WHY_CAUSE_CABLE_CUT, { TWO_SWITCHES("s0 2 down 2 - 1 s1:1 9300000000 cable_cut", "s1 1 down 2 - 1 s0:2 9300000000 cable_cut", LAST_UP) } },
	{ "route lost as the next switch's port was taken down", "lost", WHY_CAUSE_PORT_DOWN, { TWO_SWITCHES(NEAR_UP, "s1 1 down 3 - 1 s0:2 9300000000 sm", LAST_UP) } },
	{ "route lost as a cable behind the next switch was cut", "lost", WHY_CAUSE_CABLE_CUT, { TWO_SWITCHES(NEAR_UP, FAR_UP, LAST_UP), { "s1 3 active 5 - 1 glass1:1 1000 sm", "s1 3 down 2 - 1 - 9300000000 cable_cut" } } },
	{ "route lost, and the cable cut later", "lost", WHY_CAUSE_UNDETERMINED, { TWO_SWITCHES("s0 2 down 2 - 1 s1:1 9410000000 cable_cut", "s1 1 down 2 - 1 s0:2 9410000000 cable_cut", LAST_UP) } },
	{ "route lost, and the way of the next switch not known", "lost", WHY_CAUSE_UNDETERMINED, { TWO_SWITCHES(NEAR_UP, FAR_UP, LAST_UP), { "s1 2 3 - glass1:1\n", "" } } },
	{ "route lost, and there again", "lost", WHY_CAUSE_UNDETERMINED, { TWO_SWITCHES(NEAR_UP, FAR_UP, LAST_UP), { "s0 2 2 9400000000", "s0 2 2 -" } } },
	{ "loop", "lost", WHY_CAUSE_ROUTE_LOOP, { REASON("loop") } },
	{ "no subnet manager", "lost", WHY_CAUSE_SM_GONE, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 init 5 - 0 glass1:1 9000000000 carrier" } } },
	{ "dropped by a rule", "lost", WHY_CAUSE_INJECTED, { REASON("injected") } },
	{ "answers dropped by a rule", "answers", WHY_CAUSE_INJECTED, { REASON("injected"), { "r1 delay", "r1 drop" } } },
	{ "answers to the last packet dropped by a rule", "answers", WHY_CAUSE_INJECTED, { REASON("injected"), { "r1 delay", "r1 drop" }, { "rx read_resp_only 7936", "rx rc_ack 7940" }, { " 7936 811 client 900 ", " 7940 811 client 900 " } } },
	{ "damaged by a rule", "answers", WHY_CAUSE_INJECTED, { REASON("none"), { "glass1 1 0x22 none glass0 1 0x11 none", "glass1 1 0x22 none glass0 1 0x11 bad_vcrc" }, { " delay ", " corrupt " } } },
	{ "damaged by a rule, in the length", "retry", WHY_CAUSE_INJECTED, { REASON("bad_len"), CORRUPT } },
	{ "damaged by a rule, each copy elsewhere", "retry", WHY_CAUSE_INJECTED, { REASON("bad_vcrc"), { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 bad_vcrc", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 bad_len" }, CORRUPT } },
	{ "NAK of a rule", "access", WHY_CAUSE_INJECTED, { FOUND, { "# glass 1 gone_qps", "glass0 1 r1 nak 9999990000 7936 811 client 900 tester 0 -\n# glass 1 gone_qps" } } },
	{ "CQ with room, by a rule", "cq", WHY_CAUSE_INJECTED, { { "used: 16\nlost", "used: 6\nlost" } } },
	{ "CQ overrun of a rule", "cq", WHY_CAUSE_INJECTED, { { "cause: cq_overrun", "cause: injected" } } },
	{ "delay of a rule", "answers", WHY_CAUSE_TIMEOUT_SHORT, { REASON("none") } },
	{ "delay of a rule, of the answers to the last packet", "answers", WHY_CAUSE_TIMEOUT_SHORT, { REASON("none"), { "rx read_resp_only 7936", "rx rc_ack 7940" }, { " 7936 811 client 900 ", " 7940 811 client 900 " } } },
	{ "late answers", "answers", WHY_CAUSE_TIMEOUT_SHORT, { REASON("stale_resp"), { " delay ", " dup " } } },
	{ "READ depth", "invalid", WHY_CAUSE_READ_DEPTH, { REASON("rd_atomic"), { "op=send", "op=read" } } },
	{ "own modify", "local", WHY_CAUSE_MODIFY_ERR, { { "kind: completion", "kind: verb" }, { "cause: loc_prot\n", "cause: verb\n" } } },
	{ "request", "local", WHY_CAUSE_BAD_REQUEST, { { "cause: loc_prot\n", "cause: loc_qp_op\n" } } },
	{ "bind", "local", WHY_CAUSE_BAD_BIND, { { "cause: loc_prot\n", "cause: mw_bind\n" } } },
	{ "ring", "local", WHY_CAUSE_BAD_RING, { { "cause: loc_prot\n", "cause: bad_ring\n" } } },
	{ "SRQ", "local", WHY_CAUSE_SRQ_FAILED, { { "cause: loc_prot\n", "cause: srq_error\nqueue: srq\nqueue_num: 0x5\nqueue_cause: srq_error\n" } } },
	{ "SRQ of a rule", "local", WHY_CAUSE_INJECTED, { { "cause: loc_prot\n", "cause: srq_error\nqueue: srq\nqueue_num: 0x5\nqueue_cause: injected\n" } } },
	{ "QP of a CQ of a rule", "real_cq_overrun_qp", WHY_CAUSE_INJECTED, { { "event: cq_err\ncause: cq_overrun\n", "event: cq_err\ncause: cq_overrun\nqueue: cq\nqueue_num: 0x19\nqueue_cause: injected\n" }, { "waits_for: cq_full", "waits_for: nothing" },
	  { "# glass 1 processes", "# glass 1 journal: dev seq rule act when psn pid comm set_pid set_by set_uid delay\nglass0 1 r1 cq_overrun 57216220000 - 309 error_table 900 tester 0 -\n# glass 1 processes" } } },
	{ "QP of a CQ that polled late", "real_cq_overrun_qp", WHY_CAUSE_CQ_OVERRUN, { { "event: cq_err\ncause: cq_overrun\n", "event: cq_err\ncause: cq_overrun\nqueue: cq\nqueue_num: 0x19\nqueue_cause: cq_overrun\n" }, { "waits_for: cq_full", "waits_for: nothing" } } },
	{ "XRC SRQ of a CQ", "real_cq_overrun", WHY_CAUSE_CQ_OVERRUN, { { "object: cq", "object: srq" }, { "cause: cq_overrun\n", "cause: cq_overrun\nqueue: cq\nqueue_num: 0x19\nqueue_cause: cq_overrun\n" } } },
	/* as a driver wrote them */
	{ "real: CQ", "real_cq_overrun", WHY_CAUSE_CQ_OVERRUN, { { NULL, NULL } } },
	{ "real: QP of that CQ", "real_cq_overrun_qp", WHY_CAUSE_CQ_OVERRUN, { { NULL, NULL } } },
	{ "real: modify", "real_modify_to_err", WHY_CAUSE_MODIFY_ERR, { { NULL, NULL } } },
	{ "real: peer reset", "real_peer_in_reset", WHY_CAUSE_PEER_RESET, { { NULL, NULL } } },
	{ "real: peer never ready", "real_unready_peer", WHY_CAUSE_PEER_RESET, { { NULL, NULL } } },
	{ "real: no receive", "real_rnr", WHY_CAUSE_NO_RECV, { { NULL, NULL } } },
	{ "real: key, and no table of keys", "real_dead_key", WHY_CAUSE_UNDETERMINED, { { NULL, NULL } } },
	{ "real: QPN, and no table of QPs", "real_retry_exceeded", WHY_CAUSE_UNDETERMINED, { { NULL, NULL } } },
	/* evidence that fits several causes, or none */
	{ "fates differ", "retry", WHY_CAUSE_UNDETERMINED, { { "REASON\n", "no_qp\n" }, { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 no_qp", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 injected" } } },
	{ "refused, and then gone, by an older driver", "retry", WHY_CAUSE_UNDETERMINED, { REASON("no_qp"), DEAF_FIRST } },
	{ "another deaf state after the first copy was refused", "retry", WHY_CAUSE_UNDETERMINED, { REASON("no_qp"), DEAF_FIRST, GONE_PEER("err 9500000000 500000000 exit", "9470000000 init retry_exc") } },
	{ "refused, and gone in a state that receives", "retry", WHY_CAUSE_UNDETERMINED, { REASON("no_qp"), DEAF_FIRST, GONE_PEER("rts 9500000000 500000000 exit", "9450000000 rts none") } },
	{ "no receive after the QP was not there", "retry", WHY_CAUSE_UNDETERMINED, { REASON("no_qp"), { "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 no_qp", "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 rnr_wait" } } },
	{ "RNR NAKs that do not arrive", "retry", WHY_CAUSE_UNDETERMINED, { REASON("rnr_wait") } },
	{ "answers that should count", "answers", WHY_CAUSE_UNDETERMINED, { REASON("none"), { " delay ", " dup " } } },
	{ "damaged by nobody known", "retry", WHY_CAUSE_UNDETERMINED, { REASON("bad_len") } },
	{ "somebody else's QPN or LID", "retry", WHY_CAUSE_UNDETERMINED, { REASON("bad_psn"), { "dest_qpn: 0x11", "dest_qpn: 0x99" } } },
	{ "QP of another adapter's QP of this number", "retry", WHY_CAUSE_UNDETERMINED, { REASON("wrong_slid"), { "rq_psn: 7936\n  first_psn: 100\n  max_dest_rd_atomic: 4\n", "rq_psn: 7936\n  first_psn: 100\n  max_dest_rd_atomic: 4\npeer:\n  dev: glass2\n  qpn: 0x11\n" } } },
	{ "another type's QPN or LID", "retry", WHY_CAUSE_UNDETERMINED, { REASON("qp_type") } },
	{ "GID of a port where the peer is not known to be", "retry", WHY_CAUSE_UNDETERMINED, { REASON("bad_grh"), { "dest_qpn: 0x11", "dest_qpn: 0x99" } } },
	{ "QP that was gone before the failed one was made", "retry", WHY_CAUSE_UNDETERMINED, { REASON("no_qp"), { "9400000000 600000000 destroy", "4000000000 6000000000 destroy" }, { "local: glass0 qp 0x11\n", "local: glass0 qp 0x11\ncreated: 5000000000\n" } } },
	{ "key that ended while it was used", "access", WHY_CAUSE_UNDETERMINED, { { "9999951000 local_inv", "9999991500 local_inv" }, { "0x10000 4096", "0x10000 63" } } },
	{ "key that got other memory after it was used", "access", WHY_CAUSE_UNDETERMINED, { { "glass1 0x1234 no user 1 0x10000 4096", "glass1 0x1234 yes user 1 0x10000 63" }, { "9999951000 local_inv", "9999999500 rereg" } } },
	{ "keys with two faults", "access", WHY_CAUSE_UNDETERMINED, { FOUND, { "0x10000 4096", "0x10000 63" }, { "- - - - 1\n", "- - - - 2\n" } } },
	{ "SRQ, by an older driver", "local", WHY_CAUSE_UNDETERMINED, { { "cause: loc_prot\n", "cause: srq_error\n" } } },
	{ "CQ with room", "cq", WHY_CAUSE_UNDETERMINED, { { "used: 16\nlost", "used: 6\nlost" }, { "r2 cq_overrun", "r2 event" } } },
	{ "CQ with room, a later rule", "cq", WHY_CAUSE_UNDETERMINED, { { "used: 16\nlost", "used: 6\nlost" }, { "9999999000", "10000000001" } } },
	{ "state that receives", "retry", WHY_CAUSE_UNDETERMINED, { REASON("qp_state") } },
	{ "gone QP of somebody else", "retry", WHY_CAUSE_UNDETERMINED, { REASON("no_qp"), { " 1000 - 0x11\n", " 1000 - 0x99\n" } } },
	{ "a reason that proves nothing", "retry", WHY_CAUSE_UNDETERMINED, { REASON("page_wait") } },
};

#define CAUSES (sizeof(causes) / sizeof(*causes))

#endif
