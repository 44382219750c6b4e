//! The crew: others who compute parts of one long operation.
//!
//! An operation that turns out to be long, under a budget with several threads, *hires* hands: workers on the same tables, each in a
//! thread. From then on everybody keeps account of the edges that are still to be fired, of all nodes on the way down, and where somebody is idle the last
//! edge of the outermost node becomes a *part* on a board:
//!
//! ```text
//! owner:  fire the edges of a node that are nobody's; then for each part of it
//!           nobody has begun it → take it back and compute it
//!           it is done          → take its result
//!           somebody is at it   → outside of the gate, compute other parts of deeper levels until it is done
//! hand:   compute the newest part; root the result; say that it is done
//! ```
//!
//! A part is data: what to compute and on what. Whoever computes it, the result is the same node, and all that is found on the way is in the common cache, so
//! that the only thing to lose is time: two workers may be at the same node at once and compute it twice.
//!
//! *Roots.* The operands of a part are on the stack of its owner, who takes every part back or waits for it before it releases them, also when it unwinds: a
//! hand that went on with nodes that may be collected would leave wrong results in the cache. A result is rooted by a handle until the owner has it.
//!
//! *No deadlock.* Whoever waits computes parts of deeper levels only than where it waits. So on every stack levels increase, a part that somebody waits
//! for is deeper than the place where it is waited for, and along any chain of workers who wait for each other levels increase, too: it has an
//! end. The same rule keeps stacks as deep as levels ask for.
//!
//! (T. van Dijk, J. van de Pol: *Lace: non-blocking split deque for work-stealing*, 2014, has tasks as data for the same reason; T. van Dijk, J. Meijer,
//! J. van de Pol: *Multi-core on-the-fly saturation*, TACAS 2019. There everything is a task that may be stolen. Here nothing is one until somebody is idle.)

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use crate::kernel::{Halt, Kernel, NodeId};
use crate::saturation::FiringPart;
use crate::store::stack_bytes;
use lariat_budget::{Abort, Stop};
use lariat_parallel::Board;

/// Breaths of an operation after which it hires, some tenths of a second: hands have to be tried before it is known what they are worth, and what is over by then
/// should not pay for that.
pub(crate) const LONG: u32 = 256;

/// Breaths after which the owner looks at what has come of it. If that is not worth it hands go home, until the operation has become [`AGAIN`] times as long.
const TRIAL: u32 = 32;
const AGAIN: u32 = 4;

/// Nodes that must be made, in percent of what the owner has made alone in as many breaths. Shared tables make it slower by a tenth or two, so that with less
/// nothing is gained. Steps would say nothing: two workers who compute the same take twice as many.
const WORTH: u64 = 130;

/// How many nodes a worker makes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pace {
    /// Nodes that it has made since this breath.
    pub nodes: u64,
    since: u32,
    /// Nodes in a hundred breaths that it made when it was alone.
    alone: u64,
}

/// A part of an operation, for whoever has nothing to do.
pub(crate) struct Part {
    pub what: FiringPart,
    outcome: OnceLock<Result<Arc<NodeId>, Stop>>,
}

impl Part {
    pub fn new(what: FiringPart) -> Arc<Part> {
        Arc::new(Part {
            what,
            outcome: OnceLock::new(),
        })
    }
}

/// Those who compute one operation together.
#[derive(Default)]
pub(crate) struct Crew {
    board: Board<Arc<Part>>,
    /// The operation ends before its time.
    abort: Abort,
    /// Nodes that hands have made.
    nodes: AtomicU64,
}

impl Crew {
    /// Is there somebody with nothing to do?
    #[inline]
    pub fn is_hungry(&self) -> bool {
        self.board.is_hungry()
    }

    /// Offers `part` to whoever is idle; false if nobody will come any more.
    pub fn offer(&self, part: &Arc<Part>) -> bool {
        self.board.offer(part.clone())
    }

    /// A hand has made so many nodes.
    pub fn count(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    fn withdraw(&self, part: &Arc<Part>) -> bool {
        self.board
            .withdraw(|other| Arc::ptr_eq(other, part))
            .is_some()
    }

    fn finish(&self, part: &Part, outcome: Result<Arc<NodeId>, Stop>) {
        // Nobody else has it.
        let _ = part.outcome.set(outcome);
        self.board.tell();
    }
}

/// The threads of a crew. They end with this.
pub(crate) struct Hands {
    crew: Arc<Crew>,
    threads: Vec<JoinHandle<()>>,
    /// The breath of the owner at which it looks at what they have done, if it has not yet.
    judged_at: Option<u32>,
}

impl Drop for Hands {
    fn drop(&mut self) {
        self.crew.abort.because(Stop::Interrupted);
        // What is on the board belongs to somebody who waits for it.
        self.crew.board.retire();
        for thread in self.threads.drain(..) {
            // A hand that panicked has said so to whoever waited for it.
            let _ = thread.join();
        }
    }
}

/// Says that a part will not be finished, if it is dropped before it is.
struct Begun<'a>(&'a Crew, &'a Part);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if self.1.outcome.get().is_none() {
            let lost = Stop::Internal("a worker on a diagram failed".to_owned());
            self.0.finish(self.1, Err(lost));
        }
    }
}

