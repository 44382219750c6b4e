//! A thread that comes later.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One of the threads of a [budget](crate::Budget) is still at work elsewhere: whoever has work for it [waits](Late::wait) on its behalf, so that there are never
/// more at work than were asked for.
#[derive(Clone, Debug, Default)]
pub struct Late(Arc<(Mutex<bool>, Condvar)>);

impl Late {
    /// It is free from now on, or nobody has work for it any more.
    pub fn come(&self) {
        *self.lock() = true;
        self.0.1.notify_all();
    }

    /// Returns when it is free.
    pub fn wait(&self) {
        let mut is_free = self.lock();
        while !*is_free {
            is_free = self
                .0
                .1
                .wait(is_free)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{spawn, yield_now};

    #[test]
    fn whoever_waits_goes_on_when_it_comes() {
        let late = Late::default();
        let waiting = spawn({
            let late = late.clone();
            move || late.wait()
        });
        for _ in 0..100 {
            yield_now();
        }
        assert!(!waiting.is_finished());
        late.come();
        waiting.join().unwrap();
        late.wait();
    }
}
