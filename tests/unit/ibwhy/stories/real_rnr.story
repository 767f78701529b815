# glass 1 failure: 4
id: 4
when: 55090389594
age: 80495289
real: 1795700619151044021
dev: glass0
kind: completion
object: qp
num: 0x17
qptype: rc
port: 1
state: err
status: rnr_retry_exc_err
cause: rnr_exc
op: send
wr_id: 0x1
psn: 16777200
syndrome: 0x21
pid: 294
comm: error_table
uid: 0
peer_dev: glass1
peer_qpn: 0x17
peer_pid: 294
peer_comm: error_table
packets: 6
bytes: 7498
# glass 1 local: glass0 qp 0x17
qpn: 0x17
qptype: rc
state: rts
state_age: 3308932
pdn: 7
ctxn: 3
scqn: 15
rcqn: 16
sq_max: 16
sq_used: 3
rq_max: 16
rq_used: 2
pid: 294
comm: error_table
created: 55085686199
age: 4829032
port: 1
pkey_index: 0
dest_qpn: 0x17
dlid: 3
sl: 0
peer: glass1:0x17
mtu: 1024
sq_psn: 16777201
una_psn: 16777200
epsn: 291
msn: 0
timeout: 17
retry_cnt: 7
retry_left: 7
rnr_retry: 1
rnr_left: 0
rd_atomic: 0
max_rd_atomic: 16
tx_pkts: 4
rx_pkts: 2
tx_msgs: 4
rx_msgs: 0
tx_bytes: 144
rx_bytes: 0
retries: 1
timeouts: 0
rnr_rx: 2
rnr_tx: 0
drops: 0
first_cause: rnr_exc
last_cause: rnr_exc
last_status: rnr_retry_exc_err
last_syndrome: 0x21
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
oldest_age: 1955781
sq_sent: 2
sq_unsignaled: 1
ack_in: 536775580
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
  qpn: 0x17
  state: rts
  dest_qpn: 0x17
  pid: 294
  comm: error_table
timers:
  ack_timeout: 536870912
  ack_in: 536775580
  rnr_told: 10000
  timer_in: 536775580
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
  run: idle
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
  cause: rnr_exc
  status: rnr_retry_exc_err
  wr_id: 0x1
  syndrome: 0x21
  opcode: rc_ack
  psn: 16777200
  when: 55090366559
  age: 32779
last_error:
  cause: rnr_exc
  status: rnr_retry_exc_err
  wr_id: 0x1
  syndrome: 0x21
  opcode: rc_ack
  psn: 16777200
  when: 55090366559
  age: 32779
history:
  changes: 3
  change: when=55087070907 age=3328431 from=reset to=init cause=verb
  change: when=55087084047 age=3315291 from=init to=rtr cause=verb
  change: when=55087090917 age=3308421 from=rtr to=rts cause=verb
sq:
  max: 16
  slots: 16
  used: 3
  wqe: index=0 state=sent op=send wr_id=0x1 len=64 flags=signaled age=1955781 psn=16777200 npsn=1 tries=2 flow=0x100001700000000 sge=0x5576eb8dc000:64:0x909
  wqe: index=1 state=again op=send wr_id=0x2 len=8 flags=signaled age=1955781 psn=16777201 npsn=1 tries=1 flow=0x100001700000001 sge=0x5576eb8dc000:8:0x909
  wqe: index=2 state=again op=send wr_id=0x3 len=8 flags=signaled age=1955781 psn=16777202 npsn=1 tries=1 flow=0x100001700000002 sge=0x5576eb8dc000:8:0x909
rq:
  max: 16
  slots: 16
  used: 2
  producer: 2
  consumer: 0
  rwqe: index=0 state=posted wr_id=0xb len=4096 num_sge=1 sge=0x5576eb8dd000:4096:0x909
  rwqe: index=1 state=posted wr_id=0xc len=4096 num_sge=1 sge=0x5576eb8de000:4096:0x909
# glass 1 remote: glass1 qp 0x17
qpn: 0x17
qptype: rc
state: rts
state_age: 3960324
pdn: 7
ctxn: 3
scqn: 15
rcqn: 16
sq_max: 16
sq_used: 0
rq_max: 16
rq_used: 0
pid: 294
comm: error_table
created: 55086528287
age: 4563555
port: 1
pkey_index: 0
dest_qpn: 0x17
dlid: 1
sl: 0
peer: glass0:0x17
mtu: 1024
sq_psn: 291
una_psn: 291
epsn: 16777200
msn: 0
timeout: 17
retry_cnt: 7
retry_left: 7
rnr_retry: 1
rnr_left: 1
rd_atomic: 0
max_rd_atomic: 16
tx_pkts: 2
rx_pkts: 4
tx_msgs: 0
rx_msgs: 0
tx_bytes: 0
rx_bytes: 144
retries: 0
timeouts: 0
rnr_rx: 0
rnr_tx: 2
drops: 4
nak_rx: 0
nak_tx: 0
dup_rx: 0
loc_errs: 0
rem_errs: 0
retry_errs: 0
resp_errs: 0
qp_errs: 0
err_cqes: 0
flush_cqes: 0
waits_for: recv
sq_sent: 0
sq_unsignaled: 0
answers: 0
memory: 14320
why:
  waits_for: recv
  why: the program to post a receive: the peer's message found none
