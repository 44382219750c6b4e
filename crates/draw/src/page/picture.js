// ---- the picture

const views = [...document.querySelectorAll('svg.view')];
let view = 0, boxes = views.map(v => v.viewBox.baseVal), whole = boxes.map(b => [b.x, b.y, b.width, b.height]);
const nodesIn = views.map(v => { const map = new Map(); for (const g of v.querySelectorAll('[data-node]')) map.set(+g.dataset.node, g); return map; });
const arcsIn = views.map(v => {
  const map = new Map();
  for (const arc of v.querySelectorAll('.arc, .head')) for (const end of [arc.dataset.from, arc.dataset.to]) {
    if (!map.has(+end)) map.set(+end, []);
    map.get(+end).push(arc);
  }
  return map;
});
const holders = new Map();
if (data.colours) data.colours.forEach(([node], v) => { if (!holders.has(node)) holders.set(node, []); holders.get(node).push(v); });
const varsOf = node => data.colours ? holders.get(node) || [] : [node];
const nodeOf = v => data.colours ? data.colours[v][0] : v;
const nodeOfEvent = e => data.eventNodes ? data.eventNodes[e] : data.places + e;
let lit = [];
const light = (element, name) => { if (element) { element.classList.add(name); lit.push([element, name]); } };
const DIE = [[], [[0, 0]], [[-4.5, 0], [4.5, 0]], [[0, -5], [-5, 4], [5, 4]], [[-4.5, -4.5], [4.5, -4.5], [-4.5, 4.5], [4.5, 4.5]], [[-6, -6], [6, -6], [0, 0], [-6, 6], [6, 6]]];
const HUES = [210, 25, 130, 290, 50, 340, 170, 250];
// Colours in the order of the net: the first eight differ in hue, the next eight are darker, etc.
const shades = new Map();
if (data.colours) for (const [, name] of data.colours) if (!shades.has(name)) shades.set(name, shades.size);
const shade = name => `hsl(${HUES[shades.get(name) % HUES.length]} 75% ${[48, 30, 65][Math.floor(shades.get(name) / HUES.length) % 3]}%)`;

function drawTokens(group, node) {
  const vars = varsOf(node), held = [];
  let key = '', sum = 0;
  for (const v of vars) {
    const x = valueAt(v);
    if (x !== 0) { held.push([v, x]); key += v + ':' + x + ' '; sum = add(sum, x, 1); }
  }
  const box = group.querySelector('.tokens');
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  box.dataset.count = sum;
  const x = +group.dataset.x, y = +group.dataset.y, kids = [];
  if (sum <= 5) {
    const colours = held.flatMap(([v, n]) => new Array(n).fill(v));
    DIE[sum].forEach(([dx, dy], i) => {
      const dot = svg('circle', {cx: x + dx, cy: y + dy, r: 3.3});
      if (data.colours && data.colours[colours[i]][1] !== '') {
        dot.setAttribute('fill', shade(data.colours[colours[i]][1]));
        dot.append(svg('title', {}, data.colours[colours[i]][1]));
      }
      kids.push(dot);
    });
  } else kids.push(svg('text', {x, y: y + 4, class: String(sum).length > 3 ? 'small' : null}, String(sum).length > 5 ? Number(sum).toExponential(0) : String(sum)));
  box.replaceChildren(...kids);
}

