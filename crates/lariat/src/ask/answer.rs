//! Answers to questions: earned, as verdicts are.
//!
//! A [`Witness`] is a run that was replayed on what the user wrote, and whose end is what it was said to be. A [`Proof`] is a
//! search that came to its end, or a certificate that was checked in exact integers. Nobody but this module makes either.

use crate::verdict::Reason;
use lariat_engines::questions::Question as StateQuestion;
use lariat_formats::Model as LoadedModel;
use lariat_model::{EvidenceKind, Lasso, Predicate, Step, System, Value, VarId};
use lariat_reductions::{Astray, Lift as _, UnfoldingLift};
use lariat_structural::Certificate;

/// What is known of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum EarnedAnswer {
    /// Of `reach`: yes, by this run.
    Reached(Witness),
    /// Of `reach`: no.
    Never(Proof),
    /// Of `most`: exactly this.
    Most {
        /// The largest value.
        value: i128,
        /// A run to a state with it.
        witness: Witness,
        /// Why there is no more.
        proof: Proof,
    },
    /// Of `most`: there is no largest value; each round of this run adds to it.
    Endless(Witness),
    /// Of `always`: yes.
    Always(Proof),
    /// Of `always`: no. Behind this run it cannot be reached any more.
    Lost(Witness, Proof),
    /// Not decided.
    Unknown {
        /// Why not.
        reason: Reason,
        /// Of `most`: a value that is reached.
        at_least: Option<(i128, Witness)>,
        /// Of `most`: a value that is never exceeded.
        at_most: Option<(i128, Proof)>,
    },
}

/// A run that was replayed. Only this module makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness(Lasso);

impl Witness {
    /// The run: a beginning, or one whose rounds add tokens.
    pub fn run(&self) -> &Lasso {
        &self.0
    }

    /// The state that it leads to.
    pub fn end(&self) -> &[Value] {
        self.0.entry()
    }
}

/// Why something is not, or always is.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// All that there is was searched.
    Searched(CompletedSearch),
    /// Invariants exclude it.
    Certificate(Certificate),
}

/// Proof that a search came to its end. Only this module makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedSearch(());

impl EarnedAnswer {
    /// Is it an answer?
    pub fn is_known(&self) -> bool {
        !matches!(self, EarnedAnswer::Unknown { .. })
    }
}

/// For engines whose search says that it is complete.
pub(super) fn searched() -> Proof {
    Proof::Searched(CompletedSearch(()))
}

/// A certificate, checked once more, on the system that it is about.
pub(super) fn certified(system: &System, certificate: Certificate) -> Result<Proof, String> {
    if certificate.statements.is_empty() || certificate.check(system) {
        Ok(Proof::Certificate(certificate))
    } else {
        Err("a certificate that does not hold".to_owned())
    }
}

/// What a run must show.
#[derive(Clone, Copy)]
pub(super) enum Shows<'q> {
    /// That its end answers the question, or has this value.
    End(&'q StateQuestion, i128),
    /// That the sum grows with each round.
    Growth(&'q [(VarId, Value)]),
}

/// Replays a run of the unfolded system, and for a coloured net that of the net itself.
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
            return Err(format!("step {} is none", i + 1));
        };
        if !system.successors(at, *event).contains(state) {
            let name = &system.event(*event).name;
            return Err(format!("step {} cannot be by {name}", i + 1));
        }
        at = state;
    }
    match shows {
        Shows::End(StateQuestion::Reach(predicate), _) => {
            if !system.holds(predicate, at) {
                return Err("the end of the run is not what was asked for".to_owned());
            }
        }
        Shows::End(StateQuestion::Most(terms), value) => {
            if sum(terms, at) != value {
                return Err("the end of the run has another value".to_owned());
            }
        }
        Shows::End(StateQuestion::Always(predicate), _) => {
            if system.holds(predicate, at) {
                return Err("the end of the run is what was said to be lost".to_owned());
            }
        }
        Shows::Growth(terms) => {
            let grows = lasso.growth.as_ref().is_some_and(|by| sum(terms, by) > 0);
            let covering = lasso.kind() == EvidenceKind::Covering && lasso.comes_round();
            if !grows || !covering || !system.is_net() {
                return Err("the rounds of the run add nothing".to_owned());
            }
        }
    }
    let Some(net) = model.coloured_net() else {
        return Ok(Witness(lasso));
    };
    let unfolding = UnfoldingLift { net, system };
    // The coloured net must say by itself that nothing can fire.
    let at_rest = matches!(
        shows,
        Shows::End(StateQuestion::Reach(Predicate::Deadlock), _)
    );
    let told = if at_rest {
        resting(lasso.clone())
    } else {
        lasso.clone()
    };
    match unfolding.back(told) {
        Ok(_) => Ok(Witness(lasso)),
        Err(Astray::Unliftable(why) | Astray::Defect(why)) => Err(why),
    }
}

/// A run to a dead state, with the stuttering that follows.
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

/// The value of a sum.
pub(super) fn sum(terms: &[(VarId, Value)], state: &[Value]) -> i128 {
    let term =
        |(var, weight): &(VarId, Value)| i128::from(*weight) * i128::from(state[var.index()]);
    terms.iter().map(term).sum()
}
