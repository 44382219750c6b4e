//! The crew: others who compute parts of one long operation.
//!
//! An operation that turns out to be long, under a budget with several threads, *hires* hands: workers on the same tables, each in a
//! thread. From then on, wherever the edges of a node are fired and somebody is idle, all edges but one are *parts* on a board:
//!
//! ```text
//! owner:  offer the parts; compute the edge that is left; then for each part
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

use crate::kernel::{BREATH, Halt, Kernel, NodeId};
use crate::saturation::FiringPart;
use crate::store::stack_bytes;
use lariat_budget::{Abort, Stop};
use lariat_workers::Board;

/// Breaths of an operation after which it hires, some hundredths of a second: a hundred times what it costs to start a thread.
pub(crate) const LONG: u32 = 16;

/// Breaths after which the owner looks at what hands have done. If that is not worth it they go home, until the operation has become [`AGAIN`] times as long.
const TRIAL: u32 = 16;
const AGAIN: u32 = 4;

/// One step in how many that the owner takes must be taken by hands. That tables are shared costs about a tenth, so that with fewer nothing is gained.
const WORTH: u64 = 4;

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
    /// Steps that hands have taken.
    steps: AtomicU64,
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

    /// A hand has taken so many steps.
    pub fn count(&self, steps: u32) {
        self.steps.fetch_add(steps.into(), Ordering::Relaxed);
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
                let done = hands.crew.steps.swap(0, Ordering::Relaxed);
                let enough = u64::from(TRIAL) * u64::from(BREATH) / WORTH;
                if done >= enough || self.divide_always {
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
        crew: &Crew,
        part: &Arc<Part>,
        level: u32,
    ) -> Result<Option<NodeId>, Halt> {
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
                self.help(crew, &other)?;
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
    pub(crate) fn abandon(&mut self, crew: &Crew, parts: &[Arc<Part>]) {
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
