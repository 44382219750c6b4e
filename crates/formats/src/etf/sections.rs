//! The parser of the sections of an ETF file.

use std::ops::Range;

use super::lexer::{EtfLexer, EtfResult, EtfToken};

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

/// A line of a section: the mentioned slots in order with their cells, and the rest of the line.
#[derive(Debug)]
pub(super) struct Entry<Cell, Rest> {
    pub slots: Vec<(u32, Cell)>,
    pub rest: Rest,
    pub span: Range<usize>,
}

/// A line of a transition group: old and new values, and the labels.
pub(super) type TransitionEntry = Entry<(i64, i64), Vec<EtfValue>>;

#[derive(Debug)]
pub(super) struct MapSection {
    pub typed: Typed,
    pub entries: Vec<Entry<i64, EtfValue>>,
}

#[derive(Debug, Default)]
pub(super) struct EtfFile {
    pub state: Vec<Typed>,
    pub edge: Vec<Typed>,
    pub init: Option<(Vec<EtfValue>, Range<usize>)>,
    pub groups: Vec<Vec<TransitionEntry>>,
    pub maps: Vec<MapSection>,
    pub sorts: Vec<(String, Vec<String>, Range<usize>)>,
}

struct Parser<'t> {
    lexer: EtfLexer<'t>,
    token: EtfToken,
    span: Range<usize>,
}

pub(super) fn file(text: &[u8]) -> EtfResult<EtfFile> {
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
            "trans" => file.groups.push(p.trans(&file)?),
            "map" => file.maps.push(p.map(&file)?),
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
    fn advance(&mut self) -> EtfResult<()> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn lines(&mut self) -> EtfResult<()> {
        while self.token == EtfToken::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn expected<T>(&self, what: &str) -> EtfResult<T> {
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

    fn name(&mut self, what: &str) -> EtfResult<String> {
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

    fn word(&mut self, word: &str) -> EtfResult<()> {
        if self.is_word(word) {
            self.advance()
        } else {
            self.expected(&format!("`{word}`"))
        }
    }

    fn sign(&mut self, sign: EtfToken, what: &str) -> EtfResult<()> {
        if self.token == sign {
            self.advance()
        } else {
            self.expected(what)
        }
    }

    fn begin(&mut self, section: &str) -> EtfResult<()> {
        self.lines()?;
        if !self.is_word("begin") {
            return self.expected(&format!("`begin {section}`"));
        }
        self.advance()?;
        self.word(section)?;
        self.lines()
    }

    fn end(&mut self, section: &str, or: &str) -> EtfResult<()> {
        if !self.is_word("end") {
            return self.expected(&format!("{or} or `end {section}`"));
        }
        self.advance()?;
        self.word(section)
    }

    fn typed(&mut self) -> EtfResult<Typed> {
        let span = self.span.clone();
        let name = self.name("a name")?;
        self.lines()?;
        self.sign(EtfToken::Colon, "`:` and a sort")?;
        self.lines()?;
        let sort = self.name("a sort")?;
        let given = |name: String| (name != "_").then_some(name);
        Ok(Typed {
            name: given(name),
            sort: given(sort),
            span,
        })
    }

    fn typed_list(&mut self, section: &str) -> EtfResult<Vec<Typed>> {
        let mut list = Vec::new();
        self.lines()?;
        while !self.is_word("end") {
            list.push(self.typed()?);
            self.lines()?;
        }
        self.end(section, "a name")?;
        Ok(list)
    }

    fn number(&mut self, what: &str) -> EtfResult<i64> {
        match self.token {
            EtfToken::Number(n) => {
                self.advance()?;
                Ok(n)
            }
            _ => self.expected(what),
        }
    }

    fn cell(&mut self, what: &str) -> EtfResult<EtfValue> {
        match &mut self.token {
            EtfToken::Value(value) => {
                let value = std::mem::take(value);
                self.advance()?;
                Ok(EtfValue::Text(value))
            }
            _ => self.number(what).map(EtfValue::Number),
        }
    }

    fn init(&mut self, file: &EtfFile) -> EtfResult<Vec<EtfValue>> {
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

    /// The lines of a section up to its end: a cell or `*` per slot, and the rest, `what`.
    fn entries<Cell, Rest>(
        &mut self,
        section: &str,
        slots: usize,
        mut cell: impl FnMut(&mut Self) -> EtfResult<Cell>,
        mut rest: impl FnMut(&mut Self) -> EtfResult<Rest>,
        what: &str,
    ) -> EtfResult<Vec<Entry<Cell, Rest>>> {
        let mut entries = Vec::new();
        self.lines()?;
        while !self.is_word("end") {
            let start = self.span.start;
            let mut given = Vec::new();
            for slot in 0..slots as u32 {
                if self.token == EtfToken::Star {
                    self.advance()?;
                } else {
                    given.push((slot, cell(self)?));
                }
            }
            entries.push(Entry {
                slots: given,
                rest: rest(self)?,
                span: start..self.span.start,
            });
            if self.token != EtfToken::Newline {
                let what = format!("the end of the line after an entry of every slot and {what}");
                return self.expected(&what);
            }
            self.lines()?;
        }
        self.end(section, "an entry")?;
        Ok(entries)
    }

    fn trans(&mut self, file: &EtfFile) -> EtfResult<Vec<TransitionEntry>> {
        let pair = |p: &mut Self| {
            let from = p.number("`*` or a pair such as `0/1`")?;
            p.sign(EtfToken::Slash, "`/` and the new value")?;
            Ok((from, p.number("the new value")?))
        };
        let label = |p: &mut Self| p.cell("the label of the edge");
        let labels = |p: &mut Self| file.edge.iter().map(|_| label(p)).collect();
        self.entries("trans", file.state.len(), pair, labels, "label")
    }

    fn map(&mut self, file: &EtfFile) -> EtfResult<MapSection> {
        let typed = self.typed()?;
        let number = |p: &mut Self| p.number("`*` or a number");
        let value = |p: &mut Self| p.cell("the value of the map");
        let entries = self.entries("map", file.state.len(), number, value, "the value")?;
        Ok(MapSection { typed, entries })
    }
}
