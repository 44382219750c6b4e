//! The subject of a check: the model as the user wrote it, and the systems that passes made of it.
//!
//! ```text
//! original ──pass──► … ──pass──► system     propositions are translated forward
//! original ◄──lift── … ◄──lift── lasso      runs are lifted back, and replayed on the original
//! ```

use crate::fair_run::{FairnessEvidence, met};
use crate::replay::{self, BadBeginning, Interpretation, ReplayedProperty, replay};
use lariat_automata::Automaton;
use lariat_budget::Budget;
use lariat_engines::folded;
use lariat_formats::LoadedModel;
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::coloured::{ColourQuotient, Coloured};
use lariat_model::{
    Constraint, Deadlock, EvidenceKind, Fairness, Lasso, Predicate, PropertyList, Proposition,
    ReplayError, System, Value,
};
use lariat_reductions::{Lift, LiftError, PassResult, UnfoldingLift};
use std::sync::Arc;

/// A property in the form that the pipeline works on.
#[derive(Clone, Copy, Debug)]
pub enum PropertyForm<'a> {
    /// Every run satisfies the formula.
    Formula(Formula),
    /// No run is accepted: the automaton is that of the *negated* property.
    Never(&'a Automaton),
}

/// A model with the vocabulary of its properties, and the passes that were applied to it.
#[derive(Clone, Debug)]
pub struct Subject<'s> {
    /// The system that the properties were bound to.
    original: &'s System,
    /// The meaning of the atoms in the original, by id.
    bound: Arc<Vec<Proposition>>,
    /// For atoms that do not have a value in every state: where they have one.
    valued: Arc<[(AtomId, Predicate)]>,
    /// The lift to the coloured net of which the original is the unfolding.
    unfolding: Option<UnfoldingLift<'s>>,
    coloured: Option<&'s Coloured>,
    /// The coloured net of which the original is the quotient.
    quotient: Option<&'s ColourQuotient>,
    formulas: Arc<Formulas>,
    passes: Vec<Arc<PassResult<'s>>>,
    /// The meaning of the atoms in the last system.
    propositions: Arc<Vec<Proposition>>,
    /// The fairness assumptions, about the original.
    fairness: Arc<Fairness>,
    /// The fairness constraints, about the last system.
    constraints: Arc<[Constraint]>,
}

impl<'s> Subject<'s> {
    /// A model as it was read, with properties that were bound to it.
    pub fn new(model: &'s LoadedModel, properties: &PropertyList) -> Subject<'s> {
        let PropertyList {
            formulas,
            propositions,
            ..
        } = properties;
        let atoms = (0..formulas.atom_count()).map(|id| AtomId(id as u32));
        let lift = |net| UnfoldingLift {
            net,
            system: &model.system,
        };
        Subject {
            unfolding: model.coloured_net().map(lift),
            coloured: model.coloured.as_deref(),
            quotient: model.quotient.as_deref(),
            valued: atoms
                .filter_map(|atom| Some((atom, properties.known(atom)?.clone())))
                .collect(),
            ..Subject::of_system(&model.system, formulas, propositions)
        }
    }

    /// A system without a model. `propositions` are the meanings of the formulas' atoms, by id.
    pub fn of_system(
        system: &'s System,
        formulas: &Formulas,
        propositions: &[Proposition],
    ) -> Subject<'s> {
        let propositions = Arc::new(propositions.to_vec());
        Subject {
            original: system,
            bound: Arc::clone(&propositions),
            valued: Arc::default(),
            unfolding: None,
            coloured: None,
            quotient: None,
            formulas: Arc::new(formulas.clone()),
            passes: Vec::new(),
            propositions,
            fairness: Arc::default(),
            constraints: Arc::default(),
        }
    }

