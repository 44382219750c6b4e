//! Parser of HOA.
//!
//! Supported are automata without universal branching whose acceptance is a conjunction (`t`, `f`,
//! `Inf` and `Fin`; `fin.rs` eliminates `Fin`): marks on states or edges, labels on states, on
//! edges or implicit, aliases, several initial states. All other input is rejected with its
//! position. Memory is proportional to the text: state numbers may be arbitrarily large, no number
//! in a header causes an allocation, and labels are evaluated during parsing, with a limit on the
//! size of their diagrams.

use super::fin::without_fin;
use super::lexer::{HoaLexer, HoaToken};
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards};
use crate::reduce::acceptance::numbered;
use lariat_emptiness::Marks;
use lariat_ltl::AtomId;
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::Range;

/// A parsed automaton with its name.
#[derive(Clone, Debug)]
pub struct Hoa {
    /// The `name:` of the file, or empty.
    pub name: String,
    /// The automaton.
    pub automaton: Automaton,
}

/// Reason why a text is not a supported automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaError {
    /// Byte range of the error. Empty at the end if something is missing there.
    pub span: Range<usize>,
    /// Description of the error and of the expected input.
    pub message: String,
}

/// The result of reading a part of a text.
pub(super) type HoaResult<T> = Result<T, HoaError>;

impl HoaError {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> HoaError {
        HoaError {
            span,
            message: message.into(),
        }
    }
}

impl fmt::Display for HoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HoaError {}

/// Maximum number of diagram nodes for labels.
const MOST_NODES: usize = 1 << 20;

/// Parses the first automaton of `text`; `atom` resolves its atomic propositions.
pub fn read_hoa(
    text: &str,
    atom: &mut dyn FnMut(&str) -> Result<AtomId, String>,
) -> Result<Hoa, HoaError> {
    let mut reader = Reader {
        lexer: HoaLexer::new(text),
        ahead: None,
        end: text.len(),
        guards: Guards::limited(MOST_NODES),
        atoms: None,
        aliases: FxHashMap::default(),
        acceptance: None,
        sets: 0,
        declared_states: None,
    };
    let (name, start) = reader.header(atom)?;
    reader.body(name, start)
}

#[derive(Clone, Copy)]
enum Acceptance {
    /// A run must carry the marks `inf` infinitely often and the marks `fin` finitely often.
    All { inf: Marks, fin: Marks },
    /// No run is accepting.
    Nothing,
}

/// The number of a state, where the file mentions it.
struct Mention {
    n: u64,
    span: Range<usize>,
}

/// The states of the file, numbered in order of occurrence, since the file's numbers may be sparse.
#[derive(Default)]
struct HoaStates {
    index: FxHashMap<u64, StateId>,
    edges: Vec<Vec<Transition>>,
    /// By state, until the file defines it: the first mention.
    undefined: Vec<Option<Mention>>,
}

impl HoaStates {
    /// The state of this number.
    fn mention(&mut self, mention: Mention) -> StateId {
        let next = StateId(self.edges.len() as u32);
        let state = *self.index.entry(mention.n).or_insert(next);
        if state == next {
            self.edges.push(Vec::new());
            self.undefined.push(Some(mention));
        }
        state
    }

    /// The state that the file defines here, once.
    fn define(&mut self, mention: Mention, span: Range<usize>) -> HoaResult<StateId> {
        let n = mention.n;
        let state = self.mention(mention);
        match self.undefined[state.index()].take() {
            Some(_) => Ok(state),
            None => Err(HoaError::new(span, format!("state {n} is defined twice"))),
        }
    }
}

type Located<'a> = (HoaToken<'a>, Range<usize>);

