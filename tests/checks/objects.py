# SPDX-License-Identifier: GPL-2.0-only
"""What the object files of driver/ say of each other, for the checks calls and lives. x86-64."""
import bisect
import os
import re
import subprocess

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

# An address in these sections is the kernel's bookkeeping of code, or the debugger's: nobody calls by it. Nor is a jump of
# a static call one (.static_call.text), which stands for a call.
BOOKKEEPING = re.compile(r"debug|orc|jump_table|altinstr|retpoline|bug_table|return_sites|ibt|mcount|call_sites|patchable|"
                         r"smp_locks|ksymtab|eh_frame|parainstr|discard|static_call|ex_table|tracepoints_ptrs|\.note|modinfo")
SHN_UNDEF = "SHN_UNDEF"
SHF_EXECINSTR = 4
# Relocations that count from the end of the four bytes that hold them. The second one is a call's or a jump's.
PC32, PLT32 = 2, 4


def plain(name):
    """A function's name in the source: the compiler splits functions (f.cold, f.part.0) and adapts copies (f.constprop.0)."""
    return name.split(".")[0]


def is_jump(before):
    """Are these two bytes, or one, the opcode of a call or a jump? No instruction that takes an address relative to itself has them
    before that address."""
    return before[-1] in (0xe8, 0xe9) or (before[-1] & 0xf0 == 0x80 and before[-2:-1] == b"\x0f")


class Use:
    """An object uses a symbol. kind: call, address (of a function), data (a variable), other (of a function, in what the kernel
    knows of code) or kernel (not of driver/). where: the function or variable in which it does, in_data: it is a variable.
    local: the symbol is the object's own."""

    def __init__(self, symbol, kind, where, in_data, local):
        self.symbol, self.kind, self.where, self.in_data, self.local = symbol, kind, where, in_data, local


class Places:
    """The functions or the variables of a section by address."""

    def __init__(self):
        self.starts, self.symbols = [], []

    def add(self, symbols):
        # of two names of one function (module_init()), the one in the source is the static one
        self.symbols = sorted(symbols, key=lambda s: (s["st_value"], s["st_info"]["bind"] == "STB_LOCAL"))
        self.starts = [s["st_value"] for s in self.symbols]

    def around(self, at):
        i = bisect.bisect_right(self.starts, at) - 1
        if i >= 0 and at < self.starts[i] + max(self.symbols[i]["st_size"], 1):
            return self.symbols[i].name
        return None

    def begins(self, at):
        i = bisect.bisect_right(self.starts, at) - 1
        return self.symbols[i].name if i >= 0 and self.starts[i] == at else None


class Object:
    """name: as in driver/, without .o. defines: {global symbol: it is a function}. uses: [Use]"""

    def __init__(self, name, path):
        self.name, self.path, self.defines, self.uses = name, path, {}, []
        self.source = name + ".c"
        with open(path, "rb") as f:
            elf = ELFFile(f)
            if elf["e_machine"] != "EM_X86_64":
                raise ValueError(f"{path}: {elf['e_machine']}: this check reads x86-64 only")
            self.read(elf)

    @property
    def layer(self):
        return self.name.split("/")[0] if "/" in self.name else self.source

    def read(self, elf):
        symbols = list(elf.get_section_by_name(".symtab").iter_symbols())
        places = {}
        for kind in ("STT_FUNC", "STT_OBJECT"):
            by_section = {}
            for s in symbols:
                # the padding in front of a function has a symbol of its own
                if s["st_info"]["type"] == kind and s["st_shndx"] != SHN_UNDEF and not s.name.startswith("__pfx_"):
                    by_section.setdefault(s["st_shndx"], []).append(s)
                    if s["st_info"]["bind"] != "STB_LOCAL":
                        self.defines[s.name] = kind == "STT_FUNC"
            for index, inside in by_section.items():
                places[index, kind] = Places()
                places[index, kind].add(inside)
        # symbols without a type, which assembler defines
        for s in symbols:
            if s["st_info"]["bind"] != "STB_LOCAL" and s["st_shndx"] != SHN_UNDEF:
                self.defines.setdefault(s.name, s["st_info"]["type"] == "STT_FUNC")

        for section in elf.iter_sections():
            if not isinstance(section, RelocationSection):
                continue
            target = elf.get_section(section["sh_info"])
            if "debug" in target.name:
                continue
            code = bool(target["sh_flags"] & SHF_EXECINSTR)
            image = target.data() if code else None
            kept = not BOOKKEEPING.search(target.name)
            none = Places()
            functions = places.get((section["sh_info"], "STT_FUNC"), none)
            variables = places.get((section["sh_info"], "STT_OBJECT"), none)
            for r in section.iter_relocations():
                at, kind = r["r_offset"], r["r_info_type"]
                symbol = symbols[r["r_info_sym"]]
                jump = code and (kind == PLT32 or kind == PC32 and is_jump(image[max(at - 2, 0):at]))
                where = plain(functions.around(at) or "?") if code else variables.around(at)
                if symbol["st_info"]["bind"] != "STB_LOCAL":
                    how = "call" if jump else "address" if kept else "other"
                    self.uses.append(Use(symbol.name, how, where, not code, symbol["st_shndx"] != SHN_UNDEF))
                elif kept and not jump and isinstance(symbol["st_shndx"], int):
                    # a function of this object, if one begins there
                    to = symbol["st_value"] + r["r_addend"] + (4 if kind in (PC32, PLT32) else 0)
                    name = places.get((symbol["st_shndx"], "STT_FUNC"), none).begins(to)
                    if name and not name.endswith(".cold"):
                        self.uses.append(Use(plain(name), "address", where, not code, True))


