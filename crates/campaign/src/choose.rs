//! Which random formulas are kept: those with a product of some size, as many that hold as are violated.
//!
//! Draws are decided in their order by a named engine, and the first ones that fit are taken. A decision
//! that a limit ends is no decision, and the draw is passed over. Limits of memory are counted and end a
//! decision at the same point everywhere; time does not, so there should be plenty of it. Decisions are kept beside
//! the results, and no draw is decided twice.

use crate::answer::Ended;
use crate::file::Filter;
use crate::id::Hash;
use crate::job::Task;
use crate::models::Model;
use crate::pool::Pool;
use crate::properties::{Lottery, Property};
use crate::record::{Limits, Outcome};
use crate::results::{append_line, repair};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

/// What was found about a draw.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Decision {
    /// A hash of everything that it depends on.
    key: String,
    outcome: Outcome,
    product_states: u64,
}

/// Decisions, in memory and in a file.
pub(crate) struct Decisions {
    known: HashMap<String, Decision>,
    file: Option<File>,
}

impl Decisions {
    /// Opens the file of decisions for one writer.
    pub(crate) fn open(path: &Path) -> io::Result<Decisions> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        repair(&mut file)?;
        let mut decisions = Decisions::read(path)?;
        decisions.file = Some(file);
        Ok(decisions)
    }

    /// Reads what there is, and keeps nothing new.
    pub(crate) fn read(path: &Path) -> io::Result<Decisions> {
        let mut known = HashMap::new();
        if fs::exists(path)? {
            for line in BufReader::new(File::open(path)?).lines() {
                // A line that is no decision costs another one, no more.
                if let Ok(decision) = serde_json::from_str::<Decision>(&line?) {
                    known.insert(decision.key.clone(), decision);
                }
            }
        }
        Ok(Decisions { known, file: None })
    }

    fn add(&mut self, key: String, ended: &Ended) -> io::Result<()> {
        let product_states = ended.stats.get("product_states").and_then(|n| n.as_u64());
        let decision = Decision {
            key: key.clone(),
            outcome: ended.outcome,
            product_states: product_states.unwrap_or(0),
        };
        if let Some(file) = &mut self.file {
            append_line(file, &decision)?;
        }
        self.known.insert(key, decision);
        Ok(())
    }
}

/// What has been chosen of a lottery.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub properties: Vec<Property>,
    /// Chosen ones that hold, and that are violated.
    pub counts: [usize; 2],
    /// Are all wanted ones there?
    pub complete: bool,
    /// The first draw without a decision.
    open: Option<usize>,
}

/// The draws of one model with the engine that decides them.
pub(crate) struct Choice<'a> {
    lottery: &'a Lottery<'a>,
    filter: &'a Filter,
    model: &'a Model,
    task: Task,
}

impl<'a> Choice<'a> {
    /// `None` where there is no filter. `program` is what jobs run.
    pub(crate) fn new(
        lottery: &'a Lottery<'a>,
        model: &'a Model,
        program: &Path,
    ) -> Option<Choice<'a>> {
        let filter = lottery.random.filter.as_ref()?;
        let limits = Limits {
            seconds: filter.time.0.as_secs_f64(),
            bytes: filter.memory.0,
        };
        let task = Task {
            program: program.to_owned(),
            args: Vec::new(),
            clock: limits.seconds,
            limits,
        };
        Some(Choice {
            lottery,
            filter,
            model,
            task,
        })
    }

    fn key(&self, text: &str) -> String {
        let mut hash = Hash::new().with(&self.model.hash).with(text);
        for arg in &self.filter.engine.args {
            hash = hash.with(arg);
        }
        let Limits { seconds, bytes } = self.task.limits;
        hash.with(seconds.to_string()).with(bytes.to_string()).hex()
    }

    fn task(&self, text: &str) -> Task {
        let property = ["-f".to_owned(), text.to_owned()];
        Task {
            args: crate::plan::check(
                &self.model.path,
                &property,
                &self.filter.engine.args,
                &self.task.limits,
                self.task.clock,
            ),
            ..self.task.clone()
        }
    }

    /// What the decisions so far choose.
    pub(crate) fn chosen(&self, decisions: &Decisions) -> Chosen {
        let number = self.lottery.random.number;
        let room = match self.filter.balanced {
            true => [number / 2, number - number / 2],
            false => [number, number],
        };
        let mut chosen = Chosen::default();
        for (at, (k, text)) in self.lottery.draws.iter().enumerate() {
            if chosen.properties.len() == number {
                break;
            }
            let Some(decision) = decisions.known.get(&self.key(text)) else {
                chosen.open = Some(at);
                break;
            };
            let class = match decision.outcome {
                Outcome::Holds => 0,
                Outcome::Violated => 1,
                _ => continue,
            };
            if decision.product_states >= self.filter.least_product
                && chosen.counts[class] < room[class]
            {
                chosen.counts[class] += 1;
                chosen
                    .properties
                    .push(self.lottery.property(*k, text, None));
            }
        }
        chosen.complete = chosen.properties.len() == number;
        chosen
    }

    /// Decides draws until all wanted formulas are there, or there are no more draws.
    pub(crate) fn run(
        &self,
        pool: &mut Pool,
        decisions: &mut Decisions,
        mut hear: impl FnMut(&Chosen),
    ) -> io::Result<Chosen> {
        loop {
            let chosen = self.chosen(decisions);
            hear(&chosen);
            let Some(open) = chosen.open else {
                return Ok(chosen);
            };
            let rest = self.lottery.draws[open..].iter();
            let undecided = rest.filter(|(_, text)| !decisions.known.contains_key(&self.key(text)));
            let texts: Vec<&String> = undecided
                .map(|(_, text)| text)
                .take(4 * pool.width())
                .collect();
            let tasks = texts.iter().map(|text| self.task(text)).collect();
            pool.run(tasks, |number, ended| {
                decisions.add(self.key(texts[number]), &ended)
            })?;
        }
    }
}
