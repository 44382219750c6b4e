//! Counterexamples and witnesses by names.

use crate::fair_run::FairnessEvidence;
use crate::replay::Interpretation;
use crate::report::rows::RunLayout;
use crate::report::{ReportVocabulary, run_json, text};
use lariat_ltl::AtomId;
use lariat_model::{Domain, EventId, EvidenceKind, Lasso, State, System, Value, VarId};
use serde_json::Value as Json;
use std::fmt;
use std::sync::Arc;

/// A run of the model that was replayed: a prefix, then a loop unless the prefix decides.
///
/// `Display` prints one position per row. [`steps`](Trace::steps) iterates over the positions by
/// names.
///
/// ```
/// # let text = b"process Light { state red, green; init red;
/// #              trans red -> green {}, green -> red {}; }
/// #              system async;";
/// # let model = lariat::Model::parse("light.dve", text)?;
/// use lariat::{Checker, Trace, TraceStep};
///
/// let report = Checker::new(&model).check("F G Light.red")?;
/// let trace: &Trace = report.counterexample().expect("the light changes");
/// let events: Vec<_> = trace.steps().map(|step: TraceStep<'_>| step.event()).collect();
/// assert_eq!(events, [Some("Light:red->green"), Some("Light:green->red")]);
/// assert!(trace.steps().all(|step| step.in_loop()));
/// # Ok::<(), lariat::Error>(())
/// ```
#[derive(Clone)]
pub struct Trace {
    pub(crate) vocabulary: Arc<ReportVocabulary>,
    pub(crate) lasso: Arc<Lasso>,
    pub(crate) atoms: Arc<[AtomId]>,
    pub(crate) bad: Option<usize>,
    pub(crate) met: Arc<[(String, FairnessEvidence)]>,
}

/// A position of a [`Trace`]: a state, and the event taken from it.
#[derive(Clone)]
pub struct TraceStep<'t> {
    trace: &'t Trace,
    state: State,
    event: Option<EventId>,
    position: usize,
}

/// A run with names and values: the variables of a program, or the places of a net that are marked
/// somewhere.
pub struct ShownRun<'t> {
    trace: &'t Trace,
    vars: Vec<VarId>,
}

/// A state of a [`ShownRun`].
pub struct ShownState<'t> {
    /// The values of the variables.
    pub values: Vec<Json>,
    /// The event taken from this state, if any.
    pub event: Option<&'t str>,
}

impl<'t> ShownRun<'t> {
    /// The names of the variables.
    pub fn variables(&self) -> impl Iterator<Item = &'t str> {
        let system = &self.trace.vocabulary.shown_model().system;
        self.vars.iter().map(|var| &*system.variable(*var).name)
    }

    /// The states, without the one that closes the loop of a lasso.
    pub fn states(&self) -> impl Iterator<Item = ShownState<'t>> {
        let system = &self.trace.vocabulary.shown_model().system;
        let lasso = &*self.trace.lasso;
        let count = self.trace.len() + usize::from(self.loop_start().is_none());
        let mut run = lasso.cursor();
        (0..count).map(move |_| {
            let event = run.next().and_then(|(_, step)| step.event);
            let state = run.source();
            ShownState {
                values: { self.vars.iter() }
                    .map(|var| run_json::value_json(system, *var, state[var.index()]))
                    .collect(),
                event: event.map(|event| &*system.event(event).name),
            }
        })
    }

    /// The position that follows the last one, if the run is a lasso.
    pub fn loop_start(&self) -> Option<usize> {
        let lasso = &self.trace.lasso;
        (lasso.kind() == EvidenceKind::Lasso).then_some(lasso.prefix.len())
    }
}

impl Trace {
    /// The empty trace of `EF p` where no reachable state satisfies `p`.
    pub(crate) fn unreachable(vocabulary: &Arc<ReportVocabulary>, atoms: &Arc<[AtomId]>) -> Trace {
        let initial = vocabulary.model.system.initial.first().cloned();
        let nothing = Lasso::standing(initial.unwrap_or_default());
        Trace {
            atoms: Arc::clone(atoms),
            ..Trace::of_run(vocabulary, nothing)
        }
    }

    /// A run without a property.
    pub(crate) fn of_run(vocabulary: &Arc<ReportVocabulary>, run: Lasso) -> Trace {
        Trace {
            vocabulary: Arc::clone(vocabulary),
            lasso: Arc::new(run),
            atoms: Arc::default(),
            bad: None,
            met: Arc::default(),
        }
    }

