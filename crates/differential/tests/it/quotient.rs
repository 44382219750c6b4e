//! Engines on the quotients of random coloured nets against the oracle on the unfoldings.

use lariat_differential::quotient::subjects;
use lariat_testkit::quotients::Asked;
use lariat_testkit::{Campaign, Random};

#[test]
fn engines_on_quotients_agree_with_the_oracle_on_unfoldings() {
    let (mut verdicts, mut violated) = (0, 0);
    for seed in Campaign::from_env(150).seeds() {
        let Some(asked) = Asked::random(&mut Random::new(seed)) else {
            continue;
        };
        let subjects = subjects(&asked);
        let variants = asked.unfolded.variants().into_iter();
        for (unfolded, quotient) in variants.zip(asked.quotient.variants()) {
            let expected = unfolded.oracle();
            violated += u32::from(expected.is_some());
            for subject in &subjects {
                if let Err(complaint) = subject.judge(&quotient, expected.as_ref()) {
                    panic!(
                        "{} {complaint}\n{unfolded}\n{quotient}\nreplay with LARIAT_SEED={seed} LARIAT_CASES=1",
                        subject.name()
                    );
                }
                verdicts += 1;
            }
        }
    }
    println!("{verdicts} verdicts; {violated} cases violated");
    assert!(verdicts > 0);
}
