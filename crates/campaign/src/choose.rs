//! Selection of random formulas: those with a product of a minimal size, balanced between formulas
//! that hold and formulas that are violated.
//!
//! The filter's engine decides draws in their order; the first draws that fit are selected. A draw
//! whose decision is stopped by a limit is skipped. Memory limits are counted and stop a decision
//! at the same point on every machine. Time limits do not, so they should be generous. Decisions
//! are stored with the results, so no draw is decided twice.
//!
//! If the filter's engine is symbolic, because the model is too large for explicit states, the size
//! of its product says little. Then an explicit engine (`measure`) runs first, within little
//! memory, to test whether its product becomes large enough.

use crate::answer::Ended;
use crate::file::{EnginePreset, FormulaFilter};
use crate::id::Hash;
use crate::job::JobCommand;
use crate::models::CampaignModel;
use crate::plan;
use crate::pool::Pool;
use crate::properties::{CampaignProperty, Lottery};
use crate::record::{JobLimits, JobOutcome};
use crate::results::{open_lines, repair, write_line};
use lariat::internals::Statistic;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Decision {
    /// A hash of everything the decision depends on.
    key: String,
    outcome: JobOutcome,
    product_states: u64,
}

/// All decisions, in memory and in a file.
pub(crate) struct Decisions {
    known: HashMap<String, Decision>,
    file: Option<File>,
}

impl Decisions {
    /// Opens the file of decisions for one writer.
    pub(crate) fn open(path: &Path) -> io::Result<Decisions> {
        let mut file = open_lines(path)?;
        repair(&mut file)?;
        let mut decisions = Decisions::read(path)?;
        decisions.file = Some(file);
        Ok(decisions)
    }

    /// Reads the decisions, without writing new ones.
    pub(crate) fn read(path: &Path) -> io::Result<Decisions> {
        let mut known = HashMap::new();
        if fs::exists(path)? {
            for line in BufReader::new(File::open(path)?).lines() {
                // A draw whose line is broken is decided again.
                if let Ok(decision) = serde_json::from_str::<Decision>(&line?) {
                    known.insert(decision.key.clone(), decision);
                }
            }
        }
        Ok(Decisions { known, file: None })
    }

    fn add(&mut self, key: String, ended: &Ended) -> io::Result<()> {
        let product_states = ended.stats.get(Statistic::PRODUCT_STATES.name());
        let product_states = product_states.and_then(|n| n.as_u64());
        let decision = Decision {
            key: key.clone(),
            outcome: ended.outcome,
            product_states: product_states.unwrap_or(0),
        };
        if let Some(file) = &mut self.file {
            write_line(file, &decision)?;
        }
        self.known.insert(key, decision);
        Ok(())
    }
}

/// The formulas selected from a lottery so far.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub properties: Vec<CampaignProperty>,
    /// Number of selected formulas that hold and that are violated.
    pub counts: [usize; 2],
    /// True if the requested number is reached.
    pub complete: bool,
    /// Index of the first undecided draw.
    open: Option<usize>,
}

/// Memory of the measuring engine: enough for any `least_product` in use.
const MEASURE_BYTES: u64 = 16 << 20;

/// State of a draw.
enum Draw {
    /// Decided and large enough: holds (0) or is violated (1).
    Fits(usize),
    /// Stopped by a limit, or too small.
    Out,
    /// A task must run first; its decision is stored under this key.
    Open(String, JobCommand),
}

/// The draws of one model and the filter that selects from them.
pub(crate) struct FormulaChoice<'a> {
    lottery: &'a Lottery<'a>,
    filter: &'a FormulaFilter,
    model: &'a CampaignModel,
    program: &'a Path,
}

impl<'a> FormulaChoice<'a> {
    /// Returns `None` if there is no filter. `program` runs the tasks.
    pub(crate) fn new(
        lottery: &'a Lottery<'a>,
        model: &'a CampaignModel,
        program: &'a Path,
    ) -> Option<FormulaChoice<'a>> {
        let filter = lottery.random.filter.as_ref()?;
        Some(FormulaChoice {
            lottery,
            filter,
            model,
            program,
        })
    }

    /// Returns the decision of an engine on a formula, or the task that makes it.
    fn decision<'d>(
        &self,
        text: &str,
        engine: &EnginePreset,
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
        let limits = JobLimits { seconds, bytes };
        let property = ["-f".to_owned(), text.to_owned()];
        let task = JobCommand {
            program: self.program.to_owned(),
            args: plan::check(&self.model.path, &property, &engine.args, &limits, seconds),
            limits,
            clock: seconds,
        };
        Err(Draw::Open(key, task))
    }

    fn classify(&self, text: &str, decisions: &Decisions) -> Draw {
        let filter = self.filter;
        let is_small = |decision: &Decision| decision.product_states < filter.least_product;
        if let Some(measure) = &filter.measure {
            match self.decision(text, measure, MEASURE_BYTES, decisions) {
                Err(open) => return open,
                Ok(measured) if is_small(measured) => return Draw::Out,
                Ok(_) => {}
            }
        }
        match self.decision(text, &filter.engine, filter.memory.0, decisions) {
            Err(open) => open,
            Ok(decision) if filter.measure.is_none() && is_small(decision) => Draw::Out,
            Ok(decision) => match decision.outcome {
                JobOutcome::Holds => Draw::Fits(0),
                JobOutcome::Violated => Draw::Fits(1),
                _ => Draw::Out,
            },
        }
    }

    /// Selects formulas by the decisions so far.
    pub(crate) fn chosen(&self, decisions: &Decisions) -> Chosen {
        let number = self.lottery.random.number;
        let most = if self.filter.balanced {
            [number / 2, number - number / 2]
        } else {
            [number, number]
        };
        let mut chosen = Chosen::default();
        for (at, (k, text)) in self.lottery.draws.iter().enumerate() {
            if chosen.properties.len() == number {
                break;
            }
            match self.classify(text, decisions) {
                Draw::Fits(class) if chosen.counts[class] < most[class] => {
                    chosen.counts[class] += 1;
                    let property = self.lottery.property(*k, text);
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

    /// Decides draws until the requested number is reached or no draws are left. Reports the
    /// selection to `on_progress` after each batch.
    pub(crate) fn run(
        &self,
        pool: &mut Pool,
        decisions: &mut Decisions,
        mut on_progress: impl FnMut(&Chosen),
    ) -> io::Result<Chosen> {
        loop {
            let chosen = self.chosen(decisions);
            on_progress(&chosen);
            let Some(open) = chosen.open else {
                return Ok(chosen);
            };
            let rest = self.lottery.draws[open..].iter();
            let questions = rest.filter_map(|(_, text)| match self.classify(text, decisions) {
                Draw::Open(key, task) => Some((key, task)),
                _ => None,
            });
            let (keys, tasks): (Vec<String>, Vec<JobCommand>) =
                questions.take(4 * pool.width()).unzip();
            pool.run(tasks, |number, ended| {
                decisions.add(keys[number].clone(), &ended)
            })?;
        }
    }
}
