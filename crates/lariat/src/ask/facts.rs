//! Answers questions by structural facts: invariants decide them without any search.
//!
//! Bounds that a file declares, such as that of a safe net with units, are claims. Facts are
//! derived for the net without them, so that every answer is proved.
//!
//! A predicate is *folded* first: comparisons and enabledness that are constant in all reachable
//! markings are replaced by their values. The result is often `false`, or has few enough cases to
//! be refuted at once. Otherwise the following searches use the folded predicate, which is true in
//! the same reachable markings and depends on fewer places.

use super::answer::{Proof, Shows, certified, witness};
use super::{AskSession, EarnedAnswer, QuestionEngine, StateQuestion};
use crate::cache::SpaceCache;
use lariat_budget::{Budget, Stop};
use lariat_model::{
    Comparison, Domain, Lasso, Linear, Predicate, Proposition, ReplayError, System, Variable,
};
use lariat_reductions::Systems;
use lariat_structural::{Bound, Certificate, Facts};

/// Limit on the markings that are compared with facts.
const MOST_SEEN: usize = 64;

/// The kind of questions that facts are derived for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Sums,
    Predicates,
}

impl<'s> AskSession<'_, 's> {
    /// Answers open questions of one kind by facts about the original net, within `work` units.
    pub(super) fn facts(
        &mut self,
        cache: &mut SpaceCache<'s>,
        about: About,
        work: u64,
    ) -> Result<(), Stop> {
        if !self.may(QuestionEngine::Facts) || self.is_over() {
            return Ok(());
        }
        self.ctx.observer.engine(QuestionEngine::Facts.name());
        let system = undeclared(&self.model.system, cache.systems());
        let facts = cache.facts(system);
        // A marking that was reached refutes facts without a linear program.
        let mut known = 0;
        for case in &self.cases {
            if let Some((_, seen)) = case.low.as_ref().filter(|(_, seen)| !seen.is_empty()) {
                self.ctx.budget.check()?;
                facts.saw(&seen.run(&self.model.system).entry());
                known += 1;
            }
            if known >= MOST_SEEN {
                break;
            }
        }
        self.model
            .system
            .initial
            .iter()
            .for_each(|initial| facts.saw(initial));
        let (_, before) = facts.effort();
        for q in self.open() {
            self.ctx.budget.check()?;
            let facts = cache.facts(system);
            let (_, now) = facts.effort();
            if self.is_over() || now - before > work {
                break;
            }
            let is_sum = matches!(self.cases[q].question, StateQuestion::Most(_));
            if is_sum != (about == About::Sums) {
                continue;
            }
            facts.next_property();
            match self.cases[q].question {
                StateQuestion::Reach(predicate) => {
                    match never(facts, predicate, self.ctx.budget)? {
                        Ok(why) => {
                            if let Some(proof) = self.certified(why) {
                                self.reply(q, EarnedAnswer::Never(proof), QuestionEngine::Facts);
                            }
                        }
                        Err(folded) => self.fold(q, folded, StateQuestion::Reach),
                    }
                }
                StateQuestion::Most(terms) => {
                    let found = facts.most(terms, self.ctx.budget)?;
                    if let Some((most, why)) = found
                        && let Some(proof) = self.certified(why)
                    {
                        self.at_most(q, most, proof, QuestionEngine::Facts);
                        self.meet(q);
                    }
                }
                // If the predicate is never true, it is lost in the initial state already.
                StateQuestion::Always(predicate) => match never(facts, predicate, self.ctx.budget)?
                {
                    Ok(why) => {
                        if let Some(proof) = self.certified(why) {
                            self.lost_at_once(q, proof)?;
                        }
                    }
                    Err(folded) => self.fold(q, folded, StateQuestion::Always),
                },
            }
        }
        Ok(())
    }

    /// Lets searches use the folded predicate if its certificate is valid.
    fn fold(&mut self, q: usize, folded: Option<Folded>, kind: fn(Predicate) -> StateQuestion) {
        let Some(Folded { predicate, grounds }) = folded else {
            return;
        };
        if self.certified(grounds).is_some() {
            self.cases[q].folded = Some(kind(predicate));
        }
    }

    /// Answers `always` with `lost`: the predicate is never true, as the initial state shows.
    fn lost_at_once(&mut self, q: usize, proof: Proof) -> Result<(), Stop> {
        let question = self.cases[q].question;
        let Some(initial) = self.model.system.initial.first() else {
            return Ok(());
        };
        let (run, shows) = (Lasso::standing(initial.clone()), Shows::End(question, 0));
        match witness(self.model, run, shows, self.ctx.budget) {
            Ok(run) => self.reply(q, EarnedAnswer::Lost(run, proof), QuestionEngine::Facts),
            Err(ReplayError::Stopped(stop)) => return Err(stop),
            Err(ReplayError::Defect(what)) => {
                self.defect.get_or_insert(what);
            }
        }
        Ok(())
    }

    fn certified(&mut self, why: Certificate) -> Option<Proof> {
        match certified(&self.model.system, why) {
            Ok(proof) => Some(proof),
            Err(what) => {
                self.defect.get_or_insert(what);
                None
            }
        }
    }
}

