# glass 1 failure: 9
id: 9
when: 57669611429
age: 1198290067
real: 1795700621730266016
dev: glass0
kind: verb
object: qp
num: 0x1e
qptype: rc
port: 1
state: err
cause: verb
op: send
wr_id: 0x1
pid: 315
comm: error_table
uid: 0
peer_dev: glass1
peer_qpn: 0x1d
peer_pid: 315
peer_comm: error_table
packets: 20
bytes: 10653
# glass 1 local: glass0 qp 0x1e
qpn: 0x1e
qptype: rc
state: err
state_age: 89073
pdn: 11
ctxn: 7
scqn: 28
rcqn: 29
sq_max: 16
sq_used: 3
rq_max: 16
rq_used: 2
pid: 315
comm: error_table
created: 57653273278
age: 16461635
port: 1
pkey_index: 0
dest_qpn: 0x1d
dlid: 3
sl: 0
peer: glass1:0x1d
mtu: 1024
sq_psn: 16777200
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
tx_pkts: 11
rx_pkts: 9
tx_msgs: 11
rx_msgs: 0
tx_bytes: 88
rx_bytes: 0
retries: 9
timeouts: 0
rnr_rx: 9
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
waits_for: engine
oldest_age: 11321759
sq_sent: 3
sq_unsignaled: 0
rnr_in: 0
answers: 0
memory: 14320
why:
  waits_for: engine
  why: its turn: there is a packet that it may send now
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
  qpn: 0x1d
  state: rts
  dest_qpn: 0x1e
  pid: 315
  comm: error_table
timers:
  ack_timeout: 536870912
  rnr_told: 10000
  rnr_in: 0
requester:
  producer: 3
  head: 3
  begun: 3
  cur: 0
  cur_off: 0
  tail: 0
  told: 0
  una: 16777200
  psn: 16777200
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
history:
  changes: 4
  change: when=57657232761 age=12386930 from=reset to=init cause=verb
  change: when=57657275695 age=12343996 from=init to=rtr cause=verb
  change: when=57657284749 age=12334942 from=rtr to=rts cause=verb
  change: when=57669556296 age=63395 from=rts to=err cause=verb
sq:
  max: 16
  slots: 16
  used: 3
  wqe: index=0 state=again op=send wr_id=0x1 len=8 flags=signaled age=11321759 psn=16777200 npsn=1 tries=9 flow=0x100001e00000000 sge=0x558b60ed2000:8:0xf0f
  wqe: index=1 state=again op=send wr_id=0x2 len=8 age=11321759 psn=16777201 npsn=1 tries=1 flow=0x100001e00000001 sge=0x558b60ed2000:8:0xf0f
  wqe: index=2 state=again op=send wr_id=0x3 len=8 flags=signaled age=11321759 psn=16777202 npsn=1 tries=1 flow=0x100001e00000002 sge=0x558b60ed2000:8:0xf0f
rq:
  max: 16
  slots: 16
  used: 2
  producer: 2
  consumer: 0
  rwqe: index=0 state=posted wr_id=0xb len=64 num_sge=1 sge=0x558b60ed2000:64:0xf0f
  rwqe: index=1 state=posted wr_id=0xc len=64 num_sge=1 sge=0x558b60ed2000:64:0xf0f