class Tree:
    """The objects of all .c files below a directory. missing: sources without one. owner: {global symbol: its object}"""

    def __init__(self, driver, built):
        self.driver, self.objects, self.missing, self.owner = driver, {}, [], {}
        for name in sources(driver, ".c"):
            path = os.path.join(built, name[:-2] + ".o")
            if os.path.exists(path):
                self.objects[name[:-2]] = Object(name[:-2], path)
            else:
                self.missing.append(name)
        for o in self.objects.values():
            for symbol in o.defines:
                self.owner[symbol] = o
        for o in self.objects.values():
            for use in o.uses:
                owner = o if use.local else self.owner.get(use.symbol)
                if not owner:
                    use.kind = "kernel"
                elif not owner.defines.get(use.symbol, True):
                    use.kind = "data"


def sources(driver, *ends):
    """The files of driver/ that end so, from driver/ down."""
    found = []
    for folder, _, files in os.walk(driver):
        found += [os.path.relpath(os.path.join(folder, f), driver) for f in files if f.endswith(ends)]
    # a probe of the kernel is compiled, and not kept
    return sorted(f for f in found if not f.endswith(".mod.c") and not f.startswith("compat/probes/"))


def outdated(driver, built):
    """A line about the sources of which the copy that was compiled (vm/tree.mk) differs or is missing, if there are any."""
    def text(path):
        try:
            with open(path, "rb") as f:
                return f.read()
        except OSError:
            return None

    found = [name for name in sources(driver, ".c", ".h") if text(os.path.join(driver, name)) != text(os.path.join(built, name))]
    if not found:
        return []
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return [f"driver/{found[0]}{more}: not what was compiled: run vm/vm make module"]


DIE = re.compile(r"^ *<[0-9a-f]+><([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)\n((?:    .*\n)*)", re.M)


class Types:
    """The types of an object's variables, from its DWARF."""

    def __init__(self, path):
        self.text = subprocess.run(["readelf", "-W", "--debug-dump=info", path], check=True, capture_output=True, text=True,
                                   errors="replace").stdout

    def die(self, at):
        """tag and attributes of the entry that begins before this place of the text"""
        start = self.text.rfind("\n <", 0, at) + 1
        m = DIE.match(self.text, start)
        return (m.group(2), m.group(3)) if m else (None, "")

    def struct(self, variable):
        """The struct that a variable is, or an array of: its tag, "" when it has none, None when it is no struct."""
        for m in re.finditer(r"DW_AT_name +: (?:\(.*?\): )?" + re.escape(variable.split(".")[0]) + r"\s*\n", self.text):
            tag, attributes = self.die(m.start())
            if tag != "variable":
                continue
            while tag in ("variable", "const_type", "volatile_type", "array_type", "typedef"):
                ref = re.search(r"DW_AT_type +: (?:\(\w+\) )?<0x([0-9a-f]+)>", attributes)
                found = re.search(r"\n *<[0-9a-f]+><" + ref.group(1) + r">:", self.text) if ref else None
                if not found:
                    return None
                tag, attributes = self.die(found.end())
            if tag not in ("structure_type", "union_type"):
                return None
            name = re.search(r"DW_AT_name +: (?:\(.*?\): )?(\w+)\s*\n", attributes)
            return name.group(1) if name else ""
        return None


