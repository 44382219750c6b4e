//! The report on one property, as text and as JSON.

pub(crate) mod advice;
pub(crate) mod events;
pub(crate) mod json;
pub(crate) mod rows;
pub(crate) mod run_json;
pub(crate) mod text;

use crate::cross_check::{Agreement, CrossCheck};
use crate::decision::Decision;
use crate::faults::Faults;
use crate::options::CheckOptions;
use crate::phases::PhaseLog;
use crate::properties::Property;
use crate::report::advice::Advice;
use crate::report::rows::RunLayout;
use crate::shown::ShownModel;
use crate::trace::Trace;
use crate::vacuity::vacuity_in_words;
use crate::verdict::{EarnedVerdict, Reason};
use lariat_budget::{Concurrency, Stop};
use lariat_engines::EngineId;
use lariat_formats::{LoadedModel, ModelFormat};
use lariat_ltl::{AtomId, Formula, Formulas, Strengthening};
use lariat_model::{Domain, Finding, FindingKind, Modality, PropertyList, System, printed};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The names that reports on the properties of one model use.
pub(crate) struct ReportVocabulary {
    pub model_name: String,
    pub model: Arc<LoadedModel>,
    pub properties: PropertyList,
    /// The model and its formulas as text names them, if it differs; computed for the first text.
    shown: OnceLock<Option<ShownModel>>,
}

impl ReportVocabulary {
    pub(crate) fn new(
        model_name: &str,
        model: &Arc<LoadedModel>,
        properties: PropertyList,
    ) -> ReportVocabulary {
        ReportVocabulary {
            model_name: model_name.to_owned(),
            model: Arc::clone(model),
            shown: OnceLock::new(),
            properties,
        }
    }

    fn shown(&self) -> Option<&ShownModel> {
        let shown = || ShownModel::of(&self.model, &self.properties);
        self.shown.get_or_init(shown).as_ref()
    }

    /// The model as text names it; all ids are the same.
    pub(crate) fn shown_model(&self) -> &LoadedModel {
        self.shown().map_or(&self.model, |shown| &shown.model)
    }

    /// The formulas as text names their atoms; all ids are the same.
    pub(crate) fn shown_formulas(&self) -> &Formulas {
        let shown = self.shown().map(|shown| &shown.formulas);
        shown.unwrap_or(&self.properties.formulas)
    }
}

/// The verdict on a property.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every run satisfies the property: an exhaustive search found no violation. Of `EF p`:
    /// [`Report::witness`] reaches `p`.
    Holds,
    /// This run violates the property. It was replayed on the original model. Of `EF p`: an
    /// exhaustive search found no state with `p`, and the trace is empty.
    Violated(Trace),
    /// Undecided, for this reason.
    Unknown(Reason),
}

/// The report on one property: the verdict, and how it was found.
///
/// `Display` prints the verdict in one line, then notes and the counterexample.
///
/// ```
/// # let text = b"process Light { state red, green; init red;
/// #              trans red -> green {}, green -> red {}; }
/// #              system async;";
/// # let model = lariat::Model::parse("light.dve", text)?;
/// use lariat::{Checker, Report};
///
/// let report: Report = Checker::new(&model).check("F G Light.red")?;
/// assert_eq!(report.holds(), Some(false));
/// println!("{report}");
/// assert_eq!(report.to_json()["verdict"], "violated");
/// # Ok::<(), lariat::Error>(())
/// ```
#[derive(Clone)]
pub struct Report {
    pub(crate) vocabulary: Arc<ReportVocabulary>,
    pub(crate) name: String,
    pub(crate) formula: String,
    /// The formula as written, without its modality; `None` for an automaton.
    pub(crate) written: Option<Formula>,
    pub(crate) atoms: Arc<[AtomId]>,
    pub(crate) modality: Option<Modality>,
    pub(crate) decision: Decision,
    pub(crate) run: Option<Trace>,
    pub(crate) verdict: Verdict,
    pub(crate) seconds: f64,
    pub(crate) phases: PhaseLog,
    pub(crate) concurrency: Concurrency,
    pub(crate) cross_check: Option<CrossCheck>,
    pub(crate) vacuity: Vec<Strengthening>,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) finding: Option<Arc<Finding>>,
}

