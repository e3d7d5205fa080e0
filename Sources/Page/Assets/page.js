// Puts it together: selecting, moving, keys, links, colours.

/** Stands on an event; `look` also moves the picture to it. */
function selectEvent(index, look = false, keepsHash = false) {
  if (index < 0 || index >= events.count) return;
  picture.selected = index;
  if (!picture.shows(shapeOf(index).life)) picture.arrange();
  setCursor(events.time[index]);
  panels.event(index);
  list.reveal(index);
  panels.markCurrent();
  byId('live').textContent = `${eventName(index)}, ${since(events.time[index])}: ${shapeOf(index).text}`;
  if (look) bringIntoView(events.time[index]);
  if (!keepsHash) setHash(`event=${eventName(index)}`);
}

function setCursor(time) {
  picture.cursor = Math.max(data.span[0], Math.min(data.span[1], time));
  panels.state(picture.cursor);
  picture.redraw();
}

function bringIntoView(time) {
  const x = picture.x(time);
  if (x >= 20 && x <= picture.width - 20) return;
  const place = axis.place(time), length = picture.view[1] - picture.view[0];
  picture.show(place - length / 2, place + length / 2);
}

/** Shows a violation: its story, and the picture from the first event of it to the last. */
function selectViolation(violation, keepsHash = false) {
  if (!violation) return;
  panels.tell(violation);
  const index = eventOf(violation.life, violation.seq);
  showViolation(violation);
  if (index >= 0) selectEvent(index, false, true); else if (violation.time !== null) setCursor(violation.time);
  if (!keepsHash) setHash(`violation=${violation.n}`);
}

function showViolation(violation) {
  if (!violation || violation.time === null) return;
  const times = (violation.steps || []).filter(step => !step.missing).map(step => step.time).concat(violation.time);
  let from = axis.place(Math.min(...times)), to = axis.place(Math.max(...times));
  // With what comes next: what was lost by it, and the launch that finds it gone.
  const margin = Math.max((to - from) * 0.18, 0.02, 12 / picture.width * (to - from));
  from -= margin; to += margin;
  // A short story is told whole.
  if (events.count <= 400 || to - from > 0.5) { from = 0; to = 1; }
  picture.show(from, to);
}

function stepViolation(by) {
  const at = panels.violation ? standing.indexOf(headOf(panels.violation)) : -1;
  selectViolation(standing[Math.max(0, Math.min(standing.length - 1, at + by))]);
}

function step(by) {
  const here = picture.selected >= 0 ? picture.selected + by : firstFrom(events.time, picture.cursor) - (by < 0 ? 1 : 0);
  selectEvent(Math.max(0, Math.min(events.count - 1, here)), true);
}

// MARK: links

let ownHash = '';
function setHash(text) {
  ownHash = `#${text}`;
  try { history.replaceState(null, '', ownHash); } catch { location.hash = text; }
}

/** Goes where a link says; false where it names nothing. */
function follow() {
  let hash = location.hash;
  try { hash = decodeURIComponent(hash); } catch { /* as it stands */ }
  const event = /^#event=(.+):(\d+)$/.exec(hash), violation = /^#violation=(\d+)$/.exec(hash);
  if (violation) {
    const found = data.violations.find(one => one.n === Number(violation[1]));
    if (found) selectViolation(found, true);
    return Boolean(found);
  }
  if (!event) return false;
  const life = data.lives.findIndex(one => one.label === event[1]), index = life < 0 ? -1 : eventOf(life, Number(event[2]));
  if (index < 0) {
    byId('live').textContent = `${event[1]}:${event[2]} is not on this page.`;
    return false;
  }
  const own = data.violations.find(one => one.life === life && one.seq === Number(event[2]));
  if (own) panels.tell(own); else if (!panels.violation) panels.tell(first() || null);
  selectEvent(index, true, true);
  byId('cursor').scrollIntoView({ block: 'nearest' });
  return true;
}

const first = () => data.violations.find(one => one.n === data.first) || data.violations[0];

// MARK: the picture under hand

