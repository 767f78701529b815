# SPDX-License-Identifier: GPL-2.0-only
"""roce_capture.py CAPTURE.pcapng [WIRE.pcapng]: judges a capture of ibcap at an Ethernet port.

Each packet is Ethernet, IP, UDP port 4791; its lengths agree; its ICRC is that which zlib computes over the bytes that IBA
annex A17 names; tshark dissects it, finds nothing malformed, and reads the same opcode, QPN and PSN. With WIRE, which was
captured at the network interface meanwhile: both have the same packets, byte for byte from the IP header on, and for each
destination QP in the same order, requests and responses apart: rxe sends these from two CPUs, whose frames may overtake each other
behind the interface. Prints for each opcode how many packets there are; ends with status 1 at the first fault."""
import collections
import struct
import subprocess
import sys
import zlib

PORT = 4791
ERROR = "8388608"       # tshark's severity


def frames(path):
    """The Ethernet frames of a pcapng file."""
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 1:
            link = struct.unpack_from("<H", data, at + 8)[0]
            assert link == 1, f"{path}: an interface of link type {link}"
        elif kind == 6:
            kept, whole = struct.unpack_from("<II", data, at + 20)
            assert kept == whole, f"{path}: a packet of {whole} bytes was cut to {kept}"
            yield data[at + 28:at + 28 + kept]
        at += length


def datagram(frame):
    """Returns (IP header, the datagram from there on) of a RoCEv2 frame, else None."""
    kind, ip = struct.unpack_from(">H", frame, 12)[0], frame[14:]
    if kind == 0x0800 and ip[9] == 17:
        header, length = 20, struct.unpack_from(">H", ip, 2)[0]
    elif kind == 0x86dd and ip[6] == 17:
        header, length = 40, 40 + struct.unpack_from(">H", ip, 4)[0]
    else:
        return None
    if struct.unpack_from(">H", ip, header + 2)[0] != PORT:
        return None
    assert length <= len(ip), "IP is longer than its frame"
    ip = ip[:length]
    assert struct.unpack_from(">H", ip, header + 4)[0] == length - header, "the length of UDP"
    return header, ip


def check_icrc(header, ip):
    masked = bytearray(ip[:-4])
    if header == 20:
        for i in (1, 8, 10, 11):
            masked[i] = 0xFF
        total = 0
        for (word,) in struct.iter_unpack(">H", ip[:20]):
            total += word
        assert (total & 0xFFFF) + (total >> 16) == 0xFFFF, "the checksum of IPv4"
    else:
        masked[0] |= 0x0F
        masked[1:4] = b"\xff" * 3
        masked[7] = 0xFF
    masked[header + 6] = masked[header + 7] = 0xFF
    masked[header + 12] = 0xFF
    icrc = struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked)))
    assert icrc == ip[-4:], f"ICRC {ip[-4:].hex()}, but zlib computes {icrc.hex()}: {ip.hex()}"


def bth(header, ip):
    at = header + 8
    return ip[at], int.from_bytes(ip[at + 5:at + 8], "big"), int.from_bytes(ip[at + 9:at + 12], "big")


def stream(header, ip):
    """What has an order: addresses, destination QP, and whether it is a response (of RC: those of READs and atomics, and ACKs)."""
    opcode, qpn, _ = bth(header, ip)
    return ip[12:header], qpn, 0x0d <= opcode <= 0x12


def dissected(path):
    """What tshark reads."""
    asked = ["infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn", "_ws.malformed", "_ws.expert.severity", "_ws.expert.message"]
    # tshark takes some payloads for those of NFS
    command = ["tshark", "-r", path, "--disable-protocol", "rpcordma", "-T", "fields"]
    for field in asked:
        command += ["-e", field]
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        opcode, qpn, psn, malformed, severity, message = line.split("\t")
        assert not malformed, f"tshark: malformed: {line}"
        # The ICRC takes the place of UDP's checksum, which is 0 over IPv6, too (annex A17). tshark does not know that.
        errors = severity.split(",").count(ERROR)
        assert errors == message.count("Illegal checksum value (0)"), f"tshark: an error: {line}"
        yield int(opcode, 0), int(qpn, 0), int(psn, 0)


def main():
    path = sys.argv[1]
    mine, opcodes = collections.defaultdict(list), collections.Counter()
    read = []
    for frame in frames(path):
        got = datagram(frame)
        assert got, f"no RoCEv2 packet: {frame.hex()}"
        check_icrc(*got)
        read.append(bth(*got))
        opcodes[read[-1][0]] += 1
        mine[stream(*got)].append(got[1])
    assert read, f"{path} has no packet"
    seen = list(dissected(path))
    assert seen == read, f"tshark reads otherwise: {[pair for pair in zip(read, seen) if pair[0] != pair[1]][:5]}"
    if len(sys.argv) > 2:
        wire = collections.defaultdict(list)
        for frame in frames(sys.argv[2]):
            got = datagram(frame)
            if got:
                wire[stream(*got)].append(got[1])
        for key in set(mine) | set(wire):
            assert len(mine[key]) == len(wire[key]), (f"QP 0x{key[1]:x} at {key[0].hex()}: {len(mine[key])} packets in the capture, "
                                                      f"{len(wire[key])} on the wire")
            for a, b in zip(mine[key], wire[key]):
                assert a == b, f"QP 0x{key[1]:x}: captured\n{a.hex()}\non the wire\n{b.hex()}"
        print("same as on the wire:", len(read))
    print(*(f"0x{opcode:02x}:{n}" for opcode, n in sorted(opcodes.items())))


try:
    main()
except AssertionError as e:
    sys.exit(f"roce_capture: {e}")
