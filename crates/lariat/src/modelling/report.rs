//! Reports on models that are programs.

use super::Model;
use super::run::Trace;
use lariat_budget::Budget;
use lariat_draw::page::{PageEntry, PageSubject, page};
use lariat_draw::run::{DrawnRun, RunKind};
use lariat_ltl::Formula;
use lariat_model::EvidenceKind;
use std::fmt;
use std::ops::Deref;
use std::time::Duration;

/// Limit on the time that the drawings of a page take.
const PAGE_TIME: Duration = Duration::from_secs(10);

/// The report on one property of a program: a [`Report`](crate::Report), and the run in terms of
/// the program.
pub struct Report<M: Model> {
    pub(super) report: crate::Report,
    pub(super) trace: Option<Trace<M>>,
    pub(super) formula: Formula,
}

impl<M: Model> Report<M> {
    /// The counterexample; of `EF p` that holds, the witness.
    pub fn trace(&self) -> Option<&Trace<M>> {
        self.trace.as_ref()
    }

    /// The report without the types of the model.
    pub fn into_report(self) -> crate::Report {
        self.report
    }

    /// The report as a self-contained page in HTML, with the run as a time line.
    pub fn page(&self) -> String {
        let vocabulary = &self.report.vocabulary;
        let subject = PageSubject {
            name: &vocabulary.model_name,
            model: &vocabulary.model,
            formulas: &vocabulary.properties.formulas,
            propositions: &vocabulary.properties.propositions,
        };
        let run = self.report.run.as_ref().map(|trace| {
            let lasso = trace.lasso();
            DrawnRun {
                kind: match lasso.kind() {
                    EvidenceKind::Prefix => RunKind::Prefix,
                    EvidenceKind::Lasso => RunKind::Lasso,
                    EvidenceKind::Covering => RunKind::Covering,
                },
                states: lasso.states(),
                events: lasso.steps().map(|step| step.event).collect(),
                prefix: lasso.prefix.len(),
                growth: lasso.growth.clone(),
                bad: trace.violated_at(),
            }
        });
        let entry = PageEntry {
            report: self.report.to_json(),
            run,
            formula: Some(self.formula),
            atoms: self.report.atoms.to_vec(),
            ..PageEntry::default()
        };
        let budget = Budget::unlimited().with_deadline(PAGE_TIME);
        page(&subject, &[entry], &budget)
    }
}

impl<M: Model> Deref for Report<M> {
    type Target = crate::Report;

    fn deref(&self) -> &crate::Report {
        &self.report
    }
}

impl<M: Model> fmt::Display for Report<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report.fmt(f)
    }
}

impl<M: Model> fmt::Debug for Report<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report.fmt(f)
    }
}
