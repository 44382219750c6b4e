//! The checker of a program: its atoms and assumptions, and the check of a formula.

use super::program::{MOST_LABELS, Program, States};
use super::quotient::Unfold;
use super::report::Report;
use super::run::{ConcreteRun, Trace, TraceStep, concrete};
use super::shown::shown;
use super::store::{PackedStore, StateStore};
use super::{ActionTest, Canonical, Model, StateTest};
use crate::error::Error;
use crate::reduce::Quotient;
use crate::report::{ReportVocabulary, Verdict};
use crate::states::{CountOptions, CountingMethod, StateSpace, count_states};
use crate::verdict::{EarnedVerdict, Reason};
use lariat_budget::{Budget, Cancel, RunContext};
use lariat_engines::EngineId;
use lariat_formats::{LoadedModel, ModelFormat};
use lariat_model::{
    Action, Comparison, Deadlock, Definition, Domain, Event, EventId, InputError, Lasso, Predicate,
    Source, SourceRef, State, Strength, System, Value, VarId, Variable,
};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Words that formulas give another meaning.
const RESERVED: [&str; 3] = ["true", "false", "deadlock"];

/// Checks formulas about a program.
///
/// Every check explores the states anew. See the [module](crate::modelling) for an example.
pub struct Checker<M: Model> {
    model: Arc<M>,
    name: String,
    atoms: Vec<(String, StateTest<M>)>,
    actions: Vec<(String, ActionTest<M>)>,
    fairness: Vec<(Strength, String, ActionTest<M>)>,
    boundary: Option<StateTest<M>>,
    canonical: Option<Canonical<M>>,
    engine: EngineId,
    deadlock: Deadlock,
    threads: NonZeroUsize,
    timeout: Option<Duration>,
    memory: Option<u64>,
    cancel: Option<Cancel>,
}

/// A program as a system, with the names of its atoms.
struct Compiled<M: Model> {
    program: Arc<Program<M>>,
    loaded: LoadedModel,
    quotient: Option<Quotient>,
}

