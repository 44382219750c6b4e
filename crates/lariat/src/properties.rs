//! Properties of one model: formulas and automata whose atoms are bound to the model's names.

use crate::error::Error;
use crate::model::Model;
use crate::options::{CheckOptions, EngineChoice};
use crate::subject::PropertyForm;
use lariat_automata::{
    Automaton, Guards, Hoa, HoaError, StateId, Transition, hoa_stream, read_hoa,
};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_formats::dve::PropertyAutomaton;
use lariat_formats::mcc;
use lariat_ltl::{AtomError, AtomId, Formula, Formulas};
use lariat_model::{
    Deadlock, Errors, Fairness, Finding, FindingKind, InputError, Modality, NamedProperty, Names,
    PropertyList, Strength,
};
use std::ops::Range;
use std::sync::Arc;

/// The properties of a model, in the order in which they were added.
///
/// Names are resolved when a property is added; unknown names are errors with suggestions.
///
/// ```
/// # let text = b"process Light { state red, green; init red;
/// #              trans red -> green {}, green -> red {}; }
/// #              system async;";
/// # let model = lariat::Model::parse("light.dve", text)?;
/// let mut properties = lariat::Properties::new(&model);
/// properties.add(r#"G (Light.red -> F Light.green)"#)?;
/// properties.add_named("alternates", r#"G F Light.red"#)?;
/// assert!(properties.add("G Light.blue").is_err());
/// let names: Vec<_> = properties.iter().map(|property| property.name()).collect();
/// assert_eq!(names, ["1", "alternates"]);
/// # Ok::<(), lariat::Error>(())
/// ```
pub struct Properties<'m> {
    model: &'m Model,
    names: Names<'m>,
    bound: PropertyList,
    fairness: Fairness,
    list: Vec<Property>,
    /// The properties that the findings of the model are absent.
    findings: Vec<Property>,
    /// The formulas of the store that are in the list, or were deselected.
    taken: usize,
}

/// One property of a model.
///
/// ```
/// # let text = b"process Light { state red, green; init red;
/// #              trans red -> green {}, green -> red {}; }
/// #              system async;";
/// # let model = lariat::Model::parse("light.dve", text)?;
/// use lariat::{Properties, Property};
///
/// let mut properties = Properties::new(&model);
/// properties.add_named("changes", "G F Light.green")?;
/// let property: &Property = properties.iter().next().expect("one was added");
/// assert_eq!((property.name(), property.text()), ("changes", "G(F(Light.green))"));
/// # Ok::<(), lariat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Property {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) kind: PropertyKind,
    /// Its atoms in the order in which they are shown.
    pub(crate) atoms: Vec<AtomId>,
    /// The fairness assumptions of its file.
    pub(crate) fairness: Fairness,
    /// Set if it was written as `EF p`, `AG p`, `AG EF p` or `EF AG p`.
    pub(crate) modality: Option<Modality>,
    /// The formula as written, without its modality; `None` for an automaton.
    pub(crate) written: Option<Formula>,
    /// The finding that is absent if the property holds.
    pub(crate) finding: Option<Arc<Finding>>,
    /// Whether it is checked only if the search for other properties met the finding.
    pub(crate) on_demand: bool,
}

/// A formula, or the automaton of the negated property.
#[derive(Clone, Debug)]
pub(crate) enum PropertyKind {
    Formula(Formula),
    Never(Automaton),
}

impl Property {
    /// A property of a model that could not be read.
    pub(crate) fn unbound(name: &str, text: &str) -> Property {
        Property {
            name: name.to_owned(),
            text: text.to_owned(),
            kind: PropertyKind::Formula(Formulas::TRUE),
            atoms: Vec::new(),
            fairness: Fairness::default(),
            modality: None,
            written: None,
            finding: None,
            on_demand: false,
        }
    }

