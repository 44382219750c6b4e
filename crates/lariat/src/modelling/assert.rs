//! Checks in tests: `assert_holds!` fails with the counterexample, and writes its page.

use super::{Checker, Model};
use crate::report::Verdict;
use std::path::PathBuf;

/// Asserts that a formula holds on all runs of a model.
///
/// If it is violated, the panic shows the counterexample, and its page is written to
/// `target/lariat/<test>.html`. An unknown verdict fails as well, with the reason.
///
/// ```
/// use lariat::assert_holds;
/// use lariat::modelling::{Checker, Model};
///
/// struct Light;
///
/// impl Model for Light {
///     type State = bool;
///     type Action = &'static str;
///
///     fn initial(&self) -> Vec<bool> {
///         vec![false]
///     }
///
///     fn actions(&self, _: &bool, actions: &mut Vec<&'static str>) {
///         actions.push("switch");
///     }
///
///     fn next(&self, on: &bool, _: &&'static str) -> Option<bool> {
///         Some(!on)
///     }
/// }
///
/// let checker = Checker::new(Light).atom("on", |on| *on);
/// assert_holds!(checker, "G (on -> X !on)");
/// ```
#[macro_export]
macro_rules! assert_holds {
    ($checker:expr, $formula:expr $(,)?) => {
        $crate::modelling::assert_holds(&$checker, $formula, ::core::module_path!())
    };
}

/// The function behind [`assert_holds!`](crate::assert_holds).
///
/// # Panics
///
/// If the formula does not hold.
#[doc(hidden)]
#[track_caller]
pub fn assert_holds<M: Model>(checker: &Checker<M>, formula: &str, module: &str) {
    let report = match checker.check(formula) {
        Ok(report) => report,
        Err(error) => panic!("`{formula}` cannot be checked: {error}"),
    };
    let path = page_path(module);
    match report.verdict() {
        Verdict::Holds => {
            // The page of an earlier failure.
            let _ = std::fs::remove_file(path);
        }
        Verdict::Unknown(reason) => panic!("`{formula}` is not known to hold: {reason}"),
        Verdict::Violated(_) => {
            let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            let page = match folder.and_then(|()| std::fs::write(&path, report.page())) {
                Ok(()) => format!("page: {}", path.display()),
                Err(error) => format!("no page was written to {}: {error}", path.display()),
            };
            panic!("{report}\n{page}");
        }
    }
}

/// The page of the running test: threads of tests are named like them.
fn page_path(module: &str) -> PathBuf {
    let thread = std::thread::current();
    let test = thread
        .name()
        .filter(|name| *name != "main")
        .unwrap_or(module);
    let letter = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            c
        } else {
            '-'
        }
    };
    let name: String = test.replace("::", "-").chars().map(letter).collect();
    // A test is `target/debug/deps/NAME`.
    let program = std::env::current_exe().unwrap_or_default();
    let deps = program.parent().filter(|folder| folder.ends_with("deps"));
    let target = deps.and_then(|deps| deps.parent()?.parent());
    let target = target.map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join("lariat").join(format!("{name}.html"))
}
