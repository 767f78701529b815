# SPDX-License-Identifier: GPL-2.0-only
"""glass0 and glass1 send a message to each other, by pyverbs and unittest."""
import time
import unittest

import pyverbs.enums as e
from pyverbs.addr import AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

BYTES = 10000


class End:
    def __init__(self, name):
        self.context = Context(name=name)
        self.port = self.context.query_port(1)
        self.pd = PD(self.context)
        self.cq = CQ(self.context, 2)
        # the sent message, then the received one
        self.mr = MR(self.pd, 2 * BYTES, e.IBV_ACCESS_LOCAL_WRITE)
        attr = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq,
                          cap=QPCap(max_send_wr=1, max_recv_wr=1, max_send_sge=1, max_recv_sge=1))
        self.qp = QP(self.pd, attr)

    def sge(self, offset):
        return SGE(self.mr.buf + offset, BYTES, self.mr.lkey)

    def connect(self, peer):
        attr = QPAttr(port_num=1)
        self.qp.to_init(attr)
        self.qp.post_recv(RecvWR(wr_id=1, sg=[self.sge(BYTES)], num_sge=1))
        attr.ah_attr = AHAttr(dlid=peer.port.lid, port_num=1)
        attr.dest_qp_num = peer.qp.qp_num
        attr.path_mtu = self.port.active_mtu
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
        attr.min_rnr_timer = 12
        attr.timeout, attr.retry_cnt, attr.rnr_retry = 14, 7, 6
        self.qp.to_rts(attr)

    def send(self, message):
        self.mr.write(message, BYTES)
        self.qp.post_send(SendWR(wr_id=2, opcode=e.IBV_WR_SEND, sg=[self.sge(0)], num_sge=1))

    def statuses(self):
        """Of the send and of the receive, in the order of their wr_id."""
        until, found = time.monotonic() + 5, {}
        while len(found) < 2:
            if time.monotonic() > until:
                raise TimeoutError(f"completions of {sorted(found)} alone")
            for wc in self.cq.poll(1)[1]:
                found[wc.wr_id] = wc.status
        return [found[1], found[2]]

    def close(self):
        for what in self.qp, self.cq, self.mr, self.pd, self.context:
            what.close()


class Transfer(unittest.TestCase):
    def setUp(self):
        self.a, self.b = End("glass0"), End("glass1")

    def tearDown(self):
        self.a.close()
        self.b.close()

    def test_send(self):
        self.a.connect(self.b)
        self.b.connect(self.a)
        self.a.send(b"a" * BYTES)
        self.b.send(b"b" * BYTES)
        for end, message in (self.a, b"b"), (self.b, b"a"):
            self.assertEqual(end.statuses(), [e.IBV_WC_SUCCESS] * 2)
            self.assertEqual(end.mr.read(BYTES, BYTES), message * BYTES)


if __name__ == "__main__":
    unittest.main()
