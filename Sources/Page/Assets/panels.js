// What stands around the picture: the violation, the state at the cursor, ledger, processes, events.

const command = name => `${data.replay} -e "goto ${name}"`;

/** The command that goes to an event, and a button that copies it. */
function commandLine(name) {
  const text = command(name);
  const copy = el('button', {
    type: 'button', class: 'no-print', 'aria-label': `Copy the command that goes to ${name}`,
    onclick: () => {
      const done = ok => { copy.textContent = ok ? 'Copied' : 'Press Ctrl-C'; setTimeout(() => { copy.textContent = 'Copy'; }, 1500); };
      const code = copy.previousSibling, range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      (navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject(new Error('no clipboard'))).then(() => done(true), () => done(false));
    },
  }, 'Copy');
  return el('div', { class: 'command' }, el('code', {}, text), copy);
}

const panels = {
  violation: null,

  /** Shows one violation: its line, its story, what was before and after. */
  tell(violation) {
    this.violation = violation;
    if (!violation) return this.tellNone();
    const badge = byId('verdict-badge');
    badge.textContent = `${violation.rule} ${violation.severity}`;
    badge.className = `badge ${violation.severity}`;
    byId('verdict-place').textContent = this.place(violation);
    byId('verdict-title').textContent = this.title(violation);
    const head = headOf(violation), at = standing.indexOf(head);
    byId('verdict-number').textContent = `${head === violation ? '' : 'under '}${at + 1} of ${grouped.format(data.violationCount)}`;
    byId('prev-violation').disabled = at <= 0;
    byId('next-violation').disabled = at + 1 >= standing.length;
    fill('verdict-body', this.story(violation));
    this.markCurrent();
    picture.arrange();
  },

  // A name of an event looks like a file and a line to those who meet it for the first time.
  place: violation => `event ${nameOf(violation.life, violation.seq)}  ${violation.time === null ? '' : since(violation.time)}`,
  title: violation => violation.title ? `${violation.title}.` : `${violation.rule} is broken here${violation.object ? `: ${violation.object}` : ''}.`,

  /** What is told of a violation: the line, how it came about, what is known, what to do. */
  story(violation) {
    const rule = data.rules[violation.rule];
    const left = [], right = [];
    if (violation.culprit) left.push(this.culprit(violation));
    if (violation.steps) left.push(el('h3', {}, 'How it came about'), this.steps(violation));
    left.push(this.alike(violation), this.others(violation));
    if (violation.details && violation.details.length) right.push(el('h3', {}, 'What is known'), el('ul', { class: 'details' }, violation.details.map(text => el('li', {}, text))));
    if (violation.before) {
      const tags = list => el('dd', {}, list.map(text => el('span', { class: `tag${/ lost$/.test(text) ? ' lost' : / unsaved$/.test(text) ? ' unsaved' : ''}` }, text)));
      right.push(el('dl', { class: 'change' }, el('dt', {}, 'Just before'), tags(violation.before), el('dt', {}, 'Just after'), tags(violation.after)));
    }
    if (violation.advice) right.push(el('p', { class: 'fix' }, el('b', {}, 'What to do: '), violation.advice));
    if (rule) right.push(el('p', { class: 'faint small' }, `The rule: ${rule.statement} More of it: `, el('code', {}, `lifetrace rules ${violation.rule}`)));
    if (!violation.title) right.push(el('p', { class: 'faint' }, 'Only the gravest violations are told in full on this page; the command tells this one.'));
    // As check says it: where the cause is, else where it shows.
    right.push(commandLine(nameOf(...(violation.culprit ? [violation.culprit.life, violation.culprit.seq] : [violation.life, violation.seq]))));
    return el('div', { class: 'columns' }, el('div', {}, left), el('div', {}, right));
  },

  /** On paper nobody turns pages of violations: every story is told, but for the one on top. */
  tellAll() {
    const others = data.violations.filter(one => one.steps && one !== this.violation);
    fill('paper', others.map(one => el('section', { class: 'card' },
      el('div', { class: 'verdict-head' }, el('span', { class: `badge ${one.severity}` }, `${one.rule} ${one.severity}`), el('span', { class: 'mono faint' }, this.place(one))),
      el('h2', {}, this.title(one)), this.story(one))));
  },

  tellNone() {
    // Silence is good only where something could be judged.
    const isGood = !data.unjudged && !data.violationCount;
    byId('verdict-badge').textContent = data.unjudged ? 'not judged' : data.remarks.length > data.scale.length || data.violationCount ? 'nothing broken' : 'all kept';
    byId('verdict-badge').className = `badge ${isGood ? 'good' : 'unjudged'}`;
    byId('verdict-title').textContent = data.violationCount ? 'What is broken lies outside of what this page can show.' : data.unjudged || 'No rule is broken in this recording.';
    byId('prev-violation').disabled = byId('next-violation').disabled = true;
    fill('verdict-body', data.undecidable ? el('p', { class: 'faint' }, `In ${plural(data.undecidable, 'case')} it could not be decided whether a rule was broken: the recording says too little.`) : null);
  },

  culprit(violation) {
    const { culprit } = violation;
    return el('div', { class: 'culprit' },
      el('span', { class: 'caption' }, culprit.source ? 'The line to look at' : 'The event to look at'),
      el('div', { class: 'line mono' }, culprit.source || nameOf(culprit.life, culprit.seq)),
      el('p', {}, `${culprit.text} at ${since(culprit.time)}${culprit.before} (event ${nameOf(culprit.life, culprit.seq)}).`),
      culprit.source ? null : el('p', { class: 'faint small' }, 'No line of source code was recorded with it.'));
  },

  /** What says the same mistake: the notes under a violation, or the one that a note is under. */
  alike(violation) {
    const head = headOf(violation);
    const some = head === violation ? data.violations.filter(one => one.under === violation.n) : [head];
    if (!some.length) return null;
    return el('div', { class: 'others' }, el('h3', {}, head === violation ? 'The same mistake breaks too' : 'A note under'), this.links(some));
  },

  links: some => el('ul', {}, some.map(one => el('li', {},
    el('button', { type: 'button', onclick: () => selectViolation(one) }, el('span', { class: `badge ${one.severity}` }, one.rule), el('span', { class: 'text' }, panels.title(one), one.time === null ? null : el('span', { class: 'mono faint' }, ` ${since(one.time)}`)))))),

  /** What else is broken, by name: a number in the head does not say whether it is worth a look. */
  others(violation, most = 3) {
    const others = standing.filter(one => one !== headOf(violation));
    if (!others.length) return null;
    const more = data.violationCount - 1 - Math.min(most, others.length);
    return el('div', { class: 'others no-print' }, el('h3', {}, 'Also broken'), this.links(others.slice(0, most)),
    more > 0 ? el('p', { class: 'faint small' }, `${grouped.format(more)} more in the list of violations.`) : null);
  },

  steps(violation) {
    return el('ol', { class: 'steps' }, violation.steps.map(step => {
      if (step.missing) return el('li', {}, el('button', { type: 'button', disabled: true }, el('span', { class: 'time' }), el('span', { class: 'label' }, step.label), el('span', { class: 'text faint' }, 'is not in the recording')));
      const go = () => selectEvent(eventOf(step.life, step.seq), true);
      return el('li', { class: step.cause ? 'cause' : '' }, el('button', { type: 'button', onclick: go, 'data-life': step.life, 'data-seq': step.seq },
        el('span', { class: 'time mono' }, since(step.time)),
        el('span', { class: 'label' }, step.cause ? `${step.label || 'here'}: the cause` : step.label),
        el('span', { class: 'text' }, step.text, step.source ? el('span', { class: 'source mono' }, ` ${step.source}`) : null)));
    }));
  },

  /** The list of all violations. */
  list(most = 200) {
    const items = data.violations.slice(0, most).map(violation => el('li', {}, el('button', { type: 'button', 'data-n': violation.n, onclick: () => { selectViolation(violation); byId('verdict').scrollIntoView({ block: 'start' }); } },
      el('span', { class: `badge ${violation.severity}` }, violation.rule),
      el('span', { class: 'time mono faint' }, violation.time === null ? '' : since(violation.time)),
      el('span', { class: 'text' }, violation.title || violation.object || 'broken here', violation.under ? el('span', { class: 'faint' }, ` (a note under ${violation.under})`) : null),
      el('span', { class: 'mono faint' }, nameOf(violation.life, violation.seq)))));
    if (data.violations.length > most) items.push(el('li', {}, el('button', { type: 'button', onclick: () => { this.list(Infinity); this.markCurrent(); } }, `Show all ${grouped.format(data.violations.length)}`)));
    const more = data.violationCount - standing.length;
    if (more > 0) items.push(el('li', { class: 'faint' }, `${plural(more, 'violation')} more: ${data.replay} -e violations`));
    if (!items.length) items.push(el('li', { class: 'faint' }, 'None.'));
    fill('verdict-list', items);
  },

  /** Marks what the cursor stands on, in the lists of violations and of steps. */
  markCurrent() {
    for (const button of byId('verdict-list').querySelectorAll('button')) button.toggleAttribute('aria-current', false);
    const own = this.violation && byId('verdict-list').querySelector(`button[data-n="${this.violation.n}"]`);
    if (own) own.setAttribute('aria-current', 'true');
    const here = picture.selected;
    for (const step of byId('verdict-body').querySelectorAll('button[data-seq]')) {
      if (here >= 0 && eventOf(Number(step.dataset.life), Number(step.dataset.seq)) === here) step.setAttribute('aria-current', 'true');
      else step.removeAttribute('aria-current');
    }
  },

  /** The event under the cursor in full. */
  event(index) {
    if (index < 0) {
      fill('event', el('p', { class: 'big' }, `At ${since(picture.cursor)}`), el('p', { class: 'faint' }, 'No event: click on one, or step.'));
      return;
    }
    const shape = shapeOf(index), name = eventName(index);
    const row = (term, text) => text ? [el('dt', {}, term), el('dd', { class: 'mono' }, text)] : [];
    fill('event', el('p', { class: 'big' }, shape.text || shape.kind), el('dl', { class: 'facts' },
      row('event', name), row('number', `#${grouped.format(index + 1)} of ${grouped.format(data.listed)}${data.listed < data.count ? ' on this page' : ''}`), row('time', `${since(events.time[index], 6)} since the recording began`), row('clock', data.wall && wallText(events.time[index])),
      row('kind', shape.kind), row('thread', threadName(shape.thread)), row('source', shape.source)), commandLine(name));
  },

  /** What is the case at the cursor, process by process: read off the lanes. */
  state(time) {
    const parts = [];
    for (const group of data.groups) {
      const tags = [], shown = [];
      let label = null;
      const open = [];
      for (const lane of group.lanes) {
        const level = levelOf(lane.levels[0]);
        // What has ended at this very time is over, unless the recording ends.
        for (let i = firstFrom(level.reach, time); i < level.bars && level.begin[i] <= time; i++) {
          if (level.end[i] < time || level.end[i] === time && time < data.span[1] && level.begin[i] < time) continue;
          if (level.begin[i] === level.end[i] && level.begin[i] < time) continue;
          open.push({ lane, look: data.looks[level.look[i]], name: data.strings[level.name[i]], begin: level.begin[i], life: level.life[i], count: level.count[i] });
        }
        for (let i = firstFrom(level.at, time); i < level.marks && level.at[i] <= time; i++) {
          const kind = data.kinds[level.kind[i]];
          if (kind === 'lost' || kind === 'maybeLost') shown.push(el('span', { class: 'tag lost' }, `${lane.name} ${signs[kind][2]}`));
        }
      }
      // Of states that lasted no time at all, the last one stands.
      const standing = new Map(open.filter(bar => bar.lane.kind === 'state').map(bar => [bar.lane, bar]));
      for (const bar of open) {
        if (bar.lane.kind === 'state' && standing.get(bar.lane) !== bar) continue;
        const age = time > bar.begin ? ` for ${duration(time - bar.begin)}` : '';
        if (bar.lane.kind === 'state') { label = data.lives[bar.life].label; tags.unshift(el('span', { class: 'tag' }, `${looks[bar.look][1]}${age}`)); continue; }
        if (bar.lane.kind === 'object') { if (bar.look === 'unsaved') shown.push(el('span', { class: 'tag unsaved' }, `${bar.lane.name} unsaved${age}`)); else tags.push(el('span', { class: 'tag' }, `${bar.lane.name} ${looks[bar.look][1]}`)); continue; }
        if (bar.lane.kind === 'queue') { tags.push(el('span', { class: 'tag' }, `${plural(bar.count, 'notification')} waiting`)); continue; }
        const where = bar.lane.kind === 'main' ? 'main: ' : bar.lane.kind === 'thread' ? `${bar.lane.name}: ` : bar.lane.kind === 'held' ? 'held: ' : '';
        tags.push(el('span', { class: 'tag' }, `${where}${bar.name || looks[bar.look][1]}${age}`));
      }
      if (!tags.length && !shown.length) continue;
      const more = Math.max(0, shown.length - 24) + Math.max(0, tags.length - 24);
      parts.push(el('dt', {}, label || group.name), el('dd', {}, shown.slice(0, 24), tags.slice(0, 24), more ? el('span', { class: 'faint' }, `${grouped.format(more)} more`) : ''));
    }
    const drawn = new Set(data.groups.filter(group => group.lanes.length).flatMap(group => group.lives));
    const bare = data.lives.filter((one, life) => !drawn.has(life) && one.role !== 'device' && one.begin <= time && time <= one.end).length;
    if (bare) parts.push(el('dt', {}, 'others'), el('dd', { class: 'faint' }, `${plural(bare, 'process')} of which this page has no lanes`));
    let same = 0;
    for (let i = firstFrom(events.time, time); i < events.count && events.time[i] === time && same < 2; i++) same++;
    const when = same > 1 ? el('p', { class: 'faint small' }, 'When all that happens at this instant has happened.') : '';
    fill('state', el('h3', {}, picture.selected >= 0 && events.time[picture.selected] === time ? `State after this event, ${since(time)}` : `State at ${since(time)}`), when, parts.length ? el('dl', { class: 'facts' }, parts) : el('p', { class: 'faint' }, 'Nothing runs here.'));
  },

  /** What became of each object; of very many the first, until all are asked for. */
  ledger(most = 100) {
    const head = el('tr', {}, ['Object', 'Newest edit', 'Size', 'Last save', 'Became', 'By', ''].map((text, i) => el('th', { class: i === 2 ? 'right' : '', scope: 'col' }, text || el('span', { class: 'unseen' }, 'Go there'))));
    const rows = data.ledger.rows.slice(0, most).map(row => {
      const name = nameOf(row.life, row.seq);
      const fate = row.fate + (row.for === null ? '' : `, unsaved for ${duration(row.for)}`);
      return el('tr', {}, el('td', {}, row.object), el('td', { class: 'mono' }, `version ${row.version} ${since(row.time)}`), el('td', { class: 'right nowrap' }, plural(row.bytes, 'byte')),
        el('td', {}, row.saved ? `version ${row.saved.version}, ${row.saved.level}` : 'none'),
        el('td', {}, row.rules.map(rule => el('span', { class: 'tag lost' }, rule)), el('span', { class: `tag${row.fate === 'lost' || row.fate === 'may be lost' ? ' lost' : row.fate === 'unsaved' ? ' unsaved' : ''}` }, fate)),
        el('td', { class: 'mono' }, row.source), el('td', {}, el('button', { type: 'button', class: 'no-print', 'aria-label': `Go to ${name}`, onclick: () => selectEvent(eventOf(row.life, row.seq), true) }, name), commandLine(name)));
    });
    if (!rows.length) rows.push(el('tr', {}, el('td', { colspan: 7, class: 'faint' }, 'No data object was declared.')));
    if (data.ledger.rows.length > most) rows.push(el('tr', {}, el('td', { colspan: 7 }, el('button', { type: 'button', class: 'no-print', onclick: () => this.ledger(Infinity) }, `Show all ${grouped.format(data.ledger.rows.length)}`))));
    const least = data.ledger.bounds.length ? 'At least ' : '';
    if (data.ledger.more) rows.push(el('tr', {}, el('td', { colspan: 7, class: 'faint' }, `${least}${plural(data.ledger.more, 'object')} more are not listed.`)));
    for (const bound of data.ledger.bounds) rows.push(el('tr', {}, el('td', { colspan: 7, class: 'faint' }, bound)));
    fill('ledger', el('thead', {}, head), el('tbody', {}, rows));
  },

  processes() {
    const depth = life => { let d = 0; for (let at = data.lives[life].previous; at !== null && data.lives[at] && d < 30; at = data.lives[at].previous) d++; return d; };
    const order = data.lives.map((_, i) => i).sort((a, b) => data.lives[a].begin - data.lives[b].begin);
    const shown = order.slice(0, 500);
    const rows = shown.map(life => {
      const one = data.lives[life], cell = el('td', { class: 'mono nowrap' }, `${depth(life) ? '↳ ' : ''}${one.label}`);
      return el('tr', {}, cell, el('td', {}, one.role === 'harness' ? 'device' : one.role), el('td', { class: 'right' }, one.pid ? String(one.pid) : ''), el('td', { class: 'mono nowrap' }, since(one.begin)), el('td', { class: 'nowrap' }, duration(one.end - one.begin)), el('td', { class: 'right' }, grouped.format(one.events)), el('td', {}, one.how),
        el('td', {}, one.first === null ? '' : commandLine(nameOf(life, one.first))));
    });
    if (order.length > shown.length) rows.push(el('tr', {}, el('td', { colspan: 8, class: 'faint' }, `${plural(order.length - shown.length, 'process')} more.`)));
    const head = ['Process', 'Role', 'Pid', 'From', 'For', 'Events', 'End', 'Command'].map((text, i) => el('th', { scope: 'col', class: i === 2 || i === 5 ? 'right' : '' }, text));
    fill('processes', el('thead', {}, el('tr', {}, head)), el('tbody', {}, rows));
    if (data.tree.length) { byId('tree').hidden = false; byId('tree').textContent = data.tree.join('\n'); }
  },
};

