//! A wave: every worker does its part until nobody has anything left to do, and then all go on together.
//!
//! A [`Part`] takes in what others have sent and works in stretches; what it has for others goes into the [`Outbox`]. A worker whose part stops
//! presses the switch that all share and reads its parcels no more, but keeps acknowledging them, so that the
//! wave ends for everybody. Whether all parts came to their ends is asked afterwards, by [`all`].

use crate::post::{Office, Outbox};
use crate::shared::Shared;
use crate::wire::{garbled, pack, unpack};
use lariat_budget::{Budget, Stop};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use timely::worker::Worker;

/// How long a worker without work sleeps, unless it is woken by a parcel: it then looks whether somebody has stopped.
const NAP: Duration = Duration::from_millis(20);

/// One worker's part in a wave.
pub(crate) trait Part {
    /// Takes in what worker `from` has sent.
    fn receive(&mut self, from: usize, contents: &[u8]) -> Result<(), Stop>;

    /// Works for a while; says whether there is more to do.
    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop>;
}

/// What a worker has besides its part.
pub(crate) struct Hands<'a> {
    pub worker: &'a mut Worker,
    pub shared: &'a Shared,
    pub budget: &'a Budget,
    /// Bytes sent in all waves.
    pub bytes: u64,
}

impl Hands<'_> {
    pub fn me(&self) -> usize {
        self.worker.index()
    }

    pub fn peers(&self) -> usize {
        self.worker.peers()
    }

    /// Has somebody stopped, or is there no time left?
    fn check(&self) -> Result<(), Stop> {
        match self.shared.halt.is_pressed() {
            true => Err(Stop::Interrupted),
            false => self.budget.check(),
        }
    }

    /// Does a part of a wave. All workers call this in the same order. If this one has to stop, or has been stopped by another, that is
    /// the error; the wave is over all the same.
    pub fn wave(&mut self, part: &mut dyn Part) -> Result<(), Stop> {
        self.until_over(part, Hands::check)
    }

    fn until_over(
        &mut self,
        part: &mut dyn Part,
        check: fn(&Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let office = Office::open(self.worker);
        let mut out = Outbox::new(self.worker);
        let mut end = Ok(());
        let (mut is_busy, mut is_blocked) = (true, false);
        while self.worker.has_dataflows() {
            let nap = if is_busy && !is_blocked {
                Duration::ZERO
            } else {
                NAP
            };
            self.worker.step_or_park(Some(nap));
            let (was_busy, was_blocked) = (is_busy, is_blocked);
            let parcels = office.collect();
            let has_mail = !parcels.is_empty();
            for parcel in parcels {
                out.note(&parcel);
                if end.is_ok() && !parcel.contents.0.is_empty() {
                    end = part.receive(parcel.from as usize, &parcel.contents.0);
                }
            }
            if end.is_ok() {
                end = check(self);
            }
            is_blocked = out.is_full();
            is_busy = end.is_ok() && (is_blocked || was_busy || has_mail);
            if is_busy && !is_blocked {
                match part.work(&mut out) {
                    Ok(more) => is_busy = more,
                    Err(stop) => (is_busy, end) = (false, Err(stop)),
                }
            }
            if end.is_err() {
                self.shared.halt.press();
            }
            let parcels = out.take();
            let is_news = is_busy != was_busy || has_mail || !parcels.is_empty();
            if is_news || is_busy && !(is_blocked && was_blocked) {
                office.dispatch(parcels, is_busy);
            }
        }
        self.bytes += out.bytes;
        end
    }

    /// What everybody says, by worker. Also works when somebody has stopped.
    fn all<T: Serialize + DeserializeOwned>(&mut self, mine: &T) -> Result<Vec<T>, Stop> {
        let mut round = Round {
            mine: Some(pack(mine)?),
            told: vec![None; self.peers()],
        };
        self.until_over(&mut round, |_| Ok(()))?;
        let told = round
            .told
            .into_iter()
            .map(|told| unpack(&told.ok_or_else(|| garbled("nothing was said"))?));
        told.collect()
    }

    /// What everybody brings from what all were doing, if everybody has come to its end. If not, this worker's reason, or that
    /// another has stopped.
    pub fn agree<T>(&mut self, mine: Result<T, Stop>) -> Result<Vec<T>, Stop>
    where
        T: Serialize + DeserializeOwned,
    {
        let (brought, stop) = match mine {
            Ok(brought) => (Some(brought), None),
            Err(stop) => (None, Some(stop)),
        };
        let all = self.all(&brought)?;
        let all: Option<Vec<T>> = all.into_iter().collect();
        all.ok_or(stop.unwrap_or(Stop::Interrupted))
    }
}

/// Everybody tells everybody one thing.
struct Round {
    mine: Option<Vec<u8>>,
    told: Vec<Option<Vec<u8>>>,
}

impl Part for Round {
    fn receive(&mut self, from: usize, contents: &[u8]) -> Result<(), Stop> {
        // What is long may come in pieces.
        let told = self.told[from].get_or_insert_default();
        told.extend_from_slice(contents);
        Ok(())
    }

    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop> {
        if let Some(mine) = self.mine.take() {
            for to in 0..out.peers() {
                out.put(to, |bytes| bytes.extend_from_slice(&mine));
            }
        }
        Ok(false)
    }
}
