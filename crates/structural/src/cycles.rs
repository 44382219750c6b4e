//! Barren components: accepting components of an automaton in which no run of the net can stay.
//!
//! An accepted run stays, from some position on, in one component and sees each of its marks
//! infinitely often. There it reads letters of `L`, the union of the component's guards, and
//! infinitely often one of `L(i)`, the guards with mark `i`. Such a run is of one of two kinds.
//!
//! - It fires events indefinitely. The events that it fires infinitely often are the support of a
//!   repetitive vector ([`crate::repeat`]); each is enabled in some marking of `L`, and for every
//!   mark one fires in a marking of `L(i)`. Let `R` be the largest support of a repetitive vector
//!   over the events that can fire in `L`. If `R` is empty, or if for some mark no event of `R` can
//!   fire in `L(i)`, there is no such run.
//! - It ends in a dead marking (unless deadlocks are ignored). Then it repeats one letter without
//!   an enabled or fired event, and the component has a cycle of that letter with all marks. The
//!   check looks for a dead marking with such a letter.
//!
//! A component without either kind is *barren*. "Can" means that the state equation does not
//! exclude it, so barren components have a certificate. Nothing is assumed about the formula. If
//! all components of an automaton for the violations are barren, the property holds.

use crate::Facts;
use crate::cases::{LinearCase, LinearCases, LinearConstraint, is_contradiction};
use crate::certificate::Certificate;
use crate::net::IncidenceNet;
use crate::prune::literals;
use crate::resting::at_rest;
use lariat_automata::{Automaton, Cube, Guard, Guards, Letter, StateId, components};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;
use lariat_model::{Deadlock, EventId, Proposition, Value, VarId};
use rustc_hash::FxHashMap;

/// Limit on the cubes of a guard; a larger guard is treated as `true`.
const MOST_CUBES: usize = 32;
/// Limit on undetermined atoms up to which the letters of dead markings are enumerated.
const MOST_FREE: usize = 6;

/// A component in which no run of the net is accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BarrenComponent {
    /// The states of the component.
    pub states: Vec<StateId>,
    /// The proof.
    pub certificate: Certificate,
}

/// The letters of a cube: markings, and the events fired there.
struct Letters {
    markings: LinearCases,
    /// For each case the upper bounds of single places.
    upper: Vec<FxHashMap<VarId, i128>>,
    taken: Vec<(Vec<EventId>, bool)>,
}

impl Letters {
    fn of(net: &IncidenceNet, cube: &[(Proposition, bool)]) -> Letters {
        let (mut markings, mut taken) = (LinearCases::any(), Vec::new());
        for (proposition, truth) in cube {
            match proposition {
                Proposition::State(predicate) => {
                    markings = markings.and(net.cases(predicate, *truth));
                }
                Proposition::Fires(events) => taken.push((events.clone(), *truth)),
            }
        }
        markings.0.retain(|case| !is_contradiction(case));
        let most = |row: &LinearConstraint| match row.terms[..] {
            [(place, -1)] => Some((place, -row.least)),
            _ => None,
        };
        let upper = |case: &LinearCase| {
            let mut upper: FxHashMap<VarId, i128> = FxHashMap::default();
            for (place, most) in case.iter().filter_map(most) {
                let slot = upper.entry(place).or_insert(most);
                *slot = most.min(*slot);
            }
            upper
        };
        Letters {
            upper: markings.0.iter().map(upper).collect(),
            markings,
            taken,
        }
    }

    /// Returns whether the literals about fired events allow the event.
    fn allow(&self, event: EventId) -> bool {
        let agrees = |(events, truth): &(Vec<EventId>, bool)| events.contains(&event) == *truth;
        self.taken.iter().all(agrees)
    }

    /// Returns whether some case has no bound below a need of the event.
    fn may_fire(&self, net: &IncidenceNet, event: EventId) -> bool {
        let needs = &net.needs[event.index()];
        let has = |upper: &FxHashMap<VarId, i128>| {
            let enough = |(place, need): &(VarId, Value)| {
                upper
                    .get(place)
                    .is_none_or(|most| i128::from(*need) <= *most)
            };
            needs.iter().all(enough)
        };
        !net.silenced[event.index()] && self.allow(event) && self.upper.iter().any(has)
    }

    /// The markings in which the event can fire.
    fn firing(&self, net: &IncidenceNet, event: EventId) -> LinearCases {
        if !self.allow(event) {
            return LinearCases::none();
        }
        let enabled = net.some_enabled(std::iter::once(event));
        let mut cases = self.markings.clone().and(enabled);
        cases.0.retain(|case| !is_contradiction(case));
        cases
    }
}