    /// The name: the one given, or the position among all properties, from 1.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The formula, fully parenthesised, or a sentence about the automaton.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The property in the form that the pipeline works on.
    #[doc(hidden)]
    pub fn form(&self) -> PropertyForm<'_> {
        match &self.kind {
            PropertyKind::Formula(formula) => PropertyForm::Formula(*formula),
            PropertyKind::Never(automaton) => PropertyForm::Never(automaton),
        }
    }

    /// The formula whose parts have values along a run; `None` for automata and nested modalities.
    #[doc(hidden)]
    pub fn formula_along_runs(&self) -> Option<Formula> {
        match self.form() {
            PropertyForm::Formula(formula) if !self.is_nested() => Some(formula),
            _ => None,
        }
    }

    /// Its atoms in the order in which they are shown.
    #[doc(hidden)]
    pub fn atoms(&self) -> &[AtomId] {
        &self.atoms
    }

    /// Returns whether it is `AG EF p` or `EF AG p`, which are no linear-time properties.
    pub(crate) fn is_nested(&self) -> bool {
        self.modality.is_some_and(Modality::is_nested)
    }

    /// Refuses fairness that the engine or the kind of property does not support.
    pub(crate) fn validate_fairness(
        &self,
        assumed: &Fairness,
        options: &CheckOptions,
    ) -> Result<(), Error> {
        let Some(strength) = self.fairness.clone().and(assumed).strength() else {
            return Ok(());
        };
        if self.modality.is_some() {
            return Err(Error::Options(format!(
                "{}: EF and AG are about reachable states, on fair runs or not\n  = help: use F or G with --weak-fair and --strong-fair",
                self.text
            )));
        }
        match &options.engine {
            EngineChoice::Plan(plan) => plan.accepts(strength).map_err(Error::Options),
            EngineChoice::Auto(_) => Ok(()),
        }
    }

    /// The options for this property: reachability does not depend on the deadlock policy.
    pub(crate) fn options(&self, options: &CheckOptions) -> CheckOptions {
        let deadlock = match self.modality {
            Some(_) => Deadlock::Stutter,
            None => options.deadlock,
        };
        CheckOptions {
            deadlock,
            ..options.clone()
        }
    }
}

