# SPDX-License-Identifier: GPL-2.0-only
"""Running perftest on a pair of devices in the guest, and reading what it prints. Shared by bench/run and bench/profile."""
import glob
import math
import os
import re
import signal
import subprocess
import sys
import time

# Seconds one perftest may take, whatever its number of iterations.
RUN_LIMIT = 120


class Failed(Exception):
    """A command did not do its work. The text names it and shows what it printed."""


class Uncalibrated(Failed):
    """perftest ran, but its numbers mean nothing."""


def progress(text):
    print(text, file=sys.stderr, flush=True)


def read(path):
    try:
        with open(path, encoding="ascii") as f:
            return f.read().strip()
    except OSError:
        return ""


def patience(seconds):
    """So many seconds; more in a guest whose clock counts instructions: there it leaps while all wait for the disk."""
    return seconds * (100 if os.environ.get("GLASS_ICOUNT") else 1)


def run(*argv, limit=60):
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=patience(limit), errors="replace", check=False)
    except subprocess.TimeoutExpired as e:
        raise Failed(f"{' '.join(argv)}: not done after {limit} s") from e
    except OSError as e:
        raise Failed(f"{' '.join(argv)}: {e.strerror}") from e
    if done.returncode:
        raise Failed(f"{' '.join(argv)}: status {done.returncode}\n{done.stdout.rstrip()}")
    return done.stdout


def wait_for(what, limit, ready):
    end = time.monotonic() + patience(limit)
    while not ready():
        if time.monotonic() > end:
            raise Failed(f"{what}: not after {limit} s")
        time.sleep(0.02)


# ---- the two adapters

class Pair:
    """Two devices of a kind that perftest can join: name, server, client and the GID index of each (None: LIDs)."""

    def __init__(self, name, server, client, gid=(None, None)):
        self.name, self.devices, self.gid = name, (server, client), gid

    def options(self, end):
        gid = [] if self.gid[end] is None else ["-x", str(self.gid[end])]
        return ["-d", self.devices[end], *gid]


def once_active(devices, options=()):
    """Port 1 of these devices is ACTIVE; if need be, one run of OpenSM does that, and none is left to take time."""
    states = [f"/sys/class/infiniband/{device}/ports/1/state" for device in devices]

    def active():
        return all("ACTIVE" in read(state) for state in states)

    if not active():
        run("opensm", "--once", "--log_file", "/tmp/bench-opensm.log", *options, limit=90)
        wait_for(f"ports of {' and '.join(devices)} ACTIVE", 20, active)


def glass():
    """Glass, port 1 of either adapter."""
    once_active(("glass0", "glass1"))
    return Pair("glass", "glass0", "glass1")


def glass_tree():
    """The same with three switches on the way: a leaf, a spine, another leaf."""
    run("ibfabric", "make", "fat-tree", "--leaves", "2", "--spines", "1", "--hosts-per-leaf", "1", "--replace", limit=90)
    run("udevadm", "settle", f"--timeout={patience(60)}", limit=90)
    return glass()


def glass_cable():
    """Glass over a cable: two more adapters, one at each end of a veth pair, MTU 9000, as rxe has it. No switch is on the way."""
    commands = "/sys/kernel/config/glass/commands"
    devices = ("glass2", "glass3")

    def command(line):
        with open(commands, "w", encoding="ascii") as f:
            f.write(line)

    def up():
        rows = [line.split() for line in read("/sys/kernel/debug/glass/fabric/netdevs").splitlines()]
        state = rows[0].index("state") - 4
        return len(rows) == 3 and all(row[state] == "up" for row in rows[1:])

    if not os.path.exists("/sys/class/net/cable0"):
        run("ip", "link", "add", "cable0", "mtu", "9000", "type", "veth", "peer", "name", "cable1", "mtu", "9000")
        for n, device in enumerate(devices):
            run("ip", "link", "set", f"cable{n}", "up")
            command(f"hca {device} ports=1")
            command(f"cable {device}:1 netdev=cable{n}")
        run("udevadm", "settle", f"--timeout={patience(60)}", limit=90)
        wait_for("cables up", 30, up)
    guid = "0x" + read(f"/sys/class/infiniband/{devices[0]}/ports/1/gids/0").replace(":", "")[16:]
    once_active(devices, ("-g", guid))
    return Pair("glass-cable", *devices)


