//! The properties of one command: formulas whose atoms are bound to the names of a model.
//!
//! Formulas come from the command line, from files with one per line, and from property files of
//! the Model Checking Contest; all share one store, so that equal atoms are one atom regardless of
//! their source.

use lariat_ltl::{AtomError, AtomId, Formula, Formulas, ParseError, RawAtom, Syntax, Vocabulary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::atoms::ParsedAtom;
use crate::error::{Errors, InputError};
use crate::fairness::Fairness;
use crate::finding::Finding;
use crate::names::{Definition, NameKind, Names};
use crate::predicate::{Predicate, Proposition};
use crate::property_file::{assumption, comment, looks_like_ltl_file, read_ltl_file, split_name};
use crate::reachability::{Modality, state_predicate};
use std::borrow::Cow;

/// A formula with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedProperty {
    /// Its name or id; by default its position among all properties, from 1.
    pub name: String,
    /// The formula in the store.
    pub formula: Formula,
    /// The formula as written; of `EF p` and `AG p` the operand.
    pub written: Formula,
    /// The formula with all parentheses and its atoms in canonical spelling.
    pub text: String,
    /// Fairness assumptions of its file.
    pub fairness: Fairness,
    /// The modality, if it was written as `EF p`, `AG p`, `AG EF p` or `EF AG p` (see
    /// [`PropertyList::read_modalities`]). For a [nested](Modality::is_nested) one, `formula` is the
    /// state formula that is reachable from all reachable states iff no run is evidence.
    /// The formula is that of `AG`; for `EF p` it is `G !p`, and the property holds iff the formula
    /// does not.
    pub modality: Option<Modality>,
}

/// Formulas, the meaning of their atoms, and the properties in input order.
#[derive(Clone, Debug, Default)]
pub struct PropertyList {
    /// The store of all formulas.
    pub formulas: Formulas,
    /// The proposition of each atom of the store, by its id.
    pub propositions: Vec<Proposition>,
    /// The properties.
    pub list: Vec<NamedProperty>,
    /// The proposition of each canonical text.
    bound: FxHashMap<String, Proposition>,
    taken: FxHashSet<String>,
    /// The definedness predicates of partial atoms, by their text.
    partial: FxHashMap<String, Predicate>,
    /// True if `EF p` and `AG p` are accepted.
    modalities: bool,
}

impl PropertyList {
    /// Advice for duplicate names.
    pub const OWN_NAME: &str =
        "property names must be unique; an unnamed property is named by its position";

    /// Creates an empty collection.
    pub fn new() -> PropertyList {
        PropertyList::default()
    }

    /// Accepts `EF p` and `AG p` from now on; the caller must evaluate [`NamedProperty::modality`].
    pub fn read_modalities(&mut self) {
        self.modalities = true;
    }

    /// Adds a formula; without a name it is named by its position. `origin` names the text in
    /// errors.
    pub fn add_formula(
        &mut self,
        names: &Names<'_>,
        origin: &str,
        name: Option<&str>,
        text: &str,
    ) -> Result<(), InputError> {
        self.parse(names, name, text)
            .map_err(|error| input_error(origin, text, 0, error))
    }

