//! Advice on an undecided property: how far the search came, and options that may decide it.

use crate::decision::Decision;
use crate::verdict::{EarnedVerdict, Reason};
use lariat_budget::{StatValue, Statistic, Stop};
use lariat_engines::EngineId;

/// Advice on an undecided property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// How far the search came, such as `12.3 M states`.
    pub explored: Option<String>,
    /// Options of the command line that may decide the property.
    pub options: Vec<String>,
}

/// Time limits that are recommended, in seconds, with their spellings.
const LIMITS: [(f64, &str); 7] = [
    (1.0, "1s"),
    (10.0, "10s"),
    (60.0, "60s"),
    (600.0, "10min"),
    (3600.0, "1h"),
    (36_000.0, "10h"),
    (360_000.0, "100h"),
];
/// Factor by which a recommended time limit exceeds the time that did not suffice.
const LONGER: f64 = 3.0;
/// Engines that are recommended, most different first.
const ENGINES: [EngineId; 4] = [
    EngineId::SlapFst,
    EngineId::Hyb,
    EngineId::Explicit,
    EngineId::Walk,
];
/// Limit on the engines that are recommended.
const MOST_ENGINES: usize = 2;

impl Advice {
    /// The advice on a decision after this time; `None` if the property is decided, or if there is
    /// nothing to say.
    pub(crate) fn on(decision: &Decision, seconds: f64) -> Option<Advice> {
        let EarnedVerdict::Unknown(reason) = &decision.verdict else {
            return None;
        };
        let mut options = Vec::new();
        match reason {
            Reason::Stopped(Stop::Time) => {
                options.extend(Advice::longer(seconds));
                options.extend(other_engines(decision));
            }
            Reason::Stopped(Stop::Memory) => {
                options.push("a larger --memory".to_owned());
                options.extend(other_engines(decision));
            }
            Reason::Stopped(Stop::Work(_) | Stop::Bound(_) | Stop::Unsupported(_))
            | Reason::Inconclusive(_) => options.extend(other_engines(decision)),
            Reason::Stopped(_) | Reason::Internal(_) => {}
        }
        let explored = explored(decision);
        let is_empty = explored.is_none() && options.is_empty();
        (!is_empty).then_some(Advice { explored, options })
    }

    /// The option for a longer time limit, if this time did not suffice.
    pub fn longer(seconds: f64) -> Option<String> {
        let enough = |(limit, _): &&(f64, &str)| *limit >= LONGER * seconds;
        let limit = LIMITS.iter().find(enough);
        limit.map(|(_, spelt)| format!("--timeout {spelt}"))
    }

    /// The advice in one line.
    pub fn line(&self) -> String {
        let explored = self.explored.iter().map(|what| format!("explored {what}"));
        let options =
            (!self.options.is_empty()).then(|| format!("try {}", self.options.join(", ")));
        explored.chain(options).collect::<Vec<_>>().join("; ")
    }
}

/// The options for other engines: `auto`, or those that `auto` has not run.
fn other_engines(decision: &Decision) -> Vec<String> {
    let engines = if decision.engine != EngineId::Auto && decision.trail.is_empty() {
        vec![EngineId::Auto]
    } else if !decision.fairness.is_empty() {
        // Few engines support fairness, and `auto` knows which.
        Vec::new()
    } else {
        let has_run = |engine: &EngineId| decision.trail.iter().any(|a| a.engine == *engine);
        let others = ENGINES.into_iter().filter(|engine| !has_run(engine));
        others.take(MOST_ENGINES).collect()
    };
    let option = |engine: EngineId| format!("--engine {}", engine.name());
    engines.into_iter().map(option).collect()
}

/// The largest count that describes the progress of the search.
fn explored(decision: &Decision) -> Option<String> {
    let count = |statistic: Statistic| match decision.account.stats.get(statistic) {
        Some(StatValue::Count(count)) if *count > 0 => Some(*count),
        _ => None,
    };
    let figures = [
        (Statistic::STATES, "state"),
        (Statistic::STATES_SEEN, "state"),
        (Statistic::AGGREGATES, "set of states"),
        (Statistic::PRODUCT_STATES, "product state"),
        (Statistic::DIAGRAM_CREATED, "diagram node"),
        (Statistic::PRODUCT_EDGES, "step"),
    ];
    let figure = figures
        .into_iter()
        .find_map(|(figure, what)| Some((count(figure)?, what)));
    let work = || {
        let work: u64 = decision.trail.iter().map(|attempt| attempt.work).sum();
        (work > 0).then_some((work, "unit of work"))
    };
    figure.or_else(work).map(|(count, what)| {
        let plural = match (count, what.split_once(' ')) {
            (1, _) => what.to_owned(),
            (_, Some((first, rest))) if rest.starts_with("of") => format!("{first}s {rest}"),
            _ => format!("{what}s"),
        };
        format!("{} {plural}", rounded(count))
    })
}

/// A count with three digits: `731`, `47.1 k`, `12.3 M`.
fn rounded(count: u64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")];
    let exact = count as f64;
    match units.iter().find(|(size, _)| exact >= *size) {
        Some((1e4, unit)) => format!("{:.1} {unit}", exact / 1e3),
        Some((size, unit)) => format!("{:.1} {unit}", exact / size),
        None => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::CheckOptions;

    #[test]
    fn counts_are_rounded() {
        for (count, text) in [
            (0, "0"),
            (9_999, "9999"),
            (12_345, "12.3 k"),
            (7_654_321, "7.7 M"),
        ] {
            assert_eq!(rounded(count), text);
        }
    }

    #[test]
    fn advice_names_a_longer_time_and_other_engines() {
        let options = CheckOptions::default();
        let advice = |reason, seconds| {
            let mut decision = Decision::undecided(&options, reason);
            decision
                .account
                .stats
                .set(Statistic::STATES, 12_345_678_u64);
            Advice::on(&decision, seconds).expect("advice").line()
        };
        let time = advice(Reason::Stopped(Stop::Time), 2.0);
        let engines = "--engine slap-fst, --engine hyb";
        assert_eq!(
            time,
            format!("explored 12.3 M states; try --timeout 10s, {engines}")
        );
        let interrupted = advice(Reason::Stopped(Stop::Interrupted), 2.0);
        assert_eq!(interrupted, "explored 12.3 M states");
        let slow = advice(Reason::Stopped(Stop::Time), 1e6);
        assert!(!slow.contains("--timeout"), "{slow}");
    }
}
