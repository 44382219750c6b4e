//! Interface by which the parser resolves names.

/// An atom as written in the text of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RawAtom<'a> {
    /// A bare word: `p`, `Fork_1`, `deadlock`.
    Word(&'a str),
    /// Text between quotes, without the quotes and with `\"` resolved: `P-start >= 1`.
    Quoted(&'a str),
    /// A word with arguments in parentheses, the arguments as text: `fires(t)` is
    /// `Call("fires", "t")`.
    Call(&'a str, &'a str),
}

/// Reason why an atom cannot be resolved, as a message for users.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtomError {
    /// Description of the error: ``no place or transition is called `ork_1` ``.
    pub message: String,
    /// Suggested correction: ``did you mean `Fork_1`?``
    pub help: Option<String>,
    /// Byte range of the error in the atom's text (the word, the text between the quotes, or the
    /// arguments of a call); the whole text if `None`.
    pub span: Option<std::ops::Range<usize>>,
}

impl AtomError {
    /// An error about the whole text, without a correction.
    pub fn new(message: impl Into<String>) -> AtomError {
        AtomError {
            message: message.into(),
            help: None,
            span: None,
        }
    }

    /// Adds a correction to the error.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> AtomError {
        self.help = Some(help.into());
        self
    }

    /// Restricts the error to a part of the text.
    #[must_use]
    pub fn at(mut self, span: std::ops::Range<usize>) -> AtomError {
        self.span = Some(span);
        self
    }
}

/// The names of a model.
pub trait Vocabulary {
    /// Returns whether this word is a name (and so not a sequence of operators such as `GFa`).
    fn is_name(&self, word: &str) -> bool;

    /// Returns whether the model declares this word. A declared word is never split where it is not
    /// allowed: `a Ub` is an error if there is a place `Ub`, and `a U b` otherwise.
    fn is_declared(&self, word: &str) -> bool {
        self.is_name(word)
    }

    /// Returns whether `word(…)` forms an atom that includes the parentheses.
    fn is_function(&self, word: &str) -> bool;

    /// The canonical spelling of an atom, which serves as its identity. Read again between quotes,
    /// it must have the same meaning.
    fn resolve(&mut self, atom: RawAtom<'_>) -> Result<String, AtomError>;
}

/// The vocabulary of formulas without a model: every name is an atom, and `GFa` is `G F a`.
///
/// Words follow Spot's rules: a name starts with a letter, `_` or `.`, and with `F`, `G` or `X`
/// only if a digit follows. Between quotes, any text is a name.
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
            RawAtom::Word(word) if !self.is_name(word) => {
                let error = AtomError::new(format!("`{word}` is not a name"));
                Err(error.help(format!("put it in quotes: \"{word}\"")))
            }
            RawAtom::Word(word) | RawAtom::Quoted(word) => Ok(word.to_owned()),
            RawAtom::Call(word, arguments) => Ok(format!("{word}({arguments})")),
        }
    }
}

/// Returns whether an atom of this name needs no quotes where a formula is expected.
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
