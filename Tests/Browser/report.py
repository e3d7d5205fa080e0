# SPDX-License-Identifier: Apache-2.0
"""The page of `lifetrace report` in a real browser: what a person does with it, and what may not happen.

    report.py LIFETRACE BENCHMARKS CHROMIUM FOLDER

makes pages of the stories in Traces in FOLDER, and drives them. Each check prints a line; the first
that fails ends it with 1."""

import json
import subprocess
import sys
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

LIFETRACE, BENCHMARKS, CHROMIUM, FOLDER = sys.argv[1:5]
EVENTS = int(sys.argv[5]) if len(sys.argv) > 5 else 1_000_000
OPEN_SECONDS = 2.0
FRAMES_A_SECOND = 30
# Which texts of the axis stand over each other, as they are drawn.
OVERPRINTED = """(() => {
    const drawn = [], c = picture.context, fill = c.fillText;
    c.fillText = function (text, x, y) { if (y === cutLine || y === timeLine) drawn.push([x, x + c.measureText(text).width, text, y]); fill.call(c, text, x, y); };
    picture.draw();
    c.fillText = fill;
    drawn.sort((a, b) => a[3] - b[3] || a[0] - b[0]);
    return drawn.filter((one, i) => i > 0 && one[3] === drawn[i - 1][3] && one[0] < drawn[i - 1][1]).map(one => one[2]);
})()"""
HOSTILE = "</script><img src=x onerror=window.ran=1><!--<script>'"

folder = Path(FOLDER)


def report(recording, name, *options):
    """The address of a new page of a recording."""
    page = folder / f"{name}.html"
    made = subprocess.run([LIFETRACE, "report", str(recording), "-o", str(page), *options], stdout=subprocess.DEVNULL)
    # Of a recording that lacks events there is a page, too.
    assert made.returncode in (0, 2), f"{name}: report left with {made.returncode}"
    return page.as_uri()


def story(name):
    return Path("Traces") / name / "story.txt"


class Browser:
    """Opens pages; whatever a page complains of, asks for, or runs unasked is a failure."""

    def __init__(self, playwright):
        arguments = ["--no-sandbox", "--disable-gpu"]
        self.chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        self.complaints = []

    def open(self, address, width=1280, height=900, scheme="light", context=None):
        context = context or self.chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        page = context.new_page()
        page.on("console", lambda message: self.complaints.append(f"console: {message.text}") if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url.split("#")[0] == address.split("#")[0] else self.complaints.append(f"request: {request.url}"))
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        return page

    def done(self, page, what):
        assert not self.complaints, f"{what}: {self.complaints}"
        page.context.close()


def check(what, *facts):
    for fact in facts:
        assert fact, what
    print(f"ok  {what}", flush=True)


def text(page, selector):
    return page.locator(selector).inner_text()


def every_story(browser):
    """Each story opens at the gravest of its violations, the first of these, as `check` tells them."""
    count = 0
    for path in sorted(Path("Traces").glob("*/story.txt")):
        name = path.parent.name
        trace = folder / f"{name}.lifetrace"
        subprocess.run([LIFETRACE, "import", "story", str(path), "-o", str(trace)], check=True, capture_output=True)
        rows = subprocess.run([LIFETRACE, "check", "--exit-zero", "--format", "jsonl", str(trace)], check=True, capture_output=True, text=True).stdout
        broken = [row for row in map(json.loads, rows.splitlines()) if row.get("outcome") == "violated"]
        page = browser.open(report(trace, name))
        assert page.evaluate("data.violations.length") == len(broken), f"{name}: {len(broken)} violations"
        if broken:
            badge = text(page, "#verdict-badge")
            grades = ["info", "warning", "error"]
            # A note under another one is told with that.
            heads = [row for row in broken if "under" not in row]
            assert page.evaluate("standing.length") == len(heads), f"{name}: {len(heads)} stand for themselves"
            gravest = max((row["severity"] for row in heads), key=grades.index)
            first = page.evaluate("[panels.violation.rule, panels.violation.severity, panels.violation.title]")
            assert badge == f"{first[0]} {gravest}", f"{name}: {badge}"
            titles = [row["title"] for row in heads if row["severity"] == gravest]
            assert any(title.lower() == first[2].lower() for title in titles), f"{name}: {first[2]}"
            assert page.locator("#verdict-body .culprit").count() == 1, name
        else:
            said = page.evaluate("data.unjudged") or "No rule is broken"
            assert said in text(page, "#verdict-title"), f"{name}: {said}"
        over = page.evaluate(OVERPRINTED)
        assert not over, f"{name}: over each other on the axis: {over}"
        lost = page.evaluate("data.losses")
        drawn = page.evaluate("data.groups.flatMap(g => g.lanes).map(l => levelOf(l.levels[0])).reduce((n, l) => n + [...l.kind].filter(k => ['lost', 'maybeLost'].includes(data.kinds[k])).length, 0)")
        assert lost == drawn, f"{name}: {lost} lost, {drawn} drawn"
        browser.done(page, name)
        count += 1
    check(f"{count} stories open at the gravest violation, ask for nothing and complain of nothing", count > 300)


