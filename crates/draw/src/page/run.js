// The page of a run: a time line above, the net or the processes below, the state beside them. All
// data comes from the JSON in the page; names are only ever set as text. A step of a run contains
// only its changes. Time t is unbounded; positionOf(t) is the position in the run. The parts of the
// script are joined in the order of their dependences, inside one function.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const put = (node, attributes, kids) => {
  for (const name in attributes) if (attributes[name] !== null) node.setAttribute(name, attributes[name]);
  for (const kid of kids) if (kid !== null) node.append(kid);
  return node;
};
const html = (tag, attributes = {}, ...kids) => put(document.createElement(tag), attributes, kids);
const svg = (tag, attributes = {}, ...kids) => put(document.createElementNS(SVG, tag), attributes, kids);
const plural = (n, what) => n + ' ' + what + (n === 1 ? '' : 's');
const clamp = (x, low, high) => Math.max(low, Math.min(high, x));

// ---- values and names

const isCount = v => data.vars[v][1] === 0;
const valueText = (v, x) => {
  const kind = data.vars[v][1];
  return kind && kind.n && kind.n[x] !== undefined ? kind.n[x] : String(x);
};
const add = (x, more, times) => {
  const sum = x + more * times;
  return typeof x === 'number' && typeof more === 'number' && Number.isSafeInteger(sum)
    ? sum : String(BigInt(x) + BigInt(more) * BigInt(times));
};
const eventName = e => e === null ? 'stutter (deadlock)' : data.events[e];

// ---- the displayed run

let run, runs = data.runs, shown = 0, t = 0, position = 0, state = [], hovered = null;

const size = r => r.infinite ? r.steps.length : r.steps.length + 1;
const positionOf = time => {
  const cycle = run.steps.length - run.prefix;
  return !run.infinite || time < run.steps.length ? time : run.prefix + (time - run.prefix) % cycle;
};
const roundOf = time => !run.infinite || time < run.prefix ? 0 : Math.floor((time - run.prefix) / (run.steps.length - run.prefix));
const lastTime = () => run.infinite ? Infinity : run.steps.length;

function prepare(r) {
  if (r.ready) return;
  r.ready = true;
  const now = new Array(data.vars.length).fill(0);
  for (const [v, x] of r.initial) now[v] = x;
  r.start = now.slice();
  r.undo = r.steps.map(step => step[1].map(([v, x]) => { const was = [v, now[v]]; now[v] = x; return was; }));
  r.more = new Array(data.vars.length).fill(0);
  for (const [v, x] of r.growth || []) r.more[v] = x;
}

function move(to) {
  while (position < to) { for (const [v, x] of run.steps[position][1]) state[v] = x; position++; }
  while (position > to) { position--; for (let i = run.undo[position].length - 1; i >= 0; i--) state[run.undo[position][i][0]] = run.undo[position][i][1]; }
}

const valueAt = v => {
  const round = roundOf(t);
  return round && run.more[v] ? add(state[v], run.more[v], round) : state[v];
};

/// The step that led to the current state, if any: its changes and its event.
function arrival() {
  if (t === 0) return null;
  const before = positionOf(t - 1);
  return {event: run.steps[before][0], changes: run.steps[before][1], undo: run.undo[before]};
}
const taken = () => position < run.steps.length ? run.steps[position][0] : undefined;

/// The position that matters: where the property is lost, the start of the loop, the last one that
/// the explanation names, or the end of a run that is to be continued.
function opening(r) {
  if (r.bad !== null && r.bad < size(r)) return r.bad;
  if (r.infinite) return r.prefix;
  if (r.why.length) return r.why[r.why.length - 1].at;
  return r.kind === 'free' ? r.steps.length : 0;
}
function go(time) {
  t = clamp(time, 0, lastTime());
  move(positionOf(t));
  show();
}
