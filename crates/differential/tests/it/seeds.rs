//! The fuzz targets without a fuzzer: they compile and accept their seeds.

#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

use std::path::Path;

/// Returns whether the input is accepted.
type Target = fn(&[u8]) -> bool;

/// Seeds must be valid inputs, because a fuzzer makes little progress from invalid ones.
#[test]
fn every_seed_is_accepted() {
    let all: [(&str, Target); 8] = [
        ("pnml", targets::pnml),
        ("coloured", targets::coloured),
        ("dve", targets::dve),
        ("promela", targets::promela),
        ("etf", targets::etf),
        ("mcc", targets::mcc),
        ("hoa", targets::hoa),
        ("formula", targets::formula),
    ];
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (name, target) in all {
        assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).exists());
        let seeds = std::fs::read_dir(fuzz.join("seeds").join(name)).unwrap();
        let mut count = 0;
        for seed in seeds {
            let path = seed.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            assert!(target(&bytes), "{} is rejected", path.display());
            count += 1;
        }
        assert!(count > 0, "{name} has no seeds");
    }
}
