//! SLAP-FST: SLAP whose terminal part is decided by a fixpoint.
//!
//! Once the automaton is in a component that it cannot leave, the rest of the question is about
//! sets alone: does an accepting run of component × system start in `{q} × a`? That is one EL or OWCTY,
//! and the node gets the single edge
//!
//! ```text
//! (q,a) –F→ (q,a)   iff   the fixpoint from {q} × a is not empty            (no edge otherwise)
//! ```
//!
//! A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Self-loop aggregation product*, ATVA
//! 2011 ("fully symbolic search in terminal states"). They do it for states all of whose edges
//! are self-loops; we do it for every automaton component without exits, of which that is a
//! case. Where the component is one state that reads every letter with all marks and deadlocks
//! stutter, every infinite run accepts and every state starts one: no fixpoint is computed.

use super::fixpoint::Fixpoint;
use super::product::{Node, Passage, Product};
use super::sets::Sets;
use super::slap::{Absorb, Slap};
use super::walk::Ending;
use super::whole::{Family, Whole};
use super::witness;
use lariat_automata::{Automaton, Guard, Guards, StateId};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::{Deadlock, State};

/// The product.
pub struct SlapFst {
    slap: Slap,
    whole: Whole,
    fixpoint: Fixpoint,
    role: Vec<Role>,
    /// Where accepting runs start that stay in the component of the node asked for last.
    fair: Family,
}

/// What an automaton state is to the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// SLAP goes on.
    Inner,
    /// In a component without exits.
    Terminal,
    /// In a component without exits that accepts whatever follows.
    Universal,
    /// In a component without exits whose edges lack a mark.
    Hopeless,
}

impl SlapFst {
    /// The product of the problem of `sets`.
    pub fn new(sets: &mut Sets<'_>, absorb: Absorb, fixpoint: Fixpoint) -> SlapFst {
        let slap = Slap::new(sets, absorb);
        let whole = Whole::new(sets);
        let automaton = sets.automaton();
        let reach = reachable(&automaton);
        let stutter = sets.deadlock() == Deadlock::Stutter;
        let role = |q: StateId| {
            let component = &reach[q.index()];
            let leaves = component.iter().any(|d| {
                let back = &reach[d.index()];
                *d != q && !back.contains(&q)
            });
            if leaves {
                return Role::Inner;
            }
            let inside = || {
                let moves = whole.moves.iter();
                moves.filter(|by| by.from == q || component.contains(&by.from))
            };
            let seen = inside().fold(Marks::NONE, |all, by| all.union(by.marks));
            let always = |by: &&super::whole::Move| {
                by.guard == Guards::TRUE && by.marks == whole.marks && by.to == q
            };
            if !seen.contains(whole.marks) {
                Role::Hopeless
            } else if stutter && inside().find(always).is_some_and(|by| by.from == q) {
                Role::Universal
            } else {
                Role::Terminal
            }
        };
        let role = automaton.state_ids().map(role).collect();
        SlapFst {
            slap,
            whole,
            fixpoint,
            role,
            fair: Family::new(),
        }
    }

    fn start_of(&self, sets: &mut Sets<'_>, node: &Node) -> Family {
        let mut family = self.whole.empty(sets);
        family[node.location.index()] = node.set.clone();
        family
    }

    /// Does an accepting run start in the terminal node?
    fn accepts(&self, sets: &mut Sets<'_>, node: &Node) -> Result<bool, Stop> {
        let start = self.start_of(sets, node);
        let reached = self.whole.reach(sets, start)?;
        self.fixpoint.accepts(sets, &self.whole, reached)
    }
}

/// For every state of the automaton those that one or more edges lead to.
fn reachable(automaton: &Automaton) -> Vec<Vec<StateId>> {
    let from = |q: StateId| {
        let mut seen = vec![false; automaton.states.len()];
        let mut found: Vec<StateId> = Vec::new();
        let mut todo = vec![q];
        while let Some(at) = todo.pop() {
            for t in automaton.transitions(at) {
                if !std::mem::replace(&mut seen[t.to.index()], true) {
                    found.push(t.to);
                    todo.push(t.to);
                }
            }
        }
        found.sort_unstable();
        found
    };
    automaton.state_ids().map(from).collect()
}

impl Product for SlapFst {
    fn marks(&self) -> Marks {
        self.slap.marks()
    }

    fn initial(&mut self, sets: &mut Sets<'_>, k: usize) -> Result<Option<Vec<Node>>, Stop> {
        self.slap.initial(sets, k)
    }

    fn edges(
        &mut self,
        sets: &mut Sets<'_>,
        from: &Node,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Node)>>, Stop> {
        let accepts = match self.role[from.location.index()] {
            Role::Inner => return self.slap.edges(sets, from, k),
            _ if k > 0 => return Ok(None),
            Role::Hopeless => false,
            Role::Universal => true,
            Role::Terminal => self.accepts(sets, from)?,
        };
        let edge = accepts.then(|| (self.marks(), from.clone()));
        Ok(Some(edge.into_iter().collect()))
    }

    fn start(&mut self, sets: &mut Sets<'_>, node: &Node) -> Option<Guard> {
        self.slap.start(sets, node)
    }

    fn passage(
        &mut self,
        sets: &mut Sets<'_>,
        from: &Node,
        k: usize,
        to: &Node,
    ) -> Result<Passage, Stop> {
        let role = self.role[from.location.index()];
        if role == Role::Inner {
            return self.slap.passage(sets, from, k, to);
        }
        let start = self.start_of(sets, from);
        let mut fair = self.whole.reach(sets, start)?;
        let q = from.location.index();
        if role == Role::Universal {
            let here = std::mem::replace(&mut fair[q], sets.space.empty());
            fair = self.whole.empty(sets);
            fair[q] = here;
        } else {
            fair = self.fixpoint.fair(sets, &self.whole, fair)?;
        }
        let starts = sets.space.store().intersection(&from.set, &fair[q])?;
        self.fair = fair;
        Ok(Passage::EndIn(starts))
    }

    fn ending(
        &mut self,
        sets: &mut Sets<'_>,
        from: &Node,
        _: usize,
        start: &State,
    ) -> Result<Ending, Stop> {
        witness::run(
            sets,
            &self.whole,
            (from.location, start.clone()),
            &self.fair,
        )
    }
}
