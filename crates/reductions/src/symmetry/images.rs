//! Images of propositions under permutations.
//!
//! The image of an atom refers to the images of its variables and events. An expression, which nets
//! do not have, has an image only if all its variables are fixed.

use super::Symmetry;
use lariat_model::{EventId, Linear, Predicate, Proposition};

impl Symmetry<'_> {
    /// The proposition that is true of `g·m` and `g·e` iff this one is true of `m` and `e`; `None`
    /// if there is none of this kind.
    pub fn image_of_proposition(&self, of: &Proposition, to: &[u32]) -> Option<Proposition> {
        Some(match of {
            Proposition::State(predicate) => {
                Proposition::State(self.image_of_predicate(predicate, to)?)
            }
            Proposition::Fires(events) => Proposition::Fires(self.images_of_events(events, to)?),
        })
    }

    fn images_of_events(&self, events: &[EventId], to: &[u32]) -> Option<Vec<EventId>> {
        let images = events.iter().map(|event| self.image_of_event(*event, to));
        let mut images = images.collect::<Option<Vec<EventId>>>()?;
        if !images.is_sorted() {
            images.sort_unstable();
        }
        Some(images)
    }

    fn image_of_predicate(&self, of: &Predicate, to: &[u32]) -> Option<Predicate> {
        let all = |parts: &[Predicate]| -> Option<Vec<Predicate>> {
            let images = parts.iter().map(|part| self.image_of_predicate(part, to));
            images.collect()
        };
        Some(match of {
            Predicate::Const(_) | Predicate::Deadlock => of.clone(),
            Predicate::Linear(linear) => {
                let image = |(var, c): &(_, _)| self.image_of_var(*var, to).map(|var| (var, *c));
                let mut terms = linear.terms.iter().map(image).collect::<Option<Vec<_>>>()?;
                terms.sort_unstable();
                Predicate::Linear(Linear {
                    terms,
                    ..linear.clone()
                })
            }
            Predicate::Expr(expr) => {
                let mut vars = Vec::new();
                expr.collect_vars(&mut vars);
                let stays = |var| self.image_of_var(var, to) == Some(var);
                vars.into_iter().all(stays).then(|| of.clone())?
            }
            Predicate::Enabled(events) => Predicate::Enabled(self.images_of_events(events, to)?),
            Predicate::Not(inner) => Predicate::Not(Box::new(self.image_of_predicate(inner, to)?)),
            Predicate::And(parts) => Predicate::And(all(parts)?),
            Predicate::Or(parts) => Predicate::Or(all(parts)?),
        })
    }
}
