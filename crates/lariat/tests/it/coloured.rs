//! Verdicts on coloured nets of the contest against the published ones; every counterexample is
//! replayed on the coloured net itself.
//!
//! Instances of more than `LARIAT_STATES` (100 000) markings, or of unknown size, are skipped
//! unless `LARIAT_STATES=all`.

use lariat::internals::formats::{mcc, read};
use lariat::internals::ir::PropertyList;
use lariat::internals::{
    Budget, CheckOptions, EarnedVerdict, PropertyForm, RunContext, SpaceCache, Subject, Systems,
    check_subject,
};
use lariat_corpora::{models, table};
use std::collections::HashMap;
use std::time::Duration;

/// Returns whether an instance with this number of markings, as in the index, is small enough.
fn is_small(states: &str) -> bool {
    let limit = std::env::var("LARIAT_STATES").unwrap_or("100000".to_owned());
    let limit: Option<u64> = limit.parse().ok();
    limit.is_none_or(|limit| states.parse().is_ok_and(|states: u64| states <= limit))
}

#[test]
fn verdicts_and_lassos_of_coloured_nets() {
    let Some(folder) = models("mcc") else { return };
    let (mut holds, mut violated, mut undecided) = (0, 0, 0);
    for columns in table(&folder.join("index.tsv")) {
        if columns[1] != "COL" || !is_small(&columns[5]) {
            continue;
        }
        let instance = &columns[0][..];
        let file = |name: &str| std::fs::read(folder.join(instance).join(name)).expect(name);
        let model = read(instance, &file("model.pnml")).expect(instance);
        let net = &model.coloured.as_ref().expect("a coloured net").net;
        let known = String::from_utf8(file("verdicts.tsv")).expect("verdicts.tsv");
        let known: HashMap<&str, &str> = known.lines().filter_map(|l| l.split_once('\t')).collect();
        let mut properties = PropertyList::new();
        for examination in ["LTLCardinality.xml", "LTLFireability.xml"] {
            let names = model.names();
            mcc::read(&mut properties, &names, examination, &file(examination)).expect(instance);
        }
        let subject = Subject::new(&model, &properties);
        let systems = Systems::new();
        let mut explored = SpaceCache::new(&systems);
        let budget = Budget::bytes(2 << 30);
        for property in &properties.list {
            let budget = budget.clone().with_deadline(Duration::from_secs(10));
            let formula = PropertyForm::Formula(property.formula);
            let report = check_subject(
                &subject,
                formula,
                &CheckOptions::default(),
                &mut explored,
                RunContext::quiet(&budget),
            );
            let answer = match report.verdict {
                EarnedVerdict::Holds(_) => {
                    holds += 1;
                    "T"
                }
                EarnedVerdict::Violated(proof) => {
                    violated += 1;
                    net.replay(&model.system, proof.lasso())
                        .unwrap_or_else(|error| panic!("{}: {error}", property.name));
                    "F"
                }
                EarnedVerdict::Unknown(reason) => {
                    undecided += 1;
                    println!("undecided {}: {reason}", property.name);
                    continue;
                }
            };
            let known = known.get(&*property.name).copied();
            assert!(
                known == Some("?") || known == Some(answer),
                "{}: {answer} instead of {known:?}",
                property.name
            );
        }
    }
    println!("{holds} hold, {violated} are violated, {undecided} undecided");
}
