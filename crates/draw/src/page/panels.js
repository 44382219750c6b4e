// ---- the property

function showProperty() {
  $('word').textContent = run.verdict ? run.verdict.toUpperCase() : isFree() ? 'SIMULATION' : '';
  $('word').className = run.verdict || '';
  $('word').hidden = !$('word').textContent;
  const name = /^\d+$/.test(run.property || '') ? 'property ' + run.property : run.property;
  $('name').textContent = [name, run.summary].filter(x => x).join(' · ');
  $('name').title = /deadlocks stutter/.test(run.summary || '') ? 'After a deadlock the last state repeats indefinitely.' : '';
  $('story').textContent = isFree() ? '' : run.story || '';
  const box = $('formula');
  box.replaceChildren();
  const open = [box];
  for (const token of run.tokens || []) {
    if (token === 0) { open.pop(); continue; }
    const top = open[open.length - 1];
    if (typeof token === 'string') { if (token !== '') top.append(html('i', {}, token)); continue; }
    const span = html('span', {'data-sub': token[0]});
    top.append(span);
    open.push(span);
  }
  if (!run.tokens || !run.tokens.length) box.textContent = run.formula || '';
  box.hidden = !box.textContent;
  $('because').textContent = (run.why || []).length ? (run.verdict === 'violated' ? 'Why it is violated:' : 'Why:') : '';
  $('why').replaceChildren(...(run.why || []).map(because => {
    const button = html('button', {}, html('b', {}, 'At position ' + because.at + ','), ' ' + because.text + '.');
    button.addEventListener('click', () => go(because.at));
    return html('li', {}, button);
  }));
  $('notes').replaceChildren(...(run.notes || []).map(note => html('li', {}, note)));
}
function colourFormula() {
  const at = hovered === null ? position : hovered;
  for (const span of $('formula').querySelectorAll('span')) {
    const sub = run.subs[span.dataset.sub], truth = sub.row[at];
    if (!run.shown) { span.className = ''; span.removeAttribute('title'); continue; }
    span.className = truth === '1' ? 'yes' : truth === '0' ? 'no' : 'open';
    span.title = sub.text + (truth === '1' ? ' is true' : truth === '0' ? ' is false' : ' is undetermined') + ' at ' + at;
  }
}

// ---- the state

const MOST_ROWS = 120;
function showState() {
  const came = arrival(), was = new Map();
  if (came) came.undo.forEach(([v, x]) => was.set(v, x));
  const round = roundOf(t), wanted = $('filter').value.toLowerCase();
  const lines = [], body = $('marking').tBodies[0];
  let left = 0;
  const before = v => { const x = was.get(v); return round && run.more[v] ? add(x, run.more[v], t > 0 ? roundOf(t - 1) : 0) : x; };
  const kind = (v, x) => !was.has(v) ? '' : isCount(v) && Number(x) < Number(before(v)) ? 'loss' : 'gain';
  const addRow = v => {
    const x = valueAt(v), name = data.vars[v][0];
    if ((x === 0 && isCount(v) && !was.has(v)) || (wanted && !name.toLowerCase().includes(wanted))) return;
    if (lines.length >= MOST_ROWS && !was.has(v)) { left++; return; }
    const cell = html('td');
    if (was.has(v)) cell.append(html('span', {class: 'was'}, valueText(v, before(v)) + ' → '));
    cell.append(valueText(v, x));
    lines.push([was.has(v) ? 0 : 1, html('tr', {class: kind(v, x), 'data-name': name, 'data-value': valueText(v, x)}, html('td', {}, name), cell)]);
  };
  if (data.hidden.length) {
    const hidden = new Set(data.hidden);
    for (let v = 0; v < data.vars.length; v++) if (!hidden.has(v)) addRow(v);
  } else for (let v = 0; v < data.vars.length; v++) addRow(v);
  lines.sort((a, b) => a[0] - b[0]);
  body.replaceChildren(...lines.map(line => line[1]));
  $('rest').textContent = left ? 'and ' + left + ' more: filter by name' : lines.length ? '' : wanted ? 'no match' : 'no tokens';
}
const MOST_CHANGES = 16;
const changeText = changes => changes.slice(0, MOST_CHANGES).map(([v, x]) => {
  const now = valueAt(v), name = data.vars[v][0];
  if (!isCount(v)) return name + ': ' + valueText(v, now) + ' → ' + valueText(v, x);
  const d = x - now;
  return (d > 0 ? '+' : '−') + (Math.abs(d) === 1 ? '' : Math.abs(d) + '·') + name;
}).join(' ') + (changes.length > MOST_CHANGES ? ' and ' + (changes.length - MOST_CHANGES) + ' more' : '');
const MOST_ENABLED = 120;
function showEnabled() {
  if (!rules) return;
  const list = possible, next = taken();
  $('enabled').replaceChildren(...list.slice(0, MOST_ENABLED).map(([e, changes]) => {
    const own = e === next && !isFree();
    const button = html('button', {class: own ? 'own' : '', 'data-event': data.events[e]}, data.events[e], html('small', {}, changeText(changes) || 'no change'));
    button.addEventListener('click', () => own && run.steps[position][1].every(([v, x], i) => changes[i] && changes[i][0] === v && changes[i][1] === x) ? go(t + 1) : take(e, changes));
    return button;
  }));
  const more = list.length - MOST_ENABLED;
  $('tip').textContent = list.length === 0 ? 'No event is enabled: a deadlock.' : more > 0 ? 'and ' + more + ' more'
    : isFree() ? 'Click an event to fire it.' : !run.shown ? 'Click an event to simulate from the initial state.'
    : next === undefined || next === null ? 'The run ends here. Click an event to continue it.' : 'The run fires the marked event. Click another one to leave the run.';
  $('undo').disabled = !isFree() || run.steps.length === 0;
  $('leave').hidden = !isFree() || run.origin === undefined;
  $('leave').textContent = run.origin !== undefined && data.runs[run.origin].shown ? 'back to the run' : 'back to the property';
  $('save').hidden = !isFree();
}
