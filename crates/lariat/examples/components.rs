//! What `hyb` searched and what it cost, per net: formulas that hold and formulas that do not apart.
//!
//!     cargo run --release -p lariat --example components -- [--timeout SECONDS] [--without PROOF]… [PART OF A NAME]…
//!
//! Every net of the contest's collection, and generated ones whose state space takes a while, is explored once to find an order and
//! once more under this order, which is the plain time. Then each formula is decided under the same order; time is that
//! of the product, without parsing, ordering, translation and the lasso. All times are CPU times.

#[path = "../tests/kit/mod.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod kit;

use lariat::model::generate::{Family, generate};
use lariat::model::{Names, Properties};
use lariat::space::symbolic::{OrderChoice, Reach, reach};
use lariat::{
    Budget, Choice, Deadlock, Explored, Observer, Options, Progress, Proofs, Property, Quiet,
    Stats, Subject, System, Tuning, Verdict, check,
};
use std::sync::Mutex;
use std::time::Duration;

/// Seconds of CPU used by this process.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// When the product began, and when something else did.
#[derive(Default)]
struct Phases(Mutex<(Option<f64>, Option<f64>)>);

impl Observer for Phases {
    fn progress(&self, progress: Progress<'_>) {
        if let Ok(mut times) = self.0.lock() {
            match progress.phase {
                "product" => *times = (Some(cpu()), None),
                "lasso" => times.1 = Some(cpu()),
                _ => {}
            }
        }
    }
}

/// Sums over formulas.
#[derive(Default, Clone, Copy)]
struct Sums {
    formulas: u64,
    undecided: u64,
    checks: f64,
    by_structure: f64,
    by_automaton: f64,
    by_recurring: f64,
    by_abstraction: f64,
    by_marks: f64,
    runs: f64,
    /// Time of the products, and of the searches in them.
    product: f64,
    search: f64,
    /// Sum of logarithms of ratios, and how many.
    ratios: (f64, u64),
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.formulas += other.formulas;
        self.undecided += other.undecided;
        self.checks += other.checks;
        self.by_structure += other.by_structure;
        self.by_automaton += other.by_automaton;
        self.by_recurring += other.by_recurring;
        self.by_abstraction += other.by_abstraction;
        self.by_marks += other.by_marks;
        self.runs += other.runs;
        self.product += other.product;
        self.search += other.search;
        self.ratios.0 += other.ratios.0;
        self.ratios.1 += other.ratios.1;
    }

    fn print(&self, name: &str, what: &str, plain: Option<f64>) {
        let ratio = match self.ratios.1 {
            0 => "-".to_owned(),
            n => format!("{:.3}", (self.ratios.0 / n as f64).exp()),
        };
        let plain = plain.map_or("-".to_owned(), |plain| format!("{plain:.3}"));
        println!(
            "{name:32} {what:8} {:4} {:4} {:>8} {:9.3} {:>7} {:9} {:9} {:9} {:9} {:9} {:9} {:7} {:6.2} {:5.1}",
            self.formulas,
            self.undecided,
            plain,
            self.product,
            ratio,
            self.checks,
            self.by_structure,
            self.by_automaton,
            self.by_recurring,
            self.by_abstraction,
            self.by_marks,
            self.runs,
            100.0 * (1.0 - self.runs / self.checks.max(1.0)),
            100.0 * self.search / self.product.max(1e-9),
        );
    }
}

/// Below this plain time ratios say nothing.
const LONG: f64 = 0.05;

fn figure(stats: &Stats, name: &str) -> f64 {
    stats
        .get(name)
        .and_then(|f| f.to_string().parse().ok())
        .unwrap_or(0.0)
}

struct Table {
    time: Duration,
    proofs: Proofs,
    totals: [Sums; 2],
}

