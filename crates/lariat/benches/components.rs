//! Measures the time of `hyb` for a product, relative to the state space under the same order.
//!
//!     cargo bench -p lariat --bench components -- [--order NAME] [--formulas N] [--seed N]
//!         [--limit SECONDS] [--least SECONDS] [--each] [--fair | --formula TEXT]
//!         [FAMILY-SIZE | CONTEST INSTANCE]…
//!
//! The plain state space is one saturation, without a census or a search for an order. Nets that
//! take less than `--least` (50 ms) are skipped. Formulas over marked places are drawn until the
//! given number hold and as many are violated; formulas whose explicit product has fewer than a
//! thousand states are skipped. With `--fair` they are checked on runs that mark three places
//! infinitely often. Times are CPU times of this process, which depend little on other load.
//! `--each` prints every formula.

use lariat::internals::automata::{LegalLetters, translate};
use lariat::internals::formats::{LoadedModel, ModelFormat};
use lariat::internals::ir::generate::{Family, generate};
use lariat::internals::ir::order::Order;
use lariat::internals::ir::{Deadlock, PropertyList};
use lariat::internals::ltl::{
    AtomId, Formula, Formulas, OperatorWeights, Random, Syntax, print, random_formula,
};
use lariat::internals::space::symbolic::{ReachResult, Symbolic, reach};
use lariat::internals::{
    AutomatonKind, Budget, CheckOptions, Decision, EarnedVerdict, Observer, OrderChoice, Plan,
    Progress, PropertyForm, RunContext, SpaceCache, Statistic, Stop, Subject, Systems,
    check_subject,
};
use lariat_corpora::bench::{self, cpu};
use lariat_engines::testing_automata::Construction;
use lariat_engines::{Problem, product_size};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

struct Arguments {
    order: OrderChoice,
    formulas: usize,
    seed: u64,
    limit: f64,
    least: f64,
    each: bool,
    fair: bool,
    formula: Option<String>,
    models: Vec<String>,
}

/// Nets whose state spaces are large enough for a measurement.
const MODELS: &str = "philosophers-2000 philosophers-3000 slotted-ring-30 slotted-ring-40 kanban-200 kanban-250 \
                      fms-60 fms-70";

const DRAWS: usize = 200;

/// Least number of states of a product that is measured.
const LEAST_PRODUCT: u64 = 1000;

const MEMORY: u64 = 3 << 30;

fn arguments() -> Result<Arguments, String> {
    let mut result = Arguments {
        order: OrderChoice::Auto,
        formulas: 5,
        seed: 1,
        limit: 60.0,
        least: 0.05,
        each: false,
        fair: false,
        formula: None,
        models: Vec::new(),
    };
    let mut arguments = bench::arguments();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            let value = arguments.next();
            value.ok_or_else(|| format!("{argument} needs a value"))
        };
        let number = |text: String| text.parse::<f64>().map_err(|e| format!("{text}: {e}"));
        match argument.as_str() {
            "--order" => result.order = OrderChoice::Named(value()?.parse()?),
            "--formulas" => result.formulas = number(value()?)? as usize,
            "--seed" => result.seed = number(value()?)? as u64,
            "--limit" => result.limit = number(value()?)?,
            "--least" => result.least = number(value()?)?,
            "--each" => result.each = true,
            "--fair" => result.fair = true,
            "--formula" => result.formula = Some(value()?),
            name if !name.starts_with('-') => result.models.push(name.to_owned()),
            other => return Err(format!("unknown option {other}")),
        }
    }
    if result.models.is_empty() {
        result.models = MODELS.split(' ').map(str::to_owned).collect();
    }
    Ok(result)
}