/// An accepting component.
struct Component<'a> {
    automaton: &'a Automaton,
    /// A copy of the automaton's guards, in which new guards can be built.
    guards: Guards,
    propositions: &'a [Proposition],
    states: Vec<StateId>,
    /// For each state of the automaton whether it is in the component.
    inside: Vec<bool>,
}

impl Facts {
    /// The accepting components of `automaton` in which no run of the net is accepted.
    /// `propositions[i]` is the meaning of the automaton's atom `i`.
    pub fn barren(
        &mut self,
        automaton: &Automaton,
        propositions: &[Proposition],
        deadlock: Deadlock,
        budget: &Budget,
    ) -> Result<Vec<BarrenComponent>, Stop> {
        let mut found = Vec::new();
        if self.net.is_none() {
            return Ok(found);
        }
        for states in accepting(automaton) {
            let mut component = Component::new(automaton, propositions, states);
            let Some(mut certificate) = self.never_fires_on(&mut component, budget)? else {
                continue;
            };
            if deadlock == Deadlock::Stutter {
                match self.never_rests_in(&mut component, budget)? {
                    Some(more) => certificate.extend(more),
                    None => continue,
                }
            }
            found.push(BarrenComponent {
                states: component.states,
                certificate,
            });
        }
        Ok(found)
    }

    /// Proves that no run fires events indefinitely and stays in the component with all marks.
    fn never_fires_on(
        &mut self,
        component: &mut Component<'_>,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        let general = self.repeating(budget)?;
        let mut certificate = general.certificate;
        let letters = self.letters(component, Marks::NONE);
        // First the test that needs no solver.
        let mut among = general.events;
        if let Some(net) = &self.net {
            among.retain(|event| letters.iter().any(|l| l.may_fire(net, *event)));
        }
        let found = self.repeating_among(among, budget, |facts, event, budget| {
            facts.cannot_fire(&letters, event, budget)
        })?;
        certificate.extend(found.certificate);
        if found.events.is_empty() {
            return Ok(Some(certificate));
        }
        for mark in 0..component.automaton.mark_count {
            let letters = self.letters(component, Marks::one(mark));
            let events = found.events.iter();
            let reasons = events.map(|event| self.cannot_fire(&letters, *event, budget));
            if let Some(reasons) = Certificate::of_all(reasons)? {
                certificate.extend(reasons);
                return Ok(Some(certificate));
            }
        }
        Ok(None)
    }

    /// The letters of the component's edges with these marks.
    fn letters(&self, component: &mut Component<'_>, marks: Marks) -> Vec<Letters> {
        let guard = component.letters(marks);
        let cubes = component.cubes(guard).into_iter();
        let net = self.net.iter();
        net.flat_map(|net| {
            let letters = |cube| Letters::of(net, &component.literals(cube));
            cubes.clone().map(letters)
        })
        .collect()
    }

    /// Proves that the event fires in no reachable marking of the letters.
    fn cannot_fire(
        &mut self,
        letters: &[Letters],
        event: EventId,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        budget.check()?;
        let found = Certificate::of_all(letters.iter().map(|letters| match &self.net {
            Some(net) => self.refuted(&letters.firing(net, event), budget),
            None => Ok(None),
        }))?;
        Ok(found.map(|mut certificate| {
            certificate.extend(self.silence(&[event]));
            certificate
        }))
    }

    /// Proves that the component accepts in no dead marking.
    fn never_rests_in(
        &mut self,
        component: &mut Component<'_>,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        let value = |proposition: &Proposition| match proposition {
            Proposition::Fires(_) => Some(false),
            Proposition::State(predicate) => at_rest(predicate),
        };
        let fixed: Vec<Option<bool>> = component.propositions.iter().map(value).collect();
        for guard in component.resting_letters(&fixed) {
            let cubes = component.cubes(guard).into_iter();
            let literals = cubes.map(|cube| component.literals(cube));
            let reasons = literals.map(|literals| self.never_rests(&literals, budget));
            if let Some(certificate) = Certificate::of_all(reasons)? {
                return Ok(Some(certificate));
            }
        }
        Ok(None)
    }
}

/// The states of each component with an accepting cycle.
fn accepting(automaton: &Automaton) -> Vec<Vec<StateId>> {
    let found = components(automaton.states.len(), |n, k| {
        automaton.states[n].get(k).map(|t| t.to.index())
    });
    let mut marks = vec![None; found.count];
    let mut states = vec![Vec::new(); found.count];
    for state in automaton.state_ids() {
        let own = found.of[state.index()];
        states[own as usize].push(state);
        for t in automaton.transitions(state) {
            if found.of[t.to.index()] == own {
                let slot: &mut Option<Marks> = &mut marks[own as usize];
                *slot = Some(slot.unwrap_or(Marks::NONE).union(t.marks));
            }
        }
    }
    let all = automaton.all_marks();
    let both = states.into_iter().zip(marks);
    both.filter(|(_, marks)| marks.is_some_and(|m| m.contains(all)))
        .map(|(states, _)| states)
        .collect()
}

