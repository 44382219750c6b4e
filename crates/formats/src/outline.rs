//! The names of the requested properties, found without a model.
//!
//! If a model cannot be read or unfolded within the limits, every property is reported as unknown;
//! this module lists their names without resolving atoms.

use crate::xml::{self, Item, Xml, XmlSource};
use lariat_model::property_file::{
    assumption, comment, looks_like_ltl_file, read_ltl_file, split_name,
};

/// The names and texts of properties. Texts with syntax errors are skipped, since errors are
/// reported only with a model.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Name and text of each property, in input order.
    pub list: Vec<(String, String)>,
}

impl Outline {
    /// Adds a property; without a name it is named by its position.
    pub fn add(&mut self, name: Option<&str>, text: &str) {
        let name = name.map_or_else(|| (self.list.len() + 1).to_string(), str::to_owned);
        self.list.push((name, text.trim().to_owned()));
    }

    /// Adds the properties of a formula file.
    pub fn add_file(&mut self, bytes: &[u8]) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Ok(text) = std::str::from_utf8(bytes) else {
            return;
        };
        if looks_like_ltl_file(bytes) {
            let file = read_ltl_file("", bytes).unwrap_or_default();
            for (name, at) in file.properties {
                self.add(name.as_deref(), &text[at]);
            }
            return;
        }
        for line in text.lines() {
            let content = &line[..comment(line)];
            let (name, formula) = split_name(content);
            if assumption(content).is_none() && !formula.trim().is_empty() {
                self.add(name, formula);
            }
        }
    }

    /// Adds the properties of a contest file; their text is the description.
    pub fn add_mcc(&mut self, bytes: &[u8]) {
        let Ok(text) = xml::decode("", bytes) else {
            return;
        };
        let source = XmlSource {
            origin: "",
            text: &text,
        };
        let mut xml = Xml::new(&source);
        let (mut id, mut description) = (None, String::new());
        loop {
            match xml.next() {
                Ok(Item::Open(element)) => match element.name {
                    "id" => id = xml.name().ok().map(|(text, _)| text.into_owned()),
                    "description" => {
                        description = match xml.characters() {
                            Ok((text, _)) => text.into_owned(),
                            Err(_) => String::new(),
                        };
                    }
                    "formula" => {
                        if xml.skip().is_err() {
                            return;
                        }
                        if let Some(id) = id.take() {
                            self.add(Some(&id), &std::mem::take(&mut description));
                        }
                    }
                    _ => {}
                },
                Ok(Item::Close | Item::Text(_)) => {}
                Ok(Item::End) | Err(_) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_found_without_a_model() {
        let mut outline = Outline::default();
        outline.add(None, " G nobody ");
        outline.add_file(b"# none\nfair weak all\nfirst: F x # and more\n\nG y\n");
        outline.add_file(b"#define a P.s\n#property F a\n");
        outline.add_mcc(b"<property-set><property><id>M-00</id><description>d</description><formula><all-paths/></formula></property><property><id>M-01</id><formula/></property></property-set>");
        outline.add_mcc(b"<property-set><property>");
        outline.add_file(b"\xff\xfe");
        let list: Vec<(&str, &str)> = outline.list.iter().map(|(n, t)| (&**n, &**t)).collect();
        assert_eq!(
            list,
            [
                ("1", "G nobody"),
                ("first", "F x"),
                ("3", "G y"),
                ("4", "F a"),
                ("M-00", "d"),
                ("M-01", "")
            ]
        );
    }
}
