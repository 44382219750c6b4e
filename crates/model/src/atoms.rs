//! Atoms of formulas: from their text to a [`Proposition`], and back to one canonical text.
//!
//! ```text
//! atom    := name | deadlock | fires(name, …) | fireable(name, …) | sum ⋈ sum
//! sum     := [-] term { (+ | -) term }
//! term    := [number *] (name | tokens(name, …)) | number
//! ⋈       := < | <= | > | >= | == | = | !=
//! ```
//!
//! Names are taken literally, and they may contain anything: `P-start`, `slot[3]`, `a->b`. Where a
//! name can stand, the *longest* name of the model that the text continues with is meant, provided
//! that it does not end inside of a word; so `a-b` is the place `a-b` if there is one and `a`
//! minus `b` if not, and a blank on each side of the minus does not change that. A text that is a
//! name as a whole is that name. Digits are a number unless a longer name starts with them; a place
//! called `1` can be spelt `tokens(1)`.
//!
//! Two texts that mean the same thing for syntactic reasons — `"p >= 1"`, `"0 < p"`, `p` — have the
//! same canonical text and so are one atom: everything with a variable is brought to the left, `<` and
//! `>` become `<=` and `>=`, common divisors are taken out, the first coefficient is positive.

use std::ops::Range;

use lariat_ltl::{AtomError, RawAtom};

use crate::names::{Names, Sort};
use crate::predicate::{Comparison, Linear, Predicate, Proposition};
use crate::system::{Domain, EventId, Value, VarId};

/// An atom that is understood: its canonical text and what it says.
pub type Atom = (String, Proposition);

const FUNCTIONS: [&str; 3] = ["fires", "fireable", "tokens"];

