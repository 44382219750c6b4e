//! Detection of answers that contradict each other or a known answer.

use crate::record::Record;
use std::collections::HashMap;

/// An answer that contradicts another answer to the same question.
#[derive(Clone, PartialEq, Debug)]
pub enum AnswerConflict {
    /// The answer differs from the known one.
    Wrong(Box<Record>),
    /// Two engines, or two runs of one engine, give different answers.
    Disagreement(Box<[Record; 2]>),
}

/// Collects the answers of a campaign and reports contradictions.
#[derive(Debug, Default)]
pub struct Judge {
    /// Per model and property, the first record of each different answer.
    answers: HashMap<(String, String), Vec<Record>>,
}

impl Judge {
    /// Adds a record and returns a contradiction that it causes, if it has not been returned yet.
    pub fn add(&mut self, record: &Record) -> Option<AnswerConflict> {
        let answer = record.answer.as_ref()?;
        let question = (record.model.clone(), record.property.clone());
        let known = self.answers.entry(question).or_default();
        let is_known = |other: &Record| other.answer.as_ref() == Some(answer);
        if !known.iter().any(is_known) {
            known.push(record.clone());
            if let [first, _, ..] = &known[..] {
                let pair = Box::new([first.clone(), record.clone()]);
                return Some(AnswerConflict::Disagreement(pair));
            }
        }
        let wrong = || AnswerConflict::Wrong(Box::new(record.clone()));
        record.is_wrong().then(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::plain;

    #[test]
    fn each_different_answer_is_reported_once() {
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
        assert_eq!(judge.add(&holds), None);
        assert_eq!(judge.add(&other), None);
        let pair = Box::new([holds.clone(), violated.clone()]);
        let conflict = AnswerConflict::Disagreement(pair);
        assert_eq!(judge.add(&violated), Some(conflict));
        assert_eq!(judge.add(&violated), None);
        assert_eq!(judge.add(&holds), None);
        let silent = Record {
            answer: None,
            ..plain()
        };
        assert_eq!(judge.add(&silent), None);
        let wrong = Record {
            known: Some("violated".to_owned()),
            ..plain()
        };
        let conflict = AnswerConflict::Wrong(Box::new(wrong.clone()));
        assert_eq!(judge.add(&wrong), Some(conflict));
    }
}
