# SPDX-License-Identifier: GPL-2.0-only
"""Reading what the counter of instructions writes (vm/vm run --icount --counts), and whose the addresses are."""
import bisect
import glob
import os
import subprocess

from perftest import Failed

MARKS = "/usr/local/lib/glass/bench_marks.so"
PAGES = "/tmp/bench-pages"
PAGE = 4096
# The number of polls in the second count (EMPTY_POLLS of marks.c).
EMPTY_POLLS = 1000
# Polling is the provider's, too: its instructions in polls that find nothing.
PARTS = ("module", "provider", "polling", "kernel", "program")
# At most this share of the instructions may be at addresses for which the counter had no slot left.
MOST_LOST = 0.0001


def require():
    if not os.environ.get("GLASS_COUNTS"):
        raise Failed("nobody counts instructions by address here; run it by: make bench-instructions, or vm/vm run --icount --counts")


def files(prefix):
    return glob.glob(prefix + ".*")


def forget():
    """Removes what an earlier measurement left."""
    for path in files(os.environ["GLASS_COUNTS"]) + files(PAGES):
        os.unlink(path)


def environments():
    """What the server and the client of perftest need in their environment, so that the client's messages are counted."""
    both = {"LD_PRELOAD": MARKS, "GLASS_PAGES": PAGES}
    return both, {**both, "GLASS_MARKS": "1"}


def read_count(path):
    """({address: instructions} of the kernel, the same of programs, total, address of the mark)"""
    kernel, user, total, mark = {}, {}, None, None
    with open(path, encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[0] == "total":
                total = int(words[1])
            elif words[0] == "mark":
                mark = int(words[1], 16)
            else:
                (kernel if words[0] == "kernel" else user)[int(words[1], 16)] = int(words[2])
    if not total or total != sum(kernel.values()) + sum(user.values()):
        raise Failed(f"{path}: not complete")
    if user.get(0, 0) > MOST_LOST * total:
        raise Failed(f"{user[0]} of {total} instructions have no address: more code ran than vm/plugin/counts.c has slots for")
    return kernel, user, total, mark


class Counts:
    """What was counted since forget(): total, kernel and user ({address: instructions}; those of user are physical), polls (how many
    found nothing) and poll_user (the instructions of EMPTY_POLLS such)."""

    def __init__(self):
        found = sorted(files(os.environ["GLASS_COUNTS"]), key=lambda path: int(path.rsplit(".", 1)[1]))
        if len(found) != 2:
            raise Failed(f"{len(found)} counts of instructions where two were expected: {' '.join(found)}")
        self.pages, physical, self.polls = pages()
        self.kernel, user, self.total, mark = read_count(found[0])
        self.user = {address - mark + physical: count for address, count in user.items()}
        self.poll_user = {address - mark + physical: count for address, count in read_count(found[1])[1].items()}

    def place(self, address):
        """(path, offset) of code of a program; other programs than the measured ones are not known."""
        path, offset = self.pages.get(address // PAGE, ("(other programs)", 0))
        return path, offset + address % PAGE

    def library(self, address):
        return os.path.basename(self.place(address)[0])


def pages():
    """{page frame: (file, offset)} of the programs' code, the physical address of the end mark, and the number of polls that found
    nothing: as the programs wrote them."""
    names, found, mark, polls = [name for name in files(PAGES) if not name.endswith(".polls")], {}, None, 0
    if len(names) != 2:
        raise Failed(f"{len(names)} lists of pages where server's and client's were expected")
    for name in names:
        with open(name, encoding="utf-8") as f:
            for line in f:
                words = line.split()
                if words[0] == "mark":
                    mark = int(words[1], 16)
                elif words[0] == "polls":
                    polls += int(words[1])
                else:
                    found[int(words[0], 16)] = (words[1], int(words[2], 16))
    if not mark:
        raise Failed("the programs were not told their page frames (root is)")
    return found, mark, polls


class Symbols:
    """The kernel's and its modules' symbols."""

    def __init__(self, every=False):
        """Those of modules; every: the kernel's own, too, which takes seconds to read."""
        with open("/proc/sys/kernel/kptr_restrict", "w", encoding="ascii") as f:
            f.write("0")
        pattern = r"^[0-9a-f]* [tTwW] " + ("" if every else r".*\[")
        text = subprocess.run(["grep", pattern, "/proc/kallsyms"], stdout=subprocess.PIPE, check=True, text=True).stdout
        table = []
        for line in text.splitlines():
            words = line.split()
            if not words[2].startswith("__pfx_"):
                table.append((int(words[0], 16), words[2], words[3].strip("[]") if len(words) == 4 else "kernel"))
        table.sort()
        self.addresses = [row[0] for row in table]
        self.rows = table

    def find(self, address):
        """(symbol, module) to which the address belongs."""
        n = bisect.bisect_right(self.addresses, address) - 1
        return self.rows[n][1:] if n >= 0 else ("?", "kernel")


class Owners:
    """Whose code it is."""

    def __init__(self, symbols, module, provider):
        """module: its name; provider: how its library's name begins."""
        self.symbols, self.module, self.provider = symbols, module, provider

    def parts(self, counts):
        """{part: instructions}; what counting itself takes in the programs is in none."""
        sums = dict.fromkeys((*PARTS, "marks"), 0)
        for address, count in counts.kernel.items():
            sums["module" if self.symbols.find(address)[1] == self.module else "kernel"] += count
        for address, count in counts.user.items():
            name = counts.library(address)
            sums["provider" if name.startswith(self.provider) else "marks" if name == os.path.basename(MARKS) else "program"] += count
        one_poll = sum(count for address, count in counts.poll_user.items()
                       if counts.library(address).startswith(self.provider)) / EMPTY_POLLS
        sums["polling"] = counts.polls * one_poll
        sums["provider"] -= sums["polling"]
        return sums

    def hottest(self, counts):
        """[(instructions, file or module, symbol or offset in the file)], most first"""
        sums = {}
        for address, count in counts.kernel.items():
            symbol, module = self.symbols.find(address)
            sums[module, symbol] = sums.get((module, symbol), 0) + count
        for address, count in counts.user.items():
            path, offset = counts.place(address)
            place = (os.path.basename(path), f"{offset:#x}")
            sums[place] = sums.get(place, 0) + count
        return sorted(((count, *place) for place, count in sums.items()), reverse=True)
