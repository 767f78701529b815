# glass 1 failure: 8
id: 8
when: 57216283845
age: 182940802
real: 1795700621276937191
dev: glass0
kind: event
object: qp
num: 0x1c
qptype: rc
port: 1
state: err
event: cq_err
cause: cq_overrun
pid: 309
comm: error_table
uid: 0
peer_dev: glass1
peer_qpn: 0x1b
peer_pid: 309
peer_comm: error_table
packets: 4
bytes: 6745
# glass 1 local: glass0 qp 0x1c
qpn: 0x1c
qptype: rc
state: err
state_age: 65168
pdn: 10
ctxn: 6
scqn: 25
rcqn: 24
sq_max: 64
sq_used: 0
rq_max: 64
rq_used: 0
pid: 309
comm: error_table
created: 57210925913
age: 5495067
port: 1
pkey_index: 0
dest_qpn: 0x1b
dlid: 3
sl: 0
peer: glass1:0x1b
mtu: 1024
sq_psn: 16777203
una_psn: 16777203
epsn: 291
msn: 0
timeout: 17
retry_cnt: 7
retry_left: 7
rnr_retry: 7
rnr_left: 7
rd_atomic: 0
max_rd_atomic: 16
tx_pkts: 3
rx_pkts: 1
tx_msgs: 3
rx_msgs: 0
tx_bytes: 24
rx_bytes: 0
retries: 0
timeouts: 0
rnr_rx: 0
rnr_tx: 0
drops: 0
first_cause: cq_overrun
last_cause: cq_overrun
last_syndrome: 0x0
last_psn: 0
nak_rx: 0
nak_tx: 0
dup_rx: 0
loc_errs: 0
rem_errs: 0
retry_errs: 0
resp_errs: 0
qp_errs: 1
err_cqes: 0
flush_cqes: 0
waits_for: cq_full
sq_sent: 0
sq_unsignaled: 2
credits: 0
answers: 0
memory: 45808
why:
  waits_for: cq_full
  why: the program to poll: its completions fill the CQ, the next overruns it
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
  qpn: 0x1b
  state: rts
  dest_qpn: 0x1c
  pid: 309
  comm: error_table
timers:
  ack_timeout: 536870912
  rnr_told: 10000
  timer_in: 533617633
requester:
  producer: 3
  head: 3
  begun: 3
  cur: 3
  cur_off: 0
  tail: 3
  told: 1
  una: 16777203
  psn: 16777203
  max_psn: 16777203
  ssn: 3
  credit_ssn: 3
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
  cause: cq_overrun
  psn: 0
  when: 57216223495
  age: 65168
last_error:
  cause: cq_overrun
  psn: 0
  when: 57216223495
  age: 65168
history:
  changes: 4
  change: when=57212203361 age=4085302 from=reset to=init cause=verb
  change: when=57212216641 age=4072022 from=init to=rtr cause=verb
  change: when=57212223491 age=4065172 from=rtr to=rts cause=verb
  change: when=57216270295 age=18368 from=rts to=err cause=cq_overrun
sq:
  max: 64
  slots: 64
  used: 0
rq:
  max: 64
  slots: 64
  used: 0
  producer: 0
  consumer: 0
