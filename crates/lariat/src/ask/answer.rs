//! Answers to questions, with evidence as for verdicts.
//!
//! A [`Witness`] is a run that was replayed on the original model, and whose end answers the
//! question. A [`Proof`] is a complete search, or a certificate that was checked in exact integers.
//! Only this module constructs either.

use crate::verdict::Reason;
use lariat_budget::Budget;
use lariat_engines::questions::StateQuestion;
use lariat_formats::LoadedModel;
use lariat_model::{
    EvidenceKind, Lasso, Predicate, ReplayError, State, Step, System, Value, VarId,
};
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
pub struct Witness {
    /// The position of the initial state.
    start: usize,
    prefix: Vec<Step>,
    cycle: Vec<Step>,
    growth: Option<State>,
}

impl Witness {
    fn new(system: &System, run: Lasso) -> Option<Witness> {
        let mut initial = system.initial.iter();
        Some(Witness {
            start: initial.position(|state| *state == run.initial)?,
            prefix: run.prefix,
            cycle: run.cycle,
            growth: run.growth,
        })
    }

    /// The run without steps from an initial state, given by its position.
    pub(super) fn standing(start: usize) -> Witness {
        Witness {
            start,
            prefix: Vec::new(),
            cycle: Vec::new(),
            growth: None,
        }
    }

    /// The run of the model's system: a prefix, or a covering run.
    pub fn run(&self, system: &System) -> Lasso {
        Lasso {
            initial: system.initial[self.start].clone(),
            prefix: self.prefix.clone(),
            cycle: self.cycle.clone(),
            growth: self.growth.clone(),
        }
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Returns whether an initial state is the evidence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        let steps = self.prefix.iter().chain(&self.cycle);
        let bytes = |step: &Step| size_of::<Step>() + size_of_val(step.changes());
        size_of::<Witness>() + steps.map(bytes).sum::<usize>()
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

/// The kind of an answer, without its evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// [`EarnedAnswer::Reached`].
    Reached,
    /// [`EarnedAnswer::Never`].
    Never,
    /// [`EarnedAnswer::Most`].
    Most,
    /// [`EarnedAnswer::Endless`].
    Endless,
    /// [`EarnedAnswer::Always`].
    Always,
    /// [`EarnedAnswer::Lost`].
    Lost,
    /// [`EarnedAnswer::Unknown`].
    Unknown,
}

impl EarnedAnswer {
    /// The kind of the answer.
    pub fn kind(&self) -> AnswerKind {
        match self {
            EarnedAnswer::Reached(_) => AnswerKind::Reached,
            EarnedAnswer::Never(_) => AnswerKind::Never,
            EarnedAnswer::Most { .. } => AnswerKind::Most,
            EarnedAnswer::Endless(_) => AnswerKind::Endless,
            EarnedAnswer::Always(_) => AnswerKind::Always,
            EarnedAnswer::Lost(..) => AnswerKind::Lost,
            EarnedAnswer::Unknown { .. } => AnswerKind::Unknown,
        }
    }

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

/// Steps of a replay between two polls of the budget.
const POLL_INTERVAL: usize = 256;

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
    budget: &Budget,
) -> Result<Witness, ReplayError> {
    let system = &model.system;
    let mut run = lasso.cursor();
    let mut position = 0;
    while let Some((state, step)) = run.next() {
        if position % POLL_INTERVAL == 0 {
            budget.check()?;
        }
        position += 1;
        let Some(event) = step.event else {
            Err(format!("step {position} has no event"))?
        };
        if !system.steps(state, event).contains(step) {
            let name = &system.event(event).name;
            Err(format!("step {position} is not a step of {name}"))?;
        }
    }
    let at = run.state();
    match shows {
        Shows::End(StateQuestion::Reach(predicate), _) => {
            if !system.holds(predicate, at) {
                Err("the end of the run does not satisfy the predicate".to_owned())?;
            }
        }
        Shows::End(StateQuestion::Most(terms), value) => {
            if sum(terms, at) != value {
                Err("the sum has a different value at the end of the run".to_owned())?;
            }
        }
        Shows::End(StateQuestion::Always(predicate), _) => {
            if system.holds(predicate, at) {
                Err("the end of the run satisfies the predicate that is lost".to_owned())?;
            }
        }
        Shows::Growth(terms) => {
            let grows = lasso.growth.as_ref().is_some_and(|by| sum(terms, by) > 0);
            let covering = lasso.kind() == EvidenceKind::Covering && lasso.comes_round();
            if !grows || !covering || !system.is_net() {
                Err("the rounds of the run do not increase the sum".to_owned())?;
            }
        }
    }
    if let Some(net) = model.coloured_net() {
        // The replay on the coloured net checks too that no transition is enabled at the end.
        let at_rest = matches!(
            shows,
            Shows::End(StateQuestion::Reach(Predicate::Deadlock), _)
        );
        if at_rest {
            net.replay(system, &resting(lasso.clone()), budget)?;
        } else {
            net.replay(system, &lasso, budget)?;
        }
    }
    let not_initial = || "the run does not start in an initial state".to_owned();
    Ok(Witness::new(system, lasso).ok_or_else(not_initial)?)
}

/// A run to a dead state, extended by stuttering there.
pub(super) fn resting(run: Lasso) -> Lasso {
    Lasso {
        cycle: vec![Step::stutter()],
        growth: None,
        ..run
    }
}

pub(super) fn sum(terms: &[(VarId, Value)], state: &[Value]) -> i128 {
    let term =
        |(var, weight): &(VarId, Value)| i128::from(*weight) * i128::from(state[var.index()]);
    terms.iter().map(term).sum()
}
