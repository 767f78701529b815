# glass 1 failure: 10
id: 10
when: 60322406295
age: 419265997
real: 1795700624383060883
dev: glass0
kind: completion
object: qp
num: 0x21
qptype: rc
port: 1
state: err
status: retry_exc_err
cause: retry_exc
op: send
wr_id: 0x1
psn: 16777200
pid: 320
comm: error_table
uid: 0
peer_dev: glass1
peer_qpn: 0x20
peer_pid: 320
peer_comm: error_table
packets: 4
bytes: 8077
# glass 1 local: glass0 qp 0x21
qpn: 0x21
qptype: rc
state: rts
state_age: 18120904
pdn: 12
ctxn: 8
scqn: 34
rcqn: 35
sq_max: 16
sq_used: 3
rq_max: 16
rq_used: 2
pid: 320
comm: error_table
created: 60265955697
age: 56707853
port: 1
pkey_index: 0
dest_qpn: 0x20
dlid: 3
sl: 0
peer: glass1:0x20
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
oldest_age: 15085450
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
  qpn: 0x20
  state: reset
  dest_qpn: 0x0
  pid: 320
  comm: error_table
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
  when: 60322388198
  age: 29905
last_error:
  cause: retry_exc
  status: retry_exc_err
  wr_id: 0x1
  psn: 16777200
  when: 60322388198
  age: 29905
history:
  changes: 3
  change: when=60302056152 age=20361951 from=reset to=init cause=verb
  change: when=60304280084 age=18138019 from=init to=rtr cause=verb
  change: when=60304298431 age=18119672 from=rtr to=rts cause=verb
sq:
  max: 16
  slots: 16
  used: 3
  wqe: index=0 state=sent op=send wr_id=0x1 len=64 flags=signaled age=15085450 psn=16777200 npsn=1 tries=2 flow=0x100002100000000 sge=0x5596fb5ee000:64:0x1212
  wqe: index=1 state=again op=send wr_id=0x2 len=8 flags=signaled age=15085450 psn=16777201 npsn=1 tries=1 flow=0x100002100000001 sge=0x5596fb5ee000:8:0x1212
  wqe: index=2 state=again op=send wr_id=0x3 len=8 flags=signaled age=15085450 psn=16777202 npsn=1 tries=1 flow=0x100002100000002 sge=0x5596fb5ee000:8:0x1212
rq:
  max: 16
  slots: 16
  used: 2
  producer: 2
  consumer: 0
  rwqe: index=0 state=posted wr_id=0xb len=4096 num_sge=1 sge=0x5596fb5ef000:4096:0x1212
  rwqe: index=1 state=posted wr_id=0xc len=4096 num_sge=1 sge=0x5596fb5f0000:4096:0x1212
# glass 1 remote: glass1 qp 0x20
qpn: 0x20
qptype: rc
state: reset
state_age: 22148939
pdn: 12
ctxn: 8
scqn: 33
rcqn: 34
sq_max: 16
sq_used: 0
rq_max: 16
rq_used: 0
pid: 320
comm: error_table
created: 60301085433
age: 22248117
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
waits_for: nothing
sq_sent: 0
sq_unsignaled: 0
answers: 0
memory: 13168
why:
  waits_for: nothing
  why: nothing: no send is posted and no message is under way
attr:
  sig_all: no
  max_send_sge: 4
  max_recv_sge: 4
  max_inline: 64
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
60307332653 22282979 tx rc_send_only 16777200 1 64 0x20 1 3 0xffff ackreq|mig - - - - - - 0x100002100000000 0x1 glass0 1 0x21 none glass1 1 0x20 qp_state - - - -
60307554915 22060717 tx rc_send_only 16777201 1 8 0x20 1 3 0xffff ackreq|mig - - - - - - 0x100002100000001 0x2 glass0 1 0x21 none glass1 1 0x20 qp_state - - - -
60307570528 22045104 tx rc_send_only 16777202 1 8 0x20 1 3 0xffff ackreq|mig - - - - - - 0x100002100000002 0x3 glass0 1 0x21 none glass1 1 0x20 qp_state - - - -
60312489465 17126167 tx rc_send_only 16777200 1 64 0x20 1 3 0xffff ackreq|mig - - - - - - 0x100002100000000 0x1 glass0 1 0x21 none glass1 1 0x20 qp_state - - - -
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
glass1 1 53823336804 6500169825 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 2 53823502181 6500021503 1 rx no_qp rc_send_only 0xfffff0 16777201 8 1 3 0x100001300000001 -
glass1 3 53823507870 6500023055 1 rx no_qp rc_send_only 0xfffff0 16777202 8 1 3 0x100001300000002 -
glass1 4 53828473295 6495063869 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 5 54730458608 5593084705 1 qp access rc_write_only 0x15 16777200 64 1 3 0x100001500000000 -
glass1 6 54731479462 5592070421 1 qp qp_state rc_send_only 0x15 16777201 8 1 3 0x100001500000001 -
glass1 7 54731485381 5592070521 1 qp qp_state rc_send_only 0x15 16777202 8 1 3 0x100001500000002 -
glass1 8 55088652029 5234909872 1 qp rnr_wait rc_send_only 0x17 16777200 64 1 3 0x100001700000000 -
glass1 9 55088752789 5234815121 1 qp nak_wait rc_send_only 0x17 16777201 8 1 3 0x100001700000001 -
glass1 10 55088758978 5234814971 1 qp nak_wait rc_send_only 0x17 16777202 8 1 3 0x100001700000002 -
glass1 11 55090353109 5233227120 1 qp rnr_wait rc_send_only 0x17 16777200 64 1 3 0x100001700000000 -
glass1 12 55965587414 4357998864 1 qp access rc_write_only 0x19 16777200 64 1 3 0x100001900000000 -
glass1 13 55965842345 4357749932 1 qp qp_state rc_send_only 0x19 16777201 8 1 3 0x100001900000001 -
glass1 14 55965846982 4357751264 1 qp qp_state rc_send_only 0x19 16777202 8 1 3 0x100001900000002 -
glass1 15 57658443870 2665160445 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 16 57658698711 2664911562 1 qp nak_wait rc_send_only 0x1d 16777201 8 1 3 0x100001e00000001 -
glass1 17 57658706602 2664909660 1 qp nak_wait rc_send_only 0x1d 16777202 8 1 3 0x100001e00000002 -
glass1 18 57659046230 2664576041 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 19 57662516392 2661111918 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 20 57662669902 2660964397 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 21 57662786456 2660853762 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 22 57662873365 2660772822 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 23 57662982058 2660670108 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 24 57663100665 2660557440 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 25 57663307634 2660356400 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 26 60307532241 16137752 1 rx qp_state rc_send_only 0x20 16777200 64 1 3 0x100002100000000 -
glass1 27 60307568816 16107276 1 rx qp_state rc_send_only 0x20 16777201 8 1 3 0x100002100000001 -
glass1 28 60307574274 16107757 1 rx qp_state rc_send_only 0x20 16777202 8 1 3 0x100002100000002 -
glass1 29 60312592278 11095692 1 rx qp_state rc_send_only 0x20 16777200 64 1 3 0x100002100000000 -
# glass 1 processes: pid comm role state uid
320 error_table local running 0
320 error_table remote running 0