# glass 1 remote: glass1 qp 0x1b
qpn: 0x1b
qptype: rc
state: rts
state_age: 5244683
pdn: 10
ctxn: 6
scqn: 23
rcqn: 24
sq_max: 16
sq_used: 0
rq_max: 16
rq_used: 0
pid: 309
comm: error_table
created: 57210473708
age: 6989108
port: 1
pkey_index: 0
dest_qpn: 0x1c
dlid: 1
sl: 0
peer: glass0:0x1c
mtu: 1024
sq_psn: 291
una_psn: 291
epsn: 16777203
msn: 3
timeout: 17
retry_cnt: 7
retry_left: 7
rnr_retry: 7
rnr_left: 7
rd_atomic: 0
max_rd_atomic: 16
tx_pkts: 1
rx_pkts: 3
tx_msgs: 0
rx_msgs: 3
tx_bytes: 0
rx_bytes: 24
retries: 0
timeouts: 0
rnr_rx: 0
rnr_tx: 0
drops: 0
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
waits_for: nothing
sq_sent: 0
sq_unsignaled: 0
answers: 0
memory: 14320
why:
  waits_for: nothing
  why: nothing: no send is posted and no message is under way
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
  qpn: 0x1c
  state: err
  dest_qpn: 0x1b
  pid: 309
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
  epsn: 16777203
  msn: 3
  in_message: no
  ack_owed: no
  nak_sent: no
  comm_est: no
  answers: 0
  answers_todo: 0
history:
  changes: 3
  change: when=57211328194 age=6107602 from=reset to=init cause=verb
  change: when=57212111985 age=5323811 from=init to=rtr cause=verb
  change: when=57212192405 age=5243391 from=rtr to=rts cause=verb
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
57213035384 15308012 tx rc_write_only 16777200 1 8 0x1b 1 3 0xffff ackreq|mig 0x55b4af2c2000 0xf8f 8 - - - 0x100001c00000000 0x1 glass0 1 0x1c none glass1 1 0x1b none - - - -
57213411135 14932261 tx rc_write_only 16777201 1 8 0x1b 1 3 0xffff ackreq|mig 0x55b4af2c2000 0xf8f 8 - - - 0x100001c00000001 0x2 glass0 1 0x1c none glass1 1 0x1b none - - - -
57213418366 14925030 tx rc_write_only 16777202 1 8 0x1b 1 3 0xffff ackreq|mig 0x55b4af2c2000 0xf8f 8 - - - 0x100001c00000002 0x3 glass0 1 0x1c none glass1 1 0x1b none - - - -
57213431255 14912141 rx rc_ack 16777202 1 0 0x1c 3 1 0xffff mig - - - 0x0 3 - 0x100001c00000002 0x3 glass1 1 0x1b none glass0 1 0x1c none - - - -
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
glass1 1 53823336804 3394276216 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 2 53823502181 3394125531 1 rx no_qp rc_send_only 0xfffff0 16777201 8 1 3 0x100001300000001 -
glass1 3 53823507870 3394126953 1 rx no_qp rc_send_only 0xfffff0 16777202 8 1 3 0x100001300000002 -
glass1 4 53828473295 3389167577 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 5 54730458608 2487188313 1 qp access rc_write_only 0x15 16777200 64 1 3 0x100001500000000 -
glass1 6 54731479462 2486173999 1 qp qp_state rc_send_only 0x15 16777201 8 1 3 0x100001500000001 -
glass1 7 54731485381 2486174179 1 qp qp_state rc_send_only 0x15 16777202 8 1 3 0x100001500000002 -
glass1 8 55088652029 2129013580 1 qp rnr_wait rc_send_only 0x17 16777200 64 1 3 0x100001700000000 -
glass1 9 55088752789 2128918819 1 qp nak_wait rc_send_only 0x17 16777201 8 1 3 0x100001700000001 -
glass1 10 55088758978 2128918639 1 qp nak_wait rc_send_only 0x17 16777202 8 1 3 0x100001700000002 -
glass1 11 55090353109 2127330577 1 qp rnr_wait rc_send_only 0x17 16777200 64 1 3 0x100001700000000 -
glass1 12 55965587414 1252102431 1 qp access rc_write_only 0x19 16777200 64 1 3 0x100001900000000 -
glass1 13 55965842345 1251853629 1 qp qp_state rc_send_only 0x19 16777201 8 1 3 0x100001900000001 -
glass1 14 55965846982 1251855051 1 qp qp_state rc_send_only 0x19 16777202 8 1 3 0x100001900000002 -
# glass 1 processes: pid comm role state uid
309 error_table local sleeping 0
309 error_table remote sleeping 0
