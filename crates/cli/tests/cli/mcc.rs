//! The mode of the Model Checking Contest.

use crate::kit::{Folder, Ran, command, ended, lariat, shipped};

const PROPERTIES: &str = r#"<?xml version="1.0"?>
<property-set xmlns="http://mcc.lip6.fr/">
  <property><id>M-00</id><description>exclusion</description><formula><all-paths><globally>
    <integer-le><tokens-count><place>critical_1</place><place>critical_2</place></tokens-count>
      <integer-constant>1</integer-constant></integer-le>
  </globally></all-paths></formula></property>
  <property><id>M-01</id><description>the first gets in</description><formula><all-paths><finally>
    <integer-le><integer-constant>1</integer-constant>
      <tokens-count><place>critical_1</place></tokens-count></integer-le>
  </finally></all-paths></formula></property>
</property-set>
"#;

/// Output for [`PROPERTIES`] if none is decided.
const UNDECIDED: &str = "FORMULA M-00 CANNOT_COMPUTE\nFORMULA M-01 CANNOT_COMPUTE\n";

/// The lines of stdout, sorted: formulas are answered in the order of completion.
fn sorted(out: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    lines
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("model.pnml", shipped("examples/mutex.pnml"));
    folder.file("LTLCardinality.xml", PROPERTIES);
    folder
}

fn examine(folder: &Folder, examination: &str) -> Ran {
    lariat(format!("mcc {} --examination {examination}", folder.path()))
}

#[test]
fn one_line_per_formula() {
    let folder = folder();
    let expected = [
        "FORMULA M-00 TRUE TECHNIQUES EXPLICIT",
        "FORMULA M-01 FALSE TECHNIQUES EXPLICIT",
    ];
    let ran = examine(&folder, "LTLCardinality").exits(0);
    assert_eq!(sorted(&ran.out), expected);
    let mut inside = command("mcc");
    inside
        .current_dir(folder.path())
        .env("BK_EXAMINATION", "LTLCardinality")
        .env("BK_TIME_CONFINEMENT", "18446744073709551615")
        .env("BK_MEMORY_CONFINEMENT", "1000");
    assert_eq!(sorted(&ended(&mut inside).exits(0).out), expected);
    inside.env("BK_TIME_CONFINEMENT", "long");
    ended(&mut inside).refuses("BK_TIME_CONFINEMENT");
    inside.env("BK_TIME_CONFINEMENT", "0");
    assert_eq!(ended(&mut inside).exits(0).out, UNDECIDED);
    let file = format!("{}/LTLCardinality.xml", folder.path());
    for option in ["--mcc", "-F"] {
        let args = format!("check examples/mutex.pnml {option} {file} --select M-01 -q");
        lariat(args).exits(1).prints("VIOLATED  M-01: ");
    }
}

#[test]
fn state_space_and_unsupported_examinations() {
    let folder = folder();
    let ran = examine(&folder, "StateSpace").exits(0);
    let expected = "\
STATE_SPACE STATES 8 TECHNIQUES EXPLICIT
STATE_SPACE TRANSITIONS 14 TECHNIQUES EXPLICIT
STATE_SPACE MAX_TOKEN_PER_MARKING 3 TECHNIQUES EXPLICIT
STATE_SPACE MAX_TOKEN_IN_PLACE 1 TECHNIQUES EXPLICIT
";
    assert_eq!(ran.out, expected);
    let ran = examine(&folder, "GlobalProperties").exits(0);
    assert_eq!(ran.out, "DO_NOT_COMPETE\n");
    folder.file("CTLCardinality.xml", PROPERTIES);
    let ran = examine(&folder, "CTLCardinality").exits(0);
    assert_eq!(ran.out, UNDECIDED);
    let unnamed = lariat(format!("mcc {}", folder.path()));
    unnamed.refuses("BK_EXAMINATION");
    let missing = examine(&folder, "LTLFireability");
    missing.refuses("LTLFireability.xml");
}

const REACHABILITY: &str = r#"<property-set xmlns="http://mcc.lip6.fr/">
  <property><id>R-00</id><description/><formula><exists-path><finally>
    <integer-le><integer-constant>2</integer-constant>
      <tokens-count><place>critical_1</place><place>critical_2</place></tokens-count></integer-le>
  </finally></exists-path></formula></property>
  <property><id>R-01</id><description/><formula><all-paths><globally><negation>
    <integer-le><integer-constant>1</integer-constant>
      <tokens-count><place>critical_1</place></tokens-count></integer-le>
  </negation></globally></all-paths></formula></property>
  <property><id>R-02</id><description/><formula><exists-path><finally><is-fireable>
    <transition>enter_1</transition></is-fireable></finally></exists-path></formula></property>
</property-set>"#;

const BOUNDS: &str = r#"<property-set xmlns="http://mcc.lip6.fr/">
  <property><id>B-00</id><description/><formula><place-bound>
    <place>critical_1</place><place>critical_2</place></place-bound></formula></property>
</property-set>"#;

/// The value of the property `name`.
fn value<'o>(out: &'o str, name: &str) -> Option<&'o str> {
    let mut lines = out.lines();
    let line = lines.find(|line| line.split(' ').nth(1) == Some(name))?;
    line.split(' ').nth(2)
}

#[test]
fn reachability_bounds_and_global_properties() {
    let folder = folder();
    folder.file("ReachabilityCardinality.xml", REACHABILITY);
    folder.file("UpperBounds.xml", BOUNDS);
    let ask = |examination| examine(&folder, examination);
    let ran = ask("ReachabilityCardinality").exits(0);
    for (name, expected) in [("R-00", "FALSE"), ("R-01", "FALSE"), ("R-02", "TRUE")] {
        assert_eq!(value(&ran.out, name), Some(expected), "{}", ran.out);
    }
    let ran = ask("UpperBounds").exits(0);
    assert_eq!(value(&ran.out, "B-00"), Some("1"), "{}", ran.out);
    for (examination, expected) in [
        ("ReachabilityDeadlock", "FALSE"),
        ("OneSafe", "TRUE"),
        ("StableMarking", "FALSE"),
        ("QuasiLiveness", "TRUE"),
        ("Liveness", "TRUE"),
    ] {
        let ran = ask(examination).exits(0);
        assert_eq!(value(&ran.out, examination), Some(expected), "{}", ran.out);
    }
    // LTL formulas are refused in a reachability examination.
    folder.file("ReachabilityFireability.xml", PROPERTIES);
    ask("ReachabilityFireability").refuses("no property of reachable states");
}
