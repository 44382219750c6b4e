//! Small coloured nets with symmetries, fixed and random, and random properties of them.
//!
//! A [`Spec`] describes a net by colour classes, places over them, and transitions with variables,
//! successors, constants and guards. Random nets are arbitrary, or processes that walk through
//! local states, with resources, synchronisations and possibly a ring. Initial markings are often
//! asymmetric. Atoms are about colours or places, and bindings or transitions.

use crate::case::{Atom, Case, distinct};
use crate::formulas::Ltl;
use crate::oracle::Reachable;
use lariat_budget::Budget;
use lariat_corpora::Random;
use lariat_formats::{LoadedModel, ModelFormat};
use lariat_model::coloured::{
    Colour, ColourVariable, ColourVariableId, Coloured, ColouredNet, ColouredPlace,
    ColouredTransition, Inscription, PlaceId, Sort, SortId, SortKind, Term, TermKind,
    TransitionGuard, TransitionId, unfold,
};
use lariat_model::{Comparison, EventId, Linear, Predicate, Proposition, VarId};

/// One component of a tuple on an arc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The value of a variable of the transition.
    Variable(usize),
    /// Its successor in a cyclic class.
    Successor(usize),
    /// A constant colour.
    Constant(u64),
}

/// A condition of a guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// Two variables are equal.
    Equal(usize, usize),
    /// Two variables are different.
    Differ(usize, usize),
    /// A variable is this colour.
    Is(usize, u64),
    /// A variable is not this colour.
    IsNot(usize, u64),
}

/// A place and the tuple that an arc carries.
pub type Arc = (usize, Vec<Part>);

/// A transition.
#[derive(Clone, Debug, Default)]
pub struct Firing {
    /// Classes of its variables.
    pub variables: Vec<usize>,
    /// The guard, a conjunction.
    pub guard: Vec<Check>,
    /// Input arcs.
    pub takes: Vec<Arc>,
    /// Output arcs.
    pub puts: Vec<Arc>,
}

/// A coloured net.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Size per class, and whether it is cyclic.
    pub classes: Vec<(u64, bool)>,
    /// Per place, the classes of its components.
    pub places: Vec<Vec<usize>>,
    /// The transitions.
    pub transitions: Vec<Firing>,
    /// The initial marking: places, colours and numbers of tokens.
    pub initial: Vec<(usize, Vec<u64>, u64)>,
}

impl Spec {
    fn sort(&self, classes: &[usize], sorts: &mut Vec<Sort>) -> SortId {
        match classes {
            [] => SortId(0),
            [class] => SortId(1 + *class as u32),
            classes => {
                let parts: Vec<SortId> = classes.iter().map(|c| SortId(1 + *c as u32)).collect();
                let kind = SortKind::Product(parts.clone());
                if let Some(known) = sorts.iter().position(|sort| sort.kind == kind) {
                    return SortId(known as u32);
                }
                sorts.push(Sort {
                    name: format!("product{}", sorts.len()),
                    kind,
                    size: classes.iter().map(|class| self.classes[*class].0).product(),
                    parts,
                });
                SortId(sorts.len() as u32 - 1)
            }
        }
    }

    /// Builds the net and its unfolding.
    pub fn model(&self) -> LoadedModel {
        let mut sorts = vec![Sort {
            name: "dot".to_owned(),
            kind: SortKind::Dot,
            size: 1,
            parts: vec![SortId(0)],
        }];
        for (class, (size, cyclic)) in self.classes.iter().enumerate() {
            let constants = (0..*size).map(|c| format!("k{class}c{c}")).collect();
            sorts.push(Sort {
                name: format!("class{class}"),
                kind: SortKind::Enumeration {
                    constants,
                    cyclic: *cyclic,
                },
                size: *size,
                parts: vec![SortId(sorts.len() as u32)],
            });
        }
        let domains: Vec<SortId> = (self.places.iter().map(|p| self.sort(p, &mut sorts))).collect();
        let mut net = ColouredNet {
            name: "symmetric".to_owned(),
            sorts,
            ..ColouredNet::default()
        };
        for (place, sort) in domains.iter().enumerate() {
            let initial = self.initial.iter().filter(|(p, ..)| *p == place);
            let token = |(_, colours, count): &(usize, Vec<u64>, u64)| {
                let parts: Vec<Part> = colours.iter().map(|c| Part::Constant(*c)).collect();
                let one = self.term(&net, (place, parts), *sort, &[]);
                Term {
                    sort: *sort,
                    kind: TermKind::Scaled(*count, Box::new(one)),
                }
            };
            let initial: Vec<Term> = initial.map(token).collect();
            net.places.push(ColouredPlace {
                name: format!("p{place}"),
                sort: *sort,
                initial: (!initial.is_empty()).then_some(Term {
                    sort: *sort,
                    kind: TermKind::Add(initial),
                }),
            });
        }
        for (number, firing) in self.transitions.iter().enumerate() {
            self.add(&mut net, number, firing, &domains);
        }
        let unfolded = unfold(&net, &Budget::unlimited()).expect("a small net");
        let mut model = LoadedModel::new(ModelFormat::Pnml, unfolded.system);
        let unfolding = unfolded.unfolding;
        model.coloured = Some(Box::new(Coloured { net, unfolding }));
        model
    }

