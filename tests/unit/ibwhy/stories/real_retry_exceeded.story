# glass 1 failure: 1
id: 1
when: 53833232453
age: 455893756
real: 1795700617893894432
dev: glass0
kind: completion
object: qp
num: 0x13
qptype: rc
port: 1
state: err
status: retry_exc_err
cause: retry_exc
op: send
wr_id: 0x1
psn: 16777200
pid: 282
comm: error_table
uid: 0
peer_dev: glass1
peer_qpn: 0xfffff0
packets: 4
bytes: 4330
# glass 1 local: glass0 qp 0x13
qpn: 0x13
qptype: rc
state: rts
state_age: 14236242
pdn: 5
ctxn: 1
scqn: 7
rcqn: 8
sq_max: 16
sq_used: 3
rq_max: 16
rq_used: 2
pid: 282
comm: error_table
created: 53809649482
age: 28103713
port: 1
pkey_index: 0
dest_qpn: 0xfffff0
dlid: 3
sl: 0
peer: glass1:0xfffff0
mtu: 1024
sq_psn: 16777201
una_psn: 16777200
epsn: 291
msn: 0
timeout: 10
retry_cnt: 1
retry_left: 0
rnr_retry: 7
rnr_left: 7
rd_atomic: 0
max_rd_atomic: 16
tx_pkts: 4
rx_pkts: 0
tx_msgs: 4
rx_msgs: 0
tx_bytes: 144
rx_bytes: 0
retries: 1
timeouts: 2
rnr_rx: 0
rnr_tx: 0
drops: 0
first_cause: retry_exc
last_cause: retry_exc
last_status: retry_exc_err
last_syndrome: 0x0
last_psn: 16777200
nak_rx: 0
nak_tx: 0
dup_rx: 0
loc_errs: 0
rem_errs: 0
retry_errs: 1
resp_errs: 0
qp_errs: 0
err_cqes: 1
flush_cqes: 0
waits_for: ack
oldest_age: 10995432
sq_sent: 2
sq_unsignaled: 1
answers: 0
memory: 14320
why:
  waits_for: ack
  why: the peer's ACK: all posted requests were sent
attr:
  access: local_write|remote_write|remote_read|remote_atomic
  rq_psn: 291
  first_psn: 16777200
  max_dest_rd_atomic: 16
  min_rnr_timer: 1
  sig_all: no
  max_send_sge: 4
  max_recv_sge: 4
  max_inline: 64
  path_bits: 0
  static_rate: 0
  grh: no
  mcast_groups: 0
  mig_state: migrated
peer:
  dev: glass1
  port: 1
  qpn: 0xfffff0
timers:
  ack_timeout: 4194304
  rnr_told: 10000
requester:
  producer: 3
  head: 3
  begun: 3
  cur: 1
  cur_off: 0
  tail: 1
  told: 0
  una: 16777200
  psn: 16777201
  max_psn: 16777203
  ssn: 3
  rd_atomic: 0
  nak_seen: no
  awake: no
  run: active
responder:
  epsn: 291
  msn: 0
  in_message: no
  ack_owed: no
  nak_sent: no
  comm_est: no
  answers: 0
  answers_todo: 0
first_error:
  cause: retry_exc
  status: retry_exc_err
  wr_id: 0x1
  psn: 16777200
  when: 53832785506
  age: 599295
last_error:
  cause: retry_exc
  status: retry_exc_err
  wr_id: 0x1
  psn: 16777200
  when: 53832785506
  age: 599295
history:
  changes: 3
  change: when=53819090112 age=14294689 from=reset to=init cause=verb
  change: when=53819130772 age=14254029 from=init to=rtr cause=verb
  change: when=53819149180 age=14235621 from=rtr to=rts cause=verb
sq:
  max: 16
  slots: 16
  used: 3
  wqe: index=0 state=sent op=send wr_id=0x1 len=64 flags=signaled age=10995432 psn=16777200 npsn=1 tries=2 flow=0x100001300000000 sge=0x559007a38000:64:0x505
  wqe: index=1 state=again op=send wr_id=0x2 len=8 flags=signaled age=10995432 psn=16777201 npsn=1 tries=1 flow=0x100001300000001 sge=0x559007a38000:8:0x505
  wqe: index=2 state=again op=send wr_id=0x3 len=8 flags=signaled age=10995432 psn=16777202 npsn=1 tries=1 flow=0x100001300000002 sge=0x559007a38000:8:0x505
rq:
  max: 16
  slots: 16
  used: 2
  producer: 2
  consumer: 0
  rwqe: index=0 state=posted wr_id=0xb len=4096 num_sge=1 sge=0x559007a39000:4096:0x505
  rwqe: index=1 state=posted wr_id=0xc len=4096 num_sge=1 sge=0x559007a3a000:4096:0x505
# glass 1 packets: when age dir op psn packets len dqpn slid dlid pkey flags va rkey dlen syndrome msn imm flow wr_id tx_dev tx_port tx_qpn tx_reason rx_dev rx_port rx_qpn rx_reason inv_key qkey sqpn srqn
53822389369 52078770 tx rc_send_only 16777200 1 64 0xfffff0 1 3 0xffff ackreq|mig - - - - - - 0x100001300000000 0x1 glass0 1 0x13 none glass1 1 - no_qp - - - -
53823468841 50999298 tx rc_send_only 16777201 1 8 0xfffff0 1 3 0xffff ackreq|mig - - - - - - 0x100001300000001 0x2 glass0 1 0x13 none glass1 1 - no_qp - - - -
53823504424 50963715 tx rc_send_only 16777202 1 8 0xfffff0 1 3 0xffff ackreq|mig - - - - - - 0x100001300000002 0x3 glass0 1 0x13 none glass1 1 - no_qp - - - -
53828231414 46236725 tx rc_send_only 16777200 1 64 0xfffff0 1 3 0xffff ackreq|mig - - - - - - 0x100001300000000 0x1 glass0 1 0x13 none glass1 1 - no_qp - - - -
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
glass1 1 53823336804 40988306 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 2 53823502181 41035887 1 rx no_qp rc_send_only 0xfffff0 16777201 8 1 3 0x100001300000001 -
glass1 3 53823507870 41038250 1 rx no_qp rc_send_only 0xfffff0 16777202 8 1 3 0x100001300000002 -
glass1 4 53828473295 36079365 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
# glass 1 processes: pid comm role state uid
282 error_table local running 0