function wirePicture() {
  const canvas = picture.canvas, tip = byId('tip');
  let drag = null;
  const point = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener('pointerdown', event => { const [x] = point(event); drag = { x, moved: 0 }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener('pointermove', event => {
    const [x, y] = point(event);
    if (drag) { drag.moved += Math.abs(x - drag.x); if (drag.moved > 3) { picture.pan(drag.x - x); drag.x = x; tip.hidden = true; } return; }
    showTip(x, y);
  });
  canvas.addEventListener('pointerup', event => {
    const [x, y] = point(event), wasClick = drag && drag.moved <= 3;
    drag = null;
    if (wasClick) click(x, y);
  });
  canvas.addEventListener('pointercancel', () => { drag = null; });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  canvas.addEventListener('dblclick', event => picture.zoom(0.5, point(event)[0]));
  canvas.addEventListener('wheel', event => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (!event.ctrlKey && !event.metaKey && !sideways) return;
    event.preventDefault();
    if (sideways) picture.pan(event.deltaX || event.deltaY);
    else picture.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), point(event)[0]);
  }, { passive: false });
  new ResizeObserver(() => { if (!matchMedia('print').matches) picture.resize(); }).observe(byId('stage'));
}

function click(x, y) {
  if (y < headHeight) {
    const near = data.violations.filter(one => one.time !== null && Math.abs(picture.x(one.time) - x) < 11);
    if (near.length) return selectViolation(near[0]);
  }
  const found = picture.at(x, y);
  if (found && found.mark !== undefined) return selectEvent(eventOf(found.level.markLife[found.mark], found.level.markSeq[found.mark]));
  if (found && found.bar !== undefined) {
    const begin = picture.x(found.level.begin[found.bar]);
    // Near its begin the event is meant, else the place within.
    if (Math.abs(begin - x) < 40) { const index = eventOf(found.level.life[found.bar], found.level.seq[found.bar]); if (index >= 0) return selectEvent(index); }
  }
  picture.selected = -1;
  setCursor(picture.time(x));
  panels.event(-1);
  list.draw();
}

function showTip(x, y) {
  const tip = byId('tip'), found = picture.at(x, y);
  const lines = [];
  if (y < headHeight) lines.push([since(picture.time(x)), '']);
  else if (found && found.mark !== undefined) {
    const { level, mark } = found, index = eventOf(level.markLife[mark], level.markSeq[mark]), sign = signs[data.kinds[level.kind[mark]]];
    lines.push([sign[2], level.markCount[mark] > 1 ? ` ×${level.markCount[mark]}` : '']);
    lines.push(['', `${since(level.at[mark])}  ${index >= 0 ? shapeOf(index).text : ''}`]);
    if (index >= 0 && shapeOf(index).source) lines.push(['', shapeOf(index).source]);
  } else if (found && found.bar !== undefined) {
    const { level, bar, row } = found, look = looks[data.looks[level.look[bar]]][1], name = data.strings[level.name[bar]];
    const several = level.fill[bar] < 255 || level.count[bar] > 1 && data.looks[level.look[bar]] !== 'queue';
    lines.push([row.lane.kind === 'object' ? `${row.title} ${look}` : name || look, several ? ` and others, ×${level.count[bar]}` : '']);
    lines.push(['', `${name ? `${look}, ` : ''}${duration(level.end[bar] - level.begin[bar])}, from ${since(level.begin[bar])} to ${since(level.end[bar])}`]);
  }
  if (!lines.length) { tip.hidden = true; return; }
  tip.replaceChildren(...lines.map(([strong, text]) => el('div', {}, strong ? el('b', {}, strong) : null, text)));
  tip.hidden = false;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  tip.style.left = `${Math.max(0, Math.min(picture.width - width, x + 14))}px`;
  tip.style.top = `${y + height + 24 > picture.height ? Math.max(0, y - height - 12) : y + 18}px`;
}

// MARK: keys

const keys = [
  ['← →', 'previous, next event'], ['Shift ← →', 'move the picture'], ['+ −', 'zoom in, out'], ['0', 'all of the recording'],
  ['Home End', 'first, last event, in the picture'], ['n p', 'next, previous violation'], ['v', 'the picture of the violation'],
  ['/', 'search the events'], ['?', 'these keys'],
];

/** What a key acts on is seen: the picture, where too little of it is on the screen. */
function revealPicture() {
  const box = picture.canvas.getBoundingClientRect(), least = Math.min(box.height, 160);
  if (box.top >= 0 && box.top + least <= innerHeight) return;
  byId('timeline').scrollIntoView({ block: box.height + 140 < innerHeight && box.top > 0 ? 'end' : 'start' });
}

