# SPDX-License-Identifier: GPL-2.0-only
"""Sockets of SMC (shared memory communications), which use RDMA if both ends can, and TCP otherwise. Debian has no smc-tools.

smc.py eid NAME | no-eids               adds this enterprise id (UEID) of SMC-Rv2, or removes all
smc.py pnet NAME DEVICE                 SMC takes port 1 of this device for one at the physical network NAME
smc.py devices                          the devices that SMC may use: those whose port 1 is active
smc.py serve ADDRESS PORT               sends back all that comes. Prints `ready`, and a line when a connection ends
smc.py send ADDRESS PORT BYTES [N]      N connections at once send and get back BYTES each; prints how each was made
smc.py stay ADDRESS PORT                one connection, which sends and gets back until it fails. Prints how it was made, then the error

With the environment variable SMC_PROTOCOL, the sockets are those of AF_INET and AF_INET6 with IPPROTO_SMC (since Linux 6.11), not AF_SMC.
"How made" is `smc-r DEVICE GID PEER_GID`, or `tcp REASON`."""
import errno
import hashlib
import os
import socket
import struct
import sys
import threading

AF_SMC = 43
IPPROTO_SMC = 256
NETLINK_SOCK_DIAG, NETLINK_GENERIC = 4, 16
SOCK_DIAG_BY_FAMILY = 20
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 1, 4, 0x300
GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 16, 3, 1, 2
SMC_NETLINK_GET_DEV_SMCR, SMC_NETLINK_ADD_UEID, SMC_NETLINK_FLUSH_UEID, SMC_NLA_EID_TABLE_ENTRY = 6, 10, 12, 1
SMC_GEN_DEV_SMCR, SMC_NLA_DEV_PORT, SMC_NLA_DEV_IB_NAME, SMC_NLA_DEV_PORT_STATE = 6, 8, 10, 4
SMC_PNETID_ADD, SMC_PNETID_NAME, SMC_PNETID_IBNAME, SMC_PNETID_IBPORT = 2, 1, 3, 4
SMC_DIAG_LGRINFO, SMC_DIAG_FALLBACK = 2, 5
SMC_DIAG_MODE_SMCR, SMC_DIAG_MODE_FALLBACK_TCP = 0, 1
# struct smc_diag_msg: four bytes, inet_diag_sockid, uid, inode
PORTS_AT, ATTRIBUTES_AT = 4, 4 + 48 + 4 + 8


