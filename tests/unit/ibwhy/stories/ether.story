# glass 1 failure: 3
id: 3
when: 10000000000
age: 1000000
real: 1700000000000000000
dev: glassr0
kind: completion
object: qp
num: 0x11
qptype: rc
port: 1
state: err
status: retry_exc_err
cause: retry_exc
op: read
wr_id: 0x7
psn: 7936
pid: 811
comm: client
uid: 1000
packets: 16
bytes: 4000
missing: peer
# glass 1 local: glassr0 qp 0x11
qpn: 0x11
qptype: rc
state: err
pdn: 1
port: 1
dest_qpn: 0x22
dlid: 0
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
  change: when=10000000000 age=0 from=rts to=err cause=retry_exc
sq:
  max: 64
  slots: 64
  used: 1
  wqe: index=0 state=again op=read wr_id=0x7 len=64 flags=signaled age=536000000 psn=7936 npsn=1 tries=8 raddr=0x10000 rkey=0x1234 sge=0x7000:64:0x55
rq:
  max: 64
  slots: 64
  used: 0
# glass 1 packets: when age dir op psn packets len dqpn slid dlid pkey flags va rkey dlen syndrome msn imm flow wr_id tx_dev tx_port tx_qpn tx_reason rx_dev rx_port rx_qpn rx_reason
9464000000 536000000 tx read_req 7936 1 64 0x22 0 0 0xffff ackreq|grh 0x10000 0x1234 64 - - - 0x9 0x7 glassr0 1 0x11 REASON - - - -
9531000000 469000000 tx read_req 7936 1 64 0x22 0 0 0xffff ackreq|grh 0x10000 0x1234 64 - - - 0x9 0x7 glassr0 1 0x11 REASON - - - -
9598000000 402000000 tx read_req 7936 1 64 0x22 0 0 0xffff ackreq|grh 0x10000 0x1234 64 - - - 0x9 0x7 glassr0 1 0x11 REASON - - - -
9665000000 335000000 tx read_req 7936 1 64 0x22 0 0 0xffff ackreq|grh 0x10000 0x1234 64 - - - 0x9 0x7 glassr0 1 0x11 REASON - - - -
9732000000 268000000 tx read_req 7936 1 64 0x22 0 0 0xffff ackreq|grh 0x10000 0x1234 64 - - - 0x9 0x7 glassr0 1 0x11 REASON - - - -
9799000000 201000000 tx read_req 7936 1 64 0x22 0 0 0xffff ackreq|grh 0x10000 0x1234 64 - - - 0x9 0x7 glassr0 1 0x11 REASON - - - -
9866000000 134000000 tx read_req 7936 1 64 0x22 0 0 0xffff ackreq|grh 0x10000 0x1234 64 - - - 0x9 0x7 glassr0 1 0x11 REASON - - - -
9933000000 67000000 tx read_req 7936 1 64 0x22 0 0 0xffff ackreq|grh 0x10000 0x1234 64 - - - 0x9 0x7 glassr0 1 0x11 REASON - - - -
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
# glass 1 journal: dev seq rule act when psn pid comm set_pid set_by set_uid delay
# glass 1 gone_qps: dev qpn qptype state when age how born pid comm uid signal dest_qpn
# glass 1 keys: dev key found kind pd addr len access state pid comm gone_when gone_how gone_pid gone_comm qp_pd
# glass 1 ports: node port state phys lid sm_lid cable netdev when what
glassr0 1 active 5 0 0 - veth0 1000 interface
# glass 1 network: dev sgid dgid own netdev route errno hop neighbour
glassr0 0000:0000:0000:0000:0000:ffff:0a09:0002 0000:0000:0000:0000:0000:ffff:0a09:0001 yes veth0 yes - 0000:0000:0000:0000:0000:ffff:0a09:0001 reachable
# glass 1 processes: pid comm role state uid
811 client local sleeping 1000
# glass 1 connected: dev port qpn lid state pid comm
