// How each thing looks, and where times lie.

const looks = {
  running: ['--running', 'running'],
  inactive: ['--inactive', 'inactive'], active: ['--active', 'active'],
  background: ['--background', 'background'], suspended: ['--suspended', 'suspended'],
  callback: ['--callback', 'callback'], turn: ['--turn', 'run loop'], work: ['--work', 'work'],
  wait: ['--wait', 'waiting'], unsaved: ['--unsaved', 'unsaved'], saving: ['--saving', 'being saved'],
  task: ['--task', 'background task'], wake: ['--wake', 'woken'], deadline: ['--deadline', 'time budget'],
  queue: ['--queue', 'notifications waiting'], held: ['--held', 'held'],
};
const signs = {
  lost: ['✕', '--bad', 'lost'], maybeLost: ['?', '--bad', 'may be lost'],
  eventsLost: ['!', '--bad', 'events missing'], ended: ['■', '--bad', 'process ended'],
  purged: ['▼', '--bad', 'purged'], expired: ['E', '--bad', 'expired'], failed: ['F', '--bad', 'save failed'],
  dropped: ['D', '--bad', 'notification dropped'], edit: ['✎', '--mark', 'edit'],
  saved: ['✓', '--good', 'saved'], deferred: ['◷', '--warn', 'save deferred'],
  discarded: ['∅', '--faint', 'given up'], restored: ['↺', '--good', 'read back'],
  wake: ['☼', '--mark', 'woken'], launched: ['▲', '--mark', 'launched'], posted: ['+', '--mark', 'posted'],
  delivered: ['•', '--mark', 'delivered'], sent: ['→', '--mark', 'message sent'],
  received: ['←', '--mark', 'message received'], device: ['◆', '--mark', 'device'],
  touch: ['●', '--mark', 'touch'], test: ['T', '--mark', 'test'], named: ['⚑', '--mark', 'mark'],
  log: ['¶', '--faint', 'log line'],
};
// Up to this one, none is taken for a lesser one.
const graveMost = data.kinds.indexOf('dropped');
// As much of the width for a gap as long as all that is drawn, more for longer ones, and never more
// than this for all of them: a cut says how long it is, and a longer one looks longer.
const cutWidth = 0.052, cutsWidth = 0.34;

/** Where times lie on the elastic axis, from 0 to 1, and back. */
const axis = (() => {
  const drawn = Math.max(1, data.axis.reduce((sum, [begin, end, isCut]) => sum + (isCut ? 0 : end - begin), 0));
  const wanted = ([begin, end, isCut]) => isCut ? cutWidth * (1 + Math.log2(1 + (end - begin) / drawn) / 8) : 0;
  const all = data.axis.reduce((sum, piece) => sum + wanted(piece), 0), fit = all > cutsWidth ? cutsWidth / all : 1;
  let at = 0;
  const pieces = data.axis.map(given => {
    const [begin, end, isCut, share] = given, width = isCut ? wanted(given) * fit : share * (1 - all * fit);
    const piece = { begin, end, isCut, from: at, to: at + width };
    at += width;
    return piece;
  });
  const begins = pieces.map(piece => piece.begin), froms = pieces.map(piece => piece.from);
  const find = (list, value) => Math.max(0, Math.min(pieces.length - 1, firstFrom(list, value) - (list[firstFrom(list, value)] === value ? 0 : 1)));
  return {
    pieces,
    place(time) {
      const piece = pieces[find(begins, time)], length = piece.end - piece.begin;
      if (length <= 0) return piece.from;
      return piece.from + (piece.to - piece.from) * Math.max(0, Math.min(1, (time - piece.begin) / length));
    },
    time(place) {
      const piece = pieces[find(froms, place)], width = piece.to - piece.from;
      if (width <= 0) return piece.begin;
      return piece.begin + (piece.end - piece.begin) * Math.max(0, Math.min(1, (place - piece.from) / width));
    },
  };
})();