struct Reader<'a> {
    lexer: HoaLexer<'a>,
    ahead: Option<Option<Located<'a>>>,
    end: usize,
    guards: Guards,
    atoms: Option<Vec<AtomId>>,
    aliases: FxHashMap<&'a str, Guard>,
    acceptance: Option<Acceptance>,
    /// The number of acceptance sets.
    sets: u64,
    declared_states: Option<u64>,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> HoaResult<Option<&HoaToken<'a>>> {
        if self.ahead.is_none() {
            self.ahead = Some(self.lexer.next()?);
        }
        Ok(self.ahead.as_ref().and_then(|a| a.as_ref()).map(|a| &a.0))
    }

    fn next(&mut self) -> HoaResult<Option<Located<'a>>> {
        match self.ahead.take() {
            Some(token) => Ok(token),
            None => self.lexer.next(),
        }
    }

    fn expect(&mut self, what: &str) -> HoaResult<Located<'a>> {
        let end = self.end..self.end;
        self.next()?.ok_or_else(|| {
            HoaError::new(end, format!("unexpected end of the text, expected {what}"))
        })
    }

    fn number(&mut self, what: &str) -> HoaResult<(u64, Range<usize>)> {
        match self.expect(what)? {
            (HoaToken::Number(n), span) => Ok((n, span)),
            (_, span) => Err(HoaError::new(span, format!("expected {what}"))),
        }
    }

    fn sign(&mut self, sign: char) -> HoaResult<Range<usize>> {
        match self.expect(&format!("`{sign}`"))? {
            (HoaToken::Sign(c), span) if c == sign => Ok(span),
            (_, span) => Err(HoaError::new(span, format!("expected `{sign}`"))),
        }
    }

    fn state_number(&mut self) -> HoaResult<Mention> {
        let (n, span) = self.number("the number of a state")?;
        if self.declared_states.is_some_and(|count| n >= count) {
            let message = format!("there is no state {n}: the header declares fewer states");
            return Err(HoaError::new(span, message));
        }
        if self.peek()? == Some(&HoaToken::Sign('&')) {
            let message = "alternating automata are not supported";
            return Err(HoaError::new(self.sign('&')?, message));
        }
        Ok(Mention { n, span })
    }

    fn header(
        &mut self,
        atom: &mut dyn FnMut(&str) -> Result<AtomId, String>,
    ) -> HoaResult<(String, Vec<Mention>)> {
        match self.expect("`HOA: v1`")? {
            (HoaToken::Header("HOA"), _) => {}
            (_, span) => return Err(HoaError::new(span, "an automaton begins with `HOA: v1`")),
        }
        match self.expect("the version")? {
            (HoaToken::Word(v), _) if v == "v1" || v.starts_with("v1.") => {}
            (_, span) => return Err(HoaError::new(span, "only version `v1` of HOA is supported")),
        }
        let mut name = String::new();
        let mut start = Vec::new();
        loop {
            let (token, span) = self.expect("`--BODY--`")?;
            let key = match token {
                HoaToken::Body => break,
                HoaToken::Header(key) => key,
                HoaToken::Abort => {
                    return Err(HoaError::new(span, "the automaton ends with `--ABORT--`"));
                }
                _ => return Err(HoaError::new(span, "expected the name of a header item")),
            };
            match key {
                "States" => {
                    let (n, at) = self.number("the number of states")?;
                    if self.declared_states.replace(n).is_some() {
                        return Err(HoaError::new(span.start..at.end, "duplicate `States:`"));
                    }
                }
                "Start" => start.push(self.state_number()?),
                "AP" => self.propositions(span, atom)?,
                "Alias" => self.alias()?,
                "Acceptance" => self.acceptance(span)?,
                "name" => match self.expect("a text")? {
                    (HoaToken::Text(text), _) => name = text,
                    (_, span) => return Err(HoaError::new(span, "expected a text")),
                },
                // Items with a capital letter change the semantics; others are comments.
                key if key.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    return Err(HoaError::new(span, format!("`{key}:` is not supported")));
                }
                _ => {
                    while !matches!(
                        self.peek()?,
                        None | Some(
                            HoaToken::Header(_) | HoaToken::Body | HoaToken::Abort | HoaToken::End
                        )
                    ) {
                        self.next()?;
                    }
                }
            }
        }
        if self.acceptance.is_none() {
            let end = self.end..self.end;
            return Err(HoaError::new(end, "the header has no `Acceptance:`"));
        }
        Ok((name, start))
    }

    fn propositions(
        &mut self,
        span: Range<usize>,
        atom: &mut dyn FnMut(&str) -> Result<AtomId, String>,
    ) -> HoaResult<()> {
        if self.atoms.is_some() {
            return Err(HoaError::new(span, "duplicate `AP:`"));
        }
        let (count, at) = self.number("the number of atomic propositions")?;
        if count > Guards::MAX_ATOMS as u64 {
            let most = Guards::MAX_ATOMS;
            let message = format!("at most {most} atomic propositions are possible");
            return Err(HoaError::new(at, message));
        }
        let mut atoms: Vec<AtomId> = Vec::new();
        for _ in 0..count {
            match self.expect("the name of an atomic proposition")? {
                (HoaToken::Text(name), at) => {
                    let id = atom(&name).map_err(|why| HoaError::new(at.clone(), why))?;
                    if atoms.contains(&id) {
                        return Err(HoaError::new(at, "this proposition is listed twice"));
                    }
                    atoms.push(id);
                }
                (_, at) => return Err(HoaError::new(at, "expected a name in quotes")),
            }
        }
        self.atoms = Some(atoms);
        Ok(())
    }

    fn alias(&mut self) -> HoaResult<()> {
        match self.expect("the name of an alias")? {
            (HoaToken::Alias(name), span) => {
                let label = self.label()?;
                if self.aliases.insert(name, label).is_some() {
                    return Err(HoaError::new(span, format!("`@{name}` is defined twice")));
                }
                Ok(())
            }
            (_, span) => Err(HoaError::new(span, "expected `@` and a name")),
        }
    }

    fn acceptance(&mut self, span: Range<usize>) -> HoaResult<()> {
        if self.acceptance.is_some() {
            return Err(HoaError::new(span, "duplicate `Acceptance:`"));
        }
        let (count, at) = self.number("the number of acceptance sets")?;
        if count > u64::from(Marks::MAX) {
            let message = format!("at most {} acceptance sets are possible", Marks::MAX);
            return Err(HoaError::new(at, message));
        }
        self.sets = count;
        let refuse = |span| {
            HoaError::new(
                span,
                "only `t`, `f`, and `Inf`s and `Fin`s joined by `&` are supported: generalized Büchi and co-Büchi acceptance; `autfilt --gba` converts other automata",
            )
        };
        let (mut inf, mut fin) = (Marks::NONE, Marks::NONE);
        let mut nothing = false;
        // Parentheses around a conjunction are irrelevant; they are counted.
        let mut open = 0usize;
        let mut expect_operand = true;
        loop {
            if expect_operand {
                match self.expect("an acceptance condition")? {
                    (HoaToken::Sign('('), _) => {
                        open += 1;
                        continue;
                    }
                    (HoaToken::Word("t"), _) => {}
                    (HoaToken::Word("f"), _) => nothing = true,
                    (HoaToken::Word(kind @ ("Inf" | "Fin")), _) => {
                        self.sign('(')?;
                        if self.peek()? == Some(&HoaToken::Sign('!')) {
                            return Err(refuse(self.sign('!')?));
                        }
                        let (i, at) = self.number("an acceptance set")?;
                        if i >= count {
                            return Err(HoaError::new(at, "there is no such acceptance set"));
                        }
                        let set = match kind {
                            "Inf" => &mut inf,
                            _ => &mut fin,
                        };
                        *set = set.union(Marks::one(i as u32));
                        self.sign(')')?;
                    }
                    (_, span) => return Err(refuse(span)),
                }
                expect_operand = false;
            }
            match self.peek()? {
                Some(HoaToken::Sign('&')) => {
                    self.sign('&')?;
                    expect_operand = true;
                }
                Some(HoaToken::Sign(')')) if open > 0 => {
                    self.sign(')')?;
                    open -= 1;
                }
                Some(&HoaToken::Sign(c)) => return Err(refuse(self.sign(c)?)),
                _ if open > 0 => {
                    self.sign(')')?;
                }
                _ => break,
            }
        }
        nothing |= !inf.intersection(fin).is_empty();
        self.acceptance = Some(if nothing {
            Acceptance::Nothing
        } else {
            Acceptance::All { inf, fin }
        });
        Ok(())
    }

    /// A label expression; ends before the first token that cannot continue it.
    ///
    /// Operators are on an explicit stack, so parentheses may be nested arbitrarily deep.
    fn label(&mut self) -> HoaResult<Guard> {
        let mut waiting: Vec<char> = Vec::new();
        let mut values: Vec<Guard> = Vec::new();
        loop {
            // An operand with its prefix operators.
            let (token, span) = self.expect("a label")?;
            let value = match token {
                HoaToken::Sign(c @ ('!' | '(')) => {
                    waiting.push(c);
                    continue;
                }
                HoaToken::Word("t") => Guards::TRUE,
                HoaToken::Word("f") => Guards::FALSE,
                HoaToken::Number(i) => {
                    let count = self.atoms.as_ref().map_or(0, Vec::len);
                    if i >= count as u64 {
                        return Err(HoaError::new(
                            span,
                            format!("there is no atomic proposition {i}, only {count} in all"),
                        ));
                    }
                    self.guards.atom(i as usize)
                }
                HoaToken::Alias(name) => match self.aliases.get(name) {
                    Some(label) => *label,
                    None => {
                        let message = format!("`@{name}` is not defined before its use");
                        return Err(HoaError::new(span, message));
                    }
                },
                _ => return Err(HoaError::new(span, "expected a label")),
            };
            values.push(value);
            // Operators after the operand.
            loop {
                while waiting.last() == Some(&'!') {
                    self.apply(&mut waiting, &mut values);
                }
                match self.peek()? {
                    Some(HoaToken::Sign(')')) if waiting.contains(&'(') => {
                        self.next()?;
                        while waiting.last() != Some(&'(') {
                            self.apply(&mut waiting, &mut values);
                        }
                        waiting.pop();
                    }
                    Some(&HoaToken::Sign(c @ ('&' | '|'))) => {
                        self.next()?;
                        while waiting.last() == Some(&'&') || c == '|' && waiting.last() == Some(&c)
                        {
                            self.apply(&mut waiting, &mut values);
                        }
                        waiting.push(c);
                        break;
                    }
                    _ => {
                        if waiting.contains(&'(') {
                            self.sign(')')?;
                        }
                        while !waiting.is_empty() {
                            self.apply(&mut waiting, &mut values);
                        }
                        if self.guards.check().is_err() {
                            let message = "the labels up to here are too complex";
                            return Err(HoaError::new(span, message));
                        }
                        return Ok(values.pop().unwrap_or(Guards::TRUE));
                    }
                }
            }
        }
    }

    /// Applies the top operator of the stack to the last values.
    fn apply(&mut self, waiting: &mut Vec<char>, values: &mut Vec<Guard>) {
        let right = values.pop().unwrap_or(Guards::TRUE);
        let mut left = || values.pop().unwrap_or(Guards::TRUE);
        let value = match waiting.pop() {
            Some('!') => self.guards.not(right),
            Some('&') => self.guards.and(left(), right),
            _ => self.guards.or(left(), right),
        };
        values.push(value);
    }

    fn bracketed_label(&mut self) -> HoaResult<Option<Guard>> {
        if self.peek()? != Some(&HoaToken::Sign('[')) {
            return Ok(None);
        }
        self.sign('[')?;
        let label = self.label()?;
        self.sign(']')?;
        Ok(Some(label))
    }

    fn marks(&mut self) -> HoaResult<Marks> {
        let mut marks = Marks::NONE;
        if self.peek()? == Some(&HoaToken::Sign('{')) {
            self.sign('{')?;
            while self.peek()? != Some(&HoaToken::Sign('}')) {
                let (i, span) = self.number("an acceptance set or `}`")?;
                if i >= self.sets {
                    let sets = self.sets;
                    let message = format!("there is no acceptance set {i}, only {sets} in all");
                    return Err(HoaError::new(span, message));
                }
                marks = marks.union(Marks::one(i as u32));
            }
            self.sign('}')?;
        }
        Ok(marks)
    }

    fn body(&mut self, name: String, start: Vec<Mention>) -> HoaResult<Hoa> {
        let mut states = HoaStates::default();
        let initial: Vec<StateId> = start.into_iter().map(|at| states.mention(at)).collect();
        loop {
            match self.expect("`State:` or `--END--`")? {
                (HoaToken::End, _) => break,
                (HoaToken::Abort, span) => {
                    return Err(HoaError::new(span, "the automaton ends with `--ABORT--`"));
                }
                (HoaToken::Header("State"), span) => {
                    let state_label = self.bracketed_label()?;
                    let q = states.define(self.state_number()?, span.clone())?;
                    if let Some(HoaToken::Text(_)) = self.peek()? {
                        self.next()?;
                    }
                    let state_marks = self.marks()?;
                    let mut implicit = 0u64;
                    while let Some(HoaToken::Sign('[') | HoaToken::Number(_)) = self.peek()? {
                        let at = span.clone();
                        let guard = match (self.bracketed_label()?, state_label) {
                            (Some(_), Some(_)) => {
                                let message = "both this state and one of its edges have a label";
                                return Err(HoaError::new(at, message));
                            }
                            (Some(label), None) | (None, Some(label)) => label,
                            (None, None) => {
                                implicit += 1;
                                self.implicit_label(implicit - 1, at)?
                            }
                        };
                        let to = states.mention(self.state_number()?);
                        let marks = state_marks.union(self.marks()?);
                        states.edges[q.index()].push(Transition { guard, marks, to });
                    }
                    let letters = 1u128 << self.atoms.as_ref().map_or(0, Vec::len);
                    if implicit > 0
                        && (u128::from(implicit) != letters
                            || states.edges[q.index()].len() as u64 != implicit)
                    {
                        let expected = format!("must have exactly {letters} edges here");
                        let message = format!("a state without labels {expected}");
                        return Err(HoaError::new(span, message));
                    }
                }
                (_, span) => return Err(HoaError::new(span, "expected `State:` or `--END--`")),
            }
        }
        if let Some(Mention { n, span }) = states.undefined.into_iter().flatten().next() {
            return Err(HoaError::new(span, format!("state {n} is not defined")));
        }
        // A stream of automata may follow.
        match self.next()? {
            None | Some((HoaToken::Header("HOA"), _)) => {}
            Some((_, span)) => {
                let message = "text after the automaton: expected the end of the file";
                return Err(HoaError::new(span, message));
            }
        }
        let mut automaton = Automaton {
            atoms: self.atoms.take().unwrap_or_default(),
            guards: std::mem::take(&mut self.guards),
            mark_count: 0,
            initial,
            states: states.edges,
        };
        match self.acceptance {
            Some(Acceptance::All { inf, fin }) => {
                let mark = fin.iter().next().map_or(Marks::NONE, Marks::one);
                if !fin.is_empty() {
                    without_fin(&mut automaton, fin, mark);
                }
                number_marks(&mut automaton, inf.union(mark));
            }
            _ => {
                automaton.states.clear();
                automaton.initial.clear();
            }
        }
        crate::reduce::merge_edges(&mut automaton);
        if automaton.guards.check().is_err() {
            let end = self.end..self.end;
            return Err(HoaError::new(end, "the labels are too complex together"));
        }
        crate::reduce::collect_garbage(&mut automaton, Guards::new());
        Ok(Hoa { name, automaton })
    }

    /// The label of the `k`-th edge of a state without labels: bit `i` of `k` is atom `i`.
    fn implicit_label(&mut self, k: u64, at: Range<usize>) -> HoaResult<Guard> {
        let count = self.atoms.as_ref().map_or(0, Vec::len);
        if count < 64 && k >> count != 0 {
            let message = "this state has more edges than there are letters";
            return Err(HoaError::new(at, message));
        }
        let all = u64::MAX.checked_shr(64 - count as u32).unwrap_or(0);
        Ok(self.guards.cube(crate::cube::Cube {
            positive: k,
            negative: !k & all,
        }))
    }
}

/// Keeps the marks of `used` and numbers them from 0.
fn number_marks(a: &mut Automaton, used: Marks) {
    for t in a.states.iter_mut().flatten() {
        t.marks = numbered(t.marks, used.iter());
    }
    a.mark_count = used.len();
}
