# SPDX-License-Identifier: Apache-2.0
"""Reads lifetrace_kinds.h: its kinds and its vocabularies."""

import re
from dataclasses import dataclass


@dataclass
class Field:
    name: str
    type: str
    may_be_missing: bool
    doc: str


@dataclass
class Kind:
    constant: str  # PROCESS_START
    number: int
    dotted: str
    ending: str | None  # the dotted name of the kind that ends it
    family: str
    doc: str
    identity: Field | None
    fields: list[Field]


@dataclass
class Case:
    constant: str
    number: int
    doc: list[str]


@dataclass
class Vocabulary:
    doc: list[str]
    cases: list[Case]


KIND = re.compile(r"(\S+)(?: \.\. (\S+))? \((\w+)\): (.*)")
FIELD = re.compile(r"  (identity )?(\w+)(\??): (\w+) - (.*)")


def camel(constant: str) -> str:
    first, *rest = constant.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def blocks(text: str) -> dict[str, tuple[list[str], list[Case]]]:
    """Each enum by its name: the comment above it, and its cases with the comments above them."""
    found = {}
    for above, name, body in re.findall(r"((?://[^\n]*\n)*)enum (\w+) \{\n(.*?)\n\};", text, re.S):
        cases, comment = [], []
        for line in body.split("\n"):
            if case := re.fullmatch(r"  LT_[A-Z]+?_(\w+) = (\d+),", line):
                cases.append(Case(case[1], int(case[2]), comment))
                comment = []
            else:
                comment.append(line.removeprefix("  //").removeprefix(" "))
        doc = [line.removeprefix("//").removeprefix(" ") for line in above.splitlines()]
        found[name] = (doc, cases)
    return found


def kind(case: Case) -> Kind:
    head = KIND.fullmatch(case.doc[0])
    assert head, f"LT_KIND_{case.constant}: no `name (family): what it says` before it"
    made = Kind(case.constant, case.number, head[1], head[2], head[3], head[4], None, [])
    for line in case.doc[1:]:
        field = FIELD.fullmatch(line)
        assert field, f"LT_KIND_{case.constant}: cannot read `{line}`"
        new = Field(field[2], field[4], field[3] == "?", field[5])
        if field[1]:
            made.identity = new
        else:
            made.fields.append(new)
    missing = [field.may_be_missing for field in made.fields]
    assert len(missing) <= 4 and missing == sorted(missing), f"LT_KIND_{case.constant}: arguments"
    return made


def read(path: str) -> tuple[list[Kind], dict[str, Vocabulary]]:
    with open(path, encoding="utf-8") as file:
        found = blocks(file.read())
    kinds = [kind(case) for case in found.pop("lt_kind")[1]]
    return kinds, {name: Vocabulary(doc, cases) for name, (doc, cases) in found.items()}
