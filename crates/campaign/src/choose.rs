//! Which random formulas are kept: those with a product of some size, as many that hold as are violated.
//!
//! Draws are decided in their order by a named engine, and the first ones that fit are taken. A decision
//! that a limit ends is no decision, and the draw is passed over. Limits of memory are counted and end a
//! decision at the same point everywhere; time does not, so there should be plenty of it. Decisions are kept beside
//! the results, and no draw is decided twice.
//!
//! Where the deciding engine's product is not what is to be measured — it works on sets, because the model is
//! too large for single states — another engine is run first, within little memory, to see whether its product gets
//! large enough.

use crate::answer::Ended;
use crate::file::{Filter, Preset};
use crate::id::Hash;
use crate::job::Task;
use crate::models::Model;
use crate::plan;
use crate::pool::Pool;
use crate::properties::{Lottery, Property};
use crate::record::{Limits, Outcome};
use crate::results::{append_line, repair};
use lariat::internals::Statistic;
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
        let product_states = ended
            .stats
            .get(Statistic::PRODUCT_STATES.name())
            .and_then(|n| n.as_u64());
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

/// What the measuring engine may use: far more than any size that is asked for.
const MEASURE_BYTES: u64 = 16 << 20;

/// What is known of a draw.
enum Draw {
    /// It holds (0) or is violated (1), and is large enough.
    Fits(usize),
    /// It is undecided or too small.
    Out,
    /// Something has to be run first, and will be known by this key.
    Open(String, Task),
}

/// The draws of one model with the engine that decides them.
pub(crate) struct Choice<'a> {
    lottery: &'a Lottery<'a>,
    filter: &'a Filter,
    model: &'a Model,
    program: &'a Path,
}

impl<'a> Choice<'a> {
    /// `None` where there is no filter. `program` is what jobs run.
    pub(crate) fn new(
        lottery: &'a Lottery<'a>,
        model: &'a Model,
        program: &'a Path,
    ) -> Option<Choice<'a>> {
        let filter = lottery.random.filter.as_ref()?;
        Some(Choice {
            lottery,
            filter,
            model,
            program,
        })
    }

    /// What is known from running an engine on a formula, or what to run.
    fn ask<'d>(
        &self,
        text: &str,
        engine: &Preset,
        bytes: u64,
        decisions: &'d Decisions,
    ) -> Result<&'d Decision, Draw> {
        let seconds = self.filter.time.0.as_secs_f64();
        let mut hash = Hash::new().with(&self.model.hash).with(text);
        for arg in &engine.args {
            hash = hash.with(arg);
        }
        let key = hash.with(seconds.to_string()).with(bytes.to_string()).hex();
        if let Some(decision) = decisions.known.get(&key) {
            return Ok(decision);
        }
        let limits = Limits { seconds, bytes };
        let property = ["-f".to_owned(), text.to_owned()];
        let task = Task {
            program: self.program.to_owned(),
            args: plan::check(&self.model.path, &property, &engine.args, &limits, seconds),
            limits,
            clock: seconds,
        };
        Err(Draw::Open(key, task))
    }

    fn look(&self, text: &str, decisions: &Decisions) -> Draw {
        let Filter {
            engine,
            measure,
            memory,
            least_product,
            ..
        } = self.filter;
        if let Some(measure) = measure {
            match self.ask(text, measure, MEASURE_BYTES, decisions) {
                Err(open) => return open,
                Ok(measured) if measured.product_states < *least_product => return Draw::Out,
                Ok(_) => {}
            }
        }
        match self.ask(text, engine, memory.0, decisions) {
            Err(open) => open,
            Ok(decision) if measure.is_none() && decision.product_states < *least_product => {
                Draw::Out
            }
            Ok(decision) => match decision.outcome {
                Outcome::Holds => Draw::Fits(0),
                Outcome::Violated => Draw::Fits(1),
                _ => Draw::Out,
            },
        }
    }

    /// What the decisions so far choose.
    pub(crate) fn chosen(&self, decisions: &Decisions) -> Chosen {
        let number = self.lottery.random.number;
        let room = if self.filter.balanced {
            [number / 2, number - number / 2]
        } else {
            [number, number]
        };
        let mut chosen = Chosen::default();
        for (at, (k, text)) in self.lottery.draws.iter().enumerate() {
            if chosen.properties.len() == number {
                break;
            }
            match self.look(text, decisions) {
                Draw::Fits(class) if chosen.counts[class] < room[class] => {
                    chosen.counts[class] += 1;
                    let property = self.lottery.property(*k, text, None);
                    chosen.properties.push(property);
                }
                Draw::Fits(_) | Draw::Out => {}
                Draw::Open(..) => {
                    chosen.open = Some(at);
                    break;
                }
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
            let questions = rest.filter_map(|(_, text)| match self.look(text, decisions) {
                Draw::Open(key, task) => Some((key, task)),
                _ => None,
            });
            let (keys, tasks): (Vec<String>, Vec<Task>) = questions.take(4 * pool.width()).unzip();
            pool.run(tasks, |number, ended| {
                decisions.add(keys[number].clone(), &ended)
            })?;
        }
    }
}
