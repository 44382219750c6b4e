//! The textual nets of TINA (`.net`): places, transitions, weights, read and inhibitor arcs.
//!
//! ```text
//! net NAME
//! tr NAME [: LABEL] [INTERVAL] {place[*w | ?w | ?-w]} -> {place[*w]}
//! pl NAME [: LABEL] [(MARKING)] {transition[*w]} -> {transition[*w | ?w | ?-w]}
//! lb NAME LABEL        nt NAME 0|1 TEXT        # comment
//! ```
//!
//! Numbers may end in K, M, G, T, P or E, for 10³ to 10¹⁸. Names with other characters than
//! letters, digits, `_` and `'` are written in braces. A place or transition is declared by its
//! first use; several descriptions of a node add up. Time is refused: intervals other than
//! `[0,w[`, stopwatches (`!w`, `!-w`), and priorities (`pr`).

use rustc_hash::FxHashMap;
use std::ops::Range;

use lariat_model::{
    Arc, Domain, Event, InputError, Label, MOST_GUARDED, NodeKind, System, Transition, Value,
    VarId, Variable,
};

/// A net and the labels of its nodes.
pub struct TinaNet {
    /// The net.
    pub system: System,
    /// Labels of places and transitions that differ from their names.
    pub labels: Vec<Label>,
}

/// The words that start a description, at the beginning of a line.
const WORDS: [&str; 6] = ["net", "tr", "pl", "lb", "nt", "pr"];

/// Returns whether the text begins like a net of TINA.
pub fn looks_like_tina(text: &[u8]) -> bool {
    let head = &text[..text.len().min(1 << 16)];
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.is_some_and(|line| {
        let word = line.split(|byte| byte.is_ascii_whitespace()).next();
        let is_word = |word: &[u8]| WORDS.iter().any(|known| known.as_bytes() == word);
        word.is_some_and(is_word) && line.len() > 2
    })
}

/// The places or transitions of one name each, in the order of their first use.
#[derive(Default)]
struct NodeTable {
    names: Vec<String>,
    ids: FxHashMap<String, u32>,
}

impl NodeTable {
    fn id(&mut self, name: String) -> u32 {
        let next = self.names.len() as u32;
        match self.ids.get(&name) {
            Some(id) => *id,
            None => {
                self.names.push(name.clone());
                self.ids.insert(name, next);
                next
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArcForm {
    Normal,
    Read,
    Inhibitor,
}

#[derive(Clone, Copy)]
struct TinaArc {
    transition: u32,
    place: u32,
    /// The transition is the source.
    out: bool,
    form: ArcForm,
    weight: Value,
}

struct Parser<'t> {
    origin: &'t str,
    text: &'t str,
    at: usize,
    name: String,
    places: NodeTable,
    transitions: NodeTable,
    marking: FxHashMap<u32, Value>,
    arcs: Vec<TinaArc>,
    labels: Vec<Label>,
}

/// Reads a net. `origin` names it in errors.
pub fn read(origin: &str, bytes: &[u8]) -> Result<TinaNet, InputError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        InputError::at(origin, bytes, at..at + 1, "this is not UTF-8")
    })?;
    let mut parser = Parser {
        origin,
        text,
        at: 0,
        name: String::new(),
        places: NodeTable::default(),
        transitions: NodeTable::default(),
        marking: FxHashMap::default(),
        arcs: Vec::new(),
        labels: Vec::new(),
    };
    parser.descriptions()?;
    parser.finish()
}

