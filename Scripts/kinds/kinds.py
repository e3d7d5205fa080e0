# SPDX-License-Identifier: Apache-2.0
"""Writes what lifetrace_kinds.h declares where else it is needed; with --check only compares."""

import sys

import payloads
from header import Field, Kind, Vocabulary, camel, read

HEADER = "Sources/CLifetrace/include/lifetrace_kinds.h"
FORMAT = "Sources/TraceFile/FORMAT.md"
TOP = "// SPDX-License-Identifier: Apache-2.0\n// Written by Scripts/kinds.sh.\n"

# Of each vocabulary: its name in the trace and, where apps use it, in the SDK; what else it is.
NAMES = {
    "lt_family": ("EventFamily", None, ""),
    "lt_app_state": ("AppState", "AppState", ""),
    "lt_work_kind": ("WorkKind", "WorkKind", ""),
    "lt_level": ("DurabilityLevel", "Level", ", BitwiseCopyable"),
    "lt_log_level": ("LogLevel", "LogLevel", ""),
    "lt_resource_class": ("ResourceClass", "ResourceClass", ""),
    "lt_role": ("ProcessRole", "Role", ""),
    "lt_budget_clock": ("BudgetClock", "Clock", ""),
    "lt_type": ("FieldType", None, ""),
}
FROZEN = {"AppState"}
# The SDK names no process that does not link it.
NOT_IN_SDK = {"BYSTANDER"}
# What is written as another type: its payload alone knows more.
SCHEMA_TYPES = {"uint": "int", "family": "int", "clock": "int"}


def comment(indent: str, lines: list[str]) -> list[str]:
    return [f"{indent}/// {line}".rstrip() for line in lines]


def enum(indent: str, name: str, vocabulary: Vocabulary, sdk: bool, more: str) -> list[str]:
    lines = comment(indent, vocabulary.doc)
    if name in FROZEN and not sdk:
        lines.append(f"{indent}@frozen")
    lines.append(f"{indent}public enum {name}: UInt8, CaseIterable, Sendable{more} {{")
    for case in vocabulary.cases:
        if sdk and case.constant in NOT_IN_SDK:
            continue
        word = camel(case.constant)
        lines += comment(indent + "  ", case.doc)
        lines.append(f"{indent}  case {'`extension`' if word == 'extension' else word} = {case.number}")
    return lines + [f"{indent}}}"]


def vocabulary(all: dict[str, Vocabulary]) -> str:
    parts = [enum("", NAMES[name][0], all[name], False, NAMES[name][2]) for name in NAMES]
    return TOP + "".join("\n" + "\n".join(part) + "\n" for part in parts)


def sdk_vocabulary(all: dict[str, Vocabulary]) -> str:
    names = [name for name in NAMES if NAMES[name][1]]
    parts = [enum("  ", NAMES[name][1], all[name], True, "") for name in names]
    return TOP + "\nextension Lifetrace {\n" + "\n\n".join("\n".join(p) for p in parts) + "\n}\n"


def event_kinds(kinds: list[Kind]) -> str:
    lines = ["extension EventKind {"]
    for before, kind in zip([None, *kinds], kinds):
        if before and before.family != kind.family:
            lines.append("")
        lines.append(f"  /// {kind.doc}")
        name = camel(kind.constant)
        lines.append(f"  @inlinable public static var {name}: EventKind {{ EventKind({kind.number}) }}")
    return TOP + "\n" + "\n".join(lines) + "\n}\n"


def sdk_kinds(kinds: list[Kind]) -> str:
    lines = ["extension Lifetrace.Kind {"]
    for kind in kinds:
        lines.append(f"  /// `{kind.dotted}`.")
        name = camel(kind.constant)
        lines.append(f"  @inlinable public static var {name}: Self {{ Self({kind.number}) }}")
    return TOP + "\n" + "\n".join(lines) + "\n}\n"


def field(field: Field) -> str:
    return f'Field("{field.name}", .{SCHEMA_TYPES.get(field.type, field.type)})'