/** The story of a violation, where neither that nor the picture is on the screen. */
function revealStory() {
  const seen = node => { const box = node.getBoundingClientRect(); return box.bottom > 40 && box.top < innerHeight - 40; };
  if (!seen(byId('verdict-title')) && !seen(picture.canvas)) byId('verdict').scrollIntoView({ block: 'start' });
}

function goToSearch() {
  const box = byId('search');
  box.focus();
  box.select();
  box.scrollIntoView({ block: 'center' });
}


/** Whether a key means something where the focus is: in text, in a list of choices, where it scrolls. */
function isOwnKey({ target, key }) {
  if (target.closest('input, select, textarea, [contenteditable]')) return true;
  if (key.startsWith('Arrow')) { const box = target.closest('.scroll'); return Boolean(box) && box.scrollWidth > box.clientWidth; }
  return !byId('letters').checked;
}

/** Who speaks to the computer sets off letters by mistake: outside of the picture they can be switched off. */
function wireLetters() {
  const box = byId('letters'), name = 'lifetrace-letters';
  try { box.checked = localStorage.getItem(name) !== 'off'; } catch { /* a page from a file may keep nothing */ }
  box.addEventListener('change', () => { try { localStorage.setItem(name, box.checked ? 'on' : 'off'); } catch { /* the same */ } });
}

function wireKeys() {
  fill('keys', keys.flatMap(([key, text]) => [el('dt', {}, key), el('dd', {}, text)]), el('dt', {}, 'in the events'), el('dd', {}, '↑ ↓ Page Up, Page Down, Home, End'));
  wireLetters();
  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
    const isPicture = event.target === picture.canvas;
    if (!isPicture && isOwnKey(event)) return;
    const act = {
      '/': goToSearch, '?': () => byId('help').showModal(),
      ArrowLeft: () => event.shiftKey ? picture.pan(-picture.width / 6) : step(-1),
      ArrowRight: () => event.shiftKey ? picture.pan(picture.width / 6) : step(1),
      '+': () => zoomAtCursor(0.6), '=': () => zoomAtCursor(0.6), '-': () => zoomAtCursor(1 / 0.6), '0': () => picture.show(0, 1),
      Home: isPicture && (() => selectEvent(0, true)), End: isPicture && (() => selectEvent(events.count - 1, true)),
      n: () => stepViolation(1), p: () => stepViolation(-1), v: () => showViolation(panels.violation),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    if ('np'.includes(event.key)) revealStory(); else if (!'/?'.includes(event.key)) revealPicture();
  });
  list.node.addEventListener('keydown', event => {
    const row = list.row(picture.selected), page = Math.floor(list.node.clientHeight / list.height) - 1;
    const to = { ArrowUp: row - 1, ArrowDown: row + 1, PageUp: row - page, PageDown: row + page, Home: 0, End: list.count - 1 }[event.key];
    if (to === undefined || !list.count) return;
    event.preventDefault();
    selectEvent(list.index(Math.max(0, Math.min(list.count - 1, to))), true);
  });
}

function zoomAtCursor(factor) {
  const x = picture.x(picture.cursor);
  picture.zoom(factor, x >= 0 && x <= picture.width ? x : picture.width / 2);
}

// MARK: colours

const theme = {
  words: { auto: 'as the system', light: 'light', dark: 'dark' },
  chosen: 'auto',
  dark: matchMedia('(prefers-color-scheme: dark)'),
  start() {
    try { this.chosen = localStorage.getItem('lifetrace-theme') || 'auto'; } catch { /* a page from a file may keep nothing */ }
    if (!this.words[this.chosen]) this.chosen = 'auto';
    this.dark.addEventListener('change', () => this.apply());
    byId('theme').addEventListener('click', () => {
      this.chosen = { auto: 'light', light: 'dark', dark: 'auto' }[this.chosen];
      try { localStorage.setItem('lifetrace-theme', this.chosen); } catch { /* the same */ }
      this.apply();
    });
    // On paper it is light.
    window.addEventListener('beforeprint', () => { document.documentElement.dataset.theme = 'light'; picture.readColours(); picture.resize(paperWidth); panels.tellAll(); });
    window.addEventListener('afterprint', () => { this.apply(); picture.resize(); fill('paper'); });
    this.apply();
  },
  apply() {
    document.documentElement.dataset.theme = this.chosen === 'auto' ? this.dark.matches ? 'dark' : 'light' : this.chosen;
    byId('theme').textContent = { auto: '◐ Auto', light: '☀ Light', dark: '☾ Dark' }[this.chosen];
    byId('theme').setAttribute('aria-label', `Colours: ${this.words[this.chosen]}`);
    picture.readColours();
  },
};

