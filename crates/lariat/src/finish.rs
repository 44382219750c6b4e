//! What is to be said of a violating run: the second half of [`check`](crate::check()), for which nothing need be searched any more.
//!
//! A run that an engine has found is rarely the shortest, and a person has to read it. It is shortened on the original, with counted effort (`shortening.rs`), ends where the property
//! is lost for good if that is evidence, and is replayed again. Whoever has several properties decides them first (`side_by_side.rs`).

use crate::check::{Options, Query, Report, atoms_of, product_states};
use crate::partial::doubt_run;
use crate::plan::Plan;
use crate::prepare::prepare;
use crate::replay::BadBeginning;
use crate::shortening::Shortening;
use crate::subject::{Property, Subject};
use crate::verdict::Verdict;
use lariat_budget::{Budget, Observer};
use lariat_engines::{Outcome, Problem};
use lariat_model::{Deadlock, Lasso};

/// What [`decide`](crate::decide()) has found, with a run that is as short as the options ask for, and with what is to be said of it.
pub fn finished(
    subject: &Subject<'_>,
    property: Property<'_>,
    options: &Options,
    mut report: Report,
    budget: &Budget,
    observer: &dyn Observer,
) -> Report {
    let atoms = atoms_of(subject, property);
    Query::new(subject, property, &atoms, options, (budget, observer)).shorten(&mut report);
    let Verdict::Violated(replayed) = &report.verdict else {
        return report;
    };
    // Asked of the shorter run: it may keep away from states in which an atom has no value.
    match doubt_run(subject, &atoms, replayed.lasso()) {
        Some(verdict) => {
            report.verdict = verdict;
            report.bad = None;
        }
        None => {
            let constraints = subject.fairness().constraints.iter();
            let names = constraints.map(|c| c.name.clone());
            report.met = names.zip(subject.met(replayed.lasso())).collect();
        }
    }
    report
}

/// Where a run is that begins badly, unless it has to go through its loop again to be there.
fn position_in(lasso: &Lasso, bad: BadBeginning) -> Option<usize> {
    let position = bad.position;
    (position < lasso.steps().count()).then_some(position)
}

impl Query<'_, '_> {
    /// Puts a run that is as short as the options ask for in place of the one that shows a violation. If that came back from a smaller net, it was shortened there before: the way back has
    /// put in steps that no atom sees, and what is a shortest run there need not be one here.
    fn shorten(&self, report: &mut Report) {
        let Verdict::Violated(found) = &report.verdict else {
            return;
        };
        let subject = self.subject;
        if self.options.shortening == Shortening::Never {
            let lasso = found.lasso();
            let bad = subject.bad_beginning(self.property, lasso);
            report.bad = bad.and_then(|bad| position_in(lasso, bad));
            return;
        }
        let explicit = Plan::of("explicit");
        let prepared = prepare(
            subject,
            self.formulas,
            self.property,
            &explicit,
            self.budget,
        );
        let mut lasso = found.lasso().clone();
        if let Ok(prepared) = prepared {
            let (automaton, propositions) = (&*prepared.automaton, &prepared.propositions);
            let deadlock = self.options.deadlock;
            let mut problem = Problem::new(subject.system(), automaton, propositions, deadlock)
                .assuming(&prepared.fairness);
            problem.prefixes = self.prefixes;
            problem.unread = self.unread(automaton);
            let work = report.work.max(product_states(&report.account));
            lasso = self.shortened(&problem, lasso, work);
        }
        let lasso = self.ended(lasso, report);
        if self.is_too_short(&lasso) {
            return self.about_whole_runs().shorten(report);
        }
        let found = Ok(Outcome::Accepting(lasso));
        report.verdict = Verdict::earn(found, |lasso| self.replayed(lasso));
    }

    /// The run, which ends where the property is lost for good if finite runs count.
    fn ended(&self, mut lasso: Lasso, report: &mut Report) -> Lasso {
        report.bad = None;
        let Some(bad) = self.subject.bad_beginning(self.property, &lasso) else {
            return lasso;
        };
        if self.prefixes && self.options.deadlock == Deadlock::Stutter {
            lasso.prefix.append(&mut lasso.cycle);
            lasso.prefix.truncate(bad.steps);
            lasso.growth = None;
            report.bad = Some(bad.position);
        } else {
            report.bad = position_in(&lasso, bad);
        }
        lasso
    }

    /// A run as short as the options ask for, after a search of so much work.
    pub(crate) fn shortened(&self, problem: &Problem<'_>, lasso: Lasso, work: u64) -> Lasso {
        let shortening = self.options.shortening;
        shortening.shortened(problem, lasso, work, self.budget, self.observer)
    }
}