def schema(kinds: list[Kind]) -> str:
    by_dotted = {kind.dotted: kind for kind in kinds}
    lines = ["extension KindInfo {", "  /// Every kind of this version, by number."]
    lines += ["  public static let all: [KindInfo] = ["]
    for kind in kinds:
        parts = [f".{camel(kind.constant)}", f'"{kind.dotted}"', f".{kind.family}"]
        if kind.identity or kind.fields or kind.ending:
            parts.append(field(kind.identity) if kind.identity else "nil")
        if kind.fields or kind.ending:
            parts.append(f"[{', '.join(map(field, kind.fields))}]")
        if kind.ending:
            parts.append(f"endedBy: .{camel(by_dotted[kind.ending].constant)}")
        made = payloads.call("    ", ".init", parts, ",")
        for line in made:
            if len(line) <= 100:
                lines.append(line)
                continue
            halves = line.strip().removeprefix("[").removesuffix("]").split("), ")
            lines.append("      [")
            first = "        "
            for number, half in enumerate(halves):
                text = half + ("), " if number < len(halves) - 1 else ",")
                if len((first + text).rstrip()) > 100:
                    lines.append(first.rstrip())
                    first = "        "
                first += text
            lines += [first.rstrip(), "      ]"]
    return TOP + "\n" + "\n".join(lines) + "\n  ]\n}\n"


def families(kinds: list[Kind]) -> str:
    lines = [f"[LT_KIND_{k.constant}] = LT_FAMILY_{k.family.upper()} + 1," for k in kinds]
    return TOP + "\n" + "\n".join(lines) + "\n"


def page(kinds: list[Kind]) -> str:
    def told(field: Field) -> str:
        mark = "?" if field.may_be_missing else ""
        return f"{field.name}{mark}: {SCHEMA_TYPES.get(field.type, field.type)}"

    lines = ["| number | kind | family | identity | arguments | |", "|---|---|---|---|---|---|"]
    for kind in kinds:
        identity = told(kind.identity) if kind.identity else ""
        arguments = ", ".join(map(told, kind.fields))
        end = f" Ends with `{kind.ending}`." if kind.ending else ""
        cells = [str(kind.number), f"`{kind.dotted}`", kind.family, identity, arguments, kind.doc + end]
        lines.append("| " + " | ".join(cells) + " |")
    with open(FORMAT, encoding="utf-8") as file:
        text = file.read()
    begin, end = "<!-- Scripts/kinds.sh writes from here -->\n", "<!-- to here -->\n"
    assert begin in text and end in text, f"{FORMAT}: no place for the table of kinds"
    before, rest = text.split(begin)
    return before + begin + "\n" + "\n".join(lines) + "\n\n" + end + rest.split(end)[1]


def main() -> int:
    kinds, vocabularies = read(HEADER)
    made = payloads.files(kinds) | {
        "Sources/Trace/Kinds/EventKind+Known.swift": event_kinds(kinds),
        "Sources/Trace/Kinds/KindInfo+Known.swift": schema(kinds),
        "Sources/Trace/Kinds/Vocabulary.swift": vocabulary(vocabularies),
        "Sources/Lifetrace/Kind+Known.swift": sdk_kinds(kinds),
        "Sources/Lifetrace/Vocabulary.swift": sdk_vocabulary(vocabularies),
        "Sources/CLifetrace/kind_families.h": families(kinds),
        "Tests/TraceTests/PayloadTypes.swift": payloads.for_tests(kinds),
        FORMAT: page(kinds),
    }
    differs = False
    for path, text in sorted(made.items()):
        try:
            with open(path, encoding="utf-8") as file:
                is_same = file.read() == text
        except FileNotFoundError:
            is_same = False
        if is_same:
            continue
        differs = True
        if "--check" in sys.argv:
            print(f"{path}: not what Scripts/kinds.sh writes")
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return 1 if differs and "--check" in sys.argv else 0


sys.exit(main())
