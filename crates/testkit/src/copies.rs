//! Random place/transition nets with symmetries: copies of components around shared places.
//!
//! Copies of a component have private places and are connected to shared places. They are
//! interchangeable, or form a circle in which each is also connected to the next. Some nets contain
//! an exception: an additional transition, another weight, a bound. Initial markings are often
//! asymmetric. With two components the group is a product. Atoms are about places or transitions of
//! one, some or all copies; some formulas combine one formula per copy.

use crate::case::{Atom, Case, distinct};
use crate::formulas::{Ltl, Op2};
use crate::nets::{self, add_event, add_place};
use crate::oracle::Reachable;
use crate::symmetric::at_least;
use lariat_corpora::Random;
use lariat_formats::{LoadedModel, ModelFormat};
use lariat_model::{Action, Domain, EventId, Predicate, Proposition, System, VarId};

/// Corresponding places and transitions of the copies.
#[derive(Clone, Debug, Default)]
pub struct Alike {
    /// Groups of corresponding places.
    pub vars: Vec<Vec<u32>>,
    /// Groups of corresponding transitions.
    pub events: Vec<Vec<u32>>,
}

/// The place of an arc: private to the copy, private to the next copy, or shared.
#[derive(Clone, Copy)]
enum End {
    Own(usize),
    Next(usize),
    Shared(usize),
}

/// A transition of a component: input and output arcs with weights.
type Pattern = (Vec<(End, i64)>, Vec<(End, i64)>);

/// Limit on the states of a random net.
const MOST_STATES: usize = 250;

/// Generates a net and a case about it, under `Stutter`.
pub fn random(rng: &mut Random) -> (LoadedModel, Case) {
    loop {
        let (system, alike) = net(rng);
        if Reachable::explore(&system, MOST_STATES).is_some() {
            let case = question(rng, &system, &alike);
            return (LoadedModel::new(ModelFormat::Pnml, system), case);
        }
    }
}

/// Generates a net of copies.
pub fn net(rng: &mut Random) -> (System, Alike) {
    let mut system = nets::empty("copies");
    let mut alike = Alike::default();
    let shared: Vec<u32> = (0..rng.below(3))
        .map(|i| add_place(&mut system, format!("s{i}"), rng.below(3) as i64) as u32)
        .collect();
    alike.vars.extend(shared.iter().map(|var| vec![*var]));
    for component in 0..*rng.one_of(&[1, 1, 2]) {
        copy(rng, &mut system, &mut alike, component, &shared);
    }
    let places = system.variables.len();
    if rng.percent(15) {
        // A transition that breaks the symmetry.
        let (from, to) = (rng.below(places), rng.below(places));
        add_event(&mut system, "odd".to_owned(), &[(from, 1, 0), (to, 0, 1)]);
    }
    if rng.percent(15) {
        let var = rng.below(places);
        system.variables[var].domain = Domain::Count { bound: Some(3) };
    }
    // Shuffle the places, so that no code relies on their order.
    let mut order: Vec<u32> = (0..places as u32).collect();
    rng.shuffle(&mut order);
    rename(&mut system, &mut alike, &order);
    (system, alike)
}

fn copy(
    rng: &mut Random,
    system: &mut System,
    alike: &mut Alike,
    component: usize,
    shared: &[u32],
) {
    let copies = *rng.one_of(&[2, 2, 3, 3, 4]);
    let places = 1 + rng.below(3);
    let circle = copies > 2 && rng.percent(40);
    let symmetric = rng.percent(60);
    let start = rng.below(places);
    let mut vars: Vec<Vec<u32>> = vec![Vec::new(); copies];
    for (number, own) in vars.iter_mut().enumerate() {
        for i in 0..places {
            let tokens = if symmetric {
                i64::from(i == start)
            } else {
                rng.below(2) as i64
            };
            let name = format!("k{component}c{number}p{i}");
            own.push(add_place(system, name, tokens) as u32);
        }
    }
    alike
        .vars
        .extend((0..places).map(|i| vars.iter().map(|own| own[i]).collect()));
    let patterns: Vec<Pattern> = (0..1 + rng.below(3))
        .map(|_| pattern(rng, places, circle, shared.len()))
        .collect();
    for (i, (takes, puts)) in patterns.iter().enumerate() {
        let mut same = Vec::new();
        for number in 0..copies {
            let var = |end: End| match end {
                End::Own(i) => vars[number][i],
                End::Next(i) => vars[(number + 1) % copies][i],
                End::Shared(i) => shared[i],
            };
            let take = |(end, weight): &(End, i64)| (var(*end) as usize, *weight, 0);
            let put = |(end, weight): &(End, i64)| (var(*end) as usize, 0, *weight);
            let mut arcs: Vec<_> = takes.iter().map(take).chain(puts.iter().map(put)).collect();
            if rng.percent(2) {
                // Break the symmetry.
                arcs.pop();
            }
            let name = format!("k{component}c{number}t{i}");
            same.push(add_event(system, name, &arcs) as u32);
        }
        alike.events.push(same);
    }
}

