//! Kripke structures as systems: one variable, one table per event name, labels as propositions.
//!
//! ```
//! use lariat_testkit::kripke::Kripke;
//! use lariat_model::Deadlock;
//!
//! // 0[a] –o→ 1[b] ↺
//! let case = Kripke::new(2)
//!     .label("a", &[0])
//!     .label("b", &[1])
//!     .steps("o", &[(0, 1)])
//!     .steps("u", &[(1, 1)])
//!     .event("o")
//!     .asks("a & o & X G b", Deadlock::Stutter);
//! assert!(case.oracle().is_none());
//! ```

use crate::case::{Atom, Case};
use crate::formulas::Ltl;
use lariat_model::{
    Action, Comparison, Deadlock, Domain, Event, EventId, Predicate, Proposition, Row, System,
    Value, VarId, Variable,
};

/// A Kripke structure with events, under construction.
#[derive(Clone, Debug)]
pub struct Kripke {
    system: System,
    atoms: Vec<(String, Atom)>,
}

const STATE: VarId = VarId(0);

impl Kripke {
    /// Creates states `0..size` without steps; state 0 is initial.
    pub fn new(size: usize) -> Kripke {
        Kripke {
            system: System {
                name: "kripke".to_owned(),
                variables: vec![Variable {
                    name: "s".to_owned(),
                    domain: Domain::Range {
                        low: 0,
                        high: size as Value - 1,
                    },
                }],
                initial: vec![vec![0].into()],
                ..System::default()
            },
            atoms: Vec::new(),
        }
    }

    /// Replaces the initial states.
    #[must_use]
    pub fn initial(mut self, states: &[Value]) -> Kripke {
        self.system.initial = states.iter().map(|s| vec![*s].into()).collect();
        self
    }

    /// Adds a proposition `name` that holds in these states.
    #[must_use]
    pub fn label(mut self, name: &str, states: &[Value]) -> Kripke {
        let is = |s: &Value| Predicate::compare(STATE, Comparison::Eq, *s);
        let texts: Vec<String> = states.iter().map(|s| format!("\"s == {s}\"")).collect();
        let atom = Atom {
            proposition: Proposition::State(match states {
                [one] => is(one),
                _ => Predicate::Or(states.iter().map(is).collect()),
            }),
            text: Some(match &texts[..] {
                [] => "\"s < 0\"".to_owned(),
                [one] => one.clone(),
                _ => format!("({})", texts.join(" | ")),
            }),
        };
        self.atoms.push((name.to_owned(), atom));
        self
    }

    /// Adds an event with these steps.
    #[must_use]
    pub fn steps(mut self, event: &str, steps: &[(Value, Value)]) -> Kripke {
        let row = |&(from, to): &(Value, Value)| -> Row { [Some((from, to))].into() };
        self.system.events.push(Event {
            name: event.to_owned(),
            action: Action::Table {
                vars: vec![STATE],
                rows: steps.iter().map(row).collect(),
            },
        });
        self
    }

    /// Adds the proposition that an event, whose steps exist, fires; it has the event's name.
    #[must_use]
    pub fn event(mut self, name: &str) -> Kripke {
        let found = self.system.events.iter().position(|e| e.name == name);
        let event = EventId(found.expect("the event's steps come first") as u32);
        let atom = Atom {
            proposition: Proposition::Fires(vec![event]),
            text: Some(format!("fires({name})")),
        };
        self.atoms.push((name.to_owned(), atom));
        self
    }

    /// Returns the case of a formula over the labels and events.
    pub fn asks(&self, formula: &str, deadlock: Deadlock) -> Case {
        let names: Vec<&str> = self.atoms.iter().map(|(name, _)| name.as_str()).collect();
        let atoms = self.atoms.iter().map(|(_, atom)| atom.clone());
        Case {
            deadlock,
            ..Case::new(self.system.clone(), atoms, Ltl::parse(formula, &names))
        }
    }
}