impl Kernel {
    /// An operation begins of which several can compute parts.
    pub(crate) fn may_be_divided(&mut self) {
        self.divisible = self.budget().threads() > NonZeroUsize::MIN;
        if self.divisible && self.divide_always && !self.is_shared() {
            self.hire();
        }
    }

    /// Called with every breath of such an operation: hires if it has become long, and sends hands home who do little.
    pub(crate) fn consider_hands(&mut self) {
        self.breaths += 1;
        match &mut self.hands {
            None => {
                if self.breaths >= self.hire_at && !self.is_shared() {
                    self.hire();
                }
            }
            Some(hands) if hands.judged_at.is_none() => {
                // They have been sent home; whoever is gone waits for nobody.
                if self.is_sole() {
                    self.hands = None;
                    self.crew = None;
                }
            }
            Some(hands) if hands.judged_at <= Some(self.breaths) => {
                let made = self.pace.nodes + hands.crew.nodes.swap(0, Ordering::Relaxed);
                let breaths = u64::from(self.breaths - self.pace.since);
                self.pace.nodes = 0;
                self.pace.since = self.breaths;
                if made * 10_000 >= WORTH * breaths * self.pace.alone || self.divide_always {
                    hands.judged_at = Some(self.breaths + TRIAL);
                } else {
                    hands.judged_at = None;
                    hands.crew.board.retire();
                    self.hire_at = self.breaths.saturating_mul(AGAIN);
                }
            }
            Some(_) => {}
        }
    }

    fn hire(&mut self) {
        let breaths = u64::from(self.breaths - self.pace.since).max(1);
        self.pace = Pace {
            nodes: 0,
            since: self.breaths,
            alone: self.pace.nodes * 100 / breaths,
        };
        let crew = Arc::<Crew>::default();
        let alone = self.budget().clone().with_threads(NonZeroUsize::MIN);
        let theirs = alone.with_abort(&crew.abort);
        let mut hands = Hands {
            crew: crew.clone(),
            threads: Vec::new(),
            judged_at: Some(self.breaths + TRIAL),
        };
        let stack = stack_bytes(self.levels() as usize);
        for _ in 1..self.budget().threads().get() {
            // As many as there is memory and threads for.
            let Ok(mut hand) = self.worker() else {
                break;
            };
            hand.enlist(&theirs, &crew);
            // The owner goes forwards.
            hand.backwards = hands.threads.len().is_multiple_of(2);
            let thread = std::thread::Builder::new().name("hand".to_owned());
            hands
                .threads
                .extend(thread.stack_size(stack).spawn(move || hand.serve()));
        }
        self.begin();
        if !hands.threads.is_empty() {
            self.crew = Some(crew);
            self.hands = Some(hands);
        }
    }

    /// What a hand does.
    fn serve(mut self) {
        let Some(crew) = self.crew.clone() else {
            return;
        };
        while let Some(part) = crew.board.next() {
            let begun = Begun(&crew, &part);
            self.begin();
            let outcome = self.perform(&part.what);
            let outcome = outcome.map(|node| self.root(node));
            let outcome = match self.conclude(outcome) {
                Ok(Some(root)) => Ok(root),
                // Hands have no listener who could leave.
                Ok(None) => Err(Stop::Interrupted),
                Err(stop) => Err(stop),
            };
            self.end();
            crew.finish(&part, outcome);
            drop(begun);
        }
    }

    /// The result of `part` if somebody has begun it, and `None` if it is the caller's again, who is at `level`.
    pub(crate) fn result_of(
        &mut self,
        part: &Arc<Part>,
        level: u32,
    ) -> Result<Option<NodeId>, Halt> {
        let Some(crew) = self.crew.clone() else {
            return Ok(None);
        };
        if crew.withdraw(part) {
            return Ok(None);
        }
        loop {
            match part.outcome.get() {
                Some(Ok(root)) => return Ok(Some(**root)),
                Some(Err(stop)) => return Err(self.halt(stop.clone())),
                None => {}
            }
            let come = || part.outcome.get().is_some();
            let deeper = |other: &Arc<Part>| other.what.level() > level;
            let other = self.outside(|| crew.board.meanwhile(come, deeper));
            if let Some(other) = other {
                self.help(&crew, &other)?;
            }
        }
    }

    /// Computes a part of somebody else's in the midst of an operation.
    fn help(&mut self, crew: &Crew, part: &Part) -> Result<(), Halt> {
        let begun = Begun(crew, part);
        let outcome = self.perform(&part.what);
        match outcome {
            Ok(node) => {
                let root = self.root(node);
                crew.finish(part, Ok(root));
                drop(begun);
                Ok(())
            }
            // Whatever it is, it ends the whole operation.
            Err(halt) => {
                crew.finish(part, Err(self.reason()));
                drop(begun);
                Err(halt)
            }
        }
    }

    /// Takes back what can be taken back and waits for the rest, while the operation unwinds.
    pub(crate) fn abandon(&mut self, parts: &[Arc<Part>]) {
        let Some(crew) = self.crew.clone() else {
            return;
        };
        crew.abort.because(Stop::Interrupted);
        for part in parts {
            if crew.withdraw(part) {
                continue;
            }
            let come = || part.outcome.get().is_some();
            while !come() {
                self.outside(|| crew.board.meanwhile(come, |_| false));
            }
        }
    }
}
