//! Failure detection: finds the lost process from silence, broken connections and complaints.
//!
//! Every process sends a heartbeat twice per second. A suspended process keeps its connections
//! open, so only silence reveals it. Silence is counted in ticks of the listening thread, and a
//! late listener counts only a few: a process that was suspended itself received nothing meanwhile.
//!
//! The first symptom need not be the cause. If a process is killed, another one may report that
//! before the own connection to it breaks; if this process was suspended, the others have given it
//! up and closed their connections. So evidence is collected for a short time and then weighed:
//!
//! ```text
//! p silent for too long                            p is lost
//! p disconnected, but this process was suspended,
//!   or p reported it lost before                   this process is lost
//! p disconnected                                   p is lost
//! p reports that it cannot reach q                 the silent one; else their connection
//! ```

use std::fmt;
use std::time::{Duration, Instant};

/// Interval at which the listening thread checks.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Limit on the ticks counted at once, for a listener that is late on a busy machine.
const AT_ONCE: u32 = 5;

/// Ticks of silence after which a process is lost: six seconds, so that the run ends within ten.
const SILENT: u32 = 60;

/// Ticks of silence after which a reported process is at fault: two heartbeats are missing.
const QUIET: u32 = 12;

/// Ticks for which evidence is collected.
const GRACE: u32 = 5;

/// Delay that means that this process was suspended; less than the time after which others give up.
const STANDSTILL: Duration = Duration::from_secs(5);

/// The lost part of the cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loss {
    /// A process.
    Host(usize),
    /// The connection of two processes, both of which run.
    Between(usize, usize),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Host(process) => write!(f, "host {process}"),
            Loss::Between(from, to) => write!(f, "the connection between hosts {from} and {to}"),
        }
    }
}

/// The state of failure detection in one process.
pub(crate) struct PeerWatch {
    me: usize,
    /// Ticks since the last frame of each process; 0 for this one.
    silent: Vec<u32>,
    /// Ticks since this process was suspended.
    awake: u32,
    /// The first process to which a connection broke.
    broken: Option<usize>,
    /// The first report that a process cannot reach another: reporter and subject.
    complaint: Option<(usize, usize)>,
    /// Checks since the first evidence.
    considered: u32,
    last: Instant,
}

impl PeerWatch {
    pub fn new(me: usize, processes: usize) -> PeerWatch {
        PeerWatch {
            me,
            silent: vec![0; processes],
            awake: SILENT,
            broken: None,
            complaint: None,
            considered: 0,
            last: Instant::now(),
        }
    }

    /// Records a frame of a process.
    pub fn received(&mut self, process: usize) {
        self.silent[process] = 0;
    }

    /// Records a broken connection to a process.
    pub fn broke(&mut self, process: usize) {
        self.broken.get_or_insert(process);
    }

    /// Records that a process cannot reach another.
    pub fn complained(&mut self, from: usize, about: usize) {
        self.complaint.get_or_insert((from, about));
    }

    /// Checks for a loss now. Silence of processes with `matters(p)` false is ignored.
    pub fn tick(&mut self, matters: impl Fn(usize) -> bool) -> Option<Loss> {
        let elapsed = self.last.elapsed();
        let ticks = (elapsed.as_millis() / TICK.as_millis()) as u32;
        if ticks == 0 {
            return None;
        }
        self.last = if ticks <= AT_ONCE {
            self.last + TICK * ticks
        } else {
            Instant::now()
        };
        self.advance(elapsed, matters)
    }

    fn advance(&mut self, elapsed: Duration, matters: impl Fn(usize) -> bool) -> Option<Loss> {
        let ticks = (elapsed.as_millis() / TICK.as_millis()) as u32;
        let ticks = ticks.min(AT_ONCE);
        self.awake = self.awake.saturating_add(ticks);
        if elapsed >= STANDSTILL {
            self.awake = 0;
        }
        for (process, silent) in self.silent.iter_mut().enumerate() {
            if process != self.me && matters(process) {
                *silent += ticks;
            }
        }
        let has_evidence = self.broken.is_some() || self.complaint.is_some();
        // Counts checks instead of ticks, since a late listener has unread frames in its queue.
        self.considered += u32::from(has_evidence);
        let silence = self.silent.iter().copied().enumerate();
        let longest = silence.max_by_key(|(_, ticks)| *ticks);
        match longest.filter(|(_, ticks)| *ticks > SILENT) {
            Some((process, _)) => Some(Loss::Host(process)),
            None if self.considered >= GRACE => self.weigh(),
            None => None,
        }
    }

