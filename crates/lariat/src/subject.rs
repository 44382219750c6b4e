//! What is checked: the model as the user wrote it, and what passes have made of it.
//!
//! ```text
//! original ──pass──► … ──pass──► system     propositions go forward
//! original ◄──lift── … ◄──lift── lasso      runs come back, and are replayed on the original
//! ```

use crate::fair_run::{Met, met};
use crate::replay::{self, BadBeginning, replay};
use lariat_automata::Automaton;
use lariat_engines::folded;
use lariat_formats::Model;
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::coloured::Coloured;
use lariat_model::{
    Constraint, Deadlock, EvidenceKind, Fairness, Lasso, Predicate, Properties, Proposition,
    System, Value,
};
use lariat_reductions::{Astray, Lift, Pass, UnfoldingLift};
use std::borrow::Cow;
use std::sync::Arc;

/// What is to be checked of a system.
#[derive(Clone, Copy, Debug)]
pub enum Property<'a> {
    /// Every run satisfies the formula.
    Formula(Formula),
    /// No run is accepted: the automaton is that of the *negated* property.
    Never(&'a Automaton),
}

/// A model with the vocabulary of its properties, and the passes that were made on it.
#[derive(Clone, Debug)]
pub struct Subject<'s> {
    /// The system that the properties were bound to.
    original: &'s System,
    /// What the atoms mean in it, by their ids.
    bound: Cow<'s, [Proposition]>,
    /// Where those atoms have values that do not have one in every state.
    valued: Vec<(AtomId, &'s Predicate)>,
    /// The way further back, to the coloured net that it is the unfolding of.
    unfolding: Option<UnfoldingLift<'s>>,
    coloured: Option<&'s Coloured>,
    formulas: Cow<'s, Formulas>,
    passes: Vec<Arc<Pass<'s>>>,
    /// What the atoms mean in the last system.
    propositions: Cow<'s, [Proposition]>,
    /// Which runs count.
    fairness: Arc<Fairness>,
    /// The constraints of fairness, about the last system.
    constraints: Arc<[Constraint]>,
}

