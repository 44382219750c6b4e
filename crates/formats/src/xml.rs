//! A pull parser for XML with source locations, used by the readers of PNML and property files.
//!
//! It stores only the position, so the reader determines the memory used. Elements are identified
//! by their local name; prefixes are ignored. Only the five predefined entities and character
//! references are resolved; document types are skipped and references to their entities are errors,
//! which prevents unbounded expansion. Nesting depth is limited, so that readers may recurse.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use quick_xml::{Error, XmlVersion};

use lariat_model::{InputError, visible};

/// Limit on the nesting depth of elements.
pub(crate) const DEPTH: usize = 1000;

/// The result of reading a part of the text.
pub(crate) type XmlResult<T> = Result<T, InputError>;

/// The text and its name in errors.
pub(crate) struct XmlSource<'a> {
    pub origin: &'a str,
    pub text: &'a str,
}

/// An opening tag. An empty element `<e/>` yields an opening and a closing item.
pub(crate) struct Element<'a> {
    /// The name without its prefix.
    pub name: &'a str,
    /// The bytes of the tag.
    pub span: Range<usize>,
    tag: BytesStart<'a>,
    source: &'a XmlSource<'a>,
}

pub(crate) struct Attribute<'a> {
    pub value: Cow<'a, str>,
    /// The bytes of the value in the text.
    span: Range<usize>,
    source: &'a XmlSource<'a>,
}

/// A parser event.
pub(crate) enum Item<'a> {
    Open(Element<'a>),
    Close,
    /// A piece of character data.
    Text(Cow<'a, str>),
    /// The end of the text.
    End,
}

/// A parser for a text that tracks locations for errors.
pub(crate) struct Xml<'a> {
    source: &'a XmlSource<'a>,
    reader: Reader<&'a [u8]>,
    depth: usize,
    /// Where the last item starts.
    start: usize,
    seen_root: bool,
    /// The first skipped text, and the number of skipped texts.
    passed: Option<Range<usize>>,
    times_passed: usize,
}

/// Decodes an XML file: UTF-8, or ISO-8859-1 if the prolog declares it.
pub(crate) fn decode<'a>(origin: &str, bytes: &'a [u8]) -> XmlResult<Cow<'a, str>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(InputError::new(origin, "the file is in UTF-16")
            .help("save it in UTF-8; ISO-8859-1 is read too"));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) if declares_latin_1(bytes) => {
            Ok(Cow::Owned(bytes.iter().map(|b| char::from(*b)).collect()))
        }
        Err(error) => {
            let at = error.valid_up_to();
            Err(
                InputError::at(origin, bytes, at..at + 1, "this is not UTF-8")
                    .help("save the file in UTF-8, or declare encoding=\"ISO-8859-1\" if that is what it is in"),
            )
        }
    }
}

fn declares_latin_1(bytes: &[u8]) -> bool {
    let prolog = bytes
        .strip_prefix(b"<?xml")
        .and_then(|rest| rest.iter().position(|b| *b == b'>').map(|end| &rest[..end]));
    prolog.is_some_and(|prolog| {
        let prolog = String::from_utf8_lossy(prolog).to_ascii_lowercase();
        ["iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii"]
            .iter()
            .any(|name| prolog.contains(name))
    })
}

impl<'a> XmlSource<'a> {
    /// An error at a range of the text.
    fn error(&self, span: Range<usize>, message: impl Into<String>) -> InputError {
        InputError::at(self.origin, self.text.as_bytes(), span, message)
    }

    /// Returns `part`, a slice of the text, with the lifetime of the text.
    fn own(&self, part: &str) -> (&'a str, Range<usize>) {
        let at = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let span = at..at.wrapping_add(part.len());
        (self.text.get(span.clone()).unwrap_or(""), span)
    }
}

impl<'a> Element<'a> {
    /// An error at the opening tag.
    pub fn error(&self, message: impl Into<String>) -> InputError {
        self.source.error(self.span.clone(), message)
    }

    /// The tag as written.
    pub fn text(&self) -> &str {
        self.source.text.get(self.span.clone()).unwrap_or("")
    }

