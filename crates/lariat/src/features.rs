//! Features of the property and the net by which `auto` chooses engines.

use crate::subject::{PropertyForm, Subject};
use lariat_ltl::{AtomId, Formulas, classes};
use lariat_model::{Constraint, EventId, Predicate, Proposition, System, Value, VarId};

/// Features for the choice of engines.
#[derive(PartialEq, Debug)]
pub(crate) struct Features {
    /// Whether every event is a transition of a net.
    pub net: bool,
    /// The largest initial number of tokens in a place.
    pub tokens: Value,
    /// Whether the net may be unbounded.
    pub grows: bool,
    /// Whether the formula is syntactically safe: every violation has a violating prefix.
    pub safety: bool,
    /// Whether the formula has no `X`, and so is stutter-invariant.
    pub stutters: bool,
    /// The number of observed propositions.
    pub observed: usize,
    /// The number of events that can change an observed proposition, or that one names.
    pub visible: usize,
    /// The number of events.
    pub events: usize,
    /// The logarithm (base 10) of the number of symmetries of the original net that preserve the
    /// property; 0 until it is computed.
    pub symmetries: f64,
}

/// Whether the net is known to be bounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Boundedness {
    /// Bounded, by an invariant.
    Proved,
    /// Not known.
    Open,
}

impl Features {
    /// The features of a property, whose formula is in `formulas`, and of the subject's system.
    pub fn of(
        subject: &Subject<'_>,
        formulas: &Formulas,
        property: PropertyForm<'_>,
        known: Boundedness,
    ) -> Features {
        let system = subject.system();
        let (atoms, classes) = match property {
            PropertyForm::Formula(formula) => {
                (formulas.atoms_of(formula), Some(classes(formulas, formula)))
            }
            PropertyForm::Never(automaton) => (automaton.atoms.clone(), None),
        };
        let meaning = |atom: &AtomId| subject.propositions().get(atom.index());
        let constraints = subject.constraints().iter();
        let assumed: Vec<Proposition> = constraints.flat_map(Constraint::propositions).collect();
        let observed: Vec<&Proposition> =
            (atoms.iter().filter_map(meaning)).chain(&assumed).collect();
        Features {
            net: system.is_net(),
            tokens: system.initial.iter().flatten().copied().max().unwrap_or(0),
            grows: known == Boundedness::Open && system.makes_tokens(),
            safety: assumed.is_empty() && classes.is_some_and(|classes| classes.safety),
            stutters: classes.is_some_and(|classes| classes.x_free),
            observed: observed.len(),
            visible: visible(system, &observed),
            events: system.events.len(),
            symmetries: 0.0,
        }
    }

    /// Returns whether at most half of the events are visible.
    pub fn is_local(&self) -> bool {
        self.visible <= self.events / 2
    }
}

/// The number of events that can change one of the propositions, or that one names.
fn visible(system: &System, observed: &[&Proposition]) -> usize {
    let mut read = vec![false; system.variables.len()];
    let mut named = vec![false; system.events.len()];
    let mut vars = Vec::new();
    for proposition in observed {
        match proposition {
            Proposition::Fires(events) => events.iter().for_each(|e| named[e.index()] = true),
            Proposition::State(predicate) => collect_reads(system, predicate, &mut vars),
        }
    }
    vars.iter().for_each(|var| read[var.index()] = true);
    let sees = |event: &EventId| {
        let writes = system.event(*event).action.writes();
        named[event.index()] || writes.iter().any(|var| read[var.index()])
    };
    system.event_ids().filter(sees).count()
}

/// Adds every variable on which `predicate` depends.
fn collect_reads(system: &System, predicate: &Predicate, vars: &mut Vec<VarId>) {
    match predicate {
        Predicate::Enabled(events) => {
            let reads = |event: &EventId| system.event(*event).action.reads();
            vars.extend(events.iter().flat_map(reads));
        }
        Predicate::Deadlock => vars.extend(system.var_ids()),
        Predicate::Not(inner) => collect_reads(system, inner, vars),
        Predicate::And(all) | Predicate::Or(all) => {
            all.iter().for_each(|p| collect_reads(system, p, vars));
        }
        Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => {
            predicate.collect_vars(vars);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ltl::{FreeVocabulary, parse};
    use lariat_model::generate::{Family, generate};
    use lariat_model::{Comparison, Predicate};

    fn features(text: &str) -> Features {
        let system = generate(Family::Kanban, 5).unwrap();
        let mut formulas = Formulas::new();
        let formula = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
        let propositions = [
            Proposition::State(Predicate::compare(VarId(0), Comparison::Ge, 1)),
            Proposition::Fires(vec![EventId(0)]),
            Proposition::State(Predicate::Deadlock),
        ];
        let subject = Subject::of_system(&system, &formulas, &propositions);
        Features::of(
            &subject,
            &formulas,
            PropertyForm::Formula(formula),
            Boundedness::Open,
        )
    }

    #[test]
    fn features_depend_on_the_formula() {
        let eventually = features("F a");
        assert!(eventually.stutters && !eventually.safety);
        assert!(eventually.net && eventually.tokens == 5 && !eventually.grows);
        assert!(eventually.is_local() && eventually.visible > 0);
        // The second atom is an event.
        let next = features("G(a -> X b)");
        assert!(!next.stutters && next.safety);
        assert_eq!(next.observed, 2);
    }

    #[test]
    fn all_events_are_visible_to_deadlock() {
        let all = features("G F (a | b | c)");
        assert_eq!(all.visible, all.events);
        assert!(!all.is_local());
    }
}
