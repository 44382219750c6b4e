//! How the parser asks what a name means.

/// An atom as it stands in the text of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RawAtom<'a> {
    /// A bare word: `p`, `Fork_1`, `deadlock`.
    Word(&'a str),
    /// What stands between quotes, the quotes removed and `\"` resolved: `P-start >= 1`.
    Quoted(&'a str),
    /// A word with arguments in parentheses, the arguments as text: `fires(t)` is
    /// `Call("fires", "t")`.
    Call(&'a str, &'a str),
}

/// Why an atom means nothing, for a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtomError {
    /// What is wrong: ``no place or transition is called `ork_1` ``.
    pub message: String,
    /// What may have been meant: ``did you mean `Fork_1`?``
    pub help: Option<String>,
    /// The part of the atom's text that is wrong, in bytes; the whole if `None`.
    pub span: Option<std::ops::Range<usize>>,
}

/// Knows the names of a model.
pub trait Vocabulary {
    /// Is this word a name (and so not a string of operators such as `GFa`)?
    fn is_name(&self, word: &str) -> bool;

    /// Does `word(…)` form an atom? Then the parenthesis belongs to it.
    fn is_function(&self, word: &str) -> bool;

    /// The canonical spelling of an atom, by which it is known from then on.
    fn resolve(&mut self, atom: RawAtom<'_>) -> Result<String, AtomError>;
}
