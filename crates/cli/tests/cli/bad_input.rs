//! Wrong input: exit code 2, one message with its position, no verdict.

use crate::kit::{Folder, lariat, lariat_reading};

fn net(body: &str) -> String {
    format!(
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n<page id=\"g\">\n{body}\n</page></net></pnml>\n"
    )
}

/// Checks that all commands that read a model refuse `contents` with a message that contains
/// `expected`.
#[track_caller]
fn refused(contents: impl AsRef<[u8]>, expected: &[&str]) {
    let folder = Folder::new();
    let path = folder.file("bad.pnml", contents);
    for (command, rest) in [("check", "-f true"), ("states", ""), ("info", "")] {
        let mut ran = lariat(format!("{command} {path} {rest}")).exits(2);
        assert_eq!(ran.out, "");
        assert!(ran.err.len() < 4000, "{} bytes of message", ran.err.len());
        for text in expected {
            ran = ran.reports(text);
        }
    }
}

#[test]
fn malformed_models() {
    refused("", &["empty"]);
    refused(" \n\t", &["empty"]);
    refused("<pnml><net", &["bad.pnml:1:"]);
    refused("<pnml><net></pnml>", &["bad.pnml:1:"]);
    refused("<html></html>", &["bad.pnml:1:"]);
    refused("just text", &["bad.pnml:1:1", "PNML"]);
    refused([0u8, 159, 146, 150, 255, 0, 1], &["bad.pnml:1:1"]);
    refused(b"<pnml>\xff\xfe\xfd</pnml>", &["bad.pnml:1:"]);
    refused("<pnml/>", &["bad.pnml"]);
}

#[test]
fn wrong_nets() {
    let place = "<place id=\"p\"/><transition id=\"t\"/>";
    for (more, expected) in [
        ("<arc id=\"a\" source=\"p\" target=\"nowhere\"/>", "nowhere"),
        ("<arc id=\"a\" source=\"p\" target=\"p\"/>", ""),
        ("<place id=\"p\"/>", "p"),
    ] {
        refused(net(&format!("{place}\n{more}")), &["bad.pnml:4:", expected]);
    }
    for number in ["-1", "99999999999999999999999", "many", "1.5", ""] {
        refused(
            net(&format!(
                "<place id=\"p\">\n<initialMarking><text>{number}</text></initialMarking></place>"
            )),
            &["bad.pnml:4:"],
        );
        refused(
            net(&format!(
                "{place}<arc id=\"a\" source=\"p\" target=\"t\">\n<inscription><text>{number}</text></inscription></arc>"
            )),
            &["bad.pnml:4:"],
        );
    }
}

#[test]
fn nesting_bombs() {
    let deep = "<page id=\"g\">".repeat(200_000);
    refused(net(&deep), &["bad.pnml:"]);
    let deep = "<a>".repeat(1_000_000);
    refused(format!("<pnml>{deep}"), &["bad.pnml:"]);
    let bomb =
        "<!DOCTYPE p [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<pnml>&b;</pnml>";
    refused(bomb, &["bad.pnml:"]);
    let folder = Folder::new();
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("X ", ""),
        ("p U ", "p"),
        ("G(", ")"),
    ] {
        let formula = format!("{}lock{}\n", open.repeat(300_000), close.repeat(300_000))
            .replace("p U", "lock U")
            .replace("lockp", "lock ");
        let path = folder.file("deep.ltl", formula);
        let ran = lariat(format!(
            "check examples/mutex.pnml -F {path} --timeout 5s -q"
        ));
        assert!(
            matches!(ran.code, Some(0..=3)),
            "{open}: {:?} {}",
            ran.code,
            ran.err
        );
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
    }
}

#[test]
fn coloured_places_need_a_sort() {
    let coloured = net("<place id=\"p\"/>").replace("grammar/ptnet", "grammar/symmetricnet");
    refused(coloured, &["bad.pnml:3:1", "has no sort"]);
}

#[test]
fn incompatible_emptiness_checks_are_refused() {
    for (engine, more) in [
        ("explicit", "--emptiness nsiec"),
        ("owcty", "--emptiness iec"),
    ] {
        let check = "check examples/mutex.pnml -f 'G lock'";
        let args = format!("{check} --engine {engine} {more}");
        lariat(&args).refuses(engine);
    }
}

#[test]
fn wrong_formulas() {
    let mutex = "examples/mutex.pnml";
    for (formula, expected) in [
        ("G (lock", "formula:1:"),
        ("G lock)", "formula:1:7"),
        ("", "formula:1:1"),
        ("lock &", "formula:1:"),
        ("lock lock", "formula:1:6"),
        ("\"lock", "formula:1:"),
        ("G lck", "did you mean"),
        ("G critical_3", "critical_1"),
        ("fires(lock)", "formula:1:"),
        ("fireable(entre_1)", "enter_1"),
        ("\"lock >= 99999999999999999999999999\"", "formula:1:"),
        ("\"lock >= \"", "formula:1:"),
        ("\"tokens(lock, look) < 3\"", "lock"),
        ("lock § lock", "formula:1:6"),
    ] {
        let ran = lariat(format!("check {mutex} -f '{formula}'")).refuses(expected);
        assert_eq!(ran.out, "", "{formula}");
        assert!(
            ran.err.contains(" --> formula:1:"),
            "{formula}: {}",
            ran.err
        );
    }
    lariat_reading(format!("check {mutex} -F -"), "a: lock\nb: G ork\n").refuses("-:2:6");
    lariat_reading(format!("check {mutex} -F -"), "# nothing\n").refuses("nothing to check");
}

#[test]
fn unreadable_files() {
    let folder = Folder::new();
    let missing = format!("{}/missing", folder.path());
    for bad in [&missing, &folder.path()] {
        for args in [
            "check BAD -f true",
            "check examples/mutex.pnml -F BAD",
            "check examples/mutex.pnml --mcc BAD",
            "check examples/mutex.pnml --automaton BAD",
            "states BAD",
            "info BAD",
            "mcc BAD --examination LTLCardinality",
        ] {
            let ran = lariat(args.replace("BAD", bad)).exits(2);
            let ran = ran.reports("cannot read");
            assert_eq!(ran.out, "");
            assert!(ran.err.contains(bad.as_str()), "{}", ran.err);
        }
    }
}

#[test]
fn wrong_property_files() {
    let folder = Folder::new();
    for contents in [
        "",
        "<property-set>",
        "<a/>",
        "<property-set><property><id>x</id><formula><all-paths><globally><integer-le><tokens-count><place>nobody</place></tokens-count><integer-constant>1</integer-constant></integer-le></globally></all-paths></formula></property></property-set>",
    ] {
        let path = folder.file("bad.xml", contents);
        let ran = lariat(format!("check examples/mutex.pnml --mcc {path}"));
        let ran = ran.refuses("bad.xml");
        assert_eq!(ran.out, "");
    }
}

#[test]
fn wrong_schedules() {
    let states = |schedule: &str, order: &str| {
        let model = "examples/mutex.pnml";
        lariat(format!(
            "states {model} --engine symbolic --order {order} --order-schedule {schedule}"
        ))
    };
    states("first-try=0,margin=50", "auto").exits(0);
    states("frist-try=0", "auto").refuses("first-try, ");
    states("margin=many", "auto").refuses("from 0 to");
    states("margin=50", "force-up").refuses("needs --order auto");
}
