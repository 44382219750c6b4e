//! Answers to questions, with evidence as for verdicts.
//!
//! A [`Witness`] is a run that was replayed on the original model, and whose end answers the
//! question. A [`Proof`] is a complete search, or a certificate that was checked in exact integers.
//! Only this module constructs either.

use crate::verdict::Reason;
use lariat_engines::questions::StateQuestion;
use lariat_formats::LoadedModel;
use lariat_model::{EvidenceKind, Lasso, Predicate, Step, System, Value, VarId};
use lariat_reductions::{Lift as _, LiftError, UnfoldingLift};
use lariat_structural::Certificate;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum EarnedAnswer {
    /// For `reach`: yes, shown by this run.
    Reached(Witness),
    /// For `reach`: no.
    Never(Proof),
    /// For `most`: the maximum.
    Most {
        /// The largest value.
        value: i128,
        /// A run to a state with this value.
        witness: Witness,
        /// The proof that no larger value is reachable.
        proof: Proof,
    },
    /// For `most`: there is no maximum; each round of this run increases the sum.
    Endless(Witness),
    /// For `always`: yes.
    Always(Proof),
    /// For `always`: no. From the end of this run the predicate is unreachable.
    Lost(Witness, Proof),
    /// Not decided.
    Unknown {
        /// The reason.
        reason: Reason,
        /// For `most`: a reached value.
        at_least: Option<(i128, Witness)>,
        /// For `most`: a value that is never exceeded.
        at_most: Option<(i128, Proof)>,
    },
}

/// A replayed run. Only this module constructs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness(Lasso);

impl Witness {
    /// The run: a prefix, or a covering run.
    pub fn run(&self) -> &Lasso {
        &self.0
    }

    /// The last state of the prefix.
    pub fn end(&self) -> &[Value] {
        self.0.entry()
    }
}

/// The proof of an answer about all reachable states.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// A complete search.
    Searched(CompletedExploration),
    /// A certificate by invariants.
    Certificate(Certificate),
}

/// Proof that a search was complete. Only this module constructs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedExploration(());

impl EarnedAnswer {
    /// Returns whether the question is decided.
    pub fn is_known(&self) -> bool {
        !matches!(self, EarnedAnswer::Unknown { .. })
    }
}

/// The proof by a search that its engine reports as complete.
pub(super) fn searched() -> Proof {
    Proof::Searched(CompletedExploration(()))
}

/// The proof by a certificate, which is checked on its system.
pub(super) fn certified(system: &System, certificate: Certificate) -> Result<Proof, String> {
    if certificate.statements.is_empty() || certificate.check(system) {
        Ok(Proof::Certificate(certificate))
    } else {
        Err("a certificate is not valid".to_owned())
    }
}

/// The claim that a run must show.
#[derive(Clone, Copy)]
pub(super) enum Shows<'q> {
    /// The end of the run answers the question; for a sum, it has this value.
    End(&'q StateQuestion, i128),
    /// The sum increases with each round.
    Growth(&'q [(VarId, Value)]),
}

/// Replays a run on the system and, for a coloured net, on the net itself.
pub(super) fn witness(
    model: &LoadedModel,
    lasso: Lasso,
    shows: Shows<'_>,
) -> Result<Witness, String> {
    let system = &model.system;
    let is_initial = system.initial.contains(&lasso.initial);
    if !is_initial {
        return Err("the run does not start in an initial state".to_owned());
    }
    let mut at = &lasso.initial;
    for (i, Step { event, state }) in lasso.steps().enumerate() {
        let Some(event) = event else {
            return Err(format!("step {} has no event", i + 1));
        };
        if !system.successors(at, *event).contains(state) {
            let name = &system.event(*event).name;
            return Err(format!("step {} is not a step of {name}", i + 1));
        }
        at = state;
    }
    match shows {
        Shows::End(StateQuestion::Reach(predicate), _) => {
            if !system.holds(predicate, at) {
                return Err("the end of the run does not satisfy the predicate".to_owned());
            }
        }
        Shows::End(StateQuestion::Most(terms), value) => {
            if sum(terms, at) != value {
                return Err("the sum has a different value at the end of the run".to_owned());
            }
        }
        Shows::End(StateQuestion::Always(predicate), _) => {
            if system.holds(predicate, at) {
                return Err("the end of the run satisfies the predicate that is lost".to_owned());
            }
        }
        Shows::Growth(terms) => {
            let grows = lasso.growth.as_ref().is_some_and(|by| sum(terms, by) > 0);
            let covering = lasso.kind() == EvidenceKind::Covering && lasso.comes_round();
            if !grows || !covering || !system.is_net() {
                return Err("the rounds of the run do not increase the sum".to_owned());
            }
        }
    }
    let Some(net) = model.coloured_net() else {
        return Ok(Witness(lasso));
    };
    let unfolding = UnfoldingLift { net, system };
    // The replay on the coloured net then also checks that no transition is enabled at the end.
    let at_rest = matches!(
        shows,
        Shows::End(StateQuestion::Reach(Predicate::Deadlock), _)
    );
    let run = if at_rest {
        resting(lasso.clone())
    } else {
        lasso.clone()
    };
    match unfolding.back(run) {
        Ok(_) => Ok(Witness(lasso)),
        Err(LiftError::Unliftable(why) | LiftError::Defect(why)) => Err(why),
    }
}

/// A run to a dead state, extended by stuttering there.
pub(super) fn resting(run: Lasso) -> Lasso {
    let stutter = Step {
        event: None,
        state: run.entry().clone(),
    };
    Lasso {
        cycle: vec![stutter],
        growth: None,
        ..run
    }
}

pub(super) fn sum(terms: &[(VarId, Value)], state: &[Value]) -> i128 {
    let term =
        |(var, weight): &(VarId, Value)| i128::from(*weight) * i128::from(state[var.index()]);
    terms.iter().map(term).sum()
}
