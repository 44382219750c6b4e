//! The differential harness: all subjects on random systems and formulas, under both policies.
//!
//! A *subject* is anything that answers a [`Case`], such as an engine or the façade. Per seed the
//! harness generates a case with four variants (formula and negation, `Stutter` and `Ignore`), runs
//! the oracle and every subject, and requires that
//!
//! - the verdict is that of the oracle,
//! - the lasso of a violation is a run of the system and violates the formula, by direct
//!   evaluation,
//! - under `Stutter` a formula and its negation do not both hold,
//! - no subject panics, and only permitted ones answer `Unknown`.
//!
//! The first difference stops the campaign with a shrunk case and the command that replays it.

use crate::case::Case;
use crate::shrink;
use lariat_model::{Deadlock, Lasso};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The answer of a subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Every run satisfies the formula.
    Holds,
    /// This run violates the formula.
    Violated(Lasso),
    /// No answer, with the reason.
    Unknown(String),
}

type Ask = Box<dyn Fn(&Case) -> Answer + Sync>;

/// A function that answers cases, and the cases that it supports.
pub struct Subject {
    name: String,
    ask: Ask,
    supports: fn(&Case) -> bool,
    may_give_up: fn(&Case) -> bool,
}

impl Subject {
    /// Creates a subject that must answer every case.
    pub fn new(name: &str, ask: impl Fn(&Case) -> Answer + Sync + 'static) -> Subject {
        Subject {
            name: name.to_owned(),
            ask: Box::new(ask),
            supports: |_| true,
            may_give_up: |_| false,
        }
    }

    /// Restricts the subject to the cases of which `supports` is true.
    #[must_use]
    pub fn only(self, supports: fn(&Case) -> bool) -> Subject {
        Subject { supports, ..self }
    }

    /// Permits the answer [`Answer::Unknown`].
    #[must_use]
    pub fn may_give_up(self) -> Subject {
        self.may_refuse(|_| true)
    }

    /// Permits the answer [`Answer::Unknown`] to cases of which `may` is true.
    #[must_use]
    pub fn may_refuse(self, may: fn(&Case) -> bool) -> Subject {
        Subject {
            may_give_up: may,
            ..self
        }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the subject supports the case.
    pub fn supports(&self, case: &Case) -> bool {
        (self.supports)(case)
    }

    /// Returns its answer without comparing it with the oracle.
    pub fn answer(&self, case: &Case) -> Answer {
        (self.ask)(case)
    }

    /// Returns its answer to a case; the error describes the difference to the oracle's answer.
    pub fn judge(&self, case: &Case, expected: Option<&Lasso>) -> Result<Answer, String> {
        let answer = catch_unwind(AssertUnwindSafe(|| (self.ask)(case))).map_err(|cause| {
            let text = cause
                .downcast_ref::<String>()
                .map(String::as_str)
                .or(cause.downcast_ref::<&str>().copied());
            format!("panicked: {}", text.unwrap_or("(no text)"))
        })?;
        match &answer {
            Answer::Holds => match expected {
                Some(run) => Err(format!(
                    "answers that it holds, but it is violated by {run:?}"
                )),
                None => Ok(answer),
            },
            Answer::Violated(lasso) => match (case.check(lasso), expected) {
                (Err(why), _) => Err(format!("returned a wrong lasso: {why}; {lasso:?}")),
                (Ok(()), None) => Err(format!(
                    "found a violating run that the ORACLE missed: {lasso:?}"
                )),
                (Ok(()), Some(_)) => Ok(answer),
            },
            Answer::Unknown(why) => {
                if (self.may_give_up)(case) && !why.starts_with("internal") {
                    Ok(answer)
                } else {
                    Err(format!("answers unknown: {why}"))
                }
            }
        }
    }
}

/// A range of seeds with a generator of cases.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The first seed.
    pub seed: u64,
    /// Number of seeds.
    pub cases: u64,
    /// The command that replays a case, after `LARIAT_SEED=… LARIAT_CASES=1`.
    pub replay: String,
    /// The generator of cases.
    pub case: fn(u64) -> Case,
}

/// The default of the first seed.
const DEFAULT_SEED: u64 = 20_260_000;

impl Campaign {
    /// Creates a campaign of `cases` seeds. `LARIAT_SEED` and `LARIAT_CASES` override the defaults.
    pub fn from_env(cases: u64) -> Campaign {
        let read = |name: &str| std::env::var(name).ok()?.trim().parse().ok();
        Campaign {
            seed: read("LARIAT_SEED").unwrap_or(DEFAULT_SEED),
            cases: read("LARIAT_CASES").unwrap_or(cases),
            replay: "cargo run --release -p lariat-differential".to_owned(),
            case: Case::random,
        }
    }

    /// Replaces the generator of cases.
    #[must_use]
    pub fn about(self, case: fn(u64) -> Case) -> Campaign {
        Campaign { case, ..self }
    }

    /// Replaces the command that replays a case.
    #[must_use]
    pub fn replayed_by(self, command: &str) -> Campaign {
        Campaign {
            replay: command.to_owned(),
            ..self
        }
    }

    /// Returns all seeds.
    pub fn seeds(&self) -> impl Iterator<Item = u64> + use<> {
        let seed = self.seed;
        (0..self.cases).map(move |i| seed.wrapping_add(i))
    }