def a_lost_draft(browser):
    address = report(story("DS02-broken"), "lost")
    page = browser.open(address)
    check("it opens at the violation that lost data, with the line to look at", text(page, "#verdict-badge") == "DS02 error", "Notes/Editor.swift:41" in text(page, ".culprit"))
    check("counts are those of info", "1 process " not in text(page, "#about"), "2 processes" in text(page, "#about"))
    page.click("#prev-violation")
    check("the violation before", text(page, "#verdict-badge") == "DS01 error")
    shown = text(page, "#verdict-body")
    check("the violation has its witnesses, its last chance, before and after, and its command",
          all(word in shown for word in ["last save", "edit", "last chance", "suspended", "background", "1,204 bytes unsaved", 'goto notes#1:6"']))
    check("the ledger tells the loss", "lost, unsaved for 59.9 s" in text(page, "#ledger"))
    check("the processes are told", "notes#2" in text(page, "#processes"), "purged" in text(page, "#processes"))
    check("each of both has its command", 'goto notes#1:6"' in text(page, "#ledger"), 'goto notes#2:0"' in text(page, "#processes"))
    page.click("#next-violation")
    check("the next violation", text(page, "#verdict-badge") == "DS02 error", page.url.endswith("#violation=2"))
    check("the state at the cursor", "draft.txt lost" in text(page, "#state"))

    page.fill("#search", "durable")
    check("search finds", text(page, "#matches") == "1 event found", page.locator("#events .row").count() == 1)
    page.locator("#events .row").first.click()
    check("a click on an event goes there", page.url.endswith("#event=notes#1:5"), "has reached the disk" in text(page, "#event"))
    page.fill("#search", "no such thing")
    check("search finds nothing where there is nothing", text(page, "#matches") == "0 events found")
    page.fill("#search", "")
    page.select_option("#process", label="notes#2")
    check("the filter keeps one process", text(page, "#matches") == "4 events found")
    page.select_option("#process", value="")
    page.select_option("#family", label="data")
    check("the filter keeps one family", text(page, "#matches") == "5 events found")

    page.click("#zoom-fit")
    before = page.evaluate("picture.view[1] - picture.view[0]")
    page.click("#zoom-in")
    # What the picture says of itself is said with its next frame.
    page.wait_for_timeout(200)
    check("zoom makes a shorter span", page.evaluate("picture.view[1] - picture.view[0]") < before, "…" in text(page, "#range"))
    page.click("#zoom-fit")
    page.wait_for_timeout(200)
    box = page.locator("#canvas").bounding_box()
    x, y = page.evaluate("(() => { const row = picture.lanes.find(l => l.lane.kind === 'object'); return [picture.x(2104000000), row.y + row.height / 2]; })()")
    page.mouse.move(box["x"] + x, box["y"] + y)
    check("hover tells what is there", "edit" in text(page, "#tip"), "1,204 bytes" in text(page, "#tip"))
    page.mouse.click(box["x"] + x, box["y"] + y)
    check("a click in the picture goes to the event", page.evaluate("location.hash") == "#event=notes#1:6")
    browser.done(page, "a lost draft")


def links(browser):
    address = report(story("DS02-broken"), "lost")
    for hash, wanted in [("#event=notes#1:9", "inactive to background"), ("#event=notes%231%3A9", "inactive to background")]:
        page = browser.open(address + hash)
        check(f"the link {hash}", wanted in text(page, "#event"))
        browser.done(page, hash)
    page = browser.open(address + "#violation=2")
    check("the link #violation=2", text(page, "#verdict-badge") == "DS02 error")
    page.evaluate("location.hash = '#event=notes#1:6'")
    page.wait_for_timeout(100)
    check("a link that is followed on the page", "version 2" in text(page, "#event"))
    browser.done(page, "links")
    for hash in ["#event=nobody#7:1", "#event=notes#1:999", "#violation=99", "#event=%E0%A4%A", "#nonsense"]:
        page = browser.open(address + hash)
        check(f"the link {hash} names nothing, and opens the gravest violation", text(page, "#verdict-badge") == "DS02 error")
        browser.done(page, hash)