impl Names<'_> {
    /// Does `word(…)` form an atom?
    pub fn is_function(&self, word: &str) -> bool {
        FUNCTIONS.contains(&word) || (word == "deadlock" && self.contains(word))
    }

    /// What an atom of a formula says, with its canonical text.
    pub fn atom(&self, atom: RawAtom<'_>) -> Result<Atom, AtomError> {
        match atom {
            RawAtom::Word(word) => self.word(word),
            RawAtom::Quoted(text) => self.quoted(text),
            RawAtom::Call(function, arguments) => self.call(function, arguments),
        }
    }

    fn word(&self, word: &str) -> Result<Atom, AtomError> {
        let truth = self.truth(word);
        let events = self.events(word);
        match (truth, events) {
            (Some(_), Some(_)) => Err(AtomError {
                message: format!("`{word}` is both a place and a transition"),
                help: Some(format!(
                    "write \"{word} >= 1\" for the place is marked, fires({word}) for the transition is taken, fireable({word}) for it is enabled"
                )),
                span: None,
            }),
            (Some(_), None) | (None, Some(_)) if word == "deadlock" => Err(AtomError {
                message: "`deadlock` is a name of this model and the word for a dead state".to_owned(),
                help: Some(
                    "write deadlock() for the state, \"tokens(deadlock) >= 1\" for the place, fires(deadlock) for the transition"
                        .to_owned(),
                ),
                span: None,
            }),
            (Some(Predicate::Linear(linear)), None) => Ok(self.linear(linear)),
            (Some(truth), None) => Ok((word.to_owned(), Proposition::State(truth))),
            (None, Some(events)) => Ok(self.fires(events)),
            (None, None) if word == "deadlock" => Ok(self.deadlock()),
            (None, None) => Err(self.unknown(word, Sort::Any, None)),
        }
    }

    fn quoted(&self, text: &str) -> Result<Atom, AtomError> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(wrong(
                "nothing stands between the quotes: expected an atom",
                None,
            ));
        }
        if trimmed == "deadlock" || self.contains(trimmed) {
            return self.word(trimmed);
        }
        let inner = trimmed.strip_suffix(')');
        for function in ["fires", "fireable", "deadlock"] {
            let Some(arguments) = inner
                .and_then(|call| call.strip_prefix(function))
                .and_then(|rest| rest.trim_start().strip_prefix('('))
            else {
                continue;
            };
            // `fires(a) >= fires(b)` also starts and ends like a call; the list will say so.
            return self.call(function, arguments).map_err(|mut error| {
                let at = text.len() - text.trim_start().len() + trimmed.len() - 1 - arguments.len();
                error.span = error.span.map(|s| s.start + at..s.end + at);
                error
            });
        }
        self.comparison(text)
    }

    fn call(&self, function: &str, arguments: &str) -> Result<Atom, AtomError> {
        match function {
            "fires" => Ok(self.fires(self.event_list(arguments)?)),
            "fireable" => {
                let events = self.event_list(arguments)?;
                Ok(self.fireable(events))
            }
            "deadlock" if arguments.trim().is_empty() => Ok(self.deadlock()),
            "tokens" => Err(AtomError {
                message: "a number of tokens must be compared with something".to_owned(),
                help: Some(format!(
                    "put the whole comparison into quotes: \"tokens({}) >= 1\"",
                    arguments.trim()
                )),
                span: None,
            }),
            _ => Err(AtomError {
                message: format!("`{function}` is no function"),
                help: Some("expected fires, fireable or tokens".to_owned()),
                span: None,
            }),
        }
    }

    fn event_list(&self, arguments: &str) -> Result<Vec<EventId>, AtomError> {
        let mut events = Vec::new();
        self.list(arguments, Sort::Event, |name| {
            events.extend(self.events(name).unwrap_or_default());
        })?;
        Ok(events)
    }

    /// Names with commas between them, each as long as it can be.
    fn list(&self, text: &str, sort: Sort, mut each: impl FnMut(&str)) -> Result<(), AtomError> {
        let mut at = 0;
        loop {
            at += blanks(&text[at..]);
            let rest = &text[at..];
            let ends = |rest: &str| {
                let rest = rest.trim_start();
                rest.is_empty() || rest.starts_with(',')
            };
            let Some(len) = self.longest_prefix(rest, sort, ends) else {
                let end = rest.find(',').unwrap_or(rest.len());
                let word = rest[..end].trim_end();
                if word.is_empty() {
                    let what = match sort {
                        Sort::Event => "expected the name of a transition",
                        _ => "expected the name of a place",
                    };
                    return Err(wrong(what, Some(at..at + end.max(1))));
                }
                return Err(self.unknown(word, sort, Some(at..at + word.len())));
            };
            each(&rest[..len]);
            at += len;
            at += blanks(&text[at..]);
            if at == text.len() {
                return Ok(());
            }
            at += 1;
        }
    }

    fn unknown(&self, word: &str, sort: Sort, span: Option<Range<usize>>) -> AtomError {
        let other = match sort {
            Sort::Event if self.is(word, Sort::Number) => Some("a place, not a transition"),
            Sort::Number if self.is(word, Sort::Event) => Some("a transition, not a place"),
            _ => None,
        };
        if let Some(other) = other {
            return AtomError {
                message: format!("`{word}` is {other}"),
                help: None,
                span,
            };
        }
        let what = match sort {
            Sort::Number => "place",
            Sort::Event => "transition",
            Sort::Any => "place or transition",
        };
        let near = self.nearest(word, sort);
        let near: Vec<String> = near.iter().map(|name| format!("\"{name}\"")).collect();
        AtomError {
            message: format!("no {what} is called `{word}`"),
            help: match &near[..] {
                [] => None,
                [only] => Some(format!("did you mean {only}?")),
                [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
            },
            span,
        }
    }
}

