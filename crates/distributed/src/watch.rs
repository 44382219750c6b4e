//! Who is lost: what silence, broken connections and complaints tell.
//!
//! Every process says twice a second that it is there. A process that is stopped keeps its connections open, so that nothing but
//! silence tells. Silence is counted in ticks of the listener's own clock, of which few are made up for when it comes late: who was stopped itself has not heard
//! anything meanwhile, and has not counted either.
//!
//! What is noticed first need not be the cause. Where a process is killed, a neighbour may say so before the own connection to it breaks; where
//! this process was stopped, the others have left, and it finds them gone when it wakes up. So evidence is collected for a moment and
//! then weighed:
//!
//! ```text
//! p silent for too long                                        p is lost
//! p gone, but this process stood still, or p said so and left  this process is
//! p gone                                                       p is lost
//! p says that it cannot reach q                                whichever is silent; if neither is, the connection between them
//! ```

use std::fmt;
use std::time::{Duration, Instant};

/// How often who listens looks at the clock.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Ticks that count at once, when many processes share a processor and who listens comes late.
const AT_ONCE: u32 = 5;

/// Ticks of silence after which a process is lost: six seconds, so that with all that follows the run is over in ten.
const SILENT: u32 = 60;

/// Ticks of silence after which a process of which another complains is at fault: two words of its are missing.
const QUIET: u32 = 12;

/// Ticks for which evidence is collected.
const GRACE: u32 = 5;

/// Who has not looked at the clock for so long stood still, and may have been given up by the others: a bit less than it takes them.
const STANDSTILL: Duration = Duration::from_secs(5);

/// What is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loss {
    /// A process.
    Host(usize),
    /// The connection of two processes, both of which are there.
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

/// What one process knows of the others.
pub(crate) struct Watch {
    me: usize,
    /// Ticks since each process was heard; 0 for this one.
    silent: Vec<u32>,
    /// Ticks since this process stood still.
    awake: u32,
    /// To whom a connection has broken, first.
    broken: Option<usize>,
    /// Who said first that it cannot reach whom.
    complaint: Option<(usize, usize)>,
    /// Ticks since there is any evidence.
    considered: u32,
    last: Instant,
}

impl Watch {
    pub fn new(me: usize, processes: usize) -> Watch {
        Watch {
            me,
            silent: vec![0; processes],
            awake: SILENT,
            broken: None,
            complaint: None,
            considered: 0,
            last: Instant::now(),
        }
    }

    /// A process has said something.
    pub fn heard(&mut self, process: usize) {
        self.silent[process] = 0;
    }

    /// A connection to a process has broken.
    pub fn broke(&mut self, process: usize) {
        self.broken.get_or_insert(process);
    }

    /// A process says that it cannot reach another.
    pub fn complained(&mut self, from: usize, about: usize) {
        self.complaint.get_or_insert((from, about));
    }

    /// Looks at the clock: is anything lost? Silence of processes that do not matter is none.
    pub fn tick(&mut self, matters: impl Fn(usize) -> bool) -> Option<Loss> {
        let elapsed = self.last.elapsed();
        let ticks = (elapsed.as_millis() / TICK.as_millis()) as u32;
        if ticks == 0 {
            return None;
        }
        self.last = match ticks <= AT_ONCE {
            true => self.last + TICK * ticks,
            false => Instant::now(),
        };
        self.advance(elapsed, matters)
    }

