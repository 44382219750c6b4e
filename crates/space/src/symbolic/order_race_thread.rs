//! Interludes of a [race](super::race), in the thread of the favourite or in a background thread.
//!
//! ```text
//! one thread:   at `due` work of the favourite: the interlude; then the next `due`
//! background:   at `due`: send the race to the thread; continue for a share of the work;
//!               receive the race and the result, blocking if necessary; then the next `due`
//! ```
//!
//! Exactly one thread holds the race, which travels through the channels. `due` is in work of the
//! favourite, to which interludes do not add, so that results arrive at the same points in every
//! run. A favourite that finishes before it receives a result cancels the interlude. If the thread
//! panics, the next receive fails.

use super::race::{FavouriteEnd, Race};
use lariat_budget::{Abort, Budget, Stop};
use lariat_dd::kernel::{Halt, Kernel};
use lariat_dd::saturation::{Fired, Listener, Unfiltered};
use lariat_model::order::OrderName;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};

/// Stack of the thread, sufficient for the recursion of diagram operations.
const STACK: usize = 16 << 20;

/// Result of an interlude: `None` if the favourite may continue.
type Outcome<'a> = Result<Option<FavouriteEnd<'a>>, Stop>;

/// A background thread for interludes. It ends when this handle is dropped.
pub(super) struct OrderRaceThread<'r, 'a, 'b> {
    requests: Sender<(&'r mut Race<'a, 'b>, OrderName)>,
    results: Receiver<(&'r mut Race<'a, 'b>, Outcome<'a>)>,
}

impl<'r, 'a, 'b> OrderRaceThread<'r, 'a, 'b> {
    /// Spawns the thread in `scope`; `None` if that fails.
    pub(super) fn new<'scope>(
        scope: &'scope Scope<'scope, '_>,
    ) -> Option<OrderRaceThread<'r, 'a, 'b>>
    where
        'r: 'scope,
        'a: 'scope,
        'b: 'scope,
    {
        let (requests, requested) = channel::<(&'r mut Race<'a, 'b>, OrderName)>();
        let (send, results) = channel();
        let work = move || {
            for (race, favourite) in requested {
                let outcome = race.interlude(favourite);
                if send.send((race, outcome)).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new().name("interlude".to_owned());
        let thread = thread.stack_size(STACK).spawn_scoped(scope, work);
        thread
            .is_ok()
            .then_some(OrderRaceThread { requests, results })
    }
}

/// The listener of a favourite that runs its interludes.
pub(super) struct Interludes<'o, 'r, 'a, 'b> {
    /// The race, unless the background thread holds it.
    race: Option<&'r mut Race<'a, 'b>>,
    background: Option<OrderRaceThread<'r, 'a, 'b>>,
    /// Cancels the trials of the background thread.
    abort: &'b Abort,
    favourite: OrderName,
    budget: &'o Budget,
    /// Work of the favourite at which the next action is due.
    due: u64,
    /// Reason why the favourite was interrupted.
    end: Option<Result<FavouriteEnd<'a>, Stop>>,
}

impl<'o, 'r, 'a, 'b> Interludes<'o, 'r, 'a, 'b> {
    /// The interludes of a favourite under `budget`; the first after `due` work.
    pub(super) fn new(
        race: &'r mut Race<'a, 'b>,
        favourite: OrderName,
        budget: &'o Budget,
        due: u64,
        background: Option<OrderRaceThread<'r, 'a, 'b>>,
    ) -> Interludes<'o, 'r, 'a, 'b> {
        Interludes {
            abort: race.abort,
            race: Some(race),
            background,
            favourite,
            budget,
            due,
            end: None,
        }
    }

    #[cold]
    fn run_due(&mut self, kernel: &mut Kernel) -> Result<(), Halt> {
        let own = self.budget.work_spent();
        let (race, outcome) = match (self.race.take(), &self.background) {
            (Some(race), None) => {
                race.favourite = own;
                let outcome = race.interlude(self.favourite);
                (race, outcome)
            }
            (Some(race), Some(background)) => {
                race.favourite = own;
                self.due = own + race.until_asked();
                // If the thread has ended, the next receive reports it.
                let _ = background.requests.send((race, self.favourite));
                return Ok(());
            }
            (None, background) => match background.as_ref().and_then(|b| b.results.recv().ok()) {
                Some(result) => result,
                None => {
                    let lost = "the background thread of the order race failed".to_owned();
                    return self.leave(kernel, Err(Stop::Internal(lost)));
                }
            },
        };
        race.favourite = own;
        self.due = own + race.until_interlude();
        self.race = Some(race);
        match outcome.transpose() {
            None => Ok(()),
            Some(end) => self.leave(kernel, end),
        }
    }

    fn leave(
        &mut self,
        kernel: &mut Kernel,
        end: Result<FavouriteEnd<'a>, Stop>,
    ) -> Result<(), Halt> {
        self.end = Some(end);
        Err(kernel.leave())
    }

    /// Ends the interludes when the favourite has ended, and cancels a running one if it `is_done`.
    /// Returns why the favourite was interrupted, or the states that another candidate has reached
    /// meanwhile.
    pub(super) fn close(mut self, is_done: bool) -> Option<Result<FavouriteEnd<'a>, Stop>> {
        if let (None, Some(background)) = (&self.race, &self.background) {
            if is_done {
                self.abort.because(Stop::Interrupted);
            }
            let result = background.results.recv().ok();
            if let Some((_, Ok(Some(end @ FavouriteEnd::Reached(_))))) = result {
                self.end.get_or_insert(Ok(end));
            }
        }
        self.end
    }
}

impl Listener<Unfiltered> for Interludes<'_, '_, '_, '_> {
    #[inline]
    fn fired(&mut self, kernel: &mut Kernel, _: &mut Unfiltered, _: Fired) -> Result<(), Halt> {
        if self.budget.work_spent() < self.due {
            return Ok(());
        }
        self.run_due(kernel)
    }
}
