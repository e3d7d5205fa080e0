# SPDX-License-Identifier: Apache-2.0
"""Copies the pages that a release hands out, with all that they lead to; or checks such a folder.

    pages.py copy FOLDER     # README.md and every page below Sources, what they link, and the stories of rules
    pages.py check FOLDER    # names each link, and each page that is named in passing, that leads nowhere
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


def links(path: pathlib.Path) -> list[str]:
    """What the page leads to in its own tree, as paths from the page."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    found = re.findall(r"\]\(\s*([^)\s]+)\s*\)", text)
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


def check(folder: pathlib.Path) -> list[str]:
    dead = []
    for page in sorted(folder.rglob("*.md")):
        if page.is_symlink():
            continue
        for link in links(page):
            if not (page.parent / link).exists():
                dead.append(f"{page.relative_to(folder)}: {link}")
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
    return dead


def main() -> None:
    what, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if what == "copy":
        return copy(folder)
    dead = check(folder)
    for each in dead:
        print(f"pages.py: leads nowhere: {each}", file=sys.stderr)
    sys.exit(1 if dead else 0)


main()