fn pattern(rng: &mut Random, places: usize, circle: bool, shared: usize) -> Pattern {
    let end = |rng: &mut Random| match rng.below(100) {
        0..30 if shared > 0 => End::Shared(rng.below(shared)),
        30..60 if circle => End::Next(rng.below(places)),
        _ => End::Own(rng.below(places)),
    };
    let weight = |rng: &mut Random| if rng.percent(10) { 2 } else { 1 };
    let mut takes = vec![(End::Own(rng.below(places)), 1)];
    let mut puts = vec![(End::Own(rng.below(places)), 1)];
    if rng.percent(50) {
        takes.push((end(rng), weight(rng)));
    }
    if rng.percent(50) {
        puts.push((end(rng), weight(rng)));
    }
    if rng.percent(15) {
        // A test arc, to a place that may be constant.
        let tested = end(rng);
        takes.push((tested, 1));
        puts.push((tested, 1));
    }
    (takes, puts)
}

/// Gives place `i` the index `order[i]`.
fn rename(system: &mut System, alike: &mut Alike, order: &[u32]) {
    let before = system.clone();
    for (from, to) in order.iter().enumerate() {
        system.variables[*to as usize] = before.variables[from].clone();
        system.initial[0][*to as usize] = before.initial[0][from];
    }
    for event in &mut system.events {
        if let Action::Net(arcs) = &mut event.action {
            for arc in arcs.iter_mut() {
                arc.var = VarId(order[arc.var.index()]);
            }
            arcs.sort_unstable_by_key(|arc| arc.var);
        }
    }
    for var in alike.vars.iter_mut().flatten() {
        *var = order[*var as usize];
    }
}

/// Generates a case about a net of copies.
pub fn question(rng: &mut Random, system: &System, alike: &Alike) -> Case {
    let mut propositions: Vec<Proposition> = Vec::new();
    let size = 1 + rng.below(8);
    let with_next = rng.percent(40);
    let formula = if rng.percent(40) {
        // One formula per copy. Larger formulas about four copies would dominate the run time.
        propositions = one_each(rng, alike);
        let most = if propositions.len() > 3 { 2 } else { 4 };
        let one = Ltl::random(rng, 1, size.min(most), with_next);
        let op = *rng.one_of(&[Op2::And, Op2::Or, Op2::Xor, Op2::Until]);
        let each = (0..propositions.len()).map(|atom| with_atom(&one, atom));
        let all = each.reduce(|all, next| Ltl::Binary(op, Box::new(all), Box::new(next)));
        all.unwrap_or(Ltl::Const(true))
    } else {
        let whole = rng.below(101);
        for _ in 0..1 + rng.below(3) {
            let proposition = proposition(rng, alike, whole);
            if !propositions.contains(&proposition) {
                propositions.push(proposition);
            }
        }
        Ltl::random(rng, propositions.len(), size, with_next)
    };
    let atoms = propositions.into_iter().map(Atom::unnamed);
    Case::new(system.clone(), atoms, formula)
}

/// Replaces every atom of the formula.
fn with_atom(formula: &Ltl, atom: usize) -> Ltl {
    let again = |formula: &Ltl| Box::new(with_atom(formula, atom));
    match formula {
        Ltl::Const(value) => Ltl::Const(*value),
        Ltl::Atom(_) => Ltl::Atom(atom),
        Ltl::Unary(op, f) => Ltl::Unary(*op, again(f)),
        Ltl::Binary(op, f, g) => Ltl::Binary(*op, again(f), again(g)),
    }
}

/// Generates one proposition per copy.
fn one_each(rng: &mut Random, alike: &Alike) -> Vec<Proposition> {
    if rng.percent(60) || alike.events.is_empty() {
        let vars = rng.one_of(&alike.vars).iter();
        return vars
            .map(|var| Proposition::State(at_least(&[*var], 1)))
            .collect();
    }
    let fires = rng.percent(50);
    let events = rng.one_of(&alike.events).iter();
    let one = |event: &u32| {
        if fires {
            Proposition::Fires(vec![EventId(*event)])
        } else {
            Proposition::State(Predicate::Enabled(vec![EventId(*event)]))
        }
    };
    events.map(one).collect()
}

/// Generates a proposition, about all copies with probability `whole` percent.
fn proposition(rng: &mut Random, alike: &Alike, whole: usize) -> Proposition {
    let some = |rng: &mut Random, all: &[u32]| -> Vec<u32> {
        if rng.percent(whole) {
            return distinct(all.iter().copied());
        }
        distinct((0..1 + rng.below(2)).map(|_| *rng.one_of(all)))
    };
    match rng.below(6) {
        5 => Proposition::State(Predicate::Deadlock),
        kind @ 3.. if !alike.events.is_empty() => {
            let all = rng.one_of(&alike.events);
            let events = some(rng, all).into_iter().map(EventId).collect();
            match kind {
                3 => Proposition::State(Predicate::Enabled(events)),
                _ => Proposition::Fires(events),
            }
        }
        _ => {
            let all = rng.one_of(&alike.vars);
            let vars = some(rng, all);
            Proposition::State(at_least(&vars, 1 + rng.below(2) as i64))
        }
    }
}
