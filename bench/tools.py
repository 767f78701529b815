# SPDX-License-Identifier: GPL-2.0-only
"""What looking costs: ibtop beside rdma, over many queue pairs of one program, in CPU seconds of the looker."""
import fcntl
import os
import pty
import resource
import select
import statistics
import struct
import subprocess
import termios
import time

from perftest import Failed, wait_for

QPS = 10000
REFRESHES = 5
RUNS = 5
SCROLL_KEYS = 100
SCREEN = (50, 200)


def cpu(*argv):
    """CPU seconds that a command takes, in the kernel and out of it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          timeout=300, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise Failed(f"{' '.join(argv)}: status {done.returncode}\n{done.stderr.rstrip()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ibtop(n, *options):
    return cpu("ibtop", "-b", "-d", "0", "-n", str(n), "-v", "qp", *options)


def said(fd, seconds):
    """What the program at that terminal writes next; nothing for so long is a failure."""
    if not select.select([fd], [], [], seconds)[0]:
        raise Failed(f"ibtop's screen: nothing within {seconds} s")
    try:
        return os.read(fd, 65536)
    except OSError as error:
        raise Failed("ibtop's screen: ibtop ended") from error


def on_cpu(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0]) / 1e9


def scroll():
    """CPU seconds for SCROLL_KEYS keys on the screen, each drawn before the next comes; nothing is read meanwhile."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(TERM="xterm-256color", XDG_CONFIG_HOME="/nonexistent")
        os.execvp("ibtop", ["ibtop", "-v", "qp", "-d", "600"])
    try:
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *SCREEN, 0, 0))
        seen = b""
        while b"Help" not in seen or b"0x" not in seen:
            seen += said(fd, 60)
        # the window has its size when a key is answered with a whole screen; what comes before is not counted
        for key in (b"\x1b[6~", b"\x1b[6~"):
            os.write(fd, key)
            said(fd, 60)
        before = on_cpu(pid)
        for i in range(SCROLL_KEYS):
            os.write(fd, b"\x1bOB" if i % 2 else b"\x1b[6~")
            said(fd, 10)
        used = on_cpu(pid) - before
        os.write(fd, b"q")
        end = time.monotonic() + 30
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                raise Failed("ibtop does not end")
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    os.read(fd, 65536)
                except OSError:
                    pass
        pid = 0
        return used
    finally:
        os.close(fd)
        if pid:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


LOOKS = (
    ("rdma", "rdma -j resource show qp", lambda: cpu("rdma", "-j", "resource", "show", "qp")),
    # the loop of a screen: one row is asked for, all are read and computed
    ("refresh", "ibtop: a refresh, as on the screen",
     lambda: (ibtop(1 + REFRESHES, "-f", "qpn==0x11") - ibtop(1, "-f", "qpn==0x11")) / REFRESHES),
    ("same", "ibtop -b -n 1 --json -c dev,qpn,qptype,state,pid,comm,dest_qpn",
     lambda: ibtop(1, "--json", "-c", "dev,qpn,qptype,state,pid,comm,dest_qpn")),
    ("all", "ibtop -b -n 1 --json (every column)", lambda: ibtop(1, "--json")),
    ("scroll", f"ibtop: {SCROLL_KEYS} keys that scroll the screen", scroll),
    ("sorted", "ibtop -b -n 1 -s wait (text, sorted)", lambda: ibtop(1, "-s", "wait")),
)


def measure():
    """[{name, label, median, min, max}], in CPU seconds."""
    with subprocess.Popen(["many_qps", "-n", str(QPS), "--wait"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as program:
        try:
            os.set_blocking(program.stdout.fileno(), False)
            said = bytearray()

            def ready():
                said.extend(program.stdout.read() or b"")
                if program.poll() is not None:
                    raise Failed(f"many_qps: {said.decode(errors='replace')}")
                return b"ready" in said

            wait_for(f"{QPS} queue pairs", 120, ready)
            values = {name: [] for name, _, _ in LOOKS}
            for _ in range(RUNS):
                for name, _, look in LOOKS:
                    values[name].append(look())
        finally:
            program.terminate()
    return [{"name": name, "label": label, "median": statistics.median(values[name]), "min": min(values[name]),
             "max": max(values[name])} for name, label, _ in LOOKS]


def print_rows(rows):
    print(f"\nLooking at {QPS} queue pairs, CPU seconds (less is better), median and range of {RUNS}")
    for row in rows:
        print(f"  {row['label']:<64}{row['median']:>7.2f} {row['min']:.2f}-{row['max']:.2f}")