// MARK: begin

/** How many processes there are; the device is none. */
function processes() {
  const devices = data.lives.filter(life => life.role === 'harness').length, count = data.lives.length - devices;
  return `${plural(count, 'process')}${devices > 1 ? ` and ${devices} devices` : devices ? ' and the device' : ''}`;
}

function begin() {
  document.title = `${data.title} · lifetrace`;
  byId('title').textContent = data.title;
  const length = data.span[1] - data.span[0];
  byId('about').textContent = [plural(data.count, 'event'), processes(), `${duration(length)} long`, data.wall && `begun ${wallText(0)}`].filter(Boolean).join(' · ');
  byId('tool').textContent = `lifetrace ${data.version}`.trim();
  const chips = [];
  // As many as are listed may all be warnings; of more nobody knows here.
  const isMild = data.violationCount === standing.length && standing.every(one => one.severity !== 'error');
  chips.push(data.violationCount ? el('li', { class: isMild ? 'warning' : 'bad' }, plural(data.violationCount, isMild && standing.every(one => one.severity === 'warning') ? 'warning' : 'violation')) : data.unjudged ? el('li', {}, 'not all judged') : el('li', { class: 'good' }, 'no rule broken'));
  if (data.losses) chips.push(el('li', { class: 'bad' }, plural(data.losses, 'loss')));
  if (data.undecidable) chips.push(el('li', {}, `${grouped.format(data.undecidable)} undecidable`));
  fill('chips', chips);
  const times = `Times are in seconds since the recording began${data.wall ? `, at ${wallText(0)}` : ''}.`;
  // One axis for milliseconds and hours is not to scale: that is said where it is so.
  const cuts = data.axis.some(([, , isCut]) => isCut) ? 'Gaps without events are cut, with their length above: equal widths are not equal times.' : data.axis.length > 1 ? 'Equal widths are not equal times.' : '';
  fill('axis-note', [times, cuts, ...data.clocks].filter(Boolean).join(' '));
  data.remarks.push(...data.scale);
  // Rules say lengths at the scale of the device; what the page measures itself is not so.
  for (const node of document.querySelectorAll('.own-time')) node.hidden = !data.scale.length;
  if (data.remarks.length) { byId('remarks').hidden = false; fill('remarks', data.remarks.map(text => el('li', {}, text))); }
  fill('process', el('option', { value: '' }, 'all'), data.lives.map((life, i) => el('option', { value: i }, life.label)));
  const present = new Set(events.shapes.map(shape => shape.family));
  fill('family', el('option', { value: '' }, 'all'), data.families.map((name, i) => present.has(i) ? el('option', { value: i }, name) : null));
  theme.start();
  panels.list();
  panels.ledger();
  panels.processes();
  picture.arrange();
  list.refresh();
  wirePicture();
  wireKeys();
  const on = (id, act) => byId(id).addEventListener('click', act);
  on('zoom-in', () => zoomAtCursor(0.5));
  on('zoom-out', () => zoomAtCursor(2));
  on('zoom-fit', () => picture.show(0, 1));
  on('zoom-violation', () => showViolation(panels.violation));
  on('next-violation', () => stepViolation(1));
  on('prev-violation', () => stepViolation(-1));
  on('step-back', () => step(-1));
  on('step-on', () => step(1));
  on('help-open', () => byId('help').showModal());
  byId('skip-search').addEventListener('click', event => { event.preventDefault(); goToSearch(); });
  byId('zoom-violation').disabled = !data.violations.length;
  byId('filter').addEventListener('input', () => list.filter());
  byId('filter').addEventListener('submit', event => event.preventDefault());
  list.node.addEventListener('scroll', () => list.draw(), { passive: true });
  window.addEventListener('hashchange', () => { if (location.hash !== ownHash) follow(); });
  if (!follow()) {
    const gravest = first();
    if (gravest) selectViolation(gravest, true);
    else { panels.tell(null); selectEvent(0, false, true); picture.show(0, 1); }
  }
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

begin();