    /// The positions, in order. The state after the last step of the loop equals the state at
    /// [`loop_start`](Trace::loop_start), or covers it in a net that grows.
    pub fn steps(&self) -> impl Iterator<Item = TraceStep<'_>> {
        let mut run = self.lasso.cursor();
        (0..).map_while(move |position| {
            let (state, step) = run.next()?;
            Some(TraceStep {
                trace: self,
                state: state.clone(),
                event: step.event,
                position,
            })
        })
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.lasso.len()
    }

    /// Returns whether the initial state alone is the evidence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position at which the loop begins; `None` if the prefix decides and every continuation
    /// violates the property.
    pub fn loop_start(&self) -> Option<usize> {
        (self.lasso.kind() != EvidenceKind::Prefix).then_some(self.lasso.prefix.len())
    }

    /// The position after which every continuation violates the property, for safety properties.
    pub fn violated_at(&self) -> Option<usize> {
        self.bad
    }

    /// The trace as JSON, as in reports of the command line.
    pub fn to_json(&self) -> Json {
        run_json::lasso_json(self.system(), &self.lasso, self.bad)
    }

    /// The trace as JSON without its steps.
    pub(crate) fn head_json(&self) -> Json {
        run_json::head(self.system(), &self.lasso, self.bad)
    }

    pub(crate) fn system(&self) -> &System {
        &self.vocabulary.model.system
    }

    /// The run with the names and values that text shows.
    #[doc(hidden)]
    pub fn shown(&self) -> ShownRun<'_> {
        let system = &self.vocabulary.shown_model().system;
        let lasso = &*self.lasso;
        let mut is_marked: Vec<bool> = lasso.initial.iter().map(|tokens| *tokens != 0).collect();
        for (var, _) in lasso.steps().flat_map(|step| step.changes()) {
            is_marked[var.index()] = true;
        }
        let is_shown = |var: &VarId| match system.variable(*var).domain {
            _ if system.is_auxiliary(*var) => false,
            Domain::Count { .. } => is_marked[var.index()],
            _ => true,
        };
        ShownRun {
            vars: system.var_ids().filter(is_shown).collect(),
            trace: self,
        }
    }

    /// The run in ids.
    #[doc(hidden)]
    pub fn lasso(&self) -> &Lasso {
        &self.lasso
    }

    /// The meaning of the atoms.
    pub(crate) fn meaning(&self) -> Interpretation<'_> {
        let ReportVocabulary {
            model, properties, ..
        } = &*self.vocabulary;
        Interpretation {
            system: &model.system,
            propositions: &properties.propositions,
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::trace(self, &RunLayout::default()))
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("lasso", &self.lasso)
            .field("violated_at", &self.bad)
            .finish_non_exhaustive()
    }
}

impl<'t> TraceStep<'t> {
    /// The event taken from this state, of a net the id of the transition; `None` if the state is a
    /// deadlock and repeats.
    pub fn event(&self) -> Option<&'t str> {
        let system = &self.trace.vocabulary.model.system;
        self.event.map(|event| &*system.event(event).name)
    }

    /// The variables, of a net the ids of the places, and their values.
    pub fn values(&self) -> impl Iterator<Item = (&'t str, Value)> {
        let system = &self.trace.vocabulary.model.system;
        let all = system.var_ids().zip(self.state.iter().copied());
        let shown = all.filter(|(var, _)| !system.is_auxiliary(*var));
        shown.map(|(var, value)| (&*system.variable(var).name, value))
    }

    /// The value of a variable.
    pub fn value(&self, variable: &str) -> Option<Value> {
        let mut values = self.values();
        values.find_map(|(name, value)| (name == variable).then_some(value))
    }

    /// The atoms of the property, and whether each is true at this position.
    pub fn atoms(&self) -> impl Iterator<Item = (&'t str, bool)> {
        let meaning = self.trace.meaning();
        let formulas = &self.trace.vocabulary.properties.formulas;
        self.trace.atoms.iter().map(move |atom| {
            let truth = meaning.says(*atom, &self.state, self.event);
            (formulas.atom_name(*atom), truth)
        })
    }

    /// Returns whether the step belongs to the loop.
    pub fn in_loop(&self) -> bool {
        { self.trace.loop_start() }.is_some_and(|start| self.position >= start)
    }
}
