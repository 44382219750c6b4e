//! The parser of the sections of an ETF file.

use std::ops::Range;

use super::lexer::{EtfDiagnostic, EtfLexer, EtfToken};

/// A value: its position in the sort, or its text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum EtfValue {
    Number(i64),
    Text(String),
}

/// `name : sort`; `None` for `_`.
#[derive(Debug)]
pub(super) struct Typed {
    pub name: Option<String>,
    pub sort: Option<String>,
    pub span: Range<usize>,
}

/// A line of a transition group: the mentioned slots in order with old and new values, and the
/// labels.
#[derive(Debug)]
pub(super) struct Entry {
    pub slots: Vec<(u32, i64, i64)>,
    pub labels: Vec<EtfValue>,
    pub span: Range<usize>,
}

#[derive(Debug)]
pub(super) struct MapEntry {
    pub slots: Vec<(u32, i64)>,
    pub value: EtfValue,
    pub span: Range<usize>,
}

#[derive(Debug)]
pub(super) struct MapSection {
    pub typed: Typed,
    pub entries: Vec<MapEntry>,
}

#[derive(Debug, Default)]
pub(super) struct EtfFile {
    pub state: Vec<Typed>,
    pub edge: Vec<Typed>,
    pub init: Option<(Vec<EtfValue>, Range<usize>)>,
    pub groups: Vec<Vec<Entry>>,
    pub maps: Vec<MapSection>,
    pub sorts: Vec<(String, Vec<String>, Range<usize>)>,
}

struct Parser<'t> {
    lexer: EtfLexer<'t>,
    token: EtfToken,
    span: Range<usize>,
}

type Parsed<T> = Result<T, EtfDiagnostic>;

pub(super) fn file(text: &[u8]) -> Parsed<EtfFile> {
    let mut p = Parser {
        lexer: EtfLexer::new(text),
        token: EtfToken::Newline,
        span: 0..0,
    };
    p.lines()?;
    let mut file = EtfFile::default();
    p.begin("state")?;
    file.state = p.typed_list("state")?;
    p.begin("edge")?;
    file.edge = p.typed_list("edge")?;
    loop {
        p.lines()?;
        if p.token == EtfToken::End {
            return Ok(file);
        }
        p.word("begin")?;
        let span = p.span.clone();
        match p.name("`init`, `trans`, `map` or `sort`")?.as_str() {
            "init" if file.init.is_none() => file.init = Some((p.init(&file)?, span)),
            "init" => return Err((span, "there is an `init` section already".to_owned())),
            "trans" => {
                let group = p.trans(&file)?;
                file.groups.push(group);
            }
            "map" => {
                let map = p.map(&file)?;
                file.maps.push(map);
            }
            "sort" => {
                p.lines()?;
                let span = p.span.clone();
                let name = p.name("the name of a sort")?;
                let mut values = Vec::new();
                p.lines()?;
                while let EtfToken::Value(value) = &mut p.token {
                    values.push(std::mem::take(value));
                    p.advance()?;
                    p.lines()?;
                }
                p.end("sort", "a value in quotes")?;
                file.sorts.push((name, values, span));
            }
            other => {
                let message = format!("expected `init`, `trans`, `map` or `sort`, found `{other}`");
                return Err((span, message));
            }
        }
    }
}

