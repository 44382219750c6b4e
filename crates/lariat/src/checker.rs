//! The checker: options and session of checks of one model.

use crate::check_parallel::{CachePool, CheckOutput, check_parallel};
use crate::error::Error;
use crate::faults::{CheckStage, Faults, SettledFindings, with_faults};
use crate::limits::default_memory;
use crate::model::Model;
use crate::options::{CheckOptions, EngineChoice};
use crate::phases::PhaseLog;
use crate::plan::Preset;
use crate::properties::{Properties, Property, PropertyKind};
use crate::reduce::ReductionChoice;
use crate::report::{Report, ReportVocabulary};
use crate::shorten::Shortening;
use crate::subject::Subject;
use crate::vacuity::vacuity_questions;
use lariat_budget::{Budget, Cancel, Concurrency, Observer, Quiet, ThreadPool};
use lariat_engines::{EngineId, Workers};
use lariat_ltl::Strengthening;
use lariat_model::{Deadlock, Errors, Fairness, Modality, Strength};
use lariat_reductions::Rules;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// From this number of threads on, several workers search the states of one property together by
/// default. Fewer gain little, because they visit many edges twice.
const MANY_THREADS: usize = 4;

/// Makes the observer of one property.
pub type ObserverFactory<'o> = dyn Fn() -> Box<dyn Observer + 'o> + Sync + 'o;

/// Checks properties of one model.
///
/// Options are set by chained methods. Analyses and reachable states are kept and serve all
/// properties that the checker checks: variable orders, reachable states, structural facts,
/// symmetries.
///
/// ```
/// # let text = b"process Light { state red, green; init red;
/// #              trans red -> green {}, green -> red {}; }
/// #              system async;";
/// let model = lariat::Model::parse("light.dve", text)?;
/// let report = lariat::Checker::new(&model).check("G F Light.green")?;
/// assert_eq!(report.holds(), Some(true));
/// # Ok::<(), lariat::Error>(())
/// ```
pub struct Checker<'m> {
    model: &'m Model,
    pub(crate) options: CheckOptions,
    engine: Option<EngineId>,
    base: Budget,
    cancel: Option<Cancel>,
    pub(crate) timeout: Option<Duration>,
    threads: Threads,
    fairness: Vec<(Strength, String)>,
    pub(crate) cross_checks: bool,
    pub(crate) finds_vacuity: bool,
    observers: Option<&'m ObserverFactory<'m>>,
    caches: CachePool<'m>,
}

/// The number of threads, and whether the user set it.
#[derive(Clone, Copy)]
struct Threads {
    count: NonZeroUsize,
    asked: bool,
}

/// The events of a running check.
#[non_exhaustive]
pub enum CheckEvent {
    /// The check of a property has begun; the log shows its phases while they go on.
    Started {
        /// The name of the property.
        property: String,
        /// The phases of the check.
        phases: PhaseLog,
    },
    /// The check of this property ran out of memory while others held some. It is repeated later.
    Postponed(String),
    /// A verdict is known; its trace may still become shorter, and notes may follow.
    Verdict(Box<Report>),
    /// The final report on a property.
    Report(Box<Report>),
}

/// The parameters of one call of [`Checker::check_all`].
pub(crate) struct Session<'c, 'm> {
    pub options: CheckOptions,
    pub subject: Subject<'m>,
    pub vocabulary: Arc<ReportVocabulary>,
    pub fairness: Fairness,
    pub concurrency: Concurrency,
    pub budget: Budget,
    list: Vec<&'c Property>,
    /// Per property, the stronger formulas that are checked if it holds.
    strengthenings: Vec<Vec<Strengthening>>,
}

/// A property with the stronger formulas that are checked if it holds.
pub(crate) struct CheckTask<'c> {
    pub property: &'c Property,
    pub strengthenings: &'c [Strengthening],
    /// The findings of the model, if a search has evaluated all of them in all states.
    pub settled: Option<&'c Faults>,
}