    /// Adds the formulas of a file, one per line, as `formula` or `name: formula`. A `#` at the
    /// start of a line or after a blank, but not between quotes, starts a comment; for `#define`
    /// and `#property` see [`read_ltl_file`]. A line `fair weak WHAT` or `fair strong WHAT` assumes
    /// fairness for all formulas of the file, see [`Fairness::add`].
    ///
    /// A name consists of letters, digits, `_`, `.` and `-`. No formula starts with such a word and
    /// a colon, so the syntax is unambiguous.
    pub fn add_file(
        &mut self,
        names: &Names<'_>,
        origin: &str,
        bytes: &[u8],
    ) -> Result<(), Errors> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            InputError::at(origin, bytes, at..at + 1, "this is not UTF-8")
                .help("expected a file of formulas in UTF-8")
        })?;
        let first = self.list.len();
        let mut errors = Errors::default();
        let (fairness, rest) = assumptions(names, origin, text, &mut errors);
        let added = if looks_like_ltl_file(bytes) {
            self.add_ltl_file(names, origin, &rest)
        } else {
            self.add_lines(names, origin, &rest)
        };
        for property in &mut self.list[first..] {
            property.fairness = fairness.clone();
        }
        errors.note(added);
        errors.into_result()
    }

    fn add_lines(&mut self, names: &Names<'_>, origin: &str, text: &str) -> Result<(), Errors> {
        let mut errors = Errors::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let content = &line[..comment(line)];
            let (name, formula) = split_name(content);
            if !formula.trim().is_empty() {
                let at = start + content.len() - formula.len();
                let added = self.parse(names, name, formula);
                errors.note(added.map_err(|error| input_error(origin, text, at, error)));
            } else if name.is_some() {
                errors.note(Err::<(), _>(InputError::at(
                    origin,
                    text.as_bytes(),
                    start..start + content.trim_end().len(),
                    "expected a formula after the colon",
                )));
            }
            start += line.len();
        }
        errors.into_result()
    }

    /// Adds the formulas of a property file of a program: definitions of atoms, then formulas over
    /// them. Definitions of names that the model defines are ignored.
    fn add_ltl_file(&mut self, names: &Names<'_>, origin: &str, text: &str) -> Result<(), Errors> {
        let file = read_ltl_file(origin, text.as_bytes())?;
        let mut errors = Errors::default();
        let mut names = names.clone();
        for (name, at) in file.defines {
            if names.defined_truth(&name).is_some() {
                continue;
            }
            let meaning = names.atom(RawAtom::Quoted(&text[at.clone()]));
            let meaning = meaning.map_err(
                |AtomError {
                     message,
                     help,
                     span,
                 }| {
                    let span = span.unwrap_or(0..at.len());
                    let span = span.start + at.start..span.end + at.start;
                    InputError {
                        help,
                        ..InputError::at(origin, text.as_bytes(), span, message)
                    }
                },
            );
            let meaning = match errors.note(meaning) {
                Some((_, Proposition::State(predicate))) => Definition::Truth(predicate),
                Some((_, Proposition::Fires(events))) => Definition::Events(events),
                // Suppresses follow-up errors in the formulas that use the name.
                None => Definition::Truth(Predicate::Const(false)),
            };
            names.define(name, meaning);
        }
        for (name, at) in file.properties {
            let added = self.parse(&names, name.as_deref(), &text[at.clone()]);
            errors.note(added.map_err(|error| input_error(origin, text, at.start, error)));
        }
        errors.into_result()
    }

    /// Binds a single atom, such as a proposition of an automaton, in the syntax of quoted atoms.
    pub fn add_atom(&mut self, names: &Names<'_>, text: &str) -> Result<AtomId, AtomError> {
        let (text, proposition) = names.atom(RawAtom::Quoted(text))?;
        note_partial(&mut self.partial, names, &text, &proposition);
        self.bind(text, proposition)
    }

    /// Binds an atom with a given meaning, such as a guard of a property process.
    pub fn add_predicate(&mut self, text: &str, predicate: Predicate) -> Result<AtomId, AtomError> {
        if let Some(known) = predicate.known() {
            self.partial.insert(text.to_owned(), known);
        }
        self.bind(text.to_owned(), Proposition::State(predicate))
    }

    /// The property that a finding is absent, which is not added to the list. An assertion without
    /// a value fails.
    pub fn add_finding(&mut self, finding: &Finding) -> Result<NamedProperty, String> {
        let truth = Proposition::State(finding.truth());
        let atom = self.atom((finding.atom(), truth))?;
        let holds = match finding.is_claim() {
            true => atom,
            false => self.formulas.not(atom),
        };
        let modality = Some(Modality::All);
        Ok(NamedProperty {
            name: finding.property_name(),
            formula: self.formulas.globally(holds),
            written: holds,
            text: printed(&self.formulas, holds, modality),
            fairness: Fairness::default(),
            modality,
        })
    }

    /// The states in which an atom has a value; `None` if it always has. Elsewhere it evaluates to
    /// false, and no answer may depend on it.
    pub fn known(&self, atom: AtomId) -> Option<&Predicate> {
        self.partial.get(self.formulas.atom_name(atom))
    }

    /// The formula that consists of one atom; an error message if its text already has another
    /// meaning.
    pub fn atom(&mut self, (text, proposition): ParsedAtom) -> Result<Formula, String> {
        let atom = self
            .bind(text, proposition)
            .map_err(|error| error.message)?;
        Ok(self.formulas.atom(atom))
    }

    /// The text of a formula with all parentheses.
    pub fn print(&self, formula: Formula) -> String {
        lariat_ltl::print(&self.formulas, formula, Syntax::Full)
    }

    fn bind(&mut self, text: String, proposition: Proposition) -> Result<AtomId, AtomError> {
        remember(&mut self.bound, text.clone(), proposition)?;
        let atom = self.formulas.atom_id(&text);
        self.keep_propositions();
        Ok(atom)
    }

    fn parse(
        &mut self,
        names: &Names<'_>,
        name: Option<&str>,
        text: &str,
    ) -> Result<(), ParseError> {
        let mut binder = Binder {
            names,
            bound: &mut self.bound,
            partial: &mut self.partial,
        };
        let translated = names.expressions.and_then(|e| e.formula(text)).transpose();
        let translated = translated.map_err(
            |AtomError {
                 message,
                 help,
                 span,
             }| {
                let span = span.unwrap_or(0..text.len());
                let error = ParseError::new(span, message);
                match help {
                    Some(help) => error.help(help),
                    None => error,
                }
            },
        )?;
        let text = translated.as_deref().unwrap_or(text);
        let (modality, path) = if self.modalities {
            modalities(names, text)
        } else {
            (None, Cow::Borrowed(text))
        };
        let parsed = lariat_ltl::parse(&path, &mut self.formulas, &mut binder);
        // Atoms may have entered the store even if parsing fails later.
        self.keep_propositions();
        let inner = parsed?;
        if modality.is_some()
            && state_predicate(&self.formulas, &self.propositions, inner).is_none()
        {
            let message =
                "expected a state formula after EF or AG, without temporal operators and events";
            let help = "`EF p` means that some reachable state satisfies p, `AG p` that all do, `AG EF p` that p stays reachable; other formulas are LTL";
            return Err(ParseError::new(0..text.len(), message).help(help));
        }
        let formula = match modality {
            None | Some(Modality::AllSome) => inner,
            Some(Modality::SomeAll) => self.formulas.not(inner),
            Some(Modality::All) => self.formulas.globally(inner),
            Some(Modality::Some) => {
                let never = self.formulas.not(inner);
                self.formulas.globally(never)
            }
        };
        let name = name.map_or_else(|| (self.list.len() + 1).to_string(), str::to_owned);
        let property = NamedProperty {
            name,
            formula,
            written: inner,
            text: printed(&self.formulas, inner, modality),
            fairness: Fairness::default(),
            modality,
        };
        let added = self.push(property);
        added
            .map_err(|message| ParseError::new(0..text.len(), message).help(PropertyList::OWN_NAME))
    }

    /// Adds a property; an error message if its name is in use.
    pub fn push(&mut self, property: NamedProperty) -> Result<(), String> {
        if !self.taken.insert(property.name.clone()) {
            return Err(format!("a second property is called `{}`", property.name));
        }
        self.list.push(property);
        Ok(())
    }

    fn keep_propositions(&mut self) {
        for id in self.propositions.len()..self.formulas.atom_count() {
            let text = self.formulas.atom_name(AtomId(id as u32));
            // Every atom of the store has been bound.
            self.propositions.push(self.bound[text].clone());
        }
    }
}