function drawNet() {
  const nodes = nodesIn[view], arcs = arcsIn[view], came = arrival();
  for (const [node, group] of nodes) if (node < data.places) drawTokens(group, node);
  if (came) {
    const before = new Map();
    came.undo.forEach(([v, x], i) => { const node = nodeOf(v); before.set(node, (before.get(node) || 0) + (came.changes[i][1] - x)); });
    for (const [node, change] of before) light(nodes.get(node), change < 0 ? 'loss' : 'gain');
    if (came.event !== null) {
      const node = nodeOfEvent(came.event);
      light(nodes.get(node), 'fired');
      for (const arc of arcs.get(node) || []) light(arc, 'used');
    }
  }
  const next = taken();
  if (next !== undefined && next !== null) light(nodes.get(nodeOfEvent(next)), 'next');
  if (rules && nodes.size <= 400) for (const [e] of possible) light(nodes.get(nodeOfEvent(e)), 'can');
}
function drawProcesses() {
  const came = arrival();
  for (const process of data.processes) {
    const box = document.querySelector(`[data-process="${process.base}"]`), at = valueAt(process.var);
    const here = box.querySelector(`[data-node="${process.base + at}"]`);
    light(here, 'here');
    if (here && box.scrollWidth > box.clientWidth) {
      const a = here.getBoundingClientRect(), b = box.getBoundingClientRect();
      if (a.left < b.left || a.right > b.right) box.scrollLeft += (a.left + a.right - b.left - b.right) / 2;
    }
    box.querySelector('b').textContent = valueText(process.var, at);
    if (!came || came.event === null) continue;
    const i = came.undo.findIndex(([v]) => v === process.var);
    if (i < 0) continue;
    const from = process.base + came.undo[i][1], to = process.base + came.changes[i][1];
    light(box.querySelector(`[data-from="${from}"][data-to="${to}"]`), 'used');
  }
}
function drawPicture() {
  for (const [element, name] of lit) element.classList.remove(name);
  lit = [];
  if (views.length) drawNet();
  if (data.processes.length) drawProcesses();
}
function showView(next) {
  view = clamp(next, 0, views.length - 1);
  views.forEach((v, i) => { v.toggleAttribute('hidden', i !== view); });
  $('size').textContent = views.length > 1 ? nodesIn[view].size + ' of ' + data.nodes + ' nodes' : '';
  $('remark').textContent = views[view].dataset.remark || '';
  $('less').disabled = view === 0;
  $('more').disabled = view === views.length - 1;
  $('less').hidden = $('more').hidden = views.length < 2;
  frame();
  drawPicture();
}
function zoom(factor, at) {
  if (!views.length) return;
  const box = boxes[view], [cx, cy] = at || [box.x + box.width / 2, box.y + box.height / 2];
  const w = clamp(box.width * factor, 80, whole[view][2] * 3), f = w / box.width;
  box.x = cx - (cx - box.x) * f;
  box.y = cy - (cy - box.y) * f;
  box.width = w;
  box.height *= f;
}
function fit() {
  if (!views.length) return;
  const box = boxes[view];
  [box.x, box.y, box.width, box.height] = whole[view];
}
/// Height of the drawing; on a narrow screen, only the part around the next event.
const LEGIBLE = .72;
function frame() {
  // Processes shrink to the available width, but stay legible.
  const most = $('views').clientWidth - 28;
  for (const process of document.querySelectorAll('svg.process')) {
    const w = process.viewBox.baseVal.width;
    process.style.width = clamp(most, LEGIBLE * w, w) + 'px';
  }
  if (!views.length) return;
  const available = $('views').clientWidth, [, , w, h] = whole[view];
  for (const v of views) v.style.height = clamp(h * Math.min(1.25, available / w) + 24, 260, Math.max(300, innerHeight * .58)) + 'px';
  fit();
  if (available / w >= LEGIBLE) return;
  const next = taken() ?? (arrival() || {}).event ?? null, group = next === null ? null : nodesIn[view].get(nodeOfEvent(next));
  const box = boxes[view], width = available / LEGIBLE;
  if (group) box.x = clamp(+group.dataset.x - width / 2, 0, w - width);
  box.height *= width / box.width;
  box.width = width;
  if (group) box.y = clamp(+group.dataset.y - box.height / 2, 0, Math.max(0, h - box.height));
}
function place(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(views[view].getScreenCTM().inverse());
  return [point.x, point.y];
}
let pinch = new Map();
for (const v of views) {
  let from = null, moved = false;
  v.addEventListener('pointerdown', event => { pinch.set(event.pointerId, event); from = place(event); moved = false; });
  v.addEventListener('pointermove', event => {
    if (!pinch.has(event.pointerId)) return;
    if (pinch.size === 2) {
      const [a, b] = [...pinch.values()], before = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      pinch.set(event.pointerId, event);
      const [c, d] = [...pinch.values()], after = Math.hypot(c.clientX - d.clientX, c.clientY - d.clientY);
      if (before > 0 && after > 0) zoom(before / after, place(event));
      moved = true;
      return;
    }
    const start = pinch.get(event.pointerId);
    if (!moved && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < 4) return;
    if (!moved) v.setPointerCapture(event.pointerId);
    moved = true;
    const [x, y] = place(event), box = boxes[view];
    box.x += from[0] - x;
    box.y += from[1] - y;
  });
  const end = event => pinch.delete(event.pointerId);
  v.addEventListener('pointerup', end);
  v.addEventListener('pointercancel', end);
  v.addEventListener('pointerleave', end);
  v.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, place(event));
  }, {passive: false});
  v.addEventListener('click', event => {
    const group = event.target.closest('.transition');
    if (moved || !group || !rules) return;
    const list = possible.filter(([e]) => nodeOfEvent(e) === +group.dataset.node);
    if (list.length === 1) take(...list[0]);
  });
}
let sought = 0;
function search(next) {
  for (const g of document.querySelectorAll('.sought')) g.classList.remove('sought');
  const wanted = $('search').value.toLowerCase();
  if (wanted === '' || !views.length) { $('found').textContent = ''; return; }
  const hits = [...nodesIn[view].values()].filter(g => g.querySelector('title').textContent.toLowerCase().includes(wanted));
  $('found').textContent = hits.length ? hits.length + ' found' : 'none in this part';
  if (!hits.length) return;
  sought = next ? (sought + 1) % hits.length : 0;
  for (const g of hits) g.classList.add('sought');
  const g = hits[sought], box = boxes[view];
  box.x = +g.dataset.x - box.width / 2;
  box.y = +g.dataset.y - box.height / 2;
}