    /// Runs all cases on all subjects. Calls `progress` with the counters after every seed.
    pub fn run(
        &self,
        subjects: &[Subject],
        mut progress: impl FnMut(&Counters),
    ) -> Result<Counters, Box<Failure>> {
        let mut counters = Counters {
            subjects: subjects
                .iter()
                .map(|s| (s.name.clone(), Tally::default()))
                .collect(),
            ..Counters::default()
        };
        for seed in self.seeds() {
            self.seed(seed, subjects, &mut counters)?;
            progress(&counters);
        }
        Ok(counters)
    }

    /// Runs all cases on all subjects and prints the counters, for tests.
    ///
    /// # Panics
    ///
    /// If there is a difference.
    pub fn pass(&self, subjects: &[Subject]) -> Counters {
        let counters = self.run(subjects, |_| {});
        let counters = counters.unwrap_or_else(|failure| panic!("{failure}"));
        println!("{counters}");
        counters
    }

    fn seed(
        &self,
        seed: u64,
        subjects: &[Subject],
        counters: &mut Counters,
    ) -> Result<(), Box<Failure>> {
        counters.seeds += 1;
        let mut held: Vec<bool> = vec![false; subjects.len()];
        for (i, case) in (self.case)(seed).variants().into_iter().enumerate() {
            let expected = case.oracle();
            if let Some(lasso) = &expected
                && let Err(why) = case.check(lasso)
            {
                let complaint = format!("returned a wrong lasso: {why}; {lasso:?}");
                return Err(self.failure(seed, "the oracle", complaint, case));
            }
            counters.violated += u64::from(expected.is_some());
            counters.holds += u64::from(expected.is_none());
            for (j, subject) in subjects.iter().enumerate() {
                let tally = &mut counters.subjects[j].1;
                if !subject.supports(&case) {
                    tally.skipped += 1;
                    continue;
                }
                match subject.judge(&case, expected.as_ref()) {
                    Ok(Answer::Unknown(_)) => tally.unknown += 1,
                    Ok(answer) => {
                        tally.decided += 1;
                        let negation = i % 2 == 1;
                        let holds = answer == Answer::Holds;
                        let stutters = case.deadlock == Deadlock::Stutter;
                        if negation && holds && held[j] && stutters && case.fairness.is_empty() {
                            let complaint = "holds together with its negation".to_owned();
                            return Err(self.failure(seed, &subject.name, complaint, case));
                        }
                        held[j] = holds && !negation;
                    }
                    Err(complaint) => {
                        let wrong = |c: &Case| {
                            subject.supports(c) && subject.judge(c, c.oracle().as_ref()).is_err()
                        };
                        let small = shrink::shrink(&case, wrong);
                        let mut failure = self.failure(seed, &subject.name, complaint, case);
                        let again = subject.judge(&small, small.oracle().as_ref());
                        failure.small = again.err().map(|complaint| (small, complaint));
                        return Err(failure);
                    }
                }
            }
        }
        Ok(())
    }

    fn failure(&self, seed: u64, subject: &str, complaint: String, case: Case) -> Box<Failure> {
        Box::new(Failure {
            seed,
            subject: subject.to_owned(),
            complaint,
            case,
            small: None,
            replay: format!("LARIAT_SEED={seed} LARIAT_CASES=1 {}", self.replay),
        })
    }
}

/// Counters of one subject.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Correct verdicts.
    pub decided: u64,
    /// Permitted unknown answers.
    pub unknown: u64,
    /// Unsupported cases.
    pub skipped: u64,
}

/// Counters of a campaign.
#[derive(Clone, Default, Debug)]
pub struct Counters {
    /// Seeds.
    pub seeds: u64,
    /// Cases whose formula holds.
    pub holds: u64,
    /// Cases with a violating run.
    pub violated: u64,
    /// Counters per subject.
    pub subjects: Vec<(String, Tally)>,
}

impl Counters {
    /// Returns the totals on one line.
    pub fn headline(&self) -> String {
        let verdicts: u64 = self.subjects.iter().map(|(_, t)| t.decided).sum();
        format!(
            "{} systems, {} cases ({} hold, {} violated), {verdicts} verdicts",
            self.seeds,
            self.holds + self.violated,
            self.holds,
            self.violated
        )
    }
}

/// The totals, and one line per subject.
impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.headline())?;
        for (name, t) in &self.subjects {
            write!(f, "\n  {name}: {} decided", t.decided)?;
            if t.unknown + t.skipped > 0 {
                write!(f, ", {} unknown, {} unsupported", t.unknown, t.skipped)?;
            }
        }
        Ok(())
    }
}

/// A difference between a subject and the oracle.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed of the case.
    pub seed: u64,
    /// The subject.
    pub subject: String,
    /// The difference.
    pub complaint: String,
    /// The generated case.
    pub case: Case,
    /// A shrunk case with its difference.
    pub small: Option<(Case, String)>,
    /// The command that replays it.
    pub replay: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {} {}", self.seed, self.subject, self.complaint)?;
        writeln!(f, "{}", self.case)?;
        if let Some((case, complaint)) = &self.small {
            writeln!(f, "-- shrunk: {} {complaint}", self.subject)?;
            writeln!(f, "{case}")?;
        }
        write!(f, "replay: {}", self.replay)
    }
}