impl<'s> Subject<'s> {
    /// A model as it was read, with properties that were bound to it.
    pub fn new(model: &'s Model, properties: &'s Properties) -> Subject<'s> {
        let Properties {
            formulas,
            propositions,
            ..
        } = properties;
        let atoms = (0..formulas.atom_count()).map(|id| AtomId(id as u32));
        let system = &model.system;
        let unfolding = |net| UnfoldingLift { net, system };
        Subject {
            unfolding: model.coloured_net().map(unfolding),
            coloured: model.coloured.as_deref(),
            valued: atoms
                .filter_map(|atom| Some((atom, properties.known(atom)?)))
                .collect(),
            ..Subject::of_system(system, formulas, propositions)
        }
    }

    /// A system that came from nowhere else. `propositions` are what the atoms of the formulas mean, by their ids.
    pub fn of_system(
        system: &'s System,
        formulas: &'s Formulas,
        propositions: &'s [Proposition],
    ) -> Subject<'s> {
        Subject {
            original: system,
            bound: Cow::Borrowed(propositions),
            valued: Vec::new(),
            unfolding: None,
            coloured: None,
            formulas: Cow::Borrowed(formulas),
            passes: Vec::new(),
            propositions: Cow::Borrowed(propositions),
            fairness: Arc::default(),
            constraints: Arc::default(),
        }
    }

    /// The same about fair runs alone; nothing was assumed and no pass made before.
    #[must_use]
    pub fn assuming(self, fairness: Fairness) -> Subject<'s> {
        Subject {
            constraints: fairness.constraints.clone().into(),
            fairness: Arc::new(fairness),
            ..self
        }
    }

    /// What is assumed of runs, in terms of what the user wrote.
    pub fn fairness(&self) -> &Fairness {
        &self.fairness
    }

    /// What is assumed of runs, in terms of [`system`](Subject::system).
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Where a run, as [`replayed`](Subject::replayed) returns it, meets each constraint of [`fairness`](Subject::fairness).
    pub(crate) fn met(&self, lasso: &Lasso) -> Vec<Met> {
        met(self.original, &self.fairness.constraints, lasso).unwrap_or_default()
    }

    /// The same after one more pass on [`system`](Subject::system), for properties with no other atoms than these; `None` if the new
    /// system cannot tell what some of them say.
    pub fn after(&self, pass: Pass<'s>, atoms: &[AtomId]) -> Option<Subject<'s>> {
        // What is not asked for has no meaning any more.
        let unasked = Proposition::State(Predicate::Const(false));
        let mut propositions = vec![unasked; self.propositions.len()];
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
        let propositions = Cow::Owned(propositions);
        passes.push(Arc::new(pass));
        Some(Subject {
            passes,
            propositions,
            constraints: constraints.into(),
            ..self.clone()
        })
    }

    /// The system that engines see: what the last pass has made.
    pub fn system(&self) -> &'s System {
        self.passes.last().map_or(self.original, |pass| pass.system)
    }

    /// The coloured net that [`system`](Subject::system) is the unfolding of, if it is one: symmetries are those of its colours. After
    /// a pass it is none.
    pub fn coloured(&self) -> Option<&'s Coloured> {
        self.coloured.filter(|_| self.passes.is_empty())
    }

    /// What the atoms mean in [`system`](Subject::system), by their ids.
    pub fn propositions(&self) -> &[Proposition] {
        &self.propositions
    }

    /// The store of the formulas.
    pub fn formulas(&self) -> &Formulas {
        &self.formulas
    }

    /// That these atoms have values in all states, fair runs or not, as a formula of a subject that is this one but for the atoms that say
    /// so. `None` if it is certain.
    pub(crate) fn always_valued(&self, atoms: &[AtomId]) -> Option<(Subject<'s>, Formula)> {
        let questioned = self.valued.iter().filter(|(atom, _)| atoms.contains(atom));
        let mut subject = Subject {
            passes: Vec::new(),
            propositions: self.bound.clone(),
            fairness: Arc::default(),
            constraints: Arc::default(),
            ..self.clone()
        };
        let mut all = Vec::new();
        for (atom, valued) in questioned {
            let formulas = subject.formulas.to_mut();
            let mut text = format!("{} has a value", formulas.atom_name(*atom));
            let mut id = formulas.atom_id(&text);
            // A name of the model may be spelt like that.
            while id.index() < subject.bound.len() {
                text.push('!');
                id = formulas.atom_id(&text);
            }
            all.push(formulas.atom(id));
            subject
                .bound
                .to_mut()
                .push(Proposition::State((*valued).clone()));
        }
        if all.is_empty() {
            return None;
        }
        subject.propositions = subject.bound.clone();
        let formulas = subject.formulas.to_mut();
        let all = formulas.and(all);
        let always = formulas.globally(all);
        Some((subject, always))
    }

    /// Why an atom has no value in a state of the original, in words; `None` if it has one.
    pub(crate) fn missing(&self, atom: AtomId, state: &[Value]) -> Option<String> {
        let (_, valued) = self.valued.iter().find(|(partial, _)| *partial == atom)?;
        valued.missing(self.original, state)
    }

    /// The same with another store of formulas over the same atoms.
    pub(crate) fn with_formulas(&self, formulas: Formulas) -> Subject<'s> {
        Subject {
            formulas: Cow::Owned(formulas),
            ..self.clone()
        }
    }

    /// The passes that were made, first to last.
    pub fn passes(&self) -> impl Iterator<Item = &Pass<'s>> {
        self.passes.iter().map(|pass| &**pass)
    }

    /// The run of what the user wrote that a run of [`system`](Subject::system) stands for: back through all passes.
    pub(crate) fn lifted(&self, lasso: Lasso) -> Result<Lasso, Astray> {
        let mut lasso = lasso;
        for pass in self.passes.iter().rev() {
            lasso = pass.lift.back(lasso).map_err(|astray| match astray {
                Astray::Defect(why) => {
                    Astray::Defect(format!("the way back from `{}`: {why}", pass.name))
                }
                astray => astray,
            })?;
        }
        Ok(folded(lasso))
    }

    /// Replays a run on what the user wrote.
    ///
    /// [`Verdict::earn`](crate::Verdict::earn) calls this before anything is called violated.
    pub(crate) fn replayed(
        &self,
        property: Property<'_>,
        deadlock: Deadlock,
        lasso: Lasso,
    ) -> Result<Lasso, String> {
        let property = match property {
            Property::Formula(formula) => replay::Property::Formula(&self.formulas, formula),
            Property::Never(automaton) => replay::Property::Never(automaton),
        };
        replay(self.original, &self.bound, property, deadlock, &lasso)?;
        let is_prefix = lasso.kind() == EvidenceKind::Prefix;
        if is_prefix && !self.fairness.constraints.is_empty() {
            return Err("nothing shows that the run goes on fairly".to_owned());
        }
        met(self.original, &self.fairness.constraints, &lasso)?;
        match self.unfolding {
            Some(unfolding) => unfolding.back(lasso).map_err(|astray| match astray {
                Astray::Unliftable(why) | Astray::Defect(why) => why,
            }),
            None => Ok(lasso),
        }
    }

    /// Has each of these atoms one value at each position of the cycle of `lasso`, a run of the original, in all rounds?
    pub(crate) fn settles(&self, atoms: &[AtomId], lasso: &Lasso) -> bool {
        match &lasso.growth {
            None => true,
            Some(growth) => {
                replay::rounds_are_alike(self.original, &self.bound, atoms, lasso, growth).is_ok()
            }
        }
    }

    /// Is a property, whose formula is of `formulas`, violated by how `lasso`, a run of the original, begins, whatever follows?
    pub(crate) fn decides(
        &self,
        formulas: &Formulas,
        property: Property<'_>,
        lasso: &Lasso,
    ) -> bool {
        let property = match property {
            Property::Formula(formula) => replay::Property::Formula(formulas, formula),
            Property::Never(automaton) => replay::Property::Never(automaton),
        };
        replay::beginning(self.original, &self.bound, property, lasso).is_ok()
    }

    /// The beginning of a run of the original after which every continuation violates the property, if that is seen.
    pub(crate) fn bad_beginning(
        &self,
        property: Property<'_>,
        lasso: &Lasso,
    ) -> Option<BadBeginning> {
        match property {
            Property::Formula(formula) => {
                replay::bad_beginning(self.original, &self.bound, (&self.formulas, formula), lasso)
            }
            Property::Never(_) => None,
        }
    }
}
