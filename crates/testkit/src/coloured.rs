//! Random small coloured nets as PNML text, and a naive unfolder.
//!
//! The unfolder enumerates all colours of all places and all bindings of all transitions, dead or
//! not. Colours are vectors of indices and terms are interpreted directly; of crate `model` it uses
//! the data types alone. Its result is a superset of the real unfolding, with the same names.

use std::collections::BTreeMap;

use crate::interpret::compare;
use crate::nets::{self, add_place};
use lariat_model::coloured::{
    ColourVariableId, ColouredNet, ColouredTransition, SortId, SortKind, Term, TermKind,
    TransitionGuard,
};
use lariat_model::{Action, Arc, Event, System, VarId};

use lariat_corpora::Random;

/// A colour: the indices of its components, from left to right.
type Tuple = Vec<u64>;

/// Returns all colours of a sort in order.
fn colours(net: &ColouredNet, sort: SortId) -> Vec<Tuple> {
    match &net.sorts[sort.index()].kind {
        SortKind::Dot => vec![vec![0]],
        SortKind::Enumeration { constants, .. } => {
            (0..constants.len() as u64).map(|c| vec![c]).collect()
        }
        SortKind::Range { first, last } => (0..=(last - first) as u64).map(|c| vec![c]).collect(),
        SortKind::Product(parts) => parts.iter().fold(vec![vec![]], |fronts, part| {
            let backs = colours(net, *part);
            let join = |front: &Tuple| {
                let front = front.clone();
                let backs = backs.clone();
                backs
                    .into_iter()
                    .map(move |back| [front.clone(), back].concat())
            };
            fronts.iter().flat_map(join).collect()
        }),
    }
}

fn spell(net: &ColouredNet, sort: SortId, tuple: &[u64], separator: &str) -> String {
    fn parts(net: &ColouredNet, sort: SortId, rest: &mut &[u64], out: &mut Vec<String>) {
        let kind = &net.sorts[sort.index()].kind;
        if let SortKind::Product(sorts) = kind {
            sorts.iter().for_each(|sort| parts(net, *sort, rest, out));
            return;
        }
        let (value, behind) = rest.split_first().expect("a component");
        *rest = behind;
        out.push(match kind {
            SortKind::Enumeration { constants, .. } => constants[*value as usize].clone(),
            SortKind::Range { first, .. } => (first + *value as i64).to_string(),
            _ => "dot".to_owned(),
        });
    }
    let mut out = Vec::new();
    parts(net, sort, &mut &*tuple, &mut out);
    out.join(separator)
}

type Binding = BTreeMap<ColourVariableId, Tuple>;

fn evaluate(net: &ColouredNet, term: &Term, binding: &Binding) -> BTreeMap<Tuple, i64> {
    let around = |inner: &Term, step: i64| {
        let SortKind::Enumeration { constants, .. } = &net.sorts[term.sort.index()].kind else {
            panic!("no enumeration");
        };
        let (colour, _) = evaluate(net, inner, binding)
            .into_iter()
            .next()
            .expect("a colour");
        let next = (colour[0] as i64 + step).rem_euclid(constants.len() as i64);
        BTreeMap::from([(vec![next as u64], 1)])
    };
    let at = |position: u64| colours(net, term.sort)[position as usize].clone();
    match &term.kind {
        TermKind::Variable(variable) => BTreeMap::from([(binding[variable].clone(), 1)]),
        TermKind::Constant(colour) => BTreeMap::from([(at(colour.0), 1)]),
        TermKind::Successor(inner) => around(inner, 1),
        TermKind::Predecessor(inner) => around(inner, -1),
        TermKind::All => colours(net, term.sort)
            .into_iter()
            .map(|c| (c, 1))
            .collect(),
        TermKind::Members(members) => members.iter().map(|c| (at(c.0), 1)).collect(),
        TermKind::Scaled(factor, inner) => {
            let inner = evaluate(net, inner, binding);
            inner
                .into_iter()
                .map(|(c, n)| (c, n * *factor as i64))
                .collect()
        }
        TermKind::Add(terms) | TermKind::Subtract(terms) => {
            let mut sum = BTreeMap::new();
            for (i, inner) in terms.iter().enumerate() {
                let sign = match term.kind {
                    TermKind::Subtract(_) if i > 0 => -1,
                    _ => 1,
                };
                for (colour, n) in evaluate(net, inner, binding) {
                    *sum.entry(colour).or_insert(0) += sign * n;
                }
            }
            sum
        }
        TermKind::Tuple(terms) => {
            let mut all = BTreeMap::from([(vec![], 1)]);
            for inner in terms {
                let inner = evaluate(net, inner, binding);
                let mut longer = BTreeMap::new();
                for (front, n) in &all {
                    for (back, m) in &inner {
                        longer.insert([&front[..], &back[..]].concat(), n * m);
                    }
                }
                all = longer;
            }
            all
        }
    }
}

