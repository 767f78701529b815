# glass 1 failure: 7
id: 7
when: 57213677453
age: 131787374
real: 1795700621274332121
dev: glass0
kind: event
object: cq
num: 0x19
state: err
event: cq_err
cause: cq_overrun
pid: 309
comm: error_table
uid: 0
packets: 0
bytes: 891
# glass 1 local: glass0 cq 0x19
cqn: 25
ctxn: 6
state: err
max: 1
used: 1
max_used: 1
notify: no
total: 1
errors: 0
armed: 0
events: 0
pid: 309
comm: error_table
created: 57210855708
age: 3081863
vector: 0
resized: 0
ignores_overrun: 0
lost: 0
memory: 1720
ring:
  slots: 1
  producer: 1
  consumer: 0
  polled_by: program
  left_out: 0
  cqe: index=0 status=success op=write wr_id=0x1 qpn=0x1c byte_len=8 flags=send age=925112
users:
  qps: 1
  user: qpn=0x1c as=send pid=309 comm=error_table
# glass 1 packets: when age dir op psn packets len dqpn slid dlid pkey flags va rkey dlen syndrome msn imm flow wr_id tx_dev tx_port tx_qpn tx_reason rx_dev rx_port rx_qpn rx_reason inv_key qkey sqpn srqn
# glass 1 drops: dev seq when age port place reason opcode dqpn psn len slid dlid flow at
# glass 1 processes: pid comm role state uid
309 error_table local sleeping 0
