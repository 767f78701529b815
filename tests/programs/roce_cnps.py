# SPDX-License-Identifier: GPL-2.0-only
"""roce_cnps.py INTERFACE N: waits for N CNPs over IPv4 that come in at the interface, and checks each against IBA annex A17.9.3.

Prints `ready`, and then a line for each: its destination QP. The ICRC is zlib's CRC-32 over the bytes that annex A17 names."""
import socket
import struct
import sys
import zlib

ETH_P_IP = 0x0800
PACKET_OUTGOING = 4


def check(cond, what):
    if not cond:
        sys.exit(f"a CNP that is none: {what}")


def is_cnp(ip):
    return len(ip) > 32 and ip[0] == 0x45 and ip[9] == 17 and ip[22:24] == struct.pack(">H", 4791) and ip[28] == 0x81


def judge(ip):
    """Of the bytes from the IP header on. Returns the destination QP."""
    length = struct.unpack(">H", ip[2:4])[0]
    ip = ip[:length]
    check(length == 20 + 8 + 12 + 16 + 4, f"{length} bytes")
    check(struct.unpack(">H", ip[24:26])[0] == length - 20, "length of UDP")
    check(ip[1] & 3 != 3, "it is marked itself")
    bth = ip[28:40]
    check(bth[1] & 0xBF == 0, f"flags 0x{bth[1]:02x}")
    check(bth[2:4] == b"\xff\xff", "P_Key")
    check(bth[4] == 0x40, f"FECN and BECN are 0x{bth[4]:02x}")
    check(bth[8:12] == bytes(4), "PSN")
    check(ip[40:56] == bytes(16), "reserved bytes")
    masked = bytearray(ip[:-4])
    for at in (1, 8, 10, 11, 26, 27, 32):
        masked[at] = 0xFF
    check(ip[-4:] == struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked))), "ICRC")
    return struct.unpack(">I", b"\0" + bth[5:8])[0]


def main():
    name, left = sys.argv[1], int(sys.argv[2])
    s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
    s.bind((name, ETH_P_IP))
    s.settimeout(30)
    print("ready", flush=True)
    while left:
        packet, where = s.recvfrom(65536)
        if where[2] == PACKET_OUTGOING or not is_cnp(packet):
            continue
        print(f"0x{judge(packet):x}", flush=True)
        left -= 1


main()