/// The system without declared bounds, which are unproved.
fn undeclared<'s>(system: &'s System, systems: &'s Systems) -> &'s System {
    let declared = |v: &Variable| matches!(v.domain, Domain::Count { bound: Some(_) });
    if !system.variables.iter().any(declared) {
        return system;
    }
    let mut bare = system.clone();
    for variable in bare.variables.iter_mut().filter(|v| declared(v)) {
        variable.domain = Domain::Count { bound: None };
    }
    systems.keep(bare)
}

/// A folded predicate, with the certificate of equality in all reachable markings.
pub(super) struct Folded {
    pub predicate: Predicate,
    grounds: Certificate,
}

fn folded(
    facts: &mut Facts,
    predicate: &Predicate,
    grounds: &mut Certificate,
    budget: &Budget,
) -> Result<Predicate, Stop> {
    Ok(match predicate {
        Predicate::Const(_) | Predicate::Expr(_) | Predicate::Deadlock => predicate.clone(),
        Predicate::Linear(_) | Predicate::Enabled(_) => {
            let atom = Proposition::State(predicate.clone());
            match facts.constant(&atom, budget)? {
                Some(constant) => {
                    grounds.extend(constant.certificate);
                    Predicate::Const(constant.value)
                }
                None => predicate.clone(),
            }
        }
        Predicate::Not(inner) => match folded(facts, inner, grounds, budget)? {
            Predicate::Const(value) => Predicate::Const(!value),
            inner => Predicate::Not(Box::new(inner)),
        },
        Predicate::And(list) => several(facts, list, false, grounds, budget)?,
        Predicate::Or(list) => several(facts, list, true, grounds, budget)?,
    })
}

/// Folds a conjunction, decided by one false part, or a disjunction, decided by one true part.
fn several(
    facts: &mut Facts,
    list: &[Predicate],
    enough: bool,
    grounds: &mut Certificate,
    budget: &Budget,
) -> Result<Predicate, Stop> {
    let mut left = Vec::new();
    for part in list {
        match folded(facts, part, grounds, budget)? {
            Predicate::Const(value) if value == enough => return Ok(Predicate::Const(enough)),
            Predicate::Const(_) => {}
            part => left.push(part),
        }
    }
    Ok(match (left.len(), enough) {
        (0, _) => Predicate::Const(!enough),
        (1, _) => left.remove(0),
        (_, true) => Predicate::Or(left),
        (_, false) => Predicate::And(left),
    })
}

/// The certificate that no reachable marking satisfies the predicate; otherwise the folded
/// predicate, if it differs.
fn never(
    facts: &mut Facts,
    predicate: &Predicate,
    budget: &Budget,
) -> Result<Result<Certificate, Option<Folded>>, Stop> {
    let found = match predicate {
        Predicate::Deadlock => facts.deadlock_free(budget)?,
        Predicate::Linear(Linear {
            terms,
            comparison: Comparison::Ge,
            constant,
        }) if matches!(terms[..], [(_, 1)]) => {
            let bound = facts.bound(terms[0].0, budget)?;
            let excludes = |bound: &Bound| i128::from(bound.most) < i128::from(*constant);
            bound.filter(excludes).map(|bound| bound.certificate)
        }
        asked => {
            let mut grounds = Certificate::default();
            let predicate = folded(facts, asked, &mut grounds, budget)?;
            if predicate == Predicate::Const(false) {
                return Ok(Ok(grounds));
            }
            let cube = [(Proposition::State(predicate.clone()), true)];
            return Ok(match facts.infeasible(&cube, budget)? {
                Some(mut certificate) => {
                    certificate.extend(grounds);
                    Ok(certificate)
                }
                None if predicate == *asked => Err(None),
                None => Err(Some(Folded { predicate, grounds })),
            });
        }
    };
    Ok(found.ok_or(None))
}