def keyboard(browser):
    page = browser.open(report(story("DS02-broken"), "lost"))
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        if reached[-1] == "events":
            break
    check("Tab reaches everything", *(name in reached for name in ["skip-search", "theme", "prev-violation", "canvas", "zoom-in", "search", "process", "events"]))
    check("what has the focus shows it", page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    check("the list of events goes by arrows", page.url.endswith("#event=notes#1:1"), page.get_attribute("#events", "aria-activedescendant") == "row-1")
    page.focus("#canvas")
    page.keyboard.press("ArrowRight")
    check("the picture goes by arrows", page.url.endswith("#event=notes#1:2"), "inactive to active" in page.locator("#live").text_content())
    page.keyboard.press("n")
    page.keyboard.press("p")
    check("p is the violation before", text(page, "#verdict-badge") == "DS01 error")
    page.keyboard.press("n")
    check("n is the next violation", text(page, "#verdict-badge") == "DS02 error")
    before = page.evaluate("picture.view[1] - picture.view[0]")
    page.keyboard.press("+")
    check("+ zooms", page.evaluate("picture.view[1] - picture.view[0]") < before)
    page.keyboard.press("0")
    check("0 is all of it", page.evaluate("picture.view[1] - picture.view[0]") == 1)
    page.keyboard.press("Home")
    page.focus("#theme")
    page.keyboard.press("ArrowRight")
    check("arrows step wherever the page has the focus", page.url.endswith("#event=notes#1:1"))
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    check("and where nothing has it", page.url.endswith("#event=notes#1:2"))
    page.focus("#search")
    page.keyboard.type("n0+v")
    page.keyboard.press("ArrowLeft")
    check("text keeps its keys", page.url.endswith("#event=notes#1:2"), page.input_value("#search") == "n0+v", page.evaluate("panels.violation.n") == 2)
    page.fill("#search", "")
    page.focus("#help-open")
    page.keyboard.press("p")
    check("p is the violation before, from anywhere", page.evaluate("panels.violation.n") == 1)
    page.focus("#help-open")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    check("a dialog keeps its keys", page.evaluate("panels.violation.n") == 1, page.url.endswith("#violation=1"))
    page.uncheck("#letters")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    check("letters can be switched off", page.evaluate("panels.violation.n") == 1)
    page.focus("#canvas")
    page.keyboard.press("n")
    check("but not in the picture", page.evaluate("panels.violation.n") == 2)
    page.focus("#help-open")
    page.keyboard.press("Enter")
    check("the keys are told", page.locator("#help").is_visible(), "zoom in, out" in text(page, "#keys"), "[object" not in text(page, "#keys"))
    page.keyboard.press("Escape")
    check("Escape closes", not page.locator("#help").is_visible(), page.evaluate("document.activeElement.id") == "help-open")
    page.check("#letters") if page.locator("#help").is_visible() else page.evaluate("byId('letters').checked = true")
    page.focus("#theme")
    page.keyboard.press("?")
    check("? tells the keys", page.locator("#help").is_visible())
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    check("/ goes to the search", page.evaluate("document.activeElement.id") == "search", page.input_value("#search") == "")
    page.keyboard.type("a/b?")
    check("and text keeps both", page.input_value("#search") == "a/b?", not page.locator("#help").is_visible())
    browser.done(page, "keyboard")
    page = browser.open(report(story("DS02-broken"), "lost"), width=800, height=600)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    check("the second link skips to the search", page.evaluate("document.activeElement.id") == "search")
    seen = "(() => { const box = picture.canvas.getBoundingClientRect(); return box.top >= 0 && box.top + 100 <= innerHeight; })()"
    for key in ["ArrowLeft", "+", "0", "v"]:
        page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
        page.keyboard.press(key)
        check(f"what {key} does to the picture is seen on a low screen", page.evaluate(seen))
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.keyboard.press("p")
    check("and the violation that p tells", page.evaluate("byId('verdict-title').getBoundingClientRect().top >= 0"), page.evaluate("scrollY") < 200)
    over = page.evaluate("[...document.querySelectorAll('table')].filter(t => t.scrollWidth > t.parentElement.clientWidth && getComputedStyle(t.parentElement).overflowX !== 'auto').length")
    check("tables that are too wide scroll in their own box", over == 0)
    browser.done(page, "a low screen")


def themes(browser):
    address = report(story("DS02-broken"), "lost")
    colour = "getComputedStyle(document.body).backgroundColor"
    page = browser.open(address, scheme="dark")
    dark = page.evaluate(colour)
    page.click("#theme")
    light = page.evaluate(colour)
    check("the switch wins over the system", dark != light, page.get_attribute("#theme", "aria-label") == "Colours: light")
    page.click("#theme")
    check("dark again", page.evaluate(colour) == dark)
    page.emulate_media(color_scheme="light")
    page.click("#theme")
    check("as the system", page.evaluate(colour) == light)
    page.emulate_media(media="print")
    check("what is no use on paper is not printed", not page.locator("#filter").is_visible(), page.locator("#verdict").is_visible(), not page.locator("#zoom-in").is_visible())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    paper = text(page, "#paper")
    check("paper tells the other violations too", "DS01 error" in paper, "last chance" in paper, "What to do:" in paper, "DS02 error" not in paper)
    check("the picture is as wide as paper", page.evaluate("picture.width") == 500)
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    check("and the screen is as before", not page.locator("#paper").is_visible(), page.evaluate("picture.width") > 900)
    browser.done(page, "themes")


def clocks(browser):
    """One scale, named where the axis is; whatever else is a time says what it is."""
    page = browser.open(report(story("DS02-broken"), "lost"))
    axis = page.evaluate("""(() => {
        const drawn = [], c = picture.context, fill = c.fillText;
        c.fillText = function (text, x, y) { if (y === cutLine) drawn.push(text.replace(' cut', '')); fill.call(c, text, x, y); };
        picture.show(0, 1); picture.draw();
        c.fillText = fill;
        const cuts = axis.pieces.filter(piece => piece.isCut).map(piece => duration(piece.end - piece.begin));
        return { drawn: drawn.sort(), cuts: cuts.sort() };
    })()""")
    check("each cut says how long it is, and the page that gaps are cut", axis["cuts"], axis["drawn"] == axis["cuts"], "Gaps without events are cut" in text(page, "#axis-note"))
    check("times are cut to digits, as check has them", page.evaluate("since(770726123) === '+0.770 s' && since(-1999999999, 6) === '-1.999999 s' && since(59999999999, 0) === '+59 s' && since(3723456789012) === '+3,723.456 s'"))
    check("the axis names its scale", text(page, "#labels .axis-name") == "seconds since the recording began", "seconds since the recording began." in text(page, "#axis-note"))
    check("a time says since when", "since the recording began" in text(page, "#event"), not page.locator("#remarks").is_visible(), page.locator(".own-time:visible").count() == 0)
    browser.done(page, "clocks")
    page = browser.open(report(story("RS18-broken-scaled"), "scaled"))
    check("another scale is told beside what rules say", "for 12.3 s" in text(page, "#verdict"), "a second of this recording stands for 3.3 s" in text(page, "#remarks"))
    own = "lengths in the recording's time"
    check("what the page measures itself is told where it stands", page.locator(".own-time:visible").count() == 4, own in text(page, "#cursor"))
    browser.done(page, "scaled")
    page = browser.open(report(Path("Traces/clocks/dump.txt"), "machines"))
    check("several machines: how well they are aligned", "Its 3 clocks are put on that of phone: server to within ±2.5 ms" in text(page, "#axis-note"))
    browser.done(page, "machines")
    log = folder / "phone.txt"
    log.write_text("app notes#1 pid=12 profile=ios13 realOffset=1763750287702000000ns\n+0s notes#1 main process.start reason=icon\n")
    page = browser.open(report(log, "wall"))
    check("the clock on the wall has its name", "begun 2025-11-21 18:38:07.702 UTC" in text(page, "#about"), "2025-11-21 18:38:07.702 UTC" in text(page, "#event"))
    browser.done(page, "wall")


def accessible(browser):
    """Nothing serious in either theme, wide and narrow."""
    axe = Axe()
    for name in ["DS02-broken", "DL11-broken", "NQ01-broken", "DS02-kept"]:
        address = report(story(name), name)
        for scheme in ["light", "dark"]:
            for width in [1280, 390]:
                page = browser.open(address, width=width, scheme=scheme)
                found = axe.run(page).response["violations"]
                told = [f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:160]}" for one in found]
                check(f"axe finds nothing in {name}, {scheme}, {width} wide{'' if not found else ': ' + '; '.join(told)}", not found)
                over = page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
                check(f"nothing is wider than the page at {width}", over <= 0)
                browser.done(page, name)