impl Report {
    pub(crate) fn new(
        vocabulary: Arc<ReportVocabulary>,
        property: &Property,
        decision: Decision,
        concurrency: Concurrency,
    ) -> Report {
        let mut report = Report {
            written: property.written,
            vocabulary,
            name: property.name.clone(),
            formula: property.text.clone(),
            atoms: property.atoms.clone().into(),
            modality: property.modality,
            decision,
            run: None,
            verdict: Verdict::Holds,
            seconds: 0.0,
            phases: PhaseLog::default(),
            concurrency,
            cross_check: None,
            vacuity: Vec::new(),
            faults: None,
            finding: property.finding.clone(),
        };
        report.conclude();
        report
    }

    /// The report on a property that was not checked, because its model or its text could not be
    /// read within the limits.
    #[doc(hidden)]
    pub fn unread(
        model: &str,
        name: &str,
        formula: &str,
        options: &CheckOptions,
        stop: Stop,
    ) -> Report {
        let nothing = Arc::new(LoadedModel::new(ModelFormat::Etf, System::default()));
        let vocabulary = ReportVocabulary::new(model, &nothing, PropertyList::new());
        let property = Property::unbound(name, formula);
        let decision = Decision::undecided(options, Reason::Stopped(stop));
        let concurrency = Concurrency::Alone;
        Report::new(Arc::new(vocabulary), &property, decision, concurrency)
    }

    /// The phases of the check, with their times.
    pub fn phases(&self) -> &PhaseLog {
        &self.phases
    }

    /// Sets the wall-clock time.
    #[doc(hidden)]
    #[must_use]
    pub fn after(mut self, time: Duration) -> Report {
        self.seconds = time.as_secs_f64();
        self
    }

    /// Derives the verdict for the user from the decision; called after each change of it.
    pub(crate) fn conclude(&mut self) {
        let decision = &self.decision;
        self.run = match &decision.verdict {
            EarnedVerdict::Violated(run) => Some(Trace {
                vocabulary: Arc::clone(&self.vocabulary),
                lasso: run.shared(),
                atoms: Arc::clone(&self.atoms),
                bad: decision.bad,
                met: decision.met.clone().into(),
            }),
            _ => None,
        };
        let exists = self.is_witnessed();
        self.verdict = match (&decision.verdict, &self.run) {
            (EarnedVerdict::Unknown(reason), _) => Verdict::Unknown(reason.clone()),
            (EarnedVerdict::Violated(_), Some(run)) if !exists => Verdict::Violated(run.clone()),
            (EarnedVerdict::Holds(_), _) if exists => {
                Verdict::Violated(Trace::unreachable(&self.vocabulary, &self.atoms))
            }
            _ => Verdict::Holds,
        };
    }

    /// Returns whether a run shows that the property `EF p` holds, not a violation.
    fn is_witnessed(&self) -> bool {
        self.modality.is_some_and(Modality::is_witnessed)
    }

    /// The name of the property.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The formula, fully parenthesised, with the ids of places and transitions, or a sentence
    /// about the automaton.
    pub fn formula(&self) -> &str {
        &self.formula
    }