fn wrong(message: impl Into<String>, span: Option<Range<usize>>) -> AtomError {
    AtomError {
        message: message.into(),
        help: None,
        span,
    }
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

// --- comparisons ---------------------------------------------------------------------------

/// A sum of variables and a constant, before it is known to fit 64 bits.
#[derive(Default)]
struct Sum {
    terms: Vec<(VarId, i128)>,
    constant: i128,
}

const OPERATORS: [(&str, Comparison); 7] = [
    ("<=", Comparison::Le),
    (">=", Comparison::Ge),
    ("==", Comparison::Eq),
    ("!=", Comparison::Ne),
    ("<", Comparison::Lt),
    (">", Comparison::Gt),
    ("=", Comparison::Eq),
];

impl Names<'_> {
    fn comparison(&self, text: &str) -> Result<Atom, AtomError> {
        let mut at = 0;
        let left = self.sum(text, &mut at)?;
        let Some((operator, comparison)) =
            OPERATORS.iter().find(|(op, _)| text[at..].starts_with(op))
        else {
            let end = text[at..]
                .chars()
                .next()
                .map_or(at + 1, |c| at + c.len_utf8());
            return Err(wrong(
                "expected a comparison: <, <=, >, >=, ==, != (or + or - and more to add up)",
                Some(at..end),
            ));
        };
        at += operator.len();
        let right = self.sum(text, &mut at)?;
        if at < text.len() {
            return Err(wrong(
                "expected the end of the comparison",
                Some(at..text.len()),
            ));
        }
        let linear = normal(left, *comparison, right)
            .ok_or_else(|| wrong("the numbers are too large: expected them below 2^63", None))?;
        Ok(self.predicate(linear))
    }

    fn sum(&self, text: &str, at: &mut usize) -> Result<Sum, AtomError> {
        let mut sum = Sum::default();
        let mut sign = 1;
        *at += blanks(&text[*at..]);
        // A name may itself start with a minus.
        if text[*at..].starts_with('-') && self.name_here(&text[*at..]).is_none() {
            sign = -1;
            *at += 1;
        }
        loop {
            self.term(text, at, sign, &mut sum)?;
            *at += blanks(&text[*at..]);
            sign = match text[*at..].bytes().next() {
                Some(b'+') => 1,
                Some(b'-') => -1,
                _ => return Ok(sum),
            };
            *at += 1;
        }
    }

    fn term(&self, text: &str, at: &mut usize, sign: i128, sum: &mut Sum) -> Result<(), AtomError> {
        *at += blanks(&text[*at..]);
        let mut factor = sign;
        if let Some((number, len)) = self.number_here(&text[*at..]) {
            factor *= number.ok_or_else(|| {
                wrong(
                    "the number is too large: expected one below 2^63",
                    Some(*at..*at + len),
                )
            })?;
            *at += len;
            let rest = &text[*at..];
            let Some(behind) = rest.trim_start().strip_prefix('*') else {
                sum.constant += factor;
                return Ok(());
            };
            *at = text.len() - behind.len();
            *at += blanks(behind);
        }
        let rest = &text[*at..];
        let mut vars = Vec::new();
        if let Some(len) = self.name_here(rest) {
            vars = self.number(&rest[..len]).unwrap_or_default();
            *at += len;
        } else if let Some((arguments, len)) = tokens_call(rest) {
            let from = *at + len - 1 - arguments.len();
            self.list(arguments, Sort::Number, |name| {
                vars.extend(self.number(name).unwrap_or_default());
            })
            .map_err(|mut error| {
                error.span = error.span.map(|s| s.start + from..s.end + from);
                error
            })?;
            *at += len;
        } else {
            let len = unknown_word(rest);
            if len == 0 {
                let end = rest.chars().next().map_or(1, char::len_utf8);
                return Err(wrong(
                    "expected a place, a number or tokens(…)",
                    Some(*at..*at + end),
                ));
            }
            return Err(self.unknown(&rest[..len], Sort::Number, Some(*at..*at + len)));
        }
        sum.terms.extend(vars.into_iter().map(|v| (v, factor)));
        Ok(())
    }

    /// The longest name of a number that `text` starts with.
    fn name_here(&self, text: &str) -> Option<usize> {
        self.longest_prefix(text, Sort::Number, |rest| {
            let last = text[..text.len() - rest.len()].chars().next_back();
            let next = rest.chars().next();
            // Not inside of a word.
            !(last.is_some_and(is_word) && next.is_some_and(is_word))
        })
    }

    /// A number at the start of `text`, `None` inside if it is too large, and its length.
    fn number_here(&self, text: &str) -> Option<(Option<i128>, usize)> {
        let len = text.bytes().take_while(u8::is_ascii_digit).count();
        if len == 0 || self.name_here(text).is_some_and(|name| name > len) {
            return None;
        }
        if text[len..].chars().next().is_some_and(is_word) {
            return None;
        }
        Some((text[..len].parse::<Value>().ok().map(i128::from), len))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `tokens(…)` at the start of `text`: the arguments, and the length of it all. Parentheses inside
/// of names count.
fn tokens_call(text: &str) -> Option<(&str, usize)> {
    let inner = text
        .strip_prefix("tokens")?
        .trim_start()
        .strip_prefix('(')?;
    let mut depth = 1usize;
    for (i, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&inner[..i], text.len() - inner.len() + i + 1));
        }
    }
    None
}