impl<'a> Component<'a> {
    fn new(
        automaton: &'a Automaton,
        propositions: &'a [Proposition],
        states: Vec<StateId>,
    ) -> Component<'a> {
        let mut inside = vec![false; automaton.states.len()];
        for state in &states {
            inside[state.index()] = true;
        }
        Component {
            automaton,
            guards: automaton.guards.clone(),
            propositions,
            states,
            inside,
        }
    }

    /// The union of the guards of inner edges with these marks.
    fn letters(&mut self, marks: Marks) -> Guard {
        let mut letters = Guards::FALSE;
        for state in &self.states {
            for t in self.automaton.transitions(*state) {
                if self.inside[t.to.index()] && t.marks.contains(marks) {
                    letters = self.guards.or(letters, t.guard);
                }
            }
        }
        letters
    }

    fn cubes(&mut self, guard: Guard) -> Vec<Cube> {
        let cubes = self.guards.cubes(guard);
        if cubes.len() <= MOST_CUBES {
            cubes
        } else {
            vec![Cube::default()]
        }
    }

    fn literals(&self, cube: Cube) -> Vec<(Proposition, bool)> {
        literals(self.propositions, cube)
    }

    /// Guards that each contain all letters with these values that the component accepts repeated.
    fn resting_letters(&mut self, fixed: &[Option<bool>]) -> Vec<Guard> {
        let literal = |i: usize, value: bool, cube: &mut Cube| {
            cube.positive |= u64::from(value) << i;
            cube.negative |= u64::from(!value) << i;
        };
        let mut known = Cube::default();
        for (i, value) in fixed.iter().enumerate() {
            value
                .iter()
                .for_each(|value| literal(i, *value, &mut known));
        }
        let all = self.letters(Marks::NONE);
        let support = self.guards.support(all);
        let free: Vec<usize> = (0..fixed.len())
            .filter(|i| fixed[*i].is_none() && self.reads(*i, support))
            .collect();
        if free.len() > MOST_FREE {
            let known = self.guards.cube(known);
            let marks = (0..self.automaton.mark_count).map(Marks::one);
            let with_known = |mark| {
                let letters = self.letters(mark);
                self.guards.and(letters, known)
            };
            return marks.chain([Marks::NONE]).map(with_known).collect();
        }
        let mut accepted = Guards::FALSE;
        for choice in 0..1u64 << free.len() {
            let mut cube = known;
            for (k, i) in free.iter().enumerate() {
                literal(*i, choice >> k & 1 == 1, &mut cube);
            }
            if self.repeats(Letter(cube.positive)) {
                let letter = self.guards.cube(cube);
                accepted = self.guards.or(accepted, letter);
            }
        }
        vec![accepted]
    }

    /// Returns whether some guard of the component depends on the atom; the union of all may not.
    fn reads(&self, atom: usize, support: u64) -> bool {
        let inner = |state: &StateId| {
            let edges = self.automaton.transitions(*state).iter();
            edges
                .clone()
                .any(|t| self.inside[t.to.index()] && self.guards.support(t.guard) >> atom & 1 == 1)
        };
        support >> atom & 1 == 1 || self.states.iter().any(inner)
    }

    /// Returns whether the component accepts the infinite repetition of this letter.
    fn repeats(&self, letter: Letter) -> bool {
        let edges = |state: usize| {
            let edges = self.automaton.states[state].iter();
            edges.filter(|t| self.inside[t.to.index()] && self.guards.accepts(t.guard, letter))
        };
        let found = components(self.inside.len(), |n, k| {
            if self.inside[n] {
                edges(n).nth(k).map(|t| t.to.index())
            } else {
                None
            }
        });
        let mut marks = vec![None; found.count];
        for state in &self.states {
            for t in edges(state.index()) {
                if found.of[t.to.index()] == found.of[state.index()] {
                    let slot: &mut Option<Marks> = &mut marks[found.of[t.to.index()] as usize];
                    *slot = Some(slot.unwrap_or(Marks::NONE).union(t.marks));
                }
            }
        }
        let all = self.automaton.all_marks();
        marks.into_iter().flatten().any(|marks| marks.contains(all))
    }
}
