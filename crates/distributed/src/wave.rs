//! Waves: barrier-synchronised phases that all workers execute together.
//!
//! A [`WavePart`] processes the messages of other workers and works in short stretches; its own
//! messages go into the [`Outbox`]. If a part fails, its worker sets the stop switch of the process
//! and discards further messages, but still acknowledges them, so that the wave terminates at all
//! workers. Afterwards [`WaveContext::agree`] determines whether all parts completed.

use crate::post::{Mailbox, Outbox};
use crate::shared::Shared;
use crate::wire::{invalid, pack, unpack};
use lariat_budget::{Budget, Stop};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use timely::worker::Worker;

/// Timeout of an idle worker, which otherwise waits for a parcel; it then polls the stop switch.
const NAP: Duration = Duration::from_millis(20);

/// Nodes that a part expands between two reads of the mailbox.
pub(crate) const STRETCH: usize = 4096;

/// The part of one worker in a wave.
pub(crate) trait WavePart {
    /// Processes a message of worker `from`.
    fn receive(&mut self, from: usize, contents: &[u8]) -> Result<(), Stop>;

    /// Works for one stretch; returns whether work remains.
    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop>;
}

/// The environment of a worker.
pub(crate) struct WaveContext<'a> {
    pub worker: &'a mut Worker,
    pub shared: &'a Shared,
    pub budget: &'a Budget,
    /// Bytes sent in all waves so far.
    pub bytes: u64,
}

impl WaveContext<'_> {
    pub fn me(&self) -> usize {
        self.worker.index()
    }

    pub fn peers(&self) -> usize {
        self.worker.peers()
    }

    /// Fails if the stop switch is set or the budget is exhausted.
    fn check(&self) -> Result<(), Stop> {
        if self.shared.halt.is_pressed() {
            Err(Stop::Interrupted)
        } else {
            self.budget.check()
        }
    }

    /// Executes a wave. All workers call this in the same order. Returns an error if this worker
    /// has stopped or was stopped; the wave terminates nevertheless.
    pub fn wave(&mut self, part: &mut dyn WavePart) -> Result<(), Stop> {
        self.until_over(part, WaveContext::check)
    }

    fn until_over(
        &mut self,
        part: &mut dyn WavePart,
        check: fn(&Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let office = Mailbox::open(self.worker);
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

    /// All-to-all exchange of one value per worker; works after a stop, too.
    fn all<T: Serialize + DeserializeOwned>(&mut self, mine: &T) -> Result<Vec<T>, Stop> {
        let mut round = Round {
            mine: Some(pack(mine)?),
            received: vec![None; self.peers()],
        };
        self.until_over(&mut round, |_| Ok(()))?;
        let values = round
            .received
            .into_iter()
            .map(|bytes| unpack(&bytes.ok_or_else(|| invalid("a value is missing"))?));
        values.collect()
    }

    /// Exchanges the results of all workers if every worker succeeded. Otherwise returns this
    /// worker's error, or [`Stop::Interrupted`] if only others failed.
    pub fn agree<T>(&mut self, mine: Result<T, Stop>) -> Result<Vec<T>, Stop>
    where
        T: Serialize + DeserializeOwned,
    {
        let (value, stop) = match mine {
            Ok(value) => (Some(value), None),
            Err(stop) => (None, Some(stop)),
        };
        let all = self.all(&value)?;
        let all: Option<Vec<T>> = all.into_iter().collect();
        all.ok_or(stop.unwrap_or(Stop::Interrupted))
    }
}

/// The all-to-all exchange of one encoded value per worker.
struct Round {
    mine: Option<Vec<u8>>,
    received: Vec<Option<Vec<u8>>>,
}

impl WavePart for Round {
    fn receive(&mut self, from: usize, contents: &[u8]) -> Result<(), Stop> {
        // A long value may arrive in several pieces.
        let received = self.received[from].get_or_insert_default();
        received.extend_from_slice(contents);
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