fn holds(net: &ColouredNet, guard: &TransitionGuard, binding: &Binding) -> bool {
    match guard {
        TransitionGuard::And(guards) => guards.iter().all(|guard| holds(net, guard, binding)),
        TransitionGuard::Or(guards) => guards.iter().any(|guard| holds(net, guard, binding)),
        TransitionGuard::Not(guard) => !holds(net, guard, binding),
        TransitionGuard::Compare(comparison, left, right) => {
            let left = evaluate(net, left, binding).into_keys().next();
            let right = evaluate(net, right, binding).into_keys().next();
            compare(*comparison, left, right)
        }
    }
}

/// Returns all bindings of a transition, ignoring the guard.
fn bindings(net: &ColouredNet, transition: &ColouredTransition) -> Vec<Binding> {
    let mut all = vec![Binding::new()];
    for variable in &transition.variables {
        let values = colours(net, net.variables[variable.index()].sort);
        let mut longer = Vec::new();
        for binding in &all {
            for value in &values {
                let mut binding = binding.clone();
                binding.insert(*variable, value.clone());
                longer.push(binding);
            }
        }
        all = longer;
    }
    all
}

/// Unfolds a coloured net, including dead places and transitions.
pub fn unfold(net: &ColouredNet) -> System {
    let mut system = nets::empty(&net.name);
    let mut vars = BTreeMap::new();
    for (p, place) in net.places.iter().enumerate() {
        let initial = place.initial.as_ref();
        let initial = initial.map_or(BTreeMap::new(), |t| evaluate(net, t, &Binding::new()));
        for colour in colours(net, place.sort) {
            let mut name = place.name.clone();
            if net.sorts[place.sort.index()].kind != SortKind::Dot {
                name = format!("{name}({})", spell(net, place.sort, &colour, ","));
            }
            let tokens = initial.get(&colour).copied().unwrap_or(0);
            let var = add_place(&mut system, name, tokens);
            vars.insert((p, colour), VarId(var as u32));
        }
    }
    for transition in &net.transitions {
        for binding in bindings(net, transition) {
            if !holds(net, &transition.guard, &binding) {
                continue;
            }
            let mut arcs: BTreeMap<VarId, (i64, i64)> = BTreeMap::new();
            let mut defined = true;
            for (inscriptions, out) in [(&transition.inputs, false), (&transition.outputs, true)] {
                for arc in inscriptions {
                    for (colour, n) in evaluate(net, &arc.term, &binding) {
                        defined &= n >= 0;
                        let slot = arcs.entry(vars[&(arc.place.index(), colour)]).or_default();
                        *(if out { &mut slot.1 } else { &mut slot.0 }) += n;
                    }
                }
            }
            if !defined {
                continue;
            }
            let mut name = transition.name.clone();
            if !binding.is_empty() {
                let values = binding.iter().map(|(variable, value)| {
                    let variable = &net.variables[variable.index()];
                    let value = spell(net, variable.sort, value, ";");
                    format!("{}={value}", variable.name)
                });
                name = format!("{name}({})", values.collect::<Vec<_>>().join(","));
            }
            let arcs = arcs
                .into_iter()
                .filter(|(_, (take, put))| *take != 0 || *put != 0);
            let arc = |(var, (need, put)): (VarId, (i64, i64))| Arc {
                var,
                need,
                delta: put - need,
            };
            let action = Action::Net(arcs.map(arc).collect());
            system.events.push(Event { name, action });
        }
    }
    system
}

/// The sorts of random nets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Dot,
    /// A cyclic enumeration of three constants.
    Ring,
    /// An enumeration of two constants.
    Pair,
    /// The range -1..0.
    Range,
    /// Ring × Range.
    Product,
    /// (Ring × Range) × Dot × Pair.
    Nested,
}

