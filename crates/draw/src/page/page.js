// ---- the whole page

function show() {
  const count = size(run), round = roundOf(t), came = taken();
  const loop = run.infinite && position >= run.prefix;
  $('where').textContent = 'position ' + position + ' of ' + (count - 1)
    + (loop ? ', in the loop' + (round ? ', round ' + (round + 1) : '') : '')
    + (came === undefined ? '' : ' → ' + eventName(came));
  const scroller = $('scroller');
  scroller.setAttribute('aria-valuenow', position);
  scroller.setAttribute('aria-valuetext', $('where').textContent);
  $('back').disabled = $('first').disabled = t === 0;
  $('next').disabled = $('play').disabled = t >= lastTime();
  $('last').disabled = !run.infinite && t >= lastTime();
  $('loop').disabled = !run.infinite;
  if (rules) possible = enabled(current());
  $('hint').textContent = (run.shown ? '←/→ step · Home/End · ' + (run.infinite ? 'L loop · ' : '') + 'Space play · click a column to go to its position · ' : '') + (views.length ? '+/−/0 zoom · ' + (views.length > 1 ? '</> part of the net · ' : '') + '/ find · ' : '');
  document.body.classList.toggle('by-hand', isFree());
  keepInView();
  drawTime();
  colourFormula();
  drawPicture();
  showState();
  showEnabled();
}
const MARKS = {violated: '✗ ', holds: '✓ ', unknown: '? '};
function select(k) {
  shown = clamp(k, 0, runs.length - 1);
  run = runs[shown];
  prepare(run);
  state = run.start.slice();
  [t, position, hovered] = [0, 0, null];
  const choices = $('property');
  choices.replaceChildren(...runs.map((r, i) => html('option', {value: i}, (MARKS[r.verdict] || '') + ((r.kind === 'free' ? 'simulation' : r.property) || String(i + 1)))));
  choices.value = shown;
  $('choose').hidden = runs.length < 2;
  $('move').hidden = !rules;
  $('goal').replaceChildren(html('option', {value: ''}, 'a deadlock'), ...run.subs.map((sub, i) => sub.atom && sub.rule && sub.rule[0] !== 'f' ? html('option', {value: i}, sub.text) : null).filter(x => x));
  $('time').hidden = !run.shown;
  showProperty();
  layTime();
  showLegend();
  $('scroller').scrollLeft = 0;
  go(opening(run));
}
let timer = null;
function play() {
  if (timer !== null) { clearInterval(timer); timer = null; $('play').textContent = 'play'; return; }
  $('play').textContent = 'pause';
  timer = setInterval(() => { if (t >= lastTime()) play(); else go(t + 1); }, 700);
}
const commands = {
  first: () => go(0), back: () => go(t - 1), next: () => go(t + 1), play,
  last: () => go(Math.max(size(run) - 1, t - position + size(run) - 1)),
  loop: () => { if (run.infinite) go(run.prefix); },
  in: () => zoom(1 / 1.25), out: () => zoom(1.25), fit, less: () => showView(view - 1), more: () => showView(view + 1),
  undo: undoStep, random: randomStep, until: runUntil, save,
  leave: () => { const origin = run.origin; runs = data.runs; select(origin); },
};
for (const name in commands) $(name).addEventListener('click', commands[name]);
const keys = {ArrowRight: 'next', ArrowLeft: 'back', Home: 'first', End: 'last', l: 'loop', L: 'loop', ' ': 'play', '+': 'in', '=': 'in', '-': 'out', '0': 'fit', '<': 'less', '>': 'more'};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches('input[type=search], select');
  if (event.key === 'Escape' && typing) { event.target.blur(); return; }
  if (typing || (event.key === ' ' && event.target.matches('button, input'))) return;
  if (event.key === '/') { $('search').focus(); event.preventDefault(); return; }
  if (rules && (event.key === 'r' || event.key === 'R')) randomStep();
  else if (rules && event.key === 'Backspace') undoStep();
  else if (keys[event.key]) commands[keys[event.key]]();
  else return;
  event.preventDefault();
});
$('property').addEventListener('change', event => select(+event.target.value));
$('subformulas').addEventListener('change', () => { layTime(); show(); });
$('search').addEventListener('input', () => search(false));
$('search').addEventListener('keydown', event => { if (event.key === 'Enter') search(true); });
$('filter').addEventListener('input', showState);
const column = event => {
  const i = Math.floor((event.clientX - $('scroller').getBoundingClientRect().left + $('scroller').scrollLeft) / width);
  return i >= 0 && i < size(run) ? i : null;
};
$('scroller').addEventListener('click', event => { const i = column(event); if (i !== null) go(run.infinite && i >= run.prefix ? i + roundOf(t) * (run.steps.length - run.prefix) : i); });
$('scroller').addEventListener('pointermove', event => { const i = column(event); if (i !== hovered) { hovered = i; drawTime(); colourFormula(); } });
$('scroller').addEventListener('pointerleave', () => { hovered = null; drawTime(); colourFormula(); });
$('scroller').addEventListener('scroll', drawTime);
window.addEventListener('resize', () => { layTime(); frame(); show(); });

$('model').textContent = data.title;
$('model').title = data.model;
$('about').textContent = data.about;
$('tools').hidden = !views.length;
$('picture').hidden = !views.length && !data.processes.length;
if (!views.length && !data.processes.length) $('stage').style.gridTemplateColumns = 'minmax(0, 1fr)';
$('time').hidden = true;
if (runs.length) {
  select(0);
  if (views.length) showView(0);
  else frame();
  drawPicture();
}
// Used by tests: the displayed state, by name.
window.lariat = {time: () => t, position: () => position, go, shown: () => Object.fromEntries([...document.querySelectorAll('#marking tr')].map(tr => [tr.dataset.name, tr.dataset.value])),
  saved, state: () => Object.fromEntries(data.vars.map(([name], v) => [name, valueText(v, valueAt(v))])), select, enabled: () => possible.map(([e]) => data.events[e])};
