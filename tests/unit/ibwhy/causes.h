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
	{ "peer ended", "retry", WHY_CAUSE_PEER_EXITED, { REASON("no_qp"), { " destroy ", " exit " } } },
	{ "peer closed", "retry", WHY_CAUSE_PEER_EXITED, { REASON("no_qp"), { " destroy ", " close " } } },
	{ "peer killed", "retry", WHY_CAUSE_PEER_KILLED, { REASON("no_qp"), { " destroy 1000 812 server 1000 - ", " exit 1000 812 server 1000 9 " } } },
	{ "peer unplugged", "retry", WHY_CAUSE_UNPLUGGED, { REASON("no_qp"), { " destroy ", " unplug " } } },
	{ "no such QPN", "retry", WHY_CAUSE_WRONG_QPN, { REASON("no_qp"), NEVER, { "missing: -\n", "connected: 1\n" }, { "glass1 1 0x22 2 rts", "glass1 1 0x25 2 rts" } } },
	{ "no such QPN, no peer", "retry", WHY_CAUSE_WRONG_QPN, { REASON("no_qp"), NEVER, { "missing: -\n", "connected: 0\n" }, { "glass1 1 0x22 2 rts 812 server\n", "" } } },
	{ "somebody else's QPN", "retry", WHY_CAUSE_WRONG_QPN, { REASON("bad_psn"), { "dest_qpn: 0x11", "dest_qpn: 0x99" } } },
	{ "QPN of a QP with another peer", "retry", WHY_CAUSE_WRONG_QPN, { REASON("wrong_slid"), { "dest_qpn: 0x11", "dest_qpn: 0x99" } } },
	{ "QPN of another type", "retry", WHY_CAUSE_WRONG_QPN, { REASON("qp_type") } },
	{ "another port's LID", "retry", WHY_CAUSE_WRONG_LID, { REASON("no_qp"), NEVER, { "missing: -\n", "connected: 1\n" }, { "glass1 1 0x22 2 rts", "glass2 1 0x22 3 rts" } } },
	{ "nobody's LID", "lost", WHY_CAUSE_WRONG_LID, { REASON("no_route"), NO_PEER } },
	{ "LID of this end", "retry", WHY_CAUSE_WRONG_LID, { REASON("wrong_slid") } },
	{ "LID of another port", "retry", WHY_CAUSE_WRONG_LID, { REASON("wrong_lid") } },
	{ "GID", "retry", WHY_CAUSE_WRONG_GID, { REASON("bad_grh") } },
	{ "P_Key", "retry", WHY_CAUSE_WRONG_PKEY, { REASON("bad_pkey") } },
	{ "Q_Key", "retry", WHY_CAUSE_WRONG_QKEY, { REASON("bad_qkey") } },
	{ "PSN too high", "retry", WHY_CAUSE_PSN_MISMATCH, { REASON("bad_psn"), { "rq_psn: 7936", "rq_psn: 7000" } } },
	{ "PSN too low", "retry", WHY_CAUSE_PSN_MISMATCH, { REASON("duplicate"), { "rq_psn: 7936", "rq_psn: 8000" } } },
	{ "MTU", "invalid", WHY_CAUSE_MTU_MISMATCH, { REASON("bad_len"), { "dest_qpn: 0x11\ndlid: 1\nmtu: 1024", "dest_qpn: 0x11\ndlid: 1\nmtu: 512" } } },
	{ "local_inv", "access", WHY_CAUSE_KEY_STALE, { { NULL, NULL } } },
	{ "dereg", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " dereg " } } },
	{ "send_inv", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " send_inv " } } },
	{ "rereg", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " rereg " } } },
	{ "key closed", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " close " } } },
	{ "key exit", "access", WHY_CAUSE_KEY_STALE, { { " local_inv ", " exit " } } },
	{ "key unknown", "access", WHY_CAUSE_KEY_UNKNOWN, { { "9999951000 local_inv 812 server", "- never - -" } } },
	{ "key of another PD", "access", WHY_CAUSE_KEY_OTHER_PD, { FOUND, { "- - - - 1\n", "- - - - 2\n" } } },
	{ "key out of bounds", "access", WHY_CAUSE_KEY_BOUNDS, { FOUND, { "0x10000 4096", "0x10000 63" } } },
	{ "key below bounds", "access", WHY_CAUSE_KEY_BOUNDS, { FOUND, { "0x10000 4096", "0x10001 4096" } } },
	{ "key without the right", "access", WHY_CAUSE_KEY_ACCESS, { FOUND, { "4096 remote_write", "4096 local_write|remote_read" } } },
	{ "responder: key", "responder", WHY_CAUSE_KEY_STALE, { { NULL, NULL } } },
	{ "responder: bounds", "responder", WHY_CAUSE_KEY_BOUNDS, { FOUND, { "0x10000 4096", "0x10000 63" } } },
	{ "QP access", "invalid", WHY_CAUSE_QP_ACCESS, { REASON("access"), { "op=send", "op=write" }, { "access: remote_write|remote_read\n  rq_psn: 7936", "access: remote_read\n  rq_psn: 7936" } } },
	{ "misaligned", "invalid", WHY_CAUSE_MISALIGNED, { REASON("misaligned"), { "op=send", "op=fetch_add" } } },
	{ "lkey dereg", "local", WHY_CAUSE_LKEY_STALE, { { NULL, NULL } } },
	{ "lkey unknown", "local", WHY_CAUSE_LKEY_UNKNOWN, { { "9999951000 dereg 811 client", "- never - -" } } },
	{ "lkey of another PD", "local", WHY_CAUSE_LKEY_OTHER_PD, { LFOUND, { "- - - - 1\n", "- - - - 2\n" } } },
	{ "lkey bounds", "local", WHY_CAUSE_LKEY_BOUNDS, { LFOUND, { "0x7000 4096", "0x7000 63" } } },
	{ "lkey access", "local", WHY_CAUSE_LKEY_ACCESS, { LFOUND, { "op=send", "op=read" }, { "4096 local_write", "4096 remote_read" } } },
	{ "no receive", "rnr", WHY_CAUSE_NO_RECV, { { NULL, NULL } } },
	{ "peer stopped", "rnr", WHY_CAUSE_PEER_STOPPED, { { "server remote sleeping", "server remote stopped" } } },
	{ "receive too short", "invalid", WHY_CAUSE_RECV_SHORT, { REASON("msg_too_long") } },
	{ "own receive too short", "responder", WHY_CAUSE_RECV_SHORT, { { "cause: resp_access", "cause: loc_len" }, { "7936 1 64", "7936 1 1024" }, { "glass1 1 0x22 access", "glass1 1 0x22 msg_too_long" } } },
	{ "CQ", "cq", WHY_CAUSE_CQ_OVERRUN, { { NULL, NULL } } },
	{ "port down by a command", "lost", WHY_CAUSE_PORT_DOWN, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 verb" } } },
	{ "cable cut", "lost", WHY_CAUSE_CABLE_CUT, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 cable_cut" } } },
	{ "cable pulled, other end", "lost", WHY_CAUSE_CABLE_CUT, { REASON("port_down"), { "glass1 1 active 5 2 1 s0:2 1000 sm", "glass1 1 down 2 2 1 s0:2 9000000000 cable_pulled" } } },
	{ "netdev without carrier", "lost", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "sm_lid cable when what", "sm_lid cable netdev when what" }, { " 1000 sm", " - 1000 sm" }, { "s0 2 active 5 - 1 glass1:1 - 1000 sm", "s0 2 down 2 - 1 - eth0 9000000000 carrier" } } },
	{ "port down by the other host", "lost", WHY_CAUSE_PORT_DOWN, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 - 9000000000 peer" } } },
	{ "cable cut before an answer", "lost", WHY_CAUSE_CABLE_CUT, { REASON("port_down"), { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 none" }, { "glass0 1 9464000000 536000000 1 switch port_down rc_read_req 0x22 7936 0 1 2 0x9 s0:2\n", "" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9480000000 cable_cut" } } },
	{ "port down, and another fate", "lost", WHY_CAUSE_UNDETERMINED, { REASON("port_down"), { "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 port_down - - - -", "9933000000 67000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 none" }, { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 cable_cut" } } },
	{ "port changed since", "lost", WHY_CAUSE_UNDETERMINED, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9800000000 cable_cut" } } },
	{ "port up again", "lost", WHY_CAUSE_UNDETERMINED, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 init 5 - 1 glass1:1 9800000000 up" } } },
	{ "netdev gone", "lost", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 eth0 9000000000 netdev_gone" } } },
	{ "netdev silent", "lost", WHY_CAUSE_NETDEV_GONE, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 eth0 9000000000 silence" } } },
	{ "port down by a rule", "lost", WHY_CAUSE_INJECTED, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 rule" } } },
	{ "unplugged", "lost", WHY_CAUSE_UNPLUGGED, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 down 2 - 1 glass1:1 9000000000 unplug" } } },
	{ "no route", "lost", WHY_CAUSE_NO_ROUTE, { REASON("no_route") } },
	{ "loop", "lost", WHY_CAUSE_ROUTE_LOOP, { REASON("loop") } },
	{ "no subnet manager", "lost", WHY_CAUSE_SM_GONE, { REASON("port_down"), { "s0 2 active 5 - 1 glass1:1 1000 sm", "s0 2 init 5 - 0 glass1:1 9000000000 carrier" } } },
	{ "dropped by a rule", "lost", WHY_CAUSE_INJECTED, { REASON("injected") } },
	{ "answers dropped by a rule", "answers", WHY_CAUSE_INJECTED, { REASON("injected"), { "r1 delay", "r1 drop" } } },
	{ "NAK of a rule", "access", WHY_CAUSE_INJECTED, { FOUND, { "# glass 1 gone_qps", "glass0 1 r1 nak 9999990000 7936 811 client 900 tester 0 -\n# glass 1 gone_qps" } } },
	{ "CQ overrun of a rule", "cq", WHY_CAUSE_INJECTED, { { "cause: cq_overrun", "cause: injected" } } },
	{ "delay of a rule", "answers", WHY_CAUSE_TIMEOUT_SHORT, { REASON("none") } },
	{ "late answers", "answers", WHY_CAUSE_TIMEOUT_SHORT, { REASON("stale_resp"), { " delay ", " dup " } } },
	{ "READ depth", "invalid", WHY_CAUSE_READ_DEPTH, { REASON("rd_atomic"), { "op=send", "op=read" } } },
	{ "own modify", "local", WHY_CAUSE_MODIFY_ERR, { { "kind: completion", "kind: verb" }, { "cause: loc_prot\n", "cause: verb\n" } } },
	{ "request", "local", WHY_CAUSE_BAD_REQUEST, { { "cause: loc_prot\n", "cause: loc_qp_op\n" } } },
	{ "bind", "local", WHY_CAUSE_BAD_BIND, { { "cause: loc_prot\n", "cause: mw_bind\n" } } },
	{ "ring", "local", WHY_CAUSE_BAD_RING, { { "cause: loc_prot\n", "cause: bad_ring\n" } } },
	{ "SRQ", "local", WHY_CAUSE_SRQ_FAILED, { { "cause: loc_prot\n", "cause: srq_error\n" } } },
	/* as a driver wrote them */
	{ "real: CQ", "real_cq_overrun", WHY_CAUSE_CQ_OVERRUN, { { NULL, NULL } } },
	{ "real: QP of that CQ", "real_cq_overrun_qp", WHY_CAUSE_CQ_OVERRUN, { { NULL, NULL } } },
	{ "real: modify", "real_modify_to_err", WHY_CAUSE_MODIFY_ERR, { { NULL, NULL } } },
	{ "real: peer reset", "real_peer_in_reset", WHY_CAUSE_PEER_RESET, { { NULL, NULL } } },
	{ "real: no receive", "real_rnr", WHY_CAUSE_NO_RECV, { { NULL, NULL } } },
	{ "real: key, and no table of keys", "real_dead_key", WHY_CAUSE_UNDETERMINED, { { NULL, NULL } } },
	{ "real: QPN, and no table of QPs", "real_retry_exceeded", WHY_CAUSE_UNDETERMINED, { { NULL, NULL } } },
	/* evidence that fits several causes, or none */
	{ "fates differ", "retry", WHY_CAUSE_UNDETERMINED, { { "REASON\n", "no_qp\n" }, { "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 no_qp", "9464000000 536000000 tx read_req 7936 1 64 0x22 1 2 0xffff ackreq 0x10000 0x1234 64 - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 injected" } } },
	{ "answers that should count", "answers", WHY_CAUSE_UNDETERMINED, { REASON("none"), { " delay ", " dup " } } },
	{ "keys with two faults", "access", WHY_CAUSE_UNDETERMINED, { FOUND, { "0x10000 4096", "0x10000 63" }, { "- - - - 1\n", "- - - - 2\n" } } },
	{ "CQ with room", "cq", WHY_CAUSE_UNDETERMINED, { { "used: 16\nlost", "used: 6\nlost" } } },
	{ "state that receives", "retry", WHY_CAUSE_UNDETERMINED, { REASON("qp_state") } },
	{ "gone QP of somebody else", "retry", WHY_CAUSE_UNDETERMINED, { REASON("no_qp"), { " 1000 - 0x11\n", " 1000 - 0x99\n" } } },
	{ "a reason that proves nothing", "retry", WHY_CAUSE_UNDETERMINED, { REASON("page_wait") } },
};

#define CAUSES (sizeof(causes) / sizeof(*causes))

#endif
