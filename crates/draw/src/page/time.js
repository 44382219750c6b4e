// ---- the time line

const AXIS = 22, LANE = 27, WAVE = 22, MARGIN = 18;
let rows = [], width = 40, height = 0, track = null, eventHeight = 60, tall = 0;

function lanesOf(r) {
  // The location of a process, the marked place of a unit or the value of a variable, per position.
  const wanted = data.lanes.map(lane => ({...lane, values: []}));
  const s = r.start.slice();
  const text = lane => {
    if (lane.places) { const v = lane.places.find(v => s[v] !== 0); return v === undefined ? '' : data.vars[v][0]; }
    return valueText(lane.var, s[lane.var]);
  };
  for (let i = 0; i < size(r); i++) {
    for (const lane of wanted) lane.values.push(text(lane));
    if (i < r.steps.length) for (const [v, x] of r.steps[i][1]) s[v] = x;
  }
  return wanted.filter(lane => lane.always || lane.values.some(x => x !== lane.values[0]));
}

function messagesOf(r, lanes) {
  const place = v => lanes.findIndex(lane => lane.var === v);
  const waiting = {}, arrows = [];
  r.steps.forEach(([e, , label], i) => {
    const message = e === null ? null : data.messages[e];
    if (!message) return;
    const [channel, from, to] = message;
    const text = label ? channel + ' ' + label : channel;
    if (from !== null && to !== null) arrows.push({x0: i, y0: place(from), x1: i, y1: place(to), text});
    else if (from !== null) (waiting[channel] = waiting[channel] || []).push({x0: i, y0: place(from), text});
    else {
      const sent = (waiting[channel] || []).shift();
      arrows.push(sent ? {...sent, x1: i, y1: place(to)} : {x0: null, y0: null, x1: i, y1: place(to), text});
    }
  });
  for (const channel in waiting) for (const sent of waiting[channel]) arrows.push({...sent, x1: null, y1: null});
  return arrows.filter(a => a.y0 !== -1 && a.y1 !== -1);
}

/// Lays out the columns; once more if their labels, or a scroll bar, changed the available width.
function layTime(again = true) {
  prepare(run);
  const count = size(run), available = $('scroller').clientWidth, visible = Math.max(200, available);
  const talks = run.steps.some(([e]) => e !== null && data.messages[e]);
  width = clamp(Math.floor((visible - MARGIN) / count), talks ? 58 : 30, 116);
  const longest = run.steps.slice(0, 3000).reduce((most, [e]) => Math.max(most, eventName(e).length), 4);
  tall = 0;
  if (width >= 66) for (const [e] of run.steps.slice(0, 3000)) tall = Math.max(tall, broken(eventName(e)).length);
  eventHeight = tall ? 12 * tall + 8 : clamp(longest * 6.4 + 12, 34, 112);
  rows = [{kind: 'axis', label: 'position', class: 'head', h: AXIS}, {kind: 'events', label: 'event', class: 'head', h: eventHeight}];
  const lanes = lanesOf(run);
  for (const lane of lanes) rows.push({kind: 'lane', label: lane.name, class: '', h: LANE, values: lane.values, lane});
  const parts = $('subformulas').checked;
  run.subs.forEach(sub => {
    if (sub.atom || parts) rows.push({kind: 'wave', label: sub.text, class: sub.atom ? 'atom' : 'part', h: WAVE, row: sub.row});
  });
  for (const fair of run.fairness || []) rows.push({kind: 'met', label: fair.name, class: 'part', h: WAVE, met: new Set(fair.met || [])});
  let y = 0;
  for (const row of rows) { row.y = y; y += row.h; }
  height = y + 4;
  run.arrows = messagesOf(run, lanes);
  $('labels').replaceChildren(...rows.map(row => {
    const label = html('div', {class: row.class, title: row.label}, row.label);
    label.style.height = label.style.lineHeight = row.h + 'px';
    return label;
  }));
  const spacer = $('spacer');
  spacer.style.width = count * width + MARGIN + 'px';
  spacer.style.height = height + 'px';
  if (!track) { track = svg('svg', {id: 'track'}); spacer.append(track); }
  $('parts').hidden = !run.subs.some(sub => !sub.atom);
  $('scroller').setAttribute('aria-valuemax', count - 1);
  if (again && $('scroller').clientWidth !== available) layTime(false);
}