    fn add(&self, net: &mut ColouredNet, number: usize, firing: &Firing, domains: &[SortId]) {
        let first = net.variables.len() as u32;
        let ids: Vec<ColourVariableId> = (0..firing.variables.len() as u32)
            .map(|i| ColourVariableId(first + i))
            .collect();
        for (i, class) in firing.variables.iter().enumerate() {
            net.variables.push(ColourVariable {
                name: format!("x{number}v{i}"),
                sort: SortId(1 + *class as u32),
            });
        }
        let variable = |i: usize| Term {
            sort: SortId(1 + firing.variables[i] as u32),
            kind: TermKind::Variable(ids[i]),
        };
        let constant = |i: usize, colour: u64| Term {
            sort: SortId(1 + firing.variables[i] as u32),
            kind: TermKind::Constant(Colour(colour)),
        };
        let guards = firing.guard.iter().map(|check| {
            let (comparison, left, right) = match *check {
                Check::Equal(i, j) => (Comparison::Eq, variable(i), variable(j)),
                Check::Differ(i, j) => (Comparison::Ne, variable(i), variable(j)),
                Check::Is(i, c) => (Comparison::Eq, variable(i), constant(i, c)),
                Check::IsNot(i, c) => (Comparison::Ne, variable(i), constant(i, c)),
            };
            TransitionGuard::Compare(comparison, left, right)
        });
        let guard = TransitionGuard::And(guards.collect());
        let inscriptions = |arcs: &[Arc]| -> Vec<Inscription> {
            let inscription = |arc: &Arc| Inscription {
                place: PlaceId(arc.0 as u32),
                term: self.term(net, arc.clone(), domains[arc.0], &ids),
            };
            arcs.iter().map(inscription).collect()
        };
        let (inputs, outputs) = (inscriptions(&firing.takes), inscriptions(&firing.puts));
        let mut variables = Vec::new();
        guard.collect_variables(&mut variables);
        for arc in inputs.iter().chain(&outputs) {
            arc.term.collect_variables(&mut variables);
        }
        variables.sort_unstable();
        variables.dedup();
        net.transitions.push(ColouredTransition {
            name: format!("t{number}"),
            guard,
            inputs,
            outputs,
            variables,
        });
    }

    fn term(&self, net: &ColouredNet, arc: Arc, sort: SortId, ids: &[ColourVariableId]) -> Term {
        let (place, parts) = arc;
        let part = |(class, part): (&usize, &Part)| {
            let sort = SortId(1 + *class as u32);
            let kind = match *part {
                Part::Variable(i) => TermKind::Variable(ids[i]),
                Part::Constant(colour) => TermKind::Constant(Colour(colour)),
                Part::Successor(i) => TermKind::Successor(Box::new(Term {
                    sort,
                    kind: TermKind::Variable(ids[i]),
                })),
            };
            Term { sort, kind }
        };
        let classes = &self.places[place];
        let mut terms: Vec<Term> = classes.iter().zip(&parts).map(part).collect();
        debug_assert!(sort.index() < net.sorts.len());
        match terms.len() {
            0 => Term {
                sort,
                kind: TermKind::Constant(Colour(0)),
            },
            1 => terms.swap_remove(0),
            _ => Term {
                sort,
                kind: TermKind::Tuple(terms),
            },
        }
    }

    /// Generates a net.
    pub fn random(rng: &mut Random) -> Spec {
        if rng.percent(30) {
            plain(rng)
        } else {
            processes(rng)
        }
    }
}

fn tuples(spec: &Spec, classes: &[usize]) -> Vec<Vec<u64>> {
    classes.iter().fold(vec![Vec::new()], |fronts, class| {
        let size = spec.classes[*class].0;
        let longer = |front: Vec<u64>| (0..size).map(move |c| [&front[..], &[c]].concat());
        fronts.into_iter().flat_map(longer).collect()
    })
}