impl<'m> Checker<'m> {
    /// A checker with default options: engine `auto`, one thread, no time limit, three quarters of
    /// the memory.
    pub fn new(model: &'m Model) -> Checker<'m> {
        Checker {
            model,
            options: CheckOptions::default(),
            engine: None,
            base: Budget::bytes(default_memory()),
            cancel: None,
            timeout: None,
            threads: Threads {
                count: NonZeroUsize::MIN,
                asked: false,
            },
            fairness: Vec::new(),
            cross_checks: false,
            finds_vacuity: true,
            observers: None,
            caches: CachePool::new(model.systems()),
        }
    }

    /// Selects an engine instead of `auto`.
    ///
    /// ```
    /// # let text = b"process Light { state red, green; init red;
    /// #              trans red -> green {}, green -> red {}; }
    /// #              system async;";
    /// # let model = lariat::Model::parse("light.dve", text)?;
    /// use lariat::{Checker, EngineId};
    ///
    /// let report = Checker::new(&model).engine(EngineId::Slap).check("G F Light.green")?;
    /// assert_eq!(report.engine(), EngineId::Slap);
    /// # Ok::<(), lariat::Error>(())
    /// ```
    #[must_use]
    pub fn engine(mut self, engine: EngineId) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Limits the time per property.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Limits the memory of all checks together, in bytes.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.base = Budget::bytes(bytes);
        self
    }