# glass 1 remote: glass1 qp 0x1d
qpn: 0x1d
qptype: rc
state: rts
state_age: 13394955
pdn: 11
ctxn: 7
scqn: 27
rcqn: 28
sq_max: 16
sq_used: 0
rq_max: 16
rq_used: 0
pid: 315
comm: error_table
created: 57656558584
age: 14078467
port: 1
pkey_index: 0
dest_qpn: 0x1e
dlid: 1
sl: 0
peer: glass0:0x1e
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
tx_pkts: 9
rx_pkts: 11
tx_msgs: 0
rx_msgs: 0
tx_bytes: 0
rx_bytes: 88
retries: 0
timeouts: 0
rnr_rx: 0
rnr_tx: 9
drops: 11
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
  qpn: 0x1e
  state: err
  dest_qpn: 0x1d
  pid: 315
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
  change: when=57657022587 age=13577899 from=reset to=init cause=verb
  change: when=57657173713 age=13426773 from=init to=rtr cause=verb
  change: when=57657208034 age=13392452 from=rtr to=rts cause=verb
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
57658297932 72094218 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57658490119 71902031 tx rc_send_only 16777201 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000001 0x2 glass0 1 0x1e none glass1 1 0x1d nak_wait - - - -
57658701996 71690154 tx rc_send_only 16777202 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000002 0x3 glass0 1 0x1e none glass1 1 0x1d nak_wait - - - -
57658718430 71673720 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
57659032920 71359230 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57659052850 71339300 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
57662489142 67903008 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57662527559 67864591 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
57662660928 67731222 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57662675730 67716420 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
57662779305 67612845 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57662790782 67601368 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
57662868168 67523982 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57662878533 67513617 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
57662972023 67420127 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57662987836 67404314 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
57663092272 67299878 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57663107455 67284695 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
57663298180 67093970 tx rc_send_only 16777200 1 8 0x1d 1 3 0xffff ackreq|mig - - - - - - 0x100001e00000000 0x1 glass0 1 0x1e none glass1 1 0x1d rnr_wait - - - -
57663313994 67078156 rx rc_ack 16777200 1 0 0x1e 3 1 0xffff mig - - - 0x21 0 - 0x100001e00000000 0x1 glass1 1 0x1d none glass0 1 0x1e none - - - -
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
glass1 1 53823336804 3847458313 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 2 53823502181 3847308048 1 rx no_qp rc_send_only 0xfffff0 16777201 8 1 3 0x100001300000001 -
glass1 3 53823507870 3847309610 1 rx no_qp rc_send_only 0xfffff0 16777202 8 1 3 0x100001300000002 -
glass1 4 53828473295 3842350444 1 rx no_qp rc_send_only 0xfffff0 16777200 64 1 3 0x100001300000000 -
glass1 5 54730458608 2940371210 1 qp access rc_write_only 0x15 16777200 64 1 3 0x100001500000000 -
glass1 6 54731479462 2939356916 1 qp qp_state rc_send_only 0x15 16777201 8 1 3 0x100001500000001 -
glass1 7 54731485381 2939357046 1 qp qp_state rc_send_only 0x15 16777202 8 1 3 0x100001500000002 -
glass1 8 55088652029 2582196407 1 qp rnr_wait rc_send_only 0x17 16777200 64 1 3 0x100001700000000 -
glass1 9 55088752789 2582101626 1 qp nak_wait rc_send_only 0x17 16777201 8 1 3 0x100001700000001 -
glass1 10 55088758978 2582101346 1 qp nak_wait rc_send_only 0x17 16777202 8 1 3 0x100001700000002 -
glass1 11 55090353109 2580513244 1 qp rnr_wait rc_send_only 0x17 16777200 64 1 3 0x100001700000000 -
glass1 12 55965587414 1705285018 1 qp access rc_write_only 0x19 16777200 64 1 3 0x100001900000000 -
glass1 13 55965842345 1705036226 1 qp qp_state rc_send_only 0x19 16777201 8 1 3 0x100001900000001 -
glass1 14 55965846982 1705037578 1 qp qp_state rc_send_only 0x19 16777202 8 1 3 0x100001900000002 -
glass1 15 57658443870 12446739 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 16 57658698711 12197937 1 qp nak_wait rc_send_only 0x1d 16777201 8 1 3 0x100001e00000001 -
glass1 17 57658706602 12196005 1 qp nak_wait rc_send_only 0x1d 16777202 8 1 3 0x100001e00000002 -
glass1 18 57659046230 11862386 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 19 57662516392 8398183 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 20 57662669902 8250642 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 21 57662786456 8140057 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 22 57662873365 8059077 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 23 57662982058 7956293 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 24 57663100665 7843644 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
glass1 25 57663307634 7642574 1 qp rnr_wait rc_send_only 0x1d 16777200 8 1 3 0x100001e00000000 -
# glass 1 processes: pid comm role state uid
315 error_table local running 0
315 error_table remote running 0
