//! Promela models against SPIN: numbers of states and of invalid end states, assertions, formulas
//! without and with weak fairness.
//!
//! SPIN writes a verifier in C, which a compiler translates: `spin` and `gcc`, or the compiler that
//! `LARIAT_CC` names, have to be installed. Statement merging, optimizations of variables, and
//! partial-order reduction are switched off.
//!
//! Where SPIN's weak fairness is wrong, models are changed or not compared. It misses accepting
//! cycles that repeat the last state of a run: an additional process keeps every run going. It does
//! not count a process as disabled whose `provided` clause is false: such models are skipped.

use lariat::{Checker, EngineId, Model, Report};
use lariat_budget::{Budget, RunContext};
use lariat_model::{Deadlock, Finding, FindingKind};
use lariat_space::explicit::{Explicit, count};
use lariat_testkit::{Random, promela};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A folder in which SPIN works.
pub struct Spin {
    folder: PathBuf,
    compiler: String,
}

/// What SPIN, or Lariat, reports about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figures {
    /// Reachable states.
    pub states: u64,
    /// States that are invalid end states.
    pub ends: u64,
    /// Whether an assertion fails.
    pub fails: bool,
    /// Whether each formula holds; without an answer `None`.
    pub verdicts: Vec<Option<bool>>,
    /// Whether each formula holds on weakly fair runs.
    pub fair: Vec<Option<bool>>,
}

/// Numbers of a comparison of random models.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Compared models.
    pub models: u64,
    /// Models that SPIN cannot check within the limits.
    pub skipped: u64,
    /// Compared states.
    pub states: u64,
    /// Compared verdicts of formulas.
    pub verdicts: u64,
    /// Formulas that hold.
    pub holds: u64,
}

/// Larger models are not compared: fairness multiplies their states.
const LARGEST: u64 = 20_000;

/// A process that never waits.
const IDLE: &str = "bit idle_; active proctype Idle_() { do :: idle_ = 1 - idle_ od }\n";

