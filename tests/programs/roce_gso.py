# SPDX-License-Identifier: GPL-2.0-only
"""roce_gso.py FROM TO KIND: sends one frame of several RoCEv2 datagrams (UDP_SEGMENT), over IPv4 or IPv6 as the addresses say.

KIND is one of these, or random:SEED.
  good      eight packets for a QP that is not there
  icrc      the same, but the ICRC of the third is wrong
  mixed     the same, but every other packet is for another QP
  short     datagrams that are too short for a packet
  shorter   the last datagram is too short
  many      more datagrams than Glass receives in one frame
  mad       packets for QP1
random sends 200 frames of random bytes, sizes and numbers of datagrams.

The ICRC is zlib's CRC-32 over the bytes that IBA annex A17 names. The kernel writes the headers: over IPv4 the identification counts up
from the one that the kernel chooses for the frame; it is 0, because the socket asks for path MTU discovery."""
import random
import socket
import struct
import sys
import zlib

PORT = 4791
UDP_SEGMENT = 103


def icrc(source, target, sport, number, body):
    """Of datagram `number` of a frame, with this body from the BTH to the padding."""
    length = 8 + len(body) + 4
    if ":" in source:
        ip = b"\x6f\xff\xff\xff" + struct.pack(">HBB", length, 17, 0xFF)
        ip += socket.inet_pton(socket.AF_INET6, source) + socket.inet_pton(socket.AF_INET6, target)
    else:
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0xFF, 20 + length, number, 0x4000, 0xFF, 17, 0xFFFF,
                         socket.inet_aton(source), socket.inet_aton(target))
    udp = struct.pack(">HHHH", sport, PORT, length, 0xFFFF)
    masked = bytearray(body)
    masked[4] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + ip + udp + bytes(masked)))


class Sender:
    def __init__(self, source, target):
        family = socket.AF_INET6 if ":" in source else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        if family == socket.AF_INET:
            self.socket.setsockopt(socket.IPPROTO_IP, 10, 2)    # IP_MTU_DISCOVER, IP_PMTUDISC_DO
        self.socket.bind((source, 0))
        self.source, self.target = source, target
        self.sport = self.socket.getsockname()[1]

    def packet(self, number, dqpn=0xABCDEF, payload=32):
        body = struct.pack(">BBHII", 4, 0x40, 0xFFFF, dqpn, 0x80000000 + number) + bytes(payload)
        return body + icrc(self.source, self.target, self.sport, number, body)

    def send(self, size, frame):
        self.socket.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, size)
        self.socket.sendto(frame, (self.target, PORT))


def random_frames(sender, seed):
    """What the kernel refuses (too many datagrams, too long) counts as well: the test is what arrives."""
    rnd = random.Random(seed)
    for _ in range(200):
        size = rnd.choice((1, 8, 15, 16, 17, 48, rnd.randrange(1, 2000)))
        count = rnd.choice((1, 2, 3, 15, 16, 17, 64, rnd.randrange(1, 65)))
        good = [sender.packet(i, rnd.choice((0, 1, 0xABCDEF)), 4 * (size // 4)) for i in range(min(count, 20))]
        frame = b"".join(good) if rnd.random() < 0.5 else rnd.randbytes(size * count)
        if rnd.random() < 0.5:
            size = len(good[0])
        try:
            sender.send(size, frame[:rnd.randrange(1, len(frame) + 1)])
        except OSError:
            pass


def main():
    source, target, kind = sys.argv[1:]
    sender = Sender(source, target)
    if kind.startswith("random:"):
        random_frames(sender, int(kind[7:]))
        return
    packets = [sender.packet(i) for i in range(8)]
    size = len(packets[0])
    if kind == "icrc":
        packets[2] = packets[2][:-1] + bytes([packets[2][-1] ^ 1])
    elif kind == "mixed":
        packets = [sender.packet(i, 0xABCDE0 + i % 2) for i in range(8)]
    elif kind == "short":
        packets, size = [bytes(15)] * 8, 15
    elif kind == "shorter":
        packets[-1] = packets[-1][:15]
    elif kind == "many":
        packets = [sender.packet(i) for i in range(40)]
    elif kind == "mad":
        packets = [sender.packet(i, 1) for i in range(8)]
    elif kind != "good":
        sys.exit(f"unknown kind: {kind}")
    sender.send(size, b"".join(packets))


main()