    fn weigh(&self) -> Option<Loss> {
        let was_suspended = self.awake < SILENT;
        if let Some(gone) = self.broken {
            let given_up = self.complaint == Some((gone, self.me));
            let lost = if was_suspended || given_up {
                self.me
            } else {
                gone
            };
            return Some(Loss::Host(lost));
        }
        let (from, about) = self.complaint?;
        let is_quiet = |process: usize| {
            if process == self.me {
                was_suspended
            } else {
                self.silent.get(process).is_none_or(|ticks| *ticks > QUIET)
            }
        };
        let quiet = [about, from].into_iter().find(|process| is_quiet(*process));
        Some(quiet.map_or(Loss::Between(from, about), Loss::Host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loss, and the ticks until it is found, while only the processes `speaking` send.
    fn after(watch: &mut PeerWatch, speaking: &[usize]) -> Option<(u32, Loss)> {
        (1..=2 * SILENT).find_map(|ticks| {
            speaking.iter().for_each(|process| watch.received(*process));
            Some((ticks, watch.advance(TICK, |_| true)?))
        })
    }

    #[test]
    fn only_a_silent_process_is_lost() {
        let mut watch = PeerWatch::new(0, 4);
        assert_eq!(after(&mut watch, &[1, 2, 3]), None);
        // The other processes report it just before.
        watch.silent = vec![0, SILENT - 3, 0, QUIET];
        watch.complained(2, 1);
        watch.complained(1, 2);
        assert_eq!(after(&mut watch, &[2]), Some((4, Loss::Host(1))));
        // Two are silent: the one for longer is lost.
        let mut watch = PeerWatch::new(0, 3);
        watch.silent = vec![0, SILENT, SILENT - 1];
        assert_eq!(after(&mut watch, &[]), Some((1, Loss::Host(1))));
        // The listener is late every time: silence is still measured correctly.
        let (mut watch, late) = (PeerWatch::new(0, 2), TICK * 3 / 2);
        let calls = (1..).find(|_| {
            watch.last = Instant::now() - late - (Instant::now() - watch.last);
            watch.tick(|_| true).is_some()
        });
        let most = SILENT * 3 / 4;
        assert!(calls.is_some_and(|calls| calls <= most), "{calls:?}");
        // This process was suspended, so the others were not silent.
        let mut watch = PeerWatch::new(0, 2);
        assert_eq!(watch.advance(STANDSTILL * 2, |_| true), None);
        // A process that does not matter may be silent.
        let mut watch = PeerWatch::new(0, 2);
        assert!((0..200).all(|_| watch.advance(TICK, |process| process != 1).is_none()));
    }

    #[test]
    fn a_complaint_is_weighed() {
        // A killed process: another one reports it first, then its connection breaks.
        let mut watch = PeerWatch::new(0, 4);
        watch.complained(2, 1);
        assert_eq!(watch.advance(TICK, |_| true), None);
        watch.broke(1);
        let lost = (GRACE - 1, Loss::Host(1));
        assert_eq!(after(&mut watch, &[1, 2, 3]), Some(lost));
        // Both processes send heartbeats, but cannot reach each other.
        let mut watch = PeerWatch::new(0, 4);
        watch.complained(2, 1);
        let between = Loss::Between(2, 1);
        assert_eq!(after(&mut watch, &[1, 2, 3]), Some((GRACE, between)));
        assert_eq!(between.to_string(), "the connection between hosts 2 and 1");
        // The reporting process is the one that is cut off.
        let mut watch = PeerWatch::new(0, 4);
        watch.silent = vec![0, 0, QUIET, 0];
        watch.complained(2, 1);
        assert_eq!(after(&mut watch, &[1, 3]), Some((GRACE, Loss::Host(2))));
    }

    #[test]
    fn a_suspended_process_is_lost_itself() {
        let mut watch = PeerWatch::new(0, 3);
        assert_eq!(watch.advance(STANDSTILL, |_| true), None);
        watch.broke(1);
        assert_eq!(after(&mut watch, &[2]), Some((GRACE, Loss::Host(0))));
        // The other process has reported this one as lost.
        let mut watch = PeerWatch::new(0, 3);
        watch.complained(1, 0);
        watch.broke(1);
        assert_eq!(after(&mut watch, &[2]), Some((GRACE, Loss::Host(0))));
        // This process was suspended long ago: the disconnected process is lost.
        let mut watch = PeerWatch::new(0, 3);
        assert_eq!(watch.advance(STANDSTILL, |_| true), None);
        for _ in 0..SILENT {
            watch.received(1);
            watch.received(2);
            assert_eq!(watch.advance(TICK, |_| true), None);
        }
        watch.broke(2);
        assert_eq!(after(&mut watch, &[1]), Some((GRACE, Loss::Host(2))));
    }
}