def link_local_gid(device):
    """The index of the device's link-local RoCE v2 GID, or None."""
    port = f"/sys/class/infiniband/{device}/ports/1"
    for path in sorted(glob.glob(f"{port}/gids/*"), key=lambda path: int(os.path.basename(path)))[:16]:
        index = os.path.basename(path)
        if read(path).startswith("fe80:") and "v2" in read(f"{port}/gid_attrs/types/{index}"):
            return int(index)
    return None


def has_link_local_address(netdev, *options):
    """Has the network interface its IPv6 address? The default GID is there before it; until then no neighbour is resolved."""
    addresses = run("ip", *options, "-6", "-o", "address", "show", "dev", netdev, "scope", "link")
    return "fe80:" in addresses and "tentative" not in addresses


def glass_ether():
    """Glass with Ethernet ports, RoCEv2 as rxe: on the ends of a veth pair of MTU 9000. Each is in a network namespace of its own, as
    rxe has the UDP port of the first one; the programs are in the first one."""
    devices = ("glassr0", "glassr1")
    for n, device in enumerate(devices):
        if os.path.exists(f"/sys/class/infiniband/{device}"):
            continue
        if n == 0:
            for k in (0, 1):
                run("ip", "netns", "add", f"ether{k}")
            run("ip", "link", "add", "ether0", "mtu", "9000", "netns", "ether0", "type", "veth",
                "peer", "name", "ether1", "mtu", "9000", "netns", "ether1")
            for k in (0, 1):
                run("nsenter", f"--net=/run/netns/ether{k}", "sh", "-c", f"echo 0 >/proc/sys/net/ipv6/conf/ether{k}/accept_dad")
                run("ip", "-n", f"ether{k}", "link", "set", f"ether{k}", "up")
        run("nsenter", f"--net=/run/netns/ether{n}", "rdma", "link", "add", device, "type", "glass", "netdev", f"ether{n}")
    for k in (0, 1):
        wait_for(f"link-local address of ether{k}", 20, lambda k=k: has_link_local_address(f"ether{k}", "-n", f"ether{k}"))
    wait_for("GIDs of Ethernet ports", 20, lambda: None not in [link_local_gid(device) for device in devices])
    wait_for("Ethernet ports ACTIVE", 20,
             lambda: all("ACTIVE" in read(f"/sys/class/infiniband/{device}/ports/1/state") for device in devices))
    return Pair("glass-ether", *devices, tuple(link_local_gid(device) for device in devices))


def rxe():
    """rxe0 and rxe1 on the two ends of a veth pair; MTU 9000, which makes an IB MTU of 4096."""
    if not os.path.exists("/sys/class/net/veth0"):
        run("ip", "link", "add", "veth0", "type", "veth", "peer", "name", "veth1")
        run("modprobe", "rdma_rxe")
        for n in (0, 1):
            # Without it the link-local address would be tentative for a while.
            with open(f"/proc/sys/net/ipv6/conf/veth{n}/accept_dad", "w", encoding="ascii") as f:
                f.write("0")
            run("ip", "link", "set", f"veth{n}", "mtu", "9000", "up")
    for n in (0, 1):
        if not os.path.exists(f"/sys/class/infiniband/rxe{n}"):
            run("rdma", "link", "add", f"rxe{n}", "type", "rxe", "netdev", f"veth{n}")
    for n in (0, 1):
        wait_for(f"link-local address of veth{n}", 20, lambda n=n: has_link_local_address(f"veth{n}"))
    wait_for("rxe GIDs", 20, lambda: None not in (link_local_gid("rxe0"), link_local_gid("rxe1")))
    pair = Pair("rxe", "rxe0", "rxe1", (link_local_gid("rxe0"), link_local_gid("rxe1")))
    for device in pair.devices:
        mtu = re.search(r"active_mtu:\s*(\d+)", run("ibv_devinfo", "-d", device))
        if not mtu or mtu.group(1) != "4096":
            raise Failed(f"{device}: IB MTU {mtu and mtu.group(1)}, wanted 4096")
    return pair