    /// Restricts the subject to fair runs. Nothing was assumed before, and no pass was applied.
    #[must_use]
    pub fn assuming(self, fairness: Fairness) -> Subject<'s> {
        Subject {
            constraints: fairness.constraints.clone().into(),
            fairness: Arc::new(fairness),
            ..self
        }
    }

    /// The fairness assumptions, about the original.
    pub fn fairness(&self) -> &Fairness {
        &self.fairness
    }

    /// The fairness constraints, about [`system`](Subject::system).
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Where a run of the original meets each constraint of [`fairness`](Subject::fairness).
    pub(crate) fn met(&self, lasso: &Lasso, budget: &Budget) -> Vec<FairnessEvidence> {
        met(self.original, &self.fairness.constraints, lasso, budget).unwrap_or_default()
    }

    /// The subject after one more pass on [`system`](Subject::system), for properties over `atoms`;
    /// `None` if the new system cannot express some of them.
    pub fn after(&self, pass: PassResult<'s>, atoms: &[AtomId]) -> Option<Subject<'s>> {
        // Other atoms have no meaning in the new system.
        let unused = Proposition::State(Predicate::Const(false));
        let mut propositions = vec![unused; self.propositions.len()];
        for atom in atoms {
            let before = &self.propositions[atom.index()];
            propositions[atom.index()] = pass.lift.forward(before)?;
        }
        let mut constraints = Vec::with_capacity(self.constraints.len());
        for constraint in &*self.constraints {
            let [enabled, taken] = constraint.propositions();
            let now = [pass.lift.forward(&enabled)?, pass.lift.forward(&taken)?];
            constraints.push(constraint.about(now)?);
        }
        let mut passes = self.passes.clone();
        passes.push(Arc::new(pass));
        Some(Subject {
            passes,
            propositions: Arc::new(propositions),
            constraints: constraints.into(),
            ..self.clone()
        })
    }

    /// The system that engines search: the result of the last pass.
    pub fn system(&self) -> &'s System {
        self.passes.last().map_or(self.original, |pass| pass.system)
    }

    /// The coloured net of which [`system`](Subject::system) is the unfolding; `None` after a pass,
    /// which does not preserve the symmetries of colours.
    pub fn coloured(&self) -> Option<&'s Coloured> {
        self.coloured.filter(|_| self.passes.is_empty())
    }

    /// The meaning of the atoms in [`system`](Subject::system), by id.
    pub fn propositions(&self) -> &[Proposition] {
        &self.propositions
    }

    /// The store of the formulas.
    pub fn formulas(&self) -> &Formulas {
        &self.formulas
    }

    /// The formula that these atoms have values in all states, of fair runs or not, and the subject
    /// that it is about: this one with one more atom per partial atom. `None` if all atoms have
    /// values everywhere.
    pub(crate) fn always_valued(&self, atoms: &[AtomId]) -> Option<(Subject<'s>, Formula)> {
        let partial: Vec<_> = { self.valued.iter() }
            .filter(|(atom, _)| atoms.contains(atom))
            .collect();
        if partial.is_empty() {
            return None;
        }
        let mut formulas = Formulas::clone(&self.formulas);
        let mut bound = Vec::clone(&self.bound);
        let mut all = Vec::new();
        for (atom, valued) in partial {
            let mut text = format!("{} has a value", formulas.atom_name(*atom));
            let mut id = formulas.atom_id(&text);
            // The model may have a name that is spelt like that.
            while id.index() < bound.len() {
                text.push('!');
                id = formulas.atom_id(&text);
            }
            all.push(formulas.atom(id));
            bound.push(Proposition::State(valued.clone()));
        }
        let all = formulas.and(all);
        let always = formulas.globally(all);
        let bound = Arc::new(bound);
        let subject = Subject {
            passes: Vec::new(),
            propositions: Arc::clone(&bound),
            bound,
            formulas: Arc::new(formulas),
            fairness: Arc::default(),
            constraints: Arc::default(),
            ..self.clone()
        };
        Some((subject, always))
    }

    /// Why an atom has no value in a state of the original; `None` if it has one.
    pub(crate) fn missing(&self, atom: AtomId, state: &[Value]) -> Option<String> {
        let (_, valued) = self.valued.iter().find(|(partial, _)| *partial == atom)?;
        valued.missing(self.original, state)
    }

    pub(crate) fn with_formulas(&self, formulas: Formulas) -> Subject<'s> {
        Subject {
            formulas: Arc::new(formulas),
            ..self.clone()
        }
    }

    /// The passes that were applied, first to last.
    pub fn passes(&self) -> impl Iterator<Item = &PassResult<'s>> {
        self.passes.iter().map(|pass| &**pass)
    }

    /// Lifts a run of [`system`](Subject::system) to the original, through all passes.
    pub(crate) fn lifted(&self, lasso: Lasso, budget: &Budget) -> Result<Lasso, LiftError> {
        let mut lasso = lasso;
        for pass in self.passes.iter().rev() {
            lasso = pass
                .lift
                .back(lasso, budget)
                .map_err(|astray| match astray {
                    LiftError::Defect(why) => {
                        LiftError::Defect(format!("the lift through `{}`: {why}", pass.name))
                    }
                    astray => astray,
                })?;
        }
        Ok(folded(lasso))
    }

    /// The meaning of atoms in the original.
    fn meaning(&self) -> Interpretation<'_> {
        Interpretation {
            system: self.original,
            propositions: &self.bound,
        }
    }

    /// Replays a run on the model as the user wrote it, and returns it in these terms.
    ///
    /// [`EarnedVerdict::earn`](crate::internals::EarnedVerdict::earn) calls this before a property
    /// is reported as violated.
    pub(crate) fn replayed(
        &self,
        property: PropertyForm<'_>,
        deadlock: Deadlock,
        lasso: Lasso,
        budget: &Budget,
    ) -> Result<Lasso, ReplayError> {
        let property = ReplayedProperty::new(&self.formulas, property);
        replay(self.meaning(), property, deadlock, &lasso, budget)?;
        let is_prefix = lasso.kind() == EvidenceKind::Prefix;
        if is_prefix && !self.fairness.constraints.is_empty() {
            Err("a finite prefix does not show a fair continuation".to_owned())?;
        }
        met(self.original, &self.fairness.constraints, &lasso, budget)?;
        if let Some(quotient) = self.quotient {
            quotient.replay(&lasso, budget)?;
        }
        match self.unfolding {
            Some(unfolding) => unfolding
                .back(lasso, budget)
                .map_err(|astray| match astray {
                    LiftError::Unliftable(why) | LiftError::Defect(why) => ReplayError::Defect(why),
                    LiftError::Stopped(stop) => ReplayError::Stopped(stop),
                }),
            None => Ok(lasso),
        }
    }

    /// Returns whether each atom has one value at each position of the cycle of `lasso`, a run of
    /// the original, in all rounds.
    pub(crate) fn settles(&self, atoms: &[AtomId], lasso: &Lasso) -> bool {
        match &lasso.growth {
            None => true,
            Some(growth) => replay::rounds_are_alike(self.meaning(), atoms, lasso, growth).is_ok(),
        }
    }

    /// Returns whether every continuation of `lasso`, a run of the original, violates the property,
    /// whose formula is in `formulas`.
    pub(crate) fn decides(
        &self,
        formulas: &Formulas,
        property: PropertyForm<'_>,
        lasso: &Lasso,
        budget: &Budget,
    ) -> bool {
        let property = ReplayedProperty::new(formulas, property);
        replay::beginning(self.meaning(), property, lasso, budget).is_ok()
    }

    /// The prefix of a run of the original after which every continuation violates the property, if
    /// progression shows it within the budget.
    pub(crate) fn bad_beginning(
        &self,
        property: PropertyForm<'_>,
        lasso: &Lasso,
        budget: &Budget,
    ) -> Option<BadBeginning> {
        match property {
            PropertyForm::Formula(formula) => {
                let meaning = self.meaning();
                let found = replay::bad_beginning(meaning, &self.formulas, formula, lasso, budget);
                found.unwrap_or_default()
            }
            PropertyForm::Never(_) => None,
        }
    }
}
