//! Random formulas over atoms of a model.
//!
//! Draw `k` for a model is a function of the seed, the model's name, the group and `k` alone. It
//! does not depend on other models, on earlier draws or on the machine.

use crate::file::{AtomKind, RandomSection};
use crate::id::Hash;
use lariat::internals::automata::{LegalLetters, stutter_invariant};
use lariat::internals::formats::ModelFormat;
use lariat::internals::ir::{Names, PropertyList};
use lariat::internals::ltl::{
    AtomId, Formula, Formulas, OperatorWeights, Random, Syntax, classes, print, random_formula,
    simplify,
};
use lariat::internals::{Budget, System};

/// Limit on the work of a test for stutter invariance.
const MOST_STUTTER_WORK: u64 = 200_000;

/// Attempts to draw the atoms of a formula; some names cannot be written in a formula.
const TRIES: usize = 50;

/// Draws formulas for one model.
pub(crate) struct Draws<'a> {
    wanted: &'a RandomSection,
    names: &'a Names<'a>,
    format: ModelFormat,
    seed: u64,
}

impl<'a> Draws<'a> {
    pub(crate) fn new(
        wanted: &'a RandomSection,
        group: &str,
        model: &str,
        format: ModelFormat,
        names: &'a Names<'a>,
    ) -> Draws<'a> {
        let seed = Hash::new()
            .with(wanted.seed.to_le_bytes())
            .with(model)
            .with(group)
            .seed();
        Draws {
            wanted,
            names,
            format,
            seed,
        }
    }

    /// Returns draw `k` as text, or `None` if it does not have the requested form.
    pub(crate) fn draw(&self, k: usize) -> Option<String> {
        let wanted = self.wanted;
        let mut random = Random::new(self.seed ^ Hash::new().with(k.to_string()).seed());
        let mut properties = PropertyList::new();
        let atoms = self.atoms(&mut properties, &mut random)?;
        let formulas = &mut properties.formulas;
        let weights = if wanted.next {
            OperatorWeights::ALL
        } else {
            OperatorWeights::X_FREE
        };
        let size = random.between(*wanted.size.0.start(), *wanted.size.0.end());
        let mut formula = random_formula(formulas, &atoms, size, &weights, &mut random);
        if is_trivial(formulas, formula) {
            return None;
        }
        if wanted.next && !wanted.stutter_invariant && classes(formulas, formula).x_free {
            return None;
        }
        if let Some(fairness) = &wanted.fairness {
            let count = random.between(*fairness.0.start(), *fairness.0.end());
            formula = fair(formulas, &atoms[..count.min(atoms.len())], formula);
            if is_trivial(formulas, formula) {
                return None;
            }
        }
        if wanted.stutter_invariant {
            let budget = Budget::bytes(1 << 28).with_work(MOST_STUTTER_WORK);
            // Over all letters, including those that occur in no run: the stronger requirement.
            match stutter_invariant(formulas, formula, &LegalLetters::any(), &budget) {
                Ok(true) => {}
                _ => return None,
            }
        }
        Some(print(formulas, formula, Syntax::Full))
    }

    /// Draws different atoms, as many as requested if the model has that many.
    fn atoms(&self, properties: &mut PropertyList, random: &mut Random) -> Option<Vec<AtomId>> {
        let mut atoms = Vec::new();
        for _ in 0..TRIES {
            if atoms.len() == self.wanted.propositions {
                break;
            }
            let kind = *random.pick(&self.wanted.atoms)?;
            let Some(text) = self.atom(kind, random) else {
                continue;
            };
            match properties.add_atom(self.names, &text) {
                Ok(atom) if !atoms.contains(&atom) => atoms.push(atom),
                _ => {}
            }
        }
        (!atoms.is_empty()).then_some(atoms)
    }

    fn atom(&self, kind: AtomKind, random: &mut Random) -> Option<String> {
        let system: &System = self.names.system();
        let place = |random: &mut Random| {
            let name = &random.pick(&system.variables)?.name;
            Some(match self.format {
                ModelFormat::Pnml => format!("tokens({name})"),
                _ => name.clone(),
            })
        };
        Some(match kind {
            AtomKind::Marked => format!("{} >= 1", place(random)?),
            AtomKind::Compare => {
                let left = place(random)?;
                let constant = random.between(1, 3);
                match random.below(3) {
                    0 => format!("{left} >= {constant}"),
                    1 => format!("{left} <= {constant}"),
                    _ => format!("{left} >= {}", place(random)?),
                }
            }
            AtomKind::Fireable => format!("fireable({})", random.pick(&system.events)?.name),
            AtomKind::Fires => format!("fires({})", random.pick(&system.events)?.name),
        })
    }
}

