# SPDX-License-Identifier: GPL-2.0-only
"""What looking costs: ibtop beside rdma, over many queue pairs of one program, in CPU seconds of the looker."""
import os
import resource
import statistics
import subprocess

from perftest import Failed, wait_for

QPS = 10000
REFRESHES = 5
RUNS = 5


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


LOOKS = (
    ("rdma", "rdma -j resource show qp", lambda: cpu("rdma", "-j", "resource", "show", "qp")),
    # the loop of a screen: one row is asked for, all are read and computed
    ("refresh", "ibtop: a refresh, as on the screen",
     lambda: (ibtop(1 + REFRESHES, "-f", "qpn==0x11") - ibtop(1, "-f", "qpn==0x11")) / REFRESHES),
    ("same", "ibtop -b -n 1 --json -c dev,qpn,qptype,state,pid,comm,dest_qpn",
     lambda: ibtop(1, "--json", "-c", "dev,qpn,qptype,state,pid,comm,dest_qpn")),
    ("all", "ibtop -b -n 1 --json (every column)", lambda: ibtop(1, "--json")),
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
