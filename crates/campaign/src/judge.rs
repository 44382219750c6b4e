//! Answers that contradict each other, or what is known.

use crate::record::Record;
use std::collections::HashMap;

/// Two answers to one question.
#[derive(Clone, PartialEq, Debug)]
pub enum Contradiction {
    /// The answer is not the known one.
    Wrong(Box<Record>),
    /// Two engines, or two runs of one, say different things.
    Disagreement(Box<[Record; 2]>),
}

/// Hears all answers of a campaign.
#[derive(Debug, Default)]
pub struct Judge {
    /// For each model and property, the first answers that differ.
    answers: HashMap<(String, String), Vec<Record>>,
}

impl Judge {
    /// Hears a record, and says what is wrong about it.
    pub fn hear(&mut self, record: &Record) -> Option<Contradiction> {
        let answer = record.answer.as_ref()?;
        let question = (record.model.clone(), record.property.clone());
        let heard = self.answers.entry(question).or_default();
        let new = heard
            .iter()
            .all(|other| other.answer.as_ref() != Some(answer));
        let disagreement = match heard.first() {
            Some(first) if new => Some(Contradiction::Disagreement(Box::new([
                first.clone(),
                record.clone(),
            ]))),
            _ => None,
        };
        if new {
            heard.push(record.clone());
        }
        disagreement.or_else(|| {
            record
                .is_wrong()
                .then(|| Contradiction::Wrong(Box::new(record.clone())))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::plain;

    #[test]
    fn the_first_different_answer_is_told() {
        let mut judge = Judge::default();
        let holds = plain();
        let violated = Record {
            engine: "sog".to_owned(),
            answer: Some("violated".to_owned()),
            ..plain()
        };
        let other = Record {
            property: "r2".to_owned(),
            ..violated.clone()
        };
        assert_eq!(judge.hear(&holds), None);
        assert_eq!(judge.hear(&other), None);
        let pair = Box::new([holds.clone(), violated.clone()]);
        assert_eq!(
            judge.hear(&violated),
            Some(Contradiction::Disagreement(pair))
        );
        assert_eq!(judge.hear(&violated), None);
        assert_eq!(judge.hear(&holds), None);
        let silent = Record {
            answer: None,
            ..plain()
        };
        assert_eq!(judge.hear(&silent), None);
        let wrong = Record {
            known: Some("violated".to_owned()),
            ..plain()
        };
        assert_eq!(
            judge.hear(&wrong),
            Some(Contradiction::Wrong(Box::new(wrong.clone())))
        );
    }
}
