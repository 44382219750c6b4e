//! Workers of one process, of several processes, and of processes that fail.

mod faults;
mod fleet;
mod processes;
mod threads;