impl<M: Model> Checker<M> {
    /// A checker with default options: engine `explicit`, one thread, no time limit, three quarters
    /// of the memory.
    pub fn new(model: M) -> Checker<M> {
        let name = std::any::type_name::<M>();
        let name = name
            .split('<')
            .next()
            .and_then(|name| name.rsplit("::").next());
        Checker {
            model: Arc::new(model),
            name: name.unwrap_or_default().to_owned(),
            atoms: Vec::new(),
            actions: Vec::new(),
            fairness: Vec::new(),
            boundary: None,
            canonical: None,
            engine: EngineId::Explicit,
            deadlock: Deadlock::default(),
            threads: NonZeroUsize::MIN,
            timeout: None,
            memory: None,
            cancel: None,
        }
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// Names the model in reports; by default its type does.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Defines an atom of formulas: a predicate on states.
    #[must_use]
    pub fn atom(
        mut self,
        name: &str,
        holds: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.atoms.push((name.to_owned(), Arc::new(holds)));
        self
    }

    /// Defines an atom of formulas: true at a position if the action taken next, from this state,
    /// satisfies the predicate. False in a deadlock.
    #[must_use]
    pub fn action_atom(
        mut self,
        name: &str,
        holds: impl Fn(&M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.actions.push((name.to_owned(), Arc::new(holds)));
        self
    }

    /// Assumes weak fairness of a class of actions: only runs count on which an action of the class
    /// is not continuously possible without one being taken.
    #[must_use]
    pub fn weak_fairness(
        self,
        class: &str,
        holds: impl Fn(&M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.fair(Strength::Weak, class, Arc::new(holds))
    }

    /// Assumes strong fairness of a class of actions: only runs count on which an action of the
    /// class is taken infinitely often if one is possible infinitely often.
    #[must_use]
    pub fn strong_fairness(
        self,
        class: &str,
        holds: impl Fn(&M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.fair(Strength::Strong, class, Arc::new(holds))
    }

    fn fair(mut self, strength: Strength, class: &str, holds: ActionTest<M>) -> Self {
        self.fairness.push((strength, class.to_owned(), holds));
        self
    }

    /// Omits states that do not satisfy a predicate. If a step leads to such a state, *holds* is
    /// impossible: the verdict is *violated* or *unknown*. A state with such a step is no deadlock.
    #[must_use]
    pub fn boundary(mut self, inside: impl Fn(&M::State) -> bool + Send + Sync + 'static) -> Self {
        self.boundary = Some(Arc::new(inside));
        self
    }

    /// Identifies symmetric states: the function returns one representative for all of them.
    ///
    /// The function must be the canonical form under a group of symmetries of the model: a state
    /// and its representative have the same atoms, the same classes of actions, and symmetric
    /// successors. Atoms are compared for every state, and steps for the first thousand states that
    /// differ from their representatives; if one differs, the verdict is *unknown*. Counterexamples
    /// are runs of the model, not of representatives. Fairness is not supported, because it
    /// distinguishes symmetric actions.
    #[must_use]
    pub fn symmetry(
        mut self,
        representative: impl Fn(&M::State) -> M::State + Send + Sync + 'static,
    ) -> Self {
        self.canonical = Some(Arc::new(representative));
        self
    }

    /// Selects an engine: `explicit` (the default, also for `auto`), `ba`, `ta`, `tgta` or `walk`.
    #[must_use]
    pub fn engine(mut self, engine: EngineId) -> Self {
        self.engine = match engine {
            EngineId::Auto => EngineId::Explicit,
            engine => engine,
        };
        self
    }

    /// Sets the deadlock policy: the last state of a finite run repeats, or the run is ignored.
    #[must_use]
    pub fn deadlock(mut self, deadlock: Deadlock) -> Self {
        self.deadlock = deadlock;
        self
    }

    /// Searches with several threads. Strong fairness, and the engines `ta`, `tgta` and `walk`, use
    /// one.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// Limits the time of a check.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Limits the memory of a check, in bytes. Memory that states own besides their size is estimated by
    /// [`Model::heap_bytes`].
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Stops checks when the switch is pressed.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Checks a formula of linear temporal logic, or `EF p` or `AG p` for a state predicate `p`.
    ///
    /// Atoms are the names that were defined, in quotes unless they are words, and `deadlock`.
    pub fn check(&self, formula: &str) -> Result<Report<M>, Error> {
        let Compiled {
            program,
            loaded,
            quotient,
        } = self.compiled(Some(formula))?;
        let model = crate::Model::from_loaded(&self.name, Arc::new(loaded));
        let mut properties = crate::Properties::new(&model);
        properties.add(formula)?;
        let mut checker = crate::Checker::new(&model).engine(self.engine);
        checker = match self.searches_alone() {
            true => checker,
            false => checker.threads(self.threads),
        };
        checker.options.deadlock = self.deadlock;
        checker.options.quotient = quotient;
        checker.timeout = self.timeout;
        if let Some(bytes) = self.memory {
            checker = checker.memory(bytes);
        }
        if let Some(cancel) = &self.cancel {
            checker = checker.cancel(cancel.clone());
        }
        for (strength, class, _) in &self.fairness {
            checker = match strength {
                Strength::Weak => checker.weak_fairness(class),
                Strength::Strong => checker.strong_fairness(class),
            };
        }
        let Some(property) = properties.iter().next() else {
            return Err(Error::Options("the property was not read".to_owned()));
        };
        let crate::properties::PropertyKind::Formula(formula) = property.kind else {
            return Err(Error::Options("the property is no formula".to_owned()));
        };
        let mut last = None;
        checker.check_all(&properties, |report| {
            last = Some(report);
            std::ops::ControlFlow::Continue(())
        })?;
        let report = last.ok_or_else(|| Error::Options("nothing was checked".to_owned()))?;
        Ok(in_terms_of(&program, report, formula))
    }

    /// Counts the reachable states, or their representatives, with one thread.
    pub fn count_states(&self) -> Result<StateSpace, Error> {
        let Compiled {
            loaded, quotient, ..
        } = self.compiled(None)?;
        let system = quotient
            .as_ref()
            .map_or(&loaded.system, |quotient| &quotient.system);
        let bytes = self.memory.unwrap_or_else(crate::limits::default_memory);
        let mut budget = Budget::bytes(bytes);
        if let Some(cancel) = &self.cancel {
            budget = budget.with_cancel(cancel.clone());
        }
        if let Some(timeout) = self.timeout {
            budget = budget.with_deadline(timeout);
        }
        let options = CountOptions {
            method: CountingMethod::Explicit,
            ..CountOptions::default()
        };
        Ok(count_states(system, &options, RunContext::quiet(&budget)))
    }

    fn searches_alone(&self) -> bool {
        let is_strong = |(strength, ..): &(Strength, _, _)| *strength == Strength::Strong;
        let is_sequential = matches!(self.engine, EngineId::Ta | EngineId::Tgta | EngineId::Walk);
        is_sequential || self.fairness.iter().any(is_strong)
    }

    /// The program as a system for a formula: only atoms that occur in its text are evaluated.
    fn compiled(&self, formula: Option<&str>) -> Result<Compiled<M>, Error> {
        self.check_names()?;
        let is_used = |name: &str| formula.is_some_and(|formula| formula.contains(name));
        let atoms = { self.atoms.iter() }.filter(|(name, _)| is_used(name));
        let labels = { self.actions.iter() }.filter(|(name, _)| is_used(name));
        let classes = { self.fairness.iter() }.filter(|_| formula.is_some());
        let classes = classes.map(|(_, name, holds)| (name.clone(), Arc::clone(holds)));
        let labels: Vec<_> = labels.cloned().chain(classes).collect();
        if labels.len() > MOST_LABELS {
            return Err(Error::Options(format!(
                "the formula and the assumptions use {} atoms on actions and classes of actions; at most {MOST_LABELS} are supported",
                labels.len()
            )));
        }
        let program = |canonical, states| Program {
            model: Arc::clone(&self.model),
            atoms: atoms.clone().cloned().collect(),
            labels: labels.clone(),
            boundary: self.boundary.clone(),
            states,
            canonical,
            compared: AtomicU32::new(0),
            buffers: Mutex::default(),
        };
        let first = self.model.initial().into_iter().next();
        let packs = first.is_some_and(|state| self.model.pack(&state, &mut Vec::new()));
        let states = Arc::new(match packs {
            true => States::Packed(PackedStore::new()),
            false => States::Whole(StateStore::new()),
        });
        let plain = Arc::new(program(None, Arc::clone(&states)));
        let system = system_of(&self.name, &plain)?;
        let quotient = match &self.canonical {
            Some(_) if !self.fairness.is_empty() => {
                return Err(Error::Options(
                    "fairness distinguishes symmetric actions, so it excludes symmetry".to_owned(),
                ));
            }
            Some(canonical) => Some(Quotient {
                system: system_of(
                    &self.name,
                    &Arc::new(program(Some(Arc::clone(canonical)), states)),
                )?,
                lift: Arc::new(Unfold {
                    program: Arc::clone(&plain),
                    canonical: Arc::clone(canonical),
                }),
            }),
            None => None,
        };
        let mut loaded = LoadedModel::new(ModelFormat::Etf, system);
        for (i, (name, _)) in plain.atoms.iter().enumerate() {
            let holds = Predicate::compare(VarId(i as u32 + 1), Comparison::Ge, 1);
            loaded.define(name.clone(), Definition::Truth(holds));
        }
        for (i, (name, _)) in plain.labels.iter().enumerate() {
            let all = (0..1u32 << plain.labels.len()).filter(|event| event >> i & 1 == 1);
            loaded.define(name.clone(), Definition::Events(all.map(EventId).collect()));
        }
        Ok(Compiled {
            program: plain,
            loaded,
            quotient,
        })
    }

    /// Refuses names that are not unique, or that formulas give another meaning.
    fn check_names(&self) -> Result<(), Error> {
        let atoms = self.atoms.iter().map(|(name, _)| name);
        let actions = self.actions.iter().map(|(name, _)| name);
        let classes = self.fairness.iter().map(|(_, name, _)| name);
        let mut names: Vec<&String> = atoms.chain(actions).chain(classes).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        let reserved = |name: &&&String| {
            name.trim().is_empty() || name.contains('"') || RESERVED.contains(&name.trim())
        };
        let wrong = match (twice, names.iter().find(reserved)) {
            (Some(pair), _) => format!("two atoms or classes are called `{}`", pair[0]),
            (None, Some(name)) => format!("`{name}` cannot be the name of an atom"),
            (None, None) => return Ok(()),
        };
        Err(InputError::new("model", wrong).into())
    }
}

/// The system of a program. Its initial states are numbered.
fn system_of<M: Model>(name: &str, program: &Arc<Program<M>>) -> Result<System, Error> {
    let mut initial: Vec<State> = Vec::new();
    for state in program.model.initial() {
        let number = program.number(state).map_err(Error::Limit)?;
        let Some(number) = number else {
            let what = "an initial state is beyond the boundary";
            return Err(Error::Options(what.to_owned()));
        };
        let mut values: Vec<Value> = Vec::new();
        program.values(number, &mut values);
        let state = State::from(values);
        if !initial.contains(&state) {
            initial.push(state);
        }
    }
    let number = Variable {
        name: "(state)".to_owned(),
        domain: Domain::Count {
            bound: Some(u32::MAX.into()),
        },
    };
    let atoms = program.atoms.iter().map(|(name, _)| Variable {
        name: format!("{}{name})", System::SHOWN_ATOM),
        domain: Domain::Count { bound: Some(1) },
    });
    let event = |class: u32| Event {
        name: format!("(class {class})"),
        action: Action::Table {
            vars: Vec::new(),
            rows: Vec::new(),
        },
    };
    Ok(System {
        name: name.to_owned(),
        variables: std::iter::once(number).chain(atoms).collect(),
        events: (0..1 << program.labels.len()).map(event).collect(),
        initial,
        source: Some(SourceRef(Arc::clone(program) as Arc<dyn Source>)),
        ..System::default()
    })
}

/// The report with the run in terms of the program, which is called once more for every step.
fn in_terms_of<M: Model>(
    program: &Program<M>,
    mut report: crate::Report,
    formula: lariat_ltl::Formula,
) -> Report<M> {
    let vocabulary = Arc::clone(&report.vocabulary);
    let found = report.run.take();
    let system = &vocabulary.model.system;
    let lasso = match (&found, system.initial.first()) {
        (Some(trace), _) => trace.lasso().clone(),
        (None, Some(initial)) => Lasso::standing(initial.clone()),
        (None, None) => {
            return Report {
                report,
                trace: None,
                formula,
            };
        }
    };
    let ConcreteRun { steps, end } = match concrete(program, &lasso) {
        Ok(run) => run,
        Err(why) => {
            let reason = Reason::Internal(why);
            report.decision.verdict = EarnedVerdict::Unknown(reason.clone());
            report.verdict = Verdict::Unknown(reason);
            return Report {
                report,
                trace: None,
                formula,
            };
        }
    };
    let run = ConcreteRun { steps, end };
    let shown = shown(program, system, &vocabulary.properties, &lasso, &run);
    let mut properties = vocabulary.properties.clone();
    properties.propositions = shown.propositions;
    let model = Arc::new(shown.model);
    report.vocabulary = Arc::new(ReportVocabulary::new(
        &vocabulary.model_name,
        &model,
        properties,
    ));
    let trace = found.map(|found| crate::Trace {
        vocabulary: Arc::clone(&report.vocabulary),
        lasso: Arc::new(shown.run),
        ..found
    });
    report.run.clone_from(&trace);
    if let (Verdict::Violated(_), Some(trace)) = (&report.verdict, &trace) {
        report.verdict = Verdict::Violated(trace.clone());
    }
    let steps = run
        .steps
        .into_iter()
        .map(|(step, _): (TraceStep<M>, _)| step);
    let trace = trace.map(|shown| Trace {
        steps: steps.collect(),
        end: run.end,
        kind: lasso.kind(),
        prefix: lasso.prefix.len(),
        bad: shown.bad,
        shown,
    });
    Report {
        report,
        trace,
        formula,
    }
}