impl<'t> Parser<'t> {
    fn error(&self, span: Range<usize>, message: impl Into<String>) -> InputError {
        InputError::at(self.origin, self.text.as_bytes(), span, message)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Skips blanks, and line breaks and comments if `lines`. Returns whether a line has ended.
    fn blanks(&mut self, lines: bool) -> bool {
        let mut ended = false;
        loop {
            let rest = self.rest();
            let end = |c: char| lines || c != '\n';
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() && end(c));
            let skipped = &rest[..rest.len() - trimmed.len()];
            ended |= skipped.contains('\n');
            self.at += skipped.len();
            if !trimmed.starts_with('#') {
                return ended;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            if !lines {
                return ended;
            }
        }
    }

    /// Skips blanks inside of a description; returns whether it goes on: a line that does not start
    /// with one of the words belongs to the description before it.
    fn goes_on(&mut self) -> bool {
        let ended = self.blanks(true);
        let word = self.rest().split(char::is_whitespace).next().unwrap_or("");
        !word.is_empty() && (!ended || !WORDS.contains(&word))
    }

    fn takes(&mut self, token: &str) -> bool {
        let starts = self.rest().starts_with(token);
        self.at += if starts { token.len() } else { 0 };
        starts
    }

    /// A name, in braces or not.
    fn word(&mut self, what: &str) -> Result<String, InputError> {
        self.blanks(false);
        let start = self.at;
        if self.takes("{") {
            let mut name = String::new();
            let mut chars = self.rest().char_indices();
            while let Some((at, c)) = chars.next() {
                match c {
                    '}' => {
                        self.at += at + 1;
                        return Ok(name);
                    }
                    '\\' => name.extend(chars.next().map(|(_, c)| c)),
                    '\n' => break,
                    c => name.push(c),
                }
            }
            return Err(self.error(start..start + 1, "a name in braces without `}`"));
        }
        let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '.';
        let rest = self.rest();
        let name = &rest[..rest.find(|c| !is_letter(c)).unwrap_or(rest.len())];
        if name.is_empty() {
            let end = rest.chars().next().map_or(0, char::len_utf8);
            return Err(self.error(start..start + end, format!("expected {what}")));
        }
        self.at += name.len();
        Ok(name.to_owned())
    }

    /// A number, with a suffix for a power of 1000.
    fn number(&mut self, what: &str) -> Result<Value, InputError> {
        let (start, rest) = (self.at, self.rest());
        let digits = &rest[..rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())];
        self.at += digits.len();
        let suffix = self.rest().chars().next().and_then(|c| "KMGTPE".find(c));
        self.at += usize::from(suffix.is_some());
        let scale = suffix.map_or(1, |power| 1000_i64.pow(power as u32 + 1));
        let number = digits
            .parse::<Value>()
            .ok()
            .and_then(|n| n.checked_mul(scale));
        number.ok_or_else(|| {
            let message = format!("expected {what}, a number from 0 to 2^63 - 1");
            self.error(start..self.at.max(start + 1), message)
        })
    }

    fn descriptions(&mut self) -> Result<(), InputError> {
        loop {
            self.blanks(true);
            let start = self.at;
            if self.rest().is_empty() {
                return Ok(());
            }
            let word = self.rest().split(char::is_whitespace).next().unwrap_or("");
            let span = start..start + word.len();
            self.at = span.end;
            match word {
                "net" => self.name = self.word("the name of the net")?,
                "tr" => self.transition()?,
                "pl" => self.place()?,
                "lb" => {
                    self.word("the name of a place or transition")?;
                    self.word("a label")?;
                }
                "nt" => {
                    self.word("the name of a note")?;
                    self.word("0 or 1")?;
                    self.word("a text")?;
                }
                "pr" => return Err(self.error(span, "priorities (`pr`) are not supported")),
                _ => {
                    let error = self.error(span, format!("unknown description `{word}`"));
                    return Err(error.help("expected net, tr, pl, lb or nt"));
                }
            }
        }
    }

    fn label(&mut self, kind: NodeKind, name: &str) -> Result<(), InputError> {
        self.blanks(false);
        if self.takes(":") {
            let label = self.word("a label")?;
            self.labels.extend(Label::new(kind, name, &label));
        }
        Ok(())
    }

    fn transition(&mut self) -> Result<(), InputError> {
        let name = self.word("the name of a transition")?;
        self.label(NodeKind::Transition, &name)?;
        let transition = self.transitions.id(name);
        self.blanks(false);
        if self.rest().starts_with(['[', ']']) {
            self.interval()?;
        }
        let mut out = false;
        while self.goes_on() {
            if self.takes("->") {
                out = true;
                continue;
            }
            let place = self.word("a place")?;
            let place = self.places.id(place);
            self.arc(transition, place, out, !out)?;
        }
        Ok(())
    }

    fn place(&mut self) -> Result<(), InputError> {
        let name = self.word("the name of a place")?;
        self.label(NodeKind::Place, &name)?;
        let place = self.places.id(name);
        self.blanks(false);
        if self.takes("(") {
            let start = self.at;
            let tokens = self.number("a number of tokens")?;
            if !self.takes(")") {
                return Err(self.error(self.at..self.at + 1, "expected `)`"));
            }
            if self.marking.insert(place, tokens).is_some() {
                return Err(self.error(start..self.at, "a second marking of this place"));
            }
        }
        let mut out = true;
        while self.goes_on() {
            if self.takes("->") {
                out = false;
                continue;
            }
            let transition = self.word("a transition")?;
            let transition = self.transitions.id(transition);
            self.arc(transition, place, out, !out)?;
        }
        Ok(())
    }