/// Generates arbitrary places and arcs.
fn plain(rng: &mut Random) -> Spec {
    let count = *rng.one_of(&[1, 1, 2]);
    let mut spec = Spec::default();
    for _ in 0..count {
        let size = *rng.one_of(&[2, 3, 3, 4]);
        spec.classes.push((size, rng.percent(30)));
    }
    if count == 2 && spec.classes[0].0 * spec.classes[1].0 > 9 {
        spec.classes[1].0 = 2;
    }
    for _ in 0..2 + rng.below(3) {
        let width = match rng.below(100) {
            0..15 => 0,
            15..80 => 1,
            _ => 2,
        };
        let place = (0..width).map(|_| rng.below(count)).collect();
        spec.places.push(place);
    }
    let constants = rng.percent(15);
    for _ in 0..2 + rng.below(3) {
        let firing = plain_firing(rng, &spec, constants);
        spec.transitions.push(firing);
    }
    for place in 0..spec.places.len() {
        let all = tuples(&spec, &spec.places[place]);
        match rng.below(10) {
            0..5 if all.len() <= 4 => {
                spec.initial.extend(all.into_iter().map(|c| (place, c, 1)));
            }
            5..7 => {
                let colours = rng.one_of(&all).clone();
                spec.initial.push((place, colours, 1 + rng.below(2) as u64));
            }
            _ => {}
        }
    }
    if spec.initial.is_empty() {
        let first = tuples(&spec, &spec.places[0]).swap_remove(0);
        spec.initial.push((0, first, 1));
    }
    spec
}

fn plain_firing(rng: &mut Random, spec: &Spec, constants: bool) -> Firing {
    let count = spec.classes.len();
    let mut firing = Firing::default();
    for _ in 0..*rng.one_of(&[1, 1, 2]) {
        firing.variables.push(rng.below(count));
    }
    let arc = |rng: &mut Random, variables: &mut Vec<usize>| -> Arc {
        let place = rng.below(spec.places.len());
        let mut parts = Vec::new();
        for class in &spec.places[place] {
            let (size, cyclic) = spec.classes[*class];
            let of_class = (0..variables.len()).filter(|i| variables[*i] == *class);
            let of_class: Vec<usize> = of_class.collect();
            if constants && rng.percent(15) {
                parts.push(Part::Constant(rng.below(size as usize) as u64));
            } else if of_class.is_empty() {
                variables.push(*class);
                parts.push(Part::Variable(variables.len() - 1));
            } else {
                let which = *rng.one_of(&of_class);
                parts.push(if cyclic && rng.percent(40) {
                    Part::Successor(which)
                } else {
                    Part::Variable(which)
                });
            }
        }
        (place, parts)
    };
    let takes = *rng.one_of(&[1, 1, 2]);
    let puts = if rng.percent(75) { takes } else { 1 };
    for _ in 0..takes {
        let arc = arc(rng, &mut firing.variables);
        firing.takes.push(arc);
    }
    for _ in 0..puts {
        let arc = arc(rng, &mut firing.variables);
        firing.puts.push(arc);
    }
    for i in 0..firing.variables.len() {
        for j in 0..i {
            if firing.variables[i] == firing.variables[j] && rng.percent(40) {
                firing.guard.push(match rng.below(3) {
                    0 => Check::Equal(i, j),
                    _ => Check::Differ(i, j),
                });
            }
        }
    }
    if constants && rng.percent(30) {
        let i = rng.below(firing.variables.len());
        let colour = rng.below(spec.classes[firing.variables[i]].0 as usize) as u64;
        firing.guard.push(if rng.percent(50) {
            Check::Is(i, colour)
        } else {
            Check::IsNot(i, colour)
        });
    }
    firing
}