/// Records the CPU time at which each phase begins.
#[derive(Default)]
struct Phases(Mutex<Vec<(&'static str, f64)>>);

impl Observer for Phases {
    fn progress(&self, progress: Progress<'_>) {
        let mut phases = self.0.lock().expect("the lock is not poisoned");
        let is_same = |(name, _): &(&str, f64)| *name == progress.phase;
        if !phases.last().is_some_and(is_same) {
            phases.push((progress.phase, cpu()));
        }
    }
}

fn model(name: &str) -> Result<LoadedModel, String> {
    let generated = name.rsplit_once('-').and_then(|(family, size)| {
        let family = Family::ALL.into_iter().find(|f| f.name() == family)?;
        Some((family, size.parse().ok()?))
    });
    if let Some((family, size)) = generated {
        let system = generate(family, size).map_err(|e| format!("{name}: {e}"))?;
        return Ok(LoadedModel::new(ModelFormat::Pnml, system));
    }
    let folder = lariat_corpora::models("mcc").ok_or("no contest models")?;
    let bytes = std::fs::read(folder.join(name).join("model.pnml"));
    let bytes = bytes.map_err(|e| format!("{name}: {e}"))?;
    lariat::internals::formats::read(name, &bytes).map_err(|e| e.to_string())
}

/// An order for the net, its name, and the seconds that the plain state space takes under it.
fn plain(model: &LoadedModel, arguments: &Arguments) -> Result<(Order, String, f64), Stop> {
    let limit = Duration::from_secs_f64(4.0 * arguments.limit);
    let budget = Budget::bytes(MEMORY).with_deadline(limit);
    let (order, ctx) = (&arguments.order, RunContext::quiet(&budget));
    let found = reach(&model.system, order, Deadlock::Stutter, ctx)?;
    let ReachResult::All(reached) = found else {
        return Err(Stop::Bound("unbounded".to_owned()));
    };
    let (order, name) = (reached.space.layout().order().clone(), reached.order);
    drop(reached.states);
    drop(reached.space);
    let mut least = f64::INFINITY;
    for _ in 0..2 {
        let start = cpu();
        let mut space = Symbolic::new(&model.system, &order, Deadlock::Stutter, &budget)?;
        let initial = space.initial()?;
        let all = space.all();
        space.reach(&initial, &all)?;
        least = least.min(cpu() - start);
    }
    Ok((order, name, least))
}

/// `(GF p1 & … & GF pk) -> φ`.
fn under_fairness(formulas: &mut Formulas, atoms: &[AtomId], formula: Formula) -> Formula {
    let mut often = Vec::new();
    for atom in atoms {
        let p = formulas.atom(*atom);
        let p = formulas.finally(p);
        often.push(formulas.globally(p));
    }
    let often = formulas.and(often);
    formulas.implies(often, formula)
}

fn is_large(subject: &Subject<'_>, formula: Formula) -> bool {
    let mut formulas = subject.formulas().clone();
    let negation = formulas.not(formula);
    let budget = Budget::bytes(MEMORY);
    let Ok(automaton) = translate(&mut formulas, negation, &LegalLetters::any(), &budget) else {
        return false;
    };
    let meaning = |atom: &AtomId| subject.propositions()[atom.index()].clone();
    let propositions: Vec<_> = automaton.atoms.iter().map(meaning).collect();
    let (system, policy) = (subject.system(), Deadlock::Stutter);
    let problem = Problem::new(system, &automaton, &propositions, policy);
    let budget = budget.with_work(2 * LEAST_PRODUCT);
    let (ours, ctx) = (Construction::Ours, RunContext::quiet(&budget));
    let size = product_size(&problem, AutomatonKind::Tgba, ours, ctx);
    size.map_or(true, |size| size.nodes as u64 >= LEAST_PRODUCT)
}

/// Ratios to the time of the plain state space.
#[derive(Default)]
struct Ratios {
    product: Vec<f64>,
    lasso: Vec<f64>,
    undecided: usize,
}

fn mean(of: &[f64]) -> f64 {
    let sum: f64 = of.iter().map(|ratio| ratio.max(1e-6).ln()).sum();
    (sum / of.len() as f64).exp()
}

impl Ratios {
    fn line(&self, name: &str, answer: &str) {
        let most = self.product.iter().copied().fold(0.0, f64::max);
        println!(
            "{name:28} {answer:9} n {:3}  product {:8.3} (most {most:8.3})  lasso {:8.3}  undecided {}",
            self.product.len(),
            mean(&self.product),
            mean(&self.lasso),
            self.undecided
        );
    }
}

/// Checks one formula; returns the decision, and the seconds of the product and of the lasso.
fn run(subject: &Subject<'_>, formula: Formula, order: &Order, limit: f64) -> (Decision, f64, f64) {
    let options = CheckOptions {
        engine: Plan::of("hyb").into(),
        order: OrderChoice::Given(order.clone()),
        ..CheckOptions::default()
    };
    let limit = Duration::from_secs_f64(limit);
    let budget = Budget::bytes(MEMORY).with_deadline(limit);
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
    let phases = Phases::default();
    let formula = PropertyForm::Formula(formula);
    let ctx = RunContext::new(&budget, &phases);
    let report = check_subject(subject, formula, &options, &mut explored, ctx);
    let end = cpu();
    let phases = phases.0.lock().expect("the lock is not poisoned");
    let at = |name| phases.iter().find(|(n, _)| *n == name).map(|p| p.1);
    let product = at("product").unwrap_or(end);
    let lasso = at("lasso").unwrap_or(end);
    (report, lasso - product, end - lasso)
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let mut sums: [Ratios; 2] = Default::default();
    for name in &arguments.models {
        let model = match model(name) {
            Ok(model) => model,
            Err(message) => {
                eprintln!("{message}");
                continue;
            }
        };
        let (order, order_name, base) = match plain(&model, &arguments) {
            Ok(found) => found,
            Err(stop) => {
                println!("{name:28} skipped: {stop}");
                continue;
            }
        };
        if base < arguments.least {
            println!("{name:28} skipped: {base:.3} s");
            continue;
        }
        println!("{name:28} {base:.3} s under {order_name}");
        let ratios = measured(&model, &order, base, &arguments);
        for ((sum, ratios), answer) in sums.iter_mut().zip(&ratios).zip(["holds", "violated"]) {
            if !ratios.product.is_empty() {
                ratios.line(name, answer);
            }
            sum.product.extend(&ratios.product);
            sum.lasso.extend(&ratios.lasso);
            sum.undecided += ratios.undecided;
        }
    }
    for (sum, answer) in sums.iter().zip(["holds", "violated"]) {
        sum.line("all", answer);
    }
    ExitCode::SUCCESS
}

/// Measures formulas about a model whose state space took `base` seconds; returns the ratios of
/// those that hold and of those that are violated.
fn measured(model: &LoadedModel, order: &Order, base: f64, arguments: &Arguments) -> [Ratios; 2] {
    let mut ratios: [Ratios; 2] = Default::default();
    let mut random = Random::new(arguments.seed);
    for _ in 0..DRAWS * arguments.formulas {
        let full = |r: &Ratios| r.product.len() + r.undecided >= arguments.formulas;
        if ratios.iter().all(full) || ratios.iter().any(|r| r.undecided > arguments.formulas) {
            break;
        }
        let mut properties = PropertyList::new();
        let Some(formula) = question(model, &mut properties, arguments, &mut random) else {
            break;
        };
        let (formulas, propositions) = (&properties.formulas, &properties.propositions);
        let subject = Subject::of_system(&model.system, formulas, propositions);
        if arguments.formula.is_none() && !is_large(&subject, formula) {
            continue;
        }
        let (report, product, lasso) = run(&subject, formula, order, arguments.limit);
        let answer = match report.verdict {
            EarnedVerdict::Holds(_) => 0,
            EarnedVerdict::Violated(_) => 1,
            EarnedVerdict::Unknown(_) => {
                ratios[0].undecided += 1;
                2
            }
        };
        let is_wanted = match ratios.get(answer) {
            Some(ratios) => ratios.product.len() < arguments.formulas,
            None => true,
        };
        if arguments.each && is_wanted {
            let figure = |name| {
                let stats = &report.account.stats;
                stats.get(name).map_or("-".to_owned(), |f| f.to_string())
            };
            println!(
                "  {} product {:.3} lasso {:.3}  checks {} runs {} share {} created {} lookups {} hits {}  {}",
                ["holds", "violated", "undecided"][answer],
                product / base,
                lasso / base,
                figure(Statistic::SCC_CHECKS),
                figure(Statistic::SCC_SYMBOLIC_RUNS),
                figure(Statistic::SCC_SHARE),
                figure(Statistic::DIAGRAM_CREATED),
                figure(Statistic::CACHE_LOOKUPS),
                figure(Statistic::CACHE_HITS),
                print(formulas, formula, Syntax::Full),
            );
        }
        if let Some(ratios) = ratios.get_mut(answer).filter(|_| is_wanted) {
            ratios.product.push(product / base);
            ratios.lasso.push(lasso / base);
        }
        if arguments.formula.is_some() {
            break;
        }
    }
    ratios
}

fn question(
    model: &LoadedModel,
    properties: &mut PropertyList,
    arguments: &Arguments,
    random: &mut Random,
) -> Option<Formula> {
    let names = model.names();
    if let Some(text) = &arguments.formula {
        if let Err(error) = properties.add_formula(&names, "formula", None, text) {
            eprintln!("{error}");
            return None;
        }
        return Some(properties.list[0].formula);
    }
    let mut atoms = Vec::new();
    while atoms.len() < 3
        && let Some(place) = random.pick(&model.system.variables)
        && let Ok(atom) = properties.add_atom(&names, &format!("tokens({}) >= 1", place.name))
    {
        atoms.push(atom);
    }
    let size = random.between(5, 12);
    let formulas = &mut properties.formulas;
    let formula = random_formula(formulas, &atoms, size, &OperatorWeights::X_FREE, random);
    Some(if arguments.fair {
        under_fairness(formulas, &atoms, formula)
    } else {
        formula
    })
}