class Code:
    """Which function of an object calls which, also without a relocation, and in line. A function is (file, name); files are
    named by `name_of`, from the path that the debugger has. functions: those that the object has. calls: {(caller, callee)};
    a callee in another object is (None, name). handed: functions whose address is handed over without a relocation."""

    def __init__(self, path, name_of):
        self.path, self.name_of, self.functions, self.calls = path, name_of, set(), set()
        instructions, jumps, starts, addresses = self.disassemble()
        chains = {}
        for section, inside in instructions.items():
            chains.update(self.in_line(section, inside))
        self.handed = {chains[at][-1] for at in addresses & starts if chains.get(at)}
        for chain in chains.values():
            self.functions.update(chain)
            self.calls.update(zip(chain[1:], chain))
        for at, section, to in jumps:
            if not chains.get(at):
                continue
            if section is None:
                self.calls.add((chains[at][0], (None, to)))
            elif (section, to) in starts and chains.get((section, to)):
                self.calls.add((chains[at][0], chains[section, to][-1]))

    def disassemble(self):
        """{section: [address]} of all instructions; [((section, address) of a jump, section, address), or (..., None, symbol)];
        {(section, address)} where functions begin, and {(section, address)} that is taken"""
        text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", self.path], check=True, capture_output=True, text=True).stdout
        instructions, jumps, starts, addresses, section, jump = {}, [], set(), set(), None, None
        for line in text.splitlines():
            if m := re.match(r" *([0-9a-f]+):\t(\S+)(?: +([0-9a-f]+) <)?", line):
                at = int(m.group(1), 16)
                instructions[section].append(at)
                jump = None
                if m.group(3) and (m.group(2).startswith("j") or m.group(2).startswith("call")):
                    jump = len(jumps)
                    jumps.append(((section, at), section, int(m.group(3), 16)))
                elif m := re.match(r".*\tlea .*\(%rip\).*# ([0-9a-f]+) <", line):
                    addresses.add((section, int(m.group(1), 16)))
            elif m := re.match(r"\t\t\t[0-9a-f]+: R_X86_64_(\w+)\t(\S+?)([+-]0x[0-9a-f]+)?$", line):
                if jump is None or m.group(1) not in ("PC32", "PLT32"):
                    continue
                symbol, addend = m.group(2), int(m.group(3) or "0", 16)
                to = (symbol, addend + 4) if symbol.startswith(".") else (None, symbol)
                jumps[jump] = (jumps[jump][0],) + to
            elif m := re.match(r"([0-9a-f]+) <(.*)>:$", line):
                if not m.group(2).endswith(".cold"):
                    starts.add((section, int(m.group(1), 16)))
            elif m := re.match(r"Disassembly of section (.*):$", line):
                section = m.group(1)
                instructions[section] = []
        return instructions, jumps, starts, addresses

    def in_line(self, section, addresses):
        """{(section, address): [function]}: the one that the instruction is of, and those into which it is in line, innermost
        first"""
        text = subprocess.run(["addr2line", "-aif", "-j", section, "-e", self.path], check=True, capture_output=True, text=True,
                              input="".join(f"{a:#x}\n" for a in addresses)).stdout
        found, chain, name = {}, None, None
        for line in text.splitlines():
            if re.match(r"0x[0-9a-f]{8,}$", line):
                chain = found.setdefault((section, int(line, 16)), [])
                name = None
            elif name is None:
                name = line
            else:
                file = line.rsplit(":", 1)[0]
                if name != "??" and file != "??":
                    chain.append((self.name_of(file), plain(name)))
                name = None
        return found
