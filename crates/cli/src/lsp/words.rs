//! The name at a position of a text, and its declaration.

use super::text::line_at;
use lariat::internals::formats::{Declaration, DeclarationKind};
use lariat::internals::ir::Fairness;
use std::collections::BTreeMap;
use std::ops::Range;

/// Limit on the bytes of a name before and after the position.
const REACH: usize = 200;

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The longest known name in the line that contains the position or ends there. Names of nets may
/// contain any characters, so a name is found by trying; it neither starts nor ends within a word.
pub(super) fn known_name(
    text: &str,
    offset: usize,
    is_known: impl Fn(&str) -> bool,
) -> Option<Range<usize>> {
    let line = line_at(text, offset);
    let is_border = |at: usize| {
        let before = text[line.start..at].chars().next_back();
        let after = text[at..line.end].chars().next();
        !(before.is_some_and(is_word) && after.is_some_and(is_word))
    };
    let within = |at: &usize| at.abs_diff(offset) <= REACH && text.is_char_boundary(*at);
    let starts = (line.start..=offset)
        .filter(within)
        .filter(|at| is_border(*at));
    let ends: Vec<usize> = { (offset..=line.end).filter(within) }
        .filter(|at| is_border(*at))
        .collect();
    starts
        .flat_map(|start| ends.iter().map(move |end| start..*end))
        .filter(|span| !span.is_empty() && is_known(&text[span.clone()]))
        .max_by_key(Range::len)
}

/// The identifier that contains the position or ends there.
pub(super) fn identifier(text: &str, offset: usize) -> Range<usize> {
    let before = text[..offset].chars().rev().take_while(|c| is_word(*c));
    let start = offset - before.map(char::len_utf8).sum::<usize>();
    let after = text[offset..].chars().take_while(|c| is_word(*c));
    start..offset + after.map(char::len_utf8).sum::<usize>()
}

/// The word before `.`, `->`, `:` or `@` in front of an identifier of a program; an index may follow
/// it, as in `P[0]:x`.
pub(super) fn qualifier(text: &str, start: usize) -> Option<&str> {
    let before = text[..start].trim_end();
    let before = [".", "->", ":", "@"]
        .iter()
        .find_map(|sign| before.strip_suffix(sign))?;
    let before = before.trim_end();
    let before = match before.strip_suffix(']') {
        Some(index) => &index[..index.rfind('[')?],
        None => before,
    };
    Some(&text[identifier(before, before.len())])
}

/// Returns whether a text is a program: its names are visible in a scope. Other texts are XML.
pub(super) fn is_program(text: &str) -> bool {
    !text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('<')
}

/// The process around a position.
pub(super) fn process_at(list: &[Declaration], offset: usize) -> Option<&str> {
    { list.iter() }
        .find(|d| d.kind == DeclarationKind::Process && d.scope.contains(&offset))
        .map(|d| d.name.as_str())
}

/// The declaration of the name at a position of a model, and the bytes of this occurrence.
pub(super) fn declaration_at<'d>(
    text: &str,
    offset: usize,
    list: &'d [Declaration],
) -> Option<(&'d Declaration, Range<usize>)> {
    if !is_program(text) {
        let mut named = BTreeMap::new();
        for declaration in list {
            let names = [Some(&declaration.name), declaration.label.as_ref()];
            for name in names.into_iter().flatten() {
                named.entry(name.as_str()).or_insert(declaration);
            }
        }
        let span = known_name(text, offset, |word| named.contains_key(word))?;
        return Some((named.get(&text[span.clone()])?, span));
    }
    let span = identifier(text, offset);
    let word = &text[span.clone()];
    let of = |owner: Option<&str>| {
        list.iter()
            .find(|d| d.name == word && d.owner.as_deref() == owner)
    };
    let is_process = |word: &&str| {
        let processes = list.iter().filter(|d| d.kind == DeclarationKind::Process);
        { processes }.any(|d| d.name == *word)
    };
    // `a -> b` in a transition is no access to a process `a`, unless there is one.
    let found = match qualifier(text, span.start).filter(is_process) {
        Some(owner) => of(Some(owner)),
        None => process_at(list, offset)
            .and_then(|process| of(Some(process)))
            .or_else(|| of(None)),
    };
    Some((found?, span))
}

