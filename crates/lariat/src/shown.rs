//! A model and its formulas with the names that output for people uses.
//!
//! Ids identify places and transitions everywhere else: in the pipeline, and in JSON.

use lariat_formats::LoadedModel;
use lariat_ltl::Formulas;
use lariat_model::PropertyList;
use std::borrow::Cow;

/// A model with the names of places and transitions in place of their ids, and the store of its
/// formulas with atoms that use them.
#[derive(Clone, Debug)]
pub struct ShownModel {
    /// The model; variables and events have the same positions.
    pub model: LoadedModel,
    /// The formulas; all ids are the same.
    pub formulas: Formulas,
}

impl ShownModel {
    /// Renames the model and the atoms; `None` if output uses ids only.
    pub fn of(model: &LoadedModel, properties: &PropertyList) -> Option<ShownModel> {
        let Cow::Owned(shown) = model.shown() else {
            return None;
        };
        let (ids, names) = (model.names(), shown.names());
        let formulas = properties.formulas.renamed(|atom| {
            let text = properties.formulas.atom_name(atom);
            let proposition = properties.propositions.get(atom.index());
            // A name that a file of formulas defines is not the canonical text of its meaning.
            let spelt = proposition
                .filter(|proposition| ids.spelt(proposition).is_some_and(|spelt| spelt == text))
                .and_then(|proposition| names.spelt(proposition));
            spelt.unwrap_or_else(|| text.to_owned())
        });
        Some(ShownModel {
            model: shown,
            formulas,
        })
    }
}