attr:
  access: local_write|remote_write|remote_read|remote_atomic
  rq_psn: 16777200
  first_psn: 291
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
  dev: glass0
  port: 1
  qpn: 0x17
  state: err
  dest_qpn: 0x17
  pid: 294
  comm: error_table
timers:
  ack_timeout: 536870912
  rnr_told: 10000
requester:
  producer: 0
  head: 0
  begun: 0
  cur: 0
  cur_off: 0
  tail: 0
  told: 0
  una: 291
  psn: 291
  max_psn: 291
  ssn: 0
  rd_atomic: 0
  nak_seen: no
  awake: no
  run: idle
responder:
  epsn: 16777200
  msn: 0
  in_message: no
  ack_owed: no
  ack_psn: 16777200
  ack_syndrome: 0x21
  nak_sent: yes
  comm_est: no
  answers: 0
  answers_todo: 0
history:
  changes: 3
  change: when=55086836357 age=4181805 from=reset to=init cause=verb
  change: when=55087031609 age=3986553 from=init to=rtr cause=verb
  change: when=55087059019 age=3959143 from=rtr to=rts cause=verb
sq:
  max: 16
  slots: 16
  used: 0
rq:
  max: 16
  slots: 16
  used: 0
  producer: 0
  consumer: 0
# glass 1 packets: when age dir op psn packets len dqpn slid dlid pkey flags va rkey dlen syndrome msn imm flow wr_id tx_dev tx_port tx_qpn tx_reason rx_dev rx_port rx_qpn rx_reason inv_key qkey sqpn srqn
55088443557 9977962 tx rc_send_only 16777200 1 64 0x17 1 3 0xffff ackreq|mig - - - - - - 0x100001700000000 0x1 glass0 1 0x17 none glass1 1 0x17 rnr_wait - - - -
55088703365 9718154 tx rc_send_only 16777201 1 8 0x17 1 3 0xffff ackreq|mig - - - - - - 0x100001700000001 0x2 glass0 1 0x17 none glass1 1 0x17 nak_wait - - - -
55088755693 9665826 tx rc_send_only 16777202 1 8 0x17 1 3 0xffff ackreq|mig - - - - - - 0x100001700000002 0x3 glass0 1 0x17 none glass1 1 0x17 nak_wait - - - -
55088772158 9649361 rx rc_ack 16777200 1 0 0x17 3 1 0xffff mig - - - 0x21 0 - 0x100001700000000 0x1 glass1 1 0x17 none glass0 1 0x17 none - - - -
55090304006 8117513 tx rc_send_only 16777200 1 64 0x17 1 3 0xffff ackreq|mig - - - - - - 0x100001700000000 0x1 glass0 1 0x17 none glass1 1 0x17 rnr_wait - - - -
55090362603 8058916 rx rc_ack 16777200 1 0 0x17 3 1 0xffff mig - - - 0x21 0 - 0x100001700000000 0x1 glass1 1 0x17 none glass0 1 0x17 none - - - -
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
glass1 1 53823336804 1267915889 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 2 53823502181 1267766015 1 rx no_qp rc_send_only 0xfffff0 16777201 8 1 3 0x100001300000001 -
glass1 3 53823507870 1267767256 1 rx no_qp rc_send_only 0xfffff0 16777202 8 1 3 0x100001300000002 -
glass1 4 53828473295 1262808040 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 5 54730458608 360828767 1 qp access rc_write_only 0x15 16777200 64 1 3 0x100001500000000 -
glass1 6 54731479462 359814422 1 qp qp_state rc_send_only 0x15 16777201 8 1 3 0x100001500000001 -
glass1 7 54731485381 359814572 1 qp qp_state rc_send_only 0x15 16777202 8 1 3 0x100001500000002 -
glass1 8 55088652029 2653903 1 qp rnr_wait rc_send_only 0x17 16777200 64 1 3 0x100001700000000 -
glass1 9 55088752789 2559232 1 qp nak_wait rc_send_only 0x17 16777201 8 1 3 0x100001700000001 -
glass1 10 55088758978 2558972 1 qp nak_wait rc_send_only 0x17 16777202 8 1 3 0x100001700000002 -
glass1 11 55090353109 970870 1 qp rnr_wait rc_send_only 0x17 16777200 64 1 3 0x100001700000000 -
# glass 1 processes: pid comm role state uid
294 error_table local running 0
294 error_table remote running 0
