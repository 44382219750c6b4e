//! The differential harness: every subject, random systems, random formulas, both policies.
//!
//! A *subject* is anything that answers a [`Case`]: an engine, the whole façade. For every seed the
//! harness makes one case with its four variants (formula and negation, `Stutter` and `Ignore`), asks the oracle and every
//! subject, and demands that
//!
//! - the verdict is the oracle's,
//! - the lasso of a violation is a run of the system and violates the formula, by direct evaluation,
//! - under `Stutter` a formula and its negation never both hold,
//! - nobody panics, and only who is allowed to gives up.
//!
//! The first difference ends the campaign with a [`Failure`] that prints everything needed to see it
//! again, made smaller.

use crate::case::Case;
use crate::shrink;
use lariat_model::{Deadlock, Lasso};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a subject says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Every run satisfies the formula.
    Holds,
    /// This one does not.
    Violated(Lasso),
    /// No answer, and why.
    Unknown(String),
}

type Ask = Box<dyn Fn(&Case) -> Answer + Sync>;

/// Anything that answers cases.
pub struct Subject {
    name: String,
    ask: Ask,
    supports: fn(&Case) -> bool,
    may_give_up: fn(&Case) -> bool,
}

impl Subject {
    /// A subject that must answer every case.
    pub fn new(name: &str, ask: impl Fn(&Case) -> Answer + Sync + 'static) -> Subject {
        Subject {
            name: name.to_owned(),
            ask: Box::new(ask),
            supports: |_| true,
            may_give_up: |_| false,
        }
    }

    /// The same, asked only the cases of which `supports` is true.
    #[must_use]
    pub fn only(self, supports: fn(&Case) -> bool) -> Subject {
        Subject { supports, ..self }
    }

    /// The same, allowed to answer [`Answer::Unknown`].
    #[must_use]
    pub fn may_give_up(self) -> Subject {
        self.may_refuse(|_| true)
    }

    /// The same, allowed to answer [`Answer::Unknown`] to cases of which `may` is true.
    #[must_use]
    pub fn may_refuse(self, may: fn(&Case) -> bool) -> Subject {
        Subject {
            may_give_up: may,
            ..self
        }
    }

    /// How it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Is it asked this case?
    pub fn supports(&self, case: &Case) -> bool {
        (self.supports)(case)
    }

    /// Its answer to a case of which the oracle knows nothing.
    pub fn answer(&self, case: &Case) -> Answer {
        (self.ask)(case)
    }

    /// Its answer to one case, or what is wrong with it.
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
                Some(run) => Err(format!("says it holds; violated by {run:?}")),
                None => Ok(answer),
            },
            Answer::Violated(lasso) => match (case.check(lasso), expected) {
                (Err(why), _) => Err(format!("gave a wrong lasso: {why}; {lasso:?}")),
                (Ok(()), None) => Err(format!(
                    "found a violating run that the ORACLE missed: {lasso:?}"
                )),
                (Ok(()), Some(_)) => Ok(answer),
            },
            Answer::Unknown(why) => {
                if (self.may_give_up)(case) && !why.starts_with("internal") {
                    Ok(answer)
                } else {
                    Err(format!("does not know: {why}"))
                }
            }
        }
    }
}

/// How many cases, from which seed on.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The seed of the first case; each further one has the next.
    pub seed: u64,
    /// How many seeds.
    pub cases: u64,
    /// How one case is run again, behind `LARIAT_SEED=… LARIAT_CASES=1`.
    pub replay: String,
    /// What makes a case of a seed.
    pub case: fn(u64) -> Case,
}

/// The seed if nobody gives another.
const DEFAULT_SEED: u64 = 20_260_000;

impl Campaign {
    /// `cases` seeds from the default one; the variables `LARIAT_SEED` and `LARIAT_CASES` override.
    pub fn from_env(cases: u64) -> Campaign {
        let read = |name: &str| std::env::var(name).ok()?.trim().parse().ok();
        Campaign {
            seed: read("LARIAT_SEED").unwrap_or(DEFAULT_SEED),
            cases: read("LARIAT_CASES").unwrap_or(cases),
            replay: "cargo run --release -p lariat-differential".to_owned(),
            case: Case::random,
        }
    }

    /// The same campaign with other cases.
    #[must_use]
    pub fn about(self, case: fn(u64) -> Case) -> Campaign {
        Campaign { case, ..self }
    }

    /// The same campaign replayed by another command, that of the test it runs in.
    #[must_use]
    pub fn replayed_by(self, command: &str) -> Campaign {
        Campaign {
            replay: command.to_owned(),
            ..self
        }
    }

    /// All seeds.
    pub fn seeds(&self) -> impl Iterator<Item = u64> + use<> {
        let seed = self.seed;
        (0..self.cases).map(move |i| seed.wrapping_add(i))
    }

    /// Runs all cases on all subjects. `progress` hears the counters after every seed.
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
                let complaint = format!("gave a wrong lasso: {why}; {lasso:?}");
                return Err(self.failure(seed, "the oracle", complaint, case));
            }
            *match expected {
                Some(_) => &mut counters.violated,
                None => &mut counters.holds,
            } += 1;
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
                        let has_runs =
                            case.deadlock == Deadlock::Stutter && case.fairness.is_empty();
                        if negation && holds && held[j] && has_runs {
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

    fn failure(&self, seed: u64, who: &str, complaint: String, case: Case) -> Box<Failure> {
        Box::new(Failure {
            seed,
            subject: who.to_owned(),
            complaint,
            case,
            small: None,
            replay: format!("LARIAT_SEED={seed} LARIAT_CASES=1 {}", self.replay),
        })
    }
}

/// What one subject did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Verdicts, all of them right.
    pub decided: u64,
    /// Permitted "don't know"s.
    pub unknown: u64,
    /// Cases it was not asked.
    pub skipped: u64,
}

/// What a campaign did so far.
#[derive(Clone, Default, Debug)]
pub struct Counters {
    /// Systems with a formula.
    pub seeds: u64,
    /// Questions of which the oracle says that they hold.
    pub holds: u64,
    /// Questions with a violating run.
    pub violated: u64,
    /// Each subject's own.
    pub subjects: Vec<(String, Tally)>,
}

impl Counters {
    /// The sums, on one line.
    pub fn headline(&self) -> String {
        let verdicts: u64 = self.subjects.iter().map(|(_, t)| t.decided).sum();
        format!(
            "{} systems, {} questions ({} hold, {} violated), {verdicts} verdicts",
            self.seeds,
            self.holds + self.violated,
            self.holds,
            self.violated
        )
    }
}

/// The sums, and a line for every subject.
impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.headline())?;
        for (name, t) in &self.subjects {
            write!(f, "\n  {name}: {} decided", t.decided)?;
            if t.unknown + t.skipped > 0 {
                write!(f, ", {} unknown, {} not asked", t.unknown, t.skipped)?;
            }
        }
        Ok(())
    }
}

/// A subject was wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed of the case.
    pub seed: u64,
    /// Who.
    pub subject: String,
    /// What is wrong.
    pub complaint: String,
    /// The case as it was generated.
    pub case: Case,
    /// A smaller case that fails too, and how.
    pub small: Option<(Case, String)>,
    /// The command that runs it again.
    pub replay: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {} {}", self.seed, self.subject, self.complaint)?;
        writeln!(f, "{}", self.case)?;
        if let Some((case, complaint)) = &self.small {
            writeln!(f, "-- made smaller: {} {complaint}", self.subject)?;
            writeln!(f, "{case}")?;
        }
        write!(f, "replay: {}", self.replay)
    }
}