/// Returns whether simplification shows that the formula is constant.
fn is_trivial(formulas: &mut Formulas, formula: Formula) -> bool {
    let simple = simplify(formulas, formula);
    simple == Formulas::TRUE || simple == Formulas::FALSE
}

/// Returns `(GF p1 & …) -> φ`.
fn fair(formulas: &mut Formulas, atoms: &[AtomId], formula: Formula) -> Formula {
    let mut often = Vec::new();
    for atom in atoms {
        let p = formulas.atom(*atom);
        let p = formulas.finally(p);
        often.push(formulas.globally(p));
    }
    let often = formulas.and(often);
    formulas.implies(often, formula)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::SizeRange;
    use lariat::internals::ir::generate::{Family, generate};

    fn wanted() -> RandomSection {
        RandomSection {
            seed: 7,
            number: 3,
            size: SizeRange(5..=9),
            propositions: 3,
            atoms: vec![
                AtomKind::Marked,
                AtomKind::Compare,
                AtomKind::Fireable,
                AtomKind::Fires,
            ],
            next: false,
            stutter_invariant: false,
            fairness: None,
            filter: None,
        }
    }

    fn draws(wanted: &RandomSection) -> Vec<String> {
        let system = generate(Family::Kanban, 2).unwrap();
        let names = Names::of(&system);
        let draws = Draws::new(wanted, "g", "kanban-2", ModelFormat::Pnml, &names);
        let texts: Vec<String> = (0..60).filter_map(|k| draws.draw(k)).collect();
        // A job parses the text of a draw to the same formula.
        for text in &texts {
            let mut properties = PropertyList::new();
            properties
                .add_formula(&names, "formula", None, text)
                .unwrap();
            // Operands of `&` may be reordered.
            assert_eq!(properties.list[0].text.len(), text.len());
        }
        texts
    }

    #[test]
    fn draws_are_pinned_and_read_back() {
        let texts = draws(&wanted());
        assert!(texts.len() > 20, "{texts:?}");
        // If this text changes, every random campaign becomes a different experiment.
        assert_eq!(
            texts[0],
            "((fireable(finish_4) R redo_4) & G(F(redo_4 & fireable(finish_4))))"
        );
        assert!(texts.iter().any(|text| text.contains("fires(")));
        assert!(texts.iter().any(|text| text.contains("fireable(")));
        let other = RandomSection {
            seed: 8,
            ..wanted()
        };
        assert_ne!(draws(&other), texts);
    }

    #[test]
    fn shapes() {
        let next = RandomSection {
            next: true,
            ..wanted()
        };
        assert!(draws(&next).iter().all(|text| text.contains('X')));
        let fair = RandomSection {
            fairness: Some(SizeRange(2..=3)),
            ..wanted()
        };
        let texts = draws(&fair);
        assert!(!texts.is_empty());
        assert!(
            texts.iter().all(|text| text.starts_with("((G(F(")),
            "{texts:?}"
        );
        let invariant = RandomSection {
            next: true,
            stutter_invariant: true,
            ..wanted()
        };
        assert!(!draws(&invariant).is_empty());
    }
}