    /// The formula with the names of places and transitions where they have unique names.
    #[doc(hidden)]
    pub fn shown_formula(&self) -> Cow<'_, str> {
        match (self.vocabulary.shown(), self.written) {
            (Some(shown), Some(written)) => {
                Cow::Owned(printed(&shown.formulas, written, self.modality))
            }
            _ => Cow::Borrowed(&self.formula),
        }
    }

    /// A sentence of the report with the names of places and transitions in place of their ids.
    #[doc(hidden)]
    pub fn shown_sentence<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.vocabulary.model.labels.in_sentence(text)
    }

    /// The verdict.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The counterexample of a violated property.
    pub fn counterexample(&self) -> Option<&Trace> {
        self.run.as_ref().filter(|_| !self.is_witnessed())
    }

    /// The witness of `EF p`.
    pub fn witness(&self) -> Option<&Trace> {
        self.run.as_ref().filter(|_| self.is_witnessed())
    }

    /// The engine that decided, by its name on the command line; `facts` if structural facts
    /// sufficed.
    pub fn engine(&self) -> EngineId {
        self.decision.engine
    }

    /// Wall-clock time until the verdict and its trace were final, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The techniques that were used, by the names of the Model Checking Contest.
    #[doc(hidden)]
    pub fn techniques(&self) -> Vec<&'static str> {
        let decision = &self.decision;
        let mut techniques = Vec::new();
        if decision.engine == EngineId::Facts || !decision.facts.is_empty() {
            techniques.push("TOPOLOGICAL");
        }
        if !decision.passes.is_empty() {
            techniques.push("STRUCTURAL_REDUCTION");
        }
        techniques.extend(engine_techniques(decision.engine));
        if self.vocabulary.model.coloured.is_some() {
            techniques.push("UNFOLDING_TO_PT");
        }
        techniques
    }

    /// Notes for the user besides the verdict: vacuity, the result of the cross-check.
    pub fn notes(&self) -> Vec<String> {
        let formulas = self.vocabulary.shown_formulas();
        let mut notes: Vec<String> = { self.vacuity.iter() }
            .map(|part| format!("note: vacuous: {}", vacuity_in_words(formulas, part)))
            .collect();
        notes.extend(self.cross_check.iter().map(cross_check_in_words));
        notes.extend(match (&self.finding, self.modality) {
            (Some(finding), _) => self.about_finding(finding),
            (None, Some(Modality::Some)) => Some("decided as the negation of `G !p`".to_owned()),
            (None, Some(Modality::All)) => Some("decided as `G p`".to_owned()),
            (None, Some(Modality::AllSome)) => {
                Some("no LTL: decided as the question whether p stays reachable".to_owned())
            }
            (None, Some(Modality::SomeAll)) => {
                Some("no LTL: decided as the question whether !p stays reachable".to_owned())
            }
            (None, None) => None,
        });
        notes
    }

    /// The place of a finding, or the step that shows it.
    fn about_finding(&self, finding: &Finding) -> Option<String> {
        match (finding.kind, finding.line) {
            (FindingKind::Overflow, _) => {
                let states = self.run.as_ref()?.lasso.states();
                let system = &self.vocabulary.model.system;
                let mut steps = { states.iter() }.map(|state| system.exceeding_step(state));
                let at = steps.position(|step| step.is_some())?;
                let (event, var, value) = system.exceeding_step(states.get(at)?)?;
                let Domain::Range { low, high } = system.variable(var).domain else {
                    return None;
                };
                Some(format!(
                    "in state {at}, {} assigns {value} to {}, which has the range {low} to {high}",
                    system.event(event).name,
                    system.variable(var).name,
                ))
            }
            (_, Some(line)) => Some(format!("declared in line {line}")),
            (_, None) => None,
        }
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> Json {
        json::report_json(self)
    }

    /// The report as one line of JSON. It needs much less memory than the
    /// [object](Report::to_json) if the run is long.
    pub fn to_json_line(&self) -> String {
        run_json::in_memory(|out| self.write_json_line(out))
    }

    /// Writes the report as one line of JSON, without its end. The steps of a run are written one by
    /// one: buffer the output.
    pub fn write_json_line(&self, out: &mut dyn io::Write) -> io::Result<()> {
        json::write_line(self, out)
    }

    /// The object without the steps of its run.
    #[doc(hidden)]
    pub fn to_json_without_steps(&self) -> Json {
        json::head(self)
    }

    /// How the verdict was found, in a few words.
    pub fn summary(&self) -> String {
        text::summary(&self.decision, self.seconds)
    }

    /// The counterexample or witness as text; `full` prints whole states.
    pub fn evidence_text(&self, full: bool) -> String {
        self.evidence_in(&RunLayout {
            full,
            ..RunLayout::default()
        })
    }

    /// The counterexample or witness as text in this layout.
    #[doc(hidden)]
    pub fn evidence_in(&self, layout: &RunLayout) -> String {
        text::evidence_text(self, layout)
    }

    /// The positions of the counterexample or witness, one line each: the state, then the event.
    #[doc(hidden)]
    pub fn evidence_steps(&self) -> Vec<String> {
        self.run.as_ref().map_or(Vec::new(), text::steps)
    }

    /// Advice on an undecided property.
    #[doc(hidden)]
    pub fn advice(&self) -> Option<Advice> {
        Advice::on(&self.decision, self.seconds)
    }

    /// The decision in ids and figures.
    #[doc(hidden)]
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The cross-check, if one was made.
    #[doc(hidden)]
    pub fn cross_check(&self) -> Option<&CrossCheck> {
        self.cross_check.as_ref()
    }

    /// The faults of the program known at the time of the report.
    #[doc(hidden)]
    pub fn faults(&self) -> Option<&Faults> {
        self.faults.as_deref()
    }

    /// Returns whether the property holds; `None` if that is unknown.
    pub fn holds(&self) -> Option<bool> {
        match self.verdict {
            Verdict::Holds => Some(true),
            Verdict::Violated(_) => Some(false),
            Verdict::Unknown(_) => None,
        }
    }

    /// Returns whether more time might decide the property.
    pub(crate) fn needs_time(&self) -> bool {
        matches!(self.verdict, Verdict::Unknown(Reason::Stopped(Stop::Time)))
    }
}