    /// The values of the named attributes in [visible form](visible), in the order of `names`.
    pub fn attributes<const N: usize>(
        &self,
        names: [&str; N],
    ) -> XmlResult<[Option<Attribute<'a>>; N]> {
        let source = self.source;
        let mut found = [const { None }; N];
        for attribute in self.tag.attributes() {
            let attribute = attribute.map_err(|error| {
                // Positions within the tag are meaningless to the user.
                let what = error.to_string();
                let what = what.split_once(": ").map_or(&*what, |(_, what)| what);
                let what = what.split(", previous").next().unwrap_or(what);
                self.error(format!("malformed XML: {what}"))
            })?;
            let key = attribute.key.as_ref();
            let Some(slot) = names.iter().position(|name| *name == key) else {
                continue;
            };
            let (raw, span) = source.own(&attribute.value);
            let value = match attribute.normalized_value(XmlVersion::Implicit1_0) {
                Ok(Cow::Borrowed(_)) => Cow::Borrowed(raw),
                Ok(Cow::Owned(value)) => Cow::Owned(value),
                Err(error) => return Err(source.error(span, format!("malformed XML: {error}"))),
            };
            let value = visible(value);
            found[slot] = Some(Attribute {
                value,
                span,
                source,
            });
        }
        Ok(found)
    }

    /// Refuses attributes that are not in the list; those of namespaces are no part of the model.
    pub fn only(&self, known: &[&str]) -> XmlResult<()> {
        for attribute in self.tag.attributes().flatten() {
            let key = attribute.key.as_ref();
            let is_foreign = key == "xmlns" || key.contains(':');
            if !is_foreign && !known.contains(&key) {
                let (_, span) = self.source.own(&attribute.value);
                let message = format!("unknown attribute `{key}` of <{}>", self.name);
                let expected = format!("expected {}", known.join(", "));
                return Err(self.source.error(span, message).help(expected));
            }
        }
        Ok(())
    }

    /// Requires an attribute to be present.
    pub fn required(
        &self,
        name: &str,
        attribute: Option<Attribute<'a>>,
    ) -> XmlResult<Attribute<'a>> {
        let tag = self.name;
        attribute.ok_or_else(|| self.error(format!("<{tag}> without the attribute `{name}`")))
    }

    /// The value of an attribute that must be present.
    pub fn attribute(&self, name: &str) -> XmlResult<Attribute<'a>> {
        let [value] = self.attributes([name])?;
        self.required(name, value)
    }
}

impl Attribute<'_> {
    /// An error at the value.
    pub fn error(&self, message: impl Into<String>) -> InputError {
        self.source.error(self.span.clone(), message)
    }

    /// The bytes of the value in the text.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The spelling of the value in the text.
    pub fn spelling(&self) -> &str {
        self.source.text.get(self.span.clone()).unwrap_or("")
    }
}

impl<'a> Xml<'a> {
    pub fn new(source: &'a XmlSource<'a>) -> Xml<'a> {
        let mut reader = Reader::from_str(source.text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.trim_markup_names_in_closing_tags = true;
        Xml {
            source,
            reader,
            depth: 0,
            start: 0,
            seen_root: false,
            passed: None,
            times_passed: 0,
        }
    }

