//! The fuzz targets without a fuzzer: they build, and what they start from is worth starting from.

#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

use std::path::Path;

/// Is the input accepted?
type Target = fn(&[u8]) -> bool;

/// Every seed is accepted by its target: from garbage a fuzzer gets nowhere.
#[test]
fn every_seed_is_accepted() {
    let all: [(&str, Target); 7] = [
        ("pnml", targets::pnml),
        ("coloured", targets::coloured),
        ("dve", targets::dve),
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
            assert!(target(&bytes), "{} is refused", path.display());
            count += 1;
        }
        assert!(count > 0, "{name} has no seeds");
    }
}
