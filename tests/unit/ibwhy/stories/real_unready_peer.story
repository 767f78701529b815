# glass 1 failure: 1
id: 1
when: 26196512614
age: 260686933
real: 1795846502485803736
dev: glass1
kind: completion
object: qp
num: 0x13
qptype: rc
port: 1
state: err
status: retry_exc_err
cause: retry_exc
op: send
wr_id: 0x3ea
psn: 643606
pid: 310
comm: first_causes
uid: 0
peer_dev: glass0
peer_qpn: 0x13
peer_pid: 311
peer_comm: first_causes
packets: 4
bytes: 6356
dlid_port: glass0:1
connected: 0
# glass 1 local: glass1 qp 0x13
qpn: 0x13
qptype: rc
state: rts
state_age: 540898909
pdn: 5
ctxn: 1
scqn: 7
rcqn: 8
sq_max: 128
sq_used: 1
rq_max: 128
rq_used: 0
pid: 310
comm: first_causes
created: 25649285489
age: 550509324
port: 1
pkey_index: 0
dest_qpn: 0x13
dlid: 1
sl: 0
peer: glass0:0x13
mtu: 512
sq_psn: 643607
una_psn: 643606
epsn: 14011198
msn: 0
timeout: 15
retry_cnt: 3
retry_left: 0
rnr_retry: 3
rnr_left: 3
rd_atomic: 0
max_rd_atomic: 16
tx_pkts: 10
rx_pkts: 0
tx_msgs: 1
rx_msgs: 0
tx_bytes: 4936
rx_bytes: 0
retries: 3
timeouts: 4
rnr_rx: 0
rnr_tx: 0
drops: 0
first_cause: retry_exc
last_cause: retry_exc
last_status: retry_exc_err
last_syndrome: 0x0
last_psn: 643606
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
waits_for: nothing
sq_sent: 0
sq_unsignaled: 1
answers: 0
memory: 78520
rate: 0
np_ecn_marked_roce_packets: 0
np_cnp_sent: 0
rp_cnp_handled: 0
rp_cnp_ignored: 0
why:
  waits_for: nothing
  why: nothing: no send is posted and no message is under way
attr:
  access: local_write|remote_write|remote_read|remote_atomic
  rq_psn: 14011198
  first_psn: 643606
  max_dest_rd_atomic: 16
  min_rnr_timer: 11
  sig_all: no
  max_send_sge: 1
  max_recv_sge: 1
  max_inline: 16
  path_bits: 0
  static_rate: 0
  grh: no
  mcast_groups: 0
  mig_state: migrated
peer:
  dev: glass0
  port: 1
  qpn: 0x13
  state: reset
  dest_qpn: 0x0
  pid: 311
  comm: first_causes
timers:
  ack_timeout: 134217728
  rnr_told: 480000
requester:
  producer: 1
  head: 1
  begun: 1
  cur: 1
  cur_off: 0
  tail: 1
  told: 0
  una: 643606
  psn: 643607
  max_psn: 643613
  ssn: 1
  rd_atomic: 0
  nak_seen: no
  awake: no
  run: active
responder:
  epsn: 14011198
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
  wr_id: 0x3ea
  psn: 643606
  when: 26195523447
  age: 1244309
last_error:
  cause: retry_exc
  status: retry_exc_err
  wr_id: 0x3ea
  psn: 643606
  when: 26195523447
  age: 1244309
history:
  changes: 3
  change: when=25654038210 age=542729546 from=reset to=init cause=verb
  change: when=25655511779 age=541255977 from=init to=rtr cause=verb
  change: when=25655916551 age=540851205 from=rtr to=rts cause=verb
sq:
  max: 128
  slots: 128
  used: 1
  wqe: index=0 state=sent op=send wr_id=0x3ea len=3400 flags=signaled age=538928151 psn=643606 npsn=7 tries=4 flow=0x200001300000000 sge=0x560e90062000:3400:0x505
rq:
  max: 128
  slots: 128
  used: 0
  producer: 0
  consumer: 0