/// Generates identical processes that walk through local states.
fn processes(rng: &mut Random) -> Spec {
    use Part::{Successor, Variable};
    let size = *rng.one_of(&[2, 3, 3, 4]);
    let locals = 2 + rng.below(2);
    let ring = rng.percent(30);
    let two = !ring && rng.percent(20);
    let mut spec = Spec {
        classes: vec![(size, ring)],
        places: vec![vec![0]; locals],
        ..Spec::default()
    };
    let resource = rng.percent(50).then_some(locals);
    if resource.is_some() {
        spec.places.push(Vec::new());
    }
    let owned = two.then_some(spec.places.len());
    if two {
        spec.classes.push((2, false));
        spec.places.extend([vec![1], vec![0, 1]]);
    }
    for _ in 0..2 + rng.below(3) {
        let (from, to) = (rng.below(locals), rng.below(locals));
        let mut firing = Firing {
            variables: vec![0],
            guard: Vec::new(),
            takes: vec![(from, vec![Variable(0)])],
            puts: vec![(to, vec![Variable(0)])],
        };
        let (other, beyond) = (rng.below(locals), rng.below(locals));
        let beyond = if rng.percent(50) { other } else { beyond };
        match (rng.below(100), resource, owned) {
            (0..35, Some(resource), _) => {
                if rng.percent(60) {
                    firing.takes.push((resource, Vec::new()))
                } else {
                    firing.puts.push((resource, Vec::new()))
                }
            }
            (0..60, _, Some(owned)) => {
                firing.variables.push(1);
                let both = (owned + 1, vec![Variable(0), Variable(1)]);
                if rng.percent(50) {
                    firing.takes.push((owned, vec![Variable(1)]));
                    firing.puts[0] = both;
                } else {
                    firing.takes[0] = both;
                    firing.puts.push((owned, vec![Variable(1)]));
                }
            }
            (0..70, ..) if ring => {
                firing.takes.push((other, vec![Successor(0)]));
                firing.puts.push((beyond, vec![Successor(0)]));
            }
            (0..80, ..) => {
                firing.variables.push(0);
                firing.guard.push(Check::Differ(0, 1));
                firing.takes.push((other, vec![Variable(1)]));
                firing.puts.push((beyond, vec![Variable(1)]));
            }
            _ => {}
        }
        if rng.percent(6) {
            let colour = rng.below(size as usize) as u64;
            firing.guard.push(if rng.percent(50) {
                Check::Is(0, colour)
            } else {
                Check::IsNot(0, colour)
            });
        }
        spec.transitions.push(firing);
    }
    if rng.percent(80) {
        for colour in 0..size {
            let place = if rng.percent(80) {
                0
            } else {
                rng.below(locals)
            };
            spec.initial.push((place, vec![colour], 1));
        }
    } else {
        let colour = rng.below(size as usize) as u64;
        spec.initial.push((rng.below(locals), vec![colour], 1));
    }
    spec.initial
        .extend(resource.map(|place| (place, Vec::new(), 1 + rng.below(2) as u64)));
    let owned = owned.into_iter();
    spec.initial
        .extend(owned.flat_map(|place| [0, 1].map(|colour| (place, vec![colour], 1))));
    spec
}

/// Limit on the states of a random net.
const MOST_STATES: usize = 250;

/// Generates a net and a case about it, under `Stutter`.
pub fn random(rng: &mut Random) -> (LoadedModel, Case) {
    loop {
        let model = Spec::random(rng).model();
        let states = Reachable::explore(&model.system, MOST_STATES);
        if states.is_some() && model.system.events.len() > 1 {
            let case = question(rng, &model);
            return (model, case);
        }
    }
}

/// Generates a case about a coloured net.
pub fn question(rng: &mut Random, model: &LoadedModel) -> Case {
    let whole = rng.below(101);
    let mut atoms: Vec<Atom> = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let proposition = proposition(rng, model, whole);
        let atom = Atom::unnamed(proposition);
        if !atoms.contains(&atom) {
            atoms.push(atom);
        }
    }
    let size = 1 + rng.below(10);
    let with_next = rng.percent(40);
    let formula = Ltl::random(rng, atoms.len(), size, with_next);
    Case::new(model.system.clone(), atoms, formula)
}

/// Generates a proposition, about whole places and transitions with probability `whole` percent.
fn proposition(rng: &mut Random, model: &LoadedModel, whole: usize) -> Proposition {
    let coloured = model.coloured.as_deref().expect("a coloured net");
    let some = |rng: &mut Random, all: Vec<u32>, most: usize| -> Vec<u32> {
        if rng.percent(whole) || all.is_empty() {
            return all;
        }
        distinct((0..1 + rng.below(most)).map(|_| *rng.one_of(&all)))
    };
    match rng.below(5) {
        0..3 => {
            let place = PlaceId(rng.below(coloured.net.places.len()) as u32);
            let vars = coloured
                .unfolding
                .instances(place)
                .map(|var| var.0)
                .collect();
            let vars = some(rng, vars, 2);
            Proposition::State(at_least(&vars, 1 + rng.below(2) as i64))
        }
        kind => {
            let transition = TransitionId(rng.below(coloured.net.transitions.len()) as u32);
            let events = coloured.unfolding.events(transition).map(|e| e.0).collect();
            let events = some(rng, events, 1).into_iter().map(EventId).collect();
            match kind {
                3 => Proposition::State(Predicate::Enabled(events)),
                _ => Proposition::Fires(events),
            }
        }
    }
}

/// Returns the predicate that the sum of some places is at least `count`.
pub fn at_least(vars: &[u32], count: i64) -> Predicate {
    if vars.is_empty() {
        return Predicate::Const(count <= 0);
    }
    Predicate::Linear(Linear {
        terms: vars.iter().map(|var| (VarId(*var), 1)).collect(),
        comparison: Comparison::Ge,
        constant: count,
    })
}
