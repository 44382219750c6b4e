//! The reachable states, under an order that is found by trying.
//!
//! No static score may choose an order alone, so `auto` tries. Budgets are counted in nodes created,
//! never in seconds, so that runs repeat:
//!
//! 1. the file order, under a small budget and before any other order has been computed;
//! 2. on nets, a short search for a proof that there is no end (`pumping.rs`);
//! 3. a knockout: all candidates under a small budget, the better half under twice that, and so on.
//!    Saturation finishes a diagram from the bottom level up, so who has finished more
//!    levels for the same work is ahead; the static score decides between equals;
//! 4. the winner under a growing budget. Each time it does not end, the second gets a quarter of
//!    that, and takes over if it comes further.
//!
//! The knockout costs a constant, the fourth phase less than twice the winner's own cost on average.

use super::pumping::{Pumping, pumping};
use super::space::Symbolic;
use lariat_budget::{Budget, Observer, Stop};
use lariat_dd::Set;
use lariat_dd::kernel::{Halt, Kernel, NodeId, Residual};
use lariat_dd::saturation::Listener;
use lariat_model::order::{self, Candidate, Order, OrderName};
use lariat_model::{Deadlock, System};

/// Which order to use.
#[derive(Clone, Debug, Default)]
pub enum OrderChoice {
    /// Whatever turns out to work.
    #[default]
    Auto,
    /// The order that a heuristic makes.
    Named(OrderName),
    /// This one.
    Given(Order),
}

/// A space with all its reachable states.
pub struct Reached<'a> {
    /// The space.
    pub space: Symbolic<'a>,
    /// The reachable states.
    pub states: Set,
    /// The order used, by name.
    pub order: String,
    /// What was tried, the successful attempt last.
    pub trail: Vec<Attempt>,
}

/// One try of an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The order, by name.
    pub order: String,
    /// Nodes created.
    pub created: u64,
    /// Why it was given up; `None` if it succeeded.
    pub stop: Option<Stop>,
}

/// What came of looking for all reachable states.
pub enum Reach<'a> {
    /// Here they are.
    All(Box<Reached<'a>>),
    /// There are infinitely many, and this is why.
    Unbounded(Pumping),
}

/// Comparisons of places that a search for a pumping sequence may spend.
const PUMPING: u64 = 2_000_000;

/// Nodes that the file order may create at first: little for a few places, in proportion for many.
fn first_budget(levels: usize) -> u64 {
    10_000 + 10 * levels as u64
}

/// How many candidates take part: many nodes each, or many candidates.
fn field(levels: usize) -> usize {
    match levels {
        0..1000 => 8,
        1000..5000 => 4,
        _ => 2,
    }
}

/// All reachable states of `system` under an order of the given choice.
pub fn reach<'a>(
    system: &'a System,
    choice: &OrderChoice,
    deadlock: Deadlock,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Reach<'a>, Stop> {
    let search = Search {
        system,
        deadlock,
        budget,
        observer,
        trail: Vec::new(),
    };
    match choice {
        OrderChoice::Auto => search.auto(),
        OrderChoice::Named(name) => {
            let Some(order) = order::named(system, *name) else {
                return Err(Stop::Unsupported(format!(
                    "the order {name} needs units, which the model lacks"
                )));
            };
            search.single(&name.to_string(), &order)
        }
        OrderChoice::Given(order) => search.single("given", order),
    }
}

struct Search<'a, 'b> {
    system: &'a System,
    deadlock: Deadlock,
    budget: &'b Budget,
    observer: &'b dyn Observer,
    trail: Vec<Attempt>,
}

/// How one attempt ended.
enum End<'a> {
    Reached(Box<Reached<'a>>),
    /// The work ran out when this many levels were unfinished.
    Unfinished(u32),
    /// This order needs more memory than there is.
    Memory,
}

/// A candidate in the knockout.
struct Runner {
    candidate: Candidate,
    /// Levels unfinished when it was last stopped.
    unfinished: u32,
    /// Ran out of memory.
    out: bool,
}