    /// Stops all checks when the switch is pressed, in place of the one of a
    /// [`budget`](Checker::budget).
    ///
    /// ```
    /// # let text = b"process Light { state red, green; init red;
    /// #              trans red -> green {}, green -> red {}; }
    /// #              system async;";
    /// # let model = lariat::Model::parse("light.dve", text)?;
    /// use lariat::{Cancel, Checker, Reason, Stop, Verdict};
    ///
    /// let cancel = Cancel::default();
    /// let checker = Checker::new(&model).cancel(cancel.clone()).memory(1 << 30);
    /// cancel.press(); // usually in a signal handler or another thread
    /// let report = checker.check("G F Light.green")?;
    /// let Verdict::Unknown(reason) = report.verdict() else { panic!("{report}") };
    /// assert_eq!(*reason, Reason::Stopped(Stop::Interrupted));
    /// # Ok::<(), lariat::Error>(())
    /// ```
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Checks on several threads. Verdicts do not depend on their number; one is deterministic.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Threads {
            count: threads,
            asked: true,
        };
        self
    }

    /// Sets the deadlock policy: the last state of a finite run repeats, or the run is ignored.
    ///
    /// ```
    /// use lariat::{Checker, Deadlock, Model};
    ///
    /// let text = b"process Job { state run, done; init run; trans run -> done {}; } system async;";
    /// let model = Model::parse("job.dve", text)?;
    /// let check = |policy| Checker::new(&model).deadlock(policy).check("F G Job.done");
    /// assert_eq!(check(Deadlock::Stutter)?.holds(), Some(true));
    /// // There is no infinite run, so every property holds.
    /// assert_eq!(check(Deadlock::Ignore)?.to_json()["vacuous"], "no infinite run");
    /// # Ok::<(), lariat::Error>(())
    /// ```
    #[must_use]
    pub fn deadlock(mut self, deadlock: Deadlock) -> Self {
        self.options.deadlock = deadlock;
        self
    }

    /// Assumes weak fairness: only runs count on which `what` is not continuously enabled without
    /// being taken. `what` is `all`, an event, or a pattern.
    #[must_use]
    pub fn weak_fairness(mut self, what: &str) -> Self {
        self.fairness.push((Strength::Weak, what.to_owned()));
        self
    }

    /// Assumes strong fairness: only runs count on which `what` is taken infinitely often if it is
    /// enabled infinitely often.
    #[must_use]
    pub fn strong_fairness(mut self, what: &str) -> Self {
        self.fairness.push((Strength::Strong, what.to_owned()));
        self
    }

    /// Switches reductions of the net off, or on for an engine that was selected.
    #[must_use]
    pub fn reductions(mut self, on: bool) -> Self {
        let rules = if on { Rules::all() } else { Rules::NONE };
        self.options.reduce = ReductionChoice::Only(rules);
        self
    }

    /// Insists on a shortest counterexample, within the limits.
    #[must_use]
    pub fn shortest(mut self) -> Self {
        self.options.shortening = Shortening::Insist;
        self
    }

    /// Checks each decided property with a second, unrelated engine. Contradicting verdicts are
    /// reported as an internal error.
    #[must_use]
    pub fn cross_check(mut self, on: bool) -> Self {
        self.cross_checks = on;
        self
    }

    /// Switches the search for irrelevant parts of properties that hold on or off.
    #[must_use]
    pub fn vacuity(mut self, on: bool) -> Self {
        self.finds_vacuity = on;
        self
    }

    /// Reports progress to the observers that `observers` makes, one per property.
    ///
    /// ```
    /// # let text = b"process Light { state red, green; init red;
    /// #              trans red -> green {}, green -> red {}; }
    /// #              system async;";
    /// # let model = lariat::Model::parse("light.dve", text)?;
    /// use lariat::{Checker, Observer, ObserverFactory, Progress, Quiet};
    ///
    /// struct Lines;
    /// impl Observer for Lines {
    ///     fn progress(&self, progress: Progress<'_>) {
    ///         eprintln!("{}: {:?}", progress.phase, progress.figures);
    ///     }
    /// }
    /// let verbose = std::env::args().any(|argument| argument == "--verbose");
    /// let factory: &ObserverFactory<'_> =
    ///     &|| if verbose { Box::new(Lines) } else { Box::new(Quiet) };
    /// Checker::new(&model).observers(factory).check("G F Light.green")?;
    /// # Ok::<(), lariat::Error>(())
    /// ```
    #[must_use]
    pub fn observers(mut self, observers: &'m ObserverFactory<'m>) -> Self {
        self.observers = Some(observers);
        self
    }

    /// Replaces all options of the search.
    #[doc(hidden)]
    #[must_use]
    pub fn options(mut self, options: CheckOptions) -> Self {
        self.options = options;
        self
    }

    /// Replaces the limits of all checks together.
    ///
    /// ```
    /// # let text = b"process Light { state red, green; init red;
    /// #              trans red -> green {}, green -> red {}; }
    /// #              system async;";
    /// # let model = lariat::Model::parse("light.dve", text)?;
    /// use lariat::{Budget, Checker};
    ///
    /// let checker = Checker::new(&model).budget(Budget::bytes(1 << 30));
    /// assert_eq!(checker.check("G F Light.green")?.holds(), Some(true));
    /// # Ok::<(), lariat::Error>(())
    /// ```
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.base = budget;
        self
    }

    /// Uses several threads by default where they save time.
    #[doc(hidden)]
    #[must_use]
    pub fn default_threads(mut self, count: NonZeroUsize) -> Self {
        self.threads = Threads {
            count,
            asked: false,
        };
        self
    }

    /// Checks one formula.
    pub fn check(&self, formula: &str) -> Result<Report, Error> {
        let mut properties = Properties::new(self.model);
        properties.add(formula)?;
        let mut last = None;
        self.check_all(&properties, |report| {
            last = Some(report);
            ControlFlow::Continue(())
        })?;
        last.ok_or_else(|| Error::Options("the property was not checked".to_owned()))
    }

    /// Checks properties, on several threads if there are any, and calls `on_report` on this thread
    /// with each report once it is final. If the callback breaks, no further property is begun.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// # let text = b"process Light { state red, green; init red;
    /// #              trans red -> green {}, green -> red {}; }
    /// #              system async;";
    /// # let model = lariat::Model::parse("light.dve", text)?;
    /// let mut properties = lariat::Properties::new(&model);
    /// properties.add("G F Light.green")?;
    /// properties.add("F G Light.red")?;
    /// let mut holding = Vec::new();
    /// lariat::Checker::new(&model).check_all(&properties, |report| {
    ///     holding.push(report.holds());
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(holding, [Some(true), Some(false)]);
    /// # Ok::<(), lariat::Error>(())
    /// ```
    pub fn check_all(
        &self,
        properties: &Properties<'m>,
        mut on_report: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.check_events(properties, |event| match event {
            CheckEvent::Report(report) => on_report(*report),
            _ => ControlFlow::Continue(()),
        })
    }

    /// Checks properties as [`check_all`](Checker::check_all) does, and also reports each verdict
    /// as soon as it is known, with its trace as found.
    ///
    /// ```
    /// # let text = b"process Light { state red, green; init red;
    /// #              trans red -> green {}, green -> red {}; }
    /// #              system async;";
    /// # let model = lariat::Model::parse("light.dve", text)?;
    /// use lariat::{CheckEvent, Checker, Properties};
    /// use std::ops::ControlFlow;
    ///
    /// let mut properties = Properties::new(&model);
    /// properties.add("F G Light.red")?;
    /// Checker::new(&model).check_events(&properties, |event| {
    ///     match event {
    ///         CheckEvent::Verdict(report) => println!("{}", report.summary()),
    ///         CheckEvent::Report(report) => println!("{report}"),
    ///         _ => {}
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok::<(), lariat::Error>(())
    /// ```
    pub fn check_events(
        &self,
        properties: &Properties<'m>,
        mut on_event: impl FnMut(CheckEvent) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut faults = None;
        let settled = SettledFindings::default();
        let mut due = Vec::new();
        let mut flow = ControlFlow::Continue(());
        // The searches for the other properties may meet findings. A complete search for the first
        // finding settles the others, so these wait for it.
        for stage in CheckStage::ALL {
            let has_met = |kind| { faults.as_ref() }.is_some_and(|f: &Arc<Faults>| f.has_met(kind));
            let are_findings = stage != CheckStage::Asked;
            let list = stage.list(properties, &mut due, has_met);
            if flow.is_break() || are_findings && list.is_empty() {
                break;
            }
            let mut session = self.session(properties, list)?;
            if !are_findings {
                let limits = self.limits();
                let found = Faults::look_for(self.model.loaded(), &limits, self.timeout);
                faults = found.map(Arc::new);
            }
            session.options.claims = faults.as_ref().map_or(Vec::new(), |f| f.open_claims());
            let can_settle = session.options.engine.searches_states();
            let settle = |faults: &Option<_>| settled.learn(faults.as_ref().filter(|_| can_settle));
            settle(&faults);
            let idle = ThreadPool::new(self.threads.count.get());
            session.budget = session.budget.with_thread_pool(&idle);
            let check = |task: &CheckTask<'_>,
                         may_repeat,
                         cache: &mut _,
                         output: &mut CheckOutput<'_, _>| {
                let settled = settled.get();
                let task = CheckTask { settled, ..*task };
                self.check_one(&session, &task, may_repeat, cache, output);
            };
            check_parallel(&session.tasks(), &idle, &self.caches, check, |_, event| {
                let event = with_faults(event, &mut faults);
                settle(&faults);
                flow = on_event(event);
                flow
            });
        }
        Ok(())
    }

    /// Validates the options, and binds everything that the properties in `list` share: either
    /// findings or the others.
    pub(crate) fn session<'c>(
        &self,
        properties: &'c Properties<'m>,
        list: Vec<&'c Property>,
    ) -> Result<Session<'c, 'm>, Error> {
        let mut options = self.options.clone();
        if let Some(engine) = self.engine.filter(|engine| *engine != EngineId::Auto) {
            let preset = Preset::ALL.iter().find(|preset| preset.id == engine);
            let preset = preset.ok_or_else(|| {
                Error::Options(format!("`{engine}` is not an engine that can be selected"))
            })?;
            options.engine = preset.plan().into();
        }
        self.share_workers(&mut options, list.len());
        options.validate().map_err(Error::Options)?;
        let are_findings = list.iter().any(|property| property.finding.is_some());
        let mut fairness = properties.fairness().clone();
        let mut errors = Errors::default();
        for (strength, what) in &self.fairness {
            let more = errors.note(properties.fairness_of(*strength, what));
            fairness = more.iter().fold(fairness, Fairness::and);
        }
        errors.into_result()?;
        if are_findings {
            // A finding in a state that only unfair runs reach is a finding.
            fairness = Fairness::default();
        }
        for property in &list {
            property.validate_fairness(&fairness, &options)?;
        }
        let mut bound = properties.bound().clone();
        let strengthenings = list.iter().map(|property| match &property.kind {
            // A reachable state needs no condition to matter.
            PropertyKind::Formula(formula)
                if self.finds_vacuity
                    && !are_findings
                    && matches!(property.modality, None | Some(Modality::All)) =>
            {
                vacuity_questions(&mut bound.formulas, *formula)
            }
            _ => Vec::new(),
        });
        let strengthenings = strengthenings.collect();
        let loaded = self.model.loaded();
        let threads_each = self.threads_each(list.len());
        Ok(Session {
            subject: Subject::new(loaded, &bound),
            concurrency: self.concurrency(list.len(), &options, threads_each),
            options,
            vocabulary: Arc::new(ReportVocabulary::new(self.model.name(), loaded, bound)),
            fairness,
            budget: self.limits().with_threads(threads_each),
            list,
            strengthenings,
        })
    }

    /// The threads per property, more than one if the user set more threads than properties.
    fn threads_each(&self, properties: usize) -> NonZeroUsize {
        let each = if self.threads.asked {
            self.threads.count.get() / properties.max(1)
        } else {
            1
        };
        NonZeroUsize::new(each).unwrap_or(NonZeroUsize::MIN)
    }

    /// Lets several workers search the states of a single property together, where the engine can.
    fn share_workers(&self, options: &mut CheckOptions, properties: usize) {
        if properties != 1 {
            return;
        }
        let workers = Workers::new(self.threads.count);
        let are_many = self.threads.count.get() >= MANY_THREADS;
        match &mut options.engine {
            EngineChoice::Plan(plan)
                if plan.works_together() && (are_many || self.threads.asked) =>
            {
                *plan = plan.by(workers);
            }
            EngineChoice::Auto(_) if are_many => options.workers = workers,
            _ => {}
        }
    }

    fn concurrency(
        &self,
        properties: usize,
        options: &CheckOptions,
        each: NonZeroUsize,
    ) -> Concurrency {
        match (properties, &options.engine) {
            _ if self.threads.count == NonZeroUsize::MIN => Concurrency::Alone,
            (2.., _) => Concurrency::Questions,
            (_, EngineChoice::Auto(_)) => Concurrency::Helpers,
            _ if each > NonZeroUsize::MIN => Concurrency::Helpers,
            _ => Concurrency::Alone,
        }
    }

    /// The observer of one property.
    pub(crate) fn observer(&self) -> Box<dyn Observer + 'm> {
        match self.observers {
            Some(observers) => observers(),
            None => Box::new(Quiet),
        }
    }

    /// The limits of all checks together.
    pub(crate) fn limits(&self) -> Budget {
        let limits = self.base.clone();
        match &self.cancel {
            Some(cancel) => limits.with_cancel(cancel.clone()),
            None => limits,
        }
    }

    /// The budget of one property.
    pub(crate) fn for_property(&self, budget: &Budget) -> Budget {
        match self.timeout {
            Some(time) => budget.clone().with_deadline(time),
            None => budget.clone(),
        }
    }

    pub(crate) fn caches(&self) -> &CachePool<'m> {
        &self.caches
    }

    pub(crate) fn thread_count(&self) -> NonZeroUsize {
        self.threads.count
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }
}

impl<'c> Session<'c, '_> {
    /// The properties to check.
    pub fn tasks(&self) -> Vec<CheckTask<'_>> {
        let properties = self.list.iter().zip(&self.strengthenings);
        properties
            .map(|(&property, strengthenings)| CheckTask {
                property,
                strengthenings,
                settled: None,
            })
            .collect()
    }
}