impl Parser<'_> {
    fn advance(&mut self) -> Parsed<()> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn lines(&mut self) -> Parsed<()> {
        while self.token == EtfToken::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let found = match &self.token {
            EtfToken::Name(name) => format!("`{name}`"),
            EtfToken::Value(value) => format!("the value \"{}\"", value.escape_debug()),
            EtfToken::Number(n) => format!("`{n}`"),
            EtfToken::Star => "`*`".to_owned(),
            EtfToken::Slash => "`/`".to_owned(),
            EtfToken::Colon => "`:`".to_owned(),
            EtfToken::Newline => "the end of the line".to_owned(),
            EtfToken::End => "the end of the file".to_owned(),
        };
        Err((self.span.clone(), format!("expected {what}, found {found}")))
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        match &mut self.token {
            EtfToken::Name(name) => {
                let name = std::mem::take(name);
                self.advance()?;
                Ok(name)
            }
            // A name may look like a number.
            EtfToken::Number(n) => {
                let name = n.to_string();
                self.advance()?;
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token, EtfToken::Name(name) if name == word)
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.is_word(word) {
            self.advance()
        } else {
            self.expected(&format!("`{word}`"))
        }
    }

    fn begin(&mut self, section: &str) -> Parsed<()> {
        self.lines()?;
        if !self.is_word("begin") {
            return self.expected(&format!("`begin {section}`"));
        }
        self.advance()?;
        self.word(section)?;
        self.lines()
    }

    fn end(&mut self, section: &str, or: &str) -> Parsed<()> {
        if !self.is_word("end") {
            return self.expected(&format!("{or} or `end {section}`"));
        }
        self.advance()?;
        self.word(section)
    }

    fn typed(&mut self) -> Parsed<Typed> {
        let span = self.span.clone();
        let name = self.name("a name")?;
        self.lines()?;
        if self.token != EtfToken::Colon {
            return self.expected("`:` and a sort");
        }
        self.advance()?;
        self.lines()?;
        let sort = self.name("a sort")?;
        let given = |name: String| (name != "_").then_some(name);
        Ok(Typed {
            name: given(name),
            sort: given(sort),
            span,
        })
    }

    fn typed_list(&mut self, section: &str) -> Parsed<Vec<Typed>> {
        let mut list = Vec::new();
        self.lines()?;
        while !self.is_word("end") {
            list.push(self.typed()?);
            self.lines()?;
        }
        self.end(section, "a name")?;
        Ok(list)
    }

    fn number(&mut self, what: &str) -> Parsed<i64> {
        match self.token {
            EtfToken::Number(n) => {
                self.advance()?;
                Ok(n)
            }
            _ => self.expected(what),
        }
    }

    fn cell(&mut self, what: &str) -> Parsed<EtfValue> {
        match &mut self.token {
            EtfToken::Value(value) => {
                let value = std::mem::take(value);
                self.advance()?;
                Ok(EtfValue::Text(value))
            }
            _ => self.number(what).map(EtfValue::Number),
        }
    }

    fn init(&mut self, file: &EtfFile) -> Parsed<Vec<EtfValue>> {
        let mut cells = Vec::new();
        self.lines()?;
        for slot in &file.state {
            let what = match &slot.name {
                Some(name) => format!("the initial value of `{name}`"),
                None => "an initial value".to_owned(),
            };
            cells.push(self.cell(&what)?);
            self.lines()?;
        }
        self.end("init", "no further value")?;
        Ok(cells)
    }

    fn line_end(&mut self, what: &str) -> Parsed<()> {
        match self.token {
            EtfToken::Newline => self.lines(),
            _ => self.expected(&format!("the end of the line after {what}")),
        }
    }

    fn trans(&mut self, file: &EtfFile) -> Parsed<Vec<Entry>> {
        let mut entries = Vec::new();
        self.lines()?;
        while !self.is_word("end") {
            let start = self.span.start;
            let mut slots = Vec::new();
            for slot in 0..file.state.len() as u32 {
                if self.token == EtfToken::Star {
                    self.advance()?;
                    continue;
                }
                let from = self.number("`*` or a pair such as `0/1`")?;
                if self.token != EtfToken::Slash {
                    return self.expected("`/` and the new value");
                }
                self.advance()?;
                slots.push((slot, from, self.number("the new value")?));
            }
            let labels = file
                .edge
                .iter()
                .map(|_| self.cell("the label of the edge"))
                .collect::<Parsed<_>>()?;
            entries.push(Entry {
                slots,
                labels,
                span: start..self.span.start,
            });
            self.line_end("an entry of every slot and label")?;
        }
        self.end("trans", "an entry")?;
        Ok(entries)
    }

    fn map(&mut self, file: &EtfFile) -> Parsed<MapSection> {
        let typed = self.typed()?;
        let mut entries = Vec::new();
        self.lines()?;
        while !self.is_word("end") {
            let start = self.span.start;
            let mut slots = Vec::new();
            for slot in 0..file.state.len() as u32 {
                if self.token == EtfToken::Star {
                    self.advance()?;
                    continue;
                }
                slots.push((slot, self.number("`*` or a number")?));
            }
            let value = self.cell("the value of the map")?;
            entries.push(MapEntry {
                slots,
                value,
                span: start..self.span.start,
            });
            self.line_end("an entry of every slot and the value")?;
        }
        self.end("map", "an entry")?;
        Ok(MapSection { typed, entries })
    }
}
