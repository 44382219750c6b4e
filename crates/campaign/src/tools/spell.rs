//! Formulas in the spelling of other tools.
//!
//! The printer for SPIN spells the operators; its atoms and operators are then replaced word by
//! word. Atoms become comparisons of sums of tokens: enabledness and deadlock are expanded.

use super::FormulaLanguage;
use lariat::internals::System;
use lariat::internals::ir::{
    Action, Comparison, EventId, Predicate, PropertyList, Proposition, VarId,
};
use lariat::internals::ltl::{AtomId, Syntax, classes, print};
use std::collections::HashMap;

/// A formula in the spelling of a tool.
pub(super) struct SpeltFormula {
    /// The formula.
    pub text: String,
    /// Names and definitions of its atoms, for languages with macros.
    pub atoms: Vec<(String, String)>,
}

/// Limit on the length of an atom: deadlock lists every transition.
const LONGEST: usize = 1 << 20;

/// Spells the first property. The error is a phrase that names an unsupported part.
pub(super) fn spell(
    system: &System,
    properties: &PropertyList,
    language: FormulaLanguage,
) -> Result<SpeltFormula, String> {
    let Some(property) = properties.list.first() else {
        return Err("a list without properties".to_owned());
    };
    let formulas = &properties.formulas;
    if language == FormulaLanguage::Spin && !classes(formulas, property.formula).x_free {
        return Err("X, which SPIN usually cannot read".to_owned());
    }
    let text = print(formulas, property.formula, Syntax::Spin);
    let speller = Speller { system, language };
    let mut definitions = HashMap::new();
    let mut atoms = Vec::new();
    for (i, proposition) in properties.propositions.iter().enumerate() {
        let Proposition::State(predicate) = proposition else {
            return Err("atoms about fired transitions".to_owned());
        };
        let comparison = speller.predicate(predicate)?;
        let name = formulas.atom_name(AtomId(i as u32)).to_owned();
        let spelt = match language {
            FormulaLanguage::Spin => format!("atom_{i}"),
            FormulaLanguage::Ltsmin | FormulaLanguage::Smv => comparison.clone(),
            FormulaLanguage::Its => format!("\"{comparison}\""),
        };
        atoms.push((format!("atom_{i}"), comparison));
        definitions.insert(name, spelt);
    }
    Ok(SpeltFormula {
        text: words(&text, |word| {
            definitions
                .get(word)
                .cloned()
                .or_else(|| operator(word, language))
        }),
        atoms,
    })
}

/// Returns the spelling of an operator that differs from SPIN's.
fn operator(word: &str, language: FormulaLanguage) -> Option<String> {
    use FormulaLanguage::{Its, Ltsmin, Smv, Spin};
    let spelt = match (language, word) {
        (Its | Smv, "[]") => "G",
        (Its | Smv, "<>") => "F",
        (Its | Ltsmin, "V") => "R",
        (Smv, "&&") => "&",
        (Smv, "||") => "|",
        (Smv, "true") => "TRUE",
        (Smv, "false") => "FALSE",
        (Spin | Its | Ltsmin | Smv, _) => return None,
    };
    Some(spelt.to_owned())
}

/// Replaces words, quoted texts and operators of a printed formula.
fn words(text: &str, replace: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            // Quoted atoms contain escaped quotes.
            '"' => closing_quote(rest).unwrap_or(rest.len()),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            '[' | '<' | '&' | '|' => rest.find(|c| !"[]<>&|-".contains(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        let plain = word.strip_prefix('"').and_then(|w| w.strip_suffix('"'));
        let found = match plain {
            Some(quoted) => replace(&unescaped(quoted)),
            None => replace(word),
        };
        out.push_str(found.as_deref().unwrap_or(word));
        rest = after;
    }
    out
}

/// Returns the length of the quoted text with which `text` begins.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(i + 1),
            _ => {}
        }
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out
}

struct Speller<'a> {
    system: &'a System,
    language: FormulaLanguage,
}