def hostile(browser):
    """Names that would be markup or script are text."""
    quoted = json.dumps(HOSTILE, ensure_ascii=False)
    lines = [
        f"app notes#1 app={quoted} pid=12 profile=ios13",
        "+0s notes#1 main process.start reason=icon app=notes",
        f"+0.1s notes#1 main state.transition from=not-running to=inactive cause={quoted}",
        "+0.2s notes#1 main state.transition from=inactive to=active",
        f"+0.3s notes#1 main callback.begin {quoted} @Notes/Editor.swift:1",
        "+0.4s notes#1 main callback.end",
        f"+0.5s notes#1 main data.dirty {quoted} version=1 bytes=9 @Notes/Editor.swift:41",
        f"+0.6s notes#1 main log text={quoted} level=info",
        f"+0.7s notes#1 main task.begin id=4 name={quoted}",
        f"+0.8s notes#1 main notification.posted {quoted} key={quoted} value={quoted}",
        "+0.9s notes#1 main state.transition from=active to=inactive",
        "+1s notes#1 main state.transition from=inactive to=background",
        "+1.5s notes#1 main state.suspend",
        f"+2s notes#1 main state.purge cause={quoted}",
    ]
    path = folder / "hostile <img src=x onerror=window.ran=1>.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page = browser.open(report(path, "hostile"))
    for step in range(14):
        page.focus("#canvas")
        page.keyboard.press("Home" if step == 0 else "ArrowRight")
    page.keyboard.press("n")
    box = page.locator("#canvas").bounding_box()
    for x in range(20, int(box["width"]), 60):
        for y in range(50, int(box["height"]), 14):
            page.mouse.move(box["x"] + x, box["y"] + y)
    page.fill("#search", "onerror")
    page.wait_for_timeout(200)
    check("no hostile name runs", page.evaluate("window.ran") is None, page.locator("img").count() == 0, page.locator("script").count() == 3)
    check("it is shown as it is spelled", "<img src=x onerror=window.ran=1>" in text(page, "#events"), "<img" in text(page, "#ledger"), "<img" in text(page, "h1"))
    browser.done(page, "hostile")