/// Resolves atoms for the parser and records the meaning of each canonical text.
struct Binder<'a, 's> {
    names: &'a Names<'s>,
    bound: &'a mut FxHashMap<String, Proposition>,
    partial: &'a mut FxHashMap<String, Predicate>,
}

impl Vocabulary for Binder<'_, '_> {
    fn is_name(&self, word: &str) -> bool {
        // A node may be called `GF` besides its id; the bare word remains two operators.
        let is_operators = word.len() > 1 && word.chars().all(|c| "GFX".contains(c));
        word == "deadlock"
            || self.names.is_id(word, NameKind::Any)
            || (!is_operators && self.names.contains(word))
    }

    fn is_function(&self, word: &str) -> bool {
        self.names.is_function(word)
    }

    fn resolve(&mut self, atom: RawAtom<'_>) -> Result<String, AtomError> {
        let (text, proposition) = self.names.atom(atom)?;
        note_partial(self.partial, self.names, &text, &proposition);
        remember(self.bound, text.clone(), proposition)?;
        Ok(text)
    }
}

/// Records the definedness predicate of a partial atom.
fn note_partial(
    partial: &mut FxHashMap<String, Predicate>,
    names: &Names<'_>,
    text: &str,
    proposition: &Proposition,
) {
    if let Proposition::State(truth) = proposition
        && let Some(known) = names.known(truth)
    {
        partial.insert(text.to_owned(), known);
    }
}

