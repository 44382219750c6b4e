//! What a property looks at: the *support*, which reductions must leave alone.

use lariat_model::{Action, EventId, Predicate, Proposition, System, VarId};

/// What one property observes of a net.
///
/// Atoms about states read variables, and `fireable` atoms those of their presets; `fires` atoms name events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Support {
    /// By variable: does some atom read it?
    read: Vec<bool>,
    /// By event: which of the atoms name it. Events with equal lists are alike to the property.
    named: Vec<Vec<u32>>,
    names_events: bool,
    asks_for_deadlocks: bool,
    stutters: bool,
}

impl Support {
    /// The support of a property with these atoms. `stutters` says that the property is known to be stutter-invariant:
    /// repeating a letter, or leaving a repetition out, never matters to it. Or whoever asks knows what runs with fewer repetitions say of it.
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

    /// Does some atom read the variable?
    pub fn reads(&self, var: VarId) -> bool {
        self.read[var.index()]
    }

    /// Which atoms name the event, by position.
    pub(super) fn names(&self, event: EventId) -> &[u32] {
        &self.named[event.index()]
    }

    /// May steps that change nothing that atoms speak of be left out, or be there where there were none?
    ///
    /// The property must be stutter-invariant, and letters must be letters of states alone: a silent step before an
    /// event `o` that some atom names is no repetition of the letter with `o`, whichever steps are left out.
    pub fn allows_silence(&self) -> bool {
        self.stutters && !self.names_events
    }

    /// May steps that no atom sees be joined with others? For that no atom may ask for deadlocks, which joining moves.
    pub fn allows_agglomeration(&self) -> bool {
        self.allows_silence() && !self.asks_for_deadlocks
    }
}

/// The places that decide whether a transition is enabled.
fn preset(system: &System, event: EventId) -> Vec<VarId> {
    match &system.event(event).action {
        Action::Net(arcs) => {
            let needed = arcs.iter().filter(|arc| arc.need > 0);
            needed.map(|arc| arc.var).collect()
        }
        action => action.reads(),
    }
}
