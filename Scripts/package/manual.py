# SPDX-License-Identifier: Apache-2.0
"""Mends the manual pages that generate-manual writes, and makes that of lifetrace.yml.

    manual.py GENERATED OUT    # GENERATED/lifetrace.check.1 becomes OUT/lifetrace-check.1
"""

import pathlib
import re
import sys

# The demo's app, and what `--help` says as well.
LEFT_OUT = {"lifetrace.notes", "lifetrace.help"}
PAGES = "share/doc/lifetrace/"
EXITS = f"""0 where nothing was found and the command did what it was asked; 1 where something was found; 2 where a
file is damaged; 64 for wrong usage.
.Nm lifetrace record
and
.Nm lifetrace test
hand on the exit code of the command that they run. All of them: {PAGES}Sources/LifetraceCommand/EXIT-CODES.md"""


def mend(text: str, called: dict[str, str]) -> str:
    """The page with names as `man` looks for them: `man lifetrace record` asks for lifetrace-record."""
    names = "|".join(re.escape(name) for name in sorted(called, key=len, reverse=True))
    # Only whole names of pages: lifetrace.yml is a file.
    text = re.sub(rf"(?<![\w.])({names})(?![\w.])", lambda m: called[m[1]], text)
    text = re.sub(
        r"^\.Dt (.*) 1$", lambda m: f".Dt {m[1].replace('.', '-')} 1", text, flags=re.M
    )
    text = re.sub(r"^\.Xr lifetrace\.(notes|help) 1 ,?\n", "", text, flags=re.M)
    text = re.sub(r"^\n", ".Pp\n", text, flags=re.M)
    text = text.replace(".Ex -std", EXITS)
    return re.sub(r"(?<![\w/])(Sources/[\w/-]+\.md)", PAGES + r"\1", text)


def commands(pages: dict[str, str], called: dict[str, str]) -> str:
    """What each command is for, for the page of all."""
    out = [".Sh COMMANDS", ".Bl -tag -width 10n"]
    for name, text in sorted(pages.items()):
        if name.count(".") == 1:
            about = re.search(r'^\.Nd "?(.*?)"?$', text, flags=re.M)[1]
            out += [f".It Xr {called[name]} 1", about]
    return "\n".join(out + [".El"]) + "\n"


def mdoc(line: str) -> str:
    """A line of Markdown in mdoc."""
    line = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"\1", line)
    line = line.replace("\\", "\\e").replace("`", "")
    return "\\&" + line if line[:1] in ".'" else line


def page_of(markdown: str, day: str) -> str:
    """A page of headings, paragraphs, tables of two columns and examples, as a manual page."""
    out = [f".Dd {day}", ".Dt LIFETRACE.YML 5", ".Os", ".Sh NAME", ".Nm lifetrace.yml"]
    out += [".Nd configuration of a project for lifetrace", ".Sh DESCRIPTION"]
    is_table = is_code = False
    for line in markdown.splitlines()[1:]:
        if line.startswith("```"):
            out.append(".Ed" if is_code else ".Bd -literal")
            is_code = not is_code
            continue
        if is_code:
            out.append(line.replace("\\", "\\e") if line[:1] not in ".'" else "\\&" + line)
            continue
        row = re.match(r"\| (.*?) \|(.*)\|$", line)
        if row and re.search(r"^\|[-|]+$", line) is None:
            if not is_table:
                out.append(".Bl -tag -width 10n")
                is_table = True  # its first row is the heading
            else:
                out += [f".It {mdoc(row[1])}", mdoc(row[2].strip())]
            continue
        if line.startswith("|"):
            continue
        if is_table:
            out.append(".El")
            is_table = False
        if line.startswith("#"):
            sign = ".Sh" if line.startswith("## ") else ".Ss"
            out.append(f"{sign} {mdoc(line.lstrip('# '))}")
        elif not line:
            if not out[-1].startswith((".Sh", ".Ss", ".El", ".Ed", ".Pp")):
                out.append(".Pp")
        else:
            out.append(mdoc(line))
    return "\n".join(out + [".El"] * is_table) + "\n"


def main() -> None:
    generated, out = (pathlib.Path(each) for each in sys.argv[1:3])
    pages = {
        path.name[:-2]: path.read_text()
        for path in sorted(generated.glob("*.1"))
        if path.name[:-2] not in LEFT_OUT
    }
    called = {name: name.replace(".", "-") for name in pages if "." in name}
    for name, text in pages.items():
        text = mend(text, called)
        if name == "lifetrace":
            text = text.replace('.Sh "EXIT STATUS"', commands(pages, called) + '.Sh "EXIT STATUS"')
        (out / f"{called.get(name, name)}.1").write_text(text)
    day = re.search(r"^\.Dd (.*)$", pages["lifetrace"], flags=re.M)[1]
    markdown = pathlib.Path("Sources/Scenario/CONFIGURATION.md").read_text()
    (out / "lifetrace.yml.5").write_text(page_of(markdown, day))


main()