/// Records the unique meaning of a text. Names that contain operators can make a text ambiguous;
/// such an atom is rejected.
fn remember(
    bound: &mut FxHashMap<String, Proposition>,
    text: String,
    proposition: Proposition,
) -> Result<(), AtomError> {
    match bound.get(&text) {
        Some(known) if *known != proposition => {
            let error = "two different atoms of these properties are both spelt";
            Err(AtomError::new(format!("{error} `{text}`"))
                .help("the names of this model contain operators; rename them"))
        }
        Some(_) => Ok(()),
        None => {
            bound.insert(text, proposition);
            Ok(())
        }
    }
}

/// The text of a formula with all parentheses, after its modality.
pub fn printed(formulas: &Formulas, written: Formula, modality: Option<Modality>) -> String {
    let text = lariat_ltl::print(formulas, written, Syntax::Full);
    match modality {
        None => text,
        Some(modality) => format!("{}({text})", modality.name()),
    }
}

fn input_error(origin: &str, text: &str, at: usize, error: ParseError) -> InputError {
    let span = error.span.start + at..error.span.end + at;
    InputError {
        help: error.help,
        ..InputError::at(origin, text.as_bytes(), span, error.message)
    }
}

/// Parses the fairness lines of a file; returns also the text with these lines blanked out.
fn assumptions(
    names: &Names<'_>,
    origin: &str,
    text: &str,
    errors: &mut Errors,
) -> (Fairness, String) {
    let mut fairness = Fairness::default();
    let mut rest = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = &line[..comment(line)];
        let Some((strength, what)) = assumption(content) else {
            rest.push_str(line);
            continue;
        };
        let (start, at) = (rest.len(), rest.len() + content.len() - what.len());
        let added = fairness.add(names, strength, what);
        errors.note(added.map_err(|AtomError { message, help, .. }| {
            let span = at..start + content.trim_end().len();
            InputError {
                help,
                ..InputError::at(origin, text.as_bytes(), span, message)
            }
        }));
        let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
        rest.extend(line.bytes().map(blank));
    }
    (fairness, rest)
}

/// Parses leading modalities, the inner one perhaps in parentheses; returns also the text with them
/// blanked out.
fn modalities<'t>(names: &Names<'_>, text: &'t str) -> (Option<Modality>, Cow<'t, str>) {
    let (outer, mut rest) = modality(names, text);
    let Some(mut found) = outer else {
        return (None, rest);
    };
    loop {
        let opened = without_parentheses(&rest);
        let (inner, behind) = modality(names, opened.as_deref().unwrap_or(&rest));
        let Some(both) = inner.and_then(|inner| found.around(inner)) else {
            return (Some(found), rest);
        };
        (found, rest) = (both, Cow::Owned(behind.into_owned()));
    }
}

/// The text with blanks for a pair of parentheses around all of it.
fn without_parentheses(text: &str) -> Option<String> {
    let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0;
    for c in inside.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return None;
        }
    }
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len() - 1;
    let blank = |(at, c)| if at == start || at == end { ' ' } else { c };
    Some(text.char_indices().map(blank).collect())
}

/// Parses a leading modality; returns also the text with it blanked out. Names of the model take
/// precedence.
fn modality<'t>(names: &Names<'_>, text: &'t str) -> (Option<Modality>, Cow<'t, str>) {
    let start = text.len() - text.trim_start().len();
    for modality in [Modality::Some, Modality::All] {
        let Some((path, state)) = modality.name().split_at_checked(1) else {
            continue;
        };
        let Some(rest) = text[start..].strip_prefix(path) else {
            continue;
        };
        let Some(behind) = rest.trim_start().strip_prefix(state) else {
            continue;
        };
        let is_name = |c: char| c.is_alphanumeric() || "_.".contains(c);
        let word_ends = !behind.starts_with(is_name);
        let is_name = |word| names.is_id(word, NameKind::Any);
        let is_modality = word_ends && !is_name(path) && !is_name(modality.name());
        if is_modality {
            let blanks = " ".repeat(text.len() - behind.len());
            return (Some(modality), Cow::Owned(blanks + behind));
        }
    }
    (None, Cow::Borrowed(text))
}