impl<'m> Properties<'m> {
    /// An empty list of properties of `model`.
    pub fn new(model: &'m Model) -> Properties<'m> {
        let mut bound = PropertyList::new();
        bound.read_modalities();
        Properties {
            model,
            names: model.loaded().names(),
            bound,
            fairness: Fairness::default(),
            list: Vec::new(),
            findings: Vec::new(),
            taken: 0,
        }
    }

    /// Adds a formula of linear temporal logic, or `EF p`, `AG p`, `AG EF p` or `EF AG p` for a state
    /// predicate `p`.
    pub fn add(&mut self, formula: &str) -> Result<(), InputError> {
        self.add_text("formula", None, formula)
    }

    /// Adds a formula with a name.
    pub fn add_named(&mut self, name: &str, formula: &str) -> Result<(), InputError> {
        self.add_text("formula", Some(name), formula)
    }

    fn add_text(
        &mut self,
        origin: &str,
        name: Option<&str>,
        formula: &str,
    ) -> Result<(), InputError> {
        let added = self.bound.add_formula(&self.names, origin, name, formula);
        self.take_new();
        added
    }

    /// Adds the formulas that the model contains, such as the `ltl` blocks of Promela.
    #[doc(hidden)]
    pub fn add_model_formulas(&mut self) -> Result<(), InputError> {
        for (name, formula) in &self.model.loaded().formulas {
            self.add_text(self.model.name(), Some(name), formula)?;
        }
        Ok(())
    }

    /// Adds the formulas of a file with one formula per line; `origin` names the file in errors.
    ///
    /// ```
    /// # let text = b"process Light { state red, green; init red;
    /// #              trans red -> green {}, green -> red {}; }
    /// #              system async;";
    /// # let model = lariat::Model::parse("light.dve", text)?;
    /// use lariat::{Errors, InputError, Properties};
    ///
    /// let mut properties = Properties::new(&model);
    /// let errors: Errors = properties
    ///     .add_file("light.ltl", b"changes: G F Light.green\nG Light.blue\n")
    ///     .expect_err("no state is called blue");
    /// let first: &InputError = &errors.list()[0];
    /// assert_eq!(first.origin, "light.ltl");
    /// println!("{errors}"); // with the line, a caret and the nearest names
    /// # Ok::<(), lariat::Error>(())
    /// ```
    pub fn add_file(&mut self, origin: &str, bytes: &[u8]) -> Result<(), Errors> {
        let added = self.bound.add_file(&self.names, origin, bytes);
        self.take_new();
        added
    }

    /// Adds the properties of a file of the Model Checking Contest.
    pub fn add_contest_file(&mut self, origin: &str, bytes: &[u8]) -> Result<(), InputError> {
        let added = mcc::read(&mut self.bound, &self.names, origin, bytes);
        self.take_new();
        added
    }

    /// Adds the automata of *negated* properties, in the HOA format: no run may be accepted by one.
    ///
    /// In a stream of several automata each is a property with the name of the automaton. One
    /// without a name, and a single automaton, are named by their positions.
    pub fn add_automaton(&mut self, origin: &str, bytes: &[u8]) -> Result<(), InputError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            InputError::at(origin, bytes, at..at + 1, "this is not UTF-8")
                .help("expected an automaton in the HOA format")
        })?;
        let parts = hoa_stream(text);
        let is_stream = parts.len() > 1;
        for part in parts {
            let start = part.start;
            let Hoa { name, automaton } = self.hoa(origin, text, part)?;
            let claim = automaton_claim(origin, &name);
            let position = (self.list.len() + 1).to_string();
            let own = if is_stream && !name.is_empty() {
                name
            } else {
                position
            };
            if self.find(&own).is_some() {
                let message = format!("a second property is called `{own}`");
                let error = InputError::at(origin, bytes, start..start + 1, message);
                return Err(error.help(PropertyList::OWN_NAME));
            }
            self.push_automaton(own, claim, automaton);
        }
        Ok(())
    }

    /// Adds the property process of the model, if it has one.
    #[doc(hidden)]
    pub fn add_property_process(&mut self) -> Result<(), Stop> {
        let Some(process) = &self.model.loaded().property else {
            return Ok(());
        };
        let automaton = process_automaton(process, &mut self.bound)?;
        let name = &process.name;
        let text = format!("no run is accepted by the property process {name}");
        let position = (self.list.len() + 1).to_string();
        self.push_automaton(position, text, automaton);
        Ok(())
    }

    /// Assumes fairness for all properties: only runs that are fair to `what` count.
    pub(crate) fn fairness_of(
        &self,
        strength: Strength,
        what: &str,
    ) -> Result<Fairness, InputError> {
        let mut fairness = Fairness::default();
        let added = fairness.add(&self.names, strength, what);
        added.map_err(|error| wrong_fairness(strength, error))?;
        Ok(fairness)
    }

    /// Assumes weak or strong fairness of `what` for all properties.
    #[doc(hidden)]
    pub fn assume(&mut self, strength: Strength, what: &str) -> Result<(), InputError> {
        let added = self.fairness.add(&self.names, strength, what);
        added.map_err(|error| wrong_fairness(strength, error))
    }

    /// Adds a property per finding of the model: no assertion fails, no index, divisor or shift is
    /// out of range, no assigned value exceeds its range.
    ///
    /// They are about reachable states, so that neither fairness nor the deadlock policy matters.
    /// Assertions are always checked. If there are other properties, the error state and overflow
    /// are checked only if the searches for other properties meet them.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// let text = b"process Job { state run, done; init run; assert done: false;
    ///              trans run -> done {}; } system async;";
    /// let model = lariat::Model::parse("job.dve", text)?;
    /// let mut properties = lariat::Properties::new(&model);
    /// properties.add_findings()?;
    /// lariat::Checker::new(&model).check_all(&properties, |report| {
    ///     assert_eq!((report.name(), report.holds()), ("assert Job.done", Some(false)));
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok::<(), lariat::Error>(())
    /// ```
    pub fn add_findings(&mut self) -> Result<(), InputError> {
        let system = self.names.system();
        let findings = system.declared_findings().into_iter();
        for finding in findings.chain(system.overflow_finding()) {
            let wrong = |message: String| {
                InputError::new(self.model.name(), message).help("rename the assertion or state")
            };
            let property = self.bound.add_finding(&finding).map_err(wrong)?;
            let has_name = |known: &Property| known.name == property.name;
            if self.list.iter().any(has_name) {
                let message = format!("a second property is called `{}`", property.name);
                return Err(wrong(message));
            }
            let is_declared =
                matches!(finding.kind, FindingKind::Assertion | FindingKind::EndState);
            self.findings.push(Property {
                on_demand: !is_declared && !self.list.is_empty(),
                finding: Some(Arc::new(finding)),
                ..formula_property(&self.bound.formulas, &property)
            });
        }
        Ok(())
    }

    /// The properties, without those that are checked on demand.
    pub fn iter(&self) -> impl Iterator<Item = &Property> {
        let findings = self.findings.iter().filter(|finding| !finding.on_demand);
        self.list.iter().chain(findings)
    }

    /// The property with this name.
    pub fn find(&self, name: &str) -> Option<&Property> {
        let mut all = self.list.iter().chain(&self.findings);
        all.find(|property| property.name == name)
    }

    /// The number of properties.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns whether there are no properties.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The properties that are no findings.
    pub(crate) fn asked(&self) -> Vec<&Property> {
        self.list.iter().collect()
    }

    /// The findings to check after the other properties, for which these findings were `met`.
    pub(crate) fn due_findings(&self, met: impl Fn(FindingKind) -> bool) -> Vec<&Property> {
        let findings = self.findings.iter();
        findings
            .filter(|property| {
                !property.on_demand || { property.finding.as_ref() }
                    .is_some_and(|finding| met(finding.kind))
            })
            .collect()
    }

    /// Keeps the properties with these names; the error is a name that no property has. Findings
    /// are kept only if they are named.
    pub fn select(&mut self, names: &[String]) -> Result<(), String> {
        if let Some(unknown) = names.iter().find(|name| self.find(name).is_none()) {
            return Err(unknown.clone());
        }
        if !names.is_empty() {
            self.list.retain(|property| names.contains(&property.name));
            self.findings
                .retain(|property| names.contains(&property.name));
            for finding in &mut self.findings {
                finding.on_demand = false;
            }
        }
        Ok(())
    }

    /// The store of the formulas and the meanings of their atoms.
    #[doc(hidden)]
    pub fn bound(&self) -> &PropertyList {
        &self.bound
    }

    /// The fairness assumed for all properties.
    pub(crate) fn fairness(&self) -> &Fairness {
        &self.fairness
    }

    /// Appends the formulas that were added to the store.
    fn take_new(&mut self) {
        for property in &self.bound.list[self.taken..] {
            self.list
                .push(formula_property(&self.bound.formulas, property));
        }
        self.taken = self.bound.list.len();
    }

    fn push_automaton(&mut self, name: String, text: String, automaton: Automaton) {
        self.list.push(Property {
            name,
            text,
            atoms: automaton.atoms.clone(),
            kind: PropertyKind::Never(automaton),
            fairness: Fairness::default(),
            modality: None,
            written: None,
            finding: None,
            on_demand: false,
        });
    }

    /// The automaton in a part of a HOA file, its propositions bound to the model.
    fn hoa(&mut self, origin: &str, text: &str, part: Range<usize>) -> Result<Hoa, InputError> {
        let mut advice = None;
        let (bound, names) = (&mut self.bound, &self.names);
        let mut bind = |proposition: &str| {
            let atom = bound.add_atom(names, proposition);
            atom.map_err(|AtomError { message, help, .. }| {
                advice = help;
                message
            })
        };
        let start = part.start;
        read_hoa(&text[part], &mut bind).map_err(|HoaError { span, message }| {
            let span = span.start + start..span.end + start;
            let error = InputError::at(origin, text.as_bytes(), span, message);
            match advice {
                Some(advice) => error.help(advice),
                None => error,
            }
        })
    }
}