    fn advance(&mut self, elapsed: Duration, matters: impl Fn(usize) -> bool) -> Option<Loss> {
        let ticks = (elapsed.as_millis() / TICK.as_millis()) as u32;
        let ticks = ticks.min(AT_ONCE);
        self.awake = match elapsed >= STANDSTILL {
            true => 0,
            false => self.awake.saturating_add(ticks),
        };
        for (process, silent) in self.silent.iter_mut().enumerate() {
            if process != self.me && matters(process) {
                *silent += ticks;
            }
        }
        let has_evidence = self.broken.is_some() || self.complaint.is_some();
        // Not by ticks: who comes late has yet to read what was said meanwhile.
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
        let stood_still = self.awake < SILENT;
        if let Some(gone) = self.broken {
            let given_up = self.complaint == Some((gone, self.me));
            let lost = if stood_still || given_up {
                self.me
            } else {
                gone
            };
            return Some(Loss::Host(lost));
        }
        let (from, about) = self.complaint?;
        let is_quiet = |process: usize| match process == self.me {
            true => stood_still,
            false => self.silent.get(process).is_none_or(|ticks| *ticks > QUIET),
        };
        let quiet = [about, from].into_iter().find(|process| is_quiet(*process));
        Some(quiet.map_or(Loss::Between(from, about), Loss::Host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks in which these processes speak; what is found lost, and after how many.
    fn after(watch: &mut Watch, speaking: &[usize]) -> Option<(u32, Loss)> {
        (1..=2 * SILENT).find_map(|ticks| {
            speaking.iter().for_each(|process| watch.heard(*process));
            Some((ticks, watch.advance(TICK, |_| true)?))
        })
    }

    #[test]
    fn who_is_silent_is_lost_and_nobody_else() {
        let mut watch = Watch::new(0, 4);
        assert_eq!(after(&mut watch, &[1, 2, 3]), None);
        // The neighbours complain only just before.
        watch.silent = vec![0, SILENT - 3, 0, QUIET];
        watch.complained(2, 1);
        watch.complained(1, 2);
        assert_eq!(after(&mut watch, &[2]), Some((4, Loss::Host(1))));
        // Two are: the one for longer.
        let mut watch = Watch::new(0, 3);
        watch.silent = vec![0, SILENT, SILENT - 1];
        assert_eq!(after(&mut watch, &[]), Some((1, Loss::Host(1))));
        // Who listens comes late every time: silence is as long as it is.
        let (mut watch, late) = (Watch::new(0, 2), TICK * 3 / 2);
        let calls = (1..).find(|_| {
            watch.last = Instant::now() - late - (Instant::now() - watch.last);
            watch.tick(|_| true).is_some()
        });
        assert!(
            calls.is_some_and(|calls| calls <= SILENT * 3 / 4),
            "{calls:?}"
        );
        // It stood still: that is no silence of others.
        let mut watch = Watch::new(0, 2);
        assert_eq!(watch.advance(STANDSTILL * 2, |_| true), None);
        // What is not waited for may be silent.
        let mut watch = Watch::new(0, 2);
        assert!((0..200).all(|_| watch.advance(TICK, |process| process != 1).is_none()));
    }

    #[test]
    fn a_complaint_is_weighed() {
        // A process that is killed: a neighbour says so first, then its connection breaks.
        let mut watch = Watch::new(0, 4);
        watch.complained(2, 1);
        assert_eq!(watch.advance(TICK, |_| true), None);
        watch.broke(1);
        assert_eq!(
            after(&mut watch, &[1, 2, 3]),
            Some((GRACE - 1, Loss::Host(1)))
        );
        // Two that speak, but not with each other.
        let mut watch = Watch::new(0, 4);
        watch.complained(2, 1);
        let between = Loss::Between(2, 1);
        assert_eq!(after(&mut watch, &[1, 2, 3]), Some((GRACE, between)));
        assert_eq!(between.to_string(), "the connection between hosts 2 and 1");
        // Who complains is the one that is cut off.
        let mut watch = Watch::new(0, 4);
        watch.silent = vec![0, 0, QUIET, 0];
        watch.complained(2, 1);
        assert_eq!(after(&mut watch, &[1, 3]), Some((GRACE, Loss::Host(2))));
    }

    #[test]
    fn who_stood_still_is_lost_itself() {
        let mut watch = Watch::new(0, 3);
        assert_eq!(watch.advance(STANDSTILL, |_| true), None);
        watch.broke(1);
        assert_eq!(after(&mut watch, &[2]), Some((GRACE, Loss::Host(0))));
        // The others have said so.
        let mut watch = Watch::new(0, 3);
        watch.complained(1, 0);
        watch.broke(1);
        assert_eq!(after(&mut watch, &[2]), Some((GRACE, Loss::Host(0))));
        // Long ago: who is gone now is lost.
        let mut watch = Watch::new(0, 3);
        assert_eq!(watch.advance(STANDSTILL, |_| true), None);
        for _ in 0..SILENT {
            watch.heard(1);
            watch.heard(2);
            assert_eq!(watch.advance(TICK, |_| true), None);
        }
        watch.broke(2);
        assert_eq!(after(&mut watch, &[1]), Some((GRACE, Loss::Host(2))));
    }
}