# ---- one run

def listening(port):
    wanted = f":{port:04X} "
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in read(path).splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and (fields[1] + " ").endswith(wanted):
                return True
    return False


next_port = 20000


def stop(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def tail(text, lines=40):
    return "\n".join("    " + line for line in text.rstrip().splitlines()[-lines:])


def perftest(pair, argv, limit=RUN_LIMIT, environments=({}, {})):
    """perftest_once, again where only perftest's clock was at fault, as happens on a busy machine."""
    for _ in range(5):
        try:
            return perftest_once(pair, argv, limit, environments)
        except Uncalibrated as e:
            problem = e
    raise problem


def perftest_once(pair, argv, limit, environments):
    """Run a perftest program as server and client, each with variables added to its environment; what it measured, by the names of
    its columns. Raises Failed."""
    global next_port
    next_port += 1
    commands = [[*argv, *pair.options(end), "-p", str(next_port)] for end in (0, 1)]
    commands[1].append("localhost")
    outputs = [f"/tmp/bench-{end}.out" for end in ("server", "client")]
    processes = []
    end = time.monotonic() + patience(limit)

    def start(which):
        with open(outputs[which], "wb") as out:
            processes.append(subprocess.Popen(commands[which], stdin=subprocess.DEVNULL, stdout=out,
                                              stderr=subprocess.STDOUT, start_new_session=True,
                                              env={**os.environ, **environments[which]}))

    def text(which):
        try:
            with open(outputs[which], encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def explain(what):
        parts = [f"{pair.name}: {what}"]
        for which, role in enumerate(("server", "client")[:len(processes)]):
            parts.append(f"  {role}: {' '.join(commands[which])}\n{tail(text(which))}")
        return "\n".join(parts)

    try:
        start(0)
        while not listening(next_port):
            if processes[0].poll() is not None or time.monotonic() > end:
                raise Failed(explain("the server does not listen"))
            time.sleep(0.02)
        start(1)
        for which in (1, 0):
            try:
                status = processes[which].wait(max(1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise Failed(explain(f"not done after {limit} s")) from None
            if status:
                raise Failed(explain(f"the {('server', 'client')[which]} ended with status {status}"))
        result = parse(text(1))
        if not result:
            raise Failed(explain("no result in the client's output"))
        if uncalibrated(result):
            raise Uncalibrated(explain("perftest could not measure the frequency of its clock"))
        return result
    except OSError as e:
        raise Failed(f"{argv[0]}: {e.strerror}") from e
    finally:
        for process in processes:
            stop(process)


def uncalibrated(result):
    """perftest compares the cycle counter with the time of day first; when that fails it goes on with 0 MHz."""
    if any(math.isinf(value) or math.isnan(value) for value in result.values()):
        return True
    return result.get("average") == 0 and result.get("MsgRate") == 0


def parse(output):
    """{column: number} of the last line under perftest's header '#bytes #iterations ...'; None if there is none."""
    columns, result = None, None
    for line in output.splitlines():
        words = line.split()
        if "#bytes" in words:
            # 'BW peak[MiB/sec]' and '99% percentile[usec]' are two words and one column.
            columns = [word.split("[")[0].lstrip("#") for word in words if "[" in word or word.startswith("#")]
        elif columns and len(words) == len(columns):
            try:
                values = [float(word) for word in words]
            except ValueError:
                continue
            result = dict(zip(columns, values))
    return result


# ---- cases

SIZES = {"2": 2, "8": 8, "64": 64, "4K": 4096, "64K": 65536, "1M": 1 << 20}
# Requests a run; latencies are of round trips, hence fewer for the sizes that take long only.
ITERATIONS = {"2": 20000, "8": 20000, "64": 20000, "4K": 10000, "64K": 2000, "1M": 150}


class Case:
    """One line of the table, named like write_bw/64K, send_bw/64/q16, send_bw/64/ud, read_bw/64/hops3 (glass_tree()), read_bw/64/stacks
    (the caller has call stacks recorded), write_bw/64/cable (glass_cable()) or write_bw/64/ether (glass_ether())."""

    def __init__(self, name, more=()):
        """more: further options of perftest."""
        match = re.fullmatch(r"(send|write|read|atomic)_(bw|lat)/(\w+)(?:/q(\d+))?(/ud)?(?:/hops3)?(?:/stacks)?(?:/(cable|ether))?", name)
        if not match or match.group(3) not in SIZES or (match.group(1) == "atomic") != (match.group(3) == "8") or \
                (match.group(5) and match.group(1) != "send"):
            raise Failed(f"no such case: {name} (write_bw/64, send_lat/2, read_bw/64K, write_bw/64/q16, atomic_bw/8, send_bw/64/ud)")
        self.name = name
        self.more = list(more)
        self.op, self.kind, self.label = match.group(1, 2, 3)
        self.size, self.qps = SIZES[self.label], int(match.group(4) or 1)
        self.datagram = bool(match.group(5))
        self.wire = match.group(6)
        self.tool = f"ib_{self.op}_{self.kind}"
        self.iterations = ITERATIONS[self.label]
        if self.qps > 1:
            # perftest counts per QP; below its queue depth of 128 it would shorten the queue, too. More in all than with one QP:
            # an emulated guest translates code when it first runs, which would be a good part of so short a run.
            self.iterations = max(4 * self.iterations // self.qps, 640)
        if self.label == "1M":
            self.iterations = ITERATIONS["1M"]

    def argv(self, iterations):
        argv = [self.tool, "-F", "-n", str(iterations), *self.more]
        if self.op != "atomic":
            argv += ["-s", str(self.size)]
        if self.datagram:
            argv += ["-c", "UD"]
        if self.qps > 1:
            argv += ["-q", str(self.qps)]
            if self.op == "send":
                # All QPs share one CQ; with 64 the default of 512 receives each is more than rxe's CQs hold.
                argv += ["-r", "256"]
        return argv

    def measure(self, pair, iterations, environments=({}, {})):
        """(messages a second or microseconds, seconds that the requests took)"""
        result = perftest(pair, self.argv(iterations), environments=environments)
        try:
            if self.kind == "lat":
                # Half a round trip for send and write, a whole one for read and atomic.
                return result["t_typical"], result["t_avg"] / 1e6 * iterations * (2 if self.op in ("send", "write") else 1)
            # Each is printed with few decimals: the bandwidth says more of large messages, the rate of small ones.
            rate = result["average"] * (1 << 20) / self.size if self.size >= 4096 else result["MsgRate"] * 1e6
            return rate, iterations * self.qps / rate
        except (KeyError, ZeroDivisionError):
            raise Failed(f"{pair.name}: {' '.join(self.argv(iterations))}: no use in {result}") from None


def all_cases():
    for op in ("send", "write", "read"):
        for size in ("2", "64", "4K", "64K", "1M"):
            yield Case(f"{op}_bw/{size}")
    yield Case("atomic_bw/8")
    for op in ("send", "write"):
        for qps in (16, 64):
            yield Case(f"{op}_bw/64/q{qps}")
    for op in ("send", "write", "read"):
        for size in ("2", "64", "4K"):
            yield Case(f"{op}_lat/{size}")
    yield Case("atomic_lat/8")
    for wire in ("cable", "ether"):
        for op in ("send", "write", "read"):
            for size in ("64", "64K"):
                yield Case(f"{op}_bw/{size}/{wire}")
        for op in ("send", "write"):
            yield Case(f"{op}_lat/2/{wire}")


def quick_cases():
    for op in ("send", "write", "read"):
        for size in ("64", "64K"):
            yield Case(f"{op}_bw/{size}")
    for op in ("send", "write"):
        yield Case(f"{op}_lat/2")
