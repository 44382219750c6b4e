//! Models from files, and their checks.

use crate::raised;
use crate::simulation::Simulation;
use crate::wait::wait;
use lariat::internals::ir::{EvidenceKind, PropertyList};
use lariat::internals::formats::ModelFormat;
use lariat::internals::{Budget, Preset, ShownModel};
use lariat::{
    Answer, Cancel, Checker, Deadlock, EngineId, Model, Properties, Property, Question, Report,
    Trace,
};
use lariat_draw::page::{PageEntry, PageSubject, page};
use lariat_draw::run::{DrawnRun, RunKind};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// Options of a check.
#[pyclass(frozen, from_py_object)]
#[derive(Clone)]
pub struct Options {
    pub engine: EngineId,
    pub timeout: Option<Duration>,
    pub memory: Option<u64>,
    pub threads: NonZeroUsize,
    pub deadlock: Deadlock,
    weak: Vec<String>,
    strong: Vec<String>,
}

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (engine, timeout, memory, threads, deadlock, weak, strong))]
    fn new(
        engine: &str,
        timeout: Option<f64>,
        memory: Option<u64>,
        threads: usize,
        deadlock: &str,
        weak: Vec<String>,
        strong: Vec<String>,
    ) -> PyResult<Options> {
        let id = match Preset::named(engine) {
            Some(preset) => preset.id,
            None if engine == EngineId::Auto.name() => EngineId::Auto,
            None => return Err(raised(format!("no engine is called `{engine}`"))),
        };
        let policy = Deadlock::ALL
            .iter()
            .find(|policy| policy.name() == deadlock);
        let policy = policy.ok_or_else(|| raised("deadlock is `stutter` or `ignore`"))?;
        let seconds = |seconds: f64| {
            Duration::try_from_secs_f64(seconds).map_err(|_| raised("timeout is a time in seconds"))
        };
        Ok(Options {
            engine: id,
            timeout: timeout.map(seconds).transpose()?,
            memory,
            threads: NonZeroUsize::new(threads).ok_or_else(|| raised("threads is at least 1"))?,
            deadlock: *policy,
            weak,
            strong,
        })
    }
}

/// A model that was read.
#[pyclass(frozen)]
pub struct Loaded(Model);

#[pymethods]
impl Loaded {
    #[staticmethod]
    fn load(py: Python<'_>, path: String) -> PyResult<Loaded> {
        py.detach(|| Model::open(path)).map(Loaded).map_err(raised)
    }

    #[staticmethod]
    fn parse(py: Python<'_>, name: String, text: Vec<u8>) -> PyResult<Loaded> {
        let model = py.detach(|| Model::parse(&name, &text));
        model.map(Loaded).map_err(raised)
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn format(&self) -> &str {
        match self.0.loaded().format {
            ModelFormat::Pnml => "pnml",
            ModelFormat::Dve => "dve",
            ModelFormat::Etf => "etf",
            ModelFormat::Promela => "promela",
        }
    }

    fn variables(&self) -> Vec<String> {
        self.0.variables().map(str::to_owned).collect()
    }

    fn events(&self) -> Vec<String> {
        self.0.events().map(str::to_owned).collect()
    }

    fn warnings(&self) -> Vec<String> {
        self.0.warnings().collect()
    }

    /// Checks a formula: the report as JSON, as text and as a page.
    fn check(
        &self,
        py: Python<'_>,
        formula: &str,
        options: &Options,
    ) -> PyResult<(String, String, String)> {
        let cancel = Cancel::default();
        let check = || {
            let checker = self.checker(options, &cancel);
            let mut properties = Properties::new(&self.0);
            properties.add(formula)?;
            let mut last = None;
            checker.check_all(&properties, |report| {
                last = Some(report);
                ControlFlow::Continue(())
            })?;
            let report =
                last.ok_or_else(|| lariat::Error::Options("nothing was checked".into()))?;
            let html = self.page(&report, &properties);
            Ok::<_, lariat::Error>((report.to_json().to_string(), report.to_string(), html))
        };
        wait(py, &cancel, check)?.map_err(raised)
    }

    /// Answers a question: its answer as JSON.
    fn ask(&self, py: Python<'_>, kind: &str, what: &str, options: &Options) -> PyResult<String> {
        let question = match kind {
            "deadlock" => Question::deadlock(),
            "reachable" => Question::reachable(what),
            "bound" => Question::bound(what),
            "live" => Question::live(what),
            _ => return Err(raised(format!("`{kind}` is not a kind of question"))),
        };
        let cancel = Cancel::default();
        let ask = || self.checker(options, &cancel).ask(&question);
        let answer = wait(py, &cancel, ask)?.map_err(raised)?;
        let run = |trace: Option<Trace>| trace.map(|trace| trace.to_json());
        let (word, value, trace) = match answer {
            Answer::Yes(trace) => ("yes", Json::Null, run(trace)),
            Answer::No(trace) => ("no", Json::Null, run(trace)),
            Answer::Number(n) => ("number", json!(n.to_string()), None),
            Answer::Unbounded(trace) => ("unbounded", Json::Null, run(Some(trace))),
            Answer::Unknown(reason) => ("unknown", json!(reason.to_string()), None),
            _ => ("unknown", Json::Null, None),
        };
        Ok(json!({"answer": word, "value": value, "trace": trace}).to_string())
    }

    /// The number of reachable states in digits; `None` if a limit was reached.
    fn states(&self, py: Python<'_>, options: &Options) -> PyResult<Option<String>> {
        let cancel = Cancel::default();
        let space = wait(py, &cancel, || {
            self.checker(options, &cancel).count_states()
        })?;
        Ok(space.states.map(|states| states.to_string()))
    }

    fn simulate(&self) -> PyResult<Simulation> {
        Simulation::of(Arc::clone(self.0.loaded()))
    }
}

impl Loaded {
    fn checker(&self, options: &Options, cancel: &Cancel) -> Checker<'_> {
        let mut checker = Checker::new(&self.0)
            .engine(options.engine)
            .threads(options.threads)
            .deadlock(options.deadlock)
            .cancel(cancel.clone());
        if let Some(timeout) = options.timeout {
            checker = checker.timeout(timeout);
        }
        if let Some(memory) = options.memory {
            checker = checker.memory(memory);
        }
        for what in &options.weak {
            checker = checker.weak_fairness(what);
        }
        for what in &options.strong {
            checker = checker.strong_fairness(what);
        }
        checker
    }

    fn page(&self, report: &Report, properties: &Properties<'_>) -> String {
        let (model, list): (_, &PropertyList) = (&**self.0.loaded(), properties.bound());
        let shown = ShownModel::of(model, list);
        let subject = PageSubject {
            name: self.0.name(),
            model: shown.as_ref().map_or(model, |shown| &shown.model),
            formulas: shown
                .as_ref()
                .map_or(&list.formulas, |shown| &shown.formulas),
            propositions: &list.propositions,
        };
        let property = properties.iter().next();
        let entry = PageEntry {
            report: report.to_json(),
            run: report.counterexample().or(report.witness()).map(drawn),
            formula: property.and_then(Property::formula_along_runs),
            ..PageEntry::default()
        };
        let budget = Budget::unlimited().with_deadline(Duration::from_secs(5));
        page(&subject, &[entry], &budget)
    }
}

/// The run of a trace in the form that pages show.
fn drawn(trace: &Trace) -> DrawnRun {
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
}
