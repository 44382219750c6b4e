//! A case: a model-checking problem as plain data.

use crate::formulas::Ltl;
use crate::lassos;
use crate::oracle::{self, Reachable};
use crate::{
    claims, fairness, guarded, interleaved, nets, predicates, programs, promela, reducible,
    shadows, stretched,
};
use lariat_corpora::Random;
use lariat_model::{
    Action, Comparison, Constraint, Deadlock, EventId, Lasso, Linear, Predicate, Proposition,
    System,
};
use std::collections::BTreeSet;
use std::fmt;

/// A proposition and its text in the user's syntax.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The proposition.
    pub proposition: Proposition,
    /// Its text in a formula; `None` if it cannot be written in one.
    pub text: Option<String>,
}

impl Atom {
    /// Returns an atom that cannot be written in a formula.
    pub fn unnamed(proposition: Proposition) -> Atom {
        let text = None;
        Atom { proposition, text }
    }
}

/// The problem whether every run of a system satisfies a formula.
#[derive(Clone, Debug)]
pub struct Case {
    /// The system.
    pub system: System,
    /// The atoms of the formula.
    pub atoms: Vec<Atom>,
    /// The formula.
    pub formula: Ltl,
    /// The deadlock policy.
    pub deadlock: Deadlock,
    /// Fairness assumptions about runs.
    pub fairness: Vec<Constraint>,
}

/// Limit on the states of a random system.
pub const MOST_STATES: usize = 400;

impl Case {
    /// Creates a case under `Stutter`, without fairness.
    pub fn new(system: System, atoms: impl IntoIterator<Item = Atom>, formula: Ltl) -> Case {
        Case {
            system,
            atoms: atoms.into_iter().collect(),
            formula,
            deadlock: Deadlock::Stutter,
            fairness: Vec::new(),
        }
    }

    /// Generates the case of this seed, under `Stutter`; see [`Case::variants`].
    pub fn random(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let cut = if rng.percent(6) { MOST_STATES } else { 60 };
        let system = if rng.percent(60) {
            nets::random(&mut rng, cut)
        } else {
            programs::random(&mut rng, cut)
        };
        Case::about(system, &mut rng)
    }

    /// Generates the case of this seed with fairness constraints.
    pub fn fair(seed: u64) -> Case {
        let case = Case::random(seed);
        let mut rng = Random::new(seed.rotate_left(32));
        Case {
            fairness: fairness::random(&mut rng, &case.system),
            ..case
        }
    }

    /// Generates the case of this seed about a net with many states, usually an unbounded one. The
    /// oracle does not apply; counterexamples can still be checked.
    pub fn growing(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let system = nets::growing(&mut rng);
        Case::about(system, &mut rng)
    }

    /// Generates the case of this seed about a net whose file makes claims, usually false ones.
    pub fn claimed(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let net = claims::random(&mut rng, 60);
        Case::about(net, &mut rng)
    }

    /// Generates the case of this seed about a net with (almost) implicit places.
    pub fn shadowed(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let (_, net) = small(&mut rng, 60, shadows::added);
        Case::about(net, &mut rng)
    }

    /// Generates the case of this seed about a net on which reduction rules apply, or almost. Most
    /// formulas do not read the additions. Every fifth case has fairness constraints.
    pub fn reducible(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let (before, net) = small(&mut rng, 30, reducible::added);
        let observed = if rng.percent(70) { before } else { net.clone() };
        let mut case = Case::about(observed, &mut rng);
        case.system = net;
        if seed.is_multiple_of(5) {
            case.fairness = fairness::random(&mut rng, &case.system);
        }
        case
    }

    /// Generates the case of this seed about a net with inhibitor, reset and read arcs.
    pub fn guarded(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let (_, net) = small(&mut rng, 60, guarded::added);
        Case::about(net, &mut rng)
    }

    /// Generates the case of this seed about a Promela model.
    pub fn promela(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let cut = if rng.percent(20) { MOST_STATES } else { 100 };
        let system = promela::random(&mut rng, cut);
        Case::about(system, &mut rng)
    }

