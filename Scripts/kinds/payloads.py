# SPDX-License-Identifier: Apache-2.0
"""The payload of each kind in Swift, one file a family."""

from header import Field, Kind, camel

# Of each type: the Swift type, how it is read from 64 bits, how it becomes them again.
TYPES = {
    "uint": ("UInt64", "{}", "{}"),
    "hex": ("UInt64", "{}", "{}"),
    "bytes": ("UInt64", "{}", "{}"),
    "int": ("Int64", "Int64(bitPattern: {})", "UInt64(bitPattern: {})"),
    "duration": ("Int64", "Int64(clamping: {})", "UInt64(bitPattern: {})"),
    "name": ("NameID", "NameID(word: {})", "{}.word"),
    "bool": ("Bool", "{} != 0", "{} ? 1 : 0"),
    "state": ("AppState", "Coded(rawValue: {})", "{}.rawValue"),
    "work": ("WorkKind", "Coded(rawValue: {})", "{}.rawValue"),
    "level": ("DurabilityLevel", "Coded(rawValue: {})", "{}.rawValue"),
    "resource": ("ResourceClass", "Coded(rawValue: {})", "{}.rawValue"),
    "log": ("LogLevel", "Coded(rawValue: {})", "{}.rawValue"),
    "family": ("EventFamily", "Coded(rawValue: {})", "{}.rawValue"),
    "clock": ("BudgetClock", "Coded(rawValue: {})", "{}.rawValue"),
}
UNITS = {"duration": "Nanoseconds: ", "bytes": "Bytes: "}


def is_coded(field: Field) -> bool:
    return TYPES[field.type][1].startswith("Coded")


def quoted(name: str) -> str:
    return f"`{name}`" if name == "class" else name


def given(field: Field) -> str:
    """The type that a writer gives."""
    return TYPES[field.type][0]


def kept(field: Field) -> str:
    """The type of the property."""
    type = f"Coded<{given(field)}>" if is_coded(field) else given(field)
    return type + ("?" if field.may_be_missing else "")


def doc(field: Field) -> str:
    text = UNITS.get(field.type, "") + field.doc
    text = text[0].upper() + text[1:]
    return text + ("; nil where it was not said." if field.may_be_missing else ".")


def parameter(field: Field) -> str:
    return f"{field.name}: {given(field)}" + ("? = nil" if field.may_be_missing else "")


def assigned(field: Field) -> str:
    value = f"Coded({quoted(field.name)})" if is_coded(field) else quoted(field.name)
    return f"self.{field.name} = {value}"


def read(field: Field, place: int | None) -> str:
    word = "event.identity" if place is None else f"event.arguments.{place}"
    value = TYPES[field.type][1].format(word)
    if field.may_be_missing:
        value = f"event.argumentCount > {place} ? {value} : nil"
    return f"self.{field.name} = {value}"


def word(field: Field) -> str:
    name = quoted(field.name)
    if not field.may_be_missing:
        return TYPES[field.type][2].format(name)
    if field.type in ("uint", "hex", "bytes"):
        return name
    if field.type == "name":
        return f"{name}?.word"
    return f"{name}.map {{ {TYPES[field.type][2].format('$0')} }}"


def call(indent: str, head: str, parts: list[str], tail: str) -> list[str]:
    """`head(a, b) tail` as swift-format would have it: in one line where that fits."""
    line = f"{indent}{head}({', '.join(parts)}){tail}"
    if len(line) <= (99 if tail == "," else 100):
        return [line]
    inner = [f"{indent}  {part}," for part in parts]
    return [f"{indent}{head}(", *inner[:-1], inner[-1][:-1], f"{indent}){tail}"]


def type_name(kind: Kind) -> str:
    name = camel(kind.constant)
    return name[0].upper() + name[1:]


def struct(kind: Kind) -> list[str]:
    identity = [kind.identity] if kind.identity else []
    fields = identity + kind.fields
    places = [None] * len(identity) + list(range(len(kind.fields)))
    lines = [
        f"  /// `{kind.dotted}`: {kind.doc[0].lower()}{kind.doc[1:]}",
        "  @frozen",
        f"  public struct {type_name(kind)}: EventPayload {{",
        "    /// The kind of such events.",
        f"    @inlinable public static var kind: EventKind {{ .{camel(kind.constant)} }}",
    ]
    for field in fields:
        lines += [f"    /// {doc(field)}", f"    public var {quoted(field.name)}: {kept(field)}"]
    lines += ["", "    /// What a writer says."]
    if fields:
        lines += call("    ", "@inlinable public init", [parameter(f) for f in fields], " {")
        lines += [f"      {assigned(field)}" for field in fields]
        lines += ["    }"]
    else:
        lines += ["    @inlinable public init() {}"]
    lines += ["", "    /// What an event says; arguments that it does not have are 0."]
    if fields:
        lines += ["    @inlinable public init(_ event: borrowing Event) {"]
        lines += [f"      {read(field, place)}" for field, place in zip(fields, places)]
        lines += ["    }"]
    else:
        lines += ["    @inlinable public init(_ event: borrowing Event) {}"]
    words = [("identity: " + word(f)) if f is kind.identity else word(f) for f in fields]
    lines += ["", "    /// The words of an event that says so."]
    one = call("    ", "@inlinable public var words: EventWords { EventWords", words, " }")
    if len(one) == 1:
        return lines + one + ["  }"]
    lines += ["    @inlinable public var words: EventWords {"]
    return lines + call("      ", "EventWords", words, "") + ["    }", "  }"]


def files(kinds: list[Kind]) -> dict[str, str]:
    """The text of each file by its path."""
    made = {}
    for family in dict.fromkeys(kind.family for kind in kinds):
        lines = ["// SPDX-License-Identifier: Apache-2.0", "// Written by Scripts/kinds.sh.", ""]
        lines += ["extension Payload {"]
        for number, kind in enumerate(kind for kind in kinds if kind.family == family):
            lines += ([""] if number else []) + struct(kind)
        lines += ["}"]
        made[f"Sources/Trace/Kinds/Payloads/{family.capitalize()}.swift"] = "\n".join(lines) + "\n"
    return made


def for_tests(kinds: list[Kind]) -> str:
    """All payloads, for the test that holds each against the schema."""
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// Written by Scripts/kinds.sh."]
    lines += ["import LifetraceTrace", "", "let payloadTypes: [any EventPayload.Type] = ["]
    lines += [f"  Payload.{type_name(kind)}.self," for kind in kinds]
    return "\n".join(lines) + "\n]\n"