impl<'a> Search<'a, '_> {
    /// One order, with all that may be spent.
    fn single(mut self, name: &str, order: &Order) -> Result<Reach<'a>, Stop> {
        match self.attempt(name, order, None)? {
            End::Reached(reached) => Ok(Reach::All(reached)),
            End::Memory => self.give_up(Stop::Memory),
            End::Unfinished(_) => self.give_up(Stop::Work(0)),
        }
    }

    /// Before running out is reported: is there a better reason?
    fn give_up(&self, stop: Stop) -> Result<Reach<'a>, Stop> {
        match pumping(self.system, PUMPING, self.budget)? {
            Some(proof) => Ok(Reach::Unbounded(proof)),
            None => Err(stop),
        }
    }

    fn auto(mut self) -> Result<Reach<'a>, Stop> {
        let levels = self.system.variables.len();
        let small = first_budget(levels);
        let file = OrderName::FILE;
        let order = order::named(self.system, file).unwrap_or_else(|| Order::file(levels));
        let mut unfinished = match self.attempt(&file.to_string(), &order, Some(small))? {
            End::Reached(reached) => return Ok(Reach::All(reached)),
            End::Unfinished(unfinished) => unfinished,
            End::Memory => levels as u32,
        };
        if let Some(proof) = pumping(self.system, PUMPING, self.budget)? {
            return Ok(Reach::Unbounded(proof));
        }
        let mut candidates = order::candidates(self.system);
        candidates.truncate(field(levels).saturating_sub(1).max(1));
        let score = order::score(self.system, &order);
        candidates.push(Candidate {
            name: file,
            order,
            score,
        });
        let mut runners: Vec<Runner> = candidates
            .into_iter()
            .map(|candidate| Runner {
                candidate,
                unfinished: u32::MAX,
                out: false,
            })
            .collect();

        // The knockout. The file order has had its first round.
        let mut work = small / 2;
        while runners.len() > 2 {
            for runner in &mut runners {
                if work < small && runner.candidate.name == file {
                    runner.unfinished = unfinished;
                    continue;
                }
                if let Some(reached) = self.run(runner, work)? {
                    return Ok(Reach::All(reached));
                }
            }
            unfinished = u32::MAX;
            rank(&mut runners);
            runners.truncate(runners.len().div_ceil(2));
            work *= 2;
        }

        // The winner and the second.
        loop {
            work = work.saturating_mul(8);
            for (i, share) in [(0, work), (1, work / 4)] {
                if let Some(runner) = runners.get_mut(i).filter(|r| !r.out)
                    && let Some(reached) = self.run(runner, share)?
                {
                    return Ok(Reach::All(reached));
                }
            }
            rank(&mut runners);
            if runners.iter().all(|r| r.out) {
                return Err(Stop::Memory);
            }
        }
    }

    fn run(&mut self, runner: &mut Runner, work: u64) -> Result<Option<Box<Reached<'a>>>, Stop> {
        let Candidate { name, order, .. } = &runner.candidate;
        match self.attempt(&name.to_string(), order, Some(work))? {
            End::Reached(reached) => return Ok(Some(reached)),
            End::Unfinished(unfinished) => runner.unfinished = unfinished,
            End::Memory => (runner.out, runner.unfinished) = (true, u32::MAX),
        }
        Ok(None)
    }

    /// Tries one order, creating at most `work` nodes.
    fn attempt(&mut self, name: &str, order: &Order, work: Option<u64>) -> Result<End<'a>, Stop> {
        let budget = match work {
            Some(work) => self.budget.clone().with_work(work),
            None => self.budget.clone(),
        };
        let mut height = Height(order.len() as u32);
        let (system, deadlock) = (self.system, self.deadlock);
        let (mut created, mut attempted) = (0, None);
        let outcome = (|| {
            let space = Symbolic::new(system, order, deadlock, &budget)?;
            let space = attempted.insert(space);
            let initial = space.initial()?;
            space.reach_heard(&initial, &space.all(), &mut height)
        })();
        if let Some(space) = &attempted {
            created = space.store_figures().created;
        }
        self.trail.push(Attempt {
            order: name.to_owned(),
            created,
            stop: outcome.as_ref().err().cloned(),
        });
        match (outcome, attempted) {
            (Ok(states), Some(mut space)) => {
                space.set_budget(self.budget);
                self.observer.remark(&format!("variable order {name}"));
                Ok(End::Reached(Box::new(Reached {
                    space,
                    states,
                    order: name.to_owned(),
                    trail: std::mem::take(&mut self.trail),
                })))
            }
            (Err(Stop::Work(_)), _) if work.is_some() => {
                self.budget.spend(created)?;
                Ok(End::Unfinished(height.0))
            }
            (Err(Stop::Memory), _) => Ok(End::Memory),
            (Err(stop), _) => Err(stop),
            (Ok(_), None) => Err(Stop::Interrupted),
        }
    }
}

/// Those ahead first; the static score decides between equals.
fn rank(runners: &mut [Runner]) {
    runners.sort_by(|a, b| {
        let score = || a.candidate.score.total_cmp(&b.candidate.score);
        a.unfinished.cmp(&b.unfinished).then_with(score)
    });
}

/// Hears how many levels are unfinished.
struct Height(u32);

impl Listener for Height {
    fn saturated(
        &mut self,
        _: &mut Kernel,
        level: u32,
        _: Residual,
        _: NodeId,
    ) -> Result<(), Halt> {
        self.0 = self.0.min(level);
        Ok(())
    }
}