impl Spin {
    /// Creates a folder; `None`, with a report, if `spin` or the compiler are not installed.
    pub fn installed(name: &str) -> Option<Spin> {
        let compiler = std::env::var("LARIAT_CC").unwrap_or_else(|_| "gcc".to_owned());
        for (program, argument) in [("spin", "-V"), (&*compiler, "-v")] {
            let probe = Command::new(program).arg(argument).output();
            if probe.is_err() {
                eprintln!("skipped: {program} is not installed");
                return None;
            }
        }
        let name = format!("lariat-spin-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).ok()?;
        Some(Spin { folder, compiler })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the verifier of a model and compiles it with these options; `None` if SPIN or the
    /// compiler refuse.
    pub fn verifier(&self, text: &str, options: &[&str]) -> io::Result<Option<()>> {
        fs::write(self.folder.join("model.pml"), text)?;
        let translated = self
            .command("spin")
            .args(["-a", "-o1", "-o2", "-o3", "model.pml"])
            .output()?;
        let said = String::from_utf8_lossy(&translated.stdout).into_owned();
        // Only an `else` beside channel operations is a remark.
        let refuses =
            |line: &&str| line.contains("Error") && !line.contains("dubious use of 'else'");
        if said.lines().any(|line| refuses(&line)) {
            return Ok(None);
        }
        let mut compile = self.command(&self.compiler);
        compile.args(["-w", "-O0", "-DNOREDUCE", "-DMEMLIM=2000"]);
        compile.args(options).args(["-o", "pan", "pan.c"]);
        Ok(compile.output()?.status.success().then_some(()))
    }

    /// Runs the verifier. The text is empty if it was stopped.
    pub fn run(&self, options: &[&str]) -> io::Result<String> {
        let output = self
            .command("timeout")
            .args(["20", "./pan", "-w16", "-m200000"])
            .args(options)
            .output()?;
        Ok(match output.status.code() {
            Some(0 | 1) => String::from_utf8_lossy(&output.stdout).into_owned(),
            _ => String::new(),
        })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    /// All figures of a model; `None` if SPIN cannot check it.
    pub fn figures(&self, model: &promela::Model) -> io::Result<Option<Figures>> {
        if self.verifier(&model.text, &["-DSAFETY"])?.is_none() {
            return Ok(None);
        }
        let (all, ended) = (self.run(&["-c0", "-E"])?, self.run(&["-c0", "-A"])?);
        let (Some((states, failed)), Some((_, ends))) = (outcome(&all), outcome(&ended)) else {
            return Ok(None);
        };
        let verdicts = self.verdicts(&model.with_formulas(), &model.formulas, &["-a", "-n"])?;
        let fair = match model.text.contains("provided") {
            true => vec![None; model.formulas.len()],
            false => {
                let text = model.with_formulas() + IDLE;
                self.verdicts(&text, &model.formulas, &["-a", "-n", "-f"])?
            }
        };
        Ok(Some(Figures {
            states,
            ends,
            fails: failed > 0,
            verdicts,
            fair,
        }))
    }

    fn verdicts(
        &self,
        text: &str,
        formulas: &[String],
        options: &[&str],
    ) -> io::Result<Vec<Option<bool>>> {
        // Assertions of the model would end the search.
        let text = format!("#define assert(x) (true)\n{text}");
        let fair = ["-DNFAIR=3"];
        let reads_number = text.contains("_nr_pr");
        if reads_number || self.verifier(&text, &fair)?.is_none() {
            return Ok(vec![None; formulas.len()]);
        }
        let mut verdicts = Vec::new();
        for i in 0..formulas.len() {
            let name = format!("f{i}");
            let mut arguments = options.to_vec();
            arguments.extend(["-N", &name]);
            let said = self.run(&arguments)?;
            verdicts.push(outcome(&said).map(|(_, errors)| errors == 0));
        }
        Ok(verdicts)
    }
}

impl Drop for Spin {
    fn drop(&mut self) {
        // A folder that remains is no error.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The numbers of states and of errors that the verifier prints, if its search was complete.
pub fn outcome(said: &str) -> Option<(u64, u64)> {
    let incomplete = [
        "max search depth too small",
        "too many processes",
        "out of memory",
    ];
    if incomplete.iter().any(|part| said.contains(part)) {
        return None;
    }
    let errors = said.split("errors: ").nth(1)?.split_whitespace().next()?;
    let line = said.lines().find(|line| line.contains("states, stored"))?;
    let states = line.split_whitespace().next()?;
    Some((states.parse().ok()?, errors.parse().ok()?))
}

/// What Lariat reports about the same model.
///
/// # Errors
///
/// The reason why it was not read or not decided.
pub fn ours(model: &promela::Model, engine: EngineId) -> Result<Figures, String> {
    let text = model.with_formulas();
    let read = Model::parse("model.pml", text.as_bytes()).map_err(|error| error.to_string())?;
    let system = &read.loaded().system;
    let findings: Vec<&Finding> = system.findings.iter().collect();
    let claims: Vec<_> = findings.iter().map(|finding| finding.holds()).collect();
    let space = Explicit::new(system, Deadlock::Stutter);
    let found = count(&space, &claims, RunContext::quiet(&Budget::unlimited()));
    let failed = |kind: FindingKind| -> u64 {
        let of_kind = findings
            .iter()
            .zip(&found.failed)
            .filter(|(f, _)| f.kind == kind);
        of_kind.map(|(_, failed)| *failed).sum()
    };
    let decided = |text: &str, is_fair: bool| -> Result<Vec<Option<bool>>, String> {
        let model = Model::parse("model.pml", text.as_bytes()).map_err(|e| e.to_string())?;
        let mut checker = Checker::new(&model).engine(engine).vacuity(false);
        checker = checker.timeout(Duration::from_secs(60));
        if is_fair {
            checker = checker.weak_fairness("process");
        }
        let formulas = &model.loaded().formulas;
        let check = |(_, formula): &(String, String)| {
            let report: Report = checker.check(formula).map_err(|error| error.to_string())?;
            match report.holds() {
                Some(holds) => Ok(Some(holds)),
                None => Err(format!("{report}")),
            }
        };
        formulas.iter().map(check).collect()
    };
    let quiet = format!("#define assert(x) (true)\n{text}");
    Ok(Figures {
        states: found.states,
        ends: failed(FindingKind::EndState),
        fails: failed(FindingKind::Assertion) > 0,
        verdicts: decided(&quiet, false)?,
        fair: decided(&(quiet + IDLE), true)?,
    })
}

/// Compares random models; the error is the first difference with its model.
///
/// # Errors
///
/// If figures differ, or Lariat does not read or decide a model.
pub fn compare(spin: &Spin, seeds: impl Iterator<Item = u64>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for seed in seeds {
        let model = promela::text(&mut Random::new(seed), 1 + (seed % 4) as usize);
        let engine = if seed % 4 == 0 {
            EngineId::Auto
        } else {
            EngineId::Explicit
        };
        let failure = |what: String| {
            let text = model.with_formulas();
            format!("{what}\nLARIAT_SEED={seed} LARIAT_CASES=1 replays it\n{text}")
        };
        let theirs = spin
            .figures(&model)
            .map_err(|error| failure(error.to_string()))?;
        let Some(theirs) = theirs.filter(|figures| figures.states <= LARGEST) else {
            tally.skipped += 1;
            continue;
        };
        let mut ours = ours(&model, engine).map_err(failure)?;
        for (ours, theirs) in [
            (&mut ours.verdicts, &theirs.verdicts),
            (&mut ours.fair, &theirs.fair),
        ] {
            for (our, their) in ours.iter_mut().zip(theirs) {
                tally.verdicts += u64::from(their.is_some());
                tally.holds += u64::from(*their == Some(true));
                if their.is_none() {
                    *our = None;
                }
            }
        }
        if ours != theirs {
            return Err(failure(format!("SPIN   {theirs:?}\nLariat {ours:?}")));
        }
        tally.models += 1;
        tally.states += ours.states;
    }
    Ok(tally)
}