const SORTS: [Sort; 6] = [
    Sort::Dot,
    Sort::Ring,
    Sort::Pair,
    Sort::Range,
    Sort::Product,
    Sort::Nested,
];

impl Sort {
    fn id(self) -> &'static str {
        match self {
            Sort::Dot => "dot",
            Sort::Ring => "ring",
            Sort::Pair => "pair",
            Sort::Range => "range",
            Sort::Product => "product",
            Sort::Nested => "nested",
        }
    }

    fn components(self) -> &'static [Sort] {
        match self {
            Sort::Product => &[Sort::Ring, Sort::Range],
            Sort::Nested => &[Sort::Product, Sort::Dot, Sort::Pair],
            _ => &[],
        }
    }
}

const DECLARATIONS: &str = r#"<declaration><structure><declarations>
<namedsort id="nested" name="Nested"><productsort><usersort declaration="product"/><dot/><usersort declaration="pair"/></productsort></namedsort>
<variabledecl id="x" name="x"><usersort declaration="ring"/></variabledecl>
<variabledecl id="y" name="y"><usersort declaration="ring"/></variabledecl>
<variabledecl id="b" name="b"><usersort declaration="pair"/></variabledecl>
<variabledecl id="n" name="n"><usersort declaration="range"/></variabledecl>
<variabledecl id="w" name="w"><usersort declaration="product"/></variabledecl>
<namedsort id="dot" name="Dot"><dot/></namedsort>
<namedsort id="ring" name="Ring"><cyclicenumeration><feconstant id="r0" name="0"/><feconstant id="r1" name="1"/><feconstant id="r2" name="2"/></cyclicenumeration></namedsort>
<namedsort id="pair" name="Pair"><finiteenumeration><feconstant id="p0" name="0"/><feconstant id="p1" name="1"/></finiteenumeration></namedsort>
<namedsort id="range" name="Range"><finiteintrange start="-1" end="0"/></namedsort>
<namedsort id="product" name="Product"><productsort><usersort declaration="ring"/><usersort declaration="range"/></productsort></namedsort>
<partition id="classes" name="Classes"><usersort declaration="ring"/><partitionelement id="some" name="some"><useroperator declaration="r2"/><useroperator declaration="r0"/></partitionelement><partitionelement id="rest" name="rest"><useroperator declaration="r1"/></partitionelement></partition>
</declarations></structure></declaration>
"#;

fn op(name: &str, terms: &[String]) -> String {
    let terms: Vec<String> = terms
        .iter()
        .map(|t| format!("<subterm>{t}</subterm>"))
        .collect();
    format!("<{name}>{}</{name}>", terms.concat())
}

fn variable(name: &str) -> String {
    format!("<variable refvariable=\"{name}\"/>")
}

/// Generates a term for one colour; initial markings have no variables.
fn colour(rng: &mut Random, sort: Sort, variables: bool) -> String {
    let variables = variables && rng.percent(75);
    match sort {
        Sort::Dot => "<dotconstant/>".to_owned(),
        Sort::Ring => {
            let inner = if variables {
                variable(["x", "y"][rng.below(2)])
            } else {
                format!("<useroperator declaration=\"r{}\"/>", rng.below(3))
            };
            match rng.below(5) {
                0 => op("successor", &[inner]),
                1 => op("predecessor", &[inner]),
                _ => inner,
            }
        }
        Sort::Pair if variables => variable("b"),
        Sort::Pair => format!("<useroperator declaration=\"p{}\"/>", rng.below(2)),
        Sort::Range if variables => variable("n"),
        Sort::Range => format!(
            "<finiteintrangeconstant value=\"-{}\"><finiteintrange start=\"-1\" end=\"0\"/></finiteintrangeconstant>",
            rng.below(2)
        ),
        Sort::Product if variables && rng.percent(30) => variable("w"),
        Sort::Product | Sort::Nested => {
            let parts = sort.components().iter();
            let parts: Vec<String> = parts.map(|part| colour(rng, *part, variables)).collect();
            op("tuple", &parts)
        }
    }
}