/// The meanings of the marks that occur in this run, each with a sample.
function showLegend() {
  const kinds = new Set(rows.map(row => row.kind)), lanes = rows.filter(row => row.kind === 'lane');
  const values = rows.filter(row => row.kind === 'wave').map(row => row.row).join('');
  const items = [
    [run.infinite, 'looped', run.growth ? 'the round that repeats' : 'the loop, repeated infinitely often'],
    [run.bad !== null && run.bad < size(run), 'lost', '✗: from here on every continuation violates the property'],
    [values.includes('1'), 'on', 'true'], [values.includes('0'), 'off', 'false'], [values.includes('?'), 'dim', 'depends on the continuation'],
    [lanes.some(row => row.lane.places), 'box', 'the marked place of a unit'],
    [lanes.some(row => row.lane.always), 'box', 'the state of a process'],
    [lanes.some(row => !row.lane.places && !row.lane.always), 'box', 'the value of a variable'],
    [run.arrows.length, 'message', 'a message'], [kinds.has('met'), 'met', 'the run satisfies a fairness constraint'],
    [$('formula').querySelector('span') !== null, 'none', 'formula: green parts are true at the position, red ones are false'],
  ];
  const once = new Map();
  for (const [occurs, kind, text] of items) if (occurs) once.set(kind, once.has(kind) ? once.get(kind) + ', or ' + text : text);
  $('legend').replaceChildren(...[...once].map(([kind, text]) => html('li', {}, html('span', {class: 'sample ' + kind}), text)));
}
/// The width of a text in the time line.
const pen = document.createElement('canvas').getContext('2d'), widths = new Map();
function widthOf(text) {
  if (!widths.has(text)) {
    if (!widths.size) pen.font = '10.5px ' + getComputedStyle(document.body).fontFamily;
    widths.set(text, pen.measureText(text).width);
  }
  return widths.get(text);
}
/// A name in up to four lines that fit a column, broken between its parts.
const broken = name => {
  const lines = [''];
  for (const part of name.split(/(?<=[^A-Za-z0-9.]|->)(?=[A-Za-z0-9.])/)) {
    if (widthOf(lines[lines.length - 1] + part) > width - 4 && lines[lines.length - 1] !== '') lines.push('');
    lines[lines.length - 1] += part;
  }
  if (lines.length > 4) lines.splice(3, lines.length, lines[3] + '…');
  return lines.map(line => cut(line, width - 4));
};
const cut = (text, visible) => {
  if (widthOf(text) <= visible) return text;
  let low = 0, high = Math.min(text.length, 400);
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (widthOf(text.slice(0, middle) + '…') <= visible) low = middle; else high = middle;
  }
  return low ? text.slice(0, low) + '…' : '';
};
const head = (x, y, dx, dy) => {
  const length = Math.hypot(dx, dy) || 1, ux = dx / length, uy = dy / length;
  return svg('path', {class: 'tip', d: `M${x} ${y}L${x - 7 * ux - 3 * uy} ${y - 7 * uy + 3 * ux}L${x - 7 * ux + 3 * uy} ${y - 7 * uy - 3 * ux}Z`});
};

