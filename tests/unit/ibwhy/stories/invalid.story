# glass 1 failure: 3
id: 3
when: 10000000000
age: 1000000
real: 1700000000000000000
dev: glass0
kind: completion
object: qp
num: 0x11
qptype: rc
port: 1
state: err
status: rem_inv_req_err
cause: rem_inv_req
op: send
wr_id: 0x7
psn: 7936
pid: 811
comm: client
uid: 1000
peer_dev: glass1
peer_qpn: 0x22
peer_pid: 812
peer_comm: server
packets: 16
bytes: 4000
missing: -
# glass 1 local: glass0 qp 0x11
qpn: 0x11
qptype: rc
state: err
pdn: 1
port: 1
dest_qpn: 0x22
dlid: 2
mtu: 1024
timeout: 14
retry_cnt: 7
rnr_retry: 6
max_rd_atomic: 4
pid: 811
comm: client
waits_for: nothing
why:
  waits_for: nothing
  why: nothing: no send is posted and no message is under way
attr:
  access: remote_write|remote_read
  rq_psn: 100
  first_psn: 7936
  max_dest_rd_atomic: 4
timers:
  ack_timeout: 67108864
  rnr_told: 640000
history:
  changes: 4
  change: when=5000000000 age=5000000000 from=reset to=init cause=verb
  change: when=5100000000 age=4900000000 from=init to=rtr cause=verb
  change: when=5200000000 age=4800000000 from=rtr to=rts cause=verb
  change: when=10000000000 age=0 from=rts to=err cause=rem_inv_req
sq:
  max: 64
  slots: 64
  used: 1
  wqe: index=0 state=again op=send wr_id=0x7 len=1024 flags=signaled age=536000000 psn=7936 npsn=1 tries=1 raddr=0x10000 rkey=0x1234 sge=0x7000:1024:0x55
rq:
  max: 64
  slots: 64
  used: 0
# glass 1 remote: glass1 qp 0x22
qpn: 0x22
qptype: rc
state: err
pdn: 1
port: 1
dest_qpn: 0x11
dlid: 1
mtu: 1024
timeout: 14
retry_cnt: 7
rnr_retry: 6
max_rd_atomic: 4
pid: 812
comm: server
waits_for: nothing
why:
  waits_for: nothing
  why: nothing: no send is posted and no message is under way
attr:
  access: remote_write|remote_read
  rq_psn: 7936
  first_psn: 100
  max_dest_rd_atomic: 4
timers:
  ack_timeout: 67108864
  rnr_told: 640000
history:
  changes: 4
  change: when=5000000000 age=5000000000 from=reset to=init cause=verb
  change: when=5100000000 age=4900000000 from=init to=rtr cause=verb
  change: when=5200000000 age=4800000000 from=rtr to=rts cause=verb
  change: when=9999992000 age=8000 from=rts to=err cause=loc_len
sq:
  max: 64
  slots: 64
  used: 0
rq:
  max: 64
  slots: 64
  used: 1
  rwqe: state=filling wr_id=0x1 len=512 num_sge=1 sge=0x8000:512:0x66
# glass 1 packets: when age dir op psn packets len dqpn slid dlid pkey flags va rkey dlen syndrome msn imm flow wr_id tx_dev tx_port tx_qpn tx_reason rx_dev rx_port rx_qpn rx_reason
9999991000 9000 tx send_only 7936 1 1024 0x22 1 2 0xffff ackreq - - - - - - 0x9 0x7 glass0 1 0x11 none glass1 1 0x22 REASON
9999993000 7000 rx ack 7936 1 64 0x11 2 1 0xffff ackreq - - - 0x61 - - 0x9 0x7 glass1 1 0x22 none glass0 1 0x11 none
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
# glass 1 journal: dev seq rule act when psn pid comm set_pid set_by set_uid delay
# glass 1 gone_qps: dev qpn qptype state when age how born pid comm uid signal dest_qpn
# glass 1 keys: dev key found kind pd addr len access state pid comm gone_when gone_how gone_pid gone_comm qp_pd
# glass 1 ports: node port state phys lid sm_lid cable when what
glass0 1 active 5 1 1 s0:1 1000 sm
s0 1 active 5 - 1 glass0:1 1000 sm
s0 2 active 5 - 1 glass1:1 1000 sm
glass1 1 active 5 2 1 s0:2 1000 sm
# glass 1 processes: pid comm role state uid
811 client local sleeping 1000
812 server remote sleeping 1000
# glass 1 connected: dev port qpn lid state pid comm
