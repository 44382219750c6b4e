//! Instances of the Model Checking Contest with their known verdicts. The files are not part of the
//! project; they are read from the folder `LARIAT_MODELS`, else from beside the workspace.

use lariat::internals::formats::mcc;
use lariat::internals::ir::PropertyList;
use lariat::internals::{
    Budget, CheckOptions, EarnedVerdict, PropertyForm, Reason, RunContext, SpaceCache, Subject,
    Systems, check_subject,
};
use lariat_corpora::table;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// A net of the index.
pub struct Instance {
    pub name: String,
    /// Reachable markings, if known and finite.
    pub states: Option<u64>,
}

/// The nets of the index of this type, `PT` or `COL`.
pub fn instances(folder: &Path, kind: &str) -> Vec<Instance> {
    table(&folder.join("index.tsv"))
        .into_iter()
        .filter(|columns| columns[1] == kind)
        .map(|columns| Instance {
            name: columns[0].clone(),
            states: columns[5].parse().ok(),
        })
        .collect()
}

/// Verdicts on formulas, compared with the known ones.
#[derive(Default)]
pub struct Tally {
    pub holds: usize,
    pub violated: usize,
    /// Name and reason.
    pub undecided: Vec<String>,
    /// Wrong or unexpected verdicts, one sentence each.
    pub wrong: Vec<String>,
}

impl Tally {
    /// The numbers of formulas that hold, are violated, undecided, and wrongly answered.
    pub fn counts(&self) -> [usize; 4] {
        let (undecided, wrong) = (self.undecided.len(), self.wrong.len());
        [self.holds, self.violated, undecided, wrong]
    }

    /// Adds the verdicts of another examination.
    pub fn add(&mut self, other: Tally) {
        self.holds += other.holds;
        self.violated += other.violated;
        self.undecided.extend(other.undecided);
        self.wrong.extend(other.wrong);
    }
}

/// Decides the formulas of one examination, one after the other. Counterexamples of coloured nets
/// are replayed on the coloured net itself.
pub fn examine(
    folder: &Path,
    instance: &str,
    examination: &str,
    options: &CheckOptions,
    budget: &Budget,
    time: Duration,
) -> Tally {
    let folder = folder.join(instance);
    let read = |name: &str| std::fs::read(folder.join(name)).expect(name);
    let model = lariat::internals::formats::read(instance, &read("model.pnml")).expect(instance);
    let mut properties = PropertyList::new();
    let file = format!("{examination}.xml");
    mcc::read(&mut properties, &model.names(), &file, &read(&file)).expect(instance);
    let known = String::from_utf8(read("verdicts.tsv")).expect("verdicts.tsv");
    let known: HashMap<&str, &str> = known.lines().filter_map(|l| l.split_once('\t')).collect();
    let subject = Subject::new(&model, &properties);
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
    let mut tally = Tally::default();
    for property in &properties.list {
        let budget = budget.clone().with_deadline(time);
        let formula = PropertyForm::Formula(property.formula);
        let ctx = RunContext::quiet(&budget);
        let report = check_subject(&subject, formula, options, &mut explored, ctx);
        let answer = match report.verdict {
            EarnedVerdict::Holds(_) => {
                tally.holds += 1;
                "T"
            }
            EarnedVerdict::Violated(run) => {
                tally.violated += 1;
                let net = model.coloured_net();
                if let Some(Err(why)) =
                    net.map(|net| net.replay(&model.system, run.lasso(), &budget))
                {
                    tally.wrong.push(format!("{}: {why}", property.name));
                }
                "F"
            }
            EarnedVerdict::Unknown(reason) => {
                let text = format!("{}: {reason}", property.name);
                match reason {
                    Reason::Internal(_) => tally.wrong.push(text),
                    _ => tally.undecided.push(text),
                }
                continue;
            }
        };
        let expected = known.get(property.name.as_str()).copied();
        match expected {
            Some("T" | "F") if expected != Some(answer) => tally.wrong.push(format!(
                "{}: {answer} instead of {}: {}",
                property.name,
                expected.unwrap_or_default(),
                property.text
            )),
            Some(_) => {}
            None => tally
                .wrong
                .push(format!("{}: not in verdicts.tsv", property.name)),
        }
    }
    tally
}
