# SPDX-License-Identifier: Apache-2.0
"""Copies the pages that a release hands out, with all that they lead to; or checks such a folder.

    pages.py copy FOLDER     # README.md and every page below Sources, what they link, and the stories of rules
    pages.py check FOLDER    # names each link, and each path that is named in passing, that leads nowhere

Pages name files of the source, which a release does not hand out with them: these get a dagger, and the page says
what it means. What has neither a file nor a dagger leads nowhere.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
# `lifetrace rules DS02` names those that show the rule; `lifetrace check` reads them.
STORIES = "Traces/*/story.txt"
# Handed out elsewhere, for compilers.
C_SOURCES = "Sources/CLifetrace"
# A file of the source, or a folder.
PATH = re.compile(r"(?<![\w/.$-])(?:(?:Scripts|Tests|Sources|Traces)/|\.build/)[\w./+*-]*[\w*]")
FENCE = re.compile(r"^```.*?^```\n", flags=re.S | re.M)
DAGGER = "†"
NOTE = (
    f"> {DAGGER} marks what only the source has: `lifetrace-*-source.tar.gz`, handed out beside this. "
    "Paths are those of the source.\n"
)


def links(path: pathlib.Path) -> list[str]:
    """What the page leads to in its own tree, as paths from the page."""
    text = FENCE.sub("", path.read_text())
    found = re.findall(r"\]\(\s*([^)\s]+)\s*\)", text)
    found += re.findall(r"<[^>]*?\s(?:src|srcset|href)=\"([^\"]+)\"", text)
    found += re.findall(r"<source[^>]*?\ssrcset=\"([^\"]+)\"", text)
    return [link.split("#")[0] for link in found if not re.match(r"[a-z]+:|#", link)]


def copy(folder: pathlib.Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", *ROOTS, "Sources/*.md", STORIES], check=True, capture_output=True, text=True
    ).stdout.split()
    for name in tracked:
        page = pathlib.Path(name)
        wanted = [page]
        if page.suffix == ".md":
            wanted += [page.parent / link for link in links(page)]
        for each in wanted:
            place = folder / each
            if place.exists() or str(each).startswith(C_SOURCES):
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if each.is_dir() else shutil.copyfile)(each, place)
    for page in folder.rglob("*.md"):
        mark(page, folder)


def missing(path: str, folder: pathlib.Path) -> bool:
    """Whether a path that a page names is not handed out: C sources are, elsewhere. Of a folder something
    has to be there besides its pages."""
    if path.startswith(C_SOURCES):
        return False
    return not any(
        found.is_file() or any(each.is_file() and each.suffix != ".md" for each in found.rglob("*"))
        for found in folder.glob(path)
    )


def in_source(path: str) -> bool:
    """Whether it is one of the source, and not a reader's own."""
    return path.startswith(".build/") or any(pathlib.Path().glob(path))


def mark(page: pathlib.Path, folder: pathlib.Path) -> None:
    """Puts daggers behind what only the source has."""

    def marked(text: str) -> str:
        def dagger(found: re.Match) -> str:
            dead = any(missing(path, folder) and in_source(path) for path in PATH.findall(found[0]))
            return found[0] + (DAGGER if dead else "")

        # A link is what it leads to, whatever its words are.
        return re.sub(rf"\[[^\]]*\]\([^)]*\)|`[^`\n]+`|{PATH.pattern}", lambda found: found[0] if found[0][0] == "[" else dagger(found), text)

    text = page.read_text()
    out, at = "", 0
    for fence in FENCE.finditer(text):
        out += marked(text[at : fence.start()]) + fence[0]
        named = dict.fromkeys(path for path in PATH.findall(fence[0]) if missing(path, folder) and in_source(path))
        if named:
            out += f"\n{DAGGER} in the source: " + ", ".join(f"`{path}`{DAGGER}" for path in named) + "\n"
        at = fence.end()
    out += marked(text[at:])
    if DAGGER in out and NOTE not in out:
        head, _, rest = out.partition("\n")
        out = f"{head}\n\n{NOTE}{rest}"
    page.write_text(out)


def unmarked(page: pathlib.Path, folder: pathlib.Path) -> list[str]:
    """The paths that a page names, that are not handed out, and that no dagger says so of."""
    text, dead = page.read_text(), []
    for fence in FENCE.finditer(text):
        behind = text[fence.end() :].lstrip("\n").partition("\n")[0]
        told = behind if behind.startswith(DAGGER) else ""
        dead += [path for path in PATH.findall(fence[0]) if missing(path, folder) and in_source(path) and f"`{path}`" not in told]
    for found in re.finditer(rf"\[[^\]]*\]\([^)]*\)|`[^`\n]+`{DAGGER}?|{PATH.pattern}{DAGGER}?", FENCE.sub("", text)):
        if found[0][0] != "[" and not found[0].endswith(DAGGER):
            dead += [path for path in PATH.findall(found[0]) if missing(path, folder)]
    return dead


def check(folder: pathlib.Path) -> list[str]:
    dead = []
    for page in sorted(folder.rglob("*.md")):
        if page.is_symlink():
            continue
        for link in links(page):
            if not (page.parent / link).exists():
                dead.append(f"{page.relative_to(folder)}: {link}")
        dead += [f"{page.relative_to(folder)}: {path}" for path in unmarked(page, folder)]
    install = folder.parent.parent.parent / "INSTALL.md"
    for named in re.findall(r"(?<![\w/.])(?:bin|lib|share)/[\w/.*+-]*[\w*]", install.read_text() if install.exists() else ""):
        if not any(install.parent.glob(named)):
            dead.append(f"INSTALL.md: {named}")
    manual = folder.parent.parent / "man"
    for page in sorted(manual.rglob("*")) if manual.exists() else []:
        if page.is_dir():
            continue
        text = subprocess.run(
            ["gzip", "-cd", page], check=True, capture_output=True, text=True
        ).stdout
        for named in re.findall(r"(?:share/doc/lifetrace/)?Sources/[\w/-]+\.md", text):
            if not (folder.parent.parent.parent / named).exists():
                dead.append(f"{page.name}: {named}")
        for named in re.findall(r"^\.(?:It )?Xr (\S+) (\d)", text, flags=re.M):
            if not (manual / f"man{named[1]}" / f"{named[0]}.{named[1]}.gz").exists():
                dead.append(f"{page.name}: {named[0]}({named[1]})")
        if "lifetrace-yml" in text:
            dead.append(f"{page.name}: lifetrace-yml, which is called lifetrace.yml")
    return list(dict.fromkeys(dead))


def main() -> None:
    what, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if what == "copy":
        return copy(folder)
    dead = check(folder)
    for each in dead:
        print(f"pages.py: leads nowhere: {each}", file=sys.stderr)
    sys.exit(1 if dead else 0)


main()
