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
    /// The part of the atom's text that is wrong, in bytes of that text (of a word, of what the
    /// quotes contain, of the arguments of a call); the whole if `None`.
    pub span: Option<std::ops::Range<usize>>,
}

/// Knows the names of a model.
pub trait Vocabulary {
    /// Is this word a name (and so not a string of operators such as `GFa`)?
    fn is_name(&self, word: &str) -> bool;

    /// Is this word a name that somebody declared? Such a word is never split where it cannot
    /// stand: `a Ub` is a mistake if there is a place `Ub`, and `a U b` otherwise.
    fn is_declared(&self, word: &str) -> bool {
        self.is_name(word)
    }

    /// Does `word(…)` form an atom? Then the parenthesis belongs to it.
    fn is_function(&self, word: &str) -> bool;

    /// The canonical spelling of an atom, by which it is known from then on. It must mean the same
    /// when it is read again between quotes.
    fn resolve(&mut self, atom: RawAtom<'_>) -> Result<String, AtomError>;
}

/// The vocabulary of formulas without a model: any name is an atom, and `GFa` is `G F a`.
///
/// Words are read as Spot reads them: a name starts with a letter, `_` or `.`, and with `F`, `G` or `X`
/// only if a digit follows. Between quotes, anything is a name.
#[derive(Clone, Copy, Debug, Default)]
pub struct FreeVocabulary;

impl Vocabulary for FreeVocabulary {
    fn is_name(&self, word: &str) -> bool {
        is_plain(word)
    }

    fn is_declared(&self, _: &str) -> bool {
        false
    }

    fn is_function(&self, _: &str) -> bool {
        false
    }

    fn resolve(&mut self, atom: RawAtom<'_>) -> Result<String, AtomError> {
        match atom {
            RawAtom::Word(word) if !self.is_name(word) => Err(AtomError {
                message: format!("`{word}` is not a name"),
                help: Some(format!("put it between quotes: \"{word}\"")),
                span: None,
            }),
            RawAtom::Word(word) | RawAtom::Quoted(word) => Ok(word.to_owned()),
            RawAtom::Call(word, arguments) => Ok(format!("{word}({arguments})")),
        }
    }
}

/// Can an atom of this name be written without quotes wherever a formula is expected?
pub(crate) fn is_plain(word: &str) -> bool {
    let mut chars = word.chars();
    let (first, second) = (chars.next(), chars.next());
    let start = match first {
        Some('F' | 'G' | 'X') => second.is_some_and(|c| c.is_ascii_digit()),
        Some('U' | 'R' | 'V' | 'W' | 'M') => second.is_some(),
        Some(c) => c.is_ascii_alphabetic() || c == '_' || c == '.',
        None => false,
    };
    start
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
        && word != "xor"
        && !word.eq_ignore_ascii_case("true")
        && !word.eq_ignore_ascii_case("false")
}