function drawTime() {
  const scroller = $('scroller'), left = scroller.scrollLeft, visible = scroller.clientWidth;
  const count = size(run), from = Math.max(0, Math.floor(left / width) - 1), to = Math.min(count, Math.ceil((left + visible) / width) + 1);
  put(track, {width: visible, height, viewBox: `${left} 0 ${visible} ${height}`}, []);
  const all = [];
  const rect = (c, x, y, w, h, more = {}) => all.push(svg('rect', {class: c, x, y, width: w, height: h, ...more}));
  const text = (c, x, y, s, more = {}) => all.push(svg('text', {class: c, x, y, ...more}, s));
  if (run.infinite) rect('looped', run.prefix * width, 0, (count - run.prefix) * width, height);
  if (run.bad !== null && run.bad < count) rect('bad', run.bad * width, 0, width, height);
  if (hovered !== null && hovered !== position) rect('hover', hovered * width, 0, width, height);
  for (const row of rows) {
    if (row.y) all.push(svg('line', {class: 'rule', x1: left, x2: Math.min(left + visible, count * width), y1: row.y, y2: row.y}));
    if (row.kind === 'axis') {
      for (let i = from; i < to; i++) text('number' + (i === position ? ' here' : ''), (i + .5) * width, 15, String(i) + (i === run.bad ? ' ✗' : ''));
      if (run.infinite && width >= 44) text('looping', run.prefix * width + 3, 14, '↻');
    } else if (row.kind === 'events') {
      for (let i = from; i < Math.min(to, run.steps.length); i++) {
        const name = eventName(run.steps[i][0]), here = i === position ? ' here' : '';
        if (tall) {
          const lines = broken(name);
          text('event' + here, 0, 0, '');
          lines.forEach((line, k) => all[all.length - 1].append(svg('tspan', {x: (i + .5) * width, y: row.y + 14 + 12 * k, 'text-anchor': 'middle'}, line)));
        } else {
          const x = (i + .5) * width + 4;
          text('event' + here, x, row.y + row.h - 5, cut(name, row.h - 8), {transform: `rotate(-90 ${x} ${row.y + row.h - 5})`});
        }
        all[all.length - 1].append(svg('title', {}, name));
      }
    } else if (row.kind === 'lane') {
      let i = from;
      while (i > 0 && row.values[i - 1] === row.values[i]) i--;
      for (let shade = 0; i < to;) {
        let end = i + 1;
        while (end < count && row.values[end] === row.values[i]) end++;
        if (row.values[i] !== '') {
          shade = hash(row.values[i]) % 2;
          rect('box' + (shade ? ' even' : ''), i * width + 1.5, row.y + 4, (end - i) * width - 3, row.h - 8, {rx: 5});
          const x = Math.max(i * width, left) + 6, wide = Math.min(end * width, left + visible) - x - 4;
          text('value', x, row.y + row.h / 2 + 4, cut(row.values[i], wide));
          all[all.length - 1].append(svg('title', {}, row.values[i]));
        }
        i = end;
      }
    } else if (row.kind === 'wave') {
      for (let i = from; i < to;) {
        let end = i + 1;
        while (end < to && row.row[end] === row.row[i]) end++;
        if (row.row[i] === '1') rect('on', i * width + .5, row.y + 5, (end - i) * width - 1, row.h - 10, {rx: 2});
        else all.push(svg('line', {class: row.row[i] === '0' ? 'off' : 'dim', x1: i * width, x2: end * width, y1: row.y + row.h - 6, y2: row.y + row.h - 6}));
        i = end;
      }
    } else {
      for (let i = from; i < to; i++) if (row.met.has(i)) all.push(svg('circle', {class: 'met', cx: (i + .5) * width, cy: row.y + row.h / 2, r: 4.5}));
    }
  }
  drawMessages(all, from, to);
  if (run.infinite) {
    const a = run.prefix * width + 1.5, b = count * width - 1.5;
    all.push(svg('path', {class: 'bracket', d: `M${a} ${height - 2}V1.5H${b}V${height - 2}`}));
  }
  rect('cursor', position * width + 1, 1, width - 2, height - 3, {rx: 4});
  track.replaceChildren(...all);
}
function drawMessages(all, from, to) {
  const lanes = rows.filter(row => row.kind === 'lane');
  for (const arrow of run.arrows) {
    const open0 = arrow.x0 === null, open1 = arrow.x1 === null;
    const x0 = ((open0 ? arrow.x1 : arrow.x0) + 1) * width, x1 = ((open1 ? arrow.x0 : arrow.x1) + 1) * width;
    if (Math.max(x0, x1) < from * width || Math.min(x0, x1) > to * width) continue;
    // A rendezvous is between two columns, where no text is; others start at the border of a lane.
    const down = open0 || open1 || arrow.y1 > arrow.y0, middle = k => lanes[k].y + lanes[k].h / 2;
    const side = (k, low) => middle(k) + (x0 === x1 && !open0 && !open1 ? 0 : low ? 9 : -9);
    const a = open0 ? side(arrow.y1, false) - 12 : side(arrow.y0, down), b = open1 ? side(arrow.y0, true) + 12 : side(arrow.y1, !down);
    const startX = open0 ? x0 - 14 : x0, endX = open1 ? x1 + 14 : x1;
    all.push(svg('path', {class: 'message', d: `M${startX} ${a}L${endX} ${b}`, 'stroke-dasharray': open0 || open1 ? '3 3' : null}, svg('title', {}, arrow.text)));
    if (!open0) all.push(svg('circle', {class: 'tip', cx: startX, cy: a, r: 2.6}));
    all.push(head(endX, b, endX - startX, b - a));
    // Text to the left, since a new value may start at the right; between lanes, above their texts.
    const half = (a + b) / 2, borders = lanes.map(lane => lane.y).filter(y => y > Math.min(a, b) && y < Math.max(a, b));
    const y = startX !== endX ? half : borders.reduce((best, y) => Math.abs(y - half) < Math.abs(best - half) ? y : best, borders[0] ?? half);
    all.push(svg('text', {class: 'said', x: (startX + endX) / 2 - 4, y: y + 3, 'text-anchor': 'end'}, cut(arrow.text, Math.max(width - 4, 40))));
  }
}
const hash = text => { let h = 0; for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0; return h >>> 1; };
function keepInView() {
  const scroller = $('scroller'), x = position * width;
  if (x < scroller.scrollLeft + width) scroller.scrollLeft = Math.max(0, x - 2 * width);
  else if (x + 2 * width > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = x + 3 * width - scroller.clientWidth;
}
