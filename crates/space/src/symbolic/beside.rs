//! Interludes of a [race](super::race), by the favourite itself or by another thread beside it.
//!
//! ```text
//! alone:    at `due` work of the favourite: the interlude; then the next `due`
//! beside:   at `due`: hand the race over; go on for a share of the work; ask what has come of it, and wait where nothing has; then the next `due`
//! ```
//!
//! All marks are in work of the favourite, which interludes do not add to, so that it is told the same at the same point
//! in every run. What it finds before it asks is the answer: then the interlude has been in vain, and ends.

use super::race::{FavouriteEnd, Race};
use lariat_budget::{Abort, Budget, Stop};
use lariat_dd::kernel::{Halt, Kernel};
use lariat_dd::saturation::{Fired, Listener, Unfiltered};
use lariat_model::order::OrderName;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};

/// Stack of the thread: enough for what operations on diagrams ask of the stack that they are called on.
const STACK: usize = 16 << 20;

/// What comes of an interlude: `None` if the favourite may go on.
type Outcome<'a> = Result<Option<FavouriteEnd<'a>>, Stop>;

/// A thread for interludes. It ends when this is dropped.
pub(super) struct Beside<'r, 'a, 'b> {
    ask: Sender<(&'r mut Race<'a, 'b>, OrderName)>,
    told: Receiver<(&'r mut Race<'a, 'b>, Outcome<'a>)>,
}

impl<'r, 'a, 'b> Beside<'r, 'a, 'b> {
    /// A thread of `scope`, if there is one to be had.
    pub(super) fn new<'scope>(scope: &'scope Scope<'scope, '_>) -> Option<Beside<'r, 'a, 'b>>
    where
        'r: 'scope,
        'a: 'scope,
        'b: 'scope,
    {
        let (ask, asked) = channel::<(&'r mut Race<'a, 'b>, OrderName)>();
        let (tell, told) = channel();
        let work = move || {
            for (race, favourite) in asked {
                let outcome = race.interlude(favourite);
                if tell.send((race, outcome)).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new().name("interlude".to_owned());
        let thread = thread.stack_size(STACK).spawn_scoped(scope, work);
        thread.is_ok().then_some(Beside { ask, told })
    }
}

/// Hears the favourite and calls the interludes.
pub(super) struct Interludes<'o, 'r, 'a, 'b> {
    /// The race, unless it is at the thread beside.
    race: Option<&'r mut Race<'a, 'b>>,
    beside: Option<Beside<'r, 'a, 'b>>,
    /// Ends what is tried beside a favourite.
    over: &'b Abort,
    favourite: OrderName,
    /// The favourite's own.
    budget: &'o Budget,
    /// The work of the favourite at which something is to be done.
    due: u64,
    /// Why the favourite was interrupted.
    end: Option<Result<FavouriteEnd<'a>, Stop>>,
}

impl<'o, 'r, 'a, 'b> Interludes<'o, 'r, 'a, 'b> {
    /// The interludes of a favourite under `budget`; the first after `due` work.
    pub(super) fn new(
        race: &'r mut Race<'a, 'b>,
        favourite: OrderName,
        budget: &'o Budget,
        due: u64,
        beside: Option<Beside<'r, 'a, 'b>>,
    ) -> Interludes<'o, 'r, 'a, 'b> {
        Interludes {
            over: race.over,
            race: Some(race),
            beside,
            favourite,
            budget,
            due,
            end: None,
        }
    }

    #[cold]
    fn play(&mut self, kernel: &mut Kernel) -> Result<(), Halt> {
        let own = self.budget.work_spent();
        let (race, outcome) = match (self.race.take(), &self.beside) {
            (Some(race), None) => {
                race.hear(own);
                let outcome = race.interlude(self.favourite);
                (race, outcome)
            }
            (Some(race), Some(beside)) => {
                race.hear(own);
                self.due = own + race.until_asked();
                // Where nobody is there any more, the next question says so.
                let _ = beside.ask.send((race, self.favourite));
                return Ok(());
            }
            (None, beside) => match beside.as_ref().and_then(|beside| beside.told.recv().ok()) {
                Some(told) => told,
                None => return self.leave(kernel, Err(lost())),
            },
        };
        race.hear(own);
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

    /// The favourite has ended; nothing is tried any more if it `is_done`. Why it was interrupted, or what another candidate has found meanwhile.
    pub(super) fn close(mut self, is_done: bool) -> Option<Result<FavouriteEnd<'a>, Stop>> {
        if let (None, Some(beside)) = (&self.race, &self.beside) {
            if is_done {
                self.over.because(Stop::Interrupted);
            }
            let told = beside.told.recv().ok();
            if let Some((_, Ok(Some(end @ FavouriteEnd::Reached(_))))) = told {
                self.end.get_or_insert(Ok(end));
            }
        }
        self.end
    }
}

fn lost() -> Stop {
    Stop::Internal("the thread for interludes failed".to_owned())
}

impl Listener<Unfiltered> for Interludes<'_, '_, '_, '_> {
    #[inline]
    fn fired(&mut self, kernel: &mut Kernel, _: &mut Unfiltered, _: Fired) -> Result<(), Halt> {
        if self.budget.work_spent() < self.due {
            return Ok(());
        }
        self.play(kernel)
    }
}