impl Speller<'_> {
    /// Returns the name of a place.
    fn place(&self, var: usize) -> String {
        match self.language {
            FormulaLanguage::Spin | FormulaLanguage::Smv => format!("p{var}"),
            FormulaLanguage::Ltsmin | FormulaLanguage::Its => {
                self.system.variables[var].name.clone()
            }
        }
    }

    fn predicate(&self, predicate: &Predicate) -> Result<String, String> {
        let (and, or) = match self.language {
            FormulaLanguage::Smv => (" & ", " | "),
            _ => (" && ", " || "),
        };
        let text = match predicate {
            Predicate::Const(value) => match self.language {
                FormulaLanguage::Smv => value.to_string().to_uppercase(),
                _ => value.to_string(),
            },
            Predicate::Linear(linear) => {
                let term = |(var, factor): &(VarId, i64)| {
                    let place = self.place(var.index());
                    match factor {
                        1 => place,
                        factor => format!("{factor} * {place}"),
                    }
                };
                let terms: Vec<String> = linear.terms.iter().map(term).collect();
                let sum = if terms.is_empty() {
                    "0".to_owned()
                } else {
                    terms.join(" + ")
                };
                self.comparison(&sum, linear.comparison, linear.constant)
            }
            Predicate::Enabled(events) => self.any_enabled(events)?,
            Predicate::Deadlock => {
                let events: Vec<EventId> = self.system.event_ids().collect();
                format!("!{}", self.any_enabled(&events)?)
            }
            Predicate::Not(p) => format!("!({})", self.predicate(p)?),
            Predicate::And(ps) => self.joined(ps, and)?,
            Predicate::Or(ps) => self.joined(ps, or)?,
            Predicate::Expr(_) => return Err("expressions".to_owned()),
        };
        if text.len() > LONGEST {
            return Err("an atom that is too long".to_owned());
        }
        Ok(text)
    }

    fn joined(&self, ps: &[Predicate], by: &str) -> Result<String, String> {
        let parts: Result<Vec<String>, String> = ps.iter().map(|p| self.predicate(p)).collect();
        Ok(format!("({})", parts?.join(by)))
    }

    fn comparison(&self, sum: &str, comparison: Comparison, constant: i64) -> String {
        let operator = match comparison {
            Comparison::Eq if self.language == FormulaLanguage::Smv => "=",
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        };
        format!("({sum} {operator} {constant})")
    }

    /// Returns that one of the events is enabled.
    fn any_enabled(&self, events: &[EventId]) -> Result<String, String> {
        let (and, or) = match self.language {
            FormulaLanguage::Smv => (" & ", " | "),
            _ => (" && ", " || "),
        };
        let (always, never) = match self.language {
            FormulaLanguage::Smv => ("TRUE", "FALSE"),
            _ => ("true", "false"),
        };
        let mut parts = Vec::new();
        for event in events {
            let Action::Net(arcs) = &self.system.event(*event).action else {
                return Err("programs".to_owned());
            };
            let needs = arcs.iter().filter(|arc| arc.need > 0);
            let needs: Vec<String> = needs
                .map(|arc| self.comparison(&self.place(arc.var.index()), Comparison::Ge, arc.need))
                .collect();
            parts.push(match needs.len() {
                0 => always.to_owned(),
                _ => format!("({})", needs.join(and)),
            });
        }
        Ok(match parts.len() {
            0 => format!("({never})"),
            _ => format!("({})", parts.join(or)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat::internals::ir::Names;
    use lariat::internals::ir::generate::{Family, generate};

    fn spelt(formula: &str, language: FormulaLanguage) -> String {
        let system = generate(Family::Philosophers, 2).unwrap();
        let mut properties = PropertyList::new();
        let names = Names::of(&system);
        properties.add_formula(&names, "", None, formula).unwrap();
        spell(&system, &properties, language).unwrap().text
    }

    #[test]
    fn every_language_has_its_operators_and_atoms() {
        let formula = r#"G ("Fork_1 + Fork_2 >= 1" -> F Thinking_1) & (Thinking_2 R HasLeft_1)"#;
        let spin = spelt(formula, FormulaLanguage::Spin);
        assert!(
            spin.contains("[]") && spin.contains(" V ") && spin.contains("atom_0"),
            "{spin}"
        );
        let its = spelt(formula, FormulaLanguage::Its);
        assert!(
            its.contains(r#""(Thinking_1 >= 1)""#) && its.contains(" R "),
            "{its}"
        );
        let smv = spelt(formula, FormulaLanguage::Smv);
        assert!(
            smv.contains("G(") && smv.contains(" & ") && smv.contains("(p1 >= 1)"),
            "{smv}"
        );
        let ltsmin = spelt(formula, FormulaLanguage::Ltsmin);
        assert!(
            ltsmin.contains("<>") && ltsmin.contains("(Thinking_1 >= 1)"),
            "{ltsmin}"
        );
    }

    #[test]
    fn quoted_texts_are_words() {
        let twice = |word: &str| (word == "a \"b").then(|| "c".to_owned());
        assert_eq!(words(r#"[]("a \"b" && x)"#, twice), "[](c && x)");
    }
}