/// The declaration of a name that a formula uses: `x`, `x[1]`, `P`, `P.s`, `P->x`, `P[0]:x`,
/// `P[0]@s`, or a step of a process.
pub(super) fn declaration_of<'d>(list: &'d [Declaration], name: &str) -> Option<&'d Declaration> {
    let globals = || list.iter().filter(|d| d.owner.is_none());
    let exact = globals().find(|d| d.name == name || d.label.as_deref() == Some(name));
    if exact.is_some() {
        return exact;
    }
    let name = name.strip_prefix(Fairness::PROCESS).unwrap_or(name);
    let word = |text: &str| identifier(text, 0).end;
    let (base, mut rest) = name.split_at(word(name));
    if let Some((_, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        rest = behind;
    }
    let rest = rest.trim_start_matches(['.', '-', '>', ':', '@']);
    let member = &rest[..word(rest)];
    let members = list.iter().filter(|d| d.owner.as_deref() == Some(base));
    { members }
        .find(|d| d.name == member)
        .or_else(|| globals().find(|d| d.name == base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat::internals::formats::declarations;

    #[test]
    fn the_longest_known_name_counts() {
        let known = ["p", "p-1", "-1 >= 2", "a b"];
        let name = |text: &str, offset: usize| {
            let found = known_name(text, offset, |word| known.contains(&word));
            found.map(|span| text[span].to_owned())
        };
        assert_eq!(name("G p-1", 2).as_deref(), Some("p-1"));
        assert_eq!(name("G p", 3).as_deref(), Some("p"));
        assert_eq!(name("G pp", 3), None);
        assert_eq!(name("\"a b\"", 2).as_deref(), Some("a b"));
        assert_eq!(name("q\np", 1), None);
        assert_eq!(name("", 0), None);
    }

    #[test]
    fn names_of_programs_are_resolved_in_their_scope() {
        let text = "byte x; process P { byte x; state s, t; init s; trans s -> t { guard Q->x == x; }; }\n\
             process Q { byte x; state s; init s; trans s -> s { guard P.t && x == 0; }; } system async;";
        let list = declarations("model.dve", text);
        let resolve = |place: &str, skip: usize| {
            let offset = text.find(place).expect(place) + skip;
            let (found, span) = declaration_at(text, offset, &list).expect(place);
            assert_eq!(text[span], found.name);
            (found.owner.clone().unwrap_or_default(), found.name.clone())
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(resolve("Q->x", 4), pair("Q", "x"));
        assert_eq!(resolve("== x", 3), pair("P", "x"));
        assert_eq!(resolve("-> t {", 3), pair("P", "t"));
        assert_eq!(resolve("P.t", 2), pair("P", "t"));
        assert_eq!(resolve("P.t", 0), pair("", "P"));
        assert_eq!(resolve("byte x; p", 5), pair("", "x"));
        let of = |name: &str| {
            let found = declaration_of(&list, name).expect(name);
            (found.owner.clone().unwrap_or_default(), found.name.clone())
        };
        assert_eq!(of("P.s"), pair("P", "s"));
        assert_eq!(of("Q->x"), pair("Q", "x"));
        assert_eq!(of("P:s->t"), pair("P", "s"));
        assert_eq!(of("P[1]:x"), pair("P", "x"));
        assert_eq!(of("Q[1]"), pair("", "Q"));
        assert_eq!(of("process:Q"), pair("", "Q"));
        assert_eq!(of("x[2]"), pair("", "x"));
    }
}