    /// An error at a range of the text.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> InputError {
        self.source.error(span, message)
    }

    pub fn error_here(&self, message: impl Into<String>) -> InputError {
        self.error(self.here(), message)
    }

    /// The bytes of the last item.
    pub fn here(&self) -> Range<usize> {
        self.start..self.position().max(self.start + 1)
    }

    pub fn slice(&self, span: Range<usize>) -> &'a str {
        self.source.text.get(span).unwrap_or("")
    }

    fn position(&self) -> usize {
        self.reader.buffer_position() as usize
    }

    /// The next item; comments, declarations and processing instructions are skipped.
    pub fn next(&mut self) -> XmlResult<Item<'a>> {
        loop {
            self.start = self.position();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.malformed(&error)),
            };
            match event {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > DEPTH {
                        return Err(self.error_here(format!(
                            "elements are nested more than {DEPTH} deep here"
                        )));
                    }
                    if self.depth == 1 && self.seen_root {
                        return Err(
                            self.error_here("a second root element: expected the end of the file")
                        );
                    }
                    self.seen_root = true;
                    let name = self.source.own(tag.local_name().as_ref()).0;
                    let span = self.here();
                    return Ok(Item::Open(Element {
                        name,
                        span,
                        tag,
                        source: self.source,
                    }));
                }
                // Unreachable: empty elements are expanded to two events.
                Event::Empty(_) => {}
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Item::Close);
                }
                Event::Text(text) => {
                    let text = text.xml10_content();
                    if self.depth > 0 {
                        return Ok(Item::Text(text));
                    }
                    if !text.trim().is_empty() {
                        return Err(self.stray());
                    }
                }
                Event::CData(text) => {
                    if self.depth == 0 {
                        return Err(self.stray());
                    }
                    return Ok(Item::Text(text.xml10_content()));
                }
                Event::GeneralRef(reference) => {
                    if self.depth == 0 {
                        return Err(self.stray());
                    }
                    let name = reference.xml10_content();
                    let resolved = match reference.resolve_char_ref() {
                        Ok(Some(c)) => Some(c),
                        Ok(None) => match &*name {
                            "lt" => Some('<'),
                            "gt" => Some('>'),
                            "amp" => Some('&'),
                            "quot" => Some('"'),
                            "apos" => Some('\''),
                            _ => None,
                        },
                        Err(_) => None,
                    };
                    return match resolved {
                        Some(c) => Ok(Item::Text(Cow::Owned(c.to_string()))),
                        None => Err(self.error_here(format!("unknown entity `&{name};`")).help(
                            "expected one of &lt; &gt; &amp; &quot; &apos; or a character's number; entities of a document type are not expanded",
                        )),
                    };
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
                Event::Eof => {
                    if self.depth > 0 {
                        let end = self.source.text.len();
                        return Err(self.error(
                            end..end,
                            format!(
                                "the file ends inside {}: expected their closing tags",
                                counted(self.depth, "open element")
                            ),
                        ));
                    }
                    return Ok(Item::End);
                }
            }
        }
    }

    /// Rejects non-blank text, which was the last item.
    pub fn only_blanks(&self, text: &str) -> XmlResult<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        Err(self.error(self.trimmed(), "text where an element is expected"))
    }

    /// Skips text between elements, which was the last item, and counts it for [`Xml::warning`].
    ///
    /// Some contest nets contain stray characters such as `$`. A number is rejected instead: it may
    /// be a marking or a weight that lost its element.
    pub fn pass_text(&mut self, text: &str) -> XmlResult<()> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        if text
            .trim_start_matches(['+', '-'])
            .starts_with(|c: char| c.is_ascii_digit())
        {
            return self.only_blanks(text);
        }
        if self.passed.is_none() {
            self.passed = Some(self.trimmed());
        }
        self.times_passed += 1;
        Ok(())
    }

    /// One warning about all skipped text.
    pub fn warning(&self) -> Option<InputError> {
        let first = self.passed.clone()?;
        let warning = self.error(first, "text between elements is skipped");
        Some(match self.times_passed {
            1 => warning,
            times => warning.help(format!(
                "the file has such text in {times} places; this is the first"
            )),
        })
    }

    /// The bytes of the last item without surrounding blanks.
    fn trimmed(&self) -> Range<usize> {
        let Range { start, end } = self.here();
        let raw = self.slice(start..end);
        let start = start + raw.len() - raw.trim_start().len();
        start..start + raw.trim().len()
    }

    fn stray(&self) -> InputError {
        self.error_here("text outside of the document: expected an element")
    }

    fn malformed(&self, error: &Error) -> InputError {
        let at = self.reader.error_position() as usize;
        let start = if at == 0 { self.start } else { at };
        let end = self.source.text[floor(self.source.text, start)..]
            .find(['>', '\n'])
            .map_or(start + 1, |n| start + n + 1);
        let what = error.to_string();
        let what = what
            .strip_prefix("ill-formed document: ")
            .or(what.strip_prefix("syntax error: "))
            .unwrap_or(&what);
        self.error(start..end, format!("malformed XML: {what}"))
    }

    /// Skips the rest of the element opened last.
    pub fn skip(&mut self) -> XmlResult<()> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            if let Item::End = self.next()? {
                break;
            }
        }
        Ok(())
    }

    /// Like [`characters`](Xml::characters), for a name: in [visible form](visible).
    pub fn name(&mut self) -> XmlResult<(Cow<'a, str>, Range<usize>)> {
        let (name, span) = self.characters()?;
        Ok((visible(name), span))
    }

    /// The trimmed characters of the element opened last, which must not contain elements, and
    /// their location.
    pub fn characters(&mut self) -> XmlResult<(Cow<'a, str>, Range<usize>)> {
        let start = self.position();
        let mut all: Cow<'a, str> = Cow::Borrowed("");
        loop {
            match self.next()? {
                Item::Text(piece) if all.is_empty() => all = piece,
                Item::Text(piece) => all.to_mut().push_str(&piece),
                Item::Open(element) => {
                    let name = element.name;
                    return Err(element.error(format!("<{name}> where only text is expected")));
                }
                Item::Close | Item::End => {
                    let span = start..self.start.max(start + 1);
                    let all = match all {
                        Cow::Borrowed(all) => Cow::Borrowed(all.trim()),
                        Cow::Owned(all) => Cow::Owned(all.trim().to_owned()),
                    };
                    return Ok((all, span));
                }
            }
        }
    }
}

/// `3 places`, `1 place`
pub(crate) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The largest character boundary not after `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
