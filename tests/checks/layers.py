# SPDX-License-Identifier: GPL-2.0-only
"""The table tests/tables/layers.tsv, for the checks that keep it: include-rules and calls."""
import os

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
TABLE = os.path.join(ROOT, "tests", "tables", "layers.tsv")
KINDS = ("pure", "kernel", "headers")
CIRCLE = 3                                  # files of a folder that may call each other in a circle


class Layer:
    """A row. level: its place in the table, counted from below. may: the folders that it may use besides itself and uapi/.
    up: those of them that lie above it."""

    def __init__(self, name, kind, level, may, up, circle, what):
        self.name, self.kind, self.level, self.may, self.up, self.circle, self.what = name, kind, level, may, up, circle, what

    def __str__(self):
        return shown(self.name)


def shown(name):
    """How messages call a layer: a folder, or a file directly in driver/."""
    return name if name.endswith(".c") else name + "/"


def rows(text):
    """The rows of a table as (number of the line, {column: value}); "-" is an empty value."""
    head, found = None, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        values = line.split("\t")
        if head is None:
            head = values
        else:
            found.append((number, {k: "" if v == "-" else v for k, v in zip(head, values)}))
    return found


def parse(text):
    """The layers by name, bottom up, and what is wrong with the table, as printable lines."""
    layers, bad = {}, []
    for number, row in rows(text):
        name = row["folder"]

        def wrong(what, number=number):
            bad.append(f"tests/tables/layers.tsv:{number}: {what}")

        def names(column, row=row):
            return [n for n in row.get(column, "").split(",") if n]

        below = list(layers)
        may = below if names("may") == ["all"] else names("may")
        for other in may:
            if other not in below:
                wrong(f"{shown(name)} may use {shown(other)}, which is not in an earlier row, so not below: "
                      "what a layer asks of one above it declares in its own env.h")
        if row["kind"] not in KINDS:
            wrong(f"{shown(name)} is of the kind {row['kind']!r}: write one of {', '.join(KINDS)}")
        if name in layers:
            wrong(f"{shown(name)} has two rows: delete one")
        circle = row.get("circle", "")
        layers[name] = Layer(name, row["kind"], len(layers), set(may), set(names("up")), int(circle) if circle else CIRCLE,
                             row["what"])
    for layer in layers.values():
        for other in layer.up:
            if other not in layers or layers[other].level <= layer.level:
                bad.append(f"tests/tables/layers.tsv: {layer}: up: {shown(other)} is not in a later row: move it to the column may")
        layer.may |= layer.up
    return layers, bad


def read():
    with open(TABLE, encoding="utf-8") as f:
        return parse(f.read())