def request(protocol, kind, flags, payload):
    """Yields the payloads of the answers."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol) as s:
        s.send(struct.pack("=IHHII", 16 + len(payload), kind, NLM_F_REQUEST | flags, 1, 0) + payload)
        while True:
            data = s.recv(1 << 16)
            while data:
                length, kind = struct.unpack_from("=IH", data)
                body, data = data[16:length], data[(length + 3) & ~3:]
                if kind == NLMSG_ERROR and struct.unpack_from("=i", body)[0]:
                    error = -struct.unpack_from("=i", body)[0]
                    raise OSError(error, os.strerror(error))
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    return
                yield body


def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def attributes(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        found[kind & 0x3FFF] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


def command(number, flags, payload=b"", family="SMC_GEN_NETLINK"):
    """Of a family of generic netlink. Returns the attributes of each answer."""
    name = attribute(CTRL_ATTR_FAMILY_NAME, family.encode() + b"\0")
    answer, = request(NETLINK_GENERIC, GENL_ID_CTRL, NLM_F_ACK, struct.pack("=BBH", CTRL_CMD_GETFAMILY, 1, 0) + name)
    number_of_family, = struct.unpack("=H", attributes(answer[4:])[CTRL_ATTR_FAMILY_ID])
    answers = request(NETLINK_GENERIC, number_of_family, flags, struct.pack("=BBH", number, 1, 0) + payload)
    return [attributes(answer[4:]) for answer in answers]


def text(data):
    return data.split(b"\0")[0].decode()


def devices():
    for answer in command(SMC_NETLINK_GET_DEV_SMCR, NLM_F_DUMP):
        device = attributes(answer[SMC_GEN_DEV_SMCR])
        if attributes(device[SMC_NLA_DEV_PORT])[SMC_NLA_DEV_PORT_STATE][0]:
            print(text(device[SMC_NLA_DEV_IB_NAME]))


def how_made(connection):
    ports = connection.getsockname()[1], connection.getpeername()[1]
    ask = struct.pack("=BxxB", AF_SMC, 1 << (SMC_DIAG_LGRINFO - 1) | 1 << (SMC_DIAG_FALLBACK - 1)) + bytes(48)
    for answer in request(NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, ask):
        if struct.unpack_from(">HH", answer, PORTS_AT) != ports:
            continue
        more = attributes(answer[ATTRIBUTES_AT:])
        if answer[2] == SMC_DIAG_MODE_FALLBACK_TCP:
            return "tcp 0x%08x" % struct.unpack_from("=I", more[SMC_DIAG_FALLBACK])
        if answer[2] == SMC_DIAG_MODE_SMCR and SMC_DIAG_LGRINFO in more:
            group = more[SMC_DIAG_LGRINFO]
            return f"smc-r {text(group[1:65])} {text(group[66:106])} {text(group[106:146])}"
        return f"mode {answer[2]}"
    return "no such socket"


def smc_socket(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if "SMC_PROTOCOL" in os.environ:
        return socket.socket(family, socket.SOCK_STREAM, IPPROTO_SMC)
    # Python knows no addresses of AF_SMC, which are those of AF_INET and AF_INET6.
    s = socket.socket(AF_SMC, socket.SOCK_STREAM, int(family == socket.AF_INET6))
    return socket.socket(family, socket.SOCK_STREAM, 0, s.detach())


def connected(address, port):
    s = smc_socket(address)
    s.connect((address, port))
    return s


def echo(connection):
    n, ended = 0, "well"
    try:
        while data := connection.recv(1 << 16):
            connection.sendall(data)
            n += len(data)
    except OSError as e:
        ended = errno.errorcode[e.errno]
    connection.close()
    print(f"{n} bytes, ended {ended}", flush=True)


def serve(address, port):
    with smc_socket(address) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind((address, port))
        s.listen(64)
        print("ready", flush=True)
        while True:
            connection, _ = s.accept()
            threading.Thread(target=echo, args=(connection,), daemon=True).start()


def give(connection, data):
    connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


def exchange(connection, size, results):
    data = os.urandom(size)
    sender = threading.Thread(target=give, args=(connection, data), daemon=True)
    sender.start()
    got = hashlib.sha256()
    while part := connection.recv(1 << 16):
        got.update(part)
    sender.join()
    connection.close()
    results.append(got.digest() == hashlib.sha256(data).digest())


def send(address, port, size, n):
    connections = [connected(address, port) for _ in range(n)]
    for connection in connections:
        print(how_made(connection))
    results = []
    threads = [threading.Thread(target=exchange, args=(connection, size + i, results)) for i, connection in enumerate(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if results != [True] * n:
        sys.exit(f"of {n} connections, {results.count(True)} got back what they sent")


def stay(address, port):
    connection = connected(address, port)
    print(how_made(connection), flush=True)
    n = 0
    try:
        while True:
            data = os.urandom(1 + n * 7919 % 30000)
            connection.sendall(data)
            got = connection.recv(len(data), socket.MSG_WAITALL)
            if not got:
                print("ended by peer", flush=True)
                return
            if got != data:
                sys.exit(f"message {n} is not what was sent")
            n += 1
            if n == 10:
                print("going", flush=True)
    except OSError as e:
        print(f"ended {errno.errorcode[e.errno]}", flush=True)


def main(words):
    if words[0] == "eid":
        command(SMC_NETLINK_ADD_UEID, NLM_F_ACK, attribute(SMC_NLA_EID_TABLE_ENTRY, words[1].ljust(32).encode() + b"\0"))
    elif words[0] == "no-eids":
        command(SMC_NETLINK_FLUSH_UEID, NLM_F_ACK)
    elif words[0] == "pnet":
        names = attribute(SMC_PNETID_NAME, words[1].encode() + b"\0") + attribute(SMC_PNETID_IBNAME, words[2].encode() + b"\0")
        command(SMC_PNETID_ADD, NLM_F_ACK, names + attribute(SMC_PNETID_IBPORT, b"\1"), "SMC_PNETID")
    elif words[0] == "devices":
        devices()
    elif words[0] == "serve":
        serve(words[1], int(words[2]))
    elif words[0] == "send":
        send(words[1], int(words[2]), int(words[3]), int(words[4]) if len(words) > 4 else 1)
    else:
        stay(words[1], int(words[2]))


main(sys.argv[1:])
