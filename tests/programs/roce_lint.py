# SPDX-License-Identifier: GPL-2.0-only
"""roce_lint.py DEVICE GID_INDEX DGID KIND: moves an RC QP of an Ethernet port to RTR with a mistake in its address.

KIND: good, no_grh (the address has no GRH), mtu (path_mtu 4096), ah (an address handle in place of the QP's address). The GIDs are wrong if
the arguments are such. Prints "refused" or "accepted". The program knows nothing of Glass."""
import ipaddress
import sys

import pyverbs.enums as e
from pyverbs.addr import AH, GID, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr


def main():
    device, index, dgid, kind = sys.argv[1:]
    gid = GID(ipaddress.IPv6Address(dgid).packed.hex(":", 2))
    ctx = Context(name=device)
    cq = CQ(ctx, 10)
    init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(max_send_wr=1, max_recv_wr=1))
    pd = PD(ctx)
    if kind == "ah":
        try:
            AH(pd, attr=AHAttr(port_num=1, is_global=1, gr=GlobalRoute(dgid=gid, sgid_index=int(index))))
            print("accepted")
        except PyverbsRDMAError:
            print("refused")
        return
    qp = QP(pd, init)
    attr = QPAttr(port_num=1)
    qp.to_init(attr)
    if kind == "no_grh":
        attr.ah_attr = AHAttr(port_num=1, is_global=0, dlid=1)
    else:
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=GlobalRoute(dgid=gid, sgid_index=int(index)))
    attr.path_mtu = e.IBV_MTU_4096 if kind == "mtu" else e.IBV_MTU_1024
    attr.dest_qp_num = 0x11
    try:
        qp.to_rtr(attr)
        print("accepted")
    except PyverbsRDMAError:
        print("refused")


main()
