# glass 1 failure: 3
id: 3
when: 10000000000
age: 1000000
real: 1700000000000000000
dev: glass0
kind: event
object: cq
num: 0x3
qptype: rc
port: 1
state: err
event: cq_err
cause: cq_overrun
pid: 811
comm: client
uid: 1000
packets: 16
bytes: 4000
missing: -
# glass 1 local: glass0 cq 0x3
cqn: 3
state: err
max: 16
used: 16
lost: 0
pid: 811
comm: client
ring:
  slots: 16
  producer: 16
  consumer: 0
  polled_by: program
users:
  qps: 1
  user: qpn=0x11 as=send pid=811 comm=client
# glass 1 journal: dev seq rule act when psn pid comm set_pid set_by set_uid delay
glass0 1 r2 cq_overrun 9999999000 - 811 client 900 tester 0 -
# glass 1 processes: pid comm role state uid
811 client local sleeping 1000
