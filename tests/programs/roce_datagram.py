# SPDX-License-Identifier: GPL-2.0-only
"""roce_datagram.py FROM TO KIND: sends one RoCEv2 datagram over IPv4 that breaks the rule KIND, or none ("good").

The ICRC is zlib's CRC-32 over the bytes that IBA annex A17 names. The kernel writes the IP header: it has the ID 0 and DF set, because the
socket asks for path MTU discovery."""
import socket
import struct
import sys
import zlib

PORT = 4791


def icrc(source, target, sport, body):
    """Of the datagram with this body, from the BTH to the padding."""
    length = 8 + len(body) + 4
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0xFF, 20 + length, 0, 0x4000, 0xFF, 17, 0xFFFF,
                     socket.inet_aton(source), socket.inet_aton(target))
    udp = struct.pack(">HHHH", sport, PORT, length, 0xFFFF)
    masked = bytearray(body)
    masked[4] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + ip + udp + bytes(masked)))


def main():
    source, target, kind = sys.argv[1:]
    payload = bytes(range(8))
    opcode, flags, dqpn = 0x04, 0x40, 0xABCDEF
    if kind == "version":
        flags |= 1
    elif kind == "opcode":
        opcode = 0x1F
    elif kind == "qp0":
        dqpn = 0
    elif kind == "padding":
        payload = payload[:-1]
    elif kind not in ("broadcast", "good", "icrc", "short"):
        sys.exit(f"unknown kind: {kind}")
    body = struct.pack(">BBHII", opcode, flags, 0xFFFF, dqpn, 0x80000001) + payload
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IP, 10, 2)      # IP_MTU_DISCOVER, IP_PMTUDISC_DO
    s.setsockopt(socket.SOL_SOCKET, 11, 1)      # SO_NO_CHECK
    if kind == "broadcast":
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        target = "255.255.255.255"
    s.bind((source, 0))
    check = icrc(source, target, s.getsockname()[1], body)
    if kind == "icrc":
        check = bytes([check[0] ^ 1]) + check[1:]
    whole = body + check
    s.sendto(whole[:15] if kind == "short" else whole, (target, PORT))


main()
