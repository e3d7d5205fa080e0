// The picture: lanes on a canvas, over an axis whose gaps are cut. Each frame draws of each lane the
// level of detail that is about as fine as a pixel.

// The head has a line for the flags of violations, one for the lengths of what is cut, one for times.
const inset = 10, headHeight = 56, cutLine = 29, timeLine = 45;
// What A4 and Letter have room for beside the names of the lanes; page.css says the same.
const paperWidth = 500;

const picture = {
  canvas: byId('canvas'), view: [0, 1], lanes: [], height: 0, width: 0, cursor: 0, selected: -1,
  colours: {}, isDirty: false, expanded: new Set(), frames: 0,

  /** Lays the lanes under each other, and their names beside them. */
  arrange() {
    const about = new Set(this.selected < 0 ? [] : [shapeOf(this.selected).life]);
    if (panels.violation) about.add(panels.violation.life);
    const laid = layLanes(this.expanded, about);
    this.lanes = laid.lanes;
    this.height = laid.height;
    fill('labels', el('div', { class: 'axis-name' }, 'seconds since the recording began'), laid.labels);
    this.canvas.style.height = `${this.height}px`;
    this.drawLegend();
    this.resize();
  },

  /** Whether a process has its lanes in the picture. */
  shows(life) { return this.lanes.some(({ group }) => group.lives.includes(life)); },

  /** Takes the width of the page, or that of paper. */
  resize(width = byId('stage').clientWidth) {
    // A canvas that is taller than browsers make them shows nothing at all; on paper dots are small.
    const scale = Math.min(width === paperWidth ? 3 : window.devicePixelRatio || 1, 16384 / this.height);
    this.width = Math.max(50, width);
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.context = this.canvas.getContext('2d');
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.draw();
  },

  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['--text', '--faint', '--line', '--card', '--bg', '--cut', '--accent', '--bad', '--bad-soft', '--warn', '--good', '--mark'].concat(Object.values(looks).map(look => look[0]))) {
      this.colours[name] = style.getPropertyValue(name).trim();
    }
    this.redraw();
  },

  redraw() {
    if (this.isDirty) return;
    this.isDirty = true;
    requestAnimationFrame(() => { this.isDirty = false; this.draw(); });
  },

  /** Where a place on the axis lies on the canvas, and back; a little stays free on both sides. */
  left(place) { return inset + (place - this.view[0]) / (this.view[1] - this.view[0]) * (this.width - 2 * inset); },
  place(x) { return this.view[0] + (x - inset) / (this.width - 2 * inset) * (this.view[1] - this.view[0]); },
  x(time) { return this.left(axis.place(time)); },
  time(x) { return axis.time(this.place(x)); },

  show(from, to) {
    const least = 1e-9, length = Math.max(least, Math.min(1, to - from));
    const begin = Math.max(0, Math.min(1 - length, from));
    this.view = [begin, begin + length];
    this.redraw();
  },

  /** Zooms so that what is at `x` stays there. */
  zoom(factor, x = this.width / 2) {
    const at = this.place(x), [from, to] = this.view;
    this.show(at - (at - from) * factor, at + (to - at) * factor);
  },

  pan(pixels) { const step = pixels / this.width * (this.view[1] - this.view[0]); this.show(this.view[0] + step, this.view[1] + step); },

  /** The pieces of the axis in view, each with the times that are in it and its scale. */
  visible() {
    const from = this.place(0), to = this.place(this.width), out = [];
    for (const piece of axis.pieces) {
      if (piece.to < from || piece.from > to) continue;
      const first = Math.max(piece.begin, axis.time(Math.max(from, piece.from)));
      const last = piece.to <= to ? piece.end : Math.min(piece.end, axis.time(to));
      const left = this.left(piece.from), right = this.left(piece.to);
      out.push({ piece, first, last, left, right, perPixel: (piece.end - piece.begin) / Math.max(1e-9, right - left) });
    }
    return out;
  },

  draw() {
    const c = this.context;
    if (!c) return;
    this.frames++;
    const pieces = this.visible(), colours = this.colours;
    c.clearRect(0, 0, this.width, this.height);
    this.drawAxis(c, pieces);
    for (const { lane, y, height, rows } of this.lanes) {
      if (lane.kind === 'state') { c.fillStyle = colours['--line']; c.fillRect(0, y - 3, this.width, 1); }
      const names = new Map(), marks = this.marks(lane, pieces);
      for (const part of pieces) this.drawLane(c, lane, y, height, rows, part, names);
      for (const name of names.values()) this.drawName(c, lane, name, marks);
      this.drawMarks(c, marks, y, height);
    }
    this.drawFlows(c);
    this.drawViolations(c);
    this.drawCursor(c);
    const span = this.view[1] - this.view[0] >= 1 ? '' : `${since(this.time(0))} … ${since(this.time(this.width))}`;
    if (byId('range').textContent !== span) byId('range').textContent = span;
  },

  drawAxis(c, pieces) {
    const colours = this.colours;
    c.font = '11.5px system-ui, sans-serif';
    c.textBaseline = 'middle';
    // Where text stands already in a line: none is written over another.
    const taken = { [cutLine]: [], [timeLine]: [] };
    const put = (text, x, y, apart = 8) => {
      const width = c.measureText(text).width;
      if (x < 0 || x + width > this.width || taken[y].some(([from, to]) => x < to && x + width > from)) return false;
      taken[y].push([x - apart, x + width + apart]);
      c.fillStyle = colours['--faint'];
      c.fillText(text, x, y);
      return true;
    };
    for (const { piece, left, right } of pieces) {
      if (!piece.isCut) continue;
      c.fillStyle = colours['--cut'];
      c.fillRect(left, 36, right - left, this.height);
      this.hatch(c, Math.max(left, 0), Math.min(right, this.width));
      c.strokeStyle = colours['--line'];
      c.lineWidth = 1;
      for (const x of [left, right]) { c.beginPath(); c.moveTo(x + 3, 36); c.lineTo(x - 3, headHeight - 2); c.stroke(); }
    }
    // What a cut leaves out is said above it, the longest first where there is not room for all.
    c.font = '600 11px system-ui, sans-serif';
    for (const { time } of data.violations) if (time !== null) taken[cutLine].push([this.x(time) - 2, this.x(time) + 2]);
    taken[cutLine].push([this.x(this.cursor) - 3, this.x(this.cursor) + 3]);
    const cuts = pieces.filter(({ piece }) => piece.isCut).sort((a, b) => (b.piece.end - b.piece.begin) - (a.piece.end - a.piece.begin));
    for (const { piece, left, right } of cuts) {
      const length = duration(piece.end - piece.begin), middle = (Math.max(0, left) + Math.min(this.width, right)) / 2;
      const wide = c.measureText(`${length} cut`).width, text = wide <= right - left ? `${length} cut` : length, width = c.measureText(text).width;
      // Above its middle, or beside a line that runs there.
      for (const x of [middle - width / 2, left + 3, right - width - 3]) {
        if (put(text, Math.max(0, Math.min(this.width - width, x)), cutLine, 3)) break;
      }
    }
    c.font = '11.5px system-ui, sans-serif';
    for (const { piece, left, right, first, last, perPixel } of pieces) {
      if (piece.isCut) continue;
      const step = this.step(perPixel * 90);
      const digits = step >= 1e9 ? 0 : Math.min(9, Math.ceil(9 - Math.log10(step)));
      if (left >= 0) put(this.seconds(piece.begin, Math.max(digits, piece.begin % 1e9 ? 2 : 0)), left + 3, timeLine);
      for (let time = Math.ceil(first / step) * step; time <= last; time += step) {
        const x = left + (time - piece.begin) / perPixel;
        c.fillStyle = colours['--line'];
        c.fillRect(x, 38, 1, this.height);
        put(this.seconds(time, digits), x + 3, timeLine);
      }
    }
  },

  hatch(c, left, right) {
    c.save();
    c.beginPath(); c.rect(left, headHeight, right - left, this.height); c.clip();
    c.strokeStyle = this.colours['--line'];
    c.lineWidth = 1;
    c.beginPath();
    for (let x = left - this.height; x < right; x += 9) { c.moveTo(x, this.height); c.lineTo(x + this.height, 0); }
    c.stroke();
    c.restore();
  },

  seconds(time, digits) { return since(time, Math.min(9, digits)).slice(1); },

  step(least) {
    const ten = Math.pow(10, Math.floor(Math.log10(Math.max(1, least))));
    for (const factor of [1, 2, 5, 10]) if (ten * factor >= least) return ten * factor;
    return ten * 10;
  },

  /** The coarsest level of detail that is about as fine as a pixel. */
  level(lane, perPixel) {
    let best = lane.levels[0];
    for (const level of lane.levels) if (level.grain <= perPixel * 1.5) best = level;
    return levelOf(best);
  },

  /** Draws the bars of a lane within a piece; what there is room to name goes into `names`, once. */
  drawLane(c, lane, y, height, rows, { piece, first, last, left, perPixel }, names) {
    const level = this.level(lane, perPixel), room = height - 6, each = room / rows;
    // Of more rows than are drawn the last stands for all that are left: nothing in it has a name.
    const named = lane.kind === 'object' || lane.rows <= rows ? Infinity : rows - 1;
    let colour = '', alpha = 1;
    // A bar that runs through a cut has several parts: its name stands in the widest.
    const note = (i, look, from, to, top, tall) => {
      const key = `${level.life[i]}:${level.seq[i]}:${look}`, other = names.get(key);
      if (!other || to - from > other.to - other.from) names.set(key, { text: data.strings[level.name[i]], count: level.count[i], look, from, to, top, tall });
    };
    for (let i = firstFrom(level.reach, first); i < level.bars && level.begin[i] <= last; i++) {
      if (level.end[i] < first) continue;
      const from = left + (Math.max(level.begin[i], first) - piece.begin) / perPixel;
      const to = left + (Math.min(level.end[i], last) - piece.begin) / perPixel;
      const name = data.looks[level.look[i]], width = Math.max(1, to - from);
      if (colour !== looks[name][0]) c.fillStyle = this.colours[colour = looks[name][0]];
      const dense = level.fill[i] < 255 ? 0.25 + 0.75 * level.fill[i] / 255 : 1;
      if (alpha !== dense) c.globalAlpha = alpha = dense;
      if (name === 'queue') {
        const tall = Math.min(1, 0.25 + level.count[i] * 0.15) * room;
        c.fillRect(from, y + 3 + room - tall, width, tall);
        if (width > 24) note(i, name, from, to, y + 3, room);
        continue;
      }
      const isThin = name === 'saving' || name === 'suspended';
      const top = y + 3 + Math.min(rows - 1, lane.kind === 'object' ? 0 : level.row[i]) * each + (name === 'suspended' ? room * 0.25 : 0);
      c.fillRect(from, top, width, isThin ? room * 0.5 : Math.max(3, each - (rows > 1 ? 1 : 0)));
      if (width > 34 && level.fill[i] === 255 && level.row[i] < named) note(i, name, from, to, top, isThin ? room * 0.5 : each);
    }
    c.globalAlpha = 1;
  },

  /** Names a bar, between the marks that stand on it. */
  drawName(c, lane, { text, count, look, from, to, top, tall }, marks) {
    const isState = lane.kind === 'state', isQueue = look === 'queue';
    const name = isQueue ? String(count) : isState || lane.kind === 'object' ? looks[look][1] : text || looks[look][1];
    if (tall < 9) return;
    let begin = Math.max(from, 0) + 5, end = Math.min(to, this.width) - 4;
    if (!marks.isCrowded) {
      for (const [, x] of [...marks.drawn].sort((a, b) => a[1] - b[1])) {
        if (x < begin + 14) begin = Math.max(begin, x + 10); else { end = Math.min(end, x - 10); break; }
      }
    }
    c.font = `${isState || isQueue ? '600 ' : ''}10.5px system-ui, sans-serif`;
    const room = end - begin, wide = c.measureText(name).width;
    if (wide > room && (room < 60 || isState || isQueue)) return;
    c.save();
    c.beginPath(); c.rect(begin, top, room, tall); c.clip();
    c.fillStyle = isQueue ? this.colours['--text'] : this.ink(this.colours[looks[look][0]]);
    c.fillText(name, begin, top + tall / 2 + 0.5);
    c.restore();
  },

  /** Black or white, whichever can be read on a colour. */
  ink(colour) {
    const value = parseInt(colour.slice(1), 16), channel = shift => {
      const part = ((value >> shift) & 255) / 255;
      return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0) > 0.18 ? '#101318' : '#ffffff';
  },

  /** What happened on a lane, in view: kind, place, how many; the grave ones first. */
  marks(lane, pieces) {
    const drawn = [];
    for (const { piece, first, last, left, perPixel } of pieces) {
      const level = this.level(lane, perPixel * 6);
      for (let i = firstFrom(level.at, first); i < level.marks && level.at[i] <= last; i++) {
        drawn.push([level.kind[i], left + (level.at[i] - piece.begin) / perPixel, level.markCount[i]]);
      }
    }
    drawn.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    // So many that they could not be told apart are ticks.
    return { drawn, isCrowded: drawn.length > this.width / 20 };
  },

  drawMarks(c, { drawn, isCrowded }, y, height) {
    // Where two would stand in one place the graver stays.
    const taken = [];
    c.textAlign = 'center';
    for (const [kind, x, count] of drawn) {
      const [glyph, colour] = signs[data.kinds[kind]], isGrave = kind <= graveMost, slot = Math.round(x / 9);
      const isFree = !(taken[slot] || (isGrave ? false : taken[slot - 1] === 2 || taken[slot + 1] === 2));
      if (!isGrave && (isCrowded || !isFree)) { c.fillStyle = this.colours['--mark']; c.fillRect(x, y + 2, 1, 3); continue; }
      if (!isFree) { continue; }
      taken[slot] = isGrave ? 2 : 1;
      const middle = y + height / 2;
      if (isGrave) {
        c.fillStyle = this.colours['--card'];
        c.beginPath(); c.arc(x, middle, 8, 0, 7); c.fill();
        c.fillStyle = this.colours['--bad'];
        c.beginPath(); c.arc(x, middle, 7, 0, 7); c.fill();
        c.fillStyle = this.ink(this.colours['--bad']);
        c.font = '700 10px system-ui, sans-serif';
        c.fillText(glyph, x, middle + 0.5);
        if (count > 1 && data.kinds[kind] !== 'eventsLost') { c.fillStyle = this.colours['--bad']; c.textAlign = 'left'; c.fillText(`×${count}`, x + 9, middle); c.textAlign = 'center'; }
      } else {
        c.font = '12px system-ui, sans-serif';
        c.strokeStyle = this.colours['--card'];
        c.lineWidth = 3;
        c.strokeText(glyph, x, middle);
        c.fillStyle = this.colours[colour];
        c.fillText(glyph, x, middle);
      }
    }
    c.textAlign = 'left';
  },

  laneOf(life, kind) {
    const found = this.lanes.find(({ group, lane }) => group.lives.includes(life) && lane.kind === kind);
    return found || this.lanes.find(({ group }) => group.lives.includes(life));
  },

  drawFlows(c) {
    c.strokeStyle = this.colours['--accent'];
    c.lineWidth = 1;
    c.globalAlpha = 0.55;
    const begin = this.time(0), end = this.time(this.width);
    const low = firstFrom(flowTimes, begin - longestFlow), high = firstFrom(flowTimes, end);
    // So many would hide what they tie together.
    if (high - low > this.width / 12) { c.globalAlpha = 1; return; }
    for (const { from, to } of flows.slice(low, high)) {
      const left = this.x(from.time), right = this.x(to.time);
      const start = this.laneOf(from.life, 'main'), end = this.laneOf(to.life, 'main');
      if (!start || !end || right < 0) continue;
      const y0 = start.y + start.height / 2, y1 = end.y + end.height / 2;
      c.beginPath(); c.moveTo(left, y0); c.bezierCurveTo(left + 12, (y0 + y1) / 2, right - 12, (y0 + y1) / 2, right, y1); c.stroke();
    }
    c.globalAlpha = 1;
  },

  drawViolations(c) {
    let taken = -99, hidden = 0, hiddenAt = 0;
    c.font = '700 10.5px system-ui, sans-serif';
    c.textAlign = 'center';
    const flush = () => { if (hidden) { c.fillStyle = this.colours['--bad']; c.textAlign = 'left'; c.fillText(`+${hidden}`, hiddenAt + 10, 11); c.textAlign = 'center'; hidden = 0; } };
    for (const violation of data.violations) {
      if (violation.time === null) continue;
      const x = this.x(violation.time);
      if (x < -2 || x > this.width + 2) continue;
      const colour = this.colours[violation.severity === 'error' ? '--bad' : '--warn'];
      if (x - taken < 19) { hidden++; hiddenAt = taken; continue; }
      flush();
      taken = Math.max(9, Math.min(this.width - 9, x));
      c.fillStyle = colour;
      c.globalAlpha = violation === panels.violation ? 0.9 : 0.35;
      c.fillRect(x - 0.5, 18, 1, this.height);
      c.globalAlpha = 1;
      c.beginPath(); c.roundRect(taken - 9, 2, 18, 17, 5); c.fill();
      c.fillStyle = this.ink(colour);
      c.fillText(String(violation.n), taken, 11);
    }
    flush();
    c.textAlign = 'left';
  },

  drawCursor(c) {
    const x = this.x(this.cursor);
    if (x < -1 || x > this.width + 1) return;
    c.fillStyle = this.colours['--accent'];
    c.fillRect(x - 1, 20, 2, this.height);
    c.beginPath(); c.moveTo(x - 6, 20); c.lineTo(x + 6, 20); c.lineTo(x, 28); c.fill();
  },

  drawLegend() {
    const used = new Set(), marks = new Set();
    for (const { lane } of this.lanes) {
      const level = levelOf(lane.levels[lane.levels.length - 1]);
      for (let i = 0; i < level.bars; i++) used.add(data.looks[level.look[i]]);
      for (let i = 0; i < level.marks; i++) marks.add(data.kinds[level.kind[i]]);
    }
    const bars = Object.keys(looks).filter(name => used.has(name)).map(name => {
      const sample = el('i', { 'aria-hidden': 'true' });
      sample.style.background = `var(${looks[name][0]})`;
      return el('li', {}, sample, looks[name][1]);
    });
    const instants = Object.keys(signs).filter(name => marks.has(name)).map(name => el('li', {}, el('b', { 'aria-hidden': 'true' }, signs[name][0]), signs[name][2]));
    fill('legend', bars, instants);
  },

  /** What is drawn at a point: a mark, else the bar, else nothing. */
  at(x, y) {
    const row = this.lanes.find(lane => y >= lane.y && y < lane.y + lane.height);
    if (!row) return null;
    const part = this.visible().find(({ left, right }) => x >= left && x <= right);
    if (!part) return null;
    const { piece, left, perPixel } = part, time = piece.begin + (x - left) * perPixel;
    const level = this.level(row.lane, perPixel), near = perPixel * 7;
    let best = null;
    for (let i = firstFrom(level.at, time - near); i < level.marks && level.at[i] <= time + near; i++) {
      const distance = Math.abs(level.at[i] - time), isGrave = level.kind[i] <= graveMost;
      if (!best || isGrave && !best.isGrave || isGrave === best.isGrave && distance < best.distance) best = { row, mark: i, level, distance, isGrave };
    }
    if (best) return best;
    const depth = Math.floor((y - row.y - 3) / ((row.height - 6) / row.rows));
    for (let i = firstFrom(level.reach, time - perPixel * 2); i < level.bars && level.begin[i] <= time + perPixel * 2; i++) {
      if (level.end[i] < time - perPixel * 2) continue;
      if (!best || level.row[i] === depth || row.lane.kind === 'object' && level.look[i] !== level.look[best.bar]) best = { row, bar: i, level };
    }
    return best || { row, time };
  },
};
