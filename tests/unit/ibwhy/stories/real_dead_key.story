# glass 1 failure: 3
id: 3
when: 54731606622
age: 155149155
real: 1795700618792260098
dev: glass0
kind: completion
object: qp
num: 0x15
qptype: rc
port: 1
state: err
status: rem_access_err
cause: rem_access
op: write
wr_id: 0x1
psn: 16777200
syndrome: 0x62
pid: 288
comm: error_table
uid: 0
peer_dev: glass1
peer_qpn: 0x15
peer_pid: 288
peer_comm: error_table
packets: 4
bytes: 7256
# glass 1 local: glass0 qp 0x15
qpn: 0x15
qptype: rc
state: rts
state_age: 2229009
pdn: 6
ctxn: 2
scqn: 11
rcqn: 12
sq_max: 16
sq_used: 3
rq_max: 16
rq_used: 2
pid: 288
comm: error_table
created: 54727001615
age: 4740019
port: 1
pkey_index: 0
dest_qpn: 0x15
dlid: 3
sl: 0
peer: glass1:0x15
mtu: 1024
sq_psn: 16777203
una_psn: 16777200
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
tx_bytes: 80
rx_bytes: 0
retries: 0
timeouts: 0
rnr_rx: 0
rnr_tx: 0
drops: 0
first_cause: rem_access
last_cause: rem_access
last_status: rem_access_err
last_syndrome: 0x62
last_psn: 16777200
nak_rx: 1
nak_tx: 0
dup_rx: 0
loc_errs: 0
rem_errs: 1
retry_errs: 0
resp_errs: 0
qp_errs: 0
err_cqes: 1
flush_cqes: 0
waits_for: ack
oldest_age: 1541202
sq_sent: 2
sq_unsignaled: 1
ack_in: 535329710
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
  qpn: 0x15
  state: err
  dest_qpn: 0x15
  pid: 288
  comm: error_table
timers:
  ack_timeout: 536870912
  ack_in: 535329710
  rnr_told: 10000
  timer_in: 535329710
requester:
  producer: 3
  head: 3
  begun: 3
  cur: 3
  cur_off: 0
  tail: 1
  told: 0
  una: 16777200
  psn: 16777203
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
  cause: rem_access
  status: rem_access_err
  wr_id: 0x1
  syndrome: 0x62
  opcode: rc_ack
  psn: 16777200
  when: 54731531130
  age: 91266
last_error:
  cause: rem_access
  status: rem_access_err
  wr_id: 0x1
  syndrome: 0x62
  opcode: rc_ack
  psn: 16777200
  when: 54731531130
  age: 91266
history:
  changes: 3
  change: when=54729316923 age=2305473 from=reset to=init cause=verb
  change: when=54729365816 age=2256580 from=init to=rtr cause=verb
  change: when=54729394038 age=2228358 from=rtr to=rts cause=verb
sq:
  max: 16
  slots: 16
  used: 3
  wqe: index=0 state=sent op=write wr_id=0x1 len=64 flags=signaled age=1541202 psn=16777200 npsn=1 tries=1 raddr=0x5631d79d8000 rkey=0x888 flow=0x100001500000000 sge=0x5631d79b6000:64:0x707
  wqe: index=1 state=sent op=send wr_id=0x2 len=8 flags=signaled age=1541202 psn=16777201 npsn=1 tries=1 flow=0x100001500000001 sge=0x5631d79b6000:8:0x707
  wqe: index=2 state=sent op=send wr_id=0x3 len=8 flags=signaled age=1541202 psn=16777202 npsn=1 tries=1 flow=0x100001500000002 sge=0x5631d79b6000:8:0x707
rq:
  max: 16
  slots: 16
  used: 2
  producer: 2
  consumer: 0
  rwqe: index=0 state=posted wr_id=0xb len=4096 num_sge=1 sge=0x5631d79b7000:4096:0x707
  rwqe: index=1 state=posted wr_id=0xc len=4096 num_sge=1 sge=0x5631d79b8000:4096:0x707