/// How much of `text` is one wrong name: up to a blank or a comparison, arrows included.
fn unknown_word(text: &str) -> usize {
    let mut previous = ' ';
    for (i, c) in text.char_indices() {
        let arrow = c == '>' && previous == '-';
        if c.is_whitespace() || (!arrow && "<>=!+*,()".contains(c)) {
            return i;
        }
        previous = c;
    }
    text.len()
}

/// `left ⋈ right` with everything variable on the left; `None` if a number leaves 64 bits.
fn normal(left: Sum, comparison: Comparison, right: Sum) -> Option<Linear> {
    let mut terms = left.terms;
    terms.extend(right.terms.into_iter().map(|(v, c)| (v, -c)));
    terms.sort_by_key(|(v, _)| *v);
    let mut summed: Vec<(VarId, i128)> = Vec::with_capacity(terms.len());
    for (var, c) in terms {
        match summed.last_mut() {
            Some((last, sum)) if *last == var => *sum += c,
            _ => summed.push((var, c)),
        }
    }
    summed.retain(|(_, c)| *c != 0);
    let mut constant = right.constant - left.constant;
    let mut comparison = comparison;
    if summed.first().is_some_and(|(_, c)| *c < 0) {
        for (_, c) in &mut summed {
            *c = -*c;
        }
        constant = -constant;
        comparison = match comparison {
            Comparison::Lt => Comparison::Gt,
            Comparison::Le => Comparison::Ge,
            Comparison::Gt => Comparison::Lt,
            Comparison::Ge => Comparison::Le,
            other => other,
        };
    }
    match comparison {
        Comparison::Lt => (comparison, constant) = (Comparison::Le, constant - 1),
        Comparison::Gt => (comparison, constant) = (Comparison::Ge, constant + 1),
        _ => {}
    }
    let divisor = summed.iter().fold(0, |d, (_, c)| gcd(d, *c));
    if divisor > 1 {
        match comparison {
            Comparison::Le => constant = constant.div_euclid(divisor),
            Comparison::Ge => constant = -(-constant).div_euclid(divisor),
            _ if constant % divisor != 0 => {
                // Never equal: keep it as it is.
                return linear(summed, comparison, constant);
            }
            _ => constant /= divisor,
        }
        for (_, c) in &mut summed {
            *c /= divisor;
        }
    }
    linear(summed, comparison, constant)
}