    /// Generates the case of this seed about processes that mostly take local steps.
    pub fn interleaved(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let system = interleaved::random(&mut rng, 200);
        let mut atoms: Vec<Atom> = Vec::new();
        for _ in 0..1 + rng.below(2) {
            let atom = interleaved::atom(&mut rng, &system);
            if !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
        let size = 1 + rng.below(8);
        let formula = Ltl::random(&mut rng, atoms.len(), size, false);
        Case::new(system, atoms, formula)
    }

    /// Generates the case of this seed about a Promela model with fairness constraints.
    pub fn fair_promela(seed: u64) -> Case {
        let case = Case::promela(seed);
        let mut rng = Random::new(seed.rotate_left(32));
        Case {
            fairness: fairness::random(&mut rng, &case.system),
            ..case
        }
    }

    /// Generates the case of this seed about a net on which agglomerations apply, or almost.
    pub fn stretched(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let (_, net) = small(&mut rng, 40, stretched::added);
        Case::about(net, &mut rng)
    }

    /// Generates a formula about a system, under `Stutter`.
    fn about(system: System, rng: &mut Random) -> Case {
        let mut atoms: Vec<Atom> = Vec::new();
        let events = rng.percent(40);
        for _ in 0..1 + rng.below(3) {
            let atom = random_atom(rng, &system, events);
            if !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
        let size = 1 + rng.below(10);
        let with_next = rng.percent(40);
        let formula = Ltl::random(rng, atoms.len(), size, with_next);
        Case::new(system, atoms, formula)
    }

    /// Returns the case and its negation under `Stutter`, then both under `Ignore`.
    pub fn variants(&self) -> [Case; 4] {
        let with = |formula: Ltl, deadlock| Case {
            formula,
            deadlock,
            ..self.clone()
        };
        [
            with(self.formula.clone(), Deadlock::Stutter),
            with(self.formula.negated(), Deadlock::Stutter),
            with(self.formula.clone(), Deadlock::Ignore),
            with(self.formula.negated(), Deadlock::Ignore),
        ]
    }

    /// Returns the propositions of the atoms; bit `i` of a letter is the `i`-th.
    pub fn propositions(&self) -> Vec<Proposition> {
        self.atoms.iter().map(|a| a.proposition.clone()).collect()
    }

    /// Returns a unique name per atom: its text if it has one.
    pub fn atom_names(&self) -> Vec<String> {
        let name = |(i, atom): (usize, &Atom)| atom.text.clone().unwrap_or(format!("a{i}"));
        self.atoms.iter().enumerate().map(name).collect()
    }

    /// Returns the text of the formula, if all its atoms have one.
    pub fn formula_text(&self) -> Option<String> {
        let expressible = |(i, a): (usize, &Atom)| a.text.is_some() || !self.formula.uses_atom(i);
        let all = self.atoms.iter().enumerate().all(expressible);
        all.then(|| self.formula.text(&self.atom_names()))
    }

    /// Returns whether the formula has atoms about events.
    pub fn uses_events(&self) -> bool {
        self.atoms.iter().enumerate().any(|(i, atom)| {
            matches!(atom.proposition, Proposition::Fires(_)) && self.formula.uses_atom(i)
        })
    }

    /// Returns whether every event is a Petri-net transition.
    pub fn is_net(&self) -> bool {
        let net = |a: &Action| matches!(a, Action::Net(_));
        self.system.events.iter().all(|e| net(&e.action))
    }

    /// Returns whether the system is a net; its transitions may have inhibitor and reset arcs.
    pub fn has_places_only(&self) -> bool {
        self.system.has_places_only()
    }

    /// Returns the reachability graph under the deadlock policy.
    pub fn graph(&self) -> Reachable {
        // Hand-made and shrunk cases may be larger than random ones, but not by much.
        let all = Reachable::explore(&self.system, 100_000);
        all.expect("the oracle is for small systems")
            .under(self.deadlock)
    }

    /// Returns the oracle's answer: a run that violates the formula, if there is one.
    pub fn oracle(&self) -> Option<Lasso> {
        let graph = self.graph();
        let (propositions, formula) = (self.propositions(), &self.formula);
        oracle::violation(&self.system, &propositions, &graph, formula, &self.fairness)
    }

    /// Returns whether there is a fair infinite run.
    pub fn has_fair_run(&self) -> bool {
        if self.fairness.is_empty() {
            return self.has_infinite_run();
        }
        let never = Ltl::Const(false);
        oracle::violation(&self.system, &[], &self.graph(), &never, &self.fairness).is_some()
    }

    /// Returns whether there is an infinite run, as in any unbounded net (König's lemma).
    pub fn has_infinite_run(&self) -> bool {
        self.grows() || self.graph().has_infinite_run()
    }

    /// Returns whether the case is one of [`Case::growing`].
    pub fn grows(&self) -> bool {
        self.system.name == nets::GROWING
    }

    /// Checks that a lasso is a fair run that violates the formula; the error gives the reason.
    pub fn check(&self, lasso: &Lasso) -> Result<(), String> {
        lassos::is_fair(lasso, &self.system, &self.fairness)?;
        let (system, propositions) = (&self.system, self.propositions());
        lassos::check(lasso, system, &propositions, self.deadlock, &self.formula)
    }
}

/// Returns a net of at most `cut` markings, and an extension of at most [`MOST_STATES`].
fn small(
    rng: &mut Random,
    cut: usize,
    added: fn(&mut Random, System) -> System,
) -> (System, System) {
    loop {
        let before = nets::random(rng, cut);
        let net = added(rng, before.clone());
        if Reachable::explore(&net, MOST_STATES).is_some() {
            return (before, net);
        }
    }
}

/// Returns the items in increasing order without duplicates.
pub(crate) fn distinct<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    Vec::from_iter(BTreeSet::from_iter(items))
}

fn random_atom(rng: &mut Random, system: &System, events: bool) -> Atom {
    let one_or_two = |rng: &mut Random, two: usize| -> Vec<EventId> {
        let event = |rng: &mut Random| EventId(rng.below(system.events.len()) as u32);
        let first = event(rng);
        let second = rng.percent(two).then(|| event(rng));
        distinct([first].into_iter().chain(second))
    };
    let name = |e: &EventId| system.events[e.index()].name.clone();
    if events && rng.percent(60) {
        let list = one_or_two(rng, 15);
        let fires: Vec<String> = list.iter().map(|e| format!("fires({})", name(e))).collect();
        return Atom {
            text: Some(match &fires[..] {
                [one] => one.clone(),
                several => format!("({})", several.join(" | ")),
            }),
            proposition: Proposition::Fires(list),
        };
    }
    let vars = system.variables.len();
    let (predicate, text) = match rng.below(20) {
        0 => (Predicate::Deadlock, Some("deadlock".to_owned())),
        1..5 => {
            let list = one_or_two(rng, 40);
            let names: Vec<String> = list.iter().map(name).collect();
            let text = format!("\"fireable({})\"", names.join(", "));
            (Predicate::Enabled(list), Some(text))
        }
        5 => {
            let e = predicates::expression(rng, vars, 2);
            (Predicate::Expr(e), None)
        }
        _ => {
            let linear = predicates::linear(rng, vars);
            let text = linear_text(system, &linear);
            (Predicate::Linear(linear), Some(text))
        }
    };
    Atom {
        proposition: Proposition::State(predicate),
        text,
    }
}

/// Returns the text of a comparison of sums, as in `"p + q <= r"`: coefficients repeat the
/// variable, negative terms are moved to the right side.
pub(crate) fn linear_text(system: &System, linear: &Linear) -> String {
    let side = |positive: bool| {
        let mut names = Vec::new();
        for (v, c) in &linear.terms {
            if (*c > 0) == positive {
                for _ in 0..c.abs() {
                    names.push(system.variables[v.index()].name.clone());
                }
            }
        }
        names
    };
    let sign = match linear.comparison {
        Comparison::Eq => "==",
        Comparison::Ne => "!=",
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Gt => ">",
        Comparison::Ge => ">=",
    };
    let right = match &side(false)[..] {
        [] => linear.constant.to_string(),
        names => names.join(" + "),
    };
    format!("\"{} {sign} {right}\"", side(true).join(" + "))
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = &self.system;
        let name = |v: usize| &s.variables[v].name;
        writeln!(f, "system {}", s.name)?;
        for v in &s.variables {
            writeln!(f, "  var {}: {:?}", v.name, v.domain)?;
        }
        for state in &s.initial {
            let values: Vec<String> = (0..state.len())
                .map(|i| format!("{}={}", name(i), state[i]))
                .collect();
            writeln!(f, "  initial {}", values.join(" "))?;
        }
        for e in &s.events {
            write!(f, "  event {}:", e.name)?;
            match &e.action {
                Action::Net(arcs) => {
                    for a in arcs {
                        let place = name(a.var.index());
                        write!(f, " {place} (needs {}, {:+})", a.need, a.delta)?;
                    }
                    writeln!(f)?;
                }
                Action::Program { guard, effects } => {
                    writeln!(f, " program\n    guard {guard:?}")?;
                    for effect in effects {
                        writeln!(f, "    {:?} := {:?}", effect.target, effect.value)?;
                    }
                }
                Action::Chain(chain) => writeln!(f, " {chain:?}")?,
                Action::Table { vars, rows } => {
                    let vars: Vec<&String> = vars.iter().map(|v| name(v.index())).collect();
                    writeln!(f, " table over {vars:?}")?;
                    for row in rows {
                        writeln!(f, "    {row:?}")?;
                    }
                }
            }
        }
        if let Some(fault) = s.fault {
            writeln!(f, "  fault variable {}", name(fault.index()))?;
        }
        for (i, atom) in self.atoms.iter().enumerate() {
            if atom.text.is_none() && self.formula.uses_atom(i) {
                writeln!(f, "atom a{i}: {:?}", atom.proposition)?;
            }
        }
        for c in &self.fairness {
            let events: Vec<&str> = c.taken.iter().map(|e| &*s.event(*e).name).collect();
            let (strength, name, enabled) = (c.strength.name(), &c.name, &c.enabled);
            writeln!(f, "{strength} {name}: {enabled:?} {events:?}")?;
        }
        writeln!(f, "formula {}", self.formula.text(&self.atom_names()))?;
        write!(f, "deadlocks {:?}", self.deadlock)
    }
}