def a_million_events(browser):
    trace = folder / "day.lifetrace"
    subprocess.run([BENCHMARKS, "--write-day", str(trace), str(EVENTS)], check=True)
    address = report(trace, "day")
    size = (folder / "day.html").stat().st_size
    best = 99.0
    for _ in range(3):
        page = browser.open(address)
        best = min(best, page.evaluate("Number(document.documentElement.dataset.ready)") / 1000)
        if _ < 2:
            browser.done(page, "a million events")
    check(f"{EVENTS:,} events, {size / 1e6:.1f} MB: open in {best:.2f} s", best <= OPEN_SECONDS)
    frames = page.evaluate("""() => new Promise(done => {
        // From all of it to a thousandth at a busy place and back; every frame is drawn.
        const seconds = 4, start = performance.now(), drawn = picture.frames, x = picture.width * 0.37;
        let longest = 0, last = start;
        picture.show(0, 1);
        const next = now => {
            longest = Math.max(longest, now - last); last = now;
            const part = (now - start) / 1000 / seconds;
            if (part >= 1) return done({ rate: (picture.frames - drawn) / ((now - start) / 1000), longest, view: picture.view[1] - picture.view[0] });
            picture.zoom(part < 0.5 ? 0.94 : 1 / 0.94, x);
            requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
    })""")
    check(f"zooming at {frames['rate']:.0f} frames a second, the longest {frames['longest']:.0f} ms", frames["rate"] >= FRAMES_A_SECOND)
    page.fill("#search", "draft-3.txt version")
    check(f"search: {text(page, '#matches')}", "found" in text(page, "#matches"))
    page.evaluate("selectEvent(events.count - 1, true)")
    check("the last event is in the list", page.locator("#events .row").count() > 0)
    page.fill("#search", "")
    page.evaluate("selectEvent(events.count >> 1, true)")
    check("an event in the middle is in the list", page.locator("#events .row[aria-selected=true]").count() == 1)
    browser.done(page, "a million events")


with sync_playwright() as playwright:
    browser = Browser(playwright)
    for act in [a_lost_draft, links, keyboard, themes, clocks, hostile, accessible, a_million_events, every_story]:
        try:
            act(browser)
        except AssertionError as failure:
            print(f"FAILED  {act.__name__}: {failure}")
            sys.exit(1)