/// The contest's names of the techniques of an engine.
fn engine_techniques(engine: EngineId) -> &'static [&'static str] {
    match engine {
        EngineId::Facts | EngineId::Auto => &[],
        EngineId::Sym | EngineId::Ssp => &["EXPLICIT", "SYMMETRIES"],
        EngineId::Explicit
        | EngineId::Ba
        | EngineId::Ta
        | EngineId::Tgta
        | EngineId::Walk
        | EngineId::Distributed => &["EXPLICIT"],
        _ => &["DECISION_DIAGRAMS"],
    }
}

fn cross_check_in_words(check: &CrossCheck) -> String {
    let (engine, seconds) = (check.second.engine, check.seconds);
    let word = check.second.verdict.word();
    match (&check.agreement, &check.second.verdict) {
        (Agreement::Same, _) => format!("cross-check: {engine} agrees ({seconds:.3} s)"),
        (Agreement::Open, EarnedVerdict::Unknown(reason)) => {
            format!("not cross-checked: {engine}: {reason}")
        }
        (Agreement::Open, _) => format!("cross-check: {engine} says {word} ({seconds:.3} s)"),
        (Agreement::Different, _) => {
            let (first, first_word) = (check.first, check.first_verdict);
            format!("cross-check: {first} says {first_word}, {engine} says {word} ({seconds:.3} s)")
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.holds() {
            Some(true) => "HOLDS   ",
            Some(false) => "VIOLATED",
            None => "UNKNOWN ",
        };
        let (name, formula, summary) = (&self.name, self.shown_formula(), self.summary());
        let mut text = format!("{word}  {name}: {formula}  [{summary}]\n");
        for note in self.notes() {
            let _ = writeln!(text, "  {note}");
        }
        text += &self.evidence_text(false);
        f.write_str(text.trim_end())
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("name", &self.name)
            .field("formula", &self.formula)
            .field("verdict", &self.verdict)
            .field("engine", &self.decision.engine)
            .finish_non_exhaustive()
    }
}
