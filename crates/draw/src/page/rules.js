// ---- the semantics of models with rules: successors of a state

const rules = data.rules;
class Fault extends Error {}
const narrow = x => x | 0;
const unary = {'-': x => narrow(-x), '!': x => +(x === 0), '~': x => narrow(~x)};
const shift = y => { if (y < 0 || y > 31) throw new Fault(); return y; };
const divisor = y => { if (y === 0) throw new Fault(); return y; };
const binary = {
  'add': (x, y) => x + y, '+': (x, y) => narrow(x + y), '-': (x, y) => narrow(x - y), '*': (x, y) => Math.imul(x, y),
  '/': (x, y) => narrow(x / divisor(y)), '%': (x, y) => narrow(x % divisor(y)),
  '&': (x, y) => x & y, '|': (x, y) => x | y, '^': (x, y) => x ^ y,
  '<<': (x, y) => x << shift(y), '>>': (x, y) => x >> shift(y),
  '==': (x, y) => +(x === y), '!=': (x, y) => +(x !== y), '<': (x, y) => +(x < y), '<=': (x, y) => +(x <= y),
  '>': (x, y) => +(x > y), '>=': (x, y) => +(x >= y),
};
const cell = (first, length, i) => { if (i < 0 || i >= length) throw new Fault(); return first + i; };
function value(e, s) {
  if (typeof e === 'number') return e;
  switch (e[0]) {
    case 'v': return s[e[1]];
    case 'e': return s[cell(e[1], e[2], value(e[3], s))];
    case 'u': return unary[e[1]](value(e[2], s));
  }
  const x = value(e[2], s);
  if (e[1] === '&&') return x === 0 ? 0 : +(value(e[3], s) !== 0);
  if (e[1] === '||') return x !== 0 ? 1 : +(value(e[3], s) !== 0);
  if (e[1] === '=>') return x === 0 ? 1 : +(value(e[3], s) !== 0);
  return binary[e[1]](x, value(e[3], s));
}
const compare = {'==': (x, y) => x === y, '!=': (x, y) => x !== y, '<': (x, y) => x < y, '<=': (x, y) => x <= y, '>': (x, y) => x > y, '>=': (x, y) => x >= y};
function holds(p, s) {
  switch (p[0]) {
    case 'c': return p[1];
    case 'l': return compare[p[2]](p[1].reduce((sum, [v, c]) => sum + c * s[v], 0), p[3]);
    case 'x': try { return value(p[1], s) !== 0; } catch (e) { if (e instanceof Fault) return false; throw e; }
    case 'E': return p[1].some(e => successors(e, s).length > 0);
    case 'D': return enabled(s).length === 0;
    case 'N': return !holds(p[1], s);
    case 'A': return p[1].every(q => holds(q, s));
    default: return p[1].some(q => holds(q, s));
  }
}
const wrap = (v, x) => {
  const kind = data.vars[v][1];
  if (!kind || !kind.r || (x >= kind.r[0] && x <= kind.r[1])) return x;
  const [low, high] = kind.r, size = high - low + 1;
  return low + ((x - low) % size + size) % size;
};
/// Successors by an event, as lists of changes; empty if it is not enabled.
function successors(e, s) {
  if (data.fault !== null && s[data.fault] !== 0) return [];
  const rule = rules[e];
  if (rule[0] === 'n') {
    for (const [v, need] of rule[1]) if (s[v] < need) return [];
    return [rule[1].filter(arc => arc[2] !== 0).map(([v, , delta]) => [v, s[v] + delta])];
  }
  if (rule[0] === 't') {
    return rule[2].filter(row => row.every((c, i) => c === null || s[rule[1][i]] === c[0]))
      .map(row => row.flatMap((c, i) => c === null || c[0] === c[1] ? [] : [[rule[1][i], c[1]]]));
  }
  try {
    const open = rule[1][0] === 'x' ? value(rule[1][1], s) !== 0 : holds(rule[1], s);
    if (!open) return [];
    const next = s.slice();
    for (const [target, expression] of rule[2]) {
      const v = target[0] === 'v' ? target[1] : cell(target[1], target[2], value(target[3], next));
      next[v] = wrap(v, value(expression, next));
    }
    const changes = [];
    for (let v = 0; v < next.length; v++) if (next[v] !== s[v]) changes.push([v, next[v]]);
    return [changes];
  } catch (e) {
    if (!(e instanceof Fault)) throw e;
    return data.fault === null ? [] : [[[data.fault, 1]]];
  }
}
const enabled = s => {
  const list = [];
  for (let e = 0; e < rules.length; e++) for (const changes of successors(e, s)) list.push([e, changes]);
  return list;
};
/// The enabled events of the displayed state, computed once per display.
let possible = [];