    /// Reads `*w`, `?w` or `?-w` after a name, and adds the arc.
    fn arc(
        &mut self,
        transition: u32,
        place: u32,
        out: bool,
        may_test: bool,
    ) -> Result<(), InputError> {
        let start = self.at;
        let form = match () {
            () if self.takes("*") => Some(ArcForm::Normal),
            () if self.takes("?-") => Some(ArcForm::Inhibitor),
            () if self.takes("?") => Some(ArcForm::Read),
            () if self.takes("!") => {
                return Err(timed(self.error(start..self.at, "a stopwatch arc")));
            }
            () => None,
        };
        let weight = match form {
            Some(_) => self.number("a weight")?,
            None => 1,
        };
        let form = form.unwrap_or(ArcForm::Normal);
        if form != ArcForm::Normal && !may_test {
            let message = "a read or inhibitor arc leads from a place to a transition";
            return Err(self.error(start..self.at, message));
        }
        if form == ArcForm::Inhibitor && weight == 0 {
            let message = "an inhibitor arc of weight 0 never enables the transition";
            return Err(self.error(start..self.at, message));
        }
        self.arcs.push(TinaArc {
            transition,
            place,
            out,
            form,
            weight,
        });
        Ok(())
    }

    /// Accepts `[0,w[`, which is no restriction.
    fn interval(&mut self) -> Result<(), InputError> {
        let (start, rest) = (self.at, self.rest());
        let end = rest[1..].find(['[', ']']).map_or(rest.len(), |end| end + 2);
        let interval: String = rest[..end].split_whitespace().collect();
        self.at += end;
        if interval == "[0,w[" {
            return Ok(());
        }
        let message = format!("the interval `{interval}` belongs to timed nets");
        Err(timed(self.error(start..self.at, message)))
    }

    fn finish(mut self) -> Result<TinaNet, InputError> {
        let mut transitions = vec![Transition::default(); self.transitions.names.len()];
        self.arcs.sort_by_key(|arc| (arc.transition, arc.place));
        let is_same = |a: &TinaArc, b: &TinaArc| (a.transition, a.place) == (b.transition, b.place);
        let has_inhibitors = self.arcs.iter().any(|arc| arc.form == ArcForm::Inhibitor);
        let weights = self.arcs.iter().map(|arc| arc.weight);
        let largest = weights.chain(self.marking.values().copied()).max();
        if has_inhibitors && largest > Some(MOST_GUARDED) {
            let message = "a number beyond 2^31 - 1 in a net with inhibitor arcs is not supported";
            return Err(InputError::new(self.origin, message));
        }
        for group in self.arcs.chunk_by(is_same) {
            let sum = |form: ArcForm, out: bool| {
                let arcs = group
                    .iter()
                    .filter(|arc| arc.form == form && arc.out == out);
                let mut weights = arcs.map(|arc| arc.weight);
                weights.try_fold(0, Value::checked_add)
            };
            let too_large = || InputError::new(self.origin, "weights add up to more than 2^63");
            let taken = sum(ArcForm::Normal, false).ok_or_else(too_large)?;
            let made = sum(ArcForm::Normal, true).ok_or_else(too_large)?;
            let of = |form: ArcForm| group.iter().filter(move |arc| arc.form == form);
            let read = of(ArcForm::Read).map(|arc| arc.weight).max().unwrap_or(0);
            let inhibitor = of(ArcForm::Inhibitor).map(|arc| arc.weight).min();
            let var = VarId(group[0].place);
            let transition = &mut transitions[group[0].transition as usize];
            let (need, delta) = (taken.max(read), made - taken);
            if need != 0 || delta != 0 {
                transition.arcs.push(Arc { var, need, delta });
            }
            transition
                .inhibitors
                .extend(inhibitor.map(|bound| (var, bound)));
        }
        let places = self.places.names.into_iter();
        let marking = (0..places.len() as u32).map(|place| self.marking.get(&place).copied());
        let initial = marking.map(Option::unwrap_or_default).collect();
        let events = self.transitions.names.into_iter().zip(transitions);
        Ok(TinaNet {
            system: System {
                name: self.name,
                variables: places
                    .map(|name| Variable {
                        name,
                        domain: Domain::Count { bound: None },
                    })
                    .collect(),
                events: events
                    .map(|(name, transition)| Event {
                        name,
                        action: transition.into_action(),
                    })
                    .collect(),
                initial: vec![initial],
                ..System::default()
            },
            labels: self.labels,
        })
    }
}

fn timed(error: InputError) -> InputError {
    error.help("time is not supported: without it, the net has other runs")
}
