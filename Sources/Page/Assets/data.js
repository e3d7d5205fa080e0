'use strict';
// What the page is made of: texts as JSON, numbers packed 7 bits a byte. Nothing of it is ever
// written as markup: texts become text nodes.

const data = JSON.parse(document.getElementById('data').textContent);

/** The violations that stand for themselves; the others are notes under one of them. */
const standing = data.violations.filter(one => !one.under);

/** The violation that says the same mistake better; itself where there is none. */
const headOf = violation => data.violations.find(one => one.n === violation.under) || violation;

const bytes = (() => {
  const text = document.getElementById('columns').textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) out[i] = binary.charCodeAt(i);
  return out;
})();

/** Reads packed numbers from a place on. */
function reader(at) {
  const next = () => {
    let byte = bytes[at++];
    if (byte < 128) return byte;
    let value = byte & 127, scale = 128;
    do {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
  const signed = () => { const value = next(); return value % 2 ? -(value + 1) / 2 : value / 2; };
  return { next, signed };
}

/** All events: time, shape, and number in their stream; in the order of the recording. */
const events = (() => {
  const [shapesAt, shapeCount] = data.tables.shapes, [at, count] = data.tables.events;
  const shapes = [];
  let r = reader(shapesAt);
  for (let i = 0; i < shapeCount; i++) {
    shapes.push({
      life: r.next(), thread: r.next(), kind: data.strings[r.next()], family: r.next(),
      text: data.strings[r.next()], source: data.strings[r.next()],
    });
  }
  const time = new Float64Array(count), shape = new Uint32Array(count), seq = new Float64Array(count);
  const following = new Float64Array(data.lives.length), perLife = new Uint32Array(data.lives.length);
  r = reader(at);
  for (let i = 0, now = 0; i < count; i++) {
    now += r.next();
    const word = r.next(), s = word % 2 ? (word - 1) / 2 : word / 2, life = shapes[s].life;
    const number = word % 2 ? r.next() : following[life];
    following[life] = number + 1;
    perLife[life]++;
    time[i] = now; shape[i] = s; seq[i] = number;
  }
  const ofLife = data.lives.map((_, life) => new Uint32Array(perLife[life]));
  perLife.fill(0);
  for (let i = 0; i < count; i++) { const life = shapes[shape[i]].life; ofLife[life][perLife[life]++] = i; }
  return { count, time, shape, seq, shapes, ofLife };
})();

/** The first place in sorted `list`, up to `end`, whose value is not below `value`. */
function firstFrom(list, value, end = list.length) {
  let low = 0;
  while (low < end) { const middle = (low + end) >> 1; if (list[middle] < value) low = middle + 1; else end = middle; }
  return low;
}

/** The index of an event by life and number; -1 where the page does not list it. */
function eventOf(life, number) {
  const places = events.ofLife[life];
  if (!places) return -1;
  let low = 0, high = places.length;
  while (low < high) { const middle = (low + high) >> 1; if (events.seq[places[middle]] < number) low = middle + 1; else high = middle; }
  return low < places.length && events.seq[places[low]] === number ? places[low] : -1;
}

const shapeOf = index => events.shapes[events.shape[index]];
const nameOf = (life, number) => `${data.lives[life] ? data.lives[life].label : '?'}:${number}`;
const eventName = index => nameOf(shapeOf(index).life, events.seq[index]);
const threadName = thread => thread === 0 ? 'main' : `t${thread}`;

/** One level of detail of a lane, unpacked when it is first drawn. */
function levelOf(level) {
  if (level.open) return level.open;
  const [barsAt, bars] = level.bars, [marksAt, marks] = level.marks, start = data.span[0];
  const open = {
    bars, begin: new Float64Array(bars), end: new Float64Array(bars), look: new Uint8Array(bars),
    row: new Uint8Array(bars), life: new Uint32Array(bars), seq: new Float64Array(bars),
    name: new Uint32Array(bars), count: new Uint32Array(bars), fill: new Uint8Array(bars),
    reach: new Float64Array(bars),
    marks, at: new Float64Array(marks), kind: new Uint8Array(marks), markLife: new Uint32Array(marks),
    markSeq: new Float64Array(marks), markCount: new Uint32Array(marks),
  };
  let r = reader(barsAt), time = start, number = 0, reach = -Infinity;
  for (let i = 0; i < bars; i++) {
    time += r.next();
    open.begin[i] = time; open.end[i] = time + r.next();
    const look = r.next();
    open.look[i] = look >> 3; open.row[i] = look & 7;
    open.life[i] = r.next();
    open.seq[i] = number += r.signed();
    open.name[i] = r.next(); open.count[i] = r.next(); open.fill[i] = 255 - r.next();
    // The latest end so far, by which what reaches into a view is found.
    open.reach[i] = reach = Math.max(reach, open.end[i]);
  }
  r = reader(marksAt); time = start; number = 0;
  for (let i = 0; i < marks; i++) {
    open.at[i] = time += r.next();
    open.kind[i] = r.next(); open.markLife[i] = r.next();
    open.markSeq[i] = number += r.signed();
    open.markCount[i] = r.next();
  }
  return level.open = open;
}

const flows = (() => {
  const [at, count] = data.flows, r = reader(at), list = [];
  for (let i = 0; i < count; i++) {
    list.push({
      from: { life: r.next(), seq: r.next(), time: r.signed() },
      to: { life: r.next(), seq: r.next(), time: r.signed() },
    });
  }
  return list;
})();
const flowTimes = flows.map(flow => flow.from.time);
const longestFlow = flows.reduce((most, { from, to }) => Math.max(most, to.time - from.time), 0);

const grouped = new Intl.NumberFormat('en-US');
const plural = (count, thing) => `${grouped.format(count)} ${thing}${count === 1 ? '' : thing.endsWith('s') ? 'es' : 's'}`;

/** A length of time as the tool says it: two or three figures. */
function duration(ns) {
  const size = Math.abs(ns), sign = ns < 0 ? '-' : '';
  const short = value => value >= 100 ? Math.round(value).toString() : (Math.round(value * 10) / 10).toString();
  if (size < 1e3) return `${sign}${Math.round(size)} ns`;
  if (size < 999.5e3) return `${sign}${short(size / 1e3)} µs`;
  if (size < 999.5e6) return `${sign}${short(size / 1e6)} ms`;
  if (size < 119.5e9) return `${sign}${short(size / 1e9)} s`;
  const seconds = Math.round(size / 1e9);
  if (size < 7199.5e9) return `${sign}${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
  const minutes = Math.round(size / 60e9);
  return `${sign}${grouped.format(Math.floor(minutes / 60))} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`;
}

/** What the clock on the wall showed then, where the recording knows: `2026-11-21 18:38:07.702 UTC`. */
function wallText(ns) {
  const { ms, ns: rest, day, zone } = data.wall, date = new Date(ms + Math.floor((rest + ns) / 1e6));
  if (Number.isNaN(date.getTime())) return '';
  const [days, clock] = date.toISOString().slice(0, -1).split('T');
  return `${day ? `${days} ` : ''}${clock}${zone}`;
}

/** Since the start of the recording: `+2.104 s`; digits are cut off, not rounded, as `check` has them. */
const since = (ns, digits = 3) => {
  const unit = 10 ** (9 - digits), whole = Math.floor(Math.round(Math.abs(ns)) / unit), seconds = Math.floor(whole / 10 ** digits);
  const rest = String(whole % 10 ** digits).padStart(digits, '0');
  return `${ns < 0 ? '-' : '+'}${grouped.format(seconds)}${digits ? `.${rest}` : ''} s`;
};

/** An element with attributes and children; strings become text, never markup. */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'class') node.className = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
  return node;
}

const byId = id => document.getElementById(id);
const fill = (id, ...children) => byId(id).replaceChildren(...children.flat().filter(child => child !== null && child !== undefined));
