//! The *support* of a property: the variables and events that it observes, which reductions must
//! preserve.

use lariat_model::{Action, EventId, Predicate, Proposition, System, VarId};

/// The variables and events that one property observes.
///
/// State atoms read variables, `fireable` atoms those of the presets; `fires` atoms name events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Support {
    /// By variable: true if some atom reads it.
    read: Vec<bool>,
    /// By event: the atoms that name it. The property cannot distinguish events with equal lists.
    named: Vec<Vec<u32>>,
    names_events: bool,
    asks_for_deadlocks: bool,
    stutters: bool,
}

impl Support {
    /// Computes the support of these atoms. `stutters` states that the property is
    /// stutter-invariant, or that the caller accounts for runs that lose repetitions of letters.
    pub fn of<'p>(
        system: &System,
        atoms: impl IntoIterator<Item = &'p Proposition>,
        stutters: bool,
    ) -> Support {
        let mut support = Support {
            read: vec![false; system.variables.len()],
            named: vec![Vec::new(); system.events.len()],
            names_events: false,
            asks_for_deadlocks: false,
            stutters,
        };
        for (i, proposition) in atoms.into_iter().enumerate() {
            match proposition {
                Proposition::State(predicate) => support.add(system, predicate),
                Proposition::Fires(events) => {
                    support.names_events = true;
                    for event in events {
                        support.named[event.index()].push(i as u32);
                    }
                }
            }
        }
        support
    }

    fn add(&mut self, system: &System, predicate: &Predicate) {
        match predicate {
            Predicate::Const(_) => {}
            Predicate::Linear(_) | Predicate::Expr(_) => {
                let mut vars = Vec::new();
                predicate.collect_vars(&mut vars);
                vars.iter().for_each(|var| self.read[var.index()] = true);
            }
            Predicate::Enabled(events) => {
                for event in events {
                    for var in preset(system, *event) {
                        self.read[var.index()] = true;
                    }
                }
            }
            Predicate::Deadlock => self.asks_for_deadlocks = true,
            Predicate::Not(inner) => self.add(system, inner),
            Predicate::And(all) | Predicate::Or(all) => {
                all.iter().for_each(|inner| self.add(system, inner));
            }
        }
    }

    /// Returns whether some atom reads the variable.
    pub fn reads(&self, var: VarId) -> bool {
        self.read[var.index()]
    }

    /// Indices of the atoms that name the event.
    pub(super) fn names(&self, event: EventId) -> &[u32] {
        &self.named[event.index()]
    }

    /// Returns whether a rule may remove or insert steps that change no observed variable.
    ///
    /// The property must be stutter-invariant and letters must depend on states alone: an invisible
    /// step before an event `o` that some atom names does not repeat the letter with `o`.
    pub fn allows_silence(&self) -> bool {
        self.stutters && !self.names_events
    }

    /// Returns whether invisible steps may be fused with others. Requires that no atom queries
    /// deadlocks, which fusion moves.
    pub fn allows_agglomeration(&self) -> bool {
        self.allows_silence() && !self.asks_for_deadlocks
    }
}

/// Places in the preset of a transition.
fn preset(system: &System, event: EventId) -> Vec<VarId> {
    match &system.event(event).action {
        Action::Net(arcs) => {
            let needed = arcs.iter().filter(|arc| arc.need > 0);
            needed.map(|arc| arc.var).collect()
        }
        action => action.reads(),
    }
}