# glass 1 remote: glass0 qp 0x13
qpn: 0x13
qptype: rc
state: reset
state_age: 555412418
pdn: 5
ctxn: 1
scqn: 7
rcqn: 8
sq_max: 128
sq_used: 0
rq_max: 128
rq_used: 0
pid: 311
comm: first_causes
created: 25649304090
age: 555535364
tx_pkts: 0
rx_pkts: 0
tx_msgs: 0
rx_msgs: 0
tx_bytes: 0
rx_bytes: 0
retries: 0
timeouts: 0
rnr_rx: 0
rnr_tx: 0
drops: 10
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
memory: 77368
rate: 0
np_ecn_marked_roce_packets: 0
np_cnp_sent: 0
rp_cnp_handled: 0
rp_cnp_ignored: 0
why:
  waits_for: nothing
  why: nothing: no send is posted and no message is under way
attr:
  sig_all: no
  max_send_sge: 1
  max_recv_sge: 1
  max_inline: 16
  mcast_groups: 0
timers:
requester:
  producer: 0
  head: 0
  begun: 0
  cur: 0
  cur_off: 0
  tail: 0
  told: 0
  una: 0
  psn: 0
  max_psn: 0
  ssn: 0
  rd_atomic: 0
  nak_seen: no
  awake: no
  run: idle
responder:
  epsn: 0
  msn: 0
  in_message: no
  ack_owed: no
  nak_sent: no
  comm_est: no
  answers: 0
  answers_todo: 0
history:
  changes: 0
sq:
  max: 128
  slots: 128
  used: 0
rq:
  max: 128
  slots: 128
  used: 0
  producer: 0
  consumer: 0
# glass 1 packets: when age dir op psn packets len dqpn slid dlid pkey flags va rkey dlen syndrome msn imm flow wr_id tx_dev tx_port tx_qpn tx_reason rx_dev rx_port rx_qpn rx_reason inv_key qkey sqpn srqn
25657839605 562626992 tx rc_send_only 643606 7 3400 0x13 3 1 0xffff ackreq|mig - - - - - - 0x200001300000000 0x3ea glass1 1 0x13 none glass0 1 0x13 qp_state - - - -
25792515487 427951110 tx rc_send_first 643606 1 512 0x13 3 1 0xffff ackreq|mig - - - - - - 0x200001300000000 0x3ea glass1 1 0x13 none glass0 1 0x13 qp_state - - - -
25926866631 293599966 tx rc_send_first 643606 1 512 0x13 3 1 0xffff ackreq|mig - - - - - - 0x200001300000000 0x3ea glass1 1 0x13 none glass0 1 0x13 qp_state - - - -
26061189340 159277257 tx rc_send_first 643606 1 512 0x13 3 1 0xffff ackreq|mig - - - - - - 0x200001300000000 0x3ea glass1 1 0x13 none glass0 1 0x13 qp_state - - - -
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
glass0 1 25659081077 546583790 1 rx qp_state rc_send_only 0x13 643606 3400 3 1 0x200001300000000 -
glass0 2 25793130529 412800017 1 rx qp_state rc_send_first 0x13 643606 512 3 1 0x200001300000000 -
glass0 3 25926918990 279020784 1 rx qp_state rc_send_first 0x13 643606 512 3 1 0x200001300000000 -
glass0 4 26061236325 144710794 1 rx qp_state rc_send_first 0x13 643606 512 3 1 0x200001300000000 -
# glass 1 journal: dev seq when rule act site qpn dir psn wr_id delay pid comm set_pid set_by set_uid
# glass 1 gone_qps: dev qpn qptype state when age how born pid comm uid signal dest_qpn stack state_when state_before error
# glass 1 processes: pid comm role state uid
310 first_causes local running 0
311 first_causes remote running 0
# glass 1 connected: dev port qpn lid state pid comm
# glass 1 ports: node port state phys lid sm_lid cable netdev when age what
glass1 1 active 5 3 1 switch0:3 - 25463195448 745164112 sm
switch0 3 active 5 - - glass1:1 - 25462644191 746257311 sm
switch0 1 active 5 - - glass0:1 - 25461840623 747180432 sm
glass0 1 active 5 1 1 switch0:1 - 25461344575 747688607 sm
# glass 1 network: dev sgid dgid own netdev route errno hop neighbour
# glass 1 rules: dev rule act hit set set_pid set_by set_uid text
# glass 1 lint: dev id code count last pid comm text
# glass 1 keys: dev key found kind pd addr len access state pid comm gone_when gone_how gone_pid gone_comm qp_pd gone_signal gone_stack
glass1 0x505 yes user 5 0x560e90062000 65536 local_write|remote_write|remote_read|remote_atomic valid 310 first_causes - - - - 5 - -