fn linear(terms: Vec<(VarId, i128)>, comparison: Comparison, constant: i128) -> Option<Linear> {
    let terms: Option<Vec<(VarId, Value)>> = terms
        .into_iter()
        .map(|(v, c)| Some((v, Value::try_from(c).ok()?)))
        .collect();
    Some(Linear {
        terms: terms?,
        comparison,
        constant: Value::try_from(constant).ok()?,
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

// --- canonical texts -----------------------------------------------------------------------

impl Names<'_> {
    /// `Σ left ⋈ Σ right` as an atom, for formulas that do not come as text.
    pub(crate) fn compare_sums(
        &self,
        left: (Vec<VarId>, Value),
        comparison: Comparison,
        right: (Vec<VarId>, Value),
    ) -> Option<Atom> {
        let sum = |(vars, constant): (Vec<VarId>, Value)| Sum {
            terms: vars.into_iter().map(|v| (v, 1)).collect(),
            constant: constant.into(),
        };
        normal(sum(left), comparison, sum(right)).map(|linear| self.predicate(linear))
    }

    /// Nothing is enabled.
    pub(crate) fn deadlock(&self) -> Atom {
        let text = if self.contains("deadlock") {
            "deadlock()"
        } else {
            "deadlock"
        };
        (text.to_owned(), Proposition::State(Predicate::Deadlock))
    }

    /// One of the events is taken.
    fn fires(&self, mut events: Vec<EventId>) -> Atom {
        events.sort_unstable();
        events.dedup();
        (
            self.event_text("fires", &events),
            Proposition::Fires(events),
        )
    }

    /// One of the events is enabled.
    pub(crate) fn fireable(&self, mut events: Vec<EventId>) -> Atom {
        events.sort_unstable();
        events.dedup();
        let text = self.event_text("fireable", &events);
        (text, Proposition::State(Predicate::Enabled(events)))
    }

    fn event_text(&self, function: &str, events: &[EventId]) -> String {
        let names: Vec<&str> = events
            .iter()
            .map(|e| &*self.system().event(*e).name)
            .collect();
        format!("{function}({})", names.join(", "))
    }

    fn predicate(&self, linear: Linear) -> Atom {
        if linear.terms.is_empty() {
            let value = linear.comparison.holds(0, linear.constant);
            let text = if value { "0 == 0" } else { "0 == 1" };
            return (text.to_owned(), Proposition::State(Predicate::Const(value)));
        }
        self.linear(linear)
    }

    fn linear(&self, linear: Linear) -> Atom {
        let text = self.linear_text(&linear);
        (text, Proposition::State(Predicate::Linear(linear)))
    }

    fn linear_text(&self, linear: &Linear) -> String {
        let name = |var: VarId| &*self.system().variable(var).name;
        if let [(var, 1)] = linear.terms[..]
            && linear.comparison == Comparison::Ge
            && linear.constant == 1
            && matches!(self.system().variable(var).domain, Domain::Count { .. })
            && is_bare(name(var))
            && !self.is(name(var), Sort::Event)
        {
            return name(var).to_owned();
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for &(var, c) in &linear.terms {
            if c > 0 { &mut left } else { &mut right }.push((var, c.unsigned_abs()));
        }
        // The constant goes where it is not negative, unless the other side would be empty.
        let constant = linear.constant;
        let left_constant = if constant < 0 && !right.is_empty() {
            constant.unsigned_abs()
        } else {
            0
        };
        let mut right_text = self.sum_text(&right);
        if right.is_empty() {
            right_text = constant.to_string();
        } else if constant > 0 {
            right_text = format!("{right_text} + {constant}");
        }
        let mut left_text = self.sum_text(&left);
        if left_constant > 0 {
            left_text = format!("{left_text} + {left_constant}");
        }
        let operator = match linear.comparison {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        };
        format!("{left_text} {operator} {right_text}")
    }

    /// Terms added up; several with coefficient 1 in one `tokens(…)` when there are many.
    fn sum_text(&self, terms: &[(VarId, u64)]) -> String {
        let name = |var: VarId| &*self.system().variable(var).name;
        if terms.len() > 3 && terms.iter().all(|(_, c)| *c == 1) {
            let names: Vec<&str> = terms.iter().map(|(v, _)| name(*v)).collect();
            return format!("tokens({})", names.join(", "));
        }
        let term = |&(var, c): &(VarId, u64)| {
            let name = name(var);
            // What would be read as a number or an operator is spelt so that it cannot be.
            let plain = name.starts_with(|c: char| !c.is_ascii_digit() && c != '-')
                && !name.contains(char::is_whitespace);
            let spelt = if plain {
                name.to_owned()
            } else {
                format!("tokens({name})")
            };
            if c == 1 {
                spelt
            } else {
                format!("{c}*{spelt}")
            }
        };
        let terms: Vec<String> = terms.iter().map(term).collect();
        terms.join(" + ")
    }
}

/// Can this name stand in a formula without quotes, and mean nothing else?
fn is_bare(name: &str) -> bool {
    let constant = ["true", "false", "0", "1", "deadlock"].contains(&name);
    !constant && !name.is_empty() && name.chars().all(|c| is_word(c) || c == '.')
}
