//! Symmetries: random nets with and without colours; `symmetry/fixed.rs` has regression cases.

mod fixed;
mod specs;

use lariat_differential::symmetric;
use lariat_formats::LoadedModel;
use lariat_testkit::case::Case;
use lariat_testkit::copies;
use lariat_testkit::symmetric as nets;
use lariat_testkit::{Campaign, Random};
use std::sync::Arc;

#[test]
fn quotients_agree_with_the_oracle() {
    judge_all(150, nets::random);
}

/// Nets without colours: copies of components around shared places, and unfolded nets.
#[test]
fn quotients_of_uncoloured_nets_agree_with_the_oracle() {
    judge_all(300, |rng| {
        if rng.percent(75) {
            return copies::random(rng);
        }
        let (mut model, case) = nets::random(rng);
        model.coloured = None;
        (model, case)
    });
}

fn judge_all(cases: u64, draw: fn(&mut Random) -> (LoadedModel, Case)) {
    let (mut verdicts, mut violated, mut symmetric) = (0, 0, 0);
    let campaign = Campaign::from_env(cases);
    for seed in campaign.seeds() {
        let (model, case) = draw(&mut Random::new(seed));
        let model = Arc::new(model);
        symmetric += u32::from(!symmetric::symmetry(&model).is_trivial());
        let subjects = symmetric::subjects(&model);
        for case in case.variants() {
            let expected = case.oracle();
            violated += u32::from(expected.is_some());
            for subject in subjects.iter().filter(|subject| subject.supports(&case)) {
                if let Err(complaint) = subject.judge(&case, expected.as_ref()) {
                    panic!(
                        "{} {complaint}\n{case}\nreplay with LARIAT_SEED={seed} LARIAT_CASES=1",
                        subject.name()
                    );
                }
                verdicts += 1;
            }
        }
    }
    let cases = campaign.cases;
    println!(
        "{verdicts} verdicts on {cases} nets, {symmetric} of them with symmetries; {violated} cases violated"
    );
    assert!(cases < 100 || u64::from(symmetric) * 2 > cases);
}
