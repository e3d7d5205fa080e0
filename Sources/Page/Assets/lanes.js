// Which lanes the picture has room for, and where they lie: thousands of processes fit into no picture.

const laneHeight = 27, rowHeight = 12, tallest = 8000;
const hiddenLanes = { thread: 3, object: 10 };

/** The lanes from above to below, and what stands beside them. The processes `about` are always there. */
function layLanes(expanded, about) {
  const lanes = [], labels = [];
  let y = headHeight, folded = 0;
  const space = (height, ...inside) => {
    const label = el('div', {}, ...inside);
    label.style.height = `${height}px`;
    labels.push(label);
    y += height;
  };
  const isAbout = group => group.lives.some(life => about.has(life));
  // Room is kept for those that the reader looks at, wherever they stand.
  const kept = data.groups.filter(isAbout).length * 200;
  for (const group of data.groups) {
    if (y > tallest - kept && !isAbout(group)) { folded++; continue; }
    const seen = {};
    let left = 0;
    for (const lane of group.lanes) {
      seen[lane.kind] = (seen[lane.kind] || 0) + 1;
      // What the violation is about is always there.
      const isMeant = lane.kind === 'object' && panels.violation && lane.name === panels.violation.object;
      const isMuch = seen[lane.kind] > (hiddenLanes[lane.kind] || 1) && !expanded.has(group.name);
      if ((isMuch || y > tallest) && !isMeant) { left++; continue; }
      const isState = lane.kind === 'state';
      const rows = isState || lane.kind === 'object' || lane.kind === 'queue' ? 1 : Math.min(4, lane.rows);
      const height = Math.max(laneHeight, rows * rowHeight + 6), title = laneTitle(lane, group);
      lanes.push({ lane, group, y, height, rows, title });
      space(height, title);
      labels[labels.length - 1].className = isState ? 'process' : 'lane';
      labels[labels.length - 1].title = title;
    }
    if (left || expanded.has(group.name)) {
      const text = left ? `${plural(left, 'lane')} more` : 'fewer lanes';
      const toggle = () => { expanded.has(group.name) ? expanded.delete(group.name) : expanded.add(group.name); picture.arrange(); };
      space(24, expanded.has(group.name) && left
        ? el('button', { type: 'button', class: 'no-print', onclick: toggle, 'aria-label': `Fewer lanes of ${group.name}` }, `fewer (${plural(left, 'lane')} without room)`)
        : el('button', { type: 'button', class: 'no-print', onclick: toggle, 'aria-label': `${text} of ${group.name}` }, text));
    }
    space(6);
  }
  if (folded) space(40, el('span', { class: 'faint small' }, `${plural(folded, 'process')} more: go to an event of theirs`));
  return { lanes, labels, height: y + 4 };
}

function laneTitle(lane, group) {
  switch (lane.kind) {
    case 'state': {
      const lives = group.lives.map(life => data.lives[life].label);
      const name = lives.length > 1 ? `${lives[0]}–${lives[lives.length - 1].split('#').pop()}` : lives[0] || group.name;
      // Of a long id the end tells apart.
      return name.length > 19 ? `…${name.slice(-17)}` : name;
    }
    case 'main': return 'main';
    case 'thread': return lane.name;
    case 'object': return lane.name || 'data';
    case 'task': return 'tasks';
    default: return lane.kind;
  }
}
