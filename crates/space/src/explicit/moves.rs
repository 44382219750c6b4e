//! Compiled events and predicates: net transitions (`net.rs`), which are tried first, and all other
//! events (`compile.rs`).

use super::ample::AmpleSets;
use super::compile::Compiled;
use super::layout::PackedLayout;
use super::net::{CompiledNet, order};
use super::observed::CompiledPredicate;
use super::states::{Focus, StateTable};
use super::words::{Words, is_small_net};
use super::{Explicit, ExplicitStateId, StepCursor};
use lariat_budget::Stop;
use lariat_model::{EventId, Linear, Predicate, System, Value, VarId};

#[derive(Debug)]
pub(super) struct CompiledMoves {
    pub net: CompiledNet,
    /// The transitions as words, if states are words.
    pub words: Option<Words>,
    pub compiled: Compiled,
    fault: Option<VarId>,
}

impl CompiledMoves {
    pub fn new(system: &System, layout: &PackedLayout) -> CompiledMoves {
        let order = order(system);
        let small = is_small_net(system).then(|| order.iter().map(|(_, arcs)| *arcs));
        CompiledMoves {
            words: small.and_then(|arcs| Words::new(arcs, layout)),
            net: CompiledNet::new(system, order, layout),
            compiled: Compiled::new(system),
            fault: system.fault,
        }
    }

    /// Returns whether a fault has occurred; then no event is enabled.
    #[inline]
    pub fn has_fault(&self, focus: &Focus) -> bool {
        self.fault
            .is_some_and(|fault| focus.values[fault.index()] != 0)
    }

    /// Prepares the next successor of the state in focus.
    #[inline]
    pub fn next(
        &self,
        space: &Explicit<'_>,
        states: &mut StateTable,
        cursor: &mut StepCursor,
    ) -> Result<Option<EventId>, Stop> {
        if self.has_fault(&states.focus) {
            return Ok(None);
        }
        let (transitions, end) = (self.net.len() as u32, cursor.end());
        while cursor.at < transitions {
            let found = states.focus.find(&self.net, cursor.at);
            let Some(t) = found.filter(|t| *t < end) else {
                cursor.at = transitions;
                break;
            };
            cursor.at = t + 1;
            if states.fire(space, t)? {
                return Ok(Some(self.net.transitions[t as usize].event));
            }
        }
        let mut rest = cursor.at - transitions;
        let end = end.saturating_sub(transitions);
        let holds = |p: &Predicate, focus: &Focus| self.holds(p, focus);
        let (compiled, choice) = (&self.compiled, &mut cursor.choice);
        let found = compiled.next(states, &mut rest, end, choice, holds);
        cursor.at = rest + transitions;
        found
    }

    /// Restricts a new iteration to the steps that suffice in the state in focus.
    #[inline]
    pub fn narrow(&self, ample: &AmpleSets, states: &mut StateTable, cursor: &mut StepCursor) {
        let (focus, stack) = (&states.focus, &mut states.scratch.stack);
        if self.has_fault(focus) {
            return;
        }
        let steps = ample.steps(&focus.values, |at| {
            let holds = |p: &Predicate| self.holds(p, focus);
            self.compiled.can_take(at, &focus.values, stack, holds)
        });
        if let Some((start, end)) = steps {
            let transitions = self.net.len() as u32;
            cursor.at = transitions + start;
            cursor.ample_end = transitions + end;
        }
    }

    fn is_enabled(&self, event: EventId, focus: &Focus) -> bool {
        let enabled = || match self.net.number(event) {
            Some(t) => focus.has(&self.net, t),
            None => {
                let holds = |p: &Predicate| self.holds(p, focus);
                self.compiled.is_enabled(event, &focus.values, holds)
            }
        };
        !self.has_fault(focus) && enabled()
    }

    fn is_deadlock(&self, focus: &Focus) -> bool {
        let holds = |p: &Predicate| self.holds(p, focus);
        let other = || self.compiled.some(&focus.values, holds, |_| true);
        self.has_fault(focus) || !(focus.find(&self.net, 0).is_some() || other())
    }

    pub fn is_true(&self, form: &CompiledPredicate<'_>, focus: &Focus) -> bool {
        match form {
            CompiledPredicate::Whole(predicate) => self.holds(predicate, focus),
            CompiledPredicate::Tally(tally, comparison, constant) => {
                comparison.holds(focus.tallies[*tally], i128::from(*constant))
            }
            CompiledPredicate::Not(form) => !self.is_true(form, focus),
            CompiledPredicate::And(forms) => forms.iter().all(|form| self.is_true(form, focus)),
            CompiledPredicate::Or(forms) => forms.iter().any(|form| self.is_true(form, focus)),
        }
    }

    pub fn holds(&self, predicate: &Predicate, focus: &Focus) -> bool {
        match predicate {
            Predicate::Const(value) => *value,
            Predicate::Linear(linear) => linear_holds(linear, &focus.values),
            Predicate::Expr(expr) => expr.eval(&focus.values).is_ok_and(|x| x != 0),
            Predicate::Enabled(events) => events.iter().any(|e| self.is_enabled(*e, focus)),
            Predicate::Deadlock => self.is_deadlock(focus),
            Predicate::Not(p) => !self.holds(p, focus),
            Predicate::And(ps) => ps.iter().all(|p| self.holds(p, focus)),
            Predicate::Or(ps) => ps.iter().any(|p| self.holds(p, focus)),
        }
    }
}

impl Explicit<'_> {
    /// Calls `visit` with every event that is enabled in `state`, some more than once. The cost
    /// depends on the enabled events only.
    pub fn enabled_events(
        &self,
        states: &mut StateTable,
        state: ExplicitStateId,
        mut visit: impl FnMut(EventId),
    ) {
        if states.sourced.is_some() {
            return self.enabled_sourced(states, state, visit);
        }
        let moves = &self.moves;
        let mut from = 0;
        if let Some(words) = &moves.words
            && let Some(word) = states.word(state)
        {
            while let Some(t) = words.find(word, from) {
                visit(moves.net.transitions[t as usize].event);
                from = t + 1;
            }
            return;
        }
        states.load(self, state);
        let focus = &states.focus;
        if moves.has_fault(focus) {
            return;
        }
        while let Some(t) = focus.find(&moves.net, from) {
            visit(moves.net.transitions[t as usize].event);
            from = t + 1;
        }
        let holds = |p: &Predicate| moves.holds(p, focus);
        moves.compiled.some(&focus.values, holds, |event| {
            visit(event);
            false
        });
    }
}

fn linear_holds(linear: &Linear, values: &[Value]) -> bool {
    let Linear {
        terms,
        comparison,
        constant,
    } = linear;
    // Most atoms compare one place with a constant.
    if let [(var, 1)] = terms[..] {
        return comparison.holds(values[var.index()], *constant);
    }
    let terms = terms.iter();
    let sum = terms.map(|(var, c)| i128::from(*c) * i128::from(values[var.index()]));
    comparison.holds(sum.sum(), i128::from(*constant))
}
