//! The names of questions without a printed answer.
//!
//! The main thread prints an answer and removes its name under one lock. If the
//! [watchdog](crate::watchdog) ends the process, it prints the line of an undecided question for
//! each name that is left, under the same lock.

use crate::watchdog::Watchdog;
use crate::{Exit, Failure, out};
use lariat::internals::Stop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The names that are left, by question.
type Names = Vec<Option<String>>;

/// Prints one answer per question.
pub(crate) struct OpenNames {
    names: Arc<Mutex<Names>>,
    dog: Watchdog,
}

impl OpenNames {
    /// All questions are open. When the process is ended for a reason, `undecided` is the line of
    /// an open question, and `exit` the status.
    pub(crate) fn new(
        names: impl IntoIterator<Item = String>,
        dog: &Watchdog,
        undecided: impl Fn(&str, &Stop) -> String + Send + 'static,
        exit: fn(&Stop) -> Exit,
    ) -> OpenNames {
        let names: Names = names.into_iter().map(Some).collect();
        let names = Arc::new(Mutex::new(names));
        let left = Arc::clone(&names);
        dog.last_words(move |stop| {
            for name in lock(&left).iter_mut().filter_map(Option::take) {
                if out::data(&undecided(&name, stop)).is_err() {
                    return Exit::Undecided;
                }
            }
            exit(stop)
        });
        OpenNames {
            names,
            dog: dog.clone(),
        }
    }

    /// Prints the answer to a question.
    pub(crate) fn answer(
        &self,
        question: usize,
        print: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.dog.pause(|| {
            let mut names = lock(&self.names);
            if let Some(name) = names.get_mut(question) {
                *name = None;
            }
            print()
        })
    }

    /// Prints the answers to all remaining questions with one call.
    pub(crate) fn answer_rest(
        &self,
        print: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.dog.pause(|| {
            let mut names = lock(&self.names);
            names.clear();
            print()
        })
    }
}

fn lock(names: &Mutex<Names>) -> MutexGuard<'_, Names> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat::internals::{Budget, Cancel};

    #[test]
    fn the_watchdog_answers_what_is_left_once() {
        let dog = Watchdog::start(&Cancel::default(), &Budget::unlimited());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let undecided = move |name: &str, stop: &Stop| {
            seen.lock().unwrap().push(format!("{name}: {stop}"));
            String::new()
        };
        let names = ["a", "b", "c"].map(str::to_owned);
        let open = OpenNames::new(names, &dog, undecided, Exit::of_stop);
        assert!(open.answer(1, || Ok(())).is_ok());
        assert_eq!(dog.conclude(&Stop::Time), Some(Exit::Undecided));
        assert_eq!(*asked.lock().unwrap(), ["a: time", "c: time"]);
        assert_eq!(dog.conclude(&Stop::Time), None);
    }
}