fn multiset(rng: &mut Random, sort: Sort, variables: bool, depth: usize) -> String {
    let all = format!("<all><usersort declaration=\"{}\"/></all>", sort.id());
    if depth == 0 {
        return colour(rng, sort, variables);
    }
    match rng.below(24) {
        0 => all,
        1 => op("subtract", &[all, colour(rng, sort, variables)]),
        2 => {
            let parts = [0; 2].map(|_| colour(rng, sort, variables));
            op("subtract", &[all, parts[0].clone(), parts[1].clone()])
        }
        3..6 => {
            let terms = 1 + rng.below(2);
            let terms: Vec<String> = (0..terms)
                .map(|_| multiset(rng, sort, variables, depth - 1))
                .collect();
            op("add", &terms)
        }
        6..9 => {
            let n = rng.below(3);
            let number = format!("<numberconstant value=\"{n}\"><positive/></numberconstant>");
            let inner = multiset(rng, sort, variables, depth - 1);
            op("numberof", &[number, inner])
        }
        9 if sort == Sort::Ring => {
            let part = ["some", "rest"][rng.below(2)];
            format!("<useroperator declaration=\"{part}\"/>")
        }
        9..13 if !sort.components().is_empty() => {
            let parts = sort.components().iter();
            let parts: Vec<String> = parts
                .map(|part| multiset(rng, *part, variables, depth - 1))
                .collect();
            op("tuple", &parts)
        }
        13 => op("tuple", &[colour(rng, sort, variables)]),
        _ => colour(rng, sort, variables),
    }
}

fn guard(rng: &mut Random, depth: usize) -> String {
    if depth > 0 && rng.percent(40) {
        let mut inner = || guard(rng, depth - 1);
        let (left, right) = (inner(), inner());
        return match rng.below(4) {
            0 => op("not", &[left]),
            1 => op("imply", &[left, right]),
            2 => op("and", &[left, right]),
            _ => op("or", &[left, right]),
        };
    }
    let sort = *rng.one_of(&SORTS);
    let comparisons = [
        "equality",
        "inequality",
        "lessthan",
        "lessthanorequal",
        "greaterthan",
        "greaterthanorequal",
    ];
    let ordered = if sort.components().is_empty() { 6 } else { 2 };
    let (left, right) = (colour(rng, sort, true), colour(rng, sort, true));
    op(comparisons[rng.below(ordered)], &[left, right])
}

/// Generates a coloured net as PNML text.
pub fn random(rng: &mut Random) -> String {
    let mut page = String::from("<page id=\"page\">\n");
    let sorts: Vec<Sort> = (0..1 + rng.below(4)).map(|_| *rng.one_of(&SORTS)).collect();
    for (p, sort) in sorts.iter().enumerate() {
        let initial = if rng.percent(75) {
            loop {
                let term = multiset(rng, *sort, false, 3);
                if !term.contains("subtract") {
                    break format!(
                        "<hlinitialMarking><structure>{term}</structure></hlinitialMarking>"
                    );
                }
            }
        } else {
            String::new()
        };
        let sort = sort.id();
        page += &format!(
            "<place id=\"p{p}\"><type><structure><usersort declaration=\"{sort}\"/></structure></type>{initial}</place>\n"
        );
    }
    for t in 0..1 + rng.below(3) {
        let condition = if rng.percent(50) {
            let guard = guard(rng, 2);
            format!("<condition><structure>{guard}</structure></condition>")
        } else {
            String::new()
        };
        page += &format!("<transition id=\"t{t}\">{condition}</transition>\n");
        let arcs = [1 + rng.below(2), rng.below(3)];
        for (out, arcs) in arcs.into_iter().enumerate() {
            for _ in 0..arcs {
                let p = rng.below(sorts.len());
                let term = multiset(rng, sorts[p], true, 2);
                let ends = match out {
                    0 => format!("source=\"p{p}\" target=\"t{t}\""),
                    _ => format!("source=\"t{t}\" target=\"p{p}\""),
                };
                page += &format!(
                    "<arc {ends}><hlinscription><structure>{term}</structure></hlinscription></arc>\n"
                );
            }
        }
    }
    page += "</page>\n";
    let (first, second) = if rng.percent(50) {
        (DECLARATIONS, &*page)
    } else {
        (&*page, DECLARATIONS)
    };
    format!(
        "<pnml><net id=\"random\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\">\n{first}{second}</net></pnml>\n"
    )
}