impl Table {
    /// All properties of one net.
    fn net(&mut self, name: &str, system: &System, properties: &Properties) {
        let budget = Budget::bytes(3 << 30).with_deadline(8 * self.time);
        let explore =
            |choice: &OrderChoice| reach(system, choice, Deadlock::Stutter, &budget, &Quiet);
        let order = match explore(&OrderChoice::Auto) {
            Ok(Reach::All(reached)) => reached.space.layout().order().clone(),
            Ok(Reach::Unbounded(_)) => return println!("{name:32} unbounded"),
            Err(stop) => return println!("{name:32} no order: {stop}"),
        };
        let order = OrderChoice::Given(order);
        let start = cpu();
        let mut times = 0;
        while times == 0 || (times < 20 && cpu() - start < 0.2) {
            if explore(&order).is_err() {
                return println!("{name:32} not explored");
            }
            times += 1;
        }
        let plain = (cpu() - start) / f64::from(times);
        let options = Options {
            engine: Choice::Hyb,
            tuning: Tuning {
                order,
                proofs: self.proofs,
                ..Tuning::default()
            },
            ..Options::default()
        };
        let subject = Subject {
            coloured: None,
            system,
            formulas: &properties.formulas,
            propositions: &properties.propositions,
        };
        let mut sums = [Sums::default(); 2];
        for property in &properties.list {
            let formula = Property::Formula(property.formula);
            let budget = Budget::bytes(3 << 30).with_deadline(self.time);
            let phases = Phases::default();
            let mut explored = Explored::new(system);
            let report = check(&subject, formula, &options, &mut explored, &budget, &phases);
            let end = cpu();
            let (begun, ended) = phases.0.into_inner().unwrap_or_default();
            let product = ended.unwrap_or(end) - begun.unwrap_or(end);
            let of_verdict = match report.verdict {
                Verdict::Holds(_) => 0,
                Verdict::Violated(_) => 1,
                Verdict::Unknown(reason) => {
                    eprintln!(
                        "{name} {}: {reason}, product {product:.2} s, {:?}",
                        property.name, report.stats
                    );
                    sums[usize::from(ended.is_some())].undecided += 1;
                    continue;
                }
            };
            let stats = &report.stats;
            let sum = &mut sums[of_verdict];
            sum.formulas += 1;
            sum.checks += figure(stats, "scc_checks");
            sum.by_structure += figure(stats, "scc_prevented_by_structure");
            sum.by_automaton += figure(stats, "scc_prevented_by_automaton");
            sum.by_recurring += figure(stats, "scc_prevented_by_recurring");
            sum.by_abstraction += figure(stats, "scc_prevented_by_abstraction");
            sum.by_marks += figure(stats, "scc_prevented_by_marks");
            sum.runs += figure(stats, "scc_symbolic_runs");
            sum.product += product;
            sum.search += product * figure(stats, "scc_share");
            if plain >= LONG {
                sum.ratios.0 += (product / plain).max(1e-6).ln();
                sum.ratios.1 += 1;
            }
            if std::env::var_os("EACH").is_some() {
                println!(
                    "  {} {} {product:.3} {:.2} {stats:?}",
                    property.name,
                    of_verdict,
                    product / plain
                );
            }
        }
        for (sum, what) in sums.iter().zip(["holds", "violated"]) {
            sum.print(name, what, Some(plain));
        }
        for (total, sum) in self.totals.iter_mut().zip(&sums) {
            total.add(sum);
        }
    }
}

/// Questions that make sense of any net: of some of its places and transitions.
fn questions(system: &System) -> Properties {
    let mut properties = Properties::new();
    let names = Names::of(system);
    let place = |i: usize| &system.variables[i % system.variables.len()].name;
    let event = |i: usize| &system.events[i % system.events.len()].name;
    let (n, m) = (system.variables.len(), system.events.len());
    let mut add = |text: String| {
        let name = properties.list.len().to_string();
        properties
            .add_formula(&names, &name, None, &text)
            .expect("a formula");
    };
    for i in [0, n / 3, 2 * n / 3] {
        let (p, q) = (place(i), place(i + 1));
        add(format!("G (\"{p}\" -> F \"{q}\")"));
        add(format!("F G !\"{p}\""));
        add(format!("G \"{p} + {q} <= 1000\""));
        add(format!("\"{p}\" U \"{q}\""));
        add(format!("G F \"{p} + {q} >= 0\" & F \"{p} >= 0\""));
    }
    for i in [0, m / 2] {
        let (t, u) = (event(i), event(i + 1));
        add(format!("G (fireable({t}) -> F fireable({u}))"));
        add(format!(
            "G F fireable({t}) -> G F (fireable({t}) | fireable({u}))"
        ));
        add(format!(
            "G (fireable({t}) -> X (fireable({t}) | !fireable({t}) W fireable({t})))"
        ));
    }
    properties
}

fn main() {
    let mut table = Table {
        time: Duration::from_secs(10),
        proofs: Proofs::default(),
        totals: [Sums::default(); 2],
    };
    let mut wanted = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--timeout" => {
                let seconds = arguments.next().and_then(|s| s.parse().ok());
                table.time = Duration::from_secs_f64(seconds.expect("seconds"));
            }
            "--without" => match arguments.next().as_deref() {
                Some("recurring") => table.proofs.recurring = false,
                Some("abstraction") => table.proofs.abstraction = false,
                Some("structure") => table.proofs.structure = false,
                other => panic!("without what? {other:?}"),
            },
            name => wanted.push(name.to_owned()),
        }
    }
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part));
    println!(
        "{:32} {:8} {:>4} {:>4} {:>8} {:>9} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>6} {:>5}",
        "net",
        "formulas",
        "n",
        "?",
        "plain",
        "product",
        "ratio",
        "checks",
        "structure",
        "automaton",
        "recurring",
        "abstract",
        "marks",
        "runs",
        "prev%",
        "scc%",
    );
    let folder = kit::folder();
    for instance in folder.iter().flat_map(|folder| kit::instances(folder)) {
        let (Some(folder), true) = (&folder, is_wanted(&instance.name)) else {
            continue;
        };
        let folder = folder.join(&instance.name);
        let read = |name: &str| std::fs::read(folder.join(name)).expect(name);
        let model = lariat::model::read(&instance.name, &read("model.pnml")).expect("a model");
        let mut properties = Properties::new();
        for file in ["LTLCardinality.xml", "LTLFireability.xml"] {
            let names = model.names();
            properties.add_mcc(&names, file, &read(file)).expect(file);
        }
        table.net(&instance.name, &model.system, &properties);
    }
    for (family, size) in [
        (Family::Philosophers, 2000),
        (Family::SlottedRing, 20),
        (Family::Kanban, 100),
        (Family::Fms, 40),
        (Family::Peterson, 3),
    ] {
        let name = format!("generated {} {size}", family.name());
        if is_wanted(&name) {
            let system = generate(family, size).expect("a net");
            table.net(&name, &system, &questions(&system));
        }
    }
    for (total, what) in table.totals.iter().zip(["holds", "violated"]) {
        total.print("all", what, None);
    }
}
