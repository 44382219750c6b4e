// ---- simulation

const isFree = () => run.kind === 'free';
/// Copies the run up to the current time into one that can be continued.
function fork() {
  if (isFree()) {
    run.steps.length = run.undo.length = position;
    return;
  }
  const here = [];
  for (let time = 0; time < t; time++) here.push(positionOf(time));
  const steps = here.map(i => run.steps[i].slice());
  const free = {...run, kind: 'free', origin: shown, shown: true, ready: false, steps, prefix: steps.length, infinite: false, bad: null, growth: null, why: [], notes: [], fairness: [], verdict: null,
    subs: run.subs.map(sub => ({...sub, row: here.map(i => sub.row[i]).join('') + '?'}))};
  // Later rounds of a covering run have more tokens than the first: recompute the changes.
  if (run.growth && roundOf(t) > 0) {
    const now = run.start.slice();
    for (const step of steps) {
      const rule = rules[step[0]];
      step[1] = rule[1].filter(arc => arc[2] !== 0).map(([v, , delta]) => [v, now[v] + delta]);
      for (const [v, x] of step[1]) now[v] = x;
    }
  }
  const time = t;
  runs = data.runs.concat([free]);
  select(runs.length - 1);
  go(time);
}
/// Appends steps to the run: `choose` returns the next step of a state, or null to end.
function walk(choose) {
  fork();
  const s = state.slice();
  for (let step = choose(s); step !== null; step = choose(s)) {
    run.undo.push(step[1].map(([v]) => [v, s[v]]));
    run.steps.push([step[0], step[1], '']);
    for (const [v, x] of step[1]) s[v] = x;
  }
  run.prefix = run.steps.length;
  refreshAtoms();
  layTime();
  go(run.steps.length);
}
function take(event, changes) {
  let step = [event, changes];
  walk(() => { const now = step; step = null; return now; });
}
function undoStep() {
  if (!isFree() || run.steps.length === 0) return;
  go(run.steps.length - 1);
  run.steps.pop();
  run.undo.pop();
  run.prefix = run.steps.length;
  refreshAtoms();
  layTime();
  show();
}
function atomAt(predicate, s, event) {
  if (predicate[0] === 'f') return event === undefined ? '?' : predicate[1].includes(event) ? '1' : '0';
  return holds(predicate, s) ? '1' : '0';
}
function refreshAtoms() {
  const s = run.start.slice();
  const rows = run.subs.map(() => []);
  for (let i = 0; i <= run.steps.length; i++) {
    const event = i < run.steps.length ? run.steps[i][0] : undefined;
    run.subs.forEach((sub, k) => rows[k].push(sub.rule ? atomAt(sub.rule, s, event) : '?'));
    if (i < run.steps.length) for (const [v, x] of run.steps[i][1]) s[v] = x;
  }
  run.subs.forEach((sub, k) => { sub.row = rows[k].join(''); });
}
let seed = 1;
const random = n => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return Math.floor(seed / 4294967296 * n); };
function randomStep() {
  if (possible.length) take(...possible[random(possible.length)]);
}
const PATIENCE = 1000;
function runUntil() {
  const goal = $('goal').value === '' ? null : run.subs[$('goal').value].rule;
  let left = PATIENCE;
  walk(s => {
    const list = enabled(s), moved = left < PATIENCE;
    if (list.length === 0 || left-- === 0 || (moved && goal && atomAt(goal, s, undefined) === '1')) return null;
    return list[random(list.length)];
  });
}
const current = () => run.growth && roundOf(t) ? state.map((_, v) => valueAt(v)) : state;
function saved() {
  const marking = s => Object.fromEntries(s.map((x, v) => [v, x]).filter(([v, x]) => x !== 0 || !isCount(v)).map(([v, x]) => [data.vars[v][0], isCount(v) || !data.vars[v][1].n ? x : valueText(v, x)]));
  const s = run.start.slice();
  const initial = marking(s);
  const prefix = run.steps.map(([e, changes]) => { for (const [v, x] of changes) s[v] = x; return {fire: e === null ? null : data.events[e], marking: marking(s)}; });
  return JSON.stringify({schema: 1, model: data.model, run: {kind: 'run', initial, prefix, loop: []}}) + '\n';
}
function save() {
  const link = html('a', {href: URL.createObjectURL(new Blob([saved()], {type: 'application/json'})), download: 'run.json'});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