# glass 1 remote: glass1 qp 0x15
qpn: 0x15
qptype: rc
state: err
state_age: 5377431
pdn: 6
ctxn: 2
scqn: 11
rcqn: 12
sq_max: 16
sq_used: 0
rq_max: 16
rq_used: 0
pid: 288
comm: error_table
created: 54727945575
age: 7653660
port: 1
pkey_index: 0
dest_qpn: 0x15
dlid: 1
sl: 0
peer: glass0:0x15
mtu: 1024
sq_psn: 291
una_psn: 291
epsn: 16777200
msn: 0
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
rx_msgs: 0
tx_bytes: 0
rx_bytes: 80
retries: 0
timeouts: 0
rnr_rx: 0
rnr_tx: 0
drops: 3
first_cause: resp_access
last_cause: resp_access
last_syndrome: 0x62
last_psn: 16777200
nak_rx: 0
nak_tx: 1
dup_rx: 0
loc_errs: 0
rem_errs: 0
retry_errs: 0
resp_errs: 1
qp_errs: 1
err_cqes: 0
flush_cqes: 3
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
  qpn: 0x15
  state: err
  dest_qpn: 0x15
  pid: 288
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
  ack_syndrome: 0x62
  nak_sent: yes
  comm_est: no
  answers: 0
  answers_todo: 0
first_error:
  cause: resp_access
  syndrome: 0x62
  opcode: rc_write_only
  psn: 16777200
  when: 54730175665
  age: 5377431
last_error:
  cause: resp_access
  syndrome: 0x62
  opcode: rc_write_only
  psn: 16777200
  when: 54730175665
  age: 5377431
history:
  changes: 4
  change: when=54729025658 age=6527438 from=reset to=init cause=verb
  change: when=54729204034 age=6349062 from=init to=rtr cause=verb
  change: when=54729280719 age=6272377 from=rtr to=rts cause=verb
  change: when=54730514441 age=5038655 from=rts to=err cause=resp_access
sq:
  max: 16
  slots: 16
  used: 0
rq:
  max: 16
  slots: 16
  used: 0
  producer: 3
  consumer: 3
# glass 1 packets: when age dir op psn packets len dqpn slid dlid pkey flags va rkey dlen syndrome msn imm flow wr_id tx_dev tx_port tx_qpn tx_reason rx_dev rx_port rx_qpn rx_reason inv_key qkey sqpn srqn
54730081194 10398360 tx rc_write_only 16777200 1 64 0x15 1 3 0xffff ackreq|mig 0x5631d79d8000 0x888 64 - - - 0x100001500000000 0x1 glass0 1 0x15 none glass1 1 0x15 access - - - -
54731457490 9022064 tx rc_send_only 16777201 1 8 0x15 1 3 0xffff ackreq|mig - - - - - - 0x100001500000001 0x2 glass0 1 0x15 none glass1 1 0x15 qp_state - - - -
54731482036 8997518 tx rc_send_only 16777202 1 8 0x15 1 3 0xffff ackreq|mig - - - - - - 0x100001500000002 0x3 glass0 1 0x15 none glass1 1 0x15 qp_state - - - -
54731497129 8982425 rx rc_ack 16777200 1 0 0x15 3 1 0xffff mig - - - 0x62 0 - 0x100001500000000 0x1 glass1 1 0x15 none glass0 1 0x15 none - - - -
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
glass1 1 53823336804 912417924 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 2 53823502181 912261530 1 rx no_qp rc_send_only 0xfffff0 16777201 8 1 3 0x100001300000001 -
glass1 3 53823507870 912262241 1 rx no_qp rc_send_only 0xfffff0 16777202 8 1 3 0x100001300000002 -
glass1 4 53828473295 907302835 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 5 54730458608 5323611 1 qp access rc_write_only 0x15 16777200 64 1 3 0x100001500000000 -
glass1 6 54731479462 4309176 1 qp qp_state rc_send_only 0x15 16777201 8 1 3 0x100001500000001 -
glass1 7 54731485381 4309266 1 qp qp_state rc_send_only 0x15 16777202 8 1 3 0x100001500000002 -
# glass 1 processes: pid comm role state uid
288 error_table local running 0
288 error_table remote running 0