// MARK: the list of events, of which only the rows on screen exist

const list = {
  rows: null, height: 28, heightMax: 12e6, node: byId('events'),

  /** Which events the filter keeps; null for all. */
  filter() {
    const text = byId('search').value.trim().toLowerCase(), life = byId('process').value, family = byId('family').value;
    const words = text.split(/\s+/).filter(Boolean), named = /^(.+#\d+):(\d+)$/.exec(text);
    if (!words.length && life === '' && family === '') { this.rows = null; return this.refresh(); }
    const fits = events.shapes.map(shape => {
      if (life !== '' && shape.life !== Number(life) || family !== '' && shape.family !== Number(family)) return false;
      if (named) return data.lives[shape.life].label.toLowerCase() === named[1];
      const all = `${shape.text} ${shape.kind} ${shape.source} ${data.lives[shape.life].label} ${threadName(shape.thread)}`.toLowerCase();
      return words.every(word => all.includes(word));
    });
    const rows = new Uint32Array(events.count);
    let count = 0;
    for (let i = 0; i < events.count; i++) if (fits[events.shape[i]] && (!named || events.seq[i] === Number(named[2]))) rows[count++] = i;
    this.rows = rows.subarray(0, count);
    this.refresh();
  },

  get count() { return this.rows ? this.rows.length : events.count; },
  index(row) { return this.rows ? this.rows[row] : row; },
  row(index) {
    if (!this.rows) return index;
    const row = firstFrom(this.rows, index);
    return row < this.rows.length && this.rows[row] === index ? row : -1;
  },

  /** Where the list is scrolled to: of very many rows a pixel stands for several. */
  get scale() { return Math.max(1, this.count * this.height / this.heightMax); },

  refresh() {
    const all = data.count > data.listed ? ` of ${grouped.format(data.count)}, the others are in the recording` : '';
    byId('matches').textContent = this.rows ? `${plural(this.count, 'event')} found` : `${plural(events.count, 'event')}${all}`;
    byId('events-size').style.height = `${this.count * this.height / this.scale}px`;
    this.draw();
  },

  draw() {
    const seen = Math.ceil(this.node.clientHeight / this.height) + 1, last = Math.max(0, this.count - seen + 1);
    const first = Math.min(last, Math.floor(this.node.scrollTop * this.scale / this.height));
    const rows = [];
    for (let row = first; row < Math.min(this.count, first + seen); row++) rows.push(this.make(row));
    const holder = byId('events-rows');
    holder.replaceChildren(...rows);
    const height = this.node.clientHeight;
    holder.style.marginTop = `-${byId('events-size').offsetHeight}px`;
    holder.style.height = `${height}px`;
    holder.style.overflow = 'hidden';
    const active = byId(`row-${picture.selected}`);
    if (active) this.node.setAttribute('aria-activedescendant', active.id); else this.node.removeAttribute('aria-activedescendant');
  },

  make(row) {
    const index = this.index(row), shape = shapeOf(index), kind = shape.kind;
    const grave = /purge|exit|loss|failed|dropped|expire/.test(kind) ? ' bad' : /transition|suspend|resume|start$/.test(kind) ? ' strong' : '';
    return el('div', { class: `row${grave}`, role: 'option', id: `row-${index}`, 'aria-selected': index === picture.selected ? 'true' : 'false', 'aria-posinset': row + 1, 'aria-setsize': this.count, onclick: () => selectEvent(index) },
      el('span', { class: 'time mono faint' }, since(events.time[index], 6)), el('span', { class: 'name mono' }, eventName(index)), el('span', { class: 'thread faint' }, threadName(shape.thread)),
      el('span', { class: 'kind faint' }, kind), el('span', { class: 'text', title: shape.text }, shape.text), el('span', { class: 'source mono' }, shape.source));
  },

  /** Scrolls so that an event can be seen. */
  reveal(index) {
    const row = this.row(index);
    if (row >= 0) {
      const seen = Math.floor(this.node.clientHeight / this.height), first = this.node.scrollTop * this.scale / this.height;
      if (row < first || row >= first + seen - 1) this.node.scrollTop = Math.max(0, row - seen / 2) * this.height / this.scale;
    }
    this.draw();
  },
};
