//! The first five minutes: the program without arguments, `init` and `doctor`.

use crate::kit::{Folder, command, ended, lariat};
use std::collections::BTreeMap;

#[test]
fn without_arguments_six_lines_name_the_first_commands() {
    let ran = lariat("").exits(2);
    assert_eq!(ran.out, "");
    assert_eq!(ran.err.lines().count(), 6, "{}", ran.err);
    for name in ["init", "check", "simulate", "doctor", "--help"] {
        assert!(ran.err.contains(&format!("lariat {name}")), "{}", ran.err);
    }
    assert!(ran.err.lines().all(|line| line.chars().count() < 100));
}

/// The commands that `init` prints, without the name of the program.
fn printed_commands(out: &str) -> Vec<&str> {
    out.lines()
        .filter_map(|line| line.strip_prefix("lariat "))
        .collect()
}

/// The verdicts in the comments of a file of formulas, by property.
fn announced(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut verdict = None;
    for line in text.lines() {
        if line.starts_with('#') {
            for (word, name) in [("Holds.", "holds"), ("Violated:", "violated")] {
                if line.contains(word) {
                    verdict = Some(name.to_owned());
                }
            }
        } else if let Some((name, _)) = line.split_once(": ") {
            found.insert(name.to_owned(), verdict.take().expect(line));
        }
    }
    found
}

#[test]
fn init_writes_a_model_whose_properties_have_the_announced_verdicts() {
    for kind in ["net", "program", "promela"] {
        let folder = Folder::new();
        let inside = |line: &str| ended(command(line).current_dir(folder.path()));
        let written = inside(&format!("init {kind}")).exits(0);
        let commands = printed_commands(&written.out);
        let [check, page, simulate] = commands[..] else {
            panic!("{written:?}");
        };
        inside(check).exits(1).prints("VIOLATED  answered");
        inside(page).exits(1);
        assert!(std::fs::exists(format!("{}/request.html", folder.path())).is_ok_and(|yes| yes));
        inside(simulate).exits(0);

        let formulas = std::fs::read_to_string(format!("{}/request.ltl", folder.path()));
        let expected = announced(&formulas.expect("a file of formulas"));
        let ran = inside(&format!("{check} --json")).exits(1);
        let found = ran.json().into_iter().map(|answer| {
            let text = |key: &str| answer[key].as_str().expect(key).to_owned();
            (text("property"), text("verdict"))
        });
        // A program has properties of its own besides.
        let found = found.filter(|(name, _)| expected.contains_key(name));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
        assert!(expected.len() >= 3);
    }
}

#[test]
fn init_overwrites_nothing() {
    let folder = Folder::new();
    let mine = folder.file("request.ltl", "mine");
    let inside = |line: &str| ended(command(line).current_dir(folder.path()));
    inside("init").refuses("request.ltl exists already");
    inside("init program").refuses("another folder: `lariat init program FOLDER`");
    assert_eq!(std::fs::read_to_string(mine).ok().as_deref(), Some("mine"));
    assert!(!std::fs::exists(format!("{}/request.pnml", folder.path())).is_ok_and(|yes| yes));
    inside("init program 'it s/new'").succeeds("cd 'it s/new'");
    assert!(
        std::fs::exists(format!("{}/it s/new/request.dve", folder.path())).is_ok_and(|yes| yes)
    );
    inside("init nest").refuses("[possible values: net, program, promela");
    inside("init net request.ltl/x").refuses("cannot create request.ltl/x");
}

#[test]
fn doctor_describes_this_machine() {
    let folder = Folder::new();
    let spin = folder.file("spin", "");
    let ran = ended(command("doctor").env("PATH", folder.path()));
    let ran = ran.succeeds(&format!("spin              {spin}:"));
    let ran = ran.prints("\nmdbook            not found:");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let ran = ran.prints(&format!("\nthreads           {threads}, one per processor"));
    ran.prints(" GiB, three quarters of the machine's");
    ended(command("doctor").env_remove("PATH")).succeeds("not found");
}