fn formula_property(formulas: &Formulas, property: &NamedProperty) -> Property {
    Property {
        name: property.name.clone(),
        text: property.text.clone(),
        kind: PropertyKind::Formula(property.formula),
        atoms: shown_atoms(formulas, property),
        fairness: property.fairness.clone(),
        modality: property.modality,
        written: Some(property.written),
        finding: None,
        on_demand: false,
    }
}

/// The error of a fairness assumption.
fn wrong_fairness(strength: Strength, error: AtomError) -> InputError {
    let option = format!("--{}-fair", strength.name());
    let wrong = InputError::new(option, error.message);
    match error.help {
        Some(help) => wrong.help(help),
        None => wrong,
    }
}

/// The atoms of a formula in the order in which its text names them.
fn shown_atoms(formulas: &Formulas, property: &NamedProperty) -> Vec<AtomId> {
    let mut atoms = formulas.atoms_of(property.formula);
    atoms.sort_by_key(|atom| property.text.find(formulas.atom_name(*atom)));
    atoms
}

/// The claim of an automaton in a file; `name` is its own, if it has one.
pub fn automaton_claim(origin: &str, name: &str) -> String {
    match name {
        "" => format!("no run is accepted by {origin}"),
        name => format!("no run is accepted by {origin} ({name})"),
    }
}

/// Limit on the different guards that an automaton reads.
const ATOMS: usize = 64;

/// The automaton of the negated property that a property process denotes, its guards bound as
/// atoms.
///
/// The process takes one of its edges with every step of the system; the guard is evaluated in the
/// source of the step, as an automaton reads letters. Acceptance moves from states to edges: an
/// accepting state is visited infinitely often iff edges that leave it are taken infinitely often.
pub fn process_automaton(
    process: &PropertyAutomaton,
    bound: &mut PropertyList,
) -> Result<Automaton, Stop> {
    let mut atoms = Vec::new();
    let mut guards = Guards::new();
    let mut states = vec![Vec::new(); process.states.len()];
    for edge in &process.edges {
        let guard = if edge.text == "true" {
            Guards::TRUE
        } else {
            let atom = bound
                .add_predicate(&edge.text, edge.guard.clone())
                .map_err(|error| Stop::Unsupported(error.message))?;
            let i = atoms.iter().position(|a| *a == atom).unwrap_or_else(|| {
                atoms.push(atom);
                atoms.len() - 1
            });
            if i >= ATOMS {
                let message = format!("the property process has more than {ATOMS} guards");
                return Err(Stop::Unsupported(message));
            }
            guards.atom(i)
        };
        let marks = if process.accepting.contains(&edge.from) {
            Marks::one(0)
        } else {
            Marks::NONE
        };
        states[edge.from].push(Transition {
            guard,
            marks,
            to: StateId(edge.to as u32),
        });
    }
    Ok(Automaton {
        atoms,
        guards,
        mark_count: 1,
        initial: vec![StateId(process.initial as u32)],
        states,
    })
}
